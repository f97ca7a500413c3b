package main

import (
	"florin/internal/money"
	"florin/web/templates/pages"
	"florin/web/templates/ui"
)

func ruleScreens() []screen {
	return []screen{
		{"rules", pages.Rules(rules())},
		{"rules-none", pages.Rules(pages.RulesView{Frame: frame()})},
		{"rule-new", pages.Rule(ruleNew())},
		{"rule-problems", pages.Rule(ruleProblems())},
		{"name", pages.Name(named())},
		{"names", pages.Names(pages.NamesView{Frame: frame(), Rows: []pages.NameRow{{Key: "corner", Was: "Corner", Name: "Kiosk"}, {Key: "x", Was: longWord + longWord, Name: rtlName}}})},
		{"names-none", pages.Names(pages.NamesView{Frame: frame()})},
	}
}

// ruleCardOf leads from a transaction to rules.
func ruleCardOf(rules ...string) pages.RuleCard {
	card := pages.RuleCard{Make: "/rules/new", Account: "a1", ID: "7"}
	for _, r := range rules {
		card.Rules = append(card.Rules, ui.Option{Value: r, Text: r})
	}
	return card
}

func rules() pages.RulesView {
	return pages.RulesView{Frame: frame(), Rows: []pages.RuleRow{
		{ID: "1", Conditions: "Name: Corner / Kiosk · Money out · Amount: up to 20", Actions: "Restaurants and cafés · Shown as Corner shop · #lunch", First: true},
		{ID: "2", Conditions: "Every transaction", Actions: "Marked as reviewed", Note: "Fits every transaction"},
		{ID: "4", Conditions: "Name: Lidl", Actions: "Shared with bo@example.org", Note: "This rule shares nothing any more, since somebody has left: bo@example.org (no longer here). Open it to choose again."},
		{ID: "3", Conditions: "Name: " + longWord + longWord, Actions: rtlName + oddText, Note: "Switched off", Off: true, Last: true},
	}}
}

func ruleForm() pages.RuleForm {
	text := func(name, label, value string) ui.Input {
		return ui.Input{Name: name, Label: label, Type: "text", Value: value, Autocomplete: "off"}
	}
	f := pages.RuleForm{
		Payees: text("payees", "Name of the payee or payer", "Corner"), Texts: text("texts", "Words in the text", ""),
		Numbers: text("numbers", "Account number of the payee or payer", ""), Codes: text("codes", "Merchant category code", ""),
		Low: text("low", "Amount from", ""), High: text("high", "Amount up to", "20"), From: text("from", "First day", ""), To: text("to", "Last day", ""),
		Flow:       []ui.Option{{Text: "Money in and out"}, {Value: "out", Text: "Money out", Selected: true}, {Value: "in", Text: "Money in"}},
		Accounts:   []ui.Option{{Text: "All accounts", Selected: true}, {Value: "a1", Text: "Everyday 4417"}},
		Categories: categoryGroups("Restaurants and cafés"),
		Name:       text("name", "Name to show", "Corner shop"), Tags: text("tags", "Tags", "lunch"), Note: text("note", "Your note", ""), Reviewed: true, More: true, MoreDone: true,
	}
	f.From.Type, f.To.Type = "date", "date"
	f.Payees.Hint = "One per line. The rule fits when one of them is in the name; the beginnings of words are enough."
	f.Texts.Hint = "One per line, in the same way."
	f.Numbers.Hint = "IBAN or another number, one per line."
	f.Codes.Hint = "Four digits, as the page of a card payment shows them. Write a comma between two."
	f.Name.Hint = "Shown instead of the name that the bank gives. Payments still use the bank’s."
	f.Tags.Hint, f.Note.Hint = "Write a comma between two tags.", "Added to transactions that have no note."
	return f
}

func ruleNew() pages.RuleView {
	form := ruleForm()
	form.High.Value, form.More, form.MoreDone, form.MoreShared = "", false, false, true
	form.Share = []ui.Input{{Name: "share-1", Label: "Your shares", Type: "text", Mode: "numeric", Value: "1", Autocomplete: "off"},
		{Name: "share-2", Label: "Shares of bo@example.org", Type: "text", Mode: "numeric", Value: "2", Autocomplete: "off"},
		{Name: "share-3", Label: "Shares of " + longWord + "@example.org", Type: "text", Mode: "numeric", Autocomplete: "off"}}
	form.ShareFrom = ui.Input{Name: "share-from", Label: "Share transactions from this day on", Type: "date", Value: "2026-11-01", Autocomplete: "off",
		Hint: "With an earlier day, transactions that are there already are shared, too. “Show what it does” counts them before."}
	return pages.RuleView{Frame: frame(), Action: "/rules", Form: form, Seen: "0123", Preview: &pages.RulePreview{
		Warnings: []string{"This rule fits every transaction. Add a condition unless you want that."},
		Lines: []string{"It fits 132 of your transactions.", "120 of them get another category.", "4 of them keep the category that you chose yourself.",
			"12 of them become shared expenses, 345.00 EUR in all. Everybody with a share sees them at once."},
		Days: []pages.Day{{Date: ui.Time{ISO: "2026-10-03", Text: "Saturday 3 October 2026"}, Rows: []pages.TransactionRow{
			{Href: "/x", Name: "Corner shop", Text: "Lunch", Account: "No category → Restaurants and cafés", Amount: ui.Money{Amount: money.FromMinor(-1250, "EUR"), Flow: true}},
			{Href: "/y", Name: longWord, Account: "Groceries", Amount: ui.Money{Amount: money.FromMinor(-1250, "EUR"), Flow: true}}}}}}}
}

func ruleProblems() pages.RuleView {
	v := pages.RuleView{Frame: frame(), ID: "3", Action: "/rules/3", Form: ruleForm(),
		Notice: &ui.Notice{Tone: ui.Warning, Title: "This cannot be saved", Text: "Choose one of your accounts."}}
	v.Form.Payees.Value, v.Form.Payees.Problem = longWord+longWord, "A value may have 100 characters at most."
	v.Form.High.Problem = "This is less than the least amount."
	return v
}

func named() pages.NameView {
	return pages.NameView{Frame: frame(), Back: ui.Link{Text: "Kiosk", Href: "/accounts/a1/transactions/7"}, Action: "/accounts/a1/transactions/7/name", Title: "Kiosk",
		Bank: "SUMUP  *CORNER 0815 BONN DE", Count: "12 transactions have this name.",
		Name: ui.Input{Name: "name", Label: "Name to show", Type: "text", Value: "***", Problem: "Enter a name with letters or digits.", Required: true, Autocomplete: "off",
			Hint: "All transactions with this name get the new one, future ones too. If you type the name of another payee, the two become one."},
		Given: []pages.NameRow{{Key: "corner", Was: "Corner", Name: "Kiosk"}}}
}
