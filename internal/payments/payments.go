// Package payments takes a payment from the draft to its final status: it is confirmed as it was reviewed, sent to the service at most once, and
// followed until its status is final. Webhooks, checks and the return from the bank all end in the same place: the service is asked, and its answer
// is applied.
package payments

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"florin/internal/finance"
	"florin/internal/jobs"
	"florin/internal/live"
	"florin/internal/openbanking"
	"florin/internal/store"
)

const (
	parallel   = 4                // checks at work at the same time
	settleIn   = 10 * time.Second // to write down what came
	leaseFor   = 2 * time.Minute  // of a check; longer than the client waits
	askIn      = 15 * time.Second // for an answer about a payment, so that one service that hangs holds up no other for long
	offersIn   = 10 * time.Second // for what an application may do, while a page waits
	returnIn   = 3 * time.Second  // the first look after the return, while the person waits
	checkEvery = 2 * time.Second  // an impatient person is answered with what is known
	offersFor  = 10 * time.Minute // what an application may do is asked again after this
)

// What the service says is kept up to these lengths.
const (
	maxPaymentID = 200
	maxURL       = 8 << 10
)

// AnswerWithin is when POST /payments has an answer or never will: longer than the client waits.
const AnswerWithin = 100 * time.Second

// ReturnWithin is how long the visit to the bank may take: longer than the page of the service lives, which is half an hour.
const ReturnWithin = 40 * time.Minute

// lapseAfter is how long the outcome of a payment may stay unknown until Florin treats it as failed. By then the page for its approval has expired, and
// nobody had received its address.
const lapseAfter = time.Hour

// Topic is the topic of the events that are published when a payment changes; their id is that of the payment.
const Topic = "payment"

// API is what payments need of the service; bank.Client has it. Errors of the service are *openbanking.Error. An error that has a method
// NothingSent() bool which returns true proves that the service did not get the call.
type API interface {
	Application(ctx context.Context) (openbanking.Application, error)
	CreatePayment(ctx context.Context, request openbanking.CreatePaymentRequest) (openbanking.CreatePaymentResponse, error)
	Payment(ctx context.Context, paymentID string) (openbanking.Payment, error)
}

// Connect returns the API of a provider, signed with its key.
type Connect func(ctx context.Context, p finance.Provider) (API, error)

// Options are what Payments work with.
type Options struct {
	Store   *store.Store
	Connect Connect
	Hub     *live.Hub
	// WebhookURL is where a provider's service sends webhooks: {public_url}/webhooks/{provider}. "" where it cannot reach us: then checks alone bring
	// the news. It may be nil.
	WebhookURL func(p finance.Provider) string
	// News is called when there is news of a payment; nil for nothing.
	News func()
	Log  *slog.Logger
}

// Payments is safe for use by many goroutines.
type Payments struct {
	Options
	lease  time.Duration // of a check
	answer time.Duration // for POST /payments
	grace  time.Duration // afterwards, until it counts as lost
	every  time.Duration // the least time between two checks that the person asks for
	lapse  time.Duration // until an unknown outcome counts as none
	loops  []*jobs.Loop
	match  *jobs.Loop
	step   func(name string) // tests end the program between two steps here

	mu     sync.Mutex
	offers map[string]offered // by provider and application id
	late   []outcome          // what came of calls and could not be written down yet

	claimed []store.PaymentClaim // with their webhooks, for the next Run
}

// outcome stores the result of a call to the service, and returns the payment.
type outcome func(ctx context.Context) (finance.Payment, error)

// New returns Payments.
func New(o Options) *Payments {
	return &Payments{Options: o, lease: leaseFor, answer: AnswerWithin, grace: 3 * settleIn, every: checkEvery, lapse: lapseAfter, step: func(string) {},
		offers: map[string]offered{}}
}

// Register adds the loops to a runner that has not started.
func (p *Payments) Register(r *jobs.Runner) {
	for i := range parallel {
		p.loops = append(p.loops, r.Add(fmt.Sprintf("payments-%d", i+1), p.Run))
	}
	p.match = r.Add("payments-match", p.Match)
	p.loops = append(p.loops, r.Add("payments-find", p.Find), r.Add("payments-sweep", p.Sweep))
}

// Wake makes the loops look for what is due. Call it when a webhook was stored.
func (p *Payments) Wake() {
	for _, l := range p.loops {
		l.Wake()
	}
}

// Errors fit to be shown. The service's refusals are kept with the payment.
var (
	ErrChanged = errors.New("the payment was changed after you looked at it; review it again")
	ErrAccount = errors.New("this account cannot pay; choose one that is linked")
	// ErrSent says that the payment was confirmed or discarded already: it comes with the payment as it is.
	ErrSent = store.ErrSent
	// ErrReturn says that a return from a bank fits no payment. It may be that of a link.
	ErrReturn = store.ErrReturn
)

// Unagreed is the error of a confirmation that did not agree to all warnings: something changed, or a box was not ticked.
type Unagreed struct{ Warnings []finance.Warning }

func (e *Unagreed) Error() string {
	return "there is something to agree to before this payment is sent"
}

// Unpayable is the error of a confirmation of a draft whose account cannot pay any more. The draft stays as it is.
type Unpayable struct {
	Obstacle     finance.PayObstacle
	ConnectionID string // of the bank to link again; "" without one
}

func (e *Unpayable) Error() string {
	return "the account of this payment cannot pay any more: " + string(e.Obstacle)
}

// Offer is what one provider lets this application do with payments.
type Offer struct {
	Provider  finance.Provider
	Allowed   bool  // payment initiation is enabled (PIS)
	Simulated bool  // no money moves
	Problem   error // the service did not answer: not known
}

type offered struct {
	allowed bool
	until   time.Time
}

// Offers says for each provider whether payments are possible. Answers are used again for some minutes, and
// longer while there is no other.
func (p *Payments) Offers(ctx context.Context) ([]Offer, error) {
	providers, err := p.Store.Providers(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]Offer, len(providers))
	var asking sync.WaitGroup
	for i, provider := range providers { // at the same time: one that does not answer keeps nobody waiting for another
		all[i] = Offer{Provider: provider, Simulated: provider.Simulated()}
		asking.Go(func() { all[i].Allowed, all[i].Problem = p.allowed(ctx, provider) })
	}
	asking.Wait()
	return all, nil
}

// ForgetOffers makes the next Offers ask the services again.
func (p *Payments) ForgetOffers() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.offers)
}

func (p *Payments) allowed(ctx context.Context, provider finance.Provider) (bool, error) {
	key := provider.ID + " " + provider.ApplicationID
	p.mu.Lock()
	known := p.offers[key]
	p.mu.Unlock()
	if time.Now().Before(known.until) {
		return known.allowed, nil
	}
	api, err := p.Connect(ctx, provider)
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, offersIn)
	defer cancel()
	application, err := api.Application(ctx)
	if err != nil && !known.until.IsZero() {
		p.Log.Warn("not known whether payments are still possible as before", "provider", provider.ID, "error", err)
		return known.allowed, nil
	}
	if err != nil {
		return false, err
	}
	known = offered{allowed: slices.Contains(application.Services, openbanking.ServicePIS), until: time.Now().Add(offersFor)}
	p.mu.Lock()
	p.offers[key] = known
	p.mu.Unlock()
	return known.allowed, nil
}

// Save stores what a form asks for as a draft, under the one-time key of the form: sent twice it is one draft, changed it is the changed draft, and once it is
// confirmed, another order under the same key is ErrSent, with the payment. The account that pays must be the user's at the same bank; its number is taken from
// there. retryOf is the payment that this one repeats, "" for none. Fields are not checked against the bank's rules here.
func (p *Payments) Save(ctx context.Context, userID, formKey string, o finance.PaymentOrder, retryOf string) (finance.Payment, error) {
	return p.save(ctx, userID, o, func(o finance.PaymentOrder) (finance.Payment, error) {
		return p.Store.SaveDraft(ctx, userID, formKey, o, retryOf)
	})
}

// SaveAsked is Save for what somebody of the household asked the user to pay. finance.ErrRequestOver when that is not open any more.
func (p *Payments) SaveAsked(ctx context.Context, userID, formKey string, o finance.PaymentOrder, requestID string) (finance.Payment, error) {
	return p.save(ctx, userID, o, func(o finance.PaymentOrder) (finance.Payment, error) {
		return p.Store.SaveAskedDraft(ctx, userID, formKey, o, requestID)
	})
}

func (p *Payments) save(ctx context.Context, userID string, o finance.PaymentOrder,
	store func(finance.PaymentOrder) (finance.Payment, error)) (finance.Payment, error) {
	if o.AccountID != "" {
		account, err := p.Store.Account(ctx, userID, o.AccountID)
		if err != nil {
			return finance.Payment{}, err
		}
		var connection finance.Connection
		if account.Linked() || !o.OwnApp() {
			if connection, err = p.Store.Connection(ctx, userID, account.ConnectionID); err != nil {
				return finance.Payment{}, err
			}
		}
		number := finance.AccountNumber(account)
		switch {
		case o.OwnApp() && !account.Linked(): // the person says where it is
			o.ProviderID, o.ASPSP = "", openbanking.ASPSP{Name: account.Institution}
		case connection.ProviderID != o.ProviderID || connection.ASPSP != o.ASPSP || number.Number == "" && !o.OwnApp():
			return finance.Payment{}, ErrAccount
		}
		o.Request.DebtorAccount = nil
		if number.Number != "" {
			wire := number.Wire()
			o.Request.DebtorAccount = &wire
		}
	}
	draft, err := store(o)
	if err == nil {
		p.publish(draft)
	}
	return draft, err
}

// Review is what the person sees before the confirmation.
type Review struct {
	Payment   finance.Payment
	Transfers []finance.PaymentTransfer
	Hash      string            // the confirmation brings it back
	Warnings  []finance.Warning // the confirmation brings all their keys back
	Unpayable *Unpayable        // the account cannot pay any more, and no confirmation is taken; nil when it can
}

// Review returns a draft of the user as it would be sent. ErrSent, with the payment, when it is no draft any more.
func (p *Payments) Review(ctx context.Context, userID, id string) (Review, error) {
	draft, err := p.Store.Payment(ctx, userID, id)
	if err != nil {
		return Review{}, err
	}
	r := Review{Payment: draft, Hash: draft.Order.ReviewHash()}
	if r.Transfers, err = p.Store.PaymentTransfers(ctx, userID, id); err != nil {
		return r, err
	}
	if draft.Phase != finance.PhaseDraft {
		return r, ErrSent
	}
	past, payees, err := p.Store.PaidBefore(ctx, userID, id)
	if err != nil {
		return r, err
	}
	own, err := p.holdings(ctx, userID)
	if err != nil {
		return r, err
	}
	r.Warnings = own.warnings(draft, past, payees)
	if err := p.payable(ctx, userID, draft.Order); err != nil && !errors.As(err, &r.Unpayable) {
		return r, err
	}
	return r, nil
}

// payable returns nil when the order can be paid from its account. An order that names no account needs one payable account that is linked at its bank.
// Otherwise the error is *Unpayable: accounts may have been unlinked since the draft was written.
func (p *Payments) payable(ctx context.Context, userID string, o finance.PaymentOrder) error {
	if o.OwnApp() {
		return p.sendable(ctx, userID, o)
	}
	provider, err := p.Store.Provider(ctx, o.ProviderID)
	if err != nil {
		return err
	}
	if !provider.Removed.IsZero() {
		return &Unpayable{Obstacle: finance.PayServiceRemoved}
	}
	accounts, err := p.Store.Accounts(ctx, userID)
	if err != nil {
		return err
	}
	connections, err := p.Store.Connections(ctx, userID)
	if err != nil {
		return err
	}
	why := &Unpayable{Obstacle: finance.PayNotAccessible}
	for _, c := range connections {
		if c.ProviderID != o.ProviderID || c.ASPSP != o.ASPSP {
			continue
		}
		for _, a := range accounts {
			if a.ConnectionID != c.ID || o.AccountID != "" && a.ID != o.AccountID {
				continue
			}
			obstacle := c.PayObstacle(a, time.Now())
			if obstacle == "" {
				return nil
			}
			if why.ConnectionID == "" {
				why = &Unpayable{Obstacle: obstacle, ConnectionID: c.ID}
			}
		}
	}
	return why
}

// sendable is payable for an order that the person sends in the app of the bank: Florin need not reach the bank.
func (p *Payments) sendable(ctx context.Context, userID string, o finance.PaymentOrder) error {
	account, err := p.Store.Account(ctx, userID, o.AccountID)
	switch obstacle := account.SendObstacle(); {
	case errors.Is(err, finance.ErrNotFound):
		return &Unpayable{Obstacle: finance.PayNotAccessible}
	case err != nil:
		return err
	case obstacle != "":
		return &Unpayable{Obstacle: obstacle, ConnectionID: account.ConnectionID}
	}
	return nil
}

// holdings are the accounts of a user with their balances: what warnings need in addition to earlier payments.
type holdings struct {
	accounts    []finance.Account
	connections []finance.Connection
	balances    map[string][]finance.Balance
}

func (p *Payments) holdings(ctx context.Context, userID string) (h holdings, err error) {
	if h.accounts, err = p.Store.Accounts(ctx, userID); err != nil {
		return h, err
	}
	if h.connections, err = p.Store.Connections(ctx, userID); err != nil {
		return h, err
	}
	h.balances, err = p.Store.Balances(ctx, userID)
	return h, err
}

// warnings are all that is to be agreed to before an order is sent, loudest first.
func (h holdings) warnings(p finance.Payment, past []finance.PastTransfer, payees []finance.Payee) []finance.Warning {
	var all []finance.Warning
	o := p.Order
	if p.Withdrawn {
		all = append(all, finance.Warning{Code: finance.WarnWithdrawn, Transfer: p.RequestID})
	}
	for _, account := range h.accounts {
		if account.ID != o.AccountID {
			continue
		}
		if w := finance.LacksFunds(o, account, h.balances[account.ID]); w != nil {
			all = append(all, *w)
		}
	}
	own := finance.OwnAccounts(h.accounts, h.connections, o.ProviderID)
	return append(all, finance.Warnings(o, past, payees, own, time.Now())...)
}

// Confirmation is the person's word. The caller has checked the password or another factor just before (ASVS 7.5.3).
type Confirmation struct {
	ID         string
	ReviewHash string         // of the review page
	Agreed     []string       // keys of the warnings that were agreed to
	Browser    finance.Secret // random value of the browser's flow cookie: the return must bring the same
	Language   string         // two letters, "" for none
}

// Confirm sends a draft to the service, at most once ever: the row says so before the call, and the result is written down afterwards. The returned
// payment is created, failed or unknown; then the error is nil. With any other error nothing was sent: ErrChanged when the draft is not what was
// reviewed, *Unagreed when a warning was not agreed to, *Unpayable when its account cannot pay any more, and ErrSent, with the payment as it is, when
// it was confirmed before.
func (p *Payments) Confirm(ctx context.Context, userID string, c Confirmation) (finance.Payment, error) {
	if c.Browser == "" {
		return finance.Payment{}, errors.New("payments: a confirmation needs the browser's secret")
	}
	draft, err := p.Store.Payment(ctx, userID, c.ID)
	if err != nil {
		return finance.Payment{}, err
	}
	if draft.Phase != finance.PhaseDraft {
		return draft, ErrSent
	}
	own, err := p.holdings(ctx, userID)
	if err != nil {
		return finance.Payment{}, err
	}
	agree := func(draft finance.Payment, past []finance.PastTransfer, payees []finance.Payee) error {
		if c.ReviewHash == "" || c.ReviewHash != draft.Order.ReviewHash() {
			return ErrChanged
		}
		if err := p.payable(ctx, userID, draft.Order); err != nil { // while nobody else writes: a bank that is disconnected before this moment is
			return err
		}
		var open []finance.Warning
		for _, w := range own.warnings(draft, past, payees) {
			if !slices.Contains(c.Agreed, w.Key()) {
				open = append(open, w)
			}
		}
		if len(open) > 0 {
			return &Unagreed{Warnings: open}
		}
		return nil
	}
	if draft.Order.OwnApp() {
		payment, err := p.Store.HandOver(ctx, userID, c.ID, agree)
		if err == nil {
			p.publish(payment)
			p.matchAnew()
		}
		return payment, err
	}
	provider, err := p.Store.Provider(ctx, draft.Order.ProviderID)
	if err != nil {
		return finance.Payment{}, err
	}
	api, err := p.Connect(ctx, provider)
	if err != nil {
		return finance.Payment{}, err
	}
	state := finance.Secret(finance.NewID())
	p.step("before the row")
	payment, err := p.Store.StartSending(ctx, userID, c.ID,
		store.Sending{State: state, Browser: c.Browser, Lifetime: ReturnWithin, Answer: p.answer + p.grace}, agree)
	if err != nil {
		return payment, err
	}
	p.publish(payment)
	p.step("before the call")
	call, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.answer) // it is seen through, though the browser has gone
	answer, err := api.CreatePayment(call, p.request(payment, provider, state, c.Language))
	cancel()
	p.step("after the call")
	payment, err = p.settle(context.WithoutCancel(ctx), payment, answer, err)
	if err != nil {
		return payment, err
	}
	p.step("after the answer was stored")
	p.publish(payment)
	p.Wake()
	p.matchAnew()
	return payment, nil
}

func (p *Payments) request(payment finance.Payment, provider finance.Provider, state finance.Secret, language string) openbanking.CreatePaymentRequest {
	o := payment.Order
	r := openbanking.CreatePaymentRequest{PaymentType: o.Type, PaymentRequest: o.Request, ASPSP: o.ASPSP, State: state.Reveal(),
		RedirectURL: provider.RedirectURL, PSUType: o.PSUType}
	if o.AuthMethod != "" {
		r.AuthMethod = &o.AuthMethod
	}
	if len(language) == 2 && language[0] >= 'a' && language[0] <= 'z' && language[1] >= 'a' && language[1] <= 'z' {
		r.Language = &language
	}
	if p.WebhookURL != nil {
		if url := p.WebhookURL(provider); url != "" {
			r.WebhookURL = &url
		}
	}
	return r
}

// settle writes down what came of the call. What cannot be written, since the disk is full, is kept and tried again: then the payment is still being sent.
func (p *Payments) settle(ctx context.Context, payment finance.Payment, answer openbanking.CreatePaymentResponse, cause error) (finance.Payment, error) {
	write := p.outcome(payment, answer, cause)
	settle, cancel := context.WithTimeout(ctx, settleIn)
	defer cancel()
	now, err := write(settle)
	if err == nil || errors.Is(err, finance.ErrNotFound) {
		return now, err
	}
	p.Log.Error("what came of a payment cannot be written down yet", "payment", payment.ID, "error", err)
	p.mu.Lock()
	p.late = append(p.late, write)
	p.mu.Unlock()
	return payment, nil
}

// writeLate tries to write down what could not be written before. It reports whether some is left.
func (p *Payments) writeLate(ctx context.Context) (left bool) {
	p.mu.Lock()
	late := p.late
	p.late = nil
	p.mu.Unlock()
	for _, write := range late {
		payment, err := write(ctx)
		switch {
		case err == nil:
			p.Log.Info("what came of a payment is written down at last", "payment", payment.ID, "phase", payment.Phase)
			p.publish(payment)
			p.Wake()
			p.matchAnew()
		case !errors.Is(err, finance.ErrNotFound):
			left = true
			p.mu.Lock()
			p.late = append(p.late, write)
			p.mu.Unlock()
		}
	}
	return left
}

// outcome returns the function that stores the result of a call: the answer of the service, or cause.
func (p *Payments) outcome(payment finance.Payment, answer openbanking.CreatePaymentResponse, cause error) outcome {
	answer.Status = finance.ShortStatus(answer.Status)
	if cause == nil && (answer.PaymentID == "" || len(answer.PaymentID) > maxPaymentID || answer.Status == "") {
		cause = fmt.Errorf("%w: the answer lacks a good payment_id or status", finance.FailureUnreadable)
	}
	if len(answer.URL) > maxURL {
		answer.URL = "" // no browser takes it
	}
	if len(answer.PSUIDHash) > maxPaymentID {
		answer.PSUIDHash = ""
	}
	log := p.Log.With("payment", payment.ID, "provider", payment.Order.ProviderID)
	if cause == nil {
		log.Info("payment created", "status", answer.Status)
		created := store.CreatedPayment{PaymentID: answer.PaymentID, Status: answer.Status, URL: answer.URL, PSUIDHash: answer.PSUIDHash}
		return func(ctx context.Context) (finance.Payment, error) {
			return p.Store.PaymentCreated(ctx, payment.UserID, payment.ID, created)
		}
	}
	f := finance.FailureOf(cause)
	record := p.Store.PaymentUnknown
	if refused(cause) {
		log.Info("payment refused", "code", f.Code, "request_id", f.RequestID)
		record = p.Store.PaymentFailed
	} else {
		log.Warn("outcome of a payment unknown", "code", f.Code, "request_id", f.RequestID, "error", cause)
	}
	return func(ctx context.Context) (finance.Payment, error) {
		return p.orCurrent(ctx, payment)(record(ctx, payment.UserID, payment.ID, f))
	}
}

// orCurrent wraps the result of storing an outcome. When the payment is no longer being sent, because a webhook found it or it lapsed, the current payment
// is returned instead.
func (p *Payments) orCurrent(ctx context.Context, payment finance.Payment) func(finance.Payment, error) (finance.Payment, error) {
	return func(now finance.Payment, err error) (finance.Payment, error) {
		if errors.Is(err, finance.ErrNotFound) {
			return p.Store.Payment(ctx, payment.UserID, payment.ID)
		}
		return now, err
	}
}

// refused reports whether an error of POST /payments proves that nothing was created: the service refused it, or was not reached. A time-out proves
// nothing, an answer that cannot be read proves nothing, and neither does an error between the service and the bank, whose order may have been made before it.
func refused(err error) bool {
	var unsent interface{ NothingSent() bool }
	if errors.As(err, &unsent) && unsent.NothingSent() {
		return true
	}
	var e *openbanking.Error
	if !errors.As(err, &e) || e.Code.OfASPSP() {
		return false
	}
	status := e.HTTPStatus()
	return status >= 400 && status < 500 && status != 408
}

// Discard discards a draft of the user. A payment that was sent is put away instead: it leaves the lists, but Florin goes on asking about it, since
// the service deletes only final payments, and it comes back when it moves.
func (p *Payments) Discard(ctx context.Context, userID, id string) error {
	err := p.Store.DiscardDraft(ctx, userID, id)
	if errors.Is(err, ErrSent) {
		err = p.Store.HidePayment(ctx, userID, id, true)
	}
	if err == nil {
		p.announce(ctx, userID, id)
	}
	return err
}

// Show takes a payment that was put away back into the lists.
func (p *Payments) Show(ctx context.Context, userID, id string) error {
	return p.Store.HidePayment(ctx, userID, id, false)
}

// Return is the query of the redirect back from the service. It is a hint and no more.
type Return struct {
	State finance.Secret
	Error string // OAuth error code, "" for none
}

// Returned handles the return from the bank. It finds the payment by its state, once and only in the browser that started it, records what the return
// seems to say about the authorisation, and asks the service. A second or late return leads to the payment too and records nothing.
//
// It depends on the flow cookie alone, not on a sign-in (security F19), so show the payment only to its user. It returns ErrReturn when the state is
// not that of a payment; then it may be that of a link, and nothing was consumed.
func (p *Payments) Returned(ctx context.Context, providerID string, browser finance.Secret, r Return) (finance.Payment, error) {
	auth := openbanking.PaymentAuthStatusFinalised
	switch r.Error {
	case "":
	case "access_denied":
		auth = openbanking.PaymentAuthStatusCancelled
	default:
		auth = openbanking.PaymentAuthStatusFailed
	}
	payment, err := p.Store.UsePaymentState(context.WithoutCancel(ctx), providerID, r.State, browser, auth)
	if err != nil {
		return finance.Payment{}, err
	}
	p.publish(payment)
	look, cancel := context.WithTimeout(ctx, returnIn)
	defer cancel()
	if now, err := p.Check(look, payment.UserID, payment.ID); err == nil {
		payment = now
	}
	p.Wake()
	return payment, nil
}

// LeadsBack reports whether the return from the bank will be accepted in a browser for at least half of ReturnWithin. If not, call Leave before the
// person goes to the bank.
func (p *Payments) LeadsBack(ctx context.Context, userID, id string, browser finance.Secret) (bool, error) {
	until, err := p.Store.StateUntil(ctx, userID, id, browser)
	return time.Until(until) > ReturnWithin/2, err
}

// Leave records that the person leaves for the bank in this browser, which the return leads to.
func (p *Payments) Leave(ctx context.Context, userID, id string, browser finance.Secret) error {
	return p.Store.RenewState(ctx, userID, id, browser, ReturnWithin)
}

func (p *Payments) publish(payment finance.Payment) {
	p.announce(context.Background(), payment.UserID, payment.ID)
}

// announce notifies the open pages of the user that a payment has changed, and those of other people: who is owed what it settles, or who asked for it.
func (p *Payments) announce(ctx context.Context, userID, id string) {
	p.Hub.Publish(userID, live.Event{Topic: Topic, ID: id})
	others, err := p.Store.SettledBy(ctx, userID, id)
	if err != nil {
		p.Log.Error("whom a payment settles with is not known", "payment", id, "error", err)
	}
	askers, err := p.Store.AskedBy(ctx, userID, id)
	if err != nil {
		p.Log.Error("who asked for a payment is not known", "payment", id, "error", err)
	}
	for _, other := range append(others, askers...) {
		p.Hub.Publish(other, live.Event{Topic: Topic})
	}
}
