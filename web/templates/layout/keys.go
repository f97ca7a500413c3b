package layout

import (
	"context"
	"net/url"

	"florin/web/templates/paths"
	"florin/web/templates/words"
)

// AmountsKey is the key that hides amounts, or shows them. Screen readers and browsers have no use of their own for it.
const AmountsKey = "."

// Key is the action of a key, or of two keys pressed one after the other. This table is complete: keys.js receives it with the page, and the page about the
// keyboard lists it.
type Key struct {
	Keys []string // as browsers name them
	Text words.Text

	path string           // the page that it opens; "" for an action of keys.js or of a button
	own  string           // an action of keys.js
	for_ func(Frame) bool // nil: for everybody
}

// The actions of keys.js.
const (
	keySearch = "search" // go to the search field of the page, or else to the page at the path
	keyNext   = "next"   // go to the next row of a list
	keyBack   = "back"   // go to the row before
	keyOlder  = "older"  // go to the next page of a list
	keyNewer  = "newer"  // go to the page before
)

// KeyGroup are keys that belong together.
type KeyGroup struct {
	Title words.Text
	Keys  []Key
}

func planner(f Frame) bool { return !f.Viewer() }

var keyGroups = []KeyGroup{
	{"On every page", []Key{
		{Keys: []string{AmountsKey}, Text: "Hide amounts, or show them"},
		{Keys: []string{"/"}, Text: "Search", path: paths.Transactions + "#q", own: keySearch},
		{Keys: []string{"?"}, Text: "What keys do", path: paths.Keyboard},
	}},
	{"In lists", []Key{
		{Keys: []string{"j"}, Text: "Next row", own: keyNext},
		{Keys: []string{"k"}, Text: "Previous row", own: keyBack},
		{Keys: []string{"n"}, Text: "Next page", own: keyOlder},
		{Keys: []string{"p"}, Text: "Previous page", own: keyNewer},
	}},
	{"On the page of a transaction", []Key{
		{Keys: []string{"r"}, Text: "Mark as reviewed", for_: planner},
	}},
	{"Open a page", []Key{
		{Keys: []string{"g", "o"}, Text: "Overview", path: paths.Accounts},
		{Keys: []string{"g", "t"}, Text: "Transactions", path: paths.Transactions},
		{Keys: []string{"g", "b"}, Text: "Budgets", path: paths.Budgets, for_: planner},
		{Keys: []string{"g", "c"}, Text: "Recurring", path: paths.Recurring, for_: planner},
		{Keys: []string{"g", "f"}, Text: "Forecast", path: paths.Forecast, for_: planner},
		{Keys: []string{"g", "e"}, Text: "Shared expenses", path: paths.Settling, for_: func(f Frame) bool { return f.Settling }},
		{Keys: []string{"g", "r"}, Text: "Reports", path: paths.Reports, for_: planner},
		{Keys: []string{"g", "p"}, Text: "Payments", path: paths.Payments, for_: func(f Frame) bool { return f.Payments && !f.Viewer() }},
		{Keys: []string{"g", "s"}, Text: "Settings", path: paths.Settings},
	}},
}

// KeyGroups returns the keys for the person of a frame, in groups.
func KeyGroups(f Frame) []KeyGroup {
	var groups []KeyGroup
	for _, g := range keyGroups {
		shown := KeyGroup{Title: g.Title}
		for _, k := range g.Keys {
			if k.for_ == nil || k.for_(f) {
				shown.Keys = append(shown.Keys, k)
			}
		}
		if len(shown.Keys) > 0 {
			groups = append(groups, shown)
		}
	}
	return groups
}

// reads reports whether the pages of the frame listen to keys.
func (f Frame) reads() bool { return f.User != nil && f.Keys }

// keys returns the table for keys.js in the form of a URL query: the keys separated by a space, and their action. A path begins with a slash; after the name
// of an action of keys.js there may be one, after a space.
func (f Frame) keys() string {
	table := url.Values{}
	for _, g := range KeyGroups(f) {
		for _, k := range g.Keys {
			does := k.own
			if k.path != "" {
				if does != "" {
					does += " "
				}
				does += k.path
			}
			if does == "" {
				continue // a button of the page names the key (aria-keyshortcuts)
			}
			keys := k.Keys[0]
			for _, next := range k.Keys[1:] {
				keys += " " + next
			}
			table.Set(keys, does)
		}
	}
	return table.Encode()
}

// amounts tells app.js whether the device hides amounts.
func (f Frame) amounts() string {
	if f.Hides {
		return "hidden"
	}
	return "shown"
}

// amountsTitle returns the title of the button that hides or shows amounts.
func (f Frame) amountsTitle(ctx context.Context) string {
	text := words.Text("Hide amounts")
	if f.Hides {
		text = "Show amounts"
	}
	if f.Keys {
		return words.Say(ctx, "%s (key: %s)", text, AmountsKey)
	}
	return words.Say(ctx, text)
}
