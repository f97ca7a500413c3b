// Package directdebits shows who takes money by a mandate, what is odd about it, and until when the bank gives it back.
package directdebits

import (
	"florin/internal/handlers/shell"
	"florin/internal/store"
	"florin/web/templates/paths"
)

// Deps are what the area needs.
type Deps struct {
	*shell.Shell

	Store  *store.Store
	IsPage func(path string) bool // of a page to go back to
}

// Area is this part of the web app.
type Area struct{ Deps }

// New returns the area.
func New(d Deps) *Area { return &Area{d} }

// Routes are the pages and forms of the area, with who may use them.
func (a *Area) Routes() []shell.Route {
	return []shell.Route{
		shell.Get(shell.SignedIn, paths.DirectDebits, a.list),
		shell.Get(shell.SignedIn, "/direct-debits/{debit}", a.debit),
		shell.Post(shell.Member, "/direct-debits/{debit}/right", a.right),
	}
}
