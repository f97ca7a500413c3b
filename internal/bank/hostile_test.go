package bank

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"florin/internal/openbanking"
	"florin/internal/testkit"
)

// calls are one of each kind of answer.
var calls = map[string]func(ctx context.Context, c *Client) (any, error){
	"application": func(ctx context.Context, c *Client) (any, error) { return c.Application(ctx) },
	"aspsps":      func(ctx context.Context, c *Client) (any, error) { return c.ASPSPs(ctx) },
	"session":     func(ctx context.Context, c *Client) (any, error) { return c.Session(ctx, "s") },
	"accounts":    func(ctx context.Context, c *Client) (any, error) { return c.AuthorizeSession(ctx, "c") },
	"details":     func(ctx context.Context, c *Client) (any, error) { return c.AccountDetails(ctx, "u", nil) },
	"balances":    func(ctx context.Context, c *Client) (any, error) { return c.Balances(ctx, "u", nil) },
	"transactions": func(ctx context.Context, c *Client) (any, error) {
		return c.TransactionsPage(ctx, "u", openbanking.TransactionsQuery{}, nil)
	},
	"payment": func(ctx context.Context, c *Client) (any, error) { return c.Payment(ctx, "p") },
}

// repeated is text so often, with commas, that it has about so many bytes.
func repeated(text string, size int) string {
	return strings.TrimSuffix(strings.Repeat(text+",", max(1, size/(len(text)+1))), ",")
}

// hostile are answers that cost a lot, at any size.
func hostile(size int) map[string]string {
	list := func(text string) string {
		one := repeated(text, size)
		return `{"aspsps":[` + one + `],"transactions":[` + one + `],"balances":[` + one + `],"accounts":[` + one +
			`],"payment_details":{"credit_transfer_transaction":[` + one + `]}}`
	}
	return map[string]string{
		"empty elements":     list(`{}`),
		"empty texts":        list(`""`),
		"null":               list(`null`),
		"numbers":            list(`1`),
		"arrays":             list(`[]`),
		"payments of a bank": `{"aspsps":[{"payments":[` + repeated(`{}`, size) + `]}]}`,
		"payments of banks":  `{"aspsps":[` + repeated(`{"payments":[`+repeated(`{}`, 1000)+`]}`, size) + `]}`,
		"lines of a text":    `{"transactions":[{"remittance_information":[` + repeated(`""`, size) + `]}]}`,
		"parties": `{"transactions":[` +
			repeated(`{"debtor":{"postal_address":{}},"creditor":{"postal_address":{}},"debtor_account":{"other":{}},"creditor_account":{"other":{}}}`, size) + `]}`,
		"numbers of accounts": `{"transactions":[{"debtor_account_additional_identification":[` + repeated(`{}`, size) + `]}],"all_account_ids":[` +
			repeated(`{}`, size) + `]}`,
		"a deep list":   `{"transactions":` + strings.Repeat("[", size) + strings.Repeat("]", size) + `}`,
		"a deep object": strings.Repeat(`{"a":`, size/5) + "1" + strings.Repeat("}", size/5),
		"many names":    `{` + strings.TrimSuffix(strings.Repeat(`"name":1,`, size/9), ",") + `}`,
		"a long text": `{"name":"` + strings.Repeat("x", size) + `","aspsps":[{"name":"` + strings.Repeat("y", size) + `"}],"transactions":[{"note":"` +
			strings.Repeat("\\u00e9", size/6) + `"}]}`,
		"a long number": `{"transactions":[{"transaction_amount":` + strings.Repeat("9", size) + `}],"maximum_consent_validity":1e` +
			strings.Repeat("9", size) + `}`,
		"a long name": `{"` + strings.Repeat("n", size) + `":1}`,
		"cut off":     `{"transactions":[` + repeated(`{}`, size),
		"white space": strings.Repeat(" ", size) + `{}`,
	}
}

// cost is by how much the heap grows while call works, and how much it takes in all: what a heap grows by of which nothing is collected meanwhile.
func cost(call func()) (grown, taken int64) {
	defer debug.SetGCPercent(debug.SetGCPercent(10)) // what is garbage is not counted for long
	heap := func() runtime.MemStats {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m
	}
	runtime.GC()
	before, done, end := heap(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(end)
		for {
			grown = max(grown, int64(heap().HeapAlloc)-int64(before.HeapAlloc))
			select {
			case <-done:
				return
			case <-time.After(200 * time.Microsecond):
			}
		}
	}()
	call()
	close(done)
	<-end
	return grown, int64(heap().TotalAlloc - before.TotalAlloc)
}

// costsAtMost is what an answer of a service may cost, whatever it is.
const costsAtMost = 48 << 20

// A service may answer whatever it likes: no call costs more than its bound, and one that is larger is refused with a word that says so.
func TestHostileAnswersCostLittle(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Figures)
	var answer string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(s.Close)
	c, err := New(s.URL, fixed("token"))
	if err != nil {
		t.Fatal(err)
	}
	most, mostTaken := map[string]int64{}, map[string]int64{}
	for _, size := range []int{200 << 10, 3 << 20, 20 << 20} {
		for kind, text := range hostile(size) {
			for name, call := range calls {
				if size == 200<<10 && name != "transactions" && name != "aspsps" && name != "details" {
					continue
				}
				answer = text
				var err error
				var kept any
				grown, taken := cost(func() { kept, err = call(t.Context(), c) })
				runtime.KeepAlive(kept)
				most[name], mostTaken[name] = max(most[name], grown), max(mostTaken[name], taken)
				if grown > costsAtMost {
					t.Errorf("%s with %s of %d bytes: %d MB", name, kind, len(text), grown>>20)
				}
				var useless *Unusable
				if len(text) > 16<<20 && (!errors.As(err, &useless) || !useless.TooLarge()) {
					t.Errorf("%s with %s of %d bytes: %v", name, kind, len(text), err)
				}
			}
		}
	}
	for name, n := range most {
		t.Logf("%s: %d MB at most, takes %d", name, n>>20, mostTaken[name]>>20)
	}
}

// The largest answers that are taken cost no more either, of every shape.
func TestTheLargestAnswersCostLittle(t *testing.T) {
	testkit.Unwatched(t)
	fill := func(head, element, tail string, n, size int) string {
		pad := max(0, size/n-len(element)-20)
		return head + strings.TrimSuffix(strings.Repeat(strings.TrimSuffix(element, "}")+`,"note":"`+strings.Repeat("x", pad)+`"},`, n), ",") + tail
	}
	for name, c := range map[string]struct{ call, text string }{
		"full page": {"transactions", fill(`{"transactions":[`,
			`{"transaction_amount":{"currency":"EUR","amount":"1"},"debtor":{},"creditor":{},"debtor_account":{},"remittance_information":["a","b"]}`, `]}`,
			boundPage.holds.Elements, boundPage.bytes-1000)},
		"many objects": {"transactions", `{"transactions":[` +
			repeated(`{"debtor_account_additional_identification":[`+repeated(`{}`, 3*boundPage.holds.Objects/boundPage.holds.Elements-6)+`]}`,
				boundPage.holds.Elements*3*boundPage.holds.Objects/boundPage.holds.Elements) + `]}`},
		"long texts": {"aspsps", fill(`{"aspsps":[`, `{"name":"n"}`, `]}`, 100, boundList.bytes-1000)},
		"payments":   {"aspsps", `{"aspsps":[` + repeated(`{"payments":[`+repeated(`{}`, 3*490)+`]}`, (3*490+15)*98) + `]}`},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, c.text) }))
		client, err := New(s.URL, fixed("token"))
		if err != nil {
			t.Fatal(err)
		}
		var kept any
		grown, taken := cost(func() { kept, err = calls[c.call](t.Context(), client) })
		runtime.KeepAlive(kept)
		t.Logf("%s: %d bytes cost %d MB, took %d", name, len(c.text), grown>>20, taken>>20)
		if err != nil || grown > costsAtMost {
			t.Errorf("%s: %d MB, %v", name, grown>>20, err)
		}
		s.Close()
	}
}

// A service has two tasks at a time, and a person may open the list of its banks meanwhile: together they cost no more than 64 MB, whatever it answers.
func TestHostileAnswersAtOnceCostLittle(t *testing.T) {
	row := `{"transaction_amount":{"currency":"EUR","amount":"1"},"debtor":{},"creditor":{},"debtor_account":{},"note":"` +
		strings.Repeat("x", boundPage.bytes/boundPage.holds.Elements-150) + `"}`
	page := `{"transactions":[` + repeated(row, (len(row)+1)*(boundPage.holds.Elements-10)) + `]}`
	list := `{"aspsps":[` + repeated(`{"payments":[`+repeated(`{}`, 3*490)+`]}`, (3*490+15)*98) + `]}`
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/aspsps" {
			_, _ = io.WriteString(w, list)
			return
		}
		_, _ = io.WriteString(w, page)
	}))
	t.Cleanup(s.Close)
	client, err := New(s.URL, fixed("token"))
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"transactions", "transactions", "aspsps"}
	kept, errs := make([]any, len(names)), make([]error, len(names))
	grown, _ := cost(func() {
		var all sync.WaitGroup
		for i, name := range names {
			all.Go(func() { kept[i], errs[i] = calls[name](t.Context(), client) })
		}
		all.Wait()
	})
	runtime.KeepAlive(kept)
	t.Logf("together they cost %d MB", grown>>20)
	if err := errors.Join(errs...); err != nil || grown > 64<<20 {
		t.Errorf("%d MB, %v", grown>>20, err)
	}
}

// A few kilobytes that are gigabytes once they are decompressed: nothing is decompressed, for a service that was not asked to compress.
func TestNothingIsDecompressed(t *testing.T) {
	testkit.Unwatched(t)
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	for range 64 {
		_, _ = z.Write(bytes.Repeat([]byte(" "), 1<<20))
	}
	_, _ = z.Write([]byte(`{"aspsps":[]}`))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	asked := ""
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = r.Header.Get("Accept-Encoding")
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(bomb.Bytes())
	})
	var err error
	grown, _ := cost(func() { _, err = c.ASPSPs(t.Context()) })
	var useless *Unusable
	if !errors.As(err, &useless) || useless.TooLarge() || asked != "" || grown > 8<<20 {
		t.Errorf("%v, asked for %q, %d MB", err, asked, grown>>20)
	}
}

// An answer without end is cut off where it is too large, and so is an error.
func TestAnswersWithoutEnd(t *testing.T) {
	status := http.StatusOK
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		for r.Context().Err() == nil {
			if _, err := w.Write(bytes.Repeat([]byte(`{"transactions":[`), 1000)); err != nil {
				return
			}
		}
	})
	for _, status = range []int{http.StatusOK, http.StatusTeapot} {
		for name, call := range calls {
			var err error
			if grown, _ := cost(func() { _, err = call(t.Context(), c) }); err == nil || grown > costsAtMost {
				t.Errorf("%s with %d: %v, %d MB", name, status, err, grown>>20)
			}
		}
	}
}

// An answer that lacks what the specification requires is none: what it would say by leaving it out is not true.
func TestAnswersWithoutRequiredFields(t *testing.T) {
	for _, text := range []string{`{}`, `null`,
		`{"balances":null,"transactions":null,"aspsps":null,"session_id":null,"identification_hash":null,"status":null,"url":null}`,
		`{"identification_hash":"h","currency":"EUR","balances":[{"balance_type":"CLBD"}]}`,
		`{"identification_hash":"h","cash_account_type":"CACC","balances":[{"balance_amount":{"amount":"1","currency":"EUR"}}]}`} {
		tries := 0
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			tries++
			_, _ = fmt.Fprint(w, text)
		})
		for name, call := range calls {
			if name == "application" || name == "payment" { // their callers look themselves
				continue
			}
			tries = 0
			_, err := call(t.Context(), c)
			var useless *Unusable
			var answer *openbanking.Error
			if !errors.As(err, &useless) || !errors.As(err, &answer) || answer.HTTPStatus() != http.StatusBadGateway || tries != 1 {
				t.Errorf("%s with %s: %v after %d tries", name, text, err, tries)
			}
		}
	}
}

// What a service says about when to ask again is believed for a day at most: its clock, or ours, may be wrong.
func TestRetryAfterIsBounded(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"120": 2 * time.Minute, "31536000": 24 * time.Hour, "99999999999999999": 24 * time.Hour, "Fri, 31 Dec 9999 23:59:59 GMT": 24 * time.Hour,
		time.Now().Add(2 * time.Hour).UTC().Format(http.TimeFormat): 2 * time.Hour,
	} {
		got := retryAfter(&http.Response{Header: http.Header{"Retry-After": {text}}})
		if wait := time.Until(got); wait > want || wait < want-time.Minute {
			t.Errorf("%q: %v, want %v", text, wait, want)
		}
	}
	for _, text := range []string{"", "-1", "soon", "1e9"} {
		if got := retryAfter(&http.Response{Header: http.Header{"Retry-After": {text}}}); !got.IsZero() {
			t.Errorf("%q: %v", text, got)
		}
	}
}
