// Package judge measures how good package recurring is, on made-up ledgers with known series: those of package household, in which days move, rows are
// missing, amounts vary and prices change, and more series that households have in addition to bills.
package judge

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"florin/internal/categories"
	"florin/internal/categories/household"
	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/recurring"
)

// Truth is a series of the ledger.
type Truth struct {
	Every openbanking.FrequencyCode
	Rows  []recurring.Row // oldest first
	Due   []openbanking.Date
}

// Ledger is a made-up ledger with its series.
type Ledger struct {
	Rows   []recurring.Row // oldest first
	Series []Truth
}

// begin is the first day of a ledger.
var begin = time.Date(2023, time.January, 1, 0, 0, 0, 0, time.UTC)

// end is the day after the last one of a ledger.
func end() time.Time { return begin.AddDate(household.Years, 0, 0) }

// maker makes a ledger.
type maker struct {
	*rand.Rand
	Ledger
	works bool // the bank books only on working days
}

// beside lists series that a household has in addition to its bills.
var beside = []struct {
	payee        string
	in, known    bool
	days, months int
	code         openbanking.FrequencyCode
	from, to     int64 // minor units
}{
	{payee: "market stall", days: 7, code: openbanking.FrequencyCodeWEEK, from: 1500, to: 3000},
	{payee: "cleaner", known: true, days: 14, code: openbanking.FrequencyCodeTOWK, from: 4000, to: 7000},
	{payee: "weekly paper", known: true, days: 7, code: openbanking.FrequencyCodeWEEK, from: 300, to: 500},
	{payee: "second job", in: true, known: true, days: 14, code: openbanking.FrequencyCodeTOWK, from: 30000, to: 60000},
	{payee: "second job", in: true, known: true, days: 7, code: openbanking.FrequencyCodeWEEK, from: 12000, to: 20000},
	{payee: "waterworks", known: true, months: 2, code: openbanking.FrequencyCodeTOMN, from: 4000, to: 9000},
	{payee: "chimney sweep", known: true, months: 6, code: openbanking.FrequencyCodeSEMI, from: 5000, to: 9000},
	{payee: "car insurance", known: true, months: 6, code: openbanking.FrequencyCodeSEMI, from: 20000, to: 40000},
	{payee: "domain", months: 12, code: openbanking.FrequencyCodeYEAR, from: 1200, to: 3000},
	{payee: "club", known: true, months: 12, code: openbanking.FrequencyCodeYEAR, from: 4000, to: 9000},
	{payee: "cloud storage", months: 1, code: openbanking.FrequencyCodeMNTH, from: 199, to: 999},
	{payee: "video", months: 1, code: openbanking.FrequencyCodeMNTH, from: 799, to: 1799},
	{payee: "video", months: 1, code: openbanking.FrequencyCodeMNTH, from: 3799, to: 4799}, // a second contract with the same payee
	{payee: "tenant", in: true, known: true, months: 1, code: openbanking.FrequencyCodeMNTH, from: 40000, to: 90000},
	{payee: "", months: 1, code: openbanking.FrequencyCodeMNTH, from: 499, to: 1299}, // with a shop where the household also buys at any time
}

// Make makes up a ledger. The same seed always gives the same ledger.
func Make(seed uint64) (Ledger, error) {
	countries := household.Countries()
	statements := household.Of(countries[seed%uint64(len(countries))], int(seed/uint64(len(countries)))%household.Styles)
	m := &maker{Rand: rand.New(rand.NewPCG(seed, 14))} //nolint:gosec // made-up ledgers must be reproducible
	m.works = m.IntN(2) == 0
	reader := finance.Reader{Currency: "EUR", Number: statements.Account, Today: "2030-01-01"}
	type bill struct {
		party string
		in    bool
	}
	bills := map[bill][]recurring.Row{}
	every := map[bill]int{}
	var order []bill
	var shop string
	for _, w := range statements.Rows {
		entry, err := reader.Read(w.Transaction, nil)
		if err != nil {
			return Ledger{}, err
		}
		facts := categories.FactsOf(entry.Transaction, entry.Signs, statements.Account)
		row := recurring.Row{Day: entry.Date, Amount: entry.Amount, Payee: categories.PayeeOf(facts).Key, Known: entry.CounterpartyAccount != ""}
		if w.Every == 0 {
			m.add(row)
			if w.Category == "shopping" && w.Chain {
				shop = row.Payee
			}
			continue
		}
		key := bill{w.Party, !facts.Out}
		if bills[key] == nil {
			order = append(order, key)
		}
		bills[key], every[key] = append(bills[key], row), w.Every
	}
	months := map[int]openbanking.FrequencyCode{1: openbanking.FrequencyCodeMNTH, 2: openbanking.FrequencyCodeTOMN, 3: openbanking.FrequencyCodeQUTR,
		6: openbanking.FrequencyCodeSEMI, 12: openbanking.FrequencyCodeYEAR}
	for _, key := range order {
		m.series(months[every[key]], bills[key])
	}
	for _, b := range beside {
		if m.IntN(3) == 0 {
			continue
		}
		row := recurring.Row{Payee: cmp.Or(b.payee, shop), Known: b.known}
		size := b.from + m.Int64N(b.to-b.from)
		if !b.in {
			size = -size
		}
		row.Amount = money.FromMinor(size, "EUR")
		var rows []recurring.Row
		first := begin.AddDate(0, 0, m.IntN(1+b.days+28*b.months))
		for n := 0; ; n++ {
			day := first.AddDate(0, 0, n*b.days)
			if b.months > 0 {
				month := time.Date(first.Year(), first.Month()+time.Month(n*b.months), 1, 0, 0, 0, 0, time.UTC)
				day = month.AddDate(0, 0, min(first.Day(), month.AddDate(0, 1, -1).Day())-1)
			}
			if !day.Before(end()) {
				break
			}
			row.Day = openbanking.DateOf(day)
			rows = append(rows, row)
		}
		m.series(b.code, rows)
	}
	slices.SortStableFunc(m.Rows, func(a, b recurring.Row) int { return cmp.Compare(a.Day, b.Day) })
	return m.Ledger, nil
}

// add adds a row.
func (m *maker) add(r recurring.Row) recurring.Row {
	r.ID = int64(len(m.Rows) + 1)
	m.Rows = append(m.Rows, r)
	return r
}

// series adds the rows of a series with the irregularities of real life: some begin late or end early, days move, rows are missing, amounts vary or prices
// change.
func (m *maker) series(every openbanking.FrequencyCode, rows []recurring.Row) {
	t := Truth{Every: every}
	if len(rows) > 8 {
		switch m.IntN(4) {
		case 0:
			rows = rows[m.IntN(len(rows)-6):]
		case 1:
			rows = rows[:6+m.IntN(len(rows)-6)]
		}
	}
	varies, change, percent := m.IntN(2) == 0, 2+m.IntN(60), 103+m.Int64N(27)
	steady := !varies && m.IntN(3) > 0 // the same amount each time, except for a price change
	usual := rows[0].Amount.Minor()
	moves := 3 // days
	switch every {
	case openbanking.FrequencyCodeWEEK:
		moves = 1
	case openbanking.FrequencyCodeTOWK:
		moves = 2
	}
	for n, r := range rows {
		at, err := r.Day.Time()
		if err != nil {
			panic(fmt.Sprintf("made-up row: %v", err))
		}
		if m.IntN(3) == 0 {
			at = at.AddDate(0, 0, m.IntN(2*moves+1)-moves)
		}
		for m.works && (at.Weekday() == time.Saturday || at.Weekday() == time.Sunday) {
			at = at.AddDate(0, 0, 1)
		}
		t.Due = append(t.Due, openbanking.DateOf(at))
		if n > 0 && m.IntN(15) == 0 {
			continue
		}
		minor := r.Amount.Minor()
		if steady {
			minor = usual
		}
		if varies {
			minor = minor * (80 + m.Int64N(41)) / 100
		} else if n >= change {
			minor = minor * percent / 100
		}
		r.Day, r.Amount = openbanking.DateOf(at), money.FromMinor(minor, r.Amount.Currency())
		t.Rows = append(t.Rows, m.add(r))
	}
	m.Series = append(m.Series, t)
}

// Score measures how good the search is.
type Score struct {
	Found, Right  int // series that the search found, and those of them that exist
	There, Missed int // existing series of three or more rows, and those of them that the search did not find
	Next, Near    int // rows whose day was predicted, and those that came within three days of it
	Mistakes      []string
}

// Precision returns the share of found series that exist.
func (s Score) Precision() float64 { return float64(s.Right) / float64(max(s.Found, 1)) }

// Recall returns the share of existing series that were found.
func (s Score) Recall() float64 { return float64(s.There-s.Missed) / float64(max(s.There, 1)) }

// Punctual returns the share of rows that came within three days of the predicted day.
func (s Score) Punctual() float64 { return float64(s.Near) / float64(max(s.Next, 1)) }

// Bars are the goals that the search must reach.
var Bars = []struct {
	Name string
	Of   func(Score) float64
	Goal float64
}{
	{"series found that are right", Score.Precision, 0.95},
	{"series there are that are found", Score.Recall, 0.90},
	{"next rows that come within 3 days of the day told", Score.Punctual, 0.90},
}

// With returns the score with the results of one more ledger: of the whole ledger, and of the days predicted on five earlier days.
func (s Score) With(l Ledger) Score {
	found, _ := recurring.Find(context.Background(), l.Rows) // there is enough time
	s.Found += len(found)
	matched := match(l.Series, found)
	for i, f := range found {
		if matched[i] >= 0 {
			s.Right++
			continue
		}
		s.Mistakes = append(s.Mistakes, fmt.Sprintf("there is none: %s %q, %d rows from %s, usually %s", f.Every, f.Rows[0].Payee, f.Count, f.First, f.Usual))
	}
	for n, t := range l.Series {
		if len(t.Rows) < 3 {
			continue
		}
		s.There++
		if !slices.Contains(matched, n) {
			s.Missed++
			s.Mistakes = append(s.Mistakes, fmt.Sprintf("not found: %s %q, %d rows from %s, %s", t.Every, t.Rows[0].Payee, len(t.Rows), t.Rows[0].Day, t.Rows[0].Amount))
		}
	}
	for n := range 5 {
		s = s.foretold(l, openbanking.DateOf(begin.AddDate(0, 14+4*n, 3+5*n)))
	}
	return s
}

// foretold returns the score after comparing the predictions made on one day with what was booked.
func (s Score) foretold(l Ledger, today openbanking.Date) Score {
	before := func(rows []recurring.Row) []recurring.Row {
		n, _ := slices.BinarySearchFunc(rows, today, func(r recurring.Row, d openbanking.Date) int { return cmp.Compare(r.Day, d) })
		return rows[:n]
	}
	past := make([]Truth, 0, len(l.Series))
	for _, t := range l.Series {
		slices.SortStableFunc(t.Rows, func(a, b recurring.Row) int { return cmp.Compare(a.Day, b.Day) })
		past = append(past, Truth{Every: t.Every, Rows: before(t.Rows)})
	}
	found, _ := recurring.Find(context.Background(), before(l.Rows))
	for i, n := range match(past, found) {
		if n < 0 || len(past[n].Rows) < 3 || len(past[n].Rows) == len(l.Series[n].Rows) {
			continue
		}
		t := l.Series[n]
		last, came := past[n].Rows[len(past[n].Rows)-1].Day, t.Rows[len(past[n].Rows)].Day
		if slices.ContainsFunc(t.Due, func(d openbanking.Date) bool { return d > last && d < came }) {
			continue // a row is missing between the two
		}
		status := found[i].On(today)
		s.Next++
		if near(status.Next, came) {
			s.Near++
		} else {
			s.Mistakes = append(s.Mistakes, fmt.Sprintf("on %s: %s %q comes on %q, not on %s; last on %s", today, t.Every, t.Rows[0].Payee, status.Next, came, found[i].Last))
		}
	}
	return s
}

func near(told, came openbanking.Date) bool {
	a, err := told.Time()
	if err != nil {
		return false
	}
	b, err := came.Time()
	return err == nil && a.Sub(b).Abs() <= 3*24*time.Hour
}

// match returns, for each found series, the index of the existing series that it is, or -1. At least four in five of its rows belong to that series, it holds
// at least half of the rows of that series, the rhythm is right, and no other found series is matched with it.
func match(series []Truth, found []recurring.Series) []int {
	of := map[int64]int{}
	for n, t := range series {
		for _, r := range t.Rows {
			of[r.ID] = n
		}
	}
	matched := make([]int, len(found))
	taken := map[int]bool{}
	for i, f := range found {
		matched[i] = -1
		counts := map[int]int{}
		for _, r := range f.Rows {
			if n, ok := of[r.ID]; ok {
				counts[n]++
			}
		}
		for n, count := range counts {
			if count*5 >= len(f.Rows)*4 && count*2 >= len(series[n].Rows) && f.Every == series[n].Every && !taken[n] {
				matched[i], taken[n] = n, true
			}
		}
	}
	return matched
}
