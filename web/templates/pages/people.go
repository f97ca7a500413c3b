package pages

import (
	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// PeopleView shows an owner who can sign in, and who is invited.
type PeopleView struct {
	layout.Frame
	People      []Person
	Second      SecondFactorRule
	New         *NewInvitation // the one that was just made, else nil
	Name        ui.Input       // of the form for an invitation: whom it is for
	Roles       []ui.Option    // of the form; the field is "role"
	JoinWith    string         // the provider with which alone people join; "": they choose a password
	Invitations []InvitationRow
}

// Person is one person who can sign in.
type Person struct {
	ID     string
	Email  string
	Since  ui.Time
	Second string      // the person's second factor: "passkey, authenticator app"
	SignIn string      // where the person is signed in: "2 devices, last seen today at 09:12"
	Roles  []ui.Option // the present one is selected
	Fixed  string      // why the role cannot be changed; empty when it can
}

// NewInvitation is the address of an invitation, which is shown once.
type NewInvitation struct {
	Name    string // whom it is for
	Until   string // until when it works
	Address string
}

// InvitationRow is one invitation.
type InvitationRow struct {
	ID    string
	Name  string
	Role  string
	State ui.Badge
	When  string // "until Friday", "used yesterday"
	Open  bool   // it can be withdrawn
}

// JoinView is the form with which an invited person joins.
type JoinView struct {
	layout.Frame
	Token           string // of the one-time link; sent back with the form
	Inviter         string // who invited the person, as a sentence
	Role            string // what the person will be able to do, as a sentence
	Email           string
	EmailProblem    string
	PasswordProblem string
	MinPassword     int    // characters
	Local           bool   // they choose an address and a password
	OpenID          string // name of the provider with whose account they can join; "" for none
}

// JoinLinkView explains why an invitation cannot be used.
type JoinLinkView struct {
	layout.Frame
	Problem string
}
