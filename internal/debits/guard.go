package debits

import (
	"cmp"
	"slices"
)

// Guard watches the debits of one account in memory. Its zero value knows none.
type Guard struct {
	debits []Debit // in the order of their days
	back   map[int64]bool
	told   map[string]bool
}

// Know adds debits from before the guard began to watch. They cause no findings.
func (g *Guard) Know(rows ...Debit) {
	g.add(rows)
}

// Look adds the new rows of a sync and returns the findings about them, in the order of their days.
func (g *Guard) Look(rows ...Debit) (found []Finding) {
	g.add(rows)
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, byDay)
	for _, d := range rows {
		if g.back[d.ID] {
			continue
		}
		for _, f := range Judge(d, g.past(d)) {
			if key := string(f.Kind) + " " + f.Key; !g.told[key] {
				g.told[key] = true
				found = append(found, f)
			}
		}
	}
	return found
}

func byDay(a, b Debit) int { return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.ID, b.ID)) }

// add adds rows, and marks the debits that they return.
func (g *Guard) add(rows []Debit) {
	if g.back == nil {
		g.back, g.told = map[int64]bool{}, map[string]bool{}
	}
	g.debits = append(g.debits, rows...)
	slices.SortStableFunc(g.debits, byDay)
	for _, r := range rows {
		if r.Amount.Sign() <= 0 {
			continue
		}
		for _, d := range slices.Backward(g.debits) {
			if !g.back[d.ID] && Returns(r, d) {
				g.back[d.ID] = true
				break
			}
		}
	}
}

// past returns what is known before a debit.
func (g *Guard) past(d Debit) (p Past) {
	for _, b := range slices.Backward(g.debits) {
		if b.Amount.Sign() >= 0 || byDay(b, d) >= 0 {
			continue
		}
		switch {
		case b.Creditor == d.Creditor:
			if p.Known = true; !g.back[b.ID] && len(p.Creditor) < Remembered {
				p.Creditor = append(p.Creditor, b)
			}
		case b.Party == d.Party && d.Party != "" && !slices.Contains(p.Others, b.Creditor):
			p.Others = append(p.Others, b.Creditor)
		}
	}
	return p
}
