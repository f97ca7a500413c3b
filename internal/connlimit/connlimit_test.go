package connlimit

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// server serves "ok" within limits. GET /wait answers once release is closed, GET /endless never comes to an end, POST / answers what it reads, POST /short and
// POST /long answer without reading.
type server struct {
	t       *testing.T
	address string
	limited *Listener
	release chan struct{}
	waiting chan struct{}
}

func serve(t *testing.T, limits Limits, wrap ...func(net.Listener) net.Listener) *server {
	t.Helper()
	return servePatiently(t, time.Minute, limits, wrap...)
}

// servePatiently is serve with a time that clients may take for a part of an answer.
func servePatiently(t *testing.T, patience time.Duration, limits Limits, wrap ...func(net.Listener) net.Listener) *server {
	t.Helper()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, address: inner.Addr().String(), release: make(chan struct{}), waiting: make(chan struct{}, 1000)}
	for _, w := range wrap {
		inner = w(inner)
	}
	s.limited = New(inner, limits)
	s.limited.patience = patience
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") })
	mux.HandleFunc("GET /wait", func(w http.ResponseWriter, _ *http.Request) {
		s.waiting <- struct{}{}
		<-s.release
		_, _ = io.WriteString(w, "ok")
	})
	mux.HandleFunc("GET /endless", func(w http.ResponseWriter, _ *http.Request) {
		s.waiting <- struct{}{}
		for {
			if _, err := w.Write(make([]byte, 64<<10)); err != nil {
				return
			}
		}
	})
	mux.HandleFunc("POST /short", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") })
	mux.HandleFunc("POST /long", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 64<<10)) })
	mux.HandleFunc("POST /{$}", func(w http.ResponseWriter, r *http.Request) {
		s.waiting <- struct{}{}
		_, _ = io.Copy(w, r.Body)
	})
	h := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	s.limited.Attach(h)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = h.Serve(s.limited)
	}()
	t.Cleanup(func() {
		_ = h.Close()
		<-done
	})
	return s
}

// send opens a connection and sends a text.
func (s *server) send(text string) net.Conn {
	s.t.Helper()
	c, err := net.Dial("tcp", s.address)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { c.Close() })
	if _, err := io.WriteString(c, text); err != nil {
		s.t.Fatal(err)
	}
	return c
}

// answered reads an answer from a connection.
func (s *server) answered(c net.Conn) {
	s.t.Helper()
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	text, err := io.ReadAll(answer.Body)
	if err != nil || string(text) != "ok" {
		s.t.Fatalf("%q %v", text, err)
	}
}

const (
	get  = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
	half = " HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nhalf"
)

// Whatever strangers leave open, with nothing, half a request, a finished one or half a body, whoever comes is served.
func TestRoomForWhoeverComes(t *testing.T) {
	for name, left := range map[string]string{
		"nothing": "", "half a request": "GET / HTTP/1.1\r\nHost:", "a finished request": get, "half a body": "POST /" + half,
		"half a body that no handler reads": "POST /short" + half, "half a body before a long answer": "POST /long" + half,
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, Limits{Total: 4, PerAddress: 4})
			for range 20 {
				s.send(left)
			}
			s.answered(s.send(get))
			if got := s.count(); got > 4 {
				t.Errorf("%d connections", got)
			}
		})
	}
}

// Answers that nobody takes keep nobody from being served.
func TestWhoeverDoesNotReadMakesRoom(t *testing.T) {
	s := servePatiently(t, 20*time.Millisecond, Limits{Total: 4, PerAddress: 4})
	for range 8 {
		s.send(strings.Replace(get, "/", "/endless", 1))
		<-s.waiting
	}
	s.answered(s.send(get))
}

func (s *server) count() int {
	s.limited.mu.Lock()
	defer s.limited.mu.Unlock()
	return len(s.limited.conns)
}

// Whoever is being served is not sent away, until the end of the answer has been written; whoever comes waits until somebody is done.
func TestServedAreNotSentAway(t *testing.T) {
	s := serve(t, Limits{Total: 3, PerAddress: 3})
	var served []net.Conn
	for range 3 {
		served = append(served, s.send(strings.Replace(get, "/", "/wait", 1)))
		<-s.waiting
	}
	late := s.send(get)
	close(s.release)
	for _, c := range append(served, late) {
		s.answered(c)
	}
}

// elsewhere gives connections addresses, one after the other.
type elsewhere struct {
	net.Listener
	addresses chan string
}

func (e elsewhere) Accept() (net.Conn, error) {
	c, err := e.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return from{c, net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(<-e.addresses), 1000))}, nil
}

type from struct {
	net.Conn
	address net.Addr
}

func (f from) RemoteAddr() net.Addr { return f.address }

func TestLimitOfAnAddress(t *testing.T) {
	addresses := make(chan string, 100)
	s := serve(t, Limits{Total: 20, PerAddress: 2, Proxies: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}},
		func(inner net.Listener) net.Listener { return elsewhere{inner, addresses} })
	wait := strings.Replace(get, "/", "/wait", 1)
	connect := func(address, text string) net.Conn {
		addresses <- address
		return s.send(text)
	}
	var served []net.Conn
	for _, address := range []string{"203.0.113.1", "203.0.113.1", "2001:db8::1", "2001:db8::2", "::ffff:203.0.113.2", "192.0.2.1", "192.0.2.1", "192.0.2.1",
		"127.0.0.1", "127.0.0.1", "127.0.0.1"} {
		served = append(served, connect(address, wait))
		<-s.waiting
	}
	for _, address := range []string{"203.0.113.1", "2001:db8::3"} { // all that they may have are being served
		if n, err := connect(address, get).Read(make([]byte, 1)); err == nil {
			t.Errorf("%s was answered %d bytes on a third connection", address, n)
		}
	}
	s.answered(connect("203.0.113.2", get))
	s.answered(connect("2001:db8:0:1::1", get))
	close(s.release)
	for _, c := range served {
		s.answered(c)
	}
	s.answered(connect("203.0.113.1", get)) // in place of one that has nothing to do any more
}

// An address with many connections makes room first.
func TestTheCrowdMakesRoom(t *testing.T) {
	addresses := make(chan string, 100)
	s := serve(t, Limits{Total: 5, PerAddress: 5}, func(inner net.Listener) net.Listener { return elsewhere{inner, addresses} })
	addresses <- "203.0.113.1"
	first := s.send(get)
	s.answered(first)
	for range 10 {
		addresses <- "203.0.113.2"
		s.answered(s.send(get))
	}
	if _, err := io.WriteString(first, get); err != nil {
		t.Fatal(err)
	}
	s.answered(first)
}

// A listener that is closed while somebody waits for room stops.
func TestCloseWhileFull(t *testing.T) {
	s := serve(t, Limits{Total: 1, PerAddress: 1})
	s.send(strings.Replace(get, "/", "/wait", 1))
	<-s.waiting
	s.send(get)
	if err := s.limited.Close(); err != nil {
		t.Fatal(err)
	}
	close(s.release)
}

// A server that serves another listener beside a limited one works too.
func TestAnotherListener(t *testing.T) {
	called := false
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called = true })}
	New(nil, Limits{}).Attach(server)
	plain, other := net.Pipe()
	defer plain.Close()
	defer other.Close()
	server.ConnState(plain, http.StateIdle)
	server.Handler.ServeHTTP(nil, (&http.Request{}).WithContext(server.ConnContext(t.Context(), plain)))
	if !called {
		t.Error("the handler was not called")
	}
}
