package main

import (
	"fmt"
	"slices"

	"florin/web/templates/charts"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// reportScreens are reports of nothing, of one account, of twenty accounts, of a hundred categories and of a period that is wrong.
func reportScreens() []screen {
	none := report(0)
	none.Empty, none.Notes = "Link a bank first: its transactions appear here.", nil
	wrong := report(1)
	wrong.Open, wrong.Period, wrong.To.Problem = true, "", "The last day is before the first one."
	months := report(1)
	months.Sections = append([]pages.ReportSection{compared()}, incomeAndSpending())
	months.Sections[0].Notes = []string{"Not included, because there is no exchange rate: NOK", "1 EUR = 0.93 CHF on 27 February 2026, ECB. This rate is old."}
	months.Export = paths.ReportsExport
	many := report(20)
	many.Open = true
	many.OtherCategory = &ui.Input{Name: "category", Label: "Another category", Type: "text", Autocomplete: "off", MaxLength: 200, Problem: "No category has this name: " + longName}
	many.Sections = spending(100)
	many.Sections = append([]pages.ReportSection{{ID: "streams", Title: "From income to spending, in EUR", Chart: charts.Sankeys(incomeToSpending())}}, many.Sections...)
	days := report(1)
	days.Sections = []pages.ReportSection{{ID: "days", Title: "November 2026, day by day, in EUR", Chart: charts.Calendars(calendarOfNovember()), Table: incomeAndSpending().Table}}
	worth := report(20)
	worth.Notes = []string{"An account counts from the first day on which Florin knows its balance."}
	converted := netWorth()
	converted.ID, converted.Title, converted.Table.Head = "worth-converted", "Net worth in EUR, all currencies", append(slices.Clone(converted.Table.Head), "Exchange rates")
	for i, row := range converted.Table.Rows {
		converted.Table.Rows[i] = append(slices.Clone(row), pages.ReportCell{Long: true, Text: "Not included, because there is no exchange rate: 43.00 NOK; 1 EUR = 0.93 CHF on 27 February 2026, ECB"})
	}
	worth.Sections, worth.Rates = []pages.ReportSection{converted, netWorth()}, true
	months.Saved, months.Change = []pages.Filter{{Text: "Groceries this year", Href: paths.Reports + "?x", Current: true}, {Text: longName, Href: paths.Reports + "?y"}}, paths.SavedReport("1")
	name := ui.Input{Name: "name", Label: "Name of the report", Type: "text", Required: true, Autocomplete: "off", MaxLength: 60}
	worth.Save = &pages.SavedReportForm{Action: paths.SavedReports, Address: "view=worth", Name: name}
	taken := name
	taken.Value, taken.Problem = "Groceries", "You already have a report called Groceries. Choose another name."
	saved := pages.SavedReportView{Frame: frame(), Title: longWord, Open: paths.NetWorth, Delete: paths.SavedReportDelete("1"),
		Form: pages.SavedReportForm{Action: paths.SavedReport("1"), Address: "view=worth", Name: taken}}
	return []screen{{"report-saved", pages.SavedReport(saved)}, {"report-none", pages.Report(none)}, {"report-wrong", pages.Report(wrong)}, {"report-months", pages.Report(months)}, {"report-categories", pages.Report(many)},
		{"report-worth", pages.Report(worth)}, {"report-days", pages.Report(days)}}
}

func report(accounts int) pages.ReportView {
	v := pages.ReportView{Frame: frame(), View: "months", Period: "1 December 2025 to 22 November 2026",
		Periods: []ui.Option{{Value: "12-months", Text: "Last 12 months", Selected: true}, {Value: "days", Text: "Custom period"}},
		From:    ui.Input{Name: "from", Label: "First day", Type: "text", Value: "2025-12-01", Hint: "For “Custom period”: 2026-01-31", Autocomplete: "off"},
		To:      ui.Input{Name: "to", Label: "Last day", Type: "text", Value: "2026-11-22", Autocomplete: "off"},
		Payees:  []ui.Option{{Value: longName, Text: longName, Selected: true}, {Value: "Lidl", Text: "Lidl"}},
		Tags:    []ui.Option{{Value: rtlName, Text: rtlName}},

		OtherPayee: &ui.Input{Name: "payee", Label: "Another payee", Type: "text", Autocomplete: "off", MaxLength: 200},
		Views: []pages.Filter{{Text: "Income and spending", Href: paths.Reports, Current: true}, {Text: "Categories", Href: paths.Reports + "?view=categories"},
			{Text: "Day by day", Href: paths.Reports + "?view=days"}, {Text: "Payees", Href: paths.Reports + "?view=payees"}, {Text: "Tags", Href: paths.Reports + "?view=tags"}, {Text: "Net worth", Href: paths.Reports + "?view=worth"}},
		Categories: []pages.CategoryGroup{{Name: "Daily life", Options: []ui.Option{{Value: "groceries", Text: "Groceries", Selected: accounts > 1}, {Value: "x", Text: longWord}}}},
		Notes:      []string{"Transfers between your own accounts are left out: they are neither income nor spending."}}
	for i := range accounts {
		v.Accounts = append(v.Accounts, ui.Option{Value: fmt.Sprint(i), Text: []string{"Everyday", longName, rtlName}[i%3], Selected: i == 1})
	}
	return v
}

func cell(minor int64) pages.ReportCell {
	figure := pages.Figure(eur(minor))
	return pages.ReportCell{Amount: &figure, Href: paths.Search(fmt.Sprint("on:2026 amount:", max(minor, -minor)))}
}

func change(minor int64, percent string) pages.ReportCell {
	figure := pages.Flow(eur(minor))
	return pages.ReportCell{Amount: &figure, Text: percent}
}

func compared() pages.ReportSection {
	name := func(text string) pages.ReportCell { return pages.ReportCell{Text: text} }
	return pages.ReportSection{ID: "compared", Title: "EUR: compared", Table: pages.ReportTable{Head: []string{"Period", "Money in", "Money out", "Net"}, Rows: [][]pages.ReportCell{
		{name("1 December 2025 to 22 November 2026"), cell(2_512_000), cell(-2_183_045), cell(328_955)},
		{name("1 December 2024 to 22 November 2025"), cell(2_400_000), cell(-2_283_045), cell(116_955)},
		{name("Change since then"), change(112_000, "(+5 %)"), change(100_000, "(+4 %)"), change(212_000, "(+181 %)")}}}}
}

func incomeAndSpending() pages.ReportSection {
	c := charts.CashFlow{Title: "Income and spending in EUR"}
	t := pages.ReportTable{Head: []string{"Month", "Money in", "Money out", "Net"}}
	for i, name := range []string{"December 2025", "January 2026", "February 2026", "March 2026", "April 2026", "May 2026", "June 2026", "July 2026", "August 2026", "September 2026", "October 2026",
		"November 2026"} {
		in, out := int64(210_000+i%3*1234), int64(150_000+i*i*1357)
		c.Steps = append(c.Steps, charts.Step{Name: name, Mark: name[:3], In: eur(in), Out: eur(out), Href: paths.Search("on:2026"),
			InHref: paths.Search("is:in"), OutHref: paths.Search("is:out")})
		t.Rows = append(t.Rows, []pages.ReportCell{{Text: name}, cell(in), cell(-out), cell(in - out)})
	}
	return pages.ReportSection{ID: "months", Title: c.Title, Chart: charts.CashFlows(c), Table: t}
}

func spending(categories int) []pages.ReportSection {
	bars := charts.Bars{Title: "Spending by category in EUR", Name: "Category", Now: "1 October 2026 to 31 October 2026", Then: "1 September 2026 to 30 September 2026"}
	t := pages.ReportTable{Head: []string{"Category", "Sum", "Dec 2025", "Jan 2026", "Feb 2026", "Mar 2026", "Apr 2026", "May 2026", "Jun 2026", "Jul 2026", "Aug 2026", "Sep 2026", "Oct 2026", "Nov 2026"}}
	for i := range categories {
		name := []string{"Groceries", longWord, rtlName, "Rent and housing"}[i%4]
		amount := int64(-1_000_000 / (i + 1))
		bars.Rows = append(bars.Rows, charts.Bar{Name: name, Href: paths.Search(fmt.Sprint(i)), Now: eur(-amount), Then: eur(-amount - 321),
			ThenHref: paths.Search(fmt.Sprint("then ", i))})
		line := []pages.ReportCell{{Text: name}, cell(amount)}
		for m := range 12 {
			line = append(line, cell(amount/12+int64(m)))
		}
		t.Rows = append(t.Rows, line)
	}
	return []pages.ReportSection{{ID: "bars", Title: bars.Title, Chart: charts.BarRows(bars)}, {ID: "table", Title: "Spending by category in EUR, month by month", Table: t}}
}

func netWorth() pages.ReportSection {
	return pages.ReportSection{ID: "worth", Title: "Net worth in EUR", Chart: charts.Lines(charts.Line{Title: "Net worth in EUR", Value: "On all accounts", Points: walk(12, 12_345_678)}),
		Table: pages.ReportTable{Head: []string{"Day", "On all accounts", "Change"}, Rows: [][]pages.ReportCell{{{Text: "31 October 2026"}, cell(12_300_000), {Text: "–"}},
			{{Text: "22 November 2026"}, cell(12_345_678), change(45_678, "(+0 %)")}}}}
}
