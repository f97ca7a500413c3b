package pages

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"florin/internal/aggregator"
	"florin/internal/aggregator/engine"
	"florin/internal/aggregator/site"
	"florin/internal/openbanking"
	"florin/internal/qrcode"
	"florin/web/templates/hosted"
	"florin/web/templates/words"
)

// hostedURL is the address of a visit on the service's pages, or of one of its forms, in the part of the site that a request
// is for.
func hostedURL(r *http.Request, step, visitID string) string {
	path := sitePath(r) + "/visit"
	if step != "" {
		path += "/" + step
	}
	return path + "?" + url.Values{"visit": {visitID}}.Encode()
}

// visit shows what a visit waits for: the choice of a method, credentials, another device, a one-time code, the choice of
// accounts. By redirect, the bank asks all that itself.
func (p *Pages) visit(w http.ResponseWriter, r *http.Request) error {
	id, err := p.mine(r)
	if err != nil {
		return err
	}
	return p.showVisit(w, r, http.StatusOK, id, site.Attempt{})
}

// mine returns the id of the visit that a request is about, if it began in this browser.
func (p *Pages) mine(r *http.Request) (string, error) {
	id := r.URL.Query().Get("visit")
	if !p.service.Holds(r, id) {
		return "", p.visitElsewhereOrOver(r, id)
	}
	return id, nil
}

// answered returns the id of the visit that a form is about, and its fields.
func (p *Pages) answered(r *http.Request) (string, url.Values, error) {
	fields, err := site.Form(r)
	if err != nil {
		return "", nil, err
	}
	id, err := p.mine(r)
	return id, fields, err
}

// visitState answers the script of a page that waits: 204 while nothing is new.
func (p *Pages) visitState(w http.ResponseWriter, r *http.Request) error {
	id, err := p.mine(r)
	if err != nil {
		return err
	}
	visit, err := p.authorizations.Visit(r.Context(), id)
	var refused *openbanking.Error
	switch {
	case errors.As(err, &refused): // of the bank: it may answer the next time
		w.WriteHeader(http.StatusServiceUnavailable)
	case err == nil && visit.Step.Kind == aggregator.StepDevice:
		w.WriteHeader(http.StatusNoContent)
	default:
		w.WriteHeader(http.StatusOK)
	}
	return nil
}

// showVisit renders the page of the step that a visit has reached, after an attempt that failed with its fields.
func (p *Pages) showVisit(w http.ResponseWriter, r *http.Request, status int, id string, failed site.Attempt) error {
	visit, err := p.authorizations.Visit(r.Context(), id)
	if errors.Is(err, engine.ErrExpiredAuthorization) {
		return p.conclude(w, r, id)
	}
	if err != nil {
		return err
	}
	words.Speak(r.Context(), visit.Authorization.Language)
	l := words.In(r.Context())
	shown, ok := p.brands.Brand(l, visit.Authorization.ASPSP)
	if !ok || (visit.Payment != nil) != (sitePath(r) == site.PaymentPath) {
		return site.ErrUnknown
	}
	site.AllowRedirect(w, visit.Authorization.RedirectURL)
	problem := failed.Words(l, visit.Step.AttemptsLeft)
	frame := hosted.Visit{Application: visit.Application.Name, DeclineURL: hostedURL(r, "decline", id), Hosted: true}
	if visit.Method.Approach == openbanking.AuthenticationApproachEmbedded {
		frame.Steps = site.Steps(l, visit.Payment != nil, false, false)
	}
	if payment := visit.Payment; payment != nil {
		frame.Order = site.OrderOf(l, payment.Type, payment.Request, visit.Step.Payees, false)
	}
	users := p.brands.SampleUsers(visit.Authorization.ASPSP, visit.Authorization.PSUType)
	var again string
	if len(visit.Methods) > 1 {
		again = hostedURL(r, "again", id)
	}
	switch visit.Step.Kind {
	case "":
		p.site.Render(w, r, status, hosted.Method(hosted.MethodPage{
			Bank: shown, Visit: frame, Action: hostedURL(r, "method", id), Problem: problem, Methods: methodChoices(l, visit.Methods),
		}))
	case aggregator.StepRedirect:
		return site.Redirect(w, r, visit.Step.URL)
	case aggregator.StepCredentials:
		frame.Step = 1
		page := hosted.CredentialsPage{
			Bank: shown, Visit: frame, Action: hostedURL(r, "credentials", id), Problem: problem,
			Fields: credentialFields(l, visit, failed), Device: visit.Method.Approach == openbanking.AuthenticationApproachDecoupled,
			Users: users, AgainURL: again,
		}
		if visit.Supplied != nil {
			page.Supplied = visit.Application.Name
		}
		p.site.Render(w, r, status, hosted.Credentials(page))
	case aggregator.StepDevice:
		code, err := qrcode.Encode(visit.Step.URL, qrcode.M)
		if err != nil {
			return err
		}
		frame.Check = visit.Step.Check
		seconds := max(0, int((visit.Step.Expires.Sub(p.now())+time.Second-1)/time.Second))
		allowScript(w)
		p.site.Render(w, r, status, hosted.Device(hosted.DevicePage{
			Bank: shown, Visit: frame, LinkURL: visit.Step.URL, Code: code, Seconds: seconds, Left: clockText(seconds),
			StateURL: hostedURL(r, "state", id), AgainURL: hostedURL(r, "again", id), Users: named(users, visit.Step.Holder),
		}))
	case aggregator.StepCode:
		if frame.Step = 2; visit.Payment != nil {
			frame.Step = len(frame.Steps)
		}
		p.site.Render(w, r, status, hosted.Code(hosted.CodePage{
			Bank: shown, Visit: frame, Action: hostedURL(r, "code", id), Holder: visit.Step.Holder, Problem: problem, Users: users,
			Message: visit.Step.Message,
		}))
	case aggregator.StepOrder:
		frame.Step = 2
		p.site.Render(w, r, status, hosted.CheckOrder(hosted.OrderPage{
			Bank: shown, Visit: frame, Action: hostedURL(r, "order", id), Problem: problem, Holder: visit.Step.Holder,
			Accounts: site.DebtorAccounts(l, visit.Step.Accounts, failed), Fixed: visit.Step.Fixed,
			NoMatch: site.Mismatched(visit.Step.Payees), Ticked: failed.Ticked,
		}))
	case aggregator.StepAccounts:
		frame.Step = len(frame.Steps)
		until, note := site.UntilText(l, visit.Step.ValidUntil, p.now())
		p.site.Render(w, r, status, hosted.Approval(hosted.ApprovalPage{
			Bank: shown, Visit: frame, Action: hostedURL(r, "approve", id), Problem: problem, Holder: visit.Step.Holder,
			Accounts: site.AccountsOf(l, visit.Step.Accounts, failed), Fixed: visit.Step.Fixed, Until: until, UntilNote: note,
			Shared: site.Shared(l, *visit.Session.Access.Balances && !visit.Step.ListOnly, *visit.Session.Access.Transactions && !visit.Step.ListOnly, 0),
		}))
	case aggregator.StepBlocked, aggregator.StepExpired:
		p.site.Render(w, r, http.StatusGone, hosted.Message(overPage(l, r, visit)))
	default:
		return p.conclude(w, r, id)
	}
	return nil
}

// overPage says that the bank waits no longer, with the ways on.
func overPage(l *words.Language, r *http.Request, visit engine.Visit) hosted.MessagePage {
	back := hosted.Button{Action: hostedURL(r, "back", visit.ID), Text: l.Say("Go back to %s", visit.Application.Name)}
	if visit.Step.Kind == aggregator.StepBlocked {
		return hosted.MessagePage{
			Title: l.Say("Access is blocked"), Tone: hosted.ToneStop, Buttons: []hosted.Button{back},
			Text: []string{l.Say(site.Blocked(visit.Payment != nil)), l.Say("You can start again from the application.")},
		}
	}
	again := hosted.Button{Action: hostedURL(r, "again", visit.ID), Text: l.Say("Start again")}
	return hosted.MessagePage{
		Title: l.Say("The time is up"), Tone: hosted.ToneStop, Buttons: []hosted.Button{again, back},
		Text: []string{l.Say(overdue(visit.Payment != nil))},
	}
}

// overdue says that the time is up: for a payment, or else for access to accounts.
func overdue(payment bool) words.Text {
	if payment {
		return "For your safety the bank waits for a limited time only. Nothing was approved."
	}
	return "For your safety the bank waits for a limited time only. Nothing was shared."
}

// chooseMethod opens the authorisation at the bank by the chosen method.
func (p *Pages) chooseMethod(w http.ResponseWriter, r *http.Request) error {
	id, fields, err := p.answered(r)
	if err != nil {
		return err
	}
	err = p.authorizations.ChooseMethod(r.Context(), id, fields.Get("method"))
	if errors.Is(err, openbanking.WrongRequestParameters) {
		return p.visitAgain(w, r, id, site.Attempt{Problem: site.NoMethod})
	}
	return p.visitOn(w, r, id, err)
}

// fieldPrefix keeps the names of credentials apart from other fields of a form.
const fieldPrefix = "credential."

// submitCredentials hands over what the bank wants to know.
func (p *Pages) submitCredentials(w http.ResponseWriter, r *http.Request) error {
	id, fields, err := p.answered(r)
	if err != nil {
		return err
	}
	values := map[string]string{}
	for field := range fields {
		if name, ok := strings.CutPrefix(field, fieldPrefix); ok && fields.Get(field) != "" {
			values[name] = fields.Get(field)
		}
	}
	err = p.authorizations.Answer(r.Context(), id, aggregator.Answer{Credentials: values})
	var faults *engine.CredentialsError
	switch {
	case errors.As(err, &faults):
		return p.visitAgain(w, r, id, site.Attempt{Problem: site.CheckFields, Values: values, Faults: faults.Faults})
	case errors.Is(err, aggregator.ErrWrongAnswer):
		return p.visitAgain(w, r, id, site.Attempt{Problem: site.RefusedCredentials, Values: values})
	}
	return p.visitOn(w, r, id, err)
}

// submitCode hands over the one-time code.
func (p *Pages) submitCode(w http.ResponseWriter, r *http.Request) error {
	id, fields, err := p.answered(r)
	if err != nil {
		return err
	}
	err = p.authorizations.Answer(r.Context(), id, aggregator.Answer{Code: strings.TrimSpace(fields.Get("code"))})
	if errors.Is(err, aggregator.ErrWrongAnswer) {
		return p.visitAgain(w, r, id, site.Attempt{Problem: site.WrongCode})
	}
	return p.visitOn(w, r, id, err)
}

// submitAccounts hands over the choice of accounts.
func (p *Pages) submitAccounts(w http.ResponseWriter, r *http.Request) error {
	id, fields, err := p.answered(r)
	if err != nil {
		return err
	}
	chosen := append([]string{}, fields["account"]...)
	err = p.authorizations.Answer(r.Context(), id, aggregator.Answer{Accounts: chosen})
	if errors.Is(err, aggregator.ErrWrongAnswer) {
		if len(chosen) == 0 {
			return p.visitAgain(w, r, id, site.Attempt{Problem: site.NothingChosen})
		}
		return p.visitAgain(w, r, id, site.Attempt{Problem: site.NotAChoice, Accounts: chosen})
	}
	return p.visitOn(w, r, id, err)
}

// visitAnew starts a visit again.
func (p *Pages) visitAnew(w http.ResponseWriter, r *http.Request) error {
	id, err := p.mine(r)
	if err != nil {
		return err
	}
	return p.visitOn(w, r, id, p.authorizations.StartAgain(r.Context(), id))
}

// cancelVisit sends the browser back to the application: "Cancelled by user" (api-notes 4).
func (p *Pages) cancelVisit(w http.ResponseWriter, r *http.Request) error {
	id, err := p.mine(r)
	if err != nil {
		return err
	}
	target, err := p.authorizations.Cancel(r.Context(), id)
	if err != nil {
		return p.visitOn(w, r, id, err)
	}
	return p.leave(w, r, target, id)
}

// endVisit sends the browser back to the application with the error that the visit ended with.
func (p *Pages) endVisit(w http.ResponseWriter, r *http.Request) error {
	id, err := p.mine(r)
	if err != nil {
		return err
	}
	return p.conclude(w, r, id)
}

// conclude sends the browser back to the application, if there is nothing more to ask.
func (p *Pages) conclude(w http.ResponseWriter, r *http.Request, id string) error {
	target, err := p.authorizations.Conclude(r.Context(), id)
	switch {
	case err != nil:
		return undecidedOr(w, r, err)
	case target == "":
		return site.Redirect(w, r, hostedURL(r, "", id))
	}
	return p.leave(w, r, target, id)
}

// visitOn goes to the page of the step that was reached, also when a form came late or twice.
func (p *Pages) visitOn(w http.ResponseWriter, r *http.Request, id string, err error) error {
	if err != nil && !errors.Is(err, engine.ErrExpiredAuthorization) {
		return err
	}
	return site.Redirect(w, r, hostedURL(r, "", id))
}

// visitAgain shows the page of a step after an attempt that failed.
func (p *Pages) visitAgain(w http.ResponseWriter, r *http.Request, id string, failed site.Attempt) error {
	return p.showVisit(w, r, http.StatusUnprocessableEntity, id, failed)
}

// backToHosted answers a form's address that is opened like a page, as after "reload": with the page of the visit.
func (p *Pages) backToHosted(w http.ResponseWriter, r *http.Request) error {
	return site.Redirect(w, r, hostedURL(r, "", r.URL.Query().Get("visit")))
}

// methodChoices are the methods on offer, the first one ticked.
func methodChoices(l *words.Language, methods []openbanking.AuthMethod) []hosted.MethodChoice {
	choices := make([]hosted.MethodChoice, len(methods))
	for i, m := range methods {
		choices[i] = hosted.MethodChoice{ID: "method-" + strconv.Itoa(i+1), Name: *m.Name, Title: *m.Name, Detail: l.Say(approaches[m.Approach]), Checked: i == 0}
		if m.Title != nil {
			choices[i].Title = *m.Title
		}
	}
	return choices
}

var approaches = map[openbanking.AuthenticationApproach]words.Text{
	openbanking.AuthenticationApproachRedirect:  "You go to the site of the bank and come back.",
	openbanking.AuthenticationApproachDecoupled: "You approve on your phone.",
	openbanking.AuthenticationApproachEmbedded:  "You type on this site what the bank asks for.",
}

// credentialFields are the fields of a credentials form. What is typed unseen is filled in only when it came with POST /auth.
func credentialFields(l *words.Language, visit engine.Visit, failed site.Attempt) []hosted.CredentialField {
	fields := make([]hosted.CredentialField, len(visit.Method.Credentials))
	for i, c := range visit.Method.Credentials {
		field := hosted.CredentialField{
			ID: "credential-" + strconv.Itoa(i+1), Name: fieldPrefix + c.Name, Title: c.Title, Required: c.Required,
			Value: visit.Supplied[c.Name], Secret: slices.Contains(visit.Bank.Secrets, c.Name),
		}
		if c.Description != nil {
			field.Hint = *c.Description
		}
		if failed.Values != nil && !field.Secret {
			field.Value = failed.Values[c.Name]
		}
		switch failed.Faults[c.Name] {
		case engine.CredentialMissing:
			field.Problem = l.Say("This is needed.")
		case engine.CredentialMalformed:
			field.Problem = l.Say("This does not have the form that the bank expects.")
		}
		fields[i] = field
	}
	if failed.Values != nil {
		mend := slices.IndexFunc(fields, func(f hosted.CredentialField) bool { return f.Problem != "" || f.Secret })
		fields[max(mend, 0)].Focus = true
	}
	return fields
}

// named are the sample users with that name.
func named(users []hosted.SampleUser, name string) []hosted.SampleUser {
	return slices.DeleteFunc(users, func(u hosted.SampleUser) bool { return u.Name != name })
}

// clockText writes seconds as minutes and seconds: 4:05.
func clockText(seconds int) string {
	rest := strconv.Itoa(seconds % 60)
	if len(rest) == 1 {
		rest = "0" + rest
	}
	return strconv.Itoa(seconds/60) + ":" + rest
}
