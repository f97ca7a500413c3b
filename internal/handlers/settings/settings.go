package settings

import (
	"errors"
	"net/http"
	"slices"
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
	"florin/web/templates/words"
)

func (a *Area) settings(v *shell.Visitor) error {
	return a.settingsPage(v, http.StatusOK, pages.PasswordForm{})
}

func (a *Area) settingsPage(v *shell.Visitor, status int, password pages.PasswordForm) error {
	signIns, err := a.Auth.SignIns(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	c := a.At(v.Ctx(), time.Now())
	password.MinPassword = auth.MinPassword
	view := pages.SettingsView{
		Facts: []ui.Fact{
			{Name: v.Say("E-mail address"), Value: v.User.Email},
			roleFact(v, v.User.Role),
			{Name: v.Say("Member since"), Value: c.Until(v.User.Created).Text},
		},
		Languages: languages(v),
		Password:  password,
		Version:   a.Version,
	}
	for _, s := range signIns {
		view.SignIns = append(view.SignIns, pages.SignInRow{
			ID: s.ID, Device: show.Device(c, s.Device), Since: c.Moment(s.Created), Seen: c.Moment(s.LastSeen), Stays: s.Remembered, Current: s.ID == v.SignIn.ID,
		})
	}
	if v.User.Role == finance.RoleOwner {
		view.Webhooks = true
		members, err := a.Store.Users(v.Ctx())
		if err != nil {
			return err
		}
		for _, m := range members {
			view.Members = append(view.Members, pages.Member{Email: m.Email, Role: roleFact(v, m.Role).Value, Since: c.Until(m.Created)})
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
func (a *Area) paymentFact(v *shell.Visitor) (ui.Fact, error) {
	list, err := a.Offers.All(v.Ctx())
	if err != nil {
		return ui.Fact{}, err
	}
	fact := ui.Fact{Name: v.Say("Payments"), Value: v.Say("Not possible"), Note: v.Say(offers.NotAllowed)}
	var names []string
	for _, o := range list {
		switch {
		case !o.Allowed:
		case o.Simulated:
			names = append(names, v.Say("%s (simulated: no money moves)", o.Provider.Name))
		default:
			names = append(names, o.Provider.Name)
		}
	}
	if len(names) > 0 {
		fact.Value, fact.Note = v.Say("Possible: %s", strings.Join(names, ", ")), ""
		if len(names) < len(list) {
			fact.Note = v.Say("Other services: %s", offers.NotAllowed)
		}
	}
	return fact, nil
}

func roleFact(v *shell.Visitor, role finance.Role) ui.Fact {
	if role == finance.RoleOwner {
		return ui.Fact{Name: v.Say("Role"), Value: v.Say("Owner"), Note: v.Say("Looks after this server. Does not see the accounts of others.")}
	}
	return ui.Fact{Name: v.Say("Role"), Value: v.Say("Member")}
}

// languages are the choices of a language, each by its own name.
func languages(v *shell.Visitor) []ui.Option {
	options := []ui.Option{{Value: "", Text: v.Say("The language of your browser"), Selected: v.User.Language == ""}}
	for _, l := range words.Languages(words.App) {
		options = append(options, ui.Option{Value: l.Code(), Text: l.Say("English#ownname"), Selected: v.User.Language == l.Code()})
	}
	return options
}

// chooseLanguage sets the language that pages speak to the user.
func (a *Area) chooseLanguage(v *shell.Visitor) error {
	code := v.Field("language")
	if code != "" && !slices.ContainsFunc(words.Languages(words.App), func(l *words.Language) bool { return l.Code() == code }) {
		return &shell.Problem{Status: http.StatusBadRequest, What: v.Say("Florin does not speak this language."),
			Todo: v.Say("Choose one from the list in the settings.")}
	}
	if err := a.Store.SetLanguage(v.Ctx(), v.User.ID, code); err != nil {
		return err
	}
	words.Speak(v.Ctx(), code)
	a.Tell(v, ui.Good, v.Say("The language is saved."))
	v.SeeOther(paths.Settings)
	return nil
}

// changePassword ends all other sign-ins of the user, and their live streams.
func (a *Area) changePassword(v *shell.Visitor) error {
	err := a.Auth.ChangePassword(v.Ctx(), v.User, v.SignIn.ID, v.Secret("password"), v.Secret("new_password"))
	var weak *auth.PasswordError
	switch {
	case errors.As(err, &weak):
		return a.settingsPage(v, http.StatusUnprocessableEntity, pages.PasswordForm{NewProblem: words.In(v.Ctx()).Tell(show.Password(weak.Fault))})
	case errors.Is(err, auth.ErrPassword):
		a.LogRefused(v, "new password", v.User.Email, "wrong password")
		return a.settingsPage(v, http.StatusUnprocessableEntity, pages.PasswordForm{Problem: v.Say("This is not your current password.")})
	case err != nil:
		return err
	}
	a.Hub.Disconnect(v.User.ID)
	v.Proven()
	a.Log.InfoContext(v.Ctx(), "password changed", "user", v.User.ID, "request_id", middleware.RequestIDFrom(v.Ctx()))
	a.Tell(v, ui.Good, v.Say("The password is changed. You are signed out on all other devices."))
	v.SeeOther(paths.Settings)
	return nil
}

// endSignIn ends one sign-in of the user, wherever it is.
func (a *Area) endSignIn(v *shell.Visitor) error {
	id := v.Request.PathValue("sign_in")
	if id == v.SignIn.ID {
		return a.SignOut(v)
	}
	if err := a.Auth.EndSignIn(v.Ctx(), v.User.ID, id); err != nil {
		return err
	}
	a.Hub.Disconnect(v.User.ID)
	a.Tell(v, ui.Good, v.Say("That device is signed out."))
	v.SeeOther(paths.Settings)
	return nil
}
