package transactions

import (
	"cmp"
	"net/url"
	"strconv"
	"time"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// categoryCard says what a transaction was for, why Florin thinks so, and what else it may have been.
func categoryCard(c show.Clock, book categories.Book, t finance.TransactionRecord) pages.CategoryCard {
	own, _ := book.Of(t.Category)
	by := categories.Step(t.CategoryBy)
	card := pages.CategoryCard{
		Action: paths.TransactionCategory(t.AccountID, strconv.FormatInt(t.ID, 10)), Name: c.Category(own),
		Why: c.CategoryWhy(by, t.CategoryWhy, cmp.Or(t.Payee, t.Counterparty, t.CategoryWhy)), ByHand: by == categories.ByHand,
		Groups: c.CategoryChoice(book, own.ID), Suggestion: c.Suggestion(book, t.AccountID, t.TransactionRow),
	}
	if card.Suggestion != nil {
		card.Why = c.CategoryWhy(categories.ByLikeness, t.CategoryWhy, "")
	}
	return card
}

// setCategory takes the person's choice, or lets Florin decide again.
func (a *Area) setCategory(v *shell.Visitor) error {
	account, t, err := a.asked(v)
	if err != nil {
		return err
	}
	category := v.Field("category")
	others, err := a.Store.SetCategory(v.Ctx(), v.User.ID, account.ID, t.ID, category)
	if err != nil {
		return err
	}
	book, err := a.Store.Categories(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	own, _ := book.Of(category)
	name := a.At(v.Ctx(), time.Now()).Category(own)
	text := v.Say("Florin decides again what this transaction was for.")
	switch {
	case category != "" && others > 0:
		text = v.Say("This transaction is now in %s, and with it %d others of the same payee.", name, others)
	case category != "":
		text = v.Say("This transaction is now in %s.", name)
	}
	a.Flash(v, ui.Good, text)
	v.SeeOther(cmp.Or(backToList(v.Field("back"), account.ID), paths.Transaction(account.ID, strconv.FormatInt(t.ID, 10))))
	return nil
}

// backToList is the address of a list of transactions, of all accounts or of this one, when text is one; else "".
func backToList(text, accountID string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Opaque != "" || u.Path != paths.Transactions && u.Path != paths.Account(accountID) {
		return ""
	}
	return (&url.URL{Path: u.Path, RawQuery: u.Query().Encode()}).String()
}
