package search

import (
	"slices"
	"strings"

	"florin/internal/openbanking"
)

// Query is a condition on rows: And, Or, Not, Phrase, AmountRange, Period or Marked.
type Query interface {
	// Matches reports whether a row is one of those that are looked for.
	Matches(r Row) bool
}

// And is the rows of all conditions; without any, all rows.
type And []Query

// Or is the rows of one condition at least; without any, no row.
type Or []Query

// Not is the rows that a condition leaves out.
type Not struct{ Query Query }

// Phrase is words that stand one after the other in a part of the row, in the form that Words gives them. The last one may go on.
type Phrase struct {
	In    Field
	Words []string
	Whole bool // the last word does not go on
}

// AmountRange is amounts between two, without their signs and in whatever currency.
type AmountRange struct {
	Low, High         Size // "" is without end
	AboveLow, BelowHi bool // the end itself is left out
}

// Period is days from one to another, both included; "" is without end. A row without a date is in none.
type Period struct{ From, To openbanking.Date }

// Marked is the rows that bear one mark at least.
type Marked []Mark

// InAccount is the rows of an account, by its id.
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
