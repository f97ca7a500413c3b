// Package debits watches the direct debits of an account: it finds a creditor or a mandate that is new, the same debit twice, an amount far above the usual
// ones, and a higher price. It is pure: debits go in, findings come out. docs/direct-debits.md describes the rules.
package debits

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"florin/internal/money"
	"florin/internal/openbanking"
)

// Debit is a booked direct debit, or the return of one.
type Debit struct {
	ID       int64
	Day      openbanking.Date // on which the account was debited
	Amount   money.Amount     // below zero for a debit, above zero for a return
	Creditor string           // the Key that all debits of one creditor share
	Mandate  string           // MandateKey; "" when the bank does not give it
	Party    string           // the key of the payee; "" for none
	Text     string           // the remittance text of the bank; it distinguishes purchases
	OneOff   bool             // the mandate is for this debit alone
}

// Key returns the key that all debits of one creditor share: the CreditorKey of its identifier, else the payee with a mark that no identifier has. It is ""
// when neither is known.
func Key(creditor, party string) string {
	if creditor != "" {
		return CreditorKey(creditor)
	}
	if party != "" {
		return "= " + party
	}
	return ""
}

// Kind is the kind of a finding.
type Kind string

// Kinds.
const (
	NewCreditor Kind = "new-creditor" // the first debit of a creditor, by name and by identifier
	NewID       Kind = "new-id"       // a known payee uses another creditor identifier
	NewMandate  Kind = "new-mandate"  // a known creditor uses another mandate
	Twice       Kind = "twice"        // the same debit was collected a few days before
	Unusual     Kind = "unusual"      // far above the earlier debits of the mandate
	Dearer      Kind = "dearer"       // the price was constant for a long time and is higher now
)

// Kinds returns all kinds of findings.
func Kinds() []Kind { return []Kind{NewCreditor, NewID, NewMandate, Twice, Unusual, Dearer} }

// Finding is something about a debit that the person should know.
type Finding struct {
	Kind  Kind
	Debit Debit
	// Key is equal for findings with the same content. Only the first of them is reported.
	Key   string
	Other int64        // Twice: the id of the earlier debit
	Was   money.Amount // Dearer: the price before; Unusual: the highest amount before; below zero, and without a currency for other kinds
}

// Past holds the facts about an account before a debit.
type Past struct {
	// Creditor are the last debits with the Key of the debit that were not returned, newest first, at most Remembered.
	Creditor []Debit
	// Known is true when there was an earlier debit with this Key, even one that was returned.
	Known bool
	// Others are the other Keys under which the same payee has collected money before.
	Others []string
	// Right is true when the person has said that a Twice of this creditor is right.
	Right bool
}

// Remembered is how many debits of a creditor Past holds at most.
const Remembered = 60

// Rules in numbers. They were chosen on made-up ledgers that are not those of the judge.
const (
	twiceDays = 5   // debits within this many days can be one debit collected twice
	window    = 24  // number of earlier debits that define what is usual
	alikeBy   = 200 // two amounts are alike when their difference is at most 1/200 of the larger one
	steadyFor = 3   // number of debits with one price before a higher one is reported
	often     = 20  // days: a creditor whose debits are closer together sells many things
	least     = 5   // whole units of the currency by which an unusual amount exceeds the highest one at least
)

// alike reports whether two amounts are equal up to rounding.
func alike(a, b int64) bool {
	if a > b {
		a, b = b, a
	}
	return b-a <= b/alikeBy
}

// Judge returns the findings about a debit. It returns none for a return, and none for a debit without a known creditor.
func Judge(d Debit, past Past) []Finding {
	if d.Amount.Sign() >= 0 || d.Creditor == "" {
		return nil
	}
	before := strand(d, past.Creditor)
	if f, twice := twiceOf(d, before, past.Right); twice {
		return []Finding{f}
	}
	switch {
	case !past.Known && len(past.Others) == 0:
		return []Finding{{Kind: NewCreditor, Debit: d, Key: d.Creditor}}
	case !past.Known && identified(d.Creditor) && slices.ContainsFunc(past.Others, identified):
		return []Finding{{Kind: NewID, Debit: d, Key: d.Creditor}}
	case !past.Known: // the bank has begun or ceased to send the identifier
		return nil
	case len(before) == 0 && d.Mandate != "" && !d.OneOff && keepsMandates(past.Creditor):
		return []Finding{{Kind: NewMandate, Debit: d, Key: d.Creditor + " " + d.Mandate}}
	}
	if f, found := amount(d, before); found {
		return []Finding{f}
	}
	return nil
}

func identified(key string) bool { return !strings.HasPrefix(key, "= ") }

// strand returns the debits with the same mandate and currency as d.
func strand(d Debit, all []Debit) []Debit {
	var same []Debit
	for _, b := range all {
		if b.Amount.Currency() == d.Amount.Currency() && sameMandate(b.Mandate, d.Mandate) {
			same = append(same, b)
		}
	}
	return same
}

// keepsMandates reports whether a creditor collects several debits with one mandate. Some creditors use a new mandate for each purchase.
func keepsMandates(all []Debit) bool {
	var known []string
	with := 0
	for _, b := range all {
		if b.Mandate == "" || b.OneOff {
			continue
		}
		with++
		if !slices.ContainsFunc(known, func(m string) bool { return sameMandate(m, b.Mandate) }) {
			known = append(known, b.Mandate)
		}
	}
	return with > 0 && (len(known) == 1 || len(known)*2 <= with)
}

// twiceOf looks for the same debit within the days before. It finds none when equal debits regularly follow each other within days, and when the person has
// said that this is right.
func twiceOf(d Debit, before []Debit, right bool) (Finding, bool) {
	if right {
		return Finding{}, false
	}
	at, ok := dayOf(d.Day)
	if !ok {
		return Finding{}, false
	}
	shop := sells(before)
	same := func(a, b Debit) bool {
		return a.Amount.Minor() == b.Amount.Minor() && (!shop || a.Text == b.Text && a.Text != "")
	}
	first := slices.IndexFunc(before, func(b Debit) bool {
		day, ok := dayOf(b.Day)
		return ok && at-day >= 0 && at-day <= twiceDays && same(b, d)
	})
	if first < 0 {
		return Finding{}, false
	}
	count, usual := 1, 0
	for i, b := range before { // how often the same happened before
		day, ok := dayOf(b.Day)
		if !ok || i <= first {
			continue
		}
		if at-day <= twiceDays && same(b, d) {
			count++
			continue
		}
		for _, c := range before[i+1:] {
			if earlier, ok := dayOf(c.Day); ok && day-earlier <= twiceDays && same(b, c) {
				usual++
				break
			}
		}
	}
	if usual >= 2 {
		return Finding{}, false
	}
	return Finding{Kind: Twice, Debit: d, Other: before[first].ID,
		Key: strings.Join([]string{d.Creditor, string(before[first].Day), strconv.FormatInt(d.Amount.Minor(), 10), strconv.Itoa(count)}, " ")}, true
}

// sells reports whether a mandate pays for purchases: its debits are frequent, and their amounts differ.
func sells(before []Debit) bool {
	some := before[:min(len(before), window)]
	if len(some) < 4 {
		return false
	}
	var gaps []int
	equal := 0
	for i := 1; i < len(some); i++ {
		a, ok1 := dayOf(some[i-1].Day)
		b, ok2 := dayOf(some[i].Day)
		if ok1 && ok2 {
			gaps = append(gaps, a-b)
		}
		if alike(some[i-1].Amount.Abs().Minor(), some[i].Amount.Abs().Minor()) {
			equal++
		}
	}
	slices.Sort(gaps)
	return len(gaps) > 0 && gaps[len(gaps)/2] < often && equal*2 < len(some)
}

// amount compares the amount with earlier ones of the same mandate.
func amount(d Debit, before []Debit) (Finding, bool) {
	if len(before) == 0 {
		return Finding{}, false
	}
	some := before[:min(len(before), window)]
	sizes := make([]int64, len(some)) // newest first
	for i, b := range some {
		sizes[i] = b.Amount.Abs().Minor()
	}
	size, highest := d.Amount.Abs().Minor(), slices.Max(sizes)
	month := string(d.Day)[:min(len(d.Day), len("2006-01"))] // a returned debit is collected again within days
	key := strings.Join([]string{d.Creditor, month, strconv.FormatInt(d.Amount.Minor(), 10)}, " ")
	if size > highest && float64(size) > limit(sizes) && size-highest >= unit(d.Amount)*least {
		return Finding{Kind: Unusual, Debit: d, Key: key, Was: money.FromMinor(-highest, d.Amount.Currency())}, true
	}
	if steady(sizes) && size > sizes[0] && !alike(size, sizes[0]) {
		return Finding{Kind: Dearer, Debit: d, Key: key, Was: money.FromMinor(-sizes[0], d.Amount.Currency())}, true
	}
	return Finding{}, false
}

// unit returns one whole unit of the currency in minor units.
func unit(a money.Amount) int64 {
	one, err := money.Parse("1", a.Currency())
	if err != nil {
		return 1
	}
	return one.Minor()
}

// limit returns the amount above which a debit is unusually high compared with the earlier ones. The fewer there are, the higher it is.
func limit(sizes []int64) float64 {
	factor := 1.5
	switch n := len(sizes); {
	case n == 1:
		factor = 5
	case n == 2:
		factor = 3
	case n < 6:
		factor = 2
	}
	highest := factor * float64(slices.Max(sizes))
	var sum, squares float64
	for _, s := range sizes {
		l := math.Log(float64(s))
		sum, squares = sum+l, squares+l*l
	}
	n := float64(len(sizes))
	mean := sum / n
	spread := math.Sqrt(max(squares/n-mean*mean, 0))
	return max(highest, math.Exp(mean+deviations*max(spread, leastSpread)))
}

// An amount is unusual when its logarithm exceeds the mean of the logarithms of the earlier amounts by this number of standard deviations. leastSpread is the
// smallest standard deviation that is assumed.
const (
	deviations  = 4
	leastSpread = 0.1
)

// steady reports whether a price was constant for a long time: the last amounts are alike, the price never returned to an earlier one, and it changed rarely.
// sizes are newest first.
func steady(sizes []int64) bool {
	run := 1
	for run < len(sizes) && alike(sizes[run], sizes[0]) {
		run++
	}
	if run < steadyFor {
		return false
	}
	changes := 0
	for i := 1; i < len(sizes); i++ {
		if alike(sizes[i], sizes[i-1]) {
			continue
		}
		changes++
		if slices.ContainsFunc(sizes[i+1:], func(earlier int64) bool { return alike(earlier, sizes[i-1]) }) {
			return false
		}
	}
	return changes*steadyFor < len(sizes)
}

// Until holds the last days on which a debit can be refunded.
type Until struct {
	// Authorised is the last day of the eight weeks in which a payer can claim back an authorised debit without a reason (Directive (EU) 2015/2366, Art. 76
	// (1) and 77 (1)). It is "" when the scheme has no such right (SEPA Business-to-Business).
	Authorised openbanking.Date
	// Unauthorised is the last day of the thirteen months in which a payer can report a debit without consent (Art. 71 (1)).
	Unauthorised openbanking.Date
}

// UntilOf returns the last days for a debit booked on a day. Both are "" when day is not a date.
func UntilOf(day openbanking.Date, s Scheme) (u Until) {
	at, err := day.Time()
	if err != nil {
		return u
	}
	if s != Business {
		u.Authorised = openbanking.DateOf(at.AddDate(0, 0, 8*7))
	}
	first := time.Date(at.Year(), at.Month()+13, 1, 0, 0, 0, 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day() // the month may be shorter
	u.Unauthorised = openbanking.DateOf(first.AddDate(0, 0, min(at.Day(), last)-1))
	return u
}

// Open reports whether a refund can still be claimed on a day.
func (u Until) Open(today openbanking.Date) bool {
	return u.Authorised >= today || u.Unauthorised >= today
}

func dayOf(d openbanking.Date) (int, bool) {
	at, err := d.Time()
	if err != nil {
		return 0, false
	}
	return int(at.Unix() / (24 * 60 * 60)), true
}

// ReturnDays is the longest time between a debit and its return: thirteen months, plus days for the decision of the bank.
const ReturnDays = 430

// Returns reports whether money in may be the return of a debit: the same amount from the same creditor or payee, on its day or later.
func Returns(back, d Debit) bool {
	if back.Amount.Sign() <= 0 || d.Amount.Sign() >= 0 || back.Amount.Currency() != d.Amount.Currency() || back.Amount.Minor() != -d.Amount.Minor() {
		return false
	}
	a, ok1 := dayOf(d.Day)
	b, ok2 := dayOf(back.Day)
	sameCreditor := back.Creditor == "" || back.Creditor == d.Creditor || back.Party != "" && back.Party == d.Party
	return ok1 && ok2 && b >= a && b-a <= ReturnDays && sameCreditor && sameMandate(back.Mandate, d.Mandate)
}
