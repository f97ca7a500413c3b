package pages

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"florin/internal/aggregator"
	"florin/internal/aggregator/engine"
	"florin/internal/aggregator/sandbox"
	"florin/internal/countries"
	"florin/internal/iban"
	"florin/internal/openbanking"
	"florin/web/templates/hosted"
)

// bank returns the bank to whose site the address belongs.
func (p *Pages) bank(r *http.Request) (*sandbox.Bank, error) {
	bank, ok := p.banks.Bank(r.PathValue("country"), r.PathValue("bank"))
	if !ok {
		return nil, errNoPage
	}
	return bank, nil
}

// bankHome is the front page of a bank's site.
func (p *Pages) bankHome(w http.ResponseWriter, r *http.Request) error {
	bank, err := p.bank(r)
	if err != nil {
		return err
	}
	data := bank.ASPSP()
	facts := []hosted.Fact{{Label: "Country", Text: countries.Name(bank.Country())}}
	if data.BIC != nil {
		facts = append(facts, hosted.Fact{Label: "BIC", Text: *data.BIC})
	}
	if bank.Group() != "" {
		facts = append(facts, hosted.Fact{Label: "Part of", Text: bank.Group()})
	}
	facts = append(facts,
		hosted.Fact{Label: "Customers", Text: customers(data.PSUTypes)},
		hosted.Fact{Label: "Access", Text: "for up to " + count(data.MaximumConsentValidity/(24*60*60), "day")})
	p.render(w, r, http.StatusOK, hosted.BankHome(hosted.BankPage{
		Bank:          bankOf(bank),
		Facts:         facts,
		Users:         sampleUsers(bank, data.PSUTypes...),
		NoCredentials: bank.NoCredentials(),
	}))
	return nil
}

// brandSheet serves the colours of a bank as a style sheet.
func (p *Pages) brandSheet(w http.ResponseWriter, r *http.Request) error {
	bank, err := p.bank(r)
	if err != nil {
		return err
	}
	return drawing(w, "text/css; charset=utf-8", brandOf(bank.Name(), bank.Colour(), bank.Initials()).styleSheet())
}

// logo serves the logo of a bank. It is a drawing without pixels, so a transformation such as -/resize/500x/ leaves it as
// it is (spec: ASPSP data). Applications elsewhere may show it. The bank may be named as in the API too.
func (p *Pages) logo(w http.ResponseWriter, r *http.Request) error {
	bank, err := p.bank(r)
	if err != nil {
		var ok bool
		bank, ok = p.bankNamed(openbanking.ASPSP{Name: r.PathValue("bank"), Country: strings.ToUpper(r.PathValue("country"))})
		if !ok {
			return err
		}
	}
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; sandbox")
	return drawing(w, "image/svg+xml", brandOf(bank.Name(), bank.Colour(), bank.Initials()).logo())
}

func drawing(w http.ResponseWriter, contentType, body string) error {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Cache-Control", "public, max-age=3600")
	_, _ = io.WriteString(w, body) // the browser went away: nothing left to tell it
	return nil
}

// authorize shows the page of the step that a visit has reached. The first page may be opened by any browser that knows
// the address, and binds the visit to it; all others belong to that browser.
func (p *Pages) authorize(w http.ResponseWriter, r *http.Request) error {
	bank, err := p.bank(r)
	if err != nil {
		return err
	}
	id := r.URL.Query().Get("flow")
	visit, err := p.banks.Visit(r.Context(), id)
	if err != nil {
		return p.stopped(w, r, bank, id, err)
	}
	if visit.Bank != bank {
		return errUnknown
	}
	first := visit.Step == aggregator.BankFlowSignIn || bank.NoCredentials() && visit.Step == aggregator.BankFlowApproval
	switch {
	case p.visits.holds(r, id):
	case !first:
		return errOtherBrowser
	default:
		if err := p.visits.add(w, r, bankPath(bank), id); err != nil {
			return err
		}
	}
	return p.step(w, r, http.StatusOK, visit, attempt{})
}

// attempt is what a person sent and what was wrong with it.
type attempt struct {
	problem  string
	username string
	accounts []string
}

// step renders the page of the step that a visit has reached, after an attempt that failed with its fields.
func (p *Pages) step(w http.ResponseWriter, r *http.Request, status int, visit sandbox.Visit, failed attempt) error {
	switch err := p.allowReturn(w, r, visit); {
	case errors.Is(err, engine.ErrExpiredAuthorization):
		back := engine.ReturnPath + "?" + url.Values{"state": {visit.State}}.Encode()
		return p.stopped(w, r, visit.Bank, visit.ID, &sandbox.EndedError{ReturnURL: back})
	case err != nil:
		return err
	}
	frame := hosted.Visit{
		Application: visit.ApplicationName,
		Steps:       steps(visit.Bank),
		DeclineURL:  visitURL(visit.Bank, "decline", visit.ID),
	}
	switch visit.Step {
	case aggregator.BankFlowSignIn:
		frame.Step = 1
		p.render(w, r, status, hosted.SignIn(hosted.SignInPage{
			Bank:     bankOf(visit.Bank),
			Visit:    frame,
			Action:   visitURL(visit.Bank, "sign-in", visit.ID),
			Username: failed.username,
			Problem:  failed.problem,
			Users:    sampleUsers(visit.Bank, visit.PSUType),
		}))
	case aggregator.BankFlowOTP:
		frame.Step = 2
		p.render(w, r, status, hosted.Code(hosted.CodePage{
			Bank:    bankOf(visit.Bank),
			Visit:   frame,
			Action:  visitURL(visit.Bank, "code", visit.ID),
			Holder:  visit.Holder,
			Problem: failed.problem,
			Users:   sampleUsers(visit.Bank, visit.PSUType),
		}))
	case aggregator.BankFlowApproval:
		frame.Step = len(frame.Steps)
		choices, err := p.banks.Choices(r.Context(), visit.ID)
		if err != nil {
			return err
		}
		until, note := untilText(visit.ValidUntil, p.now())
		p.render(w, r, status, hosted.Approval(hosted.ApprovalPage{
			Bank:      bankOf(visit.Bank),
			Visit:     frame,
			Action:    visitURL(visit.Bank, "approve", visit.ID),
			Problem:   failed.problem,
			Holder:    visit.Holder,
			Accounts:  accountsOf(choices, failed),
			Shared:    shared(visit.Balances, visit.Transactions, 0),
			Until:     until,
			UntilNote: note,
		}))
	default:
		return errCompleted
	}
	return nil
}

// signIn checks user and password.
func (p *Pages) signIn(w http.ResponseWriter, r *http.Request) error {
	bank, id, fields, err := p.visited(r)
	if err != nil {
		return err
	}
	username := fields.Get("username")
	err = p.banks.SignIn(r.Context(), id, username, fields.Get("password"))
	if errors.Is(err, sandbox.ErrWrongPassword) {
		return p.again(w, r, id, attempt{problem: "The user or the password is wrong.", username: username})
	}
	return p.onward(w, r, bank, id, err)
}

// checkCode checks the one-time code.
func (p *Pages) checkCode(w http.ResponseWriter, r *http.Request) error {
	bank, id, fields, err := p.visited(r)
	if err != nil {
		return err
	}
	err = p.banks.CheckOTP(r.Context(), id, strings.TrimSpace(fields.Get("code")))
	if errors.Is(err, sandbox.ErrWrongOTP) {
		return p.again(w, r, id, attempt{problem: "This code is wrong."})
	}
	return p.onward(w, r, bank, id, err)
}

// approve grants access to the chosen accounts and sends the browser back to the service.
func (p *Pages) approve(w http.ResponseWriter, r *http.Request) error {
	bank, id, fields, err := p.visited(r)
	if err != nil {
		return err
	}
	target, err := p.banks.Approve(r.Context(), id, fields["account"])
	switch {
	case errors.Is(err, sandbox.ErrNothingChosen):
		return p.again(w, r, id, attempt{problem: "Choose at least one account, or decline."})
	case errors.Is(err, sandbox.ErrNotAChoice):
		return p.again(w, r, id, attempt{problem: "One of these accounts cannot be chosen. Please choose again."})
	case err != nil:
		return p.onward(w, r, bank, id, err)
	}
	return p.finish(w, r, bank, id, target)
}

// decline ends the visit and sends the browser back to the service: "Cancelled by user" (api-notes 4).
func (p *Pages) decline(w http.ResponseWriter, r *http.Request) error {
	bank, id, _, err := p.visited(r)
	if err != nil {
		return err
	}
	target, err := p.banks.Decline(r.Context(), id)
	if err != nil {
		return p.onward(w, r, bank, id, err)
	}
	return p.finish(w, r, bank, id, target)
}

// backToVisit answers a form's address that is opened like a page, as after "reload": with the page of the visit.
func (p *Pages) backToVisit(w http.ResponseWriter, r *http.Request) error {
	bank, err := p.bank(r)
	if err != nil {
		return err
	}
	return redirect(w, r, visitURL(bank, "authorize", r.URL.Query().Get("flow")))
}

// visited returns what a form of a visit is about, if this browser opened the visit.
func (p *Pages) visited(r *http.Request) (*sandbox.Bank, string, url.Values, error) {
	bank, err := p.bank(r)
	if err != nil {
		return nil, "", nil, err
	}
	fields, err := form(r)
	if err != nil {
		return nil, "", nil, err
	}
	id := r.URL.Query().Get("flow")
	if !p.visits.holds(r, id) {
		return nil, "", nil, errOtherBrowser
	}
	return bank, id, fields, nil
}

// onward goes to the page of the step that was reached, also when a form came late or twice.
func (p *Pages) onward(w http.ResponseWriter, r *http.Request, bank *sandbox.Bank, id string, err error) error {
	var step *sandbox.StepError
	if err != nil && !errors.As(err, &step) {
		return p.stopped(w, r, bank, id, err)
	}
	return redirect(w, r, visitURL(bank, "authorize", id))
}

// again shows the page of a step after an attempt that failed, with the number of attempts left.
func (p *Pages) again(w http.ResponseWriter, r *http.Request, id string, failed attempt) error {
	visit, err := p.banks.Visit(r.Context(), id)
	if err != nil {
		return err
	}
	if visit.Step != aggregator.BankFlowApproval {
		failed.problem += " You have " + count(visit.AttemptsLeft, "attempt") + " left."
	}
	return p.step(w, r, http.StatusUnprocessableEntity, visit, failed)
}

// stopped shows that a visit is blocked or out of time, with the way back, to the browser that opened it.
func (p *Pages) stopped(w http.ResponseWriter, r *http.Request, bank *sandbox.Bank, id string, err error) error {
	var ended *sandbox.EndedError
	if !errors.As(err, &ended) {
		return err
	}
	if !p.visits.holds(r, id) {
		return errOtherBrowser
	}
	shown := bankOf(bank)
	page := hosted.MessagePage{
		Title:    "Your visit took too long",
		Text:     []string{"For your safety the bank ends a visit after a while. Nothing was shared."},
		Bank:     &shown,
		LinkURL:  ended.ReturnURL,
		LinkText: "Go back",
		Tone:     hosted.ToneStop,
	}
	status := http.StatusGone
	if ended.Blocked {
		page.Title = "Access is blocked"
		page.Text = []string{"There were too many wrong attempts. Nothing was shared.", "You can start again from the application."}
		status = http.StatusForbidden
	}
	p.render(w, r, status, hosted.Message(page))
	return nil
}

// finish ends the visit for this browser and sends it back to the service.
func (p *Pages) finish(w http.ResponseWriter, r *http.Request, bank *sandbox.Bank, id, target string) error {
	if err := p.visits.remove(w, r, bankPath(bank), id); err != nil {
		return err
	}
	return redirect(w, r, target)
}

// allowReturn lets the forms of a visit end at the application that it is for.
func (p *Pages) allowReturn(w http.ResponseWriter, r *http.Request, visit sandbox.Visit) error {
	id, err := p.authorizations.AuthorizationOfState(r.Context(), visit.State)
	if err != nil {
		return err
	}
	session, _, _, err := p.authorizations.Authorization(r.Context(), id)
	if err != nil {
		return err
	}
	allowRedirect(w, session.RedirectURL)
	return nil
}

func visitURL(bank *sandbox.Bank, step, id string) string {
	return bankPath(bank) + step + "?" + url.Values{"flow": {id}}.Encode()
}

// steps are the names of the pages of a visit to the bank.
func steps(bank *sandbox.Bank) []string {
	if bank.NoCredentials() {
		return nil
	}
	return []string{"Sign in", "Code", "Approve"}
}

func sampleUsers(bank *sandbox.Bank, types ...openbanking.PSUType) []hosted.SampleUser {
	var users []hosted.SampleUser
	for _, psu := range types {
		for _, u := range bank.SampleUsers(psu) {
			users = append(users, hosted.SampleUser{Username: u.Username, Password: u.Password, Code: u.OTP})
		}
	}
	return users
}

func customers(types []openbanking.PSUType) string {
	switch {
	case slices.Contains(types, openbanking.PSUTypePersonal) && slices.Contains(types, openbanking.PSUTypeBusiness):
		return "Personal and business"
	case slices.Contains(types, openbanking.PSUTypeBusiness):
		return "Business"
	}
	return "Personal"
}

// accountsOf are the accounts on offer. At first all are ticked: a person takes away what is not to be seen.
func accountsOf(choices []sandbox.Choice, failed attempt) []hosted.ApprovalAccount {
	accounts := make([]hosted.ApprovalAccount, len(choices))
	for i, c := range choices {
		name, detail := c.Product, kinds[c.Type]
		if c.Details != "" {
			name, detail = c.Details, detail+" · "+c.Product
		}
		accounts[i] = hosted.ApprovalAccount{
			ID:        "account-" + strconv.Itoa(i+1),
			Reference: c.Reference,
			Name:      name,
			Detail:    detail,
			Number:    readable(c.Number),
			Currency:  c.Currency,
			Checked:   failed.problem == "" || slices.Contains(failed.accounts, c.Reference),
			Blocked:   c.Blocked,
		}
	}
	return accounts
}

// readable writes an IBAN in groups, and any other number as it is.
func readable(number string) string {
	parsed, err := iban.Parse(number)
	if err != nil {
		return number
	}
	return parsed.Groups()
}

var kinds = map[openbanking.CashAccountType]string{
	openbanking.CashAccountTypeCACC: "Current account",
	openbanking.CashAccountTypeCARD: "Card",
	openbanking.CashAccountTypeCASH: "Cash",
	openbanking.CashAccountTypeLOAN: "Loan",
	openbanking.CashAccountTypeOTHR: "Other",
	openbanking.CashAccountTypeSVGS: "Savings",
}
