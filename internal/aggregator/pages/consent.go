package pages

import (
	"errors"
	"net/http"
	"net/url"
	"time"
	"unicode"

	"florin/internal/aggregator"
	"florin/internal/aggregator/engine"
	"florin/internal/aggregator/site"
	"florin/internal/openbanking"
	"florin/web/templates/hosted"
	"florin/web/templates/words"
)

// start shows what is shared, with whom and until when (api-notes 4). From here on the authorisation belongs to this browser.
func (p *Pages) start(w http.ResponseWriter, r *http.Request) error {
	id := r.URL.Query().Get("sessionid")
	session, application, data, err := p.authorizations.Authorization(r.Context(), id)
	if err != nil {
		return err
	}
	linker, err := p.linkers.Linker(r.Context(), id)
	if err != nil {
		return err
	}
	words.Speak(r.Context(), session.Language)
	l := words.In(r.Context())
	bank, ok := p.brands.Brand(l, session.ASPSP)
	if !ok {
		return site.ErrUnknown
	}
	if err := p.service.Add(w, r, site.ServicePath, id); err != nil {
		return err
	}
	site.AllowRedirect(w, session.RedirectURL)
	methods := engine.MethodsOf(data, session)
	until, note := site.UntilText(l, session.Access.ValidUntil.Time, p.now())
	p.site.Render(w, r, http.StatusOK, hosted.Consent(hosted.ConsentPage{
		Application:     applicationOf(application),
		Bank:            bank,
		AuthorizationID: id,
		Shared:          site.Shared(l, *session.Access.Balances, *session.Access.Transactions, len(session.Access.Accounts)),
		Until:           until,
		UntilNote:       note,
		Linker:          linker,
		Business:        session.PSUType == openbanking.PSUTypeBusiness,
		AtBank:          len(methods) == 1 && methods[0].Approach == openbanking.AuthenticationApproachRedirect,
		AcceptURL:       site.ServicePath + "/accept",
		CancelURL:       site.ServicePath + "/cancel",
	}))
	return nil
}

// accept begins a visit, which belongs to this browser.
func (p *Pages) accept(w http.ResponseWriter, r *http.Request) error {
	id, err := p.opened(r, "sessionid")
	if err != nil {
		return err
	}
	visit, err := p.authorizations.Accept(r.Context(), id)
	return p.begin(w, r, visit, err)
}

// begin goes to the first page of a visit, with the outcome of Accept or AcceptPayment.
func (p *Pages) begin(w http.ResponseWriter, r *http.Request, visit string, err error) error {
	refused := errors.Is(err, aggregator.ErrWrongAnswer)
	if err != nil && !refused {
		return err
	}
	if err := p.service.Add(w, r, sitePath(r), visit); err != nil {
		return err
	}
	if refused {
		return p.visitAgain(w, r, visit, site.Attempt{Problem: site.RefusedCredentials})
	}
	return site.Redirect(w, r, hostedURL(r, "", visit))
}

// cancel sends the browser back to the application: "Denied data sharing consent" (api-notes 4).
func (p *Pages) cancel(w http.ResponseWriter, r *http.Request) error {
	id, err := p.opened(r, "sessionid")
	if err != nil {
		return err
	}
	target, err := p.authorizations.Deny(r.Context(), id)
	if err != nil {
		return err
	}
	return p.leave(w, r, target, id)
}

// comeBack takes the browser that a bank sent back, and sends it to the application with a code or an error. In another
// browser nothing happens, so the state keeps its worth for the right one.
func (p *Pages) comeBack(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	state := query.Get("state")
	id, err := p.authorizations.AuthorizationOfState(r.Context(), state)
	if err != nil {
		return err
	}
	if !p.service.Holds(r, id) {
		return p.elsewhereOrOver(r, id)
	}
	target, err := p.authorizations.ReturnFromBank(r.Context(), state, query.Get("code"), query.Get("error"), query.Get("error_description"))
	if errors.Is(err, engine.ErrNotApproved) {
		return &site.NotApprovedError{PaymentURL: site.PaymentPath + "/start?" + url.Values{"payment_id": {id}}.Encode()}
	}
	if err != nil {
		return undecidedOr(w, r, err)
	}
	return p.leave(w, r, target, id)
}

// opened returns the id of the authorisation that a form is about, from the field of that name, if this browser opened it.
func (p *Pages) opened(r *http.Request, field string) (string, error) {
	fields, err := site.Form(r)
	if err != nil {
		return "", err
	}
	id := fields.Get(field)
	if !p.service.Holds(r, id) {
		return "", p.elsewhereOrOver(r, id)
	}
	return id, nil
}

// leave sends the browser to the application, where this authorisation, and its visit, end for it.
func (p *Pages) leave(w http.ResponseWriter, r *http.Request, target string, ids ...string) error {
	if err := p.service.Remove(w, r, sitePath(r), ids...); err != nil {
		return err
	}
	return site.Redirect(w, r, target)
}

func applicationOf(a aggregator.Application) hosted.Application {
	initial := "?"
	for _, letter := range a.Name {
		if unicode.IsLetter(letter) || unicode.IsDigit(letter) {
			initial = string(unicode.ToUpper(letter))
			break
		}
	}
	return hosted.Application{Name: a.Name, Description: a.Description, Initial: initial, PrivacyURL: a.PrivacyURL, TermsURL: a.TermsURL}
}

// lifetime writes a duration in words, in minutes or in seconds.
func lifetime(l *words.Language, d time.Duration) string {
	if d%time.Minute == 0 {
		return l.Say("%d minutes", int(d/time.Minute))
	}
	return l.Say("%d seconds", int(d/time.Second))
}
