package banksites

import "sync"

// maxDrawings and maxDrawingBytes bound what is kept of drawn logos. A page of banks asks for some forty of them in one or two sizes.
const (
	maxDrawings     = 256
	maxDrawingBytes = 8 << 20
)

// drawings keeps logos as they were drawn, so that nobody can make the service draw the same one again and again. It is safe for use by many goroutines.
type drawings struct {
	mu    sync.Mutex
	kept  map[drawing][]byte
	bytes int
}

// drawing names a drawn logo: what it is drawn of, and how.
type drawing struct {
	name, colour, letters, format string
	width, height                 int
}

// get returns a drawing that was kept, or draws it. Two who ask for a new one at the same moment may both draw it.
func (d *drawings) get(of drawing, draw func() []byte) []byte {
	d.mu.Lock()
	body, kept := d.kept[of]
	d.mu.Unlock()
	if kept {
		return body
	}
	body = draw()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.kept == nil || len(d.kept) >= maxDrawings || d.bytes+len(body) > maxDrawingBytes {
		d.kept, d.bytes = make(map[drawing][]byte), 0 // begins anew: sizes that nobody asks for any more go
	}
	if _, kept := d.kept[of]; !kept {
		d.kept[of], d.bytes = body, d.bytes+len(body)
	}
	return body
}
