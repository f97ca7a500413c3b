package main

import "testing"

// reports are the pages of sums and charts that are requested in each ledger.
var reports = []struct{ name, path string }{
	{"report of a month: income and spending", "/reports?period=last-month&view=months"},
	{"chart of income and spending, 12 months", "/reports?view=months"},
	{"chart of income and spending, almost ten years", "/reports?period=days&from=2017-01-01&to=2026-06-30&view=months"},
	{"chart of categories, with streams (Sankey) and the year before, 12 months", "/reports?view=categories"},
	{"calendars of three months, day by day", "/reports?view=days"},
	{"report of payees, beside the year before, 12 months", "/reports?view=payees"},
	{"report of one payee, 12 months", "/reports?view=months&payee=Mercato+Nord"},
	{"report of tags, 12 months", "/reports?view=tags"},
	{"chart of net worth, 12 months", "/reports?view=worth"},
}

// measureReports requests the first page and reports in ledgers of several sizes.
func (s *shared) measureReports(b *testing.B) []quantity {
	readers := s.readers(b)
	found := []quantity{
		growth(readers, "first page", "", func(r *reader) float64 { return r.page(r.f.web + "/") }),
		growth(readers, "first page after a commit", "", func(r *reader) float64 { return r.afterCommits(r.f.web + "/") }),
	}
	largest := readers[len(readers)-1]
	account, _ := largest.accounts()
	beside := quantity{name: "first page, among 1,000,000", unit: "µs CPU", against: "the page of the account", goal: 1.5,
		reason: "it has seven cards: a quarter of its time draws them, a sixth makes the links behind the figures; none of it grows with the transactions"}
	fresh := quantity{name: "first page after a commit, among 1,000,000", unit: "µs CPU", against: "the page of the account after one", goal: 1.5,
		reason: "each card is made anew after a commit, whatever it changed"}
	for range rounds {
		beside.florin, beside.yardstick = append(beside.florin, largest.page(largest.f.web+"/")), append(beside.yardstick, largest.page(account))
		fresh.florin, fresh.yardstick = append(fresh.florin, largest.afterCommits(largest.f.web+"/")), append(fresh.yardstick, largest.afterCommits(account))
	}
	found = append(found, beside, fresh)
	for _, report := range reports {
		warm := growth(readers, report.name, "", func(r *reader) float64 { return r.page(r.f.web + report.path) })
		fresh := growth(readers, report.name+", after a commit", "", func(r *reader) float64 { return r.afterCommits(r.f.web + report.path) })
		found = append(found, warm, fresh)
	}
	return found
}
