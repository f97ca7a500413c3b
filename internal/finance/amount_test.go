package finance

import (
	"errors"
	"reflect"
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
		{"1.234,56", "EUR", "1234.56", nil}, {"1,234.56", "EUR", "1234.56", nil}, {"1 234,56", "EUR", "1234.56", nil}, {"1'234.50", "CHF", "1234.50", nil},
		{"1’234.50", "CHF", "1234.50", nil},
		{"1.234.567", "EUR", "1234567.00", nil}, {"1'234", "CHF", "1234.00", nil}, {"€12", "EUR", "12.00", nil}, {"12 €", "EUR", "12.00", nil},
		{"1234", "JPY", "1234", nil},
		{"1.234", "KWD", "1.234", nil}, {"EUR 12.30", "EUR", "12.30", nil}, {"12,30EUR", "EUR", "12.30", nil}, {"12.30 EUR", "EUR", "12.30", nil},
		{"12.30 eur", "EUR", "12.30", nil}, {"Eur 12.30", "EUR", "12.30", nil}, {"1\u00a0234,56", "EUR", "1234.56", nil},
		{"1\u202f234,56 €", "EUR", "1234.56", nil}, {"12,5", "BHD", "12.500", nil}, {"JPY 1500", "JPY", "1500", nil}, {"0.100", "EUR", "0.10", nil},
		{"1234.500", "EUR", "1234.50", nil},
		{"1.234", "EUR", "", ErrAmbiguous}, {"1,234", "EUR", "", ErrAmbiguous}, {"12.345", "EUR", "", ErrAmbiguous}, {"1.234", "JPY", "", ErrAmbiguous},
		{"12.345,678", "EUR", "", money.ErrPrecision}, {"1.23,45", "EUR", "", money.ErrSyntax}, {"1.2345.678", "EUR", "", money.ErrSyntax},
		{"1.234,567.00", "EUR", "", money.ErrSyntax}, {"1,234.567,00", "EUR", "", money.ErrSyntax},
		{"12.3456", "EUR", "", money.ErrPrecision}, {"0", "EUR", "", ErrZero}, {"0,00", "EUR", "", ErrZero}, {"-5", "EUR", "", ErrZero},
		{"", "EUR", "", money.ErrSyntax}, {"1e3", "EUR", "", money.ErrSyntax},
		{"NaN", "EUR", "", money.ErrSyntax}, {"Infinity", "EUR", "", money.ErrSyntax}, {"+5", "EUR", "", money.ErrSyntax}, {"0x10", "EUR", "", money.ErrSyntax},
		{"١٢", "EUR", "", ErrCharacter}, {"１２", "EUR", "", ErrCharacter}, {"1\u200b2", "EUR", "", ErrCharacter}, {"\u202e12.30", "EUR", "", ErrCharacter},
		{"12💶", "EUR", "", ErrCharacter},
		{"\u22125", "EUR", "", ErrZero}, {"12.30 USD", "EUR", "", money.ErrSyntax}, {"12.5", "JPY", "", money.ErrPrecision},
		{"1.2345", "BHD", "", money.ErrPrecision},
		{"5", "EURO", "", money.ErrCurrency}, {"99999999999999999999", "EUR", "", money.ErrOverflow},
	}
	for _, c := range cases {
		a, err := ParseAmount(c.text, c.currency)
		if !errors.Is(err, c.err) || err == nil && a.String() != c.want {
			t.Errorf("%q %s: %s, %v", c.text, c.currency, a, err)
		}
	}
}

// Whoever words what is wrong with an amount has the facts for it.
func TestParseAmountSaysWhy(t *testing.T) {
	for text, want := range map[string]AmountError{
		"1.234 EUR":    {Err: ErrAmbiguous, Currency: "EUR", Readings: []string{"1234", "1.23"}},
		"12.345 EUR":   {Err: ErrAmbiguous, Currency: "EUR", Readings: []string{"12345", "12.34"}},
		"1,234 JPY":    {Err: ErrAmbiguous, Currency: "JPY", Readings: []string{"1234"}},
		"-5 EUR":       {Err: ErrZero, Currency: "EUR", Minus: true},
		"0 EUR":        {Err: ErrZero, Currency: "EUR"},
		"１２ EUR":       {Err: ErrCharacter, Currency: "EUR", Character: '１'},
		"1\u200b2 EUR": {Err: ErrCharacter, Currency: "EUR", Character: '\u200b'},
		"ten EUR":      {Err: money.ErrSyntax, Currency: "EUR"},
	} {
		amount, currency, _ := strings.Cut(text, " ")
		var got *AmountError
		if _, err := ParseAmount(amount, currency); !errors.As(err, &got) || !reflect.DeepEqual(*got, want) {
			t.Errorf("%s: %+v", text, err)
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
