package banksites

import (
	"bytes"
	"testing"
)

// security T35: a logo is drawn once, and what is kept of logos is bounded.
func TestLogosAreDrawnOnce(t *testing.T) {
	var d drawings
	drawn := 0
	draw := func() []byte { drawn++; return []byte("a logo") }
	one := drawing{name: "Seebrücke Bank", colour: "#123456", letters: "SB", format: "png", width: 64, height: 64}
	for range 3 {
		if got := d.get(one, draw); !bytes.Equal(got, []byte("a logo")) {
			t.Fatalf("the drawing is %q", got)
		}
	}
	if drawn != 1 {
		t.Errorf("one logo was drawn %d times", drawn)
	}
	other := one
	other.width = 65
	if d.get(other, draw); drawn != 2 {
		t.Error("another size is not drawn")
	}
	for width := range 10 * maxDrawings {
		other.width = width + 100
		d.get(other, func() []byte { return make([]byte, maxDrawingBytes/16) })
		if len(d.kept) > maxDrawings || d.bytes > maxDrawingBytes {
			t.Fatalf("%d drawings of %d bytes are kept", len(d.kept), d.bytes)
		}
	}
}
