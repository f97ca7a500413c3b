// Package reports adds up what came in and went out: by month, category, payee and tag, and what is on all accounts. Each figure leads to the transactions that
// it is made of.
package reports

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

// Routes are the pages of the area, with who may use them.
func (a *Area) Routes() []shell.Route {
	return []shell.Route{
		shell.GetQueued(shell.Member, paths.Reports, a.report),
		shell.GetQueued(shell.Member, paths.ReportsExport, a.export),
		shell.Post(shell.Member, paths.SavedReports, a.saveReport),
		shell.Get(shell.Member, "/reports/saved/{report}", a.savedReport),
		shell.Post(shell.Member, "/reports/saved/{report}", a.renameReport),
		shell.Post(shell.Member, "/reports/saved/{report}/delete", a.deleteReport),
	}
}
