package settings

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"florin/internal/auth"
	"florin/internal/finance"
	"florin/internal/handlers/offers"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/middleware"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

func (a *Area) settings(v *shell.Visit) error {
	return a.settingsPage(v, http.StatusOK, pages.PasswordForm{})
}

func (a *Area) settingsPage(v *shell.Visit, status int, password pages.PasswordForm) error {
	signIns, err := a.Auth.SignIns(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	c := a.At(time.Now())
	password.MinPassword = auth.MinPassword
	view := pages.SettingsView{
		Facts: []ui.Fact{
			{Name: "E-mail address", Value: v.User.Email},
			roleFact(v.User.Role),
			{Name: "Here since", Value: c.Until(v.User.Created).Text},
		},
		Password: password,
		Version:  a.Version,
	}
	for _, s := range signIns {
		view.SignIns = append(view.SignIns, pages.SignInRow{
			ID: s.ID, Device: s.Device, Since: c.Moment(s.Created), Seen: c.Moment(s.LastSeen), Current: s.ID == v.SignIn.ID,
		})
	}
	if v.User.Role == finance.RoleOwner {
		view.Webhooks = true
		members, err := a.Store.Users(v.Ctx())
		if err != nil {
			return err
		}
		for _, m := range members {
			view.Members = append(view.Members, pages.Member{Email: m.Email, Role: roleFact(m.Role).Value, Since: c.Until(m.Created)})
		}
	}
	payments, err := a.paymentFact(v)
	if err != nil {
		return err
	}
	view.Facts = append(view.Facts, payments)
	view.Frame = a.Frame(v)
	return v.Page(status, pages.Settings(view))
}

// paymentFact says in the settings where payments are possible, and why not where they are not.
func (a *Area) paymentFact(v *shell.Visit) (ui.Fact, error) {
	list, err := a.Offers.All(v.Ctx())
	if err != nil {
		return ui.Fact{}, err
	}
	fact := ui.Fact{Name: "Payments", Value: "Not possible", Note: offers.NotAllowed}
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
			fact.Note = "Elsewhere: " + show.LowerFirst(offers.NotAllowed)
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
func (a *Area) changePassword(v *shell.Visit) error {
	err := a.Auth.ChangePassword(v.Ctx(), v.User, v.SignIn.ID, v.Secret("password"), v.Secret("new_password"))
	var weak *auth.PasswordError
	switch {
	case errors.As(err, &weak):
		return a.settingsPage(v, http.StatusUnprocessableEntity, pages.PasswordForm{NewProblem: weak.Text})
	case errors.Is(err, auth.ErrPassword):
		a.LogRefused(v, "new password", v.User.Email, "wrong password")
		return a.settingsPage(v, http.StatusUnprocessableEntity, pages.PasswordForm{Problem: show.Sentence(err.Error())})
	case err != nil:
		return err
	}
	a.Hub.Disconnect(v.User.ID)
	v.Proven()
	a.Log.InfoContext(v.Ctx(), "password changed", "user", v.User.ID, "request_id", middleware.RequestIDFrom(v.Ctx()))
	a.Tell(v, ui.Good, "The password is changed. All other sign-ins were ended.")
	v.SeeOther(paths.Settings)
	return nil
}

// endSignIn ends one sign-in of the user, wherever it is.
func (a *Area) endSignIn(v *shell.Visit) error {
	id := v.Request.PathValue("sign_in")
	if id == v.SignIn.ID {
		return a.SignOut(v)
	}
	if err := a.Auth.EndSignIn(v.Ctx(), v.User.ID, id); err != nil {
		return err
	}
	a.Hub.Disconnect(v.User.ID)
	a.Tell(v, ui.Good, "That sign-in is ended.")
	v.SeeOther(paths.Settings)
	return nil
}
