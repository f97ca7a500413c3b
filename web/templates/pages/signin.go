package pages

import (
	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// ForgotView is the page for a person who forgot the password.
type ForgotView struct {
	layout.Frame
	Mail    bool   // a link can be sent by mail
	Sent    bool   // it was asked for a moment ago
	Email   string // as it was typed
	Problem string // with it
}

// SignInView is the page that signs a person in.
type SignInView struct {
	layout.Frame
	Email   string
	Problem string // one sentence for the whole form: never says which of the two was wrong
	Next    string // path to go to afterwards; empty for the accounts

	Remember    bool   // stay signed in on this device
	RememberFor string // how long: "30 days"
	UnusedFor   string // how long without use: "7 days"; "" for as long
	Local       bool   // people sign in with an address and a password
	OpenID      string // name of the provider of OpenID Connect where they can sign in too; "" for none
	Reset       bool   // a new password was set a moment ago
	Passkeys    bool   // people can sign in with passkeys here
}

// autocomplete says to browsers what the field for the address takes.
func (v SignInView) autocomplete() string {
	if v.Passkeys {
		return "username webauthn"
	}
	return "username"
}

// OpenIDAheadView leads to the provider of OpenID Connect.
type OpenIDAheadView struct {
	layout.Frame
	Name string // of the provider
	Href string // where the browser goes
	Host string // as the browser shows it
}

// OpenIDSettings is the provider of OpenID Connect in the settings of a person.
type OpenIDSettings struct {
	Name        string // of the provider; "" for none
	Linked      bool
	Since, Used ui.Time // of the link; Used is zero before the first sign-in with it
	RedirectURL string  // to register at the provider; only for the owner, else ""
}

// OpenIDProvenView says that somebody who came back from the provider of OpenID Connect has proved who they are.
type OpenIDProvenView struct{ layout.Frame }
