package pages

import (
	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// WebhooksView is the inbox of webhooks, for the owner. Query values: refused, before.
type WebhooksView struct {
	layout.Frame
	Places  []ui.Fact // where webhooks of each service come to
	Refused bool      // only those that were refused
	Rows    []WebhookRow
	Pager   ui.Pager
}

// WebhookRow is one webhook that came.
type WebhookRow struct {
	ID       string
	Received ui.Time
	Title    string // "ACSC", or what was wrong
	Detail   string // of which service, and whose payment
	Payee    string // of the payment, where it is the owner's own; else empty
	State    ui.Badge
	Repeats  string // "came 3 times"; empty for once
}

// WebhookView is one webhook that came.
type WebhookView struct {
	layout.Frame
	ID      string
	Title   string
	State   ui.Badge
	Result  string    // what it changed, in words
	Replays []ui.Fact // what replays changed
	Payment *ui.Link
	Facts   []ui.Fact
	Checks  []ui.Step
	Skipped int // checks that were not made after the one that failed
	Body    string
	Cut     string // "The first 8,192 of 60,000 bytes"; empty for a whole body
	Replay  bool
	Trust   []ui.Fact // marks of the key that can be accepted in place of the one that is known; empty for none
}
