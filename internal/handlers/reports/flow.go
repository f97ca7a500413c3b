package reports

import (
	"cmp"
	"maps"
	"slices"

	geometry "florin/internal/charts"
	"florin/internal/money"
	"florin/internal/search"
	"florin/web/templates/charts"
	"florin/web/templates/pages"
)

// mostStreams is how many categories have a stream of their own on each side.
const mostStreams = 8

// streams are where the money of a currency came from and where it went, as one chart; nil when one of the two is missing.
func (r *report) streams(currency string, now map[string]flows) []pages.ReportSection {
	chart := charts.Sankey{Title: r.c.Say("From income to spending, in %s", r.moneyName(currency)), Middle: r.c.Say("%s to %s", r.day(r.From), r.day(r.To))}
	chart.In = r.side(currency, now, search.MarkIn, func(f flow) money.Amount { return f.in })
	chart.Out = r.side(currency, now, search.MarkOut, func(f flow) money.Amount { return f.out.Neg() })
	if len(chart.In) == 0 || len(chart.Out) == 0 {
		return nil
	}
	return []pages.ReportSection{r.explained(currency, pages.ReportSection{ID: "streams-" + currency, Title: chart.Title, Chart: charts.Sankeys(chart)})}
}

// side are the streams of one side, the largest first and what is left at the end.
func (r *report) side(currency string, now map[string]flows, mark search.Mark, of func(flow) money.Amount) (streams []charts.Stream) {
	size := func(id string) int64 {
		if f, ok := now[id][currency]; ok {
			return of(f).Minor()
		}
		return 0
	}
	ids := slices.DeleteFunc(slices.Collect(maps.Keys(now)), func(id string) bool { return id == "" || size(id) <= 0 })
	slices.SortFunc(ids, func(a, b string) int { return cmp.Or(cmp.Compare(size(b), size(a)), cmp.Compare(r.name(a), r.name(b))) })
	add := func(name string, minor int64, facts search.Facts) {
		streams = append(streams, charts.Stream{Name: name, Amount: money.FromMinor(minor, r.codeOf(currency)), Href: r.Link(toward(facts, mark))})
	}
	named, rest := geometry.Largest(ids, mostStreams, size)
	for _, id := range named {
		add(r.name(id), size(id), r.category(id, r.Period))
	}
	if none := size(""); none > 0 {
		add(r.name(""), none, r.category("", r.Period))
	}
	if len(rest) == 0 {
		return streams
	}
	others := r.at(nil, currency).in
	for _, id := range rest {
		var err error
		if others, err = others.Add(money.FromMinor(size(id), others.Currency())); err != nil {
			r.large = true
			return streams
		}
	}
	facts := r.facts(r.Period)
	facts.Categories = rest
	add(r.c.Say("%d other categories", len(rest)), others.Minor(), facts)
	last := &streams[len(streams)-1]
	last.Href = cmp.Or(last.Href, "#"+barsID(mark, currency)) // there each has its rows
	return streams
}

// barsID is the id of the section with the categories of one direction.
func barsID(mark search.Mark, currency string) string { return "bars-" + string(mark) + "-" + currency }

// besideYearBefore returns a section that compares sums by category with those of the same days a year before. It is empty when there was nothing a year
// before.
func (r *report) besideYearBefore(title, currency string, ids []string, now, then map[string]flows, mark search.Mark,
	of func(flow) money.Amount) []pages.ReportSection {
	at := func(figures map[string]flows, l categoryLine) money.Amount {
		return of(r.sum(l, currency, func(id string) flow { return r.at(figures[id], currency) }))
	}
	ids = slices.Clone(ids)
	known := map[string]bool{}
	for _, id := range ids {
		known[id] = true
	}
	was := false
	for _, id := range slices.Sorted(maps.Keys(then)) {
		if at(then, categoryLine{id}).IsZero() {
			continue
		}
		was = true
		if !known[id] {
			ids = append(ids, id)
		}
	}
	if !was {
		return nil
	}
	say, before := r.c.Say, r.yearBefore()
	table := pages.ReportTable{Head: []string{say("Category"), say("%s to %s", r.day(r.From), r.day(r.To)), say("%s to %s", r.day(before.From), r.day(before.To)), say("Change since then")}}
	for _, l := range r.lines(ids) {
		table.Rows = append(table.Rows, []pages.ReportCell{text(r.called(l)), r.amount(at(now, l), toward(r.behind(l, r.Period), mark)),
			r.amount(at(then, l), toward(r.behind(l, before), mark)), r.change(at(now, l), at(then, l))})
	}
	return []pages.ReportSection{r.explained(currency, pages.ReportSection{ID: "year-" + string(mark) + "-" + currency, Title: say("%s, beside the year before", title), Table: table})}
}
