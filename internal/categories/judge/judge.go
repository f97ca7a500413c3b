// Package judge measures how good the chain of package categories is, on made-up ledgers of households that correct each mistake once.
package judge

import (
	"florin/internal/categories"
	"florin/internal/categories/household"
	"florin/internal/finance"
	"florin/internal/openbanking"
)

// Share counts rows: all of them, those that got a category when they arrived, and those that got the right one.
type Share struct{ Rows, Covered, Right int }

// with returns the share with one more row.
func (s Share) with(d categories.Decision, truth string) Share {
	s.Rows++
	if d.Category != "" {
		s.Covered++
	}
	if d.Category == truth {
		s.Right++
	}
	return s
}

// Wrong returns the number of rows with a wrong category.
func (s Share) Wrong() int { return s.Covered - s.Right }

// Score measures how good the chain is.
type Score struct {
	All        Share
	Known      Share // rows of parties that already had an earlier row
	NewChains  Share // first rows of chains
	FirstMonth Share // rows of the first month, as if the person had never chosen a category

	Suggestions, Accepted int // and those of them that were right

	Steps    map[categories.Step]Share // rows by the step that decided
	Mistakes []Mistake
}

// Mistake is a row with a wrong category or none.
type Mistake struct {
	categories.Facts
	Want string
	categories.Decision
}

// Ledgers measures the chain on ledgers.
func Ledgers(all []household.Ledger) (Score, error) {
	s := Score{Steps: map[categories.Step]Share{}}
	for _, l := range all {
		if err := s.add(l); err != nil {
			return s, err
		}
	}
	return s, nil
}

// add adds the results for a ledger, whose rows arrive one after the other. When a row has a wrong category or none, the person chooses the right one, but
// only once for each party and direction.
func (s *Score) add(l household.Ledger) error {
	reader := finance.Reader{Currency: "EUR", Number: l.Account, Today: "2030-01-01"}
	own := map[string]bool{l.Account: true}
	for _, number := range l.Own {
		own[number] = true
	}
	untaught := categories.Memory{Own: own}
	m := categories.Memory{Own: own, Lessons: map[categories.Lesson]string{}, Counts: categories.Counts{}}
	type side struct {
		party string
		in    bool
	}
	met, corrected := map[side]bool{}, map[side]bool{}
	firstMonth := openbanking.Date("")
	for _, row := range l.Rows {
		entry, err := reader.Read(row.Transaction, nil)
		if err != nil {
			return err
		}
		f := categories.FactsOf(entry.Transaction, entry.Signs, l.Account)
		payee := categories.PayeeOf(f)
		d := m.Decide(f, payee)
		s.All = s.All.with(d, row.Category)
		s.Steps[d.By] = s.Steps[d.By].with(d, row.Category)
		who := side{row.Party, !f.Out}
		if met[who] {
			s.Known = s.Known.with(d, row.Category)
		} else if row.Chain {
			s.NewChains = s.NewChains.with(d, row.Category)
		}
		if firstMonth == "" {
			firstMonth = (*row.BookingDate)[:len("2006-01")]
		}
		if (*row.BookingDate)[:len("2006-01")] == firstMonth {
			s.FirstMonth = s.FirstMonth.with(untaught.Decide(f, payee), row.Category)
		}
		if d.Suggestion != "" {
			s.Suggestions++
			if d.Suggestion == row.Category {
				s.Accepted++
			}
		}
		if d.Category != row.Category {
			s.Mistakes = append(s.Mistakes, Mistake{f, row.Category, d})
			if !corrected[who] {
				corrected[who] = true
				m.Learn(f, payee, row.Category)
			}
		}
		met[who] = true
	}
	return nil
}

// Bar is a share of rows that the chain must reach or must not exceed.
type Bar struct {
	Name    string
	Of      func(Score) float64
	Goal    float64
	AtLeast bool
}

func part(n, of int) float64 { return float64(n) / float64(max(of, 1)) }

// Bars are the limits for the chain.
var Bars = []Bar{
	{"wrong, of all rows", func(s Score) float64 { return part(s.All.Wrong(), s.All.Rows) }, 0.02, false},
	{"known counterparties: with a category", func(s Score) float64 { return part(s.Known.Covered, s.Known.Rows) }, 0.95, true},
	{"known counterparties: right, of those", func(s Score) float64 { return part(s.Known.Right, s.Known.Covered) }, 0.98, true},
	{"chains never seen before: with a category", func(s Score) float64 { return part(s.NewChains.Covered, s.NewChains.Rows) }, 0.6, true},
	{"chains never seen before: right, of those", func(s Score) float64 { return part(s.NewChains.Right, s.NewChains.Covered) }, 0.95, true},
	{"first month without a choice: with a category", func(s Score) float64 { return part(s.FirstMonth.Covered, s.FirstMonth.Rows) }, 0.5, true},
}
