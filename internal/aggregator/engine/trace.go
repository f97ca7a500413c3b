package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

// Trace collects what happens during a call of the API, for the log of its application: what the call is about, and what is
// asked of the bank. It is safe for concurrent use.
type Trace struct {
	mu    sync.Mutex
	about aggregator.RequestSubject
	calls []aggregator.BankCall
}

type traceKey struct{}

// WithTrace returns a context in which the engine and its calls to banks are traced.
func WithTrace(ctx context.Context) (context.Context, *Trace) {
	t := new(Trace)
	return context.WithValue(ctx, traceKey{}, t), t
}

// Found returns what was collected so far.
func (t *Trace) Found() (aggregator.RequestSubject, []aggregator.BankCall) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.about, t.calls
}

// noteSession tells the trace of ctx, if there is one, that the call is about a session.
func (e *Engine) noteSession(ctx context.Context, row aggregator.Session) {
	e.note(ctx, row.Authorization, row.SessionID, row.Status, MethodsOf)
}

// notePayment is noteSession for a payment.
func (e *Engine) notePayment(ctx context.Context, row aggregator.Payment) {
	e.note(ctx, row.Authorization, "", "", func(bank aggregator.ASPSP, _ aggregator.Session) []openbanking.AuthMethod {
		return MethodsOfPayment(bank, row)
	})
}

func (e *Engine) note(ctx context.Context, row aggregator.Authorization, sessionID string, status openbanking.SessionStatus,
	methods func(aggregator.ASPSP, aggregator.Session) []openbanking.AuthMethod) {
	t, ok := ctx.Value(traceKey{}).(*Trace)
	if !ok {
		return
	}
	about := aggregator.RequestSubject{AuthorizationID: row.AuthorizationID, SessionID: sessionID, SessionStatus: status, PSUType: row.PSUType,
		AuthMethod: row.AuthMethod}
	if connector, ok := e.connectors(row.ASPSP); ok {
		if can := methods(connector.ASPSP(), aggregator.Session{Authorization: row}); len(can) == 1 { // else the PSU has not chosen yet
			about.AuthMethod, about.AuthApproach = nameOf(can[0]), can[0].Approach
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.about = about
}

// traceBank tells the trace of ctx, if there is one, of a call to a bank that has just ended.
func traceBank(ctx context.Context, name string, began time.Time, err error) {
	t, ok := ctx.Value(traceKey{}).(*Trace)
	if !ok || errors.Is(err, context.Canceled) { // the client went away: that says nothing of the bank
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls = append(t.calls, aggregator.BankCall{Name: name, Latency: time.Since(began), Error: bankOutcome(err)})
}

// bankOutcome is the code of what a Connector returned, empty for success. Only the bank itself fails with ASPSP_ERROR and ASPSP_TIMEOUT.
func bankOutcome(err error) openbanking.ErrorCode {
	var known *openbanking.Error
	var code openbanking.ErrorCode
	switch {
	case err == nil || errors.Is(err, aggregator.ErrWrongAnswer):
		return ""
	case errors.As(err, &known) && known.Code != "":
		return known.Code
	case errors.As(err, &code):
		return code
	case errors.Is(err, aggregator.ErrConsentEnded):
		return openbanking.ExpiredSession
	case errors.Is(err, aggregator.ErrConsentRevoked):
		return openbanking.RevokedSession
	case errors.Is(err, context.DeadlineExceeded):
		return openbanking.ASPSPTimeout
	}
	return openbanking.ASPSPError
}
