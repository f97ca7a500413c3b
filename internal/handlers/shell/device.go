package shell

import (
	"net/http"
	"net/url"
	"time"

	"florin/web/templates/words"
)

// deviceCookie is the name of the cookie with what a person chose for one device. It holds no secret, and says nothing about the person.
const deviceCookie = "florin-device"

// deviceLifetime is how long a device remembers: as long as browsers let it.
const deviceLifetime = 400 * 24 * time.Hour

// Device is what a person chose for one device: who else sees its screen, and what its keyboard does (ADR 0065).
type Device struct {
	HidesAmounts bool // privacy mode: no page shows an amount, but where a payment is about to be sent
	KeysOff      bool // a key alone does nothing
}

// Names and values in the cookie, which is written like the query of an address.
const (
	deviceAmounts, amountsHidden = "amounts", "hidden"
	deviceKeys, keysOff          = "keys", "off"
)

// device reads the cookie. What cannot be read was not chosen.
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

// KeepDevice makes the device of the visitor remember what the person chose for it.
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
		Secure: s.https, SameSite: http.SameSiteLaxMode, // the return from the bank hides amounts too
	}
	if len(chosen) == 0 {
		cookie.MaxAge = -1
	}
	http.SetCookie(v.Writer, cookie)
}

// ShowAmounts shows amounts in privacy mode too, for the rest of the request: the person is about to send them, and has to see what is sent. The frame of
// the page says so.
func (v *Visitor) ShowAmounts() {
	v.shows = v.Device.HidesAmounts
	words.Hide(v.Ctx(), false)
}
