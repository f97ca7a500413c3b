package handlers

import (
	"io"
	"net/http"

	"florin/internal/middleware"
)

// healthz says that the process answers.
func (a *App) healthz(w http.ResponseWriter, _ *http.Request) { plainText(w, http.StatusOK, "ok\n") }

// readyz says whether people can be served: databases writable, background work running. Why not is in the log only.
func (a *App) readyz(w http.ResponseWriter, r *http.Request) {
	if err := a.Ready(r.Context()); err != nil {
		a.Log.WarnContext(r.Context(), "not ready", "error", err, "request_id", middleware.RequestIDFrom(r.Context()))
		plainText(w, http.StatusServiceUnavailable, "not ready\n")
		return
	}
	plainText(w, http.StatusOK, "ready\n")
}

func plainText(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text) // the client went away: nothing left to tell it
}
