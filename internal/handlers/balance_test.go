package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"florin/internal/openbanking"
)

// TestWhichBalanceCounts: a person chooses which of the bank's balances counts for an account, on every page. When the bank no longer sends it, another balance
// counts, and the pages say so.
func TestWhichBalanceCounts(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira := s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	attempt := b.start(elbe)
	b.get(s.back()).to(attempt)
	s.syncAll()
	own := s.thingsOf(mira, attempt)
	page := "/accounts/" + own.account
	choose := func(kind string) *answer { return b.post(page+"/counts", url.Values{"counts": {kind}}).to(page) }

	b.get(page).has(hero("1,234.56"), "Which balance counts", "Florin’s choice: Booked at close of day", `<option value="ITAV">Available now (2,234.56 EUR)`)
	b.get("/").has(hero("1,234.56"), "Booked balances of 2 accounts")
	choose("ITAV")
	b.get(page).has("“Available now” counts for this account from now on.", hero("2,234.56"), `<option value="ITAV" selected>`).lacks(hero("1,234.56"))
	overview := b.get("/").has(hero("2,234.56"), "Booked balance of 1 account,", "Counted with the balance that you chose: Girokonto (Available now).", "<span>Available now</span>")
	overview.lacks(hero("1,234.56")+"</span> <span class=\"cur\">EUR", "gives no booked balance")
	b.get("/reports?view=worth").has("2,234.56")
	b.get("/forecast").has("2,234.56")
	b.get(attempt).has("2,234.56")
	b.get("/transactions/export?format=ofx").has("<LEDGERBAL>", "1234.56").lacks("2234.56") // the file has the ledger balance, whatever the person chose
	german := s.signedIn("mira@example.org")
	german.languages = "de"
	german.get(page).has("Welcher Kontostand zählt", "Florins Auswahl: ")
	german.get("/").has("Gezählt mit dem Kontostand, den Sie gewählt haben: Girokonto (")

	s.service.booked["uid-1"] = openbanking.BalanceResource{BalanceType: openbanking.BalanceStatusITBD, BalanceAmount: openbanking.AmountType{Currency: "EUR", Amount: "77.50"}}
	b.post("/connections/"+own.connection+"/refresh", nil)
	s.syncAll()
	b.get(page).has(hero("77.50"), "The bank no longer gives the balance that you chose", "You chose “Available now”. Until the bank gives it again, “Booked so far today” counts.",
		`<option value="ITAV" selected>Available now (the bank gives none now)`)
	b.get("/").has("The bank no longer gives the balance that you chose for Girokonto. Another one counts for now.", "Booked balances of 2 accounts")
	german.get(page).has("Die Bank nennt den Kontostand nicht mehr, den Sie gewählt haben")
	choose("ITAV")
	b.get(page).lacks("The bank does not give this balance now")
	choose("XPCD")
	b.get(page).has("The bank does not give this balance now. Choose another one.", `<option value="ITAV" selected>`)
	choose("")
	b.get(page).has("Florin chooses the balance again.", hero("77.50")).lacks("The bank no longer gives", "Which balance counts")

	s.user("eve@example.org")
	s.signedIn("eve@example.org").post(page+"/counts", url.Values{"counts": {"ITBD"}}).status(http.StatusNotFound)
}

// TestPocketsAreOneWallet: accounts of one connection with one IBAN and several currencies are listed under one name everywhere, and count as before.
func TestPocketsAreOneWallet(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	const number = "LT121000011101001000"
	s.service.accounts = []openbanking.AccountResource{accountOf("1", number, "EUR", "Kelionė"), accountOf("3", "DE75512108001245126199", "EUR", "Girokonto"),
		accountOf("2", number, "SEK", "Kelionė")}
	mira := s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	attempt := b.start(elbe)
	b.get(s.back()).to(attempt)
	s.syncAll()
	own := s.thingsOf(mira, attempt)
	for page, pockets := range map[string][]string{
		"/":                              {`<a class="row-title" href="/accounts/` + own.account + `"><bdi>EUR</bdi></a>`, "<bdi>SEK</bdi></a>", "2 currencies", "3 accounts"},
		attempt:                          {"<bdi>EUR</bdi></a>", "<bdi>SEK</bdi></a>", "Current account, ending in 1000<"},
		"/connections/" + own.connection: {"<bdi>EUR</bdi></a></h4>", "<bdi>SEK</bdi></a></h4>", "Current account, ending in 1000<"},
		"/pay":                           {"<bdi>EUR</bdi></a>", "<bdi>SEK</bdi></a>", "<span>ending in 1000<"},
	} {
		a := b.get(page).status(http.StatusOK).has(append(pockets, `<li class="wallet">`, "<bdi>Kelionė</bdi>", "<bdi>Girokonto</bdi></a>")...)
		if n := strings.Count(a.body, "<bdi>Kelionė</bdi>"); n != 1 {
			t.Errorf("%s: the wallet is listed %d times", page, n)
		}
	}
	b.get("/").has(hero("2,469.12"), hero("1,234.56"), "Booked balances of 3 accounts") // the euros of both, and the crowns
	b.post("/accounts/"+own.account+"/nickname", url.Values{"nickname": {"Holiday"}}).to("/accounts/" + own.account)
	b.get("/").has("<bdi>Kelionė</bdi></p>", "<bdi>Holiday, EUR</bdi></a>", "<bdi>SEK</bdi></a>")
}
