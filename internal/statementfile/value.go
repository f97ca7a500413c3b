package statementfile

import (
	"strconv"
	"strings"
	"time"
	"unicode"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
)

// Decimal is the decimal sign of amounts.
type Decimal string

// Values of Decimal.
const (
	Point Decimal = "point"
	Comma Decimal = "comma"
)

// Decimals lists the decimal signs in the order in which they are offered.
func Decimals() []Decimal { return []Decimal{Point, Comma} }

// DayOrder is the order of day, month and year in dates.
type DayOrder string

// Values of DayOrder.
const (
	DayMonthYear DayOrder = "dmy"
	MonthDayYear DayOrder = "mdy"
	YearMonthDay DayOrder = "ymd"
)

// DayOrders lists the orders in the order in which they are offered.
func DayOrders() []DayOrder { return []DayOrder{DayMonthYear, MonthDayYear, YearMonthDay} }

// months are the first letters of the names of months, in languages whose statements spell them out: English, German, French, Spanish, Italian, Dutch,
// Swedish, Polish.
var months = [12][]string{
	{"jan", "ene", "gen", "sty"}, {"feb", "fév", "fev", "lut"}, {"mar", "mär", "mrt", "maa"}, {"apr", "avr", "abr", "kwi"},
	{"may", "mai", "mei", "mag", "maj"},
	{"jun", "juin", "giu", "cze"}, {"jul", "juil", "lug", "lip"}, {"aug", "aoû", "aou", "ago", "sie"}, {"sep", "set", "wrz"},
	{"oct", "okt", "ott", "paź", "paz"},
	{"nov", "lis"}, {"dec", "dez", "déc", "dic", "gru"},
}

func monthNamed(name string) int {
	name = strings.ToLower(name)
	for i, names := range months {
		for _, begin := range names {
			if strings.HasPrefix(name, begin) {
				return i + 1
			}
		}
	}
	return 0
}

// dayParts splits a date into its three parts: numbers, or the name of a month. It ignores what follows, such as a time. It returns nil when the text is not
// a date.
func dayParts(text string) []string {
	text = strings.TrimSpace(text)
	if digits := strings.TrimRight(text, "0123456789"); digits == "" && len(text) == 8 {
		return []string{text[:4], text[4:6], text[6:]}
	}
	var parts []string
	for text != "" && len(parts) < 3 {
		text = strings.TrimLeftFunc(text, func(r rune) bool { return strings.ContainsRune(" ./-'’\u00a0,", r) })
		end := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
		if end == 0 {
			end = strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
			if end < 0 {
				end = len(text)
			}
			if monthNamed(text[:end]) == 0 {
				return nil
			}
		}
		if end < 0 {
			end = len(text)
		}
		if end == 0 {
			return nil
		}
		parts, text = append(parts, text[:end]), text[end:]
	}
	if len(parts) < 3 || text != "" && !strings.ContainsAny(text[:1], " T,.") {
		return nil
	}
	return parts
}

// isDay reports whether a text has the form of a date.
func isDay(text string) bool {
	parts := dayParts(text)
	if parts == nil {
		return false
	}
	for _, order := range DayOrders() {
		if _, ok := parseDay(text, order); ok {
			return true
		}
	}
	return false
}

// parseDay parses a date. Years of two digits are from 1970 to 2069. Like finance.Reader it refuses dates before 1900 and after 2999.
func parseDay(text string, order DayOrder) (openbanking.Date, bool) {
	parts := dayParts(text)
	if parts == nil {
		return "", false
	}
	at := [3]int{2, 1, 0} // year, month, day
	switch {
	case len(parts[0]) == 4 || order == YearMonthDay:
		at = [3]int{0, 1, 2}
	case monthNamed(parts[0]) > 0 || order == MonthDayYear && monthNamed(parts[1]) == 0:
		at = [3]int{2, 0, 1}
	}
	var n [3]int
	for i, place := range at {
		part := parts[place]
		if month := monthNamed(part); month > 0 && i == 1 {
			n[i] = month
			continue
		}
		number, err := strconv.Atoi(part)
		if err != nil || len(part) > 2 && (i > 0 || len(part) != 4) {
			return "", false
		}
		if i == 0 && len(part) <= 2 {
			if number += 2000; number >= 2070 {
				number -= 100
			}
		}
		n[i] = number
	}
	day := time.Date(n[0], time.Month(n[1]), n[2], 0, 0, 0, 0, time.UTC)
	if n[0] < 1900 || n[0] > 2999 || day.Year() != n[0] || int(day.Month()) != n[1] || day.Day() != n[2] {
		return "", false
	}
	return openbanking.DateOf(day), true
}

// dayOrder determines the order of day, month and year from all dates of a file. sure is false when every day could also be a month.
func dayOrder(texts []string) (order DayOrder, sure bool) {
	votes := map[DayOrder]int{}
	for _, text := range texts {
		parts := dayParts(text)
		if parts == nil {
			continue
		}
		first, _ := strconv.Atoi(parts[0])
		second, _ := strconv.Atoi(parts[1])
		switch {
		case len(parts[0]) == 4 || first > 31:
			votes[YearMonthDay]++
		case monthNamed(parts[0]) > 0 || second > 12:
			votes[MonthDayYear]++
		case monthNamed(parts[1]) > 0 || first > 12:
			votes[DayMonthYear]++
		}
	}
	order = DayMonthYear
	for _, other := range DayOrders() {
		if votes[other] > votes[order] {
			order = other
		}
	}
	return order, votes[order] > 0
}

// decimalOf determines the decimal sign from all amounts of a file: the last of two different signs, a sign that is not followed by three digits, or the sign
// that is not repeated. A sign before three digits separates thousands when other amounts have no sign at all. When nothing decides, sure is false and
// decimal is otherwise.
func decimalOf(texts []string, otherwise Decimal) (decimal Decimal, sure bool) {
	votes, open, whole := map[Decimal]int{}, map[Decimal]int{}, 0
	sign := map[byte]Decimal{'.': Point, ',': Comma}
	other := map[byte]Decimal{'.': Comma, ',': Point}
	for _, text := range texts {
		text = strings.TrimRightFunc(text, func(r rune) bool { return r < '0' || r > '9' })
		last := strings.LastIndexAny(text, ".,")
		if last < 0 {
			whole += min(len(text), 1)
			continue
		}
		first := strings.IndexAny(text, ".,")
		switch {
		case text[first] != text[last]:
			votes[sign[text[last]]]++
		case first != last:
			votes[other[text[last]]]++
		case len(text)-last-1 != 3:
			votes[sign[text[last]]]++
		default:
			open[other[text[last]]]++
		}
	}
	if len(votes) == 0 && whole > 0 && len(open) == 1 {
		votes = open
	}
	switch {
	case votes[Point] > votes[Comma]:
		return Point, true
	case votes[Comma] > votes[Point]:
		return Comma, true
	}
	return otherwise, len(open) == 0
}

// currencySigns are the signs of currencies that statements write next to amounts.
var currencySigns = map[string]string{"€": "EUR", "$": "USD", "£": "GBP", "zł": "PLN", "Kč": "CZK", "Ft": "HUF", "kr": "", "kr.": "", "Fr.": "CHF",
	"¥": "JPY",
	",": "", ".": ""} // 12,-

// bareAmount splits an amount into its digits and separators, its currency code ("" without one), and whether it is below zero.
func bareAmount(text string) (digits, currency string, negative, ok bool) {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), r == '\'', r == '’', unicode.Is(unicode.Cf, r):
			return -1
		case r == '\u2212', r == '\u2013', r == '－':
			return '-'
		}
		return r
	}, text)
	if inner, closed := strings.CutPrefix(text, "("); closed && strings.HasSuffix(inner, ")") {
		text, negative = strings.TrimSuffix(inner, ")"), true
	}
	begin := strings.IndexFunc(text, func(r rune) bool { return r >= '0' && r <= '9' })
	end := strings.LastIndexFunc(text, func(r rune) bool { return r >= '0' && r <= '9' })
	if begin < 0 {
		return "", "", false, false
	}
	if begin > 0 && (text[begin-1] == '.' || text[begin-1] == ',') && (begin == 1 || strings.ContainsAny(text[begin-2:begin-1], "-+")) {
		begin-- // .50
	}
	for _, beside := range []string{text[:begin], text[end+1:]} {
		for beside != "" {
			switch {
			case beside[0] == '-':
				if negative {
					return "", "", false, false
				}
				negative, beside = true, beside[1:]
			case beside[0] == '+':
				beside = beside[1:]
			default:
				name := strings.TrimRight(beside, "+-")
				switch upper := strings.ToUpper(name); {
				case isCurrency(upper):
					currency = upper
				case upper == "D", upper == "DR", upper == "S":
					negative = true
				case upper == "C", upper == "CR", upper == "H":
				default:
					code, known := currencySigns[name]
					if !known {
						return "", "", false, false
					}
					currency = code
				}
				beside = beside[len(name):]
			}
		}
	}
	return text[begin : end+1], currency, negative, true
}

// parseAmount parses a signed amount with a decimal sign; the other sign may separate thousands. currency is used when the text names none.
func parseAmount(text string, decimal Decimal, currency string) (money.Amount, Finding) {
	if strings.TrimSpace(text) == "" {
		return money.Amount{}, NoAmount{}
	}
	wrong := WrongAmount{Text: excerpt(text)}
	digits, said, negative, ok := bareAmount(text)
	if !ok {
		return money.Amount{}, wrong
	}
	if said != "" {
		currency = said
	}
	point, group := ".", ","
	if decimal == Comma {
		point, group = group, point
	}
	whole, fraction, _ := strings.Cut(digits, point)
	if groups := strings.Split(whole, group); len(groups) > 1 {
		for i, part := range groups {
			if len(part) != 3 && i > 0 || len(part) > 3 || part == "" {
				return money.Amount{}, wrong
			}
		}
		whole = strings.Join(groups, "")
	}
	if whole == "" {
		whole = "0"
	}
	if fraction != "" {
		whole += "." + fraction
	}
	if _, known := money.Exponent(currency); !known && currency != "XXX" {
		return money.Amount{}, WrongCurrency{Text: excerpt(currency)}
	}
	amount, err := money.Parse(whole, currency)
	if err != nil {
		return money.Amount{}, wrong
	}
	if negative {
		amount = amount.Neg()
	}
	return amount, nil
}

// excerpt returns the beginning of an unreadable text, to be shown.
func excerpt(text string) string {
	r := []rune(finance.Clean(text))
	return string(r[:min(len(r), 60)])
}
