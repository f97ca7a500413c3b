package store

import (
	"context"
	"errors"
	"strconv"
	"time"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

// matchFor is how long after its last day the booking of a payment is looked for.
const matchFor = 60 * 24 * time.Hour

// Matching is what it takes to find the bookings of a user's payments (finance.MatchBookings).
type Matching struct {
	Payments []finance.SentPayment
	Filed    []finance.FiledTotal   // that hold one of these payments
	Bookings []finance.Booking      // of money out, that no other payment has
	Held     []finance.BookingMatch // of these payments, as found before
}

// UsersToMatch lists the users with payments whose bookings are looked for.
func (s *Store) UsersToMatch(ctx context.Context) (_ []string, err error) {
	defer doing("read users to match", &err)
	return collect(ctx, s.db.Read(), func(row scanner) (id string, err error) { return id, row.Scan(&id) }, usersToMatchQuery, since(time.Now()))
}

const (
	usersToMatchQuery = `SELECT user.id FROM user WHERE EXISTS (SELECT 1 FROM payment WHERE payment.user_id = user.id AND ` + isMatched + ` AND payment.last_day >= $1)
		OR EXISTS (SELECT 1 FROM payment WHERE payment.user_id = user.id AND ` + isMatched + ` AND ` + bookingGone + `)`
	// lookedFor is the condition for the payments of user $1 whose bookings Florin looks for: those whose last day is $2 or later, and those with a booking
	// that the bank no longer lists.
	lookedFor = `payment.id IN (SELECT payment.id FROM payment WHERE payment.user_id = $1 AND ` + isMatched +
		` AND payment.last_day >= $2 UNION SELECT payment.id FROM payment WHERE payment.user_id = $1 AND ` + bookingGone + `)`
	// isMatched is the condition that a payment was sent, or may have been, so that a booking can exist. It has the words of the partial index
	// payment_match.
	isMatched = `payment.phase IN ('created', 'unknown')`
	// bookingGone says that a payment has a booking that the bank no longer lists: there are few of those.
	bookingGone = `payment.id IN (SELECT booking.payment_id FROM booked_transaction t CROSS JOIN payment_booking booking ON booking.booked_id = t.id WHERE ` + unlisted + `)`
)

func since(now time.Time) openbanking.Date { return openbanking.DateOf(now.Add(-matchFor)) }

// Matching reads the payments of a user that wait for a booking, and the bookings that may belong to them.
func (s *Store) Matching(ctx context.Context, userID string) (m Matching, err error) {
	defer doing("read payments to match", &err)
	return s.matching(ctx, userID, lookedFor, since(time.Now()))
}

// MatchingOf reads one payment of the user, with those of its files, and the bookings that may belong to it, however long ago it was sent.
func (s *Store) MatchingOf(ctx context.Context, userID, paymentID string) (_ Matching, err error) {
	defer doing("read payment to match", &err)
	return s.matching(ctx, userID, `payment.id IN (SELECT $2 UNION SELECT filed.payment_id FROM payment_total mine JOIN payment_total filed ON filed.id = mine.id WHERE mine.payment_id = $2)`,
		paymentID)
}

// bookedSoon names the payments whose bookings may come any moment: those with a status of finance.CarriedOutStatuses and news since $2.
const bookedSoon = `payment.status IN ('ACSP', 'ACSC', 'ACCC') AND payment.news >= $2`

// Unbooked lists the transfers of the user whose bookings accounts do not have yet. Pages with balances ask for it, so it comes from memory while nothing was
// written.
func (s *Store) Unbooked(ctx context.Context, userID string) (_ []finance.Unbooked, err error) {
	defer doing("read unbooked payments", &err)
	return sqlite.Remember(ctx, s.db, sqlite.Key{"payment", "unbooked", userID}, func() (all []finance.Unbooked, err error) {
		now := time.Now()
		since := sqlite.At(now.Add(-finance.UnbookedFor))
		err = s.db.Snapshot(ctx, func(at sqlite.Snapshot) error {
			which := isMatched + ` AND ` + bookedSoon
			payments, err := s.sentPayments(ctx, at, userID, which, since)
			if err != nil || len(payments) == 0 {
				return err
			}
			held, err := collect(ctx, at, scanMatch, bookedQuery(which), userID, since)
			if err != nil {
				return err
			}
			own, err := Reader{at}.Accounts(ctx, userID)
			if err != nil {
				return err
			}
			low, _, _ := finance.SortRange(openbanking.DateOf(payments[0].Sent.AddDate(0, 0, -1)))
			credits, err := collect(ctx, at, scanCredit, `SELECT t.account_id, t.minor, t.currency, t.first_seen FROM account a JOIN booked_transaction t ON t.account_id = a.id
				WHERE a.user_id = $1 AND a.iban <> '' AND t.sort_key >= $2 AND t.minor > 0 AND NOT (`+unlisted+`) ORDER BY t.first_seen`, userID, low)
			if err != nil {
				return err
			}
			all = finance.UnbookedTransfers(payments, held, own, credits, now)
			return nil
		})
		return all, err
	})
}

// UsersUnbooked lists the users with payments whose bookings may come any moment.
func (s *Store) UsersUnbooked(ctx context.Context) (_ []string, err error) {
	defer doing("read users with unbooked payments", &err)
	return collect(ctx, s.db.Read(), func(row scanner) (id string, err error) { return id, row.Scan(&id) },
		`SELECT DISTINCT payment.user_id FROM payment WHERE payment.phase = 'created' AND payment.status IN ('ACSP', 'ACSC', 'ACCC') AND payment.news >= $1`,
		sqlite.At(time.Now().Add(-finance.UnbookedFor)))
}

func scanCredit(row scanner) (c finance.Credit, err error) {
	var minor int64
	var currency string
	var first sqlite.Time
	err = row.Scan(&c.AccountID, &minor, &currency, &first)
	c.Amount, c.FirstSeen = money.FromMinor(minor, currency), first.Time
	return c, err
}

func (s *Store) matching(ctx context.Context, userID, which string, arg any) (m Matching, err error) {
	err = s.db.Snapshot(ctx, func(at sqlite.Snapshot) error {
		which := isMatched + ` AND ` + which
		if m.Payments, err = s.sentPayments(ctx, at, userID, which, arg); err != nil || len(m.Payments) == 0 {
			return err
		}
		if m.Held, err = collect(ctx, at, scanMatch, bookedQuery(which), userID, arg); err != nil {
			return err
		}
		if m.Filed, err = filedTotals(ctx, at, userID, which, arg); err != nil {
			return err
		}
		low, _, _ := finance.SortRange(finance.BookingsFrom(m.Payments, time.Now()))
		if m.Bookings, err = collect(ctx, at, scanBooking, recentQuery(which), userID, arg, low); err != nil {
			return err
		}
		old, err := collect(ctx, at, scanBooking, bookedBeforeQuery(which), userID, arg, low)
		m.Bookings = append(m.Bookings, old...)
		return err
	})
	return m, err
}

// filedTotals reads the totals of files that hold one of the payments of the user which which names, by the argument $2.
func filedTotals(ctx context.Context, at querier, userID, which string, arg any) (all []finance.FiledTotal, err error) {
	type member struct {
		id, payment string
		filed       sqlite.Time
	}
	rows, err := collect(ctx, at, func(row scanner) (m member, err error) { return m, row.Scan(&m.id, &m.payment, &m.filed) },
		filedQuery(which), userID, arg)
	for _, m := range rows {
		if len(all) == 0 || all[len(all)-1].ID != m.id {
			all = append(all, finance.FiledTotal{ID: m.id})
		}
		total := &all[len(all)-1]
		total.Payments = append(total.Payments, m.payment)
		total.Filed = m.filed.Time
	}
	return all, err
}

func filedQuery(which string) string {
	return `SELECT filed.id, filed.payment_id, filed.filed FROM payment_total filed
		WHERE filed.id IN (SELECT mine.id FROM payment CROSS JOIN payment_total mine ON mine.payment_id = payment.id WHERE payment.user_id = $1 AND ` + which + `)
		ORDER BY filed.id, filed.payment_id`
}

// bookedQuery reads the bookings of payments of user $1. which is the condition that selects the payments; it may use $2.
func bookedQuery(which string) string {
	return `SELECT ` + matchColumns + ` FROM payment CROSS JOIN payment_booking booking ON booking.payment_id = payment.id WHERE payment.user_id = $1 AND ` + which
}

// recentQuery reads the bookings from sort key $3 on that belong to no payment, or to one of those that which selects.
func recentQuery(which string) string {
	return bookingsQuery + `t.sort_key >= $3 AND NOT EXISTS (SELECT 1 FROM payment_booking booking WHERE booking.booked_id = t.id
		AND NOT EXISTS (SELECT 1 FROM payment WHERE payment.id = booking.payment_id AND payment.user_id = $1 AND ` + which + `))`
}

// bookedBeforeQuery reads the bookings before sort key $3 of the payments that which selects.
func bookedBeforeQuery(which string) string {
	return bookingsQuery + `t.sort_key < $3 AND t.id IN (SELECT booking.booked_id FROM payment CROSS JOIN payment_booking booking ON booking.payment_id = payment.id WHERE payment.user_id = $1 AND ` + which + `)`
}

const bookingsQuery = `SELECT t.id, t.account_id, COALESCE(connection.provider_id, ''), COALESCE(connection.aspsp_name, ''), COALESCE(connection.country, ''), t.minor, t.currency, t.display_date, t.counterparty,
		t.counterparty_account, t.remittance, t.first_seen, record.original,
		EXISTS (SELECT 1 FROM payment_booking picked WHERE picked.booked_id = t.id AND picked.chosen = 1)
	FROM account LEFT JOIN connection ON connection.id = account.connection_id JOIN booked_transaction t ON t.account_id = account.id JOIN transaction_record record ON record.transaction_id = t.id
	WHERE account.user_id = $1 AND t.minor < 0 AND NOT (` + unlisted + `) AND `

// sentPayments reads payments of the user with their transfers. which may name one argument, $2.
func (s *Store) sentPayments(ctx context.Context, q querier, userID, which string, arg any) ([]finance.SentPayment, error) {
	payments, err := collect(ctx, q, s.scanPayment, sentQuery(which), userID, arg)
	if err != nil || len(payments) == 0 {
		return nil, err
	}
	type owned struct {
		finance.PaymentTransfer
		paymentID string
	}
	transfers, err := collect(ctx, q, func(row scanner) (t owned, err error) {
		t.PaymentTransfer, err = scanTransfer(row, &t.paymentID)
		return t, err
	}, sentTransfersQuery(which), userID, arg)
	if err != nil {
		return nil, err
	}
	of := map[string][]finance.PaymentTransfer{}
	for _, t := range transfers {
		of[t.paymentID] = append(of[t.paymentID], t.PaymentTransfer)
	}
	all := make([]finance.SentPayment, 0, len(payments))
	for _, p := range payments {
		all = append(all, finance.SentPayment{Payment: p, Transfers: of[p.ID]})
	}
	return all, nil
}

// sentTransfersQuery asks for the transfers of these payments.
func sentTransfersQuery(which string) string {
	return `SELECT ` + transferColumns + `, transfer.payment_id FROM payment CROSS JOIN payment_transfer transfer ON transfer.payment_id = payment.id
		WHERE payment.user_id = $1 AND ` + which + ` ORDER BY transfer.payment_id, transfer.position`
}

func sentQuery(which string) string {
	return `SELECT ` + paymentColumns + paymentFrom + `WHERE payment.user_id = $1 AND ` + which + ` ORDER BY payment.sent, payment.id`
}

// matchColumns are what scanMatch reads.
const matchColumns = `booking.booked_id, booking.payment_id, booking.position, booking.execution, booking.total, booking.file`

func scanMatch(row scanner) (m finance.BookingMatch, err error) {
	err = row.Scan(matchInto(&m)...)
	return m, err
}

func matchInto(m *finance.BookingMatch) []any {
	return []any{&m.BookingID, &m.PaymentID, &m.Position, &m.Execution, &m.Total, &m.File}
}

func scanBooking(row scanner) (finance.Booking, error) {
	var b finance.Booking
	var minor int64
	var currency string
	var first sqlite.Time
	err := row.Scan(&b.ID, &b.AccountID, &b.ProviderID, &b.ASPSP.Name, &b.ASPSP.Country, &minor, &currency, &b.Date, &b.Counterparty, &b.CounterpartyAccount,
		&b.Remittance, &first, &b.Record, &b.Chosen)
	if err == nil {
		b.Amount, b.FirstSeen = money.FromMinor(minor, currency), first.Time
	}
	return b, err
}

// SetBookings replaces the bookings that were found for payments of the user. A booking that another payment has taken meanwhile, or that the bank no
// longer lists, is left out; the next call puts this right. It returns the payments whose bookings changed.
func (s *Store) SetBookings(ctx context.Context, userID string, held, found []finance.BookingMatch) (changed []string, err error) {
	defer doing("set bookings", &err)
	was, is := map[finance.BookingMatch]bool{}, map[finance.BookingMatch]bool{}
	for _, m := range held {
		was[m] = true
	}
	for _, m := range found {
		is[m] = true
	}
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		changed = nil
		var rows []any
		for _, step := range []struct {
			list   []finance.BookingMatch
			except map[finance.BookingMatch]bool
			query  string
			kind   finance.EventKind
		}{
			{held, is, `DELETE FROM payment_booking WHERE booked_id = $1 AND payment_id = $2 AND position = $3 AND execution = $4 AND total = $5 AND file = $7
				AND EXISTS (SELECT 1 FROM payment WHERE payment.id = $2 AND payment.user_id = $6)`, finance.EventUnbooked},
			{found, was, `INSERT INTO payment_booking (booked_id, payment_id, position, execution, total, file) SELECT $1, $2, $3, $4, $5, $7
				WHERE EXISTS (SELECT 1 FROM payment_transfer transfer JOIN payment ON payment.id = transfer.payment_id WHERE transfer.payment_id = $2 AND transfer.position = $3 AND payment.user_id = $6)
				AND EXISTS (SELECT 1 FROM booked_transaction t JOIN account ON account.id = t.account_id WHERE t.id = $1 AND NOT (` + unlisted + `) AND ` + inList + ` AND account.user_id = $6)
				AND NOT EXISTS (SELECT 1 FROM payment_booking taken WHERE taken.booked_id = $1 AND taken.file <> $7)
				ON CONFLICT DO NOTHING`, finance.EventBooked},
		} {
			for _, m := range step.list {
				if step.except[m] {
					continue
				}
				result, err := tx.ExecContext(ctx, step.query, m.BookingID, m.PaymentID, m.Position, m.Execution, flag(m.Total), userID, m.File)
				if err != nil {
					return err
				}
				n, err := result.RowsAffected()
				if err != nil {
					return err
				}
				if n == 0 {
					continue
				}
				if err := addEvent(ctx, tx, m.PaymentID, finance.PaymentEvent{Kind: step.kind, Detail: string(m.Execution)}); err != nil {
					return err
				}
				changed, rows = append(changed, m.PaymentID), append(rows, m.BookingID)
			}
		}
		return reindex(ctx, tx, rows)
	})
	return changed, err
}

// PaymentBooking is what a bank booked for a payment.
type PaymentBooking struct {
	finance.BookingMatch
	AccountID   string
	Transaction finance.TransactionRow
}

// PaymentBookings lists what was booked for a payment of the user, oldest first.
func (s *Store) PaymentBookings(ctx context.Context, userID, paymentID string) (_ []PaymentBooking, err error) {
	defer doing("read payment bookings", &err)
	return collect(ctx, s.db.Read(), func(row scanner) (PaymentBooking, error) {
		var b PaymentBooking
		err := scanRow(row, &b.Transaction, append(matchInto(&b.BookingMatch), &b.AccountID)...)
		return b, err
	}, `SELECT `+rowColumns+`, `+matchColumns+`, t.account_id
		FROM payment_booking booking JOIN payment ON payment.id = booking.payment_id JOIN booked_transaction t ON t.id = booking.booked_id
		WHERE payment.id = $1 AND payment.user_id = $2 ORDER BY t.display_date, t.id`, paymentID, userID)
}

// PaymentsOfBooking returns the payments of the user that a booked transaction belongs to, and its place in the first of them: one, several where it is the
// total of a file, or none.
func (s *Store) PaymentsOfBooking(ctx context.Context, userID string, booked int64) (list []finance.Payment, first finance.BookingPlace, err error) {
	defer doing("read payments of booking", &err)
	matches, err := collect(ctx, s.db.Read(), scanMatch, `SELECT `+matchColumns+`
		FROM payment_booking booking JOIN payment ON payment.id = booking.payment_id WHERE booking.booked_id = $1 AND payment.user_id = $2
		ORDER BY payment.sent, payment.id`, booked, userID)
	for i, m := range matches {
		p, err := s.Payment(ctx, userID, m.PaymentID)
		if err != nil {
			return nil, first, err
		}
		if list = append(list, p); i == 0 {
			first = m.BookingPlace
		}
	}
	return list, first, err
}

// SeePayment records that the person has seen the result of a payment, or does not want to be reminded of it. It reports whether that is news.
func (s *Store) SeePayment(ctx context.Context, userID, id string) (_ bool, err error) {
	defer doing("mark payment as seen", &err)
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		return changed(tx.ExecContext(ctx, `UPDATE payment SET seen = $1 WHERE id = $2 AND user_id = $3 AND seen IS NULL AND (final = 1 OR phase = 'failed')`,
			sqlite.At(tx.Now), id, userID))
	})
	if errors.Is(err, finance.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// UnseenPayments lists payments of the user that ended and whose end was not seen, the latest end first: at most limit, and whether there are more.
func (s *Store) UnseenPayments(ctx context.Context, userID string, limit int) (_ []finance.Payment, more bool, err error) {
	defer doing("read unseen payments", &err)
	l, err := sqlite.Remember(ctx, s.db, sqlite.Key{"payment", userID, "unseen " + strconv.Itoa(limit)}, func() (listed, error) {
		return s.listed(ctx, limit, unseenQuery, userID, limit)
	})
	return l.page, l.more, err
}

var unseenQuery = `SELECT ` + listedColumns + paymentFrom + `WHERE payment.user_id = $1 AND ` + isUnseen +
	` AND payment.hidden = 0 ORDER BY payment.news DESC, payment.id DESC LIMIT $2 + 1`

// ComingPayments lists payments of the user that the bank still has to execute from a day on, as far as the order says. Payments that were put away
// or stopped are left out, and so are those without a day: the bank executes them as soon as possible.
func (s *Store) ComingPayments(ctx context.Context, userID string, from openbanking.Date) (_ []finance.SentPayment, err error) {
	defer doing("read coming payments", &err)
	return sqlite.Remember(ctx, s.db, sqlite.Key{"payment", userID, "coming " + string(from)}, func() ([]finance.SentPayment, error) {
		return s.sentPayments(ctx, s.db.Read(), userID, isComing+` AND payment.last_day >= $2`, from)
	})
}

// isComing says that something of a payment is still to be carried out, in the words of the partial index payment_coming.
const isComing = `payment.phase = 'created' AND payment.hidden = 0 AND payment.stopped IS NULL AND (payment.final = 0 OR payment.last_day > substr(payment.ended, 1, 10)) AND ` + isDated

// StopPayment records that the user stopped a standing order at the bank, or that this was a mistake. It changes nothing at the bank.
func (s *Store) StopPayment(ctx context.Context, userID, id string, stopped bool) (err error) {
	defer doing("stop payment", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		err := changed(tx.ExecContext(ctx,
			`UPDATE payment SET stopped = CASE WHEN $1 = 1 THEN COALESCE(stopped, $2) END WHERE id = $3 AND user_id = $4 AND phase = 'created'`,
			flag(stopped), sqlite.At(tx.Now), id, userID))
		if err != nil || !stopped {
			return err
		}
		return addEvent(ctx, tx, id, finance.PaymentEvent{Kind: finance.EventStopped})
	})
}
