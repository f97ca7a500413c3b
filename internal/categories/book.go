package categories

import (
	"slices"
	"strings"

	"florin/internal/finance"
)

// Own is a category as a person has it: one of the starting set, changed or not, or one of the person's own.
type Own struct {
	Category
	Name     string // as the person calls it; "" is as the starting set does
	Archived bool   // no longer offered; rows keep it
	Into     string // it was merged into this one, under which its rows are shown; "" when not
}

// NewOwn returns a new category of a person's own.
func NewOwn(name string, group Group) Own {
	return Own{Category: Category{ID: "own" + strings.ReplaceAll(finance.NewID(), "-", ""), Group: group}, Name: name}
}

// MaxName is how many characters the name of a category has at most.
const MaxName = 60

// Book are all categories of a person, group by group, the starting set first.
type Book []Own

// BookOf returns the starting set with what the person has changed, and the person's own categories.
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

// ByID returns the category with an id, merged or not, and whether there is one.
func (b Book) ByID(id string) (Own, bool) {
	i := b.index(id)
	if i < 0 {
		return Own{}, false
	}
	return b[i], true
}

// Of returns the category under which rows of id are shown: id itself or what it was merged into. It reports whether there is one.
func (b Book) Of(id string) (Own, bool) {
	for range b { // never round in circles
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

// Roots are the categories that Of returns, by the ids of all of them: for those who look up many.
func (b Book) Roots() map[string]Own {
	own, roots := make(map[string]Own, len(b)), make(map[string]Own, len(b))
	for _, c := range b {
		own[c.ID] = c
	}
	for _, c := range b {
		root, known := c, true
		for range b { // never round in circles
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

// Shown are the ids of all categories whose rows are shown under id: itself and what was merged into it.
func (b Book) Shown(id string) []string {
	var all []string
	for _, c := range b {
		if of, ok := b.Of(c.ID); ok && of.ID == id {
			all = append(all, c.ID)
		}
	}
	return all
}

// Offered are the categories that a person chooses from: neither archived nor merged. The one that is chosen is there though it is archived.
func (b Book) Offered(chosen string) Book {
	return slices.DeleteFunc(slices.Clone(b), func(c Own) bool { return c.Archived && c.ID != chosen || c.Into != "" })
}

// Labelled is a row for which the person chose a category by hand.
type Labelled struct {
	Facts
	Category string
}

// Replay goes through hand edits, oldest first, and says in how many of them the chain would have chosen the same, knowing only the edits before. The
// last ones are counted, not more than so many.
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
