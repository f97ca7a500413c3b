package pages

import "florin/web/templates/layout"

// ResetView is the page on which a person who is locked out sets a new password, reached by a one-time link.
type ResetView struct {
	layout.Frame
	Token           string // of the one-time link; sent back with the form
	Email           string // of the person
	PasswordProblem string
	Passkeys        int    // that go on to sign the person in
	OpenID          string // name of the provider where an account does; "" for none
	Calendar        bool   // a calendar address, which needs no password, will continue to work
	MinPassword     int    // characters
}

// ResetLinkView is the page for a link that does not work.
type ResetLinkView struct{ layout.Frame }
