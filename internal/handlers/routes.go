package handlers

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"florin/internal/handlers/shell"
	"florin/web/static"
)

// mux builds the router. Addresses outside the table, and methods that an address does not know, are pages too.
func (a *App) mux() *http.ServeMux {
	mux := http.NewServeMux()
	for _, route := range a.routes {
		mux.Handle(route.Method+" "+route.Pattern, a.shell.Serve(route))
	}
	mux.Handle(static.Prefix, static.Handler())
	mux.HandleFunc("GET /healthz", a.healthz)
	mux.HandleFunc("GET /readyz", a.readyz)
	mux.Handle("/", a.shell.Serve(shell.Route{Pattern: "/", Access: shell.Public, Handle: func(v *shell.Visitor) error {
		allowed := a.methods(v.Request)
		if len(allowed) == 0 {
			return &shell.Problem{Status: http.StatusNotFound}
		}
		v.Writer.Header().Set("Allow", strings.Join(allowed, ", "))
		return &shell.Problem{Status: http.StatusMethodNotAllowed}
	}}))
	return mux
}

// methods lists the methods that the address of r knows.
func (a *App) methods(r *http.Request) []string {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
		if _, known := a.find(method, r.URL.Path); known {
			allowed = append(allowed, method)
		}
	}
	return allowed
}

// find returns the pattern that answers a method at a path; false when only the page for unknown addresses does.
func (a *App) find(method, path string) (pattern string, known bool) {
	request := &http.Request{Method: method, URL: &url.URL{Path: path}}
	_, pattern = a.router.Handler(request)
	return pattern, pattern != "/" && pattern != ""
}

// isPage reports whether the path is a page for people who are signed in.
func (a *App) isPage(path string) bool {
	pattern, _ := a.find(http.MethodGet, path)
	return slices.ContainsFunc(a.routes, func(r shell.Route) bool {
		return r.Method+" "+r.Pattern == pattern && (r.Access == shell.SignedIn || r.Access == shell.Member || r.Access == shell.Owner)
	})
}
