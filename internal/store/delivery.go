package store

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"florin/internal/finance"
	"florin/internal/sqlite"
)

const (
	keptBody     = 8 << 10              // bytes of a body that the inbox keeps
	keptRefused  = 300                  // refused webhooks of a provider that the inbox keeps
	keptDelivery = 180 * 24 * time.Hour // of any; see Clean
	countRepeats = 20                   // repetitions are counted up to here: a retry storm costs no writes
	pinOverlap   = 30 * 24 * time.Hour  // before the end of a certificate another one may take its place
)

const deliveryColumns = `delivery.id, delivery.provider_id, delivery.received, delivery.body, delivery.body_hash, delivery.size, delivery.checks, delivery.verified, delivery.answer, delivery.key_fingerprint, delivery.key_ends, delivery.webhook_id, delivery.payment_id, delivery.status, delivery.expected, delivery.auth,
	delivery.triggered, COALESCE(delivery.local_id, ''), delivery.repeats, delivery.counted <> '', delivery.applied, COALESCE((SELECT result.result FROM webhook_result result WHERE result.delivery_id = delivery.id AND result.sequence = 1), '')`

func scanDelivery(row scanner) (finance.Delivery, error) {
	var d finance.Delivery
	var checks, result string
	var received sqlite.Time
	var ends, triggered, applied sqlite.NullTime
	err := row.Scan(&d.ID, &d.ProviderID, &received, &d.Body, &d.BodyHash, &d.Size, &checks, &d.Verified, &d.Answer, &d.KeyFingerprint, &ends, &d.WebhookID,
		&d.PaymentID, &d.Status, &d.Expected, &d.Auth,
		&triggered, &d.LocalID, &d.Repeats, &d.Counted, &applied, &result)
	if err != nil {
		return d, err
	}
	d.Received, d.KeyEnds, d.Triggered, d.Applied = received.Time, ends.Time, triggered.Time, applied.Time
	if d.Result, err = readEffect(result); err != nil {
		return d, err
	}
	return d, json.Unmarshal([]byte(checks), &d.Checks)
}

// readEffect reads what a webhook changed; "" is its zero value.
func readEffect(text string) (e finance.DeliveryEffect, err error) {
	if text != "" {
		err = json.Unmarshal([]byte(text), &e)
	}
	return e, err
}

// KeepDelivery stores a verified webhook, once for each webhook_id of its provider, and makes its payment due for a check, both in one transaction. A
// payment that is final keeps its status. A webhook for a payment_id that is not known is kept when a payment of the provider has an unknown outcome:
// it may be that one. Otherwise it is DeliveryForeign, and nothing is stored. With the first one the key that signed it is pinned; DeliveryUntrusted
// when another one is.
func (s *Store) KeepDelivery(ctx context.Context, d finance.Delivery) (_ finance.DeliveryOutcome, err error) {
	defer doing("keep webhook", &err)
	return s.keepDelivery(ctx, d, func(*sqlite.Tx, finance.Payment) error { return nil })
}

// KeepAndClaim is KeepDelivery that also takes the payment for a check in the same transaction, as ClaimPayment would do next. The claim is nil when there is
// nothing to ask, or when somebody else is asking: the payment is due again then.
func (s *Store) KeepAndClaim(ctx context.Context, d finance.Delivery, lease time.Duration) (outcome finance.DeliveryOutcome, claimed *PaymentClaim, err error) {
	defer doing("keep webhook", &err)
	outcome, err = s.keepDelivery(ctx, d, func(tx *sqlite.Tx, p finance.Payment) error {
		c, ok, err := s.claim(ctx, tx, lease, claimOne, p.ID, p.UserID)
		if claimed = nil; ok {
			claimed = &c
		}
		return err
	})
	if err != nil {
		claimed = nil
	}
	return outcome, claimed, err
}

// keepDelivery stores a webhook; then is called in its transaction where a payment of its own is due for a check.
func (s *Store) keepDelivery(ctx context.Context, d finance.Delivery, then func(*sqlite.Tx, finance.Payment) error) (outcome finance.DeliveryOutcome,
	err error) {
	if outcome, err = knownDelivery(ctx, s.db.Read(), d); err != nil || outcome == finance.DeliveryConflict {
		return outcome, err
	}
	if outcome == finance.DeliveryRepeated {
		return outcome, s.countRepeat(ctx, d)
	}
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		if outcome, err = knownDelivery(ctx, tx, d); err != nil || outcome != finance.DeliveryNew {
			return err
		}
		p, err := s.paymentOf(ctx, tx, d)
		known := err == nil
		if !known && !errors.Is(err, finance.ErrNotFound) {
			return err
		}
		if !known {
			var searching bool
			err := tx.QueryRowContext(ctx,
				`SELECT EXISTS (SELECT 1 FROM payment WHERE provider_id = $1 AND (phase IN ('sending', 'unknown') OR phase = 'failed' AND failure_code = $2 AND sent > $3))`,
				d.ProviderID, finance.FailureLapsed, sqlite.At(tx.Now.Add(-namedWithin))).Scan(&searching)
			if err != nil {
				return err
			}
			if !searching {
				outcome = finance.DeliveryForeign
				return nil
			}
		}
		if d.Pin {
			good, err := keyFits(ctx, tx, d.ProviderID, d.KeyFingerprint, tx.Now)
			if err != nil {
				return err
			}
			if !good {
				outcome = finance.DeliveryUntrusted
				return nil
			}
			if err := pin(ctx, tx, d); err != nil {
				return err
			}
		}
		d.ID, d.Verified = finance.NewID(), true
		if err := insertDelivery(ctx, tx, d); err != nil {
			return err
		}
		if !known {
			return awaitPayment(ctx, tx, d)
		}
		if err := s.route(ctx, tx, d, p); err != nil || p.Progress.Final {
			return err
		}
		return then(tx, p)
	})
	return outcome, err
}

// namedWithin is how long after it was sent a webhook may still name a payment that has lapsed.
const namedWithin = 7 * 24 * time.Hour

// paymentOf returns the payment of a webhook, or finance.ErrNotFound. A webhook names no user: its provider and payment_id stand for one.
func (s *Store) paymentOf(ctx context.Context, tx *sqlite.Tx, d finance.Delivery) (finance.Payment, error) {
	p, err := s.scanPayment(tx.QueryRowContext(ctx,
		`SELECT `+paymentColumns+paymentFrom+`JOIN user ON user.id = payment.user_id WHERE payment.provider_id = $1 AND payment.payment_id = $2`, d.ProviderID,
		d.PaymentID))
	if errors.Is(err, ErrSealed) {
		return p, nil // what is sealed is not needed here
	}
	return p, notFound(err)
}

// awaitPayment makes a stored webhook wait until its payment is found.
func awaitPayment(ctx context.Context, tx *sqlite.Tx, d finance.Delivery) error {
	_, err := tx.ExecContext(ctx, `UPDATE webhook_delivery SET next_try_at = $1 WHERE id = $2`, sqlite.At(tx.Now), d.ID)
	return err
}

// route gives a stored webhook to its payment: a check is due, or, when the payment is final, it is settled at once.
func (s *Store) route(ctx context.Context, tx *sqlite.Tx, d finance.Delivery, p finance.Payment) error {
	if _, err := tx.ExecContext(ctx, `UPDATE webhook_delivery SET local_id = $1, next_try_at = NULL WHERE id = $2`, p.ID, d.ID); err != nil {
		return err
	}
	if p.Progress.Final {
		_, err := s.applyToFinal(ctx, tx, p, d)
		return err
	}
	return changed(tx.ExecContext(ctx, `UPDATE payment SET next_check_at = $1 WHERE id = $2 AND user_id = $3 AND phase = 'created' AND final = 0`,
		sqlite.At(tx.Now), p.ID, p.UserID))
}

func knownDelivery(ctx context.Context, q querier, d finance.Delivery) (finance.DeliveryOutcome, error) {
	var hash string
	err := q.QueryRowContext(ctx,
		`SELECT delivery.body_hash FROM webhook_delivery delivery WHERE delivery.provider_id = $1 AND delivery.webhook_id = $2 AND delivery.verified = 1`,
		d.ProviderID, d.WebhookID).Scan(&hash)
	switch {
	case errors.Is(notFound(err), finance.ErrNotFound):
		return finance.DeliveryNew, nil
	case err != nil:
		return finance.DeliveryNew, err
	case hash != d.BodyHash:
		return finance.DeliveryConflict, nil
	}
	return finance.DeliveryRepeated, nil
}

func (s *Store) countRepeat(ctx context.Context, d finance.Delivery) error {
	var n int
	err := s.db.Read().QueryRowContext(ctx,
		`SELECT delivery.repeats FROM webhook_delivery delivery WHERE delivery.provider_id = $1 AND delivery.webhook_id = $2 AND delivery.verified = 1`,
		d.ProviderID, d.WebhookID).Scan(&n)
	if err != nil || n >= countRepeats {
		return err
	}
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE webhook_delivery SET repeats = repeats + 1 WHERE provider_id = $1 AND webhook_id = $2 AND verified = 1`,
			d.ProviderID, d.WebhookID)
		return err
	})
}

func insertDelivery(ctx context.Context, tx *sqlite.Tx, d finance.Delivery) error {
	checks, err := json.Marshal(d.Checks)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO webhook_delivery (id, provider_id, received, body, body_hash, size, checks, verified, answer, webhook_id, payment_id, status, expected, auth, triggered,
		key_fingerprint, key_ends) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
		d.ID, d.ProviderID, sqlite.At(tx.Now), cut(d.Body), d.BodyHash, d.Size, string(checks), flag(d.Verified), d.Answer, cut(d.WebhookID), cut(d.PaymentID),
		cut(string(d.Status)),
		flag(d.Expected), cut(string(d.Auth)), sqlite.AtOrNull(d.Triggered), d.KeyFingerprint, sqlite.AtOrNull(d.KeyEnds))
	return err
}

// cut bounds a text, between characters.
func cut(text string) string { return strings.ToValidUTF8(text[:min(len(text), keptBody)], "") }

// KeepRefused stores a webhook that was refused, for the inbox. Only the latest ones of a provider are kept, those whose signature was proved and the
// others apart.
func (s *Store) KeepRefused(ctx context.Context, d finance.Delivery) (err error) {
	defer doing("keep refused webhook", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		d.ID, d.Verified = finance.NewID(), false
		if err := insertDelivery(ctx, tx, d); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM webhook_delivery WHERE provider_id = $1 AND verified = 0 AND counted = '' AND (key_fingerprint <> '') = $2 AND id NOT IN
			(SELECT kept.id FROM webhook_delivery kept WHERE kept.provider_id = $1 AND kept.verified = 0 AND kept.counted = '' AND (kept.key_fingerprint <> '') = $2 ORDER BY kept.received DESC, kept.id DESC LIMIT $3 + 0)`,
			d.ProviderID, flag(d.KeyFingerprint != ""), keptRefused)
		return err
	})
}

// CountRefused counts n webhooks that were refused by the same check as d, the last of them, in one row of the inbox.
func (s *Store) CountRefused(ctx context.Context, d finance.Delivery, n int) (err error) {
	defer doing("count refused webhooks", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		check := d.Failed().Name
		var id string
		var before int
		err := tx.QueryRowContext(ctx, `DELETE FROM webhook_delivery WHERE provider_id = $1 AND counted = $2 RETURNING id, repeats + 1`, d.ProviderID,
			check).Scan(&id, &before)
		if errors.Is(notFound(err), finance.ErrNotFound) {
			id, err = finance.NewID(), nil
		}
		if err != nil {
			return err
		}
		d.ID, d.Verified = id, false
		if err := insertDelivery(ctx, tx, d); err != nil {
			return err
		}
		return changed(tx.ExecContext(ctx, `UPDATE webhook_delivery SET counted = $1, repeats = $2 WHERE id = $3`, check, before+n-1, id))
	})
}

func waitingDeliveries(ctx context.Context, q querier, localID string) ([]finance.Delivery, error) {
	return collect(ctx, q, scanDelivery, `SELECT `+deliveryColumns+` FROM webhook_delivery delivery
		WHERE delivery.local_id = $1 AND delivery.verified = 1 AND delivery.applied IS NULL ORDER BY delivery.triggered, delivery.id`, localID)
}

// settleDelivery writes what came of a webhook. The first result stays; those of replays come after it.
func settleDelivery(ctx context.Context, tx *sqlite.Tx, id string, effect finance.DeliveryEffect) error {
	result, err := json.Marshal(effect)
	if err != nil {
		return err
	}
	settled, err := tx.ExecContext(ctx, `UPDATE webhook_delivery SET applied = $1, next_try_at = NULL WHERE id = $2 AND verified = 1`, sqlite.At(tx.Now), id)
	if err := changed(settled, err); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO webhook_result (delivery_id, sequence, at, result)
		SELECT $1, COALESCE(MAX(result.sequence), 0) + 1, $2, $3 FROM webhook_result result WHERE result.delivery_id = $1`, id, sqlite.At(tx.Now), string(result))
	return err
}

// Deliveries lists the inbox of webhooks, newest first: at most limit, those before the one with the id before ("" for the newest), and whether there are more.
// It belongs to the owner of the installation, not to a user.
func (s *Store) Deliveries(ctx context.Context, refusedOnly bool, before string, limit int) (page []finance.Delivery, more bool, err error) {
	defer doing("read deliveries", &err)
	page, err = collect(ctx, s.db.Read(), scanDelivery, `SELECT `+deliveryColumns+` FROM webhook_delivery delivery WHERE ($1 = 0 OR delivery.verified = 0)
		AND ($2 = '' OR EXISTS (SELECT 1 FROM webhook_delivery previous WHERE previous.id = $2 AND (delivery.received < previous.received OR delivery.received = previous.received AND delivery.id < previous.id)))
		ORDER BY delivery.received DESC, delivery.id DESC LIMIT $3 + 1`, flag(refusedOnly), before, limit)
	if len(page) > limit {
		return page[:limit], true, err
	}
	return page, false, err
}

// Delivery returns one webhook of the inbox.
func (s *Store) Delivery(ctx context.Context, id string) (_ finance.Delivery, err error) {
	defer doing("read delivery", &err)
	d, err := scanDelivery(s.db.Read().QueryRowContext(ctx, `SELECT `+deliveryColumns+` FROM webhook_delivery delivery WHERE delivery.id = $1`, id))
	return d, notFound(err)
}

// DeliveryPayments are those of the payments of webhooks that are the user's, by their ids. They have what a list shows.
func (s *Store) DeliveryPayments(ctx context.Context, userID string, of []finance.Delivery) (_ map[string]finance.Payment, err error) {
	defer doing("read payments of webhooks", &err)
	args := []any{userID}
	var places []string
	for _, d := range of {
		args = append(args, d.LocalID)
		places = append(places, "$"+strconv.Itoa(len(args)))
	}
	own := map[string]finance.Payment{}
	if len(places) == 0 {
		return own, nil
	}
	found, err := collect(ctx, s.db.Read(), s.scanListed,
		`SELECT `+listedColumns+paymentFrom+`WHERE payment.user_id = $1 AND payment.id IN (`+strings.Join(places, ", ")+`)`, args...)
	for _, p := range found {
		own[p.ID] = p
	}
	return own, err
}

// DeliveryResults lists the results of a webhook: of its first application and of each replay.
func (s *Store) DeliveryResults(ctx context.Context, id string) (_ []finance.DeliveryResult, err error) {
	defer doing("read delivery results", &err)
	return collect(ctx, s.db.Read(), func(row scanner) (finance.DeliveryResult, error) {
		var r finance.DeliveryResult
		var at sqlite.Time
		var effect string
		if err := row.Scan(&at, &effect); err != nil {
			return r, err
		}
		r.At = at.Time
		var err error
		r.Effect, err = readEffect(effect)
		return r, err
	}, `SELECT result.at, result.result FROM webhook_result result WHERE result.delivery_id = $1 ORDER BY result.sequence`, id)
}

// ReplayDelivery applies a verified webhook again: Florin asks for its payment once more and stores the result beside the earlier ones. It returns
// finance.ErrNotFound for a refused webhook, which never has an effect.
func (s *Store) ReplayDelivery(ctx context.Context, id string) (err error) {
	defer doing("replay delivery", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		if err := changed(tx.ExecContext(ctx, `UPDATE webhook_delivery SET applied = NULL, tries = 0 WHERE id = $1 AND verified = 1`, id)); err != nil {
			return err
		}
		d, err := scanDelivery(tx.QueryRowContext(ctx, `SELECT `+deliveryColumns+` FROM webhook_delivery delivery WHERE delivery.id = $1`, id))
		if err != nil {
			return err
		}
		p, err := s.paymentOf(ctx, tx, d)
		if errors.Is(err, finance.ErrNotFound) {
			return awaitPayment(ctx, tx, d)
		}
		if err != nil {
			return err
		}
		return s.route(ctx, tx, d, p)
	})
}

// ClaimStray takes one webhook whose payment has to be found, for the length of a lease. Without one, ok is false and next is when the next one is due.
func (s *Store) ClaimStray(ctx context.Context, lease time.Duration) (d finance.Delivery, tries int, ok bool, next time.Time, err error) {
	defer doing("claim stray webhook", &err)
	var at sqlite.NullTime
	err = s.db.Read().QueryRowContext(ctx, `SELECT MIN(next_try_at) FROM webhook_delivery WHERE next_try_at IS NOT NULL`).Scan(&at)
	if err != nil || at.IsZero() || at.After(time.Now()) {
		return d, 0, false, at.Time, err
	}
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		var id string
		err := tx.QueryRowContext(ctx, `UPDATE webhook_delivery SET next_try_at = $1, tries = tries + 1
			WHERE id = (SELECT id FROM webhook_delivery WHERE next_try_at <= $2 ORDER BY next_try_at, id LIMIT 1) RETURNING id, tries`,
			sqlite.At(tx.Now.Add(lease)), sqlite.At(tx.Now)).Scan(&id, &tries)
		if errors.Is(notFound(err), finance.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		ok = true
		d, err = scanDelivery(tx.QueryRowContext(ctx, `SELECT `+deliveryColumns+` FROM webhook_delivery delivery WHERE delivery.id = $1`, id))
		return err
	})
	return d, tries, ok && err == nil, time.Time{}, err
}

// PutOffStray tries a webhook whose payment has to be found again later.
func (s *Store) PutOffStray(ctx context.Context, id string, next time.Time) (err error) {
	defer doing("put off stray webhook", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE webhook_delivery SET next_try_at = $1 WHERE id = $2 AND next_try_at IS NOT NULL`, sqlite.At(next), id)
		return err
	})
}

// GiveUpStray settles a webhook whose payment is not one of ours. A webhook that has found its payment meanwhile stays as it is.
func (s *Store) GiveUpStray(ctx context.Context, id string, why finance.EffectKind) (err error) {
	defer doing("give up stray webhook", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		err := changed(tx.ExecContext(ctx, `UPDATE webhook_delivery SET next_try_at = NULL WHERE id = $1 AND verified = 1 AND local_id IS NULL`, id))
		if errors.Is(err, finance.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		return settleDelivery(ctx, tx, id, finance.DeliveryEffect{Kind: why})
	})
}

// PaymentByReference returns the payment that was sent to a provider with a payment_information_id, for a webhook, which names no user.
func (s *Store) PaymentByReference(ctx context.Context, providerID, reference string) (_ finance.Payment, err error) {
	defer doing("find payment by reference", &err)
	p, err := s.scanPayment(s.db.Read().QueryRowContext(ctx, `SELECT `+paymentColumns+paymentFrom+`JOIN user ON user.id = payment.user_id
		WHERE payment.provider_id = $1 AND payment.reference = $2 AND payment.sent IS NOT NULL`, providerID, reference))
	return p, notFound(err)
}

// noEnd is the end of a bare key, which has none.
var noEnd = time.Date(9999, time.December, 31, 0, 0, 0, 0, time.UTC)

// KeyFits reports whether a certificate or key that no authority has signed may sign webhooks of a provider, by its fingerprint. A known one may.
// Another one may only when none is known, or when the known ones end soon or have ended.
func (s *Store) KeyFits(ctx context.Context, providerID, fingerprint string) (_ bool, err error) {
	defer doing("check webhook key", &err)
	return keyFits(ctx, s.db.Read(), providerID, fingerprint, time.Now())
}

func keyFits(ctx context.Context, q querier, providerID, fingerprint string, now time.Time) (bool, error) {
	var known bool
	var last sqlite.NullTime
	err := q.QueryRowContext(ctx, `SELECT COALESCE(MAX(fingerprint = $2), 0), MAX(not_after) FROM webhook_pin WHERE provider_id = $1`, providerID,
		fingerprint).Scan(&known, &last)
	return known || last.IsZero() || last.Before(now.Add(pinOverlap)), err
}

func pin(ctx context.Context, tx *sqlite.Tx, d finance.Delivery) error {
	ends := d.KeyEnds
	if ends.IsZero() {
		ends = noEnd
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO webhook_pin (provider_id, fingerprint, first_seen, not_after) VALUES ($1, $2, $3, $4)
		ON CONFLICT (provider_id, fingerprint) DO NOTHING`, d.ProviderID, d.KeyFingerprint, sqlite.At(tx.Now), sqlite.At(ends))
	return err
}

// TrustKey makes the key that signed a refused webhook the only known key of its provider. The owner does this when the service says that it has a
// new key. It returns finance.ErrNotFound where the signature was not proved.
func (s *Store) TrustKey(ctx context.Context, id string) (err error) {
	defer doing("trust webhook key", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		d, err := scanDelivery(tx.QueryRowContext(ctx,
			`SELECT `+deliveryColumns+` FROM webhook_delivery delivery WHERE delivery.id = $1 AND delivery.verified = 0 AND delivery.key_fingerprint <> ''`, id))
		if err != nil {
			return notFound(err)
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM webhook_pin WHERE provider_id = $1`, d.ProviderID); err != nil {
			return err
		}
		return pin(ctx, tx, d)
	})
}
