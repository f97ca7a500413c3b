package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/search"
	"florin/internal/sqlite"
	"florin/internal/testkit"
)

// household creates a user with three accounts that have numbers.
func (b *bed) household(t testing.TB, email string) (userID string, accounts map[string]string) {
	t.Helper()
	u := b.user(t, email)
	name := "Anna Meier"
	var resources []openbanking.AccountResource
	for i, iban := range householdNumbers {
		r := resource("h"+email+iban, "EUR", fmt.Sprint("uid", i, email))
		r.AccountID, r.Name = &openbanking.AccountIdentification{IBAN: &iban}, &name
		resources = append(resources, r)
	}
	b.link(t, u, finance.Secret("session "+email), resources...)
	accounts = map[string]string{}
	for _, a := range must(b.Accounts(t.Context(), u.ID))(t) {
		accounts[a.IBAN] = a.ID
	}
	return u.ID, accounts
}

var householdNumbers = []string{"DE89370400440532013000", "DE02120300000000202051", "FI2112345600000785"}

// moved returns a row of a transfer: money out when the amount has a minus, otherwise money in. number is the account on the other side, "" for none.
func moved(t testing.TB, reference, amount, date, number, text string) finance.Entry {
	t.Helper()
	w := openbanking.Transaction{TransactionAmount: openbanking.AmountType{Currency: "EUR", Amount: amount}, CreditDebitIndicator: "CRDT", Status: "BOOK",
		RemittanceInformation: []string{text}, EntryReference: &reference}
	var other *openbanking.AccountIdentification
	if number != "" {
		other = &openbanking.AccountIdentification{IBAN: &number}
	}
	w.DebtorAccount = other
	if amount[0] == '-' {
		w.CreditDebitIndicator, w.TransactionAmount.Amount, w.DebtorAccount, w.CreditorAccount = "DBIT", amount[1:], nil, other
	}
	d := openbanking.Date(date)
	w.BookingDate = &d
	return read(t, w)
}

// sync stores a whole run of one account. The tasks of other accounts are postponed.
func (b *bed) sync(t testing.TB, account string, entries ...finance.Entry) {
	t.Helper()
	b.only(t, account)
	b.run(t, entries)
}

// only makes the transactions of one account due, and nothing else.
func (b *bed) only(t testing.TB, account string) {
	t.Helper()
	b.exec(t, `UPDATE sync_task SET state = 'waiting', lease = '', lease_until = NULL, next_attempt_at = '2999-01-01T00:00:00.000Z'`)
	b.exec(t, `UPDATE sync_task SET next_attempt_at = '2000-01-01T00:00:00.000Z' WHERE scope = 'transactions' AND account_id = '`+account+`'`)
}

// pair runs the search for transfers until nothing is left.
func (b *bed) pair(t testing.TB) {
	t.Helper()
	b.findTransfers(t)
	b.checkIndex(t)
}

func (b *bed) findTransfers(t testing.TB) {
	t.Helper()
	for !must(b.FindTransfers(context.Background()))(t).IsZero() {
	}
}

// transfers lists the user's rows that are transfers, as "date amount text", newest first.
func (b *bed) transfers(t testing.TB, user string) (list []string) {
	t.Helper()
	for _, r := range b.all(t, user, search.Marked{search.MarkTransfer}, 10) {
		list = append(list, fmt.Sprintf("%s %s %s", r.Date, r.Amount, r.Remittance))
		if r.Category != categories.Transfer {
			t.Errorf("%s %s has the category %q", r.Date, r.Amount, r.Category)
		}
	}
	return list
}

// Both sides are found whichever comes first. They get the category and the mark, are one line in the list of all accounts, and count neither as income nor as
// spending.
func TestTransfersAreFound(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, accounts := b.household(t, "a@example.org")
	giro, savings := householdNumbers[0], householdNumbers[1]
	b.sync(t, accounts[giro], moved(t, "R1", "-100.00", "2026-03-02", savings, "aside"), moved(t, "R2", "-40.00", "2026-03-02", "", "bicycle"),
		moved(t, "R3", "-100.00", "2026-03-02", "", "shoes"))
	b.pair(t)
	b.sync(t, accounts[savings], moved(t, "R4", "100.00", "2026-03-03", "", "aside"), moved(t, "R5", "40.00", "2026-03-04", "", "bicycle"), moved(t, "R6", "5.00", "2026-03-04", "", "gift"))
	b.pair(t)
	equal(t, b.transfers(t, user), "2026-03-04 40.00 bicycle", "2026-03-03 100.00 aside", "2026-03-02 -100.00 aside", "2026-03-02 -40.00 bicycle")

	list := func(q search.Query) (lines []string) {
		rows, _, err := b.Find(ctx, user, q, Newest, 50)
		check(t, err)
		left, paired, err := b.Fold(ctx, user, q, rows)
		check(t, err)
		for _, r := range left {
			line := fmt.Sprintf("%s %s", r.Amount, r.Remittance)
			if p, is := paired[r.ID]; is && p.OutAccount == accounts[giro] && p.InAccount == accounts[savings] {
				line += ", giro to savings"
			}
			lines = append(lines, line)
		}
		return lines
	}
	equal(t, list(search.And{}), "5.00 gift", "-100.00 aside, giro to savings", "-40.00 bicycle, giro to savings", "-100.00 shoes")
	equal(t, list(search.Marked{search.AccountMark(accounts[savings])}), "5.00 gift", "40.00 bicycle, giro to savings", "100.00 aside, giro to savings")
	equal(t, list(search.Marked{search.MarkIn}), "5.00 gift", "40.00 bicycle, giro to savings", "100.00 aside, giro to savings")
	totals, _, leftOut, err := b.Totals(ctx, user, search.And{})
	check(t, err)
	if !leftOut || len(totals) != 1 || totals[0].In.String() != "5.00" || totals[0].Out.String() != "-100.00" {
		t.Errorf("%+v", totals)
	}
	if next := must(b.FindTransfers(ctx))(t); !next.IsZero() {
		t.Error("there is something left to look at")
	}
}

// A found transfer is stored only when its rows are still as they were read. Rows that a sync or a person has changed meanwhile are searched again.
func TestTransfersThatChangeMeanwhile(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, accounts := b.household(t, "a@example.org")
	giro, savings := householdNumbers[0], householdNumbers[1]
	first, last := moved(t, "R0", "1.00", "2026-03-01", "", "first"), moved(t, "R9", "1.00", "2026-03-30", "", "last")
	out, in := moved(t, "R1", "-100.00", "2026-03-02", savings, "aside"), moved(t, "R4", "100.00", "2026-03-03", "", "aside")
	b.sync(t, accounts[giro], out)
	b.sync(t, accounts[savings], last, in, first)
	rows := map[string]int64{}
	for _, r := range b.all(t, user, search.And{}, 10) {
		rows[r.Amount.String()] = r.ID
	}
	pair := finance.Transfer{OutID: rows["-100.00"], InID: rows["100.00"], State: finance.TransferFound}
	for _, c := range []struct {
		name   string
		change func()
		stored bool
		after  []string
	}{
		{"a sync tells another account", func() {
			b.sync(t, accounts[giro], moved(t, "R1", "-100.00", "2026-03-02", "FR1420041010050500013M02606", "aside"))
		}, false, nil},
		{"the bank lists a row no more", func() { b.sync(t, accounts[savings], last, first) }, false, []string{"2026-03-02 -100.00 aside"}}, // by number alone
		{"a person refuses", func() {
			check(t, b.SetTransfer(ctx, user, finance.Transfer{OutID: pair.OutID, InID: pair.InID, State: finance.TransferRefused}))
		}, false, nil},
		{"nothing that counts", func() { check(t, b.Annotate(ctx, user, accounts[giro], pair.OutID, finance.Annotation{Note: "aside"})) }, true,
			[]string{"2026-03-03 100.00 aside", "2026-03-02 -100.00 aside"}},
	} {
		b.sync(t, accounts[giro], out)
		b.sync(t, accounts[savings], last, in, first)
		b.exec(t, `DELETE FROM own_transfer`)
		b.exec(t, `INSERT OR IGNORE INTO transfer_waiting SELECT id FROM booked_transaction`)
		var w *transferSearch
		check(t, b.db.Snapshot(ctx, func(at sqlite.Snapshot) (err error) {
			waiting, err := collect(ctx, at, scanWaiting, `SELECT `+movedColumns+`, a.user_id FROM transfer_waiting waiting
				JOIN booked_transaction t ON t.id = waiting.transaction_id JOIN account a ON a.id = t.account_id ORDER BY t.id`)
			if err == nil {
				w, err = searchTransfers(ctx, at, user, waiting)
			}
			return err
		}))
		if found := w.matcher.Match(w.sides); !slices.Equal(found, []finance.Transfer{pair}) {
			t.Fatalf("%s: found before %+v", c.name, found)
		}
		c.change()
		if stored := must(b.pairFound(ctx, w))(t); stored != c.stored {
			t.Errorf("%s: stored is %t", c.name, stored)
		}
		b.pair(t)
		equal(t, b.transfers(t, user), c.after...)
	}
}

// A person's decision stays: a refused row is never paired again, with the other side or with any other row, until the person undoes that.
func TestTransfersByHand(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, accounts := b.household(t, "a@example.org")
	stranger := b.user(t, "b@example.org").ID
	giro, savings := householdNumbers[0], householdNumbers[1]
	out := []finance.Entry{moved(t, "R1", "-100.00", "2026-03-02", savings, "aside"), moved(t, "R2", "-100.00", "2026-03-20", "", "shoes")}
	in := []finance.Entry{moved(t, "R4", "100.00", "2026-03-03", giro, "aside"), moved(t, "R5", "100.00", "2026-03-28", "", "gift")}
	b.sync(t, accounts[giro], out...)
	b.sync(t, accounts[savings], in...)
	b.pair(t)
	rows := map[string]finance.FoundRow{}
	for _, r := range b.all(t, user, search.And{}, 10) {
		rows[fmt.Sprintf("%s %s", r.Amount, r.Remittance)] = r
	}
	aside, other, err := b.TransferOf(ctx, user, rows["-100.00 aside"].ID)
	check(t, err)
	if aside.State != finance.TransferFound || other.ID != rows["100.00 aside"].ID || other.AccountID != accounts[savings] {
		t.Fatalf("%+v with %+v", aside, other)
	}
	if _, _, err := b.TransferOf(ctx, stranger, rows["-100.00 aside"].ID); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("a stranger: %v", err)
	}
	if err := b.SetTransfer(ctx, stranger, finance.Transfer{OutID: aside.OutID, InID: aside.InID, State: finance.TransferRefused}); !errors.Is(err,
		finance.ErrNotFound) {
		t.Errorf("a stranger: %v", err)
	}
	if err := b.SetTransfer(ctx, user, finance.Transfer{OutID: aside.InID, InID: aside.OutID, State: finance.TransferByHand}); !errors.Is(err,
		finance.ErrNotFound) {
		t.Errorf("the wrong way round: %v", err)
	}

	check(t, b.SetTransfer(ctx, user, finance.Transfer{OutID: aside.OutID, InID: aside.InID, State: finance.TransferRefused}))
	b.sync(t, accounts[giro], append(out, moved(t, "R7", "-100.00", "2026-03-03", savings, "aside"))...)
	b.pair(t)
	equal(t, b.transfers(t, user), "2026-03-03 -100.00 aside") // its other account is the person's own, but no row is left for the other side
	for _, r := range b.all(t, user, search.And{}, 10) {
		if t1, _, err := b.TransferOf(ctx, user, r.ID); err == nil && t1.State != finance.TransferRefused {
			t.Errorf("%s %s is paired again: %+v", r.Date, r.Amount, t1)
		}
	}
	check(t, b.SetTransfer(ctx, user, finance.Transfer{OutID: aside.OutID, InID: aside.InID, State: finance.TransferByHand}))
	b.pair(t)
	equal(t, b.transfers(t, user), "2026-03-03 -100.00 aside", "2026-03-03 100.00 aside", "2026-03-02 -100.00 aside")

	// A pair that Florin would never find.
	shoes := must(b.Transaction(ctx, user, accounts[giro], rows["-100.00 shoes"].ID))(t)
	offered := must(b.TransferCandidates(ctx, user, shoes.Transaction))(t)
	if len(offered) != 1 || offered[0].ID != rows["100.00 gift"].ID {
		t.Fatalf("%+v", offered)
	}
	check(t, b.SetTransfer(ctx, user, finance.Transfer{OutID: shoes.ID, InID: offered[0].ID, State: finance.TransferByHand}))
	b.pair(t)
	equal(t, b.transfers(t, user), "2026-03-28 100.00 gift", "2026-03-20 -100.00 shoes", "2026-03-03 -100.00 aside", "2026-03-03 100.00 aside", "2026-03-02 -100.00 aside")
	// A person can still set the category of a transfer.
	must(b.SetCategory(ctx, user, accounts[giro], shoes.ID, "gifts"))(t)
	b.pair(t)
	if got := must(b.Transaction(ctx, user, accounts[giro], shoes.ID))(t); got.Category != "gifts" {
		t.Errorf("the category is %q", got.Category)
	}
}

// A row that the bank no longer lists is not a side of a transfer, until it comes back. A row that gets its account number later is found then.
func TestTransfersFollowTheBank(t *testing.T) {
	b := newBed(t)
	user, accounts := b.household(t, "a@example.org")
	giro, savings := householdNumbers[0], householdNumbers[1]
	first, last := moved(t, "R0", "-1.00", "2026-03-01", "", "first"), moved(t, "R9", "-1.00", "2026-03-30", "", "last")
	side := moved(t, "R1", "-100.00", "2026-03-04", savings, "aside")
	b.sync(t, accounts[giro], last, side, first)
	b.sync(t, accounts[savings], moved(t, "R4", "100.00", "2026-03-05", "", ""))
	b.pair(t)
	both := []string{"2026-03-05 100.00 ", "2026-03-04 -100.00 aside"}
	equal(t, b.transfers(t, user), both...)
	b.sync(t, accounts[giro], last, first)
	b.pair(t)
	equal(t, b.transfers(t, user), both[1]) // by its account number alone
	b.sync(t, accounts[giro], last, side, first)
	b.pair(t)
	equal(t, b.transfers(t, user), both...)
	b.sync(t, accounts[giro], last, moved(t, "R1", "-100.00", "2026-03-04", "FR1420041010050500013M02606", "aside"), first)
	b.pair(t)
	equal(t, b.transfers(t, user))
	b.sync(t, accounts[giro], last, moved(t, "R1", "-100.00", "2026-03-04", savings, "aside again"), first)
	b.pair(t)
	equal(t, b.transfers(t, user), both[0], "2026-03-04 -100.00 aside again")
	b.sync(t, accounts[giro], last, moved(t, "another", "-100.00", "2026-03-04", savings, "aside again"), first) // the bank changes all references
	b.pair(t)
	equal(t, b.transfers(t, user), both[0], "2026-03-04 -100.00 aside again")
}

// In whatever order accounts are synced and however often transfers are searched, the result is the same: the pairs that the matcher finds when it gets all
// rows at once.
func TestPairsDoNotDependOnTheOrderOfSyncs(t *testing.T) {
	testkit.Unwatched(t)
	b := newBed(t)
	ctx := t.Context()
	rapid.Check(t, func(rt *rapid.T) {
		n := finance.NewID()
		user, accounts := b.household(t, n+"@example.org")
		rows := map[string][]finance.Entry{}
		for i := range rapid.IntRange(2, 25).Draw(rt, "rows") {
			number := rapid.SampledFrom(householdNumbers).Draw(rt, "account")
			other := rapid.SampledFrom(append([]string{"", "", "FR1420041010050500013M02606"}, householdNumbers...)).Draw(rt, "other")
			if other == number {
				other = ""
			}
			amount := rapid.SampledFrom([]string{"-10.00", "10.00", "-20.00", "20.00", "19.00"}).Draw(rt, "amount")
			day := rapid.IntRange(1, 12).Draw(rt, "day")
			text := rapid.SampledFrom([]string{"", "bicycle", "Sparen", "Anna Meier"}).Draw(rt, "text")
			rows[number] = append(rows[number], moved(t, fmt.Sprint("R", n, i), amount, fmt.Sprintf("2026-03-%02d", day), other, text))
		}
		sync := func(number string, n int) {
			b.only(t, accounts[number])
			c := b.claim(t, finance.ScopeTransactions)
			check(t, b.BeginRun(ctx, &c, "longest", "", lease))
			check(t, b.ApplyPage(ctx, &c, Page{Entries: rows[number][:n]}, lease, time.Now().Add(-time.Second)))
			if rapid.Bool().Draw(rt, "look") {
				b.findTransfers(t)
			}
		}
		sent := map[string]int{}
		for range 6 {
			number := rapid.SampledFrom(householdNumbers).Draw(rt, "synced")
			sent[number] = rapid.IntRange(sent[number], len(rows[number])).Draw(rt, "up to")
			sync(number, sent[number])
		}
		for _, number := range householdNumbers {
			sync(number, len(rows[number]))
		}
		b.findTransfers(t)

		m := finance.NewTransferMatcher(must(b.Accounts(ctx, user))(t))
		var sides []finance.TransferSide
		got, want := map[[2]int64]bool{}, map[[2]int64]bool{}
		for _, r := range b.all(t, user, search.And{}, 50) {
			whole := must(b.Transaction(ctx, user, r.AccountID, r.ID))(t)
			if side, ok := m.Side(finance.TransferRow{ID: r.ID, AccountID: r.AccountID, Amount: r.Amount, Date: r.Date, Counterparty: r.Counterparty,
				CounterpartyAccount: whole.CounterpartyAccount, Remittance: r.Remittance, Kind: r.Kind}); ok {
				sides = append(sides, side)
			}
			if pair, _, err := b.TransferOf(ctx, user, r.ID); err == nil {
				got[[2]int64{pair.OutID, pair.InID}] = true
			}
		}
		for _, pair := range m.Match(sides) {
			want[[2]int64{pair.OutID, pair.InID}] = true
		}
		if !maps.Equal(got, want) {
			rt.Errorf("found %v, want %v", slices.Collect(maps.Keys(got)), slices.Collect(maps.Keys(want)))
		}
	})
	b.checkIndex(t)
}

// There are more rows than one step of the search handles.
func TestTransfersOfMany(t *testing.T) {
	testkit.Unwatched(t)
	b := newBed(t)
	user, accounts := b.household(t, "a@example.org")
	for i, number := range householdNumbers[:2] {
		var entries []finance.Entry
		for n := range 600 {
			amount := fmt.Sprintf("%d.00", 10+n)
			if i == 0 {
				amount = "-" + amount
			}
			entries = append(entries, moved(t, fmt.Sprint("R", number, n), amount, string(openbanking.DateOf(time.Date(2020, 1, 1+n, 0, 0, 0, 0, time.UTC))),
				householdNumbers[1-i], "aside"))
		}
		b.sync(t, accounts[number], entries...)
	}
	b.pair(t)
	if got := len(b.all(t, user, search.Marked{search.MarkTransfer}, 500)); got != 1200 {
		t.Errorf("%d rows are transfers, want 1200", got)
	}
}
