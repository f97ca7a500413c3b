package handlers

import (
	"maps"
	"slices"

	"florin/internal/handlers/accounts"
	"florin/internal/handlers/budgets"
	"florin/internal/handlers/calendar"
	"florin/internal/handlers/categories"
	"florin/internal/handlers/connections"
	"florin/internal/handlers/dashboard"
	"florin/internal/handlers/directdebits"
	"florin/internal/handlers/forecast"
	"florin/internal/handlers/imports"
	"florin/internal/handlers/install"
	"florin/internal/handlers/leaving"
	"florin/internal/handlers/legal"
	"florin/internal/handlers/linking"
	"florin/internal/handlers/notifications"
	"florin/internal/handlers/offers"
	"florin/internal/handlers/payees"
	"florin/internal/handlers/payments"
	"florin/internal/handlers/people"
	"florin/internal/handlers/rates"
	"florin/internal/handlers/recurring"
	"florin/internal/handlers/reports"
	"florin/internal/handlers/rules"
	"florin/internal/handlers/services"
	"florin/internal/handlers/settings"
	"florin/internal/handlers/settling"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/signin"
	"florin/internal/handlers/transactions"
	"florin/internal/handlers/webhooks"
	"florin/web/templates/paths"
)

// area is a part of the web app that people know by its name, with its pages and forms. One whose pages follow what happens is a follower, too.
type area interface {
	Routes() []shell.Route
}

type follower interface {
	Views() map[string]shell.OpenView
}

// newAreas are all parts of the web app. A new one is a package beside the others and a line here (ADR 0040).
func newAreas(s *shell.Shell, o Options, offered *offers.Offers, isPage func(path string) bool) []area {
	banks := connections.New(connections.Deps{Shell: s, Store: o.Store, Linking: o.Linking, Syncer: o.Syncer, Hub: o.Hub})
	paying := payments.New(payments.Deps{Shell: s, Store: o.Store, Payments: o.Payments, Linking: o.Linking, Offers: offered, Connections: banks,
		Syncer: o.Syncer,
		Hub:    o.Hub, Log: o.Log})
	ahead := forecast.New(forecast.Deps{Shell: s, Store: o.Store})
	booked := transactions.New(transactions.Deps{Shell: s, Store: o.Store, Payments: paying, Attachments: o.Attachments, WakeEdits: o.WakeEdits, Log: o.Log})
	expenses := settling.New(settling.Deps{Shell: s, Store: o.Store, Payments: paying, Hub: o.Hub, Log: o.Log})
	return []area{
		signin.New(signin.Deps{Shell: s, Store: o.Store, Auth: o.Auth, Hub: o.Hub, Log: o.Log, Mail: o.Outbox, IsPage: isPage}),
		settings.New(settings.Deps{Shell: s, Store: o.Store, Auth: o.Auth, Hub: o.Hub, Offers: offered, Mail: o.Outbox, IsPage: isPage, Log: o.Log,
			Version: o.Version, PublicURL: o.PublicURL}),
		calendar.New(calendar.Deps{Shell: s, Store: o.Store, PublicURL: o.PublicURL, Log: o.Log}),
		notifications.New(notifications.Deps{Shell: s, Store: o.Store, Messages: o.Messages, Changed: o.Chosen}),
		people.New(people.Deps{Shell: s, Store: o.Store, Auth: o.Auth, Hub: o.Hub, PublicURL: o.PublicURL, Log: o.Log}),
		leaving.New(leaving.Deps{Shell: s, Store: o.Store, Linking: o.Linking, Transactions: booked, Settling: expenses,
			Attachments: o.Attachments, Hub: o.Hub, Log: o.Log}),
		linking.New(linking.Deps{Shell: s, Store: o.Store, Linking: o.Linking, Payments: o.Payments, Connections: banks, Log: o.Log, Simulated: o.Simulated,
			Logo: o.Logo}),
		banks,
		accounts.New(accounts.Deps{Shell: s, Store: o.Store, Linking: o.Linking, Connections: banks, Payments: paying, Transactions: booked,
			Hub: o.Hub,
			Log: o.Log}),
		dashboard.New(dashboard.Deps{Shell: s, Store: o.Store, Connections: banks, Forecast: ahead, Payments: paying, Transactions: booked}),
		ahead,
		booked,
		categories.New(categories.Deps{Shell: s, Store: o.Store}),
		budgets.New(budgets.Deps{Shell: s, Store: o.Store}),
		rules.New(rules.Deps{Shell: s, Store: o.Store}),
		imports.New(imports.Deps{Shell: s, Store: o.Store}),
		rates.New(rates.Deps{Shell: s, Store: o.Store}),
		recurring.New(recurring.Deps{Shell: s, Store: o.Store}),
		directdebits.New(directdebits.Deps{Shell: s, Store: o.Store, IsPage: isPage}),
		reports.New(reports.Deps{Shell: s, Store: o.Store}),
		paying,
		expenses,
		payees.New(payees.Deps{Shell: s, Store: o.Store}),
		services.New(services.Deps{Shell: s, Providers: o.Providers, Offers: offered, PublicURL: o.PublicURL, Signed: o.Operator.Known()}),
		legal.New(legal.Deps{Shell: s, Store: o.Store, Operator: o.Operator}),
		install.New(s),
		webhooks.New(webhooks.Deps{Shell: s, Store: o.Store, Payments: o.Payments, Log: o.Log}),
	}
}

// routesOf is the route table of areas, with the stream that open pages follow.
func routesOf(s *shell.Shell, areas []area) []shell.Route {
	var routes []shell.Route
	views := make(map[string]shell.OpenView)
	for _, a := range areas {
		routes = append(routes, a.Routes()...)
		if f, ok := a.(follower); ok {
			maps.Copy(views, f.Views())
		}
	}
	return append(routes, shell.Get(shell.Stream, paths.Events, func(v *shell.Visitor) error { return s.Events(v, views) }))
}

// Routes is the route table: every page, form and stream of the web app, as docs/routes.md lists them. Checks that have to hold for all of them are made
// from it.
// Beside it there are only the files under static.Prefix, and /healthz and /readyz, which know no user.
//
// Nothing changes on GET, but for the callback: the bank sends people back with a GET, which consumes the one-time state; and the page of a payment
// notes that its end was seen. The file of a calendar notes what it has told, so that an event keeps its id.
func Routes() []shell.Route {
	s := new(shell.Shell)
	return slices.Clip(routesOf(s, newAreas(s, Options{}, nil, nil)))
}
