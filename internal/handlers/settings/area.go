// Package settings is what users see of themselves: who they are, their password, where they are signed in.
package settings

import (
	"log/slog"

	"florin/internal/auth"
	"florin/internal/handlers/offers"
	"florin/internal/handlers/shell"
	"florin/internal/live"
	"florin/internal/store"
	"florin/web/templates/paths"
)

// Deps are what the area needs.
type Deps struct {
	*shell.Shell

	Store   *store.Store
	Auth    *auth.Auth
	Hub     *live.Hub
	Offers  *offers.Offers
	Log     *slog.Logger
	Version string // of Florin
}

// Area is this part of the web app.
type Area struct{ Deps }

// New returns the area.
func New(d Deps) *Area { return &Area{d} }

// Routes are the pages and forms of the area, with who may use them.
func (a *Area) Routes() []shell.Route {
	return []shell.Route{
		shell.Get(shell.SignedIn, paths.Settings, a.settings),
		shell.Post(shell.SignedIn, paths.Password, a.changePassword),
		shell.Post(shell.SignedIn, paths.Language, a.chooseLanguage),
		shell.PostProven(shell.SignedIn, paths.Settings+"/sign-ins/{sign_in}/end", a.endSignIn),
	}
}
