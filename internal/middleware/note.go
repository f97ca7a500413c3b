package middleware

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
)

// note holds what the layers learn about a request. They share one note, because each value in a context costs a copy of the request.
type note struct {
	id      string
	client  netip.Addr
	unknown bool // client is a proxy
	route   string
	attrs   []slog.Attr // for the access log; the first record places are reserved
	space   [record + 5]slog.Attr
}

// record is the number of attributes of the access log itself, at the front of attrs.
const record = 7

type noteKey struct{}

// noted returns the note of a request, and the request that carries it.
func noted(r *http.Request) (*note, *http.Request) {
	if n := noteFrom(r.Context()); n != nil {
		return n, r
	}
	n := new(note)
	n.attrs = n.space[:record]
	return n, r.WithContext(context.WithValue(r.Context(), noteKey{}, n))
}

// noteFrom returns the note of a request, nil when no layer has made one.
func noteFrom(ctx context.Context) *note {
	n, _ := ctx.Value(noteKey{}).(*note)
	return n
}
