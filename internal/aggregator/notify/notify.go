// Package notify brings the events of payments to the applications: it signs each try, sends it to the webhook of the
// payment, and tries again for a day. It keeps the keys that sign and serves their certificates.
package notify

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"florin/internal/aggregator"
	"florin/internal/aggregator/storage"
)

const (
	perOrigin = 4   // tries at the same time of an application to one origin, so that a dead receiver delays nobody else
	perOwner  = 128 // tries at the same time of a developer, so that many dead receivers do not either
	maxTries  = 512 // tries at the same time
	atOnce    = 64  // events of one claim

	// lease is how long a claimed event is kept from others: longer than a try takes, so that it runs out only when the
	// process that claimed it is gone.
	lease = time.Minute
	// lastWrite is how long the results of tries may take to be stored when the work ends.
	lastWrite = 5 * time.Second
)

var shares = storage.WebhookShares{PerOrigin: perOrigin, PerOwner: perOwner}

// Options are what a Notifier works with. Store, Secret and URL are needed.
type Options struct {
	Store  *storage.Store
	Secret [32]byte         // encrypts private keys in the database; with a new one new keys are made
	URL    string           // public address of Handler: https, host and port alone
	Allow  []string         // origins that every application may use, also with http or with a private address
	Roots  *x509.CertPool   // trusted for receivers; nil: those of the system
	Now    func() time.Time // nil: time.Now
	Log    *slog.Logger     // nil: nothing is logged
}

// Notifier delivers webhooks. Work is its job.
type Notifier struct {
	store *storage.Store
	keys  *keys
	allow []string
	now   func() time.Time
	log   *slog.Logger
	wake  chan struct{}

	// Two clients, since they keep connections: one that was opened to an address that only some may reach is never
	// used for others.
	guarded, trusted *http.Transport
}

// New returns a notifier. It makes no keys before they are needed.
func New(o Options) (*Notifier, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	keys, err := newKeys(o)
	if err != nil {
		return nil, err
	}
	return &Notifier{
		store: o.Store, keys: keys, allow: o.Allow, now: o.Now, log: o.Log, wake: make(chan struct{}, 1),
		guarded: newTransport(guardedDialer(net.DefaultResolver), o.Roots),
		trusted: newTransport(&net.Dialer{Timeout: acknowledgeWithin}, o.Roots),
	}, nil
}

// Wake says that there may be events that are due. Work looks for them at once if it is under way; if not, it has to be called.
func (n *Notifier) Wake() {
	select {
	case n.wake <- struct{}{}:
	default: // it will look anyway
	}
}

// Work delivers what is due. It goes on as long as tries are under way, and returns when the next one is due by the clock of
// the system, zero for none. When ctx ends it breaks off the tries under way; those events are sent again. Only one Work may run at a time.
func (n *Notifier) Work(ctx context.Context) (next time.Time, err error) {
	tries, breakOff := context.WithCancel(ctx)
	var running sync.WaitGroup
	results := make(chan result, maxTries) // never blocks
	waiting := 0                           // tries whose results have not been stored
	defer func() {
		breakOff()
		running.Wait()
		n.guarded.CloseIdleConnections()
		n.trusted.CloseIdleConnections()
		if waiting > 0 {
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWrite)
			defer cancel()
			close(results)
			var finished []result
			for r := range results {
				finished = append(finished, r)
			}
			err = errors.Join(err, n.record(last, finished))
		}
	}()
	for {
		for waiting < maxTries {
			now, asked := n.now(), min(atOnce, maxTries-waiting)
			claimed, err := n.store.ClaimWebhooks(ctx, now, now.Add(lease), shares, asked)
			if err != nil {
				return time.Time{}, err
			}
			waiting += len(claimed)
			for _, w := range claimed {
				running.Go(func() { results <- n.try(tries, w) })
			}
			if len(claimed) < asked {
				break
			}
		}
		now := n.now()
		next, err := n.store.WebhooksDue(ctx, now)
		if err != nil || waiting == 0 && next.IsZero() {
			return time.Time{}, err
		}
		if waiting == 0 {
			return time.Now().Add(next.Sub(now)), nil
		}
		finished, err := n.wait(ctx, next, results)
		if err != nil {
			return time.Time{}, err
		}
		waiting -= len(finished)
		if err := n.record(context.WithoutCancel(ctx), finished); err != nil {
			return time.Time{}, err
		}
	}
}

// wait waits for results, for a moment, or to be woken, and returns the results that have come.
func (n *Notifier) wait(ctx context.Context, next time.Time, results <-chan result) (finished []result, err error) {
	var moment <-chan time.Time
	if !next.IsZero() {
		timer := time.NewTimer(next.Sub(n.now()))
		defer timer.Stop()
		moment = timer.C
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-n.wake:
		return nil, nil
	case <-moment:
		return nil, nil
	case r := <-results:
		finished = append(finished, r)
	}
	for {
		select {
		case r := <-results: // one transaction for all of them
			finished = append(finished, r)
		default:
			return finished, nil
		}
	}
}

// result is what became of a claimed event.
type result struct {
	aggregator.WebhookResult
	webhook aggregator.Webhook
	err     error // the service itself failed, or was stopped: the event is due as before
}

// record stores results, and gives back the events that were not tried.
func (n *Notifier) record(ctx context.Context, results []result) error {
	var done []aggregator.WebhookResult
	var released []string
	var errs []error
	for _, r := range results {
		if r.err != nil {
			released = append(released, r.webhook.ID)
			if !errors.Is(r.err, context.Canceled) {
				errs = append(errs, fmt.Errorf("try a webhook: %w", r.err))
			}
			continue
		}
		done = append(done, r.WebhookResult)
	}
	if len(done) > 0 {
		errs = append(errs, n.store.FinishWebhooks(ctx, n.now(), done))
	}
	if len(released) > 0 {
		errs = append(errs, n.store.ReleaseWebhooks(ctx, released))
	}
	err := errors.Join(errs...)
	if err == nil {
		for _, r := range results {
			n.report(r)
		}
	}
	return err
}

// report logs what became of an event: no address and nothing of the answer.
func (n *Notifier) report(r result) {
	if r.err != nil || r.Acknowledged {
		return
	}
	log := n.log.With("webhook", r.webhook.ID, "payment", r.webhook.PaymentID, "application", r.webhook.ApplicationID,
		"attempts", r.webhook.Attempts+1, "outcome", r.Outcome)
	if r.Next.IsZero() && r.webhook.Open() {
		log.Warn("webhook given up")
	} else {
		log.Debug("webhook not acknowledged")
	}
}

// mayReachAll reports whether an event may go to any address, and without TLS: the origin is allowed to everybody, or the
// application is the operator's own.
func (n *Notifier) mayReachAll(app aggregator.Application, origin string) bool {
	return aggregator.ListsOrigin(n.allow, origin) || app.OwnerID == "" && aggregator.ListsOrigin(app.WebhookOrigins, origin)
}
