package pages

import "florin/web/templates/ui"

// TransferCard says that a transaction is one side of a transfer between two accounts of the person, or lets the person say so. Form fields: do, one of
// "refuse", "pair"; with "pair", other, the id of the transaction on the other side.
type TransferCard struct {
	Action  string      // where the forms go; empty: there is nothing to say
	Other   *ui.Link    // the other side; nil when there is none
	Is      string      // "It went from Everyday to Savings.", "You said that it is no transfer."
	OtherID string      // of the other side, where it was refused; else empty
	Offered []ui.Option // transactions that may be the other side
}
