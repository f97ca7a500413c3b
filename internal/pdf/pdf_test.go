package pdf

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/rc4"
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"florin/internal/pdf/pdftest"
	"florin/internal/testkit"
)

// pixels are those of an A4 page with 72 dots an inch: a point is a pixel.
const pixels = 595 * 842

// box is dark from (100, 700) to (200, 750), in points from the lower left.
const box = "100 700 100 50 re f"

// dark is the part of a page that is dark.
func dark(page *image.Gray) image.Rectangle {
	var r image.Rectangle
	for i, v := range page.Pix {
		if v < 128 {
			at := image.Pt(i%page.Stride, i/page.Stride)
			r = r.Union(image.Rectangle{Min: at, Max: at.Add(image.Pt(1, 1))})
		}
	}
	return r
}

// pads are the bytes that stand for a password that is empty (ISO 32000-1, 7.6.3.3).
var pads = []byte("\x28\xbf\x4e\x5e\x4e\x75\x8a\x41\x64\x00\x4e\x56\xff\xfa\x01\x08\x2e\x2e\x00\xb6\xd0\x68\x3e\x80\x2f\x0c\xa9\xfe\x64\x53\x69\x7a")

// encrypted returns a PDF of one page that everybody may open and not everybody may change: encrypted, with an empty password (ISO 32000-1, 7.6: V 1, R 2).
func encrypted(t *testing.T, content string) []byte {
	t.Helper()
	owner := bytes.Repeat([]byte("o"), 32)
	sealed := func(key, text []byte) []byte {
		stream, err := rc4.NewCipher(key)
		if err != nil {
			t.Fatal(err)
		}
		out := make([]byte, len(text))
		stream.XORKeyStream(out, text)
		return out
	}
	whole := md5.Sum(slices.Concat(pads, owner, []byte{0xfc, 0xff, 0xff, 0xff}, []byte("a"))) // with P, which is -4, and the ID
	key := whole[:5]
	object := md5.Sum(append(slices.Clip(key), 4, 0, 0, 0, 0)) // of the content, the fourth
	stream := sealed(object[:10], []byte(content))
	return pdftest.File(fmt.Sprintf("/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<%x>/U<%x>>>/ID[(a)(a)]", owner, sealed(key, pads)),
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>", "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R>>",
		fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", len(stream), stream))
}

// A page is drawn as a viewer shows it.
func TestFirstPage(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Drawing)
	picture := image.NewGray(image.Rect(0, 0, 10, 10)) // black
	two := pdftest.File("", "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2/MediaBox[0 0 595 842]>>", "<</Type/Page/Parent 2 0 R>>",
		"<</Type/Page/Parent 2 0 R/Contents 5 0 R>>", pdftest.Stream("", []byte(box)))
	stamped := pdftest.File("", "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Annots[<</Type/Annot/Subtype/Stamp/F 4/Rect[100 700 200 750]/AP<</N 4 0 R>>>>]>>",
		pdftest.Stream("/Type/XObject/Subtype/Form/BBox[0 0 100 50]", []byte("0 0 100 50 re f")))
	acting := pdftest.File("", "<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(while\\(true\\){})>>>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/AA<</O<</S/Launch/F(/bin/sh)>>>>>>", pdftest.Stream("", []byte(box)))
	many := []string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/MediaBox[0 0 595 842]/Count 10000/Kids[" + strings.Repeat("3 0 R ", 10_000) + "]>>",
		"<</Type/Page/Parent 2 0 R/Contents 4 0 R>>", pdftest.Stream("", []byte(box))}
	whole := image.Rect(100, 842-750, 200, 842-700)
	for name, c := range map[string]struct {
		file []byte
		size image.Point
		dark image.Rectangle
	}{
		"plain":               {pdftest.Page(595, 842, "", box), image.Pt(595, 842), whole},
		"a picture":           {pdftest.Page(595, 842, "", "100 0 0 50 100 700 cm /P0 Do", picture), image.Pt(595, 842), whole},
		"turned":              {pdftest.Page(595, 842, "/Rotate 90", box), image.Pt(842, 595), image.Rect(700, 100, 750, 200)},
		"the second page":     {two, image.Pt(595, 842), image.Rectangle{}},
		"a stamp":             {stamped, image.Pt(595, 842), whole},
		"scripts":             {acting, image.Pt(595, 842), whole},
		"10,000 pages":        {pdftest.File("", many...), image.Pt(595, 842), whole},
		"10 m by 10 m":        {pdftest.Page(28346, 28346, "", box), image.Pt(707, 707), image.Rect(2, 688, 5, 690)},
		"a tenth of a point":  {pdftest.Page(.1, .1, "", box), image.Pt(707, 707), image.Rectangle{}},
		"encrypted, and open": {encrypted(t, box), image.Pt(595, 842), whole},
		"something before it": {append([]byte("\r\n\xef\xbb\xbf"), pdftest.Page(595, 842, "", box)...), image.Pt(595, 842), whole},
		"cropped":             {pdftest.Page(595, 842, "/CropBox[150 421 595 842]", box), image.Pt(727, 688), image.Rect(0, 150, 82, 232)},
	} {
		page, err := FirstPage(t.Context(), c.file, pixels)
		if err != nil || page.Rect.Size() != c.size || dark(page) != c.dark {
			t.Errorf("%s: %v", name, err)
			if err == nil {
				t.Errorf("%v, dark in %v; want %v, %v", page.Rect.Size(), dark(page), c.size, c.dark)
			}
		}
	}
}

// hostile are files of which no page can be drawn, by what is wrong.
func hostile() map[string][]byte {
	plain := pdftest.Page(595, 842, "", box)
	catalogue, pages := "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>"
	bomb := pdftest.Stream("", make([]byte, 300<<20))
	return map[string][]byte{
		"nothing":                 nil,
		"a head":                  []byte("%PDF-1.7"),
		"half a file":             plain[:len(plain)/2],
		"a text":                  []byte("%PDF-1.7\n" + strings.Repeat("an invoice ", 1000)),
		"no page":                 pdftest.File("", catalogue, "<</Type/Pages/Kids[]/Count 0>>"),
		"a page of no size":       pdftest.File("", catalogue, pages, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 0.0001 842]>>"),
		"300 MB in a stream":      pdftest.File("", catalogue, pages, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R>>", bomb),
		"a tree that is a circle": pdftest.File("", catalogue, "<</Type/Pages/Kids[2 0 R]/Count 1>>"),
	}
}

// A file of which no page can be drawn is refused.
func TestUnreadable(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Drawing)
	for name, file := range hostile() {
		if _, err := FirstPage(t.Context(), file, pixels); !errors.Is(err, ErrUnreadable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	locked := pdftest.File("/Encrypt<</Filter/Standard/V 1/R 2/P -4/O("+strings.Repeat("o", 32)+")/U("+strings.Repeat("u", 32)+")>>/ID[(a)(a)]",
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>", "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>")
	if _, err := FirstPage(t.Context(), locked, pixels); !errors.Is(err, ErrLocked) {
		t.Errorf("with a password: %v", err)
	}
}

// A page that takes for ever ends with its context, and the memory comes back.
func TestPageEndsWithItsContext(t *testing.T) {
	testkit.Unwatched(t)
	endless := pdftest.Page(595, 842, "", "[0.001 0.001] 0 d 0.5 w\n"+strings.Repeat("0 0 m 595 842 l S\n", 10_000))
	before := inUse()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := FirstPage(ctx, endless, pixels); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error is %v", err)
	}
	if more := int64(inUse()) - int64(before); more > 10<<20 {
		t.Errorf("%d MB more are in use", more>>20)
	}
}

func inUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// PDFium is, byte for byte, what the module carries that tools/pdfium takes it from.
func TestPDFiumIsTheOneOfTheModule(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Judge)
	module := testkit.Module(t, "github.com/klippa-app/go-pdfium@v1.21.4", "h1:CalrAbIUyPIBkGU9qJX2z7yGitDrcuJT62FQT5m5CPU=")
	want, err := os.ReadFile(filepath.Join(module, "internal", "pdfium_wasm", "pdfium.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := unpacked(); err != nil || !bytes.Equal(got, want) {
		t.Errorf("PDFium is another one than that of the module: %v. Write it anew, as tools/pdfium says", err)
	}
}
