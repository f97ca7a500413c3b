package main

import (
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

func savedForm(action, name, text, problem string) pages.SavedSearchForm {
	return pages.SavedSearchForm{Action: action,
		Name: ui.Input{Name: "name", Label: "Name", Type: "text", Value: name, Required: true, Autocomplete: "off", MaxLength: 60},
		Text: ui.Input{Name: "text", Label: "Search", Type: "text", Value: text, Problem: problem, Required: true, Autocomplete: "off",
			Hint: "As you type it in the search field, for example: payee:lidl last:3m"}}
}

func savedSearches() pages.SavedSearchesView {
	return pages.SavedSearchesView{Frame: frame(), New: savedForm(paths.SavedSearches, "", "rent last:3m", ""),
		Rows: []pages.SavedSearchRow{{ID: "1", Name: "Eating out", Text: "category:restaurants -is:in last:1m", Open: "/x", Household: true}, {ID: "2", Name: longName, Text: longWord + longWord},
			{ID: "3", Name: rtlName, Text: rtlName}}}
}

func savedSearch() pages.SavedSearchView {
	return pages.SavedSearchView{Frame: frame(), Title: "Eating out", Open: paths.Search("category:restaurant"), Delete: paths.SavedSearchDelete("1"),
		Form: chosenOver(savedForm(paths.SavedSearch("1"), "Eating out", "category:restaurant", "At character 1: None of your categories is called “restaurant”."))}
}

// chosenOver is a form in which is chosen whose accounts a search is over.
func chosenOver(f pages.SavedSearchForm) pages.SavedSearchForm {
	f.Choose = []ui.Option{{Value: "mine", Text: "Mine"}, {Value: "household", Text: "Household", Selected: true}}
	return f
}

func savedCounts() []pages.SavedCount {
	return []pages.SavedCount{{Name: "Eating out", Href: paths.Search("category:restaurants"), Count: "12 transactions"},
		{Name: longName, Href: paths.Search("x"), Count: "More than 1,000 transactions"}, {Name: "Holiday", Href: paths.Search("y"), Count: "This search no longer works. Open it to see why."}}
}
