// Package calendar is what the calendar programs of people read: the page about the address, and the file behind it.
package calendar

import (
	"log/slog"
	"net/url"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"florin/internal/auth"
	"florin/internal/handlers/shell"
	"florin/internal/store"
	"florin/web/templates/paths"
)

// Deps are what the area needs.
type Deps struct {
	*shell.Shell

	Store     *store.Store
	PublicURL *url.URL // of the address, and of the links in events
	Log       *slog.Logger
}

// Area is this part of the web app.
type Area struct {
	Deps

	mu     sync.Mutex
	asking map[string]*asking // by user
}

// asking is how often the programs of a person ask.
type asking struct {
	limit   *rate.Limiter
	refused time.Time // when one was refused last; zero for never
}

// New returns the area.
func New(d Deps) *Area { return &Area{Deps: d, asking: map[string]*asking{}} }

// Routes are the pages and forms of the area, with who may use them.
func (a *Area) Routes() []shell.Route {
	return []shell.Route{
		shell.Get(shell.Member, paths.Calendar, a.page),
		shell.PostProven(shell.Member, paths.Calendar, auth.ForCalendar, a.create),
		shell.Post(shell.Member, paths.CalendarChoice, a.choose),
		shell.Post(shell.Member, paths.CalendarEnd, a.end),
		shell.Get(shell.ByAddress, "/calendar/{file}", a.file),
	}
}
