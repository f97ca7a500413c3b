package search

import (
	"strings"
	"unicode/utf8"

	"florin/internal/openbanking"
)

// Facts are the conditions under which a figure was added up. All of them apply; an empty one restricts nothing.
type Facts struct {
	Accounts      []string // ids; a row matches one of them
	Categories    []string // ids; a row matches one of them
	Group         string   // the id of a group of categories
	Uncategorised bool
	Payees, Tags  []string // names; a row matches one of each
	Period
	Flow Mark // MarkIn, MarkOut or ""
}

// Query returns a text for the search field that finds the rows of the figure. value returns the text after an operator that stands only for the account,
// category or group with this id. Transfers between own accounts are in no figure, so the text leaves them out unless it names a category.
func (f Facts) Query(value func(of Operator, id string) string) string {
	var parts []string
	add := func(part string) { parts = append(parts, part) }
	either := func(operator string, names []string, written func(name string) string) {
		var some []string
		for _, name := range names {
			some = append(some, operator+quoted(written(name)))
		}
		switch len(some) {
		case 0:
		case 1:
			add(some[0])
		default:
			add("(" + strings.Join(some, " OR ") + ")")
		}
	}
	things := func(of Operator, ids []string) {
		either(string(of)+":", ids, func(id string) string { return value(of, id) })
	}
	things(OfCategory, f.Categories)
	if f.Group != "" {
		things(OfGroup, []string{f.Group})
	}
	if f.Uncategorised {
		add("is:uncategorised")
	}
	asItIs := func(name string) string { return name }
	either("payee:=", f.Payees, asItIs)
	either("tag:=", f.Tags, asItIs)
	things(OfAccount, f.Accounts)
	parts = append(parts, f.Period.conditions()...)
	switch f.Flow {
	case MarkIn:
		add("is:in")
	case MarkOut:
		add("is:out")
	}
	if f.Categories == nil && f.Group == "" {
		add("-is:transfer")
	}
	return strings.Join(parts, " ")
}

// quoted puts a name between quotation marks that it does not contain. When it contains all kinds, they are replaced by spaces, since they separate words
// like any other sign.
func quoted(name string) string {
	for _, marks := range [][2]string{{`"`, `"`}, {"«", "»"}, {"»", "«"}} {
		if !strings.ContainsAny(name, closing(marks[0])) {
			return marks[0] + name + marks[1]
		}
	}
	return `"` + strings.Map(func(r rune) rune {
		if strings.ContainsRune(closing(`"`), r) {
			return ' '
		}
		return r
	}, name) + `"`
}

// closing returns the signs that end a quotation begun with mark.
func closing(mark string) string {
	r, _ := utf8.DecodeRuneInString(mark)
	return quotes[r]
}

// conditions returns the shortest conditions for a period.
func (q Period) conditions() []string {
	for _, form := range []string{"2006", "2006-01", "2006-01-02"} {
		if len(q.From) < len(form) {
			break
		}
		value := string(q.From[:len(form)])
		if from, to, ok := days(value); ok && from == q.From && to == q.To {
			return []string{"on:" + value}
		}
	}
	var some []string
	if q.From != "" {
		some = append(some, "after:"+string(q.From))
	}
	if t, err := q.To.Time(); err == nil {
		some = append(some, "before:"+string(openbanking.DateOf(t.AddDate(0, 0, 1))))
	}
	return some
}
