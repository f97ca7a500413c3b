package main

import (
	"net/http"
	"net/url"
	"testing"
	"time"
)

// measureBudgets requests the budgets page in ledgers of several sizes, with a budget since two years for each category in use. The sums of months are cached
// between commits and read again after each one.
func (s *shared) measureBudgets(b *testing.B) []quantity {
	readers := s.readers(b)
	for _, r := range readers {
		for _, category := range []string{"groceries", "dining", "rent", "books", "group:living", "group:leisure", "group:transport"} {
			r.budget(category)
		}
	}
	return []quantity{
		growth(readers, "budgets of a month", "", func(r *reader) float64 { return r.page(r.f.web + "/budgets") }),
		growth(readers, "budgets of a month after a commit", "", func(r *reader) float64 { return r.afterCommits(r.f.web + "/budgets") }),
	}
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
