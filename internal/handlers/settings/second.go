package settings

import (
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"florin/internal/auth"
	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/middleware"
	"florin/internal/qrcode"
	"florin/internal/store"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// secondFactorCard lists the authenticator apps of the visitor.
func (a *Area) secondFactorCard(v *shell.Visitor, c show.Clock) (pages.SecondFactorCard, error) {
	has, err := a.Auth.SecondFactors(v.Ctx(), v.User.ID)
	if err != nil {
		return pages.SecondFactorCard{}, err
	}
	card := pages.SecondFactorCard{Any: has.Any(), Codes: has.Codes, CodeSet: has.CodeSet, Required: has.Required}
	apps, err := a.Store.Authenticators(v.Ctx(), v.User.ID)
	for _, app := range apps {
		row := pages.AuthenticatorRow{ID: app.ID, Name: app.Name, Made: c.Until(app.Created)}
		if !app.LastUsed.IsZero() {
			row.Used = c.Moment(app.LastUsed)
		}
		card.Apps = append(card.Apps, row)
	}
	return card, err
}

// secondFactorFirst is where a person lands who needs a second factor before anything else.
func (a *Area) secondFactorFirst(v *shell.Visitor) error {
	needs, err := a.Auth.NeedsSecondFactor(v.Ctx(), v.SignIn)
	if err != nil {
		return err
	}
	if !needs {
		v.SeeOther(paths.Settings)
		return nil
	}
	return v.Page(http.StatusOK, pages.SecondFactorFirst(pages.SecondFactorFirstView{Frame: a.Frame(v), Passkeys: a.AtOwnAddress(v)}))
}

// beginAuthenticator makes a secret for an app, which the next page shows.
func (a *Area) beginAuthenticator(v *shell.Visitor) error {
	err := a.Auth.BeginAuthenticator(v.Ctx(), v.User.ID, v.SignIn.ID)
	if refused, is := errors.AsType[*auth.CodeError](err); is {
		return noAuthenticator(v, refused)
	}
	if err != nil {
		return err
	}
	v.SeeOther(paths.NewAuthenticator)
	return nil
}

// noAuthenticator says why no app can be added.
func noAuthenticator(v *shell.Visitor, why *auth.CodeError) error {
	return &shell.Problem{Status: http.StatusConflict, Title: v.Say("No app was added"), What: words.In(v.Ctx()).Message(show.Code(why)),
		Todo:   v.Say("Go back to the settings, add the app again, and scan the new QR code."),
		Action: ui.Link{Text: v.Say("Back to the settings"), Href: paths.Settings}}
}

func (a *Area) newAuthenticator(v *shell.Visitor) error {
	return a.newAuthenticatorPage(v, http.StatusOK, "", "")
}

func (a *Area) newAuthenticatorPage(v *shell.Visitor, status int, problem, nameProblem string) error {
	begun, err := a.Auth.AuthenticatorSetup(v.Ctx(), v.User, v.SignIn.ID)
	if refused, is := errors.AsType[*auth.CodeError](err); is {
		return noAuthenticator(v, refused)
	}
	if err != nil {
		return err
	}
	code, err := qrcode.Encode(begun.URI.Reveal(), qrcode.M)
	if err != nil {
		return err
	}
	name := v.Field("name")
	if name == "" && nameProblem == "" {
		name = v.Say("Phone")
	}
	return v.Page(status, pages.NewAuthenticator(pages.NewAuthenticatorView{Frame: a.Frame(v), Code: code, Secret: pages.Groups(begun.Secret.Reveal(), " "),
		Account: "Florin (" + v.User.Email + ")", Problem: problem,
		Name: appName(v, name, nameProblem)}))
}

// addAuthenticator adds the app when the person has typed a code of it. Who gets recovery codes with it sees them now.
func (a *Area) addAuthenticator(v *shell.Visitor) error {
	app, codes, err := a.Auth.AddAuthenticator(v.Ctx(), v.User, v.SignIn.ID, v.Field("name"), v.Secret(pages.AppCodeField))
	if refused, is := errors.AsType[*auth.CodeError](err); is {
		said := words.In(v.Ctx()).Message(show.Code(refused))
		switch refused.Fault {
		case auth.CodeName:
			return a.newAuthenticatorPage(v, http.StatusUnprocessableEntity, "", said)
		case auth.CodeSetup, auth.CodeMany, auth.CodeBusy:
			return noAuthenticator(v, refused)
		}
		return a.newAuthenticatorPage(v, http.StatusUnprocessableEntity, said, "")
	}
	if err != nil {
		return err
	}
	a.Log.InfoContext(v.Ctx(), "authenticator app added", "user", v.User.ID, "request_id", middleware.RequestIDFrom(v.Ctx()))
	if len(codes) > 0 {
		return a.recoveryCodes(v, app.Name, codes)
	}
	a.Flash(v, ui.Good, v.Say("The app %s is added. Your recovery codes stay as they are.", app.Name))
	v.SeeOther(paths.Settings)
	return nil
}

// recoveryCodes shows codes that nobody can see again.
func (a *Area) recoveryCodes(v *shell.Visitor, app string, codes []finance.Secret) error {
	view := pages.RecoveryCodesView{App: app}
	for _, code := range codes {
		view.Codes = append(view.Codes, pages.Groups(code.Reveal(), "-"))
	}
	view.Frame = a.Frame(v)
	v.Writer.Header().Set("Cache-Control", "no-store")
	return v.Page(http.StatusOK, pages.RecoveryCodes(view))
}

// recoveryForm is how a recovery code is shown.
var recoveryForm = regexp.MustCompile(`^[A-Z2-7]{4}(-[A-Z2-7]{4}){5}$`)

// recoveryFile gives the codes that the page has back as a file to keep. Only the page knows them.
func (a *Area) recoveryFile(v *shell.Visitor) error {
	codes := v.Request.PostForm[pages.RecoveryCodeField]
	if len(codes) != finance.RecoveryCodes || slices.ContainsFunc(codes, func(code string) bool { return !recoveryForm.MatchString(code) }) {
		return &shell.Problem{Status: http.StatusBadRequest}
	}
	var text strings.Builder
	text.WriteString(v.Say("Recovery codes for %s at %s. Each works once.", v.User.Email, a.PublicURL.String()) + "\r\n\r\n")
	for i, code := range codes {
		text.WriteString(strconv.Itoa(i+1) + ". " + code + "\r\n")
	}
	header := v.Writer.Header()
	header.Set("Content-Type", "text/plain; charset=utf-8")
	header.Set("Content-Disposition", `attachment; filename="florin-recovery-codes.txt"`)
	header.Set("Cache-Control", "no-store")
	_, err := v.Writer.Write([]byte(text.String()))
	return err
}

func (a *Area) makeRecoveryCodes(v *shell.Visitor) error {
	has, err := a.Auth.SecondFactors(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	if !has.Any() {
		return &shell.Problem{Status: http.StatusConflict, What: v.Say("Recovery codes work in place of an authenticator app or a passkey, and you have neither."),
			Todo: v.Say("Add one of them first."), Action: ui.Link{Text: v.Say("Back to the settings"), Href: paths.Settings}}
	}
	codes, err := a.Auth.MakeRecoveryCodes(v.Ctx(), v.User.ID, v.Field(pages.CodeSetField))
	if errors.Is(err, store.ErrCodesMade) { // the page with the codes is loaded again, or another window made some
		return &shell.Problem{Status: http.StatusConflict, Title: v.Say("No new codes were made"),
			What:   v.Say("Your recovery codes were made a moment ago, or in another window, and Florin shows them once."),
			Todo:   v.Say("If you have kept them, there is nothing to do. If not, make new ones in the settings."),
			Action: ui.Link{Text: v.Say("Back to the settings"), Href: paths.Settings}}
	}
	if err != nil {
		return err
	}
	a.Log.InfoContext(v.Ctx(), "recovery codes made", "user", v.User.ID, "request_id", middleware.RequestIDFrom(v.Ctx()))
	return a.recoveryCodes(v, "", codes)
}

func (a *Area) authenticator(v *shell.Visitor) error {
	return a.authenticatorPage(v, http.StatusOK, "")
}

func (a *Area) authenticatorPage(v *shell.Visitor, status int, problem string) error {
	all, err := a.Store.Authenticators(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(app finance.Authenticator) bool { return app.ID == v.Request.PathValue("authenticator") })
	if i < 0 {
		return finance.ErrNotFound
	}
	app, c := all[i], a.At(v.Ctx(), time.Now())
	view := pages.AuthenticatorView{Frame: a.Frame(v), Title: app.Name, Action: paths.Authenticator(app.ID), Remove: paths.AuthenticatorRemove(app.ID),
		Name: appName(v, app.Name, problem)}
	if problem != "" {
		view.Name.Value = v.Field("name")
	}
	used := v.Say("Never used")
	if !app.LastUsed.IsZero() {
		used = c.Moment(app.LastUsed).Text
	}
	view.Facts = []ui.Fact{{Name: v.Say("Made"), Value: c.Until(app.Created).Text}, {Name: v.Say("Last used"), Value: used}}
	return v.Page(status, pages.Authenticator(view))
}

// appName is the field for the name of an app.
func appName(v *shell.Visitor, name, problem string) ui.Input {
	return ui.Input{Name: "name", Label: v.Say("Name of the app or the device"), Type: "text", Value: name, Problem: problem,
		Hint: v.Say("So that you recognise it later."), Required: true, MaxLength: finance.MaxAuthenticatorName, Autocomplete: "off"}
}

func (a *Area) renameAuthenticator(v *shell.Visitor) error {
	id := v.Request.PathValue("authenticator")
	err := a.Auth.RenameAuthenticator(v.Ctx(), v.User.ID, id, v.Field("name"))
	if refused, is := errors.AsType[*auth.CodeError](err); is {
		return a.authenticatorPage(v, http.StatusUnprocessableEntity, words.In(v.Ctx()).Message(show.Code(refused)))
	}
	if err != nil {
		return err
	}
	a.Flash(v, ui.Good, v.Say("The name is saved."))
	v.SeeOther(paths.Authenticator(id))
	return nil
}

func (a *Area) removeAuthenticator(v *shell.Visitor) error {
	name, err := a.Auth.RemoveAuthenticator(v.Ctx(), v.User.ID, v.Request.PathValue("authenticator"))
	if errors.Is(err, store.ErrLastFactor) {
		return lastFactor(v)
	}
	if err != nil {
		return err
	}
	a.Log.InfoContext(v.Ctx(), "authenticator app removed", "user", v.User.ID, "request_id", middleware.RequestIDFrom(v.Ctx()))
	a.Flash(v, ui.Good, v.Say("The app %s is removed. Its codes no longer work. Delete the entry for Florin in the app, too.", name))
	v.SeeOther(paths.Settings)
	return nil
}

// lastFactor says why a second factor stays.
func lastFactor(v *shell.Visitor) error {
	return &shell.Problem{Status: http.StatusConflict, Title: v.Say("Nothing was removed"),
		What: v.Say("It is your only second factor, and everybody who uses this Florin needs one."), Todo: v.Say("Add another passkey or app first."),
		Action: ui.Link{Text: v.Say("Back to the settings"), Href: paths.Settings}}
}
