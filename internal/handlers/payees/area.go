// Package payees keeps the address book: whom the user pays.
package payees

import (
	"florin/internal/handlers/shell"
	"florin/internal/store"
	"florin/web/templates/paths"
)

// Deps are what the area needs.
type Deps struct {
	*shell.Shell

	Store *store.Store
}

// Area is this part of the web app.
type Area struct{ Deps }

// New returns the area.
func New(d Deps) *Area { return &Area{d} }

// Routes are the pages and forms of the area, with who may use them.
func (a *Area) Routes() []shell.Route {
	return []shell.Route{
		shell.Get(shell.Member, paths.Payees, a.payees),
		shell.Get(shell.Member, paths.NewPayee, a.newPayee),
		shell.Post(shell.Member, paths.Payees, a.savePayee),
		shell.Get(shell.Member, "/payees/{payee}", a.payee),
		shell.Post(shell.Member, "/payees/{payee}", a.savePayee),
		shell.Post(shell.Member, "/payees/{payee}/favourite", a.favourPayee),
		shell.Post(shell.Member, "/payees/{payee}/delete", a.deletePayee),
	}
}
