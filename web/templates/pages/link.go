package pages

import (
	"florin/web/templates/layout"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// LinkView is the list of banks that can be linked.
type LinkView struct {
	layout.Frame
	Query     string          // what was searched for
	Countries []ui.Option     // the first one is "All countries" with an empty value
	Kinds     []ui.Option     // "", "personal", "business"
	Groups    []BankGroupView // those that have banks
	Found     string          // "214 banks", or "The first 100 of 2,431 banks: type more letters or choose a country"
	Complete  bool            // Banks holds everything found, so that the list may filter itself while typing
	Problems  []ui.Notice     // services whose list could not be fetched
	NoService *NoService      // there is nothing to choose from; nil when there is
}

// BankGroupView is a part of the list of banks.
type BankGroupView struct {
	Title  words.Text // "Linked before", "Germany"; "" for the only part
	Banks  []BankChoice
	Folded bool // it is for developers, and opens with a click
	Open   bool // unfolded: nothing else was found
}

// NoService says that no banking service is connected.
type NoService struct {
	Owner bool // the person can connect one
}

// BankChoice is one bank in the list.
type BankChoice struct {
	Name      string
	Href      string     // of the page that confirms the choice
	Logo      string     // path of its logo; "" for a generic coin
	Country   words.Text // its English name
	BIC       string
	Group     string     // "Arno Group"; may be empty
	Kinds     words.Text // "Personal and business"
	Via       string     // the service that brings it; empty when there is only one
	Beta      bool
	Simulated bool
	Connected bool // this person has linked it already
}

// LinkBankView confirms the choice of a bank.
type LinkBankView struct {
	layout.Frame
	Bank      Bank
	Via       string        // the service that brings it
	Hidden    []Hidden      // values that identify the bank, sent back with the form
	Kinds     []KindChoice  // one or both of personal and business
	Until     ui.Time       // end of the consent
	UntilNote string        // "180 days, the longest that this bank allows."
	Shorter   *ui.Input     // how long access lasts, when not that long; nil at a bank that gives it for hours alone
	NextHost  string        // the host to which the form leads; "" when it leads to a page that names it
	Again     []AgainChoice // how to link it once more; empty when it was never linked
	Problem   *Failure      // starting failed; nil when nothing did
}

// Hidden is a value that a form carries.
type Hidden struct{ Name, Value string }

// KindChoice is the choice between personal and business. Form field: psu_type.
type KindChoice struct {
	Value   string // "personal" or "business"
	Title   string // "Personal"
	Note    string // "Accounts that are yours as a person."
	Checked bool
}

// AgainChoice is a way to link a bank that was linked before. Form field: again.
type AgainChoice struct {
	Value    string   // the connection to renew, or "another"
	Title    string   // "Renew this connection"
	Login    string   // the holder, and how its accounts end; empty for another login
	State    ui.Badge // of the connection: "142 days left"; without text for another login
	Accounts []string // names of its accounts
	Note     string   // what it means
	Checked  bool
}

// LeavingView is the page between Florin and a bank when the page before did not name the next site.
type LeavingView struct {
	layout.Frame
	Bank   Bank
	Href   string // address at the service; the only link of the app that leaves it
	Host   string // host name of Href, shown to the person
	Cancel string // path that gives up
}

// LinkedView is the result of a link that worked.
type LinkedView struct {
	layout.Frame
	Bank         Bank
	Renewed      bool       // the connection was there before
	NotRenewed   *ui.Notice // another connection was to be renewed; nil when none was
	Shorter      string     // the bank gave access for a shorter time than it was asked for; empty when it did not
	Outcome      *ui.Notice // how the sync ended; nil while it runs
	ConnectionID string
	Accounts     []LinkedAccount
	Until        ui.Time
	Progress     *ui.Progress // of the sync; its ID must be "sync-progress"; nil when it is over
	Summary      string       // "3 new accounts, 1 recognised"
}

// LinkedAccount is one account that the bank gave access to.
type LinkedAccount struct {
	Name     string
	Detail   string    // "Current account, ending in 4711, EUR"
	Href     string    // empty: it cannot be opened
	State    ui.Badge  // "New", "Recognised", "Not accessible"
	Note     string    // what the state means, when that is not plain
	Balance  *ui.Money // nil: not fetched yet
	Currency string

	Pockets []LinkedAccount // of a wallet, as in AccountRow
}

// LinkStoppedView is the result of a link that was cancelled or failed.
type LinkStoppedView struct {
	layout.Frame
	Bank      Bank
	Cancelled bool    // the person cancelled: nothing is wrong
	Unchanged string  // the status of the connection that was to be renewed; empty when none was
	Failure   Failure // from Explain
	Again     string  // path that starts again with the same bank
}
