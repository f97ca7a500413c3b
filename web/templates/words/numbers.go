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

// Mask stands in the place of an amount that is hidden. It tells neither how many digits there are nor whether they are below zero.
const Mask = "•••"

// Typed writes an amount as a person types it into a field: the decimals alone are set off, and there is no currency. It hides nothing: a form would save what
// it shows. So a form that would hold a stored amount stands in ui.AmountForm.
func (l *Language) Typed(a money.Amount) string {
	return strings.Replace(a.String(), ".", l.numbers.point, 1)
}

// Figure writes an amount without its currency, with the decimals of the currency: "−1,234.56".
func (l *Language) Figure(a money.Amount) string {
	if l.hides {
		return Mask
	}
	if l.index == english.index {
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

// axisUnits are the units of an axis whose values are too large for their digits.
var axisUnits = []struct {
	zeros int
	text  Text
}{{12, "%s tn"}, {9, "%s bn"}, {6, "%s m"}}

// Axis writes the round values of an axis, which count minor units of a currency: "1,500", without decimals where none of them has any; "1.5 m" from a
// million on. Where amounts are hidden the axis has no words: they stay empty.
func (l *Language) Axis(values []int64, currency string) []string {
	if l.hides {
		return make([]string, len(values))
	}
	exponent, _ := money.Exponent(currency)
	var largest uint64
	for _, v := range values {
		largest = max(largest, uint64(max(v, -v)))
	}
	zeros, text := 0, Text("")
	for _, unit := range axisUnits {
		if len(strconv.FormatUint(largest, 10)) > exponent+unit.zeros {
			zeros, text = unit.zeros, unit.text
			break
		}
	}
	decimals := 0
	numbers := make([]string, len(values))
	for i, v := range values {
		numbers[i] = shifted(v, exponent+zeros)
		_, fraction, _ := strings.Cut(numbers[i], ".")
		decimals = max(decimals, len(fraction))
	}
	for i, number := range numbers {
		whole, fraction, _ := strings.Cut(number, ".")
		if decimals > 0 && zeros == 0 { // as money is written
			whole += "." + fraction + strings.Repeat("0", max(decimals, exponent)-len(fraction))
		} else if fraction != "" {
			whole = number
		}
		numbers[i] = l.Decimal(whole)
		if zeros > 0 && values[i] != 0 {
			numbers[i] = l.Say(text, numbers[i])
		}
	}
	return numbers
}

// Brief writes an amount without its currency and without decimals, rounded, where there is little room and the exact amount stands beside it: "1,235", "12 m".
func (l *Language) Brief(a money.Amount) string {
	if l.hides {
		return Mask
	}
	exponent, _ := money.Exponent(a.Currency())
	rounded := func(zeros int) int64 {
		unit := int64(1)
		for range zeros {
			unit *= 10
		}
		value := a.Minor() / unit
		if rest := a.Minor() % unit; unit > 1 && max(rest, -rest) >= unit/2 {
			value += int64(a.Sign())
		}
		return value
	}
	for _, unit := range axisUnits {
		if value := rounded(exponent + unit.zeros); max(value, -value) >= 1 {
			return l.Say(unit.text, l.Number(value))
		}
	}
	return l.Number(rounded(exponent))
}

// shifted is a whole number with its decimal point moved to the left, without zeros at its end: 1250 by 3 is 1.25.
func shifted(value int64, places int) string {
	digits, minus := strings.CutPrefix(strconv.FormatInt(value, 10), "-")
	if missing := places + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	number := digits[:len(digits)-places]
	if fraction := strings.TrimRight(digits[len(digits)-places:], "0"); fraction != "" {
		number += "." + fraction
	}
	if minus && value != 0 {
		number = "-" + number
	}
	return number
}
