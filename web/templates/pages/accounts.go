package pages

import "florin/web/templates/ui"

// Total is the total of the accounts of one kind in one currency, or of all accounts.
type Total struct {
	Name     string // "Spending money", "Loans", "Net worth"
	Sum      ui.Money
	Accounts string // "4 accounts"
}

// BankGroup is one connection with its accounts. It is a live fragment with the id "bank-" + ConnectionID.
type BankGroup struct {
	ConnectionID string
	Bank         Bank
	Consent      ui.Badge     // "142 days left", "Consent ended"
	Sync         ui.Badge     // "Up to date", "Problem at the bank"
	SyncNote     string       // "Updated at 14:02. Next at about 20:00."
	Progress     *ui.Progress // nil unless a sync is running; its ID must be "bank-progress-" + ConnectionID
	Accounts     []AccountRow
	Folded       string // shown in place of its accounts until it is opened: "4 accounts: 1,234.00 EUR"; empty: they are shown at once
	Shared       string // names of accounts that it shares with another connection, which keeps them up to date; usually empty
}

// labels returns the ids of the elements that name the card: the bank, and what distinguishes its connections.
func (g BankGroup) labels() string {
	if g.Bank.Login == "" {
		return "bank-name-" + g.ConnectionID
	}
	return "bank-name-" + g.ConnectionID + " bank-login-" + g.ConnectionID
}

// AccountRow is one account in the list.
type AccountRow struct {
	ID        string
	Name      string    // nickname, else product, else kind
	Kind      string    // product or kind, when Name is a nickname: "Current account"
	LastFour  string    // "4711"; empty when the bank gave no number
	Currency  string    // ISO 4217 code
	Balance   *ui.Money // that counts; nil: the bank gave none
	NoBalance string    // shown in place of the figure when Balance is nil: "No balance yet"
	BalanceIs string    // which balance it is when it is not the booked one: "Expected"; usually empty
	Available *ui.Money // nil: the bank gave none
	AsOf      ui.Time   // of the balance; "as of 14:02"
	Stale     string    // "3 days old"; empty when the figure is fresh
	Closed    bool      // the person keeps it, and it is no longer in use
	News      string    // what is new on it: "3 new, 1 changed since yesterday 20:11"; empty when nothing is

	Pockets []AccountRow // of a wallet, each in another currency: the wallet itself only has a name, a kind and a number
}
