package handlers

import (
	"net/http"
	"strconv"
	"sync/atomic"

	"florin/internal/middleware"
	"florin/web/static"
	"florin/web/templates/pages"
	"florin/web/templates/words"
)

// Updating answers while the databases are brought up to date, before there is an App: with a page that says how far it is and loads itself again.
type Updating struct{ step, of atomic.Int64 }

// Step says which step is being done, from 1, and how many there are.
func (u *Updating) Step(step, of int) {
	u.step.Store(int64(step))
	u.of.Store(int64(of))
}

// Handler answers everything but the files that the page needs with 503.
func (u *Updating) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle(static.Prefix, static.Handler())
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		ctx := words.Listen(r.Context(), words.App, r.Header.Get("Accept-Language"))
		of := func(n *atomic.Int64) string { return strconv.FormatInt(n.Load(), 10) }
		view := pages.ErrorView{
			Title: words.Say(ctx, "Florin is updating its database"),
			What:  words.Say(ctx, "Step %s of %s. With many transactions this takes some minutes.", of(&u.step), of(&u.of)),
			Todo:  words.Say(ctx, "Please wait. This page reloads by itself. Florin first copies your data into the folder backups."),
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Retry-After", "3")
		w.Header().Set("Refresh", "3")
		w.WriteHeader(http.StatusServiceUnavailable)
		_ = pages.Error(view).Render(ctx, w) // whoever has gone does not see it
	})
	return middleware.SecurityHeaders(middleware.Policy{ContentSecurityPolicy: policy})(mux)
}
