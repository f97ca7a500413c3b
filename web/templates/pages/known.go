package pages

import (
	"context"

	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// KnownView is an account as it was known on a day. Nothing on it can be changed.
type KnownView struct {
	layout.Frame
	AccountID, Name string
	SharedBy        string     // the owner; empty for the person's own
	On              ui.Input   // the day
	Notice          *ui.Notice // which day it is, with the way back; nil when no day was given that can be shown
	Older           string     // what is unknown for so early a day; usually empty
	Balances        []Balance
	NoBalance       string
	Month           string // "November 2026"
	Sums            []SearchTotal
	List            List // its days, what was pending, and its pages; Empty says that there was nothing
}

// NewsStrip shows on the page of an account what is new on it.
type NewsStrip struct {
	AccountID string
	Text      string // "3 new, 1 changed, 1 gone since yesterday 20:11"
	Begin     bool   // the person has not yet asked for news of this account: Text is empty
	Until     string // the time up to which it is, for the form that marks it as seen
}

// NewsView lists what came to an account, changed in it and went from it since the person looked last.
type NewsView struct {
	layout.Frame
	AccountID, Name string
	SharedBy        string // the owner; empty for the person's own
	Since           string // "Since 3 October 2026 at 14:02"; empty when there is nothing to compare with
	Empty           string // said when nothing is new
	Seen            string // said when the list was marked as seen
	Until           string // for the form that marks the list as seen; empty for none
	Begin           bool   // the form asks for news from now on
	New, Gone       []TransactionRow
	NewTitle        string // "3 new"
	ChangedTitle    string
	GoneTitle       string
	Changed         []NewsChange
}

// NewsChange is a transaction that the bank, or the person who keeps the account, has changed.
type NewsChange struct {
	Row   TransactionRow
	Facts []ui.Fact // the old and the new values
}

// knownInput returns the field for a day.
func knownInput(ctx context.Context) ui.Input {
	return ui.Input{Name: "on", Label: say(ctx, "As it was known on"), Type: "date", Required: true, Autocomplete: "off"}
}
