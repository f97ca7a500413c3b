package qrcode

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // an accepted format
	_ "image/png"  // as above
	"io"
	"math"
	"runtime/debug"
	"slices"
	"time"

	"florin/internal/pdf"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/multi/qrcode/detector"
	"github.com/makiuchi-d/gozxing/qrcode/decoder"
	qr "github.com/makiuchi-d/gozxing/qrcode/detector"
	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // as above
)

// Limits of a picture. Within them, reading a picture takes at most about 300 MB of memory, a PDF 400 MB. One is read at a time.
const (
	MaxBytes  = 15 << 20   // of the file
	MaxPixels = 26_000_000 // photographs from phones usually have 12 million
	maxScans  = 32         // scans of a JPEG: programs write about ten, and each can cost as much as a whole picture with a few bytes of the file
	maxMarks  = 400        // finder patterns in a picture: squares like those in the corners of a code, which are compared in threes
)

// Errors of Read, in addition to those of pdf.FirstPage.
var (
	ErrTooLarge   = errors.New("the file is too large")
	ErrNoPicture  = errors.New("the file is no picture that can be read")
	ErrNoCode     = errors.New("no QR code can be read in the picture")
	ErrOtherCodes = errors.New("the picture has several QR codes")
	ErrPDF        = errors.New("on the first page of a PDF") // added to one of the other errors
)

// sides are the lengths in pixels to which the longer side of a picture is scaled, one after the other, to look for a code. A large code is found in a
// small picture, where disturbances are small too; a small code needs all pixels.
var sides = []int{1000, 1800, 600, 3000}

// drawings are the sizes in which a page of a PDF is drawn, one after the other, and the sides to which each drawing is scaled to look for a code: first
// unscaled, because a drawing has no disturbances. A code with many small modules that is missed in one drawing is usually found in the other.
var drawings = []struct {
	pixels int
	sides  []int
}{
	{12_500_000, []int{math.MaxInt, 3000, 1800, 1000}}, // A4 with 360 dots an inch
	{24_200_000, []int{math.MaxInt}},                   // with 500
}

// headWithin is the number of first bytes that must contain the header of a PDF. Not all programs write it at the very beginning.
const headWithin = 1024

// Only one picture is read at a time, because each takes much memory.
var one = make(chan struct{}, 1)

// Read returns the text of the QR code in a picture: PNG, JPEG, WebP or the first page of a PDF. When there are several codes, choose reports whether a text
// is the wanted one; when that holds for several different texts or for none, the error is ErrOtherCodes. Once the file has arrived, the search and the wait
// for other files end after within, with context.DeadlineExceeded. Other errors are those above, and that of ctx.
func Read(ctx context.Context, file io.Reader, within time.Duration, choose func(text string) bool) (string, error) {
	data, err := io.ReadAll(io.LimitReader(file, MaxBytes+1))
	if err != nil {
		return "", err
	}
	if len(data) > MaxBytes {
		return "", ErrTooLarge
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	select {
	case one <- struct{}{}:
		defer func() { <-one }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if bytes.Contains(data[:min(len(data), headWithin)], []byte("%PDF-")) {
		return readPDF(ctx, data, choose)
	}
	return readPicture(ctx, data, choose)
}

// readPicture is Read for files other than PDFs.
func readPicture(ctx context.Context, data []byte, choose func(string) bool) (string, error) {
	switch c, kind, err := image.DecodeConfig(bytes.NewReader(data)); {
	case err != nil, kind == "jpeg" && bytes.Count(data, []byte{0xff, 0xda}) > maxScans: // the marker SOS
		return "", ErrNoPicture
	case c.Width <= 0 || c.Height <= 0 || c.Width > MaxPixels/c.Height:
		return "", ErrTooLarge
	}
	defer debug.FreeOSMemory() // like in pdf.FirstPage: it is used for a second, and then perhaps not for a month
	whole, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return "", ErrNoPicture
	}
	return look(ctx, whole, sides, choose)
}

// readPDF is Read for a PDF. It joins ErrPDF to its errors.
func readPDF(ctx context.Context, data []byte, choose func(string) bool) (string, error) {
	err := ErrNoCode
	for _, drawing := range drawings {
		var page *image.Gray
		if page, err = pdf.FirstPage(ctx, data, drawing.pixels); err != nil {
			break
		}
		var text string
		if text, err = look(ctx, page, drawing.sides, choose); err == nil {
			return text, nil
		}
		if !errors.Is(err, ErrNoCode) {
			break
		}
	}
	return "", fmt.Errorf("%w: %w", ErrPDF, err)
}

// look looks for a code in a picture, scaled to one side after the other.
func look(ctx context.Context, whole image.Image, sides []int, choose func(string) bool) (string, error) {
	for i, side := range sides {
		if i > 0 && max(whole.Bounds().Dx(), whole.Bounds().Dy()) < min(side, sides[0]) {
			continue // this size was searched before
		}
		if err := ctx.Err(); err != nil {
			return "", err
		}
		texts, err := codes(ctx, scaled(whole, side))
		if err != nil {
			return "", err
		}
		if len(texts) > 0 {
			return chosen(texts, choose)
		}
	}
	return "", ErrNoCode
}

// chosen returns the wanted text.
func chosen(texts []string, choose func(string) bool) (string, error) {
	slices.Sort(texts)
	texts = slices.Compact(texts)
	if len(texts) == 1 {
		return texts[0], nil
	}
	if texts = slices.DeleteFunc(texts, func(text string) bool { return !choose(text) }); len(texts) == 1 {
		return texts[0], nil
	}
	return "", ErrOtherCodes
}

// scaled returns the picture in shades of grey on white, with its longer side at most side pixels.
func scaled(picture image.Image, side int) *image.Gray {
	b := picture.Bounds()
	width, height := b.Dx(), b.Dy()
	if longer := max(width, height); longer > side {
		width, height = max(1, width*side/longer), max(1, height*side/longer)
	}
	grey := image.NewGray(image.Rect(0, 0, width, height))
	draw.Draw(grey, grey.Bounds(), image.White, image.Point{}, draw.Src)
	draw.ApproxBiLinear.Scale(grey, grey.Bounds(), picture, b, draw.Over, nil)
	return grey
}

// codes returns the texts of the QR codes in a picture, dark on light or light on dark. The error is that of ctx.
func codes(ctx context.Context, grey *image.Gray) ([]string, error) {
	light := gozxing.NewLuminanceSourceFromImage(grey)
	for _, source := range []gozxing.LuminanceSource{light, light.Invert()} {
		for _, binarizer := range []gozxing.Binarizer{gozxing.NewHybridBinarizer(source), gozxing.NewGlobalHistgramBinarizer(source)} {
			if texts, err := found(ctx, binarizer); len(texts) > 0 || err != nil {
				return texts, err
			}
		}
	}
	return nil, nil
}

// found returns the texts of the codes in a picture that has been made black and white. The error is that of ctx, which is checked before each possible code:
// a picture of a few hundred squares has tens of thousands of them.
func found(ctx context.Context, binarizer gozxing.Binarizer) (texts []string, err error) {
	matrix, err := binarizer.GetBlackMatrix()
	if err != nil {
		return nil, nil //nolint:nilerr // too small, or of one shade
	}
	places, text := detector.NewMultiDetector(matrix), decoder.NewDecoder()
	for _, corners := range marks(matrix) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		place, err := places.ProcessFinderPatternInfo(corners)
		if err != nil {
			continue // not a code
		}
		if read, err := text.Decode(place.GetBits(), harder); err == nil {
			texts = append(texts, read.GetText())
		}
	}
	return texts, nil
}

// harder makes the decoder search thoroughly.
var harder = map[gozxing.DecodeHintType]any{gozxing.DecodeHintType_TRY_HARDER: true}

// errCrowded ends the search for marks where there are more than maxMarks.
var errCrowded = errors.New("qrcode: too many marks")

// marks returns the places of three finder patterns that can be the corners of a code; none in a picture with too many patterns. Only a panic of the callback
// can end the search, which would otherwise compare all threes for hours.
func marks(matrix *gozxing.BitMatrix) (places []*qr.FinderPatternInfo) {
	defer func() {
		if reason := recover(); reason != nil && reason != any(errCrowded) {
			panic(reason)
		}
	}()
	n := 0
	finder := detector.NewMultiFinderPatternFinder(matrix, func(gozxing.ResultPoint) {
		if n++; n > maxMarks {
			panic(errCrowded)
		}
	})
	places, err := finder.FindMulti(harder)
	if err != nil {
		return nil // there are none
	}
	return places
}
