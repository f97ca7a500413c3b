package middleware

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
)

// note is what the layers learn of a request. They share one, since each value in a context costs a copy of the request.
type note struct {
	id      string
	client  netip.Addr
	unknown bool // client is a proxy
	route   string
	attrs   []slog.Attr // for the access log, from record on
	space   [record + 5]slog.Attr
}

// record is how many attributes the access log has by itself. Their places are at the front of attrs.
const record = 7

type noteKey struct{}

// noted returns the note of a request, and the request with it.
func noted(r *http.Request) (*note, *http.Request) {
	if n := noteFrom(r.Context()); n != nil {
		return n, r
	}
	n := new(note)
	n.attrs = n.space[:record]
	return n, r.WithContext(context.WithValue(r.Context(), noteKey{}, n))
}

// noteFrom is nil where no layer took notes.
func noteFrom(ctx context.Context) *note {
	n, _ := ctx.Value(noteKey{}).(*note)
	return n
}
