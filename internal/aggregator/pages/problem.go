package pages

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"

	"florin/internal/aggregator/engine"
	"florin/internal/aggregator/sandbox"
	"florin/internal/middleware"
	"florin/internal/openbanking"
	"florin/web/templates/hosted"
	"florin/web/templates/words"
)

// refusal is an error that a person can do something about. It is shown as it is, so it names no bank and no account:
// whoever looks at the page may be somebody else.
type refusal struct {
	status int
	title  words.Text
	text   []words.Text
}

func (e *refusal) Error() string { return "pages: " + string(e.title) }

const startAgain words.Text = "Go back to the application and start again."

var (
	errNoPage = &refusal{http.StatusNotFound, "There is no page at this address",
		[]words.Text{"The address may be mistyped, or the page may have moved."}}
	errUnknown = &refusal{http.StatusNotFound, "This link leads nowhere",
		[]words.Text{"It is incomplete, or what it belonged to ended long ago.", startAgain}}
	errExpired = &refusal{http.StatusGone, "This request has expired",
		[]words.Text{"For your safety a request to share data waits for a limited time only. Nothing was shared.", startAgain}}
	errCompleted = &refusal{http.StatusGone, "This request is finished",
		[]words.Text{"It was accepted or cancelled before, and each request counts once.", "Go back to the application to see the result."}}
	errOtherBrowser = &refusal{http.StatusForbidden, "Go on in the browser in which you began",
		[]words.Text{"This step belongs to another browser, or this browser keeps no cookies for this site. Nothing was changed.",
			"Return to the browser in which you opened the request. If it is this one, allow cookies, go back to the application and start again."}}
	errOtherSite = &refusal{http.StatusForbidden, "This form came from another site",
		[]words.Text{"Forms are accepted from our own pages only. Nothing was changed.", startAgain}}
	errForeignHost = &refusal{http.StatusMisdirectedRequest, "The service is not at home under this name",
		[]words.Text{"The name in the address is none of those that the service was given, so it was refused. Other sites could pretend to be it that way.",
			"Use its own address. If this should be one: who looks after this server sets it with --service-url, and lets a proxy pass on the Host header."}}
	errBankFailed = &refusal{http.StatusBadGateway, "The bank does not answer as it should",
		[]words.Text{"Nothing was shared. Go back one page and try again in a moment, or cancel there."}}
	errPaymentExpired = &refusal{http.StatusGone, "This payment has expired",
		[]words.Text{"For your safety a payment waits for its approval for a limited time only. It was not made.", startAgain}}
	errPaymentCompleted = &refusal{http.StatusGone, "This payment is settled here",
		[]words.Text{"It was approved, cancelled or refused before, and is made once at most.", "Go back to the application to see the result."}}
	errPaymentFailed = &refusal{http.StatusBadGateway, "The bank does not answer as it should",
		[]words.Text{"Nothing was approved. Go back one page and try again in a moment, or cancel there."}}
	errPaymentUndecided = &refusal{http.StatusBadGateway, "The bank does not answer as it should",
		[]words.Text{"Whether the payment was approved is not known yet. Do not pay again before you know: if you approved it, it is made.",
			"The application is told as soon as the bank answers. You can also go back one page and try again in a moment."}}
	errPaymentNotApproved = &refusal{http.StatusConflict, "The payment is not approved",
		[]words.Text{"The bank says that it has no approval from you, so nothing was paid. You can approve it now, or cancel it."}}
	errBrokenForm = &refusal{http.StatusBadRequest, "The form could not be read",
		[]words.Text{"Go back one page and send it again."}}
	errLargeForm = &refusal{http.StatusRequestEntityTooLarge, "The form is too large",
		[]words.Text{"Go back one page and send less text."}}
)

// ofPayment are the refusals that say something else of a payment.
var ofPayment = map[*refusal]*refusal{errExpired: errPaymentExpired, errCompleted: errPaymentCompleted, errBankFailed: errPaymentFailed}

// explain turns the errors of the inner layers into refusals. Anything else stays what it is: a fault.
func explain(err error) error {
	var refused *openbanking.Error
	var undecided *engine.UndecidedError
	switch {
	case errors.As(err, &undecided):
		return errPaymentUndecided
	case errors.Is(err, engine.ErrNotApproved):
		return errPaymentNotApproved
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

// fail is the one way in which an error becomes a page, or, where a payment is not there or not any more and a program asks for it,
// an ErrorResponse. A fault goes to the log, with the request id that the page shows.
func (p *Pages) fail(w http.ResponseWriter, r *http.Request, err error) {
	invalid := errors.Is(err, openbanking.InvalidPayment)
	if invalid {
		w.Header().Add("Vary", "Accept")
		if asksForJSON(strings.ToLower(strings.Join(r.Header.Values("Accept"), ","))) {
			p.answerInvalidPayment(w, r)
			return
		}
	}
	var undecided *engine.UndecidedError
	errors.As(err, &undecided)
	err = explain(err)
	var refused *refusal
	if errors.As(err, &refused) {
		if other, ok := ofPayment[refused]; ok && sitePath(r) == paymentPath {
			refused = other
		}
		l := words.In(r.Context())
		page := hosted.MessagePage{Title: l.Say(refused.title), Text: sayAll(l, refused.text), Tone: hosted.ToneStop}
		switch refused {
		case errPaymentCompleted: // maybe well
			page.Tone = hosted.ToneInfo
		case errPaymentUndecided:
			page.Tone = hosted.ToneInfo
			if undecided != nil {
				page.LinkURL, page.LinkText = undecided.ReturnURL, l.Say("Go back to the application")
			}
		case errPaymentNotApproved:
			if id, err := p.authorizations.AuthorizationOfState(r.Context(), r.URL.Query().Get("state")); err == nil {
				page.LinkURL, page.LinkText = paymentPath+"/start?"+url.Values{"payment_id": {id}}.Encode(), l.Say("Look at the payment")
			}
		case errNoPage:
			page.Tone, page.LinkURL, page.LinkText = hosted.ToneInfo, "/", l.Say("See the simulated banks")
		}
		if invalid {
			page.Code = string(openbanking.InvalidPayment)
		}
		p.render(w, r, refused.status, hosted.Message(page))
		return
	}
	p.log.ErrorContext(r.Context(), "page failed", "route", r.Pattern, "error", err, "request_id", middleware.RequestIDFrom(r.Context()))
	p.render(w, r, http.StatusInternalServerError, faultPage(r))
}

// asksForJSON reports whether an Accept header names JSON, and no page or one that it likes less. Browsers name pages.
func asksForJSON(accept string) bool {
	likes := quality(accept, "application/json")
	return strings.Contains(accept, "application/json") && likes > 0 && (!strings.Contains(accept, "text/html") || likes > quality(accept, "text/html"))
}

// answerInvalidPayment is the answer to programs (spec: Errors): INVALID_PAYMENT, which no endpoint of the API has.
func (p *Pages) answerInvalidPayment(w http.ResponseWriter, r *http.Request) {
	answer := (&openbanking.Error{Code: openbanking.InvalidPayment}).Response()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(answer.Code)
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		p.log.DebugContext(r.Context(), "answer not sent", "error", err, "request_id", middleware.RequestIDFrom(r.Context()))
	}
}

func faultPage(r *http.Request) templ.Component {
	l := words.In(r.Context())
	return hosted.Message(hosted.MessagePage{
		Title:     l.Say("Something went wrong here"),
		Text:      []string{l.Say("The fault is ours, and it has been noted. Please try again in a moment.")},
		Tone:      hosted.ToneFault,
		RequestID: middleware.RequestIDFrom(r.Context()),
	})
}

func sayAll(l *words.Language, texts []words.Text) []string {
	said := make([]string, len(texts))
	for i, text := range texts {
		said[i] = l.Say(text)
	}
	return said
}
