// Package recurring finds recurring payments among the transactions of one person: rent, subscriptions, a salary. It is pure: rows go in, series with their
// rows as evidence come out. docs/recurring.md describes the rules.
package recurring

import (
	"cmp"
	"math"
	"slices"

	"florin/internal/money"
	"florin/internal/openbanking"
)

// Row is a booked transaction.
type Row struct {
	ID     int64
	Day    openbanking.Date
	Amount money.Amount // below zero is money out
	Payee  string       // equal for all rows of one payee; rows without it belong to no series
	Known  bool         // the bank names the account of the counterparty: a transfer or a direct debit rather than a purchase
}

// Facts describe a series, as calculated from its rows.
type Facts struct {
	Every openbanking.FrequencyCode // one of Rhythms
	// Anchor is the due day of the last row before it was moved off a weekend. MonthDay is its day of the month, 31 for the last day; 0 in a rhythm of weeks.
	Anchor   openbanking.Date
	MonthDay int
	Shift    int // where a due day on a weekend is moved: 1 to Monday, -1 to Friday, 0 nowhere

	First, Last openbanking.Date // days of the first and the last row
	Count       int              // number of rows
	Usual       money.Amount     // the amount expected next
	Low, High   money.Amount     // the range of the last rows, by size: |Low| <= |High|
	Steady      bool             // the amount is always the same, except for price changes
	Was         money.Amount     // the amount before the last price change; zero when the price never changed
	Since       openbanking.Date // the day of the first row with the present price; "" when the price never changed
}

// Series is a recurring payment with its rows, oldest first.
type Series struct {
	Facts
	Rows []Row
}

// rhythm describes how often the rows of a series come.
type rhythm struct {
	code         openbanking.FrequencyCode
	days, months int     // the length; one of them is 0
	slack        int     // how many days a row may be away from its due day in a search
	grace        int     // after so many days an expected row counts as missed
	over         int     // so many missed rows in succession end a series
	doubt        float64 // how much rarer series with this rhythm are than monthly ones, as a power of ten
	times        int64   // per year
}

var rhythms = []rhythm{
	{code: openbanking.FrequencyCodeWEEK, days: 7, slack: 3, grace: 3, over: 3, doubt: 0.3, times: 52},
	{code: openbanking.FrequencyCodeTOWK, days: 14, slack: 4, grace: 4, over: 3, doubt: 0.5, times: 26},
	{code: openbanking.FrequencyCodeMNTH, months: 1, slack: 6, grace: 7, over: 2, times: 12},
	{code: openbanking.FrequencyCodeTOMN, months: 2, slack: 7, grace: 10, over: 2, doubt: 0.7, times: 6},
	{code: openbanking.FrequencyCodeQUTR, months: 3, slack: 8, grace: 14, over: 2, doubt: 0.3, times: 4},
	{code: openbanking.FrequencyCodeSEMI, months: 6, slack: 10, grace: 21, over: 1, doubt: 0.5, times: 2},
	{code: openbanking.FrequencyCodeYEAR, months: 12, slack: 14, grace: 30, over: 1, doubt: 0.3, times: 1},
}

// Rhythms returns the rhythms of series, the shortest first.
func Rhythms() []openbanking.FrequencyCode {
	codes := make([]openbanking.FrequencyCode, 0, len(rhythms))
	for _, r := range rhythms {
		codes = append(codes, r.code)
	}
	return codes
}

func rhythmOf(code openbanking.FrequencyCode) (rhythm, bool) {
	i := slices.IndexFunc(rhythms, func(r rhythm) bool { return r.code == code })
	if i < 0 {
		return rhythm{}, false
	}
	return rhythms[i], true
}

// State is how far a series has come, with the states of Plaid's recurring transactions.
type State string

// States of a series.
const (
	Early  State = "early"  // fewer than three rows so far
	Mature State = "mature" // at least three
	Ended  State = "ended"  // so many rows are missing that no more are expected
)

// matureFrom is the number of rows from which on a series is mature.
const matureFrom = 3

// Status is the status of a series on a day.
type Status struct {
	State  State
	Next   openbanking.Date // when the next row is due; before today during the grace; "" when the series has ended
	Missed openbanking.Date // the last due day without a row; "" when none is missing
}

// On returns the status of the series on a day.
func (f Facts) On(today openbanking.Date) Status {
	s := Status{State: Mature}
	if f.Count < matureFrom {
		s.State = Early
	}
	r, ok := rhythmOf(f.Every)
	now, valid := dayOf(today)
	if !ok || !valid {
		return s
	}
	missed := 0
	f.due(func(due int) bool {
		if due+r.grace >= now {
			s.Next = dateOf(due)
			return false
		}
		missed++
		s.Missed = dateOf(due)
		return missed < r.over
	})
	if missed >= r.over {
		return Status{State: Ended}
	}
	return s
}

// Between returns the due days between two days, both included.
func (f Facts) Between(from, until openbanking.Date) []openbanking.Date {
	low, ok1 := dayOf(from)
	high, ok2 := dayOf(until)
	if !ok1 || !ok2 {
		return nil
	}
	var all []openbanking.Date
	f.due(func(due int) bool {
		if due >= low && due <= high {
			all = append(all, dateOf(due))
		}
		return due <= high && due < maxDay
	})
	return all
}

// PerYear returns the amount of the series per year. ok is false when it exceeds the largest amount.
func (f Facts) PerYear() (sum money.Amount, ok bool) {
	r, known := rhythmOf(f.Every)
	if n := f.Usual.Abs().Minor(); !known || n > math.MaxInt64/r.times {
		return money.Amount{}, false
	}
	return money.FromMinor(f.Usual.Minor()*r.times, f.Usual.Currency()), true
}

// Rose reports whether the price has changed and is higher now.
func (f Facts) Rose() bool { return f.Since != "" && f.Usual.Abs().Minor() > f.Was.Abs().Minor() }

// lately is the number of rows from which the usual amount is calculated.
const lately = 12

// alike reports whether two amounts differ by at most half a percent.
func alike(a, b int64) bool {
	if a > b {
		a, b = b, a
	}
	return b-a <= b/200
}

// Of describes rows that form one series. ok is false for fewer than two rows with a day and an amount.
func Of(rows []Row) (_ Series, ok bool) {
	points := pointsOf(rows)
	if len(points) < 2 {
		return Series{}, false
	}
	r := nearest(points)
	return describe(points, r), true
}

// nearest returns the rhythm that fits the gaps between rows best.
func nearest(points []point) rhythm {
	var gaps []int
	for i := 1; i < len(points); i++ {
		if gap := points[i].day - points[i-1].day; gap > 0 {
			gaps = append(gaps, gap)
		}
	}
	slices.Sort(gaps)
	gap := 30
	if len(gaps) > 0 {
		gap = gaps[len(gaps)/2]
	}
	return slices.MinFunc(rhythms, func(a, b rhythm) int {
		off := func(r rhythm) float64 { return math.Abs(math.Log(float64(gap) / float64(r.length()))) }
		return cmp.Compare(off(a), off(b))
	})
}

// length returns the average number of days between two rows.
func (r rhythm) length() int { return r.days + r.months*365/12 }

// describe returns the facts of rows that follow a rhythm, oldest first.
func describe(points []point, r rhythm) Series {
	s := Series{Rows: make([]Row, 0, len(points))}
	for _, p := range points {
		s.Rows = append(s.Rows, p.row)
	}
	a := anchorOf(r, points[max(0, len(points)-lately-1):])
	last := points[len(points)-1]
	s.Facts = Facts{Every: r.code, Anchor: dateOf(a.nominal(last)), Shift: a.shift, First: points[0].row.Day, Last: last.row.Day, Count: len(points)}
	if r.months > 0 {
		s.MonthDay = a.phase
	}
	sign, currency := int64(1), last.row.Amount.Currency()
	if last.row.Amount.Sign() < 0 {
		sign = -1
	}
	amount := func(size int64) money.Amount { return money.FromMinor(sign*size, currency) }
	var sizes []int64
	for _, p := range points[max(0, len(points)-lately):] {
		sizes = append(sizes, p.size)
	}
	run := 1 // number of rows with the last price
	for run < len(points) && alike(points[len(points)-1-run].size, last.size) {
		run++
	}
	same := 0
	for i := 1; i < len(sizes); i++ {
		if alike(sizes[i], sizes[i-1]) {
			same++
		}
	}
	s.Low, s.High, s.Was = amount(slices.Min(sizes)), amount(slices.Max(sizes)), amount(0)
	before := len(points) - 1 - run // the last row with another price
	changed := before >= 1 && alike(points[before].size, points[before-1].size)
	s.Steady = run >= 2 || changed
	if same*2 < len(sizes)-1 {
		s.Steady, changed = false, false
	}
	if s.Steady {
		s.Usual = amount(last.size)
	} else {
		slices.Sort(sizes)
		s.Usual = amount(sizes[len(sizes)/2])
	}
	if changed {
		s.Was, s.Since = amount(points[before].size), points[before+1].row.Day
	}
	return s
}

// Choice is what a person has decided about a series.
type Choice string

// Values of Choice. An Undecided series follows its rows; the others keep their state however the rows change.
const (
	Undecided Choice = ""
	Confirmed Choice = "confirmed"
	Dismissed Choice = "dismissed" // it is not found again
)

// Like reports whether two series of one payee may be the same one with changed rows: equal direction and currency, and similar amounts.
func (f Facts) Like(other Facts) bool {
	return f.Usual.Sign() == other.Usual.Sign() && f.Usual.Currency() == other.Usual.Currency() && !f.Usual.IsZero() &&
		unlike(f.Usual.Abs().Minor(), other.Usual.Abs().Minor()) < 0.3
}

// Kept is a stored series for the pages.
type Kept struct {
	ID       string
	Choice   Choice
	Name     string // the name given by the person; "" without one
	Title    string // Name, else the title of its last row
	LastRow  int64  // the id of the last row
	Account  string // the id of its account
	Category string // of the last row; "" for none
	Transfer bool   // the last row is part of a transfer between two accounts of one person
	Owner    string // the address of the owner; "" for the person's own
	Facts
}
