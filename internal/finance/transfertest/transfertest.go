// Package transfertest makes up households with several accounts, and the transfers between them that their banks tell in different ways. It knows nothing of
// how transfers are found (finance.TransferMatcher): tests and make bench hold the matcher against it.
package transfertest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
)

// Household is a person's accounts with their rows, and which of them are transfers in truth.
type Household struct {
	Accounts []finance.Account
	Rows     []finance.TransferRow
	Truth    map[[2]int64]bool // the row that went out, the row that came in
	Missing  int               // transfers of which one side is not there
}

// telling is how a bank writes the other side of a transfer into a row.
type telling int

const (
	byIBAN telling = iota
	byNational
	byMaskedNumber
	byName
	byText
	bySilence
)

type account struct {
	finance.Account
	telling telling
	slow    int     // days until money that comes is booked, at most
	rate    float64 // units for one euro
	told    bool    // records tell what was asked for in the other currency
	capital bool    // the bank writes names in capitals
}

type maker struct {
	r       *rand.Rand
	h       Household
	people  []string // the holder first, then strangers
	own     []account
	day     time.Time
	phrases []string
	nextID  int64
}

// Make makes up two years of a household. The same seed makes the same one.
func Make(seed uint64) Household {
	m := &maker{r: rand.New(rand.NewPCG(seed, seed*7919+1)), nextID: 1, day: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)} //nolint:gosec // made-up rows are no secret
	m.h.Truth = map[[2]int64]bool{}
	m.people = []string{pick(m.r, "Anna Lehtinen", "Dr. Jonas Weber", "Maria del Carmen Ruiz", "Piotr Nowak", "Claire Dubois", "Sophie and Tom Baker")}
	m.phrases = [][]string{
		{"Umbuchung Tagesgeld", "Sparen Januar", "Übertrag Girokonto", "Rücklage Auto"}, {"to savings", "savings back", "own account top up"},
		{"Virement interne épargne", "livret A"}, {"traspaso a ahorro", "ahorro"}, {"eigen rekening spaarrekening"}, {"säästöön", "oma siirto säästötili"},
	}[m.r.IntN(6)]
	// Both sides of a silent bank tell nothing, so there is one such account at most.
	for i, kind := range m.kinds() {
		m.own = append(m.own, m.open(i, kind))
	}
	for range 730 {
		m.live()
		m.day = m.day.AddDate(0, 0, 1)
	}
	for _, a := range m.own {
		m.h.Accounts = append(m.h.Accounts, a.Account)
	}
	// Rows come from one bank after the other, not in the order of time.
	slices.SortStableFunc(m.h.Rows, func(a, b finance.TransferRow) int { return strings.Compare(a.AccountID, b.AccountID) })
	return m.h
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// kinds are how the banks of the household's accounts tell.
func (m *maker) kinds() []telling {
	all := []telling{byIBAN, pick(m.r, byIBAN, byNational), pick(m.r, byName, byIBAN, byMaskedNumber), pick(m.r, byText, byName, bySilence)}
	if m.r.IntN(2) == 0 {
		all = append(all, byIBAN)
	}
	return all
}

func (m *maker) open(i int, kind telling) account {
	digits := func(n int) (s string) {
		for range n {
			s += string(rune('0' + m.r.IntN(10)))
		}
		return s
	}
	a := account{telling: kind, slow: m.r.IntN(3), rate: 1, capital: m.r.IntN(3) == 0}
	a.ID, a.Holder, a.Currency = fmt.Sprintf("account-%d", i), m.people[0], "EUR"
	a.IBAN = "DE" + digits(20)
	a.Product = []string{"Current account", "Instant access", "Joint money", "Holiday pot", "Business"}[i]
	switch {
	case i == 2 && kind == byIBAN || i == 4:
		a.Currency = pick(m.r, "USD", "GBP", "CHF", "SEK")
		a.rate = map[string]float64{"USD": 1.07, "GBP": 0.85, "CHF": 0.96, "SEK": 11.4}[a.Currency]
		a.told = m.r.IntN(2) == 0
	case i > 0 && m.r.IntN(3) == 0: // the bank does not tell who holds it
		a.Holder = ""
	}
	return a
}

// live is a day of the household.
func (m *maker) live() {
	current, saving := &m.own[0], &m.own[1]
	if m.day.Day() == 2 { // a standing order
		m.transfer(current, saving, 20000)
	}
	if m.day.Day() == 27 { // salary, and now and then the same amount goes to another account on the same day
		m.stranger(current, 250000, "Nordwerk GmbH", "Gehalt")
		if m.r.IntN(3) == 0 {
			m.transfer(current, m.another(current), 250000)
		}
	}
	if m.day.Day() == 1 {
		m.stranger(current, -85000, "Hausverwaltung Beck", "Miete")
	}
	for range m.r.IntN(4) { // shopping
		a := &m.own[m.r.IntN(min(3, len(m.own)))]
		m.stranger(a, -int64(100*(1+m.r.IntN(80))), pick(m.r, "Rewe", "Lidl", "Total", "Alepa", "Biedronka", ""), pick(m.r, "Kartenzahlung", "card", ""))
	}
	switch m.r.IntN(60) {
	case 0, 1, 2:
		from := &m.own[m.r.IntN(len(m.own))]
		m.transfer(from, m.another(from), m.amount())
	case 3: // the same twice on one day
		from, amount := current, m.amount()
		to := m.another(from)
		m.transfer(from, to, amount)
		m.transfer(from, to, amount)
	case 4: // the same to two accounts
		amount := m.amount()
		m.transfer(current, saving, amount)
		m.transfer(current, &m.own[2], amount)
	case 5: // there and back
		amount := m.amount()
		m.transfer(current, saving, amount)
		m.transfer(saving, current, amount)
	case 6: // a friend pays what is put aside
		amount := m.amount()
		m.stranger(current, amount, pick(m.r, "Kim Berg", "Luis Alba", "Eva Stein"), "Danke")
		m.transfer(current, saving, amount)
	case 7: // a shop takes something back, and the same amount is paid elsewhere
		amount := m.amount()
		m.stranger(current, -amount, "Zalando", "")
		m.stranger(saving, amount, "Zalando", "Retoure")
	case 8: // one side is not there: the other account is not linked, or the bank does not go back so far
		from := &m.own[m.r.IntN(len(m.own))]
		to := m.another(from)
		rows := len(m.h.Rows)
		m.transfer(from, to, m.amount())
		if len(m.h.Rows) == rows+2 {
			gone := rows + m.r.IntN(2)
			delete(m.h.Truth, [2]int64{m.h.Rows[rows].ID, m.h.Rows[rows+1].ID})
			m.h.Rows = slices.Delete(m.h.Rows, gone, gone+1)
			m.h.Missing++
		}
	case 9: // to an own account that is not linked, and from another such
		amount := m.amount()
		m.row(current, -amount, 0, m.people[0], "FR7630006000011234567890189", "")
		m.row(saving, amount, 0, m.people[0], "NL91ABNA0417164300", "")
	}
}

func (m *maker) amount() int64 {
	return pick(m.r, int64(5000), 10000, 20000, 50000, int64(1000+m.r.IntN(90000)), int64(1000+m.r.IntN(90000)))
}

func (m *maker) another(than *account) *account {
	for {
		if a := &m.own[m.r.IntN(len(m.own))]; a != than {
			return a
		}
	}
}

// transfer moves so many cents of a euro.
func (m *maker) transfer(from, to *account, cents int64) {
	// Nobody could tell what two banks do that say nothing, and nobody does that daily.
	if from.telling == bySilence && to.telling == bySilence {
		return
	}
	text := pick(m.r, m.phrases...)
	if m.r.IntN(4) == 0 {
		text = pick(m.r, "Sommer 2025", "wie besprochen", "Nr. 4711")
	}
	sent, came := m.in(from, cents), m.in(to, cents)
	if from.Currency != to.Currency {
		came = came * int64(9700+m.r.IntN(600)) / 10000 // the rate of the day
	} else if m.r.IntN(40) == 0 && from.telling == byIBAN && to.telling == byIBAN {
		came -= 150 // a bank on the way keeps a fee
	}
	days := 0
	if to.slow > 0 {
		days = m.r.IntN(to.slow + 1)
	}
	if m.r.IntN(25) == 0 {
		days = -1 // booked under the day of its value
	}
	if m.r.IntN(15) == 0 {
		m.stranger(from, -m.in(from, 90), "", "Entgelt")
	}
	out := m.side(from, to, -sent, 0, text, came)
	in := m.side(to, from, came, days, text, sent)
	m.h.Truth[[2]int64{out, in}] = true
}

func (m *maker) in(a *account, cents int64) int64 { return int64(float64(cents) * a.rate) }

// side is the row of a transfer in one account.
func (m *maker) side(a, other *account, minor int64, days int, text string, otherMinor int64) int64 {
	record := ""
	if a.told && a.Currency != other.Currency {
		record = fmt.Sprintf(`{"exchange_rate":{"instructed_amount":{"currency":%q,"amount":%q}}}`, other.Currency, money.FromMinor(otherMinor, other.Currency).Abs().String())
	}
	name, number := m.people[0], ""
	switch a.telling {
	case byIBAN:
		number = other.IBAN
	case byNational:
		number = strings.TrimLeft(other.IBAN[12:], "0")
	case byMaskedNumber:
		number = "DE** **** " + other.IBAN[len(other.IBAN)-4:]
	case byText:
		name = ""
		text = pick(m.r, m.phrases...) + " " + other.IBAN[len(other.IBAN)-4:]
	case bySilence:
		name, text = "", "Auftrag"
	}
	if a.capital {
		name = strings.ToUpper(name)
	}
	id := m.row(a, minor, days, name, number, text)
	m.h.Rows[len(m.h.Rows)-1].Record = record
	return id
}

func (m *maker) stranger(a *account, minor int64, name, text string) {
	number := ""
	if a.telling == byIBAN && name != "" && m.r.IntN(2) == 0 {
		number = fmt.Sprintf("FR76%023d", m.r.Int64N(1e15))
	}
	m.row(a, minor, 0, name, number, text)
}

func (m *maker) row(a *account, minor int64, days int, name, number, text string) int64 {
	id := m.nextID
	m.nextID++
	m.h.Rows = append(m.h.Rows, finance.TransferRow{ID: id, AccountID: a.ID, Amount: money.FromMinor(minor, a.Currency),
		Date: openbanking.DateOf(m.day.AddDate(0, 0, days)), Counterparty: name, CounterpartyAccount: number, Remittance: text})
	return id
}

// Match finds the household's transfers.
func (h Household) Match() []finance.Transfer {
	m := finance.NewTransferMatcher(h.Accounts)
	var sides []finance.TransferSide
	for _, row := range h.Rows {
		if side, ok := m.Side(row); ok {
			sides = append(sides, side)
		}
	}
	return m.Match(sides)
}

// Score counts how well transfers were found.
type Score struct{ There, Found, Right int }

// Add counts those of one household. Of two transfers of the same amount between the same accounts on the same days it does not matter which row belongs to
// which: no figure depends on it.
func (s *Score) Add(h Household, found []finance.Transfer) {
	rows := map[int64]finance.TransferRow{}
	for _, r := range h.Rows {
		rows[r.ID] = r
	}
	alike := func(a, b finance.TransferRow) bool {
		x, errX := a.Date.Time()
		y, errY := b.Date.Time()
		return a.AccountID == b.AccountID && a.Amount == b.Amount && errX == nil && errY == nil && x.Sub(y).Abs() <= 4*24*time.Hour
	}
	var truth [][2]int64
	for pair := range h.Truth {
		truth = append(truth, pair)
	}
	slices.SortFunc(truth, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
	s.There += len(truth)
	s.Found += len(found)
	for _, f := range found {
		right := slices.Index(truth, [2]int64{f.OutID, f.InID})
		if right < 0 {
			right = slices.IndexFunc(truth, func(pair [2]int64) bool {
				return alike(rows[pair[0]], rows[f.OutID]) && alike(rows[pair[1]], rows[f.InID])
			})
		}
		if right >= 0 {
			truth = slices.Delete(truth, right, right+1)
			s.Right++
		}
	}
}

// Precision is the share of what was found that is right.
func (s *Score) Precision() float64 { return float64(s.Right) / float64(s.Found) }

// Recall is the share of what there is that was found.
func (s *Score) Recall() float64 { return float64(s.Right) / float64(s.There) }
