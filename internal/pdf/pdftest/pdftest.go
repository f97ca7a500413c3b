// Package pdftest writes small PDFs for tests.
package pdftest

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"image"
	"image/draw"
	"strings"
)

// File returns a PDF of these objects, numbered from 1. The first is the catalogue. trailer goes into the trailer's dictionary.
func File(trailer string, objects ...string) []byte {
	var file bytes.Buffer
	file.WriteString("%PDF-1.7\n")
	table := fmt.Sprintf("xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for i, object := range objects {
		table += fmt.Sprintf("%010d 00000 n \n", file.Len())
		fmt.Fprintf(&file, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	fmt.Fprintf(&file, "%strailer\n<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF", table, len(objects)+1, trailer, file.Len())
	return file.Bytes()
}

// Page returns a PDF of one page, with its sides in points and more entries for its dictionary. It shows the content, which calls pictures /P0, /P1 and so on.
func Page(width, height float64, entries, content string, pictures ...image.Image) []byte {
	var named strings.Builder
	for i := range pictures {
		fmt.Fprintf(&named, "/P%d %d 0 R", i, i+5)
	}
	objects := []string{
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 %g %g]/Contents 4 0 R/Resources<</XObject<<%s>>>>%s>>", width, height, named.String(), entries),
		Stream("", []byte(content)),
	}
	for _, picture := range pictures {
		objects = append(objects, Picture(picture))
	}
	return File("", objects...)
}

// Stream returns a compressed stream.
func Stream(entries string, content []byte) string {
	var packed bytes.Buffer
	writer := zlib.NewWriter(&packed)
	_, _ = writer.Write(content) // to memory
	_ = writer.Close()
	return fmt.Sprintf("<<%s/Filter/FlateDecode/Length %d>>stream\n%s\nendstream", entries, packed.Len(), packed.String())
}

// Picture returns a picture in shades of grey.
func Picture(picture image.Image) string {
	grey := image.NewGray(image.Rectangle{Max: picture.Bounds().Size()})
	draw.Draw(grey, grey.Rect, picture, picture.Bounds().Min, draw.Src)
	return Stream(fmt.Sprintf("/Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace/DeviceGray/BitsPerComponent 8", grey.Rect.Dx(), grey.Rect.Dy()), grey.Pix)
}

// Squares draws the dark modules of a QR code as programs for invoices do: a rectangle each. x and y are its lower left corner, side is its length, in points.
func Squares(size int, dark func(x, y int) bool, x, y, side float64) string {
	var content strings.Builder
	module := side / float64(size)
	for row := range size {
		for column := range size {
			if dark(column, row) {
				fmt.Fprintf(&content, "%.4f %.4f %.4f %.4f re f\n", x+float64(column)*module, y+side-float64(row+1)*module, module, module)
			}
		}
	}
	return content.String()
}
