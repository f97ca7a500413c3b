package store

import (
	"context"
	"time"

	"florin/internal/finance"
	"florin/internal/sqlite"
)

// strayLease is the longest for which ClaimStray is asked: a webhook that is due so soon may be held by a process that is gone.
const strayLease = 2 * time.Minute

// TakeOver makes due now what an earlier process was working on. Call it when Florin starts, before its loops: only one Florin serves a data
// directory (ADR 0011), so nobody else holds anything. A payment that was being sent gets no answer any more,
// and whether a mail that was being sent has left nobody knows; a webhook that was being sent is sent again.
func (s *Store) TakeOver(ctx context.Context) (err error) {
	defer doing("take over", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		now := sqlite.At(tx.Now)
		for _, c := range []struct {
			query string
			args  []any
		}{
			{`UPDATE sync_task SET state = 'waiting', lease = '', lease_until = NULL, next_attempt_at = $1 WHERE state = 'running'`, []any{now}},
			{`UPDATE payment SET lease = '', lease_until = NULL WHERE lease_until IS NOT NULL`, nil},
			{`UPDATE payment SET sending_until = $1 WHERE phase = 'sending' AND sending_until > $1`, []any{now}},
			{`UPDATE link_attempt SET status = 'failed', failure_code = $1 WHERE status = 'used'`, []any{finance.FailureStopped}},
			{`UPDATE mail SET state = 'failed', reason = $1 WHERE state = 'sending'`, []any{finance.MailInterrupted}},
			{`UPDATE message SET state = 'failed', reason = $1 WHERE state = 'sending' AND channel <> $2`, []any{finance.MailInterrupted, finance.ChannelWebhook}},
			{`UPDATE message SET state = 'waiting', due = $1 WHERE state = 'sending'`, []any{now}}, // its receiver recognises it: finance.Channel.Recognises
			{`UPDATE webhook_delivery SET next_try_at = $1 WHERE next_try_at > $1 AND next_try_at <= $2`, []any{now, sqlite.At(tx.Now.Add(strayLease))}},
		} {
			if _, err := tx.ExecContext(ctx, c.query, c.args...); err != nil {
				return err
			}
		}
		return nil
	})
}

// farthest is how far ahead a schedule puts what is due next: a day, and a little that is drawn at random. What lies farther was written while the
// clock was wrong.
const farthest = 36 * time.Hour

// ClampDue makes due now whatever is due later than any schedule would put it, and returns how many rows it changed. Such rows were written while the
// clock was ahead, and would wait until it is that late.
func (s *Store) ClampDue(ctx context.Context) (clamped int64, err error) {
	defer doing("clamp due times", &err)
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		clamped = 0
		now, latest := sqlite.At(tx.Now), sqlite.At(tx.Now.Add(farthest))
		for _, query := range []string{
			`UPDATE sync_task SET next_attempt_at = $1 WHERE state = 'waiting' AND next_attempt_at > $2`,
			`UPDATE sync_task SET lease_until = $1 WHERE state = 'running' AND lease_until > $2`,
			`UPDATE payment SET next_check_at = $1 WHERE next_check_at > $2`,
			`UPDATE payment SET lease_until = $1 WHERE lease_until > $2`,
			`UPDATE payment SET sending_until = $1 WHERE sending_until > $2`,
			`UPDATE webhook_delivery SET next_try_at = $1 WHERE next_try_at > $2`,
			`UPDATE session_end SET due = $1 WHERE due > $2`,
			`UPDATE mail SET due = $1 WHERE state = 'waiting' AND due > $2`,
			`UPDATE message SET due = $1 WHERE state = 'waiting' AND due > $2`,
		} {
			r, err := tx.ExecContext(ctx, query, now, latest)
			if err != nil {
				return err
			}
			n, err := r.RowsAffected()
			if err != nil {
				return err
			}
			clamped += n
		}
		return nil
	})
	return clamped, err
}
