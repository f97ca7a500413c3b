package main

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"florin/internal/config"
	"florin/internal/finance"
	"florin/internal/publicnet"
)

// Security T9: a service gives the addresses of its banks' logos. Florin fetches them from the service itself or from https addresses of the internet, without
// following redirects, without sending a token, and only up to a small size. It requests logos of the embedded service only on its listener.
func TestLogosAreOfTheServiceOrOfTheInternet(t *testing.T) {
	t.Parallel()
	var small bytes.Buffer
	if err := png.Encode(&small, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int32
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		for _, private := range []string{"Authorization", "Cookie", "Psu-Ip-Address", "Referer"} {
			if r.Header.Get(private) != "" {
				t.Errorf("%s is sent along", private)
			}
		}
		switch r.URL.Path {
		case "/elsewhere":
			http.Redirect(w, r, "/logo", http.StatusFound)
		case "/large":
			_, _ = w.Write(make([]byte, 1<<20))
		default:
			_, _ = w.Write(small.Bytes())
		}
	}))
	t.Cleanup(service.Close)
	here := must(url.Parse(service.URL))
	hosted := &url.URL{Scheme: "https", Host: "login.florin.example"}
	c := newClients(config.Settings{Service: true, ServiceListen: here.Host, ServiceURL: &url.URL{Scheme: "https", Host: "api.florin.example"}, ServiceAuthURL: hosted})
	own, foreign := finance.Provider{ID: "own", BaseURL: "https://api.florin.example"}, finance.Provider{ID: "foreign", BaseURL: service.URL}
	internet := finance.Provider{ID: "internet", BaseURL: "https://api.bank-service.example"}
	for _, one := range []struct {
		name    string
		of      finance.Provider
		address string
		reached bool // it receives a request, with any result
		logo    bool
	}{
		{"of the own service", own, hosted.String() + "/logo", true, true},
		{"of the own service, elsewhere", own, service.URL + "/logo", false, false},
		{"of the own service, at its API", own, "https://api.florin.example/logo", false, false},
		{"of a service on this machine", foreign, service.URL + "/logo", true, true},
		{"that leads elsewhere", foreign, service.URL + "/elsewhere", true, false},
		{"that is large", foreign, service.URL + "/large", true, false},
		{"with a user", foreign, strings.Replace(service.URL, "://", "://user:word@", 1) + "/logo", false, false},
		{"of a service on this machine, at another port", foreign, "http://127.0.0.1:1/logo", false, false},
		{"on this machine", internet, service.URL + "/logo", false, false},
		{"on this machine, with https", internet, "https://" + here.Host + "/logo", false, false},
		{"on this machine, by its name", internet, "https://localhost:" + here.Port() + "/logo", false, false},
		{"on this machine, by another name", internet, "https://localhost.:" + here.Port() + "/logo", false, false},
		{"on this machine, by its other address", internet, "https://[::ffff:127.0.0.1]:" + here.Port() + "/logo", false, false},
		{"on any address", internet, "https://0.0.0.0:" + here.Port() + "/logo", false, false},
		{"in a private network", internet, "https://192.168.1.1/logo", false, false},
		{"at the metadata of a cloud", internet, "https://169.254.169.254/latest/meta-data/", false, false},
		{"without TLS", internet, "http://logos.bank-service.example/logo", false, false},
		{"of a user of the internet", internet, "https://user@logos.bank-service.example/logo", false, false},
		{"in a file", internet, "file:///etc/passwd", false, false},
		{"no address", internet, "\x00", false, false},
		{"nothing", internet, "", false, false},
	} {
		before := asked.Load()
		file, err := c.picture(t.Context(), one.of, one.address)
		if reached := asked.Load() > before; reached != one.reached || one.logo != (err == nil) || one.logo != bytes.Equal(file, small.Bytes()) {
			t.Errorf("%s: asked %v, %d bytes, %v", one.name, reached, len(file), err)
		}
	}
	for _, private := range []string{"https://192.168.1.1/logo", "https://[fd00::1]/logo", "https://10.0.0.1:" + here.Port() + "/logo"} {
		if _, err := c.picture(t.Context(), internet, private); !errors.Is(err, publicnet.ErrNotPublic) {
			t.Errorf("%s: %v", private, err)
		}
	}
}
