package shell

import (
	"net/http"
	"net/url"
	"time"

	"florin/web/templates/words"
)

// deviceCookie is the name of the cookie with the choices for one device. It holds no secret and nothing about the person.
const deviceCookie = "florin-device"

// deviceLifetime is how long the choices last: the longest time that browsers allow.
const deviceLifetime = 400 * 24 * time.Hour

// Device is what a person chose for one device: who else sees its screen, and what its keyboard does (ADR 0065).
type Device struct {
	HidesAmounts bool // privacy mode: pages hide all amounts, except where a payment is about to be sent
	KeysOff      bool // single keys are no shortcuts
}

// Names and values in the cookie, which has the form of a URL query.
const (
	deviceAmounts, amountsHidden = "amounts", "hidden"
	deviceKeys, keysOff          = "keys", "off"
)

// device reads the cookie. Unreadable choices count as not made.
func (s *Shell) device(r *http.Request) Device {
	cookie, err := r.Cookie(cookieName(deviceCookie, s.https))
	if err != nil {
		return Device{}
	}
	chosen, err := url.ParseQuery(cookie.Value)
	if err != nil {
		return Device{}
	}
	return Device{HidesAmounts: chosen.Get(deviceAmounts) == amountsHidden, KeysOff: chosen.Get(deviceKeys) == keysOff}
}

// KeepDevice stores the choices for the visitor's device in its cookie.
func (s *Shell) KeepDevice(v *Visitor, d Device) {
	v.Device = d
	chosen := url.Values{}
	if d.HidesAmounts {
		chosen.Set(deviceAmounts, amountsHidden)
	}
	if d.KeysOff {
		chosen.Set(deviceKeys, keysOff)
	}
	cookie := &http.Cookie{ //nolint:gosec // Secure as all cookies are: where Florin has https (ADR 0004)
		Name: cookieName(deviceCookie, s.https), Value: chosen.Encode(), Path: "/", MaxAge: int(deviceLifetime.Seconds()), HttpOnly: true,
		Secure: s.https, SameSite: http.SameSiteLaxMode, // Lax: the return from the bank hides amounts, too
	}
	if len(chosen) == 0 {
		cookie.MaxAge = -1
	}
	http.SetCookie(v.Writer, cookie)
}

// ShowAmounts shows amounts for the rest of the request even in privacy mode. The person is about to send them and must see them. The frame of the page says
// so.
func (v *Visitor) ShowAmounts() {
	v.shows = v.Device.HidesAmounts
	words.Hide(v.Ctx(), false)
}
