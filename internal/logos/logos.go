// Package logos keeps the logos of banks in a folder: each is fetched once by this server, made into a small picture whatever it was, and served from here, so
// that no browser asks a foreign host. The folder may be emptied at any time.
package logos

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	_ "image/gif" // kinds of pictures that are read
	_ "image/jpeg"
	"image/png"
	"io/fs"
	"os"
	"slices"
	"time"

	scale "golang.org/x/image/draw"
	_ "golang.org/x/image/webp"
)

const (
	// Side is the width and height of a kept logo, in pixels.
	Side = 96
	// maxSide bounds the pictures that are read. They are asked for in the size in which they are kept.
	maxSide = 2048
	// maxScans bounds the scans of a JPEG. Programs write ten or so; each costs as much as a whole picture in a few bytes of the file.
	maxScans = 32
	// maxKept is how many logos are kept; the oldest go first. Each has less than 40 kB.
	maxKept = 3000
	// goodFor is how long a logo is kept before it is asked for again.
	goodFor = 30 * 24 * time.Hour
	// missedFor is how long nobody asks again for one that did not come.
	missedFor = 6 * time.Hour
	// atOnce is how many are fetched at the same time, for all banks and people together; those of one bank one after the other.
	atOnce = 4
)

// ErrNone says that the bank has no logo that Florin can show.
var ErrNone = errors.New("no logo")

// Fetch returns a file from its address, of a bounded size.
type Fetch func(ctx context.Context, address string) ([]byte, error)

// Logos is safe for use by many goroutines.
type Logos struct {
	folder *os.Root
	turns  [atOnce]chan struct{} // to fetch, by the hash of the bank
	now    func() time.Time
}

// Open opens the folder, and makes it where it is missing.
func Open(folder string) (*Logos, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("folder of logos: %w", err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("folder of logos: %w", err)
	}
	l := &Logos{folder: root, now: time.Now}
	for i := range l.turns {
		l.turns[i] = make(chan struct{}, 1)
	}
	return l, nil
}

// Close closes the folder.
func (l *Logos) Close() error { return l.folder.Close() }

// Get returns the logo of a bank as a PNG of Side pixels, or ErrNone. A key names the bank. address says where its logo is, and is asked only when the logo is
// not kept yet or is old; fetch fetches it in the size in which it is kept (spec: ASPSP data, logo). One that cannot be fetched any more stays.
func (l *Logos) Get(ctx context.Context, key string, address func(ctx context.Context) (string, error), fetch Fetch) ([]byte, error) {
	sum := sha256.Sum256([]byte(key))
	name := hex.EncodeToString(sum[:16]) + ".png"
	kept, fresh, err := l.read(name)
	if err != nil || fresh {
		return shown(kept, err)
	}
	turn := l.turns[sum[0]%atOnce]
	select {
	case turn <- struct{}{}:
		defer func() { <-turn }()
	case <-ctx.Done():
		return shown(kept, nil)
	}
	if kept, fresh, err = l.read(name); err != nil || fresh { // fetched while this one waited
		return shown(kept, err)
	}
	from, err := address(ctx)
	if err != nil {
		return shown(kept, nil) // the service does not answer: this says nothing of the logo
	}
	picture, err := small(ctx, from, fetch)
	if err != nil {
		if ctx.Err() != nil {
			return shown(kept, nil)
		}
		picture = kept
	}
	if err := l.write(name, picture); err != nil {
		return nil, err
	}
	return shown(picture, nil)
}

func shown(picture []byte, err error) ([]byte, error) {
	if err == nil && len(picture) == 0 {
		err = ErrNone
	}
	return picture, err
}

// read returns what is kept under a name, nothing where there is nothing. A file without content stands for a logo that did not come.
func (l *Logos) read(name string) (picture []byte, fresh bool, err error) {
	var info fs.FileInfo
	if picture, err = l.folder.ReadFile(name); err == nil {
		info, err = l.folder.Stat(name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("read a logo: %w", err)
	}
	good := goodFor
	if len(picture) == 0 {
		good = missedFor
	}
	age := l.now().Sub(info.ModTime())
	return picture, age.Abs() < good, nil
}

// write keeps a picture, whole or not at all, and makes room for it.
func (l *Logos) write(name string, picture []byte) error {
	if err := l.makeRoom(); err != nil {
		return fmt.Errorf("make room for a logo: %w", err)
	}
	part := name + ".part"
	err := l.folder.WriteFile(part, picture, 0o600)
	if err == nil {
		err = l.folder.Rename(part, name)
	}
	if err != nil {
		return fmt.Errorf("keep a logo: %w", err)
	}
	return nil
}

func (l *Logos) makeRoom() error {
	entries, err := fs.ReadDir(l.folder.FS(), ".")
	if err != nil || len(entries) < maxKept {
		return err
	}
	age := func(e fs.DirEntry) time.Time {
		info, err := e.Info()
		if err != nil {
			return time.Time{}
		}
		return info.ModTime()
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return age(a).Compare(age(b)) })
	for _, e := range entries[:len(entries)-maxKept+maxKept/10] {
		if err := l.folder.Remove(e.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// transformations are the ends of an address that ask for a small picture, the better one first: a service need not know every kind of file.
var transformations = []string{fmt.Sprintf("-/resize/%dx/-/format/png/", Side), fmt.Sprintf("-/resize/%dx/", Side)}

// small fetches a logo and makes it small.
func small(ctx context.Context, address string, fetch Fetch) (picture []byte, err error) {
	if address == "" {
		return nil, ErrNone
	}
	if address[len(address)-1] != '/' {
		address += "/"
	}
	for _, end := range transformations {
		var file []byte
		if file, err = fetch(ctx, address+end); err != nil {
			continue
		}
		if picture, err = Small(file); err == nil {
			return picture, nil
		}
	}
	return nil, err
}

// Small makes a picture of a kind that is known (PNG, JPEG, GIF, WebP) a PNG of Side pixels on white, whole and in its proportions. Nothing else of the file
// remains.
func Small(file []byte) ([]byte, error) {
	config, kind, err := image.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("logo: %w", err)
	}
	if config.Width < 1 || config.Height < 1 || config.Width > maxSide || config.Height > maxSide {
		return nil, fmt.Errorf("logo: %d x %d pixels", config.Width, config.Height)
	}
	if scans := bytes.Count(file, []byte{0xff, 0xda}); kind == "jpeg" && scans > maxScans { // the marker SOS stands nowhere in the data of a scan
		return nil, fmt.Errorf("logo: %d scans", scans)
	}
	from, _, err := image.Decode(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("logo: %w", err)
	}
	to := image.NewRGBA(image.Rect(0, 0, Side, Side))
	draw.Draw(to, to.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	width, height := Side, Side
	if config.Width > config.Height {
		height = max(1, Side*config.Height/config.Width)
	} else {
		width = max(1, Side*config.Width/config.Height)
	}
	corner := image.Pt((Side-width)/2, (Side-height)/2)
	scale.CatmullRom.Scale(to, image.Rectangle{Min: corner, Max: corner.Add(image.Pt(width, height))}, from, from.Bounds(), scale.Over, nil)
	var b bytes.Buffer
	if err := png.Encode(&b, to); err != nil {
		return nil, fmt.Errorf("logo: %w", err)
	}
	return b.Bytes(), nil
}
