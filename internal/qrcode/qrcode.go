// Package qrcode creates QR codes from texts (ISO/IEC 18004), and reads them from pictures.
package qrcode

import (
	"fmt"
	"image"
	"image/color"
	"strings"

	"github.com/boombuler/barcode/qr"
)

// Level says how much of a code may be unreadable.
type Level = qr.ErrorCorrectionLevel

// Values of Level.
const (
	L = qr.L // 7 %
	M = qr.M // 15 %
	Q = qr.Q // 25 %
	H = qr.H // 30 %
)

// Quiet is the width of the light border around a code in modules, which readers need.
const Quiet = 4

// Code is a square of dark and light modules, without the quiet zone around it.
type Code struct {
	Size  int // modules on each side
	dark  []bool
	marks []Mark
}

// Mark is a rectangle drawn over the modules, in their units. Later marks cover earlier ones.
type Mark struct {
	X, Y, Width, Height float64
	Dark                bool
}

// Encode returns the smallest code for a text in UTF-8. It returns an error when the text is too long: at level M above 2,331 bytes.
func Encode(text string, level Level) (Code, error) {
	drawn, err := qr.Encode(text, level, qr.Auto)
	if err != nil {
		return Code{}, fmt.Errorf("no QR code holds a text of %d bytes", len(text)) // err contains the text
	}
	c := Code{Size: drawn.Bounds().Dx()}
	for y := range c.Size {
		for x := range c.Size {
			c.dark = append(c.dark, color.GrayModel.Convert(drawn.At(x, y)) == color.Gray{})
		}
	}
	return c, nil
}

// Dark reports whether the module in column x of row y is dark. Outside of the code all are light.
func (c Code) Dark(x, y int) bool {
	return x >= 0 && y >= 0 && x < c.Size && y < c.Size && c.dark[y*c.Size+x]
}

// Path returns the dark modules as the data of one SVG path, with a rectangle for each run in a row. (0,0) is the top left, and a module is the unit.
func (c Code) Path() string {
	var path strings.Builder
	for y := range c.Size {
		for x := 0; x < c.Size; x++ {
			start := x
			for c.Dark(x, y) {
				x++
			}
			if x > start {
				fmt.Fprintf(&path, "M%d %dh%dv1h-%dz", start, y, x-start, x-start)
			}
		}
	}
	return path.String()
}

// Box returns the viewBox of an SVG with the path and its quiet zone.
func (c Code) Box() string {
	return fmt.Sprintf("-%d -%d %d %d", Quiet, Quiet, c.Size+2*Quiet, c.Size+2*Quiet)
}

// The Swiss cross in millimetres, for a code that is 46 mm wide: a light square, a dark one in it, and in that the cross, whose arms are a sixth longer than
// wide (Swiss Implementation Guidelines QR-bill, version 2.3, chapter "Recognition character").
const (
	swissCode   = 46.0
	swissLight  = 7.0
	swissDark   = 6.0
	swissLength = 3.9 // from end to end of two arms
	swissWidth  = swissLength * 3 / 10
)

// WithSwissCross returns the code with the mark of a Swiss QR-bill in its middle. It hides 2 % of the code, which level M corrects.
func (c Code) WithSwissCross() Code {
	unit, middle := float64(c.Size)/swissCode, float64(c.Size)/2
	around := func(width, height float64, dark bool) Mark {
		return Mark{middle - width*unit/2, middle - height*unit/2, width * unit, height * unit, dark}
	}
	c.marks = []Mark{around(swissLight, swissLight, false), around(swissDark, swissDark, true), around(swissLength, swissWidth, false),
		around(swissWidth, swissLength, false)}
	return c
}

// Marks returns the rectangles to draw over the modules.
func (c Code) Marks() []Mark { return c.marks }

// Picture returns the code with its quiet zone as a picture, with scale pixels per module.
func (c Code) Picture(scale int) *image.Paletted {
	size := (c.Size + 2*Quiet) * scale
	drawn := image.NewPaletted(image.Rect(0, 0, size, size), color.Palette{color.White, color.Black})
	for y := range size {
		for x := range size {
			dark := c.Dark(x/scale-Quiet, y/scale-Quiet)
			column, row := (float64(x)+0.5)/float64(scale)-Quiet, (float64(y)+0.5)/float64(scale)-Quiet
			for _, m := range c.marks {
				if column >= m.X && column < m.X+m.Width && row >= m.Y && row < m.Y+m.Height {
					dark = m.Dark
				}
			}
			if dark {
				drawn.SetColorIndex(x, y, 1)
			}
		}
	}
	return drawn
}
