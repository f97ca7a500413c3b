package main

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"florin/internal/testkit"
)

var update = flag.Bool("update", false, "draw the icons of the app anew")

// assets is the folder of the icons.
const assets = "../../static/assets"

// icons are the pictures by which devices show Florin beside other apps, made of favicon.svg. Those with a ground fill their square: the device cuts it to
// the shape of its icons, and of one that may be cut ("maskable") four fifths in the middle are left.
var icons = map[string]struct {
	size   int
	coin   float64 // its part of the width
	ground string
}{
	"icon-192.png":      {192, 1, "transparent"},
	"icon-512.png":      {512, 1, "transparent"},
	"icon-maskable.png": {512, 0.68, "#06402e"}, // --green-strong of app.css
	"icon-apple.png":    {180, 0.78, "#06402e"},
}

// The icons show what favicon.svg shows. To draw them anew: go test ./web/templates/gallery -run TestIcons -update
func TestIcons(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	coin, err := os.ReadFile(filepath.Join(assets, "favicon.svg"))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i := icons[r.URL.Path[1:]]
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!DOCTYPE html><link rel="icon" href="data:,"><style>html{background:%s}body{margin:0;display:grid;place-items:center;height:100vh}svg{width:%g%%}</style>%s`,
			i.ground, 100*i.coin, coin)
	}))
	t.Cleanup(server.Close)
	ctx := openWindow(t)
	do(t, ctx, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetDefaultBackgroundColorOverride, emulation.SetDefaultBackgroundColorOverrideParams{Color: &cdp.RGBA{}})
		return err
	}))
	for _, name := range slices.Sorted(maps.Keys(icons)) {
		size := icons[name].size
		do(t, ctx, chromedp.EmulateViewport(int64(size), int64(size)), chromedp.Navigate(server.URL+"/"+name))
		shot, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
		if err != nil {
			t.Fatal(err)
		}
		drawn, err := png.Decode(bytes.NewReader(shot))
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(assets, name)
		if *update {
			if err := os.WriteFile(file, paletted(t, drawn), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		written, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		kept, err := png.Decode(bytes.NewReader(written))
		if err != nil {
			t.Fatal(err)
		}
		if want := image.Rect(0, 0, size, size); kept.Bounds() != want || drawn.Bounds() != want {
			t.Errorf("%s has %v, drawn anew %v, want %v", name, kept.Bounds(), drawn.Bounds(), want)
			continue
		}
		if away := distance(kept, drawn); away > 0.01 {
			t.Errorf("%s is %.3f away from favicon.svg: draw it anew", name, away)
		}
		if len(written) > 24<<10 {
			t.Errorf("%s has %d bytes", name, len(written))
		}
	}
}

// The comparison must be able to fail.
func TestOtherIconsAreFound(t *testing.T) {
	square := func(c color.Color) image.Image {
		i := image.NewNRGBA(image.Rect(0, 0, 10, 10))
		for at := range 100 {
			i.Set(at%10, at/10, c)
		}
		return i
	}
	gold := color.NRGBA{R: 217, G: 169, B: 55, A: 255}
	if away := distance(square(gold), square(gold)); away != 0 {
		t.Errorf("the same square is %v away", away)
	}
	for _, other := range []color.Color{color.Transparent, color.White, color.NRGBA{R: 200, G: 169, B: 55, A: 255}} {
		if away := distance(square(gold), square(other)); away <= 0.01 {
			t.Errorf("%v is %v away", other, away)
		}
	}
}

// distance is how far two pictures are apart: 0 for the same, 1 for black and white.
func distance(a, b image.Image) float64 {
	bounds, sum := a.Bounds(), 0.0
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			ra, ga, ba, aa := a.At(x, y).RGBA()
			rb, gb, bb, ab := b.At(x, y).RGBA()
			for _, pair := range [][2]uint32{{ra, rb}, {ga, gb}, {ba, bb}, {aa, ab}} {
				sum += float64(max(pair[0], pair[1])-min(pair[0], pair[1])) / 0xffff / 4
			}
		}
	}
	return sum / float64(bounds.Dx()*bounds.Dy())
}

// paletted writes a picture with the 256 colours that it has most of.
func paletted(t *testing.T, shot image.Image) []byte {
	t.Helper()
	bounds, count := shot.Bounds(), map[color.NRGBA]int{}
	at := func(x, y int) color.NRGBA { return color.NRGBAModel.Convert(shot.At(x, y)).(color.NRGBA) }
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			count[at(x, y)]++
		}
	}
	colours := slices.SortedFunc(maps.Keys(count), func(a, b color.NRGBA) int {
		order := func(c color.NRGBA) int { return int(c.R)<<24 | int(c.G)<<16 | int(c.B)<<8 | int(c.A) }
		return cmp.Or(count[b]-count[a], order(a)-order(b))
	})
	var palette color.Palette
	for _, c := range colours[:min(256, len(colours))] {
		palette = append(palette, c)
	}
	small := image.NewPaletted(bounds, palette)
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			small.Set(x, y, at(x, y))
		}
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, small); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
