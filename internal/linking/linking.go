// Package linking starts, completes and ends links to banks. It asks the service for an authorisation, sends the user there, and turns the answer into a
// connection with its accounts, once, and only in the browser that began it.
package linking

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"florin/internal/finance"
	"florin/internal/jobs"
	"florin/internal/openbanking"
	"florin/internal/store"
)

const (
	// attemptLifetime is how long the visit to the bank may take.
	attemptLifetime = 15 * time.Minute
	// validityMargin is subtracted from the bank's maximum, because clocks that run ahead have caused refusals (api-notes 4).
	validityMargin = 5 * time.Minute
	// answerIn is how long a person waits for a bank.
	answerIn = 12 * time.Second
	// redeemIn limits the exchange of a code. It continues after the person has stopped waiting, because a code works once.
	redeemIn = time.Minute
)

// API lists the calls of the service that linking needs; bank.Client implements it. Errors of the service are *openbanking.Error.
type API interface {
	ASPSPs(ctx context.Context) ([]openbanking.ASPSPData, error)
	StartAuthorization(ctx context.Context, request openbanking.StartAuthorizationRequest) (openbanking.StartAuthorizationResponse, error)
	AuthorizeSession(ctx context.Context, code string) (openbanking.AuthorizeSessionResponse, error)
	Session(ctx context.Context, sessionID string) (openbanking.Session, error)
	DeleteSession(ctx context.Context, sessionID string) error
}

// Connect returns the API of a provider; its calls are signed with the provider's key.
type Connect func(ctx context.Context, p finance.Provider) (API, error)

// Linking links banks. It is safe for use by many goroutines.
type Linking struct {
	store   *store.Store
	connect Connect
	wake    func()
	ending  func() // called when there may be sessions to end in the background
	log     *slog.Logger
	banks   *cache
	answer  time.Duration // answerIn

	background sync.Mutex // held while EndSessions ends a session
}

// New returns a Linking. wake is called after each link, because there is something to sync.
func New(s *store.Store, connect Connect, wake func(), log *slog.Logger) *Linking {
	return &Linking{store: s, connect: connect, wake: wake, ending: func() {}, log: log, banks: newCache(), answer: answerIn}
}

// Errors of Start. A refusal of the service is an *openbanking.Error. A call without an answer is finance.FailureUnreachable or finance.FailureSilent.
var (
	ErrUnknownBank = errors.New("no bank of this name is listed")
	ErrPSUType     = errors.New("the bank does not offer this kind of access")
)

// Request holds the choices of the user.
type Request struct {
	ProviderID string
	ASPSP      openbanking.ASPSP
	PSUType    openbanking.PSUType // "" for the only kind that the bank offers
	Renews     string              // the user's connection at this bank that is renewed; "" for none
	Another    bool                // a login of another person: no connection is renewed
	Until      time.Time           // the end of the consent; zero or a later time than the bank allows stands for the latest possible
	TypedUntil string              // Until as typed, to be offered again when the link fails; "" when nothing was typed
	Language   string              // two letters, "" for none
	Browser    finance.Secret      // secret of the browser's flow cookie, which the callback must bring
}

// Start asks for a consent, the longest that the bank grants less a margin, unless the person wants a shorter one. It returns the attempt: its URL is where
// the browser goes next, from a page of our own that names the bank (security F2). Errors: ErrUnknownBank when the bank is not listed, ErrPSUType for a kind
// of access that it does not offer, finance.ErrNotFound when the connection to renew is not the user's at this bank, and finance.FailureSilent when the bank
// does not answer in time.
func (l *Linking) Start(ctx context.Context, userID string, r Request) (finance.LinkAttempt, error) {
	ctx, cancel := context.WithTimeout(ctx, l.answer)
	defer cancel()
	if r.Browser == "" {
		return finance.LinkAttempt{}, errors.New("linking: a link needs the browser's secret")
	}
	provider, err := l.store.Provider(ctx, r.ProviderID)
	if errors.Is(err, finance.ErrNotFound) || err == nil && !provider.Removed.IsZero() {
		return finance.LinkAttempt{}, ErrUnknownBank
	}
	if err != nil {
		return finance.LinkAttempt{}, err
	}
	api, err := l.connect(ctx, provider)
	if err != nil {
		return finance.LinkAttempt{}, err
	}
	bank, err := l.find(ctx, provider, r.ASPSP)
	if err != nil {
		return finance.LinkAttempt{}, err
	}
	psuType, err := choosePSUType(bank, r.PSUType)
	if err != nil {
		return finance.LinkAttempt{}, err
	}
	if r.Renews != "" {
		c, err := l.store.Connection(ctx, userID, r.Renews)
		if err != nil {
			return finance.LinkAttempt{}, err
		}
		if c.ProviderID != provider.ID || c.ASPSP != r.ASPSP {
			return finance.LinkAttempt{}, finance.ErrNotFound
		}
	}
	until := validUntil(time.Now(), bank.MaximumConsentValidity)
	if !r.Until.IsZero() && r.Until.Before(until) {
		until = r.Until.UTC().Truncate(time.Second)
	}
	state := finance.Secret(finance.NewID())
	attempt, err := l.store.CreateAttempt(ctx, finance.LinkAttempt{
		Renews: r.Renews, Another: r.Another && r.Renews == "", UserID: userID, ProviderID: provider.ID, ASPSP: r.ASPSP, PSUType: psuType,
		ValidUntil: until, TypedUntil: r.TypedUntil,
	}, state, r.Browser, attemptLifetime)
	if err != nil {
		return finance.LinkAttempt{}, err
	}
	yes := true
	request := openbanking.StartAuthorizationRequest{
		Access:      openbanking.Access{Balances: &yes, Transactions: &yes, ValidUntil: openbanking.DateTime{Time: attempt.ValidUntil}},
		ASPSP:       r.ASPSP,
		State:       state.Reveal(),
		RedirectURL: provider.RedirectURL,
		PSUType:     &psuType,
	}
	if isLanguage(r.Language) {
		request.Language = &r.Language
	}
	answer, err := api.StartAuthorization(ctx, request)
	if err != nil {
		f := finance.FailureOf(unanswered(err))
		if err := l.store.FailAttempt(context.WithoutCancel(ctx), userID, attempt.ID, f); err != nil {
			l.log.Error("link attempt not recorded", "attempt", attempt.ID, "error", err)
		}
		return finance.LinkAttempt{}, unanswered(err)
	}
	if err := l.store.OpenAttempt(ctx, userID, attempt.ID, answer.URL, answer.PSUIDHash); err != nil {
		return finance.LinkAttempt{}, err
	}
	attempt.Status, attempt.URL, attempt.PSUIDHash = finance.AttemptOpen, answer.URL, answer.PSUIDHash
	l.log.Info("link started", "attempt", attempt.ID, "provider", provider.ID, "country", r.ASPSP.Country, "bank", r.ASPSP.Name)
	return attempt, nil
}

// validUntil returns the end of the consent to ask for: the bank's maximum less the margin, in whole seconds.
func validUntil(now time.Time, maximum int) time.Time {
	validity := time.Duration(maximum) * time.Second
	margin := validityMargin
	if validity < 2*margin { // the bank's consents are very short
		margin = validity / 2
	}
	return now.UTC().Add(validity - margin).Truncate(time.Second)
}

func choosePSUType(bank openbanking.ASPSPData, wanted openbanking.PSUType) (openbanking.PSUType, error) {
	if wanted == "" && len(bank.PSUTypes) == 1 {
		return bank.PSUTypes[0], nil
	}
	for _, t := range bank.PSUTypes {
		if t == wanted {
			return t, nil
		}
	}
	return "", ErrPSUType
}

func isLanguage(l string) bool {
	return len(l) == 2 && l[0] >= 'a' && l[0] <= 'z' && l[1] >= 'a' && l[1] <= 'z'
}

// Attempt returns an attempt of the user, for the leaving page and for the result page.
func (l *Linking) Attempt(ctx context.Context, userID, id string) (finance.LinkAttempt, error) {
	return l.store.Attempt(ctx, userID, id)
}

// MaxNickname is the largest number of characters in a nickname.
const MaxNickname = 60

// Rename sets the nickname of an account of the user; an empty one removes it. A nickname that is too long is cut.
func (l *Linking) Rename(ctx context.Context, userID, accountID, nickname string) error {
	name := []rune(finance.Clean(nickname))
	return l.store.SetNickname(ctx, userID, accountID, string(name[:min(len(name), MaxNickname)]))
}

// Disconnected is the result of ending a connection.
type Disconnected struct {
	AtBank  bool  // the service has confirmed that the consent has ended, or there was none
	Problem error // why it has not; the background work retries until the service confirms it or the consent has expired
}

// Disconnect ends a connection of the user: first the syncing here, then the consent at the service. Its accounts and their history stay, kept by the user;
// an account that another connection can read is updated by that one.
func (l *Linking) Disconnect(ctx context.Context, userID, connectionID string) (Disconnected, error) {
	err := l.store.EndConnection(ctx, userID, connectionID, finance.ConnectionDisconnected)
	if errors.Is(err, finance.ErrNotFound) { // it may have ended before
		_, err = l.store.Connection(ctx, userID, connectionID)
	}
	if err != nil {
		return Disconnected{}, err
	}
	l.wake() // accounts that another connection updates now are due
	return l.endNow(ctx, connectionID)
}

// Delete ends a connection like Disconnect, and deletes its accounts with all their data.
func (l *Linking) Delete(ctx context.Context, userID, connectionID string) (Disconnected, error) {
	if err := l.store.DeleteConnection(ctx, userID, connectionID); err != nil {
		return Disconnected{}, err
	}
	l.wake()
	return l.endNow(ctx, connectionID)
}

// DeleteAccount deletes an account of the user with all its data. Its connection ends with its last account.
func (l *Linking) DeleteAccount(ctx context.Context, userID, accountID string) (Disconnected, error) {
	connectionID, err := l.store.DeleteAccount(ctx, userID, accountID)
	if err != nil || connectionID == "" {
		return Disconnected{AtBank: true}, err
	}
	return l.endNow(ctx, connectionID)
}

// endLease is how long the end of a session stays claimed by one caller: longer than a call may take.
const endLease = time.Minute

// endAgain are the pauses after failed tries to end a session at a service. The last one repeats.
var endAgain = []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 6 * time.Hour}

// endNow asks the service to end the sessions of an ended connection, while a person waits. When the background work is asking already, it waits for that.
func (l *Linking) endNow(ctx context.Context, connectionID string) (Disconnected, error) {
	ctx = context.WithoutCancel(ctx)
	defer l.ending()
	for waited := false; ; {
		e, ok, next, err := l.store.ClaimSessionEnd(ctx, connectionID, endLease)
		if err == nil && !ok && !next.IsZero() && !waited {
			l.background.Lock() // for at most one call of the background work
			waited = true
			l.background.Unlock()
			continue
		}
		if err != nil || !ok {
			return Disconnected{AtBank: next.IsZero()}, err
		}
		if problem, err := l.end(ctx, e); problem != nil || err != nil {
			return Disconnected{Problem: problem}, err
		}
	}
}

// PersonLeft wakes the background work after a person was removed, which also ends the person's sessions at the services.
func (l *Linking) PersonLeft() {
	l.wake()
	l.ending()
}

// Register adds the background work to a runner. It retries to end sessions at services that did not answer.
func (l *Linking) Register(r *jobs.Runner) {
	l.ending = r.Add("ended consents", func(ctx context.Context) (time.Time, error) {
		next, err := l.EndSessions(ctx)
		if next.IsZero() {
			next = time.Now().Add(lookAgain)
		}
		return next, err
	}).Wake
}

// lookAgain is after how long the background work looks for sessions to end although nobody woke it. The commands of the operator add sessions from another
// process.
const lookAgain = 15 * time.Minute

// EndSessions ends the sessions that are due at their services, and returns when the next one is due.
func (l *Linking) EndSessions(ctx context.Context) (next time.Time, err error) {
	for {
		ok, next, err := l.endDue(ctx)
		if err != nil || !ok {
			return next, err
		}
	}
}

// endDue ends one session that is due. When none is, ok is false, and next is when the first will be.
func (l *Linking) endDue(ctx context.Context) (ok bool, next time.Time, err error) {
	l.background.Lock()
	defer l.background.Unlock()
	e, ok, next, err := l.store.ClaimSessionEnd(ctx, "", endLease)
	if err != nil || !ok {
		return false, next, err
	}
	_, err = l.end(ctx, e)
	return true, next, err
}

// end ends a session at its service. When the service does not end it, problem says why, and the next try is scheduled.
func (l *Linking) end(ctx context.Context, e finance.SessionEnd) (problem, err error) {
	if !e.Over {
		problem = l.endAtService(ctx, e.ProviderID, e.SessionID)
	}
	if problem == nil {
		return nil, l.store.SessionEnded(ctx, e.ID)
	}
	l.log.Warn("consent not ended at the service", "provider", e.ProviderID, "attempts", e.Attempts, "error", problem)
	wait := endAgain[min(e.Attempts, len(endAgain))-1]
	return unanswered(problem), l.store.DelaySessionEnd(ctx, e.ID, time.Now().Add(wait))
}

// endAtService asks a provider to end a session, and waits no longer than a person would.
func (l *Linking) endAtService(ctx context.Context, providerID string, session finance.Secret) error {
	ctx, cancel := context.WithTimeout(ctx, l.answer)
	defer cancel()
	provider, err := l.store.Provider(ctx, providerID)
	if err != nil {
		return err
	}
	api, err := l.connect(ctx, provider)
	if err != nil {
		return err
	}
	return deleteSession(ctx, api, session.Reveal())
}

// deleteSession ends a session. It returns nil when the session has already ended.
func deleteSession(ctx context.Context, api API, sessionID string) error {
	err := api.DeleteSession(ctx, sessionID)
	for _, code := range []openbanking.ErrorCode{openbanking.ClosedSession, openbanking.ExpiredSession, openbanking.RevokedSession,
		openbanking.SessionDoesNotExist} {
		if errors.Is(err, code) {
			return nil
		}
	}
	return err
}

// unanswered marks an error without an answer of the service: finance.FailureSilent after a timeout, else finance.FailureUnreachable.
func unanswered(err error) error {
	var e *openbanking.Error
	if errors.As(err, &e) {
		return err
	}
	if timedOut(err) {
		return fmt.Errorf("%w: %w", finance.FailureSilent, err)
	}
	return fmt.Errorf("%w: %w", finance.FailureUnreachable, err)
}

// timedOut reports whether an error is a timeout (net.Error).
func timedOut(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}
