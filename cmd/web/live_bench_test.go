package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"florin/internal/contract/walk"
	"florin/internal/finance"
	"florin/internal/openbanking"
)

const (
	livePayments = 1000 // payments that are watched
	liveWindows  = 8    // browser windows that watch them, because a payment takes seconds and mostly waits
)

// measureLive measures how long a payment's approval takes to appear in a browser: from the service's commit of the approval, which is the webhook_triggered of
// its webhook, until the page of the payment shows another headline. In between are the webhook with its checks, the request to the service, the commit of the
// app, the stream to the browser, and the browser. The yardstick is a POST of the same size over loopback to a handler that answers at once.
func measureLive(b *testing.B) []quantity {
	b.Helper()
	f := launch(b, b.TempDir(), append(slices.Clone(anywhere), "--sandbox-pace", "1s")...)
	p := newPayer(b, f)
	p.settled(p.approved(0).ID) // the first webhook waits until its key is fetched
	var watching sync.WaitGroup
	took := make([]float64, livePayments)
	for n := range liveWindows {
		w := browse(b, desktop)
		w.signIn(f, ownerEmail, ownerPassword)
		w.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			_, err := cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: watcher})
			return err
		}))
		watching.Go(func() {
			for i := n; i < livePayments; i += liveWindows {
				took[i] = p.watch(w, i)
			}
		})
	}
	watching.Wait()
	if b.Failed() {
		b.FailNow()
	}
	bare := barePosts(b, livePayments)
	slices.Sort(took)
	slices.Sort(bare)
	at := func(values []float64, share float64) float64 {
		return values[min(int(share*float64(len(values))), len(values)-1)]
	}
	text := fmt.Sprintf("From the service's commit of a status to the changed text in the browser, over %s payments: the fastest %.1f ms, median %.1f ms, 90%% within %.1f ms, 99%% within %.1f ms, the slowest %.1f ms.\n"+
		"They were watched in %d windows at a time. In between are the signed webhook with its checks, the question to the service, the commit in the app, the stream and the browser. A bare POST of the same size over loopback\n"+
		"takes %.2f ms (median): the overhead is %.1f ms. Times of the service are whole milliseconds, cut off, so these figures are up to 1 ms too large.\n",
		count(livePayments), took[0], at(took, 0.5), at(took, 0.9), at(took, 0.99), took[len(took)-1], liveWindows, at(bare, 0.5), at(took, 0.5)-at(bare, 0.5))
	return []quantity{{name: "a status committed by the service, to its text in the browser: 99 of 100 payments within", unit: "ms", withoutYardstick: true,
		goal: 1000, florin: []float64{at(took, 0.99)}, note: text}}
}

// count writes an integer with commas between thousands.
func count(n int) string { return strings.TrimSuffix(figure(float64(n)), ".0") }

// watcher runs in every page before the page's own scripts. It notes when the stream of the page is open, and when the headline of a payment is no longer one
// of those before the approval, also when the page reloads itself.
const watcher = `(() => {
	const before = ["Waiting for your approval", "Approve it at your bank"];
	const seen = "seen " + location.pathname;
	const Source = window.EventSource;
	window.EventSource = class extends Source {
		constructor(...of) {
			super(...of);
			this.addEventListener("open", () => { window.opened = true; });
		}
	};
	new MutationObserver(() => {
		if (document.readyState === "loading") return;
		look();
	}).observe(document, { childList: true, subtree: true });
	const look = () => {
		const text = document.getElementById("status-title")?.textContent.trim() ?? "";
		if (!sessionStorage[seen] && text && !before.some((b) => text.startsWith(b))) sessionStorage[seen] = String(performance.timeOrigin + performance.now());
	};
	document.addEventListener("DOMContentLoaded", look);
})()`

// mockOrder returns an order at a bank that asks for no credentials.
func mockOrder(i int) finance.PaymentOrder {
	order := sepa(fmt.Sprintf("%d.%02d", 1+i/90, i%90+1))
	order.ASPSP = openbanking.ASPSP{Name: "Mock ASPSP", Country: "DE"}
	return order
}

// approved makes a payment and approves it.
func (p *payer) approved(i int) finance.Payment {
	p.t.Helper()
	payment := p.confirm(mockOrder(i))
	if _, err := walk.New(nil).Pay(context.Background(), payment.Approval.URL, walk.Person{}); err != nil {
		p.t.Fatal(err)
	}
	return payment
}

// watch makes a payment, opens its page, approves it, and returns how many milliseconds later the headline changed.
func (p *payer) watch(w *window, i int) float64 {
	p.t.Helper()
	ctx := context.Background()
	payment := p.confirm(mockOrder(i))
	w.visit(p.f.web + "/payments/" + payment.ID)
	w.until("String(window.opened === true)", "true") // the stream is open
	if _, err := walk.New(nil).Pay(ctx, payment.Approval.URL, walk.Person{}); err != nil {
		p.t.Error(err)
		return 0
	}
	seen, err := strconv.ParseFloat(w.until(`sessionStorage["seen /payments/`+payment.ID+`"] ?? ""`, ""), 64)
	if err != nil {
		p.t.Error("the text did not change:", err)
	}
	return seen - float64(p.committed(payment.ID).UnixMilli())
}

// committed returns when the service committed the approval of a payment, from the first webhook that reports it.
func (p *payer) committed(id string) (first time.Time) {
	p.t.Helper()
	end := time.Now().Add(patience)
	for first.IsZero() {
		deliveries, _, err := p.store.Deliveries(context.Background(), false, "", 200)
		if err != nil || time.Now().After(end) {
			p.t.Errorf("no webhook reports the approval: %v\n%s", err, p.f.err.tail())
			return time.Now()
		}
		for _, d := range deliveries {
			if d.LocalID == id && d.Auth == openbanking.PaymentAuthStatusFinalised && (first.IsZero() || d.Triggered.Before(first)) {
				first = d.Triggered
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	return first
}

// until waits until an expression has this value, or, for "", any value.
func (w *window) until(expression, value string) string {
	w.t.Helper()
	end := time.Now().Add(patience)
	for {
		got := w.evaluate(expression)
		if got == value && value != "" || value == "" && got != "" {
			return got
		}
		if time.Now().After(end) {
			w.fatalf("%s is %q", expression, got)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// barePosts returns the milliseconds that POSTs over loopback take with a handler that only reads and answers.
func barePosts(b *testing.B, n int) []float64 {
	b.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	defer server.Close()
	body := strings.Repeat("x", 240)
	var took []float64
	for range n {
		begun := time.Now()
		response, err := http.Post(server.URL, "application/json", strings.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		took = append(took, float64(time.Since(begun).Microseconds())/1000)
	}
	return took
}
