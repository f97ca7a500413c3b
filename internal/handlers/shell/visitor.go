package shell

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/a-h/templ"

	"florin/internal/auth"
	"florin/internal/finance"
	"florin/internal/handlers/letters"
	"florin/internal/handlers/show"
	"florin/internal/middleware"
	"florin/web/templates/layout"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// Visitor is one request with its user, who may not be signed in. It holds the request and its answer.
type Visitor struct {
	Writer  http.ResponseWriter
	Request *http.Request
	User    finance.User                                     // its ID is "" when nobody is signed in
	SignIn  finance.SignIn                                   // the sign-in of User
	Device  Device                                           // the choices for this device
	shows   bool                                             // shows amounts although the device hides them: see ShowAmounts
	notice  string                                           // for the page to which the visitor is redirected, after its tone
	keep    func(ctx context.Context, key string, value any) // stores a value in the session
	proven  bool                                             // see Proven
	renew   func(v *Visitor)                                 // gives the session a new id
	leave   func()                                           // returns the place in the queue; nil without one
}

// listen determines the language that the browser prefers.
func listen(r *http.Request) *http.Request {
	return r.WithContext(words.Listen(r.Context(), words.App, r.Header.Get("Accept-Language")))
}

// Say returns a text in the language of the visitor.
func (v *Visitor) Say(text words.Text, args ...any) string { return words.Say(v.Ctx(), text, args...) }

// Proven records that the request has proved the identity of the visitor. The answer then carries a new session id.
func (v *Visitor) Proven() { v.proven = true }

// Ctx returns the context of the request.
func (v *Visitor) Ctx() context.Context { return v.Request.Context() }

// SignedIn reports whether somebody is signed in.
func (v *Visitor) SignedIn() bool { return v.User.ID != "" }

// Serve wraps every handler: it loads the sign-in session, identifies the visitor, checks the access, reads the form, and turns an error into a page.
func (s *Shell) Serve(route Route) http.Handler {
	if route.Access == ByAddress {
		return s.serveProgram(route)
	}
	return s.sessions.LoadAndSave(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := &Visitor{Writer: w, Request: listen(r), keep: s.sessions.Put, renew: s.renewProven}
		v.Device = s.device(r)
		words.Hide(v.Ctx(), v.Device.HidesAmounts)
		if route.ShowsAmounts {
			v.ShowAmounts()
		}
		var err error
		if route.Queued {
			if v.leave, err = s.queue.join(r.Context()); err == nil {
				defer v.leave()
			}
		}
		if err == nil {
			err = s.enter(route, v)
		}
		if err != nil {
			s.fail(v, err)
		}
	}))
}

// serveProgram serves a program without a sign-in. It ignores cookies and sets none.
func (s *Shell) serveProgram(route Route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := &Visitor{Writer: w, Request: listen(r)}
		err := route.Handle(v)
		if err == nil || middleware.Gone(v.Ctx(), err) {
			return
		}
		p, requestID := s.problemOf(v, err), middleware.RequestIDFrom(v.Ctx())
		if p.Status >= http.StatusInternalServerError {
			s.log.ErrorContext(v.Ctx(), "request failed", "error", err, "request_id", requestID)
		} else {
			middleware.Annotate(v.Ctx(), slog.String("refused", err.Error()))
		}
		view := p.view(v, layout.Frame{}, requestID)
		PlainText(w, p.Status, strings.TrimSpace(view.Title+". "+view.What)+"\n")
	})
}

func (s *Shell) enter(route Route, v *Visitor) error {
	if err := s.identify(v, route.Access != Stream); err != nil {
		return err
	}
	words.Speak(v.Ctx(), v.User.Language)
	if to, err := s.secondFactorFirst(route, v); to != "" || err != nil {
		if err != nil {
			return err
		}
		v.SeeOther(to)
		return nil
	}
	if to, err := s.gate(route, v); to != "" || err != nil {
		if err != nil {
			return err
		}
		v.SeeOther(to)
		return nil
	}
	if v.Request.Method == http.MethodPost && route.Method == http.MethodPost && (route.Files == nil || !route.Files.Streamed) {
		if err := readForm(v.Request, route.Files); err != nil {
			return err
		}
	}
	if route.Purpose != (auth.Purpose{}) && v.Request.Method == http.MethodPost {
		if asked, err := s.stepUpFirst(v, route.Purpose); asked || err != nil {
			return err
		}
	}
	return route.Files.explain(v.Ctx(), route.Handle(v))
}

// secondFactorFirst redirects a visitor who must set up a second factor first.
func (s *Shell) secondFactorFirst(route Route, v *Visitor) (to string, err error) {
	if !v.SignedIn() || route.SetsUp || route.Access == Public {
		return "", nil
	}
	needs, err := s.auth.NeedsSecondFactor(v.Ctx(), v.SignIn)
	switch {
	case err != nil || !needs:
		return "", err
	case route.Access == Stream:
		return "", &Problem{Status: http.StatusUnauthorized}
	}
	return paths.SecondFactorFirst, nil
}

// gate refuses a visitor who may not use the route: to is the page to redirect to; else err is the answer.
func (s *Shell) gate(route Route, v *Visitor) (to string, err error) {
	if route.Access == Public || v.SignedIn() {
		switch {
		case route.Access == Setup:
			return paths.Accounts, nil // there is an owner, because somebody is signed in
		case route.Access == Owner && v.User.Role != finance.RoleOwner:
			return "", &Problem{Status: http.StatusNotFound}
		case route.Access == Member && v.User.Role == finance.RoleViewer:
			return "", viewerProblem(v)
		}
		return "", nil
	}
	owned, err := s.HasOwner(v.Ctx())
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
		return "", &Problem{Status: http.StatusUnauthorized}
	case v.Request.Method == http.MethodGet && v.Request.URL.RequestURI() != paths.Accounts:
		return paths.SignIn + "?next=" + url.QueryEscape(v.Request.URL.RequestURI()), nil
	}
	return paths.SignIn, nil
}

func (s *Shell) HasOwner(ctx context.Context) (bool, error) {
	if s.owned.Load() {
		return true, nil
	}
	owned, err := s.store.HasOwner(ctx)
	if owned {
		s.owned.Store(true)
	}
	return owned, err
}

// readForm parses a form as browsers send it; with files, also one with files. A request without a body is an empty form.
func readForm(r *http.Request, files *Files) error {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if files != nil && kind == "multipart/form-data" {
		if err := r.ParseMultipartForm(2 * files.Max); err != nil { // this exceeds any accepted form, so nothing is written to disk
			return files.explain(r.Context(), unreadable(err))
		}
		return nil
	}
	if kind != "application/x-www-form-urlencoded" && r.ContentLength != 0 {
		return &Problem{Status: http.StatusUnsupportedMediaType, What: words.Say(r.Context(), "This address takes only forms that a browser sends.")}
	}
	err := r.ParseForm()
	var tooLarge *http.MaxBytesError
	if err != nil && !errors.As(err, &tooLarge) {
		return &Problem{Status: http.StatusBadRequest, Cause: errors.New("the form cannot be read")} // err contains parts of the form
	}
	return err
}

// Field returns a value of the form, without the spaces around it.
func (v *Visitor) Field(name string) string { return strings.TrimSpace(v.Request.PostFormValue(name)) }

// Secret returns a value of the form unchanged. It is never shown or logged.
func (v *Visitor) Secret(name string) finance.Secret {
	return finance.Secret(v.Request.PostFormValue(name))
}

// SeeOther redirects to a page of ours. Browsers follow with GET, whatever the method of the request.
func (v *Visitor) SeeOther(path string) {
	if v.notice != "" {
		target, _, _ := strings.Cut(path, "?")
		v.keep(v.Ctx(), sessionNotice, target+"|"+v.notice)
	}
	v.Writer.Header().Set("Location", path)
	v.answer(http.StatusSeeOther)
}

// answer writes the header of the answer, with a new session id when the request has proved the visitor's identity. The old id is valid until then: a second
// click on the same button, or another tab, is served while the request is still running.
func (v *Visitor) answer(status int) {
	if v.proven {
		v.renew(v)
	}
	v.Writer.WriteHeader(status)
}

// pageBuffers reuses memory for pages, which would otherwise be allocated for each page. The garbage collector empties it.
var pageBuffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// Page answers with a page. It is rendered completely before the first byte is sent.
func (v *Visitor) Page(status int, page templ.Component) error {
	b := pageBuffers.Get().(*bytes.Buffer)
	defer pageBuffers.Put(b)
	b.Reset()
	if err := page.Render(v.Ctx(), b); err != nil {
		return fmt.Errorf("render the page: %w", err)
	}
	if v.leave != nil {
		v.leave() // before waiting for the client
	}
	v.Writer.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.answer(status)
	_, _ = v.Writer.Write(b.Bytes()) // the client is gone: nobody would read an error
	return nil
}

// JSON answers the script of a page.
func (v *Visitor) JSON(body []byte) error {
	v.Writer.Header().Set("Content-Type", "application/json")
	v.answer(http.StatusOK)
	_, _ = v.Writer.Write(body) // the client is gone: nobody would read an error
	return nil
}

// Frame returns the frame around the content of the visitor's pages.
func (s *Shell) Frame(v *Visitor) layout.Frame {
	var f layout.Frame
	if !v.SignedIn() {
		return f
	}
	f.User = &layout.User{Name: v.User.Email, Email: v.User.Email, Viewer: v.User.Role == finance.RoleViewer}
	f.Payments = true
	f.Again = v.Request.Method == http.MethodGet
	f.Hides, f.Shows, f.Keys = v.Device.HidesAmounts, v.shows, !v.Device.KeysOff
	f.Printed = v.User.Email + ", " + s.At(v.Ctx(), time.Now()).Full(time.Now())
	settling, err := s.store.SharesExpenses(v.Ctx(), v.User.ID)
	if err != nil { // the page is shown all the same
		s.log.ErrorContext(v.Ctx(), "shared expenses not looked for", "error", err, "request_id", middleware.RequestIDFrom(v.Ctx()))
	}
	f.Settling = settling
	if s.trouble != nil && v.User.Role == finance.RoleOwner {
		for _, m := range s.trouble() {
			f.Notices = append(f.Notices, ui.Notice{Tone: ui.Bad, Text: words.In(v.Ctx()).Message(m)})
		}
	}
	f.Notices = append(f.Notices, s.notices(v)...)
	if path, notice, _ := strings.Cut(s.sessions.GetString(v.Ctx(), sessionNotice), "|"); path == v.Request.URL.Path {
		s.sessions.Remove(v.Ctx(), sessionNotice)
		tone, text, _ := strings.Cut(notice, "|")
		f.Notices = append(f.Notices, ui.Notice{Tone: ui.Tone(tone), Text: text})
	}
	return f
}

// notices returns the notices that the user has not closed. The notice about an ending consent is left out on pages that show the consent themselves, and on
// those that renew it.
func (s *Shell) notices(v *Visitor) []ui.Notice {
	notices, err := s.store.Notices(v.Ctx(), v.User.ID)
	if err != nil { // the page is shown all the same
		s.log.ErrorContext(v.Ctx(), "notices not read", "error", err, "request_id", middleware.RequestIDFrom(v.Ctx()))
	}
	var shown []ui.Notice
	for _, n := range notices {
		path := v.Request.URL.Path
		if n.Kind == finance.NoticeConsentEnds && (path == paths.Accounts || path == paths.Connection(n.Connection.ID) || strings.HasPrefix(path, paths.Link)) {
			continue
		}
		shown = append(shown, letters.Notice(s.At(v.Ctx(), time.Now()), n, v.Request.URL.RequestURI()))
	}
	return shown
}

// Flash sets a message for the page to which the visitor is redirected next. Other open pages of the same sign-in, which may reload in between, do not show
// it.
func (s *Shell) Flash(v *Visitor, tone ui.Tone, text string) {
	v.notice = string(tone) + "|" + text
}

// At returns the clock for a moment, in the time zone of the installation and the language of ctx.
func (s *Shell) At(ctx context.Context, now time.Time) show.Clock {
	return show.Clock{Language: words.In(ctx), Now: now.In(s.location)}
}
