package search

import (
	"cmp"
	"strings"

	"florin/internal/money"
	"florin/internal/openbanking"
)

// Amounts and days are words of the index, too, made so that their order is that of the alphabet and that many of them share their beginning. A range is then a
// few words and beginnings of words, of which the index knows those of two, three and four letters at once.

// Term is a word of the index, or with Prefix all words that begin with Text.
type Term struct {
	Text   string
	Prefix bool
}

// Size is an amount without sign and currency: a letter for the number of digits before the decimal sign, "a" for none, then all digits without zeros at the
// end. 12.50 is "c125", 0.05 is "a05", nothing is "a".
type Size string

// The largest numbers of digits in a size. Amounts have no more: they are an int64 of units of a currency with at most four decimals.
const (
	wholeDigits    = 19
	fractionDigits = 4
)

// SizeOf returns the size of an amount.
func SizeOf(a money.Amount) Size {
	s, _ := sizeOf(strings.TrimPrefix(a.String(), "-"))
	return s
}

// sizeOf parses digits with at most one dot. It returns false when the number has more digits than an amount can have.
func sizeOf(decimal string) (Size, bool) {
	whole, fraction, _ := strings.Cut(decimal, ".")
	whole, fraction = strings.TrimLeft(whole, "0"), strings.TrimRight(fraction, "0")
	if len(whole) > wholeDigits || len(fraction) > fractionDigits {
		return "", false
	}
	return Size(string(rune('a'+len(whole))) + strings.TrimRight(whole+fraction, "0")), true
}

// Decimal returns a size with a decimal point: "12.5"; "" for "".
func (s Size) Decimal() string {
	if s == "" {
		return ""
	}
	whole := int(s[0] - 'a')
	digits := string(s[1:]) + strings.Repeat("0", max(0, whole-len(s)+1))
	text := cmp.Or(digits[:whole], "0")
	if fraction := digits[whole:]; fraction != "" {
		text += "." + fraction
	}
	return text
}

// padded appends with until the size has all its digits: '0' gives the smallest size with this beginning, '9' the largest.
func (s Size) padded(with byte) string {
	width := 1 + int(s[0]-'a') + fractionDigits
	return string(s) + strings.Repeat(string(with), width-len(s))
}

// holds reports whether a padded size lies in the range.
func (q AmountRange) holds(padded string) bool {
	if q.Low != "" {
		if low := q.Low.padded('0'); padded < low || q.AboveLow && padded == low {
			return false
		}
	}
	if q.High != "" {
		if high := q.High.padded('0'); padded > high || q.BelowHi && padded == high {
			return false
		}
	}
	return true
}

// Terms returns the words of all amounts in the range. When those outside of it are fewer, it returns them, and true.
func (q AmountRange) Terms() (terms []Term, outside bool) {
	inside := q.cover(nil)
	var others []Term
	if q.Low != "" {
		others = AmountRange{High: q.Low, BelowHi: !q.AboveLow}.cover(others)
	}
	if q.High != "" {
		others = AmountRange{Low: q.High, AboveLow: !q.BelowHi}.cover(others)
	}
	if len(others) < len(inside) {
		return others, true
	}
	return inside, false
}

func (q AmountRange) cover(terms []Term) []Term {
	for n := range wholeDigits + 1 {
		terms = q.below(Size(string(rune('a'+n))), terms)
	}
	return terms
}

// below adds the words for sizes that begin with s and are in the range.
func (q AmountRange) below(s Size, terms []Term) []Term {
	least, most := s.padded('0'), s.padded('9')
	if q.Low != "" && most < q.Low.padded('0') || q.High != "" && least > q.High.padded('0') {
		return terms
	}
	if len(s) > 1 && q.holds(least) && q.holds(most) { // the index has no prefixes of a single letter
		return append(terms, Term{string(s), len(s) < len(most)})
	}
	if len(s) == len(most) {
		return terms
	}
	if (s == "a" || len(s) > 1 && s[len(s)-1] != '0') && q.holds(least) {
		terms = append(terms, Term{string(s), false})
	}
	for digit := byte('0'); digit <= '9'; digit++ {
		if len(s) > 1 || s == "a" || digit != '0' {
			terms = q.below(s+Size(digit), terms)
		}
	}
	return terms
}

const dayLetters = "0123456789abcdefghijklmnopqrstuvwxyz"

// firstYear is the year of the first day that has a word.
const firstYear = 1900

// DayWord returns the word of a day: two letters for the year, one for the month and one for the day. It is "" for a date without a word.
func DayWord(d openbanking.Date) string {
	t, err := d.Time()
	year := t.Year() - firstYear
	if err != nil || year < 0 || year >= len(dayLetters)*len(dayLetters) {
		return ""
	}
	return string([]byte{dayLetters[year/len(dayLetters)], dayLetters[year%len(dayLetters)], dayLetters[t.Month()], dayLetters[t.Day()]})
}

// Terms returns the words of the days in the period.
func (q Period) Terms() []Term {
	from, to := "0000", "zzzz"
	if q.From != "" {
		from = DayWord(q.From)
	}
	if q.To != "" {
		to = DayWord(q.To)
	}
	var terms []Term
	var below func(start string)
	below = func(start string) {
		least, most := start+"0000"[len(start):], start+"zzzz"[len(start):]
		switch {
		case most < from || least > to:
		case start != "" && least >= from && most <= to:
			terms = append(terms, Term{start, len(start) < len(most)})
		default:
			for _, letter := range []string{dayLetters, dayLetters, dayLetters[1:13], dayLetters[1:32]}[len(start)] {
				below(start + string(letter))
			}
		}
	}
	below("")
	return terms
}
