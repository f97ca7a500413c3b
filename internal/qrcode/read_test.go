package qrcode

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"florin/internal/pdf"
	"florin/internal/pdf/pdftest"
	"florin/internal/testkit"

	"golang.org/x/image/draw"
)

const epc = "BCD\n002\n1\nSCT\n\nMüller & Söhne\nDE89370400440532013000\nEUR12.30\n\n\nInvoice 4711\n"

// picture draws a text as a code with so many pixels for a module.
func picture(t testing.TB, text string, scale int) *image.Gray {
	t.Helper()
	c, err := Encode(text, M)
	if err != nil {
		t.Fatal(err)
	}
	side := (c.Size + 2*Quiet) * scale
	drawn := image.NewGray(image.Rect(0, 0, side, side))
	for y := range side {
		for x := range side {
			if !c.Dark(x/scale-Quiet, y/scale-Quiet) {
				drawn.SetGray(x, y, color.Gray{Y: 255})
			}
		}
	}
	return drawn
}

func encoded(t testing.TB, drawn image.Image) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := png.Encode(&file, drawn); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func photo(t testing.TB, drawn image.Image, quality int) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := jpeg.Encode(&file, drawn, &jpeg.Options{Quality: quality}); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// page is a white sheet with a picture in its lower half, turned by an angle in degrees.
func page(width, height int, code image.Image, degrees float64) *image.Gray {
	sheet := image.NewGray(image.Rect(0, 0, width, height))
	draw.Draw(sheet, sheet.Bounds(), image.NewUniform(color.Gray{Y: 235}), image.Point{}, draw.Src)
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	side := code.Bounds().Dx()
	left, top := float64(width)/2, float64(height)*3/4
	for y := range height {
		for x := range width {
			dx, dy := float64(x)-left, float64(y)-top
			u, v := int(cos*dx+sin*dy)+side/2, int(-sin*dx+cos*dy)+side/2
			if u >= 0 && v >= 0 && u < side && v < side {
				sheet.Set(x, y, code.At(u, v))
			}
		}
	}
	return sheet
}

// Codes are read from pictures as people have them: screenshots, photographs of a page, scans.
func TestReadPictures(t *testing.T) {
	testkit.Unwatched(t)
	code := picture(t, epc, 8)
	noisy := page(2400, 3200, code, 12)
	noise := rand.New(rand.NewPCG(1, 2))
	for i := range noisy.Pix {
		noisy.Pix[i] = uint8(min(255, max(0, int(noisy.Pix[i])*3/4+noise.IntN(50)-25)))
	}
	bare := image.NewNRGBA(code.Bounds()) // dark modules on nothing
	inverted := image.NewGray(code.Bounds())
	for i, v := range code.Pix {
		bare.Pix[4*i+3] = 255 - v
		inverted.Pix[i] = 255 - v
	}
	for name, file := range map[string][]byte{
		"screenshot":              encoded(t, page(1280, 900, picture(t, epc, 4), 0)),
		"small":                   encoded(t, picture(t, epc, 2)),
		"photograph, turned":      photo(t, noisy, 60),
		"upside down":             photo(t, page(1500, 2000, code, 180), 80),
		"scan of a whole page":    photo(t, page(2480, 3508, picture(t, epc, 7), 1), 85),
		"dark modules on nothing": encoded(t, bare),
		"light on dark":           encoded(t, inverted),
	} {
		text, err := Read(t.Context(), bytes.NewReader(file), time.Minute, nil)
		if err != nil || text != epc {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

// Of several codes the one that is meant is taken, and nothing is guessed.
func TestReadSeveralCodes(t *testing.T) {
	testkit.Unwatched(t)
	beside := func(texts ...string) []byte {
		var sheet *image.Gray
		for i, text := range texts {
			code := picture(t, text, 4)
			if sheet == nil {
				sheet = page(500*len(texts), 500, image.NewGray(image.Rectangle{}), 0)
			}
			draw.Draw(sheet, image.Rect(500*i+40, 40, 500*i+460, 460), code, image.Point{}, draw.Src)
		}
		return encoded(t, sheet)
	}
	pays := func(text string) bool { return strings.HasPrefix(text, "BCD") }
	other := strings.Replace(epc, "12.30", "99.00", 1)
	for name, c := range map[string]struct {
		file []byte
		want string
		err  error
	}{
		"a web address beside it": {beside("https://shop.example/invoice", epc), epc, nil},
		"the same twice":          {beside(epc, epc), epc, nil},
		"two payments":            {beside(epc, other), "", ErrOtherCodes},
		"two addresses":           {beside("https://shop.example/a", "https://shop.example/b"), "", ErrOtherCodes},
		"one address":             {beside("https://shop.example/a"), "https://shop.example/a", nil}, // the caller says what it is
	} {
		if text, err := Read(t.Context(), bytes.NewReader(c.file), time.Minute, pays); text != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

// Files that hold no code, claim a size that nobody could hold, or go on for ever are refused.
func TestReadRefuses(t *testing.T) {
	testkit.Unwatched(t)
	blank := encoded(t, page(1200, 900, image.NewGray(image.Rectangle{}), 0))
	huge := func(width, height uint32) []byte { // the head of a PNG alone
		head := append([]byte("IHDR"), make([]byte, 13)...)
		binary.BigEndian.PutUint32(head[4:], width)
		binary.BigEndian.PutUint32(head[8:], height)
		head[12], head[13] = 8, 2
		file := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), head...)
		return binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE(head))
	}
	static := image.NewGray(image.Rect(0, 0, 1000, 1000))
	for i := range static.Pix {
		static.Pix[i] = uint8(rand.IntN(256))
	}
	for name, c := range map[string]struct {
		file []byte
		want error
	}{
		"nothing":            {nil, ErrNoPicture},
		"text":               {[]byte(epc), ErrNoPicture},
		"SVG":                {[]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), ErrNoPicture},
		"half a picture":     {blank[:len(blank)/2], ErrNoPicture},
		"blank":              {blank, ErrNoCode},
		"noise":              {encoded(t, static), ErrNoCode},
		"100 megapixels":     {huge(10_000, 10_000), ErrTooLarge},
		"a long strip":       {huge(1, 1<<30), ErrTooLarge},
		"a JPEG of 40 scans": {append(photo(t, static, 50), bytes.Repeat([]byte{0xff, 0xda}, 40)...), ErrNoPicture},
		"a file of 16 MB":    {make([]byte, 16<<20), ErrTooLarge},
	} {
		if text, err := Read(t.Context(), bytes.NewReader(c.file), time.Minute, nil); text != "" || !errors.Is(err, c.want) {
			t.Errorf("%s: %q, %v, want %v", name, text, err, c.want)
		}
	}
	over, end := context.WithCancel(t.Context())
	end()
	if _, err := Read(over, bytes.NewReader(encoded(t, static)), time.Minute, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("with nobody there: %v", err)
	}
}

// squares is a picture full of squares like those in the corners of a code, so many of them in a row, and two pixels for a module.
func squares(row int) *image.Gray {
	const module, step = 2, 9 * 2
	drawn := image.NewGray(image.Rect(0, 0, row*step, row*step))
	for i := range drawn.Pix {
		x, y := i%drawn.Stride%step/module, i/drawn.Stride%step/module
		if ring := min(x, y, 6-x, 6-y); ring < 0 || ring == 1 {
			drawn.Pix[i] = 255
		}
	}
	return drawn
}

// Any three such squares could be those of a code. Looking at all of them would take hours; it ends at once where they are many, and else with the context.
func TestPicturesFullOfSquares(t *testing.T) {
	testkit.Unwatched(t)
	for _, c := range []struct {
		row   int
		time  time.Duration
		wants error
	}{{30, 5 * time.Minute, ErrNoCode}, {18, 100 * time.Millisecond, context.DeadlineExceeded}} {
		ctx, cancel := context.WithTimeout(t.Context(), c.time)
		if text, err := Read(ctx, bytes.NewReader(encoded(t, squares(c.row))), time.Minute, nil); text != "" || !errors.Is(err, c.wants) {
			t.Errorf("%d in a row: %q, %v, want %v", c.row, text, err, c.wants)
		}
		cancel()
	}
}

// The memory that a large picture takes is given back at once: the next one may come in a month.
func TestMemoryOfAPictureComesBack(t *testing.T) {
	testkit.Unwatched(t)
	large := encoded(t, image.NewRGBA(image.Rect(0, 0, 6000, 4000)))
	held := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapSys - m.HeapReleased
	}
	debug.FreeOSMemory()
	before := held()
	if _, err := Read(t.Context(), bytes.NewReader(large), time.Minute, nil); !errors.Is(err, ErrNoCode) {
		t.Error(err)
	}
	if after := held(); after > before+20<<20 {
		t.Errorf("%d MB more are held", (after-before)>>20)
	}
}

// swissBill is a text as long as those of Swiss QR-bills.
var swissBill = "SPC\r\n0200\r\n1\r\nCH5800791123000889012\r\nS\r\nRobert Schneider AG\r\nRue du Lac\r\n1268\r\n2501\r\nBiel\r\nCH\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n199.95\r\nCHF\r\nS\r\n" +
	"Pia-Maria Rutschmann-Schnyder\r\nGrosse Marktgasse\r\n28\r\n9400\r\nRorschach\r\nCH\r\nSCOR\r\nRF18539007547034\r\nOrder of 15 June 2026\r\nEPD"

// vector draws a text as a code of so many millimetres, at a place in points from the lower left.
func vector(t *testing.T, text string, x, y, millimetres float64) string {
	t.Helper()
	c, err := Encode(text, M)
	if err != nil {
		t.Fatal(err)
	}
	return pdftest.Squares(c.Size, c.Dark, x, y, millimetres*72/25.4)
}

// Codes are read from the first page of a PDF, as programs draw them. What else is wrong is said of a PDF.
func TestReadPDF(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Drawing)
	const millimetre = 72 / 25.4
	// The payment part of a Swiss QR-bill: 46 mm, with a cross of 7 mm in the middle.
	x, y := 67*millimetre, 42*millimetre
	cross := func(grey, margin float64) string {
		from, side := 19.5+margin, 7-2*margin
		return fmt.Sprintf("%g g %g %g %g %g re f\n", grey, x+from*millimetre, y+from*millimetre, side*millimetre, side*millimetre)
	}
	bill := vector(t, swissBill, x, y, 46) + cross(1, 0) + cross(0, .5) + "1 g\n" +
		fmt.Sprintf("%g %g %g %g re f %g %g %g %g re f", x+21*millimetre, y+22.4*millimetre, 4*millimetre, 1.2*millimetre, x+22.4*millimetre, y+21*millimetre, 1.2*millimetre, 4*millimetre)
	full := "BCD\n002\n1\nSCT\n\n" + strings.Repeat("Name ", 14) + "\nDE89370400440532013000\nEUR12.30\n\n\n" + strings.Repeat("Invoice 47", 14)
	scan := page(1240, 1754, picture(t, epc, 5), 3)
	pays := func(text string) bool { return strings.HasPrefix(text, "BCD") }
	other := strings.Replace(epc, "12.30", "99.00", 1)
	for name, c := range map[string]struct {
		file []byte
		want string
		err  error
	}{
		"rectangles":           {pdftest.Page(595, 842, "", vector(t, epc, 301.3, 77.7, 20)), epc, nil},
		"as full as it may be": {pdftest.Page(595, 842, "", vector(t, full, 301.3, 77.7, 25)), full, nil},
		"a picture":            {pdftest.Page(595, 842, "", "90 0 0 90 400 100 cm /P0 Do", picture(t, epc, 1)), epc, nil},
		"a scan":               {pdftest.Page(595, 842, "", "595 0 0 842 0 0 cm /P0 Do", scan), epc, nil},
		"a Swiss QR-bill":      {pdftest.Page(595, 842, "", bill), swissBill, nil},
		"turned and cropped":   {pdftest.Page(595, 842, "/Rotate 270/CropBox[280 60 400 180]", vector(t, epc, 301.3, 77.7, 25)), epc, nil},
		"a web address, too":   {pdftest.Page(595, 842, "", vector(t, epc, 50, 100, 30)+vector(t, "https://shop.example/a", 300, 100, 30)), epc, nil},
		"two payments":         {pdftest.Page(595, 842, "", vector(t, epc, 50, 100, 30)+vector(t, other, 300, 100, 30)), "", ErrOtherCodes},
		"cropped away":         {pdftest.Page(595, 842, "/CropBox[0 400 595 842]", vector(t, epc, 301.3, 77.7, 25)), "", ErrNoCode},
		"half a file":          {pdftest.Page(595, 842, "", "")[:200], "", pdf.ErrUnreadable},
	} {
		text, err := Read(t.Context(), bytes.NewReader(c.file), time.Minute, pays)
		if text != c.want || !errors.Is(err, c.err) || errors.Is(err, ErrPDF) != (err != nil) {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

// slow is a file that takes its time to arrive.
type slow struct {
	io.Reader
	takes time.Duration
}

func (s slow) Read(b []byte) (int, error) {
	time.Sleep(s.takes)
	return s.Reader.Read(b)
}

// The time of an upload does not count: on a line of 1 Mbit/s a photograph of 10 MB takes 80 seconds.
func TestSlowUploads(t *testing.T) {
	file := encoded(t, picture(t, epc, 4))
	synctest.Test(t, func(t *testing.T) {
		if text, err := Read(t.Context(), slow{bytes.NewReader(file), 80 * time.Second}, 30*time.Second, nil); err != nil || text != epc {
			t.Errorf("%q, %v", text, err)
		}
	})
}
