package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"florin/internal/config"
	"florin/internal/finance"
	"florin/internal/live"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
	"florin/internal/sqlite/sqlitetest"
	"florin/internal/store"
	"florin/internal/syncer"
	"florin/migrations"
)

// measureHistory measures two costs that must stay low: the memory that a sync needs for a long history, and the refresh that opening a page asks for.
func measureHistory(b *testing.B) []quantity {
	const short = 5_000
	memory := quantity{name: "most memory on the heap while 20,000 transactions are synced", unit: "MB", against: "the same with 5,000", goal: 1.2}
	for round := range 3 {
		memory.florin, memory.yardstick = append(memory.florin, heapOfSync(b, 4*short)), append(memory.yardstick, heapOfSync(b, short))
		b.Logf("round %d: %.1f MB, with a quarter of the rows %.1f MB", round+1, memory.florin[round], memory.yardstick[round])
	}
	return append([]quantity{memory}, measureStale(b)...)
}

// longHistory is a bank with this number of transactions, on pages of a thousand.
type longHistory int

func (longHistory) AccountDetails(context.Context, string, http.Header) (openbanking.AccountResource, error) {
	return openbanking.AccountResource{IdentificationHash: "h", Currency: "EUR", CashAccountType: openbanking.CashAccountTypeCACC}, nil
}

func (longHistory) Balances(context.Context, string, http.Header) ([]openbanking.BalanceResource, error) {
	return []openbanking.BalanceResource{{BalanceType: openbanking.BalanceStatusCLBD, BalanceAmount: openbanking.AmountType{Currency: "EUR", Amount: "100.00"}}}, nil
}

func (h longHistory) TransactionsPage(_ context.Context, _ string, q openbanking.TransactionsQuery, _ http.Header) (page openbanking.TransactionsPage,
	err error) {
	from, _ := strconv.Atoi(q.ContinuationKey)
	for i := from; i < min(from+1000, int(h)); i++ {
		reference, day, payee := fmt.Sprintf("R%d", i), openbanking.DateOf(time.Now().AddDate(0, 0, -1-i/20)), fmt.Sprintf("Shop %d", i%500)
		wire := openbanking.Transaction{EntryReference: &reference, BookingDate: &day, Status: openbanking.TransactionStatusBOOK,
			CreditDebitIndicator: openbanking.CreditDebitIndicatorDBIT,
			TransactionAmount:    openbanking.AmountType{Currency: "EUR", Amount: fmt.Sprintf("%d.%02d", i%90+1, i%100)},
			Creditor:             &openbanking.PartyIdentification{Name: &payee}, RemittanceInformation: []string{"Card payment", "terminal " + reference}}
		original, err := json.Marshal(wire)
		if err != nil {
			return page, err
		}
		page.Transactions, page.Originals = append(page.Transactions, wire), append(page.Originals, original)
	}
	if from += 1000; from < int(h) {
		next := strconv.Itoa(from)
		page.ContinuationKey = &next
	}
	return page, nil
}

func (longHistory) Session(context.Context, string) (openbanking.Session, error) {
	return openbanking.Session{Status: openbanking.SessionStatusAuthorized}, nil
}

// heapOfSync returns by how many MB the heap grows at most during a first sync of this number of transactions.
func heapOfSync(b *testing.B, rows int) float64 {
	b.Helper()
	ctx, path := b.Context(), filepath.Join(b.TempDir(), "app.db")
	check := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	sqlitetest.Make(b, path, migrations.App)
	key, err := store.LoadKey(filepath.Join(b.TempDir(), "secrets"))
	check(err)
	s, err := store.Open(ctx, path, key)
	check(err)
	defer s.Close()
	user, err := s.CreateUser(ctx, ownerEmail, finance.RoleOwner, "h")
	check(err)
	check(s.SaveProvider(ctx, finance.Provider{ID: "embedded", Name: "S", BaseURL: "http://bank.example", Environment: openbanking.EnvironmentSandbox, PrivateKey: "k"}))
	state, uid := finance.Secret(finance.NewID()), "u"
	attempt, err := s.CreateAttempt(ctx, finance.LinkAttempt{UserID: user.ID, ProviderID: "embedded", ASPSP: mammoth, PSUType: "personal",
		ValidUntil: time.Now().Add(time.Hour)}, state, "b", time.Minute)
	check(err)
	check(s.OpenAttempt(ctx, user.ID, attempt.ID, "https://bank.example", "psu"))
	attempt, err = s.UseAttempt(ctx, "embedded", state, "b")
	check(err)
	_, _, err = s.SaveLink(ctx, store.Link{Attempt: attempt, SessionID: "s", ValidUntil: time.Now().Add(time.Hour),
		Accounts: []openbanking.AccountResource{{UID: &uid, IdentificationHash: "h", IdentificationHashes: []string{"h"}, Currency: "EUR",
			CashAccountType: openbanking.CashAccountTypeCACC}}})
	check(err)
	sync := syncer.New(s, func(context.Context, finance.Provider) (syncer.API, error) { return longHistory(rows), nil }, live.NewHub(),
		slog.New(slog.DiscardHandler))

	defer debug.SetGCPercent(debug.SetGCPercent(10)) // collect garbage often, so that it hardly counts
	heap := func() float64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc) / (1 << 20)
	}
	runtime.GC()
	before, most := heap(), 0.0
	over, end := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(end)
		for {
			most = max(most, heap()-before)
			select {
			case <-over:
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	for next := time.Now(); !next.IsZero() && !next.After(time.Now()); {
		next, err = sync.Run(ctx)
		check(err)
	}
	close(over)
	<-end
	if accounts, err := s.Accounts(ctx, user.ID); err != nil || len(accounts) != 1 || accounts[0].Transactions != int64(rows) {
		b.Fatalf("%+v, %v", accounts, err)
	}
	return most
}

// measureStale opens pages whose figures are out of date, and the same pages when they are up to date. No background work runs, so the refreshes that pages ask
// for are not done.
func measureStale(b *testing.B) []quantity {
	folder := b.TempDir()
	makeLedger(b, folder, 1000)
	cfg, err := config.Load([]string{"--data-dir", folder}, noSettings, io.Discard)
	if err != nil {
		b.Fatal(err)
	}
	a, err := newApp(b.Context(), cfg.Settings, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	defer a.store.Close()
	db, err := sqlite.Open(b.Context(), filepath.Join(folder, appHalf.database))
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	read := func(ago time.Duration) {
		at := sqlite.At(time.Now().Add(-ago))
		if err := db.Write(b.Context(), func(tx *sqlite.Tx) error {
			_, err := tx.ExecContext(b.Context(), `UPDATE sync_task SET state = 'waiting', reads = '', attempts = 0, last_error_code = '', last_error_at = NULL, next_attempt_at = $1,
				last_started_at = $2, last_success_at = $2, first_success_at = $2`, sqlite.At(time.Now().Add(time.Hour)), at)
			return err
		}); err != nil {
			b.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond) // until Florin has noticed the commit (sqlite.DB.Stamp)
	}
	var cookies []*http.Cookie
	ask := func(method, path, form string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, cfg.Settings.PublicURL.String()+path, strings.NewReader(form))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		for _, c := range cookies {
			r.AddCookie(c)
		}
		w := httptest.NewRecorder()
		a.handler.ServeHTTP(w, r)
		return w
	}
	signedIn := ask(http.MethodPost, "/sign-in", url.Values{"email": {ownerEmail}, "password": {ownerPassword}}.Encode())
	if cookies = signedIn.Result().Cookies(); signedIn.Code != http.StatusSeeOther || len(cookies) == 0 {
		b.Fatalf("signing in answers %d: %s", signedIn.Code, signedIn.Body)
	}
	user, _, err := a.store.UserByEmail(b.Context(), ownerEmail)
	if err != nil {
		b.Fatal(err)
	}
	accounts, err := a.store.Accounts(b.Context(), user.ID)
	if err != nil {
		b.Fatal(err)
	}
	busy := func(page string) bool {
		return strings.Contains(page, "Syncing") || strings.Contains(page, "busy=true")
	}
	pid := os.Getpid()
	var found []quantity
	for _, page := range []struct{ name, path string }{{"first page", "/"}, {"account page", "/accounts/" + accounts[0].ID}} {
		q := quantity{name: page.name + " with stale figures, without the refresh that it asks for", unit: "µs CPU", against: "the same page, fresh", goal: 1.1,
			reason: "it shows how far the refresh of each account is"}
		took := func(ago time.Duration) float64 {
			const requests = 300
			read(ago)
			if w := ask(http.MethodGet, page.path, ""); w.Code != http.StatusOK || busy(w.Body.String()) != (ago > 0) {
				b.Fatalf("%s of %s ago answers %d:\n%s", page.path, ago, w.Code, w.Body)
			}
			before := exactTime(b, pid)
			for range requests {
				ask(http.MethodGet, page.path, "")
			}
			return 1000 * (exactTime(b, pid) - before) / requests
		}
		for range rounds {
			q.yardstick, q.florin = append(q.yardstick, took(0)), append(q.florin, took(6*time.Hour))
		}
		found = append(found, q)
	}
	return found
}
