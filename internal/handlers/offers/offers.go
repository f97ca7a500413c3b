// Package offers remembers which services let Florin start payments, for all pages: their navigation depends on it.
package offers

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"florin/internal/payments"
	"florin/web/templates/words"
)

const (
	offersWithin = 3 * time.Second  // a page waits for a service no longer
	offersLife   = 30 * time.Second // of what was learnt, also of a service that did not answer
)

// Offers remembers who may start payments: each page asks, since its navigation depends on it.
type Offers struct {
	payments *payments.Payments
	log      *slog.Logger

	mu     sync.Mutex
	list   []payments.Offer // nil before the first answer
	until  time.Time
	asking chan struct{} // closed when the answer is there; nil while nobody asks
	err    error         // of the last time
}

func New(p *payments.Payments, log *slog.Logger) *Offers { return &Offers{payments: p, log: log} }

// All returns, for each provider, whether payments can be started. A service that does not answer counts as allowing them; the form then reports the
// failure. The last result is returned at once. When it is old, a new one is fetched in the background, so no page waits for a service that hangs.
func (o *Offers) All(ctx context.Context) ([]payments.Offer, error) {
	o.mu.Lock()
	if o.asking == nil && !time.Now().Before(o.until) {
		o.asking = make(chan struct{})
		go o.ask(context.WithoutCancel(ctx), o.asking) // a visitor who leaves is no answer
	}
	list, asking := o.list, o.asking
	o.mu.Unlock()
	if list != nil || asking == nil {
		return list, nil
	}
	select {
	case <-asking:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	o.mu.Lock()
	list, err := o.list, o.err
	o.mu.Unlock()
	if list == nil && err == nil { // forgotten while it was asked
		return o.All(ctx)
	}
	return list, err
}

// ask learns who may start payments.
func (o *Offers) ask(ctx context.Context, done chan struct{}) {
	ctx, cancel := context.WithTimeout(ctx, offersWithin)
	defer cancel()
	list, err := o.payments.Offers(ctx)
	for i := range list {
		if list[i].Problem != nil {
			o.log.WarnContext(ctx, "not known whether payments are possible", "provider", list[i].Provider.ID, "error", list[i].Problem)
			list[i].Allowed = true
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	defer close(done)
	if o.asking != done { // it is asked anew already, or is to be
		return
	}
	if err == nil {
		o.list, o.until = list, time.Now().Add(offersLife)
	}
	o.asking, o.err = nil, err
}

// Forget makes the next page ask again: a provider came, changed or went.
func (o *Offers) Forget() {
	o.payments.ForgetOffers()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.list, o.until, o.asking, o.err = nil, time.Time{}, nil, nil
}

// CanPay reports whether payments can be started through a provider; through any for "".
func (o *Offers) CanPay(ctx context.Context, providerID string) bool {
	list, err := o.All(ctx)
	if err != nil {
		o.log.WarnContext(ctx, "not known whether payments are possible", "error", err)
	}
	return slices.ContainsFunc(list, func(offer payments.Offer) bool {
		return offer.Allowed && (providerID == "" || offer.Provider.ID == providerID)
	})
}

// NotAllowed is said where a provider lacks payment initiation.
const NotAllowed words.Text = "The banking service lets Florin read accounts, but not send payments: for real banks this needs a licence. Florin prepares payments, and you send them in the app of your bank."
