// Package pages contains the pages of the app: for each a view model in the form of the screen and a template that shows it. Handlers fill the view model
// completely; a template looks nothing up.
//
// A live fragment is a component with an element id, as its comment says. A server-sent event named "fragment" carries it again and replaces the element. The
// event "reload" reloads the page, "end" closes the stream.
package pages

import (
	"florin/internal/money"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// Figure returns an amount as a balance: with a minus sign below zero and no plus sign above.
func Figure(a money.Amount) ui.Money {
	return ui.Money{Amount: a}
}

// Flow shows an amount as a movement: a plus sign in, a minus sign out.
func Flow(a money.Amount) ui.Money {
	return ui.Money{Amount: a, Flow: true}
}

// Bank names a bank at the head of a page or a card.
type Bank struct {
	Name      string
	Country   words.Text // its English name: "Germany"
	Logo      string     // path of its logo; "" where there is only the coin
	Login     string     // what distinguishes the connection from others at the bank: "Ada, …4711"; empty when nothing must
	Business  bool       // its accounts are those of a business
	Simulated bool
}
