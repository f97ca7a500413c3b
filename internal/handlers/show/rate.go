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

// Rate names a rate with its day and where it comes from: "1 EUR = 0.9305 CHF on 20 November 2026, ECB".
func (c Clock) Rate(r rates.Rate) string {
	value := c.Decimal(string(r.Value))
	if r.Source == rates.ECB {
		return c.Say("1 %s = %s %s on %s, ECB", r.Base, value, r.Quote, c.FullDay(r.Day))
	}
	return c.Say("1 %s = %s %s on %s, by hand", r.Base, value, r.Quote, c.FullDay(r.Day))
}

// Converted is what amounts of several currencies come to in one, by the rates of a day: nothing when all of them are in that currency. A total that no amount
// can hold is left out.
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

// Unconverted names amounts that are no part of a converted sum.
func (c Clock) Unconverted(amounts []money.Amount) string {
	var names []string
	for _, a := range amounts {
		names = append(names, c.Money(a))
	}
	return c.Say("Not included, because there is no exchange rate: %s", c.List(names))
}

// Rates are the lines that name the rates of a converted sum, and say which of them are old on a day.
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

// RateProblem says what is wrong with a rate that was typed (rates.ParseValue).
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
