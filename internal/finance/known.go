package finance

import (
	"time"

	"florin/internal/money"
)

// KnownAccount is an account as Florin knew it at some moment (ADR 0063): what the bank had said, or the person had typed, until then. Categories, notes
// and tags are no part of it.
type KnownAccount struct {
	Rows     []KnownRow // some of them, newest first
	More     bool       // there are older ones
	Pending  []PendingTransaction
	Balances []Balance
	Flows    []KnownFlow // of the month of the moment, by currency
	Began    time.Time   // since when what changes is kept
}

// KnownRow is a booked row as it was known. What lists show of a category or a review is not filled.
type KnownRow struct {
	Transaction
	Since RowSince // what became of it
}

// RowSince says what became of a row since a moment.
type RowSince int

// Values of RowSince.
const (
	RowSame    RowSince = iota
	RowChanged          // it says something else today
	RowGone             // it is in no list any more, or its bank no longer lists it
)

// KnownFlow is what the listed rows of a month came to in a currency. An amount that is too large for money.Amount is left out, and said to be.
type KnownFlow struct {
	In, Out  money.Amount
	Rows     int64
	TooLarge bool
}

// RowChange holds a row before and after the bank or the owner changed it, as lists show it.
type RowChange struct {
	Was, Is Transaction
	Gone    bool // there is nothing that it is: it was deleted
}

// What returns whether the row was changed, has gone, or is the same.
func (c RowChange) What() RowSince {
	switch was, is := c.Was, c.Is; {
	case c.Gone || is.Missing && !was.Missing:
		return RowGone
	case was.Missing != is.Missing || was.Amount != is.Amount || was.Date != is.Date || was.BookingDate != is.BookingDate || was.ValueDate != is.ValueDate ||
		was.Counterparty != is.Counterparty || was.CounterpartyAccount != is.CounterpartyAccount || was.Remittance != is.Remittance:
		return RowChanged
	}
	return RowSame
}

// News lists the rows of an account that are new, changed or gone since the person last looked, up to Until. Each list has at most MaxNews rows.
type News struct {
	AccountID string
	Since     time.Time // zero when the person has not looked yet and nothing is counted
	Until     time.Time // when the last of it was stored; zero when there is nothing
	New       []TransactionRow
	Changed   []RowChange
	Gone      []RowChange
	First     bool // the first sync is not done: nothing is news
}

// MaxNews is how many rows each list of News has at most, the ones stored last. The list of transactions shows all.
const MaxNews = 500

// Count is how many rows are new, changed and gone.
func (n News) Count() int { return len(n.New) + len(n.Changed) + len(n.Gone) }
