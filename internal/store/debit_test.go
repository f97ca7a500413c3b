package store

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"florin/internal/debits"
	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
	"florin/internal/testkit"
)

// watchDebits runs the background work for direct debits until nothing is left.
func (b *bed) watchDebits(t testing.TB) {
	t.Helper()
	for range 1000 {
		next, _, err := b.WatchDebits(t.Context())
		check(t, err)
		if next.IsZero() {
			return
		}
	}
	t.Fatal("the search for direct debits does not end")
}

// told lists the findings as "day amount kind", with "right" for those that a person closed and "back" for debits that were returned.
func told(t testing.TB, seen Seen) (list []string) {
	t.Helper()
	for _, h := range must(seen.DebitFindings(t.Context()))(t) {
		for _, f := range h.Findings {
			line := fmt.Sprintf("%s %s %s", h.Day, h.Amount, f.Kind)
			if !f.Closed.IsZero() {
				line += " right"
			}
			if h.Back != "" {
				line += " back"
			}
			list = append(list, line)
		}
	}
	slices.Sort(list)
	return list
}

// toldOf returns the direct debit with a finding of a kind.
func toldOf(t testing.TB, seen Seen, kind debits.Kind) debits.Held {
	t.Helper()
	for _, h := range must(seen.DebitFindings(t.Context()))(t) {
		if h.Findings[0].Kind == kind {
			return h
		}
	}
	t.Fatalf("there is no finding of the kind %s", kind)
	return debits.Held{}
}

// daysAgo returns a day before today.
func daysAgo(days int) string {
	return string(openbanking.DateOf(time.Now().UTC().AddDate(0, 0, -days)))
}

const energyDebit, gymDebit = "Energy MREF+M-001 CRED+DE98ZZZ09999999999", "Gym MREF+G1 CRED+DE02ZZZ01234567890"

// energyMonths are monthly debits of the energy company, the last one 20 days ago.
func energyMonths(t testing.TB, months int) (all []finance.Entry) {
	t.Helper()
	for m := range months {
		all = append(all, entry(t, fmt.Sprintf("E%d", m), "80.00", daysAgo(20+30*m), energyDebit))
	}
	return all
}

func returned(t testing.TB, reference, amount, day, text string) finance.Entry {
	t.Helper()
	d := openbanking.Date(day)
	return read(t, openbanking.Transaction{EntryReference: &reference, TransactionAmount: openbanking.AmountType{Currency: "EUR", Amount: amount},
		CreditDebitIndicator: "CRDT", Status: "BOOK", BookingDate: &d, RemittanceInformation: []string{text, "Lastschriftrückgabe"}})
}

// Debits of the first sync count as known. A finding about a debit of a later sync is reported once, with the sync that brought it, and stays until the debit
// is returned.
func TestDirectDebitsAreWatched(t *testing.T) {
	testkit.OneDay(t, time.Minute)
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	mine := b.Mine(user)
	before := append(energyMonths(t, 8), entry(t, "X", "12.00", daysAgo(3), "Club MREF+C1 CRED+DE55ZZZ00000000001"))
	b.watchDebits(t) // before the first sync
	b.on(t, user, finance.AlertDebit)
	b.run(t, before)
	b.watchDebits(t)
	equal(t, told(t, mine))

	all := append(before, entry(t, "E20", "80.00", daysAgo(1), energyDebit), entry(t, "E21", "80.00", daysAgo(0), "Energy mref+m 001 cred+DE98ZZZ09999999999"),
		entry(t, "G1", "29.90", daysAgo(0), gymDebit), entry(t, "L", "500.00", daysAgo(40), "Late MREF+L1 CRED+DE77ZZZ00000000002"))
	b.run(t, all)
	for range 2 {
		b.watchDebits(t)
		equal(t, told(t, mine), daysAgo(0)+" -29.90 new-creditor", daysAgo(0)+" -80.00 twice")
	}
	var run int64
	check(t, b.db.Read().QueryRowContext(ctx, `SELECT MIN(run) FROM debit_finding`).Scan(&run))
	if run != 2 {
		t.Errorf("found with run %d", run)
	}
	twice, fresh := toldOf(t, mine, debits.Twice), toldOf(t, mine, debits.NewCreditor)
	if h := twice; h.Creditor != "DE98ZZZ09999999999" || h.Mandate != "m 001" || h.Scheme != debits.Core || string(h.Findings[0].Other) != daysAgo(1) || h.AccountID != account {
		t.Errorf("found %+v", h)
	}
	var messages []string
	for _, m := range b.messages(t) {
		f := m.Alert.Facts
		messages = append(messages, fmt.Sprintf("%s %s %s %d", m.Channel, f.Code, f.Day, f.Amount.Minor))
	}
	slices.Sort(messages)
	var want []string
	for _, c := range []string{"mail", "ntfy", "webhook"} {
		want = append(want, c+" new-creditor "+daysAgo(0)+" -2990", c+" twice "+daysAgo(0)+" -8000")
	}
	equal(t, messages, want...)
	b.reopen(t)
	mine = b.Mine(user)

	// The person marks the finding as right, and undoes that. Nobody else can.
	if err := b.CloseDebit(ctx, b.user(t, "other@example.org").ID, fresh.ID, true); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("closed by somebody else: %v", err)
	}
	check(t, b.CloseDebit(ctx, user, fresh.ID, true))
	equal(t, told(t, mine), daysAgo(0)+" -29.90 new-creditor right", daysAgo(0)+" -80.00 twice")
	check(t, b.CloseDebit(ctx, user, fresh.ID, false))

	all = append(all, returned(t, "R1", "80.00", daysAgo(0), energyDebit), entry(t, "U", "950.00", daysAgo(0), energyDebit), returned(t, "R2", "950.00", daysAgo(0), energyDebit))
	b.run(t, all)
	b.watchDebits(t)
	equal(t, told(t, mine), daysAgo(0)+" -29.90 new-creditor", daysAgo(0)+" -80.00 twice back")
	if h := must(mine.DebitOf(ctx, twice.ID))(t); string(h.Back) != daysAgo(0) || h.Open(openbanking.Date(daysAgo(0))) || len(h.Findings) != 1 {
		t.Errorf("after its return: %+v", h)
	}
	if _, err := b.Mine(b.user(t, "third@example.org").ID).DebitOf(ctx, twice.ID); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("seen by somebody else: %v", err)
	}
	var mandates []string
	for _, m := range must(mine.Mandates(ctx, openbanking.Date(daysAgo(0))))(t) {
		mandates = append(mandates, fmt.Sprintf("%s %d", m.Last.Creditor, m.Count))
	}
	slices.Sort(mandates)
	equal(t, mandates, "DE02ZZZ01234567890 1", "DE55ZZZ00000000001 1", "DE77ZZZ00000000002 1", "DE98ZZZ09999999999 11")
}

// People who see the rows of an account see the findings about them. Only the owner can close them.
func TestFindingsOfSharedAccounts(t *testing.T) {
	testkit.OneDay(t, time.Minute)
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	reader := b.user(t, "reader@example.org").ID
	b.run(t, energyMonths(t, 4))
	b.watchDebits(t)
	b.run(t, append(energyMonths(t, 4), entry(t, "G1", "29.90", daysAgo(0), gymDebit)))
	b.watchDebits(t)
	household := b.Household(reader)
	equal(t, told(t, household))
	must(b.Share(ctx, user, account, []finance.Share{{ReaderID: reader, Level: finance.ShareBalances}}))(t)
	equal(t, told(t, household))
	must(b.Share(ctx, user, account, []finance.Share{{ReaderID: reader, Level: finance.ShareEverything}}))(t)
	equal(t, told(t, household), daysAgo(0)+" -29.90 new-creditor")
	equal(t, told(t, b.Mine(reader)))
	h := must(household.DebitFindings(ctx))(t)[0]
	if h.Owner == "" || must(b.Household(user).DebitFindings(ctx))(t)[0].Owner != "" {
		t.Errorf("whose it is: %+v", h)
	}
	if err := b.CloseDebit(ctx, reader, h.ID, true); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("closed by a reader: %v", err)
	}
	must(b.Share(ctx, user, account, nil))(t)
	equal(t, told(t, household))
	if _, err := household.DebitOf(ctx, h.ID); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("no longer shared: %v", err)
	}
}

// When the bank changes a row later, the new contents count from then on, and nothing is reported again.
func TestDirectDebitsFollowTheirRows(t *testing.T) {
	testkit.OneDay(t, time.Minute)
	b := newBed(t)
	user, _ := b.linked(t)
	b.run(t, energyMonths(t, 4))
	b.watchDebits(t)
	rows := energyMonths(t, 4)
	b.run(t, append(rows, entry(t, "G1", "29.90", daysAgo(1), gymDebit)))
	b.watchDebits(t)
	b.run(t, append(rows, entry(t, "G1", "29.90", daysAgo(0), gymDebit+" ZZ")))
	b.watchDebits(t)
	equal(t, told(t, b.Mine(user)), daysAgo(0)+" -29.90 new-creditor")
	check(t, b.db.Write(t.Context(), func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(t.Context(), `UPDATE debit_backlog SET from_id = 0`)
		return err
	}))
	b.watchDebits(t)
	equal(t, told(t, b.Mine(user)), daysAgo(0)+" -29.90 new-creditor")
}
