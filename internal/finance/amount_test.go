package finance

import (
	"errors"
	"strings"
	"testing"

	"florin/internal/money"
)

// Security T27: a decimal comma is understood, and what could be meant in two ways is not guessed.
func TestParseAmount(t *testing.T) {
	cases := []struct {
		text, currency, want string
		err                  error
	}{
		{"12.30", "EUR", "12.30", nil}, {"12,30", "EUR", "12.30", nil}, {" 12 ", "EUR", "12.00", nil}, {"12,3", "EUR", "12.30", nil}, {"0,01", "EUR", "0.01", nil},
		{"1.234,56", "EUR", "1234.56", nil}, {"1,234.56", "EUR", "1234.56", nil}, {"1 234,56", "EUR", "1234.56", nil}, {"1'234.50", "CHF", "1234.50", nil}, {"1’234.50", "CHF", "1234.50", nil},
		{"1.234.567", "EUR", "1234567.00", nil}, {"1'234", "CHF", "1234.00", nil}, {"€12", "EUR", "12.00", nil}, {"12 €", "EUR", "12.00", nil}, {"1234", "JPY", "1234", nil},
		{"1.234", "KWD", "1.234", nil}, {"EUR 12.30", "EUR", "12.30", nil}, {"12,30EUR", "EUR", "12.30", nil}, {"12.30 EUR", "EUR", "12.30", nil}, {"12.30 eur", "EUR", "12.30", nil}, {"Eur 12.30", "EUR", "12.30", nil}, {"1\u00a0234,56", "EUR", "1234.56", nil}, {"1\u202f234,56 €", "EUR", "1234.56", nil}, {"12,5", "BHD", "12.500", nil}, {"JPY 1500", "JPY", "1500", nil}, {"0.100", "EUR", "0.10", nil}, {"1234.500", "EUR", "1234.50", nil},
		{"1.234", "EUR", "", ErrAmbiguous}, {"1,234", "EUR", "", ErrAmbiguous}, {"12.345", "EUR", "", ErrAmbiguous}, {"1.234", "JPY", "", ErrAmbiguous},
		{"12.345,678", "EUR", "", money.ErrPrecision}, {"1.23,45", "EUR", "", money.ErrSyntax}, {"1.2345.678", "EUR", "", money.ErrSyntax}, {"1.234,567.00", "EUR", "", money.ErrSyntax}, {"1,234.567,00", "EUR", "", money.ErrSyntax},
		{"12.3456", "EUR", "", money.ErrPrecision}, {"0", "EUR", "", ErrZero}, {"0,00", "EUR", "", ErrZero}, {"-5", "EUR", "", ErrZero}, {"", "EUR", "", money.ErrSyntax}, {"1e3", "EUR", "", money.ErrSyntax},
		{"NaN", "EUR", "", money.ErrSyntax}, {"Infinity", "EUR", "", money.ErrSyntax}, {"+5", "EUR", "", money.ErrSyntax}, {"0x10", "EUR", "", money.ErrSyntax}, {"١٢", "EUR", "", ErrCharacter}, {"１２", "EUR", "", ErrCharacter}, {"1\u200b2", "EUR", "", ErrCharacter}, {"\u202e12.30", "EUR", "", ErrCharacter}, {"12💶", "EUR", "", ErrCharacter},
		{"\u22125", "EUR", "", ErrZero}, {"12.30 USD", "EUR", "", money.ErrSyntax}, {"12.5", "JPY", "", money.ErrPrecision}, {"1.2345", "BHD", "", money.ErrPrecision},
		{"5", "EURO", "", money.ErrCurrency}, {"99999999999999999999", "EUR", "", money.ErrOverflow},
	}
	for _, c := range cases {
		a, err := ParseAmount(c.text, c.currency)
		if !errors.Is(err, c.err) || err == nil && a.String() != c.want {
			t.Errorf("%q %s: %s, %v", c.text, c.currency, a, err)
		}
	}
}

// What is wrong with an amount is said in words, and what to do.
func TestParseAmountSaysWhatToDo(t *testing.T) {
	for text, want := range map[string]string{
		"1.234 EUR":                  "it is not clear whether this is a thousand or a decimal: write 1234 or 1.23",
		"1,234 JPY":                  "it is not clear whether this is a thousand or a decimal: write 1234, for JPY has no decimals",
		"12.5 JPY":                   "the amount has more decimals than its currency allows: JPY has no decimals",
		"1.2345 BHD":                 "the amount has more decimals than its currency allows: BHD has 3 decimals",
		"-5 EUR":                     "the amount must be above zero. Leave out the minus sign: money always goes to the payee",
		"１２ EUR":                     "the amount has a character that does not belong there: the full-width character \"１\" (U+FF11). Empty the field and type the amount on the keyboard, with the digits 0 to 9",
		"1\u200b2 EUR":               "the amount has a character that does not belong there: an invisible character (zero-width space, U+200B). Empty the field and type the amount on the keyboard, with the digits 0 to 9",
		"ten EUR":                    "an amount is written with digits and decimals, such as 12.30",
		"12.345 EUR":                 "it is not clear whether this is a thousand or a decimal: write 12345 or 12.34",
		"1000000000000000000000 EUR": "the amount is too large",
	} {
		amount, currency, _ := strings.Cut(text, " ")
		if a, err := ParseAmount(amount, currency); err == nil || err.Error() != want {
			t.Errorf("%s: %s, %v", text, a, err)
		}
	}
}

func FuzzParseAmount(f *testing.F) {
	f.Add("1.234,56")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseAmount(text, "EUR")
		if err != nil {
			return
		}
		if again, err := ParseAmount(a.String(), "EUR"); a.Sign() <= 0 || err != nil || again != a {
			t.Fatalf("%q: %s, %v", text, a, err)
		}
	})
}
