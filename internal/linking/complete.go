package linking

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/store"
)

// Callback holds the query of the redirect back from the service.
type Callback struct {
	State            finance.Secret
	Code             finance.Secret
	Error            string // OAuth error code
	ErrorDescription string // untrusted, any language, may be missing (api-notes 4)
}

// ErrAttempt says that a callback belongs to no open attempt: its state is unknown, used or too old, or it came from another browser.
var ErrAttempt = store.ErrAttempt

// Complete turns a callback into a connection, or into a failed attempt. It depends only on the attempt and the browser's flow cookie, not on a sign-in,
// which may have ended during the visit to the bank (security F19): show the result only to the attempt's user.
//
// The error is ErrAttempt when no attempt was used up (security T10: the service is not called). Otherwise the attempt is used up and returned, done, or
// failed with its Failure. The error is then nil for failures of the bank or the service, and set for internal ones. A code works once, so the exchange is
// always finished: when it takes longer than a person waits, the attempt is returned as used and the exchange continues in the background.
func (l *Linking) Complete(ctx context.Context, providerID string, browser finance.Secret, c Callback) (finance.LinkAttempt, error) {
	ctx = context.WithoutCancel(ctx)
	attempt, err := l.store.UseAttempt(ctx, providerID, c.State, browser)
	if err != nil {
		return finance.LinkAttempt{}, err
	}
	type result struct {
		attempt finance.LinkAttempt
		err     error
	}
	done := make(chan result, 1)
	go func() {
		ctx, cancel := context.WithTimeout(ctx, redeemIn+settleIn)
		defer cancel()
		r := result{attempt: attempt}
		defer func() {
			if v := recover(); v != nil {
				r.attempt, r.err = l.fail(ctx, attempt, finance.Failure{Code: finance.FailureInternal}, fmt.Errorf("panic: %v\n%s", v, debug.Stack()))
			}
			if r.err != nil {
				l.log.Error("link not completed", "attempt", attempt.ID, "error", r.err)
			}
			done <- r
		}()
		r.attempt, r.err = l.complete(ctx, attempt, c)
	}()
	wait := time.NewTimer(l.answer)
	defer wait.Stop()
	select {
	case r := <-done:
		return r.attempt, r.err
	case <-wait.C:
		l.log.Info("the bank has not answered yet", "attempt", attempt.ID)
		return attempt, nil
	}
}

// settleIn is the time for storing the result of an attempt after its calls.
const settleIn = 5 * time.Second

// complete exchanges the code of a used attempt, and stores the result.
func (l *Linking) complete(settle context.Context, attempt finance.LinkAttempt, c Callback) (finance.LinkAttempt, error) {
	ctx, cancel := context.WithTimeout(settle, redeemIn)
	defer cancel()
	if c.Error != "" {
		return l.fail(settle, attempt, finance.Failure{Code: finance.FailureCode(finance.Excerpt(c.Error)), Said: finance.Excerpt(c.ErrorDescription)}, nil)
	}
	if c.Code == "" {
		return l.fail(settle, attempt, finance.Failure{Code: finance.FailureNoCode}, nil)
	}
	provider, err := l.store.Provider(ctx, attempt.ProviderID)
	if err != nil {
		return l.fail(settle, attempt, finance.Failure{Code: finance.FailureInternal}, err)
	}
	api, err := l.connect(ctx, provider)
	if err != nil {
		return l.fail(settle, attempt, finance.Failure{Code: finance.FailureInternal}, err)
	}
	answer, err := api.AuthorizeSession(ctx, c.Code.Reveal())
	if err != nil {
		return l.fail(settle, attempt, finance.FailureOf(unanswered(err)), nil)
	}
	session, err := api.Session(ctx, answer.SessionID)
	if err != nil {
		l.drop(ctx, api, answer.SessionID)
		return l.fail(settle, attempt, finance.FailureOf(unanswered(err)), nil)
	}
	if reason := mismatch(attempt, answer, session); reason != "" {
		l.log.Error("authorisation belongs to something else; session ended", "attempt", attempt.ID, "differs", reason)
		l.drop(ctx, api, answer.SessionID)
		return l.fail(settle, attempt, finance.Failure{Code: finance.FailureMismatch}, nil)
	}
	validUntil := session.Access.ValidUntil.Time
	if validUntil.IsZero() {
		validUntil = attempt.ValidUntil
	}
	done, replaced, err := l.store.SaveLink(settle, store.Link{
		Attempt: attempt, SessionID: finance.Secret(answer.SessionID), ValidUntil: validUntil, Accounts: answer.Accounts,
	})
	if err != nil {
		l.drop(ctx, api, answer.SessionID)
		return l.fail(settle, attempt, finance.Failure{Code: finance.FailureInternal}, err)
	}
	l.log.Info("bank linked", "attempt", done.ID, "connection", done.ConnectionID, "renewed", done.Renewed, "accounts", len(done.Accounts))
	l.wake()
	if replaced != "" { // the new consent works: the old one is no longer needed
		if _, err := l.endNow(settle, done.ConnectionID); err != nil {
			l.log.Error("old session not ended", "connection", done.ConnectionID, "error", err)
		}
	}
	return done, nil
}

// mismatch returns the name of the field in which the answer differs from the request (security T11, F16); "" when they match.
func mismatch(a finance.LinkAttempt, answer openbanking.AuthorizeSessionResponse, s openbanking.Session) string {
	switch {
	case a.PSUIDHash == "" || subtle.ConstantTimeCompare([]byte(a.PSUIDHash), []byte(s.PSUIDHash)) != 1:
		return "psu_id_hash"
	case answer.ASPSP != a.ASPSP || s.ASPSP != a.ASPSP:
		return "aspsp"
	case answer.PSUType != a.PSUType || s.PSUType != a.PSUType:
		return "psu_type"
	case s.Status != openbanking.SessionStatusAuthorized:
		return "status"
	case answer.Accounts == nil: // a missing list is not an empty one: all present accounts would count as removed
		return "accounts"
	case denied(answer.Access.Balances) || denied(answer.Access.Transactions):
		return "access"
	}
	return ""
}

func denied(granted *bool) bool { return granted != nil && !*granted }

// drop ends a session that will not be used. This is only a courtesy: an unused session is harmless and ends by itself.
func (l *Linking) drop(ctx context.Context, api API, sessionID string) {
	if err := deleteSession(ctx, api, sessionID); err != nil {
		l.log.Warn("session not ended at the service", "error", err)
	}
}

// fail stores the failure and returns the attempt with it.
func (l *Linking) fail(ctx context.Context, a finance.LinkAttempt, f finance.Failure, cause error) (finance.LinkAttempt, error) {
	a.Status, a.Failure = finance.AttemptFailed, f
	l.log.Info("link failed", "attempt", a.ID, "code", f.Code, "request_id", f.RequestID)
	if err := l.store.FailAttempt(ctx, a.UserID, a.ID, f); err != nil {
		cause = errors.Join(cause, fmt.Errorf("record the failed link: %w", err))
	}
	return a, cause
}
