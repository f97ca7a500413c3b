package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

// The errors of the page of a payment are those of Authorization. Towards an API client they are also INVALID_PAYMENT (api-notes 8).
var (
	errUnknownPayment = fmt.Errorf("%w: %w", ErrUnknownAuthorization, openbanking.InvalidPayment)
	errExpiredPayment = fmt.Errorf("%w: %w", ErrExpiredAuthorization, openbanking.InvalidPayment)
)

// UndecidedError means that the PSU was sent to the bank with a payment, and that the bank does not say whether it was approved. Nobody may call it "not
// approved" then: a person who believes that pays twice. The payment keeps waiting, and the service asks the bank in the background until it answers.
type UndecidedError struct {
	ReturnURL string // to the application, which can ask what became of the payment and is told
	cause     error
}

func (e *UndecidedError) Error() string {
	return "the bank does not say whether the payment was approved: " + e.cause.Error()
}

func (e *UndecidedError) Unwrap() error { return e.cause }

// ErrNotApproved means that the PSU came back from the bank as after an approval, but the bank denies it. The payment keeps waiting.
var ErrNotApproved = errors.New("the bank says that the payment was not approved")

// undecided wraps an error of the bank in an UndecidedError, for a payment with which the PSU was sent to the bank. Other errors stay as they are.
func undecided(row aggregator.Authorization, err error) error {
	var silent *openbanking.Error
	var code openbanking.ErrorCode
	if errors.As(err, &silent) || errors.As(err, &code) {
		return &UndecidedError{ReturnURL: approvedURL(row), cause: err}
	}
	return err
}

// PaymentAuthorization returns a payment that waits for the PSU, with its application and bank, for the hosted pages. Its errors are those of
// Authorization; except ErrCompletedAuthorization they are also INVALID_PAYMENT. When the payment has expired after the PSU was sent to the bank, the bank
// is asked first; *UndecidedError means that it does not answer. A payment that the PSU has not accepted is unknown when its application may no longer
// initiate payments.
func (e *Engine) PaymentAuthorization(ctx context.Context, paymentID string) (aggregator.Payment, aggregator.Application, aggregator.ASPSP, error) {
	row, err := e.store.PaymentByID(ctx, paymentID)
	if err == nil && row.Awaited() && !row.Opened.IsZero() && !e.now().Before(row.PageExpires) {
		now, err := e.refresh(ctx, row)
		if err != nil {
			return aggregator.Payment{}, aggregator.Application{}, aggregator.ASPSP{}, undecided(row.Authorization, err)
		}
		row = now
	}
	row, err = e.awaited(row, err)
	if err != nil {
		return aggregator.Payment{}, aggregator.Application{}, aggregator.ASPSP{}, err
	}
	app, bank, err := e.parties(ctx, row.Authorization)
	if errors.Is(err, ErrUnknownAuthorization) || err == nil && !slices.Contains(app.Services, openbanking.ServicePIS) {
		err = errUnknownPayment
	}
	if err != nil {
		return aggregator.Payment{}, aggregator.Application{}, aggregator.ASPSP{}, err
	}
	return row, app, bank, nil
}

// awaited turns a row into the typed errors of the hosted pages unless the payment waits for the PSU.
func (e *Engine) awaited(row aggregator.Payment, err error) (aggregator.Payment, error) {
	switch {
	case errors.Is(err, aggregator.ErrNotFound):
		return row, errUnknownPayment
	case err != nil:
		return row, err
	case abandoned(row), row.Awaited() && !e.now().Before(row.PageExpires):
		return row, errExpiredPayment
	case !row.Awaited():
		return row, ErrCompletedAuthorization
	}
	return row, nil
}

// abandoned reports whether a payment is over because its time was.
func abandoned(row aggregator.Payment) bool {
	return row.Final && (row.AuthStatus == "" || row.AuthStatus == openbanking.PaymentAuthStatusPending)
}

// MarkOpened notes that the PSU has opened the page of a payment: its payment_auth_status is PENDING from then on
// (api-notes 8). The page calls it for GET alone, never for HEAD. A payment that waits for nobody stays as it is.
func (e *Engine) MarkOpened(ctx context.Context, paymentID string) error {
	row, err := e.store.PaymentByID(ctx, paymentID)
	if err != nil || !row.Awaited() || row.AuthStatus != "" {
		return ignore(err, aggregator.ErrNotFound)
	}
	_, err = e.update(ctx, paymentID, func(p *aggregator.Payment) error {
		if p.AuthStatus == "" {
			p.AuthStatus = openbanking.PaymentAuthStatusPending
		}
		return nil
	})
	return ignore(err, aggregator.ErrIllegalMove) // it was over at the same moment
}

func ignore(err, target error) error {
	if errors.Is(err, target) {
		return nil
	}
	return err
}

// noteOpening records that a payment is about to be opened at the bank. From then on its status has to be asked from the bank. The caller holds the turn.
// The error is ErrCompletedAuthorization when the payment no longer waits for the PSU.
func (e *Engine) noteOpening(ctx context.Context, id string) error {
	_, err := e.update(ctx, id, func(p *aggregator.Payment) error {
		now := e.now()
		if !p.Awaited() || !now.Before(p.PageExpires) {
			return ErrCompletedAuthorization
		}
		p.AuthStatus = openbanking.PaymentAuthStatusPending
		if p.Opened.IsZero() {
			p.Opened = now
		}
		p.Due = e.nextLook(*p, now)
		return nil
	})
	if errors.Is(err, aggregator.ErrIllegalMove) {
		return ErrCompletedAuthorization
	}
	if err == nil {
		e.paymentDue()
	}
	return err
}

// cancelOrder ends what a visit has under way at its bank. An error means that the PSU may still approve it there.
func (e *Engine) cancelOrder(ctx context.Context, bank openbanking.ASPSP, visit aggregator.Visit) error {
	if visit.Reference == "" {
		return nil
	}
	connector, err := e.connector(bank)
	if err != nil {
		return err
	}
	return e.bankError(bank, "end of the authorisation of a payment", connector.Cancel(context.WithoutCancel(ctx), visit.Reference))
}

// ending is the result of a payment that the PSU did not approve: its statuses, the reason, and the error for the application.
type ending struct {
	status            openbanking.PaymentStatus
	auth              openbanking.PaymentAuthStatus // empty: as it was
	reason            openbanking.StatusReasonInformation
	code, description string // for the redirect
}

// Reasons of ISO 20022 for payments that the PSU does not approve.
const (
	reasonCancelled = "DS02" // order cancelled
	reasonLate      = "DS24" // waiting time expired
	reasonNarrative = "NARR" // see the description
)

// The endings (api-notes 8).
var (
	cancelled = ending{openbanking.PaymentStatusCNCL, openbanking.PaymentAuthStatusCancelled,
		openbanking.StatusReasonInformation{StatusReasonCode: reasonCancelled, StatusReasonDescription: cancelledByUser}, accessDenied, cancelledByUser}
	blocked = ending{openbanking.PaymentStatusRJCT, openbanking.PaymentAuthStatusFailed,
		openbanking.StatusReasonInformation{StatusReasonCode: reasonNarrative, StatusReasonDescription: tooManyAttempts}, accessDenied, tooManyAttempts}
	late = ending{openbanking.PaymentStatusCNCL, "",
		openbanking.StatusReasonInformation{StatusReasonCode: reasonLate, StatusReasonDescription: notInTime}, serverError, notInTime}
)

// failed is the ending of a payment whose authorisation failed at the bank, in the words of the bank.
func failed(description string) ending {
	return ending{openbanking.PaymentStatusRJCT, openbanking.PaymentAuthStatusFailed,
		openbanking.StatusReasonInformation{StatusReasonCode: reasonNarrative, StatusReasonDescription: "The authorisation failed at the bank"}, serverError,
		description}
}

// DenyPayment ends a payment whose PSU did not accept it on the page of the service, and returns where the browser goes.
// Its errors are those of PaymentAuthorization.
func (e *Engine) DenyPayment(ctx context.Context, paymentID string) (returnURL string, err error) {
	row, err := e.awaited(e.store.PaymentByID(ctx, paymentID))
	if err != nil {
		return "", err
	}
	return e.leavePayment(ctx, row, cancelled)
}

// concludePayment is Conclude for a payment. kind is the step at which the bank is.
func (e *Engine) concludePayment(ctx context.Context, row aggregator.Payment, kind aggregator.StepKind) (returnURL string, err error) {
	switch kind {
	case aggregator.StepDone:
		return e.approvedPayment(ctx, row)
	case aggregator.StepDeclined:
		return e.leavePayment(ctx, row, cancelled)
	case aggregator.StepBlocked:
		return e.leavePayment(ctx, row, blocked)
	case aggregator.StepExpired:
		return e.leavePayment(ctx, row, late)
	}
	return "", nil
}

// returnOfPayment is ReturnFromBank for a payment. An approval is reported again as often as the browser comes back with it.
// ErrNotApproved, *UndecidedError.
func (e *Engine) returnOfPayment(ctx context.Context, state, bankError, bankErrorDescription string) (returnURL string, err error) {
	row, err := e.store.PaymentByBankState(ctx, aggregator.Fingerprint(state))
	if errors.Is(err, aggregator.ErrNotFound) {
		return "", errUnknownPayment
	}
	if err != nil {
		return "", err
	}
	ctx = context.WithoutCancel(ctx) // as for an access to accounts
	switch {
	case !row.Awaited():
		return overURL(row)
	case bankError == "":
		return e.approvedPayment(ctx, row)
	case bankError == accessDenied:
		return e.leavePayment(ctx, row, cancelled)
	}
	return e.leavePayment(ctx, row, failed(sentence(bankErrorDescription)))
}

// approvedPayment asks the bank for a payment that is said to be approved, and returns where the browser goes. ErrNotApproved, *UndecidedError.
func (e *Engine) approvedPayment(ctx context.Context, row aggregator.Payment) (returnURL string, err error) {
	now, err := e.refresh(ctx, row)
	switch {
	case err != nil:
		return "", undecided(row.Authorization, err)
	case now.Awaited():
		return "", ErrNotApproved
	}
	return overURL(now)
}

// leavePayment ends a payment that the PSU has not approved, and returns where the browser goes. *UndecidedError.
func (e *Engine) leavePayment(ctx context.Context, row aggregator.Payment, how ending) (returnURL string, err error) {
	pass, err := e.turns.take(ctx, row.AuthorizationID)
	if err != nil {
		return "", err
	}
	defer pass()
	now, how, err := e.end(ctx, row.AuthorizationID, how)
	switch {
	case err != nil:
		return "", undecided(row.Authorization, err)
	case how == ending{}:
		return overURL(now)
	case how.description == "":
		return redirect(row.Authorization, "error", how.code, "state", row.State), nil
	}
	return redirect(row.Authorization, "error", how.code, "error_description", how.description, "state", row.State), nil
}

// overURL returns where the browser goes when the authorisation of the payment had ended before the browser came back.
func overURL(row aggregator.Payment) (string, error) {
	switch {
	case row.AuthStatus == openbanking.PaymentAuthStatusFinalised:
		return approvedURL(row.Authorization), nil
	case abandoned(row):
		return redirect(row.Authorization, "error", late.code, "error_description", late.description, "state", row.State), nil
	}
	return "", ErrCompletedAuthorization
}

// approvedURL returns where the browser goes after an approval, and after one that the bank has not confirmed (spec: Payment initiation flow).
func approvedURL(row aggregator.Authorization) string {
	return redirect(row, "state", row.State)
}

// end ends a payment that the PSU has not approved, first at the bank and then here. The bank is asked once more, because the PSU may just have approved
// it. It returns how the payment ended; zero when it had ended before or is now approved. The caller holds the turn.
func (e *Engine) end(ctx context.Context, id string, how ending) (aggregator.Payment, ending, error) {
	ctx = context.WithoutCancel(ctx) // what is ended at the bank is ended here
	row, err := e.store.PaymentByID(ctx, id)
	if err != nil || !row.Awaited() {
		return row, ending{}, err
	}
	if !row.Opened.IsZero() {
		visit, err := e.store.VisitOf(ctx, id)
		if err != nil && !errors.Is(err, aggregator.ErrNotFound) {
			return row, ending{}, err
		}
		if visit.Reference != "" {
			if step, err := e.step(ctx, subject{Authorization: row.Authorization}, visit); err == nil && step.Kind == aggregator.StepBlocked {
				how = blocked
			}
		}
		if err := e.cancelOrder(ctx, row.ASPSP, visit); err != nil {
			return row, ending{}, err
		}
		if row, err = e.ask(ctx, row); err != nil || !row.Awaited() {
			return row, ending{}, err
		}
	}
	row, err = e.update(ctx, id, func(p *aggregator.Payment) error {
		p.Status, p.Final, p.Reason = how.status, true, &how.reason
		if how.auth != "" {
			p.AuthStatus = how.auth
		}
		for i := range p.Transfers {
			p.Transfers[i].Status = how.status
		}
		return nil
	})
	return row, how, err
}

// refresh returns a payment with its status at the bank. A payment that still waits for the PSU ends when its page has expired.
func (e *Engine) refresh(ctx context.Context, row aggregator.Payment) (aggregator.Payment, error) {
	due := row.Due
	row, err := e.lookAfter(ctx, row.AuthorizationID)
	if err == nil && !row.Final && !row.Due.Equal(due) {
		e.paymentDue()
	}
	return row, err
}

// lookAfter brings a payment up to date.
func (e *Engine) lookAfter(ctx context.Context, id string) (aggregator.Payment, error) {
	pass, err := e.turns.take(ctx, id)
	if err != nil {
		return aggregator.Payment{}, err
	}
	defer pass()
	row, err := e.store.PaymentByID(ctx, id)
	if err == nil && !row.Final && !row.Opened.IsZero() {
		row, err = e.ask(ctx, row)
	}
	if err == nil && row.Awaited() && !e.now().Before(row.PageExpires) {
		row, _, err = e.end(ctx, id, late)
	}
	return row, err
}

// ask asks the bank what has become of a payment and stores that: the only way in which a payment gets a status from its
// bank. Who calls it has the turn. The error is that of the bank, and leaves the payment as it was.
func (e *Engine) ask(ctx context.Context, row aggregator.Payment) (aggregator.Payment, error) {
	connector, err := e.connector(row.ASPSP)
	if err != nil {
		return row, err
	}
	told, err := connector.Payment(ctx, row.AuthorizationID)
	if err != nil {
		return row, e.bankError(row.ASPSP, "status of a payment", err)
	}
	kind, _ := paymentType(connector.ASPSP(), row.Type, row.PSUType)
	now := e.now()
	var changes []func(*aggregator.Payment) error
	reached := now // the present status
	for i, step := range told.Course {
		if i == len(told.Course)-1 && step.Status == told.Status {
			reached = step.At
			break
		}
		changes = append(changes, func(p *aggregator.Payment) error {
			if p.AuthStatus != openbanking.PaymentAuthStatusFinalised || step.At.After(p.Changed) {
				e.move(p, step, kind.FinalSuccessfulStatuses, now)
			}
			return nil
		})
	}
	changes = append(changes, func(p *aggregator.Payment) error {
		p.Checked = now
		if told.Authorised && e.move(p, aggregator.BankPlanStep{At: reached, Status: told.Status, Reason: told.Reason}, kind.FinalSuccessfulStatuses, now) {
			fill(p, told)
		}
		p.Due = e.nextLook(*p, now)
		return nil
	})
	row, err = e.update(ctx, row.AuthorizationID, changes...)
	return row, ignore(err, aggregator.ErrIllegalMove) // it was final before; move makes no such move
}

// move gives a payment a status that it has at the bank. A bank that goes back in its statuses is not followed: false.
func (e *Engine) move(p *aggregator.Payment, to aggregator.BankPlanStep, successful []openbanking.PaymentStatus, now time.Time) bool {
	if p.AuthStatus != openbanking.PaymentAuthStatusFinalised {
		p.AuthStatus, p.Approved = openbanking.PaymentAuthStatusFinalised, now
	}
	if p.Status != to.Status && !aggregator.PaymentMove(p.Status, to.Status) {
		e.log.Warn("the status of a payment does not follow from the one before", "bank", p.ASPSP.Name, "country", p.ASPSP.Country, "from", p.Status, "to", to.Status)
		return false
	}
	p.Status, p.Reason, p.Changed = to.Status, to.Reason, to.At
	p.Final = aggregator.FinalStatus(p.Status, successful)
	return true
}

// fill writes into a payment what the bank knows of its transactions, and of the debtor what the application has not said: what it has said
// is read back as it was sent.
func fill(p *aggregator.Payment, told aggregator.BankPayment) {
	for i := range p.Transfers {
		p.Transfers[i].Status = told.Status
		if i < len(told.Transfers) {
			p.Transfers[i].Status, p.Transfers[i].ExecutionDate = told.Transfers[i].Status, told.Transfers[i].ExecutionDate
		}
	}
	if told.Debtor != nil {
		p.Request.Debtor = completed(p.Request.Debtor, *told.Debtor)
	}
	if p.Request.DebtorAccount == nil {
		p.Request.DebtorAccount = told.DebtorAccount
	}
	if p.Request.DebtorCurrency == nil && told.DebtorCurrency != "" {
		p.Request.DebtorCurrency = &told.DebtorCurrency
	}
}

// completed is a party as the application named it, with what the bank knows in addition.
func completed(party *openbanking.PartyIdentification, known openbanking.PartyIdentification) *openbanking.PartyIdentification {
	if party == nil {
		return &known
	}
	merged := *party
	if merged.Name == nil {
		merged.Name = known.Name
	}
	if merged.PostalAddress == nil {
		merged.PostalAddress = known.PostalAddress
	}
	if merged.OrganisationID == nil {
		merged.OrganisationID = known.OrganisationID
	}
	if merged.PrivateID == nil {
		merged.PrivateID = known.PrivateID
	}
	if merged.ContactDetails == nil {
		merged.ContactDetails = known.ContactDetails
	}
	return &merged
}

// update is storage.UpdatePayment at the present time. It wakes the delivery of webhooks when the status has changed.
func (e *Engine) update(ctx context.Context, id string, changes ...func(*aggregator.Payment) error) (aggregator.Payment, error) {
	told := false
	for i, change := range changes {
		changes[i] = func(p *aggregator.Payment) error {
			before := p.Status
			err := change(p)
			told = told || p.Status != before
			return err
		}
	}
	row, err := e.store.UpdatePayment(ctx, id, e.now(), changes...)
	if err == nil && row.WebhookURL != "" && told {
		e.wakeWebhooks()
	}
	return row, err
}

// How AdvancePayments works.
const (
	soonest       = time.Second      // after which a bank is asked again, at the soonest
	latest        = time.Hour        // and at the latest
	afterFailure  = 10 * time.Second // at the soonest, after a bank did not say
	perBank       = 8                // payments of a bank that are looked after at a time
	advanceEvery  = time.Minute      // AdvancePayments wants to be called at least this often
	lookAround    = time.Second      // so often it looks for payments of other banks while one is slow
	callsAtTheEnd = 4                // of a bank, to end a payment: as many time-outs can pass
)

// nextLook is when the bank is asked for a payment again: soon after the approval, or after the PSU was led there, then
// less and less often. The random part keeps payments that were approved together from being asked for together.
func (e *Engine) nextLook(p aggregator.Payment, now time.Time) time.Time {
	since := p.Approved
	if p.Awaited() {
		if since = p.Opened; since.IsZero() {
			return earlier(p.PageExpires, now.Add(e.pageLifetime))
		}
	}
	wait := min(max(now.Sub(since)/5, soonest), latest)
	if since.After(now.Add(time.Minute)) { // the clock was ahead then
		wait = time.Minute
	}
	next := now.Add(wait + rand.N(wait/5+1)) //nolint:gosec // jitter is no secret
	if p.Awaited() && now.Before(p.PageExpires) {
		next = earlier(next, p.PageExpires)
	}
	return next
}

// paymentDue tells AdvancePayments that a payment may be due earlier than it knows.
func (e *Engine) paymentDue() {
	select {
	case e.paymentsDue <- struct{}{}:
	default: // it has not looked since the last time
	}
	e.wakePayments()
}

// AdvancePayments looks after the payments that are due: it asks the banks for those that were opened there, and ends those
// whose page is over. It returns when to call it again, once all is done. Each bank has its own pace, so that a slow one
// holds up none of the others; whoever works on a payment holds a lease, so that after a crash somebody else takes it over.
func (e *Engine) AdvancePayments(ctx context.Context) (next time.Time, err error) {
	ended := make(chan result)
	running := map[openbanking.ASPSP]bool{}
	for {
		if err == nil {
			err = e.startBanks(ctx, running, ended)
		}
		if len(running) == 0 {
			break
		}
		wait := time.NewTimer(lookAround)
		select {
		case r := <-ended:
			delete(running, r.bank)
			err = errors.Join(err, r.err)
		case <-e.paymentsDue:
		case <-wait.C:
		}
		wait.Stop()
	}
	if err != nil {
		return time.Time{}, err
	}
	if next, err = e.store.NextPaymentDue(ctx); err != nil {
		return time.Time{}, err
	}
	if last := e.now().Add(advanceEvery); next.IsZero() || next.After(last) {
		next = last
	}
	return next, nil
}

// result is what came of the payments of a bank.
type result struct {
	bank openbanking.ASPSP
	err  error
}

// startBanks begins to look after the payments of banks that have due ones and are not at work yet.
func (e *Engine) startBanks(ctx context.Context, running map[openbanking.ASPSP]bool, ended chan<- result) error {
	banks, err := e.store.BanksWithDuePayments(ctx, e.now())
	if err != nil {
		return err
	}
	for _, bank := range banks {
		if running[bank] {
			continue
		}
		running[bank] = true
		go func() { ended <- result{bank, e.advanceBank(ctx, bank)} }()
	}
	return nil
}

// advanceBank looks after the payments of a bank until none is due, a few at a time.
func (e *Engine) advanceBank(ctx context.Context, bank openbanking.ASPSP) error {
	for {
		now := e.now()
		claimed, err := e.store.ClaimPayments(ctx, bank, now, now.Add(callsAtTheEnd*e.bankTimeout), perBank)
		if err != nil || len(claimed) == 0 {
			return err
		}
		var all sync.WaitGroup
		for _, row := range claimed {
			all.Go(func() { e.advance(ctx, row.AuthorizationID) })
		}
		all.Wait()
	}
}

// advance looks after a payment. What goes wrong leaves it for later, and says so in the log.
func (e *Engine) advance(ctx context.Context, id string) {
	defer func() {
		if v := recover(); v != nil {
			e.log.Error("payment not looked after", "payment", id, "panic", v, "stack", string(debug.Stack()))
		}
	}()
	row, err := e.lookAfter(ctx, id)
	if err == nil || ctx.Err() != nil {
		return
	}
	e.log.Warn("payment not looked after", "payment", id, "bank", row.ASPSP.Name, "country", row.ASPSP.Country, "cause", err.Error())
	_, err = e.update(ctx, id, func(p *aggregator.Payment) error {
		now := e.now()
		p.Due = later(e.nextLook(*p, now), now.Add(afterFailure))
		return nil
	})
	if err = ignore(err, aggregator.ErrIllegalMove); err != nil {
		e.log.Error("payment not put off", "payment", id, "cause", err.Error())
	}
}
