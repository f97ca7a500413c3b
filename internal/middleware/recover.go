package middleware

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
)

// Recover handles panics (ASVS 16.5.4): it logs a panic with its stack and the request id, and lets onPanic render the answer, whose status is always 500. It
// removes headers that the failed handler had set. When the answer has already begun, it closes the connection, so that nobody takes half a page for a whole
// one.
func Recover(log *slog.Logger, onPanic http.Handler) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			before := make([]header, 0, 16) // not a map, which would have to be allocated
			for name, values := range w.Header() {
				before = append(before, header{name, values})
			}
			watched := &response{ResponseWriter: w}
			defer func() {
				failure := recover()
				if failure == nil {
					return
				}
				if err, ok := failure.(error); ok && errors.Is(err, http.ErrAbortHandler) {
					panic(failure)
				}
				log.LogAttrs(r.Context(), slog.LevelError, "panic",
					slog.String("panic", fmt.Sprint(failure)),
					slog.String("stack", string(debug.Stack())),
					slog.String("request_id", RequestIDFrom(r.Context())),
				)
				if watched.begun() {
					panic(http.ErrAbortHandler)
				}
				clear(w.Header())
				set(w.Header(), before)
				onPanic.ServeHTTP(&failed{ResponseWriter: w}, r)
			}()
			next.ServeHTTP(watched, r)
		})
	}
}

// failed is an answer whose status is always 500.
type failed struct {
	http.ResponseWriter
	begun bool
}

func (w *failed) WriteHeader(int) {
	if !w.begun {
		w.begun = true
		w.ResponseWriter.WriteHeader(http.StatusInternalServerError)
	}
}

func (w *failed) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusInternalServerError)
	return w.ResponseWriter.Write(b)
}

// Unwrap gives http.ResponseController the writer underneath.
func (w *failed) Unwrap() http.ResponseWriter { return w.ResponseWriter }
