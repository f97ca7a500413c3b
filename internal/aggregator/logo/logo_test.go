package logo

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"strings"
	"testing"

	"florin/internal/testkit"
)

// WCAG 2.2, 1.4.3: text on the colour of any bank is readable.
func TestTextOnBrandColours(t *testing.T) {
	tests := []struct{ colour, ink string }{
		{"#000000", "#ffffff"},
		{"#ffffff", "#000000"},
		{"#1a4d8f", "#ffffff"},
		{"#ffd400", "#000000"},
		{"#757575", "#ffffff"},
		{"#777777", "#000000"},
	}
	for _, test := range tests {
		if got := Ink(test.colour); got != test.ink {
			t.Errorf("ink on %s = %s, want %s", test.colour, got, test.ink)
		}
	}
	for grey := range 256 {
		colour := fmt.Sprintf("#%02x%02[1]x%02[1]x", grey)
		light, dark := luminance(Ink(colour)), luminance(colour)
		if light < dark {
			light, dark = dark, light
		}
		if got := (light + 0.05) / (dark + 0.05); got < 4.5 {
			t.Errorf("%s on %s has a contrast of %.2f, want at least 4.5", Ink(colour), colour, got)
		}
	}
}

// spec: ASPSP data, logo: the suffixes of its address transform the image.
func TestTransformations(t *testing.T) {
	const noOperation, noSize, noList = "there is no operation", "the size", "not a list"
	tests := []struct {
		text          string
		width, height int
		format        Format
		problem       string // a part of the error; empty when there is none
	}{
		{"", 256, 256, "", ""},
		{"/", 256, 256, "", ""},
		{"-/resize/500x/", 500, 500, "", ""},
		{"-/resize/500x", 500, 500, "", ""},
		{"-/resize/x80/", 80, 80, "", ""},
		{"-/resize/500x300/", 500, 300, "", ""},
		{"-/resize/1x1/", 1, 1, "", ""},
		{"-/resize/1024x1024/", 1024, 1024, "", ""},
		{"-/format/png/", 256, 256, FormatPNG, ""},
		{"-/format/svg/", 256, 256, FormatSVG, ""},
		{"-/resize/500x300/-/format/png/", 500, 300, FormatPNG, ""},
		{"-/format/png/-/resize/500x300/-/resize/250x/", 250, 150, FormatPNG, ""},
		{"-/resize/500x300/-/resize/x30/", 50, 30, "", ""},
		{"-/resize/1000x1/-/resize/10x/", 10, 1, "", ""}, // never less than a pixel
		{"-/format/png/-/format/svg/", 256, 256, FormatSVG, ""},
		{"-/resize/x/", 0, 0, "", noSize},
		{"-/resize/0x/", 0, 0, "", noSize},
		{"-/resize/1025x/", 0, 0, "", noSize},
		{"-/resize/x99999/", 0, 0, "", noSize},
		{"-/resize/500x300/-/resize/x1000/", 0, 0, "", noSize}, // 1667 pixels wide
		{"-/resize/500/", 0, 0, "", noSize},
		{"-/resize/-5x/", 0, 0, "", noSize},
		{"-/resize/5.5x/", 0, 0, "", noSize},
		{"-/resize/٥x/", 0, 0, "", noSize},
		{"-/crop/500x300/", 0, 0, "", noOperation},
		{"-/format/gif/", 0, 0, "", noOperation},
		{"-/resize/", 0, 0, "", noList},
		{"resize/500x/", 0, 0, "", noList},
		{"resize/500x/-/", 0, 0, "", "begins with a dash"},
		{strings.Repeat("-/resize/9x/", 9), 0, 0, "", noList},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			got, err := ParseTransformation(test.text)
			if want := (Transformation{test.width, test.height, test.format}); got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
			if (err != nil) != (test.problem != "") {
				t.Fatalf("error %v, want %q", err, test.problem)
			}
			if err != nil && (!strings.Contains(err.Error(), test.problem) || !strings.Contains(err.Error(), "-/resize/500x300/")) {
				t.Errorf("%q does not say %q and what there is", err, test.problem)
			}
		})
	}
}

func FuzzTransformation(f *testing.F) {
	for _, text := range []string{"", "-/resize/500x/", "-/resize/x1/-/format/png/", "-/resize/00001x00001/"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ParseTransformation(text)
		if err == nil && (got.Width < 1 || got.Height < 1 || got.Width > MaxSide || got.Height > MaxSide) {
			t.Errorf("%q gives %+v", text, got)
		}
	})
}

// A drawing has its size in pixels, so that it stays crisp and keeps its place in a page; the picture shows the same.
func TestDrawingAndPicture(t *testing.T) {
	testkit.Unwatched(t)
	for name, letters := range map[string]string{"Bank": "B", "Seebrücke Bank": "SB", "Österreichische": "Ö", "Markup": "<&", "Nameless": "",
		"Nordljus": "N", "Baltika": "ŠĄ", "Κύπρος": "ΚΎ"} {
		for _, size := range []image.Point{{256, 256}, {500, 300}, {80, 400}, {1, 1}, {1024, 1}} {
			l := New(name, "#ffd400", letters)
			var drawing struct {
				Width  int `xml:"width,attr"`
				Height int `xml:"height,attr"`
				Paths  []struct {
					Fill string `xml:"fill,attr"`
				} `xml:"path"`
			}
			decode(t, l.SVG(size.X, size.Y), &drawing)
			if drawing.Width != size.X || drawing.Height != size.Y || len(drawing.Paths) < 2 || drawing.Paths[0].Fill != "#ffd400" {
				t.Errorf("%s, %v: the drawing is %+v", name, size, drawing)
			}
			picture, err := png.Decode(bytes.NewReader(l.PNG(size.X, size.Y)))
			if err != nil {
				t.Fatal(err)
			}
			if picture.Bounds().Size() != size {
				t.Errorf("%s: the picture is %v, want %v", name, picture.Bounds().Size(), size)
			}
			if size.X < 80 || size.Y < 80 {
				continue
			}
			ink := count(picture, color.RGBA{0, 0, 0, 255})
			if (ink > 100) != (letters != "") {
				t.Errorf("%s, %v: %d pixels of ink", name, size, ink)
			}
			if ground := count(picture, color.RGBA{0xff, 0xd4, 0, 255}); ground < size.X*size.Y/8 {
				t.Errorf("%s, %v: %d pixels of ground only", name, size, ground)
			}
		}
	}
}

// count is the number of pixels of a colour.
func count(picture image.Image, want color.RGBA) int {
	n := 0
	for y := range picture.Bounds().Dy() {
		for x := range picture.Bounds().Dx() {
			if color.RGBAModel.Convert(picture.At(x, y)) == want {
				n++
			}
		}
	}
	return n
}

func decode(t *testing.T, document []byte, v any) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(document))
	if err := d.Decode(v); err != nil {
		t.Fatalf("%v: %s", err, document)
	}
	if _, err := d.Token(); err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
}

// Letters and motif keep to the middle: the ink lies as far from the left as from the right, and inside the picture.
func TestLettersStandInTheMiddle(t *testing.T) {
	for _, letters := range []string{"H", "HH", "O", "NO"} {
		picture, err := png.Decode(bytes.NewReader(New("Bank", "#ffffff", letters).PNG(400, 200)))
		if err != nil {
			t.Fatal(err)
		}
		box := image.Rectangle{}
		for y := range 200 {
			for x := range 400 {
				if r, _, _, _ := picture.At(x, y).RGBA(); r < 0x8000 {
					box = box.Union(image.Rect(x, y, x+1, y+1))
				}
			}
		}
		right, below := 400-box.Max.X, 200-box.Max.Y
		if box.Empty() || abs(box.Min.X-right) > 8 || abs(box.Min.Y-below) > 8 {
			t.Errorf("%s: ink in %v of 400 by 200", letters, box)
		}
	}
}

func abs(n int) int { return max(n, -n) }
