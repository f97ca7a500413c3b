package settings

import (
	"errors"

	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/middleware"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// openID is what the user has at the provider of OpenID Connect; for the owner, how to set one up.
func (a *Area) openID(v *shell.Visitor, c show.Clock) (pages.OpenIDSettings, error) {
	var view pages.OpenIDSettings
	if v.User.Role == finance.RoleOwner {
		view.RedirectURL = a.PublicURL.String() + paths.OpenIDBack
	}
	provider := a.Auth.Provider()
	if provider == nil {
		return view, nil
	}
	view.Name = provider.Name()
	identity, err := a.Auth.Identity(v.Ctx(), v.User.ID)
	if errors.Is(err, finance.ErrNotFound) {
		return view, nil
	}
	view.Linked, view.Since = true, c.Until(identity.Created)
	if !identity.Used.IsZero() {
		view.Used = c.Moment(identity.Used)
	}
	return view, err
}

// linkIdentity sends the user to the provider, whose answer links the account there.
func (a *Area) linkIdentity(v *shell.Visitor) error {
	return a.Depart(v, finance.OpenIDVisit{Errand: finance.ErrandLink, UserID: v.User.ID})
}

// unlinkIdentity ends the link, and all other sign-ins with it: one of them may be somebody's at the provider.
func (a *Area) unlinkIdentity(v *shell.Visitor) error {
	if err := a.Auth.Unlink(v.Ctx(), v.User.ID, v.SignIn.ID); err != nil {
		return a.OpenIDProblem(v, err)
	}
	a.Hub.Disconnect(v.User.ID)
	a.Log.InfoContext(v.Ctx(), "identity at the provider removed", "user", v.User.ID, "request_id", middleware.RequestIDFrom(v.Ctx()))
	a.Flash(v, ui.Good, v.Say("The link with %s is removed. You are signed out on all other devices.", a.Auth.Provider().Name()))
	v.SeeOther(paths.Settings)
	return nil
}
