// Package syncer fetches the data of the users' accounts from banks. Each page of rows is stored in its own transaction, so that a run continues after any
// interruption. Each account and kind of data is a task that succeeds, fails and waits independently.
package syncer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"florin/internal/finance"
	"florin/internal/jobs"
	"florin/internal/live"
	"florin/internal/openbanking"
	"florin/internal/store"
)

const (
	parallel = 8                // tasks running at the same time; the store gives out at most two of one provider
	leaseFor = 20 * time.Second // after this time another process takes over a task whose holder has crashed
	lookIn   = 6 * time.Second  // for asking for the state of a session, while a person may wait

	// A session that was not confirmed for silentFor is checked at the service. Such sessions are looked for every lookEvery, so the end of a session is
	// noticed within a day.
	silentFor = 22 * time.Hour
	lookEvery = time.Hour

	overlap   = 10          // days before the newest row that are fetched again: banks book late and change rows
	emptyWait = time.Second // after an empty page with a key: the bank is still preparing (api-notes 7)

	publishEvery = 300 * time.Millisecond // for the progress of one connection
)

// API lists the calls of the service that the syncer needs; bank.Client implements it. Errors of the service are *openbanking.Error.
type API interface {
	AccountDetails(ctx context.Context, uid string, psu http.Header) (openbanking.AccountResource, error)
	Balances(ctx context.Context, uid string, psu http.Header) ([]openbanking.BalanceResource, error)
	TransactionsPage(ctx context.Context, uid string, q openbanking.TransactionsQuery, psu http.Header) (openbanking.TransactionsPage, error)
	Session(ctx context.Context, sessionID string) (openbanking.Session, error)
}

// Connect returns the API of a provider; its calls are signed with the provider's key.
type Connect func(ctx context.Context, p finance.Provider) (API, error)

// Topic is the topic of events published by the syncer. Their id is that of the connection.
const Topic = "connection"

// Syncer runs the sync tasks. It is safe for use by many goroutines.
type Syncer struct {
	// Synced, unless it is nil, is called when all transactions of an account have been fetched again. Like the fields below it must be set before the loops
	// start.
	Synced func()
	// PSUHeaders returns the headers that tell a bank that the person is present (required_psu_headers of GET /aspsps). When it is nil, they are unknown for
	// all banks.
	PSUHeaders func(ctx context.Context, p finance.Provider, aspsp openbanking.ASPSP) ([]string, error)
	// CallIn limits one call of a task; banks are slow.
	CallIn time.Duration
	// MostPages is the number of pages after which a run fails, because its list seems endless.
	MostPages int64
	// StaleAfter is the age from which on figures are read again when their page is opened; zero: never.
	StaleAfter time.Duration

	store     *store.Store
	connect   Connect
	hub       *live.Hub
	log       *slog.Logger
	lease     time.Duration // extended with each page, and by keep three times within its length
	grace     time.Duration // how long the reads after news of a payment wait for the person
	loops     []*jobs.Loop
	admitting *jobs.Loop
	paid      *jobs.Loop

	mu        sync.Mutex
	published map[string]time.Time  // by connection
	silent    map[string]int        // number of calls in a row that a bank has not answered, by bank
	present   map[string]attendance // by task
	arrivals  []arrival             // waiting arrivals, one per connection
}

// New returns a Syncer that publishes progress on hub.
func New(s *store.Store, connect Connect, hub *live.Hub, log *slog.Logger) *Syncer {
	return &Syncer{store: s, connect: connect, hub: hub, log: log, CallIn: 45 * time.Second, MostPages: 50_000, lease: leaseFor, grace: paidGrace,
		published: map[string]time.Time{}, silent: map[string]int{}, present: map[string]attendance{}}
}

// Register adds the syncer's loops to a runner that has not started.
func (s *Syncer) Register(r *jobs.Runner) {
	for i := range parallel {
		s.loops = append(s.loops, r.Add(fmt.Sprintf("sync-%d", i+1), s.Run))
	}
	s.admitting = r.Add("refresh", s.Admit)
	s.paid = r.Add("refresh after payments", s.FollowPayments)
	r.Add("idle sessions", s.LookAtIdle)
}

// Wake makes the loops look for due tasks. Call it when there are new ones.
func (s *Syncer) Wake() {
	for _, l := range s.loops {
		l.Wake()
	}
}

// Run completes one due task, and returns when to call it again: at once after a task, else when the next one is due. It is the work of a jobs.Loop, and can
// also be called without one.
func (s *Syncer) Run(ctx context.Context) (next time.Time, err error) {
	claim, ok, next, err := s.store.ClaimTask(ctx, s.lease)
	switch {
	case !ok:
		return next, err
	case err != nil: // the task cannot continue where it was
		return time.Now(), ignoreLost(s.fail(ctx, claim, err))
	}
	return time.Now(), s.do(ctx, claim)
}

// do runs a claimed task and stores the result. Its error is an internal one: failures of the service or the bank are stored with the task.
func (s *Syncer) do(ctx context.Context, c store.Claim) error {
	s.publish(c, true)
	defer s.publish(c, true)

	work, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func(held store.Claim) { // a copy, because fetch changes c
		defer close(done)
		s.keep(work, stop, held)
	}(c)
	off, err := s.fetch(work, &c)
	stop()
	<-done

	settle, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	switch {
	case off:
		return nil
	case err == nil:
		s.heard(c)
		return nil
	case errors.Is(err, store.ErrLeaseLost):
		return nil // another process has the task, or the connection has ended
	case ctx.Err() != nil: // Florin is stopping: the next process continues at once
		return ignoreLost(s.store.ReleaseTask(settle, c))
	}
	return ignoreLost(s.fail(settle, c, err))
}

// keep extends the lease while the task is running, and stops the task when the lease is lost.
func (s *Syncer) keep(ctx context.Context, stop func(), c store.Claim) {
	t := time.NewTicker(s.lease / 3)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if err := s.store.KeepTask(ctx, c, s.lease); errors.Is(err, store.ErrLeaseLost) {
				stop()
				return
			}
		}
	}
}

// fetch reads the data of a task, as part of the person's request if there is one. off is true when nothing was read because all unattended reads are used
// up; the task was then returned.
func (s *Syncer) fetch(ctx context.Context, c *store.Claim) (off bool, err error) {
	provider, err := s.store.Provider(ctx, c.ProviderID)
	if err != nil {
		return false, err
	}
	api, err := s.connect(ctx, provider)
	if err != nil {
		return false, err
	}
	if c.Task.Scope == finance.ScopeDetails {
		s.relearn(ctx, *c)
	}
	if psu := s.attended(c.Task.ID); psu != nil {
		if err := s.scope(ctx, api, c, psu); !headersRefused(err) {
			return false, err
		}
		s.relearn(ctx, *c)
	}
	if c.ContinuationKey == "" { // further pages belong to the same read
		if ok, err := s.store.CountRead(ctx, c, s.lease); !ok {
			return err == nil, err
		}
	}
	return false, s.scope(ctx, api, c, nil)
}

func (s *Syncer) scope(ctx context.Context, api API, c *store.Claim, psu http.Header) error {
	switch c.Task.Scope {
	case finance.ScopeDetails:
		return s.details(ctx, api, c, psu)
	case finance.ScopeBalances:
		return s.balances(ctx, api, c, psu)
	}
	return s.transactions(ctx, api, c, psu)
}

func (s *Syncer) details(ctx context.Context, api API, c *store.Claim, psu http.Header) error {
	wire, err := within(ctx, s.CallIn, func(ctx context.Context) (openbanking.AccountResource, error) {
		return api.AccountDetails(ctx, c.Account.UID, psu)
	})
	if err != nil {
		return err
	}
	original, err := json.Marshal(wire)
	if err != nil {
		return err
	}
	return s.store.FinishDetails(ctx, *c, finance.ReadAccount(wire), original, nextRun(c.Task, time.Now()))
}

func (s *Syncer) balances(ctx context.Context, api API, c *store.Claim, psu http.Header) error {
	wire, err := within(ctx, s.CallIn, func(ctx context.Context) ([]openbanking.BalanceResource, error) {
		return api.Balances(ctx, c.Account.UID, psu)
	})
	if err != nil {
		return err
	}
	now := time.Now()
	var read []finance.Balance
	for _, w := range wire {
		b, err := finance.ReadBalance(c.Account.ID, c.Account.Currency, w, now)
		if err != nil { // never store a figure that the bank did not send, or only some figures: the earlier ones stay
			return &unreadable{what: "balance", cause: err}
		}
		read = append(read, b)
	}
	return s.store.FinishBalances(ctx, *c, read, nextRun(c.Task, now))
}

// unreadable is the error for a part of an answer that cannot be parsed. Nothing of that part is stored. It counts as a fault of the service.
type unreadable struct {
	what  string
	cause error
}

func (e *unreadable) Error() string { return "a " + e.what + " cannot be read: " + e.cause.Error() }

// Unreadable returns true.
func (e *unreadable) Unreadable() bool { return true }

func (e *unreadable) Unwrap() error {
	return &openbanking.Error{Status: http.StatusBadGateway, Message: "The banking service sent a " + e.what + " that cannot be read"}
}

// transactions fetches all pages of a run: of a new one, or the rest of an interrupted one.
func (s *Syncer) transactions(ctx context.Context, api API, c *store.Claim, psu http.Header) error {
	now := time.Now()
	if !c.Task.InRun || c.Task.DateFrom > openbanking.DateOf(now) { // a run begun with a wrong clock cannot continue
		missed, err := s.store.LastMissed(ctx, *c)
		if err != nil {
			return err
		}
		strategy, from := plan(c.Task, c.LastBooked, missed, now)
		if err := s.store.BeginRun(ctx, c, strategy, from, s.lease); err != nil {
			return err
		}
	}
	fetch := func(ctx context.Context, a finance.Account, q openbanking.TransactionsQuery) (store.Page, error) {
		answer, err := within(ctx, s.CallIn, func(ctx context.Context) (openbanking.TransactionsPage, error) {
			return api.TransactionsPage(ctx, a.UID, q, psu)
		})
		if err != nil {
			return store.Page{}, err
		}
		return s.read(a, answer), nil
	}
	var next ahead
	defer next.drop()
	restarted, shortened := false, false
	for {
		q := openbanking.TransactionsQuery{Strategy: c.Task.Strategy, DateFrom: c.Task.DateFrom, ContinuationKey: c.ContinuationKey.Reveal()}
		page, err := next.take(ctx, c.Account, q, fetch)
		switch {
		case err == nil:
		case errors.Is(err, openbanking.WrongTransactionsPeriod):
			from, ok := narrower(err, c.Task.DateFrom, time.Now())
			if !ok {
				return err
			}
			if err := s.store.BeginRun(ctx, c, c.Task.Strategy, from, s.lease); err != nil {
				return err
			}
			continue
		case !shortened && brokenByPeriod(err, c.Task):
			shortened = true
			q.DateFrom = openbanking.DateOf(time.Now().AddDate(0, 0, -shortest))
			if _, still := fetch(ctx, c.Account, q); still != nil {
				return err // the period is not the cause
			}
			if err := s.store.BeginRun(ctx, c, c.Task.Strategy, q.DateFrom, s.lease); err != nil {
				return err
			}
			continue
		case q.ContinuationKey != "" && !restarted && (errors.Is(err, openbanking.WrongContinuationKey) || errors.Is(err, openbanking.WrongRequestParameters)):
			restarted = true // the key belongs to another session or is too old: start again; stored rows are recognised
			if err := s.store.BeginRun(ctx, c, c.Task.Strategy, c.Task.DateFrom, s.lease); err != nil {
				return err
			}
			continue
		default:
			return err
		}
		if c.Task.Pages >= s.MostPages {
			return finance.FailureEndless
		}
		// When the currency of the account is unknown, the rows of this page determine it, and reading the next page may need it.
		if page.Next != "" && len(page.Entries) > 0 && c.Account.Currency != finance.NoCurrency {
			q.ContinuationKey = page.Next.Reveal()
			next.begin(ctx, c.Account, q, fetch)
		}
		if err := s.store.ApplyPage(ctx, c, page, s.lease, nextRun(c.Task, time.Now())); err != nil {
			return err
		}
		if !c.Task.InRun {
			if s.Synced != nil {
				s.Synced()
			}
			return nil
		}
		s.publish(*c, false)
		if len(page.Entries) == 0 {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(emptyWait):
			}
		}
	}
}

// fetchPage fetches a page of an account and parses its rows.
type fetchPage func(ctx context.Context, a finance.Account, q openbanking.TransactionsQuery) (store.Page, error)

// ahead is the next page of a run, which is fetched and parsed while the one before is stored.
type ahead struct {
	query openbanking.TransactionsQuery
	page  store.Page
	err   error
	done  chan struct{} // nil when nothing is being fetched
	stop  context.CancelFunc
}

// begin starts to fetch a page. The previous one must have been taken.
func (a *ahead) begin(ctx context.Context, account finance.Account, q openbanking.TransactionsQuery, fetch fetchPage) {
	ctx, a.stop = context.WithCancel(ctx)
	a.query, a.done = q, make(chan struct{})
	go func() {
		defer close(a.done)
		a.page, a.err = fetch(ctx, account, q)
	}()
}

// take returns the page of a query: the one being fetched when its query is the same, else a new one.
func (a *ahead) take(ctx context.Context, account finance.Account, q openbanking.TransactionsQuery, fetch fetchPage) (store.Page, error) {
	if a.done == nil || a.query != q {
		a.drop()
		return fetch(ctx, account, q)
	}
	<-a.done
	a.stop()
	a.done = nil
	return a.page, a.err
}

// drop stops fetching and waits for the end.
func (a *ahead) drop() {
	if a.done != nil {
		a.stop()
		<-a.done
		a.done = nil
	}
}

// within makes a call with a time limit.
func within[T any](ctx context.Context, long time.Duration, call func(ctx context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, long)
	defer cancel()
	return call(ctx)
}

// read parses the rows of a page. Rows that cannot be parsed are counted and left out.
func (s *Syncer) read(a finance.Account, answer openbanking.TransactionsPage) store.Page {
	page := store.Page{Entries: make([]finance.Entry, 0, len(answer.Transactions))}
	if answer.ContinuationKey != nil {
		page.Next = finance.Secret(*answer.ContinuationKey)
	}
	number := a.IBAN
	if number == "" {
		number = a.Number
	}
	reader := finance.Reader{Currency: a.Currency, Holder: a.Holder, Number: number, Today: finance.Today(time.Now())}
	for i, wire := range answer.Transactions {
		e, err := reader.Read(wire, answer.Originals[i])
		if err != nil {
			page.Refused++
			s.log.Warn("transaction left out", "account", a.ID, "error", err)
			continue
		}
		page.Entries = append(page.Entries, e)
	}
	page.Read(a)
	return page
}

// publish tells the user's pages that something about the connection has changed: always when a task begins or ends, else at most a few times a second.
func (s *Syncer) publish(c store.Claim, always bool) {
	now := time.Now()
	s.mu.Lock()
	due := always || now.Sub(s.published[c.Task.ConnectionID]) >= publishEvery
	if due {
		s.published[c.Task.ConnectionID] = now
	}
	s.mu.Unlock()
	if due {
		s.hub.Publish(c.Task.UserID, live.Event{Topic: Topic, ID: c.Task.ConnectionID})
	}
}

// nextRun returns when a task runs again after a success.
func nextRun(t finance.SyncTask, now time.Time) time.Time {
	return t.Reads.NextSlot(now, t.Scope, rand.Float64()) //nolint:gosec // jitter need not be secret
}

func ignoreLost(err error) error {
	if errors.Is(err, store.ErrLeaseLost) {
		return nil
	}
	return err
}
