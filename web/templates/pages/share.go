package pages

import (
	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// ShareView is the form that says with whom an account is shared. Its fields are the names of the choices.
type ShareView struct {
	layout.Frame
	AccountID   string
	AccountName string
	Joint       []string // who linked the same account
	Everybody   ShareChoice
	People      []ShareChoice
}

// ShareChoice is how much of an account somebody sees.
type ShareChoice struct {
	Name   string // of the field
	Label  string
	Levels []ui.Option
}
