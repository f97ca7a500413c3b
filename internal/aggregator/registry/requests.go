package registry

import (
	"context"
	"errors"
	"sync"
	"time"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

// The request log is written in batches, apart from the calls: a call leaves its record in a buffer.
const (
	maxBuffered  = 8192                   // records; more are dropped and counted
	wakeBuffered = maxBuffered / 2        // records at which the buffer is written at once
	writeEvery   = 500 * time.Millisecond // after the first record in the buffer

	RequestsKept   = 30 * 24 * time.Hour
	requestsPerApp = 20_000
	PruneEvery     = time.Hour // how often to call Prune when there is nothing left to remove

	// Old calls are removed in steps with a pause between: each keeps the one connection that writes for a moment, and calls wait for it.
	pruneBatch = 500
	prunePause = 50 * time.Millisecond
)

// requestBuffer holds what is not yet written.
type requestBuffer struct {
	mu      sync.Mutex
	records []aggregator.Request
	spare   []aggregator.Request // empty: the memory of the records that were written last
	since   time.Time            // of the first record; of the wall clock
	dropped int
	wake    func() // nil until OnRequests

	writing sync.Mutex // one at a time, so that Flush waits for a write that is under way
}

// OnRequests sets what is called when WriteRequests has work. It is called before the first request.
func (r *Registry) OnRequests(wake func()) { r.requests.wake = wake }

// Record puts a call of an application into its log. It never waits.
func (r *Registry) Record(call aggregator.Request) {
	call.At = r.now()
	b := &r.requests
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.records) >= maxBuffered {
		b.dropped++
		return
	}
	b.records = append(b.records, call)
	n := len(b.records)
	if n == 1 {
		b.since = time.Now()
	}
	if b.wake != nil && (n == 1 || n == wakeBuffered) {
		b.wake()
	}
}

// WriteRequests writes the buffer when it is full enough or old enough. It returns when to call it again: zero for when it is woken.
func (r *Registry) WriteRequests(ctx context.Context) (next time.Time, err error) {
	b := &r.requests
	b.mu.Lock()
	n, due := len(b.records), b.since.Add(writeEvery)
	b.mu.Unlock()
	switch {
	case n == 0:
		return time.Time{}, nil
	case n < wakeBuffered && time.Now().Before(due):
		return due, nil
	}
	return time.Time{}, r.FlushRequests(context.WithoutCancel(ctx)) // a write that has begun ends, also where the service stops meanwhile
}

// FlushRequests writes all of the buffer. What cannot be written is dropped, and its number is logged.
func (r *Registry) FlushRequests(ctx context.Context) error {
	b := &r.requests
	b.writing.Lock()
	defer b.writing.Unlock()
	b.mu.Lock()
	batch, dropped := b.records, b.dropped
	b.records, b.spare, b.dropped = b.spare, nil, 0
	b.mu.Unlock()
	err := r.store.AddRequests(ctx, batch)
	b.mu.Lock()
	b.spare = batch[:0]
	b.mu.Unlock()
	if err != nil {
		dropped += len(batch)
	}
	if dropped > 0 {
		r.log.Warn("requests are missing in the log of applications", "dropped", dropped)
	}
	return err
}

// Requests returns calls of applications of the developer, the newest first, with what was called a moment ago. The
// filter names applications, or none for all of the developer's. aggregator.ErrNotFound: one of them is not the developer's.
func (r *Registry) Requests(ctx context.Context, developerID string, filter aggregator.RequestFilter) ([]aggregator.Request, error) {
	if len(filter.ApplicationIDs) == 0 {
		apps, err := r.store.OwnApplications(ctx, developerID)
		if err != nil {
			return nil, err
		}
		for _, app := range apps {
			filter.ApplicationIDs = append(filter.ApplicationIDs, app.ID)
		}
	} else {
		for _, id := range filter.ApplicationIDs {
			if _, err := r.store.OwnApplication(ctx, developerID, id); err != nil {
				return nil, err
			}
		}
	}
	if err := r.FlushRequests(ctx); err != nil {
		return nil, err
	}
	return r.store.Requests(ctx, filter)
}

// BankState is how a bank has answered today (UTC).
type BankState string

// The states of a bank.
const (
	BankUp       BankState = "UP"       // every call was answered
	BankDegraded BankState = "DEGRADED" // some calls failed
	BankDown     BankState = "DOWN"     // all calls failed
	BankUnknown  BankState = "UNKNOWN"  // there was no call
)

// BankToday is a bank for PSUs of a type, and its state.
type BankToday struct {
	ASPSP   openbanking.ASPSP
	PSUType openbanking.PSUType
	State   BankState
}

// Today returns the state of every bank for each type of its PSUs, in the order of GET /aspsps. The calls of all applications count.
func (r *Registry) Today(ctx context.Context) ([]BankToday, error) {
	if err := r.FlushRequests(ctx); err != nil {
		return nil, err
	}
	rows, err := r.store.BankCalls(ctx, r.now().Truncate(24*time.Hour))
	if err != nil {
		return nil, err
	}
	state := func(bank openbanking.ASPSP, psuType openbanking.PSUType) BankState {
		for _, c := range rows {
			if c.ASPSP == bank && c.PSUType == psuType {
				return bankState(c.Made, c.Failed)
			}
		}
		return bankState(0, 0)
	}
	var list []BankToday
	for _, c := range r.list() {
		bank := c.ASPSP()
		for _, psuType := range bank.PSUTypes {
			list = append(list, BankToday{bank.Reference(), psuType, state(bank.Reference(), psuType)})
		}
	}
	return list, nil
}

// bankState is the state that follows from how many calls were made and how many of them failed.
func bankState(made, failed int) BankState {
	switch {
	case made == 0:
		return BankUnknown
	case failed == 0:
		return BankUp
	case failed == made:
		return BankDown
	}
	return BankDegraded
}

// Prune removes what has served its time: a step of the old calls, and once these are gone, links, sign-ins and tokens, and what a deletion left behind. It
// returns when to call it again.
func (r *Registry) Prune(ctx context.Context) (next time.Time, err error) {
	now := r.now()
	ids, err := r.store.LoggedApplications(ctx)
	if err != nil {
		return time.Time{}, err
	}
	for _, id := range ids {
		more, err := r.store.PruneRequests(ctx, id, now.Add(-RequestsKept), requestsPerApp, pruneBatch)
		if err != nil {
			return time.Time{}, err
		}
		if more {
			return time.Now().Add(prunePause), nil
		}
	}
	err = errors.Join(r.store.PruneDevelopers(ctx, now.Add(-24*time.Hour)), r.authorizations.EndOrphans(ctx))
	return time.Now().Add(PruneEvery), err
}
