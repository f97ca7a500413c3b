package money_test

import (
	"errors"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"

	"florin/internal/money"

	"pgregory.net/rapid"
)

func parse(t *testing.T, text, currency string) money.Amount {
	t.Helper()
	a, err := money.Parse(text, currency)
	if err != nil {
		t.Fatalf("Parse(%q, %q): %v", text, currency, err)
	}
	return a
}

func TestParse(t *testing.T) {
	tests := []struct {
		text, currency string
		minor          int64
		canonical      string
		format         string
	}{
		{"12.30", "EUR", 1230, "12.30", "12.30"},
		{"-5.00", "EUR", -500, "-5.00", "−5.00"},
		{"23", "EUR", 2300, "23.00", "23.00"}, // api-notes 10: legal without decimals
		{"23", "JPY", 23, "23", "23"},
		{"0", "EUR", 0, "0.00", "0.00"},
		{"-0", "EUR", 0, "0.00", "0.00"},
		{"-0.00", "EUR", 0, "0.00", "0.00"},
		{"0.5", "EUR", 50, "0.50", "0.50"},
		{"-0.05", "EUR", -5, "-0.05", "−0.05"},
		{"007.50", "EUR", 750, "7.50", "7.50"},
		{"1.00500000", "KWD", 1005, "1.005", "1.005"},
		{"10.0000", "EUR", 1000, "10.00", "10.00"}, // surplus zeros
		{"100.00", "JPY", 100, "100", "100"},
		{"1.2345", "CLF", 12345, "1.2345", "1.2345"},
		{"0.0001", "CLF", 1, "0.0001", "0.0001"},
		{"1234.567", "KWD", 1234567, "1234.567", "1,234.567"},
		{"1234567", "JPY", 1234567, "1234567", "1,234,567"},
		{"-1234.56", "EUR", -123456, "-1234.56", "−1,234.56"},
		{"-123.45", "EUR", -12345, "-123.45", "−123.45"},
		{"123456789012.99", "EUR", 12345678901299, "123456789012.99", "123,456,789,012.99"},
		{"90071992547409.93", "EUR", 9007199254740993, "90071992547409.93", "90,071,992,547,409.93"}, // beyond a float64
		{"92233720368547758.07", "EUR", math.MaxInt64, "92233720368547758.07", "92,233,720,368,547,758.07"},
		{"-92233720368547758.07", "EUR", -math.MaxInt64, "-92233720368547758.07", "−92,233,720,368,547,758.07"},
		{strings.Repeat("0", 100) + "1.10", "EUR", 110, "1.10", "1.10"},
		{"12.3", "XXX", 123000, "12.30", "12.30"}, // api-notes 7: no currency given
		{"-1234.5678", "XXX", -12345678, "-1234.5678", "−1,234.5678"},
		{"7", "ABC", 70000, "7.00", "7.00"},      // in no list
		{"0.125", "XAU", 1250, "0.125", "0.125"}, // a metal
	}
	for _, tt := range tests {
		t.Run(tt.text+" "+tt.currency, func(t *testing.T) {
			a := parse(t, tt.text, tt.currency)
			if a.Minor() != tt.minor || a.Currency() != tt.currency {
				t.Errorf("got %d %s, want %d %s", a.Minor(), a.Currency(), tt.minor, tt.currency)
			}
			if a.String() != tt.canonical {
				t.Errorf("String() = %q, want %q", a.String(), tt.canonical)
			}
			if a.Format() != tt.format {
				t.Errorf("Format() = %q, want %q", a.Format(), tt.format)
			}
			if a != money.FromMinor(tt.minor, tt.currency) {
				t.Error("differs from FromMinor of the same value")
			}
		})
	}
}

// security F14 and T27: what libraries accept, round or wrap silently.
func TestParseRefuses(t *testing.T) {
	tests := []struct {
		text, currency string
		want           error
	}{
		{"", "EUR", money.ErrSyntax},
		{"-", "EUR", money.ErrSyntax},
		{".", "EUR", money.ErrSyntax},
		{".5", "EUR", money.ErrSyntax},
		{"5.", "EUR", money.ErrSyntax},
		{"--5", "EUR", money.ErrSyntax},
		{"+5", "EUR", money.ErrSyntax},
		{"5-", "EUR", money.ErrSyntax},
		{"\u22125.00", "EUR", money.ErrSyntax}, // what Format shows
		{" 5", "EUR", money.ErrSyntax},
		{"5 ", "EUR", money.ErrSyntax},
		{"5\n", "EUR", money.ErrSyntax},
		{"5\x00", "EUR", money.ErrSyntax},
		{"1 000", "EUR", money.ErrSyntax},
		{"12,30", "EUR", money.ErrSyntax},
		{"1,234.56", "EUR", money.ErrSyntax},
		{"1'234.56", "CHF", money.ErrSyntax},
		{"1_000", "EUR", money.ErrSyntax},
		{"1.2.3", "EUR", money.ErrSyntax},
		{"1.-2", "EUR", money.ErrSyntax},
		{"NaN", "EUR", money.ErrSyntax},
		{"sNaN", "EUR", money.ErrSyntax},
		{"Infinity", "EUR", money.ErrSyntax},
		{"-inf", "EUR", money.ErrSyntax},
		{"1E+100000", "EUR", money.ErrSyntax},
		{"1e3", "EUR", money.ErrSyntax},
		{"0x10", "EUR", money.ErrSyntax},
		{"€5", "EUR", money.ErrSyntax},
		{"5 EUR", "EUR", money.ErrSyntax},
		{"٣", "EUR", money.ErrSyntax},
		{"５.00", "EUR", money.ErrSyntax},
		{"5\u200b", "EUR", money.ErrSyntax},
		{"1.005", "EUR", money.ErrPrecision},
		{"0.001", "EUR", money.ErrPrecision},
		{"1.5", "JPY", money.ErrPrecision},
		{"1.0005", "KWD", money.ErrPrecision},
		{"1.00005", "CLF", money.ErrPrecision},
		{"1.00005", "XXX", money.ErrPrecision},
		{"92233720368547758.08", "EUR", money.ErrOverflow},
		{"-92233720368547758.08", "EUR", money.ErrOverflow},
		{"9223372036854775808", "JPY", money.ErrOverflow},
		{"18446744073709551616", "JPY", money.ErrOverflow}, // 2^64 wraps to 0
		{"100000000000000000000000", "EUR", money.ErrOverflow},
		{"5", "", money.ErrCurrency},
		{"5", "eur", money.ErrCurrency},
		{"5", "EU", money.ErrCurrency},
		{"5", "EURO", money.ErrCurrency},
		{"5", "EU1", money.ErrCurrency},
		{"5", "ЕUR", money.ErrCurrency}, // a Cyrillic letter
		{"5", "€", money.ErrCurrency},
	}
	for _, tt := range tests {
		t.Run(tt.text+" "+tt.currency, func(t *testing.T) {
			a, err := money.Parse(tt.text, tt.currency)
			if !errors.Is(err, tt.want) {
				t.Errorf("got %v, %v, want %v", a, err, tt.want)
			}
			if a != (money.Amount{}) {
				t.Errorf("got %v beside the error", a)
			}
		})
	}
}

func TestPrecisionErrorNamesTheLimit(t *testing.T) {
	for currency, want := range map[string]string{"EUR": "EUR has 2 decimals", "JPY": "JPY has no decimals", "XXX": "XXX has 4 decimals"} {
		if _, err := money.Parse("1.23456", currency); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: got %v, want it to end in %q", currency, err, want)
		}
	}
}

func TestExponent(t *testing.T) {
	// All currencies and funds of ISO 4217 that do not have two decimals.
	other := map[string]int{
		"BIF": 0, "CLP": 0, "DJF": 0, "GNF": 0, "ISK": 0, "JPY": 0, "KMF": 0, "KRW": 0, "PYG": 0, "RWF": 0,
		"UGX": 0, "UYI": 0, "VND": 0, "VUV": 0, "XAF": 0, "XOF": 0, "XPF": 0,
		"BHD": 3, "IQD": 3, "JOD": 3, "KWD": 3, "LYD": 3, "OMR": 3, "TND": 3,
		"CLF": 4, "UYW": 4,
	}
	for code, want := range other {
		if n, ok := money.Exponent(code); n != want || !ok {
			t.Errorf("Exponent(%s) = %d, %v, want %d", code, n, ok, want)
		}
	}
	for _, code := range []string{"EUR", "GBP", "USD", "CHF", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "RON", "BGN", "HRK", "MGA", "MRU", "SLE", "VED",
		"XCG", "ZWG", "CHW", "USN"} {
		if n, ok := money.Exponent(code); n != 2 || !ok {
			t.Errorf("Exponent(%s) = %d, %v, want 2", code, n, ok)
		}
	}
	for _, code := range []string{"XXX", "XTS", "XAU", "XDR", "ABC", "eur", ""} {
		if n, ok := money.Exponent(code); n != 4 || ok {
			t.Errorf("Exponent(%s) = %d, %v, want 4, false", code, n, ok)
		}
	}
}

func TestSymbol(t *testing.T) {
	for code, want := range map[string]string{"EUR": "€", "GBP": "£", "USD": "$", "CAD": "CA$", "SEK": "SEK", "ABC": "ABC", "XXX": "¤"} {
		if got := money.Symbol(code); got != want {
			t.Errorf("Symbol(%s) = %q, want %q", code, got, want)
		}
	}
}

func TestArithmetic(t *testing.T) {
	const highest = math.MaxInt64
	eur := func(minor int64) money.Amount { return money.FromMinor(minor, "EUR") }
	tests := []struct {
		name     string
		a, b     money.Amount
		sum, dif money.Amount
		sumErr   error
		difErr   error
		cmp      int
		cmpErr   error
	}{
		{"small", eur(150), eur(-50), eur(100), eur(200), nil, nil, 1, nil},
		{"zero", eur(0), eur(0), eur(0), eur(0), nil, nil, 0, nil},
		{"less", eur(-1), eur(0), eur(-1), eur(-1), nil, nil, -1, nil},
		{"2^62 twice", eur(1 << 62), eur(1 << 62), money.Amount{}, eur(0), money.ErrOverflow, nil, 0, nil},
		{"highest and 1", eur(highest), eur(1), money.Amount{}, eur(highest - 1), money.ErrOverflow, nil, 1, nil},
		{"lowest and 1", eur(-highest), eur(1), eur(1 - highest), money.Amount{}, nil, money.ErrOverflow, -1, nil},
		{"lowest and -1", eur(-highest), eur(-1), money.Amount{}, eur(1 - highest), money.ErrOverflow, nil, -1, nil},
		{"mixed", eur(1), money.FromMinor(1, "SEK"), money.Amount{}, money.Amount{}, money.ErrMixed, money.ErrMixed, 0, money.ErrMixed},
		{"none", eur(1), money.Amount{}, money.Amount{}, money.Amount{}, money.ErrMixed, money.ErrMixed, 0, money.ErrMixed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := tt.a.Add(tt.b); got != tt.sum || !errors.Is(err, tt.sumErr) {
				t.Errorf("Add = %v, %v, want %v, %v", got, err, tt.sum, tt.sumErr)
			}
			if got, err := tt.a.Sub(tt.b); got != tt.dif || !errors.Is(err, tt.difErr) {
				t.Errorf("Sub = %v, %v, want %v, %v", got, err, tt.dif, tt.difErr)
			}
			if got, err := tt.a.Cmp(tt.b); got != tt.cmp || !errors.Is(err, tt.cmpErr) {
				t.Errorf("Cmp = %v, %v, want %v, %v", got, err, tt.cmp, tt.cmpErr)
			}
		})
	}
}

func TestSign(t *testing.T) {
	for minor, want := range map[int64]int{-7: -1, 0: 0, 7: 1, -math.MaxInt64: -1} {
		a := money.FromMinor(minor, "EUR")
		if a.Sign() != want || a.IsZero() != (want == 0) || a.Neg().Sign() != -want || a.Abs().Sign() != want*want || a.Neg().Neg() != a {
			t.Errorf("%v: sign %d, zero %v, negative %v, absolute %v", a, a.Sign(), a.IsZero(), a.Neg(), a.Abs())
		}
	}
}

func TestFromMinorPanicsBeyondTheRange(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	money.FromMinor(math.MinInt64, "EUR")
}

func TestSumNeverMixesCurrencies(t *testing.T) {
	got, err := money.Sum(parse(t, "10", "SEK"), parse(t, "1.10", "EUR"), parse(t, "-0.30", "EUR"), parse(t, "5", "SEK"), parse(t, "7", "XXX"))
	want := []money.Amount{parse(t, "0.80", "EUR"), parse(t, "15", "SEK"), parse(t, "7", "XXX")}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	if got, err := money.Sum(); err != nil || len(got) != 0 {
		t.Errorf("of nothing: %v, %v", got, err)
	}
	if got, err := money.Sum(money.FromMinor(math.MaxInt64, "EUR"), parse(t, "0.01", "EUR")); !errors.Is(err, money.ErrOverflow) || got != nil {
		t.Errorf("overflow: %v, %v", got, err)
	}
}

var codes = []string{"EUR", "SEK", "JPY", "KWD", "CLF", "XXX", "ABC"}

func amounts(currency string) *rapid.Generator[money.Amount] {
	return rapid.Map(rapid.Int64Min(-math.MaxInt64), func(minor int64) money.Amount { return money.FromMinor(minor, currency) })
}

// Canonical text: no needless zeros before the dot, as many decimals as the currency has,
// a minus only before something.
func TestParseThenStringIsTheIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		currency := rapid.SampledFrom([]string{"EUR", "JPY", "KWD", "CLF"}).Draw(t, "currency")
		exponent, _ := money.Exponent(currency)
		text := rapid.StringMatching(`(0|[1-9][0-9]{0,13})`).Draw(t, "whole")
		if exponent > 0 {
			text += "." + rapid.StringOfN(rapid.RuneFrom([]rune("0123456789")), exponent, exponent, -1).Draw(t, "fraction")
		}
		if strings.Trim(text, "0.") != "" && rapid.Bool().Draw(t, "negative") {
			text = "-" + text
		}
		a, err := money.Parse(text, currency)
		if err != nil || a.String() != text {
			t.Fatalf("%q %s became %q, %v", text, currency, a, err)
		}
	})
}

func TestStringThenParseIsTheIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := amounts(rapid.SampledFrom(codes).Draw(t, "currency")).Draw(t, "amount")
		b, err := money.Parse(a.String(), a.Currency())
		if err != nil || a != b {
			t.Fatalf("%v became %v, %v", a, b, err)
		}
		plain := strings.NewReplacer(",", "", "\u2212", "-").Replace(a.Format())
		if plain != a.String() {
			t.Fatalf("Format %q is not String %q", a.Format(), a)
		}
	})
}

// Against exact arithmetic of any size: a sum is right or ErrOverflow.
func TestAddIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := amounts("EUR").Draw(t, "a"), amounts("EUR").Draw(t, "b")
		exact := new(big.Int).Add(big.NewInt(a.Minor()), big.NewInt(b.Minor()))
		fits := exact.CmpAbs(big.NewInt(math.MaxInt64)) <= 0
		sum, err := a.Add(b)
		if fits != (err == nil) || fits && sum.Minor() != exact.Int64() {
			t.Fatalf("%v + %v = %v, %v, want %v", a, b, sum, err, exact)
		}
		if back, err2 := sum.Sub(b); fits && (err2 != nil || back != a) {
			t.Fatalf("%v - %v = %v, %v, want %v", sum, b, back, err2, a)
		}
	})
}

var plain = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"12.30", "-5.00", "23", "-0", "1.005", "NaN", "1E+100000", "92233720368547758.08", "12,30", "00.10", "٣"} {
		f.Add(seed, "EUR")
		f.Add(seed, "JPY")
		f.Add(seed, "XXX")
	}
	f.Fuzz(func(t *testing.T, text, currency string) {
		a, err := money.Parse(text, currency)
		if err != nil {
			if a != (money.Amount{}) {
				t.Fatalf("%v beside %v", a, err)
			}
			return
		}
		if !plain.MatchString(text) {
			t.Fatalf("accepted %q", text)
		}
		exact, _ := new(big.Rat).SetString(text)
		if got, ok := new(big.Rat).SetString(a.String()); !ok || got.Cmp(exact) != 0 {
			t.Fatalf("%q became %q", text, a)
		}
		if again, err := money.Parse(a.String(), currency); err != nil || again != a {
			t.Fatalf("%q, then %v, %v", a, again, err)
		}
	})
}
