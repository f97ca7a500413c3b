package finance

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"florin/internal/money"
	"florin/internal/openbanking"
)

// Transfer is money that went from one account of a person to another one of the same person: two booked rows.
type Transfer struct {
	OutID, InID int64
	State       TransferState
}

// TransferState says who paired the rows of a Transfer.
type TransferState string

// Values of TransferState.
const (
	TransferFound   TransferState = "found"   // Florin; it takes the pair back when it no longer holds
	TransferByHand  TransferState = "hand"    // the person
	TransferRefused TransferState = "refused" // the person said that it is no transfer: Florin never pairs either of the rows again
)

// TransferDays is how many days lie at most between the two sides of a transfer that Florin finds.
const TransferDays = 4

// TransferRow is what a booked row says of a transfer. Record is what was received; it is looked at for amounts in another currency, and may be "".
type TransferRow struct {
	ID        int64
	AccountID string
	Amount    money.Amount // signed
	Date      openbanking.Date

	Counterparty, CounterpartyAccount, Remittance, Kind string
	Record                                              string
}

// TransferMatcher finds the transfers between the accounts of one person.
type TransferMatcher struct {
	accounts []Account
	at       map[string]int   // place of an account, by its id
	numbers  map[string][]int // places of the accounts that have a number: one IBAN may have several currencies
	whole    []string         // the IBANs of the accounts, or what they have in place of it, as they are compared
	holders  [][]string       // the words of the holders' names, each once
	names    []string         // of the accounts, as they are compared; "" when too short to say anything
}

// NewTransferMatcher returns the matcher for all accounts of a person.
func NewTransferMatcher(accounts []Account) *TransferMatcher {
	m := &TransferMatcher{accounts: accounts, at: map[string]int{}, numbers: map[string][]int{},
		whole: make([]string, len(accounts)), names: make([]string, len(accounts))}
	for i, a := range accounts {
		m.at[a.ID] = i
		m.whole[i] = compactNumber(cmp.Or(a.IBAN, a.Number))
		own := []string{compactNumber(a.IBAN), compactNumber(a.Number)}
		if len(a.IBAN) > 4 {
			own = append(own, compactNumber(a.IBAN)[4:]) // the BBAN
		}
		for _, number := range own {
			if len(number) >= shortestNumber {
				m.numbers[number] = append(m.numbers[number], i)
			}
		}
		holder := nameWords(a.Holder)
		if len(holder) > 1 && !slices.ContainsFunc(m.holders, func(known []string) bool { return slices.Equal(known, holder) }) {
			m.holders = append(m.holders, holder)
		}
		if name := plain(a.Name()); len(name) >= 5 {
			m.names[i] = name
		}
	}
	return m
}

// shortestNumber is how long a number has to be to name an account.
const shortestNumber = 7

// TransferSide is a row that may be one side of a transfer.
type TransferSide struct {
	TransferRow
	account    int
	day        int    // days since 1970
	named      []int  // places of the person's accounts that it names by a number; it can then be a transfer with no other
	own        bool   // it names the person
	text       string // all that it says, as it is compared
	remittance string
	words      bool // it says that it is a transfer
}

// Side reads a row. It is false for one that can be no side of a transfer: it has no date or no amount, or names an account or a person that is another's.
func (m *TransferMatcher) Side(row TransferRow) (TransferSide, bool) {
	s := TransferSide{TransferRow: row}
	at, known := m.at[row.AccountID]
	date, err := row.Date.Time()
	if !known || err != nil || row.Amount.IsZero() || len(m.accounts) < 2 {
		return s, false
	}
	s.account, s.day = at, int(date.Unix()/int64(24*time.Hour/time.Second))
	number := compactNumber(row.CounterpartyAccount)
	if number != "" {
		if s.named = m.byNumber(number, at); s.named == nil {
			return s, false
		}
	} else {
		s.named = m.inText(row.Remittance, at)
	}
	s.own = m.namesHolder(row)
	name := plain(row.Counterparty)
	s.remittance = plain(row.Remittance)
	s.text = name + " " + s.remittance + " " + plain(row.Kind)
	s.words = transferWord(s.text)
	stranger := name != "" && !s.own && !transferWord(name) && !slices.ContainsFunc(m.names, func(n string) bool { return n != "" && strings.Contains(name, n) })
	return s, s.named != nil || !stranger
}

// namesHolder reports whether a row names a holder of the accounts: as its counterparty or, where it has none, in its remittance text.
func (m *TransferMatcher) namesHolder(row TransferRow) bool {
	if row.Counterparty == "" {
		said := nameWords(row.Remittance)
		return slices.ContainsFunc(m.holders, func(holder []string) bool { return contains(said, holder) })
	}
	counterparty := nameWords(row.Counterparty)
	return slices.ContainsFunc(m.holders, func(holder []string) bool { return sameHolder(holder, counterparty) })
}

// byNumber lists the accounts that a number names, other than the row's own: by its IBAN, its BBAN or another number, by a national number, which is the end
// of a BBAN, or by the last four digits of a number that is masked.
func (m *TransferMatcher) byNumber(number string, own int) []int {
	named := m.numbers[number]
	if named == nil {
		digits := strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return r
			}
			return -1
		}, number)
		masked := len(digits) >= 4 && (len(number) == 4 || strings.ContainsAny(number, "*#•") || strings.Contains(number, "XXX"))
		short := strings.TrimLeft(digits, "0")
		for i, whole := range m.whole {
			switch {
			case masked && strings.HasSuffix(whole, digits[len(digits)-4:]),
				!masked && len(short) >= shortestNumber && len(whole) > 4 && strings.HasSuffix(whole[4:], short):
				named = append(named, i)
			}
		}
	}
	return others(named, own)
}

// inText lists the accounts whose number stands in a text, other than the row's own.
func (m *TransferMatcher) inText(text string, own int) []int {
	if len(text) < 10 {
		return nil
	}
	compact := compactNumber(text)
	var named []int
	for i, number := range m.whole {
		if len(number) >= 10 && strings.Contains(compact, number) {
			named = append(named, i)
		}
	}
	return others(named, own)
}

// others are the places without one of them; nil for none.
func others(places []int, own int) []int {
	var rest []int
	for _, i := range places {
		if i != own {
			rest = append(rest, i)
		}
	}
	return rest
}

// kinship is the evidence that two rows are one transfer, from the strongest (bothNamed) to the weakest (exchanged).
type kinship int

const (
	noKinship    kinship = iota
	bothNamed            // both name the other's account, and the amount is the same
	oneNamed             // one of them does, and the other names nobody else
	tellingText          // the same amount, and both texts tell
	someText             // the same amount, and the texts tell a little
	nearlyNamed          // by number, and what came is a little less, or about as much in another currency
	nearlyByText         // the same by text
	exchanged            // by number, in another currency at a rate that nobody tells
)

// Linked reports whether two rows may be the sides of one transfer, whatever else there is.
func (m *TransferMatcher) Linked(x, y TransferSide) bool {
	if x.Amount.Sign() > 0 {
		x, y = y, x
	}
	return m.kin(&x, &y) != noKinship
}

// kin says why x, which went out, and y, which came in, are a transfer.
func (m *TransferMatcher) kin(x, y *TransferSide) kinship {
	if x.account == y.account || x.Amount.Sign() >= 0 || y.Amount.Sign() <= 0 || x.day-y.day > TransferDays || y.day-x.day > TransferDays {
		return noKinship
	}
	same := x.Amount.Neg() == y.Amount
	if !same && x.Amount.Currency() == y.Amount.Currency() && !lessByFee(x.Amount, y.Amount) {
		return noKinship
	}
	if x.named != nil && !slices.Contains(x.named, y.account) || y.named != nil && !slices.Contains(y.named, x.account) {
		return noKinship
	}
	numbers := number(x.named != nil) + number(y.named != nil)
	nearly := true
	if !same && x.Amount.Currency() != y.Amount.Currency() {
		same, nearly = converted(x, y)
	}
	says := func(s, other *TransferSide) bool {
		return s.named != nil || s.own || s.words || m.mentions(s.text, other.account) || sameText(s, other)
	}
	both := says(x, y) && says(y, x) // without the same amount both have to say something
	switch text := m.telling(x, y); {
	case same && numbers == 2:
		return bothNamed
	case same && numbers == 1:
		return oneNamed
	case same && text >= 4:
		return tellingText
	case same && text >= 2:
		return someText
	case nearly && both && numbers > 0:
		return nearlyNamed
	case nearly && both && x.Amount.Currency() != y.Amount.Currency():
		return nearlyByText
	case both && numbers > 0:
		return exchanged
	}
	return noKinship
}

// telling returns how strongly the texts of two rows suggest a transfer between their accounts. From 2 points on they are sufficient.
func (m *TransferMatcher) telling(x, y *TransferSide) int {
	points := 2*number(x.own) + 2*number(y.own) + number(x.words) + number(y.words)
	points += number(m.mentions(x.text, y.account)) + number(m.mentions(y.text, x.account))
	return points + 2*number(sameText(x, y))
}

// sameText reports whether two rows have the same remittance text, be it that a bank writes more behind it.
func sameText(x, y *TransferSide) bool {
	short, long := x.remittance, y.remittance
	if len(short) > len(long) {
		short, long = long, short
	}
	return len(short) >= 5 && strings.HasPrefix(long+" ", short+" ")
}

// mentions reports whether a text names an account by what it is called, or by the last digits of its number.
func (m *TransferMatcher) mentions(text string, account int) bool {
	if name := m.names[account]; name != "" && strings.Contains(text, name) {
		return true
	}
	last := m.accounts[account].Last4()
	if _, err := strconv.Atoi(last); err != nil || len(last) < 4 {
		return false
	}
	for word := range strings.FieldsSeq(text) {
		if strings.TrimLeft(word, "x") == last {
			return true
		}
	}
	return false
}

// lessByFee reports whether what came in is less than what went out by what a bank may keep: at most 2 %, but never less than five units.
func lessByFee(out, in money.Amount) bool {
	o, i := units(out), units(in)
	return i <= o && o-i <= max(o*0.02, 5) && i >= o/2
}

// converted compares the amounts of two rows in different currencies. same says that the record of one row states the amount of the other; nearly says that
// the amounts differ by at most 10 % at the exchange rate of a record, or at 1:1 when no record states a rate.
func converted(x, y *TransferSide) (same, nearly bool) {
	rate := 1.0
	for _, s := range []*TransferSide{x, y} {
		if !strings.Contains(s.Record, `"exchange_rate"`) {
			continue
		}
		var wire openbanking.Transaction
		if json.Unmarshal([]byte(s.Record), &wire) != nil || wire.ExchangeRate == nil {
			continue
		}
		other := x
		if s == x {
			other = y
		}
		if told := wire.ExchangeRate.InstructedAmount; told != nil {
			if amount, err := money.Parse(told.Amount, told.Currency); err == nil && amount.Abs() == other.Amount.Abs() {
				return true, true
			}
		}
		if r, err := strconv.ParseFloat(value(wire.ExchangeRate.ExchangeRate), 64); err == nil && r > 0 {
			switch value(wire.ExchangeRate.UnitCurrency) {
			case x.Amount.Currency():
				rate = r
			case y.Amount.Currency():
				rate = 1 / r
			}
		}
	}
	return false, math.Abs(units(y.Amount)/(units(x.Amount)*rate)-1) <= 0.1
}

// units is the size of an amount, for comparisons that are not exact.
func units(a money.Amount) float64 {
	exponent, _ := money.Exponent(a.Currency())
	return math.Abs(float64(a.Minor())) / math.Pow10(exponent)
}

// Match pairs the sides of transfers. Sides that are linked (Linked) have to be passed together; the result then depends neither on their order nor on
// earlier results. Stronger evidence is used first. When several rows fit and none is nearer in time than all others, none is paired, unless as many rows
// left one account as arrived on the other: those are paired in order.
func (m *TransferMatcher) Match(sides []TransferSide) []Transfer {
	var outs, ins []*TransferSide
	for i := range sides {
		if sides[i].Amount.Sign() < 0 {
			outs = append(outs, &sides[i])
		} else {
			ins = append(ins, &sides[i])
		}
	}
	slices.SortFunc(ins, func(a, b *TransferSide) int { return cmp.Compare(a.day, b.day) })
	var edges [exchanged + 1][2][][2]*TransferSide // by evidence, those with the same text first
	for _, x := range outs {
		first, _ := slices.BinarySearchFunc(ins, x.day-TransferDays, func(s *TransferSide, day int) int { return cmp.Compare(s.day, day) })
		for _, y := range ins[first:] {
			if y.day > x.day+TransferDays {
				break
			}
			if k := m.kin(x, y); k != noKinship {
				other := number(!sameText(x, y))
				edges[k][other] = append(edges[k][other], [2]*TransferSide{x, y})
			}
		}
	}
	var found []Transfer
	taken := map[*TransferSide]bool{}
	for _, same := range edges {
		for _, open := range same {
			open = slices.DeleteFunc(open, func(e [2]*TransferSide) bool { return taken[e[0]] || taken[e[1]] })
			for _, group := range connected(open) {
				for _, pair := range group.pairs() {
					taken[pair[0]], taken[pair[1]] = true, true
					found = append(found, Transfer{pair[0].ID, pair[1].ID, TransferFound})
				}
			}
		}
	}
	slices.SortFunc(found, func(a, b Transfer) int { return cmp.Compare(a.OutID, b.OutID) })
	return found
}

// transferGroup is rows that come into question for each other, with the same evidence.
type transferGroup struct {
	edges     [][2]*TransferSide
	outs, ins []*TransferSide
}

// connected takes edges apart into groups that have nothing to do with each other.
func connected(edges [][2]*TransferSide) []*transferGroup {
	of := map[*TransferSide]*transferGroup{}
	var groups []*transferGroup
	for _, e := range edges {
		a, b := of[e[0]], of[e[1]]
		switch {
		case a == nil && b == nil:
			a = &transferGroup{}
			groups = append(groups, a)
		case a == nil:
			a = b
		case b != nil && a != b:
			a.edges, a.outs, a.ins = append(a.edges, b.edges...), append(a.outs, b.outs...), append(a.ins, b.ins...)
			for _, s := range append(slices.Clip(b.outs), b.ins...) {
				of[s] = a
			}
			*b = transferGroup{}
		}
		a.edges = append(a.edges, e)
		if of[e[0]] != a {
			a.outs = append(a.outs, e[0])
		}
		if of[e[1]] != a {
			a.ins = append(a.ins, e[1])
		}
		of[e[0]], of[e[1]] = a, a
	}
	return groups
}

// pairs decides a group.
func (g *transferGroup) pairs() [][2]*TransferSide {
	if all := g.inOrder(); all != nil {
		return all
	}
	var pairs [][2]*TransferSide
	for edges := g.edges; ; {
		best, ahead := map[*TransferSide][2]*TransferSide{}, map[*TransferSide]int{} // the nearest of each row, and by how much
		least := map[*TransferSide]int{}
		for _, e := range edges {
			far := delay(e)
			for _, s := range e {
				before, known := least[s]
				switch {
				case !known:
					best[s], least[s], ahead[s] = e, far, unrivalled
				case far < before:
					best[s], least[s], ahead[s] = e, far, before-far
				default:
					ahead[s] = min(ahead[s], far-before)
				}
			}
		}
		taken := map[*TransferSide]bool{}
		for _, e := range edges {
			if best[e[0]] == e && best[e[1]] == e && ahead[e[0]] >= clearly && ahead[e[1]] >= clearly {
				taken[e[0]], taken[e[1]] = true, true
				pairs = append(pairs, e)
			}
		}
		if len(taken) == 0 {
			return pairs
		}
		edges = slices.DeleteFunc(slices.Clone(edges), func(e [2]*TransferSide) bool { return taken[e[0]] || taken[e[1]] })
	}
}

// Days by which one of several rows has to be nearer than all others.
const (
	clearly    = 2
	unrivalled = 1000
)

// delay is how many days money was on its way. It seldom comes before it goes.
func delay(e [2]*TransferSide) int {
	days := e[1].day - e[0].day
	if days < 0 {
		return 1 - 2*days
	}
	return days
}

// inOrder pairs all rows of a group when as many left one account as arrived on one other, by amount and then by date. It returns nil when the numbers
// differ, one of these pairs does not fit, or their exchange rates differ by more than 10 %.
func (g *transferGroup) inOrder() [][2]*TransferSide {
	if len(g.outs) != len(g.ins) {
		return nil
	}
	order := func(a, b *TransferSide) int {
		return cmp.Or(cmp.Compare(a.Amount.Abs().Minor(), b.Amount.Abs().Minor()), cmp.Compare(a.day, b.day), cmp.Compare(a.ID, b.ID))
	}
	slices.SortFunc(g.outs, order)
	slices.SortFunc(g.ins, order)
	possible := map[[2]*TransferSide]bool{}
	for _, e := range g.edges {
		possible[e] = true
	}
	var all [][2]*TransferSide
	low, high := math.Inf(1), 0.0 // the rates
	for i, x := range g.outs {
		e := [2]*TransferSide{x, g.ins[i]}
		if x.account != g.outs[0].account || e[1].account != g.ins[0].account || !possible[e] {
			return nil
		}
		rate := units(e[1].Amount) / units(x.Amount)
		low, high = min(low, rate), max(high, rate)
		all = append(all, e)
	}
	if high > low*1.1 {
		return nil
	}
	return all
}

// plain writes a text so that it can be compared: small letters and digits, one space between words.
func plain(text string) string {
	var b strings.Builder
	gap := false
	for _, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteByte(' ')
		}
		gap = false
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// titles say nothing of who somebody is.
var titles = []string{"dr", "prof", "mr", "mrs", "ms", "miss", "herr", "frau", "hr", "fr", "m", "mme", "mlle", "sr", "sra", "sig", "dhr", "mevr", "pan", "pani",
	"und", "and", "et", "y", "e", "en", "ja", "i", "o", "or", "oder", "ou"}

// nameWords are the words of a person's name, in the order of the alphabet.
func nameWords(name string) []string {
	return slices.DeleteFunc(words(name), func(w string) bool { return slices.Contains(titles, w) })
}

// sameHolder reports whether two names are of one person: all words of the shorter one are in the other, and there are two at least.
func sameHolder(a, b []string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) >= 2 && contains(b, a)
}

func contains(all, some []string) bool {
	return !slices.ContainsFunc(some, func(w string) bool { return !slices.Contains(all, w) })
}

// transferWords are words by which banks and people say that money goes to one's own account. What some call every transfer is not among them.
var transferWords = []string{
	"umbuchung", "umbuchen", "übertrag", "uebertrag", "eigenübertrag", "kontoübertrag", "sparen", "sparrate", "rücklage", "rücklagen", "ruecklage", "tagesgeld",
	"sparkonto", "own account", "own transfer", "internal transfer", "savings", "top up",
	"virement interne", "épargne", "epargne", "livret", "traspaso", "ahorro", "ahorros", "giroconto", "risparmio", "risparmi", "spaarrekening",
	"eigen rekening", "przelew własny", "przelew wlasny", "oszczędności", "oszczednosci", "egen överföring", "sparande", "oma siirto", "säästö", "säästöön",
	"säästötili", "opsparing",
}

// transferWord reports whether a plain text has one of the transferWords.
func transferWord(text string) bool {
	return slices.ContainsFunc(transferWords, func(w string) bool { return strings.Contains(text, w) && hasWord(text, w) })
}
