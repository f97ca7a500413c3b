// Package connections keeps what is known of the user's banks: each connection with its accounts and how its sync stands, its page, refreshing and
// disconnecting it.
package connections

import (
	"florin/internal/auth"
	"florin/internal/handlers/shell"
	"florin/internal/linking"
	"florin/internal/live"
	"florin/internal/store"
	"florin/internal/syncer"
	"florin/web/templates/paths"
)

// Deps are what the area needs.
type Deps struct {
	*shell.Shell

	Store   *store.Store
	Linking *linking.Linking
	Syncer  *syncer.Syncer
	Hub     *live.Hub
}

// Area is this part of the web app.
type Area struct{ Deps }

// New returns the area.
func New(d Deps) *Area { return &Area{d} }

// Routes are the pages and forms of the area, with who may use them.
func (a *Area) Routes() []shell.Route {
	return []shell.Route{
		shell.GetQueued(shell.Member, "/connections/{connection}", a.connection),
		shell.Post(shell.Member, "/connections/{connection}/refresh", a.refresh),
		shell.Post(shell.Member, paths.Refresh, a.refreshAll),
		shell.Post(shell.Member, "/connections/{connection}/nickname", a.nickname),
		shell.Get(shell.Member, "/connections/{connection}/disconnect", a.disconnectPage),
		shell.Post(shell.Member, "/connections/{connection}/disconnect", a.disconnect),
		shell.Get(shell.Member, "/connections/{connection}/delete", a.deletePage),
		shell.PostProven(shell.Member, "/connections/{connection}/delete", auth.ForDeletion, a.delete),
	}
}

// Views are what its pages follow while they are open.
func (a *Area) Views() map[string]shell.OpenView {
	return map[string]shell.OpenView{
		liveConnection: a.openConnectionView,
		ViewProgress:   a.openProgressView,
	}
}
