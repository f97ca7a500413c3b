package pages

import (
	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// ConnectionView is one connection to a bank: its consent and how its syncs went.
type ConnectionView struct {
	layout.Frame
	ID      string
	Bank    Bank
	Login   string     // the holder, and the last digits of its accounts: "Ada Weber, …4711, …0815"; empty when the bank gives neither
	Consent ui.Badge   // "142 days left"
	Facts   []ui.Fact  // Status, Consent until, Kind, Linked on, History reaches back to, Calls left today ...
	Notice  *ui.Notice // access has ended, or ends soon: reconnect or renew; nil when neither
	Ended   bool       // disconnected, expired or revoked: it can only be reconnected
	Stop    bool       // its syncing can be stopped: the accounts become the person's to keep
	Sync    ConnectionSyncView

	Nickname ui.Input
}

// ConnectionSyncView is the part of the page that changes during a sync.
type ConnectionSyncView struct {
	ID             string // of the connection
	State          ui.Badge
	Note           string       // "Updated at 14:02. Next at about 20:00."
	Progress       *ui.Progress // nil unless a sync is running; its ID must be "sync-progress"
	RefreshBlocked string       // why "Refresh" cannot help; empty when it can
	Hidden         bool         // no refresh at all, because the connection has ended
	Accounts       []AccountSync
}

// AccountSync is the last result of one account, kind by kind.
type AccountSync struct {
	ID     string
	Name   string
	Detail string // "ending in 4711, EUR"
	Scopes []ui.Step
	Reads  string // how often it may still be read without the person; empty when it is not read

	Pockets []AccountSync // of a wallet, as in AccountRow
}

// DisconnectView asks whether a connection shall end.
type DisconnectView struct {
	layout.Frame
	ID       string
	Bank     Bank
	Login    string   // as in ConnectionView
	Ends     bool     // the consent, which goes on until then
	Accounts []string // names of the accounts that stop updating
	GoOn     []string // names of the accounts that go on through another connection
	Kept     string   // "3 accounts and 1,240 transactions"
}

// DeleteDataView asks before data is deleted. Form field: name, which has to be typed.
type DeleteDataView struct {
	layout.Frame
	Name     string   // of the account or the connection
	Accounts []string // "Everyday, Giro Plus, …4711, EUR"
	Counts   []string // "1,204 transactions"
	GoOn     []string // names of accounts that another connection keeps up to date: they stay
	Consent  string   // what happens to the consent; empty without one
	Instead  string   // what to do instead
	Export   string   // path that saves a copy; empty without transactions
	Action   string
	Back     ui.Link
	Typed    ui.Input
}

// Refresh is the button that reads accounts now.
type Refresh struct {
	To      string // path of the form
	Account string // whose page it stands on; empty elsewhere
	Blocked string // why it cannot help; empty when it can
}
