package store

import (
	"context"
	"errors"
	"strconv"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

// HandOver turns a draft that the person sends in the app of the bank into a payment that waits for its booking. Nothing is sent by it. agree is asked in the
// same transaction, as StartSending does. For a payment that is no draft any more, the payment as it is comes with ErrSent.
func (s *Store) HandOver(ctx context.Context, userID, id string,
	agree func(p finance.Payment, past []finance.PastTransfer, payees []finance.Payee) error) (finance.Payment, error) {
	return s.confirm(ctx, userID, id, "hand over payment", true, agree, func(tx *sqlite.Tx, p finance.Payment) error {
		return changed(tx.ExecContext(ctx, `UPDATE payment SET phase = 'created', sent = $1, at_created = $1, news = $1, payment_id = reference, status = 'RCVD', last_day = $2
			WHERE id = $3 AND user_id = $4 AND phase = 'draft'`, sqlite.At(tx.Now), p.Order.LastDay(tx.Now), id, userID))
	})
}

// Handed records that the person was shown, or was given, what the app of the bank takes. It reports whether that is news.
func (s *Store) Handed(ctx context.Context, userID, id string) (news bool, err error) {
	defer doing("record that a payment was handed over", &err)
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		news, err = hand(ctx, tx, userID, id)
		return err
	})
	return news, err
}

// hand is Handed in a transaction.
func hand(ctx context.Context, tx *sqlite.Tx, userID, id string) (news bool, err error) {
	err = changed(tx.ExecContext(ctx, `UPDATE payment SET at_approved = $1, news = $1
		WHERE id = $2 AND user_id = $3 AND type = $4 AND phase = 'created' AND final = 0 AND at_approved IS NULL`, sqlite.At(tx.Now), id, userID, finance.ByOwnApp))
	if errors.Is(err, finance.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, addEvent(ctx, tx, id, finance.PaymentEvent{Kind: finance.EventCreated})
}

// isToSend is finance.Payment.ToSend of a row that is in the lists.
const isToSend = isOpen + ` AND payment.type = 'OWN_APP' AND payment.phase = 'created' AND payment.status = 'RCVD' AND payment.hidden = 0`

// A file of SEPA holds euros only.
const isToFile = isToSend + ` AND payment.currency = 'EUR'`

const (
	toSendQuery  = `FROM payment WHERE payment.user_id = $1 AND ` + isToFile
	toSendOther  = `SELECT COUNT(*) FROM payment WHERE payment.user_id = $1 AND ` + isToSend + ` AND payment.currency <> 'EUR'`
	toSendCount  = `SELECT COUNT(*) ` + toSendQuery
	toSendByAge  = `WHERE payment.user_id = $1 AND ` + isToFile + ` AND payment.account_id = $2 ORDER BY payment.created, payment.id LIMIT $3 + 1`
	toSendPlaces = `SELECT DISTINCT payment.account_id ` + toSendQuery + ` ORDER BY payment.account_id`
)

// CountToSend returns how many payments of the user wait to be sent in the app of a bank and can go into a file.
func (s *Store) CountToSend(ctx context.Context, userID string) (_ int, err error) {
	defer doing("count payments to send", &err)
	return sqlite.Remember(ctx, s.db, sqlite.Key{"payment", userID, "to send"}, func() (n int, err error) {
		err = s.db.Read().QueryRowContext(ctx, toSendCount, userID).Scan(&n)
		return n, err
	})
}

// CountNoFile returns how many payments of the user wait to be sent in the app of a bank and cannot go into a file, since they are not in euros.
func (s *Store) CountNoFile(ctx context.Context, userID string) (n int, err error) {
	defer doing("count payments that no file takes", &err)
	err = s.db.Read().QueryRowContext(ctx, toSendOther, userID).Scan(&n)
	return n, err
}

// AccountsToSend returns the ids of the accounts from which payments of the user wait to be sent in the app of a bank and can go into a file.
func (s *Store) AccountsToSend(ctx context.Context, userID string) (_ []string, err error) {
	defer doing("find accounts with payments to send", &err)
	return collect(ctx, s.db.Read(), func(row scanner) (id string, err error) { return id, row.Scan(&id) }, toSendPlaces, userID)
}

// PaymentsToSend returns the payments of the user that wait to be sent from an account in the app of the bank and can go into a file, oldest first: at most
// limit, and whether there are more.
func (s *Store) PaymentsToSend(ctx context.Context, userID, accountID string, limit int) (list []finance.Payment, more bool, err error) {
	defer doing("read payments to send", &err)
	list, err = collect(ctx, s.db.Read(), s.scanPayment, `SELECT `+paymentColumns+paymentFrom+toSendByAge, userID, accountID, limit)
	if len(list) > limit {
		list, more = list[:limit], true
	}
	return list, more, err
}

// Over is the error for payments of which some do not wait any more.
type Over struct{ Payments int }

func (e *Over) Error() string {
	return "store: " + strconv.Itoa(e.Payments) + " of the payments do not wait any more"
}

// PutInFile records that payments of the user, which wait to be sent in the app of the bank, were given to the person in one file. write writes it, in the same
// transaction, and returns which of them the bank is asked to book as one; its error is returned and nothing is recorded. news are the payments that the person
// had not been given before. *Over where some do not wait any more, finance.ErrNotFound where one is not the user's.
func (s *Store) PutInFile(ctx context.Context, userID string, ids []string,
	write func([]finance.Payment) ([]finance.FiledTotal, error)) (news []string, err error) {
	var refusal error // of write: the caller's own
	defer func() {
		if refusal == nil {
			doing("put payments into a file", &err)
		}
	}()
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		news = nil
		var over Over
		var payments []finance.Payment
		for _, id := range ids {
			p, err := s.payment(ctx, tx, userID, id)
			if err != nil {
				return err
			}
			if !p.ToSend() {
				over.Payments++
			}
			payments = append(payments, p)
		}
		if over.Payments > 0 {
			return &over
		}
		totals, refused := write(payments)
		if refusal = refused; refusal != nil {
			return refusal
		}
		for _, total := range totals {
			if err := keepTotal(ctx, tx, userID, total); err != nil {
				return err
			}
		}
		for _, p := range payments {
			if err := changed(tx.ExecContext(ctx, `UPDATE payment SET filed = $1 WHERE id = $2 AND user_id = $3`, sqlite.At(tx.Now), p.ID, userID)); err != nil {
				return err
			}
			is, err := hand(ctx, tx, userID, p.ID)
			if err != nil {
				return err
			}
			if is {
				news = append(news, p.ID)
			}
		}
		return nil
	})
	return news, err
}

// keepTotal records which payments the bank was asked to book as one total. They get the same last day for the search, so that either all of them or none
// is searched for.
func keepTotal(ctx context.Context, tx *sqlite.Tx, userID string, total finance.FiledTotal) error {
	const known = `payment_total WHERE id = $1 AND EXISTS (SELECT 1 FROM payment WHERE payment.id = payment_total.payment_id AND payment.user_id = $2)`
	var first sqlite.Time
	if err := tx.QueryRowContext(ctx, `SELECT COALESCE(MIN(filed), $3) FROM `+known, total.ID, userID, sqlite.At(tx.Now)).Scan(&first); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM `+known, total.ID, userID); err != nil {
		return err
	}
	for _, id := range total.Payments {
		err := changed(tx.ExecContext(ctx, `INSERT INTO payment_total (id, payment_id, filed)
			SELECT $1, payment.id, $2 FROM payment WHERE payment.id = $3 AND payment.user_id = $4`,
			total.ID, first, id, userID))
		if err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, `UPDATE payment
		SET last_day = MAX($3, (SELECT MAX(other.last_day) FROM payment_total filed JOIN payment other ON other.id = filed.payment_id WHERE filed.id = $1 AND other.user_id = $2))
		WHERE user_id = $2 AND id IN (SELECT filed.payment_id FROM payment_total filed WHERE filed.id = $1)`,
		total.ID, userID, openbanking.DateOf(tx.Now))
	return err
}

// SaySent records what the person says of a payment that waits for its booking: that it was sent in the app of the bank, or that it was not. What was not sent
// is over; where some of its transfers are booked, the others are given up. finance.ErrNotFound for any other payment.
func (s *Store) SaySent(ctx context.Context, userID, id string, sent bool) (p finance.Payment, err error) {
	defer doing("record what a person says of a payment", &err)
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		p, err = s.payment(ctx, tx, userID, id)
		if err != nil {
			return err
		}
		if !p.Order.OwnApp() || p.Phase != finance.PhaseCreated || p.Progress.Final {
			return finance.ErrNotFound
		}
		status, final := openbanking.PaymentStatusACSP, false
		if !sent {
			booked, err := s.giveUp(ctx, tx, p)
			if err != nil {
				return err
			}
			status, final = openbanking.PaymentStatusCNCL, true
			if booked {
				status = openbanking.PaymentStatusPART
			}
		}
		return s.moveOwnApp(ctx, tx, userID, id, `final = 0`, status, final, &p)
	})
	return p, err
}

// giveUp marks the transfers without a booking as not sent when other transfers of the payment have one. It reports whether any has.
func (s *Store) giveUp(ctx context.Context, tx *sqlite.Tx, p finance.Payment) (booked bool, err error) {
	transfers, err := paymentTransfers(ctx, tx, p.UserID, p.ID)
	if err != nil {
		return false, err
	}
	held, err := collect(ctx, tx, scanMatch, bookedQuery(`payment.id = $2`), p.UserID, p.ID)
	if err != nil || len(held) == 0 {
		return false, err
	}
	sent := finance.SentPayment{Payment: p, Transfers: transfers}
	for _, t := range transfers {
		covered := false
		for _, m := range held {
			covered = covered || sent.Covers(m.BookingPlace, t)
		}
		if covered {
			continue
		}
		_, err := tx.ExecContext(ctx, `UPDATE payment_transfer SET status = 'CNCL' WHERE payment_id = $1 AND position = $2
			AND EXISTS (SELECT 1 FROM payment WHERE payment.id = $1 AND payment.user_id = $3)`, p.ID, t.Position, p.UserID)
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

// moveOwnApp gives a payment that the person sends, and of which a condition holds, another status, with a line in its history.
func (s *Store) moveOwnApp(ctx context.Context, tx *sqlite.Tx, userID, id, when string, status openbanking.PaymentStatus, final bool,
	p *finance.Payment) error {
	now, step := sqlite.At(tx.Now), map[openbanking.PaymentStatus]string{openbanking.PaymentStatusACSP: "at_accepted", openbanking.PaymentStatusACSC: "at_sent",
		openbanking.PaymentStatusPART: "at_sent"}[status]
	reached := ""
	if step != "" {
		reached = `, ` + step + ` = COALESCE(` + step + `, $1)`
	}
	err := changed(tx.ExecContext(ctx, `UPDATE payment SET status = $2, final = $3, news = $1, ended = CASE WHEN $3 = 1 THEN $1 END, seen = NULL, hidden = 0`+reached+`
		WHERE id = $4 AND user_id = $5 AND type = $6 AND phase = 'created' AND `+when, now, status, flag(final), id, userID, finance.ByOwnApp))
	if err != nil {
		return err
	}
	if err := addEvent(ctx, tx, id, finance.PaymentEvent{Kind: finance.EventStatus, Status: status, Final: final}); err != nil {
		return err
	}
	*p, err = s.payment(ctx, tx, userID, id)
	return err
}

// SettleOwnApp ends payments of the user whose bookings were all found, and takes up again those whose booking is gone: finance.OwnAppChanges.
func (s *Store) SettleOwnApp(ctx context.Context, userID string, booked, gone []string) (err error) {
	defer doing("settle payments that people sent", &err)
	if len(booked)+len(gone) == 0 {
		return nil
	}
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		var p finance.Payment
		for _, id := range booked {
			err := s.moveOwnApp(ctx, tx, userID, id, `final = 0`, openbanking.PaymentStatusACSC, true, &p)
			if err != nil && !errors.Is(err, finance.ErrNotFound) { // the person said otherwise meanwhile
				return err
			}
		}
		for _, id := range gone {
			err := s.moveOwnApp(ctx, tx, userID, id, `status = 'ACSC'`, openbanking.PaymentStatusACSP, false, &p)
			if err != nil && !errors.Is(err, finance.ErrNotFound) {
				return err
			}
		}
		return nil
	})
}

// ChooseTotal makes a booked transaction the total of a file with these payments of the user. finance.ErrNotFound where one of them is over or booked already,
// or the transaction is that of another payment.
func (s *Store) ChooseTotal(ctx context.Context, userID, file string, payments []string, booked int64) (err error) {
	defer doing("choose total", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		for _, id := range payments {
			err := changed(tx.ExecContext(ctx, `INSERT INTO payment_booking (booked_id, payment_id, position, total, file, chosen)
				SELECT t.id, payment.id, (SELECT MIN(transfer.position) FROM payment_transfer transfer WHERE transfer.payment_id = payment.id), 1, filed.id, 1
				FROM payment_total filed JOIN payment ON payment.id = filed.payment_id
				JOIN account ON account.user_id = payment.user_id AND account.id = payment.account_id JOIN booked_transaction t ON t.account_id = account.id
				WHERE filed.id = $1 AND payment.id = $2 AND payment.user_id = $3 AND payment.type = $4 AND payment.phase = 'created' AND payment.final = 0
					AND t.id = $5 AND NOT (`+unlisted+`) AND `+inList+`
					AND NOT EXISTS (SELECT 1 FROM payment_booking taken WHERE taken.booked_id = t.id AND taken.file <> filed.id OR taken.payment_id = payment.id)`,
				file, id, userID, finance.ByOwnApp, booked))
			if err != nil {
				return err
			}
			if err := addEvent(ctx, tx, id, finance.PaymentEvent{Kind: finance.EventBooked}); err != nil {
				return err
			}
		}
		return reindex(ctx, tx, []any{booked})
	})
}

// ChooseBooking makes a booked transaction that of a payment which the user sent: of the first of its transfers with this amount and without a booking.
// finance.ErrNotFound where there is none, or the transaction is that of another payment.
func (s *Store) ChooseBooking(ctx context.Context, userID, paymentID string, booked int64) (err error) {
	defer doing("choose booking", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		err := changed(tx.ExecContext(ctx, `INSERT INTO payment_booking (booked_id, payment_id, position, execution, total, chosen)
			SELECT t.id, payment.id, (SELECT MIN(transfer.position) FROM payment_transfer transfer WHERE transfer.payment_id = payment.id AND transfer.minor = -t.minor
					AND transfer.currency = t.currency
					AND NOT EXISTS (SELECT 1 FROM payment_booking other WHERE other.payment_id = payment.id AND other.position = transfer.position AND other.execution = '')), '', 0, 1
			FROM payment JOIN account ON account.user_id = payment.user_id AND account.id = payment.account_id JOIN booked_transaction t ON t.account_id = account.id
			WHERE payment.id = $1 AND payment.user_id = $2 AND payment.type = $3 AND payment.phase = 'created' AND payment.final = 0 AND t.id = $4 AND NOT (`+unlisted+`) AND `+inList+`
				AND NOT EXISTS (SELECT 1 FROM payment_booking taken WHERE taken.booked_id = t.id)
				AND EXISTS (SELECT 1 FROM payment_transfer transfer WHERE transfer.payment_id = payment.id AND transfer.minor = -t.minor AND transfer.currency = t.currency
					AND NOT EXISTS (SELECT 1 FROM payment_booking other WHERE other.payment_id = payment.id AND other.position = transfer.position AND other.execution = ''))`,
			paymentID, userID, finance.ByOwnApp, booked))
		if err != nil {
			return err
		}
		if err := addEvent(ctx, tx, paymentID, finance.PaymentEvent{Kind: finance.EventBooked}); err != nil {
			return err
		}
		return reindex(ctx, tx, []any{booked})
	})
}
