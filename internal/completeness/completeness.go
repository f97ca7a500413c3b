// Package completeness proves that the rows of an account are all that its bank has booked: what was on the account before, and the rows since, come to the
// balance that the bank gives. It knows neither store nor pages: readings in, verdict out (ADR 0050).
package completeness

import (
	"cmp"
	"slices"
	"time"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
)

// Reading is a booked balance of an account beside the booked rows that were there when it was read. All readings of an account are of one currency, and begin
// to count rows on the same day.
type Reading struct {
	Day     openbanking.Date // at whose end the balance is true; of the day on which it was read, as far as the bank has come
	Taken   time.Time        // when balance and rows were read
	Balance money.Amount
	Rows    money.Amount // what the rows come to that are booked until Day
	OnDay   money.Amount // the part of Rows that is booked on Day
	Late    money.Amount // what rows come to that came since the first reading and were booked before it; no part of Rows
	Since   money.Amount // what rows come to that came after this reading and are booked until Day: its balance may have had them already; no part of Rows
	Pending money.Amount // what the rows come to that are not booked
}

// Verdict says how far an account is known to be complete.
type Verdict struct {
	Since, Until openbanking.Date // the readings between them agree with each other; "" when no two readings do
	Breaks       []Break          // where the rows do not account for the balance, oldest first
	Open         *Break           // the last balance does not fit: it may be of another moment than the rows. The next one tells; nil when it fits
}

// Break is where the balance of a bank is not what the balance before and the rows come to.
type Break struct {
	After      openbanking.Date // the last day on which all was right
	Day        openbanking.Date // the first day of which the balance does not fit
	Difference money.Amount     // what the balance has more than the rows come to; below zero: less
	Pending    bool             // it is what came to the pending rows, or went from them, since: the bank seems to count them as booked
}

// Proof is a balance that is the sum of all booked rows until the end of a day.
type Proof struct {
	Day     openbanking.Date
	Type    openbanking.BalanceStatus
	Balance money.Amount
}

// Provable returns the balances by which rows can be proven, each with the day at whose end it is true, the earliest first.
//
// Of the balances of ISO 20022 only the booked ones are sums of booked rows: closing booked (CLBD) and interim booked (ITBD) at the end of their day, or as far
// as that has come; opening booked (OPBD) at the end of the day before; previously closed booked (PRCD) at the end of its day. An available one (CLAV, ITAV,
// OPAV, FWAV) may count a credit line and what is reserved, an expected one (XPCD) counts pending rows, one by value date (VALU) counts rows when they bear
// interest, and of INFO and OTHR the bank does not say what they are.
func Provable(account finance.Account, balances []finance.Balance) (list []Proof) {
	for _, b := range balances {
		if b.Amount.Currency() != account.Currency && account.Currency != finance.NoCurrency {
			continue
		}
		today := finance.Today(b.Fetched)
		day := min(cmp.Or(b.Reference, today), today)
		switch b.Type {
		case openbanking.BalanceStatusCLBD, openbanking.BalanceStatusITBD, openbanking.BalanceStatusPRCD:
		case openbanking.BalanceStatusOPBD:
			t, err := day.Time()
			if err != nil {
				continue
			}
			day = openbanking.DateOf(t.AddDate(0, 0, -1))
		default:
			continue
		}
		if !slices.ContainsFunc(list, func(p Proof) bool { return p.Day == day }) { // the bank names the one that counts first
			list = append(list, Proof{day, b.Type, b.Amount})
		}
	}
	slices.SortStableFunc(list, func(a, b Proof) int { return cmp.Compare(a.Day, b.Day) })
	return list
}

// opening is what was on the account before the first row that counts, as a reading has it; ok is false where no amount is so large.
func (r Reading) opening(without ...money.Amount) (opening money.Amount, ok bool) {
	opening = r.Balance
	for _, a := range append(without, r.Rows) {
		var err error
		if opening, err = opening.Sub(a); err != nil {
			return money.Amount{}, false
		}
	}
	return opening, true
}

// openings returns the possible balances before the first row, as far as this reading alone allows.
func (r Reading) openings() (all []money.Amount) {
	for _, without := range [][]money.Amount{nil, {r.Since}} {
		if one, fits := r.opening(without...); fits && !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	return all
}

// agrees reports whether the opening balance and the rows come to the balance of the reading, and until which day that proves the rows. The balance may be
// that of the beginning of its day, and may already include rows that arrived late.
func (r Reading) agrees(opening money.Amount) (until openbanking.Date, ok bool) {
	begin := r.OnDay.Neg()
	for _, way := range []struct {
		without []money.Amount
		until   openbanking.Date
	}{{nil, r.Day}, {[]money.Amount{begin}, dayBefore(r.Day)}, {[]money.Amount{r.Late}, r.Day}, {[]money.Amount{r.Late, begin}, dayBefore(r.Day)},
		{[]money.Amount{r.Since}, r.Day}, {[]money.Amount{r.Late, r.Since}, r.Day}} {
		if one, fits := r.opening(way.without...); fits && one == opening {
			return way.until, true
		}
	}
	return "", false
}

// agreeing returns the openings that agree with the reading, and the day until which all of them prove the rows.
func (r Reading) agreeing(openings []money.Amount) (until openbanking.Date, left []money.Amount) {
	for _, opening := range openings {
		if day, ok := r.agrees(opening); ok {
			if left = append(left, opening); until == "" || day < until {
				until = day
			}
		}
	}
	return until, left
}

// confirmedAfter is how long apart two readings of one day are to count as those of two: a bank may book between the call for the balance and the one for the
// rows, and may take hours to list what it has booked.
const confirmedAfter = 12 * time.Hour

func apart(a, b Reading) bool {
	return a.Day != b.Day || b.Taken.Sub(a.Taken) >= confirmedAfter
}

// Judge compares readings with each other, in the order of their days. One alone proves nothing: what was on an account before is learnt from it. Two that
// agree prove all rows between them, whatever single ones among them say: those were of another moment. Where two on different days say otherwise, rows are
// missing, or too many.
func Judge(readings []Reading) (v Verdict) {
	// what two readings agree on, none while no two do; two while it is open whether rows that came after both were in their balances
	var openings []money.Amount
	last := Reading{}
	var off []Reading // those since the last that agreed
	for i, r := range readings {
		if len(openings) > 0 {
			if until, left := r.agreeing(openings); len(left) > 0 {
				v.Until, openings, last, off = max(v.Until, until), left, r, nil
				continue
			}
			off = append(off, r)
			if !apart(off[0], r) || returns(readings[i+1:], openings) {
				continue
			}
			v.Breaks = append(v.Breaks, broken(v.Until, last, openings[0], off[0]))
			openings, v.Since, v.Until = nil, "", ""
		} else {
			off = append(off, r)
		}
		// Look for one that the last one agrees with.
		for k := len(off) - 2; k >= 0; k-- {
			if until, left := r.agreeing(off[k].openings()); len(left) > 0 {
				openings, last = left, r
				v.Since, v.Until, off = off[k].Day, until, nil
				break
			}
		}
	}
	if len(openings) > 0 && len(off) > 0 {
		open := broken(v.Until, last, openings[0], off[0])
		v.Open = &open
	}
	return v
}

// returns reports whether a later reading agrees with one of the openings again.
func returns(readings []Reading, openings []money.Amount) bool {
	return slices.ContainsFunc(readings, func(r Reading) bool { _, left := r.agreeing(openings); return len(left) > 0 })
}

// broken describes the first reading that does not fit, after the last one that did.
func broken(until openbanking.Date, last Reading, opening money.Amount, first Reading) Break {
	b := Break{After: until, Day: first.Day}
	if now, ok := first.opening(); ok {
		b.Difference, _ = now.Sub(opening)
	}
	if pending, err := first.Pending.Sub(last.Pending); err == nil {
		b.Pending = !pending.IsZero() && pending == b.Difference
	}
	return b
}

func dayBefore(d openbanking.Date) openbanking.Date {
	t, err := d.Time()
	if err != nil {
		return d
	}
	return openbanking.DateOf(t.AddDate(0, 0, -1))
}

// Row is a booked row about the days of a break.
type Row struct {
	ID     int64
	Day    openbanking.Date // on which it is booked
	Amount money.Amount
	Listed bool   // the bank lists it
	Says   string // who and what for: two rows that say the same may be one
}

// Cause is what is likely wrong where the rows break.
type Cause int

// Values of Cause.
const (
	Unknown   Cause = iota // a row of the difference is missing, or another row has a wrong amount
	Missing                // the bank no longer lists a row that is in its balance
	Doubled                // a row is there twice and once in the balance
	Uncarried              // a row is there that is not in the balance
	Pending                // the balance counts rows that are not booked
)

// Explain returns what is likely wrong, and the row that it is about; zero for none. rows are those that are booked from the last day on which all was right
// until the break, be they listed or not.
func (b Break) Explain(rows []Row) (Cause, Row) {
	if b.Pending {
		return Pending, Row{}
	}
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(x, y Row) int { return cmp.Or(cmp.Compare(y.Day, x.Day), cmp.Compare(y.ID, x.ID)) }) // what came last is more likely wrong
	for _, r := range rows {
		if !r.Listed && r.Amount == b.Difference {
			return Missing, r
		}
	}
	extra := -1
	for i, r := range rows {
		if !r.Listed || r.Amount != b.Difference.Neg() {
			continue
		}
		if slices.ContainsFunc(rows, func(other Row) bool {
			return other.ID != r.ID && other.Listed && other.Amount == r.Amount && other.Says == r.Says
		}) {
			return Doubled, r
		}
		if extra < 0 {
			extra = i
		}
	}
	if extra >= 0 {
		return Uncarried, rows[extra]
	}
	return Unknown, Row{}
}
