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

// Accept begins a visit for a PSU who agreed; one that was begun before ends. At a bank with one method that needs no
// choice, the authorisation is opened there at once, and credentials that came with POST /auth are handed over. A bank
// that fails gives an *openbanking.Error and leaves the authorisation waiting, so that the PSU can try again or cancel;
// one that refuses the credentials gives aggregator.ErrWrongAnswer along with the id of the visit, which asks for others.
func (e *Engine) Accept(ctx context.Context, authorizationID string) (visitID string, err error) {
	row, app, bank, err := e.Authorization(ctx, authorizationID)
	if err != nil {
		return "", err
	}
	visit := aggregator.Visit{ID: rand.Text(), AuthorizationID: row.AuthorizationID}
	methods := MethodsOf(bank, row)
	if len(methods) == 1 {
		if visit, err = e.open(ctx, row, app, bank, visit, methods[0]); err != nil {
			return "", err
		}
	}
	previous, err := e.store.BeginVisit(ctx, visit, e.now())
	if err != nil {
		e.abandon(ctx, row.ASPSP, visit)
		if errors.Is(err, aggregator.ErrNotFound) {
			return "", ErrCompletedAuthorization
		}
		return "", err
	}
	e.abandon(ctx, row.ASPSP, previous)
	if len(methods) > 1 {
		return visit.ID, nil
	}
	return visit.ID, e.handOver(ctx, row, visit, methods[0])
}

// Visit returns a visit as it is now. Its errors are those of Authorization, and those of the bank.
func (e *Engine) Visit(ctx context.Context, visitID string) (Visit, error) {
	visit, row, app, bank, err := e.visit(ctx, visitID)
	if err != nil {
		return Visit{}, err
	}
	v := Visit{ID: visit.ID, Authorization: row.Authorization, Session: row, Application: app, Bank: bank, Methods: MethodsOf(bank, row)}
	if visit.Reference == "" {
		return v, nil
	}
	v.Method = methodNamed(v.Methods, visit.Method)
	if v.Step, err = e.step(ctx, row.ASPSP, visit); err != nil {
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
	visit, row, app, bank, err := e.visit(ctx, visitID)
	if err != nil {
		return err
	}
	methods := MethodsOf(bank, row)
	i := slices.IndexFunc(methods, func(m openbanking.AuthMethod) bool { return nameOf(m) == method })
	if i < 0 {
		return InvalidParameter("method", "is none of those that can be chosen")
	}
	return e.reopen(ctx, row, app, bank, visit, methods[i])
}

// StartAgain ends what is under way at the bank and begins anew, with the choice of the method where there is one.
func (e *Engine) StartAgain(ctx context.Context, visitID string) error {
	visit, row, app, bank, err := e.visit(ctx, visitID)
	if err != nil {
		return err
	}
	if methods := MethodsOf(bank, row); len(methods) == 1 {
		return e.reopen(ctx, row, app, bank, visit, methods[0])
	}
	fresh := aggregator.Visit{ID: visit.ID, AuthorizationID: visit.AuthorizationID}
	return e.replace(ctx, row.ASPSP, visit, fresh)
}

// Answer gives the bank what the PSU said at the present step. Credentials with faults give a *CredentialsError and are not
// sent; what the bank does not accept gives aggregator.ErrWrongAnswer. The other errors are those of Visit.
func (e *Engine) Answer(ctx context.Context, visitID string, answer aggregator.Answer) error {
	visit, row, _, bank, err := e.visit(ctx, visitID)
	if err != nil {
		return err
	}
	if visit.Reference == "" {
		return nil // the method is to be chosen first
	}
	if answer.Credentials != nil {
		if found := faults(methodNamed(MethodsOf(bank, row), visit.Method).Credentials, answer.Credentials); len(found) > 0 {
			return &CredentialsError{Faults: found}
		}
		if err := e.store.DropCredentials(ctx, visit.AuthorizationID); err != nil && !errors.Is(err, aggregator.ErrNotFound) {
			return err
		}
	}
	return e.answer(ctx, row.ASPSP, visit, answer)
}

// Cancel ends an authorisation whose PSU gave up on the way, and returns where the browser goes: to the application with
// "Cancelled by user" (api-notes 4).
func (e *Engine) Cancel(ctx context.Context, visitID string) (returnURL string, err error) {
	visit, row, _, _, err := e.visit(ctx, visitID)
	if err != nil {
		return "", err
	}
	e.abandon(ctx, row.ASPSP, visit)
	return e.refuse(ctx, row, aggregator.EventCancelled, accessDenied, cancelledByUser)
}

// Conclude ends an authorisation that is over at the bank, or whose time is over, and returns where the browser goes: to
// the application with a code or an error. It returns an empty address while the bank still waits for the PSU.
func (e *Engine) Conclude(ctx context.Context, visitID string) (returnURL string, err error) {
	visit, row, _, _, err := e.visit(ctx, visitID)
	if errors.Is(err, ErrExpiredAuthorization) {
		return e.concludeLate(ctx, visitID)
	}
	if err != nil || visit.Reference == "" {
		return "", err
	}
	step, err := e.step(ctx, row.ASPSP, visit)
	if err != nil {
		return "", err
	}
	switch step.Kind {
	case aggregator.StepDone:
		return e.finish(ctx, row, step.Code)
	case aggregator.StepDeclined:
		return e.refuse(ctx, row, aggregator.EventCancelled, accessDenied, cancelledByUser)
	case aggregator.StepBlocked:
		return e.refuse(ctx, row, aggregator.EventCancelled, accessDenied, "Too many wrong attempts at the bank")
	case aggregator.StepExpired:
		return e.refuse(ctx, row, aggregator.EventFailed, serverError, notInTime)
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
	if err != nil {
		return "", err
	}
	e.abandon(ctx, row.ASPSP, visit)
	return e.returnedLate(ctx, row)
}

// visit returns a visit whose authorisation waits for the PSU, with all that belongs to it.
func (e *Engine) visit(ctx context.Context, visitID string) (visit aggregator.Visit, row aggregator.Session, app aggregator.Application, bank aggregator.ASPSP, err error) {
	visit, err = e.store.Visit(ctx, visitID)
	if errors.Is(err, aggregator.ErrNotFound) {
		err = ErrUnknownAuthorization
	}
	if err == nil {
		row, app, bank, err = e.Authorization(ctx, visit.AuthorizationID)
	}
	return visit, row, app, bank, err
}

// open starts an authorisation at the bank by a method.
func (e *Engine) open(ctx context.Context, row aggregator.Session, app aggregator.Application, bank aggregator.ASPSP, visit aggregator.Visit, method openbanking.AuthMethod) (aggregator.Visit, error) {
	connector, err := e.connector(row.ASPSP)
	if err != nil {
		return visit, err
	}
	visit.Method = nameOf(method)
	visit.Reference, err = connector.StartConsent(ctx, aggregator.ConsentRequest{
		BankRequest: aggregator.BankRequest{
			State:           e.bankState(row.AuthorizationID),
			ReturnURL:       e.authURL + ReturnPath,
			ApplicationName: app.Name,
			PSUType:         row.PSUType,
			Method:          visit.Method,
			Language:        row.Language,
		},
		Accounts:     row.Access.Accounts,
		Balances:     *row.Access.Balances,
		Transactions: *row.Access.Transactions,
		ValidUntil:   later(row.Access.ValidUntil.Time, e.now().Add(bank.MinimumConsentValidity)),
	})
	return visit, e.bankError(row.ASPSP, "start of a consent", err)
}

// reopen is open in place of what was under way.
func (e *Engine) reopen(ctx context.Context, row aggregator.Session, app aggregator.Application, bank aggregator.ASPSP, visit aggregator.Visit, method openbanking.AuthMethod) error {
	fresh, err := e.open(ctx, row, app, bank, visit, method)
	if err != nil {
		return err
	}
	return e.replace(ctx, row.ASPSP, visit, fresh)
}

// replace stores fresh in the place of visit and ends what visit had under way. When another request was faster, its
// result stays.
func (e *Engine) replace(ctx context.Context, bank openbanking.ASPSP, visit, fresh aggregator.Visit) error {
	err := e.store.SetVisitMethod(ctx, fresh, visit.Reference)
	if err != nil {
		e.abandon(ctx, bank, fresh)
		if errors.Is(err, aggregator.ErrNotFound) {
			return nil
		}
		return err
	}
	e.abandon(ctx, bank, visit)
	return nil
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
func (e *Engine) handOver(ctx context.Context, row aggregator.Session, visit aggregator.Visit, method openbanking.AuthMethod) error {
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
	return e.answer(ctx, row.ASPSP, visit, aggregator.Answer{Credentials: credentials})
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

func (e *Engine) answer(ctx context.Context, bank openbanking.ASPSP, visit aggregator.Visit, answer aggregator.Answer) error {
	connector, err := e.connector(bank)
	if err != nil {
		return err
	}
	err = connector.Answer(ctx, visit.Reference, answer)
	if errors.Is(err, aggregator.ErrWrongAnswer) {
		return err
	}
	return e.bankError(bank, "answer of the PSU", err)
}

func (e *Engine) step(ctx context.Context, bank openbanking.ASPSP, visit aggregator.Visit) (aggregator.Step, error) {
	connector, err := e.connector(bank)
	if err != nil {
		return aggregator.Step{}, err
	}
	step, err := connector.Step(ctx, visit.Reference)
	return step, e.bankError(bank, "step of a consent", err)
}

// MethodsOf are the methods that an authorisation can go by: the one that was asked for, or those that the PSU can choose
// from. A bank that names none has one all the same, by redirect (spec: ASPSP data).
func MethodsOf(bank aggregator.ASPSP, row aggregator.Session) []openbanking.AuthMethod {
	var methods []openbanking.AuthMethod
	for _, m := range bank.AuthMethods {
		if m.PSUType == row.PSUType && (row.AuthMethod == "" && !m.HiddenMethod || row.AuthMethod != "" && nameOf(m) == row.AuthMethod) {
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
