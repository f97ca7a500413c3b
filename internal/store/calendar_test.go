package store

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"florin/internal/calendar"
	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

// TestCalendarAddress: each person has one address, whose token is not in the database. A new address replaces it. Nobody finds or ends the address of another
// person.
func TestCalendarAddress(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	mira, bo := b.user(t, "mira@example.org"), b.user(t, "bo@example.org")
	first, second := finance.Secret(finance.NewID()), finance.Secret(finance.NewID())
	check(t, b.MakeCalendar(ctx, finance.Calendar{UserID: mira.ID, Amounts: true}, first))
	check(t, b.MakeCalendar(ctx, finance.Calendar{UserID: bo.ID}, finance.Secret(finance.NewID())))
	got := must(b.CalendarByToken(ctx, first))(t)
	if time.Since(got.Created) > time.Minute || got.Created.IsZero() || got != must(b.Calendar(ctx, mira.ID))(t) {
		t.Errorf("%+v", got)
	}
	if got.Created = (time.Time{}); got != (finance.Calendar{UserID: mira.ID, Amounts: true}) {
		t.Errorf("%+v", got)
	}
	check(t, b.SetLanguage(ctx, mira.ID, "de"))
	check(t, b.SetCalendar(ctx, mira.ID, false, true))
	check(t, b.CalendarAsked(ctx, got))
	got = must(b.Calendar(ctx, mira.ID))(t)
	if got.Language != "de" || got.Amounts || !got.Names || got.Asked.IsZero() {
		t.Errorf("%+v", got)
	}
	stamp := b.Stamp(ctx)
	check(t, b.CalendarAsked(ctx, got))
	if b.Stamp(ctx) != stamp {
		t.Error("each question is a commit")
	}
	check(t, b.MakeCalendar(ctx, finance.Calendar{UserID: mira.ID}, second))
	for _, token := range []finance.Secret{first, "", finance.Secret(hashOf(second)), second[:25]} {
		if _, err := b.CalendarByToken(ctx, token); !errors.Is(err, finance.ErrNotFound) {
			t.Errorf("%q: %v", token.Reveal(), err)
		}
	}
	if got := must(b.CalendarByToken(ctx, second))(t); got.Names || !got.Asked.IsZero() {
		t.Errorf("the new address is %+v", got)
	}
	check(t, b.EndCalendar(ctx, mira.ID))
	for what, err := range map[string]error{"ended twice": b.EndCalendar(ctx, mira.ID), "chosen": b.SetCalendar(ctx, mira.ID, true, true)} {
		if !errors.Is(err, finance.ErrNotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
	must(b.Calendar(ctx, bo.ID))(t)
	check(t, b.Close())
	for _, end := range []string{"", "-wal"} {
		if file, err := os.ReadFile(b.path + end); err == nil && (strings.Contains(string(file), first.Reveal()) ||
			strings.Contains(string(file), second.Reveal())) {
			t.Errorf("app.db%s holds a token", end)
		}
	}
}

// TestTellCalendar: events keep their ids over restarts; unchanged entries write nothing; past events are deleted; and an event that returns after a while has
// its old id.
func TestTellCalendar(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	mira, bo := b.user(t, "mira@example.org"), b.user(t, "bo@example.org")
	const today = openbanking.Date("2026-11-23")
	entries := func(days ...string) (all []calendar.Entry) {
		for _, d := range days {
			all = append(all, calendar.Entry{Of: "series 1", Day: openbanking.Date(d), Slack: 13, Title: "Debit"})
		}
		return all
	}
	first := must(b.CalendarEvents(ctx, mira.ID, entries("2026-12-01", "2027-01-01"), today))(t)
	other := must(b.CalendarEvents(ctx, bo.ID, entries("2026-12-01"), today))(t)
	if first[0].UID == first[1].UID || first[0].UID == other[0].UID || len(first[0].UID) != 26 {
		t.Errorf("%+v, %+v", first, other)
	}
	b.reopen(t)
	stamp := b.Stamp(ctx)
	again := must(b.CalendarEvents(ctx, mira.ID, entries("2026-12-01", "2027-01-01"), today))(t)
	if fmt.Sprint(again) != fmt.Sprint(first) || b.Stamp(ctx) != stamp {
		t.Errorf("the unchanged entries: %+v, want %+v", again, first)
	}
	moved := must(b.CalendarEvents(ctx, mira.ID, entries("2026-12-03", "2027-01-01"), today))(t)
	if moved[0].UID != first[0].UID || moved[0].Sequence != 1 || moved[0].Day != "2026-12-03" || moved[1] != first[1] {
		t.Errorf("moved: %+v", moved)
	}
	must(b.CalendarEvents(ctx, mira.ID, nil, today))(t) // all of them were booked, or the series was dismissed
	if back := must(b.CalendarEvents(ctx, mira.ID, entries("2026-12-03"), "2027-01-31"))(t); back[0].UID != first[0].UID || back[0].Sequence != 1 {
		t.Errorf("came back as %+v", back)
	}
	must(b.CalendarEvents(ctx, mira.ID, nil, "2027-02-02"))(t) // more than 60 days later the events are deleted
	count := func(userID string) (n int) {
		check(t, b.db.Read().QueryRowContext(ctx, `SELECT COUNT(*) FROM calendar_event WHERE user_id = $1`, userID).Scan(&n))
		return n
	}
	if n := count(mira.ID); n != 1 {
		t.Errorf("%d events are remembered, want that of January", n)
	}
	// The number of stored events is limited for a calendar that changes completely each time.
	for year := range 3 {
		var many []calendar.Entry
		for n := range calendar.Most {
			many = append(many, calendar.Entry{Of: fmt.Sprintf("series %d of %d", n, year), Day: "2027-06-01"})
		}
		must(b.CalendarEvents(ctx, mira.ID, many, today))(t)
	}
	if n := count(mira.ID); n != 2*calendar.Most {
		t.Errorf("%d events are remembered, want those of the calendar and as many that were in it", n)
	}
	check(t, b.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM user WHERE id = $1`, mira.ID)
		return err
	}))
	if mine, his := count(mira.ID), count(bo.ID); mine != 0 || his != 1 {
		t.Errorf("after a person was removed, %d and %d events", mine, his)
	}
}
