package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"sync"
	"time"

	"florin/internal/aggregator"
	"florin/internal/strictjson"
)

const (
	// maxBody is the largest body of a request in bytes. Payments and public routes have bounds of their own (bodyBound).
	maxBody = 1 << 20
	// publicBody is the largest body of a public route in bytes. Such a body holds an address or a token.
	publicBody = 8 << 10
	// maxTransaction is how many bytes each transaction adds to the bound of a payment. An ordinary one takes about 1200, more with indentation.
	maxTransaction = 4 << 10

	// ordinaryBody is the largest body that is read at once, in bytes: see bodies.
	ordinaryBody = 32 << 10
	// largeOfOne and largeOfAll are how many larger bodies there are at a time, of one caller and of all.
	largeOfOne, largeOfAll = 2, 6
	// longestWait is how long a call waits for one of these places. The rest of the time that the server gives a request is for its body.
	longestWait = 5 * time.Second
)

// bodyBound is the largest size of a body, and how many values it may hold: JSON can take forty times its size in memory.
type bodyBound struct {
	bytes int64
	holds strictjson.Bound
}

// bodyBound returns the bound of a route. That of a payment has room for as many transactions as a bank takes in one.
func (a *api) bodyBound(route Route) bodyBound {
	bound := bodyBound{maxBody, strictjson.Bound{Values: 10_000, Objects: 2_000}}
	switch {
	case route.Access == Public:
		bound.bytes = publicBody
	case route.Method == http.MethodPost && route.Path == "/payments":
		most := a.engine.MaxTransactions()
		bound.bytes += maxTransaction * int64(most)
		bound.holds.Values += 200 * most // a transaction with every field that there is has less than half of both
		bound.holds.Objects += 60 * most
	}
	return bound
}

// bodies reads the bodies of requests. Bodies up to ordinaryBody are read at once. Of a larger one only the beginning is read until there is a place for
// it, and the rest stays with the client. The request keeps the place until it is answered. Large bodies are decoded one at a time.
type bodies struct {
	wait time.Duration
	all  chan struct{} // holds a value for each large body
	work chan struct{} // holds a value while one is worked on

	mu sync.Mutex
	of map[string]chan struct{} // as all, by the application or developer that calls
}

func newBodies() *bodies {
	return &bodies{wait: longestWait, all: make(chan struct{}, largeOfAll), work: make(chan struct{}, 1), of: map[string]chan struct{}{}}
}

// read returns the body of a request. The caller calls done when neither the body nor anything decoded from it is needed any more. For an application any
// Content-Type counts as JSON, because curl, PHP and fetch send JSON under other types by default. A call without an application token can come from any
// page in a browser: there the type must be application/json, for which a browser asks permission first.
func (b *bodies) read(r *request) (body []byte, done func(), err error) {
	errType := aggregator.InvalidParameter("body", "must be JSON, with the Content-Type application/json")
	isJSON := true
	if kind := r.Header.Get("Content-Type"); kind != "" {
		media, _, err := mime.ParseMediaType(kind)
		isJSON = err == nil && media == "application/json"
	}
	if !isJSON && r.App.ID == "" {
		return nil, nil, errType
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return nil, nil, aggregator.InvalidParameter("body", "must not be compressed")
	}
	if body, done, err = b.receive(r); err != nil {
		return nil, nil, err
	}
	body = bytes.TrimPrefix(body, []byte("\ufeff")) // a byte order mark may be ignored (RFC 8259, 8.1)
	switch {
	case !r.body.holds.Holds(body):
		err = aggregator.InvalidParameter("body", "holds more values than any request does")
	case !isJSON && !json.Valid(body):
		err = errType
	}
	if err != nil {
		done()
		return nil, nil, err
	}
	return body, done, nil
}

// receive reads a body as it arrives; done gives back its place.
func (b *bodies) receive(r *request) (body []byte, done func(), err error) {
	first, err := io.ReadAll(io.LimitReader(r.Body, ordinaryBody+1))
	if err != nil {
		return nil, nil, bodyError(err)
	}
	if len(first) <= ordinaryBody {
		return first, func() {}, nil
	}
	release, err := b.place(r)
	if err != nil {
		return nil, nil, err
	}
	whole := bytes.NewBuffer(make([]byte, 0, min(max(r.ContentLength, 4*ordinaryBody), r.body.bytes)+bytes.MinRead))
	whole.Write(first)
	if _, err := whole.ReadFrom(r.Body); err != nil {
		release()
		return nil, nil, bodyError(err)
	}
	select {
	case b.work <- struct{}{}:
		return whole.Bytes(), func() { <-b.work; release() }, nil
	case <-r.Context().Done():
		release()
		return nil, nil, r.Context().Err()
	}
}

// place waits for a place for a large body. A caller waits for its own first, so that its bodies keep no place from others meanwhile.
func (b *bodies) place(r *request) (release func(), err error) {
	caller := cmp.Or(r.App.ID, r.DeveloperID)
	b.mu.Lock()
	own := b.of[caller]
	if own == nil {
		own = make(chan struct{}, largeOfOne)
		b.of[caller] = own
	}
	b.mu.Unlock()
	full := time.NewTimer(b.wait)
	defer full.Stop()
	for i, places := range []chan struct{}{own, b.all} {
		select {
		case places <- struct{}{}:
			continue
		case <-r.Context().Done():
			err = r.Context().Err()
		case <-full.C:
			err = tooMany(r, b.wait, "Too many requests with large bodies are under way; at most "+strconv.Itoa(largeOfOne)+" of a caller are read at a time")
		}
		if i > 0 {
			<-own
		}
		return nil, err
	}
	return func() { <-b.all; <-own }, nil
}

func bodyError(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return aggregator.InvalidParameter("body", "is larger than "+strconv.FormatInt(tooLarge.Limit, 10)+" bytes")
	}
	return aggregator.InvalidParameter("body", "was not received completely")
}

// decode reads the body of a request into target, as decodeBody does.
func (a *api) decode(r *request, target any) error {
	body, done, err := a.bodies.read(r)
	if err != nil {
		return err
	}
	defer done()
	return decodeBody(body, target)
}
