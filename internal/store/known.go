package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

// KnownPlace is a place in a list of rows as they were known: what follows are the older ones.
type KnownPlace struct{ SortKey, ID int64 }

// NewestKnown is in front of all rows.
var NewestKnown = KnownPlace{Newest, Newest}

// Columns of a row as it was: those of a version v, and those of a row t that says the same today. Both begin with the id, for scanKnown.
const (
	versionColumns = `v.transaction_id, v.sort_key, v.minor, v.currency, v.display_date, v.booking_date, v.value_date, v.counterparty, v.payee, v.counterparty_account,
		v.remittance, v.kind, v.unlisted`
	presentColumns = `t.id, t.sort_key, t.minor, t.currency, t.display_date, t.booking_date, t.value_date, t.counterparty, t.payee, t.counterparty_account, t.remittance,
		t.kind, ` +
		unlisted
)

// knownFields are where versionColumns and presentColumns go.
type knownFields struct {
	finance.Transaction
	minor    int64
	currency string
}

func (k *knownFields) fields() []any {
	return []any{&k.ID, &k.SortKey, &k.minor, &k.currency, &k.Date, &k.BookingDate, &k.ValueDate, &k.Counterparty, &k.Payee,
		&k.CounterpartyAccount, &k.Remittance, &k.Kind, &k.Missing}
}

func (k *knownFields) transaction() finance.Transaction {
	k.Amount = money.FromMinor(k.minor, k.currency)
	return k.Transaction
}

// Known returns an account of the user as it was just before a moment, the end of a day for example: some of its rows behind a place, what was not
// booked, its balances, and what the rows of a month came to, whose first day is given. finance.ErrNotFound when the account is not the user's.
func (s *Store) Known(ctx context.Context, userID, accountID string, end time.Time, month openbanking.Date,
	behind KnownPlace, rows int) (known finance.KnownAccount, err error) {
	defer doing("read account as it was known", &err)
	err = s.Snapshot(ctx, func(r Reader) error {
		if _, err := r.Account(ctx, userID, accountID); err != nil {
			return err
		}
		at := sqlite.At(end)
		var began sqlite.Time
		if err := r.from.QueryRowContext(ctx, `SELECT began FROM history_start`).Scan(&began); err != nil {
			return err
		}
		known.Began = began.Time
		if known.Rows, err = r.knownRows(ctx, userID, accountID, at, behind, rows+1); err != nil {
			return err
		}
		if known.More = len(known.Rows) > rows; known.More {
			known.Rows = known.Rows[:rows]
		}
		if known.Pending, err = r.knownPending(ctx, userID, accountID, at); err != nil {
			return err
		}
		if known.Balances, err = r.knownBalances(ctx, userID, accountID, at); err != nil {
			return err
		}
		known.Flows, err = r.knownFlows(ctx, userID, accountID, at, month)
		return err
	})
	return known, err
}

// knownRows lists booked rows as they were just before a moment: those that have changed or gone since by their versions, and the others as they are.
func (r Reader) knownRows(ctx context.Context, userID, accountID string, at sqlite.Time, behind KnownPlace, rows int) ([]finance.KnownRow, error) {
	all, err := collect(ctx, r.from, func(row scanner) (finance.KnownRow, error) {
		var is, was knownFields
		var there bool
		err := row.Scan(append(was.fields(), &is.SortKey, &is.minor, &is.currency, &is.Date, &is.BookingDate, &is.ValueDate, &is.Counterparty,
			&is.CounterpartyAccount, &is.Remittance, &is.Missing, &there)...)
		change := finance.RowChange{Was: was.transaction(), Is: is.transaction(), Gone: !there || is.SortKey < 0}
		change.Was.AccountID = accountID
		return finance.KnownRow{Transaction: change.Was, Since: change.What()}, err
	}, `SELECT `+versionColumns+`, COALESCE(t.sort_key, 0), COALESCE(t.minor, 0), COALESCE(t.currency, v.currency), COALESCE(t.display_date, ''),
			COALESCE(t.booking_date, ''), COALESCE(t.value_date, ''), COALESCE(t.counterparty, ''), COALESCE(t.counterparty_account, ''), COALESCE(t.remittance, ''),
			`+unlisted+`, t.id IS NOT NULL
		FROM transaction_version v JOIN account a ON a.id = v.account_id LEFT JOIN booked_transaction t ON t.id = v.transaction_id
		WHERE a.id = $1 AND a.user_id = $2 AND v.until >= $3 AND v.since < $3 AND v.sort_key BETWEEN 0 AND $4 AND (v.sort_key < $4 OR v.transaction_id < $5)
		ORDER BY v.sort_key DESC, v.transaction_id DESC LIMIT $6`, accountID, userID, at, behind.SortKey, behind.ID, rows)
	if err != nil {
		return nil, err
	}
	same, err := collect(ctx, r.from, func(row scanner) (finance.KnownRow, error) {
		var is knownFields
		err := row.Scan(is.fields()...)
		is.AccountID = accountID
		return finance.KnownRow{Transaction: is.transaction()}, err
	}, `SELECT `+presentColumns+` FROM booked_transaction t JOIN account a ON a.id = t.account_id
		WHERE a.id = $1 AND a.user_id = $2 AND t.sort_key BETWEEN 0 AND $3 AND (t.sort_key < $3 OR t.id < $4) AND `+sameSince+`
		ORDER BY t.sort_key DESC, t.id DESC LIMIT $6`, accountID, userID, behind.SortKey, behind.ID, at, rows)
	if err != nil {
		return nil, err
	}
	all = append(all, same...)
	slices.SortFunc(all, func(a, b finance.KnownRow) int {
		return cmp.Or(cmp.Compare(b.SortKey, a.SortKey), cmp.Compare(b.ID, a.ID))
	})
	return all[:min(len(all), rows)], nil
}

// sameSince says that a row t was there just before a moment, the fifth parameter, and says what it said then.
const sameSince = `t.first_seen < $5 AND NOT EXISTS (SELECT 1 FROM transaction_version v WHERE v.transaction_id = t.id AND v.until >= $5)`

// knownFlows is what the rows of the month that begins with a day came to as they were known just before a moment, without those that the bank no longer
// listed.
func (r Reader) knownFlows(ctx context.Context, userID, accountID string, at sqlite.Time, month openbanking.Date) ([]finance.KnownFlow, error) {
	low, _, _ := finance.SortRange(month)
	next, _, _ := finance.SortRange(shifted(month, 1, 0))
	return collect(ctx, r.from, func(row scanner) (f finance.KnownFlow, err error) {
		var currency string
		var in, out [2]int64
		err = row.Scan(&currency, &in[0], &in[1], &out[0], &out[1], &f.Rows)
		var fitsIn, fitsOut bool
		f.In, fitsIn = joinedAmount(in, currency)
		f.Out, fitsOut = joinedAmount(out, currency)
		f.TooLarge = !fitsIn || !fitsOut
		return f, err
	}, `SELECT listed.currency, SUM(CASE WHEN listed.minor >= 0 THEN listed.minor / 1000000 ELSE 0 END), SUM(CASE WHEN listed.minor >= 0 THEN listed.minor % 1000000 ELSE 0 END),
			SUM(CASE WHEN listed.minor < 0 THEN listed.minor / 1000000 ELSE 0 END), SUM(CASE WHEN listed.minor < 0 THEN listed.minor % 1000000 ELSE 0 END), COUNT(*)
		FROM (SELECT v.currency AS currency, v.minor AS minor FROM transaction_version v JOIN account a ON a.id = v.account_id
				WHERE a.id = $1 AND a.user_id = $2 AND v.until >= $5 AND v.since < $5 AND v.sort_key BETWEEN $3 AND $4 AND v.unlisted = 0
			UNION ALL SELECT t.currency, t.minor FROM booked_transaction t JOIN account a ON a.id = t.account_id
				WHERE a.id = $1 AND a.user_id = $2 AND t.sort_key BETWEEN $3 AND $4 AND NOT (`+unlisted+`) AND `+sameSince+`) listed
		GROUP BY listed.currency ORDER BY listed.currency`, accountID, userID, low, next-1, at)
}

// knownPending lists what was shown as not booked just before a moment.
func (r Reader) knownPending(ctx context.Context, userID, accountID string, at sqlite.Time) ([]finance.PendingTransaction, error) {
	return collect(ctx, r.from, func(row scanner) (finance.PendingTransaction, error) {
		p := finance.PendingTransaction{AccountID: accountID}
		var minor int64
		var currency string
		err := row.Scan(&p.Status, &minor, &currency, &p.Text, &p.Date, &p.Counterparty, &p.CounterpartyAccount, &p.Remittance, &p.Kind)
		p.Amount = money.FromMinor(minor, currency)
		return p, err
	}, `SELECT shown.status, shown.minor, shown.currency, shown.amount, shown.display_date, shown.counterparty, shown.counterparty_account, shown.remittance, shown.kind
		FROM (SELECT p.identity, p.ordinal, p.status, p.minor, p.currency, p.amount, p.display_date, CASE p.payee WHEN '' THEN p.counterparty ELSE p.payee END AS counterparty,
				p.counterparty_account, p.remittance, p.kind
				FROM account a JOIN pending_transaction p ON p.account_id = a.id AND p.run = a.pending_run WHERE a.id = $1 AND a.user_id = $2 AND p.since < $3
			UNION ALL SELECT v.identity, v.ordinal, v.status, v.minor, v.currency, v.amount, v.display_date, v.counterparty, v.counterparty_account, v.remittance, v.kind
				FROM account a JOIN pending_version v ON v.account_id = a.id WHERE a.id = $1 AND a.user_id = $2 AND v.until >= $3 AND v.since < $3) shown
		ORDER BY shown.display_date = '' DESC, shown.display_date DESC, shown.identity, shown.ordinal`, accountID, userID, at)
}

// knownBalances lists the balances that were there just before a moment: the first ones that were replaced after it, or else those of today.
func (r Reader) knownBalances(ctx context.Context, userID, accountID string, at sqlite.Time) ([]finance.Balance, error) {
	return collect(ctx, r.from, scanBalance, `SELECT `+balanceColumns+` FROM account a
		JOIN (SELECT v.account_id, v.position, v.type, v.name, v.minor, v.currency, v.amount, v.reference_date, v.last_change, v.fetched FROM balance_version v
				WHERE v.account_id = $1 AND v.until = (SELECT MIN(next.until) FROM balance_version next WHERE next.account_id = $1 AND next.until >= $3)
			UNION ALL SELECT b.account_id, b.position, b.type, b.name, b.minor, b.currency, b.amount, b.reference_date, b.last_change, b.fetched FROM balance b
				WHERE b.account_id = $1 AND NOT EXISTS (SELECT 1 FROM balance_version next WHERE next.account_id = $1 AND next.until >= $3)) b ON b.account_id = a.id
		WHERE a.id = $1 AND a.user_id = $2 AND b.fetched < $3 ORDER BY b.position`, accountID, userID, at)
}
