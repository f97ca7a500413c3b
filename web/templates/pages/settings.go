package pages

import (
	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// SettingsView shows who is signed in and where.
type SettingsView struct {
	layout.Frame
	Facts     []ui.Fact   // Name, E-mail address, Role, Member since
	Languages []ui.Option // of the pages; the field is "language"
	SignIns   []SignInRow
	Passkeys  PasskeysCard
	Second    SecondFactorCard
	Password  PasswordForm
	Local     bool // people sign in with a password here, which can be changed
	OpenID    OpenIDSettings
	Owner     bool // the person is an owner: sees people, banking services and webhooks
	Mail      MailSettings
	KeysOff   bool   // on this device
	Version   string // of Florin
}

// MailSettings say whether Florin sends mail to the person.
type MailSettings struct {
	Sends   bool       // there is a mail server
	Problem *ui.Notice // with the last mail; nil for none
	Last    string     // when the last one was sent; may be empty
}

// SignInRow is one place where the person is signed in.
type SignInRow struct {
	ID      string
	Device  string // "Firefox on Linux"
	How     string // "With the password"; "" when it is unknown
	Where   string // "Another network (192.0.2.…)"
	Since   ui.Time
	Seen    ui.Time
	Stays   bool // the person chose to stay signed in there
	Current bool // the one that shows this page: it ends with "Sign out"
}

// PasswordForm changes the password. Form fields: those of the proof, new_password.
type PasswordForm struct {
	Proof       Proof
	NewProblem  string // with the new one
	MinPassword int    // characters
}
