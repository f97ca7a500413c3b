package search

import (
	"strings"
	"unicode/utf8"

	"florin/internal/openbanking"
)

// Facts are what a figure was added up from. All of them hold; those that are not given leave nothing out.
type Facts struct {
	Accounts      []string // ids, of which one holds
	Categories    []string // ids, of which one holds
	Group         string   // of categories, as id
	Uncategorised bool
	Payees, Tags  []string // names, of each of which one holds
	Period
	Flow Mark // MarkIn, MarkOut or ""
}

// Query writes the facts as a text for the search field: the totals of what it finds are the figure. value is the text after the operator that stands for the
// account, the category or the group with an id and for nothing else. Transfers between own accounts, which no figure has in it, are left out where the text
// does not name a category.
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

// quoted puts a name in quotation marks that it has not in it. Where it has all of them, they separate words like any other sign.
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

// closing are the signs that end what a quotation mark begins.
func closing(mark string) string {
	r, _ := utf8.DecodeRuneInString(mark)
	return quotes[r]
}

// conditions are the shortest that say a period.
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
