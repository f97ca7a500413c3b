package show

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/search"
	"florin/web/templates/paths"
)

// Names are the names of a person's accounts, banks and categories. The search field understands them, and links to it contain them.
type Names struct {
	clock Clock
	whose string // see For
	known func() map[search.Operator][]namedThing
	exact func() map[search.Operator]map[string][]search.Mark
	byID  func() map[search.Operator]map[string]namedThing
}

// For returns the same names for links that keep the choice of whose accounts pages show: the value of the query "whose".
func (n Names) For(whose string) Names {
	n.whose = whose
	return n
}

// namedThing is an account, a bank, a category or a group.
type namedThing struct {
	id    string
	words []string // words whose beginnings find it
	whole []string // complete names, the shortest first
	keys  []string // whole in the form in which names are compared; "" for one without words
	marks []search.Mark
}

// keyOf returns a name in the form in which names are compared.
func keyOf(name string) string { return strings.Join(search.Words(name), " ") }

// inWords returns keyOf for names that Florin gives in its languages, and remembers the results: there are few names, and each page with a link asks for most
// of them.
func inWords(name string) string {
	if key, known := given.Load(name); known {
		return key.(string) //nolint:forcetypeassert // it only holds strings
	}
	key := keyOf(name)
	given.Store(name, key)
	return key
}

var given sync.Map // maps names to their keys

// Names returns the names of a person's accounts with their connections, and of the categories.
func (c Clock) Names(accounts []finance.Account, connections []finance.Connection, book categories.Book) Names {
	known := sync.OnceValue(func() map[search.Operator][]namedThing {
		all := c.namedCategories(book)
		banks := map[string]string{}
		for _, connection := range connections {
			banks[connection.ID] = BankOf(connection).Name
		}
		for _, a := range accounts {
			name, bank, marks := c.AccountName(a), cmp.Or(banks[a.ConnectionID], a.Institution), []search.Mark{search.AccountMark(a.ID)}
			whole := []string{name, name + " " + a.Last4(), a.IBAN, a.Number, a.ID}
			all[search.OfAccount] = append(all[search.OfAccount], namedThing{a.ID, search.Words(name + " " + a.Product + " " + a.IBAN + " " + a.Number + " " + a.Last4()),
				whole, keysOf(whole), marks})
			all[search.OfBank] = append(all[search.OfBank], namedThing{a.ID, search.Words(bank), []string{bank}, keysOf([]string{bank}), marks})
		}
		return all
	})
	byID := sync.OnceValue(func() map[search.Operator]map[string]namedThing {
		all := map[search.Operator]map[string]namedThing{}
		for of, things := range known() {
			all[of] = make(map[string]namedThing, len(things))
			for _, thing := range things {
				all[of][thing.id] = thing
			}
		}
		return all
	})
	return Names{clock: c, known: known, byID: byID, exact: sync.OnceValue(func() map[search.Operator]map[string][]search.Mark {
		exact := map[search.Operator]map[string][]search.Mark{}
		for of, things := range known() {
			exact[of] = map[string][]search.Mark{}
			for _, thing := range things {
				for i, key := range thing.keys {
					if key != "" && !slices.Contains(thing.keys[:i], key) {
						exact[of][key] = append(exact[of][key], thing.marks...)
					}
				}
			}
		}
		return exact
	})}
}

// namedCategories returns the categories that are not merged into another one, and the groups.
func (c Clock) namedCategories(book categories.Book) map[search.Operator][]namedThing {
	byID, marks := map[string]categories.Own{}, map[string][]search.Mark{}
	for _, own := range book {
		byID[own.ID] = own
	}
	for _, own := range book {
		root := own
		for range book { // a cycle of merged categories must not loop for ever
			into, ok := byID[root.Into]
			if !ok {
				break
			}
			root = into
		}
		marks[root.ID] = append(marks[root.ID], search.CategoryMark(own.ID))
	}
	all, groups := map[search.Operator][]namedThing{}, map[categories.Group][]search.Mark{}
	for _, own := range book {
		if own.Into == "" {
			name, key := c.Category(own), keyOf
			if own.Name == "" {
				key = inWords
			}
			keys := []string{key(name), key(own.ID)}
			all[search.OfCategory] = append(all[search.OfCategory], namedThing{own.ID, strings.Fields(keys[0]), []string{name, own.ID}, keys, marks[own.ID]})
			groups[own.Group] = append(groups[own.Group], marks[own.ID]...)
		}
	}
	for _, g := range categories.Groups {
		name := c.CategoryGroup(g)
		keys := []string{inWords(name), inWords(string(g))}
		all[search.OfGroup] = append(all[search.OfGroup], namedThing{string(g), strings.Fields(keys[0]), []string{name, string(g)}, keys, groups[g]})
	}
	return all
}

func keysOf(names []string) []string {
	keys := make([]string, len(names))
	for i, name := range names {
		keys[i] = keyOf(name)
	}
	return keys
}

// Named implements that of search.Context. It finds accounts and banks by the beginnings of the words in their names and numbers, categories and groups by
// those in their names.
func (n Names) Named(of search.Operator, typed []string, whole bool) []search.Mark {
	if whole {
		if marks := n.exact()[of][strings.Join(typed, " ")]; len(marks) > 0 {
			return marks
		}
	}
	var marks []search.Mark
	for _, thing := range n.known()[of] {
		if begin(thing.words, typed) {
			marks = append(marks, thing.marks...)
		}
	}
	return marks
}

// Context returns the context for parsing texts of the search field.
func (n Names) Context() search.Context {
	return search.Context{Today: n.clock.Today(), Named: n.Named, PayeeKey: categories.NameKey}
}

// begin reports whether each typed word is the beginning of a known word.
func begin(known, typed []string) bool {
	return !slices.ContainsFunc(typed, func(word string) bool {
		return !slices.ContainsFunc(known, func(k string) bool { return strings.HasPrefix(k, word) })
	})
}

// Value returns the shortest text that, in quotation marks after the operator, stands only for the account, category or group with an id: its name; or its
// number or id when another one has the same name.
func (n Names) Value(of search.Operator, id string) string {
	thing, known := n.byID()[of][id]
	if !known {
		return id
	}
	for i, key := range thing.keys {
		if key != "" && slices.Equal(n.exact()[of][key], thing.marks) {
			return thing.whole[i]
		}
	}
	return id
}

// Link returns the address of the transactions behind a figure, whose total is the figure. It is "" when the search would be too long because of many
// categories or accounts.
func (n Names) Link(f search.Facts) string {
	text := f.Query(n.Value)
	if !search.Fits(text) {
		return ""
	}
	return paths.SearchBy(text, n.whose)
}
