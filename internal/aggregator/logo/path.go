package logo

import (
	"math"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// path is a filled outline of closed parts, each of which begins with a move.
type path []step

// step is one command of a path with up to three points; the last one that the kind has is where it ends.
type step struct {
	kind                   kind
	x1, y1, x2, y2, x3, y3 float64
}

// kind is the letter of a command in SVG.
type kind string

const (
	move  kind = "M"
	line  kind = "L"
	quad  kind = "Q"
	cubic kind = "C"
)

// points is the number of points that a kind has.
var points = map[kind]int{move: 1, line: 1, quad: 2, cubic: 3}

// moved returns the path scaled and then shifted.
func (p path) moved(scale, dx, dy float64) path {
	moved := make(path, len(p))
	for i, s := range p {
		moved[i] = step{s.kind, s.x1*scale + dx, s.y1*scale + dy, s.x2*scale + dx, s.y2*scale + dy, s.x3*scale + dx, s.y3*scale + dy}
	}
	return moved
}

// fit scales the square of the path and puts its middle on that of an image.
func (p path) fit(width, height, scale float64) path {
	return p.moved(scale, (width-side*scale)/2, (height-side*scale)/2)
}

// svg writes the path as the attribute d, to a hundredth.
func (p path) svg() string {
	var b strings.Builder
	number := func(n float64) { b.WriteString(strconv.FormatFloat(math.Round(n*100)/100, 'f', -1, 64)) }
	for i, s := range p {
		if s.kind == move && i > 0 {
			b.WriteByte('z')
		}
		b.WriteString(string(s.kind))
		for j, n := range []float64{s.x1, s.y1, s.x2, s.y2, s.x3, s.y3}[:2*points[s.kind]] {
			if j > 0 {
				b.WriteByte(' ')
			}
			number(n)
		}
	}
	b.WriteByte('z')
	return b.String()
}

func (p path) rasterize(r *vector.Rasterizer) {
	f := func(n float64) float32 { return float32(n) }
	for i, s := range p {
		switch s.kind {
		case move:
			if i > 0 {
				r.ClosePath()
			}
			r.MoveTo(f(s.x1), f(s.y1))
		case line:
			r.LineTo(f(s.x1), f(s.y1))
		case quad:
			r.QuadTo(f(s.x1), f(s.y1), f(s.x2), f(s.y2))
		case cubic:
			r.CubeTo(f(s.x1), f(s.y1), f(s.x2), f(s.y2), f(s.x3), f(s.y3))
		}
	}
	if len(p) > 0 {
		r.ClosePath()
	}
}

// circle begins at the top and goes round by the right, in four arcs.
func circle(x, y, radius float64) path {
	const k = 0.5522847498 // of the radius: the handles of a quarter of a circle
	r, h := radius, radius*k
	return path{
		{move, x, y - r, 0, 0, 0, 0},
		{cubic, x + h, y - r, x + r, y - h, x + r, y},
		{cubic, x + r, y + h, x + h, y + r, x, y + r},
		{cubic, x - h, y + r, x - r, y + h, x - r, y},
		{cubic, x - r, y - h, x - h, y - r, x, y - r},
	}
}

// polygon goes from point to point.
func polygon(coordinates ...float64) path {
	var p path
	for i := 0; i < len(coordinates); i += 2 {
		p = append(p, step{kind: line, x1: coordinates[i], y1: coordinates[i+1]})
	}
	p[0].kind = move
	return p
}

// bold is the font of the letters, Go Bold. It has the letters of Europe.
var bold = sync.OnceValue(func() *sfnt.Font {
	f, err := sfnt.Parse(gobold.TTF)
	if err != nil {
		panic(err) // the font is built in
	}
	return f
})

// write draws letters in the middle of the square: the capitals stand in its middle, whatever they wear above.
func write(letters string) path {
	runes := []rune(letters)
	if len(runes) == 0 {
		return nil
	}
	size := 150
	if len(runes) > 1 {
		size = 118
	}
	var buffer sfnt.Buffer
	ppem := fixed.I(size)
	var p path
	var pen fixed.Int26_6
	for _, letter := range runes {
		glyph, err := bold().GlyphIndex(&buffer, letter)
		if err != nil {
			panic(err) // the font is sound
		}
		segments, err := bold().LoadGlyph(&buffer, glyph, ppem, nil)
		if err != nil {
			panic(err)
		}
		for _, s := range segments {
			p = append(p, segment(s, pen))
		}
		advance, err := bold().GlyphAdvance(&buffer, glyph, ppem, font.HintingNone)
		if err != nil {
			panic(err)
		}
		pen += advance
	}
	metrics, err := bold().Metrics(&buffer, ppem, font.HintingNone)
	if err != nil {
		panic(err)
	}
	return p.moved(1, (side-float(pen))/2, (side+float(metrics.CapHeight))/2)
}

// segment makes a step of a part of a glyph.
func segment(s sfnt.Segment, pen fixed.Int26_6) step {
	kinds := map[sfnt.SegmentOp]kind{sfnt.SegmentOpMoveTo: move, sfnt.SegmentOpLineTo: line, sfnt.SegmentOpQuadTo: quad, sfnt.SegmentOpCubeTo: cubic}
	a := s.Args
	return step{
		kinds[s.Op],
		float(a[0].X + pen), float(a[0].Y), float(a[1].X + pen), float(a[1].Y), float(a[2].X + pen), float(a[2].Y),
	}
}

func float(n fixed.Int26_6) float64 { return float64(n) / 64 }
