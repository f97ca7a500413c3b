package static_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"

	"florin/web/static"
)

func serve(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle(static.Prefix, static.Handler())
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

func get(t *testing.T, method, url, acceptEncoding string) (*http.Response, []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept-Encoding", acceptEncoding)
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, body
}

func TestURLContainsContentHash(t *testing.T) {
	pattern := regexp.MustCompile(`^/static/app\.[0-9a-f]{12}\.css$`)
	if got := static.URL("app.css"); !pattern.MatchString(got) {
		t.Errorf("URL(app.css) = %q, want %s", got, pattern)
	}
	defer func() {
		if recover() == nil {
			t.Error("URL of a file that is not embedded did not panic")
		}
	}()
	static.URL("missing.css")
}

func TestHandler(t *testing.T) {
	server := serve(t)
	css, js, icon := static.URL("app.css"), static.URL("app.js"), static.URL("favicon.svg")
	const forever = "public, max-age=31536000, immutable"
	const plain = "text/plain; charset=utf-8"
	tests := []struct {
		name           string
		method         string
		path           string
		acceptEncoding string
		status         int
		contentType    string
		encoding       string
		cacheControl   string
		allow          string
	}{
		{"style sheet, gzip", "GET", css, "br, gzip", 200, "text/css; charset=utf-8", "gzip", forever, ""},
		{"script, gzip by weight", "GET", js, "GZIP; q=0.5", 200, "text/javascript; charset=utf-8", "gzip", forever, ""},
		{"icon, not compressed", "GET", icon, "identity", 200, "image/svg+xml", "", forever, ""},
		{"gzip refused", "GET", css, "gzip;q=0, br", 200, "text/css; charset=utf-8", "", forever, ""},
		{"gzip with broken weight", "GET", css, "gzip;q=x", 200, "text/css; charset=utf-8", "", forever, ""},
		{"head", "HEAD", css, "gzip", 200, "text/css; charset=utf-8", "gzip", forever, ""},
		{"without hash", "GET", "/static/app.css", "gzip", 404, plain, "", "", ""},
		{"wrong hash", "GET", "/static/app.000000000000.css", "gzip", 404, plain, "", "", ""},
		{"directory", "GET", "/static/", "gzip", 404, plain, "", "", ""},
		{"write", "POST", css, "gzip", 405, plain, "", "", "GET, HEAD"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			response, _ := get(t, test.method, server.URL+test.path, test.acceptEncoding)
			if response.StatusCode != test.status {
				t.Errorf("status = %d, want %d", response.StatusCode, test.status)
			}
			for header, want := range map[string]string{
				"Content-Type":           test.contentType,
				"Content-Encoding":       test.encoding,
				"Cache-Control":          test.cacheControl,
				"Allow":                  test.allow,
				"X-Content-Type-Options": "nosniff",
			} {
				if got := response.Header.Get(header); got != want {
					t.Errorf("%s = %q, want %q", header, got, want)
				}
			}
		})
	}
}

func TestCompressedBodyEqualsPlainBody(t *testing.T) {
	server := serve(t)
	_, plain := get(t, "GET", server.URL+static.URL("app.css"), "identity")
	request, err := http.NewRequestWithContext(t.Context(), "GET", server.URL+static.URL("app.css"), nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept-Encoding", "gzip")
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	reader, err := gzip.NewReader(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	unpacked, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	if string(unpacked) != string(plain) || len(plain) == 0 {
		t.Errorf("the compressed style sheet unpacks to %d bytes, the plain one has %d", len(unpacked), len(plain))
	}
}

// The budget of performance line 14: style, script and icon leave room for a document of 6 KB within 25 KB.
func TestFirstVisitBudget(t *testing.T) {
	server := serve(t)
	total := 0
	for _, name := range []string{"app.css", "app.js", "favicon.svg"} {
		_, body := get(t, "GET", server.URL+static.URL(name), "gzip")
		t.Logf("%s: %d bytes compressed", name, len(body))
		total += len(body)
	}
	if limit := 19 * 1024; total > limit {
		t.Errorf("the assets of a first visit have %d bytes compressed, want at most %d", total, limit)
	}
}
