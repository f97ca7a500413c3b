package reports

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/a-h/templ"

	"florin/internal/categories"
	"florin/internal/handlers/shell"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/search"
	"florin/internal/store"
	"florin/web/templates/charts"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// maxPayees is how many payees and tags a report has at most.
const maxPayees = 50

// report shows the report that the address asks for.
func (a *Area) report(v *shell.Visitor) error {
	r, err := a.open(v, v.Request.URL.Query())
	if err != nil {
		return err
	}
	view := pages.ReportView{Frame: a.Frame(v), View: string(r.view)}
	for _, connection := range r.Connections {
		view.Frame.Simulated = view.Frame.Simulated || connection.Simulated
	}
	if err := r.form(&view); err != nil {
		return err
	}
	if r.badPeriod {
		return v.Page(http.StatusUnprocessableEntity, pages.Report(view))
	}
	view.Period = v.Say("%s to %s", r.day(r.From), r.day(r.To))
	if err := r.kept(&view); err != nil {
		return err
	}
	if view.Sections, err = r.sections(); err != nil {
		return err
	}
	switch {
	case len(view.Sections) > 0:
		view.Export = paths.ReportsExport + "?" + r.values(r.view).Encode()
	case len(r.Accounts) == 0:
		view.Empty = v.Say("Link a bank first: its transactions appear here.")
	default:
		view.Empty = v.Say("There is nothing to show for this period.")
	}
	view.Notes, view.Rates = r.notes(), r.none || len(r.rates) > 0
	return v.Page(http.StatusOK, pages.Report(view))
}

// export answers with the tables of the report that the address asks for.
func (a *Area) export(v *shell.Visitor) error {
	r, err := a.open(v, v.Request.URL.Query())
	if err != nil {
		return err
	}
	if r.badPeriod {
		v.SeeOther(r.path(r.view))
		return nil
	}
	sections, err := r.sections()
	if err != nil {
		return err
	}
	return r.c.DownloadTables(v.Writer, fmt.Sprintf("florin-%s-%s-%s", r.view, r.From, r.To), sections)
}

// open reads what an address asks for, and what the person has.
func (a *Area) open(v *shell.Visitor, asked url.Values) (*report, error) {
	c := a.At(v.Ctx(), time.Now())
	r := &report{choice: read(asked, c), area: a, v: v, c: c, roots: map[string]string{}}
	var err error
	if r.Holdings, err = a.Store.Holdings(v.Ctx(), v.User.ID); err != nil {
		return nil, err
	}
	if r.book, err = a.Store.Categories(v.Ctx(), v.User.ID); err != nil {
		return nil, err
	}
	r.Names = c.Names(r.Accounts, r.Connections, r.book)
	for _, own := range r.book {
		root, _ := r.book.Of(own.ID)
		r.roots[own.ID] = root.ID
	}
	r.keepOwn()
	return r, nil
}

// form fills in what can be chosen.
func (r *report) form(view *pages.ReportView) error {
	say := r.c.Say
	for _, k := range kinds {
		view.Periods = append(view.Periods, ui.Option{Value: string(k.kind), Text: say(k.name), Selected: k.kind == r.kind})
	}
	view.From = ui.Input{Name: "from", Label: say("First day"), Type: "text", Value: cmp.Or(r.from, string(r.From)), Hint: say("For “From day to day”: 2026-01-31"), Autocomplete: "off", MaxLength: 20}
	view.To = ui.Input{Name: "to", Label: say("Last day"), Type: "text", Value: cmp.Or(r.to, string(r.To)), Autocomplete: "off", MaxLength: 20}
	if r.badPeriod {
		view.From.Problem, view.To.Problem = r.c.Tell(r.fromProblem), r.c.Tell(r.toProblem)
	}
	for _, a := range r.Accounts {
		view.Accounts = append(view.Accounts, ui.Option{Value: a.ID, Text: r.c.AccountName(a), Selected: slices.Contains(r.accounts, a.ID)})
	}
	for _, g := range r.c.CategoryChoice(r.book, "") {
		g.Options = slices.DeleteFunc(g.Options, func(o ui.Option) bool { return o.Value == categories.Transfer })
		for i, o := range g.Options {
			g.Options[i].Selected = slices.Contains(r.categories, o.Value)
		}
		view.Categories = append(view.Categories, g)
	}
	tags, err := r.area.Store.Tags(r.v.Ctx(), r.v.User.ID)
	if err != nil {
		return err
	}
	view.Tags = []ui.Option{{Text: say("All transactions")}}
	for _, tag := range tags {
		view.Tags = append(view.Tags, ui.Option{Value: tag, Text: tag, Selected: tag == r.tag})
	}
	view.Chosen, view.About = len(r.accounts)+len(r.categories), r.about()
	for _, one := range views {
		view.Views = append(view.Views, pages.Filter{Text: say(one.name), Href: r.path(one.view), Current: one.view == r.view})
	}
	return nil
}

// about says what was chosen.
func (r *report) about() (lines []string) {
	var accounts, chosen []string
	for _, a := range r.Accounts {
		if slices.Contains(r.accounts, a.ID) {
			accounts = append(accounts, r.c.AccountName(a))
		}
	}
	for _, id := range r.categories {
		chosen = append(chosen, r.name(id))
	}
	if len(accounts) > 0 {
		lines = append(lines, r.c.Say("Accounts: %s", r.c.List(accounts)))
	}
	if len(chosen) > 0 {
		lines = append(lines, r.c.Say("Categories: %s", r.c.List(chosen)))
	}
	if r.tag != "" {
		lines = append(lines, r.c.Say("Tag: %s", r.tag))
	}
	return lines
}

// notes say what is not in the figures.
func (r *report) notes() []string {
	say := r.c.Say
	list := []string{say("Transfers between your own accounts are left out: they are neither income nor spending.")}
	if r.view == worth {
		list = []string{say("An account counts from the first day of which Florin knows its balance.")}
	}
	if r.view == byDay && len(monthsOf(r.Period)) > maxCalendars {
		list = append(list, say("Only the last %d months of the period are shown day by day.", maxCalendars))
	}
	if len(r.Accounts) == 0 {
		list = nil
	}
	if r.none {
		list = append(list, say("There are no exchange rates yet with which this could be converted into %s.", r.main))
	}
	if r.cut {
		list = append(list, say("Only the newest %d transactions of a figure are added up.", store.MaxTotalled))
	}
	if r.large {
		list = append(list, say("Some sums are too large to be shown. They are left out."))
	}
	return list
}

// sections are those of the view.
func (r *report) sections() ([]pages.ReportSection, error) {
	switch r.view {
	case byCategory:
		return r.categorySections()
	case byDay:
		return r.daySections()
	case byPayee:
		return r.payeeSections()
	case byTag:
		return r.tagSections()
	case worth:
		return r.worthSections()
	}
	return r.monthSections()
}

// A cell of a table.
func text(t string) pages.ReportCell { return pages.ReportCell{Text: t} }

func (r *report) amount(a money.Amount, f search.Facts) pages.ReportCell {
	figure := pages.Figure(a)
	return pages.ReportCell{Amount: &figure, Href: r.Link(f)}
}

// toward are facts with a direction.
func toward(f search.Facts, flow search.Mark) search.Facts {
	f.Flow = flow
	return f
}

// inOutNet are the cells of a flow.
func (r *report) inOutNet(f flow, facts search.Facts) []pages.ReportCell {
	cells := []pages.ReportCell{r.amount(f.in, toward(facts, search.MarkIn)), r.amount(f.out, toward(facts, search.MarkOut)), text("–")}
	if net, ok := f.net(); ok {
		cells[2] = r.amount(net, facts)
	}
	return cells
}

// monthSections are income and spending by month, and the whole beside the period before and the year before.
func (r *report) monthSections() ([]pages.ReportSection, error) {
	months := monthsOf(r.Period)
	list, err := r.months(months)
	if err != nil {
		return nil, err
	}
	periods := []search.Period{r.Period, r.before(), r.yearBefore()}
	var wholes []flows
	for _, p := range periods {
		one, err := r.whole(p)
		if err != nil {
			return nil, err
		}
		wholes = append(wholes, one)
	}
	if err := r.convert(slices.Concat(list, wholes)...); err != nil {
		return nil, err
	}
	var sections []pages.ReportSection
	for _, currency := range r.currencies(append(list, wholes[0])...) {
		say := r.c.Say
		chart := charts.CashFlow{Title: say("Income and spending in %s", r.moneyName(currency))}
		table := pages.ReportTable{Head: []string{say("Month"), say("Money in"), say("Money out"), say("Net")}}
		for i, m := range months {
			f, facts := r.at(list[i], currency), r.facts(m)
			step := charts.Step{Name: r.month(m.From, false), Mark: r.month(m.From, true), In: notBelow(f.in), Out: notBelow(f.out.Neg()), InHref: r.Link(toward(facts, search.MarkIn)),
				OutHref: r.Link(toward(facts, search.MarkOut)), Href: r.Link(facts)}
			chart.Steps = append(chart.Steps, step)
			table.Rows = append(table.Rows, append([]pages.ReportCell{text(step.Name)}, r.inOutNet(f, facts)...))
		}
		sections = append(sections, r.compared(currency, periods, wholes),
			r.explained(currency, pages.ReportSection{ID: "months-" + currency, Title: chart.Title, Chart: chartOrNone(len(months) > 1, chart), Table: table}))
	}
	return sections, nil
}

// compared is the whole period beside those before.
func (r *report) compared(currency string, periods []search.Period, wholes []flows) pages.ReportSection {
	say := r.c.Say
	table := pages.ReportTable{Head: []string{say("Period"), say("Money in"), say("Money out"), say("Net")}}
	now := r.at(wholes[0], currency)
	for i, p := range periods {
		f := r.at(wholes[i], currency)
		name := say("%s to %s", r.day(p.From), r.day(p.To))
		table.Rows = append(table.Rows, append([]pages.ReportCell{text(name)}, r.inOutNet(f, r.facts(p))...))
		if i == 0 {
			continue
		}
		line := []pages.ReportCell{text(say("Change since then"))}
		for _, pair := range [][2]money.Amount{{now.in, f.in}, {now.out, f.out}} {
			line = append(line, r.change(pair[0], pair[1]))
		}
		nowNet, okNow := now.net()
		thenNet, okThen := f.net()
		if line = append(line, text("–")); okNow && okThen {
			line[3] = r.change(nowNet, thenNet)
		}
		table.Rows = append(table.Rows, line)
	}
	return r.explained(currency, pages.ReportSection{ID: "compared-" + currency, Title: say("%s: compared", r.moneyName(currency)), Table: table})
}

// change is how far an amount differs from an earlier one, as an amount and in per cent of the earlier one.
func (r *report) change(now, then money.Amount) pages.ReportCell {
	by, err := now.Sub(then)
	if err != nil {
		return text("–")
	}
	figure := pages.Flow(by)
	cell := pages.ReportCell{Amount: &figure}
	if then.IsZero() || by.IsZero() {
		return cell
	}
	// Rounded to whole per cents, half away from zero.
	share := new(big.Rat).SetFrac(new(big.Int).Mul(big.NewInt(by.Minor()), big.NewInt(100)), big.NewInt(then.Abs().Minor()))
	if share.Cmp(big.NewRat(1000, 1)) > 0 {
		return cell // so many times as much tells nothing
	}
	percent := r.c.Decimal(share.FloatString(0))
	if share.Sign() > 0 {
		percent = "+" + percent
	}
	cell.Text = r.c.Say("(%s %%)", percent)
	return cell
}

// categorySections are spending and income by category, beside the period before, and month by month.
func (r *report) categorySections() ([]pages.ReportSection, error) {
	now, err := r.byCategory(r.Period)
	if err != nil {
		return nil, err
	}
	then, err := r.byCategory(r.before())
	if err != nil {
		return nil, err
	}
	aYearBefore, err := r.byCategory(r.yearBefore())
	if err != nil {
		return nil, err
	}
	var byMonth map[figureKey]flows
	months := monthsOf(r.Period)
	if r.tag == "" && len(months) > 1 && len(months) <= 13 {
		if byMonth, err = r.sums(r.Period); err != nil {
			return nil, err
		}
	}
	if err := r.convert(slices.Concat(slices.Collect(maps.Values(now)), slices.Collect(maps.Values(then)), slices.Collect(maps.Values(aYearBefore)), slices.Collect(maps.Values(byMonth)))...); err != nil {
		return nil, err
	}
	var sections []pages.ReportSection
	for _, currency := range r.currencies(slices.Collect(maps.Values(now))...) {
		sections = append(sections, r.streams(currency, now)...)
		for _, side := range []struct {
			mark search.Mark
			of   func(flow) money.Amount
		}{{search.MarkOut, func(f flow) money.Amount { return f.out }}, {search.MarkIn, func(f flow) money.Amount { return f.in }}} {
			at := func(f flows) money.Amount { return side.of(r.at(f, currency)) }
			ids := slices.DeleteFunc(slices.Collect(maps.Keys(now)), func(id string) bool { return at(now[id]).IsZero() })
			if len(ids) == 0 {
				continue
			}
			slices.SortFunc(ids, func(a, b string) int {
				return cmp.Or(cmp.Compare(at(now[b]).Abs().Minor(), at(now[a]).Abs().Minor()), cmp.Compare(r.name(a), r.name(b)))
			})
			say := r.c.Say
			title := say("Spending by category in %s", r.moneyName(currency))
			if side.mark == search.MarkIn {
				title = say("Income by category in %s", r.moneyName(currency))
			}
			bars := charts.Bars{Title: title, Name: say("Category"), Now: say("%s to %s", r.day(r.From), r.day(r.To)), Then: say("%s to %s", r.day(r.before().From), r.day(r.before().To))}
			table := pages.ReportTable{Head: []string{say("Category"), say("Sum")}}
			for _, m := range months {
				if byMonth != nil {
					table.Head = append(table.Head, r.month(m.From, true)+" "+string(m.From[:4]))
				}
			}
			for _, id := range ids {
				facts := toward(r.category(id, r.Period), side.mark)
				bars.Rows = append(bars.Rows, charts.Bar{Name: r.name(id), Href: r.Link(facts), Now: at(now[id]), Then: at(then[id]), ThenHref: r.Link(toward(r.category(id, r.before()), side.mark))})
				line := []pages.ReportCell{text(r.name(id)), r.amount(at(now[id]), facts)}
				for _, m := range months {
					if byMonth != nil {
						line = append(line, r.amount(at(byMonth[figureKey{m.From[:len("2006-01")] + "-01", id}]), toward(r.category(id, m), side.mark)))
					}
				}
				table.Rows = append(table.Rows, line)
			}
			sections = append(sections, r.explained(currency, pages.ReportSection{ID: barsID(side.mark, currency), Title: title, Chart: charts.BarRows(bars)}))
			if byMonth != nil {
				sections = append(sections, r.explained(currency, pages.ReportSection{ID: "table-" + string(side.mark) + "-" + currency, Title: say("%s, month by month", title), Table: table}))
			} else {
				sections[len(sections)-1].Table = table
			}
			sections = append(sections, r.besideYearBefore(title, currency, ids, now, aYearBefore, side.mark, side.of)...)
		}
	}
	return sections, nil
}

// payeeSections are the payees of the period with the largest sums. A figure is that of the list that a search for the name finds.
func (r *report) payeeSections() ([]pages.ReportSection, error) {
	query, ok := r.query(r.facts(r.Period))
	if !ok {
		return nil, nil
	}
	names, cut, err := r.area.Store.TopPayees(r.v.Ctx(), r.v.User.ID, query, maxPayees)
	if err != nil {
		return nil, err
	}
	r.cut = r.cut || cut
	return r.named(r.c.Say("Payee"), names, func(name string) search.Facts {
		facts := r.facts(r.Period)
		facts.Payee = name
		return facts
	})
}

// tagSections are the tags of the person in the period.
func (r *report) tagSections() ([]pages.ReportSection, error) {
	tags, err := r.area.Store.Tags(r.v.Ctx(), r.v.User.ID)
	if err != nil {
		return nil, err
	}
	return r.named(r.c.Say("Tag"), tags[:min(len(tags), maxPayees)], func(tag string) search.Facts {
		facts := r.facts(r.Period)
		facts.Tag = tag
		return facts
	})
}

// named are tables of figures that are added up row by row, currency by currency. A name that the search finds nothing by is left out.
func (r *report) named(title string, names []string, facts func(name string) search.Facts) ([]pages.ReportSection, error) {
	by := map[string]flows{}
	for _, name := range names {
		if len(search.Words(name)) == 0 {
			continue
		}
		var err error
		if by[name], err = r.totals(facts(name)); err != nil {
			return nil, err
		}
	}
	if err := r.convert(slices.Collect(maps.Values(by))...); err != nil {
		return nil, err
	}
	var sections []pages.ReportSection
	for _, currency := range r.currencies(slices.Collect(maps.Values(by))...) {
		table := pages.ReportTable{Head: []string{title, r.c.Say("Money in"), r.c.Say("Money out"), r.c.Say("Net")}}
		list := slices.DeleteFunc(slices.Clone(names), func(name string) bool { _, ok := by[name][currency]; return !ok })
		size := func(name string) int64 {
			f := by[name][currency]
			return max(f.in.Abs().Minor(), f.out.Abs().Minor())
		}
		slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(size(b), size(a)) })
		for _, name := range list {
			table.Rows = append(table.Rows, append([]pages.ReportCell{{Text: name, Href: r.Link(facts(name))}}, r.inOutNet(by[name][currency], facts(name))...))
		}
		sections = append(sections, r.explained(currency, pages.ReportSection{ID: "named-" + currency, Title: r.c.Say("%s in %s", title, r.moneyName(currency)), Table: table}))
	}
	return sections, nil
}

// worthSections are what is on the accounts at the end of each month, and on the last day.
func (r *report) worthSections() ([]pages.ReportSection, error) {
	months := monthsOf(r.Period)
	var days []openbanking.Date
	for _, m := range months {
		days = append(days, m.To)
	}
	list, err := r.worthAt(days)
	if err != nil {
		return nil, err
	}
	used, err := r.worthIn(days, list)
	if err != nil {
		return nil, err
	}
	all := flows{}
	for _, at := range list {
		for currency := range at {
			all[currency] = flow{}
		}
	}
	var sections []pages.ReportSection
	for _, currency := range r.currencies(all) {
		say := r.c.Say
		line := charts.Line{Title: say("Net worth in %s", r.moneyName(currency)), Value: say("On all accounts")}
		table := pages.ReportTable{Head: []string{say("Day"), say("On all accounts"), say("Change#noun")}}
		if currency == converted {
			table.Head = append(table.Head, say("Exchange rates"))
		}
		var last *money.Amount
		for i, day := range days {
			point := charts.Point{Name: r.day(day), Mark: r.month(day, true), Href: r.Link(search.Facts{Accounts: r.accounts, Period: months[i]})}
			balance, known := list[i][currency]
			if known {
				point.Value = balance
				figure := pages.Figure(balance)
				cells := []pages.ReportCell{text(point.Name), {Amount: &figure}, text("–")}
				if last != nil {
					cells[2] = r.change(balance, *last)
				}
				if last = &balance; currency == converted {
					cells = append(cells, pages.ReportCell{Text: used[i], Long: true})
				}
				table.Rows = append(table.Rows, cells)
			}
			line.Points = append(line.Points, point)
		}
		sections = append(sections, pages.ReportSection{ID: "worth-" + currency, Title: line.Title, Table: table})
		if len(line.Points) > 1 {
			sections[len(sections)-1].Chart = charts.Lines(line)
		}
	}
	return sections, nil
}

// day is a day in full.
func (r *report) day(d openbanking.Date) string {
	return r.c.FullDay(d)
}

// month is the month of a day: "October 2026", or "Oct" on an axis.
func (r *report) month(d openbanking.Date, brief bool) string {
	t, err := d.Time()
	switch {
	case err != nil:
		return ""
	case brief:
		return r.c.BriefMonth(t)
	}
	return r.c.Month(t)
}

// notBelow is an amount, or nothing in place of one below zero: more came back than went out.
func notBelow(a money.Amount) money.Amount {
	if a.Sign() < 0 {
		return money.FromMinor(0, a.Currency())
	}
	return a
}

// chartOrNone is a chart of several months; one month needs none.
func chartOrNone(several bool, c charts.CashFlow) templ.Component {
	if !several {
		return nil
	}
	return charts.CashFlows(c)
}
