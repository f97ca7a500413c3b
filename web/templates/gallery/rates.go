package main

import (
	"florin/web/templates/pages"
	"florin/web/templates/ui"
)

// rateScreens are the page with exchange rates: without any, with some, and with what is wrong.
func rateScreens() []screen {
	none := exchangeRates()
	none.Rows, none.Read, none.Own = nil, "", nil
	wrong := exchangeRates()
	wrong.FileProblem = "Line 3 has “" + longWord + "”, which is no rate. Nothing of the file was saved."
	wrong.Value.Value, wrong.Value.Problem = "1e9", "Enter the rate with digits and decimals, such as 0.9305."
	wrong.Quote.Value, wrong.Quote.Problem = "XYZ", "The currency must be a code of three letters, such as EUR."
	wrong.Own[1].Text = "1 EUR = 999,999,999.999999999999 RSD on 20 November 2026, by hand"
	return []screen{{"rates", pages.Rates(exchangeRates())}, {"rates-none", pages.Rates(none)}, {"rates-wrong", pages.Rates(wrong)}}
}

func exchangeRates() pages.RatesView {
	field := func(name, label, value string, most int) ui.Input {
		return ui.Input{Name: name, Label: label, Type: "text", Value: value, Autocomplete: "off", MaxLength: most, Required: name != "day"}
	}
	friday := ui.Time{ISO: "2026-11-20", Text: "20 November 2026"}
	return pages.RatesView{Frame: frame(), FileHint: "CSV or zip, up to 20 MiB.", Read: "7,012 days, from 4 January 1999 to 20 November 2026",
		Currencies: []ui.Option{{Text: "That of most accounts (EUR)"}, {Value: "CHF", Text: "CHF", Selected: true}, {Value: "EUR", Text: "EUR"}},
		Rows: []pages.RateRow{{Pair: "1 EUR in CHF", Value: "0.9305", Day: friday, Source: "European Central Bank"}, {Pair: "1 EUR in JPY", Value: "162.74", Day: friday, Source: "European Central Bank"},
			{Pair: "1 CHF in RSD", Value: "125.912345678901", Day: ui.Time{ISO: "2026-02-01", Text: "1 February 2026"}, Source: "by hand", Old: true}},
		Own:  []pages.OwnRate{{ID: "1", Text: "1 CHF = 125.912345678901 RSD on 1 February 2026, by hand"}, {ID: "2", Text: "1 EUR = 0.93 CHF on 20 November 2025, by hand"}},
		Base: field("base", "One unit of", "CHF", 3), Value: field("value", "Costs", "", 40), Quote: field("quote", "In the currency", "", 3), Day: field("day", "On the day", "2026-11-22", 20)}
}
