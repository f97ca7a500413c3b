// Package rules keeps what the user wants done with all transactions of a kind.
package rules

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
		shell.Get(shell.Member, paths.Rules, a.list),
		shell.GetQueued(shell.Member, paths.NewRule, a.newRule),
		shell.Post(shell.Member, paths.Rules, a.save),
		shell.GetQueued(shell.Member, "/rules/{rule}", a.rule),
		shell.Post(shell.Member, "/rules/{rule}", a.save),
		shell.Post(shell.Member, "/rules/{rule}/move", a.move),
		shell.Post(shell.Member, "/rules/{rule}/off", a.switchOff),
		shell.Post(shell.Member, "/rules/{rule}/delete", a.delete),
	}
}
