package notify

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"florin/internal/aggregator"
	"florin/internal/aggregator/storage"
	"florin/internal/openbanking"
)

// What a receiver, or the machine that the service runs on, can do with a delivery.
const (
	accept = iota
	refuse
	redirect
	loseAnswer // the receiver has it, but nobody hears so
	stall      // the same, by taking too long
	crash      // the receiver has it, and the service dies before it can note so
	deeds
)

// world is a service that can die, and a receiver that can fail.
type world struct {
	folder string
	deeds  []int // of the receiver, one for each request; then it accepts
	pipes  *pipeListener

	mu      sync.Mutex
	store   *storage.Store
	arrived []openbanking.PaymentStatusWebhook
	bodies  map[string][]string // by webhook_id
	crashes int

	events  []aggregator.Webhook // in the end
	reached map[string]int       // by payment: how many events it has
}

// use calls f with the store of the process that lives now.
func (w *world) use(f func(store *storage.Store)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f(w.store)
}

// die takes the database away from the process, which can then write nothing any more, and gives it to the next one.
func (w *world) die(t tester) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.store.Close()
	w.store = open(t, w.folder)
	w.crashes++
}

func (w *world) receive(t tester) http.HandlerFunc {
	return func(answer http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var event openbanking.PaymentStatusWebhook
		if err := json.Unmarshal(body, &event); err != nil {
			t.Errorf("body %q: %v", body, err)
		}
		w.mu.Lock()
		deed := accept
		if len(w.deeds) > 0 {
			deed, w.deeds = w.deeds[0], w.deeds[1:]
		}
		w.arrived = append(w.arrived, event)
		w.bodies[event.WebhookID] = append(w.bodies[event.WebhookID], string(body))
		w.mu.Unlock()
		switch deed {
		case refuse:
			answer.WriteHeader(http.StatusInternalServerError)
		case redirect:
			answer.Header().Set("Location", "/")
			answer.WriteHeader(http.StatusFound)
		case loseAnswer:
			panic(http.ErrAbortHandler)
		case stall:
			select {
			case <-time.After(time.Minute):
			case <-r.Context().Done():
			}
		case crash:
			w.die(t)
		}
	}
}

// live runs one process after another until ctx ends.
func (w *world) live(ctx context.Context, t tester, wake <-chan struct{}) {
	for ctx.Err() == nil {
		var n *Notifier
		w.use(func(store *storage.Store) { n = newNotifier(t, Options{Store: store}) })
		n.trusted.DialContext = func(context.Context, string, string) (net.Conn, error) { return w.pipes.dial() }
		for ctx.Err() == nil {
			next, err := n.Work(ctx)
			if err != nil {
				break // it died
			}
			var due <-chan time.Time
			if !next.IsZero() {
				due = time.After(time.Until(next))
			}
			select {
			case <-ctx.Done():
			case <-wake:
			case <-due:
			}
		}
		time.Sleep(time.Second)
	}
}

// Every change of a status arrives at least once, with the same id and body each time, and for the first time in the order
// of the payment, whatever fails in between.
func TestEveryEventArrivesInOrder(t *testing.T) {
	if _, err := sharedKey(); err != nil {
		t.Fatal(err)
	}
	parent := t.TempDir()
	var crashes int
	rapid.Check(t, func(r *rapid.T) {
		w := &world{
			folder: temporary(r, parent), deeds: rapid.SliceOfN(rapid.IntRange(0, deeds-1), 0, 25).Draw(r, "deeds"), bodies: map[string][]string{},
		}
		plan := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) step {
			return step{rapid.IntRange(0, 4).Draw(r, "payment"), time.Duration(rapid.IntRange(0, 20_000).Draw(r, "pause")) * time.Millisecond}
		}), 1, 15).Draw(r, "plan")
		synctest.Test(t, func(t *testing.T) { w.run(t, plan) }) // all is drawn by now: rapid cannot enter the bubble
		crashes += w.crashes
		for _, problem := range w.problems() {
			r.Error(problem)
		}
	})
	if !t.Failed() && crashes == 0 && !testing.Short() { // a short run tries five lives, and sometimes none of them is killed
		t.Error("the service never died")
	}
}

// step takes a payment to its next status, and waits.
type step struct {
	payment int
	pause   time.Duration
}

// run goes through a plan, and on until every event is closed.
func (w *world) run(t *testing.T, plan []step) {
	w.store = open(t, made(t, w.folder))
	w.pipes = &pipeListener{connections: make(chan net.Conn), closed: make(chan struct{})}
	server := http.Server{Handler: w.receive(t)}
	go func() { _ = server.Serve(w.pipes) }()
	ctx, cancel := context.WithCancel(context.Background())
	wake := make(chan struct{}, 1)
	var life sync.WaitGroup
	life.Go(func() { w.live(ctx, t, wake) })

	const origin = "http://shop.example"
	var app aggregator.Application
	w.use(func(store *storage.Store) { app = register(t, store, "", origin) })
	var payments []string
	w.reached = map[string]int{}
	for _, s := range plan {
		if s.payment >= len(payments) {
			s.payment = len(payments)
			w.use(func(store *storage.Store) { payments = append(payments, pay(t, store, app, origin+"/hook")) })
		}
		if payment := payments[s.payment]; w.reached[payment] < len(statuses) {
			w.use(func(store *storage.Store) { advance(t, store, payment, statuses[w.reached[payment]]) })
			w.reached[payment]++
		}
		select {
		case wake <- struct{}{}:
		default:
		}
		time.Sleep(s.pause)
	}
	for range 200 { // some hours
		w.use(func(store *storage.Store) { w.events = events(t, store, app) })
		if !slices.ContainsFunc(w.events, aggregator.Webhook.Open) {
			break
		}
		time.Sleep(2 * time.Minute)
	}
	cancel()
	life.Wait()
	server.Close()
	w.store.Close()
}

// temporary makes a folder below parent.
func temporary(t *rapid.T, parent string) string {
	folder, err := os.MkdirTemp(parent, "world-")
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// problems says what did not come as it has to.
func (w *world) problems() (list []string) {
	wrong := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	for _, event := range w.events {
		if event.State() != aggregator.WebhookDelivered {
			wrong("%s of %s is %s after %d attempts", event.Status, event.PaymentID, event.State(), event.Attempts)
		}
		if len(w.bodies[event.ID]) == 0 {
			wrong("%s of %s did not arrive", event.Status, event.PaymentID)
		}
		for _, body := range w.bodies[event.ID] {
			if body != event.Body {
				wrong("arrived %s, written %s", body, event.Body)
			}
		}
	}
	first := map[string][]openbanking.PaymentStatus{}
	seen := map[string]bool{}
	for _, event := range w.arrived {
		if !seen[event.WebhookID] {
			seen[event.WebhookID] = true
			first[event.PaymentID] = append(first[event.PaymentID], event.PaymentStatus)
		}
	}
	for payment, n := range w.reached {
		if !slices.Equal(first[payment], statuses[:n]) {
			wrong("first arrivals of %s: %v, want %v", payment, first[payment], statuses[:n])
		}
	}
	return list
}
