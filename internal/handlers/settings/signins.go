package settings

import (
	"slices"

	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/middleware"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// signIns lists where the visitor is signed in: this sign-in first, then the others, the last used first.
func (a *Area) signIns(v *shell.Visitor, c show.Clock) ([]pages.SignInRow, error) {
	all, err := a.Auth.SignIns(v.Ctx(), v.User.ID)
	if err != nil {
		return nil, err
	}
	passkeys, err := a.Store.Passkeys(v.Ctx(), v.User.ID)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(one, two finance.SignIn) int { return isThis(v, two) - isThis(v, one) })
	here := v.SignIn.Network
	rows := make([]pages.SignInRow, 0, len(all))
	for _, s := range all {
		if s.ID == v.SignIn.ID {
			here = s.Network // as it is now
		}
		rows = append(rows, pages.SignInRow{ID: s.ID, Device: show.Device(c, s.Device), How: c.Message(show.SignInMethod(s, passkeys, a.providerName())),
			Where: c.Message(show.Network(s.Network, here)), Since: c.Moment(s.Created), Seen: c.Moment(s.LastSeen), Stays: s.Remembered,
			Current: s.ID == v.SignIn.ID})
	}
	return rows, nil
}

// isThis is 1 for the sign-in of the request.
func isThis(v *shell.Visitor, s finance.SignIn) int {
	if s.ID == v.SignIn.ID {
		return 1
	}
	return 0
}

// providerName is what people call the provider of OpenID Connect, "" where there is none.
func (a *Area) providerName() string {
	if provider := a.Auth.Provider(); provider != nil {
		return provider.Name()
	}
	return ""
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
	a.Flash(v, ui.Good, v.Say("That device is signed out."))
	v.SeeOther(paths.Settings)
	return nil
}

// endOtherSignIns ends all sign-ins of the user but this one.
func (a *Area) endOtherSignIns(v *shell.Visitor) error {
	if err := a.Auth.EndOtherSignIns(v.Ctx(), v.User.ID, v.SignIn.ID); err != nil {
		return err
	}
	a.Hub.Disconnect(v.User.ID)
	a.Log.InfoContext(v.Ctx(), "all other sign-ins ended", "user", v.User.ID, "request_id", middleware.RequestIDFrom(v.Ctx()))
	a.Flash(v, ui.Good, v.Say("You are signed out on all other devices."))
	v.SeeOther(paths.Settings)
	return nil
}
