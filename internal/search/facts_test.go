package search

import "testing"

// Facts are written as a text that says them and nothing else.
func TestFactsAsText(t *testing.T) {
	value := func(of Operator, id string) string {
		return map[string]string{"G": "Groceries", "A": `My "giro" 1`}[id]
	}
	for want, f := range map[string]Facts{
		`-is:transfer`: {},
		`category:"Groceries" account:"My  giro  1" on:2026-02 is:out`: {Categories: []string{"G"}, Accounts: []string{"A"}, Flow: MarkOut,
			Period: Period{From: "2026-02-01", To: "2026-02-28"}},
		`is:uncategorised on:2026 -is:transfer`:                                   {Uncategorised: true, Period: Period{From: "2026-01-01", To: "2026-12-31"}},
		`(account:"Groceries" OR account:"Groceries") on:2026-02-03 -is:transfer`: {Accounts: []string{"G", "G"}, Period: Period{From: "2026-02-03", To: "2026-02-03"}},
		`tag:"Italy 2026" after:2026-02-03 before:2026-03-01 -is:transfer`:        {Tag: "Italy 2026", Period: Period{From: "2026-02-03", To: "2026-02-28"}},
		`payee:"Rewe" before:2026-03-01 is:in -is:transfer`:                       {Payee: "Rewe", Period: Period{To: "2026-02-28"}, Flow: MarkIn},
	} {
		got := f.Query(value)
		if _, fault := Parse(got, context); got != want || fault != nil && fault.Kind != FaultName {
			t.Errorf("%+v: %s, want %s (%v)", f, got, want, fault)
		}
	}
}
