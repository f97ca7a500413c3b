package main

import (
	"fmt"

	"florin/web/templates/charts"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// dashboardCards are all cards as they stand at first.
func dashboardCards(accounts pages.AccountsCard) []pages.DashboardCard {
	history := walk(26, 1_400_000)
	for i := range history {
		history[i].Low, history[i].High = eur(history[i].Value.Minor()-90_000), eur(history[i].Value.Minor()+60_000)
	}
	income := pages.Flow(eur(312_000))
	month := pages.MonthCard{Title: "November 2026 so far", Earlier: paths.Month("2026-10"), Income: &income, IncomeHref: paths.Search("is:in"),
		Says: "You have spent 1,204.50 EUR. That is 120.00 EUR less than you had spent by 22 October.",
		Months: charts.Bars{Title: "November 2026 so far", Name: "Month", Now: "Spent", Rows: []charts.Bar{
			{Name: "Until 22 November", Href: "/transactions", Now: eur(120_450)}, {Name: "Until 22 October", Href: "/transactions", Now: eur(132_450)},
			{Name: "Until 22 September", Href: "/transactions", Now: eur(99_010)}, {Name: "Until 22 August", Href: "/transactions", Now: eur(0)}}},
		Others: []ui.Link{{Text: "20.00 USD", Href: "/transactions"}},
		Categories: &charts.Bars{Title: "Spending by category", Name: "Category", Now: "November 2026", Then: "October 2026", Rows: []charts.Bar{
			{Name: "Groceries", Href: "/transactions", Now: eur(41_250), Then: eur(52_300), ThenHref: "/transactions"},
			{Name: longName, Href: "/transactions", Now: eur(38_000), Then: eur(0), ThenHref: "/transactions"},
			{Name: rtlName, Href: "/transactions", Now: eur(21_000), Then: eur(1_200), ThenHref: "/transactions"},
			{Name: "No category", Href: "/transactions", Now: eur(12_200), Then: eur(9_900), ThenHref: "/transactions"},
			{Name: "9,992 other categories", Now: eur(1_234), Then: eur(4_321)}}}}
	flow := pages.FlowCard{}
	steps := charts.CashFlow{Title: "Money in and out, in EUR"}
	for i, name := range []string{"June", "July", "August", "September", "October", "November"} {
		steps.Steps = append(steps.Steps, charts.Step{Name: name + " 2026", Mark: name[:3], In: eur(312_000), Out: eur(290_000 + int64(i%3)*40_000),
			InHref:  "/transactions",
			OutHref: "/transactions", Href: "/transactions"})
	}
	flow.Flows = append(flow.Flows, steps)
	return []pages.DashboardCard{{Month: &month}, {Coming: &pages.ComingCard{None: "Florin expects no payments in the next two weeks."}},
		{Accounts: &accounts},
		{Balance: &pages.BalanceCard{Lines: []charts.Line{{Title: "Balance, in EUR", Value: "Balance", Points: history}},
			Note: "Florin does not know all transactions of this period for " + longName + "."}},
		{Flow: &flow}, {Recent: account().List.Days[:1]},
		{Searches: savedCounts(), Reports: []ui.Link{{Text: longName, Href: paths.Reports}, {Text: rtlName, Href: paths.NetWorth}}}}
}

// dashboardOne is the page of somebody with one account.
func dashboardOne() pages.DashboardView {
	v, card := dashboard(), accountsCard()
	card.Banks, card.Kept = card.Banks[:1], nil
	card.Banks[0].Accounts = card.Banks[0].Accounts[:1]
	v.Todos, v.Totals, v.TotalsNote, v.Review = nil, v.Totals[:1], "Booked balances of 1 account, without what is pending.", ui.Link{}
	v.Cards = dashboardCards(card)
	return v
}

// dashboardTwenty is the page of somebody with twenty accounts.
func dashboardTwenty() pages.DashboardView {
	v, card := dashboard(), accountsCard()
	for i := range 5 {
		bank := card.Banks[i%3]
		bank.ConnectionID, bank.Bank.Name, bank.Folded = fmt.Sprintf("t%d", i), fmt.Sprintf("Bank %d", i+1), "4 accounts: 12,345.00 EUR and 12,700.50 SEK"
		card.Banks = append(card.Banks, bank)
	}
	card.Banks = card.Banks[3:]
	sum := pages.Figure(eur(1_431_605))
	v.Converted = &pages.Converted{Title: "All in EUR", Sum: &sum, Notes: []string{"Not included, because there is no exchange rate: 43.00 NOK",
		"1 EUR = 0.93 CHF on 27 February 2026, ECB. This rate is old.", "1 EUR = 11.48 SEK on 20 November 2026, ECB"}}
	v.Cards = dashboardCards(card)
	return v
}

func cards() pages.CardsView {
	return pages.CardsView{Frame: frame(), Cards: []pages.CardRow{{Card: "month", Name: "This month", First: true}, {Card: "coming", Name: "Coming up",
		Hidden: true},
		{Card: "searches", Name: "Saved searches", Last: true}}}
}
