// Package money holds exact amounts: an int64 of minor units and a currency code.
// Nothing is ever rounded and no arithmetic overflows or mixes currencies silently.
package money

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// The reasons for which an amount is refused. Their texts are fit for people and
// never repeat what was entered.
var (
	// ErrSyntax: the text is not a plain decimal number.
	ErrSyntax = errors.New("an amount is written with digits and decimals, such as 12.30")
	// ErrCurrency: the currency is not a code of three capital letters.
	ErrCurrency = errors.New("a currency is a code of three capital letters, such as EUR")
	// ErrPrecision: the text has more decimals than the currency.
	ErrPrecision = errors.New("the amount has more decimals than its currency allows")
	// ErrOverflow: the amount is beyond the range of an Amount.
	ErrOverflow = errors.New("the amount is too large")
	// ErrMixed: two amounts of different currencies were combined.
	ErrMixed = errors.New("amounts of different currencies cannot be combined")
)

// Amount is an exact amount of one currency. Two amounts are equal (==) exactly when
// both value and currency are. The range is the same on both sides of zero, so Neg and
// Abs cannot fail. The zero value is nothing of no currency.
type Amount struct {
	minor    int64
	currency string
}

// Parse reads a plain decimal such as "12.30", "-5.00" or "23" (api-notes 7 and 10).
// It refuses signs other than a leading minus, exponents, grouping, spaces and digits
// other than ASCII with ErrSyntax, and a currency that is not three capitals with
// ErrCurrency. Decimals beyond those of the currency must be zeros, else ErrPrecision.
// An amount out of range is ErrOverflow.
func Parse(text, currency string) (Amount, error) {
	if !isCode(currency) {
		return Amount{}, ErrCurrency
	}
	digits, negative := strings.CutPrefix(text, "-")
	whole, fraction, dotted := strings.Cut(digits, ".")
	if !isDigits(whole) || dotted && !isDigits(fraction) {
		return Amount{}, ErrSyntax
	}

	exponent, _ := Exponent(currency)
	fraction = strings.TrimRight(fraction, "0")
	if len(fraction) > exponent {
		return Amount{}, fmt.Errorf("%w: %s has %s", ErrPrecision, currency, decimals(exponent))
	}

	var minor int64
	for _, d := range []byte(whole + fraction + strings.Repeat("0", exponent-len(fraction))) {
		n := int64(d - '0')
		if minor > (math.MaxInt64-n)/10 {
			return Amount{}, ErrOverflow
		}
		minor = minor*10 + n
	}
	if negative {
		minor = -minor
	}
	return Amount{minor, currency}, nil
}

// FromMinor returns the amount of that many minor units (see Exponent) of a currency,
// as read from our own database or computed by our own code. It panics when minor is
// math.MinInt64, the only int64 whose negative does not exist.
func FromMinor(minor int64, currency string) Amount {
	if minor == math.MinInt64 {
		panic("money: minor units out of range")
	}
	return Amount{minor, currency}
}

// Minor returns the number of minor units: cents for EUR, yen for JPY. Exponent tells
// how many of them, as a power of ten, make one unit.
func (a Amount) Minor() int64 { return a.minor }

// Currency returns the code of the currency.
func (a Amount) Currency() string { return a.currency }

// IsZero reports whether the value is zero, in whatever currency.
func (a Amount) IsZero() bool { return a.minor == 0 }

// Sign returns -1, 0 or +1.
func (a Amount) Sign() int { return cmp.Compare(a.minor, 0) }

// Neg returns the amount with the other sign.
func (a Amount) Neg() Amount { return Amount{-a.minor, a.currency} }

// Abs returns the amount without its sign.
func (a Amount) Abs() Amount {
	if a.minor < 0 {
		return a.Neg()
	}
	return a
}

// Add returns a + b. The error is ErrMixed or ErrOverflow.
func (a Amount) Add(b Amount) (Amount, error) {
	if a.currency != b.currency {
		return Amount{}, fmt.Errorf("%w: %s and %s", ErrMixed, a.currency, b.currency)
	}
	if b.minor > 0 && a.minor > math.MaxInt64-b.minor || b.minor < 0 && a.minor < -math.MaxInt64-b.minor {
		return Amount{}, ErrOverflow
	}
	return Amount{a.minor + b.minor, a.currency}, nil
}

// Sub returns a - b. The error is ErrMixed or ErrOverflow.
func (a Amount) Sub(b Amount) (Amount, error) { return a.Add(b.Neg()) }

// Cmp returns -1 when a < b, 0 when they are equal, +1 when a > b. The error is ErrMixed.
func (a Amount) Cmp(b Amount) (int, error) {
	if a.currency != b.currency {
		return 0, fmt.Errorf("%w: %s and %s", ErrMixed, a.currency, b.currency)
	}
	return cmp.Compare(a.minor, b.minor), nil
}

// Sum returns one total for each currency that occurs, ordered by currency code; none
// for no amounts. The error is ErrOverflow, when a total on the way is out of range.
func Sum(amounts ...Amount) ([]Amount, error) {
	totals := make(map[string]Amount)
	for _, a := range amounts {
		total, seen := totals[a.currency]
		if !seen {
			totals[a.currency] = a
			continue
		}
		total, err := total.Add(a)
		if err != nil {
			return nil, err
		}
		totals[a.currency] = total
	}
	byCode := func(a, b Amount) int { return cmp.Compare(a.currency, b.currency) }
	return slices.SortedFunc(maps.Values(totals), byCode), nil
}

// String returns the canonical text, such as "-12.30": the currency's decimals, a dot,
// no grouping, a leading minus below zero. Parse of it gives the same amount back. The
// currency is not part of it.
func (a Amount) String() string {
	sign, whole, fraction := a.parts()
	return sign + join(whole, fraction)
}

// Format returns the amount for people, in English: "−1,234.56", always with the
// decimals of the currency and with the minus sign U+2212. The currency is shown apart:
// see Symbol.
func (a Amount) Format() string {
	sign, whole, fraction := a.parts()
	if sign != "" {
		sign = "\u2212"
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	return sign + join(whole, fraction)
}

// parts splits the amount into "" or "-", the digits before the dot (one at least) and
// those after it.
func (a Amount) parts() (sign, whole, fraction string) {
	exponent, known := Exponent(a.currency)
	digits := strconv.FormatUint(uint64(a.Abs().minor), 10)
	if missing := exponent + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	if a.minor < 0 {
		sign = "-"
	}
	whole, fraction = digits[:len(digits)-exponent], digits[len(digits)-exponent:]
	if !known {
		fraction = fraction[:2] + strings.TrimRight(fraction[2:], "0")
	}
	return sign, whole, fraction
}

func join(whole, fraction string) string {
	if fraction == "" {
		return whole
	}
	return whole + "." + fraction
}

func decimals(n int) string {
	switch n {
	case 0:
		return "no decimals"
	case 1:
		return "1 decimal"
	}
	return strconv.Itoa(n) + " decimals"
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
