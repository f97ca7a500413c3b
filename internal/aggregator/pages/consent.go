package pages

import (
	"errors"
	"net/http"
	"time"
	"unicode"

	"florin/internal/aggregator"
	"florin/internal/aggregator/engine"
	"florin/internal/openbanking"
	"florin/web/templates/hosted"
	"florin/web/templates/words"
)

// servicePath is the part of the site that the service's cookie is for.
const servicePath = "/ais"

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
	bank, ok := p.bankNamed(session.ASPSP)
	if !ok {
		return errUnknown
	}
	if err := p.service.add(w, r, servicePath, id); err != nil {
		return err
	}
	allowRedirect(w, session.RedirectURL)
	words.Speak(r.Context(), session.Language)
	l := words.In(r.Context())
	methods := engine.MethodsOf(data, session)
	until, note := untilText(l, session.Access.ValidUntil.Time, p.now())
	p.render(w, r, http.StatusOK, hosted.Consent(hosted.ConsentPage{
		Application:     applicationOf(application),
		Bank:            bankOf(l, bank),
		AuthorizationID: id,
		Shared:          shared(l, *session.Access.Balances, *session.Access.Transactions, len(session.Access.Accounts)),
		Until:           until,
		UntilNote:       note,
		Linker:          linker,
		Business:        session.PSUType == openbanking.PSUTypeBusiness,
		AtBank:          len(methods) == 1 && methods[0].Approach == openbanking.AuthenticationApproachRedirect,
		AcceptURL:       servicePath + "/accept",
		CancelURL:       servicePath + "/cancel",
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
	if err := p.service.add(w, r, sitePath(r), visit); err != nil {
		return err
	}
	if refused {
		return p.visitAgain(w, r, visit, attempt{problem: refusedCredentials})
	}
	return redirect(w, r, hostedURL(r, "", visit))
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
	if !p.service.holds(r, id) {
		return p.elsewhereOrOver(r, id)
	}
	target, err := p.authorizations.ReturnFromBank(r.Context(), state, query.Get("code"), query.Get("error"), query.Get("error_description"))
	if err != nil {
		return undecidedOr(w, r, err)
	}
	return p.leave(w, r, target, id)
}

// opened returns the id of the authorisation that a form is about, from the field of that name, if this browser opened it.
func (p *Pages) opened(r *http.Request, field string) (string, error) {
	fields, err := form(r)
	if err != nil {
		return "", err
	}
	id := fields.Get(field)
	if !p.service.holds(r, id) {
		return "", p.elsewhereOrOver(r, id)
	}
	return id, nil
}

// leave sends the browser to the application, where this authorisation, and its visit, end for it.
func (p *Pages) leave(w http.ResponseWriter, r *http.Request, target string, ids ...string) error {
	if err := p.service.remove(w, r, sitePath(r), ids...); err != nil {
		return err
	}
	return redirect(w, r, target)
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

// shared says in words what an application will see. named is the number of accounts that it asked for by number.
func shared(l *words.Language, balances, transactions bool, named int) []hosted.Fact {
	accounts := l.Say("Number, holder, kind and currency of the accounts that you approve.")
	if named > 0 {
		accounts = l.Say("Number, holder, kind and currency of the %d accounts that it asked for.", named)
	}
	facts := []hosted.Fact{{Label: l.Say("Accounts"), Text: accounts}}
	if balances {
		facts = append(facts, hosted.Fact{Label: l.Say("Balances"), Text: l.Say("How much is on each of them, whenever it asks.")})
	}
	if transactions {
		facts = append(facts, hosted.Fact{Label: l.Say("Transactions"), Text: l.Say("Past and new ones with amounts, names and texts, as far back as the bank goes.")})
	}
	return facts
}

// untilText says when something ends, by date, and by the hour when that is near.
func untilText(l *words.Language, end, now time.Time) (text, note string) {
	left := end.Sub(now)
	switch {
	case left >= 48*time.Hour:
		return l.Date(end), l.Say("in %d days", int(left.Hours()/24+0.5))
	case left >= 2*time.Hour:
		return l.DateTime(end), l.Say("in %d hours", int(left.Hours()))
	}
	return l.DateTime(end), l.Say("in %d minutes", max(1, int(left.Minutes())))
}

// lifetime writes a duration in words, in minutes or in seconds.
func lifetime(l *words.Language, d time.Duration) string {
	if d%time.Minute == 0 {
		return l.Say("%d minutes", int(d/time.Minute))
	}
	return l.Say("%d seconds", int(d/time.Second))
}
