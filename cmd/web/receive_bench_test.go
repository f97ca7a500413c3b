package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/subtle"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"florin/internal/apptoken"
	"florin/internal/contract/walk"
	"florin/internal/finance"
	"florin/internal/openbanking"
)

const (
	receivedPayments = 10 // payments in a round
	receivedBare     = 60 // webhooks in a round
)

// measureReceiving lets the service send the webhooks of payments. A proxy notes when each leaves for the app, and the benchmark waits for the event that it
// causes on a stream: the app verifies, stores, answers, asks the service, applies and publishes. The yardstick does the same.
func measureReceiving(b *testing.B) []quantity {
	b.Helper()
	q := quantity{name: "a webhook on its way into the app, to its event on a stream: median", unit: "ms",
		against: "bare program: verify, store, ask, apply, publish", goal: 2, reason: receivingReason}
	large := quantity{name: "the same with 10,000 payments", unit: "ms", against: "the same with few", goal: 1.3}
	passing := newPassing(b)
	f := launch(b, b.TempDir(), append(slices.Clone(anywhere), "--sandbox-pace", "200ms", "--service-webhook-allow", passing.server.URL)...)
	passing.to = f.web
	passing.permit(b, f)
	p := newPayer(b, f)
	p.pay.WebhookURL = func(finance.Provider) string { return passing.server.URL + webhookPath + finance.EmbeddedProvider }
	reader := newReader(b, f)
	paid := p.approved(0)
	p.settled(paid.ID) // the first webhook waits until its key is fetched
	bare := startBareReceiver(b)
	made := 0
	receive := func() float64 {
		var took []float64
		for range receivedPayments {
			made++
			payment := p.confirm(mockOrder(made))
			stream := follow(b, reader.client, f.web+"/events?view=payment&payment="+payment.ID)
			passing.taken()
			if _, err := walk.New(nil).Pay(context.Background(), payment.Approval.URL, walk.Person{}); err != nil {
				b.Fatal(err)
			}
			if left, ok := passing.next(); ok { // only the first one: the app may ask the service at once, and then know what the next webhooks report
				if ms, ok := stream.after(left); ok {
					took = append(took, ms)
				}
			}
			p.settled(payment.ID)
			stream.end()
			f.fetched(payment.Order.AccountID) // after an executed payment the app reads the account at once
		}
		if len(took) < receivedPayments/2 {
			b.Fatalf("only %d of %d webhooks caused an event", len(took), receivedPayments)
		}
		return median(took)
	}
	for round := range rounds {
		q.florin, q.yardstick = append(q.florin, receive()), append(q.yardstick, median(bare.receive(b)))
		b.Logf("round %d: %.2f ms, bare %.2f ms", round+1, q.florin[round], q.yardstick[round])
	}
	copyPayments(b, f, paid, 10_000)
	for round := range rounds {
		large.florin, large.yardstick = append(large.florin, receive()), append(large.yardstick, q.florin[round])
		b.Logf("round %d: with 10,000 payments %.2f ms", round+1, large.florin[round])
	}
	if err := f.end(); err != nil {
		b.Fatal(err)
	}
	return []quantity{q, large}
}

// receivingReason lists what Florin does and the yardstick does not.
const receivingReason = "the service sends, books and asks its bank on the same two cores meanwhile, and the payment with its history is read and drawn anew"

// passing is a proxy for webhooks: it notes when each leaves, and forwards it.
type passing struct {
	server *httptest.Server
	to     string

	mu   sync.Mutex
	left []time.Time
}

func newPassing(b *testing.B) *passing {
	p := &passing{}
	p.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			b.Error(err)
		}
		request, err := http.NewRequestWithContext(r.Context(), r.Method, p.to+r.URL.Path, bytes.NewReader(body))
		if err != nil {
			b.Error(err)
			return
		}
		request.Header = r.Header.Clone()
		p.mu.Lock()
		p.left = append(p.left, time.Now())
		p.mu.Unlock()
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			b.Error(err)
			return
		}
		response.Body.Close()
		w.WriteHeader(response.StatusCode)
		if response.StatusCode != http.StatusOK {
			b.Errorf("a webhook was answered %d", response.StatusCode)
		}
	}))
	b.Cleanup(p.server.Close)
	return p
}

// permit allows the webhooks of the app's payments to go to the proxy.
func (p *passing) permit(b *testing.B, f *florin) {
	b.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(f.folder, "aggregator.db")+"?_pragma=busy_timeout(10000)")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`UPDATE application SET webhook_origins = $1`, string(must(json.Marshal([]string{p.server.URL})))); err != nil {
		b.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond) // until Florin has noticed
}

// taken returns when the webhooks since the last call left the proxy.
func (p *passing) taken() []time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	left := p.left
	p.left = nil
	return left
}

// next waits until a webhook leaves the proxy, and returns when it left.
func (p *passing) next() (time.Time, bool) {
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if left := p.taken(); len(left) > 0 {
			return left[0], true
		}
	}
	return time.Time{}, false
}

// events holds the times at which the events of a stream arrived.
type events struct {
	mu   sync.Mutex
	came []time.Time
	end  func()
}

// follow opens a stream of events.
func follow(b *testing.B, client *http.Client, address string) *events {
	b.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("Accept", "text/event-stream")
	response, err := client.Do(request)
	if err != nil {
		b.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		b.Fatal("no stream: ", response.Status)
	}
	e := &events{end: cancel}
	go func() {
		defer response.Body.Close()
		lines := bufio.NewScanner(response.Body)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "event:") {
				e.mu.Lock()
				e.came = append(e.came, time.Now())
				e.mu.Unlock()
			}
		}
	}()
	return e
}

// after returns the milliseconds from a moment to the next event. ok is false when no event follows: when the app asked the service just before a webhook was
// sent.
func (e *events) after(at time.Time) (ms float64, ok bool) {
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		e.mu.Lock()
		next := slices.IndexFunc(e.came, at.Before)
		e.mu.Unlock()
		if next >= 0 {
			return milliseconds(e.came[next].Sub(at)), true
		}
	}
	return 0, false
}

// bareReceiverVariable makes the test binary run as the yardstick of receiving. It names the file with the certificate of the tokens; the database is next to
// it.
const bareReceiverVariable = "FLORIN_BARE_RECEIVER"

type bareReceiver struct {
	bareServer
	key *rsa.PrivateKey
}

func startBareReceiver(b *testing.B) bareReceiver {
	b.Helper()
	key, err := apptoken.NewKey()
	if err != nil {
		b.Fatal(err)
	}
	return bareReceiver{startYardstick(b, bareReceiverVariable+"="+certificateFile(b, key)), key}
}

// receive sends webhooks to the yardstick, and returns how many milliseconds after each one its event arrived.
func (r bareReceiver) receive(b *testing.B) []float64 {
	b.Helper()
	stream := follow(b, http.DefaultClient, r.address+"events")
	defer stream.end()
	var took []float64
	for i := range receivedBare {
		body, err := json.Marshal(openbanking.PaymentStatusWebhook{PaymentID: uuid.NewString(), PaymentStatus: openbanking.PaymentStatusACSC,
			WebhookID:        uuid.NewString(),
			WebhookTriggered: time.Now().UTC().Format(time.RFC3339)})
		if err != nil {
			b.Fatal(err)
		}
		sum := sha256.Sum256(body)
		token, err := jwt.NewWithClaims(jwt.SigningMethodRS256,
			jwt.MapClaims{"sub": fmt.Sprint(i), "environment": "SANDBOX", "msgi": "sha256-" + base64.StdEncoding.EncodeToString(sum[:])}).SignedString(r.key)
		if err != nil {
			b.Fatal(err)
		}
		request, err := http.NewRequestWithContext(b.Context(), http.MethodPost, r.address+"hook", bytes.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+token)
		begun := time.Now()
		response, err := http.DefaultClient.Do(request)
		if err != nil || response.StatusCode != http.StatusOK {
			b.Fatal(response, err)
		}
		response.Body.Close()
		ms, ok := stream.after(begun)
		if !ok {
			b.Fatal("the yardstick publishes nothing")
		}
		took = append(took, ms)
		time.Sleep(20 * time.Millisecond)
	}
	return took
}

// serveBareReceiver verifies a webhook, stores it and answers; then it asks a service for the status of the payment, applies that and publishes it.
func serveBareReceiver(file string) error {
	pem, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	key, err := apptoken.ParsePublic(pem)
	if err != nil {
		return err
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(filepath.Dir(file), "bare.db")+"?_txlock=immediate&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`CREATE TABLE delivery (webhook_id TEXT PRIMARY KEY, payment_id TEXT NOT NULL, body TEXT NOT NULL, applied TEXT) STRICT;
		CREATE TABLE payment (id TEXT PRIMARY KEY, status TEXT NOT NULL) STRICT;
		CREATE TABLE payment_event (payment_id TEXT NOT NULL, status TEXT NOT NULL, at TEXT NOT NULL) STRICT`); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	self := "http://" + listener.Addr().String() + "/"
	work, published := make(chan openbanking.PaymentStatusWebhook, 100), make(chan string, 100)
	go func() {
		for event := range work {
			if err := applyBare(db, self, event); err != nil {
				fmt.Fprintln(os.Stderr, err)
				continue
			}
			published <- event.PaymentID
		}
	}()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /hook", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		var claims jwt.MapClaims
		_, err = jwt.ParseWithClaims(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), &claims, func(*jwt.Token) (any, error) { return key, nil },
			jwt.WithValidMethods([]string{"RS256"}))
		sum := sha256.Sum256(body)
		digest, _ := claims["msgi"].(string)
		if err != nil || subtle.ConstantTimeCompare([]byte(digest), []byte("sha256-"+base64.StdEncoding.EncodeToString(sum[:]))) != 1 {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		var event openbanking.PaymentStatusWebhook
		if err := json.Unmarshal(body, &event); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if _, err := db.ExecContext(r.Context(), `INSERT INTO delivery (webhook_id, payment_id, body) VALUES ($1, $2, $3)`, event.WebhookID, event.PaymentID,
			string(body)); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		work <- event
	})
	mux.HandleFunc("GET /payment", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(openbanking.Payment{Status: openbanking.PaymentStatusACSC})
	})
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for {
			_ = http.NewResponseController(w).Flush()
			select {
			case id := <-published:
				fmt.Fprintf(w, "event: payment\ndata: %s\n\n", id)
			case <-r.Context().Done():
				return
			}
		}
	})
	fmt.Println(self)
	return http.Serve(listener, mux)
}

// applyBare asks for the status of a payment and stores it, in one transaction.
func applyBare(db *sql.DB, service string, event openbanking.PaymentStatusWebhook) error {
	response, err := http.Get(service + "payment")
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var payment openbanking.Payment
	if err := json.NewDecoder(response.Body).Decode(&payment); err != nil {
		return err
	}
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	now := time.Now().UTC().Format(time.RFC3339)
	for _, change := range []struct {
		query string
		args  []any
	}{
		{`INSERT INTO payment (id, status) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET status = excluded.status`, []any{event.PaymentID, payment.Status}},
		{`INSERT INTO payment_event (payment_id, status, at) VALUES ($1, $2, $3)`, []any{event.PaymentID, payment.Status, now}},
		{`UPDATE delivery SET applied = $1 WHERE webhook_id = $2`, []any{now, event.WebhookID}},
	} {
		if _, err := tx.Exec(change.query, change.args...); err != nil {
			return err
		}
	}
	return tx.Commit()
}
