package rates

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"florin/internal/money"
	"florin/internal/openbanking"
)

func rate(t *testing.T, text string) Rate {
	t.Helper()
	var r Rate
	if n, err := fmt.Sscanf(text, "%s %s %s %s %s", &r.Base, &r.Quote, &r.Value, &r.Day, &r.Source); n != 5 {
		t.Fatal(text, err)
	}
	return r
}

func amount(t *testing.T, text string) money.Amount {
	t.Helper()
	value, currency, _ := strings.Cut(text, " ")
	a, err := money.Parse(value, currency)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestParseValue(t *testing.T) {
	for text, want := range map[string]struct {
		value Value
		err   error
	}{
		"0.9305": {"0.9305", nil}, "0,9305": {"0.9305", nil}, "007.100": {"7.1", nil}, "1": {"1", nil}, "999999999.999999999999": {"999999999.999999999999", nil},
		"0.000000000001": {"0.000000000001", nil}, "0.50000000000000000000000000000000000": {"0.5", nil},
		"0": {err: ErrZero}, "0.000": {err: ErrZero}, "-1": {err: ErrZero}, "-0,5": {err: ErrZero},
		"1000000000": {err: ErrLarge}, strings.Repeat("9", 40): {err: ErrLarge}, "0." + strings.Repeat("3", 40): {err: ErrDecimals},
		"": {err: ErrSyntax}, "1e9": {err: ErrSyntax}, "1.": {err: ErrSyntax}, ".5": {err: ErrSyntax}, "1,000.5": {err: ErrSyntax}, "1 5": {err: ErrSyntax}, "--1": {err: ErrSyntax},
		"NaN": {err: ErrSyntax}, "٣": {err: ErrSyntax}, "0x10": {err: ErrSyntax}, "1/2": {err: ErrSyntax},
	} {
		if got, err := ParseValue(text); got != want.value || !errors.Is(err, want.err) {
			t.Errorf("%q is %q, %v; want %q, %v", text, got, err, want.value, want.err)
		}
	}
}

func TestConvert(t *testing.T) {
	book := NewBook([]Rate{
		rate(t, "EUR CHF 0.9305 2026-11-20 ecb"), rate(t, "EUR CHF 0.9400 2026-11-19 ecb"), rate(t, "EUR USD 1.0847 2026-11-20 ecb"), rate(t, "EUR JPY 162.74 2026-11-20 ecb"),
		rate(t, "EUR KWD 0.3334 2026-11-20 ecb"), rate(t, "EUR USD 1.2 2026-11-20 hand"), rate(t, "RSD CHF 0.0079 2026-11-01 hand"), rate(t, "RSD EUR 0.0085 2026-11-10 hand"),
		rate(t, "CHF GBP 0.9 2026-11-21 hand"), rate(t, "EUR GBP 0.83 2026-11-20 ecb"), rate(t, "EUR XTS 0 2026-11-20 hand"),
	})
	for _, c := range []struct {
		from, to string
		on       openbanking.Date
		want     string // "" where there is no rate
		rates    string
	}{
		{"100.00 EUR", "EUR", "1990-01-01", "100.00", ""},
		{"100.00 EUR", "CHF", "2026-11-22", "93.05", "EUR CHF 2026-11-20 ecb"},
		{"100.00 EUR", "CHF", "2026-11-19", "94.00", "EUR CHF 2026-11-19 ecb"},
		{"100.00 EUR", "CHF", "2026-11-18", "", ""},
		{"93.05 CHF", "EUR", "2026-11-20", "100.00", "EUR CHF 2026-11-20 ecb"},
		{"-93.05 CHF", "EUR", "2026-11-20", "-100.00", "EUR CHF 2026-11-20 ecb"},
		{"1.00 EUR", "JPY", "2026-11-20", "163", "EUR JPY 2026-11-20 ecb"}, // 162.74, rounded to whole yen
		{"0.01 CHF", "EUR", "2026-11-20", "0.01", "EUR CHF 2026-11-20 ecb"},
		{"1000 JPY", "KWD", "2026-11-20", "2.049", "EUR JPY 2026-11-20 ecb, EUR KWD 2026-11-20 ecb"},
		{"120.00 USD", "EUR", "2026-11-20", "100.00", "EUR USD 2026-11-20 hand"}, // of one day, that of the person
		{"100.00 CHF", "GBP", "2026-11-22", "90.00", "CHF GBP 2026-11-21 hand"},  // newer than those over the euro
		{"100.00 CHF", "GBP", "2026-11-20", "89.20", "EUR CHF 2026-11-20 ecb, EUR GBP 2026-11-20 ecb"},
		{"10000.00 RSD", "CHF", "2026-11-05", "79.00", "RSD CHF 2026-11-01 hand"},
		{"10000.00 RSD", "CHF", "2026-11-22", "79.09", "RSD EUR 2026-11-10 hand, EUR CHF 2026-11-20 ecb"},
		{"1.00 EUR", "XTS", "2026-11-22", "", ""}, // a rate of 0 is none
		{"1.00 EUR", "NOK", "2026-11-22", "", ""},
		{"90000000000000000.00 EUR", "JPY", "2026-11-22", "", ""}, // no amount is so large
	} {
		got, known := book.Convert(amount(t, c.from), c.to, c.on)
		var used []string
		for _, r := range got.Rates {
			used = append(used, fmt.Sprintf("%s %s %s %s", r.Base, r.Quote, r.Day, r.Source))
		}
		if known != (c.want != "") || known && (got.Amount.String() != c.want || got.Amount.Currency() != c.to) || strings.Join(used, ", ") != c.rates {
			t.Errorf("%s in %s on %s: %s, %t by %q; want %s by %q", c.from, c.to, c.on, got.Amount, known, used, c.want, c.rates)
		}
	}
}

func TestHalvesAreRoundedAwayFromZero(t *testing.T) {
	book := NewBook([]Rate{rate(t, "EUR CHF 0.5 2026-11-20 hand")})
	for from, want := range map[string]string{"0.01 EUR": "0.01", "-0.01 EUR": "-0.01", "0.03 EUR": "0.02", "-0.03 EUR": "-0.02", "0.00 EUR": "0.00"} {
		if got, known := book.Convert(amount(t, from), "CHF", "2026-11-20"); !known || got.Amount.String() != want {
			t.Errorf("%s is %s, want %s", from, got.Amount, want)
		}
	}
}

func TestRatesGrowOld(t *testing.T) {
	r := rate(t, "EUR CHF 0.9305 2026-11-20 ecb")
	for day, want := range map[openbanking.Date]bool{"2026-11-19": false, "2026-11-20": false, "2026-11-30": false, "2026-12-01": true, "2030-01-01": true} {
		if got := r.Old(day); got != want {
			t.Errorf("on %s the rate is old: %t", day, got)
		}
	}
}

func TestTotal(t *testing.T) {
	book := NewBook([]Rate{rate(t, "EUR CHF 0.9305 2026-11-20 ecb"), rate(t, "EUR USD 1.0847 2026-11-20 ecb")})
	got, ok := book.Total("CHF", "2026-11-22", amount(t, "10.00 EUR"), amount(t, "5.00 NOK"), amount(t, "1.00 CHF"), amount(t, "10.85 USD"), amount(t, "10.00 EUR"))
	if !ok || got.Amount.String() != "28.92" || len(got.Beside) != 1 || got.Beside[0].String()+got.Beside[0].Currency() != "5.00NOK" || len(got.Rates) != 2 {
		t.Errorf("the total is %+v, %t", got, ok)
	}
	if _, ok := book.Total("CHF", "2026-11-22", amount(t, "90000000000000000.00 CHF"), amount(t, "90000000000000000.00 EUR")); ok {
		t.Error("a total that no amount can hold")
	}
}

// On drawn rates: an amount and what it is converted to are the same after the way back, but for the rounding; nothing is converted by a rate of a later day,
// nor by an older one where there is a newer one.
func TestConversionsGoBack(t *testing.T) {
	draw := rand.New(rand.NewPCG(7, 11))
	codes := []string{"EUR", "CHF", "USD", "JPY", "KWD", "CLF"}
	for range 2000 {
		var list []Rate
		for range 1 + draw.IntN(30) {
			r := Rate{Base: codes[draw.IntN(len(codes))], Quote: codes[draw.IntN(len(codes))],
				Day: openbanking.Date(fmt.Sprintf("2026-11-%02d", 1+draw.IntN(28))), Source: Hand}
			r.Value, _ = ParseValue(fmt.Sprintf("%d.%04d", draw.IntN(200), 1+draw.IntN(9000)))
			list = append(list, r)
		}
		book := NewBook(list)
		from, to, on := codes[draw.IntN(len(codes))], codes[draw.IntN(len(codes))], openbanking.Date(fmt.Sprintf("2026-11-%02d", 1+draw.IntN(28)))
		a := money.FromMinor(draw.Int64N(1_000_000_000), from)
		there, known := book.Convert(a, to, on)
		if !known {
			continue
		}
		for _, r := range there.Rates {
			if r.Day > on {
				t.Fatalf("%v is later than %s", r, on)
			}
			for _, other := range list {
				if pairOf(other.Base, other.Quote) == pairOf(r.Base, r.Quote) && other.Base != other.Quote && other.Day > r.Day && other.Day <= on {
					t.Fatalf("%v is newer than %v on %s", other, r, on)
				}
			}
		}
		// A minor unit of the other currency may be worth many of this one.
		one, _ := book.Convert(money.FromMinor(1, to), from, on)
		back, known := book.Convert(there.Amount, from, on)
		if diff, err := back.Amount.Sub(a); !known || err != nil || diff.Abs().Minor() > one.Amount.Minor()+2 {
			t.Fatalf("%s %s is %s %s and comes back as %s", a, from, there.Amount, to, back.Amount)
		}
	}
}

func TestNewest(t *testing.T) {
	book := NewBook([]Rate{rate(t, "EUR CHF 0.93 2026-11-20 ecb"), rate(t, "CHF EUR 1.1 2026-11-21 hand"), rate(t, "EUR AUD 1.6 2026-11-20 ecb"), rate(t, "EUR USD 1.1 2026-11-20 ecb"),
		rate(t, "EUR USD 1.2 2026-11-19 ecb"), rate(t, "EUR NOK 11 2026-11-23 ecb"), rate(t, "AUD CHF 0.5 2026-01-01 hand")})
	var got []string
	for _, r := range book.Newest("2026-11-22") {
		got = append(got, fmt.Sprintf("%s %s %s", r.Base, r.Quote, r.Value))
	}
	if want := "EUR AUD 1.6, EUR USD 1.1, AUD CHF 0.5, CHF EUR 1.1"; strings.Join(got, ", ") != want {
		t.Errorf("%q, want %s", got, want)
	}
}
