package reports

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"florin/internal/finance"
	"florin/internal/handlers/show"
	"florin/internal/openbanking"
	"florin/internal/search"
	"florin/web/templates/paths"
	"florin/web/templates/words"
)

// view is a way to look at a period.
type view string

// Values of view.
const (
	byMonth    view = "months"
	byCategory view = "categories"
	byDay      view = "days"
	byPayee    view = "payees"
	byTag      view = "tags"
	worth      view = "worth"
)

// views are all of them, with their names.
var views = []struct {
	view view
	name words.Text
}{{byMonth, "Income and spending"}, {byCategory, "Categories"}, {byDay, "Day by day"}, {byPayee, "Payees#report"}, {byTag, "Tags"}, {worth, "Net worth"}}

// maxYears is how long a period is at most.
const maxYears = 10

// choice is what the address of a report asks for.
type choice struct {
	span

	kind        kind
	whose       string // value of the query "whose"; "" where there is no choice
	from, to    string // as typed, when the kind is chosen
	accounts    []string
	categories  []string // ids, and before keepOwn names, too
	payees      []string // names
	tags        []string
	view        view
	fromProblem words.Message
	toProblem   words.Message
	badPeriod   bool
}

// read reads an address; what it does not know is as if it were not there. Ends of a period that cannot be read have a problem.
func read(asked url.Values, c show.Clock) choice {
	r := choice{kind: kind(asked.Get("period")), from: strings.TrimSpace(asked.Get("from")), to: strings.TrimSpace(asked.Get("to")), accounts: unique(asked["account"]),
		categories: unique(asked["category"]), payees: unique(asked["payee"]), tags: unique(asked["tag"]), view: view(asked.Get("view"))}
	if !slices.ContainsFunc(views, func(v struct {
		view view
		name words.Text
	}) bool {
		return v.view == r.view
	}) {
		r.view = byMonth
	}
	today, err := c.Today().Time()
	if err != nil {
		today = time.Time{}
	}
	if r.kind == chosen {
		r.chosen(today)
		return r
	}
	var known bool
	if r.span, known = spanOf(r.kind, today); !known {
		r.kind = lastMonths
		r.span, _ = spanOf(lastMonths, today)
	}
	return r
}

// chosen reads the days from which and to which a report goes; a day that is not given is the first of the year, or today.
func (r *choice) chosen(today time.Time) {
	year, _ := spanOf(thisYear, today)
	day := func(text string, missing openbanking.Date, problem *words.Message) openbanking.Date {
		if text == "" {
			return missing
		}
		d, err := finance.ParseDay(text)
		if err != nil {
			*problem, r.badPeriod = show.DayProblem(err), true
		}
		return d
	}
	r.From, r.To = day(r.from, year.From, &r.fromProblem), day(r.to, year.To, &r.toProblem)
	switch {
	case r.badPeriod:
	case r.From > r.To:
		r.toProblem, r.badPeriod = words.Msg("The last day is before the first one."), true
	case shiftDay(r.From, 12*maxYears) <= r.To:
		r.toProblem, r.badPeriod = words.Msg("A report is about %d years at most.", maxYears), true
	default:
		r.months = wholeMonths(r.Period)
	}
}

// maxChosen is how many accounts, categories, payees and tags each can be chosen at most; more than that are left out.
const maxChosen = 200

func unique(list []string) []string {
	all := slices.Clone(list[:min(len(list), maxChosen)])
	for i, one := range all {
		all[i] = strings.TrimSpace(one)
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(s string) bool { return s == "" })
}

// values are those of the address of the same report in a view.
func (r *choice) values(v view) url.Values {
	values := url.Values{"period": {string(r.kind)}, "view": {string(v)}}
	if r.kind == chosen {
		values.Set("from", r.from)
		values.Set("to", r.to)
	}
	if r.whose != "" {
		values.Set("whose", r.whose)
	}
	for name, list := range map[string][]string{"account": r.accounts, "category": r.categories, "payee": r.payees, "tag": r.tags} {
		for _, one := range list {
			values.Add(name, one)
		}
	}
	return values
}

// path is the address of the same report in a view.
func (r *choice) path(v view) string { return paths.Reports + "?" + r.values(v).Encode() }

// facts returns the conditions of the report for a period, as the search takes them.
func (r *choice) facts(p search.Period) search.Facts {
	return search.Facts{Accounts: r.accounts, Categories: r.categories, Payees: r.payees, Tags: r.tags, Period: p}
}
