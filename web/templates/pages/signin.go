package pages

import "florin/web/templates/layout"

// SignInView is the page that signs a person in.
type SignInView struct {
	layout.Frame
	Email   string
	Problem string // one sentence for the whole form: never says which of the two was wrong
	Next    string // path to go to afterwards; empty for the accounts

	Remember    bool   // stay signed in on this device
	RememberFor string // how long: "30 days"
	Reset       bool   // a new password was set a moment ago
}
