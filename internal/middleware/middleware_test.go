package middleware

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"florin/internal/testkit"
)

// logBuffer keeps the records of a JSON logger.
type logBuffer struct{ testkit.Log }

func (b *logBuffer) logger() *slog.Logger {
	return slog.New(slog.NewJSONHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// records returns the records with this message.
func (b *logBuffer) records(t *testing.T, message string) []map[string]any {
	t.Helper()
	var records []map[string]any
	for line := range strings.Lines(b.String()) {
		var record map[string]any
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatalf("log line %q: %v", line, err)
		}
		if record["msg"] == message {
			records = append(records, record)
		}
	}
	return records
}

// serve runs a server with our own settings until the test ends. Shut down
// waits for its handlers, so that what they log is there.
func serve(t *testing.T, handler http.Handler, log *slog.Logger, change func(*http.Server)) (address string, stop func()) {
	t.Helper()
	server := Server(handler, log)
	if change != nil {
		change(server)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	stop = sync.OnceFunc(func() {
		if err := server.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return "http://" + listener.Addr().String(), stop
}

func get(t *testing.T, url string, headers ...string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Add(headers[i], headers[i+1])
	}
	response, err := (&http.Transport{DisableCompression: true, DisableKeepAlives: true}).RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}

var sorry = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(w, "Sorry. Tell us %s.", RequestIDFrom(r.Context()))
})

// all puts every layer round the mux, in the order of the package comment.
func all(mux http.Handler, log *slog.Logger) http.Handler {
	return Chain(mux,
		RequestID, ClientAddress(nil), AccessLog(log), SecurityHeaders(Policy{}), MaxBody(1<<10), Compress, Recover(log, sorry), Route)
}

// api-notes 1: x-request-id is on every answer.
func TestRequestIDIsOurOwnAndOnEveryAnswer(t *testing.T) {
	var seen []string
	mux := http.NewServeMux()
	mux.HandleFunc("/ok", func(w http.ResponseWriter, r *http.Request) { seen = append(seen, RequestIDFrom(r.Context())) })
	mux.HandleFunc("/panic", func(w http.ResponseWriter, r *http.Request) { panic("x") })
	address, stop := serve(t, all(mux, slog.New(slog.DiscardHandler)), slog.New(slog.DiscardHandler), nil)

	ids := map[string]bool{}
	for _, path := range []string{"/ok", "/ok", "/missing", "/panic"} {
		response, _ := get(t, address+path, "X-Request-Id", "of-the-client")
		id := response.Header.Get("X-Request-Id")
		if !regexp.MustCompile(`^[0-9a-f]{32}$`).MatchString(id) || ids[id] {
			t.Errorf("%s: id %q; want one of its own, of 32 hexadecimal digits", path, id)
		}
		ids[id] = true
	}
	stop()
	if len(seen) != 2 || !ids[seen[0]] || !ids[seen[1]] {
		t.Errorf("the handler saw %q, the client %v", seen, ids)
	}
	if RequestIDFrom(t.Context()) != "" {
		t.Error("a context without request has an id")
	}
}

func TestAccessLogNamesTheRouteAndNeverTheAddress(t *testing.T) {
	var log logBuffer
	mux := http.NewServeMux()
	mux.HandleFunc("GET /accounts/{id}", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello") })
	mux.HandleFunc("GET /moved", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/secret-target", http.StatusSeeOther)
	})
	mux.HandleFunc("GET /nothing", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /panic", func(http.ResponseWriter, *http.Request) { panic("secret-panic") })
	mux.HandleFunc("GET /hints", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusEarlyHints)
		w.WriteHeader(http.StatusAccepted)
	})
	inner := http.NewServeMux()
	inner.HandleFunc("GET /in/{name}", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusTeapot) })
	// A layer between that copies the request must not hide the pattern.
	mux.Handle("/in/", MaxBody(5)(Route(inner)))
	address, stop := serve(t, all(mux, log.logger()), log.logger(), nil)

	type line struct {
		method, route string
		status, bytes float64
		level         string
	}
	want := []line{
		{"GET", "GET /accounts/{id}", 200, 5, "INFO"},
		{"GET", "GET /moved", 303, 41, "INFO"},
		{"GET", "GET /nothing", 200, 0, "INFO"},
		{"GET", "GET /panic", 500, 48, "ERROR"},
		{"GET", "GET /hints", 202, 0, "INFO"},
		{"GET", "GET /in/{name}", 418, 0, "INFO"},
		{"GET", "", 404, 19, "INFO"},
	}
	var ids []string
	for _, path := range []string{"/accounts/secret-id", "/moved", "/nothing", "/panic", "/hints", "/in/secret", "/secret-missing"} {
		response, _ := get(t, address+path+"?code=secret-code")
		ids = append(ids, response.Header.Get("X-Request-Id"))
	}
	stop()
	records := log.records(t, "request")
	if len(records) != len(want) {
		t.Fatalf("%d records, want %d:\n%s", len(records), len(want), log.String())
	}
	for i, record := range records {
		got := line{record["method"].(string), record["route"].(string), record["status"].(float64), record["bytes"].(float64), record["level"].(string)}
		if got != want[i] {
			t.Errorf("record %+v, want %+v", got, want[i])
		}
		if record["request_id"] != ids[i] {
			t.Errorf("request_id %v, want %v", record["request_id"], ids[i])
		}
		if record["duration"].(float64) <= 0 {
			t.Errorf("duration %v", record["duration"])
		}
		text, err := json.Marshal(record)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "secret") {
			t.Errorf("the record holds the address: %s", text)
		}
	}
}

// A client that went away before its answer is no failure, and its request did not succeed either.
func TestAccessLogTellsClientsThatWentAway(t *testing.T) {
	for name, test := range map[string]struct {
		gone   bool
		handle http.HandlerFunc
		status int
	}{
		"gone":                  {true, func(http.ResponseWriter, *http.Request) {}, ClientGone},
		"gone after the answer": {true, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }, http.StatusNoContent},
		"there":                 {false, func(http.ResponseWriter, *http.Request) {}, http.StatusOK},
	} {
		var log logBuffer
		ctx, cancel := context.WithCancel(t.Context())
		if test.gone {
			cancel()
		}
		AccessLog(log.logger())(test.handle).ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil))
		cancel()
		records := log.records(t, "request")
		if len(records) != 1 || records[0]["status"] != float64(test.status) || records[0]["level"] != "INFO" {
			t.Errorf("%s: log %s", name, log.String())
		}
	}
}

func TestAccessLogDoesNotRepeatAnInventedMethod(t *testing.T) {
	var log logBuffer
	handler := AccessLog(log.logger())(http.NotFoundHandler())
	handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("SECRET", "/", nil))
	if records := log.records(t, "request"); len(records) != 1 || records[0]["method"] != "OTHER" {
		t.Errorf("log %s", log.String())
	}
}

func TestRecoverAnswersWithThePageAndLogsTheDetail(t *testing.T) {
	var log logBuffer
	mux := http.NewServeMux()
	mux.HandleFunc("/early", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Disposition", "attachment")
		w.Header().Set("Set-Cookie", "a=b")
		_ = strings.Split(r.URL.Path, "/")[7]
	})
	address, stop := serve(t, all(mux, log.logger()), log.logger(), nil)
	response, body := get(t, address+"/early")
	stop()

	id := response.Header.Get("X-Request-Id")
	if response.StatusCode != 500 || body != "Sorry. Tell us "+id+"." {
		t.Errorf("answer %d %q", response.StatusCode, body)
	}
	if got := response.Header.Get("Content-Type"); got != "text/html" {
		t.Errorf("Content-Type %q", got)
	}
	for _, name := range []string{"Content-Disposition", "Set-Cookie"} {
		if got := response.Header.Get(name); got != "" {
			t.Errorf("%s of the failed handler is left: %q", name, got)
		}
	}
	if response.Header.Get("Content-Security-Policy") == "" {
		t.Error("the headers of the outer layers are lost")
	}
	records := log.records(t, "panic")
	if len(records) != 1 {
		t.Fatalf("%d records:\n%s", len(records), log.String())
	}
	if got := records[0]["panic"]; got != "runtime error: index out of range [7] with length 2" {
		t.Errorf("panic %q", got)
	}
	if stack, _ := records[0]["stack"].(string); !strings.Contains(stack, "TestRecoverAnswersWithThePage") {
		t.Errorf("the stack does not lead to the handler:\n%s", stack)
	}
	if records[0]["request_id"] != id || records[0]["level"] != "ERROR" {
		t.Errorf("record %v", records[0])
	}
}

func TestRecoverSetsStatus500Whatever(t *testing.T) {
	for name, page := range map[string]http.HandlerFunc{
		"other status": func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusOK); io.WriteString(w, "page") },
		"no status":    func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "page") },
	} {
		recorder := httptest.NewRecorder()
		failing := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(errors.New("x")) })
		Recover(slog.New(slog.DiscardHandler), page)(failing).ServeHTTP(recorder, httptest.NewRequest("GET", "/", nil))
		if recorder.Code != 500 || recorder.Body.String() != "page" {
			t.Errorf("%s: %d %q", name, recorder.Code, recorder.Body)
		}
	}
}

func TestRecoverCutsAnAnswerThatHadBegun(t *testing.T) {
	for _, accept := range []string{"gzip", "identity"} {
		var log logBuffer
		mux := http.NewServeMux()
		mux.HandleFunc("/late", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, strings.Repeat("half a page ", 1000))
			panic("late")
		})
		address, stop := serve(t, all(mux, log.logger()), log.logger(), nil)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/late", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Accept-Encoding", accept)
		response, err := (&http.Transport{DisableCompression: true}).RoundTrip(request)
		if err == nil {
			_, err = io.ReadAll(response.Body)
			response.Body.Close()
		}
		if err == nil {
			t.Errorf("%s: half a page arrived as a whole one", accept)
		}
		stop()
		if n := len(log.records(t, "panic")); n != 1 {
			t.Errorf("%s: %d panics in the log", accept, n)
		}
		if records := log.records(t, "request"); len(records) != 1 || records[0]["aborted"] != true || records[0]["level"] != "ERROR" {
			t.Errorf("%s: access log %v", accept, records)
		}
	}
}

func TestAbortedHandlersAreNotPanics(t *testing.T) {
	var log logBuffer
	handler := Recover(log.logger(), sorry)(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer func() {
		if err, _ := recover().(error); !errors.Is(err, http.ErrAbortHandler) {
			t.Errorf("panic %v, want http.ErrAbortHandler", err)
		}
		if log.String() != "" {
			t.Errorf("log %s", log.String())
		}
	}()
	handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
}

// security T19, T20.
func TestSecurityHeaders(t *testing.T) {
	for _, test := range []struct {
		name    string
		policy  Policy
		csp     string
		hsts    string
		handler http.HandlerFunc
		cache   string
	}{
		{"http", Policy{}, ContentSecurityPolicy, "", func(http.ResponseWriter, *http.Request) {}, "no-store"},
		{"https", Policy{HTTPS: true}, ContentSecurityPolicy, "max-age=63072000; includeSubDomains", func(http.ResponseWriter, *http.Request) {}, "no-store"},
		{"own policy", Policy{ContentSecurityPolicy: "default-src 'none'"}, "default-src 'none'", "", func(http.ResponseWriter, *http.Request) {}, "no-store"},
		{"asset", Policy{}, ContentSecurityPolicy, "", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		}, "public, max-age=31536000, immutable"},
	} {
		t.Run(test.name, func(t *testing.T) {
			recorder := httptest.NewRecorder()
			SecurityHeaders(test.policy)(test.handler).ServeHTTP(recorder, httptest.NewRequest("GET", "/", nil))
			for name, want := range map[string]string{
				"Content-Security-Policy":      test.csp,
				"Strict-Transport-Security":    test.hsts,
				"Cross-Origin-Opener-Policy":   "same-origin",
				"Cross-Origin-Resource-Policy": "same-origin",
				"X-Content-Type-Options":       "nosniff",
				"Referrer-Policy":              "same-origin",
				"Cache-Control":                test.cache,
			} {
				if got := recorder.Header().Get(name); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
		})
	}
}

func TestPolicyHasEveryDirectiveOfTheBar(t *testing.T) {
	got := map[string]bool{}
	for directive := range strings.SplitSeq(ContentSecurityPolicy, "; ") {
		got[directive] = true
	}
	want := []string{
		"default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
		"form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'", "object-src 'none'",
	}
	for _, directive := range want {
		if !got[directive] {
			t.Errorf("%s is missing", directive)
		}
	}
	if len(got) != len(want) || strings.Contains(ContentSecurityPolicy, "unsafe") {
		t.Errorf("policy %s", ContentSecurityPolicy)
	}
}

// security T35.
func TestMaxBody(t *testing.T) {
	handler := MaxBody(10)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(r.Body)
		if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			fmt.Fprint(w, tooLarge.Limit)
		}
	}))
	for _, test := range []struct {
		body   io.Reader
		status int
	}{
		{strings.NewReader("0123456789"), 200},
		{strings.NewReader("01234567890"), 413},
		{io.MultiReader(strings.NewReader("01234"), strings.NewReader("567890")), 413}, // of unknown length
	} {
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, httptest.NewRequest("POST", "/", test.body))
		if recorder.Code != test.status {
			t.Errorf("status %d, want %d", recorder.Code, test.status)
		}
	}
}

// security T37.
func TestClientAddress(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for _, test := range []struct {
		name      string
		trusted   []netip.Prefix
		peer      string
		forwarded []string
		want      string
	}{
		{"no proxy, no header", nil, "192.0.2.1:1234", nil, "192.0.2.1"},
		{"no proxy, header ignored", nil, "192.0.2.1:1234", []string{"198.51.100.9"}, "192.0.2.1"},
		{"peer is not a proxy, header ignored", proxies, "192.0.2.1:1234", []string{"198.51.100.9"}, "192.0.2.1"},
		{"one proxy", proxies, "10.0.0.1:1", []string{"198.51.100.9"}, "198.51.100.9"},
		{"two proxies", proxies, "10.0.0.1:1", []string{"198.51.100.9, 10.0.0.2"}, "198.51.100.9"},
		{"invented hops on the left", proxies, "10.0.0.1:1", []string{"127.0.0.1, 10.9.9.9, 198.51.100.9"}, "198.51.100.9"},
		{"two lines are one list", proxies, "10.0.0.1:1", []string{"203.0.113.7", "198.51.100.9,10.0.0.2"}, "198.51.100.9"},
		{"all trusted: the leftmost", proxies, "10.0.0.1:1", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3"},
		{"proxy without header", proxies, "10.0.0.1:1", nil, "10.0.0.1"},
		{"nonsense stops the walk", proxies, "10.0.0.1:1", []string{"198.51.100.9, unknown"}, "10.0.0.1"},
		{"empty hop stops the walk", proxies, "10.0.0.1:1", []string{"198.51.100.9,"}, "10.0.0.1"},
		{"hop with port", proxies, "10.0.0.1:1", []string{"198.51.100.9:8080"}, "198.51.100.9"},
		{"IPv6", proxies, "[fd00::1]:1", []string{"2001:db8::5"}, "2001:db8::5"},
		{"IPv6 in brackets", proxies, "[fd00::1]:1", []string{"[2001:db8::5]"}, "2001:db8::5"},
		{"IPv6 in brackets with port", proxies, "[fd00::1]:1", []string{"[2001:db8::5]:99"}, "2001:db8::5"},
		{"IPv4 as IPv6 is the same proxy", proxies, "[::ffff:10.0.0.1]:1", []string{"::ffff:198.51.100.9"}, "198.51.100.9"},
		{"zone", proxies, "[fe80::1%eth0]:1", nil, "fe80::1"},
		{"no peer", proxies, "@", []string{"198.51.100.9"}, "invalid IP"},
	} {
		t.Run(test.name, func(t *testing.T) {
			request := httptest.NewRequest("GET", "/", nil)
			request.RemoteAddr = test.peer
			request.Header["X-Forwarded-For"] = test.forwarded
			request.Header.Set("X-Real-Ip", "203.0.113.99")
			request.Header.Set("Forwarded", "for=203.0.113.99")
			var got netip.Addr
			ClientAddress(test.trusted)(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				got = ClientAddressFrom(r.Context())
			})).ServeHTTP(httptest.NewRecorder(), request)
			if got.String() != test.want {
				t.Errorf("client %s, want %s", got, test.want)
			}
		})
	}
	if ClientAddressFrom(t.Context()).IsValid() {
		t.Error("a context without request has an address")
	}
}

func TestCompress(t *testing.T) {
	long := strings.Repeat("All your accounts. ", 200)
	for _, test := range []struct {
		name, contentType, body, acceptEncoding, accept string
		encoded                                         bool
	}{
		{"page", "text/html; charset=utf-8", long, "gzip, deflate, br, zstd", "text/html", true},
		{"answer of the API", "application/json", long, "gzip", "application/json", true},
		{"not accepted", "text/html", long, "identity", "text/html", false},
		{"refused", "text/html", long, "gzip;q=0", "text/html", false},
		{"short", "text/html", "short", "gzip", "text/html", false},
		{"asset, compressed before", "text/css", long, "gzip", "text/css", false},
		{"image", "image/png", long, "gzip", "*/*", false},
		{"stream", "text/event-stream", long, "gzip", "text/event-stream", false},
		{"stream that was not asked for", "text/event-stream", long, "gzip", "*/*", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			handler := Compress(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", test.contentType)
				w.WriteHeader(http.StatusCreated)
				io.WriteString(w, test.body)
			}))
			address, _ := serve(t, handler, slog.New(slog.DiscardHandler), nil)
			response, body := get(t, address, "Accept-Encoding", test.acceptEncoding, "Accept", test.accept)
			if encoded := response.Header.Get("Content-Encoding") == "gzip"; encoded != test.encoded {
				t.Errorf("Content-Encoding %q, want gzip: %v", response.Header.Get("Content-Encoding"), test.encoded)
			}
			if test.encoded {
				if len(body) >= len(test.body) {
					t.Errorf("%d bytes became %d", len(test.body), len(body))
				}
				unpacked, err := gzip.NewReader(strings.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				text, err := io.ReadAll(unpacked)
				if err != nil {
					t.Fatal(err)
				}
				body = string(text)
			}
			if body != test.body || response.StatusCode != http.StatusCreated {
				t.Errorf("status %d, %d bytes", response.StatusCode, len(body))
			}
		})
	}
}

// A stream of events passes all layers, message by message, and lives longer
// than the time-outs of the server.
func TestAStreamOutlivesTheTimeOutsThroughAllLayers(t *testing.T) {
	for _, accept := range []string{"text/event-stream", "*/*"} {
		t.Run(accept, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { streamThroughAllLayers(t, accept) }) })
	}
}

// streamThroughAllLayers runs where the clock stands still while anybody has something to do, on a line that keeps deadlines by that clock.
func streamThroughAllLayers(t *testing.T, accept string) {
	next := make(chan string)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		if err := control.SetWriteDeadline(time.Time{}); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, ": hello\n\n")
		for {
			if err := control.Flush(); err != nil {
				t.Error(err)
			}
			select {
			case text, ok := <-next:
				if !ok {
					return
				}
				fmt.Fprintf(w, "data: %s\n\n", text)
			case <-r.Context().Done():
				t.Error("the server took the client for gone")
				return
			}
		}
	})
	var log logBuffer
	server := Server(all(mux, log.logger()), log.logger())
	line := make(lines, 1)
	done := make(chan error, 1)
	go func() { done <- server.Serve(line) }()

	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://line.test/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept-Encoding", "gzip")
	request.Header.Set("Accept", accept)
	response, err := (&http.Transport{DisableCompression: true, DisableKeepAlives: true, DialContext: line.dial}).RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	text := bufio.NewScanner(response.Body)
	read := func() string { // one line and the empty one after it
		text.Scan()
		first := text.Text()
		text.Scan()
		return first
	}
	if got := read(); got != ": hello" {
		t.Errorf("first line %q", got)
	}
	for _, text := range []string{"one", "two"} {
		time.Sleep(server.ReadHeaderTimeout + server.ReadTimeout + server.WriteTimeout + server.IdleTimeout)
		next <- text
		if got := read(); got != "data: "+text {
			t.Errorf("line %q, want %q", got, text)
		}
	}
	close(next)
	if text.Scan() || text.Err() != nil {
		t.Errorf("after the end: line %q, %v", text.Text(), text.Err())
	}
	response.Body.Close()
	if err := server.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-done; !errors.Is(err, http.ErrServerClosed) {
		t.Error(err)
	}
	if records := log.records(t, "request"); len(records) != 1 || records[0]["route"] != "GET /events" || records[0]["bytes"].(float64) != 31 {
		t.Errorf("access log %v", records)
	}
}

// lines is a listener within the process: whoever dials it is its client.
type lines chan net.Conn

func (l lines) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	l <- server
	return client, nil
}

func (l lines) Accept() (net.Conn, error) {
	conn, ok := <-l
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (l lines) Close() error   { close(l); return nil }
func (l lines) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// security T35.
func TestServerHasEveryLimit(t *testing.T) {
	server := Server(http.NotFoundHandler(), slog.New(slog.DiscardHandler))
	got := []time.Duration{server.ReadHeaderTimeout, server.ReadTimeout, server.WriteTimeout, server.IdleTimeout}
	want := []time.Duration{5 * time.Second, 15 * time.Second, 30 * time.Second, 2 * time.Minute}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("time-outs %v, want %v", got, want)
			break
		}
	}
	if server.MaxHeaderBytes != 16<<10 || server.ErrorLog == nil || server.Handler == nil {
		t.Errorf("MaxHeaderBytes %d, ErrorLog %v", server.MaxHeaderBytes, server.ErrorLog)
	}
}

func TestServerRefusesHugeHeaders(t *testing.T) {
	address, _ := serve(t, http.NotFoundHandler(), slog.New(slog.DiscardHandler), nil)
	if response, _ := get(t, address, "X-Huge", strings.Repeat("x", 32<<10)); response.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("status %d, want 431", response.StatusCode)
	}
}

func TestChainPutsTheFirstLayerOutermost(t *testing.T) {
	var order []string
	layer := func(name string) func(http.Handler) http.Handler {
		return func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				order = append(order, name)
				next.ServeHTTP(w, r)
			})
		}
	}
	Chain(http.NotFoundHandler(), layer("first"), layer("second")).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	if strings.Join(order, " ") != "first second" {
		t.Errorf("order %v", order)
	}
}

// However much the inner layers tell, the record holds all of it, behind its own fields.
func TestAccessLogHoldsWhateverItIsTold(t *testing.T) {
	var log logBuffer
	handler := Chain(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		for i := range 20 {
			Annotate(r.Context(), slog.Int(fmt.Sprint("told", i), i))
		}
	}), RequestID, AccessLog(log.logger()))
	handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", http.NoBody))
	records := log.records(t, "request")
	if len(records) != 1 || records[0]["method"] != http.MethodGet || records[0]["request_id"] == "" {
		t.Fatalf("%v", records)
	}
	for i := range 20 {
		if got := records[0][fmt.Sprint("told", i)]; got != float64(i) {
			t.Errorf("told%d is %v", i, got)
		}
	}
}
