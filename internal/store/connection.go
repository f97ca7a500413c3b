package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

const connectionColumns = `c.id, c.user_id, c.provider_id, p.name, p.environment, c.aspsp_name, c.country, c.psu_type, c.status,
	c.valid_until, c.created, c.authorized, c.ended, c.end_known, c.stopped, c.psu_headers, c.nickname,
	EXISTS (SELECT 1 FROM connection o WHERE o.user_id = c.user_id AND o.aspsp_name = c.aspsp_name AND o.country = c.country AND o.id <> c.id),
	EXISTS (SELECT 1 FROM connection o WHERE o.user_id = c.user_id AND o.aspsp_name = c.aspsp_name AND o.country = c.country AND o.provider_id <> c.provider_id),
	(SELECT json_group_array(json_object('holder', k.holder, 'iban', k.iban, 'number', k.number)) FROM account k WHERE k.user_id = c.user_id
		AND (k.connection_id = c.id OR k.former_connection = c.id OR k.id IN (SELECT s.account_id FROM shared_access s WHERE s.connection_id = c.id))),
	(SELECT MIN(e.due) FROM session_end e WHERE e.connection_id = c.id)`

// connectionRow is connectionColumns, being read.
type connectionRow struct {
	c                          finance.Connection
	environment                openbanking.Environment
	until, created, authorized sqlite.Time
	ended, stopped, endDue     sqlite.NullTime
	psu, accounts              string
}

func (r *connectionRow) fields() []any {
	return []any{&r.c.ID, &r.c.UserID, &r.c.ProviderID, &r.c.ProviderName, &r.environment, &r.c.ASPSP.Name, &r.c.ASPSP.Country, &r.c.PSUType, &r.c.Status,
		&r.until, &r.created, &r.authorized, &r.ended, &r.c.EndKnown, &r.stopped, &r.psu, &r.c.Nickname, &r.c.Several, &r.c.Services, &r.accounts, &r.endDue}
}

func (r *connectionRow) connection() (finance.Connection, error) {
	r.c.Simulated = finance.Provider{Environment: r.environment}.Simulated()
	r.c.ValidUntil, r.c.Created, r.c.Authorized, r.c.Ended = r.until.Time, r.created.Time, r.authorized.Time, r.ended.Time
	r.c.EndDue, r.c.Stopped = r.endDue.Time, r.stopped.Time
	r.c.PSUHeaders = strings.Fields(r.psu)
	var told []struct {
		Holder string `json:"holder"`
		IBAN   string `json:"iban"`
		Number string `json:"number"`
	}
	err := json.Unmarshal([]byte(r.accounts), &told)
	var accounts []finance.Account
	for _, a := range told {
		accounts = append(accounts, finance.Account{Holder: a.Holder, IBAN: a.IBAN, Number: a.Number})
	}
	return r.c.Of(accounts), err
}

func scanConnection(row scanner) (finance.Connection, error) {
	var r connectionRow
	if err := row.Scan(r.fields()...); err != nil {
		return finance.Connection{}, err
	}
	return r.connection()
}

// Connections lists the user's connections by bank.
func (r Reader) Connections(ctx context.Context, userID string) (_ []finance.Connection, err error) {
	defer doing("read connections", &err)
	return collect(ctx, r.from, scanConnection, `SELECT `+connectionColumns+` FROM connection c JOIN provider p ON p.id = c.provider_id
		WHERE c.user_id = $1 ORDER BY c.aspsp_name, c.country, c.created, c.id`, userID)
}

// Connection returns a connection of the user.
func (r Reader) Connection(ctx context.Context, userID, id string) (_ finance.Connection, err error) {
	defer doing("read connection", &err)
	c, err := scanConnection(r.from.QueryRowContext(ctx, `SELECT `+connectionColumns+` FROM connection c JOIN provider p ON p.id = c.provider_id
		WHERE c.id = $1 AND c.user_id = $2`, id, userID))
	return c, notFound(err)
}

// SavePSUHeaders notes the headers by which the bank of a connection knows that the person is there.
func (s *Store) SavePSUHeaders(ctx context.Context, userID, connectionID string, names []string) (err error) {
	defer doing("save the headers of a bank", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		return changed(tx.ExecContext(ctx, `UPDATE connection SET psu_headers = $1 WHERE id = $2 AND user_id = $3`, strings.Join(names, " "), connectionID, userID))
	})
}

// IdleConnections lists the active connections, of all users, whose sessions were not confirmed since a time: no read has succeeded, and the service was
// not asked. Times in the future come from a clock that ran ahead, and do not count.
func (s *Store) IdleConnections(ctx context.Context, since time.Time) (_ []finance.Connection, err error) {
	defer doing("find idle connections", &err)
	return collect(ctx, s.db.Read(), scanConnection, `SELECT `+connectionColumns+` FROM connection c JOIN provider p ON p.id = c.provider_id
		WHERE c.status = 'active' AND NOT COALESCE(c.looked, c.authorized) BETWEEN $1 AND $2
			AND NOT EXISTS (SELECT 1 FROM sync_task k WHERE k.connection_id = c.id AND k.last_success_at BETWEEN $1 AND $2)
		ORDER BY c.id`, sqlite.At(since), sqlite.At(time.Now()))
}

// SaveLook notes that the service has said that the session of a connection is good.
func (s *Store) SaveLook(ctx context.Context, userID, connectionID string) (err error) {
	defer doing("note a look at a session", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		return changed(tx.ExecContext(ctx, `UPDATE connection SET looked = $1 WHERE id = $2 AND user_id = $3`, sqlite.At(tx.Now), connectionID, userID))
	})
}

// NameConnection gives a connection of the user a nickname; "" takes it away.
func (s *Store) NameConnection(ctx context.Context, userID, connectionID, nickname string) (err error) {
	defer doing("name a connection", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		return changed(tx.ExecContext(ctx, `UPDATE connection SET nickname = $1 WHERE id = $2 AND user_id = $3`, nickname, connectionID, userID))
	})
}

// SessionID returns the id of the connection's session at the service; "" once disconnected.
func (s *Store) SessionID(ctx context.Context, userID, connectionID string) (_ finance.Secret, err error) {
	defer doing("read session id", &err)
	return s.sessionID(ctx, s.db.Read(), userID, connectionID)
}

func (s *Store) sessionID(ctx context.Context, q querier, userID, connectionID string) (finance.Secret, error) {
	var sealed string
	err := q.QueryRowContext(ctx, `SELECT session_id FROM connection WHERE id = $1 AND user_id = $2`, connectionID, userID).Scan(&sealed)
	if err != nil {
		return "", notFound(err)
	}
	id, err := s.key.open(sealed, "connection", "session_id", connectionID)
	return finance.Secret(id), err
}

// EndConnection records that a connection brings no more data from now on, and stops its tasks. Accounts and history stay; an account that another connection
// shares goes on there, due now. Disconnecting also makes the other accounts the user’s to keep, and leaves the session
// for ClaimSessionEnd. finance.ErrNotFound when it is not the user's, or when a connection that
// has ended would end otherwise: only disconnecting does that.
func (s *Store) EndConnection(ctx context.Context, userID, id string, status finance.ConnectionStatus) (err error) {
	defer doing("end connection", &err)
	if status == finance.ConnectionActive || !status.Valid() {
		return fmt.Errorf("a connection does not end as %q", status)
	}
	return s.db.Write(ctx, func(tx *sqlite.Tx) error { return s.endConnection(ctx, tx, userID, id, status, tx.Now) })
}

// DeleteConnection ends a connection of the user and deletes what it brought: its accounts with all that is in them. An account that another connection
// shares goes on there. The session is left for ClaimSessionEnd.
func (s *Store) DeleteConnection(ctx context.Context, userID, id string) (err error) {
	defer doing("delete connection", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		err := s.endConnection(ctx, tx, userID, id, finance.ConnectionDisconnected, tx.Now)
		if err != nil && !errors.Is(err, finance.ErrNotFound) {
			return err
		}
		var one int // it may have ended before
		if err := tx.QueryRowContext(ctx, `SELECT 1 FROM connection WHERE id = $1 AND user_id = $2`, id, userID).Scan(&one); err != nil {
			return notFound(err)
		}
		accounts, err := collect(ctx, tx, scanAccountRow, `SELECT `+accountColumns+` FROM account a WHERE a.former_connection = $1 AND a.user_id = $2`, id, userID)
		if err != nil {
			return err
		}
		for _, a := range accounts {
			if err := deleteAccount(ctx, tx, userID, a.ID); err != nil {
				return err
			}
		}
		return forgetConnection(ctx, tx, id)
	})
}

// EndSession is EndConnection for a session that is over at the service since a time, zero when that is not known. finance.ErrNotFound also when the connection
// has another session by now: it has been renewed, and goes on.
func (s *Store) EndSession(ctx context.Context, userID, connectionID string, session finance.Secret, status finance.ConnectionStatus,
	at time.Time) (err error) {
	defer doing("end session", &err)
	if status == finance.ConnectionActive || !status.Valid() {
		return fmt.Errorf("a session does not end as %q", status)
	}
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		now, err := s.sessionID(ctx, tx, userID, connectionID)
		if err != nil {
			return err
		}
		if now != session {
			return finance.ErrNotFound
		}
		return s.endConnection(ctx, tx, userID, connectionID, status, at)
	})
}

// endConnection is EndConnection with the time of the end; zero when that is unknown.
func (s *Store) endConnection(ctx context.Context, tx *sqlite.Tx, userID, id string, status finance.ConnectionStatus, at time.Time) error {
	known := !at.IsZero()
	if !known {
		at = tx.Now
	}
	query := `UPDATE connection SET status = $1, ended = $2, end_known = $5 WHERE id = $3 AND user_id = $4 AND status = 'active'`
	if status == finance.ConnectionDisconnected {
		if err := s.putSessionEnd(ctx, tx, userID, id); err != nil {
			return err
		}
		query = `UPDATE connection SET status = $1, end_known = CASE WHEN ended IS NULL THEN $5 ELSE end_known END, ended = COALESCE(ended, MIN(valid_until, $2)), stopped = $2, session_id = ''
			WHERE id = $3 AND user_id = $4 AND status <> 'disconnected'`
	}
	if err := changed(tx.ExecContext(ctx, query, status, sqlite.At(at), id, userID, flag(known))); err != nil {
		return err
	}
	if err := forgetSharedAccess(ctx, tx, userID, id); err != nil {
		return err
	}
	accounts, err := collect(ctx, tx, scanAccountRow, `SELECT `+accountColumns+` FROM account a WHERE a.connection_id = $1 AND a.user_id = $2`, id, userID)
	if err != nil {
		return err
	}
	for _, a := range accounts {
		to, err := handOver(ctx, tx, a)
		if err == nil && to == "" && status == finance.ConnectionDisconnected {
			err = keepAccount(ctx, tx, a)
		}
		if err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, `UPDATE account SET uid = '' WHERE connection_id = $1 AND user_id = $2`, id, userID); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE sync_task SET state = 'stopped', lease = '', lease_until = NULL, in_run = 0, continuation_key = ''
			WHERE connection_id = $1 AND user_id = $2 AND state <> 'stopped'`, id, userID)
	return err
}

// Link is what a completed authorisation brings.
type Link struct {
	Attempt    finance.LinkAttempt // used
	SessionID  finance.Secret
	ValidUntil time.Time // as granted
	Accounts   []openbanking.AccountResource
}

// SaveLink stores a completed link in one transaction: the connection, its accounts and their sync tasks, due now. A link that renews a connection
// (finance.RenewedConnection) keeps its row; accounts that are recognised (finance.MatchAccounts) keep theirs and their history; everything else is
// new.
//
// An account is stored once. If another connection keeps it up to date, it stays there, and the link's connection shares it; if that
// connection brings no data any more, the account moves to the link's connection. An account that the bank no longer shares moves to another
// connection that shares it, or stays with its history.
//
// SaveLink returns the attempt, done and with its accounts, and the session that the new one replaces, "" when there was none.
func (s *Store) SaveLink(ctx context.Context, link Link) (attempt finance.LinkAttempt, replaced finance.Secret, err error) {
	defer doing("save link", &err)
	attempt = link.Attempt
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		attempt.Accounts, replaced = nil, ""
		incoming, originals, err := readAccounts(link.Accounts)
		if err != nil {
			return err
		}
		known, err := accountsAtBank(ctx, tx, attempt)
		if err != nil {
			return err
		}
		shared, err := sharedAccess(ctx, tx, attempt.UserID)
		if err != nil {
			return err
		}
		match := finance.MatchAccounts(known, incoming)
		attempt.ConnectionID = finance.RenewedConnection(attempt, known, shared, match)
		attempt.Renewed = attempt.ConnectionID != ""
		if attempt.Renewed {
			replaced, err = s.renewConnection(ctx, tx, attempt, link)
		} else {
			attempt.ConnectionID = finance.NewID()
			err = s.insertConnection(ctx, tx, attempt, link)
		}
		if err != nil {
			return err
		}
		if err := forgetSharedAccess(ctx, tx, attempt.UserID, attempt.ConnectionID); err != nil {
			return err
		}
		for i, a := range incoming {
			var before finance.Account
			if k := match[i]; k >= 0 {
				before = known[k]
			}
			linked, err := linkAccount(ctx, tx, attempt, before, a, originals[i])
			if err != nil {
				return err
			}
			attempt.Accounts = append(attempt.Accounts, linked)
		}
		for k, a := range known {
			if a.ConnectionID != attempt.ConnectionID || !a.Linked() || slices.Contains(match, k) {
				continue
			}
			linked, err := leaveOut(ctx, tx, a)
			if err != nil {
				return err
			}
			attempt.Accounts = append(attempt.Accounts, linked)
		}
		return finishAttempt(ctx, tx, &attempt)
	})
	return attempt, replaced, err
}

// readAccounts reads the accounts of a session, each once, with their originals.
func readAccounts(wire []openbanking.AccountResource) (accounts []finance.Account, originals []string, err error) {
	for _, w := range wire {
		a := finance.ReadAccount(w)
		same := func(b finance.Account) bool { return a.Hash == b.Hash && a.BankCurrency == b.BankCurrency }
		if slices.ContainsFunc(accounts, same) {
			continue
		}
		original, err := json.Marshal(w)
		if err != nil {
			return nil, nil, err
		}
		accounts, originals = append(accounts, a), append(originals, string(original))
	}
	return accounts, originals, nil
}

// linkAccount stores an account that a link brings; before is what it was recognised as, if it was.
func linkAccount(ctx context.Context, tx *sqlite.Tx, attempt finance.LinkAttempt, before, a finance.Account, original string) (finance.LinkedAccount, error) {
	outcome := finance.OutcomeNew
	if before.ID == "" {
		a.ID, a.UserID, a.Created = finance.NewID(), attempt.UserID, tx.Now
	} else {
		stays := a.UID == "" && (before.ConnectionID != attempt.ConnectionID || !before.Linked()) // nor does one that nobody can read go back to the bank
		if !stays && before.UID != "" && before.ConnectionID != attempt.ConnectionID {
			var err error
			if stays, err = live(ctx, tx, before); err != nil {
				return finance.LinkedAccount{}, err
			}
		}
		if stays {
			return shareAccount(ctx, tx, attempt, before, a.UID)
		}
		a, outcome = before.Renewed(a), finance.OutcomeRecognised
	}
	a.ConnectionID = attempt.ConnectionID
	if a.UID == "" {
		outcome = finance.OutcomeNotAccessible
	}
	if err := saveAccount(ctx, tx, a, original); err != nil {
		return finance.LinkedAccount{}, err
	}
	return finance.LinkedAccount{Account: a, Outcome: outcome}, scheduleTasks(ctx, tx, a)
}

// leaveOut handles an account that the renewed connection no longer contains: another connection that can read it takes it over, else it loses its uid and
// keeps its history.
func leaveOut(ctx context.Context, tx *sqlite.Tx, a finance.Account) (finance.LinkedAccount, error) {
	to, err := handOver(ctx, tx, a)
	if err != nil {
		return finance.LinkedAccount{}, err
	}
	if to != "" {
		a.ConnectionID = to
		return finance.LinkedAccount{Account: a, Outcome: finance.OutcomeShared}, nil
	}
	a.UID = ""
	if _, err := tx.ExecContext(ctx, `UPDATE account SET uid = '' WHERE id = $1 AND user_id = $2`, a.ID, a.UserID); err != nil {
		return finance.LinkedAccount{}, err
	}
	return finance.LinkedAccount{Account: a, Outcome: finance.OutcomeLeftOut}, scheduleTasks(ctx, tx, a)
}

func (s *Store) insertConnection(ctx context.Context, tx *sqlite.Tx, a finance.LinkAttempt, link Link) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO connection
		(id, user_id, provider_id, aspsp_name, country, psu_type, status, session_id, valid_until, created, authorized)
		VALUES ($1, $2, $3, $4, $5, $6, 'active', $7, $8, $9, $9)`,
		a.ConnectionID, a.UserID, a.ProviderID, a.ASPSP.Name, a.ASPSP.Country, a.PSUType,
		s.key.seal(link.SessionID.Reveal(), "connection", "session_id", a.ConnectionID), sqlite.At(link.ValidUntil), sqlite.At(tx.Now))
	return err
}

// renewConnection puts the new session in place of the old one. It returns the old one while it may still be open, and notes that it is to be ended at its
// service.
func (s *Store) renewConnection(ctx context.Context, tx *sqlite.Tx, a finance.LinkAttempt, link Link) (finance.Secret, error) {
	var status finance.ConnectionStatus
	var sealed string
	err := tx.QueryRowContext(ctx, `SELECT status, session_id FROM connection WHERE id = $1 AND user_id = $2`, a.ConnectionID, a.UserID).Scan(&status, &sealed)
	if err != nil {
		return "", notFound(err)
	}
	old, err := s.key.open(sealed, "connection", "session_id", a.ConnectionID)
	if err != nil {
		return "", err
	}
	if status != finance.ConnectionActive || old == link.SessionID.Reveal() {
		old = ""
	} else if err := s.putSessionEnd(ctx, tx, a.UserID, a.ConnectionID); err != nil {
		return "", err
	}
	return finance.Secret(old), changed(tx.ExecContext(ctx, `UPDATE connection SET status = 'active', ended = NULL, end_known = 0, stopped = NULL, looked = NULL, session_id = $1, valid_until = $2, authorized = $3, psu_type = $4
		WHERE id = $5 AND user_id = $6`,
		s.key.seal(link.SessionID.Reveal(), "connection", "session_id", a.ConnectionID), sqlite.At(link.ValidUntil), sqlite.At(tx.Now), a.PSUType,
		a.ConnectionID, a.UserID))
}

// finishAttempt: used becomes done.
func finishAttempt(ctx context.Context, tx *sqlite.Tx, a *finance.LinkAttempt) error {
	err := changed(tx.ExecContext(ctx,
		`UPDATE link_attempt SET status = 'done', connection_id = $1, renewed = $2 WHERE id = $3 AND user_id = $4 AND status = 'used'`,
		a.ConnectionID, flag(a.Renewed), a.ID, a.UserID))
	if err != nil {
		return err
	}
	a.Status = finance.AttemptDone
	for i, l := range a.Accounts {
		_, err := tx.ExecContext(ctx, `INSERT INTO link_account (attempt_id, account_id, position, outcome, read_until)
			VALUES ($1, $2, $3, $4, (SELECT k.last_success_at FROM sync_task k WHERE k.account_id = $2 AND k.scope = 'transactions'))`,
			a.ID, l.Account.ID, i, l.Outcome)
		if err != nil {
			return err
		}
	}
	return nil
}

// flag is how a bool is stored.
func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}
