package main

import (
	"fmt"

	"florin/internal/qrcode"
	"florin/web/templates/layout"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// ownAppScreens are payments that the person sends in the app of the bank.
func ownAppScreens() []screen {
	return []screen{
		{"payment-own-app", pages.Payment(paymentOwnApp())},
		{"payment-own-app-asked", pages.Payment(paymentAsked())},
		{"payment-own-app-many", pages.Payment(paymentOwnAppMany())},
		{"payment-own-app-francs", pages.Payment(paymentFrancs())},
		{"pay-francs", pages.Pay(payFrancs())},
		{"payments-file", pages.PaymentsFile(paymentsFile())},
		{"payments-file-empty", pages.PaymentsFile(pages.PaymentsFileView{Frame: frame()})},
	}
}

// paymentOwnApp is one with the code for the app.
func paymentOwnApp() pages.PaymentView {
	code, err := qrcode.Encode("BCD\n002\n1\nSCT\n\nMueller + Soehne Haustechnik\nDE89370400440532013000\nEUR12.30\n\n\nRechnung 4711 fuer Maerz", qrcode.M)
	if err != nil {
		panic(err)
	}
	v := payment(pages.PaymentStatus{ID: "p1", Bank: "Banca dell’Arno", Tone: ui.Plain, Headline: "Send it in your bank’s app",
		Small: "Florin has sent nothing. Your bank sends it when you approve it there.",
		Next:  "Florin looks for the booking on your account, and shows here when it has come.", SayDone: true, SayNot: true, Stops: ownAppStops(),
		Source: "Handed to you at 14:02:11."})
	v.Frame, v.Simulated, v.Payee, v.Receipt, v.Save, v.Again = layout.Frame{User: v.Frame.User, Payments: true}, false, "Müller & Söhne Haustechnik", false, false, ""
	v.Facts = []ui.Fact{v.Facts[0], v.Facts[1], v.Facts[2], {Name: "How", Value: "In your bank’s app", Code: "OWN_APP"},
		{Name: "When", Value: "When you send it in your bank’s app"}, {Name: "Text", Value: "Rechnung 4711 für März"}, {Name: "Payment ID", Value: "FLDBKEEGJH2WL4OSFTONDTZ7FOB5"}}
	v.Events = []pages.PaymentEvent{{At: at("14:02:09"), Text: "Draft created"}, {At: at("14:02:11"), Text: "Confirmed by you"}, {At: at("14:02:11"), Text: "Handed to you"}}
	v.Handoff = &pages.Handoff{Bank: "Banca dell’Arno", Code: &code, Link: "payto://iban/DE89370400440532013000?amount=EUR:12.30&receiver-name=Mueller",
		Fields: []pages.HandoffField{{Name: "Payee", Value: "Mueller + Soehne Haustechnik"}, {Name: "IBAN", Value: "DE89 3704 0044 0532 0130 00"},
			{Name: "IBAN without spaces", Value: "DE89370400440532013000"}, {Name: "Amount in euros", Value: "12.30"}, {Name: "Text", Value: "Rechnung 4711 fuer Maerz"}},
		Note: "Banks pass on plain letters only. In the code, the payee is “Mueller + Soehne Haustechnik” and the text is “Rechnung 4711 fuer Maerz”.",
		File: true, Picked: []ui.Option{{Value: "pain.001.001.09", Text: "pain.001.001.09 (new)"}, {Value: "pain.001.001.03", Text: "pain.001.001.03 (older)"}}}
	return v
}

// paymentFrancs is one with a Swiss QR-bill, a QR reference and long words.
func paymentFrancs() pages.PaymentView {
	code, err := qrcode.Encode("SPC\n0200\n1\nCH4431999123000889012\nS\nMüller & Söhne Haustechnik AG\nRue du Lac 12\n\n2501\nBiel\nCH\n\n\n\n\n\n\n\n1949.75\nCHF\n"+
		"\n\n\n\n\n\n\nQRR\n210000000003139471430009017\n"+longWord+"\nEPD", qrcode.M)
	if err != nil {
		panic(err)
	}
	code = code.WithSwissCross()
	v := paymentOwnApp()
	v.Payee, v.Amount = "Müller & Söhne Haustechnik AG", *amount(194975, "CHF")
	v.Facts = v.Facts[:1]
	v.Handoff = &pages.Handoff{Bank: "your bank", Code: &code, Bill: true, Day: "Tuesday 1 December 2026",
		Fields: []pages.HandoffField{{Name: "Account", Value: "CH44 3199 9123 0008 8901 2"}, {Name: "IBAN without spaces", Value: "CH4431999123000889012"},
			{Name: "Payable to", Value: "Müller & Söhne Haustechnik AG"}, {Name: "Street and number", Value: "Rue du Lac 12"},
			{Name: "Postcode and town", Value: "2501 Biel"}, {Name: "Country", Value: "Switzerland"},
			{Name: "Reference", Value: "21 00000 00003 13947 14300 09017"}, {Name: "Additional information", Value: longWord},
			{Name: "Currency", Value: "CHF"}, {Name: "Amount", Value: "1949.75"}},
		Note:   "In the code, the address is “Rue du Lac 12, 2501 Cuprija, CH”.",
		NoFile: "There is no file for payments in francs yet. Scan the code with the app of your bank, or copy the fields."}
	return v
}

// payFrancs is the form of one, with the address of the payee, of which something is missing.
func payFrancs() pages.PayView {
	v := pay()
	v.Frame, v.Simulated, v.When = layout.Frame{User: v.Frame.User, Payments: true}, false, v.When[:2]
	v.Account, v.From = payAccount("Kantonalkonto", "Current account, CHF", ""), v.From[:1]
	v.From[0].Text = "Kantonalkonto, CHF"
	v.Types = []pages.PayType{{Value: "OWN_APP", Title: "In your bank’s app", Note: "In francs or euros. Florin prepares it, and you send it in the app of your bank.", Current: true}}
	v.Problem = &ui.Notice{Tone: ui.Bad, Title: "Please correct what is marked below", Text: "What you typed is still there. Nothing was sent."}
	postCode := payField("post_code", "Postcode", "", "")
	postCode.Problem = "The postcode is missing."
	number := payField("number", "IBAN", "CH44 3199 9123 0008 8901 2", "")
	number.Problem = "A QR-IBAN goes with the reference of 27 digits on the bill, and this reference with a QR-IBAN. Compare both with the bill."
	v.To = []pages.PayField{payField("name", "Name", "Müller & Söhne AG", ""), number, payField("street", "Street and number (optional)", "Rue du Lac 12", ""),
		postCode, payField("town", "Town", "Biel", ""), paySelect("payee_country", "Country of the payee", "Switzerland", "Liechtenstein")}
	v.Hint = pages.PayHint{}
	v.Currency = paySelect("currency", "Currency", "CHF", "EUR")
	v.Reference = []pages.PayField{payField("reference", "Reference (optional)", "", "")}
	v.Seldom, v.Dates = nil, pages.PayDates{}
	v.When[0].Checked = true
	v.Focus("")
	return v
}

func ownAppStops() []pages.PaymentStop {
	return []pages.PaymentStop{{Name: "Prepared", Reached: true, At: at("14:02:11")}, {Name: "Handed to you", Reached: true, Last: true, At: at("14:02:11")},
		{Name: "Seen in the booking"}, {Name: "Arrived", Unreported: true}}
}

// paymentAsked is one that the person is asked about, with two bookings to choose from, long names, and no file.
func paymentAsked() pages.PaymentView {
	v := paymentOwnApp()
	v.Status.Tone, v.Status.Headline, v.Status.Small = ui.Warning, "Did you send it?", "Florin found no booking of it in 6 working days."
	v.Status.Next, v.Payee = "Look at your account in your bank’s app, and say here what became of the payment.", longName+" "+rtlName
	for i, title := range []string{longName, rtlName} {
		v.Status.Maybe = append(v.Status.Maybe, pages.BookingRow{Choose: fmt.Sprint(i + 1), Href: paths.Transaction("a1", "7"), Title: title, Detail: "4 October",
			Amount: *amount(-1230, "EUR")})
	}
	v.Handoff.Bank, v.Handoff.File, v.Handoff.Day = longName, false, "Tuesday 1 December 2026"
	v.Handoff.NoFile = "A file needs the IBAN and the holder of your account, and Florin does not know both."
	return v
}

// paymentsFile is a choice of payments for one file, of several accounts, with what is wrong and long names.
func paymentsFile() pages.PaymentsFileView {
	return pages.PaymentsFileView{Frame: simulated(), Simulated: true, Account: "a1", Name: longName,
		Problem:  &ui.Notice{Tone: ui.Bad, Title: "No file was made", Text: "Tick at least one payment."},
		Accounts: []pages.Filter{{Text: longName, Href: paths.PaymentsFileOf("a1"), Current: true}, {Text: rtlName, Href: paths.PaymentsFileOf("a2")}},
		Rows: []pages.FilePayment{
			{ID: "p1", Payee: "Müller & Söhne Haustechnik", Detail: "14:02", Amount: *amount(1230, "EUR"), Ticked: true},
			{ID: "p2", Payee: longName, Detail: "Yesterday, 9:30, for Tuesday 1 December", Filed: "Already in a file: 14:05", Amount: *amount(123456789, "EUR")},
			{ID: "p3", Payee: rtlName, Detail: "Yesterday, 9:31", Amount: *amount(700, "EUR")},
		},
		More:     "These are the oldest 500. The others come up when these are sent.",
		Versions: []ui.Option{{Value: "pain.001.001.09", Text: "pain.001.001.09 (new)"}, {Value: "pain.001.001.03", Text: "pain.001.001.03 (older)"}},
		Bookings: []ui.Option{{Text: "Each payment separately"}, {Value: "on", Text: "One total for each day"}}}
}

// paymentOwnAppMany has a file alone.
func paymentOwnAppMany() pages.PaymentView {
	v := paymentOwnApp()
	v.Payee, v.Handoff.Code, v.Handoff.Fields, v.Handoff.Note, v.Handoff.Many = "3 payments", nil, nil, "", true
	v.Status.Transfers = paymentBulkTotal().Status.Transfers
	return v
}
