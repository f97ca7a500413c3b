// Package transactions is the list of all transactions with its search, the page of a transaction, booked or pending, with all that its bank says of it, and
// the files with which people take transactions along.
package transactions

import (
	"log/slog"
	"net/http"

	"florin/internal/attachments"
	"florin/internal/handlers/payments"
	"florin/internal/handlers/shell"
	"florin/internal/store"
	"florin/web/templates/paths"
)

// Deps are what the area needs.
type Deps struct {
	*shell.Shell

	Store       *store.Store
	Payments    *payments.Area
	WakeEdits   func() // asks for bulk edits to be carried on in the background
	Log         *slog.Logger
	Attachments *attachments.Folder
}

// Area is this part of the web app.
type Area struct{ Deps }

// New returns the area.
func New(d Deps) *Area { return &Area{d} }

// Routes are the pages and forms of the area, with who may use them.
func (a *Area) Routes() []shell.Route {
	return []shell.Route{
		shell.GetQueued(shell.SignedIn, paths.Transactions, a.list),
		shell.Get(shell.SignedIn, paths.SearchHelp, a.help),
		shell.GetQueued(shell.Member, paths.SelectTransactions, a.selectRows),
		shell.Get(shell.Member, paths.BulkEdits, a.bulkEdits),
		shell.Post(shell.Member, paths.BulkEdits, a.beginEdit),
		shell.GetQueued(shell.Member, "/transactions/edits/{edit}", a.bulkEdit),
		shell.Post(shell.Member, "/transactions/edits/{edit}", a.planEdit),
		shell.Post(shell.Member, "/transactions/edits/{edit}/start", a.startEdit),
		shell.Post(shell.Member, "/transactions/edits/{edit}/undo", a.undoEdit),
		shell.Get(shell.Member, paths.SavedSearches, a.savedSearches),
		shell.Post(shell.Member, paths.SavedSearches, a.saveSearch),
		shell.Get(shell.Member, "/transactions/searches/{search}", a.savedSearch),
		shell.Post(shell.Member, "/transactions/searches/{search}", a.saveSearch),
		shell.Post(shell.Member, "/transactions/searches/{search}/delete", a.deleteSearch),
		shell.GetQueued(shell.SignedIn, "/accounts/{account}/transactions/{transaction}", a.transaction),
		shell.Post(shell.Member, "/accounts/{account}/transactions/{transaction}/annotation", a.annotate),
		shell.Post(shell.Member, "/accounts/{account}/transactions/{transaction}/review", a.review),
		shell.Post(shell.Member, "/accounts/{account}/transactions/{transaction}/category", a.setCategory),
		shell.Get(shell.Member, "/accounts/{account}/transactions/{transaction}/split", a.splitPage),
		shell.Post(shell.Member, "/accounts/{account}/transactions/{transaction}/split", a.split),
		shell.Post(shell.Member, "/accounts/{account}/transactions/{transaction}/split/explain", a.splitExplain),
		shell.Post(shell.Member, "/accounts/{account}/transactions/{transaction}/transfer", a.setTransfer),
		shell.Get(shell.Member, "/accounts/{account}/transactions/{transaction}/merge", a.mergePage),
		shell.Post(shell.Member, "/accounts/{account}/transactions/{transaction}/merge", a.merge),
		shell.Post(shell.Member, "/accounts/{account}/transactions/{transaction}/separate", a.separate),
		shell.Get(shell.Member, "/accounts/{account}/transactions/{transaction}/name", a.name),
		shell.Post(shell.Member, "/accounts/{account}/transactions/{transaction}/name", a.rename),
		shell.Get(shell.Member, paths.Names, a.names),
		shell.Post(shell.Member, paths.Names, a.undoName),
		{Method: http.MethodPost, Pattern: "/accounts/{account}/transactions/{transaction}/attachments", Access: shell.Member, Handle: a.attach,
			Files: &shell.Files{Max: maxUpload, TooLarge: attachmentTooLarge, Streamed: true}},
		shell.Get(shell.Member, "/accounts/{account}/transactions/{transaction}/attachments/{attachment}", a.attachment),
		shell.Post(shell.Member, "/accounts/{account}/transactions/{transaction}/attachments/{attachment}/remove", a.detach),
		shell.Get(shell.SignedIn, paths.Export, a.export),
	}
}

// Views are what its pages follow while they are open.
func (a *Area) Views() map[string]shell.OpenView {
	return map[string]shell.OpenView{
		liveBulkEdit: a.openBulkEditView,
	}
}
