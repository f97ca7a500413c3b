// Package pages holds the app's pages: for each a view model shaped like the screen and a template that shows it.
// Handlers fill the view model completely; a template looks nothing up.
//
// Live fragments: a component whose comment says so has an element with an id and replaces itself when a
// server-sent event named "fragment" carries it again. The event "reload" loads the page again, "end" closes the stream.
package pages

import (
	"florin/internal/money"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// Figure shows an amount as a balance: a minus sign below zero and none above.
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
	Login     string     // what tells the connection from others at the bank: "Ada, …4711"; empty where nothing has to
	Business  bool       // its accounts are those of a business
	Simulated bool
}
