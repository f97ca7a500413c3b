package qrcode

import (
	"bytes"
	"fmt"
	"image/color"
	"image/png"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/boombuler/barcode/qr"
)

// The path that is drawn has exactly the dark modules of the code.
func TestPathHasTheModules(t *testing.T) {
	for _, text := range []string{"https://bank.example/banks/fi/a-bank/authorize?flow=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "1", "Größe €"} {
		c, err := Encode(text, M)
		if err != nil {
			t.Fatal(err)
		}
		dark := map[[2]int]bool{}
		for run := range strings.SplitSeq(strings.TrimPrefix(c.Path(), "M"), "M") {
			var x, y, width, back int
			if n, err := fmt.Sscanf(run, "%d %dh%dv1h-%dz", &x, &y, &width, &back); n != 4 || err != nil || width != back {
				t.Fatalf("%q is no run of modules: %v", run, err)
			}
			for i := range width {
				dark[[2]int{x + i, y}] = true
			}
		}
		want, err := qr.Encode(text, qr.M, qr.Auto)
		if err != nil {
			t.Fatal(err)
		}
		if size := want.Bounds().Dx(); c.Size != size || size < 21 {
			t.Fatalf("size %d, want %d", c.Size, size)
		}
		for y := range c.Size {
			for x := range c.Size {
				if is := color.GrayModel.Convert(want.At(x, y)) == (color.Gray{}); is != dark[[2]int{x, y}] || is != c.Dark(x, y) {
					t.Fatalf("%q: the module %d, %d is wrong", text, x, y)
				}
			}
		}
		for _, corner := range [][2]int{{0, 0}, {c.Size - 1, 0}, {0, c.Size - 1}} { // where a reader finds the code
			if !c.Dark(corner[0], corner[1]) {
				t.Errorf("nothing at %v", corner)
			}
		}
		if c.Dark(-1, 0) || c.Dark(c.Size, 0) || c.Dark(0, c.Size) {
			t.Error("dark modules outside of the code")
		}
	}
}

func TestWhatFits(t *testing.T) {
	if c, err := Encode(strings.Repeat("x", 2331), M); err != nil || c.Size != 177 {
		t.Errorf("size %d, %v", c.Size, err)
	}
	if _, err := Encode(strings.Repeat("x", 2332), M); err == nil || strings.Contains(err.Error(), "xxx") {
		t.Errorf("one byte more: %v", err)
	}
}

func TestBoxHasAQuietZone(t *testing.T) {
	c, err := Encode("1", L)
	if err != nil || c.Box() != "-4 -4 29 29" {
		t.Errorf("%s, %v", c.Box(), err)
	}
}

// The cross of a Swiss QR-bill stands in the middle, 7 mm of the 46 that the code is wide, and the code is read with it: by our reader, which looks for
// codes in pictures, whatever their size.
func TestSwissCross(t *testing.T) {
	for _, text := range []string{"SPC", strings.Repeat("Rue du Lac 1268\n", 12), strings.Repeat("ü", 240)} {
		plain, err := Encode(text, M)
		if err != nil {
			t.Fatal(err)
		}
		c := plain.WithSwissCross()
		if len(plain.Marks()) != 0 || len(c.Marks()) != 4 || c.Path() != plain.Path() {
			t.Fatalf("%d marks", len(c.Marks()))
		}
		m := c.Marks()[0]
		if math.Abs(m.Width/float64(c.Size)-7.0/46) > 1e-9 || m.Width != m.Height || math.Abs(m.X+m.Width/2-float64(c.Size)/2) > 1e-9 || m.Dark {
			t.Errorf("the light square is %+v of %d", m, c.Size)
		}
		const scale = 12
		drawn := c.Picture(scale)
		at := func(right, down float64) bool { // millimetres from the middle
			side, mm := float64(drawn.Rect.Dx())/2, float64(c.Size)/46*scale
			return drawn.ColorIndexAt(int(side+right*mm), int(side+down*mm)) == 1
		}
		for _, light := range [][2]float64{{0, 0}, {1.8, 0}, {-1.8, 0}, {0, 1.8}, {0, -1.8}, {3.3, 0}, {3.3, 3.3}, {0, -3.3}} {
			if at(light[0], light[1]) {
				t.Errorf("dark at %v", light)
			}
		}
		for _, dark := range [][2]float64{{2.4, 0}, {0, 2.4}, {1, 1}, {-2.8, -2.8}, {2.8, -2.8}} {
			if !at(dark[0], dark[1]) {
				t.Errorf("light at %v", dark)
			}
		}
		for _, scale := range []int{3, 5, codeSide} {
			var file bytes.Buffer
			if err := png.Encode(&file, c.Picture(scale)); err != nil {
				t.Fatal(err)
			}
			if read, err := Read(t.Context(), &file, time.Minute, nil); err != nil || read != text {
				t.Errorf("%d modules with %d pixels each: %q, %v", c.Size, scale, read, err)
			}
		}
	}
}

// codeSide is how many pixels a module has in the picture that people save.
const codeSide = 12
