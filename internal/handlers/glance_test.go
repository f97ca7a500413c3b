package handlers_test

import (
	"math"
	"net/http"
	"strings"
	"testing"
)

// glances are the pages with an overview.
var glances = []string{"/", "/reports", "/reports?view=categories", "/reports?view=days", "/reports?view=payees", "/reports?view=tags", "/reports?view=worth", "/budgets", "/recurring", "/forecast"}

// A row of 10^15 minor units is shown like any other. A sum that is larger than an amount can hold is left out with a sentence, and the rest of the page is
// shown.
func TestHugeRowsAtAGlance(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira := s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	s.spends(mira, map[string][]int64{"groceries": {-1_000_000_000_000_000, -30000, -1_000_000_000_000_000}, "dining": {-500, -500, -500}, "salary": {200000, 200000, 200000}})
	s.findRecurring()
	for _, page := range glances {
		b.get(page).status(http.StatusOK)
	}
	b.get("/").has("10,000,000,000,005.00 EUR") // beside the month before, which has none of it on its first nine days
	b.get("/reports?view=categories").has("10,<wbr>000,<wbr>000,<wbr>000,<wbr>000.00", "Restaurants and cafés")
	b.post("/budgets/new", map[string][]string{"month": {monthOf(0)}, "for": {"groceries"}, "currency": {"EUR"}, "amount": {"300"}}).to("/budgets?month=" + monthOf(0))
	b.get("/budgets").has("9,999,999,999,700.00 EUR overspent")

	const half = math.MaxInt64/2 + 1
	s.spends(mira, map[string][]int64{"groceries": {-half}, "rent": {-half}, "salary": {half}, "interest": {half}})
	for _, page := range glances {
		b.get(page).status(http.StatusOK).lacks("Something went wrong")
	}
	b.get("/").has("Newest transactions", "Purse")
	b.get("/reports").has("Some sums are too large to be shown. They are left out.")
	b.get("/budgets").has("46,126,860,184,273,579.04 EUR overspent", "Rent and housing")
}

// A month without data counts as a month in which nothing was spent.
func TestMonthsWithoutDataAtAGlance(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira := s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	s.spends(mira, map[string][]int64{"groceries": {0, 0, 0, -30000}})
	for _, page := range glances {
		b.get(page).status(http.StatusOK)
	}
	b.get("/?month="+monthOf(1)).status(http.StatusOK).has(monthsAgo(1).Format("January 2006"), "0.00 EUR")
	b.get("/reports").has(monthsAgo(3).Format("January 2006"), monthsAgo(1).Format("January 2006"))
	for _, view := range []string{"months", "categories", "days", "payees", "tags"} {
		if page := b.get("/reports?period=last-month&view=" + view).status(http.StatusOK).body; view != "days" && !strings.Contains(page, "There is nothing to show for this period.") {
			t.Errorf("the report %s does not say that there is nothing", view)
		}
	}
	b.get("/budgets?month=" + monthOf(1)).status(http.StatusOK).has("Start with these budgets")
}
