package payments

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/store"
)

// waits are the pauses after 1, 2, 3 … failed checks in a row; the last one repeats.
var waits = []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour, 4 * time.Hour}

// A waiting webhook proves that the payment has changed. For the first triesSoon tries the pause after a failed check is then at most waitWebhook.
const (
	waitWebhook = time.Minute
	triesSoon   = 100
)

// nextAfter returns when to check again after a failure with this cause; before is how many checks had failed in a row before it. A later time that the
// service asks for (Retry-After) wins.
func nextAfter(cause error, before int, waiting bool) time.Time {
	wait := waits[min(before, len(waits)-1)]
	if waiting && before < triesSoon {
		wait = min(wait, waitWebhook)
	}
	next := time.Now().Add(wait)
	var e *openbanking.Error
	if errors.As(cause, &e) && e.RetryAfter.After(next) {
		return e.RetryAfter
	}
	return next
}

// strayTries is how often the payment of a webhook is looked for.
const strayTries = 12

// Inbox keeps webhooks. As long as a loop is free, it claims the payment of a webhook for a check in the same transaction.
type Inbox struct {
	*store.Store
	payments *Payments
}

// Inbox returns where webhooks are kept. Wake is to be called after a new one.
func (p *Payments) Inbox() Inbox { return Inbox{p.Store, p} }

// KeepDelivery stores a verified webhook as that of the Store does.
func (i Inbox) KeepDelivery(ctx context.Context, d finance.Delivery) (finance.DeliveryOutcome, error) {
	p := i.payments
	p.mu.Lock()
	waiting := len(p.claimed)
	p.mu.Unlock()
	if waiting >= parallel { // they are all at work: a claim would wait, and its lease run out
		return i.Store.KeepDelivery(ctx, d)
	}
	outcome, claim, err := i.KeepAndClaim(ctx, d, p.lease)
	if claim != nil {
		p.mu.Lock()
		p.claimed = append(p.claimed, *claim)
		p.mu.Unlock()
	}
	return outcome, err
}

// claim takes a payment that came with a webhook, else one that is due.
func (p *Payments) claim(ctx context.Context) (c store.PaymentClaim, ok bool, next time.Time, err error) {
	p.mu.Lock()
	if len(p.claimed) > 0 {
		c, p.claimed = p.claimed[0], p.claimed[1:]
		p.mu.Unlock()
		return c, true, time.Time{}, nil
	}
	p.mu.Unlock()
	return p.Store.ClaimPayment(ctx, p.lease)
}

// Run asks about one payment that is due, and returns when to call again: at once after a payment, else when the next one is due. It is the work of a
// jobs.Loop, and needs none to be called.
func (p *Payments) Run(ctx context.Context) (next time.Time, err error) {
	claim, ok, next, err := p.claim(ctx)
	if !ok {
		return next, err
	}
	_, err = p.check(ctx, claim)
	return time.Now(), err
}

// Check asks the service about a payment of the user now and returns the payment with the answer. A payment that is final, was checked a moment ago,
// or is being checked is returned as it is. So is one with an unknown outcome: the API has no call that looks for a payment, so only a webhook or the
// person settles it.
func (p *Payments) Check(ctx context.Context, userID, id string) (finance.Payment, error) {
	known, err := p.Store.Payment(ctx, userID, id)
	if err != nil || known.Order.OwnApp() || time.Since(known.Check.Answered) < p.every && !known.Approval.Returned.After(known.Check.Answered) {
		return known, err
	}
	claim, ok, err := p.Store.ClaimPaymentOf(ctx, userID, id, p.lease)
	if err != nil {
		return finance.Payment{}, err
	}
	if !ok {
		return p.Store.Payment(ctx, userID, id)
	}
	return p.check(ctx, claim)
}

// check asks the service and applies its answer. Its error is a fault of ours: what the service answers is recorded with the payment.
func (p *Payments) check(ctx context.Context, c store.PaymentClaim) (finance.Payment, error) {
	wire, err := p.ask(ctx, c.Payment.Order.ProviderID, c.Payment.PaymentID)
	settle, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleIn)
	defer cancel()
	switch {
	case err == nil:
		payment, news, err := p.Store.ApplyNews(settle, c, finance.ReadPayment(wire, c.Source(), time.Now()), func(payment finance.Payment) time.Time {
			now := time.Now()
			wait := payment.CheckAfter(now)
			return now.Add(wait + rand.N(wait/5+1)) //nolint:gosec // jitter is no secret
		})
		if errors.Is(err, store.ErrLeaseLost) {
			return p.Store.Payment(settle, c.Payment.UserID, c.Payment.ID)
		}
		if err != nil {
			return finance.Payment{}, err
		}
		if news || len(c.Deliveries) > 0 {
			p.Log.Info("payment changed", "payment", payment.ID, "status", payment.Progress.Status, "final", payment.Progress.Final, "source", c.Source())
		}
		p.publish(payment)
		if news && p.News != nil {
			p.News()
		}
		if news && finance.OtherBookings(c.Payment, payment, time.Now()) {
			p.matchAnew()
		}
		return payment, nil
	case ctx.Err() != nil: // stopping, or the person does not wait any longer: somebody else asks soon
		err = p.Store.ReleasePayment(settle, c)
	default:
		failure := finance.FailureOf(err)
		p.Log.Info("payment not checked", "payment", c.Payment.ID, "code", failure.Code, "request_id", failure.RequestID, "error", err)
		err = p.Store.FailCheck(settle, c, failure, func(waiting bool) time.Time {
			return nextAfter(err, c.Payment.Check.Failures, waiting)
		})
	}
	if err != nil && !errors.Is(err, store.ErrLeaseLost) {
		return finance.Payment{}, err
	}
	return p.Store.Payment(settle, c.Payment.UserID, c.Payment.ID)
}

// errOther means that the answer names another payment than the one that was asked for, or has no status.
var errOther = fmt.Errorf("%w: the service answered about another payment", finance.FailureUnreadable)

func (p *Payments) ask(ctx context.Context, providerID, paymentID string) (openbanking.Payment, error) {
	ctx, cancel := context.WithTimeout(ctx, askIn)
	defer cancel()
	provider, err := p.Store.Provider(ctx, providerID)
	if err != nil {
		return openbanking.Payment{}, err
	}
	api, err := p.Connect(ctx, provider)
	if err != nil {
		return openbanking.Payment{}, err
	}
	wire, err := api.Payment(ctx, paymentID)
	if err == nil && (wire.PaymentID != paymentID || wire.Status == "") {
		err = errOther
	}
	return wire, err
}

// waitLate is when it is tried again to write down what could not be written.
const waitLate = 2 * time.Second

// Sweep writes down results that could not be written before, marks as unknown what was being sent when a process died, settles payments that stayed
// unknown until nobody could approve them any more, and returns when to look again.
func (p *Payments) Sweep(ctx context.Context) (next time.Time, err error) {
	if p.writeLate(ctx) {
		return time.Now().Add(waitLate), nil
	}
	lost, next, err := p.Store.SweepSending(ctx)
	for _, payment := range lost {
		p.Log.Warn("outcome of a payment unknown: it was being sent when Florin ended", "payment", payment.ID)
		p.publish(payment)
	}
	if err != nil {
		return next, err
	}
	lapsed, then, err := p.Store.LapseUnknown(ctx, p.lapse)
	for _, payment := range lapsed {
		p.Log.Info("nothing came of a payment whose outcome was unknown", "payment", payment.ID)
		p.publish(payment)
	}
	if next.IsZero() || !then.IsZero() && then.Before(next) {
		next = then
	}
	return next, err
}

// Find looks for the payment of one webhook whose payment_id is unknown here: it may belong to a payment with an unknown outcome. The service is
// asked for the payment, and the reference that Florin gave it decides.
func (p *Payments) Find(ctx context.Context) (next time.Time, err error) {
	d, tries, ok, next, err := p.Store.ClaimStray(ctx, p.lease)
	if !ok {
		return next, err
	}
	wire, err := p.ask(ctx, d.ProviderID, d.PaymentID)
	if err != nil {
		if ctx.Err() != nil {
			return time.Time{}, ctx.Err()
		}
		if tries >= strayTries {
			return time.Now(), p.Store.GiveUpStray(ctx, d.ID, finance.EffectNotAnswered)
		}
		return time.Now(), p.Store.PutOffStray(ctx, d.ID, time.Now().Add(waits[min(tries, len(waits)-1)]))
	}
	payment, err := p.Store.PaymentByReference(ctx, d.ProviderID, reference(wire))
	switch {
	case errors.Is(err, finance.ErrNotFound):
		return time.Now(), p.Store.GiveUpStray(ctx, d.ID, finance.EffectNotOurs)
	case err != nil:
		return time.Time{}, err
	case payment.Phase == finance.PhaseSending: // the answer is still to come
		if tries >= strayTries*10 {
			return time.Now(), p.Store.GiveUpStray(ctx, d.ID, finance.EffectStillSending)
		}
		return time.Now(), p.Store.PutOffStray(ctx, d.ID, time.Now().Add(5*time.Second))
	case payment.PaymentID == d.PaymentID: // the answer came while we asked, and the webhook is that payment's own since
		return time.Now(), nil
	case payment.Phase != finance.PhaseUnknown && !payment.Lapsed():
		p.Log.Error("the service has two payments with one reference", "payment", payment.ID)
		return time.Now(), p.Store.GiveUpStray(ctx, d.ID, finance.EffectSameReference)
	}
	payment, err = p.Store.PaymentCreated(ctx, payment.UserID, payment.ID,
		store.CreatedPayment{PaymentID: wire.PaymentID, Status: wire.Status, PSUIDHash: wire.PSUIDHash, Found: true})
	if err != nil {
		return time.Time{}, err
	}
	p.Log.Info("outcome of a payment found", "payment", payment.ID, "status", payment.Progress.Status)
	p.publish(payment)
	p.Wake()
	p.matchAnew()
	return time.Now(), nil
}

// reference is the payment_information_id that Florin gave a payment, or the end-to-end id that was made of it.
func reference(wire openbanking.Payment) string {
	if id := wire.PaymentDetails.PaymentInformationID; id != nil && *id != "" {
		return *id
	}
	for _, t := range wire.PaymentDetails.CreditTransferTransaction {
		if t.PaymentID != nil && t.PaymentID.EndToEndID != nil {
			return *t.PaymentID.EndToEndID
		}
	}
	return ""
}

// Match finds the bookings of the payments that were sent, for all users, and removes matches that no longer hold. It is called when bookings
// came, changed or went, after a payment was made, and after news of one that can have other bookings since; a second call changes nothing.
func (p *Payments) Match(ctx context.Context) (next time.Time, err error) {
	users, err := p.Store.UsersToMatch(ctx)
	if err != nil {
		return time.Time{}, err
	}
	for _, userID := range users {
		m, err := p.Store.Matching(ctx, userID)
		if err != nil {
			return time.Time{}, err
		}
		found := finance.MatchBookings(m.Payments, m.Filed, m.Bookings, m.Held, time.Now())
		changed, err := p.Store.SetBookings(ctx, userID, m.Held, found)
		if err != nil {
			return time.Time{}, err
		}
		booked, gone := finance.OwnAppChanges(m.Payments, found)
		if err := p.Store.SettleOwnApp(ctx, userID, booked, gone); err != nil {
			return time.Time{}, err
		}
		changed = slices.Concat(changed, booked, gone)
		slices.Sort(changed)
		for _, id := range slices.Compact(changed) {
			p.Log.Info("bookings of a payment changed", "payment", id)
			p.announce(ctx, userID, id)
		}
	}
	return time.Time{}, nil
}

// Booked says that bookings came, changed or went, by a sync or by the hand of a person: those of payments are looked for.
func (p *Payments) Booked() { p.matchAnew() }

// matchAnew makes Match run soon.
func (p *Payments) matchAnew() {
	if p.match != nil {
		p.match.Wake()
	}
}

// Candidates are bookings that may be a payment of the user whose outcome is not known, or the total of a file with it: finance.OfferBookings.
func (p *Payments) Candidates(ctx context.Context, userID, id string) ([]finance.OfferedBooking, error) {
	m, err := p.Store.MatchingOf(ctx, userID, id)
	return finance.OfferBookings(id, m.Payments, m.Filed, m.Bookings, m.Held, time.Now()), err
}

// SaySent records what the person says of a payment that is sent in the app of the bank.
func (p *Payments) SaySent(ctx context.Context, userID, id string, sent bool) error {
	payment, err := p.Store.SaySent(ctx, userID, id, sent)
	if err != nil {
		return err
	}
	p.publish(payment)
	p.matchAnew()
	return nil
}

// Handed records that the person has what the app of the bank takes.
func (p *Payments) Handed(ctx context.Context, userID, id string) error {
	news, err := p.Store.Handed(ctx, userID, id)
	if news {
		p.announce(ctx, userID, id)
	}
	return err
}

// PutInFile writes payments for the bank's app into one file and records that the person has received it (store.PutInFile). write makes the file.
func (p *Payments) PutInFile(ctx context.Context, userID string, ids []string, write func([]finance.Payment) ([]finance.FiledTotal, error)) error {
	news, err := p.Store.PutInFile(ctx, userID, ids, write)
	for _, id := range news {
		p.announce(ctx, userID, id)
	}
	return err
}

// Choose links a payment that the person sent to a booked transaction, one of Candidates. A total is linked to all payments that it contains.
func (p *Payments) Choose(ctx context.Context, userID, id string, booked int64) error {
	offers, err := p.Candidates(ctx, userID, id)
	if err != nil {
		return err
	}
	payments := []string{id}
	if i := slices.IndexFunc(offers, func(o finance.OfferedBooking) bool { return o.ID == booked }); i >= 0 && offers[i].File != "" {
		payments = offers[i].Payments
		err = p.Store.ChooseTotal(ctx, userID, offers[i].File, payments, booked)
	} else {
		err = p.Store.ChooseBooking(ctx, userID, id, booked)
	}
	if err != nil {
		return err
	}
	for _, id := range payments {
		p.announce(ctx, userID, id)
	}
	p.matchAnew()
	return nil
}
