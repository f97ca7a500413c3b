// Package completeness proves that the stored rows of an account are all that its bank has booked: the opening balance plus the rows equals the balance from
// the bank. It is pure: readings in, verdict out (ADR 0050).
package completeness

import (
	"cmp"
	"slices"
	"time"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
)

// Reading is a booked balance of an account together with the totals of the booked rows at the time it was read. All readings of an account have the same
// currency and count rows from the same day on.
type Reading struct {
	Day     openbanking.Date // the balance is that at the end of this day; on the day of the reading itself, that of the bookings so far
	Taken   time.Time        // when balance and rows were read
	Balance money.Amount
	Rows    money.Amount // total of the rows booked up to Day
	OnDay   money.Amount // the part of Rows that is booked on Day
	Late    money.Amount // total of the rows that arrived after the first reading but were booked before it; not part of Rows
	Since   money.Amount // total of the rows booked up to Day that arrived after this reading; its balance may already include them; not part of Rows
	Pending money.Amount // total of the pending rows
}

// Verdict says how far an account is known to be complete.
type Verdict struct {
	Since, Until openbanking.Date // the first and the last day of the readings that agree; "" when no two do
	Breaks       []Break          // where rows and balance differ, oldest first
	Open         *Break           // set when the last balance does not fit. It may have been read at another moment than the rows; the next reading decides
}

// Break is a difference between the balance from the bank and the earlier balance plus the rows.
type Break struct {
	After      openbanking.Date // the last day on which the balance was right
	Day        openbanking.Date // the first day whose balance does not fit
	Difference money.Amount     // the balance less the sum of the rows
	Pending    bool             // pending rows changed by exactly this amount: the bank seems to count them as booked
}

// Proof is a balance that equals the sum of all booked rows up to the end of a day.
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

// opening returns the balance of the account before its first row, calculated from the reading. ok is false when it exceeds the largest amount.
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

// confirmedAfter is the time after which a second reading on the same day counts as one of another day. A bank may book between the call for the balance and
// the call for the rows, and may take hours to list what it has booked.
const confirmedAfter = 12 * time.Hour

func apart(a, b Reading) bool {
	return a.Day != b.Day || b.Taken.Sub(a.Taken) >= confirmedAfter
}

// Judge compares readings in the order of their days. A single reading proves nothing, because the opening balance is calculated from it. Two that agree
// prove all rows between them; single readings in between that differ were taken at another moment. When readings of two different days disagree with that,
// rows are missing or superfluous.
func Judge(readings []Reading) (v Verdict) {
	// the opening balances on which two readings agree; none before two do; two as long as it is unknown whether rows that arrived later were in both
	// balances
	var openings []money.Amount
	last := Reading{}
	var off []Reading // the readings since the last one that agreed
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
		// Find an earlier reading with which the last one agrees.
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

// broken describes the first reading that does not fit after the last one that did.
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

// Row is a booked row near the days of a break.
type Row struct {
	ID     int64
	Day    openbanking.Date // on which it is booked
	Amount money.Amount
	Listed bool   // the bank still lists it
	Says   string // counterparty and text: equal for two rows that may be the same booking
}

// Cause is the likely reason of a break.
type Cause int

// Values of Cause.
const (
	Unknown   Cause = iota // a row of the difference is missing, or a row has a wrong amount
	Missing                // the bank no longer lists a row that its balance includes
	Doubled                // a row is stored twice and was booked once
	Uncarried              // a row is stored that the balance does not include
	Pending                // the balance includes pending rows
)

// Explain returns the likely reason of the break and the row that causes it, or a zero Row. rows are those booked from After until Day, whether the bank
// still lists them or not.
func (b Break) Explain(rows []Row) (Cause, Row) {
	if b.Pending {
		return Pending, Row{}
	}
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(x, y Row) int { return cmp.Or(cmp.Compare(y.Day, x.Day), cmp.Compare(y.ID, x.ID)) }) // the latest is the likeliest cause
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
