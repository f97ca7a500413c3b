package live_test

import (
	"bufio"
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"florin/internal/live"
)

// service is a real server with one stream of events for the user anna.
type service struct {
	hub    *live.Hub
	server *http.Server
	client *http.Client
	url    string
	ended  chan error // what ServeSSE returned
}

// serve starts a service on l with time-outs far shorter than a stream lives.
func serve(t *testing.T, l net.Listener, client *http.Client, render func(context.Context, live.Event) (string, []byte, error)) *service {
	t.Helper()
	s := &service{hub: live.NewHub(), client: client, url: "http://" + l.Addr().String(), ended: make(chan error, 10)}
	s.server = &http.Server{
		ReadTimeout:  time.Second,
		WriteTimeout: time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			sub := s.hub.Subscribe("anna")
			defer sub.Close()
			s.ended <- live.ServeSSE(w, r, sub, render)
		}),
	}
	s.server.RegisterOnShutdown(s.hub.Close)
	stopped := make(chan error, 1)
	go func() { stopped <- s.server.Serve(l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := s.server.Shutdown(ctx); err != nil {
			t.Error("shutdown:", err)
		}
		if err := <-stopped; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
		client.CloseIdleConnections()
	})
	return s
}

func loopback(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// listen opens the stream and returns its lines; the first message has been read.
func (s *service) listen(t *testing.T, ctx context.Context) (*http.Response, *bufio.Scanner) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	lines := bufio.NewScanner(res.Body)
	if got := message(lines); got != "retry: 3000" {
		t.Fatalf("the first message is %q", got)
	}
	return res, lines
}

// message reads up to the next empty line, or the end.
func message(lines *bufio.Scanner) string {
	var got []string
	for lines.Scan() && lines.Text() != "" {
		got = append(got, lines.Text())
	}
	return strings.Join(got, "\n")
}

// echo renders an event as its own name and id.
func echo(_ context.Context, e live.Event) (string, []byte, error) {
	return e.Topic, []byte(e.ID), nil
}

func TestAStream(t *testing.T) {
	s := serve(t, loopback(t), &http.Client{Transport: &http.Transport{}}, echo)
	res, lines := s.listen(t, t.Context())
	for header, want := range map[string]string{
		"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no", "Content-Length": "",
	} {
		if got := res.Header.Get(header); got != want {
			t.Errorf("%s is %q, want %q", header, got, want)
		}
	}
	if res.StatusCode != http.StatusOK {
		t.Errorf("status %d", res.StatusCode)
	}
	cases := []struct{ name, body, want string }{
		{"account", "<p>one</p>", "event: account\ndata: <p>one</p>"},
		{"", "left out", ""}, // nothing is sent; the next message follows
		{"lines", "a\nb\r\nc\rd\n", "event: lines\ndata: a\ndata: b\ndata: c\ndata: d\ndata: "},
		{"forged", "x\n\nevent: payment\ndata: y", "event: forged\ndata: x\ndata: \ndata: event: payment\ndata: data: y"},
		{"empty", "", "event: empty\ndata: "},
		{"unicode", "3 € − Ä", "event: unicode\ndata: 3 € − Ä"},
	}
	for _, c := range cases {
		s.hub.Publish("ben", live.Event{Topic: "foreign", ID: "never seen"})
		s.hub.Publish("anna", live.Event{Topic: c.name, ID: c.body})
		if c.name == "" {
			continue
		}
		if got := message(lines); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// Server.Shutdown waits for streams, unless the hub ends them.
func TestShutdownEndsTheStreams(t *testing.T) {
	s := serve(t, loopback(t), &http.Client{Transport: &http.Transport{}}, echo)
	_, first := s.listen(t, t.Context())
	_, second := s.listen(t, t.Context())
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := s.server.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	for _, lines := range []*bufio.Scanner{first, second} {
		if got := message(lines); got != "" || lines.Err() != nil {
			t.Errorf("got %q, %v; want the end of the stream", got, lines.Err())
		}
		if err := <-s.ended; err != nil {
			t.Error(err)
		}
	}
}

func TestAStreamEndsWithItsClient(t *testing.T) {
	s := serve(t, loopback(t), &http.Client{Transport: &http.Transport{}}, echo)
	ctx, cancel := context.WithCancel(t.Context())
	s.listen(t, ctx)
	cancel()
	if err := <-s.ended; err != nil {
		t.Error(err)
	}
}

func TestAStreamEndsWhenItsUserIsDisconnected(t *testing.T) {
	s := serve(t, loopback(t), &http.Client{Transport: &http.Transport{}}, echo)
	_, lines := s.listen(t, t.Context())
	s.hub.Disconnect("anna")
	if got := message(lines); got != "" {
		t.Errorf("got %q, want the end of the stream", got)
	}
	if err := <-s.ended; err != nil {
		t.Error(err)
	}
}

func TestARenderErrorEndsTheStream(t *testing.T) {
	broken := errors.New("broken")
	cases := map[string]struct {
		name string
		err  error
	}{
		"its own":       {"x", broken},
		"a name forged": {"x\nevent: y", nil},
	}
	for what, c := range cases {
		t.Run(what, func(t *testing.T) {
			s := serve(t, loopback(t), &http.Client{Transport: &http.Transport{}}, func(context.Context, live.Event) (string, []byte, error) {
				return c.name, []byte("body"), c.err
			})
			_, lines := s.listen(t, t.Context())
			s.hub.Publish("anna", live.Event{Topic: "account"})
			if got := message(lines); got != "" {
				t.Errorf("got %q, want the end of the stream", got)
			}
			if err := <-s.ended; err == nil || !errors.Is(err, c.err) && c.err != nil {
				t.Errorf("got %v, want %v", err, c.err)
			}
		})
	}
}

// plain is a response writer of a middleware that forgot Unwrap.
type plain struct{ http.ResponseWriter }

func TestAResponseThatCannotBeStreamed(t *testing.T) {
	hub := live.NewHub()
	defer hub.Close()
	rec := httptest.NewRecorder()
	err := live.ServeSSE(plain{rec}, httptest.NewRequest(http.MethodGet, "/", nil), hub.Subscribe("anna"), echo)
	if !errors.Is(err, http.ErrNotSupported) {
		t.Errorf("got %v, want http.ErrNotSupported", err)
	}
	if rec.Body.Len() > 0 || rec.Header().Get("Content-Type") != "" || rec.Result().StatusCode != http.StatusOK || rec.Flushed {
		t.Error("something was written, so no error page can be")
	}
}

// pipes is a listener whose connections are pipes, so that a server runs in a synctest bubble.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}
func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "pipe" }

// over returns a listener and a client that speaks to it.
func over() (*pipes, *http.Client) {
	p := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	return p, &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		here, there := net.Pipe()
		select {
		case p.conns <- there:
			return here, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}}
}

// The server's time-outs do not cut a stream, and a quiet one shows that it lives.
func TestAQuietStreamOutlivesTheTimeoutsOfTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, client := over()
		s := serve(t, l, client, echo)
		began := time.Now()
		_, lines := s.listen(t, t.Context())
		for i := 1; i <= 100; i++ {
			if got := message(lines); got != ":" {
				t.Fatalf("message %d is %q, want a comment", i, got)
			}
		}
		if got, want := time.Since(began), 100*25*time.Second; got != want {
			t.Errorf("100 comments took %v, want %v", got, want)
		}
		s.hub.Publish("anna", live.Event{Topic: "account", ID: "x"})
		if got := message(lines); got != "event: account\ndata: x" {
			t.Errorf("got %q after a quiet time", got)
		}
	})
}

func TestAClientThatStopsReadingIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, client := over()
		s := serve(t, l, client, func(context.Context, live.Event) (string, []byte, error) {
			return "account", make([]byte, 1<<20), nil // more than all buffers hold
		})
		s.listen(t, t.Context())
		began := time.Now()
		s.hub.Publish("anna", live.Event{Topic: "account"})
		if err := <-s.ended; err != nil {
			t.Error(err)
		}
		if got := time.Since(began); got != 10*time.Second {
			t.Errorf("given up after %v, want 10 s", got)
		}
	})
}

func TestAStreamEndsWithTheContextOfItsRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, client := over()
		s := serve(t, l, client, echo)
		inner := s.server.Handler
		s.server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithTimeout(r.Context(), time.Hour) // as when the sign-in ends
			defer cancel()
			inner.ServeHTTP(w, r.WithContext(ctx))
		})
		began := time.Now()
		_, lines := s.listen(t, t.Context())
		for message(lines) == ":" { // reads until the end
		}
		if err := <-s.ended; err != nil || lines.Err() != nil {
			t.Error(err, lines.Err())
		}
		if got := time.Since(began); got != time.Hour {
			t.Errorf("ended after %v, want an hour", got)
		}
	})
}
