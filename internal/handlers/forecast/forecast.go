package forecast

import (
	"context"
	"net/http"
	"slices"
	"time"

	"florin/internal/finance"
	core "florin/internal/forecast"
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

// outlook is the forecast of accounts that a person sees, with their names.
type outlook struct {
	show.Clock
	store.Forecast
	store.Holdings                         // with accounts of which only the balances are seen
	owned          map[string]finance.User // the owners of accounts that are not the person's own
	whose          shell.Whose
}

// of returns the forecast of the accounts that the page is about.
func (a *Area) of(ctx context.Context, whose shell.Whose, c show.Clock) (o outlook, err error) {
	o = outlook{Clock: c, whose: whose}
	if o.Holdings, err = whose.Worth(ctx); err != nil {
		return o, err
	}
	if o.owned, err = whose.Owners(ctx); err != nil {
		return o, err
	}
	o.Forecast, err = whose.Forecast(ctx, c.Now)
	return o, err
}

// asked is the account in the address; "" for all.
func asked(v *shell.Visitor) string { return v.Request.URL.Query().Get("account") }

// flat reports whether only the balance of the account is shared with the visitor, so that its forecast is flat.
func (o outlook) flat(account string) bool {
	return slices.ContainsFunc(o.Flat, func(a finance.Account) bool { return a.ID == account })
}

// page is the address of the forecast of an account, or of all for "", about the same accounts.
func (o outlook) page(account string) string {
	if account == "" {
		return paths.ByWhose(paths.Forecast, o.whose.Asked)
	}
	return paths.ByWhose(paths.ForecastOf(account), o.whose.Asked)
}

// about are the lines of all accounts, or that of one account, with what comes on them.
func (o outlook) about(account string) ([]core.Line, []core.Item, error) {
	if account == "" {
		return o.Totals, o.Items, nil
	}
	line, known := o.Line(account)
	if !known || o.flat(account) {
		return nil, nil, finance.ErrNotFound
	}
	return []core.Line{line}, line.Items, nil
}

// open reads the forecast that the address asks for.
func (a *Area) open(v *shell.Visitor) (outlook, error) {
	whose, err := a.Whose(v, v.Request.URL.Query().Get("whose"))
	if err != nil {
		return outlook{}, err
	}
	return a.of(v.Ctx(), whose, a.At(v.Ctx(), time.Now()))
}

// show is the page: of all accounts, or of the one in the address.
func (a *Area) show(v *shell.Visitor) error {
	o, err := a.open(v)
	if err != nil {
		return err
	}
	asked := asked(v)
	lines, items, err := o.about(asked)
	if err != nil {
		return err
	}
	view := pages.ForecastView{Frame: a.Frame(v), Whose: o.whose.Choice, Without: o.without(), Flat: o.flatNote(asked),
		Period: o.Say("%s to %s", o.FullDay(o.Today()), o.FullDay(o.DayFromNow(core.Days)))}
	view.Frame.Live = o.whose.Live()
	for _, connection := range o.Connections {
		view.Frame.Simulated = view.Frame.Simulated || connection.Simulated
	}
	if len(lines) > 0 {
		view.Export = paths.ByWhose(paths.ForecastExportOf(asked), o.whose.Asked)
	}
	if len(o.Forecast.Accounts) > 1 {
		view.Accounts = append(view.Accounts, pages.Filter{Text: v.Say("All accounts"), Href: o.page(""), Current: asked == ""})
		for _, l := range o.Forecast.Accounts {
			if !o.flat(l.Account) {
				view.Accounts = append(view.Accounts, pages.Filter{Text: o.name(l.Account), Href: o.page(l.Account), Current: asked == l.Account})
			}
		}
	}
	view.Notices = o.warnings(asked)
	if p, ok := o.Payday(); ok && (asked == "" || asked == p.Account) {
		view.Left = o.left(p)
	}
	var places show.Places // the rows of one account need not name it
	if asked == "" {
		places = o.Places(o.Holdings.Accounts)
	}
	view.Coming = o.Coming(items, places)
	if err := a.toldBefore(v, o, asked, lines, &view); err != nil {
		return err
	}
	for _, l := range lines {
		view.Lines = append(view.Lines, o.line(l))
		if asked != "" {
			book, err := o.whose.Categories(v.Ctx())
			if err != nil {
				return err
			}
			names := o.Names(o.Holdings.Accounts, o.Connections, book).For(o.whose.Asked)
			view.Everyday = append(view.Everyday, o.everyday(l, o.months(l, names)))
		} else {
			view.Everyday = append(view.Everyday, o.everyday(l, o.byAccount(l)))
		}
	}
	return v.Page(http.StatusOK, pages.Forecast(view))
}

// toldBefore says how good forecasts were: of the own accounts, for whose owner they were made.
func (a *Area) toldBefore(v *shell.Visitor, o outlook, asked string, lines []core.Line, view *pages.ForecastView) error {
	_, theirs := o.owned[asked]
	if theirs || asked == "" && len(o.owned) > 0 {
		return nil
	}
	past, err := a.Store.PastForecasts(v.Ctx(), v.User.ID, o.Today())
	if err != nil {
		return err
	}
	for _, l := range lines {
		view.Off = append(view.Off, o.off(l, past))
	}
	return nil
}

// export answers with the tables of the page.
func (a *Area) export(v *shell.Visitor) error {
	o, err := a.open(v)
	if err != nil {
		return err
	}
	asked := asked(v)
	lines, items, err := o.about(asked)
	if err != nil {
		return err
	}
	var sections []pages.ReportSection
	for _, l := range lines {
		line := o.line(l)
		table := pages.ReportTable{Head: []string{o.Say("Day"), o.Say("Balance")}}
		for _, p := range l.Points {
			balance := pages.Figure(p.Balance)
			table.Rows = append(table.Rows, []pages.ReportCell{{Text: string(p.Day)}, {Amount: &balance}})
		}
		notes := []string{line.Says}
		if flat := o.flatNote(asked); flat != "" {
			notes = append(notes, flat)
		}
		sections = append(sections, pages.ReportSection{Title: line.Chart.Title, Table: table, Notes: notes})
	}
	coming := pages.ReportTable{Head: []string{o.Say("Day"), o.Say("Name"), o.Say("Amount"), o.Say("Currency"), o.Say("Account")}}
	for _, i := range items {
		amount := pages.Flow(i.Amount)
		coming.Rows = append(coming.Rows, []pages.ReportCell{{Text: string(i.Day)}, {Text: o.TransactionName(i.Name)}, {Amount: &amount},
			{Text: i.Amount.Currency()}, {Text: o.name(i.Account)}})
	}
	sections = append(sections, pages.ReportSection{Title: o.Say("What is coming"), Table: coming})
	for _, l := range lines {
		e := o.everyday(l, o.byAccount(l))
		sections = append(sections, pages.ReportSection{Title: e.Title, Table: e.Table, Notes: e.Says})
	}
	return o.DownloadTables(v.Writer, "florin-forecast-"+string(o.Today()), sections)
}

// Glance is what the first page tells of the forecast.
type Glance struct {
	Left     *pages.Left // nil when no regular income is known to come
	Warnings []ui.Notice
	Items    []core.Item // all that is known to come, by day
}

// Glance is what the first page tells of the forecast of the accounts of which it is.
func (a *Area) Glance(ctx context.Context, whose shell.Whose, c show.Clock) (Glance, error) {
	o, err := a.of(ctx, whose, c)
	if err != nil {
		return Glance{}, err
	}
	g := Glance{Warnings: o.warnings(""), Items: o.Items}
	if p, ok := o.Payday(); ok {
		g.Left = o.left(p)
	}
	return g, nil
}

// name is what an account is called, behind the address of its owner when it is not the person's own.
func (o outlook) name(id string) string {
	i := slices.IndexFunc(o.Holdings.Accounts, func(a finance.Account) bool { return a.ID == id })
	if i < 0 {
		return ""
	}
	return o.called(o.Holdings.Accounts[i])
}

func (o outlook) called(account finance.Account) string {
	if owner, theirs := o.owned[account.ID]; theirs {
		return owner.Email + " · " + o.AccountName(account)
	}
	return o.AccountName(account)
}

func (o outlook) names(accounts []finance.Account) string {
	var list []string
	for _, account := range accounts {
		list = append(list, o.called(account))
	}
	return o.List(list)
}

// flatNote names, on the page of all accounts, those of which only the balance is shared.
func (o outlook) flatNote(asked string) string {
	if asked != "" || len(o.Flat) == 0 {
		return ""
	}
	return o.Say("Only the balances of these accounts are shared with you, so they count as they are today: %s.", o.names(o.Flat))
}

// warnings say which accounts go below zero; only that of one account when it is given.
func (o outlook) warnings(account string) []ui.Notice {
	var all []ui.Notice
	for _, l := range o.Forecast.Accounts {
		if l.Below.Day == "" || account != "" && l.Account != account {
			continue
		}
		n := ui.Notice{Tone: ui.Warning, Title: o.Say("%s goes below zero on %s", o.name(l.Account), o.DayInFull(l.Below.Day)),
			Text: o.Say("If everything happens as expected, the balance will be %s then.", l.Below.Balance)}
		if l.Low != l.Below {
			n.Text = o.Say("If everything happens as expected, the balance will be %s then. The lowest balance is %s, on %s.", l.Below.Balance, l.Low.Balance, o.DayInFull(l.Low.Day))
		}
		if account == "" {
			n.Action = ui.Link{Text: o.Say("See the forecast"), Href: o.page(l.Account)}
		}
		all = append(all, n)
	}
	return all
}

func (o outlook) left(p core.Payday) *pages.Left {
	l, _ := o.Line(p.Account)
	account := o.page(p.Account)
	return &pages.Left{Day: ui.Link{Text: o.Heading(p.Day).Text, Href: show.ComingHref(p.Item)}, Amount: pages.Figure(p.Left.Balance),
		Account: ui.Link{Text: o.name(p.Account), Href: account},
		Known:   pages.Flow(p.Known), KnownHref: account + "#coming", Everyday: pages.Flow(p.Everyday), EverydayHref: account + "#everyday", EverydayIsNone: unknown(l.Everyday)}
}

// unknown reports whether everyday spending is unknown: there are neither past months nor a budget.
func unknown(e core.Everyday) bool { return e.Months == 0 && e.Budget.IsZero() }

// line draws a line.
func (o outlook) line(l core.Line) pages.ForecastLine {
	view := pages.ForecastLine{ID: "line-" + l.Currency(), Title: o.Say("All accounts in %s", l.Currency()), Says: o.Say("The lowest balance is %s, on %s.", l.Low.Balance, o.DayInFull(l.Low.Day))}
	if l.Account != "" {
		view.Title = o.name(l.Account)
	}
	if l.Low.Day == o.Today() {
		view.Says = o.Say("The balance stays above today’s: %s.", l.Low.Balance)
	}
	chart := charts.Line{Title: o.Say("Balance in the next %d days, in %s", core.Days, l.Currency()), Value: o.Say("Balance"), Ahead: core.Days}
	items := 0
	for i, p := range l.Points {
		day, err := p.Day.Time()
		if err != nil {
			continue
		}
		point := charts.Point{Name: o.Language.Day(day, day.Year() != o.Now.Year()), Value: p.Balance}
		if i == 0 || day.Day() == 1 {
			point.Mark = o.BriefMonth(day)
		}
		if i == 0 {
			point.Mark = o.Say("Today")
		}
		if p == l.Low {
			point.Label = o.Say("Lowest: %s", o.Language.Brief(p.Balance))
		}
		for came := items; items < len(l.Items) && l.Items[items].Day <= p.Day; items++ {
			if items == came {
				point.Href = "#day-" + string(p.Day)
			}
		}
		chart.Points = append(chart.Points, point)
	}
	view.Chart = chart
	return view
}

// everyday says what the everyday spending of a line is.
func (o outlook) everyday(l core.Line, table pages.ReportTable) pages.ForecastEveryday {
	e := pages.ForecastEveryday{Title: o.Say("Everyday spending, in %s", l.Currency()), Table: table}
	month := l.Everyday.Month
	switch {
	case unknown(l.Everyday):
		e.Says = []string{o.Say("Florin does not know your everyday spending yet. It needs a whole month of transactions.")}
		return e
	case month.Sign() > 0:
		e.Says = []string{o.Say("Apart from regular payments, about %s more comes in each month than goes out.", month)}
	default:
		e.Says = []string{o.Say("Apart from regular payments, about %s goes out each month.", month.Abs())}
	}
	if !l.Everyday.Budget.IsZero() {
		e.Says = append(e.Says, o.Say("%s of this comes from your budgets.", l.Everyday.Budget.Abs()))
	}
	switch {
	case l.Everyday.Months >= core.TrimmedFrom:
		e.Says = append(e.Says, o.Say("This is the average of the last %d months of each account, without the highest and the lowest month. Florin spreads it evenly over the days.", l.Everyday.Months))
	case l.Everyday.Months > 0:
		e.Says = append(e.Says, o.Say("This is the average of the last %d months of each account. Florin spreads it evenly over the days.", l.Everyday.Months))
	}
	return e
}

// off says how good the forecasts of a line were.
func (o outlook) off(l core.Line, past map[string][]core.Past) string {
	var all []core.Past
	for _, account := range o.Forecast.Accounts {
		if account.Currency() == l.Currency() && (l.Account == "" || l.Account == account.Account) {
			all = append(all, past[account.Account]...)
		}
	}
	median, count, ok := core.Off(all)
	if !ok {
		return o.Say("In %s: not known yet. Florin compares a forecast with the balance %d days later, and needs five such days.", l.Currency(), core.PastAhead)
	}
	return o.Say("In %s: of %d forecasts, half were off by %s or less after %d days.", l.Currency(), count, median, core.PastAhead)
}

// byAccount is the everyday spending of each account of a line.
func (o outlook) byAccount(total core.Line) pages.ReportTable {
	t := pages.ReportTable{Head: []string{o.Say("Account"), o.Say("Everyday spending in a month")}}
	for _, l := range o.Forecast.Accounts {
		if l.Currency() != total.Currency() || o.flat(l.Account) || total.Account != "" && l.Account != total.Account {
			continue
		}
		href, month := o.page(l.Account)+"#everyday", pages.Flow(l.Everyday.Month)
		t.Rows = append(t.Rows, []pages.ReportCell{{Text: o.name(l.Account), Href: o.page(l.Account)}, {Amount: &month, Href: href}})
	}
	return t
}

// months are the months of an account from which its everyday spending is estimated.
func (o outlook) months(l core.Line, names show.Names) pages.ReportTable {
	t := pages.ReportTable{Head: []string{o.Say("Month"), o.Say("Money in"), o.Say("Money out"), o.Say("Recurring"), o.Say("Everyday")}}
	for _, m := range slices.Backward(o.Past[l.Account]) {
		first, err := m.Month.Time()
		if err != nil {
			continue
		}
		facts := search.Facts{Accounts: []string{l.Account}, Period: search.Period{From: m.Month, To: lastOf(first)}}
		row := []pages.ReportCell{{Text: o.Month(first), Href: names.Link(facts)}}
		for _, cell := range []struct {
			of   money.Amount
			flow search.Mark
			href string
		}{{of: m.In, flow: search.MarkIn}, {of: m.Out, flow: search.MarkOut},
			{of: m.Known, href: paths.ByWhose(paths.Recurring, o.whose.Asked)}, {of: m.Rest}} {
			amount := pages.Flow(cell.of)
			one := pages.ReportCell{Amount: &amount, Href: cell.href}
			if cell.flow != "" {
				facts.Flow = cell.flow
				one.Href = names.Link(facts)
			}
			row = append(row, one)
		}
		t.Rows = append(t.Rows, row)
	}
	if len(t.Rows) == 0 {
		return pages.ReportTable{}
	}
	return t
}

// without says which accounts have no forecast.
func (o outlook) without() string {
	if len(o.Without) == 0 {
		return ""
	}
	return o.Say("There is no forecast for %s, because no balance is known.", o.names(o.Without))
}

// lastOf is the last day of a month.
func lastOf(first time.Time) openbanking.Date { return openbanking.DateOf(first.AddDate(0, 1, -1)) }
