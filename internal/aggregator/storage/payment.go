package storage

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

const paymentColumns = `payment_id, application_id, payment_type, aspsp_name, aspsp_country, psu_type, auth_method, psu_id_hash, request, transfers,
	state, redirect_url, webhook_url, language, payment.status, final, auth_status, reason, created, page_expires, opened, approved, changed, checked, due`

// CreatePayment stores a new payment. Its status is PDNG and nobody has opened it, whatever the row says; it is due at the
// end of its page. bankStateHash is the SHA-256 of the state that the bank returns, hexadecimal; credentials may be zero.
func (s *Store) CreatePayment(ctx context.Context, p aggregator.Payment, bankStateHash string, credentials aggregator.SuppliedCredentials) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO payment
			(payment_id, application_id, payment_type, aspsp_name, aspsp_country, psu_type, auth_method, psu_id_hash, request, transfers,
			state, redirect_url, webhook_url, language, bank_state_hash, status, final, auth_status, reason, created, page_expires, changed, due)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, 0, '', $17, $18, $19, $18, $19)`,
			p.AuthorizationID, p.ApplicationID, p.Type, p.ASPSP.Name, p.ASPSP.Country, p.PSUType, p.AuthMethod, p.PSUIDHash, doc(&p.Request), doc(&p.Transfers),
			p.State, p.RedirectURL, p.WebhookURL, p.Language, bankStateHash, openbanking.PaymentStatusPDNG, doc(&p.Reason), sqlite.At(p.Created),
			sqlite.At(p.PageExpires))
		if err != nil {
			return fmt.Errorf("create payment: %w", err)
		}
		return insertCredentials(ctx, tx, p.AuthorizationID, credentials)
	})
}

// Payment returns the payment of the application with the id, unless the application has deleted it.
func (s *Store) Payment(ctx context.Context, applicationID, id string) (aggregator.Payment, error) {
	return readPayment(s.db.Read().QueryRowContext(ctx, `SELECT `+paymentColumns+` FROM payment
		WHERE payment_id = $1 AND application_id = $2 AND deleted IS NULL`, id, applicationID))
}

// PaymentByID returns the payment with the id, also a deleted one.
func (s *Store) PaymentByID(ctx context.Context, id string) (aggregator.Payment, error) {
	return readPayment(s.db.Read().QueryRowContext(ctx, `SELECT `+paymentColumns+` FROM payment WHERE payment_id = $1`, id))
}

// PaymentByBankState returns the payment whose bank returned the state with this hash, also a deleted one.
func (s *Store) PaymentByBankState(ctx context.Context, bankStateHash string) (aggregator.Payment, error) {
	return readPayment(s.db.Read().QueryRowContext(ctx, `SELECT `+paymentColumns+` FROM payment WHERE bank_state_hash = $1`, bankStateHash))
}

// UpdatePayment reads a payment, applies the changes one after another while it is not final, and stores the result, all in one transaction. It ends the
// lease of the caller. For each new status it stores an event for the application, if the application still exists and the payment has a webhook. When the
// authorisation ends, it deletes the credentials that came with it. Changed is set to now when the status changes and the change did not set it; without a
// new status it stays. Due is zero once the payment is final. The fields that identify a payment never change.
//
// It returns the payment as it is stored now. The error is aggregator.ErrIllegalMove when the state machine does not allow the move or the payment was
// final before. An error of a change is returned as it is. With either error nothing is stored.
func (s *Store) UpdatePayment(ctx context.Context, id string, now time.Time, changes ...func(*aggregator.Payment) error) (aggregator.Payment, error) {
	var row aggregator.Payment
	err := s.db.Write(ctx, func(tx *sqlite.Tx) error {
		var events int
		var environment openbanking.Environment
		var there bool
		stored, err := readPayment(tx.QueryRowContext(ctx, `SELECT `+paymentColumns+`, events, environment, application.status <> $2
			FROM payment JOIN application ON application.id = payment.application_id WHERE payment_id = $1`, id, aggregator.ApplicationDeleted),
			&events, &environment, &there)
		if row = stored; err != nil {
			return err
		}
		if stored.Final {
			return aggregator.ErrIllegalMove
		}
		for i, change := range changes {
			next := stored
			next.Transfers = append([]aggregator.Transfer(nil), stored.Transfers...)
			if err := change(&next); err != nil {
				return err
			}
			if next.Status == stored.Status && !next.Final && i < len(changes)-1 {
				continue // nothing to tell
			}
			told := there && next.WebhookURL != "" && (next.Status != stored.Status || next.Final)
			if told {
				events++
			}
			if stored, err = updatePayment(ctx, tx, stored, next, events, now); err != nil {
				return err
			}
			if told {
				w, err := eventOf(stored, environment, events, now)
				if err != nil {
					return err
				}
				if err := insertEvent(ctx, tx, w); err != nil {
					return err
				}
			}
			if stored.Final {
				break
			}
		}
		if !stored.Awaited() {
			if err := dropCredentials(ctx, tx, id); err != nil {
				return err
			}
		}
		row = stored
		return nil
	})
	return row, err
}

// updatePayment stores next in place of stored, and returns it as it is stored then.
func updatePayment(ctx context.Context, tx *sqlite.Tx, stored, next aggregator.Payment, events int, now time.Time) (aggregator.Payment, error) {
	next.Authorization, next.WebhookURL = stored.Authorization, stored.WebhookURL
	switch {
	case next.Status == stored.Status:
		next.Changed = stored.Changed
	case !aggregator.PaymentMove(stored.Status, next.Status):
		return stored, aggregator.ErrIllegalMove
	case next.Changed.Equal(stored.Changed):
		next.Changed = now
	}
	if next.AuthStatus != stored.AuthStatus && !aggregator.AuthMove(stored.AuthStatus, next.AuthStatus) {
		return stored, aggregator.ErrIllegalMove
	}
	if next.Final {
		next.Due = time.Time{}
	}
	result, err := tx.ExecContext(ctx, `UPDATE payment SET request = $1, transfers = $2, status = $3, final = $4, auth_status = $5, reason = $6,
			opened = $7, approved = $8, changed = $9, checked = $10, due = $11, events = $12, lease_until = NULL
		WHERE payment_id = $13 AND status = $14 AND auth_status = $15 AND final = 0`,
		doc(&next.Request), doc(&next.Transfers), next.Status, next.Final, next.AuthStatus, doc(&next.Reason), sqlite.AtOrNull(next.Opened),
		sqlite.AtOrNull(next.Approved), sqlite.At(next.Changed), sqlite.AtOrNull(next.Checked), sqlite.AtOrNull(next.Due), events,
		next.AuthorizationID, stored.Status, stored.AuthStatus)
	return next, changed(result, err, "update payment")
}

// eventOf returns the webhook that reports the present status of a payment.
func eventOf(p aggregator.Payment, environment openbanking.Environment, sequence int, now time.Time) (aggregator.Webhook, error) {
	now = sqlite.At(now).Time
	told := openbanking.PaymentStatusWebhook{
		PaymentID:              p.AuthorizationID,
		PaymentStatus:          p.Status,
		PaymentUpdatesExpected: !p.Final,
		WebhookID:              uuid.NewString(),
		WebhookTriggered:       now.Format("2006-01-02T15:04:05.000Z07:00"),
	}
	if p.AuthStatus != "" {
		told.PaymentAuthStatus = &p.AuthStatus
	}
	body, err := json.Marshal(told)
	if err != nil {
		return aggregator.Webhook{}, fmt.Errorf("write an event: %w", err)
	}
	return aggregator.Webhook{
		ID: told.WebhookID, PaymentID: p.AuthorizationID, ApplicationID: p.ApplicationID, Environment: environment, Sequence: sequence,
		URL: p.WebhookURL, Origin: aggregator.OriginOf(p.WebhookURL), Body: string(body), Status: p.Status, Created: now, Due: now,
	}, nil
}

// insertEvent stores a new event, in the transaction of the change that it tells of.
func insertEvent(ctx context.Context, tx *sqlite.Tx, w aggregator.Webhook) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO webhook (webhook_id, payment_id, application_id, environment, sequence, url, origin, body, status, created, due)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		w.ID, w.PaymentID, w.ApplicationID, w.Environment, w.Sequence, w.URL, w.Origin, w.Body, w.Status, sqlite.At(w.Created), sqlite.At(w.Due))
	if err != nil {
		return fmt.Errorf("store an event: %w", err)
	}
	return nil
}

// DeletePayment hides a final payment of the application from it. aggregator.ErrNotFound: there is none, or it is not final.
func (s *Store) DeletePayment(ctx context.Context, applicationID, id string, now time.Time) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		result, err := tx.ExecContext(ctx, `UPDATE payment SET deleted = $1 WHERE payment_id = $2 AND application_id = $3 AND final = 1 AND deleted IS NULL`,
			sqlite.At(now), id, applicationID)
		return changed(result, err, "delete payment")
	})
}

// BanksWithDuePayments returns the banks of the payments that are due at now and that nobody works on.
func (s *Store) BanksWithDuePayments(ctx context.Context, now time.Time) ([]openbanking.ASPSP, error) {
	rows, err := s.db.Read().QueryContext(ctx, `SELECT DISTINCT aspsp_name, aspsp_country FROM payment
		WHERE due <= $1 AND (lease_until IS NULL OR lease_until <= $1)`, sqlite.At(now))
	if err != nil {
		return nil, fmt.Errorf("read banks of due payments: %w", err)
	}
	defer rows.Close()
	var banks []openbanking.ASPSP
	for rows.Next() {
		var bank openbanking.ASPSP
		if err := rows.Scan(&bank.Name, &bank.Country); err != nil {
			return nil, fmt.Errorf("read banks of due payments: %w", err)
		}
		banks = append(banks, bank)
	}
	return banks, rows.Err()
}

// ClaimPayments gives the caller a lease until then of payments of a bank that are due at now, at most limit of them, the
// longest due first. Nobody else is given them before the lease ends or UpdatePayment gives it back.
func (s *Store) ClaimPayments(ctx context.Context, bank openbanking.ASPSP, now, until time.Time, limit int) ([]aggregator.Payment, error) {
	var claimed []aggregator.Payment
	err := s.db.Write(ctx, func(tx *sqlite.Tx) error {
		rows, err := tx.QueryContext(ctx, `UPDATE payment SET lease_until = $1 WHERE payment_id IN (
				SELECT payment_id FROM payment
				WHERE due <= $2 AND (lease_until IS NULL OR lease_until <= $2) AND aspsp_name = $3 AND aspsp_country = $4
				ORDER BY due LIMIT $5)
			RETURNING `+paymentColumns, sqlite.At(until), sqlite.At(now), bank.Name, bank.Country, limit)
		if err != nil {
			return fmt.Errorf("claim payments: %w", err)
		}
		defer rows.Close()
		for rows.Next() {
			row, err := readPayment(rows)
			if err != nil {
				return err
			}
			claimed = append(claimed, row)
		}
		return rows.Err()
	})
	return claimed, err
}

// NextPaymentDue returns when a payment is due next that nobody works on, or a lease ends; zero when there is no such time.
func (s *Store) NextPaymentDue(ctx context.Context) (time.Time, error) {
	var next sqlite.NullTime
	err := s.db.Read().QueryRowContext(ctx, `SELECT MIN(MAX(due, coalesce(lease_until, due))) FROM payment WHERE due IS NOT NULL`).Scan(&next)
	return next.Time, found(err, "read next due payment")
}

// readPayment reads paymentColumns, and the columns after them into more.
func readPayment(row scanner, more ...any) (aggregator.Payment, error) {
	var (
		p                              aggregator.Payment
		created, pageExpires, changed  sqlite.Time
		opened, approved, checked, due sqlite.NullTime
	)
	err := row.Scan(append([]any{
		&p.AuthorizationID, &p.ApplicationID, &p.Type, &p.ASPSP.Name, &p.ASPSP.Country, &p.PSUType, &p.AuthMethod, &p.PSUIDHash, doc(&p.Request),
		doc(&p.Transfers),
		&p.State, &p.RedirectURL, &p.WebhookURL, &p.Language, &p.Status, &p.Final, &p.AuthStatus, doc(&p.Reason), &created, &pageExpires,
		&opened, &approved, &changed, &checked, &due,
	}, more...)...)
	if err != nil {
		return aggregator.Payment{}, found(err, "read payment")
	}
	p.Created, p.PageExpires, p.Changed = created.Time, pageExpires.Time, changed.Time
	p.Opened, p.Approved, p.Checked, p.Due = opened.Time, approved.Time, checked.Time, due.Time
	return p, nil
}
