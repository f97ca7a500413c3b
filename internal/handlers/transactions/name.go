package transactions

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// maxName is how many characters a name has at most.
const maxName = 70

// nameCard says how the other side of a transaction is shown.
func nameCard(t finance.TransactionRecord, named finance.NamedAs) pages.NameCard {
	if named.Key == "" {
		return pages.NameCard{}
	}
	card := pages.NameCard{Href: paths.TransactionName(t.AccountID, strconv.FormatInt(t.ID, 10)), Shown: named.Shown}
	if t.Counterparty != named.Shown {
		card.Bank = t.Counterparty
	}
	return card
}

// name is the page of the name of the other side of a transaction.
func (a *Area) name(v *shell.Visitor) error {
	_, t, err := a.asked(v)
	if err != nil {
		return err
	}
	return a.namePage(v, http.StatusOK, t, "", "")
}

// namePage shows the name as it was typed, and what is wrong with it.
func (a *Area) namePage(v *shell.Visitor, status int, t finance.TransactionRecord, typed, problem string) error {
	named, err := a.Store.NamedAs(v.Ctx(), v.User.ID, t.AccountID, t.ID)
	if err == nil && named.Key == "" {
		err = finance.ErrNotFound
	}
	if err != nil {
		return err
	}
	c, id := a.At(v.Ctx(), time.Now()), strconv.FormatInt(t.ID, 10)
	view := pages.NameView{Frame: a.Frame(v), Action: paths.TransactionName(t.AccountID, id), Title: named.Name, Bank: t.Counterparty,
		Back:  ui.Link{Text: c.TransactionName(t.Title()), Href: paths.Transaction(t.AccountID, id)},
		Count: c.Say("%d transactions have this name.", named.Rows),
		Name: ui.Input{Name: "name", Label: v.Say("Name to show"), Type: "text", Value: cmp.Or(typed, named.Name), Problem: problem, Required: true, Autocomplete: "off",
			MaxLength: 2 * maxName, Hint: v.Say("All transactions with this name get the new one, future ones too. If you type the name of another payee, the two become one.")},
	}
	if named.Rows > finance.MaxCounted {
		view.Count = c.Say("More than %d transactions have this name.", finance.MaxCounted)
	}
	given, err := a.Store.GivenNames(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	for _, n := range given {
		if categories.NameKey(n.Name) == named.Key {
			view.Given = append(view.Given, pages.NameRow{Key: n.Key, Was: n.Was, Name: n.Name})
		}
	}
	return v.Page(status, pages.Name(view))
}

// rename shows all transactions with the name of one under another.
func (a *Area) rename(v *shell.Visitor) error {
	account, t, err := a.asked(v)
	if err != nil {
		return err
	}
	typed := v.Field("name")
	name := finance.Clean(typed)
	switch {
	case categories.NameKey(name) == "":
		return a.namePage(v, http.StatusUnprocessableEntity, t, typed, v.Say("Enter a name with letters or digits."))
	case utf8.RuneCountInString(name) > maxName:
		return a.namePage(v, http.StatusUnprocessableEntity, t, typed, v.Say("The name is too long. Use at most %d characters.", maxName))
	}
	shown, joined, err := a.Store.Rename(v.Ctx(), v.User.ID, account.ID, t.ID, name)
	if err != nil {
		return err
	}
	text := v.Say("The name is now %s.", shown)
	if joined > 0 {
		text = v.Say("This payee and %s are now one.", shown)
	}
	a.Flash(v, ui.Good, text)
	v.SeeOther(paths.TransactionName(account.ID, strconv.FormatInt(t.ID, 10)))
	return nil
}

// names lists the names that the user gave.
func (a *Area) names(v *shell.Visitor) error {
	given, err := a.Store.GivenNames(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	view := pages.NamesView{Frame: a.Frame(v)}
	for _, n := range given {
		view.Rows = append(view.Rows, pages.NameRow{Key: n.Key, Was: n.Was, Name: n.Name})
	}
	return v.Page(http.StatusOK, pages.Names(view))
}

// undoName takes a name back. One that is no longer there is taken back already.
func (a *Area) undoName(v *shell.Visitor) error {
	given, err := a.Store.GivenNames(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	err = a.Store.UndoName(v.Ctx(), v.User.ID, v.Field("key"))
	if err != nil && !errors.Is(err, finance.ErrNotFound) {
		return err
	}
	if i := slices.IndexFunc(given, func(n finance.GivenName) bool { return n.Key == v.Field("key") }); err == nil && i >= 0 {
		a.Flash(v, ui.Good, v.Say("%s has its own name again.", given[i].Was))
	}
	v.SeeOther(paths.Names)
	return nil
}
