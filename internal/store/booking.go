package store

import (
	"context"
	"time"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

const (
	matchFor   = 60 * 24 * time.Hour // after a payment was sent, its booking is looked for
	matchAtOne = 500                 // transfers at one time
)

// UnmatchedTransfer is a transfer of a payment that was sent and whose booking is not known.
type UnmatchedTransfer struct {
	UserID      string
	LocalID     string // the payment
	Transfer    finance.PaymentTransfer
	From, Until openbanking.Date // the booking lies between
}

// UnmatchedTransfers lists the transfers of all users whose booking is to be looked for, oldest first. Those that were rejected or cancelled have none, those of a standing order many.
func (s *Store) UnmatchedTransfers(ctx context.Context) ([]UnmatchedTransfer, error) {
	payments, err := collect(ctx, s.db.Read(), s.scanPayment, `SELECT `+paymentColumns+paymentFrom+`JOIN user u ON u.id = y.user_id
		WHERE (y.phase = 'created' AND y.status NOT IN ('RJCT', 'CNCL') OR y.phase = 'unknown') AND y.sent > $1
			AND EXISTS (SELECT 1 FROM payment_transfer r WHERE r.payment_id = y.id AND r.booked_id IS NULL AND r.status NOT IN ('RJCT', 'CNCL'))
			AND EXISTS (SELECT 1 FROM account a WHERE a.user_id = y.user_id)
		ORDER BY y.sent, y.id LIMIT $2 + 0`, sqlite.At(time.Now().Add(-matchFor)), matchAtOne)
	if err != nil {
		return nil, err
	}
	var all []UnmatchedTransfer
	for _, p := range payments {
		if p.Order.Standing() {
			continue
		}
		from, until := p.BookedBetween()
		transfers, err := s.PaymentTransfers(ctx, p.UserID, p.ID)
		if err != nil {
			return nil, err
		}
		for _, t := range transfers {
			if t.BookedID == 0 && t.Status != openbanking.PaymentStatusRJCT && t.Status != openbanking.PaymentStatusCNCL {
				all = append(all, UnmatchedTransfer{UserID: p.UserID, LocalID: p.ID, Transfer: t, From: from, Until: until})
			}
		}
	}
	return all, nil
}

// Bookings lists the booked rows of money out that may be a transfer of a payment of the user: of this amount, between two days, in the account that pays, or in
// any of the user's at the bank when it was chosen there. Rows that are another payment's are left out. Oldest first.
func (s *Store) Bookings(ctx context.Context, userID, paymentID string, amount money.Amount, from, until openbanking.Date) ([]finance.Booking, error) {
	low, _, _ := finance.SortRange(from)
	_, _, high := finance.SortRange(until)
	return collect(ctx, s.db.Read(), func(row scanner) (finance.Booking, error) {
		var b finance.Booking
		var minor int64
		var currency string
		err := row.Scan(&b.ID, &b.AccountID, &minor, &currency, &b.Date, &b.Counterparty, &b.CounterpartyAccount, &b.Remittance, &b.Record)
		if err == nil {
			b.Amount = money.FromMinor(minor, currency)
		}
		return b, err
	}, `SELECT t.id, t.account_id, t.minor, t.currency, t.display_date, t.counterparty, t.counterparty_account, t.remittance, o.original
		FROM payment y JOIN connection c ON c.user_id = y.user_id AND c.provider_id = y.provider_id AND c.aspsp_name = y.aspsp_name AND c.country = y.country
			JOIN account a ON a.connection_id = c.id AND (y.account_id IS NULL OR y.account_id = a.id)
			JOIN booked_transaction t ON t.account_id = a.id AND t.sort_key BETWEEN $3 AND $4
			JOIN transaction_record o ON o.transaction_id = t.id
		WHERE y.id = $1 AND y.user_id = $2 AND t.minor = $5 AND t.currency = $6
			AND NOT EXISTS (SELECT 1 FROM payment_transfer r WHERE r.booked_id = t.id)
		ORDER BY t.display_date, t.sort_key`, paymentID, userID, low, high, amount.Neg().Minor(), amount.Currency())
}

// SetBooked notes the booking of a transfer of the user. One that is taken by another transfer is left to it.
func (s *Store) SetBooked(ctx context.Context, userID, paymentID string, position int, booked int64) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		result, err := tx.ExecContext(ctx, `UPDATE payment_transfer SET booked_id = $1 WHERE payment_id = $2 AND position = $3 AND booked_id IS NULL
			AND payment_id IN (SELECT id FROM payment WHERE user_id = $4)
			AND EXISTS (SELECT 1 FROM booked_transaction t JOIN account a ON a.id = t.account_id WHERE t.id = $1 AND a.user_id = $4)
			AND NOT EXISTS (SELECT 1 FROM payment_transfer o WHERE o.booked_id = $1)`, booked, paymentID, position, userID)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return err
		}
		return addEvent(ctx, tx, paymentID, finance.PaymentEvent{Kind: finance.EventBooked})
	})
}

// PaymentOfBooking returns the payment of the user that a booked transaction belongs to, or finance.ErrNotFound.
func (s *Store) PaymentOfBooking(ctx context.Context, userID string, booked int64) (finance.Payment, error) {
	p, err := s.scanPayment(s.db.Read().QueryRowContext(ctx, `SELECT `+paymentColumns+paymentFrom+`JOIN payment_transfer r ON r.payment_id = y.id
		WHERE r.booked_id = $1 AND y.user_id = $2`, booked, userID))
	return p, notFound(err)
}
