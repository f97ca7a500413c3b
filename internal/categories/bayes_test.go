package categories

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"florin/internal/money"
)

func TestFeaturesOfARow(t *testing.T) {
	out := func(minor int64, f Facts) Facts { f.Out, f.Amount = true, money.FromMinor(-minor, "EUR"); return f }
	for name, c := range map[string]struct {
		facts Facts
		want  []string
	}{
		"words, amount, account":                 {out(1250, Facts{Name: "Café Müller", Text: "Danke, bis bald", In: "a1"}), []string{"-", "-#11", "-@a1", "-cafe", "-muller", "-danke", "-bis", "-bald"}},
		"money in":                               {Facts{Name: "Erika Beispiel", Amount: money.FromMinor(1250, "EUR")}, []string{"+", "+#11", "+erika", "+beispiel"}},
		"no numbers, no short words, none twice": {out(100, Facts{Name: "Bar 12", Text: "RE 4711 vom 3a Bar bar"}), []string{"-", "-#7", "-bar", "-vom"}},
		"no words of the bank":                   {out(100, Facts{Text: "Kartenzahlung 12.03. Foo Bonn Karte 1234"}), []string{"-", "-#7", "-foo", "-bonn"}},
		"not more than twelve words": {out(1, Facts{Text: "aaa bbb ccc ddd eee fff ggg hhh iii jjj kkk lll mmm nnn"}),
			[]string{"-", "-#1", "-aaa", "-bbb", "-ccc", "-ddd", "-eee", "-fff", "-ggg", "-hhh", "-iii", "-jjj", "-kkk", "-lll"}},
		"nothing": {Facts{Out: true}, []string{"-"}},
	} {
		if got := Features(c.facts, PayeeOf(c.facts)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if got := Features(out(1900, Facts{}), Payee{}); !slices.Equal(got, Features(out(1100, Facts{}), Payee{})) {
		t.Errorf("19.00 and 11.00 are of different sizes: %q", got)
	}
}

// chosen makes a memory of rows: the words of each, and the category that the person chose.
func chosen(rows ...[2]string) Memory {
	m := Memory{Lessons: map[Lesson]string{}, Counts: Counts{}}
	for _, r := range rows {
		f := Facts{Out: true, Text: r[0]}
		m.Counts.Add(Features(f, PayeeOf(f)), r[1], 1)
	}
	return m
}

func TestNaiveBayes(t *testing.T) {
	lessons := [][2]string{{"xylo lesson", "education"}, {"xylo lesson", "education"}, {"xylo lesson", "education"}, {"xylo lesson", "education"},
		{"quux bed", "home"}, {"quux bed", "home"}, {"quux bed", "home"}, {"quux", "home"}}
	for name, c := range map[string]struct {
		memory Memory
		text   string
		want   Decision
	}{
		"sure":                           {chosen(lessons...), "xylo lesson", Decision{Category: "education", By: ByLikeness, Why: "4 xylo lesson"}},
		"less sure":                      {chosen(lessons...), "xylo lesson bed", Decision{Suggestion: "education", Why: "4 xylo lesson"}},
		"as like one as the other":       {chosen(lessons...), "xylo quux", Decision{}},
		"like none":                      {chosen(lessons...), "something else", Decision{}},
		"before the list of merchants":   {chosen(lessons...), "lidl xylo lesson", Decision{Category: "education", By: ByLikeness, Why: "4 xylo lesson"}},
		"a suggestion does not stop":     {chosen(lessons...), "lidl xylo lesson bed", Decision{Category: "groceries", By: ByMerchant, Why: "lidl"}},
		"too few choices":                {chosen(lessons[:4]...), "xylo lesson", Decision{}},
		"all choices are of one":         {chosen(slices.Repeat(lessons[:1], 9)...), "xylo lesson", Decision{}},
		"words of all are no reason":     {chosen([2]string{"xylo a", "pets"}, [2]string{"xylo", "pets"}, [2]string{"xylo", "home"}, [2]string{"xylo", "car"}, [2]string{"xylo", "fuel"}), "xylo", Decision{}},
		"nothing is known of the person": {Memory{}, "xylo lesson", Decision{}},
	} {
		f := Facts{Out: true, Text: c.text}
		if got := c.memory.Decide(f, PayeeOf(f)); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	in := Facts{Text: "xylo lesson"}
	if got := chosen(lessons...).Decide(in, PayeeOf(in)); got != (Decision{}) {
		t.Errorf("money in is decided by money out: %+v", got)
	}
	rows, words := Likeness("4 xylo lesson")
	if rows != 4 || !slices.Equal(words, []string{"xylo", "lesson"}) {
		t.Errorf("the evidence is read as %d %q", rows, words)
	}
}

// Whatever is chosen, changed and taken back, in whatever order: the counts are those of the choices that are left.
func TestPropertyCountsAreThoseOfTheChoicesLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Counts{}
		kept := map[int]string{}
		features := func(row int) []string {
			f := Facts{Out: row%2 == 0, Text: fmt.Sprint("word", string(rune('a'+row)), " all")}
			return Features(f, PayeeOf(f))
		}
		for range rapid.IntRange(0, 40).Draw(t, "changes") {
			row, category := rapid.IntRange(0, 5).Draw(t, "row"), rapid.SampledFrom([]string{"", "pets", "car", "home"}).Draw(t, "category")
			if was := kept[row]; was != "" {
				c.Add(features(row), was, -1)
			}
			if kept[row] = category; category != "" {
				c.Add(features(row), category, 1)
			}
		}
		anew := Counts{}
		for row, category := range kept {
			if category != "" {
				anew.Add(features(row), category, 1)
			}
		}
		if !maps.EqualFunc(c, anew, maps.Equal[map[string]int]) {
			t.Fatalf("%v, counted anew %v", c, anew)
		}
	})
}
