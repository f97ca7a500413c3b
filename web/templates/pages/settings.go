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
	Password  PasswordForm
	Members   []Member // everybody who may sign in; only for the owner, else empty
	Webhooks  bool     // the person may see the inbox of webhooks: the owner
	Version   string   // of Florin
}

// SignInRow is one place where the person is signed in.
type SignInRow struct {
	ID      string
	Device  string // "Firefox on Linux"
	Since   ui.Time
	Seen    ui.Time
	Stays   bool // the person chose to stay signed in there
	Current bool // the one that shows this page: it ends with "Sign out"
}

// PasswordForm changes the password. Form fields: password, new_password.
type PasswordForm struct {
	Problem     string // with the present password
	NewProblem  string // with the new one
	MinPassword int    // characters
}

// Member is one person who may sign in.
type Member struct {
	Email string
	Role  string // "Owner", "Member"
	Since ui.Time
}
