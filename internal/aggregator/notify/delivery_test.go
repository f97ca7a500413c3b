package notify

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

// Spec: Events, "Acknowledgement and retry".
func TestOnlyTheListedStatusesAcknowledge(t *testing.T) {
	acknowledging := []int{200, 201, 202, 204}
	var status atomic.Int64
	server := receiver(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(int(status.Load()))
	})
	store := newStore(t)
	app := register(t, store, "", server.URL)
	n := newNotifier(t, Options{Store: store})
	for _, code := range []int{200, 201, 202, 203, 204, 205, 206, 207, 226, 299, 300, 301, 302, 303, 304, 307, 308, 400, 401, 404, 409, 410, 418, 429, 499,
		500, 501, 502, 503, 504, 599, 999} {
		status.Store(int64(code))
		w := one(t, store, app, server.URL)
		work(t, n)
		w = reread(t, store, w.ID)
		list := attempts(t, store, w.ID)
		if len(list) != 1 || list[0].Status != code || list[0].Number != 1 {
			t.Fatalf("%d: attempts %+v", code, list)
		}
		if want := slices.Contains(acknowledging, code); want != (w.State() == aggregator.WebhookDelivered) || want != (list[0].Outcome == "acknowledged") {
			t.Errorf("%d: %s, %q", code, w.State(), list[0].Outcome)
		}
		if pause := w.Due.Sub(list[0].At); w.Open() && (pause < firstPause/2-time.Millisecond || pause > firstPause+acknowledgeWithin) {
			t.Errorf("%d: tried again after %v", code, pause)
		}
	}
}

// raw is a receiver that speaks HTTP by hand: say answers a connection on which a request has come.
func raw(t *testing.T, say func(c net.Conn)) (origin string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				if _, err := c.Read(make([]byte, 64<<10)); err == nil {
					say(c)
				}
			}()
		}
	}()
	return "http://" + listener.Addr().String()
}

func TestAnswersThatAreNotUsableAreFailures(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	say := func(text string) func(net.Conn) {
		return func(c net.Conn) { _, _ = io.WriteString(c, text) }
	}
	for _, test := range []struct {
		name, origin string
		status       int
		outcome      string
	}{
		{"nobody listens", "http://" + closed.Addr().String(), 0, "the connection was refused"},
		{"no such name", "http://nowhere.invalid:1", 0, "the host name could not be resolved"},
		{"closed", raw(t, say("")), 0, "the connection was closed without an answer"},
		{"cut off", raw(t, say("HTTP/1.1 200 OK\r\nConte")), 0, "no usable answer"},
		{"something else", raw(t, say("SSH-2.0-secret\r\n\r\n")), 0, "no usable answer"},
		{"header too long", raw(t, say("HTTP/1.1 200 OK\r\nX: "+strings.Repeat("secret", 1<<16)+"\r\n\r\n")), 0, "no usable answer"},
		{"switching protocols", raw(t, say("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n")), 101,
			"this status does not acknowledge"},
		{"TLS expected", strings.Replace(raw(t, say("HTTP/1.1 400 Bad\r\n\r\n")), "http:", "https:", 1), 0, "no TLS connection"},
		{"interim 102", raw(t, say("HTTP/1.1 102 Processing\r\n\r\n")), 102, "acknowledged"},
		{"interim 102, then 500", raw(t, say("HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n")), 102, "acknowledged"},
		{"interim 102, then 200", raw(t, say("HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")), 200, "acknowledged"},
		{"interim 103, then nothing", raw(t, say("HTTP/1.1 103 Early Hints\r\n\r\n")), 0, "the connection was closed without an answer"},
		{"body without an end", raw(t, say("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"+strings.Repeat("secret", 10))), 200, "acknowledged"},
		{"body too long", raw(t, say("HTTP/1.1 500 No\r\nContent-Length: 1000000\r\n\r\n"+strings.Repeat("secret", 10000))), 500, "this status does not acknowledge"},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := newStore(t)
			app := register(t, store, "", test.origin)
			w := one(t, store, app, test.origin)
			work(t, newNotifier(t, Options{Store: store}))
			got := attempts(t, store, w.ID)
			if len(got) != 1 || got[0].Status != test.status || got[0].Outcome != test.outcome {
				t.Errorf("attempts %+v, want %d %q", got, test.status, test.outcome)
			}
		})
	}
}

// inBubble runs a test with a clock of its own. The receiver is behind a pipe, since the network is outside.
func inBubble(t *testing.T, answer http.Handler, test func(t *testing.T, n *Notifier, app aggregator.Application, origin string)) {
	folder := t.TempDir()
	if _, err := sharedKey(); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		const origin = "http://shop.example"
		store := open(t, made(t, folder))
		defer store.Close()
		pipes := &pipeListener{connections: make(chan net.Conn), closed: make(chan struct{})}
		server := http.Server{Handler: answer}
		go func() { _ = server.Serve(pipes) }()
		defer server.Close()
		n := newNotifier(t, Options{Store: store})
		n.trusted.DialContext = func(context.Context, string, string) (net.Conn, error) { return pipes.dial() }
		test(t, n, register(t, store, "", origin), origin)
	})
}

type pipeListener struct {
	connections chan net.Conn
	closed      chan struct{}
	once        sync.Once
}

func (l *pipeListener) dial() (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case l.connections <- there:
		return here, nil
	case <-l.closed:
		return nil, errors.New("closed")
	}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.connections:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error   { l.once.Do(func() { close(l.closed) }); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

// keepAtWork does what the runner of jobs does, until ctx ends.
func keepAtWork(ctx context.Context, t *testing.T, n *Notifier) {
	t.Helper()
	for ctx.Err() == nil {
		next, err := n.Work(ctx)
		if err != nil && ctx.Err() == nil {
			t.Error(err)
			return
		}
		if next.IsZero() {
			return
		}
		select {
		case <-time.After(time.Until(next)):
		case <-ctx.Done():
		}
	}
}

// Spec: Events: an answer within 10 seconds acknowledges; an interim one is enough.
func TestAnswersAreAwaitedForTenSeconds(t *testing.T) {
	for _, test := range []struct {
		name         string
		interim      int
		stall        time.Duration
		status       int
		acknowledged bool
		outcome      string
	}{
		{"in time", 0, 9900 * time.Millisecond, 200, true, "acknowledged"},
		{"too late", 0, 10100 * time.Millisecond, 0, false, "no answer within 10 seconds"},
		{"never", 0, time.Hour, 0, false, "no answer within 10 seconds"},
		{"102, then never", 102, time.Hour, 102, true, "acknowledged"},
		{"103, then never", 103, time.Hour, 0, false, "no answer within 10 seconds"},
	} {
		t.Run(test.name, func(t *testing.T) {
			answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				if test.interim != 0 {
					w.WriteHeader(test.interim)
				}
				select {
				case <-time.After(test.stall):
				case <-r.Context().Done():
				}
			})
			inBubble(t, answer, func(t *testing.T, n *Notifier, app aggregator.Application, origin string) {
				w := one(t, n.store, app, origin)
				work(t, n)
				got := attempts(t, n.store, w.ID)
				if len(got) != 1 || got[0].Status != test.status || got[0].Outcome != test.outcome || got[0].Latency != min(test.stall, acknowledgeWithin) {
					t.Errorf("attempts %+v, want %d %q", got, test.status, test.outcome)
				}
				if (reread(t, n.store, w.ID).State() == aggregator.WebhookDelivered) != test.acknowledged {
					t.Errorf("acknowledged is not %v", test.acknowledged)
				}
			})
		})
	}
}

// Spec: Events, "retried for 24 hours, with a maximum interval between retries of 600 seconds"; "a retry has the same body".
func TestEventsAreRetriedForTwentyFourHours(t *testing.T) {
	for name, stall := range map[string]time.Duration{"refusing": 0, "silent": time.Hour} {
		t.Run(name, func(t *testing.T) {
			type try struct {
				at                   time.Time
				body, token, request string
			}
			var mu sync.Mutex
			var tries []try
			answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				mu.Lock()
				tries = append(tries, try{time.Now(), string(body), r.Header.Get("Authorization"), r.Header.Get("X-Request-Id")})
				mu.Unlock()
				select {
				case <-time.After(stall):
				case <-r.Context().Done():
				}
				w.WriteHeader(http.StatusInternalServerError)
			})
			inBubble(t, answer, func(t *testing.T, n *Notifier, app aggregator.Application, origin string) {
				w := one(t, n.store, app, origin)
				keepAtWork(t.Context(), t, n)
				mu.Lock()
				defer mu.Unlock()
				t.Logf("%d tries", len(tries))
				if len(tries) < 144 || len(tries) > 320 {
					t.Errorf("%d tries in 24 hours", len(tries))
				}
				seen := map[string]bool{}
				for i, try := range tries {
					if try.body != w.Body {
						t.Fatalf("the body changed: %s", try.body)
					}
					if seen[try.request] {
						t.Errorf("X-Request-Id %s came twice", try.request)
					}
					seen[try.request] = true
					if !strings.HasPrefix(try.token, "Bearer ey") {
						t.Errorf("token %q", try.token)
					}
					if i == 0 {
						continue
					}
					if gap := try.at.Sub(tries[i-1].at); gap > 600*time.Second || gap < firstPause/2-time.Millisecond {
						t.Errorf("%v between try %d and the next", gap, i)
					}
				}
				last := tries[len(tries)-1].at.Sub(w.Created)
				if last < retryFor || last > retryFor+30*time.Second {
					t.Errorf("the last try was after %v", last)
				}
				after := reread(t, n.store, w.ID)
				if after.State() != aggregator.WebhookGivenUp || after.Attempts != len(tries) || after.GivenUp.Sub(w.Created) < retryFor {
					t.Errorf("after the last try: %+v", after)
				}
				if got := attempts(t, n.store, w.ID); len(got) != len(tries) {
					t.Errorf("%d attempts are kept of %d", len(got), len(tries))
				}
			})
		})
	}
}

// sequenceOf is how the receivers of these tests tell events apart.
func sequenceOf(body string) openbanking.PaymentStatus {
	for _, status := range statuses {
		if strings.Contains(body, `"`+string(status)+`"`) {
			return status
		}
	}
	return ""
}

func TestEventsOfAPaymentArriveInTheirOrder(t *testing.T) {
	var mu sync.Mutex
	var arrived, refused []openbanking.PaymentStatus
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		status := sequenceOf(string(body))
		if len(refused) < 5 { // until the fifth try
			refused = append(refused, status)
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		arrived = append(arrived, status)
	})
	inBubble(t, answer, func(t *testing.T, n *Notifier, app aggregator.Application, origin string) {
		payment := pay(t, n.store, app, origin)
		for _, status := range statuses {
			advance(t, n.store, payment, status)
			time.Sleep(time.Second)
		}
		keepAtWork(t.Context(), t, n)
		for _, status := range refused {
			if status != statuses[0] {
				t.Errorf("%s was tried before %s was acknowledged", status, statuses[0])
			}
		}
		if !slices.Equal(arrived, statuses) {
			t.Errorf("arrived %v, want %v", arrived, statuses)
		}
	})
}

// What follows an event that was given up is sent after it, though its own day is over too.
func TestAnEventThatHadToWaitIsTriedAtLeastOnce(t *testing.T) {
	var mu sync.Mutex
	tries := map[openbanking.PaymentStatus]int{}
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		tries[sequenceOf(string(body))]++
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	inBubble(t, answer, func(t *testing.T, n *Notifier, app aggregator.Application, origin string) {
		payment := pay(t, n.store, app, origin)
		advance(t, n.store, payment, statuses[0])
		advance(t, n.store, payment, statuses[1])
		keepAtWork(t.Context(), t, n)
		if tries[statuses[0]] < 144 || tries[statuses[1]] != 1 {
			t.Errorf("tries %v", tries)
		}
		for _, w := range events(t, n.store, app) {
			if w.State() != aggregator.WebhookGivenUp {
				t.Errorf("%s is %s", w.Status, w.State())
			}
		}
	})
}

// Every healthy receiver gets its event while the dead ones hold all that they can hold.
func TestADeadReceiverDelaysNobody(t *testing.T) {
	store := newStore(t)
	var held atomic.Int64
	dead := receiver(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // so that the end of the connection is seen
		held.Add(1)
		<-r.Context().Done()
	})
	done := make(chan struct{}, 100)
	healthy := receiver(t, func(http.ResponseWriter, *http.Request) { done <- struct{}{} })
	app := register(t, store, "", dead.URL, healthy.URL)
	for range 100 {
		one(t, store, app, dead.URL)
	}
	const each = 40
	for range each {
		one(t, store, app, healthy.URL)
	}
	ctx, cancel := context.WithCancel(t.Context())
	n := newNotifier(t, Options{Store: store})
	stopped := make(chan struct{})
	go func() { defer close(stopped); _, _ = n.Work(ctx) }()
	for range each {
		<-done
	}
	late := one(t, store, app, healthy.URL) // comes while Work waits for the dead ones
	n.Wake()
	<-done
	cancel()
	<-stopped
	if held.Load() > perOrigin {
		t.Errorf("%d tries at one receiver at the same time, the limit is %d", held.Load(), perOrigin)
	}
	for _, w := range events(t, store, app) {
		if w.Origin == dead.URL && (w.Attempts != 0 || w.State() != aggregator.WebhookOpen) {
			t.Errorf("a try that was broken off counts: %+v", w)
		}
	}
	if w := reread(t, store, late.ID); w.Attempts > 1 {
		t.Errorf("%+v", w)
	}
	// What was broken off is free again at once.
	claimed, err := store.ClaimWebhooks(t.Context(), time.Now(), time.Now().Add(lease), shares, 100)
	if err != nil || len(claimed) < perOrigin {
		t.Errorf("%d claimed (%v)", len(claimed), err)
	}
}

// After kill -9 nothing gives the leases back: they run out.
func TestAnEventOfAProcessThatDiedIsSentAgain(t *testing.T) {
	var mu sync.Mutex
	var bodies []string
	answer := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		bodies = append(bodies, string(body))
	})
	inBubble(t, answer, func(t *testing.T, n *Notifier, app aggregator.Application, origin string) {
		w := one(t, n.store, app, origin)
		claimed, err := n.store.ClaimWebhooks(t.Context(), time.Now(), time.Now().Add(lease), shares, 1)
		if err != nil || len(claimed) != 1 {
			t.Fatalf("%v (%v)", claimed, err)
		}
		if r := n.try(t.Context(), claimed[0]); !r.Acknowledged { // the answer came, and then the process was no more
			t.Fatalf("%+v", r)
		}
		next := work(t, n)
		if len(bodies) != 1 || next.Sub(w.Created) != lease {
			t.Errorf("%d deliveries, next at %v", len(bodies), next)
		}
		time.Sleep(time.Until(next))
		work(t, n)
		if len(bodies) != 2 || bodies[0] != w.Body || bodies[1] != w.Body || reread(t, n.store, w.ID).State() != aggregator.WebhookDelivered {
			t.Errorf("deliveries %q", bodies)
		}
	})
}

func TestEventsAreSentAgainOnDemand(t *testing.T) {
	var mu sync.Mutex
	var arrived []openbanking.PaymentStatus
	healthy := false
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		if !healthy {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		arrived = append(arrived, sequenceOf(string(body)))
	})
	inBubble(t, answer, func(t *testing.T, n *Notifier, app aggregator.Application, origin string) {
		payment := pay(t, n.store, app, origin)
		for _, status := range statuses[:3] {
			advance(t, n.store, payment, status)
		}
		ids := map[openbanking.PaymentStatus]string{}
		for _, w := range events(t, n.store, app) {
			ids[w.Status] = w.ID
		}
		resend := func(status openbanking.PaymentStatus) {
			t.Helper()
			if err := n.store.ResendWebhook(t.Context(), ids[status], time.Now()); err != nil {
				t.Fatal(err)
			}
			work(t, n)
		}
		work(t, n)
		healthy = true
		resend(statuses[1]) // open: those before it come first, and the rest follows
		if want := statuses[:3]; !slices.Equal(arrived, want) {
			t.Errorf("arrived %v, want %v", arrived, want)
		}
		healthy = false
		resend(statuses[0]) // delivered: stays so
		if w := reread(t, n.store, ids[statuses[0]]); w.State() != aggregator.WebhookDelivered || w.Attempts != 3 {
			t.Errorf("%+v", w)
		}
		advance(t, n.store, payment, statuses[3])
		keepAtWork(t.Context(), t, n)
		for _, w := range events(t, n.store, app) {
			ids[w.Status] = w.ID
		}
		if w := reread(t, n.store, ids[statuses[3]]); w.State() != aggregator.WebhookGivenUp {
			t.Fatalf("%+v", w)
		}
		healthy = true
		arrived = nil
		resend(statuses[3])
		if w := reread(t, n.store, ids[statuses[3]]); w.State() != aggregator.WebhookDelivered || !w.GivenUp.IsZero() || !slices.Equal(arrived, statuses[3:4]) {
			t.Errorf("%+v, arrived %v", w, arrived)
		}
	})
}

func TestAFailingDatabaseIsNoFailureOfTheReceiver(t *testing.T) {
	store := newStore(t)
	n := newNotifier(t, Options{Store: store})
	app := register(t, store, "", "http://127.0.0.1:9")
	w := one(t, store, app, "http://127.0.0.1:9")
	w.ApplicationID = "none"
	if r := n.try(t.Context(), w); r.err == nil || r.Acknowledged || !r.Next.IsZero() {
		t.Errorf("%+v", r)
	}
	store.Close()
	if _, err := n.Work(t.Context()); err == nil {
		t.Error("no error")
	}
}
