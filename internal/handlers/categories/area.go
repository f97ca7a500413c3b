// Package categories keeps what transactions are for: the categories of the user.
package categories

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
		shell.Get(shell.Member, paths.Categories, a.list),
		shell.Post(shell.Member, paths.Categories, a.save),
		shell.Get(shell.Member, "/categories/{category}", a.category),
		shell.Post(shell.Member, "/categories/{category}", a.save),
	}
}
