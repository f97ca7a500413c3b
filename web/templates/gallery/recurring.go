package main

import (
	"florin/internal/money"
	"florin/web/templates/pages"
	"florin/web/templates/ui"
)

func recurringScreens() []screen {
	return []screen{
		{"recurring", pages.Recurring(recurringView())},
		{"recurring-none", pages.Recurring(pages.RecurringView{Frame: frame()})},
		{"recurring-household", pages.Recurring(recurringOfHousehold())},
		{"recurring-series-shared", pages.RecurringSeries(recurringShared())},
		{"recurring-series", pages.RecurringSeries(recurringSeries())},
		{"recurring-series-dismissed", pages.RecurringSeries(recurringDismissed())},
		{"transaction-recurring", pages.Transaction(transactionRecurring())},
	}
}

func recurringRow(name, note string, minor int64, marks ...ui.Badge) pages.RecurringRow {
	return pages.RecurringRow{Href: "/recurring/1", Name: name, Note: note, Amount: pages.Flow(money.FromMinor(minor, "EUR")), Marks: marks}
}

func recurringView() pages.RecurringView {
	energy := recurringRow("Naturkraft", "Every month, next on 12 October", -7400)
	energy.Range = "60.00 EUR to 90.00 EUR"
	return pages.RecurringView{Frame: frame(),
		Sums:    []string{"Subscriptions and bills add up to 812.40 EUR a month, 9,748.80 EUR a year."},
		Missing: "Amounts that are too large to add up are not part of this.",
		Coming: []pages.ComingDay{
			{Date: ui.Time{ISO: "2026-10-05", Text: "Monday 5 October"}, Rows: []pages.RecurringRow{
				recurringRow("Film club", "Every month", -1299), recurringRow("Erika Sauer", "Your standing order", -85000)}},
			{Date: ui.Time{ISO: "2026-10-12", Text: "Monday 12 October"}, Rows: []pages.RecurringRow{energy}},
		},
		Groups: []pages.RecurringGroup{
			{ID: "bills", Title: "Subscriptions and bills", Rows: []pages.RecurringRow{
				recurringRow("Film club", "Every month, next on 5 October", -1299, ui.Badge{Tone: ui.Warning, Text: "9.99 EUR until 5 September: now higher"}), energy,
				recurringRow(longWord, "Every year, next on 3 November", -1_000_000_000_000_000, ui.Badge{Tone: ui.Info, Text: "New: two transactions so far"}),
				recurringRow(rtlName, "Every two weeks, next on 19 October", -2500, ui.Badge{Tone: ui.Good, Text: "Confirmed by you"},
					ui.Badge{Tone: ui.Warning, Text: "Missing: expected on 5 October"})}},
			{ID: "income", Title: "Income", Rows: []pages.RecurringRow{recurringRow("Vogel Maschinenbau", "Every month, next on 30 October", 254000)}},
			{ID: "ended", Title: "Ended", Rows: []pages.RecurringRow{recurringRow("Gym", "Every month, last on 3 February", -2990)}},
		},
		Dismissed: []pages.RecurringRow{recurringRow("Corner shop", "Every week, last on 3 October", -450)}}
}

func recurringOfHousehold() pages.RecurringView {
	v := recurringView()
	v.Whose, v.Asked = &pages.Whose{Household: true, Back: "/recurring"}, "household"
	ordered := recurringRow("Jan Novak", "Standing order of "+longAddress, -85000)
	ordered.Href = ""
	v.Coming[0].Rows = append(v.Coming[0].Rows, ordered, recurringRow("Gym", "bo@example.org · Every month", -2990))
	v.Groups[0].Rows = append(v.Groups[0].Rows, recurringRow("Gym", longAddress+" · Every month, next on 5 October", -2990))
	return v
}

func recurringShared() pages.RecurringSeriesView {
	v := recurringSeries()
	v.Owner = longAddress
	return v
}

func recurringSeries() pages.RecurringSeriesView {
	return pages.RecurringSeriesView{Frame: frame(), ID: "1", Title: "Film club", Amount: pages.Flow(money.FromMinor(-1299, "EUR")),
		Marks: []ui.Badge{{Tone: ui.Warning, Text: "9.99 EUR until 5 September: now higher"}},
		Facts: []ui.Fact{{Name: "How often", Value: "Every month"}, {Name: "Next one", Value: "Monday 5 October 2026"}, {Name: "Range of the last amounts", Value: "9.99 EUR to 12.99 EUR"},
			{Name: "Status", Value: "Established: at least three transactions"}},
		Days: []pages.Day{{Date: ui.Time{ISO: "2026-09-05", Text: "Saturday 5 September"}, Rows: []pages.TransactionRow{
			{Href: "/x", Name: "Film club", Text: longWord, Account: "Entertainment · Everyday", Amount: pages.Flow(money.FromMinor(-1299, "EUR"))}}}},
		Merged: "2 other series are part of it.",
		Name:   ui.Input{Name: "name", Label: "Name", Type: "text", Autocomplete: "off", MaxLength: 70, Hint: "Leave it empty to use the name of the last transaction."},
		Others: []ui.Option{{Value: "2", Text: "Naturkraft · 74.00 EUR"}, {Value: "3", Text: longWord}}}
}

func recurringDismissed() pages.RecurringSeriesView {
	v := recurringSeries()
	v.Title, v.Dismissed, v.Others = rtlName, true, nil
	return v
}

func transactionRecurring() pages.TransactionView {
	v := transaction()
	v.Recurring = pages.RecurringCard{Series: ui.Link{Text: "Film club", Href: "/recurring/1"}, Note: "Every month, next on 5 October"}
	return v
}
