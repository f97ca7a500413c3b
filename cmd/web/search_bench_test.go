package main

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// searches are the searches measured on each ledger. A rare word and a rare amount are in 20 rows of any ledger, a common one in every second row, and many
// words share its beginning.
var searches = []struct{ name, path, reason string }{
	{"list of all transactions", "", ""},
	{"search for a rare word", "?q=wintergarten", ""},
	{"search for a common word", "?q=card", ""},
	{"search for a beginning of two letters", "?q=ca", ""},
	{"search for a beginning of six letters", "?q=mercat", ""},
	{"search for a beginning of eight digits, of references that differ in each row", "?q=20260000", ""},
	{"search for an amount", "?q=4711.08", ""},
	{"search for a range of amounts", "?q=amount%3A20..40", ""},
	{"search for a payee by its exact name", "?q=payee%3A%3D%22Mercato+Nord%22", ""},
	{"search by account, month and words", "?q=account%3Amammoth+on%3A2025-03+mercat+card",
		"the page is full here, with 50 rows; that month has 14 of them among 10,000"},
}

// previews are rules whose effect is previewed: one fits 20 rows of any ledger, the other every sixth row.
var previews = []struct{ name, text, reason string }{{"rule preview, a rare word", "wintergarten", ""},
	{"rule preview, every sixth transaction", "bookshop", "it decides six times as many: 1,667 there, and here the 10,000 at which it stops"}}

// measureSearch sends the same requests to ledgers of several sizes, each in a Florin of its own that does nothing else. Totals are cached from the request
// before, as long as nothing is written. The measurements after a commit compute them again.
func (s *shared) measureSearch(b *testing.B) []quantity {
	readers := s.readers(b)
	var found []quantity
	for _, search := range searches {
		found = append(found, growth(readers, search.name, ", totals remembered in both", func(r *reader) float64 { return r.page(r.f.web + "/transactions" + search.path) }))
		found[len(found)-1].reason = search.reason
	}
	found = append(found, growth(readers, "search for a common word after a commit, with its totals", "",
		func(r *reader) float64 { return r.afterCommits(r.f.web + "/transactions?q=card") }))
	found[len(found)-1].reason = "10,000 matches are added up there, as many as a total ever has, and 1,667 among 10,000"
	for _, p := range previews {
		found = append(found, growth(readers, p.name, "", func(r *reader) float64 { return r.preview(p.text) }))
		found[len(found)-1].reason = p.reason
	}
	// A search in the largest ledger, compared with the page of an account with as many rows.
	largest := readers[len(readers)-1]
	account, _ := largest.accounts()
	for _, text := range []string{"wintergarten", "card"} {
		beside := quantity{name: fmt.Sprintf("first page of a search for %q, among 1,000,000", text), unit: "µs CPU", against: "the page of the account", goal: 2}
		for range rounds {
			beside.florin = append(beside.florin, largest.page(largest.f.web+"/transactions?q="+url.QueryEscape(text)))
			beside.yardstick = append(beside.yardstick, largest.page(account))
		}
		found = append(found, beside)
	}
	return found
}

// preview returns how much CPU time, in microseconds, the preview of a rule for a word of the text takes.
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
