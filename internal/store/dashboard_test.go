package store

import (
	"slices"
	"testing"

	"florin/internal/finance"
)

// Each person has their own places for the cards of the first page. They are deleted with the person.
func TestDashboard(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	mira, tom := b.user(t, "a@example.org").ID, b.user(t, "b@example.org").ID
	first := finance.DashboardOf(nil)
	placed := first.Moved(finance.CardRecent, -3).Shown(finance.CardFlow, false)
	check(t, b.SaveDashboard(ctx, mira, placed))
	if got := must(b.Dashboard(ctx, mira))(t); !slices.Equal(got, placed) {
		t.Errorf("%v, want %v", got, placed)
	}
	if got := must(b.Dashboard(ctx, tom))(t); !slices.Equal(got, first) {
		t.Errorf("somebody else has %v", got)
	}
	check(t, b.SaveDashboard(ctx, mira, placed.Moved(finance.CardRecent, 1)))
	if got := must(b.Dashboard(ctx, mira))(t); !slices.Equal(got, placed.Moved(finance.CardRecent, 1)) {
		t.Errorf("placed again: %v", got)
	}
	check(t, b.SaveDashboard(ctx, mira, nil))
	if got := must(b.Dashboard(ctx, mira))(t); !slices.Equal(got, first) {
		t.Errorf("as they were at first: %v", got)
	}
}
