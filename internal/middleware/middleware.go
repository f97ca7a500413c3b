// Package middleware holds what stands round every handler: request ids, the
// access log, the last resort against panics, security headers, size limits,
// the client's address, compression, and an http.Server with all time-outs.
//
// The order that works, from the outside in:
//
//	Chain(mux,
//		RequestID,
//		ClientAddress(trusted),
//		AccessLog(log),
//		SecurityHeaders(policy),
//		MaxBody(1<<20),
//		Compress,
//		Recover(log, page500), // inside Compress: a half-written page never leaves
//		Hosts(names, page421),
//		Route,                 // directly round the mux
//	)
package middleware

import "net/http"

// Chain wraps the handler in the layers; the first one is the outermost.
func Chain(handler http.Handler, layers ...func(http.Handler) http.Handler) http.Handler {
	for i := len(layers) - 1; i >= 0; i-- {
		handler = layers[i](handler)
	}
	return handler
}
