package pages

import (
	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// Form fields for the answer of a passkey, and of the browser that made a new one.
const (
	PasskeyField    = "passkey"
	NewPasskeyField = "new_passkey"
)

// PasskeysCard lists the passkeys of a person in the settings.
type PasskeysCard struct {
	Rows   []PasskeyRow
	Site   string  // where passkeys of this Florin work: "florin.example.org"; "" where they cannot
	Here   bool    // the person is at this address
	Open   ui.Link // to this address, when the person is at another one
	Reason string  // why this Florin cannot have passkeys, and what to do; "" when it can
}

// PasskeyRow is one passkey in the settings.
type PasskeyRow struct {
	ID     string
	Name   string
	Made   ui.Time
	Used   ui.Time // empty before the first use
	Copied bool    // a copy of it was used: it is refused
	Site   string  // where it works, when that is not here
}

// PasskeyView is the page of one passkey.
type PasskeyView struct {
	layout.Frame
	Title  string // its name
	Copied bool
	Site   string // where it works, when that is not here
	Facts  []ui.Fact
	Name   ui.Input
	Action string
	Remove string
}

// NewPasskeyView is the page on which a passkey is made.
type NewPasskeyView struct {
	layout.Frame
	Problem string   // why the last one was not added; "" when nothing was wrong
	Name    ui.Input // proposes one
	Options string   // address of the options for a new passkey
}

// PasskeyButton is a button that asks the browser for a passkey, and then sends its form with the answer.
type PasskeyButton struct {
	Text    string
	Field   string // the form field for the answer of the browser
	Act     string // "get" or "create"
	Options string // address of the options for the browser
	Action  string // address that the form is sent to; "" for its own
	Offer   bool   // the browser may offer passkeys in the field of the address, before the button is pressed
	Class   string // of the button
}
