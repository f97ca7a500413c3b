package signin

import (
	"errors"
	"net/http"

	"florin/internal/auth"
	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/middleware"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/words"
)

// resetPage shows the form for a new password to the holder of the one-time link that "florin user link" printed. The address with the token is not linked from
// anywhere, and the referrer policy keeps it here.
func (a *Area) resetPage(v *shell.Visitor) error {
	token := finance.Secret(v.Request.URL.Query().Get("token"))
	user, err := a.Store.UserOfResetLink(v.Ctx(), token)
	if errors.Is(err, auth.ErrResetLink) {
		return a.resetLink(v)
	}
	if err != nil {
		return err
	}
	return a.resetForm(v, http.StatusOK, user, pages.ResetView{Token: token.Reveal()})
}

// resetForm says what a new password leaves as it is: what else signs the person in, or is read without a sign-in.
func (a *Area) resetForm(v *shell.Visitor, status int, user finance.User, view pages.ResetView) error {
	ways, err := a.Store.Ways(v.Ctx(), user.ID)
	if err != nil {
		return err
	}
	view.Frame, view.Email, view.MinPassword, view.Passkeys = a.Frame(v), user.Email, auth.MinPassword, ways.Passkeys
	view.Calendar = ways.Calendar
	if provider := a.Auth.Provider(); provider != nil && ways.Provider == provider.Issuer() {
		view.OpenID = provider.Name()
	}
	return v.Page(status, pages.Reset(view))
}

func (a *Area) resetLink(v *shell.Visitor) error {
	return v.Page(http.StatusNotFound, pages.ResetLink(pages.ResetLinkView{Frame: a.Frame(v)}))
}

// reset sets the new password, ends all sign-ins of the person, and makes this browser a known one. It signs nobody in: a person with a second factor still
// needs it.
func (a *Area) reset(v *shell.Visitor) error {
	token := v.Secret("token")
	user, err := a.Auth.Reset(v.Ctx(), token, v.Secret("password"))
	weak, isWeak := errors.AsType[*auth.PasswordError](err)
	switch {
	case errors.Is(err, auth.ErrResetLink):
		a.Log.WarnContext(v.Ctx(), "link for a new password refused", "from", middleware.ClientAddressFrom(v.Ctx()), "request_id", middleware.RequestIDFrom(v.Ctx()))
		return a.resetLink(v)
	case isWeak:
		user, err := a.Store.UserOfResetLink(v.Ctx(), token)
		if errors.Is(err, auth.ErrResetLink) {
			return a.resetLink(v)
		}
		if err != nil {
			return err
		}
		return a.resetForm(v, http.StatusUnprocessableEntity, user,
			pages.ResetView{Token: token.Reveal(), PasswordProblem: words.In(v.Ctx()).Message(show.Password(weak.Fault))})
	case err != nil:
		return err
	}
	a.Log.InfoContext(v.Ctx(), "new password set by a link", "user", user.ID, "request_id", middleware.RequestIDFrom(v.Ctx()))
	a.Hub.Disconnect(user.ID)
	if v.SignedIn() { // as whom does not matter: the next thing to do here is to sign in
		if err := a.End(v); err != nil {
			return err
		}
		a.DestroySession(v)
	}
	if err := a.KnowBrowser(v, user); err != nil {
		return err
	}
	v.SeeOther(paths.SignIn + "?reset=done")
	return nil
}
