package logos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// picture is a red picture of a size, as a file of a kind.
func picture(t *testing.T, kind string, width, height int) []byte {
	t.Helper()
	m := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.RGBA{200, 0, 0, 255}})
	var b bytes.Buffer
	var err error
	switch kind {
	case "png":
		err = png.Encode(&b, m)
	case "jpeg":
		err = jpeg.Encode(&b, m, nil)
	case "gif":
		err = gif.Encode(&b, m, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Security T18: whatever a service calls a logo becomes a small picture, in its proportions on white, or nothing.
func TestSmall(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind          string
		width, height int
		red, white    []image.Point
	}{
		{"png", 96, 96, []image.Point{{0, 0}, {95, 95}}, nil},
		{"jpeg", 400, 100, []image.Point{{2, 48}, {93, 48}}, []image.Point{{48, 2}, {48, 93}}},
		{"gif", 100, 400, []image.Point{{48, 2}, {48, 93}}, []image.Point{{2, 48}, {93, 48}}},
		{"png", 1, 1, []image.Point{{48, 48}}, nil},
		{"png", maxSide, 1, nil, []image.Point{{48, 2}}},
	} {
		t.Run(fmt.Sprint(c.kind, c.width, c.height), func(t *testing.T) {
			t.Parallel()
			file, err := Small(append(picture(t, c.kind, c.width, c.height), "<script>left out</script>"...))
			if err != nil {
				t.Fatal(err)
			}
			m, err := png.Decode(bytes.NewReader(file))
			if err != nil || m.Bounds() != image.Rect(0, 0, Side, Side) || bytes.Contains(file, []byte("script")) {
				t.Fatalf("%v, %v", m, err)
			}
			for _, p := range c.red {
				if r, g, _, _ := m.At(p.X, p.Y).RGBA(); r>>8 < 180 || g>>8 > 30 {
					t.Errorf("%v is not red", p)
				}
			}
			for _, p := range c.white {
				if r, g, _, _ := m.At(p.X, p.Y).RGBA(); r>>8 < 250 || g>>8 < 250 {
					t.Errorf("%v is not white", p)
				}
			}
		})
	}
	whole := picture(t, "png", 96, 96)
	for name, file := range map[string][]byte{
		"nothing": nil, "a page": []byte("<!DOCTYPE html><h1>Bank"), "a drawing": []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), "a part": whole[:60],
		"too wide": picture(t, "png", maxSide+1, 1), "too high": picture(t, "gif", 1, maxSide+1),
	} {
		if got, err := Small(file); err == nil {
			t.Errorf("%s: %d bytes", name, len(got))
		}
	}
}

// Security T40: a JPEG may have any number of scans, each of a few bytes, of which each costs as much as a whole picture. One that a program writes is read.
func TestScansAreBounded(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 8)), nil); err != nil {
		t.Fatal(err)
	}
	before, scan, found := bytes.Cut(b.Bytes(), []byte{0xff, 0xda})
	if !found {
		t.Fatal("no scan")
	}
	scan = append([]byte{0xff, 0xda}, bytes.TrimSuffix(scan, []byte{0xff, 0xd9})...)
	for scans, wanted := range map[int]bool{1: true, 13: true, maxScans: true, maxScans + 1: false, 10_000: false} {
		file := slices.Concat(before, bytes.Repeat(scan, scans), []byte{0xff, 0xd9})
		if _, err := Small(file); (err == nil) != wanted {
			t.Errorf("%d scans: %v", scans, err)
		}
	}
}

// A logo is fetched once, in the size in which it is kept, and asked for again when it is old. One that did not come is not asked for again soon; one that
// cannot be fetched any more stays.
func TestGet(t *testing.T) {
	t.Parallel()
	now := time.Now()
	var asked []string
	file, failure := picture(t, "png", 96, 96), error(nil)
	folder := filepath.Join(t.TempDir(), "logos")
	l := open(t, folder)
	get := func() ([]byte, error) {
		return l.Get(t.Context(), "a bank", func(context.Context) (string, error) { return "https://bank.example/logo", nil },
			func(_ context.Context, address string) ([]byte, error) {
				asked = append(asked, strings.TrimPrefix(address, "https://bank.example/logo/"))
				return file, failure
			})
	}
	check := func(what string, wantLogo bool, wantAsked ...string) {
		t.Helper()
		l.now = func() time.Time { return now }
		logo, err := get()
		if wantLogo == (err != nil) || !wantLogo && !errors.Is(err, ErrNone) || wantLogo && !bytes.HasPrefix(logo, []byte("\x89PNG")) {
			t.Errorf("%s: %d bytes, %v", what, len(logo), err)
		}
		if strings.Join(asked, " ") != strings.Join(wantAsked, " ") {
			t.Errorf("%s: asked for %q, want %q", what, asked, wantAsked)
		}
		asked = nil
	}
	const better, other = "-/resize/96x/-/format/png/", "-/resize/96x/"
	failure = errors.New("404")
	check("there is none", false, better, other)
	check("a moment later", false)
	now = now.Add(missedFor + time.Minute)
	file, failure = []byte("<svg/>"), nil
	check("no picture", false, better, other)
	file = picture(t, "jpeg", 500, 200)
	now = time.Now().Add(2*missedFor + time.Minute)
	check("there is one", true, better)
	now = time.Now()
	check("again", true)
	l = open(t, folder)
	check("in another process", true)
	now = now.Add(goodFor + time.Minute)
	failure = errors.New("500")
	check("it is old, and does not come", true, better, other)
	now = time.Now()
	check("it stays", true)
	info, err := os.Stat(folder)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder: %v, %v", info, err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v", files, err)
	}
	if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info, err)
	}
}

// A service that does not say where the logo is says nothing of it: the next page asks again.
func TestGetWithoutTheService(t *testing.T) {
	t.Parallel()
	l := open(t, t.TempDir())
	calls := 0
	for range 2 {
		_, err := l.Get(t.Context(), "a bank", func(context.Context) (string, error) { calls++; return "", errors.New("no answer") }, nil)
		if !errors.Is(err, ErrNone) {
			t.Error(err)
		}
	}
	if calls != 2 {
		t.Errorf("asked %d times", calls)
	}
}

// Many pages at once fetch a logo once, and whoever waits no longer gets none.
func TestGetAtOnce(t *testing.T) {
	t.Parallel()
	l := open(t, t.TempDir())
	file := picture(t, "png", 96, 96)
	var fetched atomic.Int32
	hold := make(chan struct{})
	address := func(context.Context) (string, error) { return "https://bank.example/", nil }
	fetch := func(context.Context, string) ([]byte, error) {
		fetched.Add(1)
		<-hold
		return file, nil
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := l.Get(t.Context(), "a bank", address, fetch); err != nil {
				t.Error(err)
			}
		})
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for fetched.Load() == 0 {
		if _, err := l.Get(gone, "a bank", func(context.Context) (string, error) { return "", context.Canceled }, nil); !errors.Is(err, ErrNone) {
			t.Error(err)
		}
	}
	close(hold)
	all.Wait()
	if fetched.Load() != 1 {
		t.Errorf("fetched %d times", fetched.Load())
	}
}

// The folder does not grow without end.
func TestRoomForLogos(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for i := range maxKept {
		name := filepath.Join(folder, fmt.Sprintf("%d.png", i))
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-time.Duration(i+1) * time.Minute)
		if err := os.Chtimes(name, at, at); err != nil {
			t.Fatal(err)
		}
	}
	l := open(t, folder)
	if err := l.write("new.png", []byte("x")); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(left) != maxKept-maxKept/10+1 {
		t.Errorf("%d files, %v", len(left), err)
	}
	if _, err := os.Stat(filepath.Join(folder, "0.png")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(folder, fmt.Sprintf("%d.png", maxKept-1))); err == nil {
		t.Error("the oldest is there")
	}
}

func open(t *testing.T, folder string) *Logos {
	t.Helper()
	l, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}
