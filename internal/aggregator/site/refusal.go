package site

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"florin/internal/aggregator/engine"
	"florin/internal/middleware"
	"florin/internal/openbanking"
	"florin/web/templates/hosted"
	"florin/web/templates/words"
)

// Refusal is an error that the person can do something about. Its text is shown unchanged. It names no bank and no account, because somebody else may be
// looking at the page.
type Refusal struct {
	status int
	title  words.Text
	text   []words.Text
}

func (e *Refusal) Error() string { return "site: " + string(e.title) }

const startAgain words.Text = "Go back to the application and start again."

// The refusals of pages. Each says what a person can do.
var (
	ErrNoPage = &Refusal{http.StatusNotFound, "There is no page at this address",
		[]words.Text{"The address may be mistyped, or the page may have moved."}}
	ErrUnknown = &Refusal{http.StatusNotFound, "This link leads nowhere",
		[]words.Text{"It is incomplete, or what it belonged to ended long ago.", startAgain}}
	ErrExpired = &Refusal{http.StatusGone, "This request has expired",
		[]words.Text{"For your safety a request to share data waits for a limited time only. Nothing was shared.", startAgain}}
	ErrCompleted = &Refusal{http.StatusGone, "This request is finished",
		[]words.Text{"It was accepted or cancelled before, and each request counts once.", "Go back to the application to see the result."}}
	ErrOtherBrowser = &Refusal{http.StatusForbidden, "Go on in the browser in which you began",
		[]words.Text{"This step belongs to another browser, or this browser keeps no cookies for this site. Nothing was changed.",
			"Return to the browser in which you opened the request. If it is this one, allow cookies, go back to the application and start again."}}
	errOtherSite = &Refusal{http.StatusForbidden, "This form came from another site",
		[]words.Text{"Forms are accepted from our own pages only. Nothing was changed.", startAgain}}
	errForeignHost = &Refusal{http.StatusMisdirectedRequest, "The service does not use this address",
		[]words.Text{"This server knows the service under another name, so it refused the request. Otherwise another site could pretend to be the service.",
			"Open the service by its own address. If this is the right one, whoever runs this server has to set it with --service-url and let the proxy pass on the Host header."}}
	errBankFailed = &Refusal{http.StatusBadGateway, "The bank does not answer as it should",
		[]words.Text{"Nothing was shared. Go back one page and try again in a moment, or cancel there."}}
	ErrPaymentExpired = &Refusal{http.StatusGone, "This payment has expired",
		[]words.Text{"For your safety a payment waits for its approval for a limited time only. It was not made.", startAgain}}
	ErrPaymentCompleted = &Refusal{http.StatusGone, "This payment is already closed here",
		[]words.Text{"It was approved, cancelled or refused before, and is made once at most.", "Go back to the application to see the result."}}
	errPaymentFailed = &Refusal{http.StatusBadGateway, "The bank does not answer as it should",
		[]words.Text{"Nothing was approved. Go back one page and try again in a moment, or cancel there."}}
	ErrPaymentUndecided = &Refusal{http.StatusBadGateway, "The bank does not answer as it should",
		[]words.Text{"Whether the payment was approved is not known yet. Do not pay again before you know: if you approved it, it is made.",
			"The application learns the result as soon as the bank answers. You can also go back one page and try again in a moment."}}
	errPaymentNotApproved = &Refusal{http.StatusConflict, "The payment is not approved",
		[]words.Text{"The bank says that it has no approval from you, so nothing was paid. You can approve it now, or cancel it."}}
	errBrokenForm = &Refusal{http.StatusBadRequest, "The form could not be read",
		[]words.Text{"Go back one page and send it again."}}
	ErrLargeForm = &Refusal{http.StatusRequestEntityTooLarge, "The form is too large",
		[]words.Text{"Go back one page and send less text."}}
	errUploads = &Refusal{http.StatusServiceUnavailable, "Too many files arrive at this moment",
		[]words.Text{"Nothing was done with yours. Go back one page and send it again in a minute."}}
)

// ofPayment holds, for some refusals, the text that a page about a payment shows instead.
var ofPayment = map[*Refusal]*Refusal{ErrExpired: ErrPaymentExpired, ErrCompleted: ErrPaymentCompleted, errBankFailed: errPaymentFailed}

// NotApprovedError is engine.ErrNotApproved with the address of the page at which the person can look at the payment.
type NotApprovedError struct{ PaymentURL string }

func (e *NotApprovedError) Error() string { return engine.ErrNotApproved.Error() }

// Unwrap returns engine.ErrNotApproved.
func (e *NotApprovedError) Unwrap() error { return engine.ErrNotApproved }

// explain turns the errors of the inner layers into refusals. Anything else stays what it is: a fault.
func explain(err error) error {
	var refused *openbanking.Error
	var undecided *engine.UndecidedError
	switch {
	case errors.As(err, &undecided):
		return ErrPaymentUndecided
	case errors.Is(err, engine.ErrNotApproved):
		return errPaymentNotApproved
	case errors.Is(err, engine.ErrUnknownAuthorization):
		return ErrUnknown
	case errors.Is(err, engine.ErrExpiredAuthorization):
		return ErrExpired
	case errors.Is(err, engine.ErrCompletedAuthorization):
		return ErrCompleted
	case errors.As(err, &refused):
		return errBankFailed
	}
	return err
}

// Fail is the one way in which an error becomes a page, or, where a payment is not there or not any more and a program asks for it,
// an ErrorResponse. A fault goes to the log, with the request ID that the page shows.
func (s *Site) Fail(w http.ResponseWriter, r *http.Request, err error) {
	if middleware.Gone(r.Context(), err) {
		return
	}
	invalid := errors.Is(err, openbanking.InvalidPayment)
	if invalid {
		w.Header().Add("Vary", "Accept")
		if asksForJSON(strings.ToLower(strings.Join(r.Header.Values("Accept"), ","))) {
			s.answerInvalidPayment(w, r)
			return
		}
	}
	var undecided *engine.UndecidedError
	errors.As(err, &undecided)
	var unapproved *NotApprovedError
	errors.As(err, &unapproved)
	err = explain(err)
	var refused *Refusal
	if errors.As(err, &refused) {
		if other, ok := ofPayment[refused]; ok && OfPayment(r) {
			refused = other
		}
		l := words.In(r.Context())
		page := hosted.MessagePage{Title: l.Say(refused.title), Text: sayAll(l, refused.text), Tone: hosted.ToneStop}
		switch refused {
		case ErrPaymentCompleted: // maybe well
			page.Tone = hosted.ToneInfo
		case ErrPaymentUndecided:
			page.Tone = hosted.ToneInfo
			if undecided != nil {
				page.LinkURL, page.LinkText = undecided.ReturnURL, l.Say("Go back to the application")
			}
		case errPaymentNotApproved:
			if unapproved != nil {
				page.LinkURL, page.LinkText = unapproved.PaymentURL, l.Say("Look at the payment")
			}
		case ErrNoPage:
			page.Tone, page.LinkURL, page.LinkText = hosted.ToneInfo, "/", l.Say("See the simulated banks")
		}
		if invalid {
			page.Code = string(openbanking.InvalidPayment)
		}
		s.Render(w, r, refused.status, hosted.Message(page))
		return
	}
	s.log.ErrorContext(r.Context(), "page failed", "route", r.Pattern, "error", err, "request_id", middleware.RequestIDFrom(r.Context()))
	if s.diskFull(err) {
		s.Render(w, r, http.StatusInsufficientStorage, diskFullPage(r))
		return
	}
	s.Render(w, r, http.StatusInternalServerError, faultPage(r))
}

// asksForJSON reports whether an Accept header names JSON, and no page or one that it likes less. Browsers name pages.
func asksForJSON(accept string) bool {
	likes := Quality(accept, "application/json")
	return strings.Contains(accept, "application/json") && likes > 0 && (!strings.Contains(accept, "text/html") || likes > Quality(accept, "text/html"))
}

// answerInvalidPayment is the answer to programs (spec: Errors): INVALID_PAYMENT, which no endpoint of the API has.
func (s *Site) answerInvalidPayment(w http.ResponseWriter, r *http.Request) {
	answer := (&openbanking.Error{Code: openbanking.InvalidPayment}).Response()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(answer.Code)
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		s.log.DebugContext(r.Context(), "answer not sent", "error", err, "request_id", middleware.RequestIDFrom(r.Context()))
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

// diskFullPage says what is wrong where nothing can be saved, and whom to tell.
func diskFullPage(r *http.Request) templ.Component {
	l := words.In(r.Context())
	return hosted.Message(hosted.MessagePage{
		Title: l.Say("The disk of this server is full"),
		Text: []string{l.Say("What you did could not be saved."),
			l.Say("Whoever runs this server has to free some space on its disk. Then try again.")},
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

// Quality returns how much an Accept header likes a media type, from 0 to 1 (RFC 9110, 12.5.1). No header likes all.
func Quality(accept, media string) float64 {
	if strings.TrimSpace(accept) == "" {
		return 1
	}
	found, precision := 0.0, -1
	for item := range strings.SplitSeq(accept, ",") {
		name, parameters, _ := strings.Cut(item, ";")
		rank := map[string]int{"*/*": 0, "image/*": 1, media: 2}
		at, ok := rank[strings.ToLower(strings.TrimSpace(name))]
		if !ok || at < precision {
			continue
		}
		q := 1.0
		if value, given := strings.CutPrefix(strings.ReplaceAll(parameters, " ", ""), "q="); given {
			if q, _ = strconv.ParseFloat(value, 64); q < 0 || q > 1 {
				q = 0
			}
		}
		found, precision = q, at
	}
	return found
}
