package main

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"
)

// measureBudgets asks for the page of budgets of ledgers of several sizes, with a budget for each category in use which began two years ago. Between commits the sums of months are
// remembered; after one they are read again.
func measureBudgets(b *testing.B) []quantity {
	var readers []*reader
	for _, rows := range ledgerSizes {
		r := newReader(b, launchWith(b, oneCore, ledger(b, rows), anywhere...))
		for _, category := range []string{"groceries", "dining", "rent", "books", "group:living", "group:leisure", "group:transport"} {
			r.budget(category)
		}
		r.rested()
		readers = append(readers, r)
	}
	largest, smallest := readers[len(readers)-1], readers[0]
	var found []quantity
	ask := func(name string, measure func(r *reader) float64) {
		q := quantity{name: fmt.Sprintf("%s, among %s", name, figure(float64(ledgerSizes[2]))), unit: "µs CPU", against: "the same among " + figure(float64(ledgerSizes[0])), goal: 2}
		for range rounds {
			q.yardstick = append(q.yardstick, measure(smallest))
			q.florin = append(q.florin, measure(largest))
		}
		q.note = fmt.Sprintf("%s, among %s: %s µs CPU.\n", name, figure(float64(ledgerSizes[1])), figure(measure(readers[1])))
		found = append(found, q)
	}
	ask("budgets of a month", func(r *reader) float64 { return r.cpu(r.f.process.Process.Pid, r.f.web+"/budgets", 100) })
	ask("budgets of a month after a commit", func(r *reader) float64 { return r.afterCommits(r.f.web + "/budgets") })
	for _, r := range readers {
		if err := r.f.end(); err != nil {
			b.Fatal(err)
		}
	}
	return found
}

// budget sets a budget from two years ago on.
func (r *reader) budget(category string) {
	r.b.Helper()
	from := time.Now().AddDate(-2, 0, 0).Format("2006-01")
	response, err := r.client.PostForm(r.f.web+"/budgets/new", url.Values{"for": {category}, "month": {from}, "currency": {"EUR"}, "amount": {"300"}, "left": {"yes"}})
	if err != nil {
		r.b.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		r.b.Fatalf("a budget for %s is answered with %d", category, response.StatusCode)
	}
}
