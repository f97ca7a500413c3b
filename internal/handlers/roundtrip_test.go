package handlers_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
)

// hostileRows are rows that banks can send and that break carelessly written files.
func hostileRows(savings string) []openbanking.Transaction {
	odd := func(days int, amount, name string, lines ...string) openbanking.Transaction {
		row := debit("", amount, name, "", days)
		row.EntryReference, row.RemittanceInformation = nil, lines
		return row
	}
	twice := odd(-8, "4.00", "Kiosk", "two of a kind")
	dateless := odd(-8, "1.11", "Nobody’s day", "no day at all")
	dateless.BookingDate = nil
	ahead := odd(-7, "2.22", "Card", "made tomorrow, they say")
	tomorrow := openbanking.Date("2999-12-31")
	ahead.TransactionDate = &tomorrow
	dollars := odd(-7, "3.33", "Shop abroad", "in dollars")
	dollars.TransactionAmount.Currency = "USD"
	return []openbanking.Transaction{
		debit("out", "250.00", "Mira Kowalczyk", savings, -3), debit("loan", "42.00", "Jan Novak", "", -6), debit("  odd reference ", "7.77", "SumUp *KAUFHAUS GMBH 0815", "", -9),
		twice, twice, twice, dateless, ahead, dollars,
		odd(-4, "1.01", `=HYPERLINK("http://x","y")`, "@SUM(A1)", "'=1+1", "\"; drop table"), odd(-4, "1.02", "'", "''+1", "-1", "＝1"), odd(-4, "1.03", "Ünïcödé 汉 😀\u202e", "tab\tand\r\nline\nbreak, comma; semicolon|bar"),
		odd(-4, "1.04", "NOTPROVIDED", "Omschrijving: Omschrijving: twice", "EREF+abc"), odd(-4, "1.05", "", "not", "provided"), odd(-4, "1.06", "<script>alert(1)</script>", "&amp; ]]> <!--"),
		odd(-5, "1.07", "Long "+strings.Repeat("x", 300), strings.Repeat("very long text ", 700)), odd(-5, "1.08", "A", "SVWZ+EREF+1", "MREF+2"), odd(-5, "1.09", "0", "-", "Viesti: 0"),
	}
}

// TestFlorinToFlorin: export, import into an empty Florin, export again gives the same bytes, of rows of every kind.
func TestFlorinToFlorin(t *testing.T) {
	t.Parallel()
	const savings = "DE75512108001245126199"
	s := newSite(t)
	s.service.accounts = append(s.service.accounts, accountOf("3", savings, "EUR", "Tagesgeld"))
	back := debit("in", "250.00", "", "", -2)
	back.CreditDebitIndicator = openbanking.CreditDebitIndicatorCRDT
	koruna := debit("k", "99.00", "Vasa", "", -4)
	koruna.TransactionAmount.Currency = "SEK"
	s.service.rows["uid-1"], s.service.rows["uid-2"], s.service.rows["uid-3"] = hostileRows(savings), []openbanking.Transaction{koruna},
		[]openbanking.Transaction{back, debit("x", "1.01", "Zins", "", -4)}
	mira, b := s.user("mira@example.org"), s.signedIn("mira@example.org")
	attempt := b.start(elbe)
	b.get(s.back()).to(attempt)
	s.syncAll()
	ctx := t.Context()
	accounts, err := s.store.Accounts(ctx, mira.ID)
	must(t, err)
	for _, a := range accounts {
		if a.Product == "Girokonto" {
			must(t, s.store.SetNickname(ctx, mira.ID, a.ID, "=Giro, \"mine\""))
		}
	}
	giro := ""
	for _, a := range accounts {
		if a.Product == "Girokonto" {
			giro = a.ID
		}
	}
	wallet, err := s.store.CreateAccount(ctx, finance.Account{UserID: mira.ID, Source: finance.SourceManual, Nickname: "Wallet", Currency: "USD",
		Type: openbanking.CashAccountTypeCASH},
		finance.Value{Day: "2026-01-01", Amount: money.FromMinor(5000, "USD")})
	must(t, err)
	_, err = s.store.CreateAccount(ctx, finance.Account{UserID: mira.ID, Source: finance.SourceValue, Nickname: "House", Currency: "EUR",
		Type: openbanking.CashAccountTypeOTHR},
		finance.Value{Day: "2026-01-01", Amount: money.FromMinor(50000000, "EUR")})
	must(t, err)
	for _, name := range []string{"Café Sole", "+1 for the waiter"} {
		e, err := finance.WrittenRow{BookingDate: "2026-03-01", Amount: money.FromMinor(-350, "USD"), Counterparty: name}.Entry("2026-11-22")
		must(t, err)
		_, err = s.store.AddRow(ctx, mira.ID, wallet, e)
		must(t, err)
	}
	must(t, s.store.SaveCategory(ctx, mira.ID, categories.NewOwn("Kids: football", categories.GroupLiving)))
	must(t, s.store.SaveCategory(ctx, mira.ID, categories.Own{Category: categories.Category{ID: "groceries", Group: categories.GroupLiving}, Name: "Essen & Trinken"}))
	book, err := s.store.Categories(ctx, mira.ID)
	must(t, err)
	kids := book[len(book)-1].ID
	for _, own := range book {
		if own.Name == "Kids: football" {
			kids = own.ID
		}
	}
	loan, shop, long := s.rowOf(mira, giro, "-42.00"), s.rowOf(mira, giro, "-7.77"), s.rowOf(mira, giro, "-1.07")
	b.post(loan+"/annotation", url.Values{"note": {"=1+1\n\nfor Lena  \n'quoted'"}, "tags": {"# #tax, Holiday, =x"}}).to(loan)
	b.post(loan+"/category", url.Values{"category": {kids}}).to(loan)
	b.post(shop+"/name", url.Values{"name": {"The big shop"}}).status(http.StatusSeeOther)
	b.post(shop+"/split", url.Values{"amount-1": {"7.00"}, "category-1": {kids}, "note-1": {"ball: 5.00 net"}, "amount-2": {"0.57"}, "category-2": {"groceries"},
		"amount-3": {""}, "note-3": {"the rest"}, "category-3": {""}, "do": {"save"}}).to(shop)
	b.post(long+"/category", url.Values{"category": {categories.Transfer}}).to(long)
	b.post(long+"/review", url.Values{"reviewed": {"no"}})
	vasa := s.rowOf(mira, accountWith(accounts, "Reisekasse"), "-99.00")
	b.post(vasa+"/category", url.Values{"category": {"groceries"}}).to(vasa)
	_, err = s.store.FindTransfers(ctx)
	must(t, err)

	for _, format := range []string{"json", "csv", "csv&separator=semicolon&decimal=comma&encoding=utf-8-bom"} {
		file := b.get(exportAddress + "?format=" + format).status(http.StatusOK).body
		if format == "json" && strings.Count(file, `"reviewed":true`) != strings.Count(file, `"id":`)-1 {
			t.Fatalf("all but one are reviewed:\n%s", file)
		}
		for _, telling := range []string{"Kids: football", "Essen & Trinken", "The big shop", "Transfer between own accounts", "USD"} {
			if format != "json" && !strings.Contains(file, telling) {
				t.Fatalf("%s does not have %s:\n%s", format, telling, file)
			}
		}
		empty := newSite(t)
		empty.user("mira@example.org")
		other := empty.signedIn("mira@example.org")
		other.upload("export", file, "").to("/import/preview")
		other.get("/import/preview").has("Into ", "Kids: football", "Add the categories", "0 cannot be read", "0 unsure", "0 already there")
		other.post("/import/save", url.Values{"categories": {"yes"}}).to("/transactions")
		_, err = empty.store.FindTransfers(ctx)
		must(t, err)
		again := other.get(exportAddress + "?format=" + format).status(http.StatusOK).body
		if again != file {
			t.Errorf("%s: %s", format, firstDifference(file, again))
		}
		other.get("/transactions?q=" + url.QueryEscape("is:transfer")).has("→")
		// A second import finds everything already there, and the first one is undone as a whole.
		other.upload("export", file, "").to("/import/preview")
		other.get("/import/preview").has(">0 new").lacks("Add the categories")
		undo := undoAddress.FindString(other.get("/import").body)
		other.get(undo).has("The accounts that were created for the file are removed, too: ", "Wallet")
		other.post(undo, nil).to("/import")
		other.get("/accounts").lacks("Wallet")
		// For the first person, the import finds all rows in their own accounts.
		b.upload("export", file, "").to("/import/preview")
		b.get("/import/preview").has(">0 new", "0 unsure").lacks("Add the categories")
		b.post("/import/discard", nil)
	}
	var kept struct {
		Accounts []struct{} `json:"accounts"`
	}
	must(t, json.Unmarshal([]byte(b.get(exportAddress+"?format=json").body), &kept))
	if len(kept.Accounts) != 5 {
		t.Errorf("the file has %d accounts", len(kept.Accounts))
	}
}

func accountWith(accounts []finance.Account, product string) string {
	for _, a := range accounts {
		if a.Product == product {
			return a.ID
		}
	}
	return ""
}

// firstDifference shows where two texts begin to differ.
func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return "line differs:\n" + x[i] + "\n" + y[i]
		}
	}
	return "one is longer"
}
