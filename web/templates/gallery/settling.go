package main

import (
	"florin/internal/money"
	"florin/web/templates/layout"
	"florin/web/templates/pages"
	"florin/web/templates/ui"
)

func settlingScreens() []screen {
	return []screen{
		{"settling", pages.Settling(settlingView())},
		{"settling-odd", pages.Settling(settlingOdd())},
		{"settling-empty", pages.Settling(pages.SettlingView{Frame: sharing(), None: true, New: "/settling/new", AccountAt: "/settling/account",
			Account: ui.Fact{Name: "Choose an account", Value: "You have chosen no account yet.", Note: "Without one, others can settle with you in cash only."}})},
		{"settling-alone", pages.Settling(pages.SettlingView{Frame: frame(), None: true, Alone: true, Owner: true})},
		{"settling-with", pages.SettlingWith(settlingWith())},
		{"settling-with-problem", pages.SettlingWith(settlingWithProblem())},
		{"expense-new", pages.Expense(expenseNew())},
		{"expense-amounts", pages.Expense(expenseAmounts())},
		{"expense-viewer", pages.Expense(expenseViewer())},
		{"receiving", pages.Receiving(receiving())},
		{"receiving-problem", pages.Receiving(receivingProblem())},
	}
}

func sharing() layout.Frame {
	f := frame()
	f.Settling = true
	return f
}

const longAddress = "bartholomaeus-maximilian.von-und-zu-hohenstein@very-long-name-of-a-domain.example.org"

func settlingView() pages.SettlingView {
	return pages.SettlingView{Frame: sharing(), New: "/settling/new", Export: "/settling/export", AccountAt: "/settling/account",
		Account: ui.Fact{Name: "Change the account", Value: "Mira Kowalczyk, FI21 1234 5600 0007 85", Note: "Others see it when they pay you."},
		Currencies: []pages.SettlingCurrency{{Code: "EUR", Text: "In all, you get 31.50 EUR.", People: []pages.SettlingPerson{
			{Name: "bo@example.org", Text: "owes you", Amount: *amount(4200, "EUR"), Href: "/settling/with/b", Bar: pages.SettlingBar{Length: 100}},
			{Name: "cy@example.org", Text: "you owe", Amount: *amount(1050, "EUR"), Href: "/settling/with/c", Bar: pages.SettlingBar{Length: 25, Gives: true}}}}},
		Chains: []pages.SettlingChain{{Text: "bo@example.org pays you", Note: "cy@example.org is left out.", Amount: *amount(3150, "EUR")},
			{Text: "You pay di@example.org", Note: "as before", Amount: *amount(500, "EUR"), Action: "/settling/with/d/pay", Value: "EUR"}},
		UnderWay: []pages.SettlingRow{{Title: "You pay cy@example.org", Amount: *amount(1050, "EUR"), Notes: []string{"today", "by a payment"},
			Mark: &ui.Badge{Tone: ui.Busy, Text: "On its way"}, Pay: &ui.Link{Text: "Open the payment", Href: "/payments/1"}}},
		Expenses: []pages.SettlingRow{
			{Title: "Groceries", Href: "/settling/expenses/1", Amount: *amount(8400, "EUR"), Notes: []string{"Friday 20 November 2026", "you paid"}, Side: "your share: 42.00 EUR"},
			{Title: "Cinema", Href: "/settling/expenses/2", Amount: *amount(2100, "EUR"), Notes: []string{"Thursday 19 November 2026", "cy@example.org paid"}, Side: "your share: 10.50 EUR"},
			{Title: "Dinner", Href: "/settling/expenses/3", Amount: *amount(9900, "EUR"), Notes: []string{"Sunday 1 November 2026", "bo@example.org paid"}, Side: "no longer counts",
				Struck: true, Mark: &ui.Badge{Tone: ui.Info, Text: "Deleted"}}}}
}

func settlingOdd() pages.SettlingView {
	v := settlingView()
	v.Currencies[0].People[0].Name, v.Currencies[0].People[0].Amount = longAddress, *amount(1_234_567_890_12, "EUR")
	v.Currencies = append(v.Currencies, pages.SettlingCurrency{Code: "ISK", Text: "In all, you get as much as you owe.", People: []pages.SettlingPerson{
		{Name: "gone@example.org (no longer here)", Text: "owes you", Amount: *amount(150, "ISK"), Href: "/settling/with/g", Bar: pages.SettlingBar{Length: 1}}}})
	v.Chains[0].Text, v.Chains[0].Note = longAddress+" pays you", longAddress+" and cy@example.org are left out."
	v.Expenses[0].Title = "Groceries for the whole month, and what we needed for the party on Saturday, with the deposit for the bottles"
	v.Expenses[0].Notes[1] = longAddress + " paid"
	v.Account.Value = "Bartholomäus Maximilian von und zu Hohenstein, MT84 MALT 0110 0001 2345 MTLC AST0 01S"
	v.Pages = ui.Pager{Newer: "/settling", Older: "/settling?page=3"}
	return v
}

func settlingWith() pages.SettlingWithView {
	flow := func(minor int64) ui.Money { return pages.Flow(money.FromMinor(minor, "EUR")) }
	return pages.SettlingWithView{Frame: sharing(), Name: "bo@example.org", Person: "b", New: "/settling/new?with=b", Writes: true,
		Debts: []pages.SettlingDebt{{Currency: "EUR", Text: "You owe bo@example.org", Amount: *amount(4200, "EUR"), Gives: true, Pay: true, CashID: "x", CashText: "I paid it in cash",
			CashNote: "Did you give it in cash, or in another way? Both of you see it, and both can undo it.",
			Cash:     ui.Input{Name: "amount-EUR", Label: "Amount in EUR", Type: "text", Mode: "decimal", Value: "42.00"}}},
		Rows: []pages.SettlingRow{
			{Title: "You pay bo@example.org", Amount: flow(1000), Notes: []string{"today", "in cash", "entered by you"}, Mark: &ui.Badge{Tone: ui.Good, Text: "Settled"},
				Undo: &pages.SettlingUndo{Action: "/settling/settlements/1/undo", Value: "yes", Text: "Undo", With: "b"}},
			{Title: "bo@example.org pays you", Amount: *amount(1000, "EUR"), Notes: []string{"yesterday", "by a payment"}, Mark: &ui.Badge{Tone: ui.Warning, Text: "Not paid"}, Struck: true},
			{Title: "Groceries", Href: "/settling/expenses/1", Amount: flow(-5200), Notes: []string{"Friday 20 November 2026", "bo@example.org paid"}, Side: "of 104.00 EUR"}}}
}

func settlingWithProblem() pages.SettlingWithView {
	v := settlingWith()
	v.Name, v.Gone = longAddress+" (no longer here)", longAddress+" no longer uses this Florin. What you shared stays until you settle it."
	v.New, v.Debts[0].Pay, v.Debts[0].Text = "", false, "You owe "+longAddress
	v.Debts[0].NoPay = longAddress + " has not chosen an account for payments yet. Ask for one, or settle in cash."
	v.Debts[0].Cash.Value, v.Debts[0].Cash.Problem = "x", "Enter the amount with digits and decimals, such as 12.30."
	v.Notice = &ui.Notice{Tone: ui.Bad, Title: "This cannot be saved", Text: "Enter the amount with digits and decimals, such as 12.30."}
	v.Total, v.Pages = "Rows 1 to 50 of 120.", ui.Pager{Older: "/settling/with/b?page=2"}
	return v
}

func expenseNew() pages.ExpenseView {
	return pages.ExpenseView{Frame: sharing(), Title: "Add a shared expense", Back: ui.Link{Text: "Shared expenses", Href: "/settling"}, Action: "/settling/new", Form: true,
		Save: "Save the expense", How: "equal", Hint: "The same for everybody who is ticked. Cents that are left over are shared out one by one.",
		Text:   ui.Input{Name: "text", Label: "What it was for", Type: "text", Required: true},
		Amount: &ui.Input{Name: "amount", Label: "Amount", Type: "text", Mode: "decimal", Required: true}, Choose: []ui.Option{{Value: "EUR", Text: "EUR", Selected: true}, {Value: "CHF", Text: "CHF"}},
		Day: &ui.Input{Name: "day", Label: "Date", Type: "date", Value: "2026-11-23", Required: true}, Payers: []ui.Option{{Value: "a", Text: "You", Selected: true}, {Value: "b", Text: "bo@example.org"}},
		Ways:   []pages.PayType{{Value: "how:equal", Title: "Equally", Current: true}, {Value: "how:shares", Title: "By shares"}, {Value: "how:amounts", Title: "By amounts"}},
		People: []pages.ExpensePerson{{Name: "You", Check: "in-a", In: true}, {Name: "bo@example.org", Check: "in-b", In: true}, {Name: longAddress, Check: "in-c"}}}
}

func expenseAmounts() pages.ExpenseView {
	v := expenseNew()
	v.Title, v.How, v.Hint = "Groceries", "amounts", "What each person has to pay. Together it is the whole amount. Leave it empty for anybody who has no share."
	v.Amount, v.Choose, v.Day, v.Payers, v.Booking, v.Delete = nil, nil, nil, nil, "/accounts/1/transactions/2", "/settling/expenses/1/delete"
	v.Facts = []ui.Fact{{Name: "Amount", Value: "84.00 EUR"}, {Name: "Date", Value: "Friday 20 November 2026"}, {Name: "Who paid", Value: "You"}}
	v.Notice = &ui.Notice{Tone: ui.Bad, Title: "This cannot be saved", Text: "The amounts must add up to the whole amount. Still left: 6.00 EUR."}
	v.Ways[0].Current, v.Ways[2].Current = false, true
	v.Changed = "Last changed by " + longAddress + ", 23 Nov."
	v.People = []pages.ExpensePerson{{Field: &ui.Input{Name: "part-a", Label: "Your amount", Type: "text", Mode: "decimal", Value: "42.00"}},
		{Field: &ui.Input{Name: "part-c", Label: "Amount of " + longAddress, Type: "text", Mode: "decimal", Value: "x", Problem: "Enter the amount with digits and decimals, such as 12.30."}}}
	return v
}

func expenseViewer() pages.ExpenseView {
	v := expenseAmounts()
	v.Form, v.Delete, v.Booking = false, "", ""
	v.Notice = &ui.Notice{Tone: ui.Info, Title: "This expense is deleted", Text: "It no longer counts."}
	v.Facts = append(v.Facts, ui.Fact{Name: "Your share", Value: "42.00 EUR"}, ui.Fact{Name: "Share of " + longAddress, Value: "42.00 EUR"})
	v.Restore = "/settling/expenses/1/delete"
	return v
}

func receiving() pages.ReceivingView {
	return pages.ReceivingView{Frame: sharing(), Is: true, Own: []ui.Option{{Text: "Another account, typed below"}, {Value: "1", Text: "Everyday account, FI21 1234 5600 0007 85", Selected: true}},
		Name: ui.Input{Name: "name", Label: "Name of the account holder", Type: "text", Value: "Mira Kowalczyk", Hint: "As your bank knows it: the payer’s bank compares it."},
		IBAN: ui.Input{Name: "iban", Label: "IBAN", Type: "text", Value: "FI21 1234 5600 0007 85"}}
}

func receivingProblem() pages.ReceivingView {
	v := receiving()
	v.Notice = &ui.Notice{Tone: ui.Info, Title: "Confirm that it is you", Text: "Nothing is saved yet."}
	v.Proof = pages.Proof{Email: "mira@example.org", Fields: []string{"password"}, Why: "This stops anybody who finds this page open from changing where your money goes."}
	v.IBAN.Problem = "The check digits of the IBAN are wrong. A character may be mistyped, or two may be swapped. Compare it with the original."
	return v
}
