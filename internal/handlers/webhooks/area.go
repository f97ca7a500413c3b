// Package webhooks is the owner's inbox of webhooks: what services sent, and why it was believed or not.
package webhooks

import (
	"log/slog"

	"florin/internal/auth"
	"florin/internal/handlers/shell"
	"florin/internal/payments"
	"florin/internal/store"
	"florin/web/templates/paths"
)

// Deps are what the area needs.
type Deps struct {
	*shell.Shell

	Store    *store.Store
	Payments *payments.Payments
	Log      *slog.Logger
}

// Area is this part of the web app.
type Area struct{ Deps }

// New returns the area.
func New(d Deps) *Area { return &Area{d} }

// Routes are the pages and forms of the area, with who may use them.
func (a *Area) Routes() []shell.Route {
	return []shell.Route{
		shell.Get(shell.Owner, paths.Webhooks, a.webhookInbox),
		shell.Get(shell.Owner, paths.Webhooks+"/{webhook}", a.webhookPage),
		shell.Post(shell.Owner, paths.Webhooks+"/{webhook}/replay", a.replayWebhook),
		shell.PostProven(shell.Owner, paths.Webhooks+"/{webhook}/trust", auth.ForServices, a.trustWebhook),
	}
}
