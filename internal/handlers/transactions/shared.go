package transactions

import (
	"net/http"
	"strconv"
	"time"

	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/openbanking"
	"florin/internal/search"
	"florin/web/templates/pages"
	"florin/web/templates/ui"
)

// SharedList is the list of the transactions of an account of somebody else, all of which is shared with the visitor. It has the categories of the owner, and
// nothing to change.
func (a *Area) SharedList(v *shell.Visitor, c show.Clock, shared finance.SharedAccount) (view pages.List, err error) {
	l := listing{clock: c, only: &shared.Account, banks: map[string]string{}}
	l.Accounts = []finance.Account{shared.Account}
	if l.categories, err = a.Store.Categories(v.Ctx(), shared.Owner.ID); err != nil {
		return view, err
	}
	before, err := a.before(v, l)
	if err != nil {
		return view, err
	}
	query := search.InAccount(shared.ID)
	rows, more, err := a.Store.Find(v.Ctx(), shared.Owner.ID, query, before, pageRows)
	if err != nil {
		return view, err
	}
	if more {
		view.Pager.Older = l.page("", rows[len(rows)-1].SortKey)
	}
	for i := range rows {
		rows[i].Reviewed, rows[i].Suggestion = true, "" // that is for the owner to do
	}
	view.Days, view.Range, view.Empty = c.Days(rows, l.places(nil)), c.Span(rows), c.Say("There are no booked transactions yet.")
	if v.Request.URL.Query().Has("before") {
		newer, err := a.Store.FindNewer(v.Ctx(), shared.Owner.ID, query, before, pageRows)
		view.Pager.Newer = l.page("", newer)
		return view, err
	}
	pending, err := a.Store.Pending(v.Ctx(), shared.Owner.ID, shared.ID)
	view.Pending, view.PendingCount, view.PendingTotal = c.Pending(pending, func(string) string { return "" })
	return view, err
}

// sharedTransaction is the page of a transaction of an account of somebody else: what the bank says of it, and its category. Notes, tags and files are the
// owner's.
func (a *Area) sharedTransaction(v *shell.Visitor) error {
	id, err := strconv.ParseInt(v.Request.PathValue("transaction"), 10, 64)
	if err != nil {
		return finance.ErrNotFound
	}
	shared, t, err := a.Store.SharedRow(v.Ctx(), v.User.ID, v.Request.PathValue("account"), id)
	if err != nil {
		return err
	}
	book, err := a.Store.Categories(v.Ctx(), shared.Owner.ID)
	if err != nil {
		return err
	}
	c := a.At(v.Ctx(), time.Now())
	view := pages.TransactionView{
		Frame: a.Frame(v), AccountID: shared.ID, AccountName: c.AccountName(shared.Account), Bank: show.BankOf(shared.Connection),
		Title:  c.TransactionName(t.Title()),
		Amount: pages.Flow(t.Amount), Status: ui.Badge{Tone: ui.Good, Text: v.Say(pages.StatusWords(openbanking.TransactionStatusBOOK))},
		StatusCode: string(openbanking.TransactionStatusBOOK), Dates: dates(c, t.Transaction), Counterparty: counterparty(c, t),
		Amounts: amounts(c, shared.Account, t.Record), References: references(c, t.Record), Remittance: remittance(t),
		SharedBy: shared.Owner.Email, SharedCategory: c.RowCategory(book, t.TransactionRow),
	}
	view.Frame.Simulated = shared.Connection.Simulated || shared.Account.Simulated
	if view.Recurring, err = a.recurringCard(v, c, t.ID); err != nil {
		return err
	}
	if view.Debit, err = a.debitCard(v, c, t.ID); err != nil {
		return err
	}
	fillDirection(c, &view, t, finance.Account{})
	return v.Page(http.StatusOK, pages.SharedTransaction(view))
}
