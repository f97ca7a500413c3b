// Package notifications is the page on which people choose what they are told outside of the pages, where and how (ADR 0061), and the page that turns a kind
// of message off without a sign-in.
package notifications

import (
	"context"
	"time"

	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/outbox"
	"florin/internal/search"
	"florin/internal/store"
	"florin/web/templates/paths"
	"florin/web/templates/words"
)

// Deps are what the area needs.
type Deps struct {
	*shell.Shell

	Store    *store.Store
	Messages *outbox.Messages
	Changed  func() // called when people have chosen anew; nil for nothing
}

// Area is this part of the web app.
type Area struct{ Deps }

// New returns the area.
func New(d Deps) *Area { return &Area{d} }

// Routes are the pages and forms of the area, with who may use them.
func (a *Area) Routes() []shell.Route {
	return []shell.Route{
		shell.Get(shell.Member, paths.Notifications, a.page),
		shell.Post(shell.Member, paths.Notifications, a.save),
		shell.Post(shell.Member, paths.Notifications+"/{channel}", a.saveChannel),
		shell.Post(shell.Member, paths.Notifications+"/{channel}/test", a.test),
		shell.Post(shell.Member, paths.Notifications+"/{channel}/remove", a.removeChannel),
		shell.Get(shell.Public, paths.Off, a.offPage),
		shell.Post(shell.Public, paths.Off, a.off),
	}
}

// Understood reads the texts of saved searches for store.Watch, in the language of their person. One that names what is no longer there means nothing.
func Understood(db *store.Store, location *time.Location) store.ParseSaved {
	return func(ctx context.Context, userID, text string) (query search.Query, ok bool, err error) {
		user, err := db.User(ctx, userID)
		if err != nil {
			return nil, false, err
		}
		accounts, err := db.Accounts(ctx, userID)
		if err != nil {
			return nil, false, err
		}
		connections, err := db.Connections(ctx, userID)
		if err != nil {
			return nil, false, err
		}
		book, err := db.Categories(ctx, userID)
		if err != nil {
			return nil, false, err
		}
		clock := show.Clock{Language: words.Speaking(words.App, user.Language), Now: time.Now().In(location)}
		parsed, fault := search.Parse(text, clock.Names(accounts, connections, book).Context())
		return parsed.Query, fault == nil, nil
	}
}
