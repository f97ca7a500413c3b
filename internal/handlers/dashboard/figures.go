package dashboard

import (
	"cmp"
	"maps"
	"slices"
	"time"

	geometry "florin/internal/charts"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/search"
	"florin/internal/store"
	"florin/web/templates/charts"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// How much of the past the cards show.
const (
	monthsBefore = 3  // beside a month
	flowMonths   = 6  // of money in and out
	historyWeeks = 26 // of the balance
	mostMoneys   = 3  // currencies, each with a chart of its own
	mostNamed    = 6  // categories that are named
)

// spending is the money that came in and went out in one currency. A figure is below zero only when refunds exceed it.
type spending struct {
	in, out    money.Amount
	rows       int
	byCategory map[string]money.Amount // what went out
}

// spendings are those of a period, by currency.
type spendings map[string]*spending

// of returns the figures in a currency, all zero when there are none.
func (s spendings) of(currency string) *spending {
	if s[currency] == nil {
		none := money.FromMinor(0, currency)
		s[currency] = &spending{in: none, out: none, byCategory: map[string]money.Amount{}}
	}
	return s[currency]
}

// currencies are those of some periods, the one with the most rows first.
func currencies(periods ...spendings) []string {
	rows := map[string]int{}
	for _, period := range periods {
		for currency, s := range period {
			rows[currency] += s.rows
		}
	}
	list := slices.Sorted(maps.Keys(rows))
	slices.SortStableFunc(list, func(x, y string) int { return cmp.Compare(rows[y], rows[x]) })
	return list
}

// months reads what came in and went out in a period, by month. Currencies in which a sum is more than an amount can hold are too large, and left out of their
// months.
func (l *ledger) months(in search.Period) (byMonth map[openbanking.Date]spendings, tooLarge map[string]bool, err error) {
	sums, err := l.whose.MonthSums(l.v.Ctx(), in)
	if err != nil {
		return nil, nil, err
	}
	byMonth, tooLarge = map[openbanking.Date]spendings{}, map[string]bool{}
	for _, sum := range sums {
		if byMonth[sum.Day] == nil {
			byMonth[sum.Day] = spendings{}
		}
		category := ""
		if own, known := l.book.Of(sum.Category); known {
			category = own.ID
		}
		if !byMonth[sum.Day].of(sum.In.Currency()).add(category, sum) {
			tooLarge[sum.In.Currency()] = true
		}
	}
	for _, month := range byMonth {
		maps.DeleteFunc(month, func(currency string, _ *spending) bool { return tooLarge[currency] })
	}
	return byMonth, tooLarge, nil
}

// add adds a sum; false when no amount is so large.
func (s *spending) add(category string, sum store.Sum) bool {
	before, known := s.byCategory[category]
	if !known {
		before = money.FromMinor(0, sum.Out.Currency())
	}
	in, errIn := s.in.Add(sum.In)
	out, errOut := s.out.Sub(sum.Out)
	of, errOf := before.Sub(sum.Out)
	if errIn != nil || errOut != nil || errOf != nil {
		return false
	}
	s.in, s.out, s.rows = in, out, s.rows+sum.InRows+sum.OutRows
	if sum.OutRows > 0 {
		s.byCategory[category] = of
	}
	return true
}

// tooLargeNote says that figures are left out.
func (l *ledger) tooLargeNote() string {
	return l.clock.Say("Some sums are too large to be shown. They are left out.")
}

// span is a month, or its days until one of them.
type span struct {
	search.Period
	first time.Time
	name  string // "October 2026", "Until 22 October"
}

// span returns the month that lies so many months after first, up to the day until; 0 for the whole month.
func (l *ledger) span(first time.Time, months, until int) span {
	first = first.AddDate(0, months, 0)
	last := first.AddDate(0, 1, -1)
	s := span{first: first, name: l.clock.Month(first)}
	if until > 0 && until < last.Day() {
		last = first.AddDate(0, 0, until-1)
	}
	if until > 0 {
		s.name = l.clock.Say("Until %s", l.clock.Language.Day(last, false))
	}
	s.Period = search.Period{From: openbanking.DateOf(first), To: openbanking.DateOf(last)}
	return s
}

// shown is the first day of the month that is asked for, "2026-10", and until which of its days it is shown: 0 is the whole month. It is the month of today
// where no earlier one is asked for.
func shown(asked string, today time.Time) (first time.Time, until int) {
	this := time.Date(today.Year(), today.Month(), 1, 0, 0, 0, 0, time.UTC)
	if t, err := time.Parse("2006-01", asked); err == nil && t.Before(this) && t.Year() > 1900 {
		return t, 0
	}
	return this, today.Day()
}

// month is the card of a month, "2026-10", else of this one: what was spent, beside the months before until the same day. nil when there is nothing.
func (l *ledger) month(asked string) (*pages.MonthCard, error) {
	first, until := shown(asked, l.clock.Now)
	var spans []span
	var spent []spendings
	tooLarge := map[string]bool{}
	for i := range monthsBefore + 1 {
		s := l.span(first, -i, until)
		byMonth, beyond, err := l.months(s.Period)
		if err != nil {
			return nil, err
		}
		maps.Copy(tooLarge, beyond)
		found := byMonth[s.From]
		if found == nil {
			found = spendings{}
		}
		spans, spent = append(spans, s), append(spent, found)
	}
	c := l.clock
	card := &pages.MonthCard{Title: c.Month(first), Earlier: l.turned(spans[1].first)}
	for currency := range tooLarge {
		for _, month := range spent {
			delete(month, currency)
		}
		card.Note = l.tooLargeNote()
	}
	if until > 0 {
		card.Title = c.Say("%s so far", c.Month(first))
	} else if later := first.AddDate(0, 1, 0); openbanking.DateOf(later)[:len("2006-01")] < l.clock.Today()[:len("2006-01")] {
		card.Later = l.turned(later)
	} else {
		card.Later = paths.ByWhose(paths.Accounts+"#month", l.whose.Asked)
	}
	list := currencies(spent...)
	if len(list) == 0 {
		if card.Note != "" {
			return card, nil
		}
		if until > 0 {
			return nil, nil
		}
		list = []string{"EUR"}
	}
	now, before := spent[0].of(list[0]), spent[1].of(list[0])
	card.Says = l.compared(spans, now, before, until > 0)
	card.Months = charts.Bars{Title: card.Title, Name: c.Say("Month"), Now: c.Say("Spent")}
	for i, s := range spans {
		card.Months.Rows = append(card.Months.Rows, charts.Bar{Name: s.name, Now: spent[i].of(list[0]).out,
			Href: l.names.Link(search.Facts{Period: s.Period, Flow: search.MarkOut})})
	}
	if !now.in.IsZero() {
		in := pages.Flow(now.in)
		card.Income, card.IncomeHref = &in, l.names.Link(search.Facts{Period: spans[0].Period, Flow: search.MarkIn})
	}
	for _, other := range list[1:] {
		if out := spent[0].of(other).out; !out.IsZero() {
			card.Others = append(card.Others, ui.Link{Text: c.Money(out), Href: card.Months.Rows[0].Href})
		}
	}
	card.Categories = l.categories(spans[0], spans[1], now, before)
	return card, nil
}

// compared says what was spent, and how much more or less than in the month before.
func (l *ledger) compared(spans []span, now, before *spending, soFar bool) string {
	diff, err := now.out.Sub(before.out)
	if err != nil || now.out.IsZero() || before.out.IsZero() {
		return ""
	}
	until := l.clock.Language.Day(spans[1].last(), false)
	switch {
	case soFar && diff.Sign() < 0:
		return l.clock.Say("You have spent %s. That is %s less than you had spent by %s.", now.out, diff.Abs(), until)
	case soFar && diff.Sign() > 0:
		return l.clock.Say("You have spent %s. That is %s more than you had spent by %s.", now.out, diff, until)
	case diff.Sign() < 0:
		return l.clock.Say("You spent %s. That is %s less than the month before.", now.out, diff.Abs())
	case diff.Sign() > 0:
		return l.clock.Say("You spent %s. That is %s more than the month before.", now.out, diff)
	}
	return l.clock.Say("You have spent as much as the month before.")
}

func (s span) last() time.Time {
	last, err := s.To.Time()
	if err != nil {
		return s.first
	}
	return last
}

// rows returns the address of the transactions behind a figure. When they have too many categories for a search, it is that of the report by category.
func (l *ledger) rows(f search.Facts) string {
	return cmp.Or(l.names.Link(f), paths.ByWhose(paths.CategoriesIn(string(f.From), string(f.To)), l.whose.Asked))
}

// turned is the address of the page with the card of another month.
func (l *ledger) turned(first time.Time) string {
	return paths.ByWhose(paths.Month(first.Format("2006-01")), l.whose.Asked)
}

// categories compares what was spent by category in two periods; nil when nothing was.
func (l *ledger) categories(now, before span, spent, then *spending) *charts.Bars {
	ids := slices.Sorted(maps.Keys(spent.byCategory))
	for _, id := range slices.Sorted(maps.Keys(then.byCategory)) {
		if _, there := spent.byCategory[id]; !there {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	none := money.FromMinor(0, spent.out.Currency())
	amount := func(s *spending, id string) money.Amount {
		if a, there := s.byCategory[id]; there {
			return a
		}
		return none
	}
	c := l.clock
	bars := &charts.Bars{Title: c.Say("Spending by category"), Name: c.Say("Category"), Now: c.Month(now.first), Then: c.Month(before.first)}
	bar := func(name string, f search.Facts, value, old money.Amount) charts.Bar {
		f.Flow, f.Period = search.MarkOut, now.Period
		b := charts.Bar{Name: name, Href: l.rows(f), Now: value, Then: old}
		f.Period = before.Period
		b.ThenHref = l.rows(f)
		return b
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return id == "" })
	named, rest := geometry.Largest(ids, mostNamed, func(id string) int64 { return amount(spent, id).Minor() })
	for _, id := range named {
		own, _ := l.book.Of(id)
		bars.Rows = append(bars.Rows, bar(c.Category(own), search.Facts{Categories: []string{id}}, amount(spent, id), amount(then, id)))
	}
	if a, b := amount(spent, ""), amount(then, ""); !a.IsZero() || !b.IsZero() {
		bars.Rows = append(bars.Rows, bar(c.Say("No category"), search.Facts{Uncategorised: true}, a, b))
	}
	if len(rest) > 0 {
		value, old := none, none
		for _, id := range rest {
			var err, err2 error
			value, err = value.Add(amount(spent, id))
			old, err2 = old.Add(amount(then, id))
			if err != nil || err2 != nil {
				return bars
			}
		}
		others := bar(c.Say("%d other categories", len(rest)), search.Facts{Categories: rest}, value, old)
		bars.Rows = append(bars.Rows, others)
	}
	return bars
}

// flow is the card of money in and out in the last months; nil when there is none.
func (l *ledger) flow() (*pages.FlowCard, error) {
	today := l.clock.Now
	first := time.Date(today.Year(), today.Month()-flowMonths+1, 1, 0, 0, 0, 0, time.UTC)
	byMonth, tooLarge, err := l.months(search.Period{From: openbanking.DateOf(first), To: openbanking.DateOf(first.AddDate(0, flowMonths, -1))})
	if err != nil || len(byMonth) == 0 {
		return nil, err
	}
	card := &pages.FlowCard{}
	if len(tooLarge) > 0 {
		card.Note = l.tooLargeNote()
	}
	list := currencies(slices.Collect(maps.Values(byMonth))...)
	for _, currency := range list[:min(len(list), mostMoneys)] {
		flow := charts.CashFlow{Title: l.clock.Say("Money in and out, in %s", currency)}
		for i := range flowMonths {
			s := l.span(first, i, 0)
			spent := spendings{}
			if found := byMonth[s.From]; found != nil {
				spent = found
			}
			one := spent.of(currency)
			flow.Steps = append(flow.Steps, charts.Step{Name: s.name, Mark: l.clock.BriefMonth(s.first), In: one.in, Out: one.out,
				Href:    l.names.Link(search.Facts{Period: s.Period}),
				InHref:  l.names.Link(search.Facts{Period: s.Period, Flow: search.MarkIn}),
				OutHref: l.names.Link(search.Facts{Period: s.Period, Flow: search.MarkOut})})
		}
		card.Flows = append(card.Flows, flow)
	}
	return card, nil
}

// history is the card of the balance in the last weeks, with its range in each; nil when no balance is known.
func (l *ledger) history() (*pages.BalanceCard, error) {
	const days = 7 * historyWeeks
	in := search.Period{From: l.clock.DayFromNow(1 - days), To: l.clock.Today()}
	first, err := in.From.Time()
	if err != nil {
		return nil, err
	}
	sums, accounts := map[string]*[days]money.Amount{}, map[string]int{}
	tooLarge := map[string]bool{}
	var late []string // accounts of which nothing is known at first
	for _, account := range l.seen.Accounts {
		balances, err := l.whose.DayBalances(l.v.Ctx(), account.ID, in)
		if err != nil {
			return nil, err
		}
		if len(balances) == 0 {
			continue
		}
		currency := balances[0].Balance.Currency()
		if sums[currency] == nil {
			sums[currency] = new([days]money.Amount)
		}
		accounts[currency]++
		if balances[0].Day > in.From {
			late = append(late, l.clock.AccountName(account))
		}
		for _, b := range balances {
			day, err := b.Day.Time()
			at := int(day.Sub(first) / (24 * time.Hour))
			if err != nil || at < 0 || at >= days {
				continue
			}
			sum := &sums[currency][at]
			if sum.Currency() == "" {
				*sum = b.Balance
			} else if more, err := sum.Add(b.Balance); err != nil {
				tooLarge[currency] = true
			} else {
				*sum = more
			}
		}
	}
	if len(sums) == 0 {
		return nil, nil
	}
	card := &pages.BalanceCard{}
	if len(tooLarge) > 0 {
		maps.DeleteFunc(sums, func(currency string, _ *[days]money.Amount) bool { return tooLarge[currency] })
		card.Note = l.tooLargeNote()
	}
	list := slices.Sorted(maps.Keys(sums))
	slices.SortStableFunc(list, func(x, y string) int { return cmp.Compare(accounts[y], accounts[x]) })
	for _, currency := range list[:min(len(list), mostMoneys)] {
		card.Lines = append(card.Lines, l.weeks(first, currency, sums[currency][:]))
	}
	if len(late) > 0 && len(late) < len(l.seen.Accounts) && card.Note == "" {
		card.Note = l.clock.Say("Florin does not know all transactions of this period for %s.", l.clock.List(late))
	}
	return card, nil
}

// weeks is the line of what was on accounts day by day, in weeks that end today.
func (l *ledger) weeks(first time.Time, currency string, days []money.Amount) charts.Line {
	line := charts.Line{Title: l.clock.Say("Balance, in %s", currency), Value: l.clock.Say("Balance")}
	for week := range len(days) / 7 {
		begin := first.AddDate(0, 0, 7*week)
		end := begin.AddDate(0, 0, 6)
		p := charts.Point{Name: l.clock.Language.Day(end, end.Year() != l.clock.Now.Year()),
			Href: paths.ByWhose(paths.Search("after:"+begin.Format(time.DateOnly)+" before:"+end.AddDate(0, 0, 1).Format(time.DateOnly)), l.whose.Asked)}
		if begin.Month() != end.AddDate(0, 0, 1).Month() || begin.Day() == 1 {
			p.Mark = l.clock.BriefMonth(end.AddDate(0, 0, 1))
		}
		for _, a := range days[7*week : 7*week+7] {
			if a.Currency() == "" {
				continue
			}
			if p.Value = a; p.Low.Currency() == "" || a.Minor() < p.Low.Minor() {
				p.Low = a
			}
			if p.High.Currency() == "" || a.Minor() > p.High.Minor() {
				p.High = a
			}
		}
		line.Points = append(line.Points, p)
	}
	return line
}
