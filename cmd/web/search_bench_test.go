package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"florin/internal/contract/walk"
	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/store"
)

// ledgerSizes are the numbers of rows among which is searched. The first one is the yardstick of the others.
var ledgerSizes = []int{10_000, 100_000, 1_000_000}

// searches are what is asked of each ledger. A rare word and a rare amount stand in 20 rows of any ledger, a common one in every second, each beginning in many.
var searches = []struct{ name, path string }{
	{"list of all transactions", ""},
	{"search for a rare word", "?q=wintergarten"},
	{"search for a common word", "?q=card"},
	{"search for a beginning of two letters", "?q=ca"},
	{"search for a beginning of six letters", "?q=mercat"},
	{"search for a beginning of eight digits, of references that differ in each row", "?q=20260000"},
	{"search for an amount", "?q=4711.08"},
	{"search for a range of amounts", "?q=amount%3A20..40"},
	{"search by account, month and words", "?q=account%3Amammoth+on%3A2025-03+mercat+card"},
}

// previews are rules whose effect is looked at before they are saved: one fits 20 rows of any ledger, the other every sixth.
var previews = []struct{ name, text, reason string }{{"rule preview, a rare word", "wintergarten", ""},
	{"rule preview, every sixth transaction", "bookshop", "it decides six times as many: 1,667 there, and here the 10,000 at which it stops"}}

// measureSearch asks ledgers of several sizes the same, each in a Florin of its own that has nothing else to do. Totals are remembered from the request before, as they are
// while nothing is written, but for the rows after a commit.
func measureSearch(b *testing.B) []quantity {
	var readers []*reader
	for _, rows := range ledgerSizes {
		began := time.Now()
		folder := ledger(b, rows)
		b.Logf("%d rows: made in %.0f s", rows, time.Since(began).Seconds())
		r := newReader(b, launchWith(b, oneCore, folder, anywhere...))
		r.rested()
		readers = append(readers, r)
	}
	const requests = 100
	var found []quantity
	ask := func(name, what string, measure func(r *reader) float64) {
		size := quantity{name: fmt.Sprintf("%s, among %s", name, figure(float64(ledgerSizes[2]))), unit: "µs CPU",
			against: "the same among " + figure(float64(ledgerSizes[0])) + what, goal: 2}
		var between []float64
		for range rounds {
			for i, r := range readers {
				took := measure(r)
				switch i {
				case 0:
					size.yardstick = append(size.yardstick, took)
				case len(readers) - 1:
					size.florin = append(size.florin, took)
				default:
					between = append(between, took)
				}
			}
		}
		size.note = fmt.Sprintf("%s, among %s: %s µs CPU.\n", name, figure(float64(ledgerSizes[1])), figure(median(between)))
		found = append(found, size)
	}
	for _, s := range searches {
		ask(s.name, ", totals remembered in both", func(r *reader) float64 {
			return r.cpu(r.f.process.Process.Pid, r.f.web+"/transactions"+s.path, requests)
		})
	}
	ask("search for a common word after a commit, with its totals", "", func(r *reader) float64 { return r.afterCommits(r.f.web + "/transactions?q=card") })
	for _, p := range previews {
		ask(p.name, "", func(r *reader) float64 { return r.preview(p.text) })
		found[len(found)-1].reason = p.reason
	}
	// The page of an account beside a search on it, among as many rows.
	largest := readers[len(readers)-1]
	account, _ := largest.accounts()
	for _, text := range []string{"wintergarten", "card"} {
		beside := quantity{name: fmt.Sprintf("first page of a search for %q, among 1,000,000", text), unit: "µs CPU", against: "the page of the account", goal: 2}
		for range rounds {
			beside.florin = append(beside.florin, largest.cpu(largest.f.process.Process.Pid, largest.f.web+"/transactions?q="+url.QueryEscape(text), requests))
			beside.yardstick = append(beside.yardstick, largest.cpu(largest.f.process.Process.Pid, account, requests))
		}
		found = append(found, beside)
	}
	for _, r := range readers {
		if err := r.f.end(); err != nil {
			b.Fatal(err)
		}
	}
	return found
}

// rested waits until Florin does nothing by itself for three seconds: after a start it checks its databases, and looks what has to be done.
func (r *reader) rested() {
	r.b.Helper()
	before := exactTime(r.b, r.f.process.Process.Pid)
	for still := 0; still < 3; still++ {
		time.Sleep(time.Second)
		now := exactTime(r.b, r.f.process.Process.Pid)
		if now-before > 5 { // milliseconds
			still = -1
		}
		before = now
	}
}

// preview is how much CPU time in microseconds the preview of a rule for a word of the text takes.
func (r *reader) preview(text string) float64 {
	r.b.Helper()
	const times = 10
	before := exactTime(r.b, r.f.process.Process.Pid)
	for range times {
		response, err := r.client.PostForm(r.f.web+"/rules", url.Values{"texts": {text}, "category": {"books"}})
		if err != nil {
			r.b.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK || !strings.Contains(string(body), "of your transactions") {
			r.b.Fatalf("the preview answers %d: %v\n%s", response.StatusCode, err, body)
		}
	}
	return 1000 * (exactTime(r.b, r.f.process.Process.Pid) - before) / times
}

// ledger makes a data folder of a person with an account of so many rows, over ten years. The rows go the way of those that a bank lists, without the bank.
func ledger(b *testing.B, rows int) (folder string) {
	b.Helper()
	folder = b.TempDir()
	f := launch(b, folder, anywhere...)
	p := newPerson(b)
	p.setUp(f)
	p.link(f, mammoth.Name, mammoth.Country, walk.Person{Username: "1000", Password: "mammoth"})
	f.synced()
	if err := f.end(); err != nil {
		b.Fatal(err)
	}
	key, err := store.LoadKey(filepath.Join(folder, "secrets"))
	if err != nil {
		b.Fatal(err)
	}
	s, err := store.Open(b.Context(), filepath.Join(folder, "app.db"), key)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	user, _, err := s.UserByEmail(b.Context(), ownerEmail)
	if err != nil {
		b.Fatal(err)
	}
	connections, err := s.Connections(b.Context(), user.ID)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := s.SyncNow(b.Context(), user.ID, connections[0].ID, "bench"); err != nil {
		b.Fatal(err)
	}
	never := time.Now().AddDate(1, 0, 0) // no sync runs while something is measured
	for stored := false; ; {
		claim, ok, _, err := s.ClaimTask(b.Context(), time.Hour)
		switch {
		case err != nil:
			b.Fatal(err)
		case !ok && !stored:
			b.Fatal("no task is due")
		case !ok:
			return folder
		case claim.Task.Scope != finance.ScopeTransactions:
			if err := s.FailTask(b.Context(), claim, finance.Failure{}, never, false); err != nil {
				b.Fatal(err)
			}
			continue
		}
		stored = true
		day := openbanking.DateOf(time.Now())
		if err := s.BeginRun(b.Context(), &claim, "longest", day, time.Hour); err != nil { // the rows of the bank say nothing about these
			b.Fatal(err)
		}
		const batch = 2000
		for from := 0; from < rows; from += batch {
			page := store.Page{Next: finance.Secret(fmt.Sprint("from ", from+batch))}
			if from+batch >= rows {
				page.Next = ""
			}
			for i := from; i < min(from+batch, rows); i++ {
				page.Entries = append(page.Entries, ledgerEntry(b, i, rows))
			}
			if err := s.ApplyPage(b.Context(), &claim, page, time.Hour, never); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// ledgerEntry is the row at a place from the newest of so many.
func ledgerEntry(b *testing.B, at, of int) finance.Entry {
	b.Helper()
	const days = 3650
	day := openbanking.DateOf(time.Now().AddDate(0, 0, -1-at*days/of))
	kind, payee := "Card payment", []string{"Mercato Nord", "Mercateria Sol", "Bakery Korn", "Tram and Bus", "Café Lumen", "Bookshop Page"}[at%6]
	if at%2 == 1 {
		kind = "Transfer"
	}
	text, amount := []string{kind, strings.ToUpper(payee), "terminal", fmt.Sprint(at % 997)}, fmt.Sprintf("%d.%02d", at*7%211, at*31%100)
	if at%(of/20) == of/40 {
		text, amount = append(text, "wintergarten"), "4711.08"
	}
	reference := fmt.Sprintf("2026%08d", at)
	wire := openbanking.Transaction{EntryReference: &reference, BookingDate: &day, Status: openbanking.TransactionStatusBOOK,
		TransactionAmount:     openbanking.AmountType{Currency: "EUR", Amount: amount},
		CreditDebitIndicator:  openbanking.CreditDebitIndicatorDBIT,
		Creditor:              &openbanking.PartyIdentification{Name: &payee},
		RemittanceInformation: []string{strings.Join(text, " ")}}
	original, err := json.Marshal(wire)
	if err != nil {
		b.Fatal(err)
	}
	entry, err := finance.Reader{Currency: "EUR", Today: openbanking.DateOf(time.Now())}.Read(wire, original)
	if err != nil {
		b.Fatal(err)
	}
	return entry
}
