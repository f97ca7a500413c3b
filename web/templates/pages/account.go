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
	Hero            *ui.Money    // the balance that counts; nil when the bank gave none
	NoBalance       string       // shown in place of the figure when Hero is nil: "No balance yet"
	HeroName        string       // "Booked so far today"
	AsOf            ui.Time      // of Hero
	Stale           string       // "3 days old"; empty when fresh
	Complete        *ui.Badge    // until when it is proven complete; nil when it is not
	Broken          *ui.Notice   // the bookings do not add up to the balance; nil when they do
	Notice          *ui.Notice   // the connection ended, or its last sync failed; nil when neither
	Progress        *ui.Progress // of a running sync; its ID must be "sync-progress"
	Balances        []Balance
	Counts          []ui.Option  // the balances that can be chosen to count: types, "" for no choice; none without a choice
	Lost            *ui.Notice   // the bank no longer gives the one that was chosen; nil when it does
	Facts           []ui.Fact    // IBAN, Holder, Product, Limit ...
	SharedBy        string       // the owner; empty for the person's own
	BalancesAlone   bool         // its owner shares nothing else
	Share           ui.Link      // the people with whom it is shared, with a link to the form that changes it
	Kept            *KeptAccount // the person keeps it; nil when a bank brings it
	Nickname        string
	NicknameProblem string
	List            List
	Pay             string     // path of the form for a payment from it; empty: nothing can be paid from it
	Unbooked        *ui.Notice // of payments that the balance lacks; nil when it lacks none
	News            *NewsStrip // the news of the account; nil without any
	Refresh         *Refresh   // nil when no bank updates it, or none does any more
}

// Balance is one of the balances that the bank gives.
type Balance struct {
	Name    string // from BalanceWords
	Code    string
	Meaning string
	Amount  ui.Money
	AsOf    ui.Time
	Counts  bool // among others
}
