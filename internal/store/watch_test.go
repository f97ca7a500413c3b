package store

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"florin/internal/budgets"
	"florin/internal/finance"
	"florin/internal/search"
	"florin/internal/sqlite"
)

// parseAlone parses a search that needs no data of a person.
func parseAlone(_ context.Context, _, text string) (search.Query, bool, error) {
	parsed, fault := search.Parse(text, search.Context{Today: ago(0)})
	return parsed.Query, fault == nil, nil
}

// toldNow runs Watch several times, with restarts, and returns the messages sent by webhook.
func (b *bed) toldNow(t testing.TB) (all []finance.Message) {
	t.Helper()
	for range 3 {
		check(t, b.Watch(t.Context(), time.Now().UTC(), parseAlone))
		for _, m := range b.messages(t) {
			if m.Channel == finance.ChannelWebhook {
				all = append(all, m)
			}
		}
		b.reopen(t)
	}
	return all
}

func (b *bed) index(t testing.TB) {
	t.Helper()
	for range 50 {
		next, err := b.TendIndex(t.Context())
		if check(t, err); next.IsZero() || next.After(time.Now().Add(time.Minute)) {
			return
		}
	}
}

// keys lists the kinds of messages with the facts that identify them, sorted.
func keys(all []finance.Message) (list []string) {
	for _, m := range all {
		list = append(list, fmt.Sprintf("%s %s %d %d", m.Alert.Kind, m.Alert.Facts.SearchName, m.Alert.Facts.Amount.Minor, m.Alert.Facts.Count))
	}
	slices.Sort(list)
	return list
}

// The first sync of an account causes no message. Later one is sent for a booking above the limit, and one for a booking that a chosen search finds, each once.
// Bookings that arrive late cause none, and many rows of one sync cause one message with their number.
func TestBookingsAreTold(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	check(t, b.SaveSearch(ctx, user, finance.SavedSearch{Kind: finance.SavedTransactions, Name: "Gym", Text: "gym"}))
	saved := must(b.SavedSearches(ctx, user, finance.SavedTransactions))(t)
	b.on(t, user)
	settings := finance.DefaultAlertSettings()
	settings.Cap, settings.Above = 100, finance.AlertAmount{Minor: 10000, Currency: "EUR"}
	kinds := []finance.AlertKind{finance.AlertBookingAbove, finance.AlertBookingFound}
	on := map[finance.Channel][]finance.AlertKind{finance.ChannelWebhook: kinds}
	check(t, b.SaveAlerts(ctx, user, settings, on, nil, []string{saved[0].ID, "somebody else's"}))
	check(t, b.SaveSearch(ctx, user, finance.SavedSearch{Kind: finance.SavedTransactions, Name: "Nothing", Text: "account:nowhere"}))
	check(t, b.Watch(ctx, time.Now(), parseAlone)) // before the first sync
	day := func(n int) string { return string(ago(n)) }
	var first []finance.Entry
	for i := range 30 {
		first = append(first, entry(t, fmt.Sprintf("A%d", i), "500.00", day(i%5), "gym"))
	}
	b.sync(t, account, first...)
	b.index(t)
	if all := b.toldNow(t); len(all) != 0 {
		t.Fatalf("sent about the first sync: %v", keys(all))
	}
	b.exec(t, `UPDATE sync_task SET first_success_at = '2026-01-01T00:00:00.000Z' WHERE scope = 'transactions'`)
	rows := append([]finance.Entry{entry(t, "B1", "100.00", day(0), "rent"), entry(t, "B2", "99.99", day(1), "gym twice"), entry(t, "B3", "9.00", day(0), "coffee"),
		entry(t, "B4", "800.00", day(9), "gym, late")}, first...)
	b.sync(t, account, rows...)
	b.index(t)
	got := b.toldNow(t)
	if want := []string{"booking-above  -10000 0", "booking-found Gym -9999 0"}; !slices.Equal(keys(got), want) {
		t.Errorf("sent %q, want %q", keys(got), want)
	}
	var many []finance.Entry
	for i := range 200 {
		many = append(many, entry(t, fmt.Sprintf("C%d", i), "250.00", day(0), "gym"))
	}
	b.sync(t, account, append(many, rows...)...)
	b.index(t)
	got = b.toldNow(t)
	if want := []string{"booking-above  0 200", "booking-found Gym 0 200"}; !slices.Equal(keys(got), want) {
		t.Errorf("sent %q, want %q", keys(got), want)
	}

	// After switching a kind off and on again, nothing is sent about the time in between.
	check(t, b.SaveAlerts(ctx, user, settings, map[finance.Channel][]finance.AlertKind{finance.ChannelWebhook: {finance.AlertDebit}}, nil, nil))
	b.toldNow(t)
	b.sync(t, account, append([]finance.Entry{entry(t, "D1", "300.00", day(0), "gym")}, append(many, rows...)...)...)
	b.index(t)
	check(t, b.SaveAlerts(ctx, user, settings, on, nil, []string{saved[0].ID}))
	if all := b.toldNow(t); len(all) != 0 {
		t.Errorf("sent about the time in between: %v", keys(all))
	}
}

// A balance below its line causes one message when it crosses the line, and another only after it was above. A changed line counts as a new one.
func TestBalancesAreTold(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	other := b.user(t, "b@example.org").ID
	b.on(t, user)
	line := func(minor int64) {
		t.Helper()
		lines := map[string]finance.AlertAmount{account: {Minor: minor, Currency: "EUR"}}
		on := map[finance.Channel][]finance.AlertKind{finance.ChannelWebhook: {finance.AlertBalanceBelow}}
		check(t, b.SaveAlerts(ctx, user, finance.DefaultAlertSettings(), on, lines, nil))
		check(t, b.SaveAlerts(ctx, other, finance.DefaultAlertSettings(), on, lines, nil)) // the account is not theirs
	}
	line(5000)
	for i, step := range []struct {
		minor int64
		told  int
	}{{9000, 0}, {5000, 0}, {4999, 1}, {100, 0}, {6000, 0}, {-100, 1}} {
		b.readBalance(t, account, ago(0), step.minor)
		got := b.toldNow(t)
		if len(got) != step.told || len(got) == 1 && (got[0].Alert.Facts.Amount.Minor != step.minor || got[0].Account.ID != account ||
			got[0].Alert.Facts.Limit.Minor != 5000) {
			t.Errorf("step %d: sent %+v", i, got)
		}
	}
	line(5000)
	if got := b.toldNow(t); len(got) != 0 {
		t.Errorf("sent again for the same line: %v", keys(got))
	}
	line(0)
	if got := b.toldNow(t); len(got) != 1 {
		t.Errorf("a new line: sent %d", len(got))
	}
	if lines := must(b.AlertLines(ctx, other))(t); len(lines) != 0 {
		t.Errorf("a line on an account of somebody else: %v", lines)
	}
}

// A budget causes one message in a month in which more is spent than it has.
func TestBudgetsAreTold(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	b.on(t, user, finance.AlertBudgetPassed)
	month := budgets.Month(time.Now().UTC().Format("2006-01"))
	food := budgets.Budget{ID: "food", Target: budgets.Target{Category: "groceries"}, Currency: "EUR", From: month, Assigned: map[budgets.Month]int64{month: 10000}}
	check(t, b.AddBudgets(ctx, user, food))
	today := string(ago(0))
	spend := func(entries ...finance.Entry) {
		t.Helper()
		b.sync(t, account, entries...)
		must(b.SetCategory(ctx, user, account, b.id(t, user, entries[0].Remittance), "groceries"))(t)
	}
	spend(entry(t, "A", "99.00", today, "first"))
	if got := b.toldNow(t); len(got) != 0 {
		t.Errorf("sent before it is passed: %v", keys(got))
	}
	spend(entry(t, "B", "2.00", today, "second"), entry(t, "A", "99.00", today, "first"))
	got := b.toldNow(t)
	if len(got) != 1 || got[0].Alert.Facts.Amount.Minor != 10100 || got[0].Alert.Facts.Limit.Minor != 10000 {
		t.Errorf("sent %+v", got)
	}
}

// A connection without data for three days causes one message, until it gets data again. There is none when Florin did not try to sync, as after a clock that
// jumped.
func TestFailingSyncsAreTold(t *testing.T) {
	b := newBed(t)
	user, _ := b.linked(t)
	b.on(t, user, finance.AlertSyncFails)
	since := func(days int, attempts int) {
		t.Helper()
		b.exec(t, `UPDATE sync_task SET attempts = $1, last_success_at = $2, last_error_at = $3`, attempts, sqlite.At(time.Now().AddDate(0, 0, -days)), sqlite.At(time.Now()))
	}
	for i, step := range []struct{ days, attempts, told int }{{1, 9, 0}, {10, 0, 0}, {4, 5, 1}, {4, 6, 0}} {
		if step.days != 4 || i == 2 {
			since(step.days, step.attempts)
		}
		if got := b.toldNow(t); len(got) != step.told {
			t.Errorf("%+v: sent %v", step, keys(got))
		}
	}
	since(3, 7) // it had data in between
	b.exec(t, `UPDATE sync_task SET last_success_at = $1`, sqlite.At(time.Now().Add(-73*time.Hour)))
	if got := b.toldNow(t); len(got) != 1 || got[0].Bank.ASPSP != bank {
		t.Errorf("sent %v", keys(got))
	}
}

// A digest is sent once a week, with the number of the week's rows and their sums, and late when Florin was off. Who switches it on in the middle of a week
// gets the next one.
func TestDigestsAreTold(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	b.on(t, user, finance.AlertDigest)
	b.sync(t, account, entry(t, "A", "10.00", "2026-11-16", "a"), entry(t, "B", "5.00", "2026-11-22", "b"), entry(t, "C", "7.00", "2026-11-23", "c"))
	told := func(day string) []finance.Message {
		t.Helper()
		now := must(time.Parse(time.RFC3339, day+"T08:00:00Z"))(t)
		for range 2 {
			check(t, b.Watch(ctx, now, parseAlone))
		}
		return slices.DeleteFunc(b.messages(t), func(m finance.Message) bool { return m.Channel != finance.ChannelMail })
	}
	reads := func(attempts int, day string) {
		t.Helper()
		b.exec(t, `UPDATE sync_task SET attempts = $1, last_success_at = $2`, attempts, day+"T06:00:00.000Z")
	}
	reads(0, "2026-11-27")
	if got := told("2026-11-27"); len(got) != 0 {
		t.Errorf("on a Friday: %v", keys(got))
	}
	got := told("2026-11-23")
	if len(got) != 1 || got[0].Alert.Facts.Count != 2 || len(got[0].Alert.Facts.Out) != 1 || got[0].Alert.Facts.Out[0].Minor != -1500 ||
		got[0].Alert.Facts.Day != "2026-11-16" {
		t.Fatalf("sent %+v", got)
	}
	for _, day := range []string{"2026-11-24", "2026-11-23"} { // the clock goes back
		if got := told(day); len(got) != 0 {
			t.Errorf("%s: sent again %v", day, keys(got))
		}
	}

	// From here on Florin was off. The digest waits until the missed days were synced.
	b.sync(t, account, entry(t, "C", "7.00", "2026-11-23", "c"), entry(t, "D", "9.00", "2026-11-29", "d"))
	reads(1, "2026-11-29")
	if got := told("2026-12-04"); len(got) != 0 {
		t.Errorf("before the last day was read: %v", keys(got))
	}
	reads(0, "2026-11-30")
	if got := told("2026-12-04"); len(got) != 1 || got[0].Alert.Facts.Count != 2 || got[0].Alert.Facts.Until != "2026-11-29" {
		t.Errorf("on a Friday, after Florin was off: %+v", got)
	}
	reads(2, "2026-11-30") // the bank refuses to be read
	if got := told("2026-12-08"); len(got) != 1 || got[0].Alert.Facts.Count != 0 {
		t.Errorf("of a week that no bank let be read: %+v", got)
	}
	if got := told("2026-12-25"); len(got) != 0 {
		t.Errorf("on a Friday, who may have switched it on since: %v", keys(got))
	}
}
