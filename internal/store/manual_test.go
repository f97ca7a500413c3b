package store

import (
	"errors"
	"math"
	"slices"
	"testing"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/search"
)

// written returns a row as a person types it.
func written(t testing.TB, day, amount, payee, text string) finance.Entry {
	t.Helper()
	w := finance.WrittenRow{BookingDate: openbanking.Date(day), Amount: must(money.Parse(amount, "EUR"))(t), Counterparty: payee}
	if text != "" {
		w.Lines = []string{text}
	}
	return must(w.Entry("2026-11-22"))(t)
}

func euro(t testing.TB, day, amount string) finance.Value {
	t.Helper()
	return finance.Value{Day: openbanking.Date(day), Amount: must(money.Parse(amount, "EUR"))(t)}
}

// manual creates an account that the user keeps.
func (b *bed) manual(t testing.TB, user string, source finance.Source, first finance.Value) string {
	t.Helper()
	return must(b.CreateAccount(t.Context(), finance.Account{UserID: user, Source: source, Nickname: "Wallet", Institution: "Kitchen", Currency: "EUR",
		Type: openbanking.CashAccountTypeCASH}, first))(t)
}

// balance is the booked balance of an account, "" for none.
func (b *bed) balance(t testing.TB, user, account string) string {
	t.Helper()
	balances := must(b.AccountBalances(t.Context(), user, account))(t)
	if len(balances) == 0 {
		return ""
	}
	return balances[0].Amount.String()
}

// The balance of an account with typed rows is its opening balance plus the rows since. The search finds these rows like those of a bank. A changed row keeps
// the edits of the person, and two equal rows stay two.
func TestManualAccount(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user := b.user(t, "a@example.org").ID
	account := b.manual(t, user, finance.SourceManual, euro(t, "2026-03-01", "100.00"))
	if got := b.balance(t, user, account); got != "100.00" {
		t.Errorf("at the beginning: %s", got)
	}
	coffee := must(b.AddRow(ctx, user, account, written(t, "2026-03-02", "-3.50", "Café Sole", "espresso")))(t)
	again := must(b.AddRow(ctx, user, account, written(t, "2026-03-02", "-3.50", "Café Sole", "espresso")))(t)
	must(b.AddRow(ctx, user, account, written(t, "2026-02-27", "-50.00", "Market", "")))(t) // it is from before the opening balance, which includes it
	b.checkIndex(t)
	equal(t, b.rows(t, user, account, 10), "2026-03-02 -3.50 espresso", "2026-03-02 -3.50 espresso", "2026-02-27 -50.00 ")
	if got := b.balance(t, user, account); coffee == again || got != "93.00" {
		t.Errorf("two equal rows have the ids %d and %d, and leave %s", coffee, again, got)
	}
	check(t, b.Annotate(ctx, user, account, coffee, finance.Annotation{Note: "with Lena"}))
	check(t, b.Split(ctx, user, account, coffee, []finance.SplitPart{{Amount: euro(t, "", "-3.00").Amount}, {Amount: euro(t, "", "-0.50").Amount}}))
	change := func(row int64, text string) bool {
		return must(b.ChangeRow(ctx, user, account, row, written(t, "2026-03-05", text, "Café Luna", "cappuccino")))(t)
	}
	if !change(coffee, "-4.20") || change(coffee, "-4.20") {
		t.Error("another amount takes the parts back, and only once")
	}
	b.checkIndex(t)
	found := b.all(t, user, search.And{search.Phrase{Words: []string{"lena"}}, search.Phrase{Words: []string{"cappuccino"}}}, 10)
	if len(found) != 1 || found[0].ID != coffee || found[0].Amount.String() != "-4.20" || found[0].Date != "2026-03-05" {
		t.Errorf("the changed row: %+v", found)
	}
	change(again, "-4.20") // now the two rows are equal again
	change(again, "-4.20")
	b.checkIndex(t)
	if got := b.balance(t, user, account); got != "91.60" {
		t.Errorf("after the changes: %s", got)
	}
	check(t, b.DeleteRow(ctx, user, account, again))
	check(t, b.SetValue(ctx, user, account, euro(t, "2026-02-01", "200.00")))
	b.checkIndex(t)
	a := must(b.Account(ctx, user, account))(t)
	if got := b.balance(t, user, account); got != "145.80" || a.Transactions != 2 || a.HistoryFrom != "2026-02-27" {
		t.Errorf("%s is left of %d rows since %s", got, a.Transactions, a.HistoryFrom)
	}
	if values := must(b.Values(ctx, user, account))(t); len(values) != 1 {
		t.Errorf("the account has %d opening balances", len(values))
	}
	o := must(b.Overview(ctx, user, account))(t)
	if o.Account.ID != account || o.Connection.ID != "" || o.Account.Institution != "Kitchen" || o.Account.Linked() {
		t.Errorf("%+v", o)
	}
	check(t, b.ChangeAccount(ctx, finance.Account{ID: account, UserID: user, Nickname: "Purse", Type: openbanking.CashAccountTypeCASH, IBAN: "DE02120300000000202051"}))
	check(t, b.CloseAccount(ctx, user, account, true))
	if a = must(b.Account(ctx, user, account))(t); a.Nickname != "Purse" || a.IBAN == "" || a.Closed.IsZero() || a.Open() {
		t.Errorf("%+v", a)
	}
	check(t, b.CloseAccount(ctx, user, account, false))
	must(b.DeleteAccount(ctx, user, account))(t)
	b.checkIndex(t)
	if accounts := must(b.Accounts(ctx, user))(t); len(accounts) != 0 {
		t.Errorf("%d accounts are left", len(accounts))
	}
}

// The balance of an account with values is its latest value, in whatever order the values are typed.
func TestValueAccount(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user := b.user(t, "a@example.org").ID
	house := b.manual(t, user, finance.SourceValue, euro(t, "2026-01-01", "300000"))
	check(t, b.SetValue(ctx, user, house, euro(t, "2026-06-01", "310000")))
	check(t, b.SetValue(ctx, user, house, euro(t, "2025-01-01", "280000")))
	check(t, b.SetValue(ctx, user, house, euro(t, "2026-06-01", "312000")))
	var days []string
	for _, v := range must(b.Values(ctx, user, house))(t) {
		days = append(days, string(v.Day)+" "+v.Amount.String())
	}
	equal(t, days, "2026-06-01 312000.00", "2026-01-01 300000.00", "2025-01-01 280000.00")
	balance := must(b.AccountBalances(ctx, user, house))(t)
	if len(balance) != 1 || balance[0].Amount.String() != "312000.00" || balance[0].Reference != "2026-06-01" {
		t.Errorf("%+v", balance)
	}
	check(t, b.RemoveValue(ctx, user, house, "2026-06-01"))
	if got := b.balance(t, user, house); got != "300000.00" {
		t.Errorf("after the removal: %s", got)
	}
	if err := b.RemoveValue(ctx, user, house, "2026-06-01"); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("removed twice: %v", err)
	}
	if _, err := b.AddRow(ctx, user, house, written(t, "2026-03-02", "-3.50", "x", "")); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("a row in it: %v", err)
	}
	for _, day := range []openbanking.Date{"2026-01-01", "2025-01-01"} {
		check(t, b.RemoveValue(ctx, user, house, day))
	}
	if got := b.balance(t, user, house); got != "" {
		t.Errorf("without a value: %s", got)
	}
}

// When the sum of the rows exceeds the largest amount, the account has no balance, and nothing fails.
func TestBalanceBeyondAllMeasure(t *testing.T) {
	b := newBed(t)
	user := b.user(t, "a@example.org").ID
	account := b.manual(t, user, finance.SourceManual, euro(t, "2026-03-01", "0"))
	huge := finance.WrittenRow{BookingDate: "2026-03-02", Amount: money.FromMinor(math.MaxInt64, "EUR"), Counterparty: "x"}
	for range 3 {
		must(b.AddRow(t.Context(), user, account, must(huge.Entry("2026-11-22"))(t)))(t)
	}
	if got := b.balance(t, user, account); got != "" {
		t.Errorf("the balance is %s", got)
	}
}

// A person cannot change manual accounts of others, and these methods do not change accounts of a bank.
func TestManualAccountsOfOthers(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	linkedUser, linkedAccount := b.linked(t)
	b.run(t, []finance.Entry{entry(t, "R1", "700.00", "2026-03-01", "rent")})
	page := b.all(t, linkedUser, search.And{}, 10)
	owner := b.user(t, "b@example.org").ID
	own := b.manual(t, owner, finance.SourceManual, euro(t, "2026-03-01", "10.00"))
	row := must(b.AddRow(ctx, owner, own, written(t, "2026-03-02", "-1.00", "x", "")))(t)
	for _, c := range []struct {
		name, user, account string
		row                 int64
	}{{"a stranger's", linkedUser, own, row}, {"a linked one", linkedUser, linkedAccount, page[0].ID}, {"a row of another", owner, own, page[0].ID}} {
		for what, call := range map[string]func() error{
			"change row": func() error {
				_, err := b.ChangeRow(ctx, c.user, c.account, c.row, written(t, "2026-03-02", "-9.00", "y", ""))
				return err
			},
			"delete row": func() error { return b.DeleteRow(ctx, c.user, c.account, c.row) },
		} {
			if err := call(); !errors.Is(err, finance.ErrNotFound) {
				t.Errorf("%s, %s: %v", c.name, what, err)
			}
		}
		if c.account == own && c.user == owner {
			continue
		}
		for what, call := range map[string]func() error{
			"add row": func() error {
				_, err := b.AddRow(ctx, c.user, c.account, written(t, "2026-03-02", "-9.00", "y", ""))
				return err
			},
			"change": func() error {
				return b.ChangeAccount(ctx, finance.Account{ID: c.account, UserID: c.user, Nickname: "mine"})
			},
			"close":        func() error { return b.CloseAccount(ctx, c.user, c.account, true) },
			"delete":       func() error { _, err := b.DeleteAccount(ctx, "nobody", c.account); return err },
			"set value":    func() error { return b.SetValue(ctx, c.user, c.account, euro(t, "2026-03-01", "5")) },
			"remove value": func() error { return b.RemoveValue(ctx, c.user, c.account, "2026-03-01") },
		} {
			if err := call(); !errors.Is(err, finance.ErrNotFound) {
				t.Errorf("%s, %s: %v", c.name, what, err)
			}
		}
	}
	if values := must(b.Values(ctx, linkedUser, own))(t); len(values) != 0 {
		t.Errorf("a stranger sees %v", values)
	}
	if got := b.balance(t, owner, own); got != "9.00" {
		t.Errorf("after all: %s", got)
	}
}

// Manual accounts are listed after those of banks, and are not affected when a bank is linked again.
func TestManualAccountsBesideLinked(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user := b.user(t, "a@example.org")
	own := b.manual(t, user.ID, finance.SourceManual, euro(t, "2026-03-01", "10.00"))
	b.link(t, user, "s1", resource("h1", "EUR", "uid1"))
	b.link(t, user, "s2", resource("h1", "EUR", "uid2"))
	accounts := must(b.Accounts(ctx, user.ID))(t)
	if len(accounts) != 2 || accounts[1].ID != own || !accounts[0].Linked() {
		t.Fatalf("%+v", accounts)
	}
	h := must(b.Holdings(ctx, user.ID))(t)
	if len(h.Connections) != 1 || len(h.Accounts) != 2 || len(h.Balances[own]) != 1 {
		t.Errorf("%+v", h)
	}
	if slices.ContainsFunc(h.Tasks, func(k finance.SyncTask) bool { return k.AccountID == own }) {
		t.Error("a sync is to fetch an account that no bank brings")
	}
	if claims := must(b.Belongings(ctx, user.ID))(t); claims.Accounts != 2 {
		t.Errorf("%+v", claims)
	}
}
