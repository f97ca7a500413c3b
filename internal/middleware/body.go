package middleware

import "net/http"

// MaxBody limits the body of every request to n bytes. A handler that reads more gets a *http.MaxBytesError; it may set a smaller limit of its own.
func MaxBody(n int64) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.MaxBytesHandler(next, n)
	}
}
