package handlers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/a-h/templ"

	"florin/internal/finance"
	"florin/web/templates/layout"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// visit is one request, with whoever makes it.
type visit struct {
	w      http.ResponseWriter
	r      *http.Request
	user   finance.User                                     // its ID is "" when nobody is signed in
	signIn finance.SignIn                                   // of user
	notice string                                           // for the page that the visitor is sent to, behind its tone
	keep   func(ctx context.Context, key string, value any) // in the session
}

func (v *visit) ctx() context.Context { return v.r.Context() }

func (v *visit) signedIn() bool { return v.user.ID != "" }

// serve is the one way into every handler: it loads the sign-in session, finds out who asks, checks that they may, reads the form, and
// turns an error into a page.
func (a *App) serve(route Route) http.Handler {
	return a.sessions.LoadAndSave(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := &visit{w: w, r: r, keep: a.sessions.Put}
		if err := a.enter(route, v); err != nil {
			a.fail(v, err)
		}
	}))
}

func (a *App) enter(route Route, v *visit) error {
	if err := a.identify(v, route.Access != Stream); err != nil {
		return err
	}
	if to, err := a.gate(route, v); to != "" || err != nil {
		if err != nil {
			return err
		}
		v.seeOther(to)
		return nil
	}
	if v.r.Method == http.MethodPost && route.Method == http.MethodPost {
		if err := readForm(v.r, mayHoldFiles(route.Pattern)); err != nil {
			return err
		}
	}
	return route.handle(a, v)
}

// gate sends away whoever may not use the route: to another page, or with an error.
func (a *App) gate(route Route, v *visit) (to string, err error) {
	if route.Access == Public || v.signedIn() {
		switch {
		case route.Access == Setup:
			return paths.Accounts, nil // there is an owner, else nobody could be signed in
		case route.Access == Owner && v.user.Role != finance.RoleOwner:
			return "", &problem{status: http.StatusNotFound}
		}
		return "", nil
	}
	owned, err := a.hasOwner(v.ctx())
	switch {
	case err != nil:
		return "", err
	case route.Access == Setup && owned:
		return paths.SignIn, nil
	case route.Access == Setup:
		return "", nil
	case !owned:
		return paths.Setup, nil
	case route.Access == Stream:
		return "", &problem{status: http.StatusUnauthorized}
	case v.r.Method == http.MethodGet && v.r.URL.RequestURI() != paths.Accounts:
		return paths.SignIn + "?next=" + url.QueryEscape(v.r.URL.RequestURI()), nil
	}
	return paths.SignIn, nil
}

func (a *App) hasOwner(ctx context.Context) (bool, error) {
	if a.owned.Load() {
		return true, nil
	}
	owned, err := a.Store.HasOwner(ctx)
	if owned {
		a.owned.Store(true)
	}
	return owned, err
}

// fileTooLarge says what to do instead of sending a file that is larger than what the form takes.
func fileTooLarge(r *http.Request, cause error) *problem {
	p := &problem{status: http.StatusRequestEntityTooLarge, title: "The file is too large", cause: cause}
	if strings.HasPrefix(r.URL.Path, paths.Services) {
		p.what, p.todo = "A private key has a few KiB, so this is another file. Nothing was taken.", "Choose the file with the private key, which often ends in .pem."
		p.action = ui.Link{Text: "Banking services", Href: paths.Services}
		return p
	}
	p.what = "A file with payments has at most " + count(finance.MaxBulkBytes>>10) + " KiB. Nothing was taken, and nothing was sent."
	p.todo, p.action = "Split it into smaller ones. What you typed is still there when you go back in your browser.", ui.Link{Text: "Pay many at once", Href: paths.PayBulk}
	return p
}

// readForm reads a form as browsers send it; with files, one that may hold some. A request without a body is an empty form.
func readForm(r *http.Request, files bool) error {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if files && kind == "multipart/form-data" {
		err := r.ParseMultipartForm(2 * maxUpload) // more than may come: nothing goes to disk
		var tooLarge *http.MaxBytesError
		switch {
		case errors.As(err, &tooLarge):
			return fileTooLarge(r, err)
		case err != nil:
			return &problem{status: http.StatusBadRequest, cause: errors.New("the form cannot be read")}
		}
		return nil
	}
	if kind != "application/x-www-form-urlencoded" && r.ContentLength != 0 {
		return &problem{status: http.StatusUnsupportedMediaType, what: "This address takes a form as a browser sends it, and nothing else."}
	}
	err := r.ParseForm()
	var tooLarge *http.MaxBytesError
	if err != nil && !errors.As(err, &tooLarge) {
		return &problem{status: http.StatusBadRequest, cause: errors.New("the form cannot be read")} // err repeats parts of it
	}
	return err
}

// field is a value of the form, without the spaces around it.
func (v *visit) field(name string) string { return strings.TrimSpace(v.r.PostFormValue(name)) }

// secret is a value of the form that is neither changed nor shown.
func (v *visit) secret(name string) finance.Secret { return finance.Secret(v.r.PostFormValue(name)) }

// seeOther answers with a page of our own to go to. A browser follows it with GET, whatever it sent before.
func (v *visit) seeOther(path string) {
	if v.notice != "" {
		target, _, _ := strings.Cut(path, "?")
		v.keep(v.ctx(), sessionNotice, target+"|"+v.notice)
	}
	v.w.Header().Set("Location", path)
	v.w.WriteHeader(http.StatusSeeOther)
}

// pageBuffers keeps memory for pages, which would else grow anew with each of them. None is kept for long: the garbage collector empties it.
var pageBuffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// page answers with a page. It is complete before its first byte is sent.
func (v *visit) page(status int, page templ.Component) error {
	b := pageBuffers.Get().(*bytes.Buffer)
	defer pageBuffers.Put(b)
	b.Reset()
	if err := page.Render(v.ctx(), b); err != nil {
		return fmt.Errorf("render the page: %w", err)
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.WriteHeader(status)
	_, _ = v.w.Write(b.Bytes()) // the client went away: nothing left to tell it
	return nil
}

// frame is what is around the content of the visitor's pages.
func (a *App) frame(v *visit) layout.Frame {
	var f layout.Frame
	if !v.signedIn() {
		return f
	}
	f.User = &layout.User{Name: v.user.Email, Email: v.user.Email}
	f.Payments = a.offers.canPay(v.ctx(), "")
	if a.Trouble != nil && v.user.Role == finance.RoleOwner {
		for _, text := range a.Trouble() {
			f.Notices = append(f.Notices, ui.Notice{Tone: ui.Bad, Text: text})
		}
	}
	if path, notice, _ := strings.Cut(a.sessions.GetString(v.ctx(), sessionNotice), "|"); path == v.r.URL.Path {
		a.sessions.Remove(v.ctx(), sessionNotice)
		tone, text, _ := strings.Cut(notice, "|")
		f.Notices = append(f.Notices, ui.Notice{Tone: ui.Tone(tone), Text: text})
	}
	return f
}

// tell keeps a sentence for the page that the visitor is sent to next: another page of the same sign-in, which loads itself anew meanwhile, does not show it.
func (a *App) tell(v *visit, tone ui.Tone, text string) {
	v.notice = string(tone) + "|" + text
}
