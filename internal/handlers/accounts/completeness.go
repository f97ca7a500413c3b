package accounts

import (
	"strconv"

	"florin/internal/completeness"
	"florin/internal/finance"
	"florin/internal/handlers/show"
	"florin/internal/store"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// fillCompleteness says until when the account is proven complete, and where it is not.
func fillCompleteness(c show.Clock, view *pages.AccountView, account finance.Account, is store.Completeness) {
	add := func(value, note string) {
		view.Facts = append(view.Facts, ui.Fact{Name: c.Say("Checked against the balance"), Value: value, Note: note})
	}
	if n := len(is.Breaks); n > 0 {
		view.Broken = brokenNotice(c, account, is, is.Breaks[n-1])
	}
	switch {
	case len(is.Breaks) > 0 && is.Until != "":
		add(c.Say("Exact again from %s to %s", c.FullDay(is.Since), c.FullDay(is.Until)), "")
	case len(is.Breaks) > 0:
		add(c.Say("Not exact"), "")
	case is.Until != "":
		view.Complete = &ui.Badge{Tone: ui.Good, Text: c.Say("Complete and exact up to %s", c.Day(is.Until).Text)}
		note := c.Say("The earlier balance and all bookings since then add up to the bank’s balance.")
		if is.Open != nil && !is.Open.Difference.IsZero() {
			note = c.Say("The balance of %s differs from the bookings by %s. Banks often book between two updates; the next balance will show whether that is all.", c.FullDay(is.Open.Day), is.Open.Difference.Abs())
		}
		add(c.Say("Complete from %s to %s", c.FullDay(is.Since), c.FullDay(is.Until)), note)
	case is.Provable:
		add(c.Say("Not yet"), c.Say("Florin compares the bookings with the balance from the second update on."))
	case account.UID != "":
		add(c.Say("It cannot be checked"), c.Say("The bank gives no booked balance for this account."))
	}
}

// brokenNotice names where the bookings do not come to the balance, and the row that is likely wrong.
func brokenNotice(c show.Clock, account finance.Account, is store.Completeness, b completeness.Break) *ui.Notice {
	n := &ui.Notice{Tone: ui.Warning, Title: c.Say("The bookings do not add up to the balance of %s", c.FullDay(b.Day))}
	row := func() string { return c.TransactionName(is.Row.Title()) }
	switch is.Cause {
	case completeness.Missing:
		n.Text = c.Say("%s (%s) is in the balance, but the bank no longer lists it.", row(), is.Row.Amount)
	case completeness.Doubled:
		n.Text = c.Say("%s (%s) is listed twice, but only once in the balance. If both are the same transaction, merge them.", row(), is.Row.Amount)
	case completeness.Uncarried:
		n.Text = c.Say("%s (%s) is not in the balance.", row(), is.Row.Amount)
	case completeness.Pending:
		n.Text = c.Say("They differ by %s, as much as is pending. The bank seems to count in its balance what it has not booked.", b.Difference.Abs())
	default:
		n.Text = c.Say("The bookings are %s too high: a payment is missing, or money in is listed twice.", b.Difference.Abs())
		if b.Difference.Sign() > 0 {
			n.Text = c.Say("The bookings are %s too low: money in is missing, or a payment is listed twice.", b.Difference)
		}
	}
	if b.After != "" {
		n.Text += " " + c.Say("Everything is right up to %s.", c.FullDay(b.After))
	}
	if is.Row.ID != 0 {
		n.Action = ui.Link{Text: c.Say("Open the transaction"), Href: paths.Transaction(account.ID, strconv.FormatInt(is.Row.ID, 10))}
	}
	return n
}
