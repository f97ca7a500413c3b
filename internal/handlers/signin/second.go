package signin

import (
	"errors"
	"net/http"
	"net/url"

	"florin/internal/auth"
	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/middleware"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/words"
)

// toSecondStep keeps the first step of a sign-in and asks for the second.
func (a *Area) toSecondStep(v *shell.Visitor, user finance.User, p auth.Pending, next string) error {
	if err := a.BeginPending(v, p); err != nil {
		return err
	}
	a.Log.InfoContext(v.Ctx(), "first step of a sign-in", "user", user.ID, "request_id", middleware.RequestIDFrom(v.Ctx()))
	to := paths.SignInSecond
	if next != "" {
		to += "?" + url.Values{"next": {next}}.Encode()
	}
	v.SeeOther(to)
	return nil
}

// secondPage asks for a code, or a passkey, after the first step.
func (a *Area) secondPage(v *shell.Visitor) error {
	p, ok := a.Pending(v)
	if v.SignedIn() || !ok {
		v.SeeOther(paths.SignIn)
		return nil
	}
	return a.secondStep(v, http.StatusOK, p, a.next(v.Request.URL.Query().Get("next")), "")
}

func (a *Area) secondStep(v *shell.Visitor, status int, p auth.Pending, next, problem string) error {
	has, err := a.Auth.SecondFactors(v.Ctx(), p.UserID)
	if err != nil {
		return err
	}
	return v.Page(status, pages.SecondStep(pages.SecondStepView{Frame: a.Frame(v), Next: next, Remember: p.Remember, Problem: problem, App: has.Apps > 0,
		Codes: has.Codes > 0, Passkey: has.Passkeys > 0 && a.AtOwnAddress(v)}))
}

// second takes the code, and signs in.
func (a *Area) second(v *shell.Visitor) error {
	next := a.next(v.Request.PostFormValue("next"))
	if v.SignedIn() { // a second click
		v.SeeOther(orAccounts(next))
		return nil
	}
	p, ok := a.Pending(v)
	if !ok {
		return a.beginAnew(v, next)
	}
	user, signIn, err := a.Auth.Complete(v.Ctx(), p, v.Secret(pages.CodeField), a.Browser(v))
	refused, is := errors.AsType[*auth.CodeError](err)
	_, wait := errors.AsType[*auth.WaitError](err)
	switch {
	case errors.Is(err, auth.ErrPending):
		a.DestroySession(v)
		return a.beginAnew(v, next)
	case is:
		a.LogRefused(v, "second step of a sign-in", user.Email, string(refused.Fault))
		return a.secondStep(v, http.StatusUnprocessableEntity, p, next, words.In(v.Ctx()).Message(show.Code(refused)))
	case wait:
		a.LogRefused(v, "second step of a sign-in", user.Email, "too many tries")
		return err
	case err != nil:
		return err
	}
	if err := a.Begin(v, user, signIn); err != nil {
		return err
	}
	a.Log.InfoContext(v.Ctx(), "signed in with a second factor", "user", user.ID, "request_id", middleware.RequestIDFrom(v.Ctx()))
	v.SeeOther(orAccounts(next))
	return nil
}

// beginAnew says that the first step has to be taken again.
func (a *Area) beginAnew(v *shell.Visitor, next string) error {
	view := a.signInView(v, next)
	view.Problem = v.Say("The second step took longer than ten minutes, or your password was changed meanwhile. Sign in again.")
	return v.Page(http.StatusUnprocessableEntity, pages.SignIn(view))
}
