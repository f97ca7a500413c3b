package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/settling"
)

// sharing returns a rule that shares rows of a payee equally, from a day on.
func sharing(name string, from openbanking.Date, people ...string) categories.Rule {
	r := rule(name, categories.Actions{ShareFrom: from})
	for _, p := range people {
		r.Share = append(r.Share, categories.Part{Person: p, Weight: 1})
	}
	return r
}

// debtsOf lists the debts between two people, in words.
func (b *bed) debtsOf(t testing.TB, user, other string) string {
	t.Helper()
	var all []string
	for _, d := range must(b.OpenDebts(t.Context(), user))(t) {
		name := map[string]string{user: "me", other: "other"}
		all = append(all, name[d.From]+" owes "+d.Amount.String())
	}
	return fmt.Sprint(all)
}

// A rule shares new rows, and existing ones from its day on. Rows that a person shared, changed or removed stay so, even when the rule is applied again.
func TestRulesShare(t *testing.T) {
	b, ctx := newBed(t), t.Context()
	user, account := b.linked(t)
	bo := must(b.CreateUser(ctx, "bo@example.org", finance.RoleMember, "hash"))(t).ID
	var told []string
	b.WhenShared(func(people []string) { told = append(told, people...) })
	rows := []finance.Entry{paid(t, "R4", "10.00", "2026-03-04", "Lidl", "card"), paid(t, "R3", "20.00", "2026-03-03", "Lidl", "card"),
		paid(t, "R2", "30.00", "2026-03-02", "Lidl", "card"), paid(t, "R1", "40.00", "2026-03-01", "Lidl", "card"), paid(t, "R0", "7.00", "2026-03-03", "Aldi", "card")}
	b.run(t, rows)
	byHand, removed := b.row(t, user, account, "Lidl 2026-03-02"), b.row(t, user, account, "Lidl 2026-03-03")
	mark := func(id, minor int64) settling.Expense {
		e := shared(t, user, minor, "EUR", user, bo)
		e.AccountID, e.TransactionID = account, id
		must(b.SaveExpense(ctx, user, e))(t)
		return e
	}
	mark(byHand, 3000)
	must(b.DeleteExpense(ctx, user, mark(removed, 2000).ID, true))(t)
	r := sharing("lidl", "2026-03-02", user, bo)
	p := must(b.PreviewRule(ctx, user, r))(t)
	if p.Fits != 4 || p.Shared != 1 || p.Left != 2 || len(p.Sums) != 1 || p.Sums[0] != money.FromMinor(1000, "EUR") {
		t.Errorf("the preview says %+v", p)
	}
	if len(told) != 0 || b.debtsOf(t, user, bo) != "[other owes 15.00]" {
		t.Errorf("before the rule: %s, notified %v", b.debtsOf(t, user, bo), told)
	}
	r.ID = must(b.SaveRule(ctx, user, r))(t)
	if got := b.debtsOf(t, user, bo); got != "[other owes 20.00]" { // without the row of 1 March
		t.Errorf("with the rule: %s", got)
	}
	if !slices.Contains(told, user) || !slices.Contains(told, bo) {
		t.Errorf("notified %v", told)
	}
	newest := b.row(t, user, account, "Lidl 2026-03-04")
	made := must(b.ExpenseOf(ctx, user, newest))(t)
	if made.Rule != r.ID || made.Text != "Lidl" || made.Date != "2026-03-04" || made.Payer != user || made.Method != settling.Equally {
		t.Errorf("the rule made %+v", made)
	}
	rows = append([]finance.Entry{paid(t, "R5", "50.00", "2026-03-05", "LIDL", "card")}, rows...)
	b.run(t, rows)
	if got := b.debtsOf(t, user, bo); got != "[other owes 45.00]" {
		t.Errorf("with a new row: %s", got)
	}

	// A person's changes to the expense stay, and saving the rule again adds nothing.
	next := made
	next.Revision, next.Method, next.Shares = 1, settling.ByShares, []settling.Share{{Person: user, Weight: 4}, {Person: bo, Weight: 1}}
	must(b.SaveExpense(ctx, bo, must(settling.Divide(next))(t)))(t)
	must(b.SaveRule(ctx, user, r))(t)
	b.run(t, rows)
	if got := b.debtsOf(t, user, bo); got != "[other owes 42.00]" {
		t.Errorf("after a change by hand: %s", got)
	}
	must(b.DeleteExpense(ctx, bo, made.ID, true))(t)
	must(b.SaveRule(ctx, user, r))(t)
	second := sharing("lidl", "2026-01-01", user, bo)
	if p := must(b.PreviewRule(ctx, user, second))(t); p.Shared != 1 || p.Left != 4 {
		t.Errorf("the preview of a second rule says %+v", p)
	}
	second.ID = must(b.SaveRule(ctx, user, second))(t)
	check(t, b.MoveRule(ctx, user, second.ID, false))
	if p := must(b.PreviewRule(ctx, user, second))(t); p.Theirs != 4 || p.Left != 1 || p.Shared != 0 { // the first rule begins on 2 March
		t.Errorf("the preview of a rule behind another says %+v", p)
	}
	check(t, b.DeleteRule(ctx, user, second.ID))
	e := must(b.ExpenseOf(ctx, user, b.row(t, user, account, "Lidl 2026-03-01")))(t)
	must(b.DeleteExpense(ctx, user, e.ID, true))(t)
	if got := b.debtsOf(t, user, bo); got != "[other owes 40.00]" {
		t.Errorf("after one was deleted: %s", got)
	}

	// A rule with unequal shares is deleted: its expenses stay.
	weights := rule("aldi", categories.Actions{ShareFrom: "2026-01-01", Share: []categories.Part{{Person: user, Weight: 1}, {Person: bo, Weight: 6}}})
	weights.ID = must(b.SaveRule(ctx, user, weights))(t)
	if got := b.debtsOf(t, user, bo); got != "[other owes 46.00]" {
		t.Errorf("by shares: %s", got)
	}
	check(t, b.DeleteRule(ctx, user, weights.ID))
	check(t, b.DeleteRule(ctx, user, r.ID))
	if got := b.debtsOf(t, user, bo); got != "[other owes 46.00]" {
		t.Errorf("without the rules: %s", got)
	}
	b.checkIndex(t)
}

// However many rows are shared at once, each person gets one event, because a page that gets too many events at once loses its connection.
func TestRulesTellEverybodyOnce(t *testing.T) {
	b, ctx := newBed(t), t.Context()
	user, _ := b.linked(t)
	bo := must(b.CreateUser(ctx, "bo@example.org", finance.RoleMember, "hash"))(t).ID
	must(b.SaveRule(ctx, user, sharing("corner", "2026-03-01", user, bo)))(t)
	told := map[string]int{}
	b.WhenShared(func(people []string) {
		for _, p := range people {
			told[p]++
		}
	})
	var entries []finance.Entry
	for i := range 50 {
		entries = append(entries, paid(t, fmt.Sprint("R", i), "8.00", "2026-03-05", "Corner", fmt.Sprint("lunch ", i)))
	}
	b.run(t, entries)
	if got := b.debtsOf(t, user, bo); got != "[other owes 200.00]" {
		t.Error(got)
	}
	if len(told) != 2 || told[user] != 1 || told[bo] != 1 {
		t.Errorf("notified %v", told)
	}
}

// A viewer has a share from a rule or by hand, and sees both.
func TestRulesShareWithViewers(t *testing.T) {
	b, ctx := newBed(t), t.Context()
	user, account := b.linked(t)
	bo := must(b.CreateUser(ctx, "bo@example.org", finance.RoleMember, "hash"))(t).ID
	must(b.SaveRule(ctx, user, sharing("corner", "2026-03-01", user, bo)))(t)
	check(t, b.SetRole(ctx, bo, finance.RoleViewer))
	b.run(t, []finance.Entry{paid(t, "R1", "8.00", "2026-03-05", "Corner", "one"), paid(t, "R2", "6.00", "2026-03-06", "Market", "two")})
	byHand := shared(t, user, 600, "EUR", user, bo)
	byHand.AccountID, byHand.TransactionID = account, b.row(t, user, account, "Market 2026-03-06")
	must(b.SaveExpense(ctx, user, byHand))(t)
	all := must(b.SettlingBook(ctx, bo))(t).Expenses
	if len(all) != 2 || b.debtsOf(t, user, bo) != "[other owes 7.00]" {
		t.Errorf("a viewer sees %+v, %s", all, b.debtsOf(t, user, bo))
	}
	for _, e := range all {
		if e.TransactionID != 0 || e.AccountID != "" {
			t.Errorf("the expense names the booking of another person: %+v", e)
		}
	}
}

// Whatever a rule contains and whatever a row is like, the rows of a sync are stored. A row that cannot be shared is skipped.
func TestRulesNeverStopASync(t *testing.T) {
	b, ctx := newBed(t), t.Context()
	user, account := b.linked(t)
	bo := must(b.CreateUser(ctx, "bo@example.org", finance.RoleMember, "hash"))(t).ID
	part := func(person string, weight int64) categories.Part {
		return categories.Part{Person: person, Weight: weight}
	}
	crowd := []categories.Part{}
	for i := range settling.MaxPeople + 1 {
		one := must(b.CreateUser(ctx, fmt.Sprintf("u%d@example.org", i), finance.RoleMember, "hash"))(t)
		crowd = append(crowd, part(one.ID, 1))
	}
	name := "Shop 9"
	undated := read(t, openbanking.Transaction{TransactionAmount: openbanking.AmountType{Currency: "EUR", Amount: "9.00"}, CreditDebitIndicator: "DBIT", Status: "BOOK",
		Creditor: &openbanking.PartyIdentification{Name: &name}})
	for i, c := range []struct {
		name  string
		share []categories.Part
		bill  finance.Entry
		want  bool // whether the row is shared
	}{
		{"as it should be", []categories.Part{part(user, 1), part(bo, 2)}, paid(t, "A0", "9.00", "2026-03-05", "Shop 0", ""), true},
		{"somebody twice", []categories.Part{part(bo, 1), part(bo, 2)}, paid(t, "A1", "9.00", "2026-03-05", "Shop 1", ""), false},
		{"the owner alone", []categories.Part{part(user, 1)}, paid(t, "A2", "9.00", "2026-03-05", "Shop 2", ""), false},
		{"nobody that there is", []categories.Part{part("", 1)}, paid(t, "A3", "9.00", "2026-03-05", "Shop 3", ""), false},
		{"shares below zero", []categories.Part{part(user, 5), part(bo, -5)}, paid(t, "A4", "9.00", "2026-03-05", "Shop 4", ""), false},
		{"too large a share", []categories.Part{part(user, 1), part(bo, 1<<62)}, paid(t, "A5", "9.00", "2026-03-05", "Shop 5", ""), false},
		{"too many people", crowd, paid(t, "A6", "9.00", "2026-03-05", "Shop 6", ""), false},
		{"nothing", []categories.Part{part(user, 1), part(bo, 1)}, paid(t, "A7", "0.00", "2026-03-05", "Shop 7", ""), false},
		{"more than there is", []categories.Part{part(user, 1), part(bo, 1)}, paid(t, "A8", "92233720368547758.07", "2026-03-05", "Shop 8", ""), false},
		{"no date", []categories.Part{part(user, 1), part(bo, 1)}, undated, false},
		{"a long name", []categories.Part{part(user, 1), part(bo, 1)}, paid(t, "A10", "9.00", "2026-03-05", "Shop 10 "+strings.Repeat("long ", 100), ""), true},
	} {
		r := rule(fmt.Sprint("shop ", i), categories.Actions{Share: c.share, ShareFrom: "2026-01-01"})
		r.ID = must(b.SaveRule(ctx, user, r))(t)
		b.run(t, []finance.Entry{c.bill})
		var row int64
		check(t, b.db.Read().QueryRowContext(ctx, `SELECT MAX(t.id) FROM booked_transaction t WHERE t.account_id = $1`, account).Scan(&row))
		e, err := b.ExpenseOf(ctx, user, row)
		if shared := err == nil && e.Rule == r.ID; shared != c.want || !shared && !errors.Is(err, finance.ErrNotFound) {
			t.Errorf("%s: %+v, %v", c.name, e, err)
		}
		must(b.PreviewRule(ctx, user, r))(t)
	}
	var rows int
	check(t, b.db.Read().QueryRowContext(ctx, `SELECT COUNT(*) FROM booked_transaction t WHERE t.account_id = $1`, account).Scan(&rows))
	if rows != 11 {
		t.Errorf("%d rows, want all 11", rows)
	}
}

// A rule shares nothing twice: not an expense typed before the booking came, not an expense of a deleted account, not the joint account of another person, and
// not a row that comes again under another reference or is merged.
func TestRulesDoubleNothing(t *testing.T) {
	b, ctx := newBed(t), t.Context()
	user, account := b.linked(t)
	bo := must(b.CreateUser(ctx, "bo@example.org", finance.RoleMember, "hash"))(t).ID
	typed := shared(t, user, 800, "EUR", user, bo)
	typed.Date = "2026-03-03"
	must(b.SaveExpense(ctx, user, typed))(t)
	must(b.SaveRule(ctx, user, sharing("corner", "2026-03-01", user, bo)))(t)
	entries := []finance.Entry{paid(t, "R1", "8.00", "2026-03-05", "Corner", "lunch"), paid(t, "R2", "8.00", "2026-03-20", "Corner", "lunch"), paid(t, "R3", "6.00", "2026-03-21", "Corner", "tea")}
	b.run(t, entries)
	if got := b.debtsOf(t, user, bo); got != "[other owes 11.00]" { // half of three amounts: 8 typed before, 8 two weeks later, and 6
		t.Errorf("with an expense that was typed before: %s", got)
	}
	first := b.row(t, user, account, "Corner 2026-03-21")
	again := []finance.Entry{entries[0], entries[1], paid(t, "X3", "6.00", "2026-03-21", "Corner", "tea")}
	b.run(t, again) // the same booking comes under another reference
	if got := b.debtsOf(t, user, bo); got != "[other owes 11.00]" {
		t.Errorf("after a booking under another reference: %s", got)
	}
	if e, err := b.ExpenseOf(ctx, user, b.row(t, user, account, "Corner 2026-03-21")); err != nil || e.Text != "Corner" {
		t.Errorf("the row that stays, before it %d, is %+v, %v", first, e, err)
	}

	// Bo has linked the same account.
	his := b.manual(t, bo, finance.SourceManual, finance.Value{Day: "2026-01-01", Amount: money.FromMinor(0, "EUR")})
	for hash, want := range map[string]bool{"": false, "joint": true} {
		b.exec(t, `UPDATE account SET hash = $1 WHERE id IN ($2, $3)`, hash, account, his)
		is, err := isExpense(ctx, b.db.Read(), settling.Expense{Payer: bo, AccountID: his, TransactionID: -1, Date: "2026-03-20", Amount: money.FromMinor(800, "EUR")})
		if err != nil || is != want {
			t.Errorf("with the mark %q it is an expense: %v, %v", hash, is, err)
		}
	}
	b.exec(t, `DELETE FROM account WHERE id = $1`, account) // the expenses stay, without their bookings
	if got := b.debtsOf(t, user, bo); got != "[other owes 11.00]" {
		t.Errorf("after the account was deleted: %s", got)
	}
}

// Two rows that a rule shared and a person merges become one expense. When they are separated, the other row gets its own again.
func TestMergedRowsAreOneExpense(t *testing.T) {
	b, ctx := newBed(t), t.Context()
	user, account := b.linked(t)
	bo := must(b.CreateUser(ctx, "bo@example.org", finance.RoleMember, "hash"))(t).ID
	b.run(t, []finance.Entry{paid(t, "R1", "8.00", "2026-03-05", "Corner", "one"), paid(t, "R2", "8.00", "2026-03-06", "Corner", "two")})
	one, two := b.row(t, user, account, "Corner 2026-03-05"), b.row(t, user, account, "Corner 2026-03-06")
	e := shared(t, user, 800, "EUR", user, bo)
	e.AccountID, e.TransactionID = account, two
	must(b.SaveExpense(ctx, user, e))(t)
	r := sharing("corner", "2026-03-01", user, bo)
	r.ID = must(b.SaveRule(ctx, user, r))(t)
	if got := b.debtsOf(t, user, bo); got != "[other owes 8.00]" {
		t.Errorf("two rows: %s", got)
	}
	kept := must(b.Merge(ctx, user, one, two))(t)
	if got := must(b.ExpenseOf(ctx, user, kept))(t); got.ID != e.ID || b.debtsOf(t, user, bo) != "[other owes 4.00]" {
		t.Errorf("merged: %+v, %s", got, b.debtsOf(t, user, bo))
	}
	must(b.SaveRule(ctx, user, r))(t)
	if got := b.debtsOf(t, user, bo); got != "[other owes 4.00]" {
		t.Errorf("after applying the rule again: %s", got)
	}
	hidden := one + two - kept
	merged := shared(t, user, 800, "EUR", user, bo) // sent from a page that was open during the merge
	merged.AccountID, merged.TransactionID = account, hidden
	if _, err := b.SaveExpense(ctx, user, merged); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("the row that is hidden is shared: %v", err)
	}
	check(t, b.Separate(ctx, user, account, kept, hidden))
	must(b.SaveRule(ctx, user, r))(t)
	if got := b.debtsOf(t, user, bo); got != "[other owes 8.00]" {
		t.Errorf("separated: %s", got)
	}
}

// A rule stops when one of its people leaves, and works again when its owner has chosen new people. A rule that was switched off shares nothing from that time.
// A rule touches only rows of its owner.
func TestRulesStopSharing(t *testing.T) {
	b, ctx := newBed(t), t.Context()
	user, account := b.linked(t)
	bo := must(b.CreateUser(ctx, "bo@example.org", finance.RoleMember, "hash"))(t).ID
	cy := must(b.CreateUser(ctx, "cy@example.org", finance.RoleMember, "hash"))(t).ID
	r := sharing("corner", "2026-03-01", user, bo)
	r.ID = must(b.SaveRule(ctx, user, r))(t)
	must(b.SaveRule(ctx, bo, sharing("corner", "2026-01-01", user, bo)))(t) // a rule of bo, who has no such row
	entries := []finance.Entry{paid(t, "R1", "8.00", "2026-03-05", "Corner", "one")}
	b.run(t, entries)
	check(t, b.RemoveUser(ctx, bo))
	entries = append(entries, paid(t, "R2", "6.00", "2026-03-15", "Corner", "two"))
	b.run(t, entries)
	if got := b.debtsOf(t, user, bo); got != "[other owes 4.00]" {
		t.Errorf("after bo left: %s", got)
	}
	if p := must(b.PreviewRule(ctx, user, r))(t); p.Shared != 0 {
		t.Errorf("the preview says %+v", p)
	}
	r.Share[1].Person = cy
	must(b.SaveRule(ctx, user, r))(t)
	if got := b.debtsOf(t, user, cy); got != "[ owes 4.00 other owes 3.00]" && got != "[other owes 3.00  owes 4.00]" {
		t.Errorf("with cy: %s", got)
	}

	check(t, b.SwitchRule(ctx, user, r.ID, true))
	entries = append(entries, paid(t, "R3", "20.00", "2026-03-25", "Corner", "three"))
	b.run(t, entries)
	check(t, b.SwitchRule(ctx, user, r.ID, false))
	if got := must(b.Rule(ctx, user, r.ID))(t); got.Off || got.ShareFrom != openbanking.DateOf(time.Now()) {
		t.Errorf("switched on again: %+v", got)
	}
	if _, err := b.ExpenseOf(ctx, user, b.row(t, user, account, "Corner 2026-03-25")); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("a row from while the rule was off: %v", err)
	}
	if err := b.SwitchRule(ctx, cy, r.ID, true); !errors.Is(err, finance.ErrNotFound) {
		t.Error(err)
	}
}

// Whatever rules share, people change, delete and restore, and when people leave: the debts in each currency add up to zero, each expense is divided
// completely, and no booking is shared twice.
func TestSharingRulesLoseNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b, ctx := newBed(t), t.Context()
		user, account := b.linked(t)
		people := []string{user}
		for _, email := range []string{"bo@example.org", "cy@example.org"} {
			people = append(people, must(b.CreateUser(ctx, email, finance.RoleMember, "hash"))(t).ID)
		}
		left := map[string]bool{}
		var entries []finance.Entry
		var rules []string
		for i := range rapid.IntRange(3, 12).Draw(rt, "steps") {
			switch rapid.IntRange(0, 6).Draw(rt, "step") {
			case 0, 1:
				minor := rapid.IntRange(1, 5000).Draw(rt, "minor")
				entries = append(entries, paid(t, fmt.Sprintf("R%d", i), fmt.Sprintf("%d.%02d", minor/100, minor%100), fmt.Sprintf("2026-03-%02d", i+1), "Corner", fmt.Sprint("lunch ", i)))
				b.run(t, entries)
			case 2:
				r := rule("corner", categories.Actions{ShareFrom: openbanking.Date(fmt.Sprintf("2026-03-%02d", rapid.IntRange(1, 15).Draw(rt, "from")))})
				for _, p := range people {
					if w := rapid.Int64Range(0, 3).Draw(rt, "weight"); w > 0 {
						r.Share = append(r.Share, categories.Part{Person: p, Weight: w})
					}
				}
				if len(r.Share) > 0 {
					rules = append(rules, must(b.SaveRule(ctx, user, r))(t))
				}
			case 3, 4:
				all := must(b.SettlingBook(ctx, user))(t).Expenses
				if len(all) == 0 {
					continue
				}
				e := all[rapid.IntRange(0, len(all)-1).Draw(rt, "which")]
				if rapid.Bool().Draw(rt, "delete") {
					must(b.DeleteExpense(ctx, user, e.ID, !e.Deleted))(t)
				} else {
					must(b.SaveExpense(ctx, user, e))(t)
				}
			case 5:
				if len(rules) > 0 {
					check(t, b.DeleteRule(ctx, user, rules[0]))
					rules = rules[1:]
				}
			case 6:
				if p := people[rapid.IntRange(1, 2).Draw(rt, "who")]; !left[p] {
					left[p] = true
					check(t, b.RemoveUser(ctx, p))
				}
			}
			book := must(b.SettlingBook(ctx, user))(t)
			owed := money.FromMinor(0, "EUR")
			seen := map[int64]bool{}
			for _, e := range book.Expenses {
				sum := e.Amount
				for _, s := range e.Shares {
					sum = must(sum.Sub(s.Amount))(t)
					if !e.Deleted && s.Person != e.Payer {
						owed = must(owed.Add(s.Amount))(t)
					}
				}
				if !sum.IsZero() {
					rt.Fatalf("%v is divided into %v", e.Amount, e.Shares)
				}
				if seen[e.TransactionID] {
					rt.Fatalf("booking %d is shared twice", e.TransactionID)
				}
				seen[e.TransactionID] = true
			}
			for _, d := range book.Ledger.Pairs() {
				if d.To != user {
					rt.Fatalf("%+v", d)
				}
				owed = must(owed.Sub(d.Amount))(t)
			}
			if !owed.IsZero() {
				rt.Fatalf("the ledger is off by %s", owed)
			}
		}
		_ = account
	})
}
