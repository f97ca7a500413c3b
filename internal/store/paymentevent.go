package store

import (
	"context"

	"florin/internal/finance"
	"florin/internal/sqlite"
)

// addEvent writes the next line of a payment's history, in the transaction of what it tells.
func addEvent(ctx context.Context, tx *sqlite.Tx, id string, e finance.PaymentEvent) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO payment_event (payment_id, sequence, at, kind, source, status, final, auth, reason_code, detail, delivery_id)
		SELECT $1, COALESCE(MAX(event.sequence), 0) + 1, $2, $3, $4, $5, $6, $7, $8, $9, $10 FROM payment_event event WHERE event.payment_id = $1`,
		id, sqlite.At(tx.Now), e.Kind, e.Source, e.Status, flag(e.Final), e.Auth, e.ReasonCode, e.Detail, e.DeliveryID)
	return err
}

// PaymentEvents lists the history of a payment of the user, oldest first.
func (s *Store) PaymentEvents(ctx context.Context, userID, id string) (_ []finance.PaymentEvent, err error) {
	defer doing("read payment events", &err)
	return collect(ctx, s.db.Read(), func(row scanner) (finance.PaymentEvent, error) {
		var e finance.PaymentEvent
		var at sqlite.Time
		err := row.Scan(&e.Sequence, &at, &e.Kind, &e.Source, &e.Status, &e.Final, &e.Auth, &e.ReasonCode, &e.Detail, &e.DeliveryID)
		e.At = at.Time
		return e, err
	}, `SELECT event.sequence, event.at, event.kind, event.source, event.status, event.final, event.auth, event.reason_code, event.detail, event.delivery_id
		FROM payment_event event JOIN payment ON payment.id = event.payment_id WHERE payment.id = $1 AND payment.user_id = $2 ORDER BY event.sequence`, id, userID)
}
