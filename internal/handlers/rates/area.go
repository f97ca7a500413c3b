// Package rates is the page with exchange rates: those that the person typed, and those of the European Central Bank that the person read in from a file.
// Florin fetches none.
package rates

import (
	"context"
	"net/http"

	"florin/internal/handlers/shell"
	core "florin/internal/rates"
	"florin/internal/store"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// Deps are what the area needs.
type Deps struct {
	*shell.Shell

	Store *store.Store
}

// Area is this part of the web app.
type Area struct{ Deps }

// New returns the area.
func New(d Deps) *Area { return &Area{d} }

// Routes are the pages and forms of the area, with who may use them.
func (a *Area) Routes() []shell.Route {
	file := shell.Post(shell.Member, paths.RatesFile, a.readFile)
	file.Files = &shell.Files{Max: core.MaxFile + 64<<10, TooLarge: tooLarge, Streamed: true}
	return []shell.Route{
		shell.Get(shell.Member, paths.Rates, a.list),
		shell.Post(shell.Member, paths.Rates, a.add),
		file,
		shell.Post(shell.Member, paths.RatesFileDelete, a.deleteFile),
		shell.Post(shell.Member, paths.Currency, a.choose),
		shell.Post(shell.Member, "/settings/rates/{rate}/delete", a.delete),
	}
}

func tooLarge(ctx context.Context) *shell.Problem {
	return &shell.Problem{Status: http.StatusRequestEntityTooLarge, Title: words.Say(ctx, "The file is too large"),
		What: words.Say(ctx, "A file with exchange rates may have %d MiB at most.", core.MaxFile>>20), Todo: words.Say(ctx, "Choose a file of the European Central Bank. Your exchange rates are unchanged."),
		Action: ui.Link{Text: words.Say(ctx, "Exchange rates"), Href: paths.Rates}}
}
