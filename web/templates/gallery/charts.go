package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/a-h/templ"

	geometry "florin/internal/charts"
	"florin/internal/money"
	"florin/web/templates/charts"
	"florin/web/templates/layout"
)

func eur(minor int64) money.Amount { return money.FromMinor(minor, "EUR") }

// chartPage is a page of charts, each in a card with its title.
func chartPage(list ...chartCard) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		cards := templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
			if _, err := io.WriteString(w, "<h1>Charts</h1>"); err != nil {
				return err
			}
			for i, c := range list {
				if err := charts.Card(fmt.Sprintf("chart-%d", i), c.title).Render(templ.WithChildren(ctx, c.chart), w); err != nil {
					return err
				}
			}
			return nil
		})
		return layout.Page(frame(), layout.Head{Title: "Charts"}).Render(templ.WithChildren(ctx, cards), w)
	})
}

type chartCard struct {
	title string
	chart templ.Component
}

// walk is a made-up history of a balance of so many days, the same each time.
func walk(days int, start int64) (points []charts.Point) {
	value, seed := start, uint32(7)
	for i := range days {
		seed = seed*1664525 + 1013904223
		value -= int64(seed>>24) * 25
		if i%30 == 27 {
			value += 240_000
		}
		day := fmt.Sprintf("day %d", i+1)
		mark := ""
		if i%30 == 2 {
			mark = []string{"Aug", "Sep", "Oct", "Nov", "Dec", "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul"}[i/30%12]
		}
		points = append(points, charts.Point{Name: day, Mark: mark, Value: eur(value), Href: fmt.Sprintf("/transactions?q=on:%d", i+1)})
	}
	return points
}

func chartScreens() []screen {
	history := walk(91, 180_000)
	ranged := walk(53, 400_000)
	for i := range ranged {
		ranged[i].Low, ranged[i].High = eur(ranged[i].Value.Minor()-90_000), eur(ranged[i].Value.Minor()+60_000)
	}
	coming := walk(120, 250_000)
	coming[112].Label = "Lowest: 312.50 EUR"
	gap := walk(60, 100_000)
	for i := range 20 {
		gap[i].Value = money.Amount{}
	}
	huge := []charts.Point{{Name: "January", Mark: "Jan", Value: eur(-1_000_000_000_000_000)}, {Name: "February", Mark: "Feb", Value: eur(1_000_000_000_000_000)}}
	months := func(n int) (steps []charts.Step) {
		names := []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
		for i := range n {
			steps = append(steps, charts.Step{Name: names[i%12] + " 2026", Mark: names[i%12][:3], In: eur(312_000 + int64(i*i*700)),
				Out:    eur(290_000 + int64(i%5)*40_000),
				InHref: "/transactions?q=is:in", OutHref: "/transactions?q=is:out", Href: "/transactions"})
		}
		return steps
	}
	odd := []charts.Step{{Name: "January", Mark: "Jan", In: eur(0), Out: eur(0)}, {Name: "February", Mark: "Feb", In: eur(1_000_000_000_000_000), Out: eur(1)},
		{Name: "March", Mark: "Mar", In: eur(1), Out: eur(900_000_000_000_000)}}
	bars := charts.Bars{Title: "Spending by category", Name: "Category", Now: "November 2026", Then: "October 2026", Rows: []charts.Bar{
		{Name: "Groceries", Href: "/transactions?q=category:groceries", Now: eur(41_250), Then: eur(52_300), ThenHref: "/transactions"},
		{Name: longName, Href: "/transactions", Now: eur(38_000), Then: eur(0)},
		{Name: rtlName, Href: "/transactions", Now: eur(21_000), Then: eur(1_200)},
		{Name: longWord, Href: "/transactions", Now: eur(5), Then: eur(99)},
		{Name: "Others (9,992 categories)", Href: "/reports", Now: eur(1_234), Then: eur(4_321)}}}
	plain := charts.Bars{Title: "Spending by category", Name: "Category", Now: "November 2026", Rows: []charts.Bar{
		{Name: "Rent", Href: "/transactions", Now: eur(1_000_000_000_000_000)}, {Name: "Groceries", Href: "/transactions", Now: eur(1)}, {Name: "Refunds",
			Now: eur(-500)}}}
	sankey := incomeToSpending()
	calendar := calendarOfNovember()
	line := func(points []charts.Point, ahead int) templ.Component {
		return charts.Lines(charts.Line{Title: "Balance", Value: "Balance", Points: points, Ahead: ahead})
	}
	return []screen{
		{"charts", chartPage(
			chartCard{"Balance", line(history, 0)},
			chartCard{"Balance, with its range", line(ranged, 0)},
			chartCard{"Balance, with what lies ahead", line(coming, 30)},
			chartCard{"Money in and out", charts.CashFlows(charts.CashFlow{Title: "Money in and out", Steps: months(6)})},
			chartCard{"Spending by category", charts.BarRows(bars)},
			chartCard{"From income to categories", charts.Sankeys(sankey)},
			chartCard{"November 2026", charts.Calendars(calendar)})},
		{"charts-odd", chartPage(
			chartCard{strings.Repeat(longWord, 2), line(nil, 0)},
			chartCard{"One point", line(walk(1, 42), 0)},
			chartCard{"All zero", line([]charts.Point{{Name: "a", Value: eur(0)}, {Name: "b", Value: eur(0)}}, 0)},
			chartCard{"Negative only", line(walk(12, -900_000)[:9], 0)},
			chartCard{"A year", line(walk(366, 5_000_000), 0)},
			chartCard{"A gap", line(gap, 0)},
			chartCard{"10^15", line(huge, 0)},
			chartCard{"36 months", charts.CashFlows(charts.CashFlow{Title: "36 months", Steps: months(36)})},
			chartCard{"Odd months", charts.CashFlows(charts.CashFlow{Title: "Odd months", Steps: odd})},
			chartCard{"No months", charts.CashFlows(charts.CashFlow{Title: "No months"})},
			chartCard{"Without comparison", charts.BarRows(plain)},
			chartCard{"No streams", charts.Sankeys(charts.Sankey{Title: "No streams"})})},
	}
}

// incomeToSpending is a chart of streams with names of all kinds.
func incomeToSpending() charts.Sankey {
	return charts.Sankey{Title: "From income to categories", Middle: "October 2026",
		In: []charts.Stream{{Name: "Salary", Amount: eur(312_000), Href: "/transactions"}, {Name: rtlName, Amount: eur(20_000), Href: "/transactions"}},
		Out: []charts.Stream{{Name: "Rent", Amount: eur(110_000), Href: "/transactions"}, {Name: "Groceries", Amount: eur(52_300), Href: "/transactions"},
			{Name: longName, Amount: eur(38_000)}, {Name: "Transport", Amount: eur(9_900)}, {Name: "Eating out", Amount: eur(4_400)}, {Name: "Gifts", Amount: eur(700)},
			{Name: "Refunds", Amount: eur(-700)}, {Name: "Left over", Amount: eur(117_400)}}}
}

// calendarOfNovember is a month that is not over yet, with a day of 10^15 minor units.
func calendarOfNovember() charts.Calendar {
	calendar := charts.Calendar{Title: "November 2026"}
	spent := make([]int64, 31)
	for i := range spent {
		spent[i] = int64(i*i*i*977%90_000) * int64(i%3)
	}
	spent[4] = 1_000_000_000_000_000
	levels := geometry.Levels(spent)
	for _, week := range geometry.Weeks(2026, 11) {
		var days [7]charts.Day
		for i, n := range week {
			if n == 0 {
				continue
			}
			days[i] = charts.Day{Number: n, Name: fmt.Sprintf("%d November 2026", n), Today: n == 22, Ahead: n > 22}
			if n <= 22 {
				days[i].Amount, days[i].Level, days[i].Href = eur(spent[n]), levels[n], "/transactions"
			}
		}
		calendar.Weeks = append(calendar.Weeks, days)
	}
	return calendar
}
