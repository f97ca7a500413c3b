package pages

import (
	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// SettingsView shows who is signed in and where.
type SettingsView struct {
	layout.Frame
	Facts   []ui.Fact // Name, E-mail address, Role, Member since
	SignIns []SignInRow
	Version string // of Florin
}

// SignInRow is one place where the person is signed in.
type SignInRow struct {
	ID      string
	Device  string // "Firefox on Linux"
	Address string // network address
	Since   ui.Time
	Seen    ui.Time
	Current bool // the one that shows this page: it ends with "Sign out"
}
