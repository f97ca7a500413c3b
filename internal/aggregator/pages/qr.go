package pages

import (
	"fmt"
	"image/color"
	"strings"

	"github.com/boombuler/barcode/qr"

	"florin/web/templates/hosted"
)

// qrCode draws a text as a QR code: its dark squares, row by row, as one path.
func qrCode(text string) (hosted.Matrix, error) {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return hosted.Matrix{}, fmt.Errorf("draw a QR code: %w", err)
	}
	size := code.Bounds().Dx()
	dark := func(x, y int) bool { return x < size && color.GrayModel.Convert(code.At(x, y)) == color.Gray{} }
	var path strings.Builder
	for y := range size {
		for x := 0; x < size; x++ {
			start := x
			for dark(x, y) {
				x++
			}
			if x > start {
				fmt.Fprintf(&path, "M%d %dh%dv1h-%dz", start, y, x-start, x-start)
			}
		}
	}
	return hosted.Matrix{Size: size, Path: path.String()}, nil
}
