package pages

import (
	"encoding/xml"
	"fmt"
	"hash/fnv"
	"math"
	"strconv"
	"strings"
)

// brand is how a simulated bank looks: drawn from its name and colour alone, so banks of a catalogue need no artist.
type brand struct {
	colour   string // #rrggbb, of the band, the main button and the logo
	ink      string // of text on it: black or white, with at least 4.5:1
	motif    string // drawn behind the initials, as SVG
	initials string // one or two letters or digits
}

// motifs lighten a part of the ground of a logo, each in its own shape.
var motifs = []string{
	`<circle cx="196" cy="44" r="120" fill="#fff" fill-opacity=".13"/>`,
	`<path d="M0 256V150L150 0h106z" fill="#fff" fill-opacity=".12"/>`,
	`<path d="M0 256v-84a128 128 0 0 1 256 0v84z" fill="#fff" fill-opacity=".13"/>`,
	`<path d="M128 0a128 128 0 0 1 0 256z" fill="#fff" fill-opacity=".12"/>`,
	`<path d="M0 196c64-44 128-44 256-12v72H0z" fill="#fff" fill-opacity=".15"/>`,
	`<path d="M128 14l114 114-114 114L14 128z" fill="#fff" fill-opacity=".12"/>`,
}

// brandOf returns the look of a bank.
func brandOf(name, colour, initials string) brand {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(name)) // never fails
	ink := "#ffffff"
	if luminance(colour) > 0.179 { // where black and white contrast equally
		ink = "#000000"
	}
	return brand{colour: colour, ink: ink, motif: motifs[sum.Sum32()%uint32(len(motifs))], initials: initials}
}

// luminance is the relative luminance of a colour #rrggbb (WCAG 2.2, definitions).
func luminance(colour string) float64 {
	value, err := strconv.ParseUint(strings.TrimPrefix(colour, "#"), 16, 32)
	if err != nil {
		return 0
	}
	channel := func(shift uint) float64 {
		c := float64(value>>shift&0xff) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*channel(16) + 0.7152*channel(8) + 0.0722*channel(0)
}

// styleSheet gives the bank's site its colours. In the dark an edge keeps its buttons apart from the ground.
func (b brand) styleSheet() string {
	return fmt.Sprintf(":root { --brand: %[1]s; --on-brand: %[2]s; --brand-edge: light-dark(color-mix(in oklch, %[1]s 82%%, black), color-mix(in oklch, %[1]s 45%%, white)); }\n",
		b.colour, b.ink)
}

// logo draws the bank's logo as SVG.
func (b brand) logo() string {
	var text strings.Builder
	_ = xml.EscapeText(&text, []byte(b.initials)) // a strings.Builder never fails
	size := 128
	if len([]rune(b.initials)) > 1 {
		size = 104
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="256" height="256" viewBox="0 0 256 256">`+
		`<rect width="256" height="256" fill="%s"/>%s`+
		`<text x="128" y="132" fill="%s" font-family="system-ui, 'Segoe UI', Roboto, 'Liberation Sans', Arial, sans-serif" font-size="%d" font-weight="700" `+
		`text-anchor="middle" dominant-baseline="central">%s</text></svg>`+"\n", b.colour, b.motif, b.ink, size, text.String())
}
