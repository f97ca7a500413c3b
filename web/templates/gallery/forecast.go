package main

import (
	"time"

	"florin/internal/money"
	"florin/web/templates/charts"
	"florin/web/templates/pages"
	"florin/web/templates/ui"
)

func forecastScreens() []screen {
	return []screen{
		{"forecast", pages.Forecast(forecastView())},
		{"forecast-below", pages.Forecast(forecastBelow())},
		{"forecast-account", pages.Forecast(forecastAccount())},
		{"forecast-currencies", pages.Forecast(forecastCurrencies())},
		{"forecast-household", pages.Forecast(forecastOfHousehold())},
		{"forecast-none", pages.Forecast(pages.ForecastView{Frame: frame(), Without: "There is no forecast for Savings, because no balance is known."})},
	}
}

// forecastLine is a line of 90 days: so much goes out every day, and pay comes every thirty.
func forecastLine(title, currency string, begin, daily, pay int64) pages.ForecastLine {
	line := pages.ForecastLine{ID: "line-" + currency, Title: title, Chart: charts.Line{Title: "Balance in the next 90 days, in " + currency, Value: "Balance", Ahead: 90}}
	today, low := time.Date(2026, time.October, 23, 0, 0, 0, 0, time.UTC), begin
	for n := range 91 {
		day := today.AddDate(0, 0, n)
		if n > 0 {
			begin -= daily
		}
		if n%30 == 27 {
			begin += pay
		}
		low = min(low, begin)
		p := charts.Point{Name: day.Format("2 January"), Value: money.FromMinor(begin, currency)}
		if day.Day() == 1 {
			p.Mark = day.Format("Jan")
		}
		line.Chart.Points = append(line.Chart.Points, p)
	}
	line.Chart.Points[0].Mark = "Today"
	for i := range line.Chart.Points {
		if p := &line.Chart.Points[i]; p.Value.Minor() == low {
			p.Label = "Lowest: " + p.Value.String()
			line.Says = "The lowest balance is " + p.Value.String() + " " + currency + ", on " + p.Name + "."
			break
		}
	}
	return line
}

func left() *pages.Left {
	return &pages.Left{Day: ui.Link{Text: "Friday 30 October", Href: "/recurring/1"}, Amount: *amount(41230, "EUR"), Account: ui.Link{Text: "Everyday account", Href: "/forecast?account=1"},
		Known: pages.Flow(money.FromMinor(-86299, "EUR")), KnownHref: "/forecast?account=1#coming", Everyday: pages.Flow(money.FromMinor(-93100, "EUR")), EverydayHref: "/forecast?account=1#everyday"}
}

func everydayTable() pages.ReportTable {
	cell := func(minor int64) pages.ReportCell {
		a := pages.Flow(money.FromMinor(minor, "EUR"))
		return pages.ReportCell{Amount: &a, Href: "/forecast?account=1#everyday"}
	}
	return pages.ReportTable{Head: []string{"Account", "Everyday spending in a month"}, Rows: [][]pages.ReportCell{
		{{Text: "Everyday account", Href: "/forecast?account=1"}, cell(-103_000)}, {{Text: longWord, Href: "/forecast?account=2"}, cell(-1_000_000_000_000)}}}
}

func forecastView() pages.ForecastView {
	return pages.ForecastView{Frame: frame(), Period: "23 October 2026 to 21 January 2027", Export: "/forecast/export",
		Accounts: []pages.Filter{{Text: "All accounts", Href: "/forecast", Current: true}, {Text: "Everyday account", Href: "/forecast?account=1"}, {Text: rtlName, Href: "/forecast?account=2"}},
		Left:     left(), Lines: []pages.ForecastLine{forecastLine("All accounts in EUR", "EUR", 220_000, 7000, 254_000)}, Coming: recurringView().Coming,
		Everyday: []pages.ForecastEveryday{{Title: "Everyday spending, in EUR", Says: []string{"Apart from regular payments, about 1,030.00 EUR goes out each month.", "400.00 EUR of this comes from your budgets.",
			"This is the average of the last 12 months of each account, without the highest and the lowest month. Florin spreads it evenly over the days."}, Table: everydayTable()}},
		Off: []string{"In EUR: of 30 forecasts, half were off by 85.00 EUR or less after 30 days."}}
}

func forecastOfHousehold() pages.ForecastView {
	v := forecastView()
	v.Whose, v.Off = &pages.Whose{Household: true, Back: "/forecast"}, nil
	v.Accounts = append(v.Accounts, pages.Filter{Text: longAddress + " · Everyday account", Href: "/forecast?account=3"})
	v.Flat = "Only the balances of these accounts are shared with you, so they count as they are today: " + longAddress + " · Savings."
	v.Coming = recurringOfHousehold().Coming
	return v
}

func forecastBelow() pages.ForecastView {
	v := forecastView()
	v.Notices = []ui.Notice{{Tone: ui.Warning, Title: "Everyday account goes below zero on Tuesday 20 October 2026",
		Text: "If everything happens as expected, the balance will be −30.00 EUR then. The lowest balance is −350.00 EUR, on Thursday 29 October 2026.", Action: ui.Link{Text: "See the forecast", Href: "/forecast?account=1"}}}
	v.Lines = []pages.ForecastLine{forecastLine("All accounts in EUR", "EUR", 116_000, 7000, 210_000)}
	v.Left.Amount, v.Left.EverydayIsNone = pages.Flow(money.FromMinor(-35000, "EUR")), true
	return v
}

func forecastAccount() pages.ForecastView {
	v := forecastView()
	v.Accounts[0].Current, v.Accounts[1].Current = false, true
	v.Lines = []pages.ForecastLine{forecastLine("Everyday account", "EUR", 220_000, 7000, 254_000)}
	cell := func(minor int64) pages.ReportCell {
		a := pages.Flow(money.FromMinor(minor, "EUR"))
		return pages.ReportCell{Amount: &a, Href: "/transactions?q=x"}
	}
	v.Everyday[0].Table = pages.ReportTable{Head: []string{"Month", "Money in", "Money out", "Recurring", "Everyday"}, Rows: [][]pages.ReportCell{
		{{Text: "September 2026", Href: "/transactions?q=x"}, cell(254_000), cell(-219_000), cell(138_000), cell(-103_000)}}}
	return v
}

func forecastCurrencies() pages.ForecastView {
	v := forecastView()
	v.Lines = append(v.Lines, forecastLine("All accounts in SEK", "SEK", 1_200_000, 0, 0))
	v.Lines[1].Says = "It will not be less than today: 12,000.00 SEK."
	v.Everyday = append(v.Everyday, pages.ForecastEveryday{Title: "Everyday spending, in SEK", Says: []string{"Florin does not know your everyday spending yet. It needs a whole month of transactions."}})
	v.Coming = nil
	return v
}
