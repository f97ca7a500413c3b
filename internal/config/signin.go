package config

import "time"

// signInSettings are the settings of sign-ins, as text.
type signInSettings struct {
	SignInLifetime     string `default:"12h" placeholder:"DURATION" group:"Sign-in" help:"How long a sign-in lasts, from 5m to 24h. Payments ask for the password each time."`
	RememberedLifetime string `default:"720h" placeholder:"DURATION" group:"Sign-in" help:"How long it lasts where the person chose to stay signed in on the device, from --sign-in-lifetime to 2160h (90 days)."`
}

func (r *signInSettings) check(s *Settings, found *problems) {
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
}
