package finance

import "slices"

// DashboardCard is a part of the first page.
type DashboardCard string

// Values of DashboardCard.
const (
	CardMonth    DashboardCard = "month"    // a month so far, beside the one before
	CardComing   DashboardCard = "coming"   // payments of the next days
	CardAccounts DashboardCard = "accounts" // with their balances, bank by bank
	CardHistory  DashboardCard = "history"  // of the balance
	CardFlow     DashboardCard = "flow"     // money in and out, by month
	CardRecent   DashboardCard = "recent"   // the newest transactions
	CardSearches DashboardCard = "searches" // saved ones
)

// DashboardCards are all cards, in the order in which they stand until a person changes it.
var DashboardCards = []DashboardCard{CardMonth, CardComing, CardHistory, CardAccounts, CardFlow, CardRecent, CardSearches}

// PlacedCard is a card where a person put it.
type PlacedCard struct {
	Card   DashboardCard
	Hidden bool
}

// Dashboard is the order of the cards of a person, with each card once.
type Dashboard []PlacedCard

// DashboardOf returns all cards in the order that the person has chosen. A card that the person has not placed yet, because it is new, follows the card
// that precedes it in DashboardCards. Cards that no longer exist are left out.
func DashboardOf(placed []PlacedCard) Dashboard {
	var d Dashboard
	for _, p := range placed {
		if slices.Contains(DashboardCards, p.Card) && d.index(p.Card) < 0 {
			d = append(d, p)
		}
	}
	for i, card := range DashboardCards {
		if d.index(card) >= 0 {
			continue
		}
		at := 0
		if i > 0 {
			at = d.index(DashboardCards[i-1]) + 1
		}
		d = slices.Insert(d, at, PlacedCard{Card: card})
	}
	return d
}

func (d Dashboard) index(card DashboardCard) int {
	return slices.IndexFunc(d, func(p PlacedCard) bool { return p.Card == card })
}

// Moved returns the cards with one of them so many places further down, or up for a number below zero, as far as there is room.
func (d Dashboard) Moved(card DashboardCard, by int) Dashboard {
	from := d.index(card)
	if from < 0 {
		return d
	}
	placed := d[from]
	rest := slices.Delete(slices.Clone(d), from, from+1)
	return slices.Insert(rest, min(max(from+by, 0), len(rest)), placed)
}

// Shown returns the cards with one of them shown or hidden.
func (d Dashboard) Shown(card DashboardCard, shown bool) Dashboard {
	d = slices.Clone(d)
	if i := d.index(card); i >= 0 {
		d[i].Hidden = !shown
	}
	return d
}
