package main

import (
	"database/sql"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"florin/internal/openbanking"
)

const receivers = 20

// measureWebhooks lets Florin deliver the events of 10,000 payments to twenty receivers, and then the same while half of them are dead: they accept a
// connection and never answer. The result is the delivery time of the events for the other half.
func measureWebhooks(b *testing.B) []quantity {
	dead := quantity{name: "webhooks of 10,000 payments at once, half of 20 receivers dead: median delivery to the others", unit: "ms",
		against: "the same with all of them alive", goal: 2}
	for round, payments := range []int{10_000, 2000, 2000} { // with one event each, all due at once
		all := deliver(b, payments, false)
		half := deliver(b, payments, true)
		dead.yardstick, dead.florin = append(dead.yardstick, median(all)), append(dead.florin, median(half))
		b.Logf("round %d: %.0f webhooks/s; median %.0f ms, with half of the receivers dead %.0f ms", round+1,
			float64(payments)/(slices.Max(all)/1000), dead.yardstick[round], dead.florin[round])
	}
	return []quantity{dead}
}

// deliver returns how many milliseconds after it was due each event arrived: of the first half of the receivers, and of the second half too unless those are
// dead.
func deliver(b *testing.B, payments int, halfDead bool) []float64 {
	b.Helper()
	var mu sync.Mutex
	arrived := map[string]time.Time{}
	var wanted atomic.Int64
	complete, ending := make(chan struct{}), make(chan struct{})
	take := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var event openbanking.PaymentStatusWebhook
		text, err := io.ReadAll(r.Body)
		if err != nil || json.Unmarshal(text, &event) != nil || r.Header.Get("Authorization") == "" {
			b.Errorf("received %q: %v", text, err)
		}
		mu.Lock()
		defer mu.Unlock()
		if _, again := arrived[event.WebhookID]; again {
			return
		}
		if arrived[event.WebhookID] = time.Now(); int64(len(arrived)) == wanted.Load() {
			close(complete)
		}
	})
	hang := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-ending })
	var origins []string
	for i := range receivers {
		handler := http.Handler(take)
		if halfDead && i >= receivers/2 {
			handler = hang
		}
		server := httptest.NewServer(handler)
		defer server.Close()
		origins = append(origins, server.URL)
	}
	defer close(ending)

	folder := b.TempDir()
	f := launchWith(b, nil, folder, anywhere...)
	var listed []string
	for _, origin := range origins {
		listed = append(listed, "--webhook-origin", origin)
	}
	app := addApplicationNamed(b, f, "Shop", listed...)
	if err := f.end(); err != nil {
		b.Fatal(err)
	}
	expected := int64(payments)
	if halfDead {
		expected /= 2
	}
	wanted.Store(expected + 1)
	due := time.Now().Add(5 * time.Second)
	tell(b, f, app.id, origins, payments, due)

	f = launchWith(b, nil, folder, anywhere...)
	select {
	case <-complete:
	case <-time.After(patience):
		mu.Lock()
		defer mu.Unlock()
		b.Fatalf("%d of %d webhooks arrived\n%s", len(arrived), expected, f.err.tail())
	}
	if err := f.end(); err != nil {
		b.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	var took []float64
	for id, at := range arrived {
		if id != firstWebhook {
			took = append(took, milliseconds(at.Sub(due)))
		}
	}
	return took
}

// firstWebhook is sent before the others, so that the signing key exists.
const firstWebhook = "00000000-0000-4000-8000-000000000000"

// tell stores webhook events that are due at a time, like those of changed payments.
func tell(b *testing.B, f *florin, application string, origins []string, payments int, due time.Time) {
	b.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(f.folder, "aggregator.db")+"?_pragma=busy_timeout(10000)")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	tx, err := db.Begin()
	if err != nil {
		b.Fatal(err)
	}
	write := func(id, origin string, at time.Time) {
		body, err := json.Marshal(openbanking.PaymentStatusWebhook{PaymentID: id, PaymentStatus: openbanking.PaymentStatusACSC, WebhookID: id,
			WebhookTriggered: at.UTC().Format(time.RFC3339)})
		if err != nil {
			b.Fatal(err)
		}
		target, err := url.JoinPath(origin, "hook")
		if err != nil {
			b.Fatal(err)
		}
		moment := at.UTC().Format("2006-01-02T15:04:05.000Z")
		if _, err := tx.Exec(`INSERT INTO webhook (webhook_id, payment_id, application_id, environment, sequence, url, origin, body, status, created, due)
			VALUES ($1, $1, $2, 'SANDBOX', 1, $3, $4, $5, 'ACSC', $6, $6)`, id, application, target, origin, string(body), moment); err != nil {
			b.Fatal(err)
		}
	}
	write(firstWebhook, origins[0], time.Now())
	for i := range payments {
		write(uuid.NewString(), origins[i%len(origins)], due)
	}
	if err := tx.Commit(); err != nil {
		b.Fatal(err)
	}
}
