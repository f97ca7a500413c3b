// Package logo draws the logos of the simulated banks and of their groups, from a name, a colour and letters alone, so
// that banks of a catalogue need no artist. One drawing is written as SVG and as PNG, in any size.
package logo

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"strconv"
	"strings"

	"golang.org/x/image/vector"
)

// Logo is the logo of one bank or group. Use New.
type Logo struct {
	ground  string // #rrggbb
	ink     string
	motif   path
	letters path
}

// side is the length of the square in which motif and letters are drawn.
const side = 256

// New returns a logo: the letters on the colour, which is written #rrggbb, with a motif that follows from the name.
func New(name, colour, letters string) Logo {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(name)) // never fails
	return Logo{ground: colour, ink: Ink(colour), motif: motifs[sum.Sum32()%uint32(len(motifs))], letters: write(letters)}
}

// motifs lighten a part of the ground, each in its own shape.
var motifs = []path{
	circle(196, 44, 120),
	polygon(0, 256, 0, 150, 150, 0, 256, 0),
	// an arch
	append(circle(128, 172, 128)[:2], step{kind: line, x1: 256, y1: 256}, step{kind: line, x1: 0, y1: 256}, step{kind: line, x1: 0, y1: 172},
		circle(128, 172, 128)[4]),
	circle(128, 128, 128)[:3], // its right half
	path{{move, 0, 196, 0, 0, 0, 0}, {cubic, 64, 152, 128, 152, 256, 184}, {line, 256, 256, 0, 0, 0, 0}, {line, 0, 256, 0, 0, 0, 0}},
	polygon(128, 14, 242, 128, 128, 242, 14, 128),
}

const motifOpacity = 0.14

// layer is one filled path, in the coordinates of the image.
type layer struct {
	path    path
	fill    string
	opacity float64
}

// layers are what is drawn on the ground of an image: the motif covers it, the letters keep to its middle.
func (l Logo) layers(width, height int) []layer {
	w, h := float64(width), float64(height)
	return []layer{
		{l.motif.fit(w, h, math.Max(w, h)/side), "#ffffff", motifOpacity},
		{l.letters.fit(w, h, math.Min(w, h)/side), l.ink, 1},
	}
}

// SVG returns the logo as a drawing of that size, which stays crisp in any other.
func (l Logo) SVG(width, height int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d"><path fill="%s" d="M0 0H%[1]dV%[2]dH0z"/>`,
		width, height, l.ground)
	for _, layer := range l.layers(width, height) {
		if len(layer.path) == 0 {
			continue
		}
		fmt.Fprintf(&b, `<path fill="%s"`, layer.fill)
		if layer.opacity < 1 {
			fmt.Fprintf(&b, ` fill-opacity="%g"`, layer.opacity)
		}
		fmt.Fprintf(&b, ` d="%s"/>`, layer.path.svg())
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// PNG returns the logo as a picture of that size in pixels.
func (l Logo) PNG(width, height int) []byte {
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(picture, picture.Bounds(), image.NewUniform(rgb(l.ground)), image.Point{}, draw.Src)
	for _, layer := range l.layers(width, height) {
		raster := vector.NewRasterizer(width, height)
		layer.path.rasterize(raster)
		fill := rgb(layer.fill)
		fill.A = uint8(math.Round(255 * layer.opacity))
		raster.Draw(picture, picture.Bounds(), image.NewUniform(fill), image.Point{})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		panic(err) // a buffer never fails, and the picture has a size
	}
	return b.Bytes()
}

// rgb reads a colour #rrggbb; anything else is black.
func rgb(colour string) color.NRGBA {
	value, err := strconv.ParseUint(strings.TrimPrefix(colour, "#"), 16, 24)
	if err != nil {
		return color.NRGBA{A: 255}
	}
	return color.NRGBA{R: uint8(value >> 16 & 0xff), G: uint8(value >> 8 & 0xff), B: uint8(value & 0xff), A: 255}
}

// Ink returns the colour of text on a colour #rrggbb: black or white, whichever has at least 4.5:1 (WCAG 2.2, 1.4.3).
func Ink(colour string) string {
	if luminance(colour) > 0.179 { // where black and white contrast equally
		return "#000000"
	}
	return "#ffffff"
}

// luminance is the relative luminance of a colour #rrggbb (WCAG 2.2, definitions).
func luminance(colour string) float64 {
	c := rgb(colour)
	channel := func(value uint8) float64 {
		c := float64(value) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*channel(c.R) + 0.7152*channel(c.G) + 0.0722*channel(c.B)
}
