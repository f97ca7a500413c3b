// Package budgets shows what the user means to spend beside what was spent.
package budgets

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
		shell.GetQueued(shell.Member, paths.Budgets, a.list),
		shell.Get(shell.Member, paths.NewBudget, a.newBudget),
		shell.Post(shell.Member, paths.NewBudget, a.addBudget),
		shell.Post(shell.Member, paths.BudgetStart, a.start),
		shell.Post(shell.Member, paths.BudgetFirstDay, a.firstDay),
		shell.Get(shell.Member, "/budgets/{budget}", a.budget),
		shell.Post(shell.Member, "/budgets/{budget}", a.assign),
		shell.Post(shell.Member, "/budgets/{budget}/move", a.move),
		shell.Post(shell.Member, "/budgets/{budget}/carry", a.carry),
		shell.Post(shell.Member, "/budgets/{budget}/goal", a.goal),
		shell.Post(shell.Member, "/budgets/{budget}/end", a.end),
	}
}
