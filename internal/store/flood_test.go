package store

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"florin/internal/budgets"
	"florin/internal/finance"
	"florin/internal/testkit"
)

// One sync brings 10,000 new rows to a person with all notifications on: 2,000 debits of unknown creditors, 1,000 returns on the day of their debit, and large
// payments that a saved search finds, after which the balance is low and a budget is used up. Each channel sends as many messages that day as its cap allows,
// and the next day one with the number of the others. The guard works in rounds, and the list of news stays short.
func TestTenThousandNewRows(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Soak)
	testkit.OneDay(t, 5*time.Minute)
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	mine := b.Mine(user)
	check(t, b.SaveSearch(ctx, user, finance.SavedSearch{Kind: finance.SavedTransactions, Name: "Gym", Text: "gym"}))
	saved := must(b.SavedSearches(ctx, user, finance.SavedTransactions))(t)
	month := budgets.Month(time.Now().UTC().Format("2006-01"))
	check(t, b.AddBudgets(ctx, user, budgets.Budget{ID: "all", Target: budgets.Target{Category: "sport"}, Currency: "EUR", From: month,
		Assigned: map[budgets.Month]int64{month: 100}}))
	b.on(t, user)
	settings := finance.DefaultAlertSettings()
	settings.Above = finance.AlertAmount{Minor: 10000, Currency: "EUR"}
	on := map[finance.Channel][]finance.AlertKind{}
	for _, c := range finance.Channels {
		on[c] = finance.AlertKinds
	}
	check(t, b.SaveAlerts(ctx, user, settings, on, map[string]finance.AlertAmount{account: {Minor: 5000, Currency: "EUR"}}, []string{saved[0].ID}))
	before := []finance.Entry{entry(t, "first", "1.00", daysAgo(9), "first")}
	b.runUnchecked(t, before)
	b.readBalance(t, account, ago(1), 900000)
	b.index(t)
	b.watchDebits(t)
	check(t, b.Watch(ctx, time.Now().UTC(), parseAlone))
	digests := len(b.messages(t)) / len(finance.Channels) // a digest, when today is its day
	b.exec(t, `UPDATE sync_task SET first_success_at = '2026-01-01T00:00:00.000Z' WHERE scope = 'transactions'`)

	const rows, unknown, back = 10_000, 2000, 1000
	creditor := func(i int) string { return fmt.Sprintf("Creditor %d MREF+M%d CRED+DE98ZZZ%011d", i, i, i) }
	var fresh []finance.Entry
	for i := range rows {
		day := daysAgo(i * 5 / rows)
		switch {
		case i < unknown:
			fresh = append(fresh, entry(t, fmt.Sprintf("D%d", i), fmt.Sprintf("%d.00", 200+i), day, creditor(i)))
		case i < unknown+back:
			of := i - unknown
			fresh = append(fresh, returned(t, fmt.Sprintf("B%d", i), fmt.Sprintf("%d.00", 200+of), daysAgo(of*5/rows), creditor(of)))
		default:
			fresh = append(fresh, entry(t, fmt.Sprintf("R%d", i), "250.00", day, "gym"))
		}
	}
	var pages [][]finance.Entry
	for page := range slices.Chunk(append(fresh, before...), 1000) {
		pages = append(pages, page)
	}
	b.only(t, account)
	b.runUnchecked(t, pages...)
	b.readBalance(t, account, ago(0), 100)
	for range rows {
		next, err := b.TendIndex(ctx)
		if check(t, err); next.IsZero() || next.After(time.Now().Add(time.Minute)) {
			break
		}
	}

	var heap, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&heap)
	began, rounds := time.Now(), 0
	for {
		looked := b.number(t, `SELECT COUNT(*) FROM direct_debit WHERE looked = 1`)
		next, _, err := b.WatchDebits(ctx)
		check(t, err)
		if now := b.number(t, `SELECT COUNT(*) FROM direct_debit WHERE looked = 1`); now-looked > debitRows {
			t.Fatalf("a round of the guard decides about %d direct debits", now-looked)
		}
		if rounds++; next.IsZero() {
			break
		} else if rounds > 3*rows/debitRows {
			t.Fatal("the guard does not end its work")
		}
	}
	guarded := time.Since(began)
	if left := b.number(t, `SELECT COUNT(*) FROM direct_debit WHERE looked = 0`); left != 0 {
		t.Errorf("%d direct debits were not judged", left)
	}
	if n := b.number(t, `SELECT COUNT(*) FROM debit_finding WHERE kind = 'new-creditor'`); n != unknown-back {
		t.Errorf("%d creditors are reported, of %d whose debit was not returned", n, unknown-back)
	}
	began = time.Now()
	check(t, b.Watch(ctx, time.Now().UTC(), parseAlone))
	watched := time.Since(began)
	runtime.ReadMemStats(&now)
	t.Logf("the guard took %s in %d rounds, looking for messages %s; both allocated %d MB, and the heap has %d MB", guarded.Round(time.Millisecond), rounds,
		watched.Round(time.Millisecond), (now.TotalAlloc-heap.TotalAlloc)>>20, now.HeapAlloc>>20)

	began = time.Now()
	sent := map[finance.Channel]int{}
	for _, m := range b.messages(t) {
		sent[m.Channel]++
	}
	t.Logf("claiming took %s", time.Since(began).Round(time.Millisecond))
	for _, c := range finance.Channels {
		if sent[c]+digests != settings.Cap {
			t.Errorf("%d messages by %s on a day with a cap of %d", sent[c], c, settings.Cap)
		}
	}
	told := b.number(t, `SELECT COUNT(*) FROM alert WHERE kind IN ('booking-above', 'booking-found', 'balance-below', 'budget-passed')`)
	if told != 4 && told != 3 { // without a rule no row has the budget's category
		t.Errorf("%d alerts about bookings, the balance and the budget", told)
	}
	held := b.number(t, `SELECT COUNT(*) FROM message WHERE state = 'held'`) / len(finance.Channels)
	b.exec(t, `UPDATE message SET due = '2000-01-01T00:00:00.000Z' WHERE state = 'waiting'`) // as if midnight had come
	rest := b.messages(t)
	for _, m := range rest {
		if m.Alert.Kind != finance.AlertMore || m.Count != held || held < unknown-back-settings.Cap {
			t.Errorf("%s by %s reports %d, and %d were held back", m.Alert.Kind, m.Channel, m.Count, held)
		}
	}
	if len(rest) != len(finance.Channels) {
		t.Errorf("%d summaries on %d channels", len(rest), len(finance.Channels))
	}
	if again := b.messages(t); len(again) != 0 {
		t.Errorf("%d messages more", len(again))
	}

	news := must(b.AllNews(ctx, user))(t)[account]
	if len(news.New) != finance.MaxNews || news.Count() != finance.MaxNews {
		t.Errorf("%d rows are listed as new", news.Count())
	}
	if found := must(mine.DebitFindings(ctx))(t); len(found) > mostFound {
		t.Errorf("%d direct debits are listed", len(found))
	}
}
