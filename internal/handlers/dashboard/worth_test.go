package dashboard

import (
	"slices"
	"strings"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/handlers/connections"
	"florin/internal/handlers/show"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/web/templates/pages"
	"florin/web/templates/words"
)

// The headline is the money that can be spent. Savings, cards and loans are apart, and accounts that do not count are named.
func TestTotalsNeverMixALoanWithCash(t *testing.T) {
	c := show.Clock{Language: words.English, Now: time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)}
	balances := map[string][]finance.Balance{}
	account := func(id string, kind openbanking.CashAccountType, balance openbanking.BalanceStatus, minor int64, currency string) finance.Account {
		if balance != "" {
			balances[id] = []finance.Balance{{AccountID: id, Type: balance, Amount: money.FromMinor(minor, currency)}}
		}
		return finance.Account{ID: id, Nickname: id, Type: kind, Currency: currency, ConnectionID: "c " + id}
	}
	accounts := []finance.Account{
		account("Home loan", "LOAN", "CLBD", -10_000_00, "EUR"), account("Everyday", "CACC", "CLBD", 100_00, "EUR"), account("Shared", "CACC", "XPCD", 50_00, "EUR"),
		account("Rainy days", "SVGS", "ITBD", 3_000_00, "EUR"), account("Gold card", "CARD", "CLBD", -20_00, "EUR"), account("Travel card", "CARD", "ITAV", 2_000_00, "EUR"),
		account("Kronor", "CACC", "CLBD", 7_00, "SEK"), account("New", "CACC", "", 0, "EUR"),
	}
	w, ok := worthOf(c, accounts, balances, map[string]bool{"c Everyday": true})
	if !ok {
		t.Fatal("no sums")
	}
	var view pages.DashboardView
	w.fill(c, &view)
	var got []string
	for _, total := range view.Totals {
		got = append(got, strings.Join([]string{total.Name, total.Sum.Amount.Format(), total.Sum.Currency(), total.Accounts}, " "))
	}
	want := []string{"Spending money 150.00 EUR 2 accounts", "Spending money 7.00 SEK 1 account", "Savings 3,000.00 EUR 1 account", "Cards −20.00 EUR 1 account",
		"Loans −10,000.00 EUR 1 account", "Net worth −6,870.00 EUR all of these in EUR"}
	if !slices.Equal(got, want) {
		t.Errorf("totals\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
	for _, says := range []string{"Booked balances of 5 accounts", "another one counts: Shared (Expected)", "because there is no balance: Travel card and New", "1 of them is no longer updated"} {
		if !strings.Contains(view.TotalsNote, says) {
			t.Errorf("%q lacks %q", view.TotalsNote, says)
		}
	}
	if said := folded(c, accounts[:4], balances); said != "4 accounts: 150.00 EUR, Savings: 3,000.00 EUR and Loans: −10,000.00 EUR" {
		t.Errorf("folded: %q", said)
	}
	kept := account("Kept", "CACC", "CLBD", 1, "EUR") // its connection was ended, and the person keeps it
	kept.Source = finance.SourceManual
	if w, _ := worthOf(c, []finance.Account{kept}, balances, map[string]bool{"c Kept": true}); w.old != 0 {
		t.Error("an account that the person keeps counts as no longer updated")
	}
	bank := finance.Connection{ID: "c", Status: finance.ConnectionActive, ValidUntil: c.Now.AddDate(0, 1, 0)}
	both := connections.Connected{Connection: bank, Accounts: []finance.Account{accounts[1], kept}, Sync: connections.NewSync(c, bank, nil)}
	if card := bankCard(connections.Holdings{}, both); len(card.Accounts) != 1 || card.Accounts[0].ID != accounts[1].ID || len(both.Accounts) != 2 {
		t.Errorf("on the card of a bank that was linked again without an account: %+v", card.Accounts)
	}
	accounts = append(accounts[:0], account("Alone", "SVGS", "CLBD", 1, "EUR"))
	view = pages.DashboardView{}
	w, _ = worthOf(c, accounts, balances, nil)
	if w.fill(c, &view); len(view.Totals) != 1 || view.Totals[0].Name != "Savings" {
		t.Errorf("of one account: %+v", view.Totals)
	}
}
