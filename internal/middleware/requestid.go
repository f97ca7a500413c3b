package middleware

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"
)

// RequestID gives each request an id, sends it as x-request-id with every
// answer (api-notes 1) and keeps it for RequestIDFrom. An id that the client
// sent is not used: it could be anybody's, and it would be written to the log.
func RequestID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, r := noted(r)
		n.id = newRequestID()
		w.Header().Set("X-Request-Id", n.id)
		next.ServeHTTP(w, r)
	})
}

// RequestIDFrom returns the id of the request whose context this is, else "".
func RequestIDFrom(ctx context.Context) string {
	if n := noteFrom(ctx); n != nil {
		return n.id
	}
	return ""
}

// newRequestID returns 128 random bits as 32 hexadecimal digits.
func newRequestID() string {
	var id [16]byte
	rand.Read(id[:]) // never fails, see crypto/rand
	return hex.EncodeToString(id[:])
}
