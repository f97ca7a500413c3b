// Package dashboard is the first page: what needs the person, all accounts by their banks, and cards with figures, in the order of the person.
package dashboard

import (
	"florin/internal/handlers/connections"
	"florin/internal/handlers/forecast"
	"florin/internal/handlers/payments"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/transactions"
	"florin/internal/store"
	"florin/web/templates/paths"
)

// Deps are what the area needs.
type Deps struct {
	*shell.Shell

	Store        *store.Store
	Connections  *connections.Area
	Forecast     *forecast.Area
	Payments     *payments.Area
	Transactions *transactions.Area
}

// Area is this part of the web app.
type Area struct{ Deps }

// New returns the area.
func New(d Deps) *Area { return &Area{d} }

// Routes are the pages and forms of the area, with who may use them.
func (a *Area) Routes() []shell.Route {
	return []shell.Route{
		shell.GetQueued(shell.SignedIn, "/{$}", a.dashboard),
		shell.Get(shell.Member, paths.Cards, a.cards),
		shell.Post(shell.Member, paths.Cards, a.placeCard),
	}
}

// Views are what its pages follow while they are open.
func (a *Area) Views() map[string]shell.OpenView {
	return map[string]shell.OpenView{
		liveDashboard: a.openView,
	}
}
