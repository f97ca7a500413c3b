package pages

import (
	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// AccountView is one account: its balances and a list of its transactions.
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
	Complete        *ui.Badge    // until when it is proven complete; nil when it is not
	Broken          *ui.Notice   // where the bookings do not come to the balance; nil when they do
	Notice          *ui.Notice   // the connection ended, or its last sync failed; nil when neither
	Progress        *ui.Progress // of a running sync; its ID must be "sync-progress"
	Balances        []Balance
	Facts           []ui.Fact    // IBAN, Holder, Product, Limit ...
	Kept            *KeptAccount // the person keeps it; nil when a bank brings it
	Nickname        string
	NicknameProblem string
	List            List
	Pay             string     // path of the form for a payment from it; empty: nothing can be paid from it
	PayObstacle     string     // why not; empty where nobody expects it
	Unbooked        *ui.Notice // of payments that the balance lacks; nil when it lacks none
	Refresh         *Refresh   // nil when no bank brings it, or none does any more
}

// Balance is one of the balances that the bank gives.
type Balance struct {
	Name    string // from BalanceWords
	Code    string
	Meaning string
	Amount  ui.Money
	AsOf    ui.Time
}
