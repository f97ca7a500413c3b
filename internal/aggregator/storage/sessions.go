package storage

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

const sessionColumns = `session.authorization_id, session_id, application_id, status, aspsp_name, aspsp_country, psu_type, auth_method, psu_id_hash,
	accounts, balances, transactions, valid_until, state, redirect_url, language, created, page_expires, code_expires, authorized, closed,
	consent_reference, consent_valid_until`

// CreateSession stores a new authorisation. Its status is PENDING_AUTHORIZATION, whatever the row says.
// bankStateHash is the SHA-256 of the state that the bank returns, hexadecimal; credentials may be zero.
func (s *Store) CreateSession(ctx context.Context, row aggregator.Session, bankStateHash string, credentials aggregator.SuppliedCredentials) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO session
			(authorization_id, application_id, status, aspsp_name, aspsp_country, psu_type, auth_method, psu_id_hash,
			accounts, balances, transactions, valid_until, state, redirect_url, language, created, page_expires, bank_state_hash, due)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $17)`,
			row.AuthorizationID, row.ApplicationID, openbanking.SessionStatusPendingAuthorization, row.ASPSP.Name, row.ASPSP.Country, row.PSUType,
			row.AuthMethod,
			row.PSUIDHash,
			doc(&row.Access.Accounts), row.Access.Balances, row.Access.Transactions, sqlite.At(row.Access.ValidUntil.Time), row.State, row.RedirectURL,
			row.Language,
			sqlite.At(row.Created), sqlite.At(row.PageExpires), bankStateHash)
		if err != nil {
			return fmt.Errorf("create session: %w", err)
		}
		return insertCredentials(ctx, tx, row.AuthorizationID, credentials)
	})
}

// SessionByAuthorization returns the session that began as the authorisation.
func (s *Store) SessionByAuthorization(ctx context.Context, authorizationID string) (aggregator.Session, error) {
	return readSession(s.db.Read().QueryRowContext(ctx, `SELECT `+sessionColumns+` FROM session WHERE authorization_id = $1`, authorizationID))
}

// SessionByBankState returns the session whose bank returned the state with this hash.
func (s *Store) SessionByBankState(ctx context.Context, bankStateHash string) (aggregator.Session, error) {
	return readSession(s.db.Read().QueryRowContext(ctx, `SELECT `+sessionColumns+` FROM session WHERE bank_state_hash = $1`, bankStateHash))
}

// Session returns the session of the application with the session id.
func (s *Store) Session(ctx context.Context, applicationID, sessionID string) (aggregator.Session, error) {
	return readSession(s.db.Read().QueryRowContext(ctx, `SELECT `+sessionColumns+` FROM session WHERE session_id = $1 AND application_id = $2`, sessionID,
		applicationID))
}

// SessionByCode returns the session of the application whose code has this hash, redeemed or not.
func (s *Store) SessionByCode(ctx context.Context, applicationID, codeHash string) (aggregator.Session, error) {
	return readSession(s.db.Read().QueryRowContext(ctx, `SELECT `+sessionColumns+` FROM session WHERE code_hash = $1 AND application_id = $2`, codeHash,
		applicationID))
}

// TakeReturn notes that the browser came back from the bank, once: it returns aggregator.ErrNotFound when it came back
// before, or when the authorisation is not PENDING_AUTHORIZATION at now.
func (s *Store) TakeReturn(ctx context.Context, authorizationID string, now time.Time) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		result, err := tx.ExecContext(ctx, `UPDATE session SET returned = $1
			WHERE authorization_id = $2 AND status = $3 AND returned IS NULL AND page_expires > $1`,
			sqlite.At(now), authorizationID, openbanking.SessionStatusPendingAuthorization)
		return changed(result, err, "take return from the bank")
	})
}

// Complete moves an authorisation to RETURNED_FROM_BANK with the consent at the bank and the hash of its code, which is
// good until codeExpires. aggregator.ErrNotFound: it is not PENDING_AUTHORIZATION any more.
func (s *Store) Complete(ctx context.Context, authorizationID string, consent aggregator.Consent, codeHash string, codeExpires time.Time) error {
	from, to := aggregator.Transition(aggregator.EventCompleted)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		result, err := tx.ExecContext(ctx, `UPDATE session
			SET status = $1, consent_reference = $2, consent_valid_until = $3, code_hash = $4, code_expires = $5, due = $5,
				auth_method = CASE WHEN auth_method <> '' THEN auth_method
					ELSE coalesce((SELECT method FROM visit WHERE visit.authorization_id = session.authorization_id), '') END
			WHERE authorization_id = $6 AND status = $7 AND returned IS NOT NULL`,
			to, consent.Reference, sqlite.At(consent.ValidUntil), codeHash, sqlite.At(codeExpires), authorizationID, from)
		if err := changed(result, err, "complete authorisation"); err != nil {
			return err
		}
		return dropCredentials(ctx, tx, authorizationID)
	})
}

// Redeem moves a session to AUTHORIZED, with its id and accounts. row is the session as it is after that:
// SessionID and Authorized are stored. aggregator.ErrNotFound: it is not RETURNED_FROM_BANK any more.
func (s *Store) Redeem(ctx context.Context, row aggregator.Session, accounts []aggregator.SessionAccount) error {
	from, to := aggregator.Transition(aggregator.EventRedeemed)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		result, err := tx.ExecContext(ctx, `UPDATE session SET status = $1, session_id = $2, authorized = $3, due = $4
			WHERE authorization_id = $5 AND status = $6`,
			to, row.SessionID, sqlite.At(row.Authorized), sqlite.At(row.Expires()), row.AuthorizationID, from)
		if err := changed(result, err, "redeem code"); err != nil {
			return err
		}
		for i, a := range accounts {
			_, err := tx.ExecContext(ctx, `INSERT INTO session_account (authorization_id, position, uid, reference, hash, hashes)
				VALUES ($1, $2, $3, $4, $5, $6)`,
				row.AuthorizationID, i, nullText(a.UID), a.Reference, a.Hash, doc(&a.Hashes))
			if err != nil {
				return fmt.Errorf("store account of a session: %w", err)
			}
		}
		return nil
	})
}

// End moves a session to the final state that event leads to; at is its time of closing where that state has one.
// aggregator.ErrNotFound: it is not in the state in which event may happen.
func (s *Store) End(ctx context.Context, authorizationID string, event aggregator.Event, at time.Time) error {
	from, to := aggregator.Transition(event)
	closed := sqlite.NullTime{}
	if from == openbanking.SessionStatusAuthorized {
		closed = sqlite.AtOrNull(at)
	}
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		result, err := tx.ExecContext(ctx, `UPDATE session SET status = $1, closed = $2, due = NULL
			WHERE authorization_id = $3 AND status = $4`, to, closed, authorizationID, from)
		if err := changed(result, err, "end session"); err != nil {
			return err
		}
		return dropCredentials(ctx, tx, authorizationID)
	})
}

// SessionByConsent returns the session that came of a consent at a bank.
func (s *Store) SessionByConsent(ctx context.Context, aspsp openbanking.ASPSP, reference string) (aggregator.Session, error) {
	return readSession(s.db.Read().QueryRowContext(ctx, `SELECT `+sessionColumns+` FROM session
		WHERE consent_reference = $1 AND aspsp_name = $2 AND aspsp_country = $3`, reference, aspsp.Name, aspsp.Country))
}

// Authorization returns the authorisation of the application with the id, whatever came of it.
func (s *Store) Authorization(ctx context.Context, applicationID, authorizationID string) (aggregator.Session, error) {
	return readSession(s.db.Read().QueryRowContext(ctx, `SELECT `+sessionColumns+` FROM session WHERE authorization_id = $1 AND application_id = $2`,
		authorizationID, applicationID))
}

// DueSessions returns sessions whose state time has ended by now, at most limit of them, the longest due first.
func (s *Store) DueSessions(ctx context.Context, now time.Time, limit int) ([]aggregator.Session, error) {
	rows, err := s.db.Read().QueryContext(ctx, `SELECT `+sessionColumns+` FROM session WHERE due <= $1 ORDER BY due LIMIT $2`, sqlite.At(now), limit)
	if err != nil {
		return nil, fmt.Errorf("read due sessions: %w", err)
	}
	defer rows.Close()
	var due []aggregator.Session
	for rows.Next() {
		row, err := readSession(rows)
		if err != nil {
			return nil, err
		}
		due = append(due, row)
	}
	return due, rows.Err()
}

// NextDue returns when time will end the state of a session next; zero when it will for none.
func (s *Store) NextDue(ctx context.Context) (time.Time, error) {
	var next sqlite.NullTime
	err := s.db.Read().QueryRowContext(ctx, `SELECT MIN(due) FROM session WHERE due IS NOT NULL`).Scan(&next)
	return next.Time, found(err, "read next due session")
}

// SessionAccounts returns the accounts of a session in the order of the bank.
func (s *Store) SessionAccounts(ctx context.Context, authorizationID string) ([]aggregator.SessionAccount, error) {
	rows, err := s.db.Read().QueryContext(ctx, `SELECT uid, reference, hash, hashes FROM session_account
		WHERE authorization_id = $1 ORDER BY position`, authorizationID)
	if err != nil {
		return nil, fmt.Errorf("read accounts of a session: %w", err)
	}
	defer rows.Close()
	var accounts []aggregator.SessionAccount
	for rows.Next() {
		account, err := readAccount(rows)
		if err != nil {
			return nil, err
		}
		accounts = append(accounts, account)
	}
	return accounts, rows.Err()
}

// SessionAccount returns the account with the uid, of any session of the application, and that session.
func (s *Store) SessionAccount(ctx context.Context, applicationID, uid string) (aggregator.SessionAccount, aggregator.Session, error) {
	type row struct {
		account aggregator.SessionAccount
		session aggregator.Session
	}
	found, err := sqlite.Remember(ctx, s.db, sqlite.Key{"session_account", applicationID, uid}, func() (r row, err error) {
		r.account.UID = uid
		r.session, err = readSession(s.db.Read().QueryRowContext(ctx, `SELECT `+sessionColumns+`, reference, hash, hashes
			FROM session_account JOIN session ON session.authorization_id = session_account.authorization_id
			WHERE uid = $1 AND application_id = $2`, uid, applicationID),
			&r.account.Reference, &r.account.Hash, doc(&r.account.Hashes))
		return r, err
	})
	if err != nil {
		return aggregator.SessionAccount{}, aggregator.Session{}, err
	}
	return found.account, found.session, nil
}

func readAccount(row scanner) (aggregator.SessionAccount, error) {
	var a aggregator.SessionAccount
	var uid sql.NullString
	err := row.Scan(&uid, &a.Reference, &a.Hash, doc(&a.Hashes))
	a.UID = uid.String
	return a, found(err, "read account of a session")
}

// readSession reads sessionColumns, and the columns after them into more.
func readSession(row scanner, more ...any) (aggregator.Session, error) {
	var (
		s                                aggregator.Session
		sessionID, reference             sql.NullString
		balances, transactions           bool
		validUntil, created, pageExpires sqlite.Time
		codeExpires, authorized, closed  sqlite.NullTime
		consentValidUntil                sqlite.NullTime
	)
	err := row.Scan(append([]any{
		&s.AuthorizationID, &sessionID, &s.ApplicationID, &s.Status, &s.ASPSP.Name, &s.ASPSP.Country, &s.PSUType, &s.AuthMethod, &s.PSUIDHash,
		doc(&s.Access.Accounts), &balances, &transactions, &validUntil, &s.State, &s.RedirectURL, &s.Language, &created, &pageExpires,
		&codeExpires, &authorized, &closed, &reference, &consentValidUntil,
	}, more...)...)
	if err != nil {
		return aggregator.Session{}, found(err, "read session")
	}
	s.SessionID = sessionID.String
	s.Access.Balances, s.Access.Transactions = &balances, &transactions
	s.Access.ValidUntil = openbanking.DateTime{Time: validUntil.Time}
	s.Created, s.PageExpires = created.Time, pageExpires.Time
	s.CodeExpires, s.Authorized, s.Closed = codeExpires.Time, authorized.Time, closed.Time
	s.Consent = aggregator.Consent{Reference: reference.String, ValidUntil: consentValidUntil.Time}
	return s, nil
}
