package signin

import (
	"errors"
	"net/http"

	"florin/internal/auth"
	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/store"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/words"
)

// setupPage shows the form that creates the owner to the holder of the one-time link, and where to find the link to everybody else
// (security T38). The address with the token is not linked from anywhere, and the referrer policy keeps it here.
func (a *Area) setupPage(v *shell.Visitor) error {
	token := finance.Secret(v.Request.URL.Query().Get("token"))
	valid, err := a.Store.SetupTokenValid(v.Ctx(), token)
	if err != nil {
		return err
	}
	if !valid {
		return a.setupLink(v, token)
	}
	return v.Page(http.StatusOK, pages.Setup(pages.SetupView{Frame: a.Frame(v), Token: token.Reveal(), MinPassword: auth.MinPassword}))
}

func (a *Area) setupLink(v *shell.Visitor, token finance.Secret) error {
	view := pages.SetupLinkView{Frame: a.Frame(v)}
	if token != "" {
		view.Problem = v.Say("It was already used, it is too old, or Florin has printed a newer one since. Use the newest link.")
	}
	return v.Page(http.StatusForbidden, pages.SetupLink(view))
}

func (a *Area) setup(v *shell.Visitor) error {
	token := v.Secret("token")
	view := pages.SetupView{Token: token.Reveal(), Email: v.Field("email"), MinPassword: auth.MinPassword}
	user, err := a.Auth.Setup(v.Ctx(), token, view.Email, v.Secret("password"))
	var password *auth.PasswordError
	switch {
	case errors.Is(err, store.ErrOwnerExists):
		v.SeeOther(paths.SignIn)
		return nil
	case errors.Is(err, store.ErrSetupToken):
		return a.setupLink(v, token)
	case errors.Is(err, finance.ErrEmail):
		view.EmailProblem = v.Say("An e-mail address looks like name@example.org.")
	case errors.Is(err, store.ErrEmailTaken):
		view.EmailProblem = v.Say("There is already a user with this e-mail address.")
	case errors.As(err, &password):
		view.PasswordProblem = words.In(v.Ctx()).Message(show.Password(password.Fault))
	case err != nil:
		return err
	}
	if err != nil {
		view.Frame = a.Frame(v)
		return v.Page(http.StatusUnprocessableEntity, pages.Setup(view))
	}
	a.Log.InfoContext(v.Ctx(), "owner created", "user", user.ID)
	signIn, err := a.Auth.Begin(v.Ctx(), user, a.Browser(v))
	if err != nil {
		return err
	}
	if err := a.BeginWithPassword(v, user, signIn); err != nil {
		return err
	}
	known, err := a.Store.Providers(v.Ctx())
	if err != nil {
		return err
	}
	if len(known) == 0 { // without a service there is nothing to look at
		v.SeeOther(paths.Services)
		return nil
	}
	v.SeeOther(paths.Accounts)
	return nil
}
