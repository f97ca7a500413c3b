package pages

import (
	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// CategoryGroup is a group of categories to choose from.
type CategoryGroup struct {
	Name    string
	Options []ui.Option
}

// CategoryCard says what a transaction was for, and lets the person choose. Form field: category, an id, or "" to let Florin decide.
type CategoryCard struct {
	Action string   // where the form goes
	Name   string   // of the category; "" when not known
	Why    string   // a sentence
	Rule   *ui.Link // the rule that decided, in place of Why; nil without
	ByHand bool
	Groups []CategoryGroup

	Suggestion *Suggestion // nil: none
}

// CategoriesView lists the categories of the user.
type CategoriesView struct {
	layout.Frame
	Groups  []CategorySection
	Quality string // how often Florin would have chosen the same; empty before the first choice
	New     CategoryForm
}

// CategorySection is a group with its categories.
type CategorySection struct {
	Name string
	Rows []CategoryRow
}

// CategoryRow is one category in the list.
type CategoryRow struct {
	ID   string
	Name string
	Note string // "Archived", "Merged into Groceries"; usually empty
}

// CategoryView is the page of a category.
type CategoryView struct {
	layout.Frame
	Title string
	Form  CategoryForm
}

// CategoryForm is the form of a category, or of a new one. Form fields: name; group; state, one of "", "archived" and "merged"; into.
type CategoryForm struct {
	Action  string
	Name    ui.Input
	Groups  []ui.Option
	States  []ui.Option // none for a new one, as the next
	Into    []CategoryGroup
	Problem string
}

// anyChosen reports whether one of the options is chosen.
func anyChosen(groups []CategoryGroup) bool {
	for _, g := range groups {
		for _, o := range g.Options {
			if o.Selected {
				return true
			}
		}
	}
	return false
}
