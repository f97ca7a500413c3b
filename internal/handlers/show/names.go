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

// Names are what a person calls accounts, banks and categories: what the search field understands, and what links to it are made of.
type Names struct {
	clock Clock
	whose string // see For
	known func() map[search.Operator][]namedThing
	exact func() map[search.Operator]map[string][]search.Mark
	byID  func() map[search.Operator]map[string]namedThing
}

// For are the same names for links that stay with a choice of whose accounts pages are about: the value of the query "whose".
func (n Names) For(whose string) Names {
	n.whose = whose
	return n
}

// namedThing is an account, a bank, a category or a group.
type namedThing struct {
	id    string
	words []string // by whose beginnings it is found
	whole []string // names that are its whole name, the shortest first
	keys  []string // those in the form in which they are compared; "" for one without words
	marks []search.Mark
}

// keyOf is a name in the form in which names are compared.
func keyOf(name string) string { return strings.Join(search.Words(name), " ") }

// inWords is keyOf for names that Florin itself has given, in its languages: there are few, and each page with a link asks for most of them.
func inWords(name string) string {
	if key, known := given.Load(name); known {
		return key.(string) //nolint:forcetypeassert // nothing else is in it
	}
	key := keyOf(name)
	given.Store(name, key)
	return key
}

var given sync.Map // of the name, to its key

// Names are those of the accounts, with their connections, and the categories of a person.
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

// namedCategories are the categories that are not merged into another one, and their groups.
func (c Clock) namedCategories(book categories.Book) map[search.Operator][]namedThing {
	byID, marks := map[string]categories.Own{}, map[string][]search.Mark{}
	for _, own := range book {
		byID[own.ID] = own
	}
	for _, own := range book {
		root := own
		for range book { // never round in circles
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

// Named is that of search.Context: accounts and banks by the beginnings of the words of their names and numbers, categories and groups by those of their names.
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

// Context is that in which texts of the search field are read.
func (n Names) Context() search.Context {
	return search.Context{Today: n.clock.Today(), Named: n.Named, PayeeKey: categories.NameKey}
}

// begin reports whether each word that was typed begins a word that is known.
func begin(known, typed []string) bool {
	return !slices.ContainsFunc(typed, func(word string) bool {
		return !slices.ContainsFunc(known, func(k string) bool { return strings.HasPrefix(k, word) })
	})
}

// Value is the shortest text that, in quotation marks behind the operator, stands for the account, category or group with an id and for nothing else: its name,
// or its number or its id where another one is called the same.
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

// Link is the address of the transactions behind a figure: their totals are the figure. "" when there is more to say than the search field takes: too many
// categories or accounts.
func (n Names) Link(f search.Facts) string {
	text := f.Query(n.Value)
	if !search.Fits(text) {
		return ""
	}
	return paths.SearchBy(text, n.whose)
}
