package banksites

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"florin/internal/aggregator"
	"florin/internal/aggregator/engine"
	"florin/internal/aggregator/sandbox"
	"florin/internal/aggregator/site"
	"florin/internal/openbanking"
	"florin/web/templates/hosted"
	"florin/web/templates/words"
)

// bank returns the bank to whose site the address belongs.
func (s *Sites) bank(r *http.Request) (*sandbox.Bank, error) {
	bank, ok := s.banks.Bank(r.PathValue("country"), r.PathValue("bank"))
	if !ok {
		return nil, site.ErrNoPage
	}
	return bank, nil
}

// bankHome is the front page of a bank's site.
func (s *Sites) bankHome(w http.ResponseWriter, r *http.Request) error {
	bank, err := s.bank(r)
	if err != nil {
		return err
	}
	l := words.In(r.Context())
	data := bank.ASPSP()
	facts := []hosted.Fact{{Label: l.Say("Country"), Text: site.CountryName(l, bank.Country())}}
	if data.BIC != nil {
		facts = append(facts, hosted.Fact{Label: l.Say("BIC"), Text: *data.BIC})
	}
	if bank.Group() != "" {
		facts = append(facts, hosted.Fact{Label: l.Say("Part of"), Text: bank.Group()})
	}
	facts = append(facts,
		hosted.Fact{Label: l.Say("Customers"), Text: customers(l, data.PSUTypes)},
		hosted.Fact{Label: l.Say("Access"), Text: l.Say("for up to %d days", data.MaximumConsentValidity/(24*60*60))})
	s.site.Render(w, r, http.StatusOK, hosted.BankHome(hosted.BankPage{
		Bank:          bankOf(l, bank),
		Facts:         facts,
		Users:         sampleUsers(bank, data.PSUTypes...),
		NoCredentials: bank.NoCredentials(),
		ConsentsURL:   consentsPath(bank),
		AppURL:        appRoom.path(bank),
	}))
	return nil
}

// authorize shows the page of the step that a visit has reached. The first page may be opened by any browser that knows
// the address, and binds the visit to it; all others belong to that browser.
func (s *Sites) authorize(w http.ResponseWriter, r *http.Request) error {
	bank, err := s.bank(r)
	if err != nil {
		return err
	}
	id := r.URL.Query().Get("flow")
	visit, err := s.banks.Visit(r.Context(), id)
	if err != nil {
		return s.stopped(w, r, bank, id, err)
	}
	if visit.Bank != bank {
		return site.ErrUnknown
	}
	first := visit.Step == aggregator.BankFlowSignIn || bank.NoCredentials() && visit.Step == aggregator.BankFlowApproval
	switch {
	case s.visits.Holds(r, id):
	case !first:
		return s.bankVisitElsewhereOrOver(r, id)
	default:
		if err := s.visits.Add(w, r, bankPath(bank), id); err != nil {
			return err
		}
	}
	return s.step(w, r, http.StatusOK, visit, site.Attempt{})
}

// step renders the page of the step that a visit has reached, after an attempt that failed with its fields.
func (s *Sites) step(w http.ResponseWriter, r *http.Request, status int, visit sandbox.Visit, failed site.Attempt) error {
	words.Speak(r.Context(), visit.Language)
	if visit.Order != nil && visit.Step == aggregator.BankFlowApproved && !visit.Device { // the browser missed its way back
		return site.Redirect(w, r, wayBack(visit))
	}
	open := visit.Step == aggregator.BankFlowSignIn || visit.Step == aggregator.BankFlowOTP || visit.Step == aggregator.BankFlowApproval
	switch err := s.allowReturn(w, r, visit); {
	case visit.Device && (!open || errors.Is(err, engine.ErrExpiredAuthorization) || errors.Is(err, engine.ErrCompletedAuthorization)):
		return s.deviceDone(w, r, visit)
	case errors.Is(err, engine.ErrExpiredAuthorization):
		return s.stopped(w, r, visit.Bank, visit.ID, &sandbox.EndedError{ReturnURL: wayBack(visit), Language: visit.Language, Payment: visit.Order != nil})
	case visit.Order != nil && errors.Is(err, engine.ErrCompletedAuthorization):
		return site.ErrPaymentCompleted
	case err != nil:
		return err
	}
	l := words.In(r.Context())
	problem := failed.Words(l, visit.AttemptsLeft)
	frame := hosted.Visit{
		Application: visit.ApplicationName,
		Steps:       site.Steps(l, visit.Order != nil, visit.Bank.NoCredentials(), visit.Device),
		DeclineURL:  visitURL(visit.Bank, "decline", visit.ID),
		Device:      visit.Device,
		Check:       visit.Check,
	}
	if order := visit.Order; order != nil {
		frame.Order = site.OrderOf(l, order.Type, order.Payment, visit.Payees, false)
	}
	switch visit.Step {
	case aggregator.BankFlowSignIn:
		frame.Step = 1
		s.site.Render(w, r, status, hosted.SignIn(hosted.SignInPage{
			Bank:     bankOf(l, visit.Bank),
			Visit:    frame,
			Action:   visitURL(visit.Bank, "sign-in", visit.ID),
			Username: cmp.Or(failed.Username, visit.Username),
			Problem:  problem,
			Users:    sampleUsers(visit.Bank, visit.PSUType),
		}))
	case aggregator.BankFlowOTP:
		if frame.Step = 2; visit.Order != nil {
			frame.Step = len(frame.Steps)
		}
		s.site.Render(w, r, status, hosted.Code(hosted.CodePage{
			Bank:    bankOf(l, visit.Bank),
			Visit:   frame,
			Action:  visitURL(visit.Bank, "code", visit.ID),
			Holder:  visit.Holder,
			Problem: problem,
			Users:   sampleUsers(visit.Bank, visit.PSUType),
			Message: visit.Message,
		}))
	case aggregator.BankFlowApproval:
		choices, err := s.banks.Choices(r.Context(), visit.ID)
		if err != nil {
			return err
		}
		if visit.Order != nil {
			frame.Step = min(2, len(frame.Steps))
			s.site.Render(w, r, status, hosted.CheckOrder(hosted.OrderPage{
				Bank:     bankOf(l, visit.Bank),
				Visit:    frame,
				Action:   visitURL(visit.Bank, "order", visit.ID),
				Problem:  problem,
				Holder:   visit.Holder,
				Accounts: site.DebtorAccounts(l, choices, failed),
				Fixed:    visit.Order.Payment.DebtorAccount != nil && len(choices) == 1,
				NoMatch:  site.Mismatched(visit.Payees),
				Ticked:   failed.Ticked,
				Last:     visit.Device || visit.Bank.NoCredentials(),
			}))
			return nil
		}
		frame.Step = len(frame.Steps)
		until, note := site.UntilText(l, visit.ValidUntil, s.now())
		s.site.Render(w, r, status, hosted.Approval(hosted.ApprovalPage{
			Bank:      bankOf(l, visit.Bank),
			Visit:     frame,
			Action:    visitURL(visit.Bank, "approve", visit.ID),
			Problem:   problem,
			Holder:    visit.Holder,
			Accounts:  site.AccountsOf(l, choices, failed),
			Fixed:     !visit.Bank.Chooses(),
			Shared:    site.Shared(l, visit.Balances && !visit.ListOnly, visit.Transactions && !visit.ListOnly, 0),
			Until:     until,
			UntilNote: note,
		}))
	default:
		return completed(visit)
	}
	return nil
}

// wayBack returns the address at which the service receives the browser of a visit. It does not reveal how the visit ended.
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
		return site.ErrPaymentCompleted
	}
	return site.ErrCompleted
}

// deviceDone ends the way of another device: the page that waits goes on.
func (s *Sites) deviceDone(w http.ResponseWriter, r *http.Request, visit sandbox.Visit) error {
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
	s.site.Render(w, r, http.StatusOK, hosted.Message(page))
	return nil
}

// signIn checks user and password.
func (s *Sites) signIn(w http.ResponseWriter, r *http.Request) error {
	bank, id, fields, err := s.visited(r)
	if err != nil {
		return err
	}
	username := fields.Get("username")
	err = s.banks.SignIn(r.Context(), id, username, fields.Get("password"))
	if errors.Is(err, sandbox.ErrWrongPassword) {
		return s.again(w, r, id, site.Attempt{Problem: site.WrongPassword, Username: username})
	}
	return s.onward(w, r, bank, id, err)
}

// checkCode checks the one-time code.
func (s *Sites) checkCode(w http.ResponseWriter, r *http.Request) error {
	bank, id, fields, err := s.visited(r)
	if err != nil {
		return err
	}
	target, err := s.banks.CheckOTP(r.Context(), id, strings.TrimSpace(fields.Get("code")))
	switch {
	case errors.Is(err, sandbox.ErrWrongOTP):
		return s.again(w, r, id, site.Attempt{Problem: site.WrongCode})
	case err != nil || target == "":
		return s.onward(w, r, bank, id, err)
	}
	return site.Redirect(w, r, target) // the visit stays this browser's: a second click leads to the same end
}

// confirmOrder takes the account that a payment goes from, and goes on to the code, or back to the service where there is
// none. A name that does not fit its account takes a tick.
func (s *Sites) confirmOrder(w http.ResponseWriter, r *http.Request) error {
	bank, id, fields, err := s.visited(r)
	if err != nil {
		return err
	}
	failed := site.OrderAttempt(fields)
	visit, err := s.banks.Visit(r.Context(), id)
	if err != nil || visit.Order == nil || visit.Step != aggregator.BankFlowApproval {
		return s.onward(w, r, bank, id, err)
	}
	if site.Mismatched(visit.Payees) && !failed.Ticked {
		failed.Problem = site.NoTick
		return s.again(w, r, id, failed)
	}
	target, err := s.banks.ConfirmOrder(r.Context(), id, fields.Get("account"))
	switch {
	case errors.Is(err, sandbox.ErrNothingChosen):
		failed.Problem = site.NoDebtor
		return s.again(w, r, id, failed)
	case errors.Is(err, sandbox.ErrNotAChoice):
		failed.Problem = site.NotADebtor
		return s.again(w, r, id, failed)
	case err != nil || target == "":
		return s.onward(w, r, bank, id, err)
	}
	return site.Redirect(w, r, target) // as after the code
}

// approve grants access to the chosen accounts and sends the browser back to the service.
func (s *Sites) approve(w http.ResponseWriter, r *http.Request) error {
	bank, id, fields, err := s.visited(r)
	if err != nil {
		return err
	}
	target, err := s.banks.Approve(r.Context(), id, fields["account"])
	switch {
	case errors.Is(err, sandbox.ErrNothingChosen):
		return s.again(w, r, id, site.Attempt{Problem: site.NothingChosen})
	case errors.Is(err, sandbox.ErrNotAChoice):
		return s.again(w, r, id, site.Attempt{Problem: site.NotAChoice})
	case err != nil:
		return s.onward(w, r, bank, id, err)
	}
	return s.finish(w, r, bank, id, target)
}

// decline ends the visit and sends the browser back to the service: "Cancelled by user" (api-notes 4).
func (s *Sites) decline(w http.ResponseWriter, r *http.Request) error {
	bank, id, _, err := s.visited(r)
	if err != nil {
		return err
	}
	target, err := s.banks.Decline(r.Context(), id)
	if err != nil {
		return s.onward(w, r, bank, id, err)
	}
	return s.finish(w, r, bank, id, target)
}

// backToVisit answers a form's address that is opened like a page, as after "reload": with the page of the visit.
func (s *Sites) backToVisit(w http.ResponseWriter, r *http.Request) error {
	bank, err := s.bank(r)
	if err != nil {
		return err
	}
	return site.Redirect(w, r, visitURL(bank, "authorize", r.URL.Query().Get("flow")))
}

// visited returns the bank, the id of the visit and the fields of a form. The error says so when this browser did not open the visit.
func (s *Sites) visited(r *http.Request) (*sandbox.Bank, string, url.Values, error) {
	bank, err := s.bank(r)
	if err != nil {
		return nil, "", nil, err
	}
	fields, err := site.Form(r)
	if err != nil {
		return nil, "", nil, err
	}
	id := r.URL.Query().Get("flow")
	if !s.visits.Holds(r, id) {
		return nil, "", nil, s.bankVisitElsewhereOrOver(r, id)
	}
	return bank, id, fields, nil
}

// bankVisitElsewhereOrOver is elsewhereOrOver for a visit to a bank.
func (s *Sites) bankVisitElsewhereOrOver(r *http.Request, id string) error {
	visit, err := s.banks.Visit(r.Context(), id)
	if err == nil && visit.Order != nil && (visit.Step == aggregator.BankFlowApproved || visit.Step == aggregator.BankFlowDeclined) {
		return site.ErrPaymentCompleted
	}
	return site.ErrOtherBrowser
}

// onward goes to the page of the step that was reached, also when a form came late or twice.
func (s *Sites) onward(w http.ResponseWriter, r *http.Request, bank *sandbox.Bank, id string, err error) error {
	var step *sandbox.StepError
	if err != nil && !errors.As(err, &step) {
		return s.stopped(w, r, bank, id, err)
	}
	return site.Redirect(w, r, visitURL(bank, "authorize", id))
}

// again shows the page of a step after an attempt that failed, with the number of attempts left.
func (s *Sites) again(w http.ResponseWriter, r *http.Request, id string, failed site.Attempt) error {
	visit, err := s.banks.Visit(r.Context(), id)
	if err != nil {
		return err
	}
	return s.step(w, r, http.StatusUnprocessableEntity, visit, failed)
}

// stopped shows that a visit is blocked or out of time, with the way back, to the browser that opened it.
func (s *Sites) stopped(w http.ResponseWriter, r *http.Request, bank *sandbox.Bank, id string, err error) error {
	var ended *sandbox.EndedError
	if !errors.As(err, &ended) {
		return err
	}
	words.Speak(r.Context(), ended.Language)
	switch device := ended.ReturnURL == ""; {
	case s.visits.Holds(r, id):
	case device && ended.Payment: // whoever looks first looks too late
		return site.ErrPaymentExpired
	case device:
		return site.ErrExpired
	default:
		return site.ErrOtherBrowser
	}
	l := words.In(r.Context())
	shown := bankOf(l, bank)
	page := hosted.MessagePage{
		Title:    l.Say("Your visit took too long"),
		Text:     []string{l.Say(tooLong(ended.Payment))},
		Bank:     &shown,
		LinkURL:  ended.ReturnURL,
		LinkText: l.Say("Go back"),
		Tone:     hosted.ToneStop,
	}
	status := http.StatusGone
	if ended.Blocked {
		page.Title = l.Say("Access is blocked")
		page.Text = []string{l.Say(site.Blocked(ended.Payment)), l.Say("You can start again from the application.")}
		status = http.StatusForbidden
	}
	s.site.Render(w, r, status, hosted.Message(page))
	return nil
}

// finish ends the visit for this browser and sends it back to the service.
func (s *Sites) finish(w http.ResponseWriter, r *http.Request, bank *sandbox.Bank, id, target string) error {
	if target == "" { // on another device, which stays
		return site.Redirect(w, r, visitURL(bank, "authorize", id))
	}
	if err := s.visits.Remove(w, r, bankPath(bank), id); err != nil {
		return err
	}
	return site.Redirect(w, r, target)
}

// allowReturn adds the redirect URL of the application to the form policy of this page, so that a form of the visit may end there.
func (s *Sites) allowReturn(w http.ResponseWriter, r *http.Request, visit sandbox.Visit) error {
	id, err := s.authorizations.AuthorizationOfState(r.Context(), visit.State)
	if err != nil {
		return err
	}
	if visit.Order != nil {
		payment, _, _, err := s.authorizations.PaymentAuthorization(r.Context(), id)
		if err == nil {
			site.AllowRedirect(w, payment.RedirectURL)
		}
		return err
	}
	session, _, _, err := s.authorizations.Authorization(r.Context(), id)
	if err == nil {
		site.AllowRedirect(w, session.RedirectURL)
	}
	return err
}

func visitURL(bank *sandbox.Bank, step, id string) string {
	return bankPath(bank) + step + "?" + url.Values{"flow": {id}}.Encode()
}

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

// tooLong says that a visit has expired: about a payment, or else about access to accounts.
func tooLong(payment bool) words.Text {
	if payment {
		return "For your safety the bank ends a visit after a while. Nothing was approved."
	}
	return "For your safety the bank ends a visit after a while. Nothing was shared."
}
