// Package recurring shows what comes again and again, and what comes next.
package recurring

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
		shell.Get(shell.Member, paths.Recurring, a.list),
		shell.Get(shell.Member, "/recurring/{series}", a.series),
		shell.Post(shell.Member, "/recurring/{series}/choice", a.choose),
		shell.Post(shell.Member, "/recurring/{series}/name", a.name),
		shell.Post(shell.Member, "/recurring/{series}/merge", a.merge),
		shell.Post(shell.Member, "/recurring/{series}/separate", a.separate),
	}
}
