package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"florin/internal/finance"
	"florin/internal/sqlite"
)

// resetMailFor is how long Florin tries to send a mail with a link for a new password. After that the person has to ask again.
const resetMailFor = time.Hour

// AskForReset notes that somebody has asked for a link to set a new password for an address, whether somebody has it or not: ClaimMail finds out.
func (s *Store) AskForReset(ctx context.Context, email string) (err error) {
	defer doing("ask for a reset link", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO reset_request (id, email, created) VALUES ($1, $2, $3)`, finance.NewID(), email, sqlite.At(tx.Now))
		s.mailed()
		return err
	})
}

// keptMail is how long a mail is kept after it has served its purpose, and a notice after it was closed. A notice about a consent is kept as long as its
// connection, so that it is never sent twice.
const keptMail = 90 * 24 * time.Hour

// takeResetRequests makes a mail for each request whose address belongs to a user, and deletes all requests.
func (s *Store) takeResetRequests(ctx context.Context, tx *sqlite.Tx) error {
	type request struct {
		id, userID string
		created    sqlite.Time
	}
	requests, err := collect(ctx, tx, func(row scanner) (r request, err error) { return r, row.Scan(&r.id, &r.userID, &r.created) },
		`SELECT r.id, u.id, r.created FROM reset_request r JOIN user u ON u.email = r.email`)
	if err != nil {
		return err
	}
	for _, r := range requests {
		if err := s.putMail(ctx, tx, r.userID, finance.MailResetLink, r.id, r.created.Add(resetMailFor)); err != nil {
			return err
		}
	}
	_, err = tx.ExecContext(ctx, `DELETE FROM reset_request`)
	return err
}

const mailColumns = `m.id, m.kind, m.state, m.reason, m.attempts, m.until, m.created, m.tried, u.id, u.email, u.role, u.language, u.currency, u.created,
	COALESCE(NULLIF(u.language, ''), u.heard, ''), COALESCE(n.id, ''), COALESCE(n.kind, ''), COALESCE(n.name, ''), n.created, COALESCE(n.connection_id, '')`

const mailFrom = ` FROM mail m JOIN user u ON u.id = m.user_id LEFT JOIN notice n ON n.id = m.key AND n.user_id = m.user_id `

func scanMail(row scanner) (m finance.Mail, err error) {
	var until, created, since sqlite.Time
	var tried, told sqlite.NullTime
	err = row.Scan(&m.ID, &m.Kind, &m.State, &m.Reason, &m.Attempts, &until, &created, &tried, &m.User.ID, &m.User.Email, &m.User.Role, &m.User.Language,
		&m.User.Currency, &since, &m.Language, &m.Notice.ID, &m.Notice.Kind, &m.Notice.Name, &told, &m.Notice.Connection.ID)
	m.Until, m.Created, m.Tried, m.User.Created, m.Notice.At = until.Time, created.Time, tried.Time, since.Time, told.Time
	return m, err
}

// ClaimMail returns a mail that is to be sent now, and stores that it is being sent: nobody gets it again, in this process or another, unless RetryMail says
// that it has not left. Without one, ok is false, and next is when the first is due, zero for never. Mails that are of no use any more are never returned.
func (s *Store) ClaimMail(ctx context.Context) (m finance.Mail, ok bool, next time.Time, err error) {
	defer doing("claim a mail", &err)
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		m, ok, next = finance.Mail{}, false, time.Time{}
		if err := s.takeResetRequests(ctx, tx); err != nil {
			return err
		}
		now := sqlite.At(tx.Now)
		for _, c := range []struct{ reason, when string }{
			{finance.MailLate, `m.until <= $1`},
			{finance.MailOutdated, `m.due <= $1 AND EXISTS (SELECT 1 FROM notice n WHERE n.id = m.key AND n.user_id = m.user_id AND NOT ` + holds + `)`},
		} {
			if _, err := tx.ExecContext(ctx, `UPDATE mail AS m SET state = 'failed', reason = $2 WHERE m.state = 'waiting' AND `+c.when, now, c.reason); err != nil {
				return err
			}
		}
		var due sqlite.Time
		var id string
		err := tx.QueryRowContext(ctx, `SELECT m.id, m.due FROM mail m WHERE m.state = 'waiting' ORDER BY m.due, m.created LIMIT 1`).Scan(&id, &due)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if due.After(tx.Now) {
			next = due.Time
			return nil
		}
		m, err = s.startMail(ctx, tx, id)
		ok = err == nil
		return err
	})
	return m, ok, next, err
}

// startMail stores that a mail is being sent, and returns it.
func (s *Store) startMail(ctx context.Context, tx *sqlite.Tx, id string) (m finance.Mail, err error) {
	_, err = tx.ExecContext(ctx, `UPDATE mail SET state = 'sending', reason = '', attempts = attempts + 1, tried = $1 WHERE id = $2`, sqlite.At(tx.Now), id)
	if err != nil {
		return m, err
	}
	if m, err = scanMail(tx.QueryRowContext(ctx, `SELECT `+mailColumns+mailFrom+`WHERE m.id = $1`, id)); err != nil {
		return m, err
	}
	if m.Notice.Kind.SetsPassword() {
		m.Notice.StillOpen, err = ways(ctx, tx, m.User.ID)
	}
	if err != nil || m.Notice.Connection.ID == "" {
		return m, err
	}
	m.Notice.Connection, err = scanConnection(tx.QueryRowContext(ctx, `SELECT `+connectionColumns+` FROM connection c JOIN provider p ON p.id = c.provider_id
		WHERE c.id = $1 AND c.user_id = $2`, m.Notice.Connection.ID, m.User.ID))
	return m, err
}

// StartTestMail makes a mail to the user that says nothing but that it has come, and stores that it is being sent.
func (s *Store) StartTestMail(ctx context.Context, userID string) (m finance.Mail, err error) {
	defer doing("start a test mail", &err)
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		id := finance.NewID()
		_, err := tx.ExecContext(ctx, `INSERT INTO mail (id, user_id, kind, key, state, due, until, created) VALUES ($1, $2, $3, $1, 'sending', $4, $4, $4)`,
			id, userID, finance.MailTest, sqlite.At(tx.Now))
		if err != nil {
			return err
		}
		m, err = s.startMail(ctx, tx, id)
		return err
	})
	return m, err
}

// EndMail records that a mail was sent, or why it will never be: a code, "" for sent.
func (s *Store) EndMail(ctx context.Context, userID, id, reason string) (err error) {
	defer doing("record the end of a mail", &err)
	state := finance.MailSent
	if reason != "" {
		state = finance.MailFailed
	}
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		return changed(tx.ExecContext(ctx, `UPDATE mail SET state = $1, reason = $2 WHERE id = $3 AND user_id = $4 AND state = 'sending'`, state, reason, id, userID))
	})
}

// RetryMail records that a mail has certainly not left, why, and when it is tried again.
func (s *Store) RetryMail(ctx context.Context, userID, id, reason string, due time.Time) (err error) {
	defer doing("delay a mail", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		return changed(tx.ExecContext(ctx, `UPDATE mail SET state = 'waiting', reason = $1, due = $2 WHERE id = $3 AND user_id = $4 AND state = 'sending'`,
			reason, sqlite.At(due), id, userID))
	})
}

// LastMail returns the mail with which the mail server was last asked: of the user, or of anybody for the userID "". finance.ErrNotFound when there is none.
func (s *Store) LastMail(ctx context.Context, userID string) (_ finance.Mail, err error) {
	defer doing("read the last mail", &err)
	m, err := scanMail(s.db.Read().QueryRowContext(ctx, `SELECT `+mailColumns+mailFrom+`WHERE m.tried IS NOT NULL AND ($1 = '' OR m.user_id = $1)
		ORDER BY m.tried DESC, m.id LIMIT 1`, userID))
	return m, notFound(err)
}
