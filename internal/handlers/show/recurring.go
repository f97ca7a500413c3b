package show

import (
	"florin/internal/forecast"
	"florin/internal/openbanking"
	"florin/internal/recurring"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// Often returns a rhythm for the beginning of a sentence: "Every month".
func (c Clock) Often(code openbanking.FrequencyCode) string {
	return c.Say(rhythms[code][0])
}

// SeriesNote returns how often a series comes and when next: "Every month, next on 3 October".
func (c Clock) SeriesNote(k recurring.Kept) string {
	often := c.Often(k.Every)
	switch s := k.On(c.Today()); {
	case s.Next == "":
		return c.Say("%s, last on %s", often, c.Day(k.Last).Text)
	case s.Next < c.Today():
		return c.Say("%s, expected on %s", often, c.Day(s.Next).Text)
	default:
		return c.Say("%s, next on %s", often, c.Day(s.Next).Text)
	}
}

// newPriceDays is for how many days a new price is marked.
const newPriceDays = 365

// SeriesMarks returns the marks of a series: that it is new, has a new price, lacks a transaction, or what the person has decided.
func (c Clock) SeriesMarks(k recurring.Kept) []ui.Badge {
	var marks []ui.Badge
	s := k.On(c.Today())
	if k.Choice == recurring.Confirmed {
		marks = append(marks, ui.Badge{Tone: ui.Good, Text: c.Say("Confirmed by you")})
	} else if s.State == recurring.Early {
		marks = append(marks, ui.Badge{Tone: ui.Info, Text: c.Say("New: two transactions so far")})
	}
	if at, err := k.Since.Time(); err == nil && s.State != recurring.Ended && c.DaysAgo(at) < newPriceDays {
		text, tone := words.Text("%s until %s: now higher"), ui.Warning
		if !k.Rose() {
			text, tone = "%s until %s: now lower", ui.Good
		}
		if k.Usual.Sign() > 0 {
			tone = ui.Info
		}
		marks = append(marks, ui.Badge{Tone: tone, Text: c.Say(text, k.Was.Abs(), c.Day(k.Since).Text)})
	}
	if s.Missed != "" {
		marks = append(marks, ui.Badge{Tone: ui.Warning, Text: c.Say("Missing: expected on %s", c.Day(s.Missed).Text)})
	}
	return marks
}

// SeriesRow returns a series as a row of a list, with its account when there are several.
func (c Clock) SeriesRow(k recurring.Kept, places Places) pages.RecurringRow {
	row := pages.RecurringRow{Href: paths.RecurringSeries(k.ID), Name: c.TransactionName(k.Title),
		Note: places.after(owned(k.Owner, c.SeriesNote(k)), k.Account), Amount: pages.Flow(k.Usual), Marks: c.SeriesMarks(k)}
	if !k.Steady && k.Low != k.High {
		row.Range = c.SeriesRange(k)
	}
	return row
}

// SeriesRange returns the range of a series' amounts: "60.00 EUR to 90.00 EUR".
func (c Clock) SeriesRange(k recurring.Kept) string {
	return c.Say("%s to %s", c.Money(k.Low.Abs()), c.Money(k.High.Abs()))
}

// Coming lists expected items by day, with their accounts when there are several.
func (c Clock) Coming(items []forecast.Item, places Places) (days []pages.ComingDay) {
	for i, item := range items {
		if i == 0 || item.Day != items[i-1].Day {
			days = append(days, pages.ComingDay{Date: c.Heading(item.Day)})
		}
		last := &days[len(days)-1]
		row := c.comingRow(item)
		row.Note = places.after(row.Note, item.Account)
		last.Rows = append(last.Rows, row)
	}
	return days
}

func (c Clock) comingRow(i forecast.Item) pages.RecurringRow {
	row := pages.RecurringRow{Href: ComingHref(i), Name: c.TransactionName(i.Name), Note: c.Say("A payment that you ordered"), Amount: pages.Flow(i.Amount)}
	switch {
	case i.Series != "" && i.Due < i.Day:
		row.Note = owned(i.Owner, c.Say("Expected on %s", c.Day(i.Due).Text))
	case i.Series != "":
		row.Note = owned(i.Owner, c.Often(i.Every))
	case i.Owner != "":
		row.Note = c.orderedBy(i)
	case i.Standing:
		row.Note = c.Say("Your standing order")
	}
	if i.Low.Currency() != "" {
		row.Range = c.Say("%s to %s", c.Money(i.Low.Abs()), c.Money(i.High.Abs()))
	}
	return row
}

// owned returns a note preceded by the owner; the note itself when owner is "".
func owned(owner, note string) string {
	if owner == "" {
		return note
	}
	return owner + " · " + note
}

// orderedBy returns which other person has ordered a payment.
func (c Clock) orderedBy(i forecast.Item) string {
	if i.Standing {
		return c.Say("Standing order of %s", i.Owner)
	}
	return c.Say("A payment of %s", i.Owner)
}

// ComingHref returns the address of the series or payment behind an expected item. It is "" for a payment of somebody else, which only its owner can open.
func ComingHref(i forecast.Item) string {
	switch {
	case i.Payment != "" && i.Owner != "":
		return ""
	case i.Payment != "":
		return paths.Payment(i.Payment)
	}
	return paths.RecurringSeries(i.Series)
}

// ComingTitle returns what comes on a day, in a line: "Tomorrow: 12.00 EUR to Jan".
func (c Clock) ComingTitle(day openbanking.Date, what any) string {
	switch tomorrow := c.DayFromNow(1); day {
	case c.Today():
		return c.Say("Today: %s", what)
	case tomorrow:
		return c.Say("Tomorrow: %s", what)
	}
	at, err := day.Time()
	if err != nil {
		return string(day)
	}
	return c.Say("%s: %s", c.WeekdayOf(at, false), what)
}

// ComingLine returns an expected item of a series, or of somebody else's payment, as a line of the first page.
func (c Clock) ComingLine(i forecast.Item) pages.ComingRow {
	text := words.Text("%s to %s")
	if i.Amount.Sign() > 0 {
		text = "%s from %s"
	}
	row := pages.ComingRow{Href: ComingHref(i), Title: c.ComingTitle(i.Day, words.Msg(text, i.Amount.Abs(), c.TransactionName(i.Name)))}
	switch {
	case i.Series != "" && i.Due < i.Day:
		row.Note = owned(i.Owner, c.Say("Expected on %s", c.Day(i.Due).Text))
	case i.Series == "":
		row.Note = c.orderedBy(i)
	default:
		row.Note = i.Owner
	}
	return row
}
