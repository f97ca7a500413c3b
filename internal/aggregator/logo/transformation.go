package logo

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Bounds of a transformation (our decision).
const (
	MaxSide       = 1024 // pixels
	maxOperations = 8
)

// Format is the kind of file of a logo.
type Format string

// The formats. The empty one leaves the choice to what the client accepts.
const (
	FormatSVG Format = "svg"
	FormatPNG Format = "png"
)

// Transformation is what the end of a logo's address asks for (spec: ASPSP data, logo).
type Transformation struct {
	Width, Height int // 1 to MaxSide
	Format        Format
}

// help says what there is; it ends every message of an error.
const help = "The end of the address may be -/resize/500x/ (width), -/resize/x80/ (height), -/resize/500x300/ (both; 1 to 1024 pixels), " +
	"-/format/png/ or -/format/svg/, or several of them in a row."

var size = regexp.MustCompile(`^([0-9]{0,5})x([0-9]{0,5})$`)

// ParseTransformation reads the end of a logo's address, such as "-/resize/500x/-/format/png/". Each operation works on
// what the one before it made: a missing side of a resize follows from the other one and the shape. The empty text is
// the logo as it is, a square. An error says what is wrong and what there is.
func ParseTransformation(text string) (Transformation, error) {
	t := Transformation{Width: side, Height: side}
	text = strings.TrimSuffix(text, "/")
	if text == "" {
		return t, nil
	}
	parts := strings.Split(text, "/")
	if len(parts)%3 != 0 || len(parts) > 3*maxOperations {
		return Transformation{}, fmt.Errorf("%q is not a list of one to %d operations. %s", short(text), maxOperations, help)
	}
	for i := 0; i < len(parts); i += 3 {
		mark, operation, value := parts[i], parts[i+1], parts[i+2]
		switch {
		case mark != "-":
			return Transformation{}, fmt.Errorf("%q stands where an operation begins with a dash. %s", short(mark), help)
		case operation == "resize":
			if problem := t.resize(value); problem != "" {
				return Transformation{}, fmt.Errorf("the size %q %s. %s", short(value), problem, help)
			}
		case operation == "format" && (value == string(FormatSVG) || value == string(FormatPNG)):
			t.Format = Format(value)
		default:
			return Transformation{}, fmt.Errorf("there is no operation %q. %s", short(operation+"/"+value), help)
		}
	}
	return t, nil
}

// resize applies a size such as 500x, x80 or 500x300.
func (t *Transformation) resize(value string) (problem string) {
	found := size.FindStringSubmatch(value)
	if found == nil || value == "x" {
		return "is not of the form 500x, x80 or 500x300"
	}
	width, height := number(found[1]), number(found[2])
	ratio := float64(t.Width) / float64(t.Height)
	if found[1] == "" {
		width = max(1, int(math.Round(float64(height)*ratio)))
	}
	if found[2] == "" {
		height = max(1, int(math.Round(float64(width)/ratio)))
	}
	if width < 1 || height < 1 || width > MaxSide || height > MaxSide {
		return fmt.Sprintf("gives a picture of %d by %d pixels", width, height)
	}
	t.Width, t.Height = width, height
	return ""
}

func number(digits string) int {
	n, _ := strconv.Atoi(digits) // at most five digits, or none: zero
	return n
}

// short bounds what of an address comes back in a message.
func short(text string) string {
	if letters := []rune(text); len(letters) > 60 {
		return string(letters[:60]) + "…"
	}
	return text
}
