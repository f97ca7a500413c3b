// Package imports brings files with transactions into accounts: choosing one, saying what its columns hold, seeing what is new, and undoing it.
package imports

import (
	"context"
	"net/http"

	"florin/internal/handlers/shell"
	"florin/internal/statementfile"
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
	upload := shell.Post(shell.Member, paths.Import, a.choose)
	upload.Files = &shell.Files{Max: statementfile.MaxBytes + 64<<10, TooLarge: tooLarge}
	return []shell.Route{
		shell.Get(shell.Member, paths.Import, a.start),
		upload,
		shell.Get(shell.Member, paths.ImportPreview, a.preview),
		shell.Post(shell.Member, paths.ImportPreview, a.change),
		shell.Post(shell.Member, paths.ImportSave, a.save),
		shell.Post(shell.Member, paths.ImportDiscard, a.discard),
		shell.Get(shell.Member, "/import/{import}/undo", a.askUndo),
		shell.Post(shell.Member, "/import/{import}/undo", a.undo),
	}
}

func tooLarge(ctx context.Context) *shell.Problem {
	return &shell.Problem{Status: http.StatusRequestEntityTooLarge, Title: words.Say(ctx, "The file is too large"),
		What: words.Say(ctx, "A file with transactions may have %d MiB at most. Nothing was imported.", statementfile.MaxBytes>>20),
		Todo: words.Say(ctx, "Export a shorter period, and import one file after the other."), Action: ui.Link{Text: words.Say(ctx, "Import"), Href: paths.Import}}
}
