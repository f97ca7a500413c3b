package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"florin/internal/sqlite"
)

// failureMemory is how long failed sign-ins count after the last of them.
const failureMemory = 24 * time.Hour

// Failures is what is known about failed tries of one subject, such as an account or a network address, as a hash.
type Failures struct {
	Count        int // in a row
	BlockedUntil time.Time
}

// failures returns those of a subject; none when the last is long ago.
func failures(ctx context.Context, q querier, subject string, now time.Time) (Failures, error) {
	var f Failures
	var until sqlite.Time
	err := q.QueryRowContext(ctx, `SELECT failures, blocked_until FROM sign_in_failure WHERE subject = $1 AND last_failure > $2`,
		subject, sqlite.At(now.Add(-failureMemory))).Scan(&f.Count, &until)
	if errors.Is(err, sql.ErrNoRows) {
		return Failures{}, nil
	}
	f.BlockedUntil = until.Time
	return f, err
}

// notBlocked is stored as the end of the block when there is none. It lies before every now, even that of a try that began earlier and is counted later.
var notBlocked = time.Unix(0, 0).UTC()

// AddSignInTry counts a try for every subject before its password is looked at, so that tries in parallel cannot slip through. wait gives the time a
// subject is blocked after so many tries without success. When a subject is blocked already nothing is counted and the time when the last block ends
// is returned; else the zero time. A block that lasts beyond longest was written by a clock that was wrong, and is none.
func (s *Store) AddSignInTry(ctx context.Context, now time.Time, subjects []string, longest time.Duration,
	wait func(subject int, tries int) time.Duration) (blocked time.Time, err error) {
	defer doing("add sign-in try", &err)
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		blocked = time.Time{}
		known := make([]Failures, len(subjects))
		for i, subject := range subjects {
			f, err := failures(ctx, tx, subject, now)
			if err != nil {
				return err
			}
			if f.BlockedUntil.Sub(now) > longest { // written while the clock was ahead
				f.BlockedUntil = notBlocked
			}
			if f.BlockedUntil.After(now) && f.BlockedUntil.After(blocked) {
				blocked = f.BlockedUntil
			}
			known[i] = f
		}
		if !blocked.IsZero() {
			return nil
		}
		for i, subject := range subjects {
			n, until := known[i].Count+1, notBlocked
			if d := wait(i, n); d > 0 {
				until = now.Add(d)
			}
			_, err := tx.ExecContext(ctx, `INSERT INTO sign_in_failure (subject, failures, last_failure, blocked_until) VALUES ($1, $2, $3, $4)
				ON CONFLICT (subject) DO UPDATE SET failures = excluded.failures, last_failure = excluded.last_failure, blocked_until = excluded.blocked_until`,
				subject, n, sqlite.At(now), sqlite.At(until))
			if err != nil {
				return err
			}
		}
		return nil
	})
	return blocked, err
}

// ForgiveSignInTries subtracts tries from each subject after a success: the successful one, and as many more as the caller decides. It does not reset the
// counter: knowing one password must not clear an address for guessing others, and the owner's own sign-ins must not give a stranger new tries.
func (s *Store) ForgiveSignInTries(ctx context.Context, subjects []string, tries func(subject int) int) (err error) {
	defer doing("forgive sign-in tries", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		for i, subject := range subjects {
			if _, err := tx.ExecContext(ctx, `DELETE FROM sign_in_failure WHERE subject = $1 AND failures <= $2`, subject, tries(i)); err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, `UPDATE sign_in_failure SET failures = failures - $1, blocked_until = $2 WHERE subject = $3`, tries(i),
				sqlite.At(notBlocked), subject); err != nil {
				return err
			}
		}
		return nil
	})
}

// ForgetSignInTries forgets all failures of a subject.
func (s *Store) ForgetSignInTries(ctx context.Context, subject string) (err error) {
	defer doing("forget sign-in tries", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM sign_in_failure WHERE subject = $1`, subject)
		return err
	})
}
