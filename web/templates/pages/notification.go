package pages

import (
	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// NotificationsView shows about what a person is notified outside of the pages. One form has everything except the channels.
type NotificationsView struct {
	layout.Frame
	Mail     NotificationChannel
	Ntfy     NotificationChannel
	Webhook  NotificationChannel
	Kinds    []NotificationKind
	Details  bool     // field "details": amounts and names
	From     ui.Input // quiet_from
	Until    ui.Input // quiet_until
	Zone     ui.Input
	Cap      ui.Input
	Digest   []ui.Option // digest
	Above    ui.Input
	Currency []ui.Option // above_currency; empty: there is no account
	Lines    []ui.Input  // line-ID
	Searches []NotificationSwitch
}

// NotificationChannel is a channel for messages.
type NotificationChannel struct {
	Name   string // its place in the addresses: "ntfy"
	On     bool   // messages can be sent
	Facts  []ui.Fact
	Notice *ui.Notice // what was wrong with the last message; nil for nothing
	Fields []ui.Input // of its form
	Secret string     // with which the receiver checks webhooks; "" for none
}

// NotificationKind is a kind of message with a switch for each channel.
type NotificationKind struct {
	Name     string
	Hint     string // may be empty
	Switches []NotificationSwitch
}

// NotificationSwitch is a box to tick. The field is "on" for kinds, "search" for saved searches.
type NotificationSwitch struct {
	Text, Label string // Label is the full text for screen readers; empty: Text is enough
	Value       string
	On          bool
}

// OffView turns off messages without signing in. Form fields: none; the token is in the address.
type OffView struct {
	layout.Frame
	Kind, Channel string
	Action        string
	Done          bool // it is off
}
