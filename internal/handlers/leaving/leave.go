package leaving

import (
	"context"
	"errors"
	"net/http"
	"time"

	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/live"
	"florin/internal/middleware"
	core "florin/internal/settling"
	"florin/internal/store"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

func (a *Area) leavePage(v *shell.Visitor) error { return a.ask(v, http.StatusOK, v.User, ui.Input{}) }

func (a *Area) leave(v *shell.Visitor) error {
	typed, ok := confirmed(v, v.User)
	if !ok {
		return a.ask(v, http.StatusUnprocessableEntity, v.User, typed)
	}
	gone, alone, err := a.gone(v, v.User)
	if errors.Is(err, store.ErrOwnerStays) {
		return a.ask(v, http.StatusConflict, v.User, typed)
	}
	if err != nil {
		return err
	}
	a.Left(v)
	return v.Page(http.StatusOK, pages.Farewell(pages.FarewellView{Frame: a.Frame(v), Consents: gone.Consents > 0, Alone: alone}))
}

func (a *Area) removePage(v *shell.Visitor) error {
	person, err := a.person(v)
	if err != nil || person.ID == v.User.ID {
		return err
	}
	return a.ask(v, http.StatusOK, person, ui.Input{})
}

func (a *Area) remove(v *shell.Visitor) error {
	person, err := a.person(v)
	if err != nil || person.ID == v.User.ID {
		return err
	}
	typed, ok := confirmed(v, person)
	if !ok {
		return a.ask(v, http.StatusUnprocessableEntity, person, typed)
	}
	gone, _, err := a.gone(v, person)
	if errors.Is(err, store.ErrOwnerStays) {
		return a.ask(v, http.StatusConflict, person, typed)
	}
	if err != nil {
		return err
	}
	a.Hub.Disconnect(person.ID)
	if gone.Consents > 0 {
		a.Flash(v, ui.Good, v.Say("%s is removed. Florin is ending the consents at the banks.", person.Email))
	} else {
		a.Flash(v, ui.Good, v.Say("%s is removed.", person.Email))
	}
	v.SeeOther(paths.People)
	return nil
}

// person is whom the address names. Who names oneself is led to the own page.
func (a *Area) person(v *shell.Visitor) (finance.User, error) {
	person, err := a.Store.User(v.Ctx(), v.Request.PathValue("person"))
	if err == nil && person.ID == v.User.ID {
		v.SeeOther(paths.Leave)
	}
	return person, err
}

// confirmed reports whether the address of the person was typed.
func confirmed(v *shell.Visitor, person finance.User) (ui.Input, bool) {
	typed := ui.Input{Value: v.Field("name")}
	if email, err := finance.NormalEmail(typed.Value); err == nil && email == person.Email {
		return typed, true
	}
	typed.Problem = v.Say("This is not the e-mail address. Nothing is deleted yet.")
	return typed, false
}

// gone removes a person in one step. What follows from it may come later, and comes after a crash, too: the consents at the banks and the attached files.
func (a *Area) gone(v *shell.Visitor, person finance.User) (had store.Belongings, alone bool, err error) {
	if had, err = a.Store.Belongings(v.Ctx(), person.ID); err != nil {
		return had, false, err
	}
	if err := a.Store.RemoveUser(v.Ctx(), person.ID); err != nil {
		return had, false, err
	}
	a.Log.InfoContext(v.Ctx(), "user removed", "user", person.ID, "by", v.User.ID, "request_id", middleware.RequestIDFrom(v.Ctx()))
	ctx := context.WithoutCancel(v.Ctx())
	a.Linking.PersonLeft()
	if err := a.Attachments.Clean(ctx); err != nil { // it is done again in the background
		a.Log.WarnContext(ctx, "attached files not removed", "error", err, "request_id", middleware.RequestIDFrom(ctx))
	}
	others, err := a.Store.Users(ctx)
	for _, u := range others {
		a.Hub.Publish(u.ID, live.Event{Topic: shell.TopicShares})
		a.Hub.Publish(u.ID, live.Event{Topic: core.Topic})
	}
	return had, len(others) == 0, err
}

// ask shows what goes with a person and what stays, and asks to type the address.
func (a *Area) ask(v *shell.Visitor, status int, person finance.User, typed ui.Input) error {
	all, err := a.Store.Users(v.Ctx())
	if err != nil {
		return err
	}
	had, err := a.Store.Belongings(v.Ctx(), person.ID)
	if err != nil {
		return err
	}
	own := person.ID == v.User.ID
	view := pages.LeaveView{Email: person.Email, Own: own, Action: paths.Leave, Back: ui.Link{Text: v.Say("Settings"), Href: paths.Settings}, Counts: counts(v, had),
		Alone: len(all) == 1, Blocked: !finance.MayLeave(all, person.ID), Consents: had.Consents, UnderWay: had.PaymentsUnderWay,
		Shown: had.Stays.Shown}
	if !own {
		view.Action, view.Back = paths.PersonRemove(person.ID), ui.Link{Text: v.Say("People"), Href: paths.People}
	}
	if view.Stays, err = a.stays(v, person, had, own); err != nil {
		return err
	}
	typed.Name, typed.Label, typed.Type, typed.Required, typed.Autocomplete = "name", v.Say("To confirm, type “%s”", person.Email), "text", true, "off"
	view.Typed, view.Frame = typed, a.Frame(v)
	return v.Page(status, pages.Leave(view))
}

// counts are what goes with a person.
func counts(v *shell.Visitor, had store.Belongings) (all []string) {
	for _, count := range []struct {
		text words.Text
		n    int
	}{{"%d bank connections", had.Connections}, {"%d accounts", had.Accounts}, {"%d transactions", had.Transactions}, {"%d notes", had.Notes},
		{"%d attachments", had.Attachments}, {"%d categories of one’s own", had.Categories}, {"%d rules", had.Rules}, {"%d budgets", had.Budgets},
		{"%d saved searches and reports", had.Searches}, {"%d payees", had.Payees}, {"%d payments", had.Payments}, {"%d sign-ins", had.SignIns}} {
		if count.n > 0 {
			all = append(all, v.Say(count.text, count.n))
		}
	}
	return all
}

// stays says what stays with the others. An owner reads of somebody else how many there are, not which.
func (a *Area) stays(v *shell.Visitor, person finance.User, had store.Belongings, own bool) (lines []string, err error) {
	if had.Stays.Joint > 0 {
		lines = append(lines, v.Say("%d joint accounts with their transactions, as others have linked them, too.", had.Stays.Joint))
	}
	if n := had.Stays.Expenses + had.Stays.Payments; n > 0 {
		lines = append(lines, v.Say("%d shared expenses and settlements. The others see them under the name %s.", n, person.Email))
	}
	if !own || had.Stays.Expenses+had.Stays.Payments == 0 {
		return lines, nil
	}
	book, err := a.Store.SettlingBook(v.Ctx(), person.ID)
	if err != nil {
		return nil, err
	}
	c := a.At(v.Ctx(), time.Now())
	for _, d := range book.Ledger.Pairs() {
		switch person.ID {
		case d.From:
			lines = append(lines, c.Say("You owe %s to %s. The others can only settle it in cash then.", d.Amount, book.Person(d.To).Email))
		case d.To:
			lines = append(lines, c.Say("%s owes you %s. The others can only settle it in cash then.", book.Person(d.From).Email, d.Amount))
		}
	}
	return lines, nil
}
