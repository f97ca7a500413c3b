package main

import (
	"florin/internal/money"
	"florin/web/templates/pages"
	"florin/web/templates/ui"
)

func transactionMerged() pages.TransactionView {
	v := transaction()
	facts := []ui.Fact{{Name: "Amount", Value: "−6.41 EUR"}, {Name: "Date", Value: "4 October 2026"}}
	v.Merge = pages.MergeCard{Href: "/merge", Action: "/separate", Rows: []pages.MergedRow{
		{ID: "7", Name: "Blue Bottle", Text: oddText, When: "You merged them on 5 October 2026 at 08:00.", Facts: facts},
		{Name: longWord, When: "You merged them on 4 October 2026 at 08:00.", Facts: append(facts, ui.Fact{Name: "State", Value: "No longer listed by the bank"})},
	}}
	return v
}

func transactionDouble() pages.TransactionView {
	v := transaction()
	v.Merge = pages.MergeCard{Href: "/merge", Likely: &ui.Link{Text: "−6.41 EUR on 4 October 2026: Blue Bottle", Href: "/merge?other=7"}}
	return v
}

func merge() pages.MergeView {
	return pages.MergeView{Frame: simulated(), Back: ui.Link{Text: "Blue Bottle Coffee", Href: "/x"}, Title: "Blue Bottle Coffee", Amount: pages.Flow(money.FromMinor(-641, "EUR")),
		Action: "/merge", Doubles: account().List.Days[:1], Text: "coffee", Found: account().List.Days}
}

func mergeNothing() pages.MergeView {
	v := merge()
	v.Doubles, v.Found, v.Text, v.Fault, v.Empty = nil, nil, "((", "", "No booked transaction matches. Try fewer words, or a part of one."
	return v
}

func mergePair(problem string) pages.MergeView {
	v := merge()
	v.Pair = &pages.MergePair{Problem: problem, Other: "7", Again: "/merge", Sides: [2]pages.MergeSide{
		{Heading: "This one stays", Link: ui.Link{Text: "Blue Bottle Coffee", Href: "/1"}, Amount: v.Amount, Facts: []ui.Fact{{Name: "Date", Value: "3 October 2026"}, {Name: "Note", Value: oddText}}},
		{Heading: "This one goes into it", Link: ui.Link{Text: longWord, Href: "/2"}, Amount: v.Amount, Facts: []ui.Fact{{Name: "Date", Value: "4 October 2026"}, {Name: "Text", Value: longWord}}},
	}}
	if problem == "" {
		v.Pair.Will = []string{"The note of the second one comes below its own.", "You can separate the two again at any time."}
	} else {
		v.Pair.Sides[0].Heading, v.Pair.Sides[1].Heading = "The first", "The second"
	}
	return v
}
