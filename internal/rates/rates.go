// Package rates converts amounts between currencies, with rates that a person typed or that the European Central Bank (ECB) published. A converted amount names
// the rates that it was made with. What has no rate is not converted.
package rates

import (
	"cmp"
	"errors"
	"math/big"
	"slices"
	"strings"

	"florin/internal/money"
	"florin/internal/openbanking"
)

// Source says where a rate comes from.
type Source string

// Sources.
const (
	ECB  Source = "ecb"  // a file with the euro foreign exchange reference rates
	Hand Source = "hand" // typed by the person
)

// euro is the currency that each rate of the ECB begins with, and over which others are converted.
const euro = "EUR"

// OldAfter is after how many days a rate is old. The ECB publishes on working days; its longest break is that of Easter.
const OldAfter = 10

// Rate says what one unit of a currency costs in another one, on a day.
type Rate struct {
	Base, Quote string // codes: one unit of Base is Value units of Quote
	Value       Value
	Day         openbanking.Date
	Source      Source
}

// Old reports whether a rate is older than OldAfter days on a day.
func (r Rate) Old(on openbanking.Date) bool {
	t, err := r.Day.Time()
	return err == nil && openbanking.DateOf(t.AddDate(0, 0, OldAfter)) < on
}

// Value is a rate as a decimal number: digits, and decimals after a point.
type Value string

// A rate is more than zero and less than 10^wholeDigits, with maxDecimals decimals at most.
const (
	wholeDigits = 9
	maxDecimals = 12
)

// What is wrong with a value.
var (
	ErrSyntax   = errors.New("a rate is written with digits and decimals, such as 0.9305")
	ErrZero     = errors.New("a rate is more than zero")
	ErrLarge    = errors.New("a rate is less than 1000000000")
	ErrDecimals = errors.New("a rate has 12 decimals at most")
)

// ParseValue reads a value. The decimals may stand after a comma; thousands are not grouped. The error is ErrSyntax, ErrZero, ErrLarge or ErrDecimals.
func ParseValue(text string) (Value, error) {
	digits, negative := strings.CutPrefix(strings.Replace(text, ",", ".", 1), "-")
	whole, fraction, dotted := strings.Cut(digits, ".")
	if !isDigits(whole) || dotted && !isDigits(fraction) {
		return "", ErrSyntax
	}
	whole, fraction = strings.TrimLeft(whole, "0"), strings.TrimRight(fraction, "0")
	switch {
	case negative, whole == "" && fraction == "":
		return "", ErrZero
	case len(whole) > wholeDigits:
		return "", ErrLarge
	case len(fraction) > maxDecimals:
		return "", ErrDecimals
	}
	value := cmp.Or(whole, "0")
	if fraction != "" {
		value += "." + fraction
	}
	return Value(value), nil
}

func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// IsCode reports whether a text has the form of a code of ISO 4217: three capital letters.
func IsCode(text string) bool {
	return len(text) == 3 && strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// Book is all rates that are known.
type Book struct {
	pairs map[pair][]Rate // by day; of one day, that of the person comes last
}

// pair is two currencies, the code that comes first in the alphabet first.
type pair struct{ first, second string }

func pairOf(a, b string) pair {
	return pair{min(a, b), max(a, b)}
}

// NewBook returns a book of rates. One whose value is no Value is left out.
func NewBook(list []Rate) *Book {
	b := &Book{map[pair][]Rate{}}
	for _, r := range list {
		if value, err := ParseValue(string(r.Value)); err == nil && r.Base != r.Quote {
			r.Value = value
			at := pairOf(r.Base, r.Quote)
			b.pairs[at] = append(b.pairs[at], r)
		}
	}
	for _, all := range b.pairs {
		slices.SortStableFunc(all, func(x, y Rate) int { return cmp.Or(cmp.Compare(x.Day, y.Day), cmp.Compare(x.Source, y.Source)) })
	}
	return b
}

// latest is the newest rate between two currencies, in either direction, that is not after a day.
func (b *Book) latest(from, to string, on openbanking.Date) (Rate, bool) {
	all := b.pairs[pairOf(from, to)]
	at, _ := slices.BinarySearchFunc(all, on, func(r Rate, on openbanking.Date) int {
		if r.Day <= on {
			return -1
		}
		return 1
	})
	if at == 0 {
		return Rate{}, false
	}
	return all[at-1], true
}

// Newest are the newest rates between any two currencies that are not after a day, those against the euro first, in the order of their currencies.
func (b *Book) Newest(on openbanking.Date) (list []Rate) {
	for at := range b.pairs {
		if r, known := b.latest(at.first, at.second, on); known {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, Compare)
	return list
}

// Compare orders rates: those of a euro first, then by their currencies.
func Compare(x, y Rate) int {
	return cmp.Or(cmp.Compare(strings.TrimPrefix(x.Base, euro), strings.TrimPrefix(y.Base, euro)), cmp.Compare(x.Quote, y.Quote), cmp.Compare(x.Day, y.Day))
}

// Conversion is an amount in another currency.
type Conversion struct {
	Amount money.Amount
	Rates  []Rate // with which it was made: none where the currency is the same, two over the euro
}

// Convert returns an amount in another currency, by the newest rates that are not after a day: the rate between the two currencies, or the rates of both
// against the euro, whichever is newer. It is rounded to the minor unit, half away from zero. false when there is no rate until that day, or no amount is so
// large.
func (b *Book) Convert(a money.Amount, to string, on openbanking.Date) (Conversion, bool) {
	if a.Currency() == to {
		return Conversion{Amount: a}, true
	}
	used, known := b.way(a.Currency(), to, on)
	if !known {
		return Conversion{}, false
	}
	sum := new(big.Rat).SetInt64(a.Minor())
	currency := a.Currency()
	for _, r := range used {
		value, ok := new(big.Rat).SetString(string(r.Value))
		if !ok {
			return Conversion{}, false
		}
		if r.Base == currency {
			sum.Mul(sum, value)
			currency = r.Quote
		} else {
			sum.Quo(sum, value)
			currency = r.Base
		}
	}
	sum.Mul(sum, unit(to))
	sum.Quo(sum, unit(a.Currency()))
	minor, ok := new(big.Int).SetString(sum.FloatString(0), 10) // FloatString rounds half away from zero
	if !ok || !minor.IsInt64() || minor.Sign() < 0 && !new(big.Int).Neg(minor).IsInt64() {
		return Conversion{}, false
	}
	return Conversion{money.FromMinor(minor.Int64(), to), used}, true
}

// way is the rates that lead from one currency to another.
func (b *Book) way(from, to string, on openbanking.Date) ([]Rate, bool) {
	direct, known := b.latest(from, to, on)
	if from == euro || to == euro {
		return []Rate{direct}, known
	}
	one, knownOne := b.latest(from, euro, on)
	other, knownOther := b.latest(euro, to, on)
	switch {
	case knownOne && knownOther && (!known || min(one.Day, other.Day) > direct.Day):
		return []Rate{one, other}, true
	case known:
		return []Rate{direct}, true
	}
	return nil, false
}

// unit is how many minor units a unit of a currency has.
func unit(currency string) *big.Rat {
	exponent, _ := money.Exponent(currency)
	return new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(exponent)), nil))
}

// Total is what amounts of several currencies come to in one.
type Total struct {
	Amount money.Amount   // of all that has a rate
	Rates  []Rate         // with which it was made, each once
	Beside []money.Amount // what has no rate, in the order of its currencies: no part of Amount
}

// Total adds up amounts in a currency, each converted for itself, so that the total is the sum of what is shown for each. false when no amount is so large.
func (b *Book) Total(to string, on openbanking.Date, amounts ...money.Amount) (Total, bool) {
	total := Total{Amount: money.FromMinor(0, to)}
	sums, err := money.Sum(amounts...)
	if err != nil {
		return Total{}, false
	}
	for _, sum := range sums {
		converted, known := b.Convert(sum, to, on)
		if !known {
			total.Beside = append(total.Beside, sum)
			continue
		}
		if total.Amount, err = total.Amount.Add(converted.Amount); err != nil {
			return Total{}, false
		}
		total.Rates = Join(total.Rates, converted.Rates)
	}
	return total, true
}

// Join adds rates to others that are not among them.
func Join(list, more []Rate) []Rate {
	for _, r := range more {
		if !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	return list
}

// FirstDay is the first day that a rate can be of: the first of the euro.
const FirstDay openbanking.Date = "1999-01-01"
