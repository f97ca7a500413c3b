package sandbox

import (
	"strconv"

	"florin/internal/openbanking"
)

// archive is the ledger of an account with as many rows as the catalogue says, for load tests. Rows are calculated only when they are requested. They are
// spread evenly, so that the rows of a day follow from the day, and the day of a row from its number.
//
// The account always has exactly that many rows, over 800 days; with each new row the oldest one disappears. A row never changes. The amounts of each block
// of 64 rows add up to zero, so that a balance can be calculated without all earlier rows.
type archive struct {
	account *account
	asOf    day
}

const (
	archiveDays  = 800
	archiveBlock = 64
)

// archiveEpoch is the day of row 0.
var archiveEpoch = dayAt(2020, 1, 1)

// end returns the number after the last row of a day.
func (v archive) end(on day) int {
	if on < archiveEpoch {
		return 0
	}
	rows := int64(on-archiveEpoch+1) * int64(v.account.data.Transactions)
	return int((rows + archiveDays - 1) / archiveDays)
}

// on returns the day of a row.
func (v archive) on(row int) day {
	return archiveEpoch + day(int64(row)*archiveDays/int64(v.account.data.Transactions))
}

func (v archive) booked(from, to day) (first, end int) {
	oldest, newest := max(0, v.end(v.asOf)-v.account.data.Transactions), v.end(v.asOf)
	first, end = min(max(v.end(from-1), oldest), newest), min(v.end(to), newest)
	return first, max(first, end)
}

// archiveKinds are the kinds of rows in ten.
var archiveKinds = [10]string{"invoice", "invoice", "invoice", "invoice", "invoice", "invoice", "supplier", "supplier", "supplier", "card"}

// throw returns kind and amount of a row, and the dice for its other values. The last row of a block brings the sum of the block to zero.
func (v archive) throw(row int) (kind string, amount int64, d dice) {
	d = v.account.seed.dice(int64(row))
	if row%archiveBlock == archiveBlock-1 {
		return "settlement", -v.before(row), d
	}
	kind, amount = archiveKinds[d.n(len(archiveKinds))], d.between(120, 9999)
	switch kind {
	case "invoice":
		return kind, amount * 2 / 3, d
	case "supplier":
		return kind, -amount, d
	}
	return kind, -amount / 2, d
}

// entry returns a row.
func (v archive) entry(row int) entry {
	country := v.account.bank.data.Country
	c := countryOf(country)
	kind, amount, d := v.throw(row)
	on := v.on(row)
	e := entry{transacted: on, booked: on, valued: on.later(1), amount: amount, kind: kind}
	switch kind {
	case "invoice":
		e.party = pick(&d, c.parties["client"])
		e.reference = referenceOf(country, &d)
		e.text = []string{e.reference.number, c.word("invoice") + " " + strconv.Itoa(row)}
	case "supplier":
		e.party = pick(&d, c.parties["supplier"])
		e.text = []string{c.word("invoice") + " " + strconv.Itoa(row), e.party.name}
	case "card":
		e.party = pick(&d, c.parties["shop"])
		e.text = []string{e.party.name}
	case "settlement":
		e.text = []string{c.word("settlement") + " " + strconv.Itoa(row/archiveBlock)}
	}
	return e
}

// before returns the balance before a row: the sum of the earlier rows of its block, because earlier blocks add up to zero.
func (v archive) before(row int) int64 {
	var sum int64
	for i := row - row%archiveBlock; i < row; i++ {
		_, amount, _ := v.throw(i)
		sum += amount
	}
	return sum
}

func (v archive) at(row int) openbanking.Transaction {
	e := v.entry(row)
	var balance int64
	if v.account.bank.data.Habits.BalanceAfter {
		balance = v.before(row) + e.amount
	}
	return v.account.transaction(row, &e, &balance, !v.account.bank.data.Habits.TransactionDetails)
}

func (v archive) pending(day, day) []openbanking.Transaction { return nil }

func (v archive) find(id string) (openbanking.Transaction, bool) {
	row, ok := v.account.entryOf(id)
	oldest, newest := v.booked(0, v.asOf)
	if !ok || row < oldest || row >= newest || !v.account.bank.data.Habits.TransactionDetails {
		return openbanking.Transaction{}, false
	}
	e := v.entry(row)
	balance := v.before(row) + e.amount
	return v.account.transaction(row, &e, &balance, true), true
}

func (v archive) sums() sums {
	_, end := v.booked(0, v.asOf)
	first, _ := v.booked(v.asOf, v.asOf)
	s := sums{booked: v.before(end), yesterday: v.before(first), last: v.account.opened}
	s.value = s.booked
	for on := v.asOf; on > v.asOf-longestWait && on.later(1) > v.asOf; on-- {
		for row := v.end(on - 1); row < v.end(on); row++ {
			_, amount, _ := v.throw(row)
			s.value -= amount
		}
	}
	if end > 0 {
		e := v.entry(end - 1)
		s.last, s.lastRow = e.booked, v.account.entryReference(end-1, &e)
	}
	return s
}
