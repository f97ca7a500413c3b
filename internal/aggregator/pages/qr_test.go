package pages

import (
	"fmt"
	"image/color"
	"strings"
	"testing"

	"github.com/boombuler/barcode/qr"
)

// The path that is drawn has exactly the dark squares of the code.
func TestQRCodeIsDrawnSquareBySquare(t *testing.T) {
	const address = "https://bank.example/banks/fi/a-bank/authorize?flow=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	drawn, err := qrCode(address)
	if err != nil {
		t.Fatal(err)
	}
	dark := map[[2]int]bool{}
	for run := range strings.SplitSeq(strings.TrimPrefix(drawn.Path, "M"), "M") {
		var x, y, width, back int
		if n, err := fmt.Sscanf(run, "%d %dh%dv1h-%dz", &x, &y, &width, &back); n != 4 || err != nil || width != back {
			t.Fatalf("%q is no run of squares: %v", run, err)
		}
		for i := range width {
			dark[[2]int{x + i, y}] = true
		}
	}
	code, err := qr.Encode(address, qr.M, qr.Auto)
	if err != nil {
		t.Fatal(err)
	}
	if size := code.Bounds().Dx(); drawn.Size != size || size < 21 {
		t.Fatalf("size %d, want %d", drawn.Size, size)
	}
	for y := range drawn.Size {
		for x := range drawn.Size {
			if is := color.GrayModel.Convert(code.At(x, y)) == (color.Gray{}); is != dark[[2]int{x, y}] {
				t.Fatalf("the square %d, %d is wrong", x, y)
			}
		}
	}
	for _, corner := range [][2]int{{0, 0}, {drawn.Size - 1, 0}, {0, drawn.Size - 1}} { // where a reader finds the code
		if !dark[corner] {
			t.Errorf("nothing at %v", corner)
		}
	}
}

func TestQRCodeOfATextThatIsTooLong(t *testing.T) {
	if _, err := qrCode(strings.Repeat("x", 8000)); err == nil {
		t.Error("no error")
	}
}

func TestClockText(t *testing.T) {
	for seconds, want := range map[int]string{0: "0:00", 9: "0:09", 60: "1:00", 299: "4:59", 300: "5:00"} {
		if got := clockText(seconds); got != want {
			t.Errorf("clockText(%d) = %s, want %s", seconds, got, want)
		}
	}
}
