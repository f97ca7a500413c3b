package transactions

import (
	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/web/templates/pages"
	"florin/web/templates/ui"
)

// historyCard says what the bank has changed about a transaction, and what it said before.
func (a *Area) historyCard(v *shell.Visitor, c show.Clock, t finance.TransactionRecord) (pages.HistoryCard, error) {
	view := pages.HistoryCard{First: c.Say("Florin first fetched this on %s.", c.Full(t.FirstSeen))}
	changes, err := a.Store.Changes(v.Ctx(), v.User.ID, t.ID)
	after := t.Transaction
	for _, change := range changes {
		if before := beforeChange(c, change.Transaction, after); len(before) > 0 {
			view.Changes = append(view.Changes, pages.HistoryChange{When: c.Say("Changed on %s", c.Full(change.Changed)), Before: before})
		}
		after = change.Transaction
	}
	return view, err
}

// beforeChange lists the previous values of everything that the bank has changed.
func beforeChange(c show.Clock, before, after finance.Transaction) (facts []ui.Fact) {
	add := func(name, was, is string) {
		if was == is {
			return
		}
		if was == "" {
			was = c.Say("Nothing#before")
		}
		facts = append(facts, ui.Fact{Name: name, Value: was})
	}
	add(c.Say("Amount before"), c.Money(before.Amount), c.Money(after.Amount))
	add(c.Say("Date before"), c.Day(before.Date).Text, c.Day(after.Date).Text)
	add(c.Say("Booked on, before"), c.Day(before.BookingDate).Text, c.Day(after.BookingDate).Text)
	add(c.Say("Value date before"), c.Day(before.ValueDate).Text, c.Day(after.ValueDate).Text)
	add(c.Say("Name before"), before.Counterparty, after.Counterparty)
	add(c.Say("Account before"), show.Groups(before.CounterpartyAccount), show.Groups(after.CounterpartyAccount))
	add(c.Say("Text before"), before.Remittance, after.Remittance)
	return facts
}
