package pages

import (
	"florin/web/templates/layout"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// PayeesView lists the payees of the user. Query value of its form: q.
type PayeesView struct {
	layout.Frame
	Query  string
	Rows   []PayeeRow
	Any    bool // there are payees, even if none matches Query
	CanPay bool
}

// PayeeRow is one payee.
type PayeeRow struct {
	ID        string
	Name      string
	Account   string
	Note      string // "Paid 4 times, last on 3 October"
	Favourite bool
}

// PayeeView is the form of one payee. Form fields: name, account, bic, favourite, sure, and those of the proof.
type PayeeView struct {
	layout.Frame
	ID        string // empty for a new one
	Title     string
	Name      ui.Input
	Account   ui.Input
	BIC       ui.Input
	Favourite bool
	Problem   *ui.Notice
	Doubt     bool // the account is in doubt: the person has to say that the payee was asked, and to prove who they are
	Sure      bool // that was ticked
	Proof     Proof
	History   string   // "Paid 4 times, last on 3 October"; empty for one that was never paid
	Names     []string // other names under which the account was paid
	CanPay    bool
}

// payeeAction is where the form of a payee goes.
func payeeAction(id string) string {
	if id == "" {
		return paths.Payees
	}
	return paths.Payee(id)
}
