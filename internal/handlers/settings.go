package handlers

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"florin/internal/auth"
	"florin/internal/finance"
	"florin/internal/middleware"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

func (a *App) settings(v *visit) error { return a.settingsPage(v, http.StatusOK, pages.PasswordForm{}) }

func (a *App) settingsPage(v *visit, status int, password pages.PasswordForm) error {
	signIns, err := a.Auth.SignIns(v.ctx(), v.user.ID)
	if err != nil {
		return err
	}
	c := a.at(time.Now())
	password.MinPassword = auth.MinPassword
	view := pages.SettingsView{
		Facts: []ui.Fact{
			{Name: "E-mail address", Value: v.user.Email},
			roleFact(v.user.Role),
			{Name: "Here since", Value: c.until(v.user.Created).Text},
		},
		Password: password,
		Version:  a.Version,
	}
	for _, s := range signIns {
		view.SignIns = append(view.SignIns, pages.SignInRow{
			ID: s.ID, Device: s.Device, Since: c.moment(s.Created), Seen: c.moment(s.LastSeen), Current: s.ID == v.signIn.ID,
		})
	}
	if v.user.Role == finance.RoleOwner {
		view.Webhooks = true
		members, err := a.Store.Users(v.ctx())
		if err != nil {
			return err
		}
		for _, m := range members {
			view.Members = append(view.Members, pages.Member{Email: m.Email, Role: roleFact(m.Role).Value, Since: c.until(m.Created)})
		}
	}
	payments, err := a.paymentFact(v)
	if err != nil {
		return err
	}
	view.Facts = append(view.Facts, payments)
	view.Frame = a.frame(v)
	return v.page(status, pages.Settings(view))
}

// paymentFact says in the settings where payments are possible, and why not where they are not.
func (a *App) paymentFact(v *visit) (ui.Fact, error) {
	list, err := a.offers.offered(v.ctx())
	if err != nil {
		return ui.Fact{}, err
	}
	fact := ui.Fact{Name: "Payments", Value: "Not possible", Note: notAllowed}
	var names []string
	for _, o := range list {
		switch {
		case !o.Allowed:
		case o.Simulated:
			names = append(names, o.Provider.Name+" (simulated: no money moves)")
		default:
			names = append(names, o.Provider.Name)
		}
	}
	if len(names) > 0 {
		fact.Value, fact.Note = "Possible: "+strings.Join(names, ", "), ""
		if len(names) < len(list) {
			fact.Note = "Elsewhere: " + lowerFirst(notAllowed)
		}
	}
	return fact, nil
}

func roleFact(role finance.Role) ui.Fact {
	if role == finance.RoleOwner {
		return ui.Fact{Name: "Role", Value: "Owner", Note: "Looks after this server. The owner does not see the accounts of others either."}
	}
	return ui.Fact{Name: "Role", Value: "Member"}
}

// changePassword ends all other sign-ins of the user, and their live streams.
func (a *App) changePassword(v *visit) error {
	err := a.Auth.ChangePassword(v.ctx(), v.user, v.signIn.ID, v.secret("password"), v.secret("new_password"))
	var weak *auth.PasswordError
	switch {
	case errors.As(err, &weak):
		return a.settingsPage(v, http.StatusUnprocessableEntity, pages.PasswordForm{NewProblem: weak.Text})
	case errors.Is(err, auth.ErrPassword):
		a.logRefused(v, "new password", v.user.Email, "wrong password")
		return a.settingsPage(v, http.StatusUnprocessableEntity, pages.PasswordForm{Problem: sentence(err.Error())})
	case err != nil:
		return err
	}
	a.Hub.Disconnect(v.user.ID)
	if err := a.renewSession(v, v.signIn); err != nil {
		return err
	}
	a.Log.InfoContext(v.ctx(), "password changed", "user", v.user.ID, "request_id", middleware.RequestIDFrom(v.ctx()))
	a.tell(v, ui.Good, "The password is changed. All other sign-ins were ended.")
	v.seeOther(paths.Settings)
	return nil
}

// endSignIn ends one sign-in of the user, wherever it is.
func (a *App) endSignIn(v *visit) error {
	id := v.r.PathValue("sign_in")
	if id == v.signIn.ID {
		return a.leave(v)
	}
	if err := a.Auth.EndSignIn(v.ctx(), v.user.ID, id); err != nil {
		return err
	}
	a.Hub.Disconnect(v.user.ID)
	a.tell(v, ui.Good, "That sign-in is ended.")
	v.seeOther(paths.Settings)
	return nil
}

func (a *App) simulated(v *visit) error {
	return v.page(http.StatusOK, pages.Simulated(pages.SimulatedView{Frame: a.frame(v), Embedded: a.SimulatedHost != "", Host: a.SimulatedHost}))
}
