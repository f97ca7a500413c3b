package search

import (
	"strings"
	"testing"
)

// Facts are written as a text that says them and nothing else.
func TestFactsAsText(t *testing.T) {
	value := func(of Operator, id string) string {
		return map[string]string{"G": "Groceries", "A": `My "giro" 1`}[id]
	}
	for want, f := range map[string]Facts{
		`-is:transfer`: {},
		`category:"Groceries" account:«My "giro" 1» on:2026-02 is:out`: {Categories: []string{"G"}, Accounts: []string{"A"}, Flow: MarkOut,
			Period: Period{From: "2026-02-01", To: "2026-02-28"}},
		`is:uncategorised on:2026 -is:transfer`:                                   {Uncategorised: true, Period: Period{From: "2026-01-01", To: "2026-12-31"}},
		`(account:"Groceries" OR account:"Groceries") on:2026-02-03 -is:transfer`: {Accounts: []string{"G", "G"}, Period: Period{From: "2026-02-03", To: "2026-02-03"}},
		`tag:="Italy 2026" after:2026-02-03 before:2026-03-01 -is:transfer`:       {Tags: []string{"Italy 2026"}, Period: Period{From: "2026-02-03", To: "2026-02-28"}},
		`payee:="Rewe" before:2026-03-01 is:in -is:transfer`:                      {Payees: []string{"Rewe"}, Period: Period{To: "2026-02-28"}, Flow: MarkIn},
		`(payee:="A" OR payee:=«B "x"») (tag:=«“a» OR tag:="b") -is:transfer`:     {Payees: []string{"A", `B "x"`}, Tags: []string{"“a", "b"}},
	} {
		got := f.Query(value)
		if _, fault := Parse(got, context); got != want || fault != nil && fault.Kind != FaultName {
			t.Errorf("%+v: %s, want %s (%v)", f, got, want, fault)
		}
	}
}

// Whatever a payee and a tag are called, the text of each finds its rows and not those of another.
func TestExactNames(t *testing.T) {
	in := Context{Today: "2026-11-22", PayeeKey: func(name string) string { return strings.Join(Words(name), " ") }}
	names := []string{"Lidl", "Lidl Plus", "a-b", "a b", "ab", `"x"`, "x", "«x»", "“x", "🎉", "🎉 2", "日本", "(a)", "a:b", "-a", "（a）", "is:out", "a OR b", "="}
	of := func(name string) Row { return Row{Marks: []Mark{TagMark(name), PayeeMark(in.PayeeKey(name))}} }
	for _, name := range names {
		for facts, same := range map[*Facts]func(other string) bool{
			{Tags: []string{name}}:   func(other string) bool { return other == name },
			{Payees: []string{name}}: func(other string) bool { return in.PayeeKey(other) == in.PayeeKey(name) && in.PayeeKey(name) != "" },
		} {
			text := facts.Query(nil)
			parsed, fault := Parse(text, in)
			if fault != nil {
				t.Errorf("%s: %v", text, fault)
				continue
			}
			for _, other := range names {
				if parsed.Query.Matches(of(other)) != same(other) {
					t.Errorf("%s finds %q: %t", text, other, !same(other))
				}
			}
		}
	}
}
