package pages

import (
	"strings"

	"florin/internal/qrcode"
	"florin/web/templates/layout"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// SecondStepView asks for a code, or a passkey, after the first step of a sign-in.
type SecondStepView struct {
	layout.Frame
	Next     string // the page to go to; may be empty
	Remember bool   // the person chose to stay signed in
	Problem  string // with the last code
	App      bool   // the person has an authenticator app
	Codes    bool   // the person has recovery codes left
	Passkey  bool   // the person has a passkey that works here
}

// lead returns what to do.
func (v SecondStepView) lead() words.Text {
	switch {
	case v.App && v.Codes:
		return "Enter the six digits that your authenticator app shows now. If you cannot use the app, enter one of your recovery codes."
	case v.App:
		return "Enter the six digits that your authenticator app shows now."
	case v.Codes:
		return "Use your passkey, or enter one of your recovery codes."
	}
	return "Use your passkey."
}

// SecondFactorCard lists the second factors of a person, in the settings.
type SecondFactorCard struct {
	Apps     []AuthenticatorRow
	Any      bool   // the person has an app or a passkey
	Codes    int    // recovery codes that are left
	CodeSet  string // names the codes that new ones would replace
	Required bool   // everybody needs a second factor
}

// AuthenticatorRow is one app in the settings.
type AuthenticatorRow struct {
	ID   string
	Name string
	Made ui.Time
	Used ui.Time // empty before the first use
}

// CodeSetField is the form field that names the present recovery codes: a form that is sent twice makes new codes once.
const CodeSetField = "codes"

// AuthenticatorView is the page of an app. Form field: name.
type AuthenticatorView struct {
	layout.Frame
	Title  string // its name
	Facts  []ui.Fact
	Name   ui.Input
	Action string
	Remove string
}

// NewAuthenticatorView is the page on which an app is set up. Form fields: name, app_code.
type NewAuthenticatorView struct {
	layout.Frame
	Code    qrcode.Code
	Secret  string // in groups, to type
	Account string // the name under which the app shows it
	Name    ui.Input
	Problem string // with the code
}

// AppCodeField is the form field for a code of the app during set-up. CodeField is for a proof of identity.
const AppCodeField = "app_code"

// RecoveryCodesView shows recovery codes, once.
type RecoveryCodesView struct {
	layout.Frame
	App   string   // that was just added; "" when the codes alone are new
	Codes []string // in groups
}

// RecoveryCodeField is the form field with a code in the form that saves the codes as a file.
const RecoveryCodeField = "code"

// Groups writes a text in groups of four, with sep between them.
func Groups(text, sep string) string {
	var b strings.Builder
	for i, r := range text {
		if i > 0 && i%4 == 0 {
			b.WriteString(sep)
		}
		b.WriteRune(r)
	}
	return b.String()
}

// SecondFactorFirstView lets a person choose a second factor who needs one before anything else.
type SecondFactorFirstView struct {
	layout.Frame
	Passkeys bool // this page can make them
}

// SecondFactorRule shows an owner whether everybody needs a second factor.
type SecondFactorRule struct {
	Required bool
	Own      bool // the owner has one
}
