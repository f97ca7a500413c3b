package handlers

import (
	"errors"
	"net/http"

	"florin/internal/auth"
	"florin/internal/finance"
	"florin/internal/middleware"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
)

// resetPage shows the form for a new password to whoever has the one-time link that "florin user link" printed. The address with the token is not linked from
// anywhere, and the referrer policy keeps it here.
func (a *App) resetPage(v *visit) error {
	token := finance.Secret(v.r.URL.Query().Get("token"))
	user, err := a.Store.UserOfResetLink(v.ctx(), token)
	if errors.Is(err, auth.ErrResetLink) {
		return a.resetLink(v)
	}
	if err != nil {
		return err
	}
	return v.page(http.StatusOK, pages.Reset(pages.ResetView{Frame: a.frame(v), Token: token.Reveal(), Email: user.Email, MinPassword: auth.MinPassword}))
}

func (a *App) resetLink(v *visit) error {
	return v.page(http.StatusNotFound, pages.ResetLink(pages.ResetLinkView{Frame: a.frame(v)}))
}

// reset sets the new password, ends all sign-ins of the person, and makes this browser a known one. It signs nobody in: whoever has a second factor needs it as ever.
func (a *App) reset(v *visit) error {
	token := v.secret("token")
	user, err := a.Auth.Reset(v.ctx(), token, v.secret("password"))
	weak, isWeak := errors.AsType[*auth.PasswordError](err)
	switch {
	case errors.Is(err, auth.ErrResetLink):
		a.Log.WarnContext(v.ctx(), "link for a new password refused", "from", middleware.ClientAddressFrom(v.ctx()), "request_id", middleware.RequestIDFrom(v.ctx()))
		return a.resetLink(v)
	case isWeak:
		user, err := a.Store.UserOfResetLink(v.ctx(), token)
		if errors.Is(err, auth.ErrResetLink) {
			return a.resetLink(v)
		}
		if err != nil {
			return err
		}
		view := pages.ResetView{Frame: a.frame(v), Token: token.Reveal(), Email: user.Email, PasswordProblem: weak.Text, MinPassword: auth.MinPassword}
		return v.page(http.StatusUnprocessableEntity, pages.Reset(view))
	case err != nil:
		return err
	}
	a.Log.InfoContext(v.ctx(), "new password set by a link", "user", user.ID, "request_id", middleware.RequestIDFrom(v.ctx()))
	a.Hub.Disconnect(user.ID)
	if v.signedIn() { // as whom does not matter: the next thing to do here is to sign in
		if err := a.end(v); err != nil {
			return err
		}
		a.destroySession(v)
	}
	if err := a.knowBrowser(v, user); err != nil {
		return err
	}
	v.seeOther(paths.SignIn + "?reset=done")
	return nil
}
