package calendar

import (
	"errors"
	"net/http"
	"time"

	"florin/internal/calendar"
	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/middleware"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

func (a *Area) page(v *shell.Visitor) error { return a.show(v, "") }

// show is the page, with the address that was just made; "" for none.
func (a *Area) show(v *shell.Visitor, address string) error {
	clock := a.At(v.Ctx(), time.Now())
	view := pages.CalendarView{Address: address}
	c, err := a.Store.Calendar(v.Ctx(), v.User.ID)
	switch {
	case errors.Is(err, finance.ErrNotFound):
		c.UserID = v.User.ID
	case err != nil:
		return err
	default:
		view.Made, view.Asked = v.Say("This address was made %s.", clock.When(c.Created)), v.Say("No calendar program has read it yet.")
		if !c.Asked.IsZero() {
			view.Asked = v.Say("A calendar program last read it %s.", clock.When(c.Asked))
		}
		view.TooOften = a.tooOften(c.UserID, clock.Now)
	}
	entries, left, err := a.entries(v.Ctx(), c, clock)
	if err != nil {
		return err
	}
	if left > 0 {
		view.Left = v.Say("The calendar holds %d events. %d later ones are left out.", calendar.Most, left)
	}
	for _, e := range entries[:min(len(entries), examples)] {
		view.Examples = append(view.Examples, pages.CalendarExample{Day: clock.Day(e.Day), Title: e.Title})
	}
	view.Amounts, view.Names, view.Frame = c.Amounts, c.Names, a.Frame(v)
	return v.Page(http.StatusOK, pages.Calendar(view))
}

// examples is how many events the page shows as the calendar has them.
const examples = 3

// create makes the address, in place of the one before, and shows it once: only a hash of its token is kept.
func (a *Area) create(v *shell.Visitor) error {
	token := finance.Secret(finance.NewID())
	amounts, names := choice(v)
	if err := a.Store.MakeCalendar(v.Ctx(), finance.Calendar{UserID: v.User.ID, Amounts: amounts, Names: names}, token); err != nil {
		return err
	}
	a.Log.InfoContext(v.Ctx(), "calendar address made", "user", v.User.ID, "request_id", middleware.RequestIDFrom(v.Ctx()))
	return a.show(v, a.PublicURL.String()+paths.CalendarFile(token.Reveal()))
}

// choice is what the form says of what the calendar holds.
func choice(v *shell.Visitor) (amounts, names bool) {
	return v.Field("amounts") == "yes", v.Field("names") == "yes"
}

func (a *Area) choose(v *shell.Visitor) error {
	amounts, names := choice(v)
	if err := a.Store.SetCalendar(v.Ctx(), v.User.ID, amounts, names); err != nil {
		return err
	}
	a.Flash(v, ui.Good, v.Say("Saved. The calendar program shows it when it asks next."))
	v.SeeOther(paths.Calendar)
	return nil
}

func (a *Area) end(v *shell.Visitor) error {
	if err := a.Store.EndCalendar(v.Ctx(), v.User.ID); err != nil {
		return err
	}
	a.Log.InfoContext(v.Ctx(), "calendar address ended", "user", v.User.ID, "request_id", middleware.RequestIDFrom(v.Ctx()))
	a.Flash(v, ui.Good, v.Say("The address no longer works. Remove the calendar from your calendar program: until then, it shows what it read last."))
	v.SeeOther(paths.Calendar)
	return nil
}
