package words

import (
	"strconv"
	"strings"

	"florin/internal/money"
)

// numbers is how a language groups thousands and marks the fraction.
type numbers struct{ group, point string }

// decimals are in the order of codes. What stands between the groups breaks no line.
var decimals = []numbers{{",", "."}, {".", ","}, {"\u202F", ","}, {"\u00A0", ","}}

// Point is what stands before the decimals of a number.
func (l *Language) Point() string { return l.numbers.point }

// Figure writes an amount without its currency, with the decimals of the currency: "−1,234.56".
func (l *Language) Figure(a money.Amount) string {
	if l == english {
		return a.Format()
	}
	return strings.NewReplacer(",", l.numbers.group, ".", l.numbers.point).Replace(a.Format())
}

// Money writes an amount with the code of its currency behind it: "1,234.56 EUR".
func (l *Language) Money(a money.Amount) string { return l.Figure(a) + " " + a.Currency() }

// Number writes a whole number with its thousands grouped: "1,240".
func (l *Language) Number(n int64) string { return l.Decimal(strconv.FormatInt(n, 10)) }

// Decimal writes a plain decimal number, such as 1234.50, with as many digits as it has: 1,234.50.
func (l *Language) Decimal(text string) string {
	text, minus := strings.CutPrefix(text, "-")
	whole, fraction, broken := strings.Cut(text, ".")
	var b strings.Builder
	if minus {
		b.WriteString("−")
	}
	for i, digit := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteString(l.numbers.group)
		}
		b.WriteRune(digit)
	}
	if broken {
		b.WriteString(l.numbers.point + fraction)
	}
	return b.String()
}
