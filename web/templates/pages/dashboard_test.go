package pages

import (
	"slices"
	"testing"
)

// No card of the first page has a hole beside it: what has no other card at its side is as wide as the page.
func TestCardsHaveNoHoles(t *testing.T) {
	month, coming, flow := DashboardCard{Month: &MonthCard{}}, DashboardCard{Coming: &ComingCard{}}, DashboardCard{Flow: &FlowCard{}}
	balance, nothing := DashboardCard{Balance: &BalanceCard{}}, DashboardCard{}
	one := DashboardCard{Accounts: &AccountsCard{Banks: make([]BankGroup, 1)}}
	several := DashboardCard{Accounts: &AccountsCard{Banks: make([]BankGroup, 2)}}
	const wide, half = true, false
	for name, c := range map[string]struct {
		cards []DashboardCard
		want  []bool
	}{
		"as they stand at first":         {[]DashboardCard{month, coming, balance, several, flow, nothing}, []bool{wide, half, half, wide, wide}},
		"without a balance":              {[]DashboardCard{month, coming, nothing, several, flow, balance}, []bool{wide, wide, wide, half, half}},
		"one bank stands beside another": {[]DashboardCard{coming, one, month}, []bool{half, half, wide}},
		"the last one alone":             {[]DashboardCard{coming, balance, flow}, []bool{half, half, wide}},
		"one":                            {[]DashboardCard{nothing, flow}, []bool{wide}},
		"none":                           {[]DashboardCard{nothing}, nil},
	} {
		var got []bool
		for _, card := range (DashboardView{Cards: c.cards}).placed() {
			got = append(got, card.wide)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: wide are %v, want %v", name, got, c.want)
		}
	}
}
