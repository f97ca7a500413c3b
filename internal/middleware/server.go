package middleware

import (
	"log/slog"
	"net/http"
	"time"
)

// Server returns a server with all time-outs and limits set (security T35). An answer that takes longer than WriteTimeout, such as an event stream, sets its
// own write deadline through http.ResponseController.
func Server(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}
