package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

// Visit is what the hosted pages show of a visit.
type Visit struct {
	ID            string
	Authorization aggregator.Authorization // what Session and Payment have in common
	Session       aggregator.Session       // zero for a payment
	Payment       *aggregator.Payment      // nil for a session
	Application   aggregator.Application
	Bank          aggregator.ASPSP
	Methods       []openbanking.AuthMethod // that the PSU can choose from: one or more
	Method        openbanking.AuthMethod   // the one in use; zero before the choice
	Step          aggregator.Step          // its Kind is empty before the choice of the method
	Supplied      map[string]string        // credentials that came with POST /auth or /payments, to fill in the form; maybe none
}

// subject is what the PSU is to approve in a visit: a session or a payment, with its application and bank.
type subject struct {
	aggregator.Authorization
	session aggregator.Session
	payment *aggregator.Payment // nil for a session
	app     aggregator.Application
	bank    aggregator.ASPSP
	methods []openbanking.AuthMethod
}

// approved reports whether the subject is a payment that the PSU has approved: its visit has nothing more to ask.
func (s subject) approved() bool {
	return s.payment != nil && s.payment.AuthStatus == openbanking.PaymentAuthStatusFinalised
}

// atBank converts an error of the bank that happens after the PSU was sent there. For a payment it becomes an UndecidedError.
func (s subject) atBank(err error) error {
	if s.payment == nil {
		return err
	}
	return undecided(s.Authorization, err)
}

// Accept begins a visit for a PSU who agreed; one that was begun before ends. At a bank with one method that needs no
// choice, the authorisation is opened there at once, and credentials that came with POST /auth are handed over. A bank
// that fails gives an *openbanking.Error and leaves the authorisation waiting, so that the PSU can try again or cancel;
// one that refuses the credentials gives aggregator.ErrWrongAnswer along with the id of the visit, which asks for others.
func (e *Engine) Accept(ctx context.Context, authorizationID string) (visitID string, err error) {
	row, app, bank, err := e.Authorization(ctx, authorizationID)
	if err != nil {
		return "", err
	}
	return e.accept(ctx, ofSession(row, app, bank))
}

// AcceptPayment is Accept for a payment. If the PSU was at the bank with it before, the bank is asked first: the error is *UndecidedError when it does not
// answer, and ErrCompletedAuthorization when the payment was approved.
func (e *Engine) AcceptPayment(ctx context.Context, paymentID string) (visitID string, err error) {
	row, app, bank, err := e.PaymentAuthorization(ctx, paymentID)
	if err != nil {
		return "", err
	}
	return e.accept(ctx, ofPayment(row, app, bank))
}

func ofSession(row aggregator.Session, app aggregator.Application, bank aggregator.ASPSP) subject {
	return subject{Authorization: row.Authorization, session: row, app: app, bank: bank, methods: MethodsOf(bank, row)}
}

func ofPayment(row aggregator.Payment, app aggregator.Application, bank aggregator.ASPSP) subject {
	return subject{Authorization: row.Authorization, payment: &row, app: app, bank: bank, methods: MethodsOfPayment(bank, row)}
}

func (e *Engine) accept(ctx context.Context, s subject) (visitID string, err error) {
	visit := aggregator.Visit{ID: rand.Text(), AuthorizationID: s.AuthorizationID}
	if visit, err = e.begin(ctx, s, visit); err != nil {
		return "", err
	}
	if visit.Reference == "" {
		return visit.ID, nil
	}
	return visit.ID, e.handOver(ctx, s, visit, s.methods[0])
}

// begin stores a visit in the place of one that was begun before, and opens the authorisation at the bank where there is
// one method only.
func (e *Engine) begin(ctx context.Context, s subject, visit aggregator.Visit) (aggregator.Visit, error) {
	pass, err := e.turns.take(ctx, s.AuthorizationID)
	if err != nil {
		return visit, err
	}
	defer pass()
	previous, err := e.store.VisitOf(ctx, s.AuthorizationID)
	if err != nil && !errors.Is(err, aggregator.ErrNotFound) {
		return visit, err
	}
	if err := e.close(ctx, s, previous); err != nil {
		return visit, err
	}
	if _, err := e.store.BeginVisit(ctx, visit, e.now()); errors.Is(err, aggregator.ErrNotFound) {
		return visit, ErrCompletedAuthorization
	} else if err != nil {
		return visit, err
	}
	if len(s.methods) > 1 {
		return visit, nil
	}
	return e.open(ctx, s, visit, s.methods[0])
}

// Visit returns a visit as it is now. Its errors are those of Authorization, and those of the bank, which of a payment are *UndecidedError.
func (e *Engine) Visit(ctx context.Context, visitID string) (Visit, error) {
	visit, s, err := e.visit(ctx, visitID)
	if err != nil {
		return Visit{}, err
	}
	v := Visit{
		ID: visit.ID, Authorization: s.Authorization, Session: s.session, Payment: s.payment, Application: s.app, Bank: s.bank, Methods: s.methods,
		Method: methodNamed(s.methods, visit.Method),
	}
	if s.approved() {
		v.Step.Kind = aggregator.StepDone
		return v, nil
	}
	if visit.Reference == "" {
		v.Method = openbanking.AuthMethod{}
		return v, nil
	}
	if v.Step, err = e.step(ctx, s, visit); err != nil {
		return Visit{}, err
	}
	if v.Step.Kind != aggregator.StepCredentials && v.Step.Kind != aggregator.StepRedirect {
		return v, nil
	}
	supplied, err := e.supplied(ctx, visit.AuthorizationID)
	if err != nil {
		return Visit{}, err
	}
	if v.Supplied = supplied; v.Supplied != nil {
		v.Step.Kind, v.Step.URL = aggregator.StepCredentials, ""
	}
	return v, nil
}

// ChooseMethod opens the authorisation at the bank by one of Visit.Methods, in place of one by another method. A method
// that is not among them gives WRONG_REQUEST_PARAMETERS.
func (e *Engine) ChooseMethod(ctx context.Context, visitID, method string) error {
	visit, s, err := e.visit(ctx, visitID)
	if err != nil || s.approved() {
		return err
	}
	i := slices.IndexFunc(s.methods, func(m openbanking.AuthMethod) bool { return nameOf(m) == method })
	if i < 0 {
		return aggregator.InvalidParameter("method", "is none of those that can be chosen")
	}
	return e.reopen(ctx, s, visit, s.methods[i:i+1])
}

// StartAgain ends what is under way at the bank and starts again, with the choice of the method where there is one.
func (e *Engine) StartAgain(ctx context.Context, visitID string) error {
	visit, s, err := e.visit(ctx, visitID)
	if err != nil || s.approved() {
		return err
	}
	return e.reopen(ctx, s, visit, s.methods)
}

// Answer gives the bank what the PSU said at the present step. Credentials with faults give a *CredentialsError and are not
// sent; what the bank does not accept gives aggregator.ErrWrongAnswer. The other errors are those of Visit.
func (e *Engine) Answer(ctx context.Context, visitID string, answer aggregator.Answer) error {
	visit, s, err := e.visit(ctx, visitID)
	if err != nil || s.approved() {
		return err
	}
	if visit.Reference == "" {
		return nil // the method is to be chosen first
	}
	if answer.Credentials != nil {
		if found := faults(methodNamed(s.methods, visit.Method).Credentials, answer.Credentials); len(found) > 0 {
			return &CredentialsError{Faults: found}
		}
		if err := e.store.DropCredentials(ctx, visit.AuthorizationID); err != nil && !errors.Is(err, aggregator.ErrNotFound) {
			return err
		}
	}
	return e.answer(ctx, s, visit, answer)
}

// Cancel ends an authorisation whose PSU gave up on the way, and returns where the browser goes: to the application with
// "Cancelled by user" (api-notes 4). A payment is cancelled at the bank first: one that was approved meanwhile goes back
// as such. Where the bank cannot be asked the payment goes on waiting: *UndecidedError.
func (e *Engine) Cancel(ctx context.Context, visitID string) (returnURL string, err error) {
	visit, s, err := e.visit(ctx, visitID)
	if err != nil {
		return "", err
	}
	if s.payment != nil {
		return e.leavePayment(ctx, *s.payment, cancelled)
	}
	e.abandon(ctx, s.ASPSP, visit)
	return e.refuse(ctx, s.session, aggregator.EventCancelled, accessDenied, cancelledByUser)
}

// Conclude ends an authorisation that is over at the bank, or whose time is over, and returns where the browser goes: to
// the application with a code or an error. It returns an empty address while the bank still waits for the PSU. *UndecidedError with a
// payment of which the bank does not say whether it was approved.
func (e *Engine) Conclude(ctx context.Context, visitID string) (returnURL string, err error) {
	visit, s, err := e.visit(ctx, visitID)
	if errors.Is(err, ErrExpiredAuthorization) {
		return e.concludeLate(ctx, visitID)
	}
	if err != nil {
		return "", err
	}
	if s.approved() {
		return approvedURL(s.Authorization), nil
	}
	if visit.Reference == "" {
		return "", nil
	}
	step, err := e.step(ctx, s, visit)
	if err != nil {
		return "", err
	}
	if s.payment != nil {
		return e.concludePayment(ctx, *s.payment, step.Kind)
	}
	switch step.Kind {
	case aggregator.StepDone:
		return e.finish(ctx, s.session, step.Code)
	case aggregator.StepDeclined:
		return e.refuse(ctx, s.session, aggregator.EventCancelled, accessDenied, cancelledByUser)
	case aggregator.StepBlocked:
		return e.refuse(ctx, s.session, aggregator.EventCancelled, accessDenied, tooManyAttempts)
	case aggregator.StepExpired:
		return e.refuse(ctx, s.session, aggregator.EventFailed, serverError, notInTime)
	}
	return "", nil
}

// concludeLate is Conclude for an authorisation whose time is over.
func (e *Engine) concludeLate(ctx context.Context, visitID string) (string, error) {
	visit, err := e.store.Visit(ctx, visitID)
	if err != nil {
		return "", err
	}
	row, err := e.store.SessionByAuthorization(ctx, visit.AuthorizationID)
	if errors.Is(err, aggregator.ErrNotFound) {
		payment, err := e.store.PaymentByID(ctx, visit.AuthorizationID)
		if err != nil {
			return "", err
		}
		return e.leavePayment(ctx, payment, late)
	}
	if err != nil {
		return "", err
	}
	e.abandon(ctx, row.ASPSP, visit)
	return e.returnedLate(ctx, row)
}

// visit returns a visit whose authorisation waits for the PSU, or is that of a payment that was approved, with all that
// belongs to it.
func (e *Engine) visit(ctx context.Context, visitID string) (visit aggregator.Visit, s subject, err error) {
	visit, err = e.store.Visit(ctx, visitID)
	if errors.Is(err, aggregator.ErrNotFound) {
		err = ErrUnknownAuthorization
	}
	if err != nil {
		return visit, s, err
	}
	row, app, bank, err := e.Authorization(ctx, visit.AuthorizationID)
	if !errors.Is(err, ErrUnknownAuthorization) {
		return visit, ofSession(row, app, bank), err
	}
	payment, err := e.store.PaymentByID(ctx, visit.AuthorizationID)
	if err != nil || payment.AuthStatus != openbanking.PaymentAuthStatusFinalised {
		payment, err = e.awaited(payment, err)
	}
	if err != nil {
		return visit, s, err
	}
	app, bank, err = e.parties(ctx, payment.Authorization)
	return visit, ofPayment(payment, app, bank), err
}

// open starts an authorisation at the bank by a method, for a visit that has none there. Who calls it has the turn.
func (e *Engine) open(ctx context.Context, s subject, visit aggregator.Visit, method openbanking.AuthMethod) (aggregator.Visit, error) {
	ctx = context.WithoutCancel(ctx) // a browser that leaves leaves nothing at the bank that the service does not know
	connector, err := e.connector(s.ASPSP)
	if err != nil {
		return visit, err
	}
	visit.Method = nameOf(method)
	request := aggregator.BankRequest{
		State:           e.bankState(s.AuthorizationID),
		ReturnURL:       e.authURL + ReturnPath,
		ApplicationName: s.app.Name,
		PSUType:         s.PSUType,
		Method:          visit.Method,
		Language:        s.Language,
	}
	if s.payment != nil {
		request.ReturnURL = e.authURL + PaymentReturnPath
		if err := e.noteOpening(ctx, s.AuthorizationID); err != nil {
			return visit, err
		}
		visit.Reference, err = connector.StartPayment(ctx, aggregator.PaymentOrder{
			BankRequest: request,
			ID:          s.AuthorizationID,
			Type:        s.payment.Type,
			Payment:     s.payment.Request,
		})
		err = e.bankError(s.ASPSP, "start of a payment", err)
	} else {
		visit.Reference, err = connector.StartConsent(ctx, aggregator.ConsentRequest{
			BankRequest:  request,
			Accounts:     s.session.Access.Accounts,
			Balances:     *s.session.Access.Balances,
			Transactions: *s.session.Access.Transactions,
			ValidUntil:   later(s.session.Access.ValidUntil.Time, e.now().Add(s.bank.MinimumConsentValidity)),
		})
		err = e.bankError(s.ASPSP, "start of a consent", err)
	}
	if err != nil {
		return visit, err
	}
	if err := e.store.SetVisitMethod(ctx, visit, ""); err != nil {
		return visit, errors.Join(err, e.close(ctx, s, visit))
	}
	return visit, nil
}

// reopen ends what is under way at the bank and starts again, by the one method, or with the choice between several. When
// another request was faster, its result stays.
func (e *Engine) reopen(ctx context.Context, s subject, visit aggregator.Visit, methods []openbanking.AuthMethod) error {
	pass, err := e.turns.take(ctx, s.AuthorizationID)
	if err != nil {
		return err
	}
	defer pass()
	switch now, err := e.store.Visit(ctx, visit.ID); {
	case errors.Is(err, aggregator.ErrNotFound), err == nil && now != visit:
		return nil
	case err != nil:
		return err
	}
	if err := e.close(ctx, s, visit); err != nil {
		return err
	}
	blank := aggregator.Visit{ID: visit.ID, AuthorizationID: visit.AuthorizationID}
	if err := e.store.SetVisitMethod(ctx, blank, visit.Reference); err != nil {
		return err
	}
	if len(methods) == 1 {
		_, err = e.open(ctx, s, blank, methods[0])
	}
	return err
}

// close ends what a visit has open at its bank before something else begins. A consent that stays open does no harm, because its code is never used. A
// payment that stays open could be approved unseen. So for a payment the error stops the caller when the bank does not end it, says that it was approved,
// or does not answer. The caller holds the turn.
func (e *Engine) close(ctx context.Context, s subject, visit aggregator.Visit) error {
	if s.payment == nil {
		e.abandon(ctx, s.ASPSP, visit)
		return nil
	}
	if err := e.cancelOrder(ctx, s.ASPSP, visit); err != nil {
		return undecided(s.Authorization, err)
	}
	if s.payment.Opened.IsZero() {
		return nil
	}
	row, err := e.ask(ctx, *s.payment)
	if err == nil && !row.Awaited() {
		err = ErrCompletedAuthorization
	}
	return undecided(s.Authorization, err)
}

// abandon ends what a visit has under way at its bank. A failure leaves it to the bank, which forgets it after a while.
func (e *Engine) abandon(ctx context.Context, bank openbanking.ASPSP, visit aggregator.Visit) {
	if visit.Reference == "" {
		return
	}
	connector, err := e.connector(bank)
	if err == nil {
		err = connector.Cancel(context.WithoutCancel(ctx), visit.Reference)
	}
	if err != nil {
		e.log.Warn("an authorisation stays open at its bank", "bank", bank.Name, "country", bank.Country, "cause", err.Error())
	}
}

// handOver gives the bank the credentials that came with POST /auth and are to be submitted as they are.
func (e *Engine) handOver(ctx context.Context, s subject, visit aggregator.Visit, method openbanking.AuthMethod) error {
	if len(method.Credentials) == 0 {
		return nil
	}
	kept, err := e.store.SuppliedCredentials(ctx, visit.AuthorizationID)
	if errors.Is(err, aggregator.ErrNotFound) || err == nil && !kept.Autosubmit {
		return nil
	}
	if err != nil {
		return err
	}
	if err := e.store.DropCredentials(ctx, visit.AuthorizationID); errors.Is(err, aggregator.ErrNotFound) {
		return nil // another request was faster
	} else if err != nil {
		return err
	}
	credentials, err := e.secrets.unseal(visit.AuthorizationID, kept.Sealed)
	if err != nil {
		e.log.Warn("credentials are asked for again", "cause", err.Error()) // the key is new
		return nil
	}
	return e.answer(ctx, s, visit, aggregator.Answer{Credentials: credentials})
}

// supplied returns the credentials with which a form is to be filled in; nil when there are none.
func (e *Engine) supplied(ctx context.Context, authorizationID string) (map[string]string, error) {
	kept, err := e.store.SuppliedCredentials(ctx, authorizationID)
	if errors.Is(err, aggregator.ErrNotFound) || err == nil && kept.Autosubmit {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	credentials, err := e.secrets.unseal(authorizationID, kept.Sealed)
	if err != nil {
		e.log.Warn("credentials are asked for again", "cause", err.Error()) // the key is new
		return nil, nil
	}
	return credentials, nil
}

func (e *Engine) answer(ctx context.Context, s subject, visit aggregator.Visit, answer aggregator.Answer) error {
	connector, err := e.connector(s.ASPSP)
	if err != nil {
		return s.atBank(err)
	}
	err = connector.Answer(ctx, visit.Reference, answer)
	if errors.Is(err, aggregator.ErrWrongAnswer) {
		return err
	}
	return s.atBank(e.bankError(s.ASPSP, "answer of the PSU", err))
}

func (e *Engine) step(ctx context.Context, s subject, visit aggregator.Visit) (aggregator.Step, error) {
	connector, err := e.connector(s.ASPSP)
	if err != nil {
		return aggregator.Step{}, s.atBank(err)
	}
	step, err := connector.Step(ctx, visit.Reference)
	return step, s.atBank(e.bankError(s.ASPSP, "step of an authorisation", err))
}

// MethodsOf are the methods that an authorisation can go by: the one that was asked for, or those that the PSU can choose
// from. A bank that names none has one all the same, by redirect (spec: ASPSP data).
func MethodsOf(bank aggregator.ASPSP, row aggregator.Session) []openbanking.AuthMethod {
	return methodsOf(bank, row.Authorization, nil)
}

// MethodsOfPayment is MethodsOf for a payment: the bank may allow some methods only for its type.
func MethodsOfPayment(bank aggregator.ASPSP, row aggregator.Payment) []openbanking.AuthMethod {
	kind, _ := paymentType(bank, row.Type, row.PSUType)
	return methodsOf(bank, row.Authorization, kind.AllowedAuthMethods)
}

func methodsOf(bank aggregator.ASPSP, row aggregator.Authorization, allowed []string) []openbanking.AuthMethod {
	var methods []openbanking.AuthMethod
	for _, m := range bank.AuthMethods {
		switch {
		case m.PSUType != row.PSUType, len(allowed) > 0 && !slices.Contains(allowed, nameOf(m)):
		case row.AuthMethod == "" && !m.HiddenMethod, row.AuthMethod != "" && nameOf(m) == row.AuthMethod:
			methods = append(methods, m)
		}
	}
	if len(methods) == 0 {
		methods = []openbanking.AuthMethod{{PSUType: row.PSUType, Approach: openbanking.AuthenticationApproachRedirect}}
	}
	return methods
}

func methodNamed(methods []openbanking.AuthMethod, name string) openbanking.AuthMethod {
	for _, m := range methods {
		if nameOf(m) == name {
			return m
		}
	}
	return openbanking.AuthMethod{}
}

func nameOf(m openbanking.AuthMethod) string {
	if m.Name == nil {
		return ""
	}
	return *m.Name
}
