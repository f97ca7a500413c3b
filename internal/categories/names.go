package categories

import (
	"maps"
	"slices"
)

// Names are the names that a person gives to counterparties. Two with the same given name count as one.
type Names struct {
	given  map[string]string   // the given name, by the key of the original name
	shared map[string][]string // the keys of all names shown under a given name, by its key
}

// NamesOf returns the given names, by the keys of the original names.
func NamesOf(given map[string]string) Names {
	n := Names{given, map[string][]string{}}
	for _, key := range slices.Sorted(maps.Keys(given)) {
		shown := nameKey(given[key])
		if _, elsewhere := given[shown]; n.shared[shown] == nil && !elsewhere {
			n.shared[shown] = []string{shown} // a payee that has this name already
		}
		n.shared[shown] = append(n.shared[shown], key)
	}
	return n
}

// Of returns how a name with a key is shown, the key of the shown name, and whether the person gave it.
func (n Names) Of(name, key string) (shown, shownKey string, given bool) {
	if to, ok := n.given[key]; ok {
		return to, nameKey(to), true
	}
	return name, key, false
}

// Shared returns the keys of all names that are shown under the name with key shownKey.
func (n Names) Shared(shownKey string) []string {
	if all, ok := n.shared[shownKey]; ok {
		return all
	}
	return []string{shownKey}
}

// NameKey returns the key of a name, which is equal for all its spellings.
func NameKey(name string) string { return nameKey(name) }
