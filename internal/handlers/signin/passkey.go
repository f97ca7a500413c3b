package signin

import (
	"errors"
	"net/http"

	"florin/internal/auth"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/middleware"
	"florin/web/templates/pages"
	"florin/web/templates/words"
)

// passkeyOptions tells the script of the page what to ask the browser for. The answer is good for five minutes, once, in this browser.
func (a *Area) passkeyOptions(v *shell.Visitor) error {
	if !a.AtOwnAddress(v) {
		return &shell.Problem{Status: http.StatusNotFound}
	}
	options, err := a.Auth.AskPasskey(a.StartPasskey(v))
	if err != nil {
		return err
	}
	return v.JSON(options)
}

// signInWithPasskey signs in whoever the passkey belongs to. Nobody types an address or a password, and no second factor is asked for: the passkey is two.
func (a *Area) signInWithPasskey(v *shell.Visitor) error {
	next := a.next(v.Request.PostFormValue("next"))
	user, signIn, err := a.Auth.SignInWithPasskey(v.Ctx(), v.Secret(pages.PasskeyField), a.PasskeyBrowser(v), a.Browser(v), v.Field("remember") == "yes")
	if refused, is := errors.AsType[*auth.PasskeyError](err); is {
		a.LogRefused(v, "sign-in with a passkey", user.Email, string(refused.Fault))
		view := a.signInView(v, next)
		view.Email, view.Remember = v.Field("email"), v.Field("remember") == "yes"
		view.Problem = words.In(v.Ctx()).Message(show.Passkey(refused.Fault))
		return v.Page(http.StatusUnprocessableEntity, pages.SignIn(view))
	}
	if _, wait := errors.AsType[*auth.WaitError](err); wait {
		a.LogRefused(v, "sign-in with a passkey", "", "too many tries")
	}
	if err != nil {
		return err
	}
	if err := a.Begin(v, user, signIn); err != nil {
		return err
	}
	a.Log.InfoContext(v.Ctx(), "signed in with a passkey", "user", user.ID, "request_id", middleware.RequestIDFrom(v.Ctx()))
	v.SeeOther(orAccounts(next))
	return nil
}
