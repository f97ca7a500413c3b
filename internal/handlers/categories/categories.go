package categories

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	core "florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// Values of the form field "state"; "" is in use.
const (
	archived = "archived"
	merged   = "merged"
)

// states are the names of the states of a category, by the value in the form.
var states = []struct {
	value string
	name  words.Text
}{{"", "In use"}, {archived, "Archived"}, {merged, "Merged"}}

// stateOf is the state of a category as the form has it.
func stateOf(own core.Own) string {
	switch {
	case own.Into != "":
		return merged
	case own.Archived:
		return archived
	}
	return ""
}

func (a *Area) list(v *shell.Visitor) error {
	return a.listPage(v, http.StatusOK, core.Own{Category: core.Category{Group: core.GroupLiving}}, "")
}

// listPage shows the categories, with the form for a new one as it was typed and what is wrong with it.
func (a *Area) listPage(v *shell.Visitor, status int, typed core.Own, problem string) error {
	book, err := a.Store.Categories(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	c := a.At(v.Ctx(), time.Now())
	view := pages.CategoriesView{New: form(c, book, typed, problem)}
	for _, g := range core.Groups {
		section := pages.CategorySection{Name: c.CategoryGroup(g)}
		for _, own := range book {
			if own.Group == g {
				section.Rows = append(section.Rows, pages.CategoryRow{ID: own.ID, Name: c.Category(own), Note: note(c, book, own)})
			}
		}
		view.Groups = append(view.Groups, section)
	}
	right, of, err := a.Store.CategoryQuality(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	if of > 0 {
		view.Quality = c.Say("Florin would have chosen the same as you in %d of your last %d choices.", right, of)
	}
	view.Frame = a.Frame(v)
	return v.Page(status, pages.Categories(view))
}

// note says what is special about a category, "" for one in use.
func note(c show.Clock, book core.Book, own core.Own) string {
	switch {
	case own.Into != "":
		into, _ := book.Of(own.ID)
		return c.Say("Merged into %s", c.Category(into))
	case own.Archived:
		return c.Say("Archived")
	}
	return ""
}

func (a *Area) category(v *shell.Visitor) error {
	book, err := a.Store.Categories(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	own, ok := book.ByID(v.Request.PathValue("category"))
	if !ok {
		return finance.ErrNotFound
	}
	return a.categoryPage(v, http.StatusOK, book, own, "")
}

// categoryPage shows a category as it was typed, and what is wrong with it.
func (a *Area) categoryPage(v *shell.Visitor, status int, book core.Book, typed core.Own, problem string) error {
	c := a.At(v.Ctx(), time.Now())
	own, _ := book.ByID(typed.ID)
	return v.Page(status, pages.Category(pages.CategoryView{Frame: a.Frame(v), Title: c.Category(own), Form: form(c, book, typed, problem)}))
}

// form is the form of a category, or of a new one without id.
func form(c show.Clock, book core.Book, own core.Own, problem string) pages.CategoryForm {
	f := pages.CategoryForm{Action: paths.Categories, Problem: problem, Name: ui.Input{Name: "name", Label: c.Say("Name"), Type: "text", Value: c.Category(own),
		Required: true, Autocomplete: "off", MaxLength: core.MaxName}}
	for _, g := range core.Groups {
		f.Groups = append(f.Groups, ui.Option{Value: string(g), Text: c.CategoryGroup(g), Selected: g == own.Group})
	}
	if own.ID != "" {
		f.Action = paths.Category(own.ID)
		for _, state := range states {
			f.States = append(f.States, ui.Option{Value: state.value, Text: c.Say(state.name), Selected: state.value == stateOf(own)})
		}
		f.Into = c.CategoryChoice(slices.DeleteFunc(slices.Clone(book), func(o core.Own) bool { return o.ID == own.ID }), own.Into)
	}
	return f
}

// save keeps a new category or the changes of one.
func (a *Area) save(v *shell.Visitor) error {
	book, err := a.Store.Categories(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	c := a.At(v.Ctx(), time.Now())
	own := core.Own{Category: core.Category{ID: v.Request.PathValue("category"), Group: core.Group(cmp.Or(v.Field("group"), string(core.GroupLiving)))},
		Name: finance.Clean(v.Field("name"))}
	if _, ok := book.ByID(own.ID); own.ID != "" && !ok {
		return finance.ErrNotFound
	}
	switch v.Field("state") {
	case archived:
		own.Archived = true
	case merged:
		if own.Into = v.Field("into"); own.Into == "" {
			own.Into = own.ID // nothing was chosen: problemOf refuses it
		}
	}
	if problem := problemOf(c, book, own); problem != "" {
		if own.ID == "" {
			return a.listPage(v, http.StatusUnprocessableEntity, own, problem)
		}
		return a.categoryPage(v, http.StatusUnprocessableEntity, book, own, problem)
	}
	name := own.Name
	if core.Known(own.ID) && own.Name == c.Category(core.Own{Category: own.Category}) {
		own.Name = "" // as Florin calls it, in every language
	}
	if own.ID == "" {
		own.ID = core.NewOwn("", "").ID
	}
	if err := a.Store.SaveCategory(v.Ctx(), v.User.ID, own); err != nil {
		return err
	}
	a.Flash(v, ui.Good, v.Say("%s is saved.", name))
	v.SeeOther(paths.Categories)
	return nil
}

// problemOf says what is wrong with a category, "" when nothing is.
func problemOf(c show.Clock, book core.Book, own core.Own) string {
	switch {
	case own.Name == "":
		return c.Say("Enter a name.")
	case !slices.Contains(core.Groups, own.Group):
		return c.Say("Choose a group.")
	case utf8.RuneCountInString(own.Name) > core.MaxName:
		return c.Say("The name is too long. Use at most %d characters.", core.MaxName)
	}
	for _, other := range book {
		if other.ID != own.ID && strings.EqualFold(c.Category(other), own.Name) && other.Into == "" && own.Into == "" {
			return c.Say("You already have a category called %s. You can merge one into the other.", own.Name)
		}
	}
	if own.Into == "" {
		return ""
	}
	into, ok := book.Of(own.Into)
	if !ok || into.ID == own.ID {
		return c.Say("Choose another category to merge into.")
	}
	return ""
}
