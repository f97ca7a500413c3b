package handlers_test

import (
	"net/http"
	"net/url"
	"regexp"
	"testing"

	"florin/internal/openbanking"
)

// TestTransferBetweenOwnAccounts: the two sides are one line in the list, each page links the other, and the totals leave both out. A person undoes this with
// one click, takes that back, and pairs two rows by hand where Florin does not.
func TestTransferBetweenOwnAccounts(t *testing.T) {
	t.Parallel()
	const savings = "DE75512108001245126199"
	s := newSite(t)
	s.service.accounts = append(s.service.accounts, accountOf("3", savings, "EUR", "Tagesgeld"))
	credit := func(reference, amount, name string, days int) openbanking.Transaction {
		row := debit(reference, amount, "", "", days)
		row.CreditDebitIndicator = openbanking.CreditDebitIndicatorCRDT
		if name != "" {
			row.Debtor = &openbanking.PartyIdentification{Name: &name}
		}
		return row
	}
	s.service.rows["uid-1"] = []openbanking.Transaction{debit("out", "250.00", "Mira Kowalczyk", savings, -3), debit("loan", "42.00", "Jan Novak", "", -6), debit("shop", "7.77", "Kaufhaus", "", -9)}
	s.service.rows["uid-3"] = []openbanking.Transaction{credit("in", "250.00", "", -2), credit("back", "42.00", "J. Novak", -5)}
	mira, b := s.user("mira@example.org"), s.signedIn("mira@example.org")
	attempt := b.start(elbe)
	b.get(s.back()).to(attempt)
	s.syncAll()
	find := func() {
		_, err := s.store.FindTransfers(t.Context())
		must(t, err)
	}
	find()
	accounts, err := s.store.Accounts(t.Context(), mira.ID)
	must(t, err)
	id := map[string]string{}
	for _, a := range accounts {
		id[a.Product] = a.ID
	}
	out, in := s.rowOf(mira, id["Girokonto"], "-250.00"), s.rowOf(mira, id["Tagesgeld"], "250.00")

	const line = "<bdi>Girokonto → Tagesgeld</bdi>"
	b.get("/transactions").status(http.StatusOK).has(line, out, "Kaufhaus").lacks(in)
	b.get("/accounts/"+id["Tagesgeld"]).status(http.StatusOK).has(line, in).lacks(out)
	b.get("/transactions?q="+url.QueryEscape("is:in")).has(line, in, "Transfers between your own accounts are left out").lacks(out)
	b.get("/transactions?q="+url.QueryEscape("amount:>5")).has("−49.77", "+42.00", "Transfers between your own accounts are left out").lacks("299.77", "292.00")
	b.get("/transactions?q="+url.QueryEscape("is:transfer")).has(line, "Transfers between your own accounts are left out").lacks("Kaufhaus", "Money out</span>")
	b.get("/transactions?q=Kaufhaus").lacks("Transfers between your own accounts")
	b.get(out).status(http.StatusOK).has("It went from Girokonto to Tagesgeld.", `href="`+in+`"`, "250.00 EUR on Tagesgeld, ", "Transfer between own accounts")
	b.get(in).status(http.StatusOK).has("It went from Girokonto to Tagesgeld.", `href="`+out+`"`, "−250.00 EUR on Girokonto")
	german := s.signedIn("mira@example.org")
	german.languages = "de"
	german.get(out).has("Umbuchung von Girokonto auf Tagesgeld.", "Das ist keine Umbuchung")

	b.post(in+"/transfer", url.Values{"do": {"refuse"}}).to(in)
	b.get(in).has("These two are no longer a transfer.", "You said that these two are not a transfer", "It is a transfer after all").lacks("This is not a transfer")
	find()
	b.get("/transactions").lacks(line).has(out, in)
	other := regexp.MustCompile(`name="other" value="(\d+)"`).FindStringSubmatch(b.get(out).has("It is a transfer after all").body)
	if other == nil {
		t.Fatal("there is no way back")
	}
	b.post(out+"/transfer", url.Values{"do": {"pair"}, "other": {other[1]}}).to(out)
	b.get(out).has("These two are a transfer between your accounts now.", "It went from Girokonto to Tagesgeld, as you said.")
	b.get("/transactions").has(line, out).lacks(in)

	loan := s.rowOf(mira, id["Girokonto"], "-42.00")
	offered := regexp.MustCompile(`<option value="(\d+)">[^<]*42.00 EUR on Tagesgeld`).FindStringSubmatch(b.get(loan).has("Is this a transfer between your accounts?").body)
	if offered == nil {
		t.Fatal("the other side is not offered")
	}
	b.post(loan+"/transfer", url.Values{"do": {"pair"}, "other": {offered[1]}}).to(loan)
	b.get(loan).has("It went from Girokonto to Tagesgeld, as you said.")
	b.post(loan+"/transfer", url.Values{"do": {"pair"}, "other": {"x"}}).status(http.StatusNotFound)
	b.post(loan+"/transfer", url.Values{"do": {"pair"}, "other": {"999"}}).status(http.StatusNotFound)
	b.post(s.rowOf(mira, id["Girokonto"], "-7.77")+"/transfer", url.Values{"do": {"refuse"}}).status(http.StatusNotFound)
	s.user("eve@example.org")
	s.signedIn("eve@example.org").post(loan+"/transfer", url.Values{"do": {"refuse"}}).status(http.StatusNotFound)
}

// TestWhatTheBankChanged: the page of a transaction says when the bank changed it, and what was there before.
func TestWhatTheBankChanged(t *testing.T) {
	t.Parallel()
	s, b, own := linkedSite(t, []openbanking.Transaction{debit("R2", "5.00", "Café Süd", "", -2), debit("R1", "1.00", "Kiosk", "", -9)})
	page := "/accounts/" + own.account + "/transactions/" + own.transaction
	b.get(page).status(http.StatusOK).has("Café Süd", "Florin first fetched this on").lacks("What the bank has changed")
	s.service.Lock()
	row := debit("R2", "5.40", "Café Süd", "", -2)
	s.service.rows["uid-1"][0] = row
	s.service.Unlock()
	s.resync()
	b.get(page).status(http.StatusOK).has("−5", ".40", "What the bank has changed", "Changed on", "Amount before", "−5.00 EUR").lacks("Date before", "no longer lists")
	s.service.Lock()
	row.RemittanceInformation = []string{"<b>two coffees"}
	s.service.rows["uid-1"][0] = row
	s.service.Unlock()
	s.resync()
	b.get(page).has("Text before", "Nothing<", "&lt;b&gt;two coffees", "Amount before")
	german := s.signedIn("mira@example.org")
	german.languages = "de"
	german.get(page).has("Was die Bank geändert hat", "Betrag vorher", "Keine Angabe")
}
