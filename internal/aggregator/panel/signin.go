package panel

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"florin/internal/aggregator"
	"florin/internal/aggregator/registry"
	"florin/internal/aggregator/site"
	"florin/internal/middleware"
	"florin/web/templates/panel"
	"florin/web/templates/words"
)

// developerRequest is a request of a developer who is signed in.
type developerRequest struct {
	*http.Request
	developer aggregator.Developer
	session   aggregator.DeveloperSession
}

// frame is the frame of a page for the developer.
func (r *developerRequest) frame(title, here string) panel.Frame {
	return panel.Frame{Title: title, Email: r.developer.Email, Here: here, Done: done[r.URL.Query().Get("done")]}
}

// done are the words for what was just done, by the parameter that the redirect after it carries.
var done = map[string]string{
	"registered": "The application is registered.",
	"paused":     "The application is paused. Its calls are refused until you resume it.",
	"resumed":    "The application is active again.",
	"saved":      "The settings are saved and in force.",
	"deleted":    "The application is deleted.",
	"key-added":  "The key is added. Tokens of both keys are good until you end one.",
	"key-ended":  "The key is ended. Its tokens are refused from now on.",
	"key-saved":  "The server has forgotten the private key.",
	"linked":     "The accounts are linked.",
	"unlinked":   "The account is unlinked.",
	"ended":      "The sign-in is ended.",
	"approved":   "The application is approved.",
	"granted":    "The application may initiate payments.",
	"withdrawn":  "The application may not initiate payments any more.",
	"again":      "The event is on its way again. Load the page anew to see what became of it.",
}

// signedIn runs the handler for a developer who is signed in, and sends everybody else to the sign-in.
func (p *Panel) signedIn(w http.ResponseWriter, r *http.Request, handler func(http.ResponseWriter, *developerRequest) error) error {
	session, developer, err := p.registry.SignedIn(r.Context(), p.cookie.secret(r))
	if errors.Is(err, registry.ErrSignedOut) {
		return site.Redirect(w, r, registry.SignInPath)
	}
	if err != nil {
		return err
	}
	return handler(w, &developerRequest{Request: r, developer: developer, session: session})
}

// signInPage asks for an e-mail address. Opened by a link from a mail, it asks for a press of a button instead: programs that scan mails open links too,
// and must not use them up.
func (p *Panel) signInPage(w http.ResponseWriter, r *http.Request) error {
	code := r.URL.Query().Get("oobCode")
	if code == "" {
		return p.showSignIn(w, r, http.StatusOK, "", "")
	}
	address, err := p.registry.LinkOwner(r.Context(), code)
	if err != nil {
		return err
	}
	return site.Write(w, r, http.StatusOK, panel.Confirm(panel.ConfirmPage{Frame: panel.Frame{Title: "Sign in"}, Address: address, Code: code}))
}

func (p *Panel) showSignIn(w http.ResponseWriter, r *http.Request, status int, address, problem string) error {
	return site.Write(w, r, status, panel.SignIn(panel.SignInPage{
		Frame:   panel.Frame{Title: "Sign in"},
		Address: panel.Field{Name: "email", Label: "E-mail address", Type: "email", Autocomplete: "email", Value: address, Problem: problem},
		Outbox:  p.outbox != nil,
	}))
}

// askForLink sends a link. The answer is the same for every address.
func (p *Panel) askForLink(w http.ResponseWriter, r *http.Request) error {
	fields, err := form(r)
	if err != nil {
		return err
	}
	address := fields.Get("email")
	err = p.registry.AskForLink(r.Context(), address, middleware.ClientAddressFrom(r.Context()), "")
	var problems registry.Problems
	if errors.As(err, &problems) {
		return p.showSignIn(w, r, http.StatusUnprocessableEntity, address, "This is not an e-mail address.")
	}
	if err != nil {
		return err
	}
	return site.Redirect(w, r, Path+"sent")
}

func (p *Panel) sentPage(w http.ResponseWriter, r *http.Request) error {
	return site.Write(w, r, http.StatusOK, panel.Sent(panel.SentPage{
		Frame: panel.Frame{Title: "Your sign-in link"}, Minutes: int(registry.LinkLifetime / time.Minute), Links: registry.LinksPerAddress, Outbox: p.outbox != nil,
	}))
}

// confirm uses the link and signs the browser in. A developer who was signed in here before is signed out.
func (p *Panel) confirm(w http.ResponseWriter, r *http.Request) error {
	fields, err := form(r)
	if err != nil {
		return err
	}
	secret, err := p.registry.SignIn(r.Context(), fields.Get("oobCode"), browserName(r.UserAgent()))
	if err != nil {
		return err
	}
	if session, developer, err := p.registry.SignedIn(r.Context(), p.cookie.secret(r)); err == nil {
		if err := p.registry.SignOut(r.Context(), developer.ID, session.ID); err != nil && !errors.Is(err, aggregator.ErrNotFound) {
			return err
		}
	}
	if err := p.cookie.set(w, r, secret); err != nil {
		return err
	}
	return site.Redirect(w, r, Path)
}

// signOut ends this sign-in.
func (p *Panel) signOut(w http.ResponseWriter, r *developerRequest) error {
	if err := p.registry.SignOut(r.Context(), r.developer.ID, r.session.ID); err != nil && !errors.Is(err, aggregator.ErrNotFound) {
		return err
	}
	if err := p.cookie.set(w, r.Request, ""); err != nil {
		return err
	}
	w.Header().Set("Clear-Site-Data", `"cache"`) // not cookies: those of the host's other ports would go too
	return site.Redirect(w, r.Request, registry.SignInPath)
}

func (p *Panel) accountPage(w http.ResponseWriter, r *developerRequest) error {
	sessions, err := p.registry.SignIns(r.Context(), r.developer.ID)
	if err != nil {
		return err
	}
	page := panel.AccountPage{Frame: r.frame("Your account", "account"), Address: r.developer.Email}
	for _, s := range sessions {
		page.Devices = append(page.Devices, panel.Device{
			Name: s.Device, Since: moment(s.Created), Seen: moment(s.LastSeen), ID: s.ID, Current: s.ID == r.session.ID,
		})
	}
	return site.Write(w, r.Request, http.StatusOK, panel.Account(page))
}

// endSignIn ends one of the developer's sign-ins.
func (p *Panel) endSignIn(w http.ResponseWriter, r *developerRequest) error {
	fields, err := form(r.Request)
	if err != nil {
		return err
	}
	id := fields.Get("id")
	if id == r.session.ID {
		return p.signOut(w, r)
	}
	if err := p.registry.SignOut(r.Context(), r.developer.ID, id); err != nil {
		return err
	}
	return site.Redirect(w, r.Request, Path+"account?done=ended")
}

// browserName is a browser in a few words: the name and the system that it gives itself.
func browserName(agent string) string {
	name, system := "A browser", ""
	for _, known := range []string{"Firefox", "Edg", "OPR", "Chrome", "Safari", "curl"} { // the more particular first
		if strings.Contains(agent, known+"/") {
			name = map[string]string{"Edg": "Edge", "OPR": "Opera"}[known]
			if name == "" {
				name = known
			}
			break
		}
	}
	for _, known := range []string{"Android", "iPhone", "iPad", "Windows", "Mac OS X", "Linux"} {
		if strings.Contains(agent, known) {
			system = " on " + map[bool]string{true: "macOS", false: known}[known == "Mac OS X"]
			break
		}
	}
	return name + system
}

// moment and day write a time and a date, in the panel's only language.
func moment(t time.Time) string { return words.English.DateTime(t) }

func day(t time.Time) string { return words.English.Date(t) }

// applicationPath is the page of an application.
func applicationPath(id, rest string) string {
	return Path + "applications/" + url.PathEscape(id) + rest
}
