package store

import (
	"context"
	"time"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/settling"
	"florin/internal/sqlite"
)

// visibleRequest names the requests request of a person, $1: whoever asks, and whoever is asked. Nobody else sees one.
const visibleRequest = `(request.asker_id = $1 OR request.payer_id = $1)`

// listedRequests is how many requests a list has at most.
const listedRequests = 200

// Askable lists whom the user can ask to make a payment: everybody else who has accounts, or could have. Each page with a form asks for it.
func (s *Store) Askable(ctx context.Context, userID string) (_ []finance.Person, err error) {
	defer doing("list whom to ask for a payment", &err)
	return sqlite.Remember(ctx, s.db, sqlite.Key{"payment_request", userID, "askable"}, func() ([]finance.Person, error) {
		return collect(ctx, s.db.Read(), func(row scanner) (p finance.Person, err error) { return p, row.Scan(&p.ID, &p.Email) },
			`SELECT other.id, other.email FROM user JOIN user other ON other.id <> user.id AND other.role <> 'viewer'
			WHERE user.id = $1 AND user.role <> 'viewer' ORDER BY other.email`, userID)
	})
}

// PaymentRequests lists what the user asks others to pay and is asked to pay, newest first: at most listedRequests.
func (s *Store) PaymentRequests(ctx context.Context, userID string) (_ []finance.PaymentRequest, err error) {
	defer doing("list payment requests", &err)
	some, err := s.some(ctx, "payment_request", `SELECT 1 FROM payment_request WHERE asker_id = $1 UNION ALL SELECT 1 FROM payment_request WHERE payer_id = $1`, userID)
	if err != nil || !some {
		return nil, err
	}
	return s.paymentRequests(ctx, s.db.Read(), userID, visibleRequest, listedRequests)
}

// PaymentRequest returns a request of the user, by whom or to whom it is. finance.ErrNotFound for others.
func (s *Store) PaymentRequest(ctx context.Context, userID, id string) (_ finance.PaymentRequest, err error) {
	defer doing("read payment request", &err)
	return s.paymentRequest(ctx, s.db.Read(), userID, id)
}

func (s *Store) paymentRequest(ctx context.Context, q querier, userID, id string) (r finance.PaymentRequest, err error) {
	all, err := s.paymentRequests(ctx, q, userID, visibleRequest+` AND request.id = $2`, id)
	if err == nil && len(all) == 0 {
		err = finance.ErrNotFound
	}
	if err != nil {
		return r, err
	}
	return all[0], nil
}

// paymentRequests reads requests with their states. which names them by the person, $1; $2 is the id of one, or how many at most.
func (s *Store) paymentRequests(ctx context.Context, q querier, userID, which string, second any) ([]finance.PaymentRequest, error) {
	limit := ` LIMIT $2`
	if _, one := second.(string); one {
		limit = ``
	}
	all, err := collect(ctx, q, scanRequest, `SELECT request.id, request.form_key, asker.id, asker.email, payer.id, payer.email, request.payee, request.iban, request.minor,
			request.currency, request.text, request.day, request.note, request.state, request.answer, request.created, request.changed
		FROM payment_request request JOIN user asker ON asker.id = request.asker_id JOIN user payer ON payer.id = request.payer_id
		WHERE `+which+` ORDER BY request.created DESC, request.id`+limit, userID, second)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	at := make(map[string]int, len(all))
	for i, r := range all {
		at[r.ID] = i
	}
	// What was paid for them. The account, the number and the amount are the payer's own choice: what went elsewhere is another payment.
	outcomes, err := collect(ctx, q, s.scanOutcome, `SELECT `+listedColumns+`, request.id, `+outcomeColumns+`
		FROM payment_request request JOIN payment ON payment.request_id = request.id AND payment.user_id = request.payer_id
			LEFT JOIN provider ON provider.id = payment.provider_id
		WHERE $2 <> '' AND `+which+` ORDER BY payment.created`, userID, second)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	for _, o := range outcomes {
		i, listed := at[o.of]
		if !listed || o.transfers != 1 || o.number != all[i].IBAN || o.Total.Currency() != all[i].Amount.Currency() {
			continue
		}
		r := &all[i]
		switch state := settlementState(o.Payment, o.booked == 1, now); {
		case state == settling.Void:
			continue
		case state == settling.Settled:
			r.State, r.Other = finance.RequestPaid, o.Total != r.Amount
		case r.State == finance.RequestAsked:
			r.State = finance.RequestPrepared
		case r.State != finance.RequestPrepared:
			continue
		}
		r.PaymentID, r.Sent = o.ID, o.Phase != finance.PhaseDraft
	}
	for i := range all {
		if r := &all[i]; r.Payer.ID != userID {
			r.PaymentID, r.Sent = "", false
		}
	}
	return all, nil
}

func scanRequest(row scanner) (r finance.PaymentRequest, err error) {
	var minor int64
	var currency string
	err = row.Scan(&r.ID, &r.FormKey, &r.Asker.ID, &r.Asker.Email, &r.Payer.ID, &r.Payer.Email, &r.Payee, &r.IBAN, &minor, &currency, &r.Text, &r.Day, &r.Note,
		&r.State, &r.Answer, sqlite.Into(&r.Created), sqlite.Into(&r.Changed))
	r.Amount = money.FromMinor(minor, currency)
	return r, err
}

// AskForPayment stores what the user asks somebody else to pay. A form that was sent before changes nothing. finance.ErrNotFound when one of the two may not
// pay or is nobody, finance.ErrManyRequests when the user asks for too much already.
func (s *Store) AskForPayment(ctx context.Context, userID string, r finance.PaymentRequest) (id string, err error) {
	defer doing("ask for payment", &err)
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		all, err := s.paymentRequests(ctx, tx, userID, `request.asker_id = $1`, -1)
		if err != nil {
			return err
		}
		open := 0
		for _, other := range all {
			if other.FormKey == r.FormKey {
				id = other.ID
				return nil
			}
			if other.State.Open() {
				open++
			}
		}
		if open >= finance.MaxOpenRequests {
			return finance.ErrManyRequests
		}
		id = finance.NewID()
		return changed(tx.ExecContext(ctx, `INSERT INTO payment_request (id, form_key, asker_id, payer_id, payee, iban, minor, currency, text, day, note, created, changed)
			SELECT $1, $2, asker.id, payer.id, $3, $4, $5, $6, $7, $8, $9, $10, $10 FROM user asker, user payer
			WHERE asker.id = $11 AND payer.id = $12 AND asker.id <> payer.id AND asker.role <> 'viewer' AND payer.role <> 'viewer'`,
			id, r.FormKey, r.Payee, r.IBAN, r.Amount.Minor(), r.Amount.Currency(), r.Text, r.Day, r.Note, sqlite.At(tx.Now), userID, r.Payer.ID))
	})
	return id, err
}

// DeclineRequest says that the user does not pay what somebody asked for, with a word why. A draft for it is discarded. finance.ErrNotFound when the user was
// not asked, finance.ErrRequestOver when the payment was sent, or there is nothing to decline any more.
func (s *Store) DeclineRequest(ctx context.Context, userID, id, answer string) (r finance.PaymentRequest, err error) {
	defer doing("decline payment request", &err)
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		r, err = s.paymentRequest(ctx, tx, userID, id)
		switch {
		case err != nil:
			return err
		case r.Payer.ID != userID:
			return finance.ErrNotFound
		case !r.State.Open() || r.Sent:
			return finance.ErrRequestOver
		}
		drafts, err := collect(ctx, tx, func(row scanner) (id string, err error) { return id, row.Scan(&id) },
			`SELECT payment.id FROM payment WHERE payment.request_id = $1 AND payment.user_id = $2 AND `+isDraft, id, userID)
		if err != nil {
			return err
		}
		for _, draft := range drafts {
			if err := s.discardDraft(ctx, tx, userID, draft); err != nil {
				return err
			}
		}
		return changed(tx.ExecContext(ctx, `UPDATE payment_request SET state = 'declined', answer = $1, changed = $2 WHERE id = $3 AND payer_id = $4 AND state = 'asked'`,
			answer, sqlite.At(tx.Now), id, userID))
	})
	return r, err
}

// WithdrawRequest takes back what the user asked somebody to pay. A draft for it stays the payer's own; its review says that nobody asks for it any more.
// finance.ErrNotFound when the user did not ask, finance.ErrRequestOver when the payment was sent, or there is nothing to withdraw any more.
func (s *Store) WithdrawRequest(ctx context.Context, userID, id string) (r finance.PaymentRequest, err error) {
	defer doing("withdraw payment request", &err)
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		r, err = s.paymentRequest(ctx, tx, userID, id)
		if err != nil {
			return err
		}
		if r.Asker.ID != userID {
			return finance.ErrNotFound
		}
		asPayer, err := s.paymentRequest(ctx, tx, r.Payer.ID, id) // who alone knows whether it was sent
		if err != nil {
			return err
		}
		if !r.State.Open() || asPayer.Sent {
			return finance.ErrRequestOver
		}
		return changed(tx.ExecContext(ctx, `UPDATE payment_request SET state = 'withdrawn', changed = $1 WHERE id = $2 AND asker_id = $3 AND state = 'asked'`,
			sqlite.At(tx.Now), id, userID))
	})
	return r, err
}

// AskedBy lists whoever asked the user for a payment; nobody for other payments.
func (s *Store) AskedBy(ctx context.Context, userID, paymentID string) (_ []string, err error) {
	defer doing("find who asked for a payment", &err)
	return collect(ctx, s.db.Read(), func(row scanner) (id string, err error) { return id, row.Scan(&id) },
		`SELECT request.asker_id FROM payment JOIN payment_request request ON request.id = payment.request_id AND request.payer_id = payment.user_id
		WHERE payment.id = $2 AND payment.user_id = $1`, userID, paymentID)
}

// endRequests ends what somebody who becomes a viewer asks others to pay, and is asked to pay.
func endRequests(ctx context.Context, tx *sqlite.Tx, userID string) error {
	_, err := tx.ExecContext(ctx, `UPDATE payment_request SET state = CASE WHEN asker_id = $1 THEN 'withdrawn' ELSE 'declined' END, changed = $2
		WHERE (asker_id = $1 OR payer_id = $1) AND state = 'asked'`, userID, sqlite.At(tx.Now))
	return err
}
