package api

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
	"florin/internal/strictjson"
)

// arriving is a body that never ends and counts what was read of it.
type arriving struct {
	read int
	stop error // what comes after the first bytes
}

func (b *arriving) Read(p []byte) (int, error) {
	if b.read > ordinaryBody && b.stop != nil {
		return 0, b.stop
	}
	p = p[:min(len(p), 1+ordinaryBody-b.read%(1+ordinaryBody))]
	b.read += len(p)
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// Of many large bodies of one caller few are read; of the others no more than the first bytes, until their turn comes or they have waited too long.
// Another caller has places of its own, and small bodies wait for nothing.
func TestLargeBodiesWait(t *testing.T) {
	for name, do := range map[string]func(*api, *request) error{
		"a payment": func(a *api, r *request) error { _, err := a.createPayment(r); return err },
		"another":   func(a *api, r *request) error { return a.decode(r, new(openbanking.StartAuthorizationRequest)) },
	} {
		a := &api{bodies: newBodies()}
		call := func(ctx context.Context, app string, body io.Reader) *request {
			return &request{
				Request: httptest.NewRequestWithContext(ctx, "POST", "/", body), App: aggregator.Application{ID: app}, reply: http.Header{},
				body: bodyBound{maxBody, strictjson.Bound{Values: 10, Objects: 10, Depth: 10}},
			}
		}
		var held []func()
		for range largeOfOne {
			release, err := a.bodies.place(call(t.Context(), "one", nil))
			if err != nil {
				t.Fatal(err)
			}
			held = append(held, release)
		}
		var refused *openbanking.Error
		waiting := new(arriving)
		r := call(t.Context(), "one", waiting)
		a.bodies.wait = 0
		if err := do(a, r); !errors.As(err, &refused) || refused.Status != http.StatusTooManyRequests || r.reply.Get("Retry-After") == "" {
			t.Errorf("%s: one large body too many: %v", name, err)
		}
		a.bodies.wait = time.Hour
		if waiting.read > ordinaryBody+1 {
			t.Errorf("%s: %d bytes of a body that waits are in memory", name, waiting.read)
		}
		if err := do(a, call(t.Context(), "one", strings.NewReader("{}"))); !errors.Is(err, openbanking.WrongRequestParameters) {
			t.Errorf("%s: a small body: %v", name, err)
		}
		large := "{" + strings.Repeat(" ", ordinaryBody) + "}"
		if err := do(a, call(t.Context(), "two", strings.NewReader(large))); !errors.Is(err, openbanking.WrongRequestParameters) {
			t.Errorf("%s: a large body of another caller: %v", name, err)
		}
		held[0]()
		for range largeOfAll + 1 { // the places are given back, whatever comes of the body
			if err := do(a, call(t.Context(), "one", strings.NewReader(large))); !errors.Is(err, openbanking.WrongRequestParameters) {
				t.Errorf("%s: a large body: %v", name, err)
			}
			if err := do(a, call(t.Context(), "one", &arriving{stop: io.ErrUnexpectedEOF})); !errors.Is(err, openbanking.WrongRequestParameters) {
				t.Errorf("%s: a body that breaks off: %v", name, err)
			}
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		a.bodies.work <- struct{}{} // one has arrived and is worked on
		if err := do(a, call(gone, "two", strings.NewReader(large))); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: a large body while another is worked on: %v", name, err)
		}
		<-a.bodies.work
		held[1]()
		if len(a.bodies.all) != 0 || len(a.bodies.of["one"]) != 0 || len(a.bodies.of["two"]) != 0 {
			t.Errorf("%s: places are kept", name)
		}
	}
}

// The bodies that are written without the lists of openbanking are written like those with them.
func TestBodiesAreThoseOfTheSpecification(t *testing.T) {
	name, key := "n & <m>", "next"
	date := openbanking.Date("2026-11-20")
	balance := openbanking.BalanceResource{Name: name, BalanceAmount: openbanking.AmountType{Currency: "EUR", Amount: "1.00"},
		BalanceType: openbanking.BalanceStatusCLBD, ReferenceDate: &date}
	row := openbanking.Transaction{EntryReference: &name, RemittanceInformation: []string{name}, BookingDate: &date}
	for _, pair := range []struct{ got, want any }{
		{balancesBody{list[openbanking.BalanceResource](nil)}, openbanking.HalBalances{}},
		{balancesBody{list(openbanking.List[openbanking.BalanceResource]{balance, balance})},
			openbanking.HalBalances{Balances: openbanking.List[openbanking.BalanceResource]{balance, balance}}},
		{transactionsBody{list[openbanking.Transaction](nil), nil}, openbanking.HalTransactions{}},
		{transactionsBody{list(openbanking.List[openbanking.Transaction]{row}), &key},
			openbanking.HalTransactions{Transactions: openbanking.List[openbanking.Transaction]{row}, ContinuationKey: &key}},
	} {
		got, err := json.Marshal(pair.got)
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(pair.want)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("got %s, want %s", got, want)
		}
		if a, b := reflect.TypeOf(pair.got).NumField(), reflect.TypeOf(pair.want).NumField(); a != b {
			t.Errorf("%T has %d fields, %T has %d", pair.got, a, pair.want, b)
		}
	}
}
