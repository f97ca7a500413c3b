package pages

import (
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
	"florin/web/templates/hosted"
)

// servicePath is the part of the site that the service's cookie is for.
const servicePath = "/ais"

// start shows what is shared, with whom and until when (api-notes 4). From here on the authorisation belongs to this browser.
func (p *Pages) start(w http.ResponseWriter, r *http.Request) error {
	id := r.URL.Query().Get("sessionid")
	session, application, _, err := p.authorizations.Authorization(r.Context(), id)
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
	until, note := untilText(session.Access.ValidUntil.Time, p.now())
	p.render(w, r, http.StatusOK, hosted.Consent(hosted.ConsentPage{
		Application:     applicationOf(application),
		Bank:            bankOf(bank),
		AuthorizationID: id,
		Shared:          shared(*session.Access.Balances, *session.Access.Transactions, len(session.Access.Accounts)),
		Until:           until,
		UntilNote:       note,
		Business:        session.PSUType == openbanking.PSUTypeBusiness,
		AcceptURL:       servicePath + "/accept",
		CancelURL:       servicePath + "/cancel",
	}))
	return nil
}

// accept sends the browser to the bank.
func (p *Pages) accept(w http.ResponseWriter, r *http.Request) error {
	id, err := p.opened(r)
	if err != nil {
		return err
	}
	target, err := p.authorizations.Accept(r.Context(), id)
	if err != nil {
		return err
	}
	return redirect(w, r, target)
}

// cancel sends the browser back to the application: "Denied data sharing consent" (api-notes 4).
func (p *Pages) cancel(w http.ResponseWriter, r *http.Request) error {
	id, err := p.opened(r)
	if err != nil {
		return err
	}
	target, err := p.authorizations.Deny(r.Context(), id)
	if err != nil {
		return err
	}
	return p.leave(w, r, id, target)
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
		return errOtherBrowser
	}
	target, err := p.authorizations.ReturnFromBank(r.Context(), state, query.Get("code"), query.Get("error"), query.Get("error_description"))
	if err != nil {
		return err
	}
	return p.leave(w, r, id, target)
}

// opened returns the id of the authorisation that a form is about, if this browser opened it.
func (p *Pages) opened(r *http.Request) (string, error) {
	fields, err := form(r)
	if err != nil {
		return "", err
	}
	id := fields.Get("sessionid")
	if !p.service.holds(r, id) {
		return "", errOtherBrowser
	}
	return id, nil
}

// leave sends the browser to the application, where this authorisation ends for it.
func (p *Pages) leave(w http.ResponseWriter, r *http.Request, id, target string) error {
	if err := p.service.remove(w, r, servicePath, id); err != nil {
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
func shared(balances, transactions bool, named int) []hosted.Fact {
	accounts := "Number, holder, kind and currency of the accounts that you choose at the bank."
	if named > 0 {
		accounts = "Number, holder, kind and currency of the " + count(named, "account") + " that it asked for."
	}
	facts := []hosted.Fact{{Label: "Accounts", Text: accounts}}
	if balances {
		facts = append(facts, hosted.Fact{Label: "Balances", Text: "How much is on each of them, whenever it asks."})
	}
	if transactions {
		facts = append(facts, hosted.Fact{Label: "Transactions", Text: "Past and new ones with amounts, names and texts, as far back as the bank goes."})
	}
	return facts
}

// untilText says when something ends, by date, and by the hour when that is near.
func untilText(end, now time.Time) (text, note string) {
	end = end.UTC()
	left := end.Sub(now)
	switch {
	case left >= 48*time.Hour:
		return end.Format("2 January 2006"), "in " + count(int(left.Hours()/24+0.5), "day")
	case left >= 2*time.Hour:
		return end.Format("2 January 2006, 15:04 UTC"), "in " + count(int(left.Hours()), "hour")
	}
	return end.Format("2 January 2006, 15:04 UTC"), "in " + count(max(1, int(left.Minutes())), "minute")
}

// lifetime writes a duration in words, in minutes or in seconds.
func lifetime(d time.Duration) string {
	if d%time.Minute == 0 {
		return count(int(d/time.Minute), "minute")
	}
	return count(int(d/time.Second), "second")
}

// count writes a number with its noun: "1 day", "3 days".
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strings.Join([]string{strconv.Itoa(n), noun}, " ")
}
