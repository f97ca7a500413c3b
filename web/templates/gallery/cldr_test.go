package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"florin/internal/money"
	"florin/web/templates/words"
)

// Numbers, amounts, days, lists, plural forms and times ago are written as CLDR has them, which Chromium knows: English as in Britain, German as in
// Germany. The minus sign is another one, on purpose (ADR 0041).
func TestAsCLDRHasThem(t *testing.T) {
	ctx := openWindow(t)
	intl := func(script string, values any) []string {
		t.Helper()
		list, err := json.Marshal(values)
		if err != nil {
			t.Fatal(err)
		}
		return evaluate[[]string](t, ctx, fmt.Sprintf(`(() => { %s; return %s.map((x) => write(x)); })()`, script, list))
	}
	minors := []int64{0, 1, 99, 100, 123456, -123456, 99999999, -100000000, 9007199254740993, 9223372036854775807}
	var days []time.Time
	for month := time.January; month <= time.December; month++ {
		days = append(days, time.Date(2026, month, int(month), 0, 0, 0, 0, time.UTC), time.Date(2027, month, 28, 0, 0, 0, 0, time.UTC))
	}
	numbers := []int{0, 1, 2, 5, 11, 21, 101, 999, 1000, 1240, 1000000}
	names := [][]string{{"Anna"}, {"Anna", "Ben"}, {"Anna", "Ben", "Cleo"}, {"Anna", "Ben", "Cleo", "Dora"}}
	for _, l := range words.Languages(words.App) {
		locale := map[string]string{"en": "en-GB", "de": "de-DE"}[l.Code()]
		compare := func(what, script string, values any, own []string) {
			t.Helper()
			for i, want := range intl(script, values) {
				got := strings.ReplaceAll(own[i], "\u2212", "-")
				if strings.HasPrefix(what, "weekday") { // the comma behind the English weekday comes and goes with the versions of CLDR
					got, want = strings.ReplaceAll(got, ",", ""), strings.ReplaceAll(want, ",", "")
				}
				if got != want {
					t.Errorf("%s, %s: %q, CLDR has %q", locale, what, got, want)
				}
			}
		}
		for currency, digits := range map[string]int{"EUR": 2, "JPY": 0, "KWD": 3} {
			var plain, own []string
			for _, minor := range minors {
				amount := money.FromMinor(minor, currency)
				plain, own = append(plain, amount.String()), append(own, l.Figure(amount))
			}
			compare("amounts of "+currency,
				fmt.Sprintf(`const f = new Intl.NumberFormat(%q, {minimumFractionDigits: %d, maximumFractionDigits: %[2]d}), write = (x) => f.format(x)`, locale,
					digits), plain, own)
		}
		written := func(write func(time.Time) string) []string {
			var own []string
			for _, day := range days {
				own = append(own, write(day))
			}
			return own
		}
		for options, write := range map[string]func(time.Time) string{
			`day: "numeric", month: "long"`:                                   func(d time.Time) string { return l.Day(d, false) },
			`day: "numeric", month: "long", year: "numeric"`:                  func(d time.Time) string { return l.Day(d, true) },
			`weekday: "long"`:                                                 l.Weekday,
			`weekday: "long", day: "numeric", month: "long"`:                  func(d time.Time) string { return l.WeekdayOf(d, false) },
			`weekday: "long", day: "numeric", month: "long", year: "numeric"`: func(d time.Time) string { return l.WeekdayOf(d, true) },
		} {
			compare(options, fmt.Sprintf(`const f = new Intl.DateTimeFormat(%q, {timeZone: "UTC", %s}), write = (x) => f.format(Date.parse(x))`, locale, options),
				days, written(write))
		}
		var grouped, ago, forms []string
		for _, n := range numbers {
			grouped = append(grouped, l.Number(int64(n)))
			ago = append(ago, l.Say("%d hours ago", n))
			form := "other"
			if slices.Contains([]string{"1 day", "1 Tag"}, l.Say("%d days", n)) {
				form = "one"
			}
			forms = append(forms, form)
		}
		compare("whole numbers", fmt.Sprintf(`const f = new Intl.NumberFormat(%q), write = (x) => f.format(x)`, locale), numbers, grouped)
		compare("times ago", fmt.Sprintf(`const f = new Intl.RelativeTimeFormat(%q), write = (x) => f.format(-x, "hour")`, locale), numbers, ago)
		compare("plural forms", fmt.Sprintf(`const f = new Intl.PluralRules(%q), write = (x) => f.select(x)`, locale), numbers, forms)
		compare("now", fmt.Sprintf(`const f = new Intl.RelativeTimeFormat(%q, {numeric: "auto"}), write = (x) => f.format(x, "second")`, locale), []int{0},
			[]string{l.Say("now")})
		var lists []string
		for _, list := range names {
			lists = append(lists, l.List(list))
		}
		compare("lists", fmt.Sprintf(`const f = new Intl.ListFormat(%q), write = (x) => f.format(x)`, locale), names, lists)
	}
}
