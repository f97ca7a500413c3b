package pages

import (
	"errors"
	"net/http"

	"github.com/a-h/templ"

	"florin/internal/aggregator/engine"
	"florin/internal/aggregator/sandbox"
	"florin/internal/middleware"
	"florin/internal/openbanking"
	"florin/web/templates/hosted"
)

// refusal is an error that a person can do something about. It is shown as it is, so it names no bank and no account:
// whoever looks at the page may be somebody else.
type refusal struct {
	status int
	title  string
	text   []string
}

func (e *refusal) Error() string { return "pages: " + e.title }

const startAgain = "Go back to the application and start again."

var (
	errNoPage = &refusal{http.StatusNotFound, "There is no page at this address",
		[]string{"The address may be mistyped, or the page may have moved."}}
	errUnknown = &refusal{http.StatusNotFound, "This link leads nowhere",
		[]string{"It is incomplete, or what it belonged to ended long ago.", startAgain}}
	errExpired = &refusal{http.StatusGone, "This request has expired",
		[]string{"For your safety a request to share data waits for a limited time only. Nothing was shared.", startAgain}}
	errCompleted = &refusal{http.StatusGone, "This request is finished",
		[]string{"It was accepted or cancelled before, and each request counts once.", "Go back to the application to see the result."}}
	errOtherBrowser = &refusal{http.StatusForbidden, "Go on in the browser in which you began",
		[]string{"This step belongs to another browser, or this browser keeps no cookies for this site. Nothing was changed.",
			"Return to the browser in which you opened the request. If it is this one, allow cookies, go back to the application and start again."}}
	errOtherSite = &refusal{http.StatusForbidden, "This form came from another site",
		[]string{"Forms are accepted from our own pages only. Nothing was changed.", startAgain}}
	errForeignHost = &refusal{http.StatusMisdirectedRequest, "The service is not at home under this name",
		[]string{"The name in the address is none of those that the service was given, so it was refused. Other sites could pretend to be it that way.",
			"Use its own address. If this should be one: who looks after this server sets it with --service-url, and lets a proxy pass on the Host header."}}
	errBankFailed = &refusal{http.StatusBadGateway, "The bank does not answer as it should",
		[]string{"Nothing was shared. Go back one page and try again in a moment, or cancel there."}}
	errBrokenForm = &refusal{http.StatusBadRequest, "The form could not be read",
		[]string{"Go back one page and send it again."}}
	errLargeForm = &refusal{http.StatusRequestEntityTooLarge, "The form is too large",
		[]string{"Go back one page and send less text."}}
)

// explain turns the errors of the inner layers into refusals. Anything else stays what it is: a fault.
func explain(err error) error {
	var refused *openbanking.Error
	switch {
	case errors.Is(err, engine.ErrUnknownAuthorization), errors.Is(err, sandbox.ErrNoVisit):
		return errUnknown
	case errors.Is(err, engine.ErrExpiredAuthorization):
		return errExpired
	case errors.Is(err, engine.ErrCompletedAuthorization):
		return errCompleted
	case errors.As(err, &refused):
		return errBankFailed
	}
	return err
}

// fail is the one way in which an error becomes a page. A fault goes to the log, with the request id that the page shows.
func (p *Pages) fail(w http.ResponseWriter, r *http.Request, err error) {
	err = explain(err)
	var refused *refusal
	if errors.As(err, &refused) {
		page := hosted.MessagePage{Title: refused.title, Text: refused.text, Tone: hosted.ToneStop}
		if refused == errNoPage {
			page.Tone, page.LinkURL, page.LinkText = hosted.ToneInfo, "/", "See the simulated banks"
		}
		p.render(w, r, refused.status, hosted.Message(page))
		return
	}
	p.log.ErrorContext(r.Context(), "page failed", "route", r.Pattern, "error", err, "request_id", middleware.RequestIDFrom(r.Context()))
	p.render(w, r, http.StatusInternalServerError, faultPage(r))
}

func faultPage(r *http.Request) templ.Component {
	return hosted.Message(hosted.MessagePage{
		Title:     "Something went wrong here",
		Text:      []string{"The fault is ours, and it has been noted. Please try again in a moment."},
		Tone:      hosted.ToneFault,
		RequestID: middleware.RequestIDFrom(r.Context()),
	})
}
