package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/openbanking"
)

// watchDebits looks at direct debits until nothing is left.
func (s *site) watchDebits() {
	s.t.Helper()
	for {
		next, _, err := s.store.WatchDebits(s.t.Context())
		must(s.t, err)
		if next.IsZero() {
			return
		}
	}
}

// collected is a direct debit by a creditor, some days from today.
func collected(reference, amount, name, mandate, creditor string, days int, kind ...string) openbanking.Transaction {
	d := debit(reference, amount, name, "", days)
	d.RemittanceInformation = []string{"MREF+" + mandate, "CRED+" + creditor}
	for _, code := range kind {
		d.BankTransactionCode = &openbanking.BankTransactionCode{Code: &code}
	}
	return d
}

// An unusual direct debit is shown on the first page, on its transaction and on a page of its own, with the last day for a refund and letters to send. The
// person can mark it as right and undo that; without JavaScript and in German, too.
func TestDirectDebits(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for n := range 4 {
		s.service.rows["uid-1"] = append(s.service.rows["uid-1"], collected("e"+string(rune('a'+n)), "80.00", "Naturkraft", "M-001", "DE98ZZZ09999999999", -20-30*n))
	}
	user := s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	b.get("/direct-debits").has("No direct debits in the last 400 days")
	attempt := b.start(elbe)
	b.get(s.back()).to(attempt)
	s.syncAll()
	s.watchDebits()
	b.get("/direct-debits").has("Mandates", "Naturkraft", "DE98ZZZ09999999999", "4 direct debits in the last 400 days").lacks("To check")
	b.get("/").lacks("New creditor")

	returned := collected("back", "44.00", "", "S1", "DE11ZZZ00000000001", 0)
	returned.CreditDebitIndicator = openbanking.CreditDebitIndicatorCRDT
	s.service.rows["uid-1"] = append(s.service.rows["uid-1"], collected("gym", "29.90", "Fit & Froh", "G 77", "DE02ZZZ01234567890", 0),
		collected("twice", "80.00", "Naturkraft", "m 001", "DE98ZZZ09999999999", -1), collected("twice2", "80.00", "Naturkraft", "M-001", "DE98ZZZ09999999999", 0),
		collected("firm", "12.00", "Firmendienst", "F1", "DE33ZZZ00000000003", -1, "PMNT-RDDT-BBDD"),
		collected("shop", "44.00", "Schnellkauf", "S1", "DE11ZZZ00000000001", 0), returned)
	s.resync()
	s.watchDebits()
	until := openbanking.DateOf(time.Now().AddDate(0, 0, 56))
	last, err := until.Time()
	must(t, err)
	month := last.Format("2 January 2006")
	home := b.get("/").has("New creditor: Fit &amp; Froh collected 29.90 EUR", "Twice: Naturkraft collected 80.00 EUR again", "You do not have to give a reason.", "This is right").
		lacks("Schnellkauf collected")
	page := home.linkTo("/direct-debits/", "Look at it")
	list := b.get("/direct-debits").has("To check", "New creditor", "Collected twice", "Fit &amp; Froh", "does not refund a debit between companies (B2B) that you agreed to").lacks("Earlier warnings")
	gym := list.linkTo("/direct-debits/", "<bdi>Fit &amp; Froh</bdi>")
	if page == "" || gym == "" {
		t.Fatalf("no way from the first page %q or the list %q to a direct debit", page, gym)
	}
	letters := b.get(gym).status(http.StatusOK).has("nobody with this creditor ID", month, "Ask for the money back", "Creditor ID: DE02ZZZ01234567890", "Mandate: G 77",
		"Amount: 29.90 EUR", "Creditor: Fit &amp; Froh", "Articles 76 and 77", "Articles 71 and 73", "I revoke the mandate", "data-copy=")
	letters.has(`<textarea id="refund-text" readonly`, `data-copy=`) // without JavaScript the field works and the copy button is not shown
	row := letters.linkTo("/accounts/", "The transaction")
	b.get(row).has("Direct debit", "New creditor", `href="`+gym+`"`, "Mandate, refund, and a text to send")
	firm := list.linkTo("/direct-debits/", "<bdi>Firmendienst</bdi>")
	b.get(firm).has("SEPA direct debit between companies (B2B)", "does not refund a debit between companies (B2B) that you agreed to", "Articles 71 and 73").lacks("Articles 76 and 77")
	b.get("/recurring").has(`href="/direct-debits"`)
	german := s.signedIn("mira@example.org")
	german.languages = "de"
	german.get(gym).has("Das Geld zurückverlangen", "Sehr geehrte Damen und Herren,", "Gläubiger-ID: DE02ZZZ01234567890", "Betrag: 29,90 EUR", "Einen Grund müssen Sie nicht nennen.")

	// A letter to the bank needs the amount, so it is not shown while amounts are hidden.
	hidden := s.signedIn("mira@example.org")
	hidden.post("/amounts", url.Values{"hide": {"yes"}})
	hidden.get(gym).status(http.StatusOK).has("Show amounts to get them.", "Fit &amp; Froh").lacks("29.90", "Amount: ", "Ask for the money back", "data-copy=")

	stranger := s.signedIn(s.user("bo@example.org").Email)
	stranger.get(gym).status(http.StatusNotFound)
	stranger.post(gym+"/right", nil).status(http.StatusNotFound)
	accounts, err := s.store.Accounts(t.Context(), user.ID)
	must(t, err)
	bo, _, err := s.store.UserByEmail(t.Context(), "bo@example.org")
	must(t, err)
	account := strings.Split(row, "/")[2]
	_, err = s.store.Share(t.Context(), user.ID, account, []finance.Share{{ReaderID: bo.ID, Level: finance.ShareEverything}})
	must(t, err)
	stranger.get("/").has("New creditor: Fit &amp; Froh").lacks("This is right")
	stranger.get(gym).status(http.StatusOK).has("From an account of", "mira@example.org").lacks("Ask for the money back", "This is right")
	stranger.get(row).has("Mandate, refund, and a text to send")
	stranger.post(gym+"/right", nil).status(http.StatusNotFound)
	if len(accounts) == 0 {
		t.Fatal("no accounts")
	}

	b.post(gym+"/right", url.Values{"right": {"yes"}, "back": {"/"}}).to("/")
	b.get("/").has("Noted: this direct debit is right.", "Twice: Naturkraft").lacks("New creditor: Fit")
	b.get("/direct-debits").has("Earlier warnings", "Confirmed by you")
	b.get(gym).has("Check it again")
	b.post(gym+"/right", url.Values{"right": {"no"}}).to(gym)
	b.get("/").has("New creditor: Fit &amp; Froh")
	b.get("/direct-debits/abc").status(http.StatusNotFound)
	b.get("/direct-debits/999999").status(http.StatusNotFound)
	b.post(page+"/right", url.Values{"back": {"https://evil.example/"}}).to(page)
}

// linkTo returns the address of the first link that begins so and is followed by a text; "" for none.
func (a *answer) linkTo(begin, text string) string {
	for _, part := range strings.Split(a.body, `href="`)[1:] {
		address, rest, _ := strings.Cut(part, `"`)
		shown, _, _ := strings.Cut(rest, "</a>")
		if strings.HasPrefix(address, begin) && strings.Contains(shown, text) {
			return address
		}
	}
	return ""
}
