package main

import (
	"florin/internal/money"
	"florin/web/templates/pages"
	"florin/web/templates/ui"
)

func debitScreens() []screen {
	return []screen{
		{"direct-debits", pages.DirectDebits(debitsView())},
		{"direct-debits-none", pages.DirectDebits(pages.DirectDebitsView{Frame: frame()})},
		{"direct-debit", pages.DirectDebit(debitView())},
		{"direct-debit-right", pages.DirectDebit(debitRight())},
		{"direct-debit-shared", pages.DirectDebit(debitShared())},
		{"transaction-direct-debit", pages.Transaction(transactionDebit())},
	}
}

const refundUntil = "Your bank refunds it if you ask by Saturday 28 November 2026. You do not have to give a reason."

func debitRow(name, note string, minor int64, marks ...ui.Badge) pages.RecurringRow {
	return pages.RecurringRow{Href: "/direct-debits/1", Name: name, Note: note, Amount: pages.Flow(money.FromMinor(minor, "EUR")), Marks: marks}
}

func debitsView() pages.DirectDebitsView {
	fresh := debitRow("Fit und Froh Studio", "3 October · DE02ZZZ01234567890 · G 77", -2990, ui.Badge{Tone: ui.Warning, Text: "New creditor"})
	fresh.Range = refundUntil
	long := debitRow(longWord, "2 October · "+longWord, -1_000_000_000_000_000, ui.Badge{Tone: ui.Warning, Text: "Collected twice"}, ui.Badge{Tone: ui.Warning, Text: "Unusually high"})
	long.Range = "Your bank does not refund a debit between companies (B2B) that you agreed to. If you never agreed, tell your bank by Tuesday 2 November 2027."
	energy := debitRow("Naturkraft", "1 October · DE98ZZZ09999999999 · M-001", -7400)
	energy.Range = "12 direct debits in the last 400 days"
	return pages.DirectDebitsView{Frame: frame(), Whose: &pages.Whose{Household: true, Back: "/direct-debits"}, Open: []pages.RecurringRow{fresh, long},
		Mandates: []pages.RecurringRow{energy, debitRow(rtlName, "28 September · bo@example.org", -1200)},
		Done: []pages.RecurringRow{debitRow("Film club", "5 September · DE55ZZZ00000000001", -1299, ui.Badge{Text: "Higher price"}, ui.Badge{Tone: ui.Good, Text: "Confirmed by you"}),
			debitRow("Corner shop", "3 September", -4400, ui.Badge{Text: "New creditor"}, ui.Badge{Tone: ui.Good, Text: "Returned"})}}
}

func debitView() pages.DirectDebitView {
	letter := "Dear Sir or Madam,\n\nplease refund this direct debit:\n\nAccount: DE02 1203 0000 0000 2020 51\nDebited on: 3 October 2026\nAmount: 29.90 EUR\n" +
		"Creditor: Fit und Froh Studio\nCreditor ID: DE02ZZZ01234567890\nMandate: G 77\n\nI ask for the refund within eight weeks, which end on 28 November 2026.\n\nKind regards,"
	return pages.DirectDebitView{Frame: frame(), ID: 1, Title: "Fit und Froh Studio", Amount: pages.Flow(money.FromMinor(-2990, "EUR")), Transaction: "/accounts/1/transactions/1",
		Findings: []ui.Notice{{Tone: ui.Warning, Title: "New creditor",
			Text: "As far back as Florin knows, nobody with this creditor ID or this name has collected money from the account before."}},
		Open: true, Until: refundUntil,
		Facts: []ui.Fact{{Name: "Debited on", Value: "Saturday 3 October 2026"}, {Name: "Creditor ID", Value: "DE02ZZZ01234567890"}, {Name: "Mandate", Value: longWord},
			{Name: "Scheme", Value: "SEPA direct debit"}, {Name: "Account", Value: "Everyday account"}},
		Letters: []pages.DebitLetter{
			{ID: "refund", Title: "Ask for the money back", Hint: "To your bank, by Saturday 28 November 2026. Many banks also have a button for this next to the booking.", Text: letter},
			{ID: "revoke", Title: "Revoke the mandate", Hint: "To the creditor. You still have to pay what you owe: agree on another way to pay.", Text: letter}}}
}

func debitRight() pages.DirectDebitView {
	v := debitView()
	v.Findings[0].Tone, v.Open, v.Closed, v.Until, v.Back, v.Letters = ui.Info, false, true, "", "It was returned on Monday 5 October 2026.", v.Letters[1:]
	return v
}

func debitShared() pages.DirectDebitView {
	v := debitView()
	v.Owner, v.Letters = "mira@example.org", nil
	return v
}

func transactionDebit() pages.TransactionView {
	v := transaction()
	v.Debit = pages.DebitCard{Href: "/direct-debits/1", Marks: []ui.Badge{{Tone: ui.Warning, Text: "New creditor"}}, Until: refundUntil}
	return v
}
