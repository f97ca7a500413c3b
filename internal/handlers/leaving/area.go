// Package leaving is how a person goes: with all own data in one file, and with everything deleted, by the person or by an owner.
package leaving

import (
	"log/slog"

	"florin/internal/attachments"
	"florin/internal/auth"
	"florin/internal/handlers/settling"
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
	Transactions *transactions.Area
	Settling     *settling.Area
	Attachments  *attachments.Folder
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
		shell.Get(shell.SignedIn, paths.Leave, a.leavePage),
		shell.PostProven(shell.SignedIn, paths.Leave, auth.ForLeaving, a.leave),
		shell.Get(shell.SignedIn, paths.Takeout, a.takeout),
		shell.Get(shell.Owner, paths.People+"/{person}/remove", a.removePage),
		shell.PostProven(shell.Owner, paths.People+"/{person}/remove", auth.ForPeople, a.remove),
	}
}
