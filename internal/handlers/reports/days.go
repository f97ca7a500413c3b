package reports

import (
	"maps"
	"slices"

	geometry "florin/internal/charts"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/search"
	"florin/web/templates/charts"
	"florin/web/templates/pages"
)

// maxCalendars is how many months are shown day by day, the last ones of the period.
const maxCalendars = 3

// daySections are the last months of the period as calendars of what was spent, the newest first.
func (r *report) daySections() ([]pages.ReportSection, error) {
	months := monthsOf(r.Period)
	months = months[max(0, len(months)-maxCalendars):]
	if len(months) == 0 {
		return nil, nil
	}
	days, err := r.days(search.Period{From: months[0].From, To: r.To})
	if err != nil {
		return nil, err
	}
	wholes, err := r.wholes()
	if err != nil {
		return nil, err
	}
	var sections []pages.ReportSection
	for _, currency := range r.currencies(slices.Collect(maps.Values(days))...) {
		sections = append(sections, r.compared(currency, wholes))
		for _, month := range slices.Backward(months) {
			section, err := r.calendar(month, currency, days)
			if err != nil {
				return nil, err
			}
			sections = append(sections, section)
		}
	}
	return sections, nil
}

// days are the figures of a period by day; a day without any is left out.
func (r *report) days(in search.Period) (map[openbanking.Date]flows, error) {
	days := map[openbanking.Date]flows{}
	if r.byRows() {
		return days, eachDay(in, func(day openbanking.Date) error {
			f, err := r.totals(r.facts(search.Period{From: day, To: day}))
			if len(f) > 0 {
				days[day] = f
			}
			return err
		})
	}
	read := r.whose.DaySums
	if len(r.keys) > 0 {
		read = r.whose.PayeeDaySums
	}
	list, err := read(r.v.Ctx(), in)
	if err != nil {
		return nil, err
	}
	for _, s := range list {
		if !r.counts(s) {
			continue
		}
		if days[s.Day] == nil {
			days[s.Day] = flows{}
		}
		r.large = !days[s.Day].add(s.In, s.Out) || r.large
	}
	return days, nil
}

// calendar is a month, or a part of one, as a calendar of what was spent, with a table of its days.
func (r *report) calendar(month search.Period, currency string, days map[openbanking.Date]flows) (pages.ReportSection, error) {
	say := r.c.Say
	first, err := month.From.Time()
	if err != nil {
		return pages.ReportSection{}, err
	}
	title := say("%s, day by day, in %s", r.month(month.From, false), currency)
	chart := charts.Calendar{Title: title}
	table := pages.ReportTable{Head: []string{say("Day"), say("Money in"), say("Money out"), say("Net")}}
	var shown [32]charts.Day // by their numbers
	var spent [32]int64
	err = eachDay(month, func(day openbanking.Date) error {
		at, err := day.Time()
		if err != nil {
			return err
		}
		n := at.Day()
		facts := r.facts(search.Period{From: day, To: day})
		shown[n] = charts.Day{Number: n, Name: r.day(day), Today: day == r.c.Today(), Amount: money.FromMinor(0, currency)}
		f, ok := days[day][currency]
		if !ok {
			return nil
		}
		if out := f.out.Neg(); !out.IsZero() {
			shown[n].Amount, shown[n].Href, spent[n] = out, r.Link(toward(facts, search.MarkOut)), out.Minor()
		}
		table.Rows = append(table.Rows, append([]pages.ReportCell{text(r.day(day))}, r.inOutNet(f, facts)...))
		return nil
	})
	if err != nil {
		return pages.ReportSection{}, err
	}
	levels := geometry.Levels(spent[:])
	for _, numbers := range geometry.Weeks(first.Year(), first.Month()) {
		var week [7]charts.Day
		for i, n := range numbers {
			if n == 0 {
				continue
			}
			week[i] = shown[n]
			week[i].Level = levels[n]
			if week[i].Number == 0 { // not in the period
				week[i] = charts.Day{Number: n, Ahead: true}
			}
		}
		chart.Weeks = append(chart.Weeks, week)
	}
	return pages.ReportSection{ID: "days-" + currency + "-" + string(month.From[:len("2006-01")]), Title: title, Chart: charts.Calendars(chart), Table: table}, nil
}

// eachDay does something with each day of a period, in their order.
func eachDay(in search.Period, do func(day openbanking.Date) error) error {
	for day := in.From; day <= in.To; {
		if err := do(day); err != nil {
			return err
		}
		at, err := day.Time()
		if err != nil {
			return err
		}
		day = openbanking.DateOf(at.AddDate(0, 0, 1))
	}
	return nil
}
