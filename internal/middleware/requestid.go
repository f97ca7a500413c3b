package middleware

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"
)

// RequestID gives each request an id, sends it as x-request-id with every answer (api-notes 1) and stores it for RequestIDFrom. It ignores an id from the
// client, which could be anybody's and would be logged.
func RequestID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, r := noted(r)
		n.id = newRequestID()
		w.Header().Set("X-Request-Id", n.id)
		next.ServeHTTP(w, r)
	})
}

// RequestIDFrom returns the id of the request with this context, else "".
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
