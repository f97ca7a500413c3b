package search

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"florin/internal/openbanking"
)

// amounts parses the value of amount:: one amount, one with a comparison before it, or two with two dots between them. It returns nil for anything else.
func amounts(value string) Query {
	var flow Query
	switch value[0] {
	case '+':
		flow, value = Marked{MarkIn}, value[1:]
	case '-':
		flow, value = Marked{MarkOut}, value[1:]
	}
	query := unsigned(value)
	if query != nil && flow != nil {
		return And{flow, query}
	}
	return query
}

func unsigned(value string) Query {
	if low, high, ok := strings.Cut(value, ".."); ok {
		var q AmountRange
		var okLow, okHigh bool
		q.Low, okLow = Bound(low)
		q.High, okHigh = Bound(high)
		if !okLow || !okHigh || q.Low == "" && q.High == "" {
			return nil
		}
		return q
	}
	for _, sign := range []string{">=", "<=", ">", "<", "="} {
		rest, ok := strings.CutPrefix(value, sign)
		if !ok {
			continue
		}
		size, ok := Bound(rest)
		switch {
		case !ok || size == "":
			return nil
		case sign[0] == '>':
			return AmountRange{Low: size, AboveLow: sign == ">"}
		case sign[0] == '<':
			return AmountRange{High: size, BelowHi: sign == "<"}
		}
		value = rest
	}
	var either Or
	for _, size := range sizes(strings.TrimFunc(value, isCurrency)) {
		either = append(either, AmountRange{Low: size, High: size})
	}
	switch len(either) {
	case 0:
		return nil
	case 1:
		return either[0]
	}
	return either
}

// Bound reads one end of a range; "" is no bound. When a number can be read in two ways, the larger one is used, because amounts have two decimals more
// often than three.
func Bound(text string) (Size, bool) {
	text = strings.TrimFunc(strings.TrimSpace(text), isCurrency)
	if text == "" {
		return "", true
	}
	all := sizes(text)
	if len(all) == 0 {
		return "", false
	}
	return all[len(all)-1], true
}

// isCurrency reports whether a letter is a currency sign or a space.
func isCurrency(r rune) bool { return unicode.Is(unicode.Sc, r) || unicode.IsSpace(r) }

var (
	plainNumber   = regexp.MustCompile(`^\d+$`)
	groupedNumber = regexp.MustCompile(`^[1-9]\d{0,2}(?:([.,'’])\d{3})(?:([.,'’])\d{3})*$`)
)

// sizes returns the possible meanings of a number: one size; two when a sign may be the decimal sign or a thousands separator; none when it is not a number.
func sizes(text string) []Size {
	var list []Size
	add := func(whole, fraction string) {
		if s, ok := sizeOf(whole + "." + fraction); ok {
			list = append(list, s)
		}
	}
	if i := strings.LastIndexAny(text, ".,"); i >= 0 {
		whole, fraction := text[:i], text[i+1:]
		if plain, ok := ungrouped(whole, text[i]); ok && (fraction == "" || plainNumber.MatchString(fraction)) && whole+fraction != "" {
			add(plain, fraction)
		}
	}
	if plain, ok := ungrouped(text, 0); ok && text != "" {
		add(plain, "")
	}
	return list
}

// ungrouped removes the thousands separators from a whole number. They must be equal and differ from the decimal sign.
func ungrouped(text string, decimal byte) (string, bool) {
	if text == "" || plainNumber.MatchString(text) {
		return text, true
	}
	if !groupedNumber.MatchString(text) {
		return "", false
	}
	sign := rune(0)
	plain := strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return r
		}
		if sign == 0 {
			sign = r
		}
		if r != sign {
			sign = -1
		}
		return -1
	}, text)
	return plain, sign > 0 && sign != rune(decimal)
}

var dayForms = []struct {
	form             *regexp.Regexp
	year, month, day int // groups of the form; 0 without one
}{
	{regexp.MustCompile(`^(\d{4})-(\d{1,2})-(\d{1,2})$`), 1, 2, 3},
	{regexp.MustCompile(`^(\d{1,2})\.(\d{1,2})\.(\d{4})$`), 3, 2, 1},
	{regexp.MustCompile(`^(\d{4})-(\d{1,2})$`), 1, 2, 0},
	{regexp.MustCompile(`^(\d{1,2})[./](\d{4})$`), 2, 1, 0},
	{regexp.MustCompile(`^(\d{4})$`), 1, 0, 0},
}

// days parses a day, a month or a year, and returns its first and last day.
func days(value string) (from, to openbanking.Date, ok bool) {
	for _, f := range dayForms {
		groups := f.form.FindStringSubmatch(value)
		if groups == nil {
			continue
		}
		number := func(group int) int {
			if group == 0 {
				return 1
			}
			n, _ := strconv.Atoi(groups[group]) // the form allows only digits
			return n
		}
		year, month, day := number(f.year), number(f.month), number(f.day)
		first := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
		if first.Year() != year || int(first.Month()) != month || first.Day() != day || year <= firstYear || year > 2999 {
			return "", "", false
		}
		last := first
		switch {
		case f.month == 0:
			last = first.AddDate(1, 0, -1)
		case f.day == 0:
			last = first.AddDate(0, 1, -1)
		}
		return openbanking.DateOf(first), openbanking.DateOf(last), true
	}
	return "", "", false
}

// dayBefore returns the day before a date.
func dayBefore(d openbanking.Date) openbanking.Date {
	t, err := d.Time()
	if err != nil {
		return d
	}
	return openbanking.DateOf(t.AddDate(0, 0, -1))
}

var spanForm = regexp.MustCompile(`^(\d{1,3})([dwmy])$`)

// back returns the first day of a span of time that ends today: "3m" is three months; d, w and y stand for days, weeks and years.
func back(today openbanking.Date, value string) (openbanking.Date, bool) {
	groups := spanForm.FindStringSubmatch(strings.ToLower(value))
	t, err := today.Time()
	if groups == nil || err != nil {
		return "", false
	}
	n, _ := strconv.Atoi(groups[1]) // at most three digits
	switch groups[2] {
	case "d":
		t = t.AddDate(0, 0, -n)
	case "w":
		t = t.AddDate(0, 0, -7*n)
	case "m":
		t = t.AddDate(0, -n, 0)
	case "y":
		t = t.AddDate(-n, 0, 0)
	}
	if t.Year() <= firstYear {
		return "1901-01-01", true
	}
	return openbanking.DateOf(t), true
}
