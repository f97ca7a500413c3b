// Package signin lets people in and out: the first owner, signing in and out, a new password by a link, which a mail brings.
package signin

import (
	"log/slog"

	"florin/internal/auth"
	"florin/internal/handlers/shell"
	"florin/internal/live"
	"florin/internal/outbox"
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
	Mail   *outbox.Outbox
	IsPage func(path string) bool // whether people who are signed in may go there
}

// Area is this part of the web app.
type Area struct{ Deps }

// New returns the area.
func New(d Deps) *Area { return &Area{d} }

// Routes are the pages and forms of the area, with who may use them.
func (a *Area) Routes() []shell.Route {
	return append([]shell.Route{
		shell.Get(shell.Setup, paths.Setup, a.setupPage),
		shell.Post(shell.Setup, paths.Setup, a.setup),
		shell.Get(shell.Public, paths.SignIn, a.signInPage),
		shell.Post(shell.Public, paths.SignIn, a.local(a.signIn)),
		shell.Get(shell.Public, paths.SignInSecond, a.secondPage),
		shell.Post(shell.Public, paths.SignInSecond, a.second),
		shell.Post(shell.Public, paths.OpenID, a.leaveForOpenID),
		shell.Get(shell.Public, paths.OpenIDBack, a.backFromOpenID),
		shell.Post(shell.Public, paths.SignInPasskey, a.local(a.signInWithPasskey)),
		shell.Post(shell.Public, paths.SignInPasskeyOptions, a.local(a.passkeyOptions)),
		shell.Post(shell.Public, paths.SignOut, a.SignOut),
		shell.Get(shell.Public, paths.Forgot, a.local(a.forgotPage)),
		shell.Post(shell.Public, paths.Forgot, a.local(a.forgot)),
		shell.Get(shell.Public, paths.Reset, a.local(a.resetPage)),
		shell.Post(shell.Public, paths.Reset, a.local(a.reset)),
	}, shell.WhileSettingUp(
		shell.Post(shell.SignedIn, paths.OpenIDProve, a.ProveElsewhere), // who has no password proves it there
	)...)
}
