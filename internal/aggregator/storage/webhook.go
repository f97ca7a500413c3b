package storage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"florin/internal/aggregator"
	"florin/internal/sqlite"
)

// webhookColumns are in the order of webhookRow.
const webhookColumns = `webhook.webhook_id, webhook.payment_id, webhook.application_id, webhook.environment, webhook.sequence, webhook.url, webhook.origin,
	webhook.body, webhook.status, webhook.created, webhook.due, webhook.attempts, webhook.delivered, webhook.given_up, webhook.resend`

// webhookRow is a row of the table webhook with the times as it holds them.
type webhookRow struct {
	aggregator.Webhook
	created                        sqlite.Time
	due, delivered, givenUp, again sqlite.NullTime
}

// scan returns where the columns go.
func (w *webhookRow) scan() []any {
	return []any{
		&w.ID, &w.PaymentID, &w.ApplicationID, &w.Environment, &w.Sequence, &w.URL, &w.Origin,
		&w.Body, &w.Status, &w.created, &w.due, &w.Attempts, &w.delivered, &w.givenUp, &w.again,
	}
}

func (w *webhookRow) value() aggregator.Webhook {
	w.Created, w.Due, w.Delivered, w.GivenUp, w.Again = w.created.Time, w.due.Time, w.delivered.Time, w.givenUp.Time, w.again.Time
	return w.Webhook
}

// keepAttempts is how many attempts of an event are kept, the last ones: more than there are in the 24 hours of its retries. Others
// come when its owner has it sent again.
const keepAttempts = 500

// WebhookShares are how many events may be claimed at a time.
type WebhookShares struct {
	PerOrigin int // of one application for one origin
	PerOwner  int // of all applications of a developer, or of one of the operator's
}

// webhookTarget is where events go, and whose they are.
type webhookTarget struct{ application, owner, origin string }

// ClaimWebhooks returns at most limit due events and reserves them for the caller until lease. Of each payment it returns only the oldest open event. The
// shares limit how many events of one origin and of one owner are claimed at a time, by all callers together. When it returns fewer than limit, nothing
// more can be claimed now.
//
// It finds applications and origins by index, so the backlog of a slow one costs nothing.
func (s *Store) ClaimWebhooks(ctx context.Context, now, lease time.Time, shares WebhookShares, limit int) ([]aggregator.Webhook, error) {
	var list []aggregator.Webhook
	err := s.db.Write(ctx, func(tx *sqlite.Tx) error {
		const of = `application.id, coalesce(application.owner_id, application.id)`
		taken, owners := map[webhookTarget]int{}, map[string]int{}
		claimed, err := targets(ctx, tx, `SELECT `+of+`, origin FROM webhook JOIN application ON application.id = application_id WHERE lease_until > $1`,
			sqlite.At(now))
		if err != nil {
			return err
		}
		for _, to := range claimed {
			taken[to]++
			owners[to.owner]++
		}
		room := func(owner string) int { return min(shares.PerOwner-owners[owner], limit-len(list)) }
		claim := func(to webhookTarget, which string) error {
			left := min(room(to.owner), shares.PerOrigin-taken[to])
			if left <= 0 {
				return nil
			}
			rows, err := tx.QueryContext(ctx, `UPDATE webhook SET lease_until = $2 WHERE webhook_id IN (`+which+`)
				RETURNING `+strings.ReplaceAll(webhookColumns, "webhook.", ""), sqlite.At(now), sqlite.At(lease), to.application, to.origin, left)
			if err != nil {
				return fmt.Errorf("claim webhooks: %w", err)
			}
			claimed, err := readWebhooks(rows)
			list = append(list, claimed...)
			taken[to] += len(claimed)
			owners[to.owner] += len(claimed)
			return err
		}
		closed, err := targets(ctx, tx, `SELECT DISTINCT `+of+`, origin FROM webhook JOIN application ON application.id = application_id WHERE resend <= $1`,
			sqlite.At(now))
		if err != nil {
			return err
		}
		for _, to := range closed {
			if err := claim(to, `SELECT webhook_id FROM webhook WHERE resend <= $1 AND application_id = $3 AND origin = $4 AND (lease_until IS NULL OR lease_until <= $1)
				ORDER BY resend LIMIT $5`); err != nil {
				return err
			}
		}
		waiting, err := targets(ctx, tx, `WITH RECURSIVE step (id) AS (SELECT min(application_id) FROM webhook WHERE due IS NOT NULL
				UNION ALL SELECT (SELECT min(application_id) FROM webhook WHERE due IS NOT NULL AND application_id > step.id) FROM step WHERE step.id IS NOT NULL),
			waiting AS (SELECT id, (SELECT min(due) FROM webhook WHERE due IS NOT NULL AND application_id = step.id) AS earliest FROM step WHERE id IS NOT NULL)
			SELECT `+of+`, '' FROM waiting JOIN application ON application.id = waiting.id WHERE earliest <= $1 ORDER BY earliest, application.id`, sqlite.At(now))
		if err != nil {
			return err
		}
		for _, app := range waiting {
			if room(app.owner) <= 0 {
				continue
			}
			open, err := targets(ctx, tx, `WITH RECURSIVE step (origin) AS (SELECT min(origin) FROM webhook WHERE due IS NOT NULL AND application_id = $2
					UNION ALL SELECT (SELECT min(origin) FROM webhook WHERE due IS NOT NULL AND application_id = $2 AND origin > step.origin) FROM step WHERE step.origin IS NOT NULL),
				waiting AS (SELECT origin, (SELECT min(due) FROM webhook WHERE due IS NOT NULL AND application_id = $2 AND origin = step.origin) AS earliest FROM step WHERE origin IS NOT NULL)
				SELECT $2, $3, origin FROM waiting WHERE earliest <= $1 ORDER BY earliest, origin`, sqlite.At(now), app.application, app.owner)
			if err != nil {
				return err
			}
			for _, to := range open {
				if err := claim(to, `SELECT webhook_id FROM webhook WHERE due <= $1 AND application_id = $3 AND origin = $4 AND (lease_until IS NULL OR lease_until <= $1)
						AND NOT EXISTS (SELECT 1 FROM webhook AS earlier WHERE earlier.payment_id = webhook.payment_id
							AND earlier.sequence < webhook.sequence AND earlier.due IS NOT NULL)
					ORDER BY due LIMIT $5`); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return list, err
}

// targets reads application, owner and origin.
func targets(ctx context.Context, tx *sqlite.Tx, query string, args ...any) ([]webhookTarget, error) {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("look for webhooks: %w", err)
	}
	defer rows.Close()
	var list []webhookTarget
	for rows.Next() {
		var to webhookTarget
		if err := rows.Scan(&to.application, &to.owner, &to.origin); err != nil {
			return nil, fmt.Errorf("look for webhooks: %w", err)
		}
		list = append(list, to)
	}
	return list, rows.Err()
}

func readWebhooks(rows *sql.Rows) (list []aggregator.Webhook, err error) {
	defer rows.Close()
	for rows.Next() {
		var w webhookRow
		if err := rows.Scan(w.scan()...); err != nil {
			return nil, fmt.Errorf("read webhook: %w", err)
		}
		list = append(list, w.value())
	}
	return list, rows.Err()
}

// WebhooksDue returns when ClaimWebhooks can have more to give than at now: when an event falls due, or a lease runs out.
// It is zero for never.
func (s *Store) WebhooksDue(ctx context.Context, now time.Time) (time.Time, error) {
	var due, resend, lease sqlite.NullTime
	err := s.db.Read().QueryRowContext(ctx, `SELECT (SELECT min(due) FROM webhook WHERE due > $1), (SELECT min(resend) FROM webhook WHERE resend > $1),
		(SELECT min(lease_until) FROM webhook WHERE lease_until > $1)`, sqlite.At(now)).Scan(&due, &resend, &lease)
	if err != nil {
		return time.Time{}, fmt.Errorf("look for webhooks that fall due: %w", err)
	}
	var next time.Time
	for _, t := range []time.Time{due.Time, resend.Time, lease.Time} {
		if !t.IsZero() && (next.IsZero() || t.Before(next)) {
			next = t
		}
	}
	return next, nil
}

// FinishWebhooks records tries of claimed events with what follows from them, all or none, and ends their leases. What
// comes after an event of the same payment is not due before it.
func (s *Store) FinishWebhooks(ctx context.Context, now time.Time, results []aggregator.WebhookResult) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		for _, r := range results {
			if err := finishWebhook(ctx, tx, now, r); err != nil {
				return err
			}
		}
		return nil
	})
}

func finishWebhook(ctx context.Context, tx *sqlite.Tx, now time.Time, r aggregator.WebhookResult) error {
	var number, sequence int
	var payment string
	var open, closed bool // closed: by this try
	// A closed event stays closed, whichever try closed it: one that was given up can still turn out delivered.
	err := tx.QueryRowContext(ctx, `UPDATE webhook SET attempts = attempts + 1, lease_until = NULL, resend = NULL,
			due = CASE WHEN due IS NULL OR $2 = 1 THEN NULL ELSE $3 END,
			delivered = CASE WHEN $2 = 1 THEN coalesce(delivered, $4) ELSE delivered END,
			given_up = CASE WHEN $2 = 1 THEN NULL WHEN due IS NOT NULL AND $3 IS NULL THEN $4 ELSE given_up END
		WHERE webhook_id = $1 RETURNING attempts, payment_id, sequence, due IS NOT NULL, coalesce(delivered, given_up, '') = $4`,
		r.WebhookID, r.Acknowledged, sqlite.AtOrNull(r.Next), sqlite.At(now)).Scan(&number, &payment, &sequence, &open, &closed)
	if errors.Is(err, sql.ErrNoRows) {
		return nil // purged meanwhile
	}
	if err != nil {
		return fmt.Errorf("finish webhook: %w", err)
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO webhook_attempt (webhook_id, number, at, latency, status, outcome) VALUES ($1, $2, $3, $4, $5, $6)`,
		r.WebhookID, number, sqlite.At(r.At), r.Latency.Microseconds(), r.Status, r.Outcome)
	if err != nil {
		return fmt.Errorf("store attempt of a webhook: %w", err)
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM webhook_attempt WHERE webhook_id = $1 AND number <= $2`, r.WebhookID, number-keepAttempts); err != nil {
		return fmt.Errorf("forget attempts of a webhook: %w", err)
	}
	switch {
	case closed:
		_, err = tx.ExecContext(ctx, `UPDATE webhook SET due = $3 WHERE payment_id = $1 AND sequence > $2 AND due > $3`, payment, sequence, sqlite.At(now))
	case open:
		_, err = tx.ExecContext(ctx, `UPDATE webhook SET due = $3 WHERE payment_id = $1 AND sequence > $2 AND due < $3`, payment, sequence, sqlite.At(r.Next))
	}
	if err != nil {
		return fmt.Errorf("put webhooks behind another: %w", err)
	}
	return nil
}

// ReleaseWebhooks ends the leases of claimed events that were not tried: they are due as before.
func (s *Store) ReleaseWebhooks(ctx context.Context, ids []string) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		for _, id := range ids {
			if _, err := tx.ExecContext(ctx, `UPDATE webhook SET lease_until = NULL WHERE webhook_id = $1`, id); err != nil {
				return fmt.Errorf("release webhook: %w", err)
			}
		}
		return nil
	})
}

// ResendWebhook makes an event due now. An open one goes after the earlier ones of its payment, which become due too; one
// that was delivered or given up is tried once more. aggregator.ErrNotFound: there is none.
func (s *Store) ResendWebhook(ctx context.Context, id string, now time.Time) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		var payment string
		var sequence int
		var open bool
		err := tx.QueryRowContext(ctx, `UPDATE webhook SET resend = CASE WHEN due IS NULL THEN $2 ELSE NULL END
			WHERE webhook_id = $1 RETURNING payment_id, sequence, due IS NOT NULL`, id, sqlite.At(now)).Scan(&payment, &sequence, &open)
		if err := found(err, "resend webhook"); err != nil || !open {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE webhook SET due = $3 WHERE payment_id = $1 AND sequence <= $2 AND due > $3`, payment, sequence, sqlite.At(now))
		if err != nil {
			return fmt.Errorf("resend webhook: %w", err)
		}
		return nil
	})
}

// Webhooks returns the events that pass the filter with their last attempts, the newest first.
func (s *Store) Webhooks(ctx context.Context, f aggregator.WebhookFilter) ([]aggregator.WebhookRecord, error) {
	args := []any{f.ApplicationID}
	parameter := func(value any) string {
		args = append(args, value)
		return "$" + strconv.Itoa(len(args))
	}
	where := "webhook.application_id = $1"
	if f.PaymentID != "" {
		where += " AND webhook.payment_id = " + parameter(f.PaymentID)
	}
	switch f.State {
	case "":
	case aggregator.WebhookOpen:
		where += " AND webhook.due IS NOT NULL"
	case aggregator.WebhookDelivered:
		where += " AND webhook.delivered IS NOT NULL"
	case aggregator.WebhookGivenUp:
		where += " AND webhook.given_up IS NOT NULL"
	default:
		return nil, nil
	}
	if !f.Before.At.IsZero() {
		at, id := parameter(sqlite.At(f.Before.At)), parameter(f.Before.ID)
		where += " AND (webhook.created, webhook.webhook_id) < (" + at + ", " + id + ")"
	}
	rows, err := s.db.Read().QueryContext(ctx, `SELECT `+webhookColumns+`, attempt.at, coalesce(attempt.latency, 0), coalesce(attempt.status, 0), coalesce(attempt.outcome, '')
		FROM webhook LEFT JOIN webhook_attempt AS attempt ON attempt.webhook_id = webhook.webhook_id AND attempt.number = webhook.attempts
		WHERE `+where+` ORDER BY webhook.created DESC, webhook.webhook_id DESC LIMIT `+parameter(f.Limit), args...)
	if err != nil {
		return nil, fmt.Errorf("read webhooks: %w", err)
	}
	defer rows.Close()
	var list []aggregator.WebhookRecord
	for rows.Next() {
		var w webhookRow
		var at sqlite.NullTime
		var latency int64
		var last aggregator.WebhookAttempt
		if err := rows.Scan(append(w.scan(), &at, &latency, &last.Status, &last.Outcome)...); err != nil {
			return nil, fmt.Errorf("read webhook: %w", err)
		}
		if !at.IsZero() {
			last.WebhookID, last.Number, last.At, last.Latency = w.ID, w.Attempts, at.Time, time.Duration(latency)*time.Microsecond
		}
		list = append(list, aggregator.WebhookRecord{Webhook: w.value(), Last: last})
	}
	return list, rows.Err()
}

// Webhook returns the event with the id.
func (s *Store) Webhook(ctx context.Context, id string) (aggregator.Webhook, error) {
	var w webhookRow
	err := s.db.Read().QueryRowContext(ctx, `SELECT `+webhookColumns+` FROM webhook WHERE webhook_id = $1`, id).Scan(w.scan()...)
	if err := found(err, "read webhook"); err != nil {
		return aggregator.Webhook{}, err
	}
	return w.value(), nil
}

// WebhookAttempts returns the tries to deliver an event, the first one first.
func (s *Store) WebhookAttempts(ctx context.Context, id string) ([]aggregator.WebhookAttempt, error) {
	rows, err := s.db.Read().QueryContext(ctx, `SELECT number, at, latency, status, outcome FROM webhook_attempt WHERE webhook_id = $1 ORDER BY number`, id)
	if err != nil {
		return nil, fmt.Errorf("read attempts of a webhook: %w", err)
	}
	defer rows.Close()
	var list []aggregator.WebhookAttempt
	for rows.Next() {
		a := aggregator.WebhookAttempt{WebhookID: id}
		var at sqlite.Time
		var latency int64
		if err := rows.Scan(&a.Number, &at, &latency, &a.Status, &a.Outcome); err != nil {
			return nil, fmt.Errorf("read attempt of a webhook: %w", err)
		}
		a.At, a.Latency = at.Time, time.Duration(latency)*time.Microsecond
		list = append(list, a)
	}
	return list, rows.Err()
}
