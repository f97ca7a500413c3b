package pages

import (
	"context"
	"strconv"
	"strings"

	"florin/web/templates/charts"
	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// DashboardView is the first page after signing in: what needs the person, the totals, and cards in the order chosen by the person.
type DashboardView struct {
	layout.Frame
	Whose      *Whose      // whose accounts the page is about; nil where there are only the person's own
	Totals     []Total     // one for each currency, the most important first
	Converted  *Converted  // what they come to in one currency; nil where there is only one
	TotalsNote string      // what the totals leave out: "Booked balances of 6 accounts. Pending is not included."
	Todos      []ui.Notice // what needs the person: renew, reconnect, a problem at a bank
	Open       OpenPayments
	Review     ui.Link    // transactions that nobody has looked at; empty when there are none
	CanPay     bool       // payments can be started
	Refresh    *Refresh   // of all banks; nil when none brings data
	NoService  *NoService // set when no banking service is connected and no bank is linked
	Empty      bool       // there is no account: the page helps to add the first one
	Cards      []DashboardCard
}

// DashboardCard is a part of the dashboard: one of the pointers is set, or one of the lists is not empty; else it is left out.
type DashboardCard struct {
	Month    *MonthCard
	Coming   *ComingCard
	Accounts *AccountsCard
	Balance  *BalanceCard
	Flow     *FlowCard
	Recent   []Day
	Searches []SavedCount
	Reports  []ui.Link // saved ones, on the same card

	Drawn *DrawnCard // one of those above that was drawn before
}

// DrawnCard is a card as it is written on the page.
type DrawnCard struct {
	HTML string
	Wide bool // as wide as the page, wherever it stands
}

// Draw writes a card in the language of ctx. One that is empty stays as it is.
func (c DashboardCard) Draw(ctx context.Context) (DashboardCard, error) {
	if c.empty() {
		return c, nil
	}
	var b strings.Builder
	err := DashboardPart(c).Render(ctx, &b)
	return DashboardCard{Drawn: &DrawnCard{HTML: b.String(), Wide: c.wide()}}, err
}

// empty reports whether there is nothing on the card.
func (c DashboardCard) empty() bool {
	return c.Month == nil && c.Coming == nil && c.Accounts == nil && c.Balance == nil && c.Flow == nil && c.Drawn == nil &&
		len(c.Recent)+len(c.Searches)+len(c.Reports) == 0
}

// wide reports whether the card is as wide as the page wherever it stands.
func (c DashboardCard) wide() bool {
	return c.Month != nil || c.Accounts != nil && len(c.Accounts.Banks) > 1 || c.Drawn != nil && c.Drawn.Wide
}

// placed is a card with its width.
type placed struct {
	DashboardCard
	wide bool
}

// placed returns the cards that are not empty. Two cards of half the width of the page stand side by side; one without a neighbour is as wide as the page.
func (v DashboardView) placed() (list []placed) {
	half := -1 // the last one without a neighbour
	for _, card := range v.Cards {
		if card.empty() {
			continue
		}
		list = append(list, placed{card, card.wide()})
		last := len(list) - 1
		switch {
		case !card.wide() && half < 0:
			half = last
			continue
		case card.wide() && half >= 0:
			list[half].wide = true
		}
		half = -1
	}
	if half >= 0 {
		list[half].wide = true
	}
	return list
}

// MonthCard compares a month with those before it.
type MonthCard struct {
	Title      string       // "November so far", "October 2026"
	Earlier    string       // address of the month before
	Later      string       // of the one after; empty for this month
	Says       string       // "You have spent 120.00 EUR less than in October until then."; empty when there is nothing to compare
	Months     charts.Bars  // what was spent in it and in those before, up to the same day
	Income     *ui.Money    // nil: none
	IncomeHref string       // of the rows
	Categories *charts.Bars // nil: nothing was spent
	Others     []ui.Link    // what was spent in other currencies: "20.00 USD"
	Note       string       // what is left out; usually empty
}

// ComingCard is what comes in the next days. It is a live fragment with the id "coming".
type ComingCard struct {
	Asked string // value of the query "whose" for its links; may be empty
	Left  *Left  // nil when no regular income is known to come
	Rows  []ComingRow
	None  string // said when there are none
}

// AccountsCard is all accounts, bank by bank.
type AccountsCard struct {
	Banks      []BankGroup
	Kept       []AccountRow  // accounts that no bank brings
	Shared     []SharedGroup // accounts of others
	OnlyShared bool          // the person has no others
	Many       bool          // there are so many that they are folded
}

// SharedGroup are the accounts that one person shares with the one who looks.
type SharedGroup struct {
	Owner    string
	Accounts []AccountRow
}

// Whose chooses between the person's own accounts and those of the household. Form fields: whose, back.
type Whose struct {
	Household bool   // the page is about those of the household
	Back      string // address of the page
}

// pressed is the value of aria-pressed.
func pressed(is bool) string { return strconv.FormatBool(is) }

// BalanceCard is what was on the accounts, currency by currency.
type BalanceCard struct {
	Lines []charts.Line
	Note  string // what they leave out; usually empty
}

// FlowCard is what came in and went out month by month, currency by currency.
type FlowCard struct {
	Flows []charts.CashFlow
	Note  string // what they leave out; usually empty
}

// CardsView is the form for the order of the cards.
type CardsView struct {
	layout.Frame
	Cards []CardRow
}

// CardRow is a card in that form. Form fields: card, its name; do, which is up, down, show or hide.
type CardRow struct {
	Card        string // its name in the form
	Name        string
	Hidden      bool
	First, Last bool
}
