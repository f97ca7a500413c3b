package calendar

import (
	"cmp"
	"context"
	"strings"
	"time"

	"florin/internal/calendar"
	"florin/internal/finance"
	"florin/internal/forecast"
	"florin/internal/handlers/show"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/web/templates/words"
)

const (
	// ahead is how many days of payments and income a calendar holds. Ends of consents are in it whenever they are.
	ahead = 180
	// past is how many days the end of a consent stays in it.
	past = 30
	// maxName is how many characters of a name an event holds.
	maxName = 100
)

// entries returns the events of a calendar by day, and how many were left out because there are too many.
func (a *Area) entries(ctx context.Context, c finance.Calendar, clock show.Clock) (entries []calendar.Entry, left int, err error) {
	items, err := a.Store.Coming(ctx, c.UserID, clock.Now, ahead)
	if err != nil {
		return nil, 0, err
	}
	connections, err := a.Store.Connections(ctx, c.UserID)
	if err != nil {
		return nil, 0, err
	}
	w := writer{Clock: clock, wants: c, public: a.PublicURL.String()}
	for _, i := range together(items) {
		if !i.Undated { // it would be on another day each day
			entries = append(entries, w.coming(i))
		}
	}
	for _, connection := range connections {
		if e, ends := w.consent(connection); ends {
			entries = append(entries, e)
		}
	}
	entries, left = calendar.Cut(entries)
	if left > 0 {
		last := entries[len(entries)-1].Day
		entries = append(entries, calendar.Entry{Of: "rest", Day: last, Slack: calendar.Always, Title: clock.Say("%d more events are not in this calendar", left),
			Text: clock.Say("A calendar holds %d events at most. Florin shows all that is to come.", calendar.Most)})
	}
	return entries, left, nil
}

// several is one event made of several items: the transfers of one payment on one day.
type several struct {
	forecast.Item
	count int
	mixed bool // in several currencies, or too much for a sum
}

// together puts the transfers of one payment on one day together. Items of a series stand for themselves.
func together(items []forecast.Item) []several {
	type place struct {
		payment string
		day     openbanking.Date
	}
	at := map[place]int{}
	var all []several
	for _, i := range items {
		p := place{i.Payment, i.Day}
		k, again := at[p]
		if i.Payment == "" || !again {
			at[p] = len(all)
			all = append(all, several{Item: i, count: 1})
			continue
		}
		s := &all[k]
		s.count++
		sum, err := money.Sum(s.Amount, i.Amount)
		if err != nil || len(sum) != 1 {
			s.mixed = true
			continue
		}
		s.Amount = sum[0]
	}
	return all
}

// writer words events for a person.
type writer struct {
	show.Clock

	wants  finance.Calendar
	public string // of links
}

// coming is what is known to come on a day.
func (w writer) coming(i several) calendar.Entry {
	e := calendar.Entry{Of: "payment " + i.Payment, Day: i.Due, Slack: calendar.Always, Link: w.public + show.ComingHref(i.Item)}
	kind, note := words.Text("Payment that you ordered"), ""
	switch {
	case i.Series != "":
		e.Of, e.Slack, note = "series "+i.Series, calendar.Slack(i.Every), w.Often(i.Every)
		kind = "Debit expected"
		if i.Transfer {
			kind = "Transfer between your accounts expected"
		} else if i.Amount.Sign() > 0 {
			kind = "Income expected"
		}
	case i.Handed:
		kind, note = "Payment to send in your bank's app", w.Say("Florin sends nothing. Send it in the app of your bank, unless you have.")
	case i.Standing:
		kind, e.Slack = "Your standing order", 0
	}
	var parts []string
	if w.wants.Amounts && !i.mixed {
		parts = append(parts, w.Money(i.Amount.Abs()))
	}
	if i.count > 1 {
		parts = append(parts, w.Say("%d transfers", i.count))
	} else if w.wants.Names {
		parts = append(parts, cut(w.TransactionName(finance.Clean(i.Name))))
	}
	e.Title = w.title(kind, parts)
	if w.wants.Amounts && i.Low.Currency() != "" {
		note += "\n" + w.Say("%s to %s", w.Money(i.Low.Abs()), w.Money(i.High.Abs()))
	}
	if note != "" {
		note += "\n"
	}
	e.Text = note + w.Say("More about it: %s", e.Link)
	return e
}

// consent is the end of a consent; false for one that says nothing of when it ends, or ended long ago.
func (w writer) consent(c finance.Connection) (e calendar.Entry, ends bool) {
	day := openbanking.Date(c.ValidUntil.In(w.Now.Location()).Format(time.DateOnly))
	if c.Status != finance.ConnectionActive && c.Status != finance.ConnectionExpired || day < w.DayFromNow(-past) {
		return e, false
	}
	e = calendar.Entry{Of: "consent " + c.ID, Day: day, Slack: calendar.Always, Link: w.public + show.ConnectionPath(c)}
	var parts []string
	if w.wants.Names {
		e.Link = w.public + show.AgainPath(c) // which names the bank
		parts = append(parts, cut(cmp.Or(finance.Clean(c.Nickname), show.BankName(c.ASPSP.Name))))
	}
	e.Title = w.title("Consent at a bank ends", parts)
	e.Text = w.Say("After that Florin gets no new transactions from the bank.") + "\n" + w.Say("Renew it here: %s", e.Link)
	return e, true
}

// title is what kind of event it is, and what the person wants to read of it.
func (w writer) title(kind words.Text, parts []string) string {
	if len(parts) == 0 {
		return w.Say(kind)
	}
	return w.Say(kind) + ": " + strings.Join(parts, ", ")
}

// cut is the beginning of a name that is too long.
func cut(name string) string {
	if runes := []rune(name); len(runes) > maxName {
		return string(runes[:maxName-1]) + "…"
	}
	return name
}
