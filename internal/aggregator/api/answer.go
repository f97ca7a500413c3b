package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"florin/internal/middleware"
	"florin/internal/openbanking"
)

// answerError answers an error.
func (a *api) answerError(w http.ResponseWriter, r *http.Request, route Route, err error) {
	writeError(w, route, a.errorOf(r, err))
}

// errorOf is the one funnel of errors (api-notes 1). An error of the API is answered as it is; anything else is a failure of
// the service: generic text to the client, the cause to the log with the request id.
func (a *api) errorOf(r *http.Request, err error) *openbanking.Error {
	var known *openbanking.Error
	var code openbanking.ErrorCode
	switch {
	case errors.As(err, &known):
	case errors.As(err, &code):
		known = &openbanking.Error{Code: code}
	case errors.Is(err, context.Canceled): // the client went away: nobody reads this
		known = plainStatus(http.StatusRequestTimeout)
	default:
		a.log.LogAttrs(r.Context(), slog.LevelError, "internal error",
			slog.String("cause", err.Error()), slog.String("request_id", middleware.RequestIDFrom(r.Context())))
		known = plainStatus(http.StatusInternalServerError)
	}
	if known.Code != "" {
		middleware.Annotate(r.Context(), slog.String("error", string(known.Code)))
	}
	return known
}

// writeError writes an error in the form of the route.
func writeError(w http.ResponseWriter, route Route, known *openbanking.Error) {
	body := known.Response()
	if route.Access.Panel() {
		message := body.Message
		if body.Code == http.StatusUnauthorized { // whatever is wrong with the token (api-notes 3)
			message = http.StatusText(http.StatusUnauthorized)
		}
		writeJSON(w, body.Code, registrationError{registrationMessage{message}})
	} else if known.Body != nil {
		writeJSON(w, body.Code, known.Body)
	} else {
		writeJSON(w, body.Code, body)
	}
}

// registrationError is the body of an error of the registration API (api-notes 3).
type registrationError struct {
	Error registrationMessage `json:"error"`
}

type registrationMessage struct {
	Message string `json:"message"`
}

// surface returns a route for the form of an error when the request matched none. Below /api that is the form of the control panel.
func surface(r *http.Request) Route {
	if path := r.URL.Path; path == "/api" || strings.HasPrefix(path, "/api/") {
		return Route{Access: Public}
	}
	return Route{}
}

// RefuseHost answers a request whose Host header names none of the service's public addresses (middleware.Hosts).
func RefuseHost(w http.ResponseWriter, r *http.Request) {
	writeError(w, surface(r), &openbanking.Error{Code: openbanking.InvalidHost})
}

// answerPanic answers a request whose handler has panicked.
func (a *api) answerPanic(w http.ResponseWriter, r *http.Request) {
	writeError(w, surface(r), plainStatus(http.StatusInternalServerError))
}

// plainStatus is an error without a code.
func plainStatus(status int) *openbanking.Error {
	return &openbanking.Error{Status: status, Message: http.StatusText(status)}
}

// buffers keeps the memory of answers for the next ones. Pages of transactions are too large to keep.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const maxKept = 16 << 10

// Values of headers that all answers share: they are replaced, never changed in place.
var typeJSON, noStore, noSniff = []string{"application/json"}, []string{"no-store"}, []string{"nosniff"}

func writeJSON(w http.ResponseWriter, status int, body any) {
	buffer, _ := buffers.Get().(*bytes.Buffer)
	buffer.Reset()
	defer func() {
		if buffer.Cap() <= maxKept {
			buffers.Put(buffer)
		}
	}()
	encoder := json.NewEncoder(buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(body); err != nil {
		panic(err) // every body is a type of ours; Recover answers
	}
	header := w.Header()
	header["Content-Type"], header["Cache-Control"], header["X-Content-Type-Options"] = typeJSON, noStore, noSniff
	header.Set("Content-Length", strconv.Itoa(buffer.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(buffer.Bytes()) // the client is gone; nobody is left to be told
}
