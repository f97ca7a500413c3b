package transactions

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/search"
	"florin/internal/store"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// kept shows the saved searches above the list, and leads to the form that saves the search that is shown.
func (a *Area) kept(v *shell.Visitor, whose shell.Whose, view *pages.List) error {
	saved, err := a.Store.SavedSearches(v.Ctx(), v.User.ID, finance.SavedTransactions)
	if err != nil {
		return err
	}
	if view.Text != "" {
		view.Save = paths.ByWhose(paths.SaveSearch(view.Text), whose.Asked)
	}
	for _, s := range saved {
		current := s.Text == view.Text && (whose.Choice == nil || overOf(s) == whose.Asked)
		view.Saved = append(view.Saved, pages.Filter{Text: s.Name, Href: found(s, whose), Current: current})
		if current {
			view.Save = ""
		}
	}
	return nil
}

// overOf is whose accounts a saved search is over, as a value of the query "whose".
func overOf(s finance.SavedSearch) string {
	if s.Household {
		return shell.WhoseHousehold
	}
	return shell.WhoseMine
}

// found is the address of what a saved search finds. Where there is no choice between one's own and the household, it has none.
func found(s finance.SavedSearch, whose shell.Whose) string {
	if whose.Choice == nil {
		return paths.Search(s.Text)
	}
	return paths.ByWhose(paths.Search(s.Text), overOf(s))
}

// countedSearches is how many saved searches the first page shows: each takes a query.
const countedSearches = 8

// Saved are the first of the user's saved searches, with how many transactions each finds.
func (a *Area) Saved(v *shell.Visitor) (counts []pages.SavedCount, err error) {
	saved, err := a.Store.SavedSearches(v.Ctx(), v.User.ID, finance.SavedTransactions)
	if err != nil || len(saved) == 0 {
		return nil, err
	}
	c := a.At(v.Ctx(), time.Now())
	listings := map[bool]listing{} // of the own accounts, and of the household
	for _, s := range saved[:min(len(saved), countedSearches)] {
		l, read := listings[s.Household]
		if !read {
			if l, err = a.listingOver(v, c, s); err != nil {
				return nil, err
			}
			listings[s.Household] = l
		}
		count := pages.SavedCount{Name: s.Name, Href: found(s, l.whose)}
		if count.Count, err = a.countFound(v, c, l, s.Text); err != nil {
			return nil, err
		}
		counts = append(counts, count)
	}
	return counts, nil
}

// listingOver is the listing of whose accounts a saved search is over, as far as anything of others is shared now.
func (a *Area) listingOver(v *shell.Visitor, c show.Clock, s finance.SavedSearch) (listing, error) {
	whose, err := a.Whose(v, overOf(s))
	if err != nil {
		return listing{}, err
	}
	return a.listingOf(v, c, whose)
}

// countFound says how many transactions a text finds, pending ones too.
func (a *Area) countFound(v *shell.Visitor, c show.Clock, l listing, text string) (string, error) {
	query, ok := l.understood(text)
	if !ok { // an account that it names was renamed
		return c.Say("This search no longer works. Open it to see why."), nil
	}
	count, more, err := l.whose.CountFound(v.Ctx(), query)
	if err != nil {
		return "", err
	}
	if more {
		return c.Say("More than %d transactions", count), nil
	}
	pending, err := a.pendingFound(v, l, query)
	return c.Say("%d transactions", count+len(pending)), err
}

// understood reads a text that was understood when it was saved, and reports whether it still is.
func (l listing) understood(text string) (search.Query, bool) {
	parsed, fault := search.Parse(text, l.Context())
	return parsed.Query, fault == nil
}

// savedForm is the form of a saved search as it was typed, with what is wrong.
type savedForm struct {
	finance.SavedSearch

	nameProblem, textProblem string
}

// savedSearches lists the saved searches, with the form for the one that the address names.
func (a *Area) savedSearches(v *shell.Visitor) error {
	asked := v.Request.URL.Query()
	return a.savedPage(v, http.StatusOK, savedForm{SavedSearch: finance.SavedSearch{Text: strings.TrimSpace(asked.Get("q")),
		Household: asked.Get("whose") == shell.WhoseHousehold}})
}

// savedSearch is the form of a saved search.
func (a *Area) savedSearch(v *shell.Visitor) error {
	saved, err := a.Store.SavedSearch(v.Ctx(), v.User.ID, finance.SavedTransactions, v.Request.PathValue("search"))
	if err != nil {
		return err
	}
	return a.savedPage(v, http.StatusOK, savedForm{SavedSearch: saved})
}

// savedPage shows the form of a saved search; one for a new search stands below those that there are.
func (a *Area) savedPage(v *shell.Visitor, status int, f savedForm) error {
	whose, err := a.Whose(v, overOf(f.SavedSearch))
	if err != nil {
		return err
	}
	form := pages.SavedSearchForm{
		Action: paths.SavedSearches, Over: overOf(f.SavedSearch),
		Name: ui.Input{Name: "name", Label: v.Say("Name"), Type: "text", Value: f.Name, Problem: f.nameProblem, Required: true, Autocomplete: "off",
			MaxLength: finance.MaxSavedSearchName, Autofocus: f.ID == "" && f.Text != "" && status == http.StatusOK},
		Text: ui.Input{Name: "text", Label: v.Say("Search"), Type: "text", Value: f.Text, Problem: f.textProblem, Required: true, Autocomplete: "off",
			Hint: v.Say("As you type it in the search field, for example: payee:lidl last:3m")},
	}
	if whose.Choice != nil {
		form.Choose = []ui.Option{{Value: shell.WhoseMine, Text: v.Say("Mine"), Selected: !f.Household},
			{Value: shell.WhoseHousehold, Text: v.Say("Household"), Selected: f.Household}}
	}
	if f.ID != "" {
		saved, err := a.Store.SavedSearch(v.Ctx(), v.User.ID, finance.SavedTransactions, f.ID)
		if err != nil {
			return err
		}
		form.Action = paths.SavedSearch(f.ID)
		return v.Page(status, pages.SavedSearch(pages.SavedSearchView{Frame: a.Frame(v), Title: saved.Name, Form: form, Open: found(saved, whose),
			Delete: paths.SavedSearchDelete(f.ID)}))
	}
	saved, err := a.Store.SavedSearches(v.Ctx(), v.User.ID, finance.SavedTransactions)
	if err != nil {
		return err
	}
	view := pages.SavedSearchesView{Frame: a.Frame(v), New: form}
	for _, s := range saved {
		view.Rows = append(view.Rows, pages.SavedSearchRow{ID: s.ID, Name: s.Name, Text: s.Text, Open: found(s, whose), Household: s.Household})
	}
	return v.Page(status, pages.SavedSearches(view))
}

// saveSearch keeps a new search, or the changes of one.
func (a *Area) saveSearch(v *shell.Visitor) error {
	f := savedForm{SavedSearch: finance.SavedSearch{Kind: finance.SavedTransactions, ID: v.Request.PathValue("search"), Name: finance.Clean(v.Field("name")),
		Text: v.Field("text"), Household: v.Field("whose") == shell.WhoseHousehold}}
	if f.ID != "" {
		if _, err := a.Store.SavedSearch(v.Ctx(), v.User.ID, finance.SavedTransactions, f.ID); err != nil {
			return err
		}
	}
	if err := a.readSaved(v, &f); err != nil {
		return err
	}
	if f.nameProblem == "" && f.textProblem == "" {
		switch err := a.Store.SaveSearch(v.Ctx(), v.User.ID, f.SavedSearch); {
		case errors.Is(err, store.ErrSearchExists):
			f.nameProblem = v.Say("You already have a search called %s. Choose another name.", f.Name)
		case errors.Is(err, store.ErrTooManySearches):
			f.nameProblem = v.Say("You have saved %d searches, which is the most there can be. Delete one first.", finance.MaxSavedSearches)
		case err != nil:
			return err
		default:
			whose, err := a.Whose(v, overOf(f.SavedSearch))
			if err != nil {
				return err
			}
			a.Flash(v, ui.Good, v.Say("The search %s is saved.", f.Name))
			v.SeeOther(found(f.SavedSearch, whose))
			return nil
		}
	}
	return a.savedPage(v, http.StatusUnprocessableEntity, f)
}

// readSaved notes what is wrong with a form.
func (a *Area) readSaved(v *shell.Visitor, f *savedForm) error {
	f.nameProblem = show.SavedNameProblem(v.Ctx(), f.Name)
	if f.Text == "" {
		f.textProblem = v.Say("Type what to look for.")
		return nil
	}
	l, err := a.listingOver(v, a.At(v.Ctx(), time.Now()), f.SavedSearch)
	if err != nil {
		return err
	}
	if _, fault := search.Parse(f.Text, l.Context()); fault != nil {
		f.textProblem = l.fault(f.Text, fault).Problem
	}
	return nil
}

// deleteSearch forgets a saved search.
func (a *Area) deleteSearch(v *shell.Visitor) error {
	saved, err := a.Store.SavedSearch(v.Ctx(), v.User.ID, finance.SavedTransactions, v.Request.PathValue("search"))
	if err != nil {
		return err
	}
	if err := a.Store.DeleteSearch(v.Ctx(), v.User.ID, finance.SavedTransactions, saved.ID); err != nil {
		return err
	}
	a.Flash(v, ui.Good, v.Say("The search %s is deleted.", saved.Name))
	v.SeeOther(paths.SavedSearches)
	return nil
}
