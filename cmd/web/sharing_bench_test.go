package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/store"
	"florin/web/templates/paths"
)

// sharedRows is the number of transactions of the shared account.
const sharedRows = 1000

// seriesOfOther is the payee of a monthly series in that account.
const seriesOfOther = "Film club"

// pagesOfSharing are the pages that can show one's own data or the household's, with the reasons why they miss their goals.
var pagesOfSharing = []struct{ name, path, mine, home string }{
	{"first page", "/", "it shows the account that is shared, too", ""},
	{"list of all transactions", "/transactions", "each link says whose accounts it is about", ""},
	{"search for a common word", "/transactions?q=card", "each link says whose accounts it is about", "the index is asked once for each owner, without notes and tags of others"},
	{"chart of income and spending, 12 months", "/reports?view=months", "each link says whose accounts it is about", ""},
	{"chart of categories, 12 months", "/reports?view=categories", "each of its hundreds of links says whose accounts it is about, with an & that has to be escaped", ""},
	{"report of payees, 12 months", "/reports?view=payees", "each of its hundreds of links says whose accounts it is about, with an & that has to be escaped", ""},
	{"chart of net worth, 12 months", "/reports?view=worth", "", ""},
	{"budgets of a month", "/budgets", "", ""},
	{"recurring transactions", "/recurring", "", "it has the series of both"},
	{"forecast", "/forecast", "", "it has the series and everyday spending of both"},
}

// measureSharing requests pages of a person who has 10,000 transactions, in a Florin where another person has accounts, too. It compares them while an account
// of the other is shared with the person, and while nothing is shared.
func (s *shared) measureSharing(b *testing.B) []quantity {
	folder := b.TempDir()
	makeLedger(b, folder, ledgerSizes[0])
	key, err := store.LoadKey(filepath.Join(folder, "secrets"))
	if err != nil {
		b.Fatal(err)
	}
	db, err := store.Open(b.Context(), filepath.Join(folder, "app.db"), key)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	other, account := sharesAnAccount(b, db)
	r := newReader(b, launchWith(b, oneCore, folder, anywhere...))
	r.budget("groceries")
	r.rested()
	share := func(levels ...finance.Share) {
		b.Helper()
		if _, err := db.Share(context.Background(), other, account, levels); err != nil {
			b.Fatal(err)
		}
	}
	page := func(address string) float64 {
		b.Helper()
		r.page(address) // after a commit nothing is cached
		return r.page(address)
	}
	var found []quantity
	for _, p := range pagesOfSharing {
		mine := quantity{name: p.name + ", of one's own, while an account of somebody else is shared", unit: "µs CPU", against: "the same while nothing is shared", goal: 1.05,
			reason: p.mine}
		home := quantity{name: p.name + fmt.Sprintf(", of the household, with %s more transactions", figure(sharedRows)), unit: "µs CPU",
			against: "the same of one's own, while nothing is shared", goal: 1.5, reason: p.home}
		address := r.f.web + p.path
		for range rounds {
			share()
			alone := page(address)
			share(finance.Share{Level: finance.ShareEverything})
			mine.florin, mine.yardstick = append(mine.florin, page(address)), append(mine.yardstick, alone)
			home.florin, home.yardstick = append(home.florin, page(r.f.web+paths.ByWhose(p.path, shell.WhoseHousehold))), append(home.yardstick, alone)
		}
		found = append(found, mine, home)
	}
	for _, path := range []string{"/recurring", "/forecast"} {
		cold := quantity{name: strings.TrimPrefix(path, "/") + " of the household after a commit", unit: "µs CPU", against: "the same of one's own, while nothing is shared",
			goal: 1.5, reason: "what others share, their categories and their series are read anew, too"}
		for range rounds {
			share()
			cold.yardstick = append(cold.yardstick, r.afterCommits(r.f.web+path))
			share(finance.Share{Level: finance.ShareEverything})
			cold.florin = append(cold.florin, r.afterCommits(r.f.web+paths.ByWhose(path, shell.WhoseHousehold)))
		}
		found = append(found, cold)
		if body := r.get(r.f.web + paths.ByWhose(path, shell.WhoseHousehold)); !strings.Contains(body, seriesOfOther) {
			b.Fatalf("%s has no series of the other:\n%s", path, body)
		}
	}
	return found
}

// sharesAnAccount creates another person with an account of many transactions.
func sharesAnAccount(b *testing.B, db *store.Store) (userID, accountID string) {
	b.Helper()
	user, err := db.CreateUser(b.Context(), "other@example.org", finance.RoleMember, "no password")
	if err != nil {
		b.Fatal(err)
	}
	account, err := db.CreateAccount(b.Context(), finance.Account{UserID: user.ID, Source: finance.SourceManual, Nickname: "Purse", Currency: "EUR",
		Type: openbanking.CashAccountTypeCASH}, finance.Value{Day: "2020-01-01", Amount: money.FromMinor(0, "EUR")})
	if err != nil {
		b.Fatal(err)
	}
	for i := range sharedRows {
		day := openbanking.DateOf(time.Now().AddDate(0, 0, -i/2))
		written := finance.WrittenRow{BookingDate: day, Amount: money.FromMinor(-int64(i)-100, "EUR"), Counterparty: []string{"Mercato Nord", "Tram and Bus"}[i%2]}
		if i%2 == 0 && strings.HasSuffix(string(day), "-05") { // a series
			written.Amount, written.Counterparty = money.FromMinor(-999, "EUR"), seriesOfOther
		}
		row, err := written.Entry(day)
		if err == nil {
			row.Identity.Key += fmt.Sprint(i)
			_, err = db.AddRow(b.Context(), user.ID, account, row)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	return user.ID, account
}
