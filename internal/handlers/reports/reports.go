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
	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/search"
	"florin/internal/store"
	"florin/web/templates/charts"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// report shows the report that the address asks for.
func (a *Area) report(v *shell.Visitor) error {
	r, err := a.open(v, v.Request.URL.Query())
	if err != nil {
		return err
	}
	view := pages.ReportView{Frame: a.Frame(v), View: string(r.view), Whose: r.whose.Choice, Asked: r.whose.Asked}
	view.Frame.Live = r.whose.Live()
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
	case len(view.Sections) > 0 && r.lacks: // never a file that lacks something
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
	if r.badPeriod || r.lacks {
		v.SeeOther(r.path(r.view)) // which says why
		return nil
	}
	r.whole = true
	sections, err := r.sections()
	if err != nil {
		return err
	}
	return r.c.DownloadTables(v.Writer, fmt.Sprintf("florin-%s-%s-%s", r.view, r.From, r.To), sections)
}

// open reads what an address asks for, and what the person has.
func (a *Area) open(v *shell.Visitor, asked url.Values) (*report, error) {
	c := a.At(v.Ctx(), time.Now())
	r := &report{choice: read(asked, c), area: a, v: v, c: c}
	var err error
	if r.whose, err = a.Whose(v, asked.Get("whose")); err != nil {
		return nil, err
	}
	r.choice.whose = r.whose.Asked
	if r.Holdings, err = r.holdings(); err != nil {
		return nil, err
	}
	if r.owned, err = r.whose.Owners(v.Ctx()); err != nil {
		return nil, err
	}
	if r.book, err = r.whose.Categories(v.Ctx()); err != nil {
		return nil, err
	}
	r.Names = c.Names(r.Accounts, r.Connections, r.book).For(r.whose.Asked)
	r.roots = r.book.Roots()
	if r.byRows() || r.view == byTag {
		if r.lacks, err = r.whose.Unindexed(v.Ctx()); err != nil {
			return nil, err
		}
	}
	return r, r.keepOwn()
}

// holdings are the accounts that the report can be about: the net worth counts those, too, of which only the balances are seen.
func (r *report) holdings() (store.Holdings, error) {
	if r.view == worth {
		return r.whose.Worth(r.v.Ctx())
	}
	return r.whose.Holdings(r.v.Ctx())
}

// How many categories, tags and payees a form offers at most. Others are chosen by their names.
const (
	mostChoices      = 100
	mostPayeeChoices = 30
)

// choices offers names, of which some are chosen; those that are chosen come first. A label is what a name is called on the page; without one it is called so
// itself.
func choices(names, chosen []string, labels map[string]string) (options []ui.Option) {
	for _, name := range chosen {
		options = append(options, ui.Option{Value: name, Text: cmp.Or(labels[name], name), Selected: true})
	}
	for _, name := range names {
		if !slices.Contains(chosen, name) {
			options = append(options, ui.Option{Value: name, Text: cmp.Or(labels[name], name)})
		}
	}
	return options
}

// labels are what payees are called side by side, by what finds each of them: their names, and where a rule gave one name to several, with their own behind it.
func labels(c show.Clock, payees []store.NamedPayee) map[string]string {
	by, alike := make(map[string]string, len(payees)), map[string]int{}
	for _, p := range payees {
		if by[p.Exact] == "" {
			by[p.Exact] = p.Name
			alike[p.Name]++
		}
	}
	for exact, name := range by {
		if alike[name] > 1 && exact != name {
			by[exact] = c.Say("%s (%s)", name, exact)
		}
	}
	return by
}

// exacts are what finds payees.
func exacts(payees []store.NamedPayee) (list []string) {
	for _, p := range payees {
		list = append(list, p.Exact)
	}
	return list
}

// typed is a field for the name of something that is not offered; wrong says that the names which were typed are those of nothing.
func (r *report) typed(name, label, problem string, wrong bool) *ui.Input {
	field := &ui.Input{Name: name, Label: label, Type: "text", Autocomplete: "off", MaxLength: 200}
	if wrong {
		field.Problem = problem
	}
	return field
}

// form fills in what can be chosen.
func (r *report) form(view *pages.ReportView) error {
	say := r.c.Say
	for _, k := range kinds {
		view.Periods = append(view.Periods, ui.Option{Value: string(k.kind), Text: say(k.name), Selected: k.kind == r.kind})
	}
	view.From = ui.Input{Name: "from", Label: say("First day"), Type: "text", Value: cmp.Or(r.from, string(r.From)), Hint: say("For “Custom period”: 2026-01-31"), Autocomplete: "off", MaxLength: 20}
	view.To = ui.Input{Name: "to", Label: say("Last day"), Type: "text", Value: cmp.Or(r.to, string(r.To)), Autocomplete: "off", MaxLength: 20}
	if r.badPeriod {
		view.From.Problem, view.To.Problem = r.c.Message(r.fromProblem), r.c.Message(r.toProblem)
	}
	view.Accounts = r.c.AccountsOf(r.Accounts, r.Connections, r.owned, r.accounts...)
	left := mostChoices
	for _, g := range r.c.CategoryChoice(r.book, "") {
		var offered []ui.Option
		for _, o := range g.Options {
			o.Selected = slices.Contains(r.categories, o.Value)
			if o.Value != categories.Transfer && (left > 0 || o.Selected) {
				offered = append(offered, o)
				left--
			}
		}
		if g.Options = offered; len(offered) > 0 {
			view.Categories = append(view.Categories, g)
		}
	}
	if left <= 0 || len(r.noCategory) > 0 {
		view.OtherCategory = r.typed("category", say("Another category"), say("No category has this name: %s", r.c.List(r.noCategory)), len(r.noCategory) > 0)
	}
	frequent, err := r.whose.FrequentPayees(r.v.Ctx(), r.Period, mostPayeeChoices)
	if err != nil {
		return err
	}
	view.Payees = choices(exacts(frequent), r.payees, labels(r.c, slices.Concat(frequent, r.asked)))
	view.OtherPayee = r.typed("payee", say("Another payee"), say("No transaction has this payee: %s", r.c.List(r.noPayee)), len(r.noPayee) > 0)
	tags, err := r.area.Store.Tags(r.v.Ctx(), r.v.User.ID)
	if err != nil {
		return err
	}
	view.Tags = choices(tags[:min(len(tags), mostChoices)], r.tags, nil)
	if len(tags) > mostChoices || len(r.noTag) > 0 {
		view.OtherTag = r.typed("tag", say("Another tag"), say("No transaction has this tag: %s", r.c.List(r.noTag)), len(r.noTag) > 0)
	}
	view.About = r.about()
	view.Open = r.kind == chosen || r.badPeriod || len(r.accounts)+len(r.categories)+len(r.payees)+len(r.tags)+len(r.noCategory)+len(r.noPayee)+len(r.noTag) > 0
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
	if len(r.asked) > 0 {
		called, names := labels(r.c, r.asked), []string(nil)
		for _, payee := range r.payees {
			names = append(names, called[payee])
		}
		lines = append(lines, r.c.Say("Payees: %s#report", r.c.List(names)))
	}
	if len(r.tags) > 0 {
		lines = append(lines, r.c.Say("Tags: %s", r.c.List(r.tags)))
	}
	return lines
}

// notes say what is not in the figures.
func (r *report) notes() []string {
	say := r.c.Say
	list := []string{r.c.TransfersLeftOut(r.whose.OfHousehold())}
	if r.view == worth {
		list = []string{say("An account counts from the first day on which Florin knows its balance.")}
		if r.whose.OfHousehold() {
			list = append(list, say("If only the balances of an account are shared with you, it counts from the day of its current balance."))
		}
	}
	if r.view == byTag && r.whose.OfHousehold() {
		list = append(list, say("Tags are private: these are your own transactions with your own tags."))
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
	if r.lacks {
		list = append(list, say("Florin is still preparing the search after an update. Until that is done, some transactions are missing from the figures for tags."))
	}
	if r.cut {
		list = append(list, say("Only the newest %d transactions of a figure are added up.", store.MaxTotalled))
	}
	if r.few {
		list = append(list, say("Only %d categories are looked at for transactions with these tags.", maxAsked))
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

// toward adds a direction, money in or money out, to conditions.
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
	wholes, err := r.wholes()
	if err != nil {
		return nil, err
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
			step := charts.Step{Name: r.month(m.From, false), Mark: r.month(m.From, true), In: notBelow(f.in), Out: notBelow(f.out.Neg()),
				InHref:  r.Link(toward(facts, search.MarkIn)),
				OutHref: r.Link(toward(facts, search.MarkOut)), Href: r.Link(facts)}
			chart.Steps = append(chart.Steps, step)
			table.Rows = append(table.Rows, append([]pages.ReportCell{text(step.Name)}, r.inOutNet(f, facts)...))
		}
		sections = append(sections, r.compared(currency, wholes),
			r.explained(currency, pages.ReportSection{ID: "months-" + currency, Title: chart.Title, Chart: chartOrNone(len(months) > 1, chart), Table: table}))
	}
	return sections, nil
}

// periods returns the period of the report, the period before, and the same period a year before. For a report of twelve months the last two are equal, and
// listed once.
func (r *report) periods() []search.Period {
	return slices.Compact([]search.Period{r.Period, r.before(), r.yearBefore()})
}

// wholes returns the totals of each of the periods.
func (r *report) wholes() (all []flows, err error) {
	for _, p := range r.periods() {
		one, err := r.total(p)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// compared is the whole period beside those before.
func (r *report) compared(currency string, wholes []flows) pages.ReportSection {
	say := r.c.Say
	table := pages.ReportTable{Head: []string{say("Period"), say("Money in"), say("Money out"), say("Net")}}
	now := r.at(wholes[0], currency)
	for i, p := range r.periods() {
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
	if !r.byRows() && len(months) > 1 && len(months) <= 13 {
		if byMonth, err = r.sums(r.Period); err != nil {
			return nil, err
		}
	}
	if err := r.convert(slices.Concat(slices.Collect(maps.Values(now)), slices.Collect(maps.Values(then)), slices.Collect(maps.Values(aYearBefore)),
		slices.Collect(maps.Values(byMonth)))...); err != nil {
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
			for _, l := range r.lines(ids) {
				sum := func(figures map[string]flows) money.Amount {
					return side.of(r.sum(l, currency, func(id string) flow { return r.at(figures[id], currency) }))
				}
				facts := toward(r.behind(l, r.Period), side.mark)
				bars.Rows = append(bars.Rows, charts.Bar{Name: r.called(l), Href: r.Link(facts), Now: sum(now), Then: sum(then),
					ThenHref: r.Link(toward(r.behind(l, r.before()), side.mark))})
				line := []pages.ReportCell{text(r.called(l)), r.amount(sum(now), facts)}
				for _, m := range months {
					if byMonth != nil {
						inMonth := r.sum(l, currency, func(id string) flow { return r.at(byMonth[figureKey{m.From[:len("2006-01")] + "-01", id}], currency) })
						line = append(line, r.amount(side.of(inMonth), toward(r.behind(l, m), side.mark)))
					}
				}
				table.Rows = append(table.Rows, line)
			}
			sections = append(sections, r.explained(currency, pages.ReportSection{ID: barsID(side.mark, currency), Title: title, Chart: charts.BarRows(bars)}))
			if byMonth != nil {
				sections = append(sections, r.explained(currency,
					pages.ReportSection{ID: "table-" + string(side.mark) + "-" + currency, Title: say("%s, month by month", title), Table: table}))
			} else {
				sections[len(sections)-1].Table = table
			}
			sections = append(sections, r.besideYearBefore(title, currency, ids, now, aYearBefore, side.mark, side.of)...)
		}
	}
	return sections, nil
}

// payeeSections are the payees of the period with the largest sums.
func (r *report) payeeSections() ([]pages.ReportSection, error) {
	of := func(name string, p search.Period) search.Facts {
		facts := r.facts(p)
		facts.Payees = []string{name}
		return facts
	}
	if !r.byRows() {
		return r.largestPayees(of)
	}
	query, ok := r.query(r.facts(r.Period))
	if !ok {
		return nil, nil
	}
	payees, cut, err := r.whose.TopPayees(r.v.Ctx(), query, mostNamed)
	if err != nil {
		return nil, err
	}
	r.cut = r.cut || cut
	return r.addedUp(r.c.Say("Payee"), exacts(payees), labels(r.c, payees), of)
}

// largestPayees are payeeSections of the sums that are kept.
func (r *report) largestPayees(of func(name string, p search.Period) search.Facts) ([]pages.ReportSection, error) {
	var figures []map[string]flows
	for _, p := range r.periods() {
		list, err := r.whose.PayeeMonthSums(r.v.Ctx(), p)
		if err != nil {
			return nil, err
		}
		by := map[string]flows{}
		for _, s := range list {
			if !r.counts(s) {
				continue
			}
			if by[s.Payee] == nil {
				by[s.Payee] = flows{}
			}
			r.large = !by[s.Payee].add(s.In, s.Out) || r.large
		}
		figures = append(figures, by)
	}
	keys := slices.Sorted(maps.Keys(figures[0]))
	size := func(key string) (most int64) {
		for _, f := range figures[0][key] {
			most = max(most, f.in.Abs().Minor(), f.out.Abs().Minor())
		}
		return most
	}
	slices.SortStableFunc(keys, func(a, b string) int { return cmp.Compare(size(b), size(a)) })
	if !r.whole {
		keys = keys[:min(len(keys), mostNamed)]
	}
	called, err := r.whose.PayeeNames(r.v.Ctx(), keys...)
	if err != nil {
		return nil, err
	}
	var payees []store.NamedPayee
	named := make([]map[string]flows, len(figures))
	for _, key := range keys {
		if payee, known := called[key]; known {
			payees = append(payees, payee)
			for i, by := range figures {
				if named[i] == nil {
					named[i] = map[string]flows{}
				}
				named[i][payee.Exact] = by[key]
			}
		}
	}
	return r.named(r.c.Say("Payee"), exacts(payees), labels(r.c, payees), named, of)
}

// tagSections are the tags of the person in the period, or those that are chosen.
func (r *report) tagSections() ([]pages.ReportSection, error) {
	tags := r.tags
	if len(tags) == 0 {
		var err error
		if tags, err = r.area.Store.Tags(r.v.Ctx(), r.v.User.ID); err != nil {
			return nil, err
		}
	}
	return r.addedUp(r.c.Say("Tag"), tags[:min(len(tags), mostNamed)], nil, func(tag string, p search.Period) search.Facts {
		facts := r.facts(p)
		facts.Tags = []string{tag}
		return facts
	})
}

// addedUp are tables of figures that are added up row by row.
func (r *report) addedUp(title string, names []string, labels map[string]string, of func(name string, p search.Period) search.Facts) ([]pages.ReportSection,
	error) {
	var figures []map[string]flows
	for _, p := range r.periods() {
		by := map[string]flows{}
		for _, name := range names {
			var err error
			if by[name], err = r.totals(of(name, p)); err != nil {
				return nil, err
			}
		}
		figures = append(figures, by)
	}
	return r.named(title, names, labels, figures, of)
}

// named are tables of the figures of names, currency by currency: in the period, and what they came to in those before. labels are as those of choices.
func (r *report) named(title string, names []string, labels map[string]string, figures []map[string]flows,
	of func(name string, p search.Period) search.Facts) ([]pages.ReportSection, error) {
	var all []flows
	for _, by := range figures {
		all = slices.AppendSeq(all, maps.Values(by))
	}
	if err := r.convert(all...); err != nil {
		return nil, err
	}
	say, periods := r.c.Say, r.periods()
	var sections []pages.ReportSection
	for _, currency := range r.currencies(slices.Collect(maps.Values(figures[0]))...) {
		table := pages.ReportTable{Head: []string{title, say("Money in"), say("Money out"), say("Net")}}
		for _, p := range periods[1:] {
			table.Head = append(table.Head, say("Net, %s to %s", r.day(p.From), r.day(p.To)))
		}
		list := slices.DeleteFunc(slices.Clone(names), func(name string) bool { _, ok := figures[0][name][currency]; return !ok })
		size := func(name string) int64 {
			f := figures[0][name][currency]
			return max(f.in.Abs().Minor(), f.out.Abs().Minor())
		}
		slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(size(b), size(a)) })
		for _, name := range list {
			line := append([]pages.ReportCell{{Text: cmp.Or(labels[name], name), Href: r.Link(of(name, r.Period))}},
				r.inOutNet(figures[0][name][currency], of(name, r.Period))...)
			for i, p := range periods[1:] {
				cell := text("–")
				if net, ok := r.at(figures[i+1][name], currency).net(); ok {
					cell = r.amount(net, of(name, p))
				}
				line = append(line, cell)
			}
			table.Rows = append(table.Rows, line)
		}
		sections = append(sections, r.explained(currency, pages.ReportSection{ID: "named-" + currency, Title: say("%s in %s", title, r.moneyName(currency)), Table: table}))
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
	ends := slices.Compact([]openbanking.Date{r.yearBefore().To, r.before().To}) // with which the last day is compared
	for _, day := range ends {
		one, err := r.worthAt([]openbanking.Date{day})
		if err != nil {
			return nil, err
		}
		list = append(list, one...)
	}
	used, err := r.worthIn(append(slices.Clone(days), ends...), list)
	if err != nil {
		return nil, err
	}
	all := flows{}
	for _, at := range list[:len(days)] {
		for currency := range at {
			all[currency] = flow{}
		}
	}
	leads, err := r.leads()
	if err != nil {
		return nil, err
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
			point := charts.Point{Name: r.day(day), Mark: r.month(day, true)}
			if leads {
				point.Href = r.Link(search.Facts{Accounts: r.accounts, Period: months[i]})
			}
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
		if last != nil {
			sections = append(sections, r.worthCompared(currency, *last, ends, list[len(days):]))
		}
	}
	return sections, nil
}

// leads reports whether the figures of the net worth can link to transactions: the visitor sees transactions of every chosen account.
func (r *report) leads() (bool, error) {
	h, err := r.whose.Holdings(r.v.Ctx())
	return !slices.ContainsFunc(r.accounts, func(id string) bool {
		return !slices.ContainsFunc(h.Accounts, func(a finance.Account) bool { return a.ID == id })
	}), err
}

// worthCompared is what is on the accounts on the last day beside what was at the end of other periods.
func (r *report) worthCompared(currency string, now money.Amount, ends []openbanking.Date, then []map[string]money.Amount) pages.ReportSection {
	say := r.c.Say
	figure := pages.Figure(now)
	table := pages.ReportTable{Head: []string{say("Day"), say("On all accounts"), say("Change since then")}, Rows: [][]pages.ReportCell{{text(r.day(r.To)), {Amount: &figure}, text("–")}}}
	for i, day := range slices.Backward(ends) {
		balance, known := then[i][currency]
		if !known {
			continue
		}
		figure := pages.Figure(balance)
		table.Rows = append(table.Rows, []pages.ReportCell{text(r.day(day)), {Amount: &figure}, r.change(now, balance)})
	}
	return pages.ReportSection{ID: "compared-" + currency, Title: say("%s: compared", r.moneyName(currency)), Table: table}
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

// notBelow returns the amount, or zero when it is negative because refunds exceed it.
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
