// Package signin lets people in and out: the first owner, signing in and out, a new password by a link.
package signin

import (
	"log/slog"

	"florin/internal/auth"
	"florin/internal/handlers/shell"
	"florin/internal/live"
	"florin/internal/store"
	"florin/web/templates/paths"
)

// Deps are what the area needs.
type Deps struct {
	*shell.Shell

	Store  *store.Store
	Auth   *auth.Auth
	Hub    *live.Hub
	Log    *slog.Logger
	IsPage func(path string) bool // whether people who are signed in may go there
}

// Area is this part of the web app.
type Area struct{ Deps }

// New returns the area.
func New(d Deps) *Area { return &Area{d} }

// Routes are the pages and forms of the area, with who may use them.
func (a *Area) Routes() []shell.Route {
	return []shell.Route{
		shell.Get(shell.Setup, paths.Setup, a.setupPage),
		shell.Post(shell.Setup, paths.Setup, a.setup),
		shell.Get(shell.Public, paths.SignIn, a.signInPage),
		shell.Post(shell.Public, paths.SignIn, a.signIn),
		shell.Post(shell.Public, paths.SignOut, a.SignOut),
		shell.Get(shell.Public, paths.Reset, a.resetPage),
		shell.Post(shell.Public, paths.Reset, a.reset),
	}
}
