package show

import (
	"errors"
	"slices"

	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/rates"
	"florin/web/templates/pages"
	"florin/web/templates/words"
)

// Rate returns an exchange rate with its day and source: "1 EUR = 0.9305 CHF on 20 November 2026, ECB".
func (c Clock) Rate(r rates.Rate) string {
	value := c.Decimal(string(r.Value))
	if r.Source == rates.ECB {
		return c.Say("1 %s = %s %s on %s, ECB", r.Base, value, r.Quote, c.FullDay(r.Day))
	}
	return c.Say("1 %s = %s %s on %s, by hand", r.Base, value, r.Quote, c.FullDay(r.Day))
}

// Converted returns the total of amounts in one currency at the rates of a day; nil when all are in that currency, or when the total exceeds the largest
// amount.
func (c Clock) Converted(book *rates.Book, main string, on openbanking.Date, amounts ...money.Amount) *pages.Converted {
	others := slices.DeleteFunc(slices.Clone(amounts), func(a money.Amount) bool { return a.Currency() == main })
	total, fits := book.Total(main, on, amounts...)
	switch {
	case len(others) == 0 || !fits:
		return nil
	case len(total.Rates) == 0:
		return &pages.Converted{Notes: []string{c.Say("There are no exchange rates yet with which this could be converted into %s.", main)}}
	}
	figure := pages.Figure(total.Amount)
	view := &pages.Converted{Title: c.Say("All in %s", main), Sum: &figure, Notes: c.Rates(total.Rates, on)}
	if len(total.Beside) > 0 {
		view.Notes = append([]string{c.Unconverted(total.Beside)}, view.Notes...)
	}
	return view
}

// Unconverted lists amounts that a converted total does not include.
func (c Clock) Unconverted(amounts []money.Amount) string {
	var names []string
	for _, a := range amounts {
		names = append(names, c.Money(a))
	}
	return c.Say("Not included, because there is no exchange rate: %s", c.List(names))
}

// Rates returns a line for each rate in a converted total. It marks rates that are old on a day.
func (c Clock) Rates(list []rates.Rate, on openbanking.Date) (lines []string) {
	for _, r := range list {
		line := c.Rate(r)
		if r.Old(on) {
			line = c.Say("%s. This rate is old.", line)
		}
		lines = append(lines, line)
	}
	return lines
}

// RateProblem returns what is wrong with a typed rate (an error of rates.ParseValue).
func RateProblem(err error) words.Message {
	switch {
	case errors.Is(err, rates.ErrZero):
		return words.Msg("A rate is more than zero.")
	case errors.Is(err, rates.ErrLarge):
		return words.Msg("A rate is less than 1,000,000,000.")
	case errors.Is(err, rates.ErrDecimals):
		return words.Msg("A rate has 12 decimals at most.")
	}
	return words.Msg("Enter the rate with digits and decimals, such as 0.9305.")
}
