package finance

import (
	"strings"
	"testing"

	"florin/internal/openbanking"
)

// The next dates of a standing order follow its rhythm, its end and its rule for weekends.
func TestStandingOrders(t *testing.T) {
	cases := []struct {
		first, last openbanking.Date
		frequency   openbanking.FrequencyCode
		rule        openbanking.ExecutionRule
		from        openbanking.Date
		next        string
	}{
		{"2026-12-01", "", "MNTH", "FWNG", "2026-11-20", "2026-12-01 2027-01-01 2027-02-01"},
		{"2026-11-28", "", "MNTH", "FWNG", "2026-11-20", "2026-11-30<2026-11-28 2026-12-28 2027-01-28"},
		{"2026-11-28", "", "MNTH", "PREC", "2026-11-20", "2026-11-27<2026-11-28 2026-12-28 2027-01-28"},
		{"2026-11-29", "", "MNTH", "PREC", "2026-11-20", "2026-11-27<2026-11-29 2026-12-29 2027-01-29"},
		{"2026-11-29", "", "MNTH", "", "2026-11-20", "2026-11-29 2026-12-29 2027-01-29"},
		{"2026-12-31", "", "MNTH", "", "2026-11-20", "2026-12-31 2027-01-31 2027-02-28"},
		{"2028-01-31", "", "MNTH", "", "2028-01-01", "2028-01-31 2028-02-29 2028-03-31"},
		{"2026-12-31", "", "TOMN", "", "2026-11-20", "2026-12-31 2027-02-28 2027-04-30"},
		{"2026-12-02", "", "QUTR", "", "2026-11-20", "2026-12-02 2027-03-02 2027-06-02"},
		{"2026-12-03", "", "SEMI", "", "2026-11-20", "2026-12-03 2027-06-03 2027-12-03"},
		{"2028-02-29", "", "YEAR", "", "2028-01-01", "2028-02-29 2029-02-28 2030-02-28"},
		{"2026-12-11", "", "YEAR", "", "2026-11-20", "2026-12-11 2027-12-11 2028-12-11"},
		{"2026-12-01", "", "WEEK", "", "2026-11-20", "2026-12-01 2026-12-08 2026-12-15"},
		{"2026-12-01", "", "TOWK", "", "2026-11-20", "2026-12-01 2026-12-15 2026-12-29"},
		{"2026-11-27", "", "DAIL", "FWNG", "2026-11-20", "2026-11-27 2026-11-30<2026-11-28 2026-12-01"},
		{"2026-12-01", "2027-01-15", "MNTH", "", "2026-11-20", "2026-12-01 2027-01-01"},
		{"2026-01-05", "", "MNTH", "", "2026-11-20", "2026-12-05 2027-01-05 2027-02-05"},
		{"2026-12-01", "", "SOON", "", "2026-11-20", ""},
		{"", "", "MNTH", "", "2026-11-20", ""},
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
	}
	if _, ok := StandingOrderOf(openbanking.CreditTransferTransaction{}); ok {
		t.Error("a plain transfer is no standing order")
	}
	o, ok := StandingOrderOf(openbanking.CreditTransferTransaction{Frequency: new(openbanking.FrequencyCodeMNTH),
		RequestedExecutionDate: new(openbanking.Date("2026-12-01")), ExecutionRule: new(openbanking.ExecutionRulePREC)})
	if !ok || o != (StandingOrder{First: "2026-12-01", Frequency: "MNTH", Rule: "PREC"}) {
		t.Errorf("%+v", o)
	}
}
