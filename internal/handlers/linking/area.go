// Package linking finds a bank, sends people to it to link their accounts, and receives them on their return, also from a payment.
package linking

import (
	"context"
	"log/slog"
	"net/url"

	"florin/internal/finance"
	"florin/internal/handlers/connections"
	"florin/internal/handlers/shell"
	"florin/internal/linking"
	"florin/internal/openbanking"
	"florin/internal/payments"
	"florin/internal/store"
	"florin/web/templates/paths"
)

// Deps are what the area needs.
type Deps struct {
	*shell.Shell

	Store       *store.Store
	Linking     *linking.Linking
	Payments    *payments.Payments
	Connections *connections.Area
	Log         *slog.Logger
	Logo        Logo
	Simulated   *url.URL // of this server's own simulated banks; nil when it runs none
}

// Logo returns the logo of a bank as a small PNG, or logos.ErrNone.
type Logo func(ctx context.Context, p finance.Provider, aspsp openbanking.ASPSP) ([]byte, error)

// Area is this part of the web app.
type Area struct{ Deps }

// New returns the area.
func New(d Deps) *Area { return &Area{d} }

// Routes are the pages and forms of the area, with who may use them.
func (a *Area) Routes() []shell.Route {
	return []shell.Route{
		shell.Get(shell.Member, paths.Link, a.banks),
		shell.Get(shell.Member, paths.LinkBank, a.bank),
		shell.Get(shell.SignedIn, paths.LinkLogo, a.logo),
		shell.Post(shell.Member, paths.Link, a.startLink),
		shell.Get(shell.Member, paths.Link+"/{attempt}", a.attempt),
		shell.Get(shell.Public, "/callback/{provider}", a.callback),
		shell.Get(shell.Public, paths.Simulated, a.simulated),
	}
}
