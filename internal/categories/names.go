package categories

import (
	"maps"
	"slices"
)

// Names are what a person calls the other sides of transactions. Two that have the same name are one.
type Names struct {
	given  map[string]string   // by the key of a name, the one that the person gave it
	shared map[string][]string // by the key of a name that was given, the keys of those that are shown with it
}

// NamesOf returns the names that a person gave, by the keys of the names in whose place they stand.
func NamesOf(given map[string]string) Names {
	n := Names{given, map[string][]string{}}
	for _, key := range slices.Sorted(maps.Keys(given)) {
		shown := nameKey(given[key])
		if _, elsewhere := given[shown]; n.shared[shown] == nil && !elsewhere {
			n.shared[shown] = []string{shown} // what has the name of its own
		}
		n.shared[shown] = append(n.shared[shown], key)
	}
	return n
}

// Of returns the name with a key as it is shown, with the key of that, and whether the person gave it.
func (n Names) Of(name, key string) (shown, shownKey string, given bool) {
	if to, ok := n.given[key]; ok {
		return to, nameKey(to), true
	}
	return name, key, false
}

// Shared are the keys of all names that are shown with one, by the key of that.
func (n Names) Shared(shownKey string) []string {
	if all, ok := n.shared[shownKey]; ok {
		return all
	}
	return []string{shownKey}
}

// NameKey is the key of a name: equal for two spellings of it.
func NameKey(name string) string { return nameKey(name) }
