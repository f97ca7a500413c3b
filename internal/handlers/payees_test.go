package handlers_test

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"florin/internal/finance"
	"florin/internal/openbanking"
)

const (
	numberACME  = "DE89370400440532013000"
	numberOther = "FR1420041010050500013M02606"
)

// A payee is saved, changed, made a favourite, found and forgotten, and belongs to its user alone.
func TestPayees(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira := s.user("mira@example.org")
	s.user("eve@example.org")
	b, eve := s.signedIn("mira@example.org"), s.signedIn("eve@example.org")
	b.get("/payees").status(http.StatusOK).has("You have not saved any payees yet")

	b.post("/payees", url.Values{"name": {"Zimmerei Holz"}, "iban": {"de89 3704.0044 0532-0130 00"}}).to("/payees")
	b.post("/payees", url.Values{"name": {"Chaussures Martin"}, "iban": {numberOther}, "bic": {"psst frpp"}, "favourite": {"yes"}}).to("/payees")
	list := b.get("/payees").status(http.StatusOK).has("Zimmerei Holz", "DE89 3704 0044 0532 0130 00", "Not paid yet", "Chaussures Martin is saved.")
	if strings.Index(list.body, "Chaussures") > strings.Index(list.body, "Zimmerei") {
		t.Error("the favourite is not listed first")
	}
	b.get("/payees?q=holz").has("Zimmerei").lacks("Chaussures")
	b.get("/payees?q=DE89+3704").has("Zimmerei").lacks("Chaussures")
	b.get("/payees?q=nobody").has("No payee found.")
	eve.get("/payees").lacks("Zimmerei", "Chaussures")
	b.languages = "de"
	b.get("/payees").has("Empfänger hinzufügen", "Noch nicht bezahlt", "Chaussures Martin aus den Favoriten entfernen")
	b.languages = ""

	saved, err := s.store.Payees(t.Context(), mira.ID, "")
	must(t, err)
	if len(saved) != 2 || saved[0].Beneficiary.CreditorAgent == nil || *saved[0].Beneficiary.CreditorAgent.BICFI != "PSSTFRPP" ||
		*saved[1].Beneficiary.Creditor.Name != "Zimmerei Holz" {
		t.Fatalf("saved %+v", saved)
	}
	page := "/payees/" + saved[1].ID
	b.get(page).status(http.StatusOK).has("Zimmerei Holz", "DE89 3704 0044 0532 0130 00")
	for _, r := range []struct{ method, path string }{{"GET", page}, {"POST", page}, {"POST", page + "/favourite"}, {"POST", page + "/delete"}} {
		eve.ask(r.method, r.path, 0).status(http.StatusNotFound)
	}
	b.post(page+"/favourite", url.Values{"favourite": {"yes"}}).to("/payees")
	b.post(page, url.Values{"name": {"Holz & Söhne"}, "iban": {numberACME}}).to("/payees")
	changed, err := s.store.Payee(t.Context(), mira.ID, saved[1].ID)
	must(t, err)
	if changed.Name != "Holz & Söhne" || changed.Favourite || *changed.Beneficiary.Creditor.Name != "Holz & Söhne" {
		t.Errorf("changed %+v", changed)
	}
	b.post(page+"/delete", nil).to("/payees")
	b.get(page).status(http.StatusNotFound)
}

// Another account for a known payee is the usual fraud. It is saved only when the person confirms having asked the payee, and with the password.
func TestPayeeWithAnotherAccountIsALoudWarning(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira := s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	b.post("/payees", url.Values{"name": {"Zimmerei Holz"}, "iban": {numberACME}}).to("/payees")
	b.post("/payees", url.Values{"name": {"Jan"}, "iban": {"GB29NWBK60161331926819"}}).to("/payees")
	saved, err := s.store.Payees(t.Context(), mira.ID, "holz")
	must(t, err)
	jan, err := s.store.Payees(t.Context(), mira.ID, "jan")
	must(t, err)
	page := "/payees/" + saved[0].ID

	other := url.Values{"name": {"Zimmerei Holz"}, "iban": {numberOther}}
	again := url.Values{"name": {"holz, zimmerei"}, "iban": {numberOther}}
	renamed := url.Values{"name": {"Zimmerei  Holz"}, "iban": {"GB29NWBK60161331926819"}}
	for _, c := range []struct {
		path string
		form url.Values
		says string
	}{
		{page, other, "You are changing the account of Zimmerei Holz."},
		{"/payees", again, "DE89 3704 0044 0532 0130 00"},
		{"/payees/" + jan[0].ID, renamed, "DE89 3704 0044 0532 0130 00"},
	} {
		for _, add := range []url.Values{{}, {"password": {password}}, {"sure": {"yes"}}, {"sure": {"yes"}, "password": {"a wrong password"}}} {
			form := maps.Clone(c.form)
			maps.Copy(form, add)
			a := b.post(c.path, form).status(http.StatusUnprocessableEntity).has("most common fraud", "I have asked the payee", `name="password"`, c.says)
			switch {
			case add.Get("password") != "" && add.Get("sure") != "":
				a.has("This is not your password.")
			case add.Get("sure") != "":
				a.has("Enter your Florin password.")
			}
		}
	}
	unchanged, err := s.store.Payees(t.Context(), mira.ID, "holz")
	must(t, err)
	if len(unchanged) != 1 || unchanged[0].Account.Number != numberACME {
		t.Errorf("saved without being agreed to: %+v", unchanged)
	}
	other.Set("sure", "yes")
	other.Set("password", password)
	b.post(page, other).to("/payees")
	changed, err := s.store.Payee(t.Context(), mira.ID, saved[0].ID)
	must(t, err)
	if changed.Account != (finance.PayeeAccount{Scheme: openbanking.SchemeNameIBAN, Number: numberOther}) {
		t.Errorf("account %+v", changed.Account)
	}
}

// A payee whose name was paid at another account is not saved without a warning. Once it is saved, payments to it still get the warning.
func TestSavingAPayeeKeepsTheWarning(t *testing.T) {
	t.Parallel()
	s, b, mira, account := paySite(t)
	paid := b.pay(transfer(account, "name", "Jan", "number", numberACME))
	s.exec(`UPDATE payment SET status = 'ACSC' WHERE id = $1`, strings.TrimPrefix(paid, "/payments/"))
	b.post("/payees", url.Values{"name": {"Jan"},
		"iban": {numberOther}}).status(http.StatusUnprocessableEntity).has("You have paid or saved Jan with another account: DE89 3704 0044 0532 0130 00")
	_, err := s.store.SavePayee(t.Context(), finance.Payee{UserID: mira.ID, Name: "Jan", Beneficiary: openbanking.Beneficiary{
		CreditorAccount: openbanking.GenericIdentification{Identification: numberOther, SchemeName: openbanking.SchemeNameIBAN}}})
	must(t, err)
	const changed = "Jan had another account until now"
	form := transfer(account, "name", "Jan", "number", numberOther)
	form.Set("show", "check")
	b.post("/pay", form).has(changed)
	form.Del("show")
	b.get(b.draft(form)+"/review").has(changed, "You know this payee with another account: DE89 3704 0044 0532 0130 00").lacks("First payment to Jan")
}

// Each problem is reported at its field, and nothing that was typed is lost.
func TestPayeeFormSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira := s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	b.post("/payees", url.Values{"name": {"ACME"}, "iban": {numberACME}}).to("/payees")
	for _, c := range []struct{ name, number, bic, says string }{
		{"", numberOther, "", "Enter the payee’s name."},
		{strings.Repeat("x", 71), numberOther, "", "71 characters"},
		{"Jo", "", "", "Enter the IBAN"},
		{"Jo", "DE8937040044053201300", "", "22 characters; this one has 21"},
		{"Jo", "DE89370400440532013001", "", "check digits"},
		{"Jo", "ZZ89370400440532013001", "", "ZZ"},
		{"Jo", "DE8937040044053201300О", "", "letter"}, // a Cyrillic О
		{"Jo", numberOther, "PSST", "A BIC has 8 or 11 characters; this one has 4."},
		{"Jo", numberACME, "", "You have already saved this account, under the name ACME."},
		{"<b>Jo</b>", "x", "", "&lt;b&gt;Jo&lt;/b&gt;"},
	} {
		b.post("/payees", url.Values{"name": {c.name}, "iban": {c.number}, "bic": {c.bic}}).status(http.StatusUnprocessableEntity).has(c.says)
	}
	all, err := s.store.Payees(t.Context(), mira.ID, "")
	must(t, err)
	if len(all) != 1 {
		t.Errorf("%d payees, want 1", len(all))
	}
}
