package handlers_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"florin/internal/openbanking"
)

// findRecurring looks for series until nothing is left, as the loop in the background does.
func (s *site) findRecurring() {
	s.t.Helper()
	for {
		next, err := s.store.FindRecurring(s.t.Context())
		must(s.t, err)
		if next.IsZero() {
			return
		}
	}
}

// A payment that recurs has a page with its rows as evidence. What the person decides about it is kept, without JavaScript and in German, too.
func TestRecurring(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	employer := "Vogel Maschinenbau"
	var rows []openbanking.Transaction
	for n := range 5 {
		rows = append(rows, debit("film"+string(rune('a'+n)), map[bool]string{true: "12.99", false: "9.99"}[n == 0], "Film club", "", -3-30*n),
			debit("rent"+string(rune('a'+n)), "850.00", "Erika Sauer", "", -6-30*n))
		paid := debit("pay"+string(rune('a'+n)), "2500.00", "", "", -12-30*n)
		paid.CreditDebitIndicator, paid.Debtor = openbanking.CreditDebitIndicatorCRDT, &openbanking.PartyIdentification{Name: &employer}
		rows = append(rows, paid)
	}
	s.service.rows["uid-1"] = append(rows, debit("shop", "7.77", "Kaufhaus", "", -9))
	s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	b.get("/recurring").has("Nothing recurring yet", `aria-current="page"`)
	attempt := b.start(elbe)
	b.get(s.back()).to(attempt)
	s.syncAll()
	s.findRecurring()
	page := b.get("/recurring").status(http.StatusOK).has("Subscriptions and bills add up to 862.99 EUR a month, 10,355.88 EUR a year.", "9.99 EUR until", "now higher", "Every month, next on",
		"Film club", "Erika Sauer", "Income", employer, "The next 30 days").lacks("Kaufhaus", "Dismissed", "Ended")
	series := map[string]string{}
	for _, m := range regexp.MustCompile(`href="(/recurring/[^"]+)"><bdi>([^<]+)<`).FindAllStringSubmatch(page.body, -1) {
		series[m[2]] = m[1]
	}
	film, rent := series["Film club"], series["Erika Sauer"]
	evidence := b.get(film).status(http.StatusOK).has("Film club", "Established: at least three transactions", "9.99 EUR until", "In a year", "155.88 EUR", `<option value="`+strings.TrimPrefix(rent, "/recurring/"))
	evidence.lacks(employer + " ·")
	if n := strings.Count(evidence.body, "/transactions/"); n < 5 {
		t.Errorf("%d rows as evidence", n)
	}
	b.get(rowAddress.FindString(evidence.body)).has("Comes again and again", `href="`+film+`"`, "Every month, next on")
	german := s.signedIn("mira@example.org")
	german.languages = "de"
	german.get("/recurring").has("Abos und Rechnungen machen 862,99 EUR im Monat aus", "Monatlich, das nächste Mal am")

	other := s.user("bo@example.org")
	stranger := s.signedIn(other.Email)
	stranger.get(film).status(http.StatusNotFound)
	stranger.post(film+"/choice", url.Values{"choice": {"dismissed"}}).status(http.StatusNotFound)
	stranger.get("/recurring").lacks("Film club")

	b.post(film+"/name", url.Values{"name": {strings.Repeat("x", 71)}}).status(http.StatusUnprocessableEntity).has("The name has 71 characters; at most 70 are possible.")
	b.post(film+"/name", url.Values{"name": {"Films <3"}}).to(film)
	b.get(film).has("The name is saved.", "Films &lt;3")
	b.post(film+"/choice", url.Values{"choice": {"perhaps"}}).status(http.StatusBadRequest)
	b.post(film+"/choice", url.Values{"choice": {"confirmed"}}).to("/recurring")
	b.get("/recurring").has("Confirmed by you", "Noted. Florin keeps this series")
	b.post(rent+"/choice", url.Values{"choice": {"dismissed"}}).to("/recurring")
	b.get("/recurring").has("Dismissed. Florin does not find this series again.", "12.99 EUR a month")
	b.get(rent).has("You dismissed this", "Show it again").lacks("Merge the two")
	b.post(rent+"/choice", url.Values{"choice": {""}}).to("/recurring")
	b.post(rent+"/merge", url.Values{"into": {strings.TrimPrefix(series[employer], "/recurring/")}}).status(http.StatusNotFound) // the other direction
	b.post(rent+"/merge", nil).status(http.StatusUnprocessableEntity).has("Choose the series that continues it.")
	b.post(rent+"/merge", url.Values{"into": {strings.TrimPrefix(film, "/recurring/")}}).to(film)
	b.get(film).has("The two are one now.", "1 other series is part of it.")
	b.get(rent).status(http.StatusNotFound)
	b.post(film+"/separate", nil).to("/recurring")
	b.get("/recurring").has("They are separate again.", "Erika Sauer")
}

// Payments sent by Florin are expected on their days, and so is each execution of a standing order.
func TestRecurringListsWhatWasOrdered(t *testing.T) {
	t.Parallel()
	s, b, mira, account := paySite(t)
	s.sendOrder(t, mira, account, everyWeek("ACME GmbH", frenchACME, "12.30", 3))
	s.sendOrder(t, mira, account, onDay("Jan Novak", frenchACME, "5.00", 4))
	page := b.get("/recurring").status(http.StatusOK).has("ACME GmbH", "Jan Novak", "−12.30", "−5.00")
	if weeks, once := strings.Count(page.body, "Your standing order"), strings.Count(page.body, "A payment that you ordered"); weeks != 4 || once != 1 {
		t.Errorf("%d executions of the standing order in 30 days and %d of the other payment, want 4 and 1", weeks, once)
	}
	b.get("/recurring").lacks("Nothing recurring yet")
}
