package pages

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"florin/internal/aggregator"
	"florin/internal/aggregator/engine"
	"florin/internal/aggregator/sandbox"
	"florin/internal/iban"
	"florin/internal/openbanking"
	"florin/web/templates/hosted"
	"florin/web/templates/words"
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
	l := words.In(r.Context())
	data := bank.ASPSP()
	facts := []hosted.Fact{{Label: l.Say("Country"), Text: countryName(l, bank.Country())}}
	if data.BIC != nil {
		facts = append(facts, hosted.Fact{Label: l.Say("BIC"), Text: *data.BIC})
	}
	if bank.Group() != "" {
		facts = append(facts, hosted.Fact{Label: l.Say("Part of"), Text: bank.Group()})
	}
	facts = append(facts,
		hosted.Fact{Label: l.Say("Customers"), Text: customers(l, data.PSUTypes)},
		hosted.Fact{Label: l.Say("Access"), Text: l.Say("for up to %d days", data.MaximumConsentValidity/(24*60*60))})
	p.render(w, r, http.StatusOK, hosted.BankHome(hosted.BankPage{
		Bank:          bankOf(l, bank),
		Facts:         facts,
		Users:         sampleUsers(bank, data.PSUTypes...),
		NoCredentials: bank.NoCredentials(),
		ConsentsURL:   consentsPath(bank),
	}))
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
		return p.bankVisitElsewhereOrOver(r, id)
	default:
		if err := p.visits.add(w, r, bankPath(bank), id); err != nil {
			return err
		}
	}
	return p.step(w, r, http.StatusOK, visit, attempt{})
}

// attempt is what a person sent and what was wrong with it.
type attempt struct {
	problem  words.Text
	username string
	accounts []string
	values   map[string]string                 // credentials that may be shown again
	faults   map[string]engine.CredentialFault // by the name of the credential
	ticked   bool                              // that a name does not fit its account
}

// step renders the page of the step that a visit has reached, after an attempt that failed with its fields.
func (p *Pages) step(w http.ResponseWriter, r *http.Request, status int, visit sandbox.Visit, failed attempt) error {
	words.Speak(r.Context(), visit.Language)
	if visit.Order != nil && visit.Step == aggregator.BankFlowApproved && !visit.Device { // the browser missed its way back
		return redirect(w, r, wayBack(visit))
	}
	open := visit.Step == aggregator.BankFlowSignIn || visit.Step == aggregator.BankFlowOTP || visit.Step == aggregator.BankFlowApproval
	switch err := p.allowReturn(w, r, visit); {
	case visit.Device && (!open || errors.Is(err, engine.ErrExpiredAuthorization) || errors.Is(err, engine.ErrCompletedAuthorization)):
		return p.deviceDone(w, r, visit)
	case errors.Is(err, engine.ErrExpiredAuthorization):
		return p.stopped(w, r, visit.Bank, visit.ID, &sandbox.EndedError{ReturnURL: wayBack(visit), Language: visit.Language, Payment: visit.Order != nil})
	case visit.Order != nil && errors.Is(err, engine.ErrCompletedAuthorization):
		return errPaymentCompleted
	case err != nil:
		return err
	}
	l := words.In(r.Context())
	problem := failed.words(l, visit.AttemptsLeft)
	frame := hosted.Visit{
		Application: visit.ApplicationName,
		Steps:       steps(l, visit.Order != nil, visit.Bank.NoCredentials(), visit.Device),
		DeclineURL:  visitURL(visit.Bank, "decline", visit.ID),
		Device:      visit.Device,
		Check:       visit.Check,
	}
	if order := visit.Order; order != nil {
		frame.Order = orderOf(l, order.Type, order.Payment, visit.Payees, false)
	}
	switch visit.Step {
	case aggregator.BankFlowSignIn:
		frame.Step = 1
		p.render(w, r, status, hosted.SignIn(hosted.SignInPage{
			Bank:     bankOf(l, visit.Bank),
			Visit:    frame,
			Action:   visitURL(visit.Bank, "sign-in", visit.ID),
			Username: cmp.Or(failed.username, visit.Username),
			Problem:  problem,
			Users:    sampleUsers(visit.Bank, visit.PSUType),
		}))
	case aggregator.BankFlowOTP:
		if frame.Step = 2; visit.Order != nil {
			frame.Step = len(frame.Steps)
		}
		p.render(w, r, status, hosted.Code(hosted.CodePage{
			Bank:    bankOf(l, visit.Bank),
			Visit:   frame,
			Action:  visitURL(visit.Bank, "code", visit.ID),
			Holder:  visit.Holder,
			Problem: problem,
			Users:   sampleUsers(visit.Bank, visit.PSUType),
			Message: visit.Message,
		}))
	case aggregator.BankFlowApproval:
		choices, err := p.banks.Choices(r.Context(), visit.ID)
		if err != nil {
			return err
		}
		if visit.Order != nil {
			frame.Step = min(2, len(frame.Steps))
			p.render(w, r, status, hosted.CheckOrder(hosted.OrderPage{
				Bank:     bankOf(l, visit.Bank),
				Visit:    frame,
				Action:   visitURL(visit.Bank, "order", visit.ID),
				Problem:  problem,
				Holder:   visit.Holder,
				Accounts: debtorAccounts(l, choices, failed),
				Fixed:    visit.Order.Payment.DebtorAccount != nil && len(choices) == 1,
				NoMatch:  mismatched(visit.Payees),
				Ticked:   failed.ticked,
				Last:     visit.Device || visit.Bank.NoCredentials(),
			}))
			return nil
		}
		frame.Step = len(frame.Steps)
		until, note := untilText(l, visit.ValidUntil, p.now())
		p.render(w, r, status, hosted.Approval(hosted.ApprovalPage{
			Bank:      bankOf(l, visit.Bank),
			Visit:     frame,
			Action:    visitURL(visit.Bank, "approve", visit.ID),
			Problem:   problem,
			Holder:    visit.Holder,
			Accounts:  accountsOf(l, choices, failed),
			Fixed:     !visit.Bank.Chooses(),
			Shared:    shared(l, visit.Balances && !visit.ListOnly, visit.Transactions && !visit.ListOnly, 0),
			Until:     until,
			UntilNote: note,
		}))
	default:
		return completed(visit)
	}
	return nil
}

// wayBack is the address to which the service takes the browser of a visit back. It says nothing about how the visit went.
func wayBack(visit sandbox.Visit) string {
	path := engine.ReturnPath
	if visit.Order != nil {
		path = engine.PaymentReturnPath
	}
	return path + "?" + url.Values{"state": {visit.State}}.Encode()
}

// completed says that a visit is over.
func completed(visit sandbox.Visit) error {
	if visit.Order != nil {
		return errPaymentCompleted
	}
	return errCompleted
}

// deviceDone ends the way of another device: the page that waits goes on.
func (p *Pages) deviceDone(w http.ResponseWriter, r *http.Request, visit sandbox.Visit) error {
	l := words.In(r.Context())
	shown := bankOf(l, visit.Bank)
	page := hosted.MessagePage{
		Title: l.Say("This request is over"),
		Text:  []string{l.Say("It was declined or cancelled, or took too long. You can close this page.")},
		Bank:  &shown,
		Tone:  hosted.ToneStop,
	}
	if visit.Step == aggregator.BankFlowApproved || visit.Step == aggregator.BankFlowFinished {
		page.Title, page.Tone = l.Say("You have approved"), hosted.ToneDone
		page.Text = []string{l.Say("Go on in %s on your other screen. You can close this page.", visit.ApplicationName)}
	}
	p.render(w, r, http.StatusOK, hosted.Message(page))
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
		return p.again(w, r, id, attempt{problem: wrongPassword, username: username})
	}
	return p.onward(w, r, bank, id, err)
}

// checkCode checks the one-time code.
func (p *Pages) checkCode(w http.ResponseWriter, r *http.Request) error {
	bank, id, fields, err := p.visited(r)
	if err != nil {
		return err
	}
	target, err := p.banks.CheckOTP(r.Context(), id, strings.TrimSpace(fields.Get("code")))
	switch {
	case errors.Is(err, sandbox.ErrWrongOTP):
		return p.again(w, r, id, attempt{problem: wrongCode})
	case err != nil || target == "":
		return p.onward(w, r, bank, id, err)
	}
	return redirect(w, r, target) // the visit stays this browser's: a second click leads to the same end
}

// confirmOrder takes the account that a payment goes from, and goes on to the code, or back to the service where there is
// none. A name that does not fit its account takes a tick.
func (p *Pages) confirmOrder(w http.ResponseWriter, r *http.Request) error {
	bank, id, fields, err := p.visited(r)
	if err != nil {
		return err
	}
	failed := orderAttempt(fields)
	visit, err := p.banks.Visit(r.Context(), id)
	if err != nil || visit.Order == nil || visit.Step != aggregator.BankFlowApproval {
		return p.onward(w, r, bank, id, err)
	}
	if mismatched(visit.Payees) && !failed.ticked {
		failed.problem = noTick
		return p.again(w, r, id, failed)
	}
	target, err := p.banks.ConfirmOrder(r.Context(), id, fields.Get("account"))
	switch {
	case errors.Is(err, sandbox.ErrNothingChosen):
		failed.problem = noDebtor
		return p.again(w, r, id, failed)
	case errors.Is(err, sandbox.ErrNotAChoice):
		failed.problem = notADebtor
		return p.again(w, r, id, failed)
	case err != nil || target == "":
		return p.onward(w, r, bank, id, err)
	}
	return redirect(w, r, target) // as after the code
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
		return p.again(w, r, id, attempt{problem: nothingChosen})
	case errors.Is(err, sandbox.ErrNotAChoice):
		return p.again(w, r, id, attempt{problem: notAChoice})
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
		return nil, "", nil, p.bankVisitElsewhereOrOver(r, id)
	}
	return bank, id, fields, nil
}

// bankVisitElsewhereOrOver is elsewhereOrOver for a visit to a bank.
func (p *Pages) bankVisitElsewhereOrOver(r *http.Request, id string) error {
	visit, err := p.banks.Visit(r.Context(), id)
	if err == nil && visit.Order != nil && (visit.Step == aggregator.BankFlowApproved || visit.Step == aggregator.BankFlowDeclined) {
		return errPaymentCompleted
	}
	return errOtherBrowser
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
	return p.step(w, r, http.StatusUnprocessableEntity, visit, failed)
}

// stopped shows that a visit is blocked or out of time, with the way back, to the browser that opened it.
func (p *Pages) stopped(w http.ResponseWriter, r *http.Request, bank *sandbox.Bank, id string, err error) error {
	var ended *sandbox.EndedError
	if !errors.As(err, &ended) {
		return err
	}
	words.Speak(r.Context(), ended.Language)
	switch device := ended.ReturnURL == ""; {
	case p.visits.holds(r, id):
	case device && ended.Payment: // whoever looks first looks too late
		return errPaymentExpired
	case device:
		return errExpired
	default:
		return errOtherBrowser
	}
	l := words.In(r.Context())
	shown := bankOf(l, bank)
	page := hosted.MessagePage{
		Title:    l.Say("Your visit took too long"),
		Text:     []string{l.Say(tooLong[ended.Payment])},
		Bank:     &shown,
		LinkURL:  ended.ReturnURL,
		LinkText: l.Say("Go back"),
		Tone:     hosted.ToneStop,
	}
	status := http.StatusGone
	if ended.Blocked {
		page.Title = l.Say("Access is blocked")
		page.Text = []string{l.Say(blocked[ended.Payment]), l.Say("You can start again from the application.")}
		status = http.StatusForbidden
	}
	p.render(w, r, status, hosted.Message(page))
	return nil
}

// finish ends the visit for this browser and sends it back to the service.
func (p *Pages) finish(w http.ResponseWriter, r *http.Request, bank *sandbox.Bank, id, target string) error {
	if target == "" { // on another device, which stays
		return redirect(w, r, visitURL(bank, "authorize", id))
	}
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
	if visit.Order != nil {
		payment, _, _, err := p.authorizations.PaymentAuthorization(r.Context(), id)
		if err == nil {
			allowRedirect(w, payment.RedirectURL)
		}
		return err
	}
	session, _, _, err := p.authorizations.Authorization(r.Context(), id)
	if err == nil {
		allowRedirect(w, session.RedirectURL)
	}
	return err
}

func visitURL(bank *sandbox.Bank, step, id string) string {
	return bankPath(bank) + step + "?" + url.Values{"flow": {id}}.Encode()
}

// steps are the names of the pages at which a bank asks; none when there is only one.
func steps(l *words.Language, payment, noCredentials, device bool) []string {
	switch {
	case noCredentials:
		return nil
	case device:
		return []string{l.Say("Sign in"), l.Say("Approve")}
	case payment:
		return []string{l.Say("Sign in"), l.Say("Check"), l.Say("Code")}
	}
	return []string{l.Say("Sign in"), l.Say("Code"), l.Say("Approve")}
}

// words says what was wrong, with the number of attempts that are left where they are counted.
func (a attempt) words(l *words.Language, left int) string {
	switch {
	case a.problem == "":
		return ""
	case counts[a.problem]:
		return l.Say(a.problem) + " " + l.Say("You have %d attempts left.", left)
	}
	return l.Say(a.problem)
}

// What can be wrong with what a person sent to a bank.
const (
	wrongPassword      words.Text = "The user or the password is wrong."
	wrongCode          words.Text = "This code is wrong."
	nothingChosen      words.Text = "Choose at least one account, or decline."
	notAChoice         words.Text = "One of these accounts cannot be chosen. Please choose again."
	refusedCredentials words.Text = "The bank does not accept this. Please check it."
	checkFields        words.Text = "Please check the marked fields."
	noMethod           words.Text = "Choose one of these ways."
)

// counts are the problems that are counted: the fifth one ends the visit.
var counts = map[words.Text]bool{wrongPassword: true, wrongCode: true, refusedCredentials: true}

func sampleUsers(bank *sandbox.Bank, types ...openbanking.PSUType) []hosted.SampleUser {
	var users []hosted.SampleUser
	for _, psu := range types {
		for _, u := range bank.SampleUsers(psu) {
			users = append(users, hosted.SampleUser{Name: u.Name, Username: u.Username, Password: u.Password, Code: u.OTP})
		}
	}
	return users
}

func customers(l *words.Language, types []openbanking.PSUType) string {
	switch {
	case slices.Contains(types, openbanking.PSUTypePersonal) && slices.Contains(types, openbanking.PSUTypeBusiness):
		return l.Say("Personal and business")
	case slices.Contains(types, openbanking.PSUTypeBusiness):
		return l.Say("Business")
	}
	return l.Say("Personal")
}

// accountsOf are the accounts on offer. At first all are ticked: a person takes away what is not to be seen.
func accountsOf(l *words.Language, choices []aggregator.AccountChoice, failed attempt) []hosted.ApprovalAccount {
	accounts := make([]hosted.ApprovalAccount, len(choices))
	for i, c := range choices {
		name, detail := c.Product, l.Say(kinds[c.Type])
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

var kinds = map[openbanking.CashAccountType]words.Text{
	openbanking.CashAccountTypeCACC: "Current account",
	openbanking.CashAccountTypeCARD: "Card",
	openbanking.CashAccountTypeCASH: "Cash",
	openbanking.CashAccountTypeLOAN: "Loan",
	openbanking.CashAccountTypeOTHR: "Other",
	openbanking.CashAccountTypeSVGS: "Savings",
}
