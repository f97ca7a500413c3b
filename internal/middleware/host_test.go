package middleware

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// A site that points its name at this server gets no answer under it (DNS rebinding).
func TestHosts(t *testing.T) {
	answer := func(status int) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
	}
	handler := Hosts([]string{"florin.example", "Bank.Example:8443", "[2001:db8::1]:443", ""}, answer(http.StatusMisdirectedRequest))(answer(http.StatusOK))
	for _, test := range []struct {
		host, path string
		through    bool
	}{
		{"florin.example", "/", true},
		{"FLORIN.example:443", "/", true},
		{"florin.example.", "/", true},
		{"florin.example:9000", "/", true}, // the port in front of a proxy or of a container
		{"bank.example", "/", true},
		{"[2001:db8::1]", "/", true},
		{"localhost", "/", true},
		{"localhost:8080", "/", true},
		{"florin.localhost:8080", "/", true},
		{"127.0.0.1:8080", "/", true},
		{"127.1.2.3", "/", true},
		{"[::1]:8080", "/", true},
		{"[::ffff:127.0.0.1]:8080", "/", true},
		{"evil.example", "/", false},
		{"evil.example:8080", "/", false},
		{"florin.example.evil.example", "/", false},
		{"evilflorin.example", "/", false},
		{"localhost.evil.example", "/", false},
		{"evillocalhost", "/", false},
		{"127.0.0.1.evil.example", "/", false},
		{"0.0.0.0:8080", "/", false},
		{"192.0.2.1", "/", false},
		{"florin.example@evil.example", "/", false},
		{"localhost:8080.evil.example", "/", false},
		{"localhost:8080.evil.example:8080", "/", false},
		{"localhost:evil.example", "/", false},
		{"127.0.0.1:8080.evil.example", "/", false},
		{"[::1]:8080.evil.example", "/", false},
		{"[::1].evil.example", "/", false},
		{"florin.example:443.evil.example", "/", false},
		{"florin.example:-1", "/", false},
		{"evil.example/.localhost", "/", false},
		{"evil.example#.localhost", "/", false},
		{"evil.example@localhost", "/", false},
		{"localhost:", "/", true}, // an empty port is one (RFC 3986, 3.2.3)
		{"", "/", false},
		{"[", "/", false},
		{"10.0.0.7:8080", "/healthz", true},
		{"florin:8080", "/readyz", true},
		{"evil.example", "/healthz/", false},
		{"evil.example", "//healthz", false},
	} {
		r := httptest.NewRequest(http.MethodGet, test.path, http.NoBody)
		r.Host = test.host
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if through := w.Code == http.StatusOK; through != test.through {
			t.Errorf("Host %q at %s: through is %t", test.host, test.path, through)
		}
	}
}

// The refusal is in the log; the name that was sent is not, since anybody can write anything there.
func TestForeignHostIsLogged(t *testing.T) {
	var log logBuffer
	refuse := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusMisdirectedRequest) })
	handler := Chain(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the request went through") }),
		AccessLog(log.logger()), Hosts([]string{"florin.example"}, refuse))
	r := httptest.NewRequest(http.MethodPost, "/sign-in", http.NoBody)
	r.Host = "evil.example"
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	if body, err := io.ReadAll(w.Body); w.Code != http.StatusMisdirectedRequest || len(body) != 0 || err != nil {
		t.Errorf("%d %q %v", w.Code, body, err)
	}
	records := log.records(t, "request")
	if len(records) != 1 || records[0]["refused"] != "foreign Host header" || records[0]["status"] != float64(http.StatusMisdirectedRequest) {
		t.Errorf("%v", records)
	}
}
