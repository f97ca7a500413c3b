package handlers_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// keep makes an account with rows that the visitor writes, and returns the address of its page. A row is "day payee amount"; an amount with a plus is money in.
func (b *browser) keep(name string, rows ...string) string {
	b.site.t.Helper()
	account := b.created(url.Values{"source": {"manual"}, "name": {name}, "type": {"CASH"}, "currency": {"EUR"}, "amount": {"100"}, "day": {"2020-01-01"}})
	for _, row := range rows {
		parts := strings.Fields(row)
		amount, in := strings.CutPrefix(parts[2], "+")
		direction := map[bool]string{true: "in", false: "out"}[in]
		b.post(account+"/add", url.Values{"direction": {direction}, "amount": {amount}, "day": {parts[0]}, "payee": {parts[1]}}).to(account)
	}
	return account
}

// linkBefore finds the link of a figure in a row or a sentence that begins with a name.
func linkBefore(t *testing.T, page, before string) string {
	t.Helper()
	at := strings.Index(page, before)
	if at < 0 {
		t.Fatalf("the page does not have %q", before)
	}
	found := regexp.MustCompile(`href="(/transactions[^"]*)"`).FindAllStringSubmatchIndex(page[:at], -1)
	if len(found) == 0 {
		t.Fatalf("no link before %q", before)
	}
	last := found[len(found)-1]
	return html.UnescapeString(page[last[2]:last[3]])
}

// The dashboard compares, by category, what was spent this month until today with the months before until the same day. Each figure leads to a list with the
// same total. Another month is shown in full.
func TestDashboardMonth(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("ada@example.org")
	b := s.signedIn("ada@example.org")
	now := time.Now().UTC()
	first := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	before, last := first.AddDate(0, -1, 0), first.AddDate(0, 0, -1)
	b.keep("Wallet", first.Format(time.DateOnly)+" REWE 40.10", first.Format(time.DateOnly)+" Zzyzx 5", first.Format(time.DateOnly)+" Work +1000",
		before.Format(time.DateOnly)+" REWE 52", last.Format(time.DateOnly)+" ALDI 8")
	until := min(now.Day(), last.Day())
	old := "52.00" // until the same day
	if until == last.Day() {
		old = "60.00"
	}
	page := b.get("/").has(now.Format("January 2006")+" so far", "You have spent 45.10 EUR. That is", before.AddDate(0, 0,
		until-1).Format("less than you had spent by 2 January."),
		"Money in and out", "Newest transactions", "Zzyzx", "1,000.00").body
	for name, total := range map[string]string{"<bdi>Groceries": "40.10", "<bdi>No category": "5.00", "<bdi>Until " + now.Format("2 January"): "45.10",
		"<bdi>Until " + before.AddDate(0, 0, until-1).Format("2 January"): old, ">+1,000.00": "1,000.00"} {
		link := linkBefore(t, page, name)
		list := b.get(link).body
		_, sums, found := strings.Cut(list, "Totals of what was found")
		if !found || !strings.Contains(sums[:min(len(sums), 1500)], total) {
			t.Errorf("%s leads to %s, whose totals are not %s", name, link, total)
		}
	}
	month := b.get("/?month="+before.Format("2006-01")).has(before.Format("January 2006"), "60.00 EUR", "Later").lacks("so far", "You spent").body
	if list := b.get(linkBefore(t, month, "<bdi>Groceries")).body; !strings.Contains(list, "60.00") || !strings.Contains(list, "2 transactions") {
		t.Error("the groceries of last month do not list both rows")
	}
	b.get("/?month=2020-01").has("January 2020")
	for _, wrong := range []string{"2999-01", "oops", "2026-13", "0001-01", strings.Repeat("9", 4000)} {
		b.get("/?month=" + wrong).status(http.StatusOK).has("so far")
	}
	b.languages = "de"
	b.get("/").has("bisher", "Sie haben 45,10 EUR ausgegeben.", "Lebensmittel")
	s.user("tom@example.org")
	s.signedIn("tom@example.org").get("/").has("No bank is linked yet").lacks("so far", "Zzyzx")
}

// Cards are put in order, hidden and shown with buttons, for each person alone.
func TestDashboardCards(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("ada@example.org")
	s.user("tom@example.org")
	b, tom := s.signedIn("ada@example.org"), s.signedIn("tom@example.org")
	today := time.Now().UTC().Format(time.DateOnly)
	for _, one := range []*browser{b, tom} {
		one.keep("Wallet", today+" REWE 40")
	}
	order := func(b *browser) (titles []string) {
		for _, found := range regexp.MustCompile(`<h2 class="bank-name" id="([a-z-]+)"`).FindAllStringSubmatch(b.get("/").body, -1) {
			titles = append(titles, found[1])
		}
		return titles
	}
	place := func(card, do string) { b.post("/cards", url.Values{"card": {card}, "do": {do}}).to("/cards") }
	first := []string{"month-title", "coming-payments", "history", "kept", "flow", "recent"}
	if got := order(b); !slices.Equal(got, first) {
		t.Fatalf("at first %v", got)
	}
	b.get("/cards").has("What the overview shows", "Newest transactions", "Saved searches")
	place("accounts", "up")
	place("accounts", "up")
	place("flow", "hide")
	place("month", "down")
	if got := order(b); !slices.Equal(got, []string{"kept", "month-title", "coming-payments", "history", "recent"}) {
		t.Errorf("afterwards %v", got)
	}
	b.get("/cards").has("Hidden", ">Show<")
	if got := order(tom); !slices.Equal(got, first) {
		t.Errorf("somebody else has %v", got)
	}
	for _, form := range []url.Values{{"card": {"weather"}, "do": {"up"}}, {"card": {"flow"}, "do": {"away"}}, {}} {
		b.post("/cards", form).status(http.StatusNotFound)
	}
	place("flow", "show")
	place("", "reset")
	if got := order(b); !slices.Equal(got, first) {
		t.Errorf("as it was at first: %v", got)
	}
}

// With many accounts those of a bank are folded, with their sum.
func TestDashboardWithManyAccounts(t *testing.T) {
	t.Parallel()
	_, b, _ := linkedSite(t, transactions(3))
	b.get("/").lacks("bank-rows-")
	for range 8 {
		b.keep("Jar")
	}
	b.get("/").has(`id="bank-rows-`, "2 accounts: ", "Jar")
}
