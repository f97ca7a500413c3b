package pages

import (
	"errors"
	"net/http"

	"florin/internal/aggregator"
	"florin/internal/aggregator/engine"
	"florin/internal/aggregator/site"
	"florin/internal/openbanking"
	"florin/web/templates/hosted"
	"florin/web/templates/words"
)

// sitePath is the part of the site that a request is for: site.ServicePath or site.PaymentPath.
func sitePath(r *http.Request) string {
	if site.OfPayment(r) {
		return site.PaymentPath
	}
	return site.ServicePath
}

// startPayment shows a payment in every detail (spec: Payment initiation flow, step 4). From here on it belongs to this browser.
func (p *Pages) startPayment(w http.ResponseWriter, r *http.Request) error {
	id := r.URL.Query().Get("payment_id")
	payment, application, data, err := p.authorizations.PaymentAuthorization(r.Context(), id)
	if undecided := (*engine.UndecidedError)(nil); errors.As(err, &undecided) && !p.service.Holds(r, id) {
		return site.ErrPaymentUndecided // without the way back, which is for the browser that began
	}
	if err != nil {
		return err
	}
	words.Speak(r.Context(), payment.Language)
	l := words.In(r.Context())
	bank, ok := p.brands.Brand(l, payment.ASPSP)
	if !ok {
		return site.ErrUnknown
	}
	if r.Method == http.MethodGet {
		if err := p.authorizations.MarkOpened(r.Context(), id); err != nil {
			return err
		}
	}
	if err := p.service.Add(w, r, site.PaymentPath, id); err != nil {
		return err
	}
	site.AllowRedirect(w, payment.RedirectURL)
	methods := engine.MethodsOfPayment(data, payment)
	p.site.Render(w, r, http.StatusOK, hosted.Payment(hosted.PaymentPage{
		Application: applicationOf(application),
		Bank:        bank,
		PaymentID:   id,
		Order:       *site.OrderOf(l, payment.Type, payment.Request, nil, true),
		Business:    payment.PSUType == openbanking.PSUTypeBusiness,
		AtBank:      len(methods) == 1 && methods[0].Approach == openbanking.AuthenticationApproachRedirect,
		AcceptURL:   site.PaymentPath + "/accept",
		CancelURL:   site.PaymentPath + "/cancel",
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

// undecidedOr redirects the browser to the application when the bank does not say whether a payment was approved, and returns any other error. The browser
// keeps its hold on the payment, so that the person can come back to it.
func undecidedOr(w http.ResponseWriter, r *http.Request, err error) error {
	var undecided *engine.UndecidedError
	if errors.As(err, &undecided) {
		return site.Redirect(w, r, undecided.ReturnURL)
	}
	return err
}

// submitOrder continues a payment with the account that the PSU has chosen. When the payee's name does not match the account, the PSU has to tick a box
// first.
func (p *Pages) submitOrder(w http.ResponseWriter, r *http.Request) error {
	id, fields, err := p.answered(r)
	if err != nil {
		return err
	}
	failed := site.OrderAttempt(fields)
	visit, err := p.authorizations.Visit(r.Context(), id)
	if err != nil || visit.Step.Kind != aggregator.StepOrder {
		return p.visitOn(w, r, id, err)
	}
	if site.Mismatched(visit.Step.Payees) && !failed.Ticked {
		failed.Problem = site.NoTick
		return p.visitAgain(w, r, id, failed)
	}
	answer := aggregator.Answer{Order: true}
	if !visit.Step.Fixed {
		answer.Accounts = failed.Accounts
	}
	err = p.authorizations.Answer(r.Context(), id, answer)
	if errors.Is(err, aggregator.ErrWrongAnswer) {
		if failed.Problem = site.NotADebtor; len(failed.Accounts) == 0 {
			failed.Problem = site.NoDebtor
		}
		return p.visitAgain(w, r, id, failed)
	}
	return p.visitOn(w, r, id, err)
}

// elsewhereOrOver returns the error for a browser that does not hold the authorisation: another browser holds it, or it is a payment that is completed. The
// latter happens after a step back in the browser, where the person may fear to have paid twice.
func (p *Pages) elsewhereOrOver(r *http.Request, id string) error {
	if sitePath(r) == site.PaymentPath {
		_, _, _, err := p.authorizations.PaymentAuthorization(r.Context(), id)
		if errors.Is(err, engine.ErrCompletedAuthorization) {
			return err
		}
	}
	return site.ErrOtherBrowser
}

// visitElsewhereOrOver is elsewhereOrOver for a visit.
func (p *Pages) visitElsewhereOrOver(r *http.Request, id string) error {
	if sitePath(r) == site.PaymentPath {
		visit, err := p.authorizations.Visit(r.Context(), id)
		over := err == nil && visit.Payment != nil && visit.Payment.AuthStatus == openbanking.PaymentAuthStatusFinalised
		if over || errors.Is(err, engine.ErrCompletedAuthorization) {
			return engine.ErrCompletedAuthorization
		}
	}
	return site.ErrOtherBrowser
}
