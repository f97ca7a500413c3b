package search

import (
	"slices"
	"strings"

	"florin/internal/openbanking"
)

// Query is a condition on rows: And, Or, Not, Phrase, AmountRange, Period or Marked.
type Query interface {
	// Matches reports whether the row fulfils the condition.
	Matches(r Row) bool
}

// And matches rows that all conditions match; without conditions, all rows.
type And []Query

// Or matches rows that at least one condition matches; without conditions, no row.
type Or []Query

// Not matches the rows that its condition does not match.
type Not struct{ Query Query }

// Phrase matches rows that have the words one after the other in a part. Words are in the form of the function Words. The last one may be the beginning of a
// word.
type Phrase struct {
	In    Field
	Words []string
	Whole bool // the last word must be complete
}

// AmountRange matches amounts in a range, without regard to sign and currency.
type AmountRange struct {
	Low, High         Size // "" is unbounded
	AboveLow, BelowHi bool // the bound itself is excluded
}

// Period matches days from one to another, both included; "" is unbounded. A row without a date never matches.
type Period struct{ From, To openbanking.Date }

// Marked matches rows with at least one of the marks.
type Marked []Mark

// InAccount returns the query for the rows of an account, by its id.
func InAccount(id string) Query { return Marked{AccountMark(id)} }

// Matches implements Query.
func (q And) Matches(r Row) bool {
	return !slices.ContainsFunc(q, func(part Query) bool { return !part.Matches(r) })
}

// Matches implements Query.
func (q Or) Matches(r Row) bool {
	return slices.ContainsFunc(q, func(part Query) bool { return part.Matches(r) })
}

// Matches implements Query.
func (q Not) Matches(r Row) bool { return !q.Query.Matches(r) }

// Matches implements Query.
func (q Phrase) Matches(r Row) bool {
	fields := Fields
	if q.In != Anywhere {
		fields = []Field{q.In}
	}
	return slices.ContainsFunc(fields, func(f Field) bool { return q.in(strings.Fields(r.Words(f))) })
}

// Public returns the phrase for the rows of somebody else: it does not search notes and tags.
func (q Phrase) Public() Query {
	either := Or{}
	for _, f := range []Field{Payee, Text, Numbers} {
		if q.In == Anywhere || q.In == f {
			either = append(either, Phrase{In: f, Words: q.Words, Whole: q.Whole})
		}
	}
	return either
}

func (q Phrase) in(words []string) bool {
	for n := len(q.Words); n > 0 && len(words) >= n; words = words[1:] {
		last := words[n-1] == q.Words[n-1] || !q.Whole && strings.HasPrefix(words[n-1], q.Words[n-1])
		if last && slices.Equal(words[:n-1], q.Words[:n-1]) {
			return true
		}
	}
	return false
}

// Matches implements Query.
func (q AmountRange) Matches(r Row) bool { return q.holds(SizeOf(r.Amount).padded('0')) }

// Matches implements Query.
func (q Period) Matches(r Row) bool {
	return r.Date != "" && r.Date >= q.From && (q.To == "" || r.Date <= q.To)
}

// Matches implements Query.
func (q Marked) Matches(r Row) bool {
	return slices.ContainsFunc(q, func(m Mark) bool { return slices.Contains(r.Marks, m) })
}
