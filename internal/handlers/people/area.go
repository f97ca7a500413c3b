// Package people is who uses this Florin: the page of an owner with all people and their roles, and invitations, with which new ones join.
package people

import (
	"log/slog"
	"net/url"

	"florin/internal/auth"
	"florin/internal/handlers/shell"
	"florin/internal/live"
	"florin/internal/store"
	"florin/web/templates/paths"
)

// Deps are what the area needs.
type Deps struct {
	*shell.Shell

	Store     *store.Store
	Auth      *auth.Auth
	Hub       *live.Hub
	PublicURL *url.URL // of the links in invitations
	Log       *slog.Logger
}

// Area is this part of the web app.
type Area struct{ Deps }

// New returns the area.
func New(d Deps) *Area { return &Area{d} }

// Routes are the pages and forms of the area, with who may use them.
func (a *Area) Routes() []shell.Route {
	return []shell.Route{
		shell.Get(shell.Owner, paths.People, a.peoplePage),
		shell.PostProven(shell.Owner, paths.People+"/{person}/role", auth.ForPeople, a.setRole),
		shell.PostProven(shell.Owner, paths.RequireSecond, auth.ForPeople, a.requireSecond),
		shell.PostProven(shell.Owner, paths.Invite, auth.ForPeople, a.invite),
		shell.Post(shell.Owner, paths.Invite+"/{invitation}/withdraw", a.withdraw),
		shell.Get(shell.Public, paths.Join, a.joinPage),
		shell.Post(shell.Public, paths.Join, a.join),
		shell.Post(shell.Public, paths.JoinOpenID, a.joinElsewhere),
	}
}
