// Package settling is the area for shared expenses: it shows who owes whom in a household, records shared expenses, and settles debts.
package settling

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/url"
	"slices"

	core "florin/internal/settling"

	"florin/internal/handlers/payments"
	"florin/internal/handlers/shell"
	"florin/internal/live"
	"florin/internal/store"
	"florin/web/templates/paths"
)

// Deps are the dependencies of the area.
type Deps struct {
	*shell.Shell

	Store    *store.Store
	Payments *payments.Area
	Hub      *live.Hub
	Log      *slog.Logger
}

// Area handles the pages of shared expenses.
type Area struct{ Deps }

// New returns the area.
func New(d Deps) *Area { return &Area{d} }

// Routes returns the pages and forms of the area with their access.
func (a *Area) Routes() []shell.Route {
	return []shell.Route{
		shell.GetQueued(shell.SignedIn, paths.Settling, a.overview),
		shell.GetQueued(shell.SignedIn, paths.SettlingExport, a.export),
		shell.Get(shell.Member, paths.NewExpense, a.newExpense),
		shell.Post(shell.Member, paths.NewExpense, a.addExpense),
		shell.Get(shell.SignedIn, "/settling/expenses/{expense}", a.expense),
		shell.Post(shell.Member, "/settling/expenses/{expense}", a.changeExpense),
		shell.Post(shell.Member, "/settling/expenses/{expense}/delete", a.deleteExpense),
		shell.GetQueued(shell.SignedIn, "/settling/with/{sharer}", a.with),
		shell.Post(shell.Member, "/settling/with/{sharer}/pay", a.pay),
		shell.Post(shell.Member, "/settling/with/{sharer}/cash", a.cash),
		shell.Post(shell.Member, "/settling/settlements/{settlement}/undo", a.undo),
		shell.Get(shell.Member, paths.SettlingAccount, a.receiving),
		shell.Post(shell.Member, paths.SettlingAccount, a.receive),
	}
}

// liveSettling is the name of the view for pages that show sums.
const liveSettling = "settling"

// Views returns the live views of the area's pages.
func (a *Area) Views() map[string]shell.OpenView {
	return map[string]shell.OpenView{
		liveSettling: func(v *shell.Visitor, query url.Values) (shell.View, error) {
			return &view{a.Store, v.User.ID, query.Get("seen")}, nil
		},
	}
}

// livePath returns the address of the event stream for a page that shows a book.
func livePath(b core.Book) string {
	return shell.LivePath(liveSettling, url.Values{"seen": {digest(b)}})
}

// view notices when a book differs from what a page shows.
type view struct {
	store  *store.Store
	userID string
	seen   string // digest of what the page shows
}

// Render reloads the page when the book has changed: somebody added, changed or settled something, or a payment got another status.
func (w *view) Render(ctx context.Context, _ live.Event) (string, []byte, error) {
	b, err := w.store.SettlingBook(ctx, w.userID)
	if err != nil || digest(b) == w.seen {
		return "", nil, err
	}
	return shell.EventReload, nil, nil
}

// digest returns a short hash of a book, which changes with its content.
func digest(b core.Book) string {
	h := sha256.New()
	for _, e := range b.Expenses {
		fmt.Fprintln(h, e.ID, e.Revision)
	}
	for _, s := range b.Settlements {
		fmt.Fprintln(h, s.ID, s.State, s.Undone, s.Paid.Minor(), s.PaymentID)
	}
	for _, d := range b.Ledger.Pairs() {
		if d.From == b.Me || d.To == b.Me {
			fmt.Fprintln(h, d.From, d.To, d.Amount)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// reload makes the open pages of people and of the visitor reload the shared expenses.
func (a *Area) reload(v *shell.Visitor, people []string) {
	people = append(slices.Clone(people), v.User.ID)
	slices.Sort(people)
	for _, id := range slices.Compact(people) {
		a.Hub.Publish(id, live.Event{Topic: core.Topic})
	}
}
