package main

import (
	"strings"

	"florin/web/templates/layout"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// moneyScreens are the pages of payees, of many payments at once, and of the webhooks that came.
func moneyScreens() []screen {
	payer := pages.PayAccount{Name: "Business account", Detail: "Current account, ending in 5570", Bank: arno, Balance: amount(1_000_000, "EUR"),
		Available: true, AsOf: at("14:02")}
	unable := payer
	unable.Obstacle = "Your bank does not take bulk payments from personal accounts."
	able := payer
	able.Href = paths.PayBulk + "?account=a1"
	total := *amount(13049, "EUR")
	lines := []pages.BulkLine{
		{Line: "Line 2", Payee: "Zimmerei Holz", Account: "DE89 3704 0044 0532 0130 00", Amount: amount(10000, "EUR"), Text: "Roof"},
		{Line: "Line 3", Payee: oddText, Account: longWord, Text: longWord,
			Problems: []string{"An IBAN that begins with FR (France) has 27 characters; this one has 26.", "The amount must be more than zero."}},
		{Line: "Line 4", Problems: []string{"The payee’s name is missing. Enter it as it is on the invoice."}},
	}
	hidden := []pages.Hidden{{Name: "form", Value: "K"}}
	rows := []pages.PayeeRow{
		{ID: "1", Name: "Chaussures Martin", Account: "FR14 2004 1010 0505 0001 3M02 606", Note: "Paid 4 times, last on 3 October", Favourite: true},
		{ID: "2", Name: longName, Account: "DE89 3704 0044 0532 0130 00", Note: "Not paid yet"},
		{ID: "3", Name: rtlName, Account: longWord, Note: "Paid once, yesterday at 14:02"},
	}
	field := func(name, label, value, problem string) ui.Input {
		return ui.Input{Name: name, Label: label, Type: "text", Value: value, Problem: problem, Hint: "You can paste it from the invoice; spaces do not matter."}
	}
	checks := []ui.Step{{Tone: ui.Good, Text: "It is a POST with plain JSON"},
		{Tone: ui.Good, Text: "The certificate or key is at an address of the banking service", Note: "https://localhost:8443/webhook-keys/" + longWord + ".pem"},
		{Tone: ui.Bad, Text: "The signature was made with it", Note: "the signature does not fit"}}
	return []screen{
		{"export", pages.Export(exportView(frame(), nil))},
		{"export-problem", pages.Export(exportView(frame(), &ui.Notice{Tone: ui.Bad, Title: "Florin cannot write the format " + longWord,
			Text: "Choose one of the formats below."}))},
		{"export-nothing", pages.Export(pages.ExportView{Frame: frame(), Nothing: true})},
		{"payees", pages.Payees(pages.PayeesView{Frame: frame(), Rows: rows, Any: true, CanPay: true})},
		{"payees-empty", pages.Payees(pages.PayeesView{Frame: frame()})},
		{"payees-none", pages.Payees(pages.PayeesView{Frame: frame(), Any: true, Query: oddText})},
		{"payee-new", pages.Payee(pages.PayeeView{Frame: frame(), Title: "New payee", Name: field("name", "Name", "", ""),
			Account: field("iban", "IBAN", "", ""), BIC: field("bic", "BIC", "", "")})},
		{"payee-odd", pages.Payee(pages.PayeeView{Frame: frame(), ID: "1", Title: oddText, Name: field("name", "Name", oddText, "Enter the payee’s name."),
			Account: field("iban", "IBAN", longWord, "An IBAN that begins with DE (Germany) has 22 characters; this one has 21."),
			BIC:     field("bic", "BIC", "PSST", "A BIC has 8 or 11 characters; this one has 4."), Favourite: true, Doubt: true, Sure: true,
			Proof: wrongProof("This stops anybody who finds this page open from changing where your money goes."), History: "Paid 4 times, last on 3 October", Names: []string{rtlName, longName}, CanPay: true,
			Problem: &ui.Notice{Tone: ui.Warning, Title: "Be careful",
				Text: "You are changing the account of " + longName +
					". A new account number on an invoice is the most common fraud: call the payee first, using a phone number you already knew."}})},
		{"bulk-start", pages.BulkStart(pages.BulkStartView{Frame: simulated(), Simulated: true, Accounts: []pages.PayAccount{able},
			Others: []pages.PayAccount{unable}})},
		{"bulk-start-none", pages.BulkStart(pages.BulkStartView{Frame: frame(), Others: []pages.PayAccount{unable}})},
		{"bulk", pages.Bulk(pages.BulkView{Frame: simulated(), Simulated: true, Account: payer, Hidden: hidden,
			Limits: "At most 1,024 KiB. Your bank takes at most 100 payments at once."})},
		{"bulk-wrong", pages.Bulk(pages.BulkView{Frame: simulated(), Simulated: true, Account: payer, Hidden: hidden,
			Limits: "At most 1,024 KiB. Your bank takes at most 100 payments at once.", Text: longWord + "\n" + oddText, Wrong: lines[1:], Good: lines[:1],
			Count: "3 payments", Totals: []ui.Money{total, total},
			Notice: &ui.Notice{Tone: ui.Bad, Title: "These payments cannot be made yet",
				Text: "2 of 3 payments need to be corrected. Change the text below, or choose a corrected file. Nothing was sent."}})},
		{"bulk-doubts", pages.Bulk(pages.BulkView{Frame: simulated(), Simulated: true, Account: payer, Hidden: hidden,
			Limits: "At most 1,024 KiB. Your bank takes at most 100 payments at once.", Text: longWord, Good: lines[:1], Count: "3 payments", Totals: []ui.Money{total},
			Notice: &ui.Notice{Tone: ui.Warning, Title: "Check this before you continue", Text: "Tick what is right, or correct the text below. Nothing was sent.",
				Action: ui.Link{Text: "Show", Href: "#doubts"}},
			Notes: []string{"The file has 2 groups of payments (PmtInf). You approve them together, as one bulk.",
				"Florin does not know the column “" + longWord + "” and leaves it out."},
			Doubts: []pages.BulkDoubt{
				{Key: "alphabet", Title: "Do the letters look right?",
					Text: "The file does not say how its letters are encoded. Florin read it as Western European (windows-1252). If letters are wrong, save the file again as “CSV UTF-8” and choose that file.", Lines: lines[:1], More: "And 12 more payments; see the list below.", Box: "Yes, every letter is right", Ticked: true},
				{Key: "k1", Title: "100.00 EUR to " + longName + ", 2 times", Text: "Lines 2 and 4 are the same: name, account, amount and text.",
					Lines: []pages.BulkLine{lines[0], lines[0]}, Box: "Yes, pay 2 times"}}})},
		{"bulk-file", pages.Bulk(pages.BulkView{Frame: simulated(), Simulated: true, Account: payer, Hidden: hidden,
			Limits: "At most 1,024 KiB. Your bank takes at most 100 payments at once.", Text: longWord,
			FileProblem: "This is a spreadsheet or an archive. In the spreadsheet choose “Save as” and “CSV UTF-8”, or unpack the archive. Then choose that file.",
			Notice:      &ui.Notice{Tone: ui.Bad, Title: "The file could not be used", Text: "Nothing was sent, and what you typed is still there."}})},
		{"bulk-unreadable", pages.Bulk(pages.BulkView{Frame: frame(), Account: payer, Hidden: hidden,
			Limits: "At most 1,024 KiB. Your bank takes at most 100 payments at once.", Text: oddText,
			FileWrong: "The first line must name the columns, and “iban” is missing. Florin reads the columns name, iban and amount, and if you like currency, text, reference, date and bic.",
			Again:     "A new payment with those of “3 payments” from 3 October that were not made.",
			Notice:    &ui.Notice{Tone: ui.Bad, Title: "Florin cannot read this as a list of payments", Text: "Nothing was sent, and what you typed is still there."}})},
		{"webhooks", pages.Webhooks(pages.WebhooksView{Frame: frame(),
			Places: []ui.Fact{{Name: "Simulated banks", Value: "http://127.0.0.1:8080/webhooks/embedded"}}, Pager: ui.Pager{Older: paths.Webhooks + "?before=1"},
			Rows: []pages.WebhookRow{
				{ID: "1", Received: at("14:02:11"), Title: "Status ACSC, approval FINALISED", Detail: "Simulated banks", Payee: longWord,
					State: ui.Badge{Tone: ui.Good, Text: "Processed"}, Repeats: "received 3 times"},
				{ID: "3", Received: at("14:02:10"), Title: "Status ACCP", Detail: "Simulated banks, payment of somebody else",
					State: ui.Badge{Tone: ui.Busy, Text: "Waiting"}},
				{ID: "2", Received: at("yesterday 14:01:07"), Title: "Refused: x5u is not at an address of the banking service", Detail: "Simulated banks",
					State: ui.Badge{Tone: ui.Bad, Text: "Refused"}}}})},
		{"webhooks-none", pages.Webhooks(pages.WebhooksView{Frame: frame(), Refused: true})},
		{"webhook", pages.Webhook(pages.WebhookView{Frame: frame(), ID: "1", Title: "Status ACSC, approval FINALISED",
			State: ui.Badge{Tone: ui.Good, Text: "Processed"}, Result: "The status changed from PDNG to ACSC. This status is final.",
			Payment: &ui.Link{Text: "Payment to " + longName, Href: paths.Payment("1")},
			Replays: []ui.Fact{{Name: "Replayed at 14:05", Value: "Nothing: the payment was already final with ACSC."},
				{Name: "Replay in progress", Value: "Florin is about to ask the banking service."}},
			Facts: []ui.Fact{{Name: "webhook_id", Value: longWord}}, Checks: checks[:2], Body: "{\n  \"payment_id\": \"1\"\n}", Replay: true})},
		{"webhook-refused", pages.Webhook(pages.WebhookView{Frame: frame(), ID: "2", Title: "Refused: the signature does not fit",
			State: ui.Badge{Tone: ui.Bad, Text: "Refused"}, Result: "Nothing. Florin ignores a webhook that fails a check.",
			Facts: []ui.Fact{{Name: "Florin answered", Value: "401", Note: "Unauthorized"}}, Checks: checks, Skipped: 10, Body: oddText + longWord,
			Cut: "This is the beginning, 8,192 of 70,000 bytes."})},
		{"webhook-another-key", pages.Webhook(pages.WebhookView{Frame: frame(), ID: "2", Title: "Refused: another key than the known one, which is still valid",
			State: ui.Badge{Tone: ui.Bad, Text: "Refused"}, Result: "Nothing. Florin ignores a webhook that fails a check.",
			Facts: []ui.Fact{{Name: "Florin answered", Value: "401", Note: "Unauthorized"}}, Checks: checks, Skipped: 5, Body: "{}",
			Trust: []ui.Fact{{Name: "SHA-256", Value: strings.Repeat("0f", 32)},
				{Name: "Valid until", Value: "No end", Note: "This is a public key without a certificate."}}})},
	}
}

func exportView(f layout.Frame, problem *ui.Notice) pages.ExportView {
	return pages.ExportView{Frame: f, Problem: problem, Query: ui.Input{Name: "q", Label: "Search", Type: "search", Value: oddText, Autocomplete: "off",
		Hint: "The file then contains only what the search finds. Leave this empty for everything."},
		Accounts: []ui.Option{{Text: "All accounts"}, {Value: "1", Text: longName, Selected: true}},
		Formats: []pages.ExportFormat{{Value: "csv", Name: "CSV", Note: "A table for Excel, LibreOffice or Numbers", Checked: true},
			{Value: "ofx", Name: "OFX", Note: "For GnuCash, KMyMoney, Quicken and many others"},
			{Value: "qif", Name: "QIF", Note: "An old format without currencies, for programs that read no other"},
			{Value: "camt053", Name: "CAMT.053", Note: "A bank statement as XML, for bookkeeping software and tax advisers"}},
		Separators: []ui.Option{{Value: "comma", Text: "Comma"}, {Value: "semicolon", Text: "Semicolon"}},
		Decimals:   []ui.Option{{Value: "point", Text: "Point: 12.50"}, {Value: "comma", Text: "Comma: 12,50"}},
		Encodings:  []ui.Option{{Value: "utf-8", Text: "UTF-8"}, {Value: "utf-8-bom", Text: "UTF-8 for Excel"}}}
}
