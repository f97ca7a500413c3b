// Package settings is what users see of themselves: who they are, their password, where they are signed in, what they are told by mail and on their pages.
package settings

import (
	"log/slog"
	"net/url"

	"florin/internal/auth"
	"florin/internal/handlers/offers"
	"florin/internal/handlers/shell"
	"florin/internal/live"
	"florin/internal/outbox"
	"florin/internal/store"
	"florin/web/templates/paths"
)

// Deps are what the area needs.
type Deps struct {
	*shell.Shell

	Store     *store.Store
	Auth      *auth.Auth
	Hub       *live.Hub
	Offers    *offers.Offers
	Mail      *outbox.Outbox
	IsPage    func(path string) bool // whether people who are signed in may go there
	Log       *slog.Logger
	Version   string // of Florin
	PublicURL *url.URL
}

// Area is this part of the web app.
type Area struct{ Deps }

// New returns the area.
func New(d Deps) *Area { return &Area{d} }

// Routes are the pages and forms of the area, with who may use them.
func (a *Area) Routes() []shell.Route {
	return append([]shell.Route{
		shell.Get(shell.SignedIn, paths.Settings, a.settings),
		shell.Post(shell.SignedIn, paths.Password, a.changePassword),
		shell.Post(shell.SignedIn, paths.Language, a.chooseLanguage),
		shell.Post(shell.SignedIn, paths.Whose, a.chooseWhose),
		shell.Post(shell.SignedIn, paths.Amounts, a.hideAmounts),
		shell.Get(shell.SignedIn, paths.Keyboard, a.keyboard),
		shell.Post(shell.SignedIn, paths.Device, a.keepDevice),
		shell.PostProven(shell.SignedIn, paths.OpenIDLink, auth.ForOpenID, a.linkIdentity),
		shell.PostProven(shell.SignedIn, paths.OpenIDUnlink, auth.ForOpenID, a.unlinkIdentity),
		shell.Post(shell.Owner, paths.TestMail, a.testMail),
		shell.Post(shell.SignedIn, "/notices/{notice}/close", a.closeNotice),
		shell.PostProven(shell.SignedIn, paths.SignInsEnd, auth.ForSignIns, a.endOtherSignIns),
		shell.PostProven(shell.SignedIn, paths.Settings+"/sign-ins/{sign_in}/end", auth.ForSignIns, a.endSignIn),
		shell.Post(shell.SignedIn, paths.PasskeyQuestion, a.PasskeyQuestion),
		shell.Get(shell.SignedIn, paths.Passkeys+"/{passkey}", a.passkey),
		shell.Post(shell.SignedIn, paths.Passkeys+"/{passkey}", a.renamePasskey),
		shell.PostProven(shell.SignedIn, paths.Passkeys+"/{passkey}/remove", auth.ForPasskeys, a.removePasskey),
		shell.PostProven(shell.SignedIn, paths.RecoveryCodes, auth.ForSecond, a.makeRecoveryCodes),
		shell.Post(shell.SignedIn, paths.RecoveryFile, a.recoveryFile),
		shell.Get(shell.SignedIn, paths.Authenticators+"/{authenticator}", a.authenticator),
		shell.Post(shell.SignedIn, paths.Authenticators+"/{authenticator}", a.renameAuthenticator),
		shell.PostProven(shell.SignedIn, paths.Authenticators+"/{authenticator}/remove", auth.ForSecond, a.removeAuthenticator),
	}, shell.WhileSettingUp(
		shell.Get(shell.SignedIn, paths.SecondFactorFirst, a.secondFactorFirst),
		shell.Get(shell.SignedIn, paths.NewAuthenticator, a.newAuthenticator),
		shell.PostProven(shell.SignedIn, paths.NewAuthenticator, auth.ForSecond, a.beginAuthenticator),
		shell.PostProven(shell.SignedIn, paths.Authenticators, auth.ForSecond, a.addAuthenticator),
		shell.Get(shell.SignedIn, paths.NewPasskey, a.newPasskey),
		shell.PostProven(shell.SignedIn, paths.NewPasskey, auth.ForPasskeys, a.provePasskey),
		shell.Post(shell.SignedIn, paths.PasskeyOptions, a.passkeyOptions),
		shell.PostProven(shell.SignedIn, paths.Passkeys, auth.ForPasskeys, a.addPasskey),
	)...)
}
