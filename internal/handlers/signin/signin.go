package signin

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"unicode"

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
	return v.Page(http.StatusOK, pages.SignIn(pages.SignInView{Frame: a.Frame(v), Next: next,
		RememberFor: words.In(v.Ctx()).Tell(show.Duration(a.Auth.Longest())), Reset: v.Request.URL.Query().Get("reset") == "done"}))
}

func (a *Area) signIn(v *shell.Visitor) error {
	view := pages.SignInView{Email: v.Field("email"), Next: a.next(v.Request.PostFormValue("next")),
		RememberFor: words.In(v.Ctx()).Tell(show.Duration(a.Auth.Longest()))}
	view.Remember = v.Field("remember") == "yes"
	user, signIn, err := a.Auth.SignIn(v.Ctx(), view.Email, v.Secret("password"), a.Browser(v), view.Remember)
	var wait *auth.WaitError
	switch {
	case errors.Is(err, auth.ErrCredentials):
		a.LogRefused(v, "sign-in", view.Email, "wrong address or password")
		view.Frame = a.Frame(v)
		view.Problem = v.Say("The e-mail address or the password is wrong.") // never which of the two (security T22)
		return v.Page(http.StatusUnprocessableEntity, pages.SignIn(view))
	case errors.As(err, &wait):
		a.LogRefused(v, "sign-in", view.Email, "too many tries")
		return err
	case err != nil:
		return err
	}
	if err := a.Begin(v, user, signIn); err != nil {
		return err
	}
	a.Log.InfoContext(v.Ctx(), "signed in", "user", user.ID, "request_id", middleware.RequestIDFrom(v.Ctx()))
	v.SeeOther(orAccounts(view.Next))
	return nil
}

// next checks where to go after signing in (security T13): only a page of this app for people who are signed in, written as a plain
// path. Anything else is "".
func (a *Area) next(text string) string {
	strange := func(r rune) bool { return r == '\\' || unicode.IsControl(r) || unicode.IsSpace(r) }
	if len(text) > 1000 || !strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//") || strings.ContainsFunc(text, strange) {
		return ""
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || strings.ContainsFunc(u.Path, strange) || !a.IsPage(u.Path) {
		return ""
	}
	return u.RequestURI()
}

func orAccounts(path string) string {
	if path == "" {
		return paths.Accounts
	}
	return path
}
