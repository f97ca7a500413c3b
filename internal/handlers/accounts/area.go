// Package accounts is the page of an account: its balances, its transactions by day, its name. Accounts
// that no bank brings are made and kept here, and here is said with whom an account is shared, what was known of it on a past day, and what is new.
package accounts

import (
	"log/slog"

	"florin/internal/auth"
	"florin/internal/handlers/connections"
	"florin/internal/handlers/payments"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/transactions"
	"florin/internal/linking"
	"florin/internal/live"
	"florin/internal/store"
	"florin/web/templates/paths"
)

// Deps are what the area needs.
type Deps struct {
	*shell.Shell

	Store        *store.Store
	Linking      *linking.Linking
	Connections  *connections.Area
	Payments     *payments.Area
	Transactions *transactions.Area
	Hub          *live.Hub
	Log          *slog.Logger
}

// Area is this part of the web app.
type Area struct{ Deps }

// New returns the area.
func New(d Deps) *Area { return &Area{d} }

// Routes are the pages and forms of the area, with who may use them.
func (a *Area) Routes() []shell.Route {
	return []shell.Route{
		shell.GetQueued(shell.SignedIn, "/accounts/{account}", a.account),
		shell.Get(shell.SignedIn, "/accounts/{account}/known", a.known),
		shell.Get(shell.SignedIn, "/accounts/{account}/news", a.news),
		shell.Post(shell.SignedIn, "/accounts/{account}/news/seen", a.newsSeen),
		shell.Get(shell.Member, "/accounts/{account}/share", a.sharing),
		shell.Post(shell.Member, "/accounts/{account}/share", a.share),
		shell.Post(shell.Member, "/accounts/{account}/nickname", a.nickname),
		shell.Post(shell.Member, "/accounts/{account}/counts", a.counts),
		shell.Get(shell.Member, paths.NewAccount, a.newAccount),
		shell.Post(shell.Member, paths.NewAccount, a.createAccount),
		shell.Get(shell.Member, "/accounts/{manual}/edit", a.editAccount),
		shell.Post(shell.Member, "/accounts/{manual}/edit", a.changeAccount),
		shell.Get(shell.Member, "/accounts/{account}/delete", a.deleteAccountPage),
		shell.Post(shell.Member, "/accounts/{manual}/close", a.closeAccount),
		shell.Post(shell.Member, "/accounts/{manual}/value", a.value),
		shell.Get(shell.Member, "/accounts/{manual}/add", a.newRow),
		shell.Post(shell.Member, "/accounts/{manual}/add", a.addRow),
		shell.Get(shell.Member, "/accounts/{manual}/transactions/{written}/edit", a.editRow),
		shell.Post(shell.Member, "/accounts/{manual}/transactions/{written}/edit", a.changeRow),
		shell.Post(shell.Member, "/accounts/{manual}/transactions/{written}/delete", a.deleteRow),
		shell.PostProven(shell.Member, "/accounts/{account}/delete", auth.ForDeletion, a.deleteAccount),
	}
}

// Views are what its pages follow while they are open.
func (a *Area) Views() map[string]shell.OpenView {
	return map[string]shell.OpenView{liveShared: a.openSharedView}
}
