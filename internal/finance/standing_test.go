package finance

import (
	"strings"
	"testing"

	"florin/internal/openbanking"
)

// A standing order is said in one sentence.
func TestStandingOrders(t *testing.T) {
	cases := []struct {
		first, last openbanking.Date
		frequency   openbanking.FrequencyCode
		rule        openbanking.ExecutionRule
		from        openbanking.Date
		next        string
		sentence    string
	}{
		{"2026-12-01", "", "MNTH", "FWNG", "2026-11-20", "2026-12-01 2027-01-01 2027-02-01", "Every month on the 1st, from 1 December 2026 until you stop it at your bank; when the bank is closed that day, on the next working day."},
		{"2026-11-28", "", "MNTH", "FWNG", "2026-11-20", "2026-11-30<2026-11-28 2026-12-28 2027-01-28", "Every month on the 28th, from 28 November 2026"},
		{"2026-11-28", "", "MNTH", "PREC", "2026-11-20", "2026-11-27<2026-11-28 2026-12-28 2027-01-28", "on the working day before."},
		{"2026-11-29", "", "MNTH", "PREC", "2026-11-20", "2026-11-27<2026-11-29 2026-12-29 2027-01-29", "Every month on the 29th, or on the last day of a shorter month,"},
		{"2026-11-29", "", "MNTH", "", "2026-11-20", "2026-11-29 2026-12-29 2027-01-29", "the bank decides."},
		{"2026-12-31", "", "MNTH", "", "2026-11-20", "2026-12-31 2027-01-31 2027-02-28", "Every month on the 31st, or on the last day"},
		{"2028-01-31", "", "MNTH", "", "2028-01-01", "2028-01-31 2028-02-29 2028-03-31", "31st"},
		{"2026-12-31", "", "TOMN", "", "2026-11-20", "2026-12-31 2027-02-28 2027-04-30", "Every two months"},
		{"2026-12-02", "", "QUTR", "", "2026-11-20", "2026-12-02 2027-03-02 2027-06-02", "Every three months on the 2nd,"},
		{"2026-12-03", "", "SEMI", "", "2026-11-20", "2026-12-03 2027-06-03 2027-12-03", "Every six months on the 3rd,"},
		{"2028-02-29", "", "YEAR", "", "2028-01-01", "2028-02-29 2029-02-28 2030-02-28", "Every year on 29 February, or on the last day of February,"},
		{"2026-12-11", "", "YEAR", "", "2026-11-20", "2026-12-11 2027-12-11 2028-12-11", "Every year on 11 December,"},
		{"2026-12-01", "", "WEEK", "", "2026-11-20", "2026-12-01 2026-12-08 2026-12-15", "Every week on Tuesday,"},
		{"2026-12-01", "", "TOWK", "", "2026-11-20", "2026-12-01 2026-12-15 2026-12-29", "Every two weeks on Tuesday,"},
		{"2026-11-27", "", "DAIL", "FWNG", "2026-11-20", "2026-11-27 2026-11-30<2026-11-28 2026-12-01", "Every day,"},
		{"2026-12-01", "2027-01-15", "MNTH", "", "2026-11-20", "2026-12-01 2027-01-01", "until 15 January 2027;"},
		{"2026-01-05", "", "MNTH", "", "2026-11-20", "2026-12-05 2027-01-05 2027-02-05", "from 5 January 2026"},
		{"2026-12-01", "", "SOON", "", "2026-11-20", "", "The rhythm is not known."},
		{"", "", "MNTH", "", "2026-11-20", "", "The first date is missing."},
	}
	for _, c := range cases {
		o := StandingOrder{First: c.first, Last: c.last, Frequency: c.frequency, Rule: c.rule}
		var next []string
		for _, e := range o.Next(c.from, 3) {
			text := string(e.Date)
			if e.Asked != e.Date {
				text += "<" + string(e.Asked)
			}
			next = append(next, text)
		}
		if got := strings.Join(next, " "); got != c.next {
			t.Errorf("%+v: %s, want %s", o, got, c.next)
		}
		if got := o.Sentence(); !strings.Contains(got, c.sentence) {
			t.Errorf("%+v: %s", o, got)
		}
	}
	if _, ok := StandingOrderOf(openbanking.CreditTransferTransaction{}); ok {
		t.Error("a plain transfer is no standing order")
	}
	o, ok := StandingOrderOf(openbanking.CreditTransferTransaction{Frequency: new(openbanking.FrequencyCodeMNTH), RequestedExecutionDate: new(openbanking.Date("2026-12-01")), ExecutionRule: new(openbanking.ExecutionRulePREC)})
	if !ok || o != (StandingOrder{First: "2026-12-01", Frequency: "MNTH", Rule: "PREC"}) {
		t.Errorf("%+v", o)
	}
}

// Behind an amount the rhythm and the span say what is agreed to.
func TestStandingOrderInShort(t *testing.T) {
	for code := range rhythms {
		if !openbanking.Known(code) {
			t.Errorf("%s is no rhythm", code)
		}
	}
	for _, c := range []struct {
		order        StandingOrder
		rhythm, span string
	}{
		{StandingOrder{First: "2026-12-01", Frequency: "MNTH"}, "every month", "from 1 December 2026"},
		{StandingOrder{First: "2026-12-01", Last: "2027-03-01", Frequency: "TOWK"}, "every two weeks", "from 1 December 2026 until 1 March 2027"},
		{StandingOrder{Frequency: "NEWS"}, "again and again", ""},
	} {
		if rhythm, span := c.order.Rhythm(), c.order.Span(); rhythm != c.rhythm || span != c.span {
			t.Errorf("%q %q, want %q %q", rhythm, span, c.rhythm, c.span)
		}
	}
}
