// Package api is the REST surface of the aggregation service: the token check, the reading of requests, the answers and
// the errors of every endpoint of the specification, and the registration of applications. The rules behind the
// endpoints are those of the engine and of the registry.
package api

import (
	"cmp"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"florin/internal/aggregator"
	"florin/internal/aggregator/engine"
	"florin/internal/aggregator/registry"
	"florin/internal/apptoken"
	"florin/internal/middleware"
	"florin/internal/openbanking"
)

// Options is what the API is made of. Engine, Registry, Verifier and Log are needed.
type Options struct {
	Engine   *engine.Engine
	Registry *registry.Registry
	Verifier *apptoken.Verifier // of application tokens; its key function is Registry.PublicKeys
	Log      *slog.Logger

	RateLimit int // requests a minute of each application; zero: no limit
}

// Handler returns the API with an answer for every path and method: what is not an endpoint gets an ErrorResponse too.
// The caller puts middleware.RequestID round it, which sends x-request-id, and middleware.AccessLog, to which the
// application, the bank and the code of an error are told.
func Handler(o Options) http.Handler {
	a := &api{engine: o.Engine, registry: o.Registry, verifier: o.Verifier, log: o.Log, throttle: newThrottle(o.RateLimit), bodies: newBodies()}
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
	registry *registry.Registry
	verifier *apptoken.Verifier
	log      *slog.Logger
	throttle *throttle
	bodies   *bodies
}

// request is an authenticated call.
type request struct {
	*http.Request
	App         aggregator.Application // the zero Application where the route's access is not that of applications
	DeveloperID string                 // empty where the caller is no developer
	bank        openbanking.ASPSP      // that the call is about, as soon as it is known
	made        string                 // id of the payment that the call has made
	reply       http.Header            // of the answer
	body        bodyBound              // of its route
}

// serve makes a handler of a route: authenticate, count, do, answer, record.
func (a *api) serve(route Route) http.Handler {
	endpoint := route.Method + " " + route.Path
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		bound := a.bodyBound(route)
		if r.Body != http.NoBody {
			r.Body = http.MaxBytesReader(w, r.Body, bound.bytes)
		}
		ctx, trace := engine.WithTrace(r.Context())
		call := &request{Request: r.WithContext(ctx), reply: w.Header(), body: bound}
		record := aggregator.Request{Endpoint: endpoint, Status: http.StatusInternalServerError} // unless something better follows
		defer func() {
			if call.App.ID == "" {
				return
			}
			record.ID, record.ApplicationID, record.ASPSP = middleware.RequestIDFrom(r.Context()), call.App.ID, call.bank
			record.Resource, record.Latency = cmp.Or(call.made, resource(r)), time.Since(began)
			record.RequestSubject, record.BankCalls = trace.Found()
			a.registry.Record(record)
		}()
		var answer any
		err := a.authenticate(call, route.Access)
		if err == nil && call.App.ID != "" {
			err = a.throttle.take(call)
		}
		if err == nil {
			answer, err = route.do(a, call)
		}
		if err != nil {
			known := a.errorOf(r, err)
			record.Status, record.Error = known.HTTPStatus(), known.Code
			writeError(w, route, known)
			return
		}
		writeJSON(w, http.StatusOK, answer)
		record.Status = http.StatusOK
	})
}

// resource is the id in the path of a request, for the log; whatever else a client writes there is not kept.
func resource(r *http.Request) string {
	for _, name := range []string{"session_id", "account_id", "payment_id"} {
		if value := r.PathValue(name); len(value) == 36 && uuid.Validate(value) == nil {
			return strings.ToLower(value)
		}
	}
	return ""
}

func (a *api) refuseMethod(route Route, allowed []string) http.Handler {
	allowed = slices.Sorted(slices.Values(allowed))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		a.answerError(w, r, route, plainStatus(http.StatusMethodNotAllowed))
	})
}

func (a *api) refusePath(w http.ResponseWriter, r *http.Request) {
	a.answerError(w, r, surface(r), plainStatus(http.StatusNotFound))
}

// plainPaths sends a path that a http.ServeMux would redirect to its clean form ("/accounts//x", "/a/../auth") to refuse
// instead: the answer of a redirect is no ErrorResponse, and a client that follows it would lose its body. Slashes at the
// beginning count as one: a base URL that ends in a slash gives "//auth".
func plainPaths(mux http.Handler, refuse http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := r.URL.EscapedPath() // an escaped slash belongs to a parameter
		if strings.HasPrefix(p, "//") {
			p = "/" + strings.TrimLeft(p, "/")
			path, err := url.PathUnescape(p)
			if err != nil {
				refuse(w, r)
				return
			}
			r = r.Clone(r.Context())
			r.URL.Path, r.URL.RawPath = path, p
		}
		if !strings.HasPrefix(p, "/") || strings.Contains(p, "//") ||
			strings.Contains(p, "/.") && slices.ContainsFunc(strings.Split(p, "/"), func(part string) bool { return part == "." || part == ".." }) {
			refuse(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
