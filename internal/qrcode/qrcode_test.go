package qrcode

import (
	"fmt"
	"image/color"
	"strings"
	"testing"

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
