package show

import (
	"strings"

	"florin/internal/finance"
	"florin/web/templates/words"
)

// News returns what is new on an account in one line: "3 new, 1 changed, 1 gone since yesterday 20:11"; "" when nothing is.
func (c Clock) News(n finance.News) string {
	counts := c.NewsCounts(n)
	var said []string
	for _, count := range counts {
		if count != "" {
			said = append(said, count)
		}
	}
	if len(said) == 0 {
		return ""
	}
	return c.Say("%s since %s", strings.Join(said, ", "), c.Brief(n.Since))
}

// NewsCounts returns how many rows are new, changed and gone; "" for none.
func (c Clock) NewsCounts(n finance.News) (counts [3]string) {
	for i, kind := range []struct {
		rows        int
		some, least words.Text
	}{{len(n.New), "%d new", "At least %d new"}, {len(n.Changed), "%d changed", "At least %d changed"}, {len(n.Gone), "%d gone", "At least %d gone"}} {
		switch {
		case kind.rows >= finance.MaxNews:
			counts[i] = c.Say(kind.least, kind.rows)
		case kind.rows > 0:
			counts[i] = c.Say(kind.some, kind.rows)
		}
	}
	return counts
}
