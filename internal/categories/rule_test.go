package categories

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
)

func facts(name, text string, minor int64) Facts {
	return Facts{Out: minor < 0, Name: name, Text: text, Amount: money.FromMinor(minor, "EUR"), Date: "2026-03-10", In: "giro"}
}

func judge(m Memory, f Facts) Judgement { return m.Judge(f, PayeeOf(f)) }

func TestRuleFits(t *testing.T) {
	lidl := facts("LIDL 0815 BONN DE", "Einkauf Müsli", -4200)
	lidl.MerchantCode, lidl.Account, lidl.Kind = "5411", "DE89370400440532013000", "Kartenzahlung"
	for _, c := range []struct {
		name string
		Conditions
		want bool
	}{
		{"nothing asked", Conditions{}, true},
		{"name", Conditions{Payees: []string{"Lidl"}}, true},
		{"the beginning of a word", Conditions{Payees: []string{"lid"}}, true},
		{"the middle of a word", Conditions{Payees: []string{"idl"}}, false},
		{"a number that the clean name leaves out", Conditions{Payees: []string{"lidl 0815"}}, true},
		{"words in another order", Conditions{Payees: []string{"0815 lidl"}}, false},
		{"one of two names", Conditions{Payees: []string{"Aldi", "Lidl"}}, true},
		{"none of two names", Conditions{Payees: []string{"Aldi", "Rewe"}}, false},
		{"text without accent", Conditions{Texts: []string{"musli"}}, true},
		{"kind of transaction", Conditions{Texts: []string{"kartenzahlung"}}, true},
		{"the name is no text", Conditions{Texts: []string{"lidl"}}, false},
		{"account", Conditions{Numbers: []string{"DE89370400440532013000"}}, true},
		{"a part of the account", Conditions{Numbers: []string{"DE8937"}}, false},
		{"merchant code", Conditions{MerchantCodes: []string{"5812", "5411"}}, true},
		{"another merchant code", Conditions{MerchantCodes: []string{"5812"}}, false},
		{"amount", Conditions{Low: "42", High: "42"}, true},
		{"amount below", Conditions{Low: "42.01"}, false},
		{"amount above", Conditions{High: "41,99"}, false},
		{"out", Conditions{Flow: FlowOut}, true},
		{"in", Conditions{Flow: FlowIn}, false},
		{"account of the person", Conditions{AccountID: "giro"}, true},
		{"another account of the person", Conditions{AccountID: "card"}, false},
		{"first day", Conditions{From: "2026-03-10"}, true},
		{"last day", Conditions{To: "2026-03-09"}, false},
		{"all of it", Conditions{Payees: []string{"lidl"}, Flow: FlowOut, Low: "10", High: "50", From: "2026-01-01", To: "2026-12-31"}, true},
		{"all but one", Conditions{Payees: []string{"lidl"}, Flow: FlowOut, Low: "10", High: "20"}, false},
	} {
		if got := (Memory{}).Fit(RulesOf([]Rule{{Conditions: c.Conditions}}), lidl, PayeeOf(lidl)); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	undated := lidl
	undated.Date = ""
	if (Memory{}).Fit(RulesOf([]Rule{{Conditions: Conditions{To: "2026-12-31"}}}), undated, PayeeOf(undated)) {
		t.Error("a row without a date is in a period")
	}
}

// The first rule that gives a category decides it, and so it is with the name; what is done once comes from all that fit.
func TestJudgeByRules(t *testing.T) {
	m := Memory{Rules: RulesOf([]Rule{
		{ID: "off", Off: true, Actions: Actions{Category: "pets"}},
		{ID: "tag", Actions: Actions{Tags: []string{"all"}}},
		{ID: "aldi", Conditions: Conditions{Payees: []string{"aldi"}}, Actions: Actions{Category: "pets"}},
		{ID: "lidl", Conditions: Conditions{Payees: []string{"lidl"}}, Actions: Actions{Category: "gifts", Name: "Discounter"}},
		{ID: "late", Actions: Actions{Category: "pets", Name: "Anybody", Note: "seen", Reviewed: true}},
	})}
	j := judge(m, facts("LIDL 0815 BONN DE", "", -4200))
	if j.Decision != (Decision{Category: "gifts", By: ByRule, Why: "lidl"}) || j.Name != "Discounter" || j.Key != "lidl" {
		t.Errorf("%+v", j)
	}
	want := []Deed{{Rule: "tag", Kind: DeedTag, Value: "all"}, {Rule: "late", Kind: DeedNote, Value: "seen"}, {Rule: "late", Kind: DeedReviewed}}
	if !reflect.DeepEqual(j.Deeds, want) {
		t.Errorf("deeds %+v", j.Deeds)
	}
	m.Own = map[string]bool{"DE89": true}
	f := facts("Erika", "", -100)
	f.Account = "DE89"
	if j := judge(m, f); j.By != ByRule {
		t.Errorf("an own transfer comes before the rules: %+v", j)
	}
	m.Names = NamesOf(map[string]string{"lidl": "My shop"})
	if j := judge(m, facts("LIDL", "", -1)); j.Name != "My shop" || j.Key != "my shop" || j.By != ByRule {
		t.Errorf("a name that the person gave comes first: %+v", j)
	}
	m.Rules = RulesOf([]Rule{{ID: "mine", Conditions: Conditions{Payees: []string{"my shop"}}, Actions: Actions{Category: "pets"}}})
	if j := judge(m, facts("LIDL", "", -1)); j.Why != "mine" {
		t.Errorf("a rule looks for the name that the person gave: %+v", j)
	}
}

func TestRuleHides(t *testing.T) {
	wide := Rule{Conditions: Conditions{Payees: []string{"lidl"}}, Actions: Actions{Category: "groceries"}}
	for name, c := range map[string]struct {
		behind Rule
		want   bool
	}{
		"narrower":           {Rule{Conditions: Conditions{Payees: []string{"lidl bonn"}, Flow: FlowOut}, Actions: Actions{Category: "pets"}}, true},
		"one name more":      {Rule{Conditions: Conditions{Payees: []string{"lidl", "aldi"}}, Actions: Actions{Category: "pets"}}, false},
		"every row":          {Rule{Actions: Actions{Category: "pets"}}, false},
		"gives a name, too":  {Rule{Conditions: wide.Conditions, Actions: Actions{Category: "pets", Name: "Shop"}}, false},
		"gives a tag, too":   {Rule{Conditions: wide.Conditions, Actions: Actions{Category: "pets", Tags: []string{"x"}}}, false},
		"switched off":       {Rule{Off: true, Conditions: wide.Conditions, Actions: Actions{Category: "pets"}}, false},
		"the same once more": {wide, true},
	} {
		if got := wide.Hides(c.behind); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if off := (Rule{Off: true, Actions: wide.Actions}); off.Hides(wide) {
		t.Error("a rule that is switched off hides another")
	}
	if !(Conditions{}).Any() || wide.Any() {
		t.Error("Any")
	}
}

// drawFacts and drawConditions are made of few values, so that rules often fit.
func drawFacts(rt *rapid.T) Facts {
	minor := rapid.SampledFrom([]int64{-1, -999, -1000, -1001, -2050, 999, 1000, 5000, 0}).Draw(rt, "minor")
	f := facts(rapid.SampledFrom([]string{"", "Corner Shop", "SumUp *Corner Shop 0815", "Corner", "ALDI SUED"}).Draw(rt, "name"),
		rapid.SampledFrom([]string{"", "rent March", "Corner rent", "card"}).Draw(rt, "text"), minor)
	f.Kind = rapid.SampledFrom([]string{"", "card"}).Draw(rt, "kind")
	f.Date = rapid.SampledFrom([]openbanking.Date{"", "2026-01-01", "2026-01-31", "2026-02-01"}).Draw(rt, "date")
	f.Account = rapid.SampledFrom([]string{"", "DE1", "DE2"}).Draw(rt, "number")
	f.In = rapid.SampledFrom([]string{"giro", "card"}).Draw(rt, "account")
	f.Signs = finance.Signs{MerchantCode: rapid.SampledFrom([]string{"", "5411", "5812"}).Draw(rt, "code")}
	return f
}

func drawConditions(rt *rapid.T, name string) Conditions {
	some := func(of string, values ...string) []string {
		return rapid.SliceOfNDistinct(rapid.SampledFrom(values), 0, 2, rapid.ID).Draw(rt, name+" "+of)
	}
	one := func(of string, values ...string) string { return rapid.SampledFrom(values).Draw(rt, name+" "+of) }
	return Conditions{Payees: some("payees", "corner", "corner shop", "aldi", "sumup"), Texts: some("texts", "rent", "rent march", "card"),
		Numbers: some("numbers", "DE1", "DE2"), MerchantCodes: some("codes", "5411", "5812"), Low: one("low", "", "9.99", "10", "10.01"),
		High: one("high", "", "10", "20.5", "100"), Flow: Flow(one("flow", "", "in", "out")), AccountID: one("account", "", "giro", "card"),
		From: openbanking.Date(one("from", "", "2026-01-01", "2026-01-31")), To: openbanking.Date(one("to", "", "2026-01-31", "2026-02-01"))}
}

func fit(c Conditions, f Facts) bool {
	return (Memory{}).Fit(RulesOf([]Rule{{Conditions: c}}), f, PayeeOf(f))
}

// What a rule covers it fits, too. What is widened to a row fits it, and goes on to fit what it did.
func TestPropertyCoversAndWidens(t *testing.T) {
	covered, widened := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		a, b, f, g := drawConditions(rt, "a"), drawConditions(rt, "b"), drawFacts(rt), drawFacts(rt)
		if rapid.Bool().Draw(rt, "less") { // else few cover others
			a.Texts, a.Numbers, a.MerchantCodes, a.AccountID, a.From, a.Low = nil, nil, nil, "", "", ""
		}
		if rapid.Bool().Draw(rt, "narrower") { // b asks for all that a does
			b.Payees, b.Flow, b.High, b.To = a.Payees, a.Flow, a.High, a.To
			for _, list := range []struct{ a, b *[]string }{{&a.Texts, &b.Texts}, {&a.Numbers, &b.Numbers}, {&a.MerchantCodes, &b.MerchantCodes}} {
				if len(*list.a) > 0 {
					*list.b = *list.a
				}
			}
			b.AccountID, b.From, b.Low = cmp.Or(a.AccountID, b.AccountID), cmp.Or(a.From, b.From), cmp.Or(a.Low, b.Low)
		}
		if a.covers(b) {
			covered++
			if fit(b, f) && !fit(a, f) {
				rt.Fatalf("%+v covers %+v, and does not fit %+v", a, b, f)
			}
		}
		wide, ok := a.Widen(f)
		if ok != fit(wide, f) {
			rt.Fatalf("widened to %+v: %v", wide, ok)
		}
		if ok {
			widened++
		}
		if fit(a, g) && !fit(wide, g) {
			rt.Fatalf("%+v widened to %+v no longer fits %+v", a, wide, g)
		}
	})
	if covered == 0 || widened == 0 {
		t.Errorf("%d covered, %d widened: nothing was tried", covered, widened)
	}
}

// A rule made from a row fits it, whatever it is made of.
func TestPropertyRuleForARowFitsIt(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := drawFacts(rt)
		if c := RuleFor(f); !fit(c, f) {
			rt.Fatalf("%+v does not fit %+v", c, f)
		}
	})
}

// However often names are given and taken back, what was named last is shown, and all that is shown with one name has one memory.
func TestPropertyNames(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		all := []string{"Anna", "Bert", "Carl", "Dora"}
		given := map[string]string{}
		for i := range rapid.IntRange(1, 12).Draw(rt, "steps") {
			name := rapid.SampledFrom(all).Draw(rt, fmt.Sprint("row ", i))
			n := NamesOf(given)
			if rapid.IntRange(0, 3).Draw(rt, fmt.Sprint("undo ", i)) == 0 {
				delete(given, NameKey(name))
				continue
			}
			to := rapid.SampledFrom(all).Draw(rt, fmt.Sprint("to ", i))
			_, key, _ := n.Of(name, NameKey(name))
			for _, k := range n.Shared(key) {
				given[k] = to
			}
			if shown, shownKey, _ := NamesOf(given).Of(name, NameKey(name)); shown != to || shownKey != NameKey(to) {
				rt.Fatalf("%s was renamed to %s and is shown as %s (%s): %v", name, to, shown, shownKey, given)
			}
		}
		n := NamesOf(given)
		for _, a := range all {
			_, shownKey, _ := n.Of(a, NameKey(a))
			for _, b := range all {
				_, other, _ := n.Of(b, NameKey(b))
				keys := n.Shared(shownKey)
				if slices.Contains(keys, NameKey(b)) != (other == shownKey) {
					rt.Fatalf("%s looks under %v, %s is shown as %s: %v", a, keys, b, other, given)
				}
			}
		}
	})
}

// What one of two merged names learned counts for the other.
func TestOneNameOneMemory(t *testing.T) {
	m := Memory{Lessons: map[Lesson]string{{ByName, true, "corner"}: "gifts"}, Names: NamesOf(map[string]string{"corner": "Shop"})}
	if j := judge(m, facts("Shop", "", -1)); j.Category != "gifts" || j.By != ByName {
		t.Errorf("%+v", j)
	}
	m.Lessons[Lesson{ByName, true, "shop"}] = "pets"
	for _, name := range []string{"Shop", "Corner"} {
		if j := judge(m, facts(name, "", -1)); j.Category != "pets" || j.Name != "Shop" || j.Key != "shop" {
			t.Errorf("%s: %+v", name, j)
		}
	}
}
