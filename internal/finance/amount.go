package finance

import (
	"errors"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"florin/internal/money"
)

// Errors of ParseAmount, beside those of money.Parse.
var (
	ErrAmbiguous = errors.New("the amount can be meant in two ways") // a point or comma before thousands, or before decimals
	ErrZero      = errors.New("the amount is not more than zero")
	ErrCharacter = errors.New("the amount has a character that is none of an amount") // however it looks
)

// AmountError is the error of ParseAmount, with the facts that explain it.
type AmountError struct {
	Err       error // ErrAmbiguous, ErrZero, ErrCharacter, or one of money.Parse
	Currency  string
	Readings  []string // of ErrAmbiguous: how the amount is written clearly; one where the currency has no decimals, else two
	Minus     bool     // of ErrZero: the amount has a minus sign
	Character rune     // of ErrCharacter
}

func (e *AmountError) Error() string { return e.Err.Error() }

// Unwrap returns the error without its facts.
func (e *AmountError) Unwrap() error { return e.Err }

var (
	plainAmount = regexp.MustCompile(`^[0-9]{1,12}(?:[.,][0-9]{1,4})?$`)
	grouped     = regexp.MustCompile(`^[0-9]{1,3}(?:([.,'])[0-9]{3})(?:([.,'])[0-9]{3})*(?:([.,])[0-9]{1,2})?$`)
)

// ParseAmount reads an amount as people write it, with a decimal point or comma, with or without groups of thousands ("1.234,56", "1 234.56",
// "12,3"). An amount that can be read in two ways is ErrAmbiguous. Digits of other scripts and invisible characters are ErrCharacter; they are never
// converted (security T28). The error is always an *AmountError.
func ParseAmount(text, currency string) (money.Amount, error) {
	amount, err := parseAmount(text, currency)
	var known *AmountError
	if err != nil && !errors.As(err, &known) {
		err = &AmountError{Err: err, Currency: currency}
	}
	return amount, err
}

func parseAmount(text, currency string) (money.Amount, error) {
	compact := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '\u2019' {
			return -1
		}
		return r
	}, bare(text, currency))
	if i := strings.IndexFunc(compact, func(r rune) bool { return r >= utf8.RuneSelf && !unicode.IsLetter(r) && r != '\u2212' }); i >= 0 {
		r, _ := utf8.DecodeRuneInString(compact[i:])
		return money.Amount{}, &AmountError{Err: ErrCharacter, Currency: currency, Character: r}
	}
	if digits := strings.TrimLeft(compact, "-\u2212"); digits != compact && plainAmount.MatchString(digits) {
		return money.Amount{}, &AmountError{Err: ErrZero, Currency: currency, Minus: true}
	}
	switch {
	case plainAmount.MatchString(compact):
		exponent, _ := money.Exponent(currency)
		if i := strings.IndexAny(compact, ".,"); i >= 0 && len(compact)-i-1 == 3 && exponent != 3 && i <= 3 && compact[0] != '0' {
			return money.Amount{}, ambiguous(compact, currency)
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
			return money.Amount{}, ambiguous(compact, currency)
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

// bare is a text without the name of the currency before or behind it.
func bare(text, currency string) string {
	text = strings.TrimSpace(text)
	for _, name := range []string{currency, money.Symbol(currency)} {
		if name == "" {
			continue
		}
		for _, cut := range []func(string) (string, bool){
			func(s string) (string, bool) {
				if len(s) < len(name) || !strings.EqualFold(s[:len(name)], name) {
					return s, false
				}
				return s[len(name):], true
			},
			func(s string) (string, bool) {
				if len(s) < len(name) || !strings.EqualFold(s[len(s)-len(name):], name) {
					return s, false
				}
				return s[:len(s)-len(name)], true
			},
		} {
			if rest, ok := cut(text); ok {
				return strings.TrimSpace(rest)
			}
		}
	}
	return text
}

// ambiguous is ErrAmbiguous with the ways in which the amount can be written clearly.
func ambiguous(compact, currency string) error {
	readings := []string{strings.NewReplacer(".", "", ",", "").Replace(compact)}
	if exponent, _ := money.Exponent(currency); exponent > 0 {
		at := strings.IndexAny(compact, ".,")
		readings = append(readings, compact[:at]+"."+compact[at+1:at+1+min(exponent, 2)])
	}
	return &AmountError{Err: ErrAmbiguous, Currency: currency, Readings: readings}
}
