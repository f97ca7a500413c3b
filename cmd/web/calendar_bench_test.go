package main

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"florin/internal/config"
	"florin/internal/finance"
	"florin/internal/sqlite"
	"florin/web/templates/paths"
)

// measureCalendar measures a calendar that is read again unchanged, and the page of an account whose transactions the bank has changed twenty times. No
// background work runs.
func measureCalendar(b *testing.B) []quantity {
	folder := b.TempDir()
	makeLedger(b, folder, 1000)
	db, err := sqlite.Open(b.Context(), filepath.Join(folder, appHalf.database))
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	write := func(query string) {
		b.Helper()
		if err := db.Write(b.Context(), func(tx *sqlite.Tx) error {
			_, err := tx.ExecContext(b.Context(), query)
			return err
		}); err != nil {
			b.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond) // until Florin has noticed the commit (sqlite.DB.Stamp)
	}
	cfg, err := config.Load([]string{"--data-dir", folder}, noSettings, io.Discard)
	if err != nil {
		b.Fatal(err)
	}
	pid := os.Getpid()
	same := quantity{name: "calendar that has not changed, answered 304", unit: "µs", against: "the same file, sent whole", goal: 1.1}
	known := quantity{name: "account page with 20,000 former states of transactions", unit: "µs CPU", against: "the same page without any", goal: 1.1}
	for range rounds { // each with a new Florin, because a person's calendar programs may send only 20 requests at once
		a, err := newApp(b.Context(), cfg.Settings, slog.New(slog.DiscardHandler))
		if err != nil {
			b.Fatal(err)
		}
		ask := func(method, path, body string, header http.Header) *httptest.ResponseRecorder {
			r := httptest.NewRequest(method, cfg.Settings.PublicURL.String()+path, strings.NewReader(body))
			for name, values := range header {
				r.Header[name] = values
			}
			w := httptest.NewRecorder()
			a.handler.ServeHTTP(w, r)
			return w
		}
		user, _, err := a.store.UserByEmail(b.Context(), ownerEmail)
		if err != nil {
			b.Fatal(err)
		}
		for next := time.Now(); !next.IsZero() && !next.After(time.Now()); {
			if next, err = a.store.FindRecurring(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
		token := finance.Secret(finance.NewID())
		if err := a.store.MakeCalendar(b.Context(), finance.Calendar{UserID: user.ID, Amounts: true, Names: true}, token); err != nil {
			b.Fatal(err)
		}
		file := paths.CalendarFile(token.Reveal())
		const asks = 9
		first := ask(http.MethodGet, file, "", nil)
		if events := strings.Count(first.Body.String(), "BEGIN:VEVENT"); first.Code != http.StatusOK || events == 0 {
			b.Fatalf("the calendar answers %d with %d events", first.Code, events)
		}
		took := func(status int, header http.Header) float64 {
			began := time.Now() // CPU time is measured too coarsely for a few answers
			for range asks {
				if w := ask(http.MethodGet, file, "", header); w.Code != status {
					b.Fatalf("the calendar answers %d, not %d", w.Code, status)
				}
			}
			return 1000 * milliseconds(time.Since(began)) / asks
		}
		same.yardstick = append(same.yardstick, took(http.StatusOK, nil))
		same.florin = append(same.florin, took(http.StatusNotModified, http.Header{"If-None-Match": {first.Header().Get("ETag")}}))

		form := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Sec-Fetch-Site": {"same-origin"}}
		signedIn := ask(http.MethodPost, "/sign-in", url.Values{"email": {ownerEmail}, "password": {ownerPassword}}.Encode(), form)
		cookies := http.Header{}
		for _, c := range signedIn.Result().Cookies() {
			cookies.Add("Cookie", c.Name+"="+c.Value)
		}
		accounts, err := a.store.Accounts(b.Context(), user.ID)
		if err != nil {
			b.Fatal(err)
		}
		page := func() float64 {
			const requests = 300
			address := paths.Account(accounts[0].ID)
			if w := ask(http.MethodGet, address, "", cookies); w.Code != http.StatusOK {
				b.Fatalf("the page answers %d", w.Code)
			}
			began := exactTime(b, pid)
			for range requests {
				ask(http.MethodGet, address, "", cookies)
			}
			return 1000 * (exactTime(b, pid) - began) / requests
		}
		write(`DELETE FROM transaction_version`)
		known.yardstick = append(known.yardstick, page())
		// The versions of twenty days, before the person last looked.
		write(`WITH RECURSIVE day (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM day WHERE n < 20)
			INSERT INTO transaction_version (transaction_id, until, since, account_id, sort_key, unlisted, by_hand, minor, currency, display_date, booking_date, value_date,
				counterparty, payee, counterparty_account, remittance, kind)
			SELECT t.id, strftime('%Y-%m-%dT%H:%M:%fZ', start.began, '-' || day.n || ' days'), strftime('%Y-%m-%dT%H:%M:%fZ', start.began, '-' || (day.n + 1) || ' days'), t.account_id,
				t.sort_key, 0, 0, t.minor, t.currency, t.display_date, t.booking_date, t.value_date, t.counterparty, t.payee, t.counterparty_account, t.remittance || day.n, t.kind
			FROM booked_transaction t CROSS JOIN day CROSS JOIN history_start start`)
		known.florin = append(known.florin, page())
		if err := a.store.Close(); err != nil {
			b.Fatal(err)
		}
	}
	return []quantity{same, known}
}
