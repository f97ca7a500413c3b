package engine

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

// Redeem answers POST /sessions: it exchanges a code for the session, once. When the bank fails to list the accounts the
// code stays good until its end.
func (e *Engine) Redeem(ctx context.Context, app aggregator.Application, code string) (openbanking.AuthorizeSessionResponse, error) {
	var none openbanking.AuthorizeSessionResponse
	stored, err := e.store.SessionByCode(ctx, app.ID, aggregator.Fingerprint(code))
	if errors.Is(err, aggregator.ErrNotFound) {
		return none, openbanking.WrongAuthorizationCode
	}
	if err != nil {
		return none, err
	}
	row := stored.At(e.now())
	e.noteSession(ctx, row)
	if err := redeemable(row.Status); err != nil {
		return none, err
	}
	connector, err := e.connector(row.ASPSP)
	if err != nil {
		return none, err
	}
	accounts, err := connector.Accounts(ctx, row.Consent, nil)
	if err != nil {
		return none, e.bankError(row.ASPSP, "list of accounts", err)
	}
	mayRead, err := e.mayRead(ctx, app)
	if err != nil {
		return none, err
	}
	details, kept := e.sessionAccounts(row.ASPSP, accounts, mayRead)
	row.SessionID, row.Authorized = uuid.NewString(), e.now()
	switch err := e.store.Redeem(ctx, row, kept); {
	case errors.Is(err, aggregator.ErrNotFound): // another request was faster, or the code ended meanwhile
		if stored, err = e.store.SessionByCode(ctx, app.ID, aggregator.Fingerprint(code)); err != nil {
			return none, err
		}
		return none, redeemable(stored.At(e.now()).Status)
	case err != nil:
		return none, err
	}
	_, row.Status = aggregator.Transition(aggregator.EventRedeemed)
	e.noteSession(ctx, row)
	return openbanking.AuthorizeSessionResponse{
		SessionID: row.SessionID,
		Accounts:  details,
		ASPSP:     row.ASPSP,
		PSUType:   row.PSUType,
		Access:    row.Access,
	}, nil
}

// redeemable returns nil when the code of a session in this state may be redeemed (api-notes 5).
func redeemable(status openbanking.SessionStatus) error {
	switch status {
	case openbanking.SessionStatusReturnedFromBank:
		return nil
	case openbanking.SessionStatusInvalid:
		return openbanking.ExpiredAuthorizationCode
	default:
		return openbanking.AlreadyAuthorized
	}
}

// sessionAccounts gives each account that the application may read a uid of this session and its hashes; an account of
// which nothing can be fetched gets no uid.
func (e *Engine) sessionAccounts(bank openbanking.ASPSP, accounts []aggregator.BankAccount,
	mayRead func(hash string) bool) ([]openbanking.AccountResource, []aggregator.SessionAccount) {
	details := make([]openbanking.AccountResource, 0, len(accounts))
	kept := make([]aggregator.SessionAccount, 0, len(accounts))
	for _, account := range accounts {
		hashes := e.identificationHashes(bank, account.Identifiers)
		row := aggregator.SessionAccount{Reference: account.Reference, Hashes: hashes}
		if len(hashes) > 0 {
			row.Hash = hashes[0]
		}
		if !mayRead(row.Hash) {
			continue
		}
		if !account.Blocked {
			row.UID = uuid.NewString()
		}
		kept = append(kept, row)
		details = append(details, resource(account, row))
	}
	return details, kept
}

// resource is an account of the bank as the session shows it.
func resource(account aggregator.BankAccount, kept aggregator.SessionAccount) openbanking.AccountResource {
	r := account.Account
	r.UID = nil
	if kept.UID != "" {
		r.UID = &kept.UID
	}
	r.IdentificationHash, r.IdentificationHashes = kept.Hash, kept.Hashes
	return r
}

// Session answers GET /sessions/{session_id}.
func (e *Engine) Session(ctx context.Context, app aggregator.Application, sessionID string) (openbanking.Session, error) {
	row, err := e.session(ctx, app, sessionID)
	if err != nil {
		return openbanking.Session{}, err
	}
	accounts, err := e.store.SessionAccounts(ctx, row.AuthorizationID)
	if err != nil {
		return openbanking.Session{}, err
	}
	answer := openbanking.Session{
		Status:     row.Status,
		ASPSP:      row.ASPSP,
		PSUType:    row.PSUType,
		PSUIDHash:  row.PSUIDHash,
		Access:     row.Access,
		Created:    openbanking.DateTime{Time: row.Created},
		Authorized: moment(row.Authorized),
		Closed:     moment(row.Closed),
	}
	mayRead, err := e.mayRead(ctx, app)
	if err != nil {
		return openbanking.Session{}, err
	}
	for _, a := range accounts {
		if a.UID == "" || !mayRead(a.Hash) {
			continue
		}
		answer.Accounts = append(answer.Accounts, a.UID)
		answer.AccountsData = append(answer.AccountsData, openbanking.SessionAccount{
			UID:                  a.UID,
			IdentificationHash:   a.Hash,
			IdentificationHashes: a.Hashes,
		})
	}
	return answer, nil
}

// CloseSession answers DELETE /sessions/{session_id}: it closes the session, then the consent at the bank where possible,
// and returns the bank. A second call gives CLOSED_SESSION with status 400 (api-notes 1).
func (e *Engine) CloseSession(ctx context.Context, app aggregator.Application, sessionID string, psu aggregator.PSU) (openbanking.ASPSP, error) {
	row, err := e.session(ctx, app, sessionID)
	if errors.Is(err, openbanking.SessionDoesNotExist) {
		return openbanking.ASPSP{}, e.notYet(ctx, app, sessionID, err)
	}
	if err != nil {
		return openbanking.ASPSP{}, err
	}
	if connector, ok := e.connectors(row.ASPSP); ok { // a session of a bank that is no longer offered can be closed too
		if _, err := checkPSU(connector.ASPSP().RequiredPSUHeaders, psu); err != nil {
			return row.ASPSP, err
		}
	}
	if err := closable(row.Status); err != nil {
		return row.ASPSP, err
	}
	switch err := e.store.End(ctx, row.AuthorizationID, aggregator.EventClosed, e.now()); {
	case errors.Is(err, aggregator.ErrNotFound): // another request was faster
		if row, err = e.session(ctx, app, sessionID); err != nil {
			return openbanking.ASPSP{}, err
		}
		return row.ASPSP, closable(row.Status)
	case err != nil:
		return row.ASPSP, err
	}
	_, row.Status = aggregator.Transition(aggregator.EventClosed)
	e.noteSession(ctx, row)
	e.endConsent(ctx, row)
	return row.ASPSP, nil
}

// notYet is the error of DELETE for an id of no session: WRONG_SESSION_STATUS for the authorization_id of an authorisation of
// the application from which no session has come, and none will in some states (api-notes 5); else unknown.
func (e *Engine) notYet(ctx context.Context, app aggregator.Application, id string, unknown error) error {
	row, err := e.store.Authorization(ctx, app.ID, id)
	switch {
	case errors.Is(err, aggregator.ErrNotFound) || err == nil && row.SessionID != "":
		return unknown
	case err != nil:
		return err
	}
	return aggregator.UsableError(row.At(e.now()).Status)
}

// ConsentEnded ends the session of a consent that the bank or the PSU (revoked) has ended before its time, so that nobody has
// to ask for data first.
func (e *Engine) ConsentEnded(ctx context.Context, bank openbanking.ASPSP, reference string, revoked bool) error {
	event := aggregator.EventExpired
	if revoked {
		event = aggregator.EventRevoked
	}
	row, err := e.store.SessionByConsent(ctx, bank, reference)
	if err == nil {
		err = e.store.End(ctx, row.AuthorizationID, event, e.now())
	}
	if errors.Is(err, aggregator.ErrNotFound) { // the session has not begun, or is over
		return nil
	}
	return err
}

// consentOver returns the event that an error of a Connector means for the session.
func consentOver(err error) (event aggregator.Event, ok bool) {
	switch {
	case errors.Is(err, aggregator.ErrConsentEnded):
		return aggregator.EventExpired, true
	case errors.Is(err, aggregator.ErrConsentRevoked):
		return aggregator.EventRevoked, true
	}
	return "", false
}

// closable returns nil when a session in this state may be closed, else the error of DELETE.
func closable(status openbanking.SessionStatus) error {
	if err := aggregator.UsableError(status); !errors.Is(err, openbanking.ClosedSession) {
		return err
	}
	return &openbanking.Error{Code: openbanking.ClosedSession, Status: 400}
}

// session returns a session of the application as it is now.
func (e *Engine) session(ctx context.Context, app aggregator.Application, sessionID string) (aggregator.Session, error) {
	row, err := e.store.Session(ctx, app.ID, sessionID)
	if errors.Is(err, aggregator.ErrNotFound) {
		return aggregator.Session{}, openbanking.SessionDoesNotExist
	}
	row = row.At(e.now())
	if err == nil {
		e.noteSession(ctx, row)
	}
	return row, err
}

// endConsent ends the consent at the bank "where possible" (spec: DELETE /sessions): the session is closed whatever the bank says.
func (e *Engine) endConsent(ctx context.Context, row aggregator.Session) {
	connector, err := e.connector(row.ASPSP)
	if err == nil {
		err = connector.EndConsent(context.WithoutCancel(ctx), row.Consent)
	}
	if err != nil {
		e.log.Warn("consent not ended at the bank", "bank", row.ASPSP.Name, "country", row.ASPSP.Country, "cause", err.Error())
	}
}

// How ExpireDue works: this many sessions at a time, and at least this often, since new ones come all the time.
const (
	expireBatch = 200
	expireEvery = time.Minute
)

// ExpireDue records what time alone has ended: authorisations nobody completed, codes nobody redeemed, sessions at their
// valid_until. It returns when to call it again. Readers need not wait for it: they see the same state from the dates.
func (e *Engine) ExpireDue(ctx context.Context) (next time.Time, err error) {
	for {
		now := e.now()
		due, err := e.store.DueSessions(ctx, now, expireBatch)
		if err != nil {
			return time.Time{}, err
		}
		for _, row := range due {
			event, at, ok := row.Due()
			if !ok {
				continue
			}
			if err := e.store.End(ctx, row.AuthorizationID, event, at); err != nil && !errors.Is(err, aggregator.ErrNotFound) {
				return time.Time{}, err
			}
		}
		if len(due) == expireBatch {
			continue
		}
		next, err := e.store.NextDue(ctx)
		if err != nil {
			return time.Time{}, err
		}
		if latest := now.Add(expireEvery); next.IsZero() || next.After(latest) {
			next = latest
		}
		return next, nil
	}
}

// Purge deletes what came to nothing long enough ago (storage.Store.Purge). Call it a few times a day.
func (e *Engine) Purge(ctx context.Context) error { return e.store.Purge(ctx, e.now()) }

// moment is an optional time on the wire.
func moment(t time.Time) *openbanking.DateTime {
	if t.IsZero() {
		return nil
	}
	return &openbanking.DateTime{Time: t}
}

// EndOrphans ends the sessions whose application was deleted, and their consents at the banks.
func (e *Engine) EndOrphans(ctx context.Context) error {
	for {
		rows, err := e.store.OrphanedSessions(ctx, expireBatch)
		if err != nil {
			return err
		}
		for _, row := range rows {
			event, _, ok := row.Due()
			if !ok {
				continue
			}
			if event == aggregator.EventExpired {
				event = aggregator.EventClosed
			}
			if err := e.store.End(ctx, row.AuthorizationID, event, e.now()); err != nil && !errors.Is(err, aggregator.ErrNotFound) {
				return err
			}
			if row.Consent.Reference != "" {
				e.endConsent(ctx, row)
			}
		}
		if len(rows) < expireBatch {
			return nil
		}
	}
}
