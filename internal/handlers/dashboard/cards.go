package dashboard

import (
	"net/http"
	"slices"

	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/words"
)

// cardNames are what the cards are called.
var cardNames = map[finance.DashboardCard]words.Text{
	finance.CardMonth: "This month", finance.CardComing: "Coming up", finance.CardAccounts: "Accounts", finance.CardHistory: "Balance",
	finance.CardFlow: "Money in and out", finance.CardRecent: "Newest transactions", finance.CardSearches: "Saved searches and reports",
}

// cards is the form for the order of the cards.
func (a *Area) cards(v *shell.Visitor) error {
	d, err := a.Store.Dashboard(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	view := pages.CardsView{Frame: a.Frame(v)}
	for i, p := range d {
		view.Cards = append(view.Cards, pages.CardRow{Card: string(p.Card), Name: v.Say(cardNames[p.Card]), Hidden: p.Hidden, First: i == 0,
			Last: i == len(d)-1})
	}
	return v.Page(http.StatusOK, pages.Cards(view))
}

// placeCard moves a card, shows or hides it, or puts all as they were at first.
func (a *Area) placeCard(v *shell.Visitor) error {
	d, err := a.Store.Dashboard(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	card, do := finance.DashboardCard(v.Field("card")), v.Field("do")
	if do != "reset" && !slices.Contains(finance.DashboardCards, card) {
		return finance.ErrNotFound
	}
	switch do {
	case "up":
		d = d.Moved(card, -1)
	case "down":
		d = d.Moved(card, 1)
	case "show", "hide":
		d = d.Shown(card, do == "show")
	case "reset":
		d = nil
	default:
		return finance.ErrNotFound
	}
	if err := a.Store.SaveDashboard(v.Ctx(), v.User.ID, d); err != nil {
		return err
	}
	v.SeeOther(paths.Cards)
	return nil
}
