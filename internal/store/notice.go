package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"florin/internal/finance"
	"florin/internal/sqlite"
)

// noticeMailFor is how long Florin tries to send the mail about a notice. After that the person sees it on the pages only.
const noticeMailFor = 2 * 24 * time.Hour

// notify tells a user something: on every page until the user closes it, and by mail where Florin has a mail server. It is called in the transaction that makes
// it true, so that neither is there without the other:
//
//	return s.notify(ctx, tx, userID, finance.Notice{Kind: finance.NoticePasskeyAdded, Name: name})
//
// Kind and Name are all that has to be given. A new kind is a constant in finance, with its words in internal/handlers/letters.
func (s *Store) notify(ctx context.Context, tx *sqlite.Tx, userID string, n finance.Notice) error {
	id := finance.NewID()
	_, err := tx.ExecContext(ctx, `INSERT INTO notice (id, user_id, kind, name, created) VALUES ($1, $2, $3, $4, $5)`, id, userID, n.Kind, n.Name, sqlite.At(tx.Now))
	if err != nil {
		return err
	}
	return s.putMail(ctx, tx, userID, finance.MailKind(n.Kind), id, tx.Now.Add(noticeMailFor))
}

// putMail leaves a mail for ClaimMail, once for each kind and key.
func (s *Store) putMail(ctx context.Context, tx *sqlite.Tx, userID string, kind finance.MailKind, key string, until time.Time) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO mail (id, user_id, kind, key, state, due, until, created) VALUES ($1, $2, $3, $4, 'waiting', $5, $6, $5)
		ON CONFLICT DO NOTHING`, finance.NewID(), userID, kind, key, sqlite.At(tx.Now), sqlite.At(until))
	s.mailed() // whoever is wakened writes, and so comes after this transaction
	return err
}

// WhenMailed sets what is called when there is something for ClaimMail. It is set before the store is used.
func (s *Store) WhenMailed(wake func()) { s.mailed = wake }

// holds is the condition under which a notice n is still true: a consent that ends was neither renewed nor ended.
const holds = `(n.connection_id IS NULL OR EXISTS (SELECT 1 FROM connection c WHERE c.id = n.connection_id AND c.user_id = n.user_id AND c.status = 'active'
	AND c.valid_until = n.ends))`

// Notices returns what the user is told now and has not closed, the newest first.
func (s *Store) Notices(ctx context.Context, userID string) (_ []finance.Notice, err error) {
	defer doing("read notices", &err)
	return sqlite.Remember(ctx, s.db, sqlite.Key{"notice", userID, "open"}, func() ([]finance.Notice, error) {
		notices, err := collect(ctx, s.db.Read(), scanNotice, `SELECT n.id, n.kind, n.name, n.created, COALESCE(n.connection_id, '') FROM notice n
			WHERE n.user_id = $1 AND n.closed IS NULL AND `+holds+` ORDER BY n.created DESC, n.id`, userID)
		for i := range notices {
			if id := notices[i].Connection.ID; id != "" && err == nil {
				notices[i].Connection, err = s.Connection(ctx, userID, id)
			}
			if notices[i].Kind.SetsPassword() && err == nil {
				notices[i].StillOpen, err = ways(ctx, s.db.Read(), userID)
			}
		}
		return notices, err
	})
}

// ways reads how the user signs in without a password, and whether a calendar is read without a sign-in. Of several
// providers, of before and now, it is the last one that was linked.
func ways(ctx context.Context, q querier, userID string) (w finance.Ways, err error) {
	err = q.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM passkey WHERE user_id = $1 AND copied IS NULL),
		COALESCE((SELECT issuer FROM openid_identity WHERE user_id = $1 ORDER BY created DESC LIMIT 1), ''),
		EXISTS (SELECT 1 FROM calendar_address WHERE user_id = $1)`, userID).Scan(&w.Passkeys, &w.Provider, &w.Calendar)
	return w, err
}

// Ways returns how the user signs in without a password.
func (s *Store) Ways(ctx context.Context, userID string) (_ finance.Ways, err error) {
	defer doing("read ways to sign in", &err)
	return ways(ctx, s.db.Read(), userID)
}

func scanNotice(row scanner) (n finance.Notice, err error) {
	var created sqlite.Time
	err = row.Scan(&n.ID, &n.Kind, &n.Name, &created, &n.Connection.ID)
	n.At = created.Time
	return n, err
}

// CloseNotice closes a notice of the user, who may have closed it before. finance.ErrNotFound when it is not the user's.
func (s *Store) CloseNotice(ctx context.Context, userID, id string) (err error) {
	defer doing("close notice", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		return changed(tx.ExecContext(ctx, `UPDATE notice SET closed = COALESCE(closed, $1) WHERE id = $2 AND user_id = $3`, sqlite.At(tx.Now), id, userID))
	})
}

// Remind tells people that their consents end: 14, 7 and 1 days before, each once, and only the last of these days that has come; or that one has ended, where
// Florin was off on the last of them. It returns when the next of
// these days comes, zero for never. It is the work of a background loop.
func (s *Store) Remind(ctx context.Context) (next time.Time, err error) {
	defer doing("remind of consents", &err)
	now := time.Now()
	active, err := collect(ctx, s.db.Read(), func(row scanner) (c finance.Connection, err error) {
		var until, authorized sqlite.Time
		err = row.Scan(&c.ID, &c.UserID, &c.Status, &until, &authorized)
		c.ValidUntil, c.Authorized = until.Time, authorized.Time
		return c, err
	}, `SELECT c.id, c.user_id, c.status, c.valid_until, c.authorized FROM connection c WHERE c.status IN ('active', 'expired')`)
	if err != nil {
		return time.Time{}, err
	}
	for _, c := range active {
		if at := c.NextReminder(now); !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
		if days, due := c.Reminder(now); due {
			if err := s.remind(ctx, c, days); err != nil {
				return time.Time{}, err
			}
		}
		if c.EndedUnnoticed(now) {
			if err := s.notifyEnd(ctx, c); err != nil {
				return time.Time{}, err
			}
		}
	}
	return next, nil
}

// notifyEnd tells the user of a connection, once, that its consent has ended, where Florin was off on the last day on which it reminds of that.
func (s *Store) notifyEnd(ctx context.Context, c finance.Connection) error {
	var told bool
	key := c.ID + " " + c.ValidUntil.UTC().Format(time.RFC3339)
	err := s.db.Read().QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM notice WHERE user_id = $1 AND connection_id = $2 AND ends = $3 AND days = 1)
		OR EXISTS (SELECT 1 FROM alert WHERE user_id = $1 AND kind = $4 AND key = $5)`,
		c.UserID, c.ID, sqlite.At(c.ValidUntil), finance.AlertConsentEnds, key).Scan(&told)
	if err != nil || told {
		return err
	}
	return s.raiseNow(ctx, c.UserID, finance.Alert{Kind: finance.AlertConsentEnds, Key: key, Facts: finance.AlertFacts{Connection: c.ID, Ends: c.ValidUntil}})
}

// remind tells the user of a connection, once, that its consent ends. What was told on an earlier of these days goes.
func (s *Store) remind(ctx context.Context, c finance.Connection, days int) error {
	var told bool
	err := s.db.Read().QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM notice WHERE user_id = $1 AND connection_id = $2 AND ends = $3 AND days = $4)`,
		c.UserID, c.ID, sqlite.At(c.ValidUntil), days).Scan(&told)
	if err != nil || told {
		return err
	}
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		var id string
		err := tx.QueryRowContext(ctx, `INSERT INTO notice (id, user_id, kind, name, connection_id, ends, days, created)
			SELECT $1, c.user_id, $2, '', c.id, c.valid_until, $3, $4 FROM connection c WHERE c.id = $5 AND c.user_id = $6 AND c.status = 'active' AND c.valid_until = $7
			ON CONFLICT DO NOTHING RETURNING id`,
			finance.NewID(), finance.NoticeConsentEnds, days, sqlite.At(tx.Now), c.ID, c.UserID, sqlite.At(c.ValidUntil)).Scan(&id)
		if errors.Is(err, sql.ErrNoRows) { // renewed or ended meanwhile
			return nil
		}
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE notice SET closed = $1 WHERE user_id = $2 AND connection_id = $3 AND id <> $4 AND closed IS NULL`,
			sqlite.At(tx.Now), c.UserID, c.ID, id)
		if err != nil {
			return err
		}
		return s.raise(ctx, tx, c.UserID, finance.Alert{Kind: finance.AlertConsentEnds, Key: id, Until: c.ValidUntil,
			Facts: finance.AlertFacts{Connection: c.ID, Ends: c.ValidUntil}})
	})
}
