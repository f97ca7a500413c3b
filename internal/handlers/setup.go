package handlers

import (
	"errors"
	"net/http"

	"florin/internal/auth"
	"florin/internal/finance"
	"florin/internal/store"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
)

// setupPage shows the form that creates the owner to whoever has the one-time link, and where to find the link to everybody else
// (security T38). The address with the token is not linked from anywhere, and the referrer policy keeps it here.
func (a *App) setupPage(v *visit) error {
	token := finance.Secret(v.r.URL.Query().Get("token"))
	valid, err := a.Store.SetupTokenValid(v.ctx(), token)
	if err != nil {
		return err
	}
	if !valid {
		return a.setupLink(v, token)
	}
	return v.page(http.StatusOK, pages.Setup(pages.SetupView{Frame: a.frame(v), Token: token.Reveal(), MinPassword: auth.MinPassword}))
}

func (a *App) setupLink(v *visit, token finance.Secret) error {
	view := pages.SetupLinkView{Frame: a.frame(v)}
	if token != "" {
		view.Problem = "It was used already, is too old, or was printed by an earlier start of Florin. Use the newest one."
	}
	return v.page(http.StatusForbidden, pages.SetupLink(view))
}

func (a *App) setup(v *visit) error {
	token := v.secret("token")
	view := pages.SetupView{Token: token.Reveal(), Email: v.field("email"), MinPassword: auth.MinPassword}
	user, err := a.Auth.Setup(v.ctx(), token, view.Email, v.secret("password"))
	var password *auth.PasswordError
	switch {
	case errors.Is(err, store.ErrOwnerExists):
		v.seeOther(paths.SignIn)
		return nil
	case errors.Is(err, store.ErrSetupToken):
		return a.setupLink(v, token)
	case errors.Is(err, finance.ErrEmail), errors.Is(err, store.ErrEmailTaken):
		view.EmailProblem = sentence(err.Error())
	case errors.As(err, &password):
		view.PasswordProblem = password.Text
	case err != nil:
		return err
	}
	if err != nil {
		view.Frame = a.frame(v)
		return v.page(http.StatusUnprocessableEntity, pages.Setup(view))
	}
	a.Log.InfoContext(v.ctx(), "owner created", "user", user.ID)
	signIn, err := a.Auth.Begin(v.ctx(), user, auth.Device(v.r.UserAgent()))
	if err != nil {
		return err
	}
	if err := a.begin(v, user, signIn); err != nil {
		return err
	}
	known, err := a.Store.Providers(v.ctx())
	if err != nil {
		return err
	}
	if len(known) == 0 { // without a service there is nothing to look at
		v.seeOther(paths.Services)
		return nil
	}
	v.seeOther(paths.Accounts)
	return nil
}
