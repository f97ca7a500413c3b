package middleware

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"
)

// Annotate adds attributes to the log record of the request with this context, such as the code of an error. They must hold nothing secret and nothing
// personal. It must be called from the goroutine of the request.
func Annotate(ctx context.Context, attrs ...slog.Attr) {
	if n := noteFrom(ctx); n != nil {
		n.attrs = append(n.attrs, attrs...)
	}
}

// AccessLog logs one record for each request: method, route, status, bytes of the body as sent, duration and request id. The route is the pattern that
// matched ("GET /accounts/{id}", see Route); the address itself, which may contain ids, codes and states, is never logged.
func AccessLog(log *slog.Logger) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n, r := noted(r)
			watched := &response{ResponseWriter: w}
			start := time.Now()
			defer func() {
				status, level := watched.status, slog.LevelInfo
				failure := recover()
				switch {
				case failure == nil && !watched.begun() && r.Context().Err() != nil:
					status = ClientGone
				case failure != nil && !watched.begun():
					status = http.StatusInternalServerError
				case status == 0:
					status = http.StatusOK // the answer of net/http for a handler that wrote nothing
				}
				if failure != nil || status >= 500 {
					level = slog.LevelError
				}
				for i, attr := range [record]slog.Attr{
					slog.String("method", method(r)),
					slog.String("route", n.route),
					slog.Int("status", status),
					slog.Int64("bytes", watched.bytes),
					slog.Duration("duration", time.Since(start)),
					slog.Bool("aborted", failure != nil),
					slog.String("request_id", n.id),
				} {
					n.attrs[i] = attr
				}
				log.LogAttrs(r.Context(), level, "request", n.attrs...)
				if failure != nil {
					panic(failure)
				}
			}()
			next.ServeHTTP(watched, r)
		})
	}
}

// ClientGone is the status in the access log of a request whose client left or was disconnected before the answer. No client ever sees it. nginx uses the
// same number.
const ClientGone = 499

// Gone reports whether an error means that the client left or was disconnected: nothing is broken, and there is nobody to answer.
func Gone(ctx context.Context, err error) bool {
	return errors.Is(err, context.Canceled) && ctx.Err() != nil
}

// Route records for the access log which pattern of the mux matched. It must wrap a http.ServeMux directly, because only the request given to the mux has its
// pattern. With nested muxes the innermost pattern is recorded.
func Route(mux http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if n := noteFrom(r.Context()); n != nil && n.route == "" {
				n.route = r.Pattern
			}
		}()
		mux.ServeHTTP(w, r)
	})
}

// method returns the method when it is a standard one of HTTP, else "OTHER": a client may send any word.
func method(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete, http.MethodConnect, http.MethodOptions, http.MethodTrace:
		return r.Method
	}
	return "OTHER"
}
