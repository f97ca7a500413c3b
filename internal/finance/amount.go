package finance

import (
	"errors"
	"regexp"
	"strings"
	"unicode"

	"florin/internal/money"
)

// ErrAmbiguous says that an amount could be meant in two ways.
var ErrAmbiguous = errors.New("it is not clear whether this is a thousand or a decimal: write 1234 or 1.23")

// ErrZero says that an amount is not above zero.
var ErrZero = errors.New("the amount must be above zero")

var (
	plainAmount = regexp.MustCompile(`^[0-9]{1,12}(?:[.,][0-9]{1,4})?$`)
	grouped     = regexp.MustCompile(`^[0-9]{1,3}(?:([.,'])[0-9]{3})(?:([.,'])[0-9]{3})*(?:([.,])[0-9]{1,2})?$`)
)

// ParseAmount reads an amount as people write it, with a decimal point or comma, with or without thousands in groups ("1.234,56", "1 234.56", "12,3"). What could be
// meant in two ways is ErrAmbiguous. Errors are fit to be shown: those of money.Parse, ErrAmbiguous, ErrZero.
func ParseAmount(text, currency string) (money.Amount, error) {
	compact := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '\u2019' {
			return -1
		}
		return r
	}, strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(text), money.Symbol(currency)), money.Symbol(currency)))
	switch {
	case plainAmount.MatchString(compact):
		exponent, _ := money.Exponent(currency)
		if i := strings.IndexAny(compact, ".,"); i >= 0 && len(compact)-i-1 == 3 && exponent != 3 && i <= 3 && compact[0] != '0' {
			return money.Amount{}, ErrAmbiguous
		}
		compact = strings.Replace(compact, ",", ".", 1)
	case grouped.MatchString(compact):
		last := strings.LastIndexAny(compact, ".,'")
		group := compact[strings.IndexAny(compact, ".,'")]
		whole, fraction := compact, ""
		if compact[last] != group {
			whole, fraction = compact[:last], "."+compact[last+1:]
		}
		if strings.ContainsAny(strings.ReplaceAll(whole, string(group), ""), ".,'") {
			return money.Amount{}, money.ErrSyntax
		}
		if fraction == "" && strings.Count(whole, string(group)) == 1 && group != '\'' {
			return money.Amount{}, ErrAmbiguous
		}
		for i, part := range strings.Split(whole, string(group)) {
			if i > 0 && len(part) != 3 {
				return money.Amount{}, money.ErrSyntax
			}
		}
		compact = strings.ReplaceAll(whole, string(group), "") + fraction
	}
	amount, err := money.Parse(compact, currency)
	if err != nil {
		return money.Amount{}, err
	}
	if amount.Sign() <= 0 {
		return money.Amount{}, ErrZero
	}
	return amount, nil
}
