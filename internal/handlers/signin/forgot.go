package signin

import (
	"errors"
	"net/http"

	"florin/internal/auth"
	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/middleware"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
)

// forgotPage says how somebody gets back in who forgot the password: by a link in a mail, or with the help of whoever runs this server.
func (a *Area) forgotPage(v *shell.Visitor) error {
	return v.Page(http.StatusOK, pages.Forgot(pages.ForgotView{Frame: a.Frame(v), Mail: a.Mail.Sends(), Sent: v.Request.URL.Query().Get("sent") == "yes"}))
}

// forgot asks for a link. The answer tells nobody whether there is a user with the address (security T22): the work happens in the background.
func (a *Area) forgot(v *shell.Visitor) error {
	if !a.Mail.Sends() {
		return a.forgotPage(v)
	}
	email := v.Field("email")
	err := a.Auth.AskForReset(v.Ctx(), email, a.Browser(v).Address)
	_, wait := errors.AsType[*auth.WaitError](err)
	switch {
	case errors.Is(err, finance.ErrEmail):
		return v.Page(http.StatusUnprocessableEntity, pages.Forgot(pages.ForgotView{Frame: a.Frame(v), Mail: true, Email: email,
			Problem: v.Say("An e-mail address looks like name@example.org.")}))
	case wait:
		a.LogRefused(v, "link for a new password", email, "too many tries")
		return err
	case err != nil:
		return err
	}
	a.Log.InfoContext(v.Ctx(), "link for a new password asked for", "account", a.Auth.LogName(email), "from", middleware.ClientAddressFrom(v.Ctx()),
		"request_id", middleware.RequestIDFrom(v.Ctx()))
	v.SeeOther(paths.Forgot + "?sent=yes")
	return nil
}
