package pages

import "florin/web/templates/layout"

// LegalView is the privacy notice, and the terms of use.
type LegalView struct {
	layout.Frame
	Operator    string   // who runs this Florin; "" when it is not set
	Contact     string   // how to reach the operator, "" like the name
	ContactHref string   // a link to write there, "" where the contact is no e-mail address
	Services    []string // names of the banking services that are connected
}

// Missing reports whether it is not set who runs this Florin.
func (v LegalView) Missing() bool { return v.Operator == "" || v.Contact == "" }
