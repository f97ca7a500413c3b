// Package api is the REST surface of the aggregation service: the token check, the reading of requests, the answers and
// the errors of every endpoint of the specification, and the registration of applications. The rules behind the
// endpoints are the engine's.
package api

import (
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"florin/internal/aggregator"
	"florin/internal/aggregator/engine"
	"florin/internal/apptoken"
	"florin/internal/middleware"
)

// maxBody is the largest body of a request, in bytes.
const maxBody = 1 << 20

// Options is what the API is made of. Engine, Verifier and Log are needed.
type Options struct {
	Engine   *engine.Engine
	Verifier *apptoken.Verifier // of application tokens; its key function is Engine.PublicKey
	Log      *slog.Logger

	Hosts     []string // names of the service, in lower case and without port, that a request may be sent to; none: any
	RateLimit int      // requests a minute of each application; zero: no limit
}

// Handler returns the API with an answer for every path and method: what is not an endpoint gets an ErrorResponse too.
// The caller puts middleware.RequestID round it, which sends x-request-id, and middleware.AccessLog, to which the
// application, the bank and the code of an error are told.
func Handler(o Options) http.Handler {
	a := &api{engine: o.Engine, verifier: o.Verifier, log: o.Log, hosts: o.Hosts, throttle: newThrottle(o.RateLimit)}
	mux := http.NewServeMux()
	methods := map[string][]string{} // by path
	for _, route := range routes {
		mux.Handle(route.Method+" "+route.Path, a.serve(route))
		methods[route.Path] = append(methods[route.Path], route.Method)
	}
	for _, route := range routes { // the same paths with any other method
		if allowed := methods[route.Path]; len(allowed) > 0 {
			mux.Handle(route.Path, a.refuseMethod(route, allowed))
			delete(methods, route.Path)
		}
	}
	mux.HandleFunc("/", a.refusePath)
	return middleware.Chain(plainPaths(mux, a.refusePath),
		middleware.Recover(o.Log, http.HandlerFunc(a.answerPanic)),
		middleware.Route,
	)
}

type api struct {
	engine   *engine.Engine
	verifier *apptoken.Verifier
	log      *slog.Logger
	hosts    []string
	throttle *throttle
}

// request is an authenticated call; App is the zero Application where the route's access is Operator.
type request struct {
	*http.Request
	App aggregator.Application
}

// serve makes a handler of a route: check the host, authenticate, count, do, answer.
func (a *api) serve(route Route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		if err := checkHost(a.hosts, r.Host); err != nil {
			a.answerError(w, r, route, err)
			return
		}
		app, err := a.authenticate(r, route.Access)
		if err == nil && app.ID != "" {
			err = a.throttle.take(w, app.ID)
		}
		if err != nil {
			a.answerError(w, r, route, err)
			return
		}
		answer, err := route.do(a, &request{Request: r, App: app})
		if err != nil {
			a.answerError(w, r, route, err)
			return
		}
		writeJSON(w, http.StatusOK, answer)
	})
}

func (a *api) refuseMethod(route Route, allowed []string) http.Handler {
	allowed = slices.Sorted(slices.Values(allowed))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		a.answerError(w, r, route, plainStatus(http.StatusMethodNotAllowed))
	})
}

func (a *api) refusePath(w http.ResponseWriter, r *http.Request) {
	a.answerError(w, r, Route{}, plainStatus(http.StatusNotFound))
}

// plainPaths sends a path that a http.ServeMux would redirect to its clean form ("//auth", "/a/../auth") to refuse
// instead: the answer of a redirect is no ErrorResponse, and a client that follows it would lose its body.
func plainPaths(mux http.Handler, refuse http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := r.URL.EscapedPath() // an escaped slash belongs to a parameter
		if !strings.HasPrefix(p, "/") || strings.Contains(p, "//") || slices.ContainsFunc(strings.Split(p, "/"), func(part string) bool { return part == "." || part == ".." }) {
			refuse(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
