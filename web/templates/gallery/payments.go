package main

import (
	"fmt"
	"strconv"

	"florin/web/templates/layout"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// paying is the frame of a page of payments at a simulated bank.
func paying() layout.Frame {
	f := simulated()
	f.Payments = true
	return f
}

func paymentScreens() []screen {
	return []screen{
		{"pay-start", pages.PayStart(payStart())},
		{"pay-start-pasted", pages.PayStart(payPasted())},
		{"pay-start-problem", pages.PayStart(pages.PayStartView{Frame: paying(), Accounts: payStart().Accounts[:1], Paste: "BCD\n009\n1\nSCT",
			PasteProblem: "Florin does not know the version of the code in line 2; it must be 001 or 002. Paste only the IBAN."})},
		{"pay-start-picture", pages.PayStart(pages.PayStartView{Frame: paying(), Accounts: payStart().Accounts[:1],
			PictureProblem: "Florin cannot show the first page of this PDF: it is damaged, empty, or needs too much memory. Open it, take a screenshot of the code, and choose that."})},
		{"pay-start-none", pages.PayStart(pages.PayStartView{Frame: paying(),
			Notice: &ui.Notice{Tone: ui.Info, Title: "You have no account to pay from", Text: "Link a bank where you have a current account or a savings account.",
				Action: ui.Link{Text: "Link a bank", Href: paths.Link}}})},
		{"pay", pages.Pay(pay())},
		{"pay-problems", pages.Pay(payProblems())},
		{"pay-abroad", pages.Pay(payAbroad())},
		{"review", pages.Review(review())},
		{"review-unpayable", pages.Review(reviewUnpayable())},
		{"review-warnings", pages.Review(reviewWarnings())},
		{"payment-leave", pages.PaymentLeave(pages.PaymentLeaveView{Frame: paying(), ID: "p1", Bank: arno, Simulated: true, Amount: *amount(1230, "EUR"),
			Payee: "ACME GmbH", Href: "http://localhost:8081/pis/start?payment_id=1", Host: "localhost:8081"})},
		{"payment-leave-again", pages.PaymentLeave(pages.PaymentLeaveView{Frame: paying(), ID: "p1", Bank: arno, Simulated: true, Amount: *amount(1230, "EUR"),
			Payee: "ACME GmbH", Host: "xn--seebrcke-b6a.example"})},
		{"payment-waiting", pages.Payment(payment(paymentWaiting()))},
		{"payment-going", pages.Payment(payment(paymentGoing()))},
		{"payment-sent", pages.Payment(payment(paymentSent()))},
		{"payment-rejected", pages.Payment(payment(paymentRejected()))},
		{"payment-unknown", pages.Payment(paymentUnknown())},
		{"payment-odd", pages.Payment(paymentOdd())},
		{"payment-standing", pages.Payment(paymentStanding())},
		{"payment-standing-stopped", pages.Payment(paymentStopped())},
		{"payment-bulk-total", pages.Payment(paymentBulkTotal())},
		{"dashboard-payments", pages.Dashboard(dashboardPayments())},
		{"transaction-execution", pages.Transaction(transactionExecution())},
		{"transaction-total", pages.Transaction(transactionTotal())},
		{"payments", pages.Payments(payments())},
		{"payments-empty", pages.Payments(pages.PaymentsView{Frame: paying(), List: pages.PaymentList{Empty: "You have not paid anything here yet."},
			Accounts: []ui.Option{{Text: "All accounts"}}, CanPay: true, Filters: payments().Filters})},
		{"receipt", pages.Receipt(receipt())},
	}
}

func payAccount(name, detail, href string) pages.PayAccount {
	return pages.PayAccount{Name: name, Detail: detail, Bank: arno, Balance: amount(521055, "EUR"), Available: true,
		Booked: "Booked: 1,280.03 EUR; the rest may be a credit limit", AsOf: at("14:02"), Href: href}
}

func payPasted() pages.PayStartView {
	v := payStart()
	v.To, v.Amount, v.Pasted = longName, "12,345,678.90 EUR", "BCD"
	for i := range v.Accounts {
		v.Accounts[i].Href, v.Accounts[i].ID = "", strconv.Itoa(i)
	}
	return v
}

func payStart() pages.PayStartView {
	card := payAccount("Carta Oro", "Card account, ending in 9023", "")
	card.Obstacle = "You cannot pay from a card account."
	return pages.PayStartView{Frame: paying(), Simulated: true,
		Accounts: []pages.PayAccount{payAccount("Everyday", "Conto Famiglia, ending in 4711", "/pay?account=a1"),
			payAccount(longName, longWord, "/pay?account=a2"),
			{Name: "Viaggi", Detail: "Conto Multivaluta, ending in 6620", Bank: arno, Pockets: []pages.PayAccount{
				{Name: "EUR", Href: "/pay?account=a11", Balance: amount(12_050, "EUR"), Available: true, AsOf: at("14:02")},
				{Name: "Japan, JPY", Href: "/pay?account=a12", Balance: amount(48_000, "JPY"), BalanceIs: "Expected", AsOf: at("14:02")}}}}, Others: []pages.PayAccount{card}}
}

func payField(name, label, value, hint string) pages.PayField {
	return pages.PayField{Input: ui.Input{Name: name, Label: label, Type: "text", Value: value, Hint: hint, Autocomplete: "off"}}
}

func paySelect(name, label string, options ...string) pages.PayField {
	f := payField(name, label, "", "")
	for i, o := range options {
		f.Options = append(f.Options, ui.Option{Value: o, Text: o, Selected: i == 0})
	}
	return f
}

func pay() pages.PayView {
	date := func(name, label string) pages.PayField {
		f := payField(name, label, "", "")
		f.Type, f.Min, f.Max = "date", "2026-10-03", "2027-10-03"
		return f
	}
	return pages.PayView{
		Frame: paying(), Simulated: true, Account: payAccount("Everyday", "Conto Famiglia, ending in 4711", ""),
		From: []ui.Option{{Value: "a1", Text: "Everyday, Banca dell’Arno, ending in 4711", Selected: true},
			{Value: "a2", Text: "Rainy days, Banca dell’Arno, ending in 0815"}},
		Hidden: []pages.Hidden{{Name: "form", Value: "A"}, {Name: "type", Value: "SEPA"}},
		Types: []pages.PayType{{Value: "SEPA", Title: "Standard", Note: "In euros, there by the next working day.", Current: true},
			{Value: "INST_SEPA", Title: "Instant", Note: "In euros, there within seconds."},
			{Value: "CROSSBORDER", Title: "Abroad", Note: "To other countries and in other currencies."}},
		Saved: []ui.Option{{Text: "Saved payee, or type below"}, {Value: "payee:1", Text: "★ ACME GmbH, DE89 3704 0044 0532 0130 00"}},
		To: []pages.PayField{payField("name", "Name", "ACME GmbH", "Your bank may check the name."),
			payField("number", "IBAN", "DE89 3704 0044 0532 0130 00", "")},
		Hint: pages.PayHint{Tone: ui.Good, Lines: []string{"Country: Germany. The check digits are correct.",
			"Paid 4 times, last as ACME GmbH, on 12 September."}},
		Amount:    payField("amount", "Amount", "12,30", ""),
		Currency:  pages.PayField{Input: ui.Input{Name: "currency", Label: "Currency", Value: "EUR"}, Options: []ui.Option{{Value: "EUR", Text: "EUR"}}},
		Text:      []pages.PayField{payField("text0", "Text for the payee (optional)", "Invoice 4711", "")},
		Reference: []pages.PayField{payField("reference", "Reference (optional)", "", "If the invoice has one. Your bank accepts: international reference (RF).")},
		When: []pages.PayWhen{{Value: "now", Title: "Now"}, {Value: "date", Title: "On a day"},
			{Value: "repeat", Title: "Standing order", Checked: true}},
		Date: date("date", "Day"), First: date("first", "First day"),
		Frequency: paySelect("frequency", "How often", "Every month", "Every week"),
		Seldom:    []pages.PayField{date("last", "Last day (optional)"), paySelect("rule", "If the bank is closed", "On the next working day", "On the working day before")},
		Dates: pages.PayDates{Sentence: "Every month, from Tuesday, 1 December 2026 until you stop it at your bank. If the bank is closed on that day, it pays on the next working day.",
			Dates: []string{"Tuesday, 1 December 2026", "Friday, 1 January 2027", "Monday, 1 February 2027"},
			Note:  "Florin counts only weekends here. Bank holidays may move a date."},
	}
}

func payProblems() pages.PayView {
	v := pay()
	v.Problem = &ui.Notice{Tone: ui.Bad, Title: "Please correct what is marked below", Text: "What you typed is still there. Nothing was sent."}
	v.Hint = pages.PayHint{}
	v.To[0].Value, v.To[0].Problem = "", "The name is missing. Your bank needs it for this kind of payment."
	v.To[1].Value, v.To[1].Problem = "DE8937040044053201300", "An IBAN that begins with DE (Germany) has 22 characters; this one has 21."
	v.Amount.Value, v.Amount.Problem = "1.234", "It is not clear whether the separator marks thousands or decimals. Write 1,234.00 or 1.23."
	v.AmountHint = pages.PayHint{Tone: ui.Warning,
		Lines: []string{"This is more than the account has.", "5,210.55 EUR were available (as of 14:02), perhaps including a credit limit."}}
	v.Frequency.Problem = "Choose how often."
	v.Dates = pages.PayDates{}
	v.Focus("")
	return v
}

func payAbroad() pages.PayView {
	v := pay()
	v.AtBank, v.Draft, v.When = true, true, nil
	v.Types = v.Types[2:]
	v.Saved = nil
	v.To = append(v.To[:1:1], paySelect("scheme", "Kind of account number", "IBAN", "National account number"),
		payField("number", "Account number", longWord, ""), payField("bic", "BIC of the payee’s bank", "", "8 or 11 letters and digits. It is on the invoice."),
		paySelect("payee_country", "Country of the payee", "United States", "Uruguay"))
	v.Hint = pages.PayHint{Tone: ui.Warning, Lines: []string{"You saved this account under another name", "You know it as " + rtlName + "."}}
	v.Currency = paySelect("currency", "Currency", "USD", "EUR")
	v.More = []pages.PayField{paySelect("charges", "Charges", "Shared: you and the payee each pay your own bank", "You pay all charges"),
		payField("payer_phone", "Your phone number", "+39 055 1234567", "With the country code, such as +358 40 123 4567. Your bank asks for it.")}
	return v
}

func review() pages.ReviewView {
	change := func(field string) string { return paths.PayDraft("p1") + "#" + field }
	return pages.ReviewView{
		Frame: paying(), Title: "Review the payment", ID: "p1", Simulated: true, Bank: arno, Amount: *amount(1230, "EUR"), Payee: "ACME GmbH",
		Account: "DE89 3704 0044 0532 0130 00", Hash: "h", Change: paths.PayDraft("p1"), Confirm: "Confirm 12.30 EUR to ACME GmbH",
		Rows: []pages.ReviewRow{{Name: "Amount", Value: "12.30 EUR", Change: change("amount")},
			{Name: "From", Value: "Everyday, IT60 X054 2811 1010 0000 0123 456", Notes: []string{"Banca dell’Arno"}, Change: change("from-title")},
			{Name: "To", Value: "ACME GmbH", Notes: []string{"IBAN DE89 3704 0044 0532 0130 00", "Country: Germany. The check digits are correct.",
				"Paid 4 times, last on 12 September."}, Change: change("name")},
			{Name: "How", Value: "Standard", Notes: []string{"In euros, there by the next working day."}, Change: change("pay")},
			{Name: "When", Value: "As soon as you have approved", Change: change("when-now")},
			{Name: "Text", Value: "Invoice 4711", Change: change("text0")},
			{Name: "Fees", Value: "Florin charges nothing", Notes: []string{"Banca dell’Arno shows its own fees before you approve."}}},
		Next: []string{"You confirm here that it is you. Florin sends the payment to Banca dell’Arno, once. Nothing is paid yet.",
			"You go to Banca dell’Arno and approve the payment there. Enter your bank login only there.",
			"Your bank checks whether the name matches the account, where it can. Florin cannot check that.",
			"Banca dell’Arno checks the payment. You see how it goes on the page of the payment, which updates automatically."},
	}
}

func reviewUnpayable() pages.ReviewView {
	v := review()
	v.Confirm, v.Problem = "", &ui.Notice{Tone: ui.Warning, Title: "You can no longer pay from this account",
		Text: "The bank of this account is disconnected. Nothing was sent, and the draft is kept. Link " + longName +
			" again and come back here, or pay from another account.",
		Action: ui.Link{Text: "Link " + longName + " again", Href: paths.LinkBank}}
	return v
}

func reviewWarnings() pages.ReviewView {
	v := review()
	v.Simulated, v.Frame.Simulated = false, false
	v.Payee, v.Account, v.Confirm, v.Proof = longName, longWord, "Confirm 12.30 EUR to "+longName, wrongProof("")
	v.Problem = &ui.Notice{Tone: ui.Bad, Title: "Please read the warnings below", Text: "Tick the box of each warning to go on. Nothing was sent."}
	v.Warnings = []pages.ReviewWarning{
		{Key: "1", Tone: ui.Warning, Title: "You sent 12.30 EUR to ACME 3 minutes ago. Send it again?", Text: "It is the same payee and the same amount.",
			Link: ui.Link{Text: "See that payment", Href: paths.Payment("p0")}, Box: "Yes, send it again", Ticked: true},
		{Key: "2", Tone: ui.Bad, Title: "Careful, this may be fraud: " + oddText + " had another account until now.",
			Text: "You know this payee with another account: FR14 2004 1010 0505 0001 3M02 606. A new account number on an invoice is a common fraud: call the payee, on a phone number that you already had.", Box: "I asked the payee, and the new account is correct"},
		{Key: "3", Tone: ui.Info, Title: "New payee: your first payment to " + longName,
			Text: "You have not paid this account from Florin before. Compare it with the invoice: it is hard to get money back.", Box: "I have compared the account"},
	}
	return v
}

func stops(reached, stopped int) []pages.PaymentStop {
	var list []pages.PaymentStop
	for i, name := range []string{"Created", "Approved by you", "Accepted by your bank", "Sent", "Arrived"} {
		s := pages.PaymentStop{Name: name, Reached: i < reached, Last: i == reached-1, Stopped: i == stopped-1}
		if s.Reached {
			s.At = at("14:02:11")
		}
		list = append(list, s)
	}
	return list
}

func paymentWaiting() pages.PaymentStatus {
	return pages.PaymentStatus{ID: "p1", Bank: "Banca dell’Arno", Headline: "Waiting for your approval", Code: "PDNG",
		Small: "No money moves before you approve it.",
		Next:  "Approve it at Banca dell’Arno. Without your approval it expires at the bank.",
		Stops: stops(1, 0), Source: "Created at 14:02:11.", Checked: at("12 seconds ago"), Approve: true, Check: true, Discard: "Remove from the list"}
}

func paymentGoing() pages.PaymentStatus {
	return pages.PaymentStatus{ID: "p1", Bank: "Banca dell’Arno", Tone: ui.Busy, Headline: "Being carried out", Code: "PDCR",
		Small: "Your bank accepted it and is processing it.", Next: "Next: your bank takes the money from your account.",
		Note:  "A cancellation was requested, and your bank has not decided yet. Only your bank can cancel a payment; Florin cannot.",
		Stops: stops(3, 0), Source: "Last news at 14:02:11: Florin checked with the banking service.", Checked: at("12 seconds ago"),
		Checking: "The last check did not work (ASPSP_ERROR). The next one is at 14:05.", Check: true}
}

func paymentSent() pages.PaymentStatus {
	return pages.PaymentStatus{ID: "p1", Bank: "Banca dell’Arno", Tone: ui.Good, Headline: "Sent from your account", Code: "ACSC",
		Small: "The payee may see it by the next working day. This is no proof that it arrived.", Over: true,
		Next: "Your bank reports no more than this.", Stops: unreported(stops(4, 0)), Source: "Last news at 14:02:11: the banking service reported it (webhook)."}
}

// unreported are the stops of a finished payment: the bank will report none of the others.
func unreported(list []pages.PaymentStop) []pages.PaymentStop {
	for i := range list {
		list[i].Unreported = !list[i].Reached
	}
	return list
}

func paymentRejected() pages.PaymentStatus {
	return pages.PaymentStatus{ID: "p1", Bank: "Banca dell’Arno", Tone: ui.Bad, Headline: "Rejected by your bank", Code: "RJCT",
		Small: "The bank did not carry out the payment.", Next: "Add money or pay from another account, then make a new payment.", Over: true,
		Reason: &pages.PaymentReason{Code: "AM04", Text: "There is not enough money on the account."}, Stops: stops(2, 3),
		Source: "Last news at 14:02:11: the banking service reported it (webhook).", Checked: at("12 seconds ago"),
		Retry: paths.PayRetry("p1"), Discard: "Remove from the list"}
}

func payment(status pages.PaymentStatus) pages.PaymentView {
	v := pages.PaymentView{
		Frame: paying(), ID: "p1", Simulated: true, Bank: arno, Payee: "ACME GmbH", Amount: *amount(1230, "EUR"), Status: status, Receipt: true, Save: true,
		Again: paths.PayRetry("p1"),
		Facts: []ui.Fact{{Name: "From", Value: "Everyday, IT60 X054 2811 1010 0000 0123 456"}, {Name: "Bank", Value: "Banca dell’Arno"},
			{Name: "To account", Value: "DE89 3704 0044 0532 0130 00"}, {Name: "How", Value: "Standard", Code: "SEPA"},
			{Name: "When", Value: "As soon as you have approved"}, {Name: "Text", Value: "Invoice 4711"},
			{Name: "End-to-end ID", Value: "FLDBKEEGJH2WL4OSFTONDTZ7FOB5"}, {Name: "Payment ID", Value: "a7c19ff1-66a9-49c3-9055-0e6bd796d013"}},
		Events: []pages.PaymentEvent{{At: at("14:02:09"), Text: "Draft created"}, {At: at("14:02:11"), Text: "Confirmed by you"},
			{At: at("14:02:11"), Text: "Created at the banking service", Code: "PDNG"}},
	}
	if status.Over {
		v.Status.Bookings, v.Status.BookingsNote = []pages.BookingRow{{Href: paths.Transaction("a1", "7"), Title: "ACME GmbH", Detail: "4 October",
			Amount: *amount(-1230, "EUR")}}, "This is what your bank booked for it."
	} else {
		v.Frame.Live = "/live"
	}
	return v
}

func paymentUnknown() pages.PaymentView {
	v := payment(pages.PaymentStatus{ID: "p1", Bank: "Banca dell’Arno", Tone: ui.Warning, Headline: "Not known whether it was created",
		Small: "The banking service gave no clear answer, so it may or may not have the payment. Florin never sends a payment twice. You were not sent to Banca dell’Arno to approve it, and without your approval no money moves.",
		Next:  "Wait for news, or look at your account at Banca dell’Arno. If nothing shows there, make a new payment.", Check: true,
		Discard: "Remove from the list", Reason: &pages.PaymentReason{Text: "The banking service did not answer"}})
	v.Status.Maybe = []pages.BookingRow{{Href: paths.Transaction("a1", "7"), Title: "ACME GmbH", Detail: "4 October", Amount: *amount(-1230, "EUR")}}
	v.Retries = []ui.Link{{Text: "payment of 3 October 2026 at 14:05 (Waiting for your approval)", Href: paths.Payment("p2")}}
	v.RetryOf = &ui.Link{Text: "the payment of 2 October", Href: paths.Payment("p0")}
	v.Receipt = false
	return v
}

func paymentOdd() pages.PaymentView {
	v := payment(pages.PaymentStatus{ID: "p1", Bank: longName, Grey: true, Headline: "You cancelled this payment", Code: "CNCL", Small: "No money was sent.",
		Over: true, Hidden: true, Stops: stops(1, 2), Source: "Last news at 14:02:11: you came back from the bank.",
		Reason: &pages.PaymentReason{Code: "XX99", Text: oddText, Said: true, Do: "Ask your bank if it is not clear why."}, Retry: paths.PayRetry("p1"),
		Changes: []pages.PaymentChange{{Name: "Day", Asked: "As soon as possible", Now: "5 October 2026"}, {Name: "Text", Asked: longWord, Now: rtlName}}})
	v.Payee, v.Amount = longName+" "+rtlName, *amount(99999999999999, "EUR")
	return v
}

func paymentStanding() pages.PaymentView {
	status := paymentSent()
	v := payment(status)
	v.Payee, v.Amount, v.Status.Bookings = "Studio Bellini S.r.l.", *amount(84000, "EUR"), nil
	v.Status.Executions = []pages.ExecutionRow{
		{Day: ui.Time{ISO: "2027-01-02", Text: "2 January 2027"}, Note: "That is a Saturday: your bank may pay it on a working day before or after.",
			Status: ui.Badge{Text: "Next"}},
		{Day: at("1 December"), Status: ui.Badge{Tone: ui.Busy, Text: "No booking yet"}},
		{Day: at("2 November"), Note: "Moved from Sunday, 1 November 2026. Booked on 3 November.", Status: ui.Badge{Tone: ui.Good, Text: "Booked"},
			Href: paths.Transaction("a1", "7")},
		{Day: at("1 October"), Status: ui.Badge{Tone: ui.Warning, Text: "No booking found"}},
		{Day: at("1 September"), Status: ui.Badge{Tone: ui.Good, Text: "Booked"}, Href: paths.Transaction("a1", "5")},
	}
	v.Status.Earlier, v.Status.Stoppable = 7, true
	v.Facts[4] = ui.Fact{Name: "When",
		Value: "Every month, from Thursday, 1 January 2026 until you stop it at your bank. If the bank is closed on that day, it pays on the next working day."}
	return v
}

func paymentStopped() pages.PaymentView {
	v := paymentStanding()
	v.Status.Executions, v.Status.Earlier, v.Status.Stoppable = v.Status.Executions[2:], 0, false
	v.Status.Stopped = "You noted on 20 November that you stopped it at your bank."
	return v
}

func paymentBulkTotal() pages.PaymentView {
	v := payment(paymentSent())
	v.Payee, v.Amount, v.Of = "3 payments", *amount(200000, "EUR"), "of 2,050.00 EUR"
	v.Status.Tone, v.Status.Headline, v.Status.Note = ui.Warning, "2 of 3 sent", "1 of 3 was not carried out. See the list."
	v.Status.Bookings = []pages.BookingRow{{Href: paths.Transaction("a1", "8"), Title: "One total", Detail: "4 October", Amount: *amount(-205000, "EUR")}}
	v.Status.BookingsNote = "Your bank booked all payments as one total."
	row := func(payee, account string, minor int64) pages.TransferRow {
		return pages.TransferRow{Payee: payee, Account: account, Amount: *amount(minor, "EUR"), Status: ui.Badge{Tone: ui.Good, Text: "Sent from your account"},
			Code: "ACSC", Booked: "Booked in the total on 4 October"}
	}
	v.Status.Transfers = []pages.TransferRow{row("ACME GmbH", "DE89 3704 0044 0532 0130 00", 100000), row(longName, "FI21 1234 5600 0007 85", 100000),
		row(rtlName, "GB29 NWBK 6016 1331 9268 19", 5000)}
	v.Status.Transfers[2].Booking, v.Status.Transfers[2].Booked = paths.Transaction("a1", "9"), "Booked on 5 October"
	return v
}

// dashboardPayments is the first page with what payments have to tell: what ended, what comes, and what is open.
func dashboardPayments() pages.DashboardView {
	v, card := dashboard(), accountsCard()
	v.Frame, v.CanPay, card.Banks = paying(), true, card.Banks[:1]
	row := func(payee, detail string, minor int64, tone ui.Tone, headline, reason string) pages.PaymentRow {
		return pages.PaymentRow{Href: paths.Payment("p1"), Payee: payee, Detail: detail, Amount: *amount(minor, "EUR"),
			Status: ui.Badge{Tone: tone, Text: headline}, Reason: reason}
	}
	v.Open = pages.OpenPayments{EndedIDs: []string{"p1", "p2"},
		Ended: []pages.PaymentRow{row("ACME GmbH", "14:02, from Everyday", 1230, ui.Bad, "Rejected by your bank", "There is not enough money on the account."),
			row(longName, "yesterday 20:11, from "+rtlName, 84000, ui.Good, "Arrived", "")},
		Rows: []pages.PaymentRow{row("De Winkel", "14:05, from Everyday", 800, ui.Busy, "Being carried out", "")}}
	coming := pages.ComingCard{Rows: []pages.ComingRow{{Href: paths.Payment("p3"), Title: "Tomorrow: 840.00 EUR to Studio Bellini S.r.l., standing order",
		Note: "Moved from Saturday, 3 October 2026 because of the weekend."},
		{Href: paths.Payment("p4"), Title: "Tomorrow: 50.00 EUR to " + longName,
			Note: "That is a Saturday: Banca dell’Arno may pay it on a working day before or after.",
			Wait: ui.Badge{Tone: ui.Warning, Text: "Waiting for your approval"}}}}
	v.Cards = []pages.DashboardCard{{Coming: &coming}, {Accounts: &card}}
	v.Open.Drafts = "2 drafts"
	identify(v.Open.Ended, "ended")
	identify(v.Open.Rows, "open")
	return v
}

// identify gives each row an id; rows that wait for the person link to the approval.
func identify(rows []pages.PaymentRow, name string) {
	for i := range rows {
		rows[i].ID = fmt.Sprintf("%s-%d", name, i)
		if rows[i].Status.Text == "Waiting for your approval" {
			rows[i].Approve = paths.PaymentLeave("p1")
		}
	}
}

func transactionExecution() pages.TransactionView {
	v := transaction()
	v.Payment, v.PaymentIs, v.PaymentDay = &ui.Link{Text: "Studio Bellini S.r.l.", Href: paths.Payment("p3")},
		"This is the payment of %s from your standing order to %s.", "2 November"
	v.PaymentNote, v.Receipt = "You confirmed it on 20 December 2025.", paths.PaymentReceipt("p3")
	return v
}

func transactionTotal() pages.TransactionView {
	v := transaction()
	v.InTotal = []ui.Link{{Text: "Rote Katze GmbH", Href: paths.Payment("p1")}, {Text: "Studio Bellini S.r.l.", Href: paths.Payment("p2")},
		{Text: "Verein der Freunde und Förderer der Donaudampfschifffahrt e. V.", Href: paths.Payment("p3")}}
	return v
}

func payments() pages.PaymentsView {
	row := func(payee, detail string, minor int64, tone ui.Tone, headline string) pages.PaymentRow {
		return pages.PaymentRow{Href: paths.Payment("p1"), Payee: payee, Detail: detail, Amount: *amount(minor, "EUR"), Status: ui.Badge{Tone: tone, Text: headline}}
	}
	v := pages.PaymentsView{
		Frame: paying(), Simulated: true, CanPay: true, Accounts: []ui.Option{{Text: "All accounts", Selected: true}, {Value: "a1", Text: "Everyday"}},
		Filters: []pages.Filter{{Text: "All", Href: paths.Payments, Current: true}, {Text: "Open", Href: paths.Payments + "?view=open"},
			{Text: "Drafts (2)", Href: paths.Payments + "?view=drafts"}, {Text: "With discarded ones", Href: paths.Payments + "?view=all"}},
		List: pages.PaymentList{Rows: []pages.PaymentRow{row("ACME GmbH", "14:02, from Everyday", 1230, ui.Busy, "Being carried out"),
			row(longName, "yesterday 20:11, from "+rtlName+", standing order", 123456789, ui.Warning, "Waiting for your approval"),
			row(oddText, "12 September", 500, ui.Bad, "Rejected by your bank"), row("Studio Bellini S.r.l.", "1 September, from Everyday", 84000, ui.Good, "Arrived")}},
		Pager: ui.Pager{Older: paths.Payments + "?before=p1"},
	}
	part := row("4 payments", "1 September, from Everyday", 124456, ui.Warning, "2 of 4 sent")
	part.Of, part.Simulated = "of 1,275.06 EUR", true
	v.List.Rows = append(v.List.Rows, part)
	identify(v.List.Rows, "list")
	return v
}

func receipt() pages.ReceiptView {
	v := payment(paymentSent())
	return pages.ReceiptView{Frame: paying(), ID: "p1", Simulated: true, Bank: arno, Amount: v.Amount, Payee: v.Payee, Status: v.Status.Headline,
		Code: v.Status.Code, Printed: at("3 October 2026 at 14:02 CEST"), Facts: v.Facts,
		Times: []ui.Fact{{Name: "Created", Value: "3 October 2026 at 14:02 CEST"}, {Name: "Sent", Value: "3 October 2026 at 14:03 CEST"}},
		Proof: "This receipt shows what was ordered and its status at the time shown. It is no proof that the money arrived. The bank is simulated: no money moves."}
}
