package offers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"florin/internal/bank"
	"florin/internal/bank/apitest"
	"florin/internal/finance"
	"florin/internal/live"
	"florin/internal/openbanking"
	"florin/internal/payments"
	"florin/internal/store"
)

// Once an answer of the service is known, no page waits for a service that hangs. One question serves all pages, and a visitor who leaves does not count as an
// answer.
func TestOffersAreNotWaitedFor(t *testing.T) {
	asked, hang := make(chan struct{}, 100), make(chan struct{})
	answers := true
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked <- struct{}{}
		if !answers {
			<-hang
		}
		_ = json.NewEncoder(w).Encode(openbanking.Application{Services: []openbanking.Service{openbanking.ServiceAIS}, Active: true})
	}))
	defer service.Close()
	key, err := store.NewKey(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	data, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "app.db"), key)
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	if err := data.SaveProvider(t.Context(), finance.Provider{ID: "p", Name: "S", BaseURL: service.URL, ApplicationID: "app",
		Environment: openbanking.EnvironmentSandbox, PrivateKey: "k"}); err != nil {
		t.Fatal(err)
	}
	fresh := func() *Offers {
		log := slog.New(slog.DiscardHandler)
		return New(payments.New(payments.Options{Store: data, Hub: live.NewHub(), Log: log,
			Connect: func(context.Context, finance.Provider) (payments.API, error) {
				return bank.New(service.URL, apitest.Signer{})
			}}), log)
	}
	o := fresh()
	gone, leave := context.WithCancel(t.Context())
	leave()
	if list, err := o.All(gone); err == nil && len(list) == 0 || err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", list, err)
	}
	list, err := o.All(t.Context())
	if err != nil || len(list) != 1 || list[0].Allowed || list[0].Problem != nil {
		t.Errorf("%+v, %v", list, err)
	}
	if n := len(asked); n != 1 {
		t.Errorf("asked %d times", n)
	}

	<-asked
	known := o.list
	o, answers = fresh(), false
	o.list = known // an old answer
	for range 20 {
		if list, err = o.All(t.Context()); err != nil || len(list) != 1 || list[0].Allowed {
			t.Errorf("%+v, %v", list, err)
		}
	}
	o.mu.Lock()
	asking := o.asking
	o.mu.Unlock()
	if asking == nil {
		t.Fatal("the page waited for the service")
	}
	<-asked
	if n := len(asked); n != 0 {
		t.Errorf("the service was asked %d more times meanwhile", n)
	}
	close(hang)
	<-asking
}
