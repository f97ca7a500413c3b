package sandbox

import (
	"cmp"
	"container/list"
	"slices"
	"sort"
	"sync"

	"florin/internal/openbanking"
)

// maxLedgers is the number of banks whose ledgers are kept in memory. Others are calculated again on request.
const maxLedgers = 16

// entry is a row of a ledger. It never changes.
type entry struct {
	transacted day
	minute     int // minute of the day from which the row is shown; 0 when the row has no time
	booked     day // after transacted while the row is pending
	valued     day
	amount     int64 // minor units, negative for a debit
	kind       string
	party      *party   // nil when the counterparty is the bank
	other      *account // the account of the other leg, if it is simulated too
	text       []string // remittance information
	reference  reference
	exchange   *exchange
}

// exchange is the conversion behind a row.
type exchange struct {
	currency string // of the original amount
	original int64  // minor units, positive
	unit     string
	factor   string
	contract string
	kind     openbanking.RateType
}

// ledger holds the rows of one account.
type ledger struct {
	entries  []entry // in the order in which they were added; the index identifies them
	order    []int32 // booked entries, in the order of booking
	balances []int64 // after each of order
	waiting  []int32 // entries that are not booked yet
	future   []entry // rows decided earlier for later days: refunds
	reserved int64   // sum of waiting
}

// balance returns the booked balance: that after the last booked row, zero without any.
func (l *ledger) balance() int64 {
	if len(l.balances) == 0 {
		return 0
	}
	return l.balances[len(l.balances)-1]
}

// expected returns the balance after all known rows are booked.
func (l *ledger) expected() int64 { return l.balance() + l.reserved }

func (l *ledger) add(e entry) {
	l.entries = append(l.entries, e)
	l.waiting = append(l.waiting, int32(len(l.entries)-1))
	l.reserved += e.amount
}

// book books the rows that are due on a day.
func (l *ledger) book(on day) {
	still := l.waiting[:0]
	for _, i := range l.waiting {
		if e := &l.entries[i]; e.booked <= on {
			l.balances = append(l.balances, l.balance()+e.amount)
			l.order = append(l.order, i)
			l.reserved -= e.amount
		} else {
			still = append(still, i)
		}
	}
	l.waiting = still
}

// bankLedgers holds the ledgers of all accounts of a bank. They are calculated together, because money moves between them. They grow day by day; a day
// depends only on earlier days and on the seeds.
type bankLedgers struct {
	mu        sync.Mutex
	bank      *Bank
	byAccount []ledger // by index of the account
	through   day      // the last calculated day
}

func newBankLedgers(b *Bank) *bankLedgers {
	k := &bankLedgers{bank: b, byAccount: make([]ledger, len(b.accounts))}
	first := true
	for _, a := range b.accounts {
		if first || a.opened-1 < k.through {
			k.through, first = a.opened-1, false
		}
	}
	return k
}

// write calculates all days until a day. The caller holds the lock.
func (k *bankLedgers) write(until day) {
	for k.through < until {
		k.through++
		for i, a := range k.bank.accounts {
			if a.data.Transactions == 0 && k.through >= a.opened {
				(&diary{ledgers: k, account: a, ledger: &k.byAccount[i], today: k.through, dice: a.seed.dice(int64(k.through))}).live()
			}
		}
		for i := range k.byAccount {
			k.byAccount[i].book(k.through)
		}
	}
}

// view returns the rows of an account at a moment. Later days do not change the result.
func (k *bankLedgers) view(a *account, asOf moment) ledgerView {
	k.mu.Lock()
	defer k.mu.Unlock()
	today := asOf.day()
	k.write(today)
	l := &k.byAccount[a.index]
	known := sort.Search(len(l.entries), func(i int) bool { return l.entries[i].transacted > today })
	booked := sort.Search(len(l.order), func(i int) bool { return l.entries[l.order[i]].booked > today })
	return ledgerView{account: a, asOf: asOf, today: today, entries: l.entries[:known:known], order: l.order[:booked:booked],
		balances: l.balances[:booked:booked]}
}

// ledgerCache keeps the ledgers of the most recently used banks.
type ledgerCache struct {
	mu    sync.Mutex
	size  int
	banks map[*Bank]*list.Element
	used  *list.List // of *bankLedgers, the latest first
}

func newLedgerCache(size int) *ledgerCache {
	return &ledgerCache{size: size, banks: map[*Bank]*list.Element{}, used: list.New()}
}

// view returns the rows of an account at a moment, including those of payments.
func (s *ledgerCache) view(a *account, asOf moment) ledgerView {
	return s.take(a.bank).view(a, asOf).with(a.moved)
}

func (s *ledgerCache) take(b *Bank) *bankLedgers {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, ok := s.banks[b]; ok {
		s.used.MoveToFront(e)
		return e.Value.(*bankLedgers)
	}
	k := newBankLedgers(b)
	s.banks[b] = s.used.PushFront(k)
	if s.used.Len() > s.size {
		last := s.used.Back()
		s.used.Remove(last)
		delete(s.banks, last.Value.(*bankLedgers).bank)
	}
	return k
}

// ledgerView is a ledger at a moment; it implements rows. The index of an entry counts entries first, then moved.
type ledgerView struct {
	account  *account
	asOf     moment
	today    day // of asOf
	entries  []entry
	moved    []movement
	order    []int32
	balances []int64
}

// with adds the rows of payments. Within a day they are booked after all other rows, so that no earlier balance changes.
func (v ledgerView) with(moved []movement) ledgerView {
	v.moved = moved
	var done []int32
	for i := range moved {
		if moved[i].isBooked(v.asOf) {
			done = append(done, int32(len(v.entries)+i))
		}
	}
	if len(done) == 0 {
		return v
	}
	slices.SortStableFunc(done, func(x, y int32) int {
		return cmp.Compare(moved[int(x)-len(v.entries)].done, moved[int(y)-len(v.entries)].done)
	})
	order, balances := make([]int32, 0, len(v.order)+len(done)), make([]int64, 0, len(v.order)+len(done))
	var balance int64
	for _, i := range v.order {
		for len(done) > 0 && v.entry(int(done[0])).booked < v.entries[i].booked {
			balance += v.entry(int(done[0])).amount
			order, balances, done = append(order, done[0]), append(balances, balance), done[1:]
		}
		balance += v.entries[i].amount
		order, balances = append(order, i), append(balances, balance)
	}
	for _, i := range done {
		balance += v.entry(int(i)).amount
		order, balances = append(order, i), append(balances, balance)
	}
	v.order, v.balances = order, balances
	return v
}

func (v ledgerView) entry(i int) *entry {
	if i < len(v.entries) {
		return &v.entries[i]
	}
	return &v.moved[i-len(v.entries)].entry
}

// number returns the permanent number of an entry in the account.
func (v ledgerView) number(i int) int {
	if i < len(v.entries) {
		return i
	}
	return v.moved[i-len(v.entries)].number
}

// numbered returns the entry with a number.
func (v ledgerView) numbered(number int) (i int, ok bool) {
	if number < firstMoved {
		return number, number < len(v.entries)
	}
	i = slices.IndexFunc(v.moved, func(m movement) bool { return m.number == number })
	return len(v.entries) + i, i >= 0
}

func (v ledgerView) booked(from, to day) (first, end int) {
	first = sort.Search(len(v.order), func(i int) bool { return v.entry(int(v.order[i])).booked >= from })
	end = sort.Search(len(v.order), func(i int) bool { return v.entry(int(v.order[i])).booked > to })
	return first, max(first, end)
}

func (v ledgerView) at(i int) openbanking.Transaction {
	index := int(v.order[i])
	return v.account.transaction(v.number(index), v.entry(index), &v.balances[i], !v.account.bank.data.Habits.TransactionDetails)
}

func (v ledgerView) pending(from, to day) []openbanking.Transaction {
	if v.account.bank.data.Habits.NoPending {
		return nil
	}
	var rows []openbanking.Transaction
	for _, i := range v.waiting() {
		if e := v.entry(i); e.transacted >= from && e.transacted <= to {
			rows = append(rows, v.account.transaction(v.number(i), e, nil, !v.account.bank.data.Habits.TransactionDetails))
		}
	}
	return rows
}

// longestWait is more than the number of days for which any row without a payment is pending.
const longestWait = 14

// waiting returns the entries that are pending, newest first.
func (v ledgerView) waiting() []int {
	var indices []int
	for i := len(v.moved) - 1; i >= 0; i-- {
		if v.moved[i].pending(v.asOf) {
			indices = append(indices, len(v.entries)+i)
		}
	}
	moved := len(indices) > 0
	for i := len(v.entries) - 1; i >= 0 && v.entries[i].transacted > v.today-longestWait; i-- {
		if v.entries[i].booked > v.today && v.happened(i) {
			indices = append(indices, i)
		}
	}
	if moved {
		slices.SortStableFunc(indices, func(x, y int) int { return cmp.Compare(v.entry(y).transacted, v.entry(x).transacted) })
	}
	return indices
}

// happened reports whether the time of an entry has come.
func (v ledgerView) happened(i int) bool {
	return v.entries[i].transacted.at(v.entries[i].minute) <= v.asOf
}

// isWaiting reports whether an entry is pending.
func (v ledgerView) isWaiting(i int) bool {
	if i < len(v.entries) {
		return v.entries[i].booked > v.today && v.happened(i)
	}
	return v.moved[i-len(v.entries)].pending(v.asOf)
}

func (v ledgerView) find(id string) (openbanking.Transaction, bool) {
	number, ok := v.account.entryOf(id)
	if !ok || !v.account.bank.data.Habits.TransactionDetails {
		return openbanking.Transaction{}, false
	}
	i, ok := v.numbered(number)
	if !ok {
		return openbanking.Transaction{}, false
	}
	e := v.entry(i)
	if v.isWaiting(i) {
		return v.account.transaction(number, e, nil, true), !v.account.bank.data.Habits.NoPending
	}
	first, end := v.booked(e.booked, e.booked)
	for row := first; row < end; row++ {
		if int(v.order[row]) == i {
			return v.account.transaction(number, e, &v.balances[row], true), true
		}
	}
	return openbanking.Transaction{}, false
}

func (v ledgerView) sums() sums {
	s := sums{last: v.account.opened}
	if n := len(v.order); n > 0 {
		s.booked = v.balances[n-1]
		last := int(v.order[n-1])
		s.last, s.lastRow = v.entry(last).booked, v.account.entryReference(v.number(last), v.entry(last))
	}
	if first, _ := v.booked(v.today, v.today); first > 0 {
		s.yesterday = v.balances[first-1]
	}
	s.value = s.booked
	for i := len(v.order) - 1; i >= 0 && v.entry(int(v.order[i])).booked > v.today-longestWait; i-- {
		if e := v.entry(int(v.order[i])); e.valued > v.today {
			s.value -= e.amount
		}
	}
	for _, i := range v.waiting() {
		e := v.entry(i)
		s.pending += e.amount
		s.reserved += min(0, e.amount)
		if e.valued <= v.today && i < len(v.entries) { // payments have their value date with the booking
			s.value += e.amount
		}
	}
	return s
}
