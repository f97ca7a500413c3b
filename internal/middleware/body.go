package middleware

import "net/http"

// MaxBody bounds the body of every request to n bytes. A handler that reads
// further gets a *http.MaxBytesError; it may set a smaller bound of its own.
func MaxBody(n int64) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.MaxBytesHandler(next, n)
	}
}
