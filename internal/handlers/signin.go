package handlers

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"florin/internal/auth"
	"florin/internal/middleware"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
)

func (a *App) signInPage(v *visit) error {
	next := a.next(v.r.URL.Query().Get("next"))
	if v.signedIn() {
		v.seeOther(orAccounts(next))
		return nil
	}
	owned, err := a.hasOwner(v.ctx())
	if err != nil {
		return err
	}
	if !owned {
		v.seeOther(paths.Setup)
		return nil
	}
	return v.page(http.StatusOK, pages.SignIn(pages.SignInView{Frame: a.frame(v), Next: next, RememberFor: duration(a.Auth.Longest()), Reset: v.r.URL.Query().Get("reset") == "done"}))
}

func (a *App) signIn(v *visit) error {
	view := pages.SignInView{Email: v.field("email"), Next: a.next(v.r.PostFormValue("next")), RememberFor: duration(a.Auth.Longest())}
	view.Remember = v.field("remember") == "yes"
	user, signIn, err := a.Auth.SignIn(v.ctx(), view.Email, v.secret("password"), a.browser(v), view.Remember)
	var wait *auth.WaitError
	switch {
	case errors.Is(err, auth.ErrCredentials):
		a.logRefused(v, "sign-in", view.Email, "wrong address or password")
		view.Frame = a.frame(v)
		view.Problem = "E-mail address or password is wrong." // never which of the two (security T22)
		return v.page(http.StatusUnprocessableEntity, pages.SignIn(view))
	case errors.As(err, &wait):
		a.logRefused(v, "sign-in", view.Email, "too many tries")
		return err
	case err != nil:
		return err
	}
	if err := a.begin(v, user, signIn); err != nil {
		return err
	}
	a.Log.InfoContext(v.ctx(), "signed in", "user", user.ID, "request_id", middleware.RequestIDFrom(v.ctx()))
	v.seeOther(orAccounts(view.Next))
	return nil
}

// signOut ends the sign-in of this browser.
func (a *App) signOut(v *visit) error { return a.leave(v) }

// next checks where to go after signing in (security T13): only a page of this app for people who are signed in, written as a plain
// path. Anything else is "".
func (a *App) next(text string) string {
	strange := func(r rune) bool { return r == '\\' || unicode.IsControl(r) || unicode.IsSpace(r) }
	if len(text) > 1000 || !strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//") || strings.ContainsFunc(text, strange) {
		return ""
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || strings.ContainsFunc(u.Path, strange) || !a.isPage(u.Path) {
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

// sentence makes a sentence of an error's text.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
