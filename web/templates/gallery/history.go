package main

import (
	"florin/internal/money"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// known is an account on a past day, with rows that say something else today.
func known() pages.KnownView {
	listed := account()
	v := pages.KnownView{Frame: simulated(), AccountID: "a1", Name: longName, SharedBy: "bo@example.org", On: ui.Input{Name: "on", Label: "As it was known on", Type: "date",
		Value: "2026-10-03", Required: true}, Month: "October 2026", Balances: listed.Balances, List: listed.List,
		Notice: &ui.Notice{Tone: ui.Info, Title: "You are looking at the end of 3 October 2026", Text: "This is what Florin knew then. Nothing can be changed here.",
			Action: ui.Link{Text: "Back to today", Href: paths.Account("a1")}},
		Older: "Florin has recorded changes since 23 November 2026. For an earlier day, it knows only which transactions were already there, and shows them as they were when recording began.",
		Sums: []pages.SearchTotal{{Count: "12 transactions", In: pages.Flow(money.FromMinor(284000, "EUR")), Out: pages.Flow(money.FromMinor(-9_812_041, "EUR")),
			Net: pages.Flow(money.FromMinor(-9_528_041, "EUR"))}}}
	v.List.Back = ""
	for i := range v.List.Days {
		v.List.Days[i].Rows = plain(v.List.Days[i].Rows)
	}
	v.List.Days[0].Rows[0].Note, v.List.Days[0].Rows[1].Note, v.List.Days[0].Rows[1].Href = "Changed since", "Gone since", ""
	return v
}

// plain are rows without suggestions and marks.
func plain(rows []pages.TransactionRow) []pages.TransactionRow {
	for i := range rows {
		rows[i].Suggestion, rows[i].New = nil, false
	}
	return rows
}

func knownWrong() pages.KnownView {
	return pages.KnownView{Frame: frame(), AccountID: "a1", Name: rtlName, On: ui.Input{Name: "on", Label: "As it was known on", Type: "date", Value: "2036-10-03", Required: true,
		Problem: "This day is in the future. Enter today or a day before."}}
}

func news() pages.NewsView {
	return pages.NewsView{Frame: simulated(), AccountID: "a1", Name: longName, Since: "Since 3 October 2026 at 14:02", Until: "2026-10-03T12:00:00.000Z", NewTitle: "4 new", New: plain(rows(4)),
		ChangedTitle: "2 changed", Changed: []pages.NewsChange{
			{Row: plain(rows(1))[0], Facts: []ui.Fact{{Name: "Amount", Value: "−12.00 EUR → −12.50 EUR"}, {Name: "Date", Value: "2 October 2026 → 3 October 2026"},
				{Name: "Text", Value: oddText + " → " + longName}}},
			{Row: plain(rows(2))[1], Facts: []ui.Fact{{Name: "State", Value: "Listed by the bank again"}}}},
		GoneTitle: "2 gone", Gone: plain(rows(6)[4:])}
}

func newsNone() pages.NewsView {
	return pages.NewsView{Frame: frame(), AccountID: "a1", Name: "Everyday", SharedBy: "bo@example.org", Since: "Since 3 October 2026 at 14:02",
		Empty: "Nothing is new. The 10,000 transactions that were there before are not listed."}
}

func newsBegin() pages.NewsView {
	return pages.NewsView{Frame: frame(), AccountID: "a1", Name: "Everyday", SharedBy: "bo@example.org", Begin: true, Until: "2026-10-03T12:00:00.000Z",
		Empty: "Florin can show you which transactions of this account are new, changed or gone."}
}

func newsSeen() pages.NewsView {
	view := news()
	view.Until, view.Seen = "", "You have marked this as seen."
	return view
}
