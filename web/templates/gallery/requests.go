package main

import (
	"florin/web/templates/pages"
	"florin/web/templates/ui"
)

// requestScreens are what people of a household ask each other to pay.
func requestScreens() []screen {
	return []screen{
		{"ask", pages.Ask(askView())},
		{"ask-problems", pages.Ask(askProblems())},
		{"ask-nobody", pages.Ask(pages.AskView{Frame: frame(), Nobody: true, Owner: true})},
		{"request", pages.Request(requestView())},
		{"request-own", pages.Request(requestOwn())},
		{"requests", pages.Requests(pages.RequestsView{Frame: frame(), CanAsk: true, Open: requestRows(), Over: requestsOver()})},
		{"requests-empty", pages.Requests(pages.RequestsView{Frame: frame()})},
		{"payments-requests", pages.Payments(pages.PaymentsView{Frame: frame(), CanPay: true, CanAsk: true, Accounts: []ui.Option{{Text: "All accounts"}},
			Requests: pages.RequestsCard{Rows: requestRows()}, List: pages.PaymentList{Empty: "You have not paid anything here yet."}})},
		{"pay-asked", pages.Pay(payAsked())},
	}
}

func askView() pages.AskView {
	input := func(name, label, value string) ui.Input {
		return ui.Input{Name: name, Label: label, Type: "text", Value: value, Autocomplete: "off"}
	}
	v := pages.AskView{Frame: frame(), Hidden: []pages.Hidden{{Name: "form", Value: "k"}},
		People: []ui.Option{{Text: "Choose"}, {Value: "a", Text: "ann@example.org"}, {Value: "b", Text: longWord + "@example.org"}},
		Payee:  input("payee", "Name of the payee", "Müller Sanitär"), IBAN: input("iban", "IBAN", "DE89 3704 0044 0532 0130 00"), Amount: input("amount", "Amount", ""),
		Currencies: []ui.Option{{Value: "CHF", Text: "CHF"}, {Value: "EUR", Text: "EUR", Selected: true}}, Text: input("text", "Text for the payee (optional)", "Rechnung 7"),
		Day: input("day", "Day (optional)", ""), Note: input("note", "Note for the person you ask (optional)", ""), Most: "You can ask for 20 payments at a time."}
	v.Amount.Mode, v.Day.Type, v.Note.Hint = "decimal", "date", "For example what it is for, or where the invoice is."
	return v
}

func askProblems() pages.AskView {
	v := askView()
	v.Notice = &ui.Notice{Tone: ui.Bad, Title: "Please correct what is marked below", Text: "What you typed is still there. Nobody was asked."}
	v.PersonProblem, v.IBAN.Problem, v.Amount.Problem = "Choose whom you ask.", "The check digits of the IBAN are wrong.", "Enter the amount, such as 12.30."
	return v
}

func requestView() pages.RequestView {
	return pages.RequestView{Frame: frame(), Title: "Asked by ann@example.org", Status: ui.Badge{Tone: ui.Warning, Text: "To be paid"},
		Text: "Compare it with the invoice before you pay. Florin has not checked it.", Amount: *amount(4990, "EUR"),
		Facts: []ui.Fact{{Name: "Payee", Value: "Müller Sanitär"}, {Name: "IBAN", Value: "DE89 3704 0044 0532 0130 00"}, {Name: "Text", Value: "Rechnung 7"},
			{Name: "Day", Value: "Tuesday 1 December 2026"}, {Name: "Note", Value: oddText}, {Name: "Asked", Value: "today, 14:02"}},
		Pay: ui.Link{Text: "Pay", Href: "/pay?request=a"}, Decline: "/requests/a/decline",
		Answer: ui.Input{Name: "answer", Label: "Why not (optional)", Type: "text", Autocomplete: "off", Hint: "ann@example.org reads it."}}
}

func requestOwn() pages.RequestView {
	v := requestView()
	v.Title, v.Status, v.Pay, v.Decline, v.Withdraw = "You asked "+longWord+"@example.org", ui.Badge{Tone: ui.Warning, Text: "Declined"}, ui.Link{}, "", "/requests/a/withdraw"
	v.Text = longWord + "@example.org has declined it: “" + oddText + "”"
	return v
}

func requestRows() []pages.RequestRow {
	return []pages.RequestRow{
		{Href: "/requests/a", Payee: "Müller Sanitär", Detail: "Asked by ann@example.org", Day: "for Tuesday 1 December 2026", Amount: *amount(4990, "EUR"), Status: ui.Badge{Tone: ui.Warning, Text: "To be paid"}},
		{Href: "/requests/b", Payee: rtlName, Detail: "You asked " + longWord + "@example.org", Amount: *amount(1234567890, "HUF"), Status: ui.Badge{Tone: ui.Busy, Text: "Prepared"}},
	}
}

func requestsOver() []pages.RequestRow {
	return []pages.RequestRow{
		{Href: "/requests/c", Payee: longName, Detail: "You asked bo@example.org", Amount: *amount(500, "EUR"), Status: ui.Badge{Tone: ui.Good, Text: "Paid"}},
		{Href: "/requests/d", Payee: "ACME", Detail: "Asked by ann@example.org", Amount: *amount(500, "EUR"), Status: ui.Badge{Tone: ui.Plain, Text: "Withdrawn"}},
	}
}

// payAsked is the form for what somebody asks for.
func payAsked() pages.PayView {
	v := pay()
	v.CanAsk = true
	v.Asked = &ui.Notice{Tone: ui.Info, Title: "ann@example.org asks you to pay this", Text: "“for the tap” Compare it with the invoice before you pay. Florin has not checked it."}
	return v
}
