package search

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"florin/internal/money"
	"florin/internal/openbanking"
)

func named(of Operator, words []string, _ bool) []Mark {
	if strings.HasPrefix("groceries", words[0]) && of == OfCategory {
		return []Mark{CategoryMark("G")}
	}
	if words[0] == "giro" && of == OfAccount {
		return []Mark{AccountMark("A"), AccountMark("B")}
	}
	return nil
}

var context = Context{Today: "2026-11-22", Named: named, PayeeKey: func(name string) string { return strings.Join(Words(name), " ") }}

func size(text string) Size { s, _ := sizeOf(text); return s }

func exactly(text string) Query { return AmountRange{Low: size(text), High: size(text)} }

func anywhere(words ...string) Query { return Phrase{Words: words} }

func TestParse(t *testing.T) {
	for text, want := range map[string]Query{
		"":                   And{},
		"  \t ":              And{},
		"… — !":              And{},
		"Café":               anywhere("cafe"),
		"STRAẞE":             anywhere("strasse"),
		"rent may":           And{anywhere("rent"), anywhere("may")},
		`"rent may"`:         Phrase{Words: []string{"rent", "may"}, Whole: true},
		"„rent may“":         Phrase{Words: []string{"rent", "may"}, Whole: true},
		"-rent":              Not{anywhere("rent")},
		"rent -may":          And{anywhere("rent"), Not{anywhere("may")}},
		"a OR b c":           Or{anywhere("a"), And{anywhere("b"), anywhere("c")}},
		"(a OR b) c":         And{Or{anywhere("a"), anywhere("b")}, anywhere("c")},
		"-(a OR b)":          Not{Or{anywhere("a"), anywhere("b")}},
		"a-b":                anywhere("a", "b"),
		"a - b":              And{anywhere("a"), anywhere("b")},
		"or":                 anywhere("or"),
		`"OR"`:               Phrase{Words: []string{"or"}, Whole: true},
		"12.5":               Or{anywhere("12", "5"), exactly("12.5")},
		"12,50":              Or{anywhere("12", "50"), exactly("12.5")},
		"1.234,56":           Or{anywhere("1", "234", "56"), exactly("1234.56")},
		"1,234.56":           Or{anywhere("1", "234", "56"), exactly("1234.56")},
		"€42":                Or{anywhere("42"), exactly("42")},
		"1.234":              Or{anywhere("1", "234"), exactly("1.234"), exactly("1234")},
		"2026-11-20":         Or{anywhere("2026", "11", "20"), Period{"2026-11-20", "2026-11-20"}},
		"-20.11.2026":        Not{Or{anywhere("20", "11", "2026"), Period{"2026-11-20", "2026-11-20"}}},
		"31.11.2026":         anywhere("31", "11", "2026"),
		`"20.11.2026"`:       Phrase{Words: []string{"20", "11", "2026"}, Whole: true},
		"2026-11":            anywhere("2026", "11"),
		"amount:12,50":       exactly("12.50"),
		"amount:>50":         AmountRange{Low: size("50"), AboveLow: true},
		"amount:>=1.234,50":  AmountRange{Low: size("1234.5")},
		"amount:<50":         AmountRange{High: size("50"), BelowHi: true},
		"amount:20..40":      AmountRange{Low: size("20"), High: size("40")},
		"amount:20..":        AmountRange{Low: size("20")},
		"amount:..1.000":     AmountRange{High: size("1000")},
		"amount:-42":         And{Marked{MarkOut}, exactly("42")},
		"amount:+>10":        And{Marked{MarkIn}, AmountRange{Low: size("10"), AboveLow: true}},
		"AMOUNT:1":           exactly("1"),
		`amount:"1'000.00"`:  exactly("1000"),
		"payee:rewe":         Phrase{In: Payee, Words: []string{"rewe"}},
		`payee:"Rewe Markt"`: Phrase{In: Payee, Words: []string{"rewe", "markt"}, Whole: true},
		`payee:="Lidl Plus"`: Marked{PayeeMark("lidl plus")},
		"PAYEE:=lidl":        Marked{PayeeMark("lidl")},
		`payee:="!"`:         Or{},
		`payee:"=x"`:         Phrase{In: Payee, Words: []string{"x"}, Whole: true},
		`tag:="Italy  2026"`: Marked{TagMark("italy 2026")},
		`-tag:=«a "b"»`:      Not{Marked{TagMark(`a "b"`)}},
		"amount:=50":         exactly("50"),
		"note:=x":            Phrase{In: Note, Words: []string{"x"}},
		"note:x":             Phrase{In: Note, Words: []string{"x"}},
		"tag:trip":           Phrase{In: Tags, Words: []string{"trip"}},
		"text:invoice":       Phrase{In: Text, Words: []string{"invoice"}},
		"iban:DE89":          Phrase{In: Numbers, Words: []string{"de89"}},
		`iban:"DE89 3704"`:   Phrase{In: Numbers, Words: []string{"de893704"}, Whole: true},
		"DE89 3704 0044 0532 0130 00 rent": And{Phrase{In: Numbers, Words: []string{"de89370400440532013000"}, Whole: true},
			anywhere("rent")},
		"groc":               Or{anywhere("groc"), Marked{CategoryMark("G")}},
		"category:groceries": Marked{CategoryMark("G")},
		"account:giro":       Marked{AccountMark("A"), AccountMark("B")},
		"after:2026-01":      Period{From: "2026-01-01"},
		"before:2026-01-15":  Period{To: "2026-01-14"},
		"on:2025":            Period{From: "2025-01-01", To: "2025-12-31"},
		"on:2024-02":         Period{From: "2024-02-01", To: "2024-02-29"},
		"on:3.2.2026":        Period{From: "2026-02-03", To: "2026-02-03"},
		"last:3m":            Period{From: "2026-08-22"},
		"last:2w":            Period{From: "2026-11-08"},
		"is:pending":         Marked{MarkPending},
		"is:uncategorised":   Not{Marked{MarkCategorised}},
		"-is:to-review":      Not{Marked{MarkToReview}},
		"has:note":           Marked{MarkNote},
	} {
		got, fault := Parse(text, context)
		if fault != nil || !reflect.DeepEqual(got.Query, want) {
			t.Errorf("%q: %#v, %+v, want %#v", text, got.Query, fault, want)
		}
	}
}

func TestFaults(t *testing.T) {
	for text, want := range map[string]Fault{
		"rent amout:50":         {Kind: FaultOperator, From: 5, To: 11, Text: "amout", Meant: "amount"},
		"x http://y":            {Kind: FaultOperator, From: 2, To: 7, Text: "http"},
		"payee:=":               {Kind: FaultNoValue, Operator: OfPayee, From: 0, To: 7},
		"payee:":                {Kind: FaultNoValue, Operator: OfPayee, From: 0, To: 6},
		"amount:much":           {Kind: FaultAmount, Operator: OfAmount, From: 0, To: 11, Text: "much"},
		"amount:1.23.4":         {Kind: FaultAmount, Operator: OfAmount, From: 0, To: 13, Text: "1.23.4"},
		"amount:..":             {Kind: FaultAmount, Operator: OfAmount, From: 0, To: 9, Text: ".."},
		"after:yesterday":       {Kind: FaultDate, Operator: OfAfter, From: 0, To: 15, Text: "yesterday"},
		"on:2026-02-30":         {Kind: FaultDate, Operator: OfOn, From: 0, To: 13, Text: "2026-02-30"},
		"last:month":            {Kind: FaultLast, Operator: OfLast, From: 0, To: 10, Text: "month"},
		"is:transfers":          {Kind: FaultState, Operator: OfIs, From: 0, To: 12, Text: "transfers", Meant: "transfer"},
		"has:feathers":          {Kind: FaultState, Operator: OfHas, From: 0, To: 12, Text: "feathers"},
		"account:xyz":           {Kind: FaultName, Operator: OfAccount, From: 0, To: 11, Text: "xyz"},
		"bank:xyz":              {Kind: FaultName, Operator: OfBank, From: 0, To: 8, Text: "xyz"},
		`a "b`:                  {Kind: FaultQuote, From: 2, To: 3, Text: `"`},
		"a (b":                  {Kind: FaultOpen, From: 2, To: 3, Text: "("},
		"a b)":                  {Kind: FaultClose, From: 3, To: 4, Text: ")"},
		"a ()":                  {Kind: FaultEmptyBracket, From: 2, To: 3, Text: "("},
		"OR a":                  {Kind: FaultOr, From: 0, To: 2, Text: "OR"},
		"a OR":                  {Kind: FaultOr, From: 2, To: 4, Text: "OR"},
		"a -)":                  {Kind: FaultMinus, From: 2, To: 3, Text: "-"},
		"é ü amount:x":          {Kind: FaultAmount, Operator: OfAmount, From: 4, To: 12, Text: "x"},
		strings.Repeat("(", 11): {Kind: FaultDeep, From: 10, To: 11, Text: "("},
	} {
		_, fault := Parse(text, context)
		if fault == nil || *fault != want {
			t.Errorf("%q: %+v, want %+v", text, fault, want)
		}
	}
	if _, fault := Parse(strings.Repeat("a ", 5000), context); fault == nil || fault.Kind != FaultLong {
		t.Errorf("got %+v", fault)
	}
	if _, fault := Parse(strings.Repeat("a ", 100), context); fault == nil || fault.Kind != FaultMany {
		t.Errorf("got %+v", fault)
	}
}

// The parts are pieces of the text: each alone is good, and the rows of the whole match each.
func TestParts(t *testing.T) {
	for text, want := range map[string][]string{
		`a -b (c OR d) amount:>5 "x y"`: {"a", "-b", "(c OR d)", "amount:>5", `"x y"`},
		"a OR b":                        {"a OR b"},
		"":                              nil,
		"DE89 3704 0044 0532 0130 00 é": {"DE89 3704 0044 0532 0130 00", "é"},
	} {
		parsed, fault := Parse(text, context)
		var got []string
		for _, p := range parsed.Parts {
			got = append(got, string([]rune(text)[p.From:p.To]))
		}
		if fault != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Whatever is typed is read or refused with a place within it; what is read can be asked of a row.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "a", `"`, "((((", "-(-(a OR b))", "amount:20..40", "payee:\"x\" NEAR(a b) marks:a*", "\xff\xfe", "日本 ا ب", "a\x00b", "۱۲", "is:is:is",
		strings.Repeat("(", 10000), strings.Repeat("9", 10000), "amount:" + strings.Repeat("1", 40), "before:1900", "{payee} : ^x + y"} {
		f.Add(seed)
	}
	row := Row{Payee: "Café", Text: "rent 12.50", Amount: money.FromMinor(-1250, "EUR"), Date: openbanking.Date("2026-03-01"), Marks: []Mark{MarkOut}}
	f.Fuzz(func(t *testing.T, text string) {
		parsed, fault := Parse(text, context)
		runes := utf8.RuneCountInString(strings.ToValidUTF8(text, " "))
		if fault != nil {
			if fault.From < 0 || fault.From > fault.To || fault.To > runes {
				t.Errorf("the fault stands at %d to %d of %d", fault.From, fault.To, runes)
			}
			return
		}
		parsed.Query.Matches(row)
		last := 0
		for _, p := range parsed.Parts {
			if p.From < last || p.To <= p.From || p.To > runes {
				t.Errorf("parts %v of %d", parsed.Parts, runes)
			}
			last = p.To
		}
	})
}

// Ranges of amounts are words of the index that amounts within have, and no other.
func TestTermsOfRanges(t *testing.T) {
	has := func(terms []Term, word string) bool {
		for _, term := range terms {
			if term.Text == word || term.Prefix && strings.HasPrefix(word, term.Text) {
				return true
			}
		}
		return false
	}
	limits := []int64{0, 1, 9, 10, 99, 100, 101, 999, 1000, 1249, 1250, 1251, 9999, 10000, 99999, 123456, 1_000_000_00}
	for _, low := range limits {
		for _, high := range limits {
			for _, open := range []bool{false, true} {
				q := AmountRange{Low: SizeOf(money.FromMinor(low, "EUR")), High: SizeOf(money.FromMinor(high, "EUR")), AboveLow: open, BelowHi: open}
				terms, outside := q.Terms()
				for _, minor := range limits {
					want := minor >= low && minor <= high && (!open || minor != low && minor != high)
					s := SizeOf(money.FromMinor(minor, "EUR"))
					if got := has(terms, string(s)) != outside; got != want {
						t.Errorf("%d..%d (open: %t): %d is in it: %t", low, high, open, minor, got)
					}
				}
			}
		}
	}
}
