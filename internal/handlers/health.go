package handlers

import (
	"net/http"

	"florin/internal/handlers/shell"
	"florin/internal/middleware"
)

// healthz says that the process answers.
func (a *App) healthz(w http.ResponseWriter, _ *http.Request) {
	shell.PlainText(w, http.StatusOK, "ok\n")
}

// readyz says whether people can be served: databases writable, background work running. Why not is in the log only.
func (a *App) readyz(w http.ResponseWriter, r *http.Request) {
	if err := a.Ready(r.Context()); err != nil {
		a.Log.WarnContext(r.Context(), "not ready", "error", err, "request_id", middleware.RequestIDFrom(r.Context()))
		shell.PlainText(w, http.StatusServiceUnavailable, "not ready\n")
		return
	}
	shell.PlainText(w, http.StatusOK, "ready\n")
}
