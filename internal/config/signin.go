package config

import (
	"net/url"
	"strings"
	"time"
)

// OpenID are the settings of the provider of OpenID Connect where people sign in.
type OpenID struct {
	Issuer       string // as the provider names itself; "" for none
	ClientID     string
	ClientSecret Secret // "" where the provider gave none
	Name         string // on the button
	NewPeople    bool   // whoever the provider knows gets an account here
	SecondFactor bool   // a second factor that the provider tells of counts here
}

// signInSettings are the settings of sign-ins, as text.
type signInSettings struct {
	SignInLifetime     string `default:"12h" placeholder:"DURATION" group:"Sign-in" help:"How long a sign-in lasts, from 5m to 24h. Payments ask for the password each time."`
	IdleLifetime       string `default:"2h" placeholder:"DURATION" group:"Sign-in" help:"How long a sign-in lasts that is not used, from 5m to 24h."`
	RememberedLifetime string `default:"720h" placeholder:"DURATION" group:"Sign-in" help:"How long it lasts where the person chose to stay signed in on the device, from --sign-in-lifetime to 2160h (90 days)."`
	RememberedIdle     string `name:"remembered-idle-lifetime" default:"168h" placeholder:"DURATION" group:"Sign-in" help:"How long such a sign-in lasts that is not used, from 5m to 2160h."`

	LocalSignIn          string `default:"on" placeholder:"on|off" group:"Sign-in" help:"Whether people sign in at Florin itself too. off leaves the provider of --oidc-issuer as the only way in; on again lets everybody in as before."`
	OIDCIssuer           string `name:"oidc-issuer" placeholder:"URL" group:"Sign-in" help:"Provider of OpenID Connect where people can sign in, by the name that it gives itself (issuer), such as https://login.example.org/realms/home."`
	OIDCClientID         string `name:"oidc-client-id" placeholder:"TEXT" group:"Sign-in" help:"Name of this Florin at the provider (client ID)."`
	OIDCClientSecret     Secret `name:"oidc-client-secret" placeholder:"TEXT" group:"Sign-in" help:"Secret: the client secret that the provider gave."`
	OIDCClientSecretFile string `name:"oidc-client-secret-file" placeholder:"FILE" group:"Sign-in" help:"File with the client secret, instead of the secret itself."`
	OIDCName             string `name:"oidc-name" placeholder:"NAME" group:"Sign-in" derived:"the host name in --oidc-issuer" help:"Name of the provider on the button of the sign-in page."`
	OIDCAccounts         string `name:"oidc-accounts" default:"known" placeholder:"known|new" group:"Sign-in" help:"Who may come in through the provider: known are people who have an account here and linked it with the provider; new makes an account for everybody whom the provider knows, as a member."`
	OIDCSecondFactor     string `name:"oidc-second-factor" default:"florin" placeholder:"florin|provider" group:"Sign-in" help:"Where a second factor is proved: florin asks for its own after the provider, too; provider counts what the provider says (amr with mfa)."`
}

func (r *signInSettings) check(s *Settings, found *problems) {
	r.checkOpenID(s, found)
	const most, mostRemembered = 24 * time.Hour, 90 * 24 * time.Hour
	var err error
	if s.SignInLifetime, err = time.ParseDuration(r.SignInLifetime); err != nil || s.SignInLifetime < 5*time.Minute || s.SignInLifetime > most {
		found.wrong("sign-in-lifetime", "%q is not a duration from 5m to 24h, such as 8h", r.SignInLifetime)
		return
	}
	if s.RememberedLifetime, err = time.ParseDuration(r.RememberedLifetime); err != nil || s.RememberedLifetime < s.SignInLifetime ||
		s.RememberedLifetime > mostRemembered {
		found.wrong("remembered-lifetime", "%q is not a duration from --sign-in-lifetime (%s) to 2160h, such as 168h for a week", r.RememberedLifetime,
			r.SignInLifetime)
	}
	if s.IdleLifetime, err = time.ParseDuration(r.IdleLifetime); err != nil || s.IdleLifetime < 5*time.Minute || s.IdleLifetime > most {
		found.wrong("idle-lifetime", "%q is not a duration from 5m to 24h, such as 30m", r.IdleLifetime)
	}
	if s.RememberedIdleLifetime, err = time.ParseDuration(r.RememberedIdle); err != nil || s.RememberedIdleLifetime < 5*time.Minute ||
		s.RememberedIdleLifetime > mostRemembered {
		found.wrong("remembered-idle-lifetime", "%q is not a duration from 5m to 2160h, such as 48h for two days", r.RememberedIdle)
	}
}

func (r *signInSettings) checkOpenID(s *Settings, found *problems) {
	o := OpenID{Issuer: strings.TrimSpace(r.OIDCIssuer), ClientID: strings.TrimSpace(r.OIDCClientID), Name: oneLine("oidc-name", r.OIDCName, found)}
	o.ClientSecret, _ = found.secret("oidc-client-secret", "the secret", r.OIDCClientSecret, r.OIDCClientSecretFile)
	o.NewPeople = oneOf("oidc-accounts", r.OIDCAccounts, "known", "new", found)
	o.SecondFactor = oneOf("oidc-second-factor", r.OIDCSecondFactor, "florin", "provider", found)
	s.LocalSignIn = !oneOf("local-sign-in", r.LocalSignIn, "on", "off", found)
	if o.Issuer == "" {
		switch {
		case o.ClientID != "" || o.ClientSecret != "":
			found.wrong("oidc-issuer", "the other settings of the provider need it")
		case !s.LocalSignIn:
			found.wrong("local-sign-in", "nobody could sign in: off needs a provider (--oidc-issuer)")
		}
		return
	}
	issuer, err := url.Parse(o.Issuer)
	switch {
	case err != nil || issuer.Hostname() == "" || issuer.User != nil || issuer.RawQuery != "" || issuer.ForceQuery || strings.ContainsAny(o.Issuer, "# ") ||
		issuer.Scheme != "https" && (issuer.Scheme != "http" || !isLoopback(issuer.Hostname())):
		found.wrong("oidc-issuer", "%q is not an address such as https://login.example.org, without user, query and fragment; http is for this machine alone", o.Issuer)
		return
	case o.ClientID == "":
		found.wrong("oidc-client-id", "the provider needs to know who asks: give the client ID that was registered there")
	}
	if o.Name == "" {
		o.Name = issuer.Hostname()
	}
	s.OpenID = o
}

// oneOf reports whether a setting has the second of its two values.
func oneOf(setting, text, first, second string, found *problems) bool {
	if text != first && text != second {
		found.wrong(setting, "%q is not one of %s, %s", text, first, second)
	}
	return text == second
}
