// Package accounts is the page of an account: its balances, its transactions by day, its name. Accounts
// that no bank brings are made and kept here.
package accounts

import (
	"florin/internal/handlers/connections"
	"florin/internal/handlers/offers"
	"florin/internal/handlers/payments"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/transactions"
	"florin/internal/linking"
	"florin/internal/store"
	"florin/web/templates/paths"
)

// Deps are what the area needs.
type Deps struct {
	*shell.Shell

	Store        *store.Store
	Linking      *linking.Linking
	Offers       *offers.Offers
	Connections  *connections.Area
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
		shell.GetQueued(shell.SignedIn, "/accounts/{account}", a.account),
		shell.Post(shell.SignedIn, "/accounts/{account}/nickname", a.nickname),
		shell.Get(shell.SignedIn, paths.NewAccount, a.newAccount),
		shell.Post(shell.SignedIn, paths.NewAccount, a.createAccount),
		shell.Get(shell.SignedIn, "/accounts/{manual}/edit", a.editAccount),
		shell.Post(shell.SignedIn, "/accounts/{manual}/edit", a.changeAccount),
		shell.Get(shell.SignedIn, "/accounts/{account}/delete", a.deleteAccountPage),
		shell.Post(shell.SignedIn, "/accounts/{manual}/close", a.closeAccount),
		shell.Post(shell.SignedIn, "/accounts/{manual}/value", a.value),
		shell.Get(shell.SignedIn, "/accounts/{manual}/add", a.newRow),
		shell.Post(shell.SignedIn, "/accounts/{manual}/add", a.addRow),
		shell.Get(shell.SignedIn, "/accounts/{manual}/transactions/{written}/edit", a.editRow),
		shell.Post(shell.SignedIn, "/accounts/{manual}/transactions/{written}/edit", a.changeRow),
		shell.Post(shell.SignedIn, "/accounts/{manual}/transactions/{written}/delete", a.deleteRow),
		shell.Post(shell.SignedIn, "/accounts/{account}/delete", a.deleteAccount),
	}
}
