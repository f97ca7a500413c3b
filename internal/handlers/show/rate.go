package show

import (
	"errors"

	"florin/internal/openbanking"
	"florin/internal/rates"
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
