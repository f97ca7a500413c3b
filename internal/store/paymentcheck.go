package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"florin/internal/finance"
	"florin/internal/sqlite"
)

// keptDetails is the largest size in bytes of the service's description of a payment that Florin stores.
const keptDetails = 64 << 10

// PaymentClaim is a payment whose status the caller asks the service for. Nobody else asks until the lease ends, so answers are applied in the order
// in which they were requested.
type PaymentClaim struct {
	Payment    finance.Payment
	Deliveries []finance.Delivery // webhooks of the payment that wait for this answer, by the time of their event
	lease      string
}

// Source returns why the service is asked: a webhook, the return from the bank, or Florin's own check.
func (c PaymentClaim) Source() finance.NewsSource {
	switch {
	case len(c.Deliveries) > 0:
		return finance.NewsWebhook
	case c.Payment.Approval.Returned.After(c.Payment.Check.Answered):
		return finance.NewsReturn
	}
	return finance.NewsCheck
}

// ClaimPayment takes one payment that is due for a check, or whose holder vanished, for the length of a lease. Without one, ok is false and next is
// when the next one will be due, zero when there is none.
func (s *Store) ClaimPayment(ctx context.Context, lease time.Duration) (c PaymentClaim, ok bool, next time.Time, err error) {
	defer doing("claim payment", &err)
	next, err = s.nextPayment(ctx)
	if err != nil || next.IsZero() || next.After(time.Now()) {
		return PaymentClaim{}, false, next, err
	}
	c, ok, err = s.claimPayment(ctx, lease, `UPDATE payment SET lease = $1, lease_until = $2
		WHERE id = (SELECT id FROM payment WHERE next_check_at <= $3 AND (lease_until IS NULL OR lease_until <= $3) ORDER BY next_check_at, id LIMIT 1)
		RETURNING user_id, id`)
	if err != nil || ok {
		return c, ok, time.Time{}, err
	}
	return PaymentClaim{}, false, time.Now().Add(time.Second), nil // somebody was quicker
}

// ClaimPaymentOf takes one payment of the user, due or not. ok is false when it is being asked for, is final, or is not known to the service.
func (s *Store) ClaimPaymentOf(ctx context.Context, userID, id string, lease time.Duration) (c PaymentClaim, ok bool, err error) {
	defer doing("claim payment", &err)
	return s.claimPayment(ctx, lease, claimOne, id, userID)
}

// claimOne claims one payment, named by its id and its user.
const claimOne = `UPDATE payment SET lease = $1, lease_until = $2
		WHERE id = $4 AND user_id = $5 AND phase = 'created' AND final = 0 AND (lease_until IS NULL OR lease_until <= $3)
		RETURNING user_id, id`

func (s *Store) claimPayment(ctx context.Context, lease time.Duration, query string, more ...any) (c PaymentClaim, ok bool, err error) {
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		c, ok, err = s.claim(ctx, tx, lease, query, more...)
		return err
	})
	return c, ok && err == nil, err
}

// claim takes the payment that a query claims with the arguments lease, its end, now, and more.
func (s *Store) claim(ctx context.Context, tx *sqlite.Tx, lease time.Duration, query string, more ...any) (c PaymentClaim, ok bool, err error) {
	c.lease = finance.NewID()
	var userID, id string
	args := append([]any{c.lease, sqlite.At(tx.Now.Add(lease)), sqlite.At(tx.Now)}, more...)
	err = tx.QueryRowContext(ctx, query, args...).Scan(&userID, &id)
	if errors.Is(notFound(err), finance.ErrNotFound) {
		return PaymentClaim{}, false, nil
	}
	if err != nil {
		return c, false, err
	}
	if c.Payment, err = s.payment(ctx, tx, userID, id); err != nil && !errors.Is(err, ErrSealed) { // the address is not needed to ask
		return c, false, err
	}
	c.Deliveries, err = waitingDeliveries(ctx, tx, id)
	return c, err == nil, err
}

// nextPayment is when the next payment is due; in the past when one is, zero when there is none.
func (s *Store) nextPayment(ctx context.Context) (time.Time, error) {
	var at sqlite.NullTime
	err := s.db.Read().QueryRowContext(ctx,
		`SELECT MIN(CASE WHEN lease_until > next_check_at THEN lease_until ELSE next_check_at END) FROM payment WHERE next_check_at IS NOT NULL`).Scan(&at)
	return at.Time, err
}

// holdPayment checks, in the transaction of every write of a check, that the payment is still the caller's.
func holdPayment(ctx context.Context, tx *sqlite.Tx, c PaymentClaim) error {
	err := changed(tx.ExecContext(ctx, `UPDATE payment SET lease = '', lease_until = NULL WHERE id = $1 AND user_id = $2 AND lease = $3`,
		c.Payment.ID, c.Payment.UserID, c.lease))
	if errors.Is(err, finance.ErrNotFound) {
		return ErrLeaseLost
	}
	return err
}

// ApplyNews gives a claimed payment back with what the service answered, and settles the webhooks that waited for it, all in one transaction. next is
// when to ask again unless the payment is final. It returns the payment and whether anything changed but the time of the check. ErrLeaseLost when the
// claim ran out: nothing was stored.
func (s *Store) ApplyNews(ctx context.Context, c PaymentClaim, n finance.PaymentNews, next func(p finance.Payment) time.Time) (p finance.Payment,
	news bool, err error) {
	defer doing("apply payment news", &err)
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		if err := holdPayment(ctx, tx, c); err != nil {
			return err
		}
		p, err = s.payment(ctx, tx, c.Payment.UserID, c.Payment.ID)
		if err != nil && !errors.Is(err, ErrSealed) {
			return err
		}
		before := p
		n.At = tx.Now
		deliveryID := ""
		for _, d := range c.Deliveries { // what a webhook alone can tell; applied together with the answer
			p, _ = p.Apply(finance.PaymentNews{Source: n.Source, At: tx.Now, Auth: d.Auth, AuthSource: finance.NewsWebhook, AuthAt: d.Triggered})
			deliveryID = d.ID
		}
		auth := p
		p = before
		n.Auth, n.AuthSource, n.AuthAt = auth.Approval.Status, auth.Approval.Source, auth.Approval.At
		p, news, err = s.apply(ctx, tx, p, n, deliveryID)
		if err != nil {
			return err
		}
		if err := applyTransfers(ctx, tx, p, n.Transfers); err != nil {
			return err
		}
		effect := effectOf(before, p)
		for _, d := range c.Deliveries {
			if err := settleDelivery(ctx, tx, d.ID, effect); err != nil {
				return err
			}
		}
		waiting, err := waitingDeliveries(ctx, tx, p.ID) // those that came meanwhile
		if err != nil {
			return err
		}
		at := sqlite.NullTime{}
		if !p.Progress.Final {
			at = sqlite.AtOrNull(next(p))
			if len(waiting) > 0 {
				at = sqlite.AtOrNull(tx.Now)
			}
		} else {
			for _, d := range waiting {
				if p, err = s.applyToFinal(ctx, tx, p, d); err != nil {
					return err
				}
			}
		}
		readBack, err := json.Marshal(n.Details)
		if err != nil {
			return err
		}
		if len(readBack) > keptDetails {
			readBack = nil
		}
		return changed(tx.ExecContext(ctx, `UPDATE payment SET next_check_at = $1, checked = $2, read_back = $3, check_errors = 0, error_code = '', error_message = '', error_request = '', error_at = NULL
			WHERE id = $4 AND user_id = $5`, at, sqlite.At(tx.Now), string(readBack), p.ID, p.UserID))
	})
	if err != nil {
		return finance.Payment{}, false, err
	}
	p, err = s.Payment(ctx, p.UserID, p.ID)
	return p, news, err
}

// apply writes what news change of a payment, with a line of its history.
func (s *Store) apply(ctx context.Context, tx *sqlite.Tx, p finance.Payment, n finance.PaymentNews, deliveryID string) (finance.Payment, bool, error) {
	now, news := p.Apply(n)
	if !news {
		return p, false, nil
	}
	err := changed(tx.ExecContext(ctx, `UPDATE payment SET status = $1, cancellation = $2, final = $3, auth = $4, auth_source = $5, auth_at = $6, reason_code = $7, reason_text = $8, source = $9,
			at_approved = $10, at_accepted = $11, at_sent = $12, at_arrived = $13, ended = $14, news = $15, hidden = $16, next_check_at = CASE WHEN $3 = 1 THEN NULL ELSE next_check_at END
		WHERE id = $17 AND user_id = $18 AND phase = 'created' AND (final = 0 OR $3 = 1 AND status = $1 AND cancellation = $2)`,
		now.Progress.Status, now.Progress.Cancellation, flag(now.Progress.Final), now.Approval.Status, now.Approval.Source, sqlite.AtOrNull(now.Approval.At),
		now.Progress.Reason.Code, now.Progress.Reason.Text, now.Progress.Source,
		sqlite.AtOrNull(now.Progress.Reached[finance.StepApproved]), sqlite.AtOrNull(now.Progress.Reached[finance.StepAccepted]),
		sqlite.AtOrNull(now.Progress.Reached[finance.StepSent]), sqlite.AtOrNull(now.Progress.Reached[finance.StepArrived]),
		sqlite.AtOrNull(now.Progress.Ended), sqlite.AtOrNull(now.Progress.Changed), flag(now.Hidden), p.ID, p.UserID))
	if err != nil {
		return p, false, err
	}
	if now.Progress.Final && !p.Progress.Final {
		if err := s.raise(ctx, tx, p.UserID, paymentAlert(now)); err != nil {
			return p, false, err
		}
	}
	status := n.Status // as the service reported it
	if status == "" || p.Progress.Final {
		status = now.Progress.Status
	}
	return now, true, addEvent(ctx, tx, p.ID, finance.PaymentEvent{Kind: finance.EventStatus, Source: n.Source, Status: status, Final: now.Progress.Final,
		Auth:       now.Approval.Status,
		ReasonCode: now.Progress.Reason.Code, DeliveryID: deliveryID})
}

// paymentAlert tells how a payment ended.
func paymentAlert(p finance.Payment) finance.Alert {
	f := finance.AlertFacts{Payment: p.ID, Name: p.Title}
	if p.Total.Currency() != "" {
		f.Amount = finance.AlertAmountOf(p.Total)
	}
	if !slices.Contains(finance.CarriedOutStatuses(), p.Progress.Status) {
		f.Code = string(p.Progress.Status)
	}
	return finance.Alert{Kind: finance.AlertPaymentEnded, Key: p.ID, Facts: f}
}

// applyToFinal settles a webhook of a payment that is final: its status stays whatever the webhook says, only how the authorisation ended is learnt.
func (s *Store) applyToFinal(ctx context.Context, tx *sqlite.Tx, p finance.Payment, d finance.Delivery) (finance.Payment, error) {
	now, news, err := s.apply(ctx, tx, p, finance.PaymentNews{Source: finance.NewsWebhook, At: tx.Now, Auth: d.Auth, AuthSource: finance.NewsWebhook,
		AuthAt: d.Triggered}, d.ID)
	if err != nil {
		return p, err
	}
	effect := finance.DeliveryEffect{Kind: finance.EffectFinal, After: finance.ReportedStatus{Status: p.Progress.Status}, Final: true}
	if news {
		effect.Kind, effect.Approval = finance.EffectFinalApproval, now.Approval.Status
	} else if d.Status != p.Progress.Status {
		if err := addEvent(ctx, tx, p.ID, finance.PaymentEvent{Kind: finance.EventIgnored, Source: finance.NewsWebhook, Status: d.Status,
			DeliveryID: d.ID}); err != nil {
			return p, err
		}
	}
	return now, settleDelivery(ctx, tx, d.ID, effect)
}

// effectOf is what changed between two states of a payment.
func effectOf(before, after finance.Payment) finance.DeliveryEffect {
	e := finance.DeliveryEffect{Kind: finance.EffectNone, After: reportedStatus(after), Final: after.Progress.Final}
	switch was := reportedStatus(before); {
	case was != e.After:
		e.Kind, e.Before = finance.EffectStatus, was
	case before.Approval.Status != after.Approval.Status:
		e.Kind, e.Approval = finance.EffectApproval, after.Approval.Status
	case before.Progress.Final != after.Progress.Final || before.Progress.Reason != after.Progress.Reason:
		e.Kind = finance.EffectDetails
	}
	return e
}

func reportedStatus(p finance.Payment) finance.ReportedStatus {
	return finance.ReportedStatus{Status: p.Progress.Status, Cancellation: p.Progress.Cancellation}
}

// applyTransfers writes what is known of the single transfers.
func applyTransfers(ctx context.Context, tx *sqlite.Tx, p finance.Payment, news []finance.TransferNews) error {
	transfers, err := paymentTransfers(ctx, tx, p.UserID, p.ID)
	if err != nil {
		return err
	}
	for i, at := range finance.FitTransfers(transfers, news) {
		if at < 0 {
			continue
		}
		id, status := cmp.Or(news[at].TransactionID, transfers[i].TransactionID), cmp.Or(news[at].Status, transfers[i].Status)
		if id == transfers[i].TransactionID && status == transfers[i].Status {
			continue
		}
		_, err := tx.ExecContext(ctx, `UPDATE payment_transfer SET transaction_id = $1, status = $2
			WHERE payment_id = $3 AND position = $4 AND EXISTS (SELECT 1 FROM payment WHERE payment.id = $3 AND payment.user_id = $5)`, id, status, p.ID, transfers[i].Position, p.UserID)
		if err != nil {
			return err
		}
	}
	return nil
}

// FailCheck gives a claimed payment back after a failure; the service will be asked again. Its webhooks go on waiting. next returns when, and gets
// whether webhooks are waiting.
func (s *Store) FailCheck(ctx context.Context, c PaymentClaim, failure finance.Failure, next func(waiting bool) time.Time) (err error) {
	defer doing("record failed check", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		if err := holdPayment(ctx, tx, c); err != nil {
			return err
		}
		waiting, err := waitingDeliveries(ctx, tx, c.Payment.ID)
		if err != nil {
			return err
		}
		return changed(tx.ExecContext(ctx, `UPDATE payment SET next_check_at = $1, check_errors = check_errors + 1, error_code = $2, error_message = $3, error_request = $4, error_at = $5
			WHERE id = $6 AND user_id = $7`,
			sqlite.At(next(len(waiting) > 0)), failure.Code, failure.Said, failure.RequestID, sqlite.At(tx.Now), c.Payment.ID, c.Payment.UserID))
	})
}

// ReleasePayment gives a claimed payment back untouched: it is due as it was.
func (s *Store) ReleasePayment(ctx context.Context, c PaymentClaim) (err error) {
	defer doing("release payment", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error { return holdPayment(ctx, tx, c) })
}
