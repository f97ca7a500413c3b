package middleware

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"
)

// Annotate adds attributes to the record of the request whose context this is,
// such as the code of an error. They hold nothing secret and nothing personal.
// It is called from the goroutine of the request.
func Annotate(ctx context.Context, attrs ...slog.Attr) {
	if n := noteFrom(ctx); n != nil {
		n.attrs = append(n.attrs, attrs...)
	}
}

// AccessLog writes one record for each request: method, route, status, bytes of
// the body as sent, duration and request id. The route is the pattern that
// matched ("GET /accounts/{id}"), see Route; the address itself, which may hold
// ids, codes and states, is never written.
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
					status = http.StatusOK // net/http answers so for a handler that wrote nothing
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

// ClientGone is the status in the access log of a request whose client went away, or was cut off, before there was an answer. No client ever sees it. It is
// that of nginx.
const ClientGone = 499

// Gone reports whether an error means that the client went away, or was cut off: nothing broke, and there is nobody to tell.
func Gone(ctx context.Context, err error) bool {
	return errors.Is(err, context.Canceled) && ctx.Err() != nil
}

// Route tells the access log which pattern of the mux matched. It stands
// directly round a http.ServeMux, since only the request that the mux was given
// knows its pattern. Of muxes within each other the innermost speaks.
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

// method returns the method if it is one of HTTP's own; a client may send any word.
func method(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete, http.MethodConnect, http.MethodOptions, http.MethodTrace:
		return r.Method
	}
	return "OTHER"
}
