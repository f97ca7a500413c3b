package pages

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"florin/internal/aggregator"
	"florin/internal/aggregator/engine"
	"florin/internal/openbanking"
	"florin/web/templates/hosted"
	"florin/web/templates/words"
)

// paymentPath is servicePath for payments. The visits below it have the same pages.
const paymentPath = "/pis"

// sitePath is the part of the site that a request is for: servicePath or paymentPath.
func sitePath(r *http.Request) string {
	if strings.HasPrefix(r.URL.Path, paymentPath+"/") {
		return paymentPath
	}
	return servicePath
}

// startPayment shows a payment in every detail (spec: Payment initiation flow, step 4). From here on it belongs to this browser.
func (p *Pages) startPayment(w http.ResponseWriter, r *http.Request) error {
	id := r.URL.Query().Get("payment_id")
	payment, application, data, err := p.authorizations.PaymentAuthorization(r.Context(), id)
	if undecided := (*engine.UndecidedError)(nil); errors.As(err, &undecided) && !p.service.holds(r, id) {
		return errPaymentUndecided // without the way back, which is for the browser that began
	}
	if err != nil {
		return err
	}
	bank, ok := p.bankNamed(payment.ASPSP)
	if !ok {
		return errUnknown
	}
	if r.Method == http.MethodGet {
		if err := p.authorizations.MarkOpened(r.Context(), id); err != nil {
			return err
		}
	}
	if err := p.service.add(w, r, paymentPath, id); err != nil {
		return err
	}
	allowRedirect(w, payment.RedirectURL)
	words.Speak(r.Context(), payment.Language)
	l := words.In(r.Context())
	methods := engine.MethodsOfPayment(data, payment)
	p.render(w, r, http.StatusOK, hosted.Payment(hosted.PaymentPage{
		Application: applicationOf(application),
		Bank:        bankOf(l, bank),
		PaymentID:   id,
		Order:       *orderOf(l, payment.Type, payment.Request, nil, true),
		Business:    payment.PSUType == openbanking.PSUTypeBusiness,
		AtBank:      len(methods) == 1 && methods[0].Approach == openbanking.AuthenticationApproachRedirect,
		AcceptURL:   paymentPath + "/accept",
		CancelURL:   paymentPath + "/cancel",
	}))
	return nil
}

// acceptPayment begins a visit, which belongs to this browser.
func (p *Pages) acceptPayment(w http.ResponseWriter, r *http.Request) error {
	id, err := p.opened(r, "payment_id")
	if err != nil {
		return err
	}
	visit, err := p.authorizations.AcceptPayment(r.Context(), id)
	return p.begin(w, r, visit, err)
}

// cancelPayment sends the browser back to the application: "Cancelled by user" (api-notes 8).
func (p *Pages) cancelPayment(w http.ResponseWriter, r *http.Request) error {
	id, err := p.opened(r, "payment_id")
	if err != nil {
		return err
	}
	target, err := p.authorizations.DenyPayment(r.Context(), id)
	if err != nil {
		return err
	}
	return p.leave(w, r, target, id)
}

// undecidedOr sends the browser to the application where the bank does not say whether a payment was approved, and returns any other error. The
// payment stays with this browser, so that the person can come back to it.
func undecidedOr(w http.ResponseWriter, r *http.Request, err error) error {
	var undecided *engine.UndecidedError
	if errors.As(err, &undecided) {
		return redirect(w, r, undecided.ReturnURL)
	}
	return err
}

// orderAttempt is what a person sent about an order.
func orderAttempt(fields url.Values) attempt {
	sent := attempt{ticked: fields.Get("despite") == "yes"}
	if account := fields.Get("account"); account != "" {
		sent.accounts = []string{account}
	}
	return sent
}

// submitOrder hands over that the PSU goes on with a payment, and the account that it goes from. A name that does not fit
// its account takes a tick.
func (p *Pages) submitOrder(w http.ResponseWriter, r *http.Request) error {
	id, fields, err := p.answered(r)
	if err != nil {
		return err
	}
	failed := orderAttempt(fields)
	visit, err := p.authorizations.Visit(r.Context(), id)
	if err != nil || visit.Step.Kind != aggregator.StepOrder {
		return p.visitOn(w, r, id, err)
	}
	if mismatched(visit.Step.Payees) && !failed.ticked {
		failed.problem = noTick
		return p.visitAgain(w, r, id, failed)
	}
	answer := aggregator.Answer{Order: true}
	if !visit.Step.Fixed {
		answer.Accounts = failed.accounts
	}
	err = p.authorizations.Answer(r.Context(), id, answer)
	if errors.Is(err, aggregator.ErrWrongAnswer) {
		if failed.problem = notADebtor; len(failed.accounts) == 0 {
			failed.problem = noDebtor
		}
		return p.visitAgain(w, r, id, failed)
	}
	return p.visitOn(w, r, id, err)
}

// elsewhereOrOver says why a browser that does not hold an authorisation gets no further: it belongs to another browser; or it is a
// payment that is over, as after a step back in the browser that held it, where the person wonders whether it is made twice.
func (p *Pages) elsewhereOrOver(r *http.Request, id string) error {
	if sitePath(r) == paymentPath {
		_, _, _, err := p.authorizations.PaymentAuthorization(r.Context(), id)
		if errors.Is(err, engine.ErrCompletedAuthorization) {
			return err
		}
	}
	return errOtherBrowser
}

// visitElsewhereOrOver is elsewhereOrOver for a visit.
func (p *Pages) visitElsewhereOrOver(r *http.Request, id string) error {
	if sitePath(r) == paymentPath {
		visit, err := p.authorizations.Visit(r.Context(), id)
		over := err == nil && visit.Payment != nil && visit.Payment.AuthStatus == openbanking.PaymentAuthStatusFinalised
		if over || errors.Is(err, engine.ErrCompletedAuthorization) {
			return engine.ErrCompletedAuthorization
		}
	}
	return errOtherBrowser
}

// What can be wrong with what a person sent about an order.
const (
	noDebtor   words.Text = "Choose the account that the money goes from."
	notADebtor words.Text = "The payment cannot go from this account. Please choose again."
	noTick     words.Text = "The name does not fit the account. Tick the box below if you want to pay all the same, or decline."
)
