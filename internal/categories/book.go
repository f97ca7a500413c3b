package categories

import (
	"slices"
	"strings"

	"florin/internal/finance"
)

// Own is a category of a person: one of the starting set, changed or not, or one that the person has added.
type Own struct {
	Category
	Name     string // the name given by the person; "" stands for that of the starting set
	Archived bool   // no longer offered, but kept by its rows
	Into     string // the category that it was merged into and under which its rows are shown; "" when not merged
}

// NewOwn returns a new category of a person's own.
func NewOwn(name string, group Group) Own {
	return Own{Category: Category{ID: "own" + strings.ReplaceAll(finance.NewID(), "-", ""), Group: group}, Name: name}
}

// MaxName is the largest number of characters in the name of a category.
const MaxName = 60

// Book holds all categories of a person, group by group, those of the starting set first.
type Book []Own

// BookOf returns the starting set with the changes of the person, and the categories that the person has added.
func BookOf(changes []Own) Book {
	var all Book
	at := map[string]int{}
	for _, c := range Set {
		at[c.ID] = len(all)
		all = append(all, Own{Category: c})
	}
	for _, c := range changes {
		if i, known := at[c.ID]; known {
			all[i] = c
		} else {
			at[c.ID] = len(all)
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b Own) int { return slices.Index(Groups, a.Group) - slices.Index(Groups, b.Group) })
	return all
}

func (b Book) index(id string) int {
	return slices.IndexFunc(b, func(c Own) bool { return c.ID == id })
}

// ByID returns the category with an id, merged or not; ok is false when there is none.
func (b Book) ByID(id string) (Own, bool) {
	i := b.index(id)
	if i < 0 {
		return Own{}, false
	}
	return b[i], true
}

// Of returns the category under which rows of id are shown: the one with that id, or the one that it was merged into. ok is false when there is none.
func (b Book) Of(id string) (Own, bool) {
	for range b { // a cycle of merged categories must not loop for ever
		i := b.index(id)
		if i < 0 {
			return Own{}, false
		}
		if b[i].Into == "" {
			return b[i], true
		}
		id = b[i].Into
	}
	return Own{}, false
}

// Roots returns the results of Of for all ids at once, for callers that look up many.
func (b Book) Roots() map[string]Own {
	own, roots := make(map[string]Own, len(b)), make(map[string]Own, len(b))
	for _, c := range b {
		own[c.ID] = c
	}
	for _, c := range b {
		root, known := c, true
		for range b { // a cycle of merged categories must not loop for ever
			if root.Into == "" || !known {
				break
			}
			root, known = own[root.Into]
		}
		if known && root.Into == "" {
			roots[c.ID] = root
		}
	}
	return roots
}

// Shown returns the ids of all categories whose rows are shown under id: id itself and those merged into it.
func (b Book) Shown(id string) []string {
	var all []string
	for _, c := range b {
		if of, ok := b.Of(c.ID); ok && of.ID == id {
			all = append(all, c.ID)
		}
	}
	return all
}

// Offered returns the categories that a person can choose: neither archived nor merged. The chosen one is included even when it is archived.
func (b Book) Offered(chosen string) Book {
	return slices.DeleteFunc(slices.Clone(b), func(c Own) bool { return c.Archived && c.ID != chosen || c.Into != "" })
}

// Labelled is a row that the person has categorised by hand.
type Labelled struct {
	Facts
	Category string
}

// Replay repeats hand edits, oldest first. It returns how many of the last edits the chain would have decided like the person, knowing only earlier edits,
// and how many it compared.
func Replay(own map[string]bool, edits []Labelled, last int) (right, of int) {
	m := Memory{Own: own, Lessons: map[Lesson]string{}, Counts: Counts{}}
	for i, e := range edits {
		payee := PayeeOf(e.Facts)
		if i >= len(edits)-last {
			of++
			if m.Decide(e.Facts, payee).Category == e.Category {
				right++
			}
		}
		m.Learn(e.Facts, payee, e.Category)
	}
	return right, of
}
