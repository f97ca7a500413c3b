package pages

import (
	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// AccountView is one account: its balances and a page of its transactions.
type AccountView struct {
	layout.Frame
	ID              string
	Name            string // nickname, else product, else kind
	Bank            Bank
	ConnectionID    string
	Subtitle        string       // "Current account, ending in 4711"
	Hero            *ui.Money    // the booked balance; nil when the bank gave none
	NoBalance       string       // said in place of the figure when Hero is nil: "No balance yet"
	HeroName        string       // "Booked so far today"
	AsOf            ui.Time      // of Hero
	Stale           string       // "3 days old"; empty when fresh
	Notice          *ui.Notice   // the connection ended, or its last sync failed; nil when neither
	Progress        *ui.Progress // of a running sync; its ID must be "sync-progress"
	Balances        []Balance
	Facts           []ui.Fact // IBAN, Holder, Product, Limit ...
	Nickname        string
	NicknameProblem string
	Pending         []TransactionRow // only on the newest page
	PendingCount    string           // "2 pending transactions"
	PendingTotal    *ui.Money        // nil when there is nothing pending or currencies differ
	Days            []Day            // newest first; empty: nothing is booked
	Range           string           // "3 October to 12 September 2026"; empty when Days is
	Pager           ui.Pager
	Pay             string // path of the form for a payment from it; empty: nothing can be paid from it
	PayObstacle     string // why not; empty where nobody expects it
	Empty           string // why there are no transactions: "The first sync is still running."
}

// Balance is one of the balances that the bank gives.
type Balance struct {
	Name    string // from BalanceWords
	Code    string
	Meaning string
	Amount  ui.Money
	AsOf    ui.Time
}

// Day groups the transactions of one date.
type Day struct {
	Date ui.Time
	Rows []TransactionRow
}

// TransactionRow is one transaction in a list. It is kept flat and plain, because a page has fifty of them.
type TransactionRow struct {
	Href    string // empty: it has no page of its own
	Name    string // the counterparty, else the first line of the text
	Text    string // remittance text in one line; may be empty
	Amount  ui.Money
	Note    string // below the amount: "−20.00 USD", a status that is not booked; may be empty
	Account string // "Groceries · Everyday, Arno Bank", in lists of all accounts; else empty
	New     bool   // the person has not looked at it yet
}
