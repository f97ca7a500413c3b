package main

import (
	"florin/internal/money"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// manualScreens are the pages of accounts that no bank brings.
func manualScreens() []screen {
	return []screen{
		{"account-written", pages.Account(writtenAccount())},
		{"account-value", pages.Account(valueAccount())},
		{"account-new", pages.AccountForm(accountForm())},
		{"account-new-problems", pages.AccountForm(accountFormProblems())},
		{"account-delete", pages.DeleteData(deleteAccount())},
		{"connection-delete", pages.DeleteData(deleteConnection())},
		{"row-new", pages.RowForm(rowForm())},
		{"row-problems", pages.RowForm(rowFormProblems())},
	}
}

func deleteAccount() pages.DeleteDataView {
	return pages.DeleteDataView{Frame: frame(), Name: "Wallet", Accounts: []string{"Wallet, Cash account, EUR"}, Counts: []string{"214 transactions", "12 notes", "3 attachments"},
		Instead: "To keep its history, close the account instead: it then no longer counts in your totals.", Export: paths.ExportList("a7", ""),
		Action: paths.AccountDelete("a7"), Back: ui.Link{Text: "Wallet", Href: paths.Account("a7")}, Typed: typeName("Wallet")}
}

func deleteConnection() pages.DeleteDataView {
	v := deleteAccount()
	v.Frame, v.Name, v.Accounts = simulated(), "Banca dell’Arno (Ada Weber, …4711, …0815)", []string{"Everyday, Conto Arancio, Current account, …4711, EUR", rtlName}
	v.GoOn, v.Consent, v.Instead = []string{"Rainy days"}, "The consent ends at once, at the bank too.", "To keep the history, stop the syncing instead."
	v.Action, v.Back, v.Typed = paths.ConnectionDelete("c1"), ui.Link{Text: arno.Name, Href: paths.Connection("c1")}, typeName(arno.Name)
	v.Typed.Value, v.Typed.Problem = "Arno", "The name does not match. Nothing is deleted yet. Type “Banca dell’Arno”."
	return v
}

func typeName(name string) ui.Input {
	return ui.Input{Name: "name", Label: "To confirm, type “" + name + "”", Type: "text", Required: true, Autocomplete: "off"}
}

func dayInput() ui.Input {
	return ui.Input{Name: "day", Label: "Day", Type: "date", Value: "2026-10-03", Required: true, Autocomplete: "off", Max: "2026-10-03"}
}

func writtenAccount() pages.AccountView {
	v := account()
	opening := dayInput()
	opening.Hint = "Transactions from this day on count. What was on the account before the first of them is the opening balance."
	v.Frame, v.Bank, v.Name, v.ID = frame(), pages.Bank{}, "Wallet", "a7"
	v.Subtitle, v.HeroName, v.AsOf, v.Hero = "Cash account", "Opening balance and all transactions since", ui.Time{}, amount(8315, "EUR")
	v.Pay, v.Balances, v.List.Pending, v.List.PendingTotal = "", nil, nil, nil
	v.Facts = []ui.Fact{{Name: "Kind of account", Value: "Cash account", Code: "CASH"}, {Name: "Currency", Value: "EUR"}, {Name: "Transactions", Value: "214"}}
	v.Kept = &pages.KeptAccount{AddRow: paths.NewTransaction("a7"), Edit: paths.AccountEdit("a7"), Delete: paths.AccountDelete("a7"), Close: paths.AccountClose("a7"),
		Value: pages.ValueForm{Action: paths.AccountValue("a7"), Title: "Opening balance", Button: "Save the opening balance", Day: opening,
			Amount: ui.Input{Name: "amount", Label: "Amount in EUR", Type: "text", Value: "100.00", Required: true, Autocomplete: "off", MaxLength: 40}}}
	return v
}

func valueAccount() pages.AccountView {
	v := writtenAccount()
	v.Name, v.Subtitle, v.HeroName, v.AsOf, v.Hero = longName, "Account", "Your last value", at("1 October"), amount(31_200_000, "EUR")
	v.Bank = pages.Bank{Name: rtlName}
	v.List = pages.List{}
	v.Notice = &ui.Notice{Title: "Closed on 3 October", Text: "This account does not count in your totals. Its history stays."}
	v.Kept.Valued, v.Kept.AddRow, v.Kept.Closed = true, "", true
	v.Kept.Value.Title, v.Kept.Value.Button = "Add a value", "Save the value"
	v.Kept.Value.Day.Hint, v.Kept.Value.Amount.Value = "A value of the same day is replaced.", "12.345"
	v.Kept.Value.Amount.Problem = "It is not clear whether the separator marks thousands or decimals. Write 12345 or 12.34."
	for _, day := range []string{"2026-10-01", "2026-01-01", "2025-01-01"} {
		v.Kept.Values = append(v.Kept.Values, pages.KeptValue{Day: ui.Time{ISO: day, Text: day}, Amount: pages.Figure(money.FromMinor(31_200_000, "EUR")),
			Remove: day})
	}
	return v
}

func accountForm() pages.AccountFormView {
	day := dayInput()
	day.Label, day.Hint = "On this day", "With transactions: what was on it before the first transaction of this day."
	text := func(name, label, hint string) ui.Input {
		return ui.Input{Name: name, Label: label, Type: "text", Autocomplete: "off", Hint: hint}
	}
	v := pages.AccountFormView{Frame: frame(), New: true, Title: "Add an account without a bank", Action: paths.NewAccount, Button: "Add the account",
		Lead: "For what Florin gets from no bank: cash, an account whose statements you import, a house, securities.",
		Back: ui.Link{Text: "Accounts", Href: paths.Accounts}, Day: day,
		Sources: []ui.Option{{Value: "manual", Text: "With transactions that I enter or import", Selected: true},
			{Value: "value", Text: "Only with its value: a house, securities, cash"}},
		Types: []ui.Option{{Value: "CACC", Text: "Current account"}, {Value: "SVGS", Text: "Savings account"}, {Value: "OTHR", Text: "Something else"}},
		Name:  text("name", "Name", ""), Currency: text("currency", "Currency", "A code of three letters, such as EUR. It cannot be changed later."),
		Institution: text("institution", "Bank or place", "The name of a bank, for example. You can leave it empty."),
		Number:      text("number", "IBAN or account number", "You can leave it empty. Florin uses it to recognise transfers between your own accounts."),
		Amount:      text("amount", "Balance or value", ""),
	}
	v.Currency.Value, v.Amount.Value = "EUR", "0"
	return v
}

func accountFormProblems() pages.AccountFormView {
	v := accountForm()
	v.Name.Problem, v.Currency.Problem = "Enter a name.", "The currency must be a code of three letters, such as EUR."
	v.Day.Problem, v.Institution.Value = "This day is in the future. Enter today or a day before.", oddText
	v.Number.Value, v.Number.Problem = longWord, "An account number has 40 characters at most."
	return v
}

func rowForm() pages.RowFormView {
	return pages.RowFormView{Frame: frame(), Title: "Add a transaction", Action: paths.NewTransaction("a7"), Back: ui.Link{Text: "Wallet", Href: paths.Account("a7")},
		Directions: []ui.Option{{Value: "out", Text: "Money out", Selected: true}, {Value: "in", Text: "Money in"}}, Day: dayInput(),
		Amount: ui.Input{Name: "amount", Label: "Amount in EUR", Type: "text", Required: true, Autocomplete: "off", Mode: "decimal"},
		Payee:  ui.Input{Name: "payee", Label: "With whom", Type: "text", Autocomplete: "off", Hint: "A shop or a person."},
		Text:   ui.Input{Name: "text", Label: "Text", Type: "text", Autocomplete: "off"}}
}

func rowFormProblems() pages.RowFormView {
	v := rowForm()
	v.Title, v.Action, v.Delete = "Change the transaction", paths.TransactionEdit("a7", "t1"), paths.TransactionDelete("a7", "t1")
	v.Back = ui.Link{Text: "Transaction", Href: paths.Transaction("a7", "t1")}
	v.Amount.Problem, v.Payee.Problem = "The amount must be more than zero.", "Enter who it was with, or a text."
	v.Text.Value = oddText
	return v
}
