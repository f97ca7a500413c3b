// Package site is what the hosted pages of the service and the sites of its simulated banks have in common: one set of addresses
// with one way to answer, errors that people can read, the cookies in which a browser keeps what it began, and the words for accounts
// and payments, which both show.
package site

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/a-h/templ"

	"florin/internal/countries"
	"florin/internal/middleware"
	"florin/web/static"
	"florin/web/templates/words"
)

// ContentSecurityPolicy is the policy of every page. The pages have no script, and forms stay on the site, unless a page
// says otherwise (see AllowRedirect and AmendPolicy).
const ContentSecurityPolicy = "default-src 'none'; style-src 'self'; img-src 'self'; " + formAction +
	"; base-uri 'none'; frame-ancestors 'none'; object-src 'none'"

const formAction = "form-action 'self'"

// Options are what New needs.
type Options struct {
	AuthURL   string       // where the site is, without a slash at the end
	Elsewhere http.Handler // answers addresses without a page to clients that are no browsers
	Log       *slog.Logger
	DiskFull  func(error) bool // reports whether an error says that the disk is full
}

// MaxForm bounds the body of a request, in bytes, but for uploads.
const MaxForm = 64 << 10

// uploadsAtOnce is how many uploads are taken at a time: with their bounds, how much memory they have together.
const uploadsAtOnce = 4

// longestWait is how long an upload waits for a place among these.
const longestWait = 5 * time.Second

// Site answers the addresses that Handle gave it. Use New.
type Site struct {
	mux       *http.ServeMux
	uploads   chan struct{} // holds a value for each upload under way
	wait      time.Duration // for a place among them
	authURL   string
	elsewhere http.Handler
	log       *slog.Logger
	diskFull  func(error) bool
}

// New returns a site without pages.
func New(o Options) *Site {
	return &Site{mux: http.NewServeMux(), uploads: make(chan struct{}, uploadsAtOnce), wait: longestWait,
		authURL: o.AuthURL, elsewhere: o.Elsewhere, log: o.Log, diskFull: o.DiskFull}
}

// HTTPS reports whether browsers reach the site by https.
func (s *Site) HTTPS() bool { return strings.HasPrefix(s.authURL, "https:") }

// translated are the addresses whose pages speak the languages of words; the others speak English.
var translated = regexp.MustCompile(`^\w+ /(ais/|pis/|banks/|consents$)`)

// Handle gives the site an address, as http.ServeMux takes it, and what answers it. Its errors become pages by Fail.
func (s *Site) Handle(pattern string, handler func(http.ResponseWriter, *http.Request) error) {
	s.handle(pattern, func(w http.ResponseWriter, r *http.Request) error {
		r.Body = http.MaxBytesReader(w, r.Body, MaxForm)
		return handler(w, r)
	})
}

// HandleUpload is Handle for a form that may have up to most bytes from those whom may lets; from others it has as many as any form. Few of the larger ones are
// taken at a time; another one waits, and its body stays with the client meanwhile.
func (s *Site) HandleUpload(pattern string, most int64, may func(*http.Request) bool, handler func(http.ResponseWriter, *http.Request) error) {
	s.handle(pattern, func(w http.ResponseWriter, r *http.Request) error {
		small := 0 <= r.ContentLength && r.ContentLength <= MaxForm
		if small || !may(r) {
			r.Body = http.MaxBytesReader(w, r.Body, MaxForm)
			return handler(w, r)
		}
		wait := time.NewTimer(s.wait)
		defer wait.Stop()
		select {
		case s.uploads <- struct{}{}:
			defer func() { <-s.uploads }()
		case <-wait.C:
			return errUploads
		case <-r.Context().Done():
			return r.Context().Err()
		}
		r.Body = http.MaxBytesReader(w, r.Body, most)
		return handler(w, r)
	})
}

func (s *Site) handle(pattern string, handler func(http.ResponseWriter, *http.Request) error) {
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		if translated.MatchString(pattern) {
			r = r.WithContext(words.Listen(r.Context(), words.Service, r.Header.Get("Accept-Language")))
		}
		if err := handler(w, r); err != nil {
			s.Fail(w, r, err)
		}
	})
}

// Handler serves every address of the site, static files included; one that it does not know gets a page that says so. Forms from
// other sites are refused (security T21). Call it once, when all pages are there.
func (s *Site) Handler() http.Handler {
	s.Handle("/", s.noPage)
	s.mux.Handle(static.Prefix, static.Handler())

	protection := http.NewCrossOriginProtection()
	if err := protection.AddTrustedOrigin(s.authURL); err != nil {
		panic("site: " + err.Error()) // New's caller has checked the address
	}
	protection.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.Fail(w, r, errOtherSite) }))
	return middleware.Route(protection.Handler(s.mux))
}

// ServicePath and PaymentPath are the parts of the site that lead through an authorisation of access to accounts, and of a payment.
const (
	ServicePath = "/ais"
	PaymentPath = "/pis"
)

// OfPayment reports whether a request is for the part of the site that leads through a payment.
func OfPayment(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, PaymentPath+"/") }

// noPage answers an address at which there is nothing: a browser gets a page.
func (s *Site) noPage(w http.ResponseWriter, r *http.Request) error {
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		return ErrNoPage
	}
	s.elsewhere.ServeHTTP(w, r)
	return nil
}

// Failure renders the page for a fault of the service, for the last resort against panics.
func (s *Site) Failure() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.Render(w, r, http.StatusInternalServerError, faultPage(r))
	})
}

// ForeignHost answers requests whose Host header names none of the service's public addresses.
func (s *Site) ForeignHost() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.Fail(w, r, errForeignHost) })
}

// Render answers with a page, or with a line of text when the page cannot be made.
func (s *Site) Render(w http.ResponseWriter, r *http.Request, status int, page templ.Component) {
	err := Write(w, r, status, page)
	if err == nil || middleware.Gone(r.Context(), err) {
		return
	}
	s.log.ErrorContext(r.Context(), "page not rendered", "error", err, "request_id", middleware.RequestIDFrom(r.Context()))
	http.Error(w, "The page could not be made. Please try again.", http.StatusInternalServerError)
}

// Write answers with a page, all of it or none: an error says that nothing was sent.
func Write(w http.ResponseWriter, r *http.Request, status int, page templ.Component) error {
	var buffer bytes.Buffer
	if err := page.Render(r.Context(), &buffer); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = buffer.WriteTo(w) // the browser went away: nothing left to tell it
	return nil
}

// plainOrigin is an origin that a content security policy can name.
var plainOrigin = regexp.MustCompile(`^https?://[a-zA-Z0-9.-]+(:[0-9]{1,5})?$`)

// AllowRedirect lets the forms of this page end at the application: a browser applies form-action to every redirect that
// follows a form, so the origin of the one registered redirect URL is added (security F2). An origin that a policy
// cannot name, such as an IPv6 address, is allowed by its scheme.
func AllowRedirect(w http.ResponseWriter, redirectURL string) {
	u, err := url.Parse(redirectURL)
	if err != nil || !regexp.MustCompile(`^[a-z][a-z0-9+.-]*$`).MatchString(u.Scheme) {
		return
	}
	source := u.Scheme + "://" + u.Host
	if !plainOrigin.MatchString(source) {
		source = u.Scheme + ":"
	}
	AmendPolicy(w, formAction, formAction+" "+source)
}

// AmendPolicy writes another text into the policy of this page in place of the first one that is like from.
func AmendPolicy(w http.ResponseWriter, from, to string) {
	policy := w.Header().Get("Content-Security-Policy")
	if policy == "" {
		policy = ContentSecurityPolicy
	}
	w.Header().Set("Content-Security-Policy", strings.Replace(policy, from, to, 1))
}

// Redirect sends the browser on: 303, so that a form becomes a plain request (RFC 9700). The target always comes from the
// service itself, never from the request.
func Redirect(w http.ResponseWriter, r *http.Request, target string) error {
	http.Redirect(w, r, target, http.StatusSeeOther)
	return nil
}

// Form reads the fields of a form.
func Form(r *http.Request) (url.Values, error) {
	if err := r.ParseForm(); err != nil {
		return nil, unreadForm(err)
	}
	return r.PostForm, nil
}

// FormWithFile reads the fields of a form, and the file of the field with that name; nil without one.
func FormWithFile(r *http.Request, name string) (fields url.Values, file []byte, err error) {
	if fields, err = Form(r); err != nil {
		return nil, nil, err
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "multipart/form-data" {
		return fields, nil, nil // a form without a file
	}
	if err := r.ParseMultipartForm(maxFormMemory); err != nil { //nolint:gosec // the site bounds the body of every form
		return nil, nil, unreadForm(err)
	}
	defer func() { _ = r.MultipartForm.RemoveAll() }() // all of it was kept in memory
	part, _, err := r.FormFile(name)
	if errors.Is(err, http.ErrMissingFile) {
		return r.PostForm, nil, nil
	}
	if err != nil {
		return nil, nil, errBrokenForm
	}
	defer part.Close()
	if file, err = io.ReadAll(part); err != nil {
		return nil, nil, unreadForm(err)
	}
	return r.PostForm, file, nil
}

// maxFormMemory is more than the site lets any form have.
const maxFormMemory = 8 << 20

// unreadForm is why a form could not be read.
func unreadForm(err error) error {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return ErrLargeForm
	}
	return errBrokenForm
}

// CountryName returns the name of a country, or the code itself.
func CountryName(l *words.Language, code string) string {
	if name := countries.Name(code); name != code {
		return l.Say(words.Text(name))
	}
	return code
}
