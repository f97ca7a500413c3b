// Package judge measures how good package debits is, on made-up accounts for which the findings to report are known. They hold the direct debits of package
// household, with days that move, missing debits, varying amounts, mandates in several spellings, debits that are returned and collected again, and purchases
// that are paid by direct debit.
package judge

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"florin/internal/categories"
	"florin/internal/categories/household"
	"florin/internal/debits"
	"florin/internal/finance"
	"florin/internal/openbanking"
)

// Row is a row of the bank, with the finding that should be reported about it.
type Row struct {
	household.Row

	Wants debits.Kind // "" for nothing
	Free  bool        // no finding is required, but one is right too: it follows from a change that was planted earlier
}

// Account is a made-up account.
type Account struct {
	IBAN string
	Rows []Row // in the order of their days
}

// begin is the first day of an account.
var begin = time.Date(2023, time.January, 1, 0, 0, 0, 0, time.UTC)

// Watched is the number of years in which an account is watched. Earlier rows come with its first sync.
const Watched = household.Years - 1

// watched is the first day on which an account is watched.
func watched() openbanking.Date { return openbanking.DateOf(begin.AddDate(1, 0, 0)) }

// maker makes an account.
type maker struct {
	*rand.Rand

	reader  finance.Reader
	parties map[string][]Row // bills by direct debit, in the order of their days
	steady  map[string]bool  // parties whose price stays the same
	order   []string
	rest    []Row
}

// Make makes up an account. The same seed always gives the same account. put says whether cases that should be reported are planted in it.
func Make(seed uint64, put bool) Account {
	countries := household.Countries()
	n := uint64(len(countries))
	ledger := household.Lived(countries[seed%n], int(seed/n)%household.Styles, int(seed/n/household.Styles), 0)
	m := &maker{Rand: rand.New(rand.NewPCG(seed, 18)), parties: map[string][]Row{}, steady: map[string]bool{}, //nolint:gosec // made-up accounts are to be the same again
		reader: finance.Reader{Currency: "EUR", Number: ledger.Account, Today: "2030-01-01"}}
	for _, r := range ledger.Rows {
		if _, debit := debits.Read(r.Transaction); !debit || r.Every == 0 {
			m.rest = append(m.rest, Row{Row: r})
			continue
		}
		if m.parties[r.Party] == nil {
			m.order = append(m.order, r.Party)
		}
		m.parties[r.Party] = append(m.parties[r.Party], Row{Row: r})
	}
	for _, party := range m.order {
		m.live(party)
	}
	m.purchases()
	if put {
		m.put()
	}
	all := m.rest
	for _, party := range m.order {
		all = append(all, m.back(m.parties[party])...)
	}
	for i := range all {
		all[i].Transaction = m.spelled(all[i].Transaction)
	}
	slices.SortStableFunc(all, func(a, b Row) int { return cmp.Compare(day(a), day(b)) })
	return Account{IBAN: ledger.Account, Rows: all}
}

func day(r Row) openbanking.Date { return *r.BookingDate }

// live gives the debits of a party the irregularities of real life: either the price is constant except for one increase that should be reported, or amounts
// vary; days move, and some debits are missing.
func (m *maker) live(party string) {
	rows := m.parties[party]
	manner, change := m.IntN(3), len(rows)/2+m.IntN(len(rows)) // the change may come after the last debit
	usual, price := cents(rows[0]), 103+m.IntN(25)
	m.steady[party] = manner == 0
	var kept []Row
	years := map[string]int{} // of amounts
	for i, r := range rows {
		switch manner {
		case 0:
			r = r.costs(usual)
			if i >= change {
				r = r.costs(usual * price / 100)
			}
			if i == change && i >= 3 {
				r.Wants = debits.Dearer
			}
		case 1:
			r = r.costs(usual * (80 + m.IntN(41)) / 100)
		} // else the amounts are those of package household: most are constant within a year, and one in four is a little higher
		years[r.TransactionAmount.Amount] = moved(r, 0).Year()
		if m.IntN(3) == 0 {
			r = r.on(moved(r, m.IntN(7)-3))
		}
		if m.IntN(15) > 0 || r.Wants != "" {
			kept = append(kept, r)
		}
	}
	slices.SortStableFunc(kept, func(a, b Row) int { return cmp.Compare(day(a), day(b)) })
	for i := range kept {
		if manner == 2 && i > 0 && cents(kept[i]) > cents(kept[i-1]) {
			kept[i].Free = years[kept[i].TransactionAmount.Amount] != years[kept[i-1].TransactionAmount.Amount] // each year is a little dearer
			if kept[i].Category == "phone" && i >= 3 && day(kept[i]) >= watched() {
				kept[i].Wants = debits.Dearer
			}
		}
	}
	if day(rows[0]) >= watched() && len(kept) > 0 { // a contract that began while the account was watched
		kept[0].Wants = debits.NewCreditor
	}
	m.parties[party] = kept
}

// purchases adds purchases with an online payment service that debits the account.
func (m *maker) purchases() {
	if len(m.order) == 0 {
		return
	}
	like := m.parties[m.order[m.IntN(len(m.order))]][0]
	service := m.other(m.as(like, "Zahlfix Europe", m.number("LU", 96), "ZF"+m.digits(10)), "Zahlfix Europe")
	var rows []Row
	for at := begin; at.Before(begin.AddDate(household.Years, 0, 0)); at = at.AddDate(0, 0, 1+m.IntN(20)) {
		r := service.on(at).costs(int(100 * math.Exp(2+m.NormFloat64())))
		r.RemittanceInformation = append(slices.Clone(r.RemittanceInformation), "purchase "+m.digits(6))
		rows = append(rows, r)
	}
	m.order = append(m.order, "Zahlfix Europe")
	m.parties["Zahlfix Europe"] = rows
}

func (m *maker) digits(n int) string {
	var b strings.Builder
	for range n {
		b.WriteByte(byte('0' + m.IntN(10)))
	}
	return b.String()
}

func (m *maker) number(country string, check int) string {
	return fmt.Sprintf("%s%02dZZZ%s", country, check, m.digits(11))
}

// other returns a copy of a row for another party.
func (m *maker) other(r Row, party string) Row {
	r.Party, r.Chain, r.Wants, r.Free, r.Every = party, false, "", false, 1
	return r
}

// as returns a row with another name of the payee, another creditor and another mandate; "" leaves a value unchanged.
func (m *maker) as(r Row, name, creditor, mandate string) Row {
	signs, _ := debits.Read(r.Transaction)
	lines := slices.Clone(r.RemittanceInformation)
	replace := func(old, by string) {
		if old == "" || by == "" {
			return
		}
		for i := range lines {
			lines[i] = strings.ReplaceAll(lines[i], old, by)
		}
	}
	if name != "" {
		if r.Creditor != nil && r.Creditor.Name != nil {
			was := *r.Creditor.Name
			replace(was, name)
			party := *r.Creditor
			party.Name = &name
			account := "DE02" + m.digits(18)
			r.Creditor, r.CreditorAccount = &party, &openbanking.AccountIdentification{IBAN: &account}
		}
		replace(strings.ToUpper(r.Party), strings.ToUpper(name))
		replace(r.Party, name)
	}
	replace(signs.Creditor, creditor)
	replace(signs.Mandate, mandate)
	r.RemittanceInformation = lines
	return r
}

// put plants the cases that should be reported, each at another party: two of each kind in the years that are watched.
func (m *maker) put() {
	free := slices.Clone(m.order)
	m.Shuffle(len(free), func(i, j int) { free[i], free[j] = free[j], free[i] })
	take := func(fits func(party string) bool) string {
		for i, party := range free {
			if party != "Zahlfix Europe" && fits(party) {
				free = slices.Delete(free, i, i+1)
				return party
			}
		}
		return ""
	}
	plain := func(party string) bool { // a party with enough debits, and with nothing to report yet
		rows := m.parties[party]
		return len(rows) > 16 && !slices.ContainsFunc(rows, func(r Row) bool { return r.Wants != "" })
	}
	steady := func(party string) bool { return plain(party) && m.steady[party] }
	some := func(rows []Row) int { // the index of a row in the watched years
		first := slices.IndexFunc(rows, func(r Row) bool { return day(r) > openbanking.DateOf(begin.AddDate(1, 1, 0)) })
		return first + m.IntN(len(rows)-first)
	}
	for range 2 {
		if party := take(plain); party != "" {
			m.double(party, some)
		}
		if party := take(steady); party != "" {
			rows := m.parties[party]
			at, by := some(rows), 103+m.IntN(20)
			for i := at; i < len(rows); i++ {
				rows[i] = rows[i].costs(cents(rows[i]) * by / 100)
			}
			rows[at].Wants = debits.Dearer
		}
		if party := take(plain); party != "" {
			rows := m.parties[party]
			at := some(rows)
			rows[at] = rows[at].costs(highest(rows[:at]) * (20 + m.IntN(60)) / 10)
			rows[at].Wants = debits.Unusual
		}
		if party := take(plain); party != "" { // the same creditor with another mandate
			rows := m.parties[party]
			at, mandate := some(rows), "N"+m.digits(9)
			for i := at; i < len(rows); i++ {
				rows[i] = m.as(rows[i], "", "", mandate)
			}
			rows[at].Wants = debits.NewMandate
		}
	}
	if party := take(plain); party != "" { // the same name with another creditor identifier
		rows := m.parties[party]
		at, id, mandate := some(rows), m.number("MT", 33), "X"+m.digits(9)
		for i := at; i < len(rows); i++ {
			rows[i] = m.as(rows[i], "", id, mandate)
		}
		rows[at].Wants = debits.NewID
	}
	if len(m.order) == 0 {
		return
	}
	like := m.parties[m.order[m.IntN(len(m.order))]]
	at := like[some(like)]
	name := "Gewinnspiel Mondschein"
	r := m.other(m.as(at, name, m.number("CY", 11), "GM"+m.digits(8)), name).costs(2900 + m.IntN(6000))
	r.Wants = debits.NewCreditor
	m.order, m.parties[name] = append(m.order, name), []Row{r}
}

// double adds the same debit once more, a few days later.
func (m *maker) double(party string, some func([]Row) int) {
	rows := m.parties[party]
	at := some(rows)
	again := rows[at].on(moved(rows[at], m.IntN(5)))
	again.Wants = debits.Twice
	m.parties[party] = slices.Insert(rows, at+1, again)
}

// back has some debits returned and collected again.
func (m *maker) back(rows []Row) []Row {
	var all []Row
	for i, r := range rows {
		all = append(all, r)
		if r.Wants != "" || m.IntN(60) > 0 || i+1 < len(rows) && rows[i+1].Wants != "" {
			continue
		}
		back := r.on(moved(r, m.IntN(3)))
		back.CreditDebitIndicator = openbanking.CreditDebitIndicatorCRDT
		back.Debtor, back.DebtorAccount, back.Creditor, back.CreditorAccount = r.Creditor, r.CreditorAccount, nil, nil
		back.RemittanceInformation = append(slices.Clone(r.RemittanceInformation), "Rückgabe / returned")
		all = append(all, back, r.on(moved(back, 1+m.IntN(4))))
	}
	return all
}

// spelled writes the mandate of a row in one of the spellings that banks use.
func (m *maker) spelled(t openbanking.Transaction) openbanking.Transaction {
	signs, ok := debits.Read(t)
	if !ok || signs.Mandate == "" || m.IntN(2) == 0 {
		return t
	}
	was := signs.Mandate
	by := []string{strings.ToLower(was), "000" + was, was[:4] + " " + was[4:8] + " " + was[8:], "MREF" + was}[m.IntN(4)]
	t.RemittanceInformation = slices.Clone(t.RemittanceInformation)
	for i, line := range t.RemittanceInformation {
		t.RemittanceInformation[i] = strings.ReplaceAll(line, was, by)
	}
	return t
}

func cents(r Row) int {
	var whole, part int
	if _, err := fmt.Sscanf(r.TransactionAmount.Amount, "%d.%02d", &whole, &part); err != nil {
		panic(fmt.Sprintf("made-up amount %q: %v", r.TransactionAmount.Amount, err))
	}
	return 100*whole + part
}

func highest(rows []Row) int {
	most := 0
	for _, r := range rows {
		most = max(most, cents(r))
	}
	return most
}

func (r Row) costs(cents int) Row {
	cents = max(cents, 1)
	r.TransactionAmount.Amount = fmt.Sprintf("%d.%02d", cents/100, cents%100)
	return r
}

func (r Row) on(at time.Time) Row {
	d := openbanking.DateOf(at)
	r.BookingDate = &d
	return r
}

func moved(r Row, days int) time.Time {
	at, err := r.BookingDate.Time()
	if err != nil {
		panic(fmt.Sprintf("made-up day: %v", err))
	}
	return at.AddDate(0, 0, days)
}

// debit returns a row as the guard sees it. ok is false when it is not a direct debit.
func (a Account) debit(reader finance.Reader, id int, r Row) (d debits.Debit, ok bool) {
	signs, ok := debits.Read(r.Transaction)
	if !ok {
		return d, false
	}
	entry, err := reader.Read(r.Transaction, nil)
	if err != nil {
		panic(fmt.Sprintf("made-up row: %v", err))
	}
	party := categories.PayeeOf(categories.FactsOf(entry.Transaction, entry.Signs, a.IBAN)).Key
	return debits.Debit{ID: int64(id + 1), Day: day(r), Amount: entry.Amount, Creditor: debits.Key(signs.Creditor, party),
		Mandate: debits.MandateKey(signs.Mandate), Party: party, Text: entry.Remittance, OneOff: signs.OneOff}, true
}

// Score measures how good the guard is.
type Score struct {
	Planted, Found int     // planted cases, and those of them that were reported on their day
	False          int     // reported findings that are wrong
	Years          float64 // years of households that were watched
	ByKind         map[debits.Kind][2]int
	Mistakes       []string
}

// Share returns the share of the planted cases that were reported on their day.
func (s Score) Share() float64 { return float64(s.Found) / float64(max(s.Planted, 1)) }

// FalseAlarms returns the number of false alarms for each household and year.
func (s Score) FalseAlarms() float64 { return float64(s.False) / max(s.Years, 1) }

// Bars for the guard: it reports all planted cases, and at most one false alarm for each household and year.
const (
	BarFound = 1.0
	BarFalse = 1.0
)

// With returns the score with the results of one more account. The first sync of the account brings the given number of days of history before the first
// watched day. After that the rows of each day come with the sync of that day.
func (s Score) With(a Account, history int) Score {
	if s.ByKind == nil {
		s.ByKind = map[debits.Kind][2]int{}
	}
	first := openbanking.DateOf(begin.AddDate(1, 0, -history))
	reader := finance.Reader{Currency: "EUR", Number: a.IBAN, Today: "2030-01-01"}
	var guard debits.Guard
	today := map[int64]Row{}
	var due []debits.Debit
	look := func() {
		told := map[int64]debits.Kind{}
		for _, f := range guard.Look(due...) {
			told[f.Debit.ID] = f.Kind
		}
		for _, d := range due {
			r := today[d.ID]
			got := told[d.ID]
			if r.Wants != "" {
				count := s.ByKind[r.Wants]
				s.Planted++
				count[0]++
				if got == r.Wants {
					s.Found++
					count[1]++
				}
				s.ByKind[r.Wants] = count
			}
			if got != r.Wants && !(r.Free && r.Wants == "") {
				if got != "" && r.Wants == "" {
					s.False++
				}
				s.Mistakes = append(s.Mistakes, fmt.Sprintf("%s %s %s %q: told %q, want %q (creditor %s, mandate %s)", d.Day, d.Amount, r.Party, d.Party, got, r.Wants,
					d.Creditor, d.Mandate))
			}
		}
		due = nil
	}
	for i, r := range a.Rows {
		d, ok := a.debit(reader, i, r)
		switch {
		case !ok || d.Day < first:
			if r.Wants != "" && day(r) >= watched() {
				s.Planted++
				s.Mistakes = append(s.Mistakes, fmt.Sprintf("%s %s: not read as a direct debit", day(r), r.Party))
			}
			continue
		case d.Day < watched():
			guard.Know(d)
			continue
		}
		if len(due) > 0 && due[0].Day != d.Day {
			look()
		}
		due, today[d.ID] = append(due, d), r
	}
	look()
	s.Years += Watched
	return s
}
