package finance

import (
	"slices"
	"testing"
)

func TestDashboardOf(t *testing.T) {
	plain := func(cards ...DashboardCard) (d Dashboard) {
		for _, card := range cards {
			d = append(d, PlacedCard{Card: card})
		}
		return d
	}
	for _, c := range []struct {
		name   string
		placed []PlacedCard
		want   Dashboard
	}{
		{"nobody placed any", nil, plain(DashboardCards...)},
		{"cards that are new come behind the one before them", plain(CardSearches, CardHistory),
			plain(CardMonth, CardComing, CardSearches, CardHistory, CardAccounts, CardFlow, CardRecent)},
		{"cards that there no longer are, or twice", plain("weather", CardMonth, CardMonth), plain(DashboardCards...)},
		{"hidden", []PlacedCard{{CardMonth, true}}, append(Dashboard{{CardMonth, true}}, plain(DashboardCards[1:]...)...)},
	} {
		if got := DashboardOf(c.placed); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestCardsAreMovedAndHidden(t *testing.T) {
	d := DashboardOf(nil)
	down := d.Moved(CardMonth, 1)
	if down[0].Card != CardComing || down[1].Card != CardMonth || len(down) != len(d) {
		t.Errorf("down: %v", down)
	}
	if up := down.Moved(CardMonth, -1); !slices.Equal(up, d) {
		t.Errorf("and up again: %v", up)
	}
	for _, none := range []Dashboard{d.Moved(CardMonth, -1), d.Moved(CardSearches, 1), d.Moved("weather", 1), d.Shown("weather", false)} {
		if !slices.Equal(none, d) {
			t.Errorf("%v, want no change", none)
		}
	}
	if hidden := d.Shown(CardFlow, false); !hidden[4].Hidden || d[4].Hidden || hidden.Shown(CardFlow, true)[4].Hidden {
		t.Errorf("hidden: %v", hidden)
	}
}
