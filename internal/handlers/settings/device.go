package settings

import (
	"cmp"
	"net/http"
	"net/url"

	"florin/internal/handlers/shell"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// hideAmounts hides amounts on the device of the visitor, or shows them, and goes back to the page on which it was chosen.
func (a *Area) hideAmounts(v *shell.Visitor) error {
	d := v.Device
	d.HidesAmounts = v.Field("hide") == "yes"
	a.KeepDevice(v, d)
	v.SeeOther(cmp.Or(cameFrom(a.IsPage, v.Request), paths.Accounts))
	return nil
}

// cameFrom is the page of this app on which the form was sent, as the browser says (Referrer-Policy: same-origin); "" where it does not, or where a form
// answered at that address. So no page has to carry its own address.
func cameFrom(isPage func(path string) bool, r *http.Request) string {
	u, err := url.Parse(r.Referer())
	if err != nil || u.Host != r.Host {
		return ""
	}
	return shell.OwnPage(isPage, u.RequestURI())
}

// keepDevice keeps what holds for the device of the visitor.
func (a *Area) keepDevice(v *shell.Visitor) error {
	a.KeepDevice(v, shell.Device{HidesAmounts: v.Field("hide") == "yes", KeysOff: v.Field("keys") != "on"})
	a.Flash(v, ui.Good, v.Say("Saved for this device."))
	v.SeeOther(paths.Settings)
	return nil
}

// keyboard shows what keys do.
func (a *Area) keyboard(v *shell.Visitor) error {
	return v.Page(http.StatusOK, pages.Keyboard(pages.KeyboardView{Frame: a.Frame(v), KeysOff: v.Device.KeysOff}))
}
