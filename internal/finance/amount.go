package finance

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"florin/internal/iban"
	"florin/internal/money"
)

// ErrAmbiguous says that an amount could be meant in two ways.
var ErrAmbiguous = errors.New("it is not clear whether this is a thousand or a decimal")

// ErrZero says that an amount is not above zero.
var ErrZero = errors.New("the amount must be above zero")

// ErrCharacter says that an amount has a character in it that is none of an amount, however it looks.
var ErrCharacter = errors.New("the amount has a character that does not belong there")

var (
	plainAmount = regexp.MustCompile(`^[0-9]{1,12}(?:[.,][0-9]{1,4})?$`)
	grouped     = regexp.MustCompile(`^[0-9]{1,3}(?:([.,'])[0-9]{3})(?:([.,'])[0-9]{3})*(?:([.,])[0-9]{1,2})?$`)
)

// ParseAmount reads an amount as people write it, with a decimal point or comma, with or without groups of thousands ("1.234,56", "1 234.56",
// "12,3"). An amount that can be read in two ways is ErrAmbiguous. Digits of other scripts and invisible characters are ErrCharacter; they are never
// converted (security T28). The errors are those of money.Parse, ErrAmbiguous, ErrZero and ErrCharacter; a page can show them, and they say what to
// do.
func ParseAmount(text, currency string) (money.Amount, error) {
	compact := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '\u2019' {
			return -1
		}
		return r
	}, bare(text, currency))
	if i := strings.IndexFunc(compact, func(r rune) bool { return r >= utf8.RuneSelf && !unicode.IsLetter(r) && r != '\u2212' }); i >= 0 {
		r, _ := utf8.DecodeRuneInString(compact[i:])
		return money.Amount{}, fmt.Errorf("%w: %s. Empty the field and type the amount on the keyboard, with the digits 0 to 9", ErrCharacter, iban.Describe(r))
	}
	if digits := strings.TrimLeft(compact, "-\u2212"); digits != compact && plainAmount.MatchString(digits) {
		return money.Amount{}, fmt.Errorf("%w. Leave out the minus sign: money always goes to the payee", ErrZero)
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
	digits := strings.NewReplacer(".", "", ",", "").Replace(compact)
	exponent, _ := money.Exponent(currency)
	if exponent == 0 {
		return fmt.Errorf("%w: write %s, for %s has no decimals", ErrAmbiguous, digits, currency)
	}
	at := strings.IndexAny(compact, ".,")
	return fmt.Errorf("%w: write %s or %s.%s", ErrAmbiguous, digits, compact[:at], compact[at+1:at+1+min(exponent, 2)])
}
