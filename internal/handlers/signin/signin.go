package signin

import (
	"errors"
	"net/http"

	"florin/internal/auth"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/middleware"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/words"
)

func (a *Area) signInPage(v *shell.Visitor) error {
	next := a.next(v.Request.URL.Query().Get("next"))
	if v.SignedIn() {
		v.SeeOther(orAccounts(next))
		return nil
	}
	owned, err := a.HasOwner(v.Ctx())
	if err != nil {
		return err
	}
	if !owned {
		v.SeeOther(paths.Setup)
		return nil
	}
	view := a.signInView(v, next)
	view.Reset = v.Request.URL.Query().Get("reset") == "done"
	return v.Page(http.StatusOK, pages.SignIn(view))
}

// signInView says in which ways people sign in.
func (a *Area) signInView(v *shell.Visitor, next string) pages.SignInView {
	view := pages.SignInView{Frame: a.Frame(v), Next: next, RememberFor: words.In(v.Ctx()).Message(show.Duration(a.Auth.Longest())),
		Local: a.Auth.Local(), Passkeys: a.AtOwnAddress(v)}
	if idle, shorter := a.Auth.LongestUnused(); shorter {
		view.UnusedFor = words.In(v.Ctx()).Message(show.Duration(idle))
	}
	if provider := a.Auth.Provider(); provider != nil {
		view.OpenID = provider.Name()
	}
	return view
}

func (a *Area) signIn(v *shell.Visitor) error {
	view := a.signInView(v, a.next(v.Request.PostFormValue("next")))
	view.Email, view.Remember = v.Field("email"), v.Field("remember") == "yes"
	user, signIn, err := a.Auth.SignIn(v.Ctx(), view.Email, v.Secret("password"), a.Browser(v), view.Remember)
	var wait *auth.WaitError
	var second *auth.SecondStepError
	switch {
	case errors.Is(err, auth.ErrCredentials):
		a.LogRefused(v, "sign-in", view.Email, "wrong address or password")
		view.Problem = v.Say("The e-mail address or the password is wrong.") // never which of the two (security T22)
		return v.Page(http.StatusUnprocessableEntity, pages.SignIn(view))
	case errors.As(err, &second):
		return a.toSecondStep(v, user, second.Pending, view.Next)
	case errors.As(err, &wait):
		a.LogRefused(v, "sign-in", view.Email, "too many tries")
		return err
	case err != nil:
		return err
	}
	if err := a.BeginWithPassword(v, user, signIn); err != nil {
		return err
	}
	a.Log.InfoContext(v.Ctx(), "signed in", "user", user.ID, "request_id", middleware.RequestIDFrom(v.Ctx()))
	v.SeeOther(orAccounts(view.Next))
	return nil
}

// next is where to go after signing in: a page of this app, else "".
func (a *Area) next(text string) string { return shell.OwnPage(a.IsPage, text) }

func orAccounts(path string) string {
	if path == "" {
		return paths.Accounts
	}
	return path
}
