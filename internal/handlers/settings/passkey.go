package settings

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"florin/internal/auth"
	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/middleware"
	"florin/internal/store"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// passkeysCard lists the passkeys of the visitor.
func (a *Area) passkeysCard(v *shell.Visitor, c show.Clock) (pages.PasskeysCard, error) {
	address := a.Auth.PasskeyAddress()
	card := pages.PasskeysCard{Here: a.AtOwnAddress(v), Open: ui.Link{Text: address.Origin, Href: address.Origin + paths.Settings}}
	if address.Fault != auth.AddressGood {
		card.Reason = c.Message(show.NoPasskeys(address))
	}
	all, err := a.Store.Passkeys(v.Ctx(), v.User.ID)
	for _, p := range all {
		row := pages.PasskeyRow{ID: p.ID, Name: p.Name, Made: c.Until(p.Created), Copied: !p.Copied.IsZero(), Site: elsewhere(p, address)}
		if !p.LastUsed.IsZero() {
			row.Used = c.Moment(p.LastUsed)
		}
		card.Rows = append(card.Rows, row)
	}
	return card, err
}

// elsewhere is where a passkey works, when that is not at the present address.
func elsewhere(p finance.Passkey, address auth.Address) string {
	if p.Site == address.Site && address.Fault == auth.AddressGood {
		return ""
	}
	return p.Site
}

// provePasskey comes after the person has proved who they are: a passkey may be made for the next minutes.
func (a *Area) provePasskey(v *shell.Visitor) error {
	v.SeeOther(paths.NewPasskey)
	return nil
}

func (a *Area) newPasskey(v *shell.Visitor) error {
	return a.newPasskeyPage(v, http.StatusOK, "", "")
}

func (a *Area) newPasskeyPage(v *shell.Visitor, status int, problem, nameProblem string) error {
	if !a.AtOwnAddress(v) {
		return &shell.Problem{Status: http.StatusNotFound} // the settings say why
	}
	name := v.Field("name")
	if name == "" {
		name = show.Device(a.At(v.Ctx(), time.Now()), auth.Device(v.Request.UserAgent()))
	}
	return v.Page(status, pages.NewPasskey(pages.NewPasskeyView{Frame: a.Frame(v), Problem: problem, Options: paths.PasskeyOptions,
		Name: passkeyName(v, name, nameProblem)}))
}

func passkeyName(v *shell.Visitor, name, problem string) ui.Input {
	return ui.Input{Name: "name", Label: v.Say("Name"), Type: "text", Value: name, Problem: problem, Hint: v.Say("So that you know which one it is, for example your phone."),
		Required: true, MaxLength: finance.MaxPasskeyName, Autocomplete: "off"}
}

// passkeyOptions tells the script of the page what to ask the browser for. The answer is good for five minutes, once, in this sign-in.
func (a *Area) passkeyOptions(v *shell.Visitor) error {
	if !a.AtOwnAddress(v) {
		return &shell.Problem{Status: http.StatusNotFound}
	}
	options, err := a.Auth.AskNewPasskey(v.Ctx(), v.User, v.SignIn.ID)
	if err != nil {
		return err
	}
	return v.JSON(options)
}

func (a *Area) addPasskey(v *shell.Visitor) error {
	passkey, err := a.Auth.AddPasskey(v.Ctx(), v.User, v.SignIn.ID, v.Field("name"), v.Secret(pages.NewPasskeyField))
	if refused, is := errors.AsType[*auth.PasskeyError](err); is {
		problem := words.In(v.Ctx()).Message(show.Passkey(refused.Fault))
		if refused.Fault == auth.PasskeyName {
			return a.newPasskeyPage(v, http.StatusUnprocessableEntity, "", problem)
		}
		return a.newPasskeyPage(v, http.StatusUnprocessableEntity, problem, "")
	}
	if err != nil {
		return err
	}
	a.Log.InfoContext(v.Ctx(), "passkey added", "user", v.User.ID, "request_id", middleware.RequestIDFrom(v.Ctx()))
	a.Flash(v, ui.Good, v.Say("The passkey %s is added. From now on it signs you in.", passkey.Name))
	v.SeeOther(paths.Settings)
	return nil
}

func (a *Area) passkey(v *shell.Visitor) error {
	return a.passkeyPage(v, http.StatusOK, "")
}

func (a *Area) passkeyPage(v *shell.Visitor, status int, problem string) error {
	all, err := a.Store.Passkeys(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(p finance.Passkey) bool { return p.ID == v.Request.PathValue("passkey") })
	if i < 0 {
		return finance.ErrNotFound
	}
	p, c := all[i], a.At(v.Ctx(), time.Now())
	view := pages.PasskeyView{Frame: a.Frame(v), Title: p.Name, Copied: !p.Copied.IsZero(), Site: elsewhere(p, a.Auth.PasskeyAddress()),
		Name: passkeyName(v, p.Name, problem), Action: paths.Passkey(p.ID), Remove: paths.PasskeyRemove(p.ID)}
	if problem != "" {
		view.Name.Value = v.Field("name")
	}
	used := v.Say("Never used")
	if !p.LastUsed.IsZero() {
		used = c.Moment(p.LastUsed).Text
	}
	kept := v.Say("On one device")
	if p.BackupEligible {
		kept = v.Say("In a password manager, which can have it on several devices")
	}
	view.Facts = []ui.Fact{{Name: v.Say("Made"), Value: c.Until(p.Created).Text}, {Name: v.Say("Last used"), Value: used}, {Name: v.Say("Works at"), Value: p.Site},
		{Name: v.Say("Stored"), Value: kept}}
	return v.Page(status, pages.Passkey(view))
}

func (a *Area) renamePasskey(v *shell.Visitor) error {
	id := v.Request.PathValue("passkey")
	err := a.Auth.RenamePasskey(v.Ctx(), v.User.ID, id, v.Field("name"))
	if refused, is := errors.AsType[*auth.PasskeyError](err); is {
		return a.passkeyPage(v, http.StatusUnprocessableEntity, words.In(v.Ctx()).Message(show.Passkey(refused.Fault)))
	}
	if err != nil {
		return err
	}
	a.Flash(v, ui.Good, v.Say("The name is saved."))
	v.SeeOther(paths.Passkey(id))
	return nil
}

func (a *Area) removePasskey(v *shell.Visitor) error {
	removed, err := a.Auth.RemovePasskey(v.Ctx(), v.User.ID, v.Request.PathValue("passkey"), v.SignIn.ID)
	if errors.Is(err, store.ErrLastFactor) {
		return lastFactor(v)
	}
	if err != nil {
		return err
	}
	a.Log.InfoContext(v.Ctx(), "passkey removed", "user", v.User.ID, "request_id", middleware.RequestIDFrom(v.Ctx()))
	a.Hub.Disconnect(v.User.ID)
	a.Flash(v, ui.Good, v.Say("The passkey %s is removed. Other devices that signed in with it are signed out. Delete it on your device too.", removed.Name))
	v.SeeOther(paths.Settings)
	return nil
}
