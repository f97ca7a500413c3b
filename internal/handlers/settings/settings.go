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
	return a.settingsPage(v, http.StatusOK, nil, "")
}

// settingsPage shows the settings: wrong is what is wrong with the proof for a new password, weak with the password itself.
func (a *Area) settingsPage(v *shell.Visitor, status int, wrong *auth.ProofError, weak string) error {
	c := a.At(v.Ctx(), time.Now())
	proof, err := a.Proof(v, auth.ForPassword, "", wrong)
	if err != nil {
		return err
	}
	view := pages.SettingsView{
		Facts: []ui.Fact{
			{Name: v.Say("E-mail address"), Value: v.User.Email},
			roleFact(v, v.User.Role),
			{Name: v.Say("Member since"), Value: c.Until(v.User.Created).Text},
		},
		Languages: languages(v),
		Password:  pages.PasswordForm{Proof: proof, NewProblem: weak, MinPassword: auth.MinPassword},
		Version:   a.Version,
		KeysOff:   v.Device.KeysOff,
	}
	if view.Local, err = a.Auth.HasLocalPassword(v.Ctx(), v.User.ID); err != nil {
		return err
	}
	if view.OpenID, err = a.openID(v, c); err != nil {
		return err
	}
	if view.SignIns, err = a.signIns(v, c); err != nil {
		return err
	}
	if view.Second, err = a.secondFactorCard(v, c); err != nil {
		return err
	}
	if view.Passkeys, err = a.passkeysCard(v, c); err != nil {
		return err
	}
	if v.User.Role == finance.RoleOwner {
		view.Owner = true
	}
	if v.User.Role != finance.RoleViewer {
		payments, err := a.paymentFact(v)
		if err != nil {
			return err
		}
		view.Facts = append(view.Facts, payments)
	}
	if view.Mail, err = a.mail(v); err != nil {
		return err
	}
	view.Frame = a.Frame(v)
	return v.Page(status, pages.Settings(view))
}

// paymentFact says in the settings where payments are possible, and why not where they are not.
func (a *Area) paymentFact(v *shell.Visitor) (ui.Fact, error) {
	list, err := a.Offers.All(v.Ctx())
	if err != nil {
		return ui.Fact{}, err
	}
	fact := ui.Fact{Name: v.Say("Payments"), Value: v.Say("In your bank’s app"), Note: v.Say(offers.NotAllowed)}
	var names []string
	for _, o := range list {
		switch {
		case !o.Allowed:
		case o.Simulated:
			names = append(names, v.Say("%s (simulated: no money moves)", show.ServiceName(v.Say, o.Provider.ID, o.Provider.Name)))
		default:
			names = append(names, o.Provider.Name)
		}
	}
	if len(names) > 0 {
		fact.Value, fact.Note = v.Say("Possible: %s", strings.Join(names, ", ")), ""
		if len(names) < len(list) {
			fact.Note = v.Say("Other banking services: %s", offers.NotAllowed)
		}
	}
	return fact, nil
}

func roleFact(v *shell.Visitor, role finance.Role) ui.Fact {
	return ui.Fact{Name: v.Say("Role"), Value: v.Say(show.Role(role)), Note: v.Say(roleNotes[role])}
}

// roleNotes say what comes with each role.
var roleNotes = map[finance.Role]words.Text{
	finance.RoleOwner:  "Looks after this server. Does not see the accounts of others.",
	finance.RoleMember: "Links own banks. Others see only what is shared with them.",
	finance.RoleViewer: "Sees what others share, and cannot change anything.",
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
		return &shell.Problem{Status: http.StatusBadRequest, What: v.Say("Florin is not available in this language."),
			Todo: v.Say("Choose one from the list in the settings.")}
	}
	if err := a.Store.SetLanguage(v.Ctx(), v.User.ID, code); err != nil {
		return err
	}
	words.Speak(v.Ctx(), code)
	a.Flash(v, ui.Good, v.Say("The language is saved."))
	v.SeeOther(paths.Settings)
	return nil
}

// changePassword ends all other sign-ins of the user, and their live streams.
func (a *Area) changePassword(v *shell.Visitor) error {
	if weak, is := errors.AsType[*auth.PasswordError](auth.CheckPassword(v.Secret("new_password"), v.User.Email)); is {
		return a.settingsPage(v, http.StatusUnprocessableEntity, nil, words.In(v.Ctx()).Message(show.Password(weak.Fault)))
	}
	wrong, err := a.StepUp(v, auth.ForPassword)
	if err != nil {
		return err
	}
	if wrong != nil {
		return a.settingsPage(v, http.StatusUnprocessableEntity, wrong, "")
	}
	if err := a.Auth.ChangePassword(v.Ctx(), v.User, v.SignIn.ID, v.Secret("new_password")); err != nil {
		return err
	}
	a.Hub.Disconnect(v.User.ID)
	a.Log.InfoContext(v.Ctx(), "password changed", "user", v.User.ID, "request_id", middleware.RequestIDFrom(v.Ctx()))
	a.Flash(v, ui.Good, v.Say("The password is changed. You are signed out on all other devices."))
	v.SeeOther(paths.Settings)
	return nil
}
