package main

import (
	"florin/internal/money"
	"florin/web/templates/pages"
	"florin/web/templates/ui"
)

// importScreens are the pages of the import.
func importScreens() []screen {
	return []screen{
		{"import", pages.Import(importStart())},
		{"import-problem", pages.Import(pages.ImportView{Frame: frame(), Problem: "The file is empty.", Limits: importStart().Limits, Accounts: importStart().Accounts})},
		{"import-preview", pages.ImportPreview(importPreview())},
		{"import-several", pages.ImportPreview(importSeveral())},
		{"import-undo", pages.ImportUndo(pages.ImportUndoView{Frame: frame(), File: "march.csv", Action: "/import/i1/undo", Goes: "214 transactions are removed.",
			Edited: "You have changed 3 of them. What you did to them goes too: categories, notes, tags, parts, attached files and transfers.", Accounts: "The accounts that were made for the file go, too: Wallet.",
			Stays: "2 transactions stay: your bank has sent them since then, or you have deleted them."})},
		{"import-undone", pages.ImportUndo(pages.ImportUndoView{Frame: frame(), File: longWord, Undone: true})},
	}
}

func importStart() pages.ImportView {
	return pages.ImportView{Frame: frame(), Limits: "CSV, CAMT.053, OFX or QFX, QIF, MT940, or a file that Florin exported. Up to 20 MiB.", Draft: "/import/preview",
		Accounts: []ui.Option{{Text: "The account that the file names, or a new one", Selected: true}, {Value: "a1", Text: longName}, {Value: "new", Text: "A new account without a bank"}},
		Past: []pages.ImportRow{{File: "march.csv", Note: "214 transactions, on 3 October", Account: "Wallet", Undo: "/import/i1/undo"},
			{File: longWord, Note: "2 transactions, on 1 October", Account: rtlName, State: "Undone"}}}
}

// importSeveral is a file of several accounts.
func importSeveral() pages.ImportPreviewView {
	v := importPreview()
	options := func(chosen string) []ui.Option {
		return []ui.Option{{Value: "a1", Text: "Everyday", Selected: chosen == "a1"}, {Value: "new", Text: "A new account without a bank", Selected: chosen == "new"},
			{Value: "none", Text: "Do not import", Selected: chosen == "none"}}
	}
	v.File, v.Format, v.Into = "florin-2026-11-22.json", "JSON", "Into 2 accounts"
	v.Accounts, v.Name, v.Currency, v.Columns, v.Days, v.Decimals, v.Encodings, v.Unclear = nil, ui.Input{}, ui.Input{}, nil, nil, nil, nil, false
	v.Parts = []pages.ImportPart{{Field: "account0", Name: "Everyday, DE02 1203 0000 0000 2020 51 EUR", Note: "12 new · 3 already there · 1 unsure", Options: options("a1")},
		{Field: "account1", Name: longWord + " EUR", Note: "48 new · 0 already there · 0 unsure", Options: options("new")}, {Field: "account2", Name: rtlName + " USD", Note: "2 transactions", Options: options("none")}}
	v.Categories = []string{"Kids: football", longName, rtlName}
	for i := range v.Fresh {
		v.Fresh[i].Account = rtlName
	}
	return v
}

func importPreview() pages.ImportPreviewView {
	row := func(name, text string, minor int64) pages.ImportedRow {
		return pages.ImportedRow{Line: "Line 12", Day: ui.Time{ISO: "2026-10-03", Text: "3 October"}, Name: name, Text: text, Amount: pages.Flow(money.FromMinor(minor, "EUR"))}
	}
	doubtful := row("Mercato Centrale", "card payment", -1240)
	doubtful.Value = "12"
	return pages.ImportPreviewView{Frame: frame(), File: "march.csv", Format: "CSV", Into: "Into a new account: Wallet",
		Accounts: []ui.Option{{Value: "a1", Text: "Everyday"}, {Value: "new", Text: "A new account without a bank", Selected: true}},
		Name:     ui.Input{Name: "name", Label: "Name of the new account", Type: "text", Value: "Wallet", Autocomplete: "off", MaxLength: 60},
		Currency: ui.Input{Name: "currency", Label: "Currency", Type: "text", Value: "EUR", Autocomplete: "off", MaxLength: 3},
		Columns: []pages.ImportColumn{{Field: "column0", Name: "Buchungstag", Sample: []string{"01.03.2026", "02.03.2026"},
			Options: []ui.Option{{Text: "Not used"}, {Value: "booking_date", Text: "Booking date", Selected: true}}},
			{Field: "column1", Name: longWord, Sample: []string{oddText, rtlName}, Options: []ui.Option{{Text: "Not used", Selected: true}, {Value: "text", Text: "Text"}}}},
		Days:     []ui.Option{{Value: "dmy", Text: "Day, month, year: 31.12.2026", Selected: true}, {Value: "mdy", Text: "Month, day, year: 12/31/2026"}},
		Decimals: []ui.Option{{Value: "comma", Text: "Comma: 12,50", Selected: true}}, Encodings: []ui.Option{{Value: "windows-1252", Text: "windows-1252", Selected: true}},
		Unclear: true, New: 60, Unsure: 1, Summary: []string{"60 new", "1,204 already there", "1 unsure", "2 cannot be read"}, Doubtful: []pages.ImportedRow{doubtful},
		Fresh:  []pages.ImportedRow{row("Blue Bottle Coffee", oddText, -641), row(rtlName, "", 210000), row(longName, longWord, -99999999)},
		Unread: []ui.Fact{{Name: "Line 4", Value: "“31.02.2026” is not a date."}, {Name: "Line 9", Value: "The amount is in USD, the account in EUR."}}, Ready: true}
}
