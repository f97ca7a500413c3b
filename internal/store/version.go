package store

import (
	"context"
	"slices"
	"time"

	"florin/internal/sqlite"
)

// What rows and balances said before is kept as versions (ADR 0063): a version says what held from since until just before until. What changes or
// removes rows calls keepRows before it does. Two moments count: the end of each day, and when somebody looked at what is new. A state that was over
// before either came is not kept, so that a row has one version a day at most, however often its bank changes it.

// startOfDay is when the day of a moment began, in the time zone of the server, in which pages show times.
func startOfDay(now time.Time) time.Time {
	y, m, d := now.In(time.Local).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.Local)
}

// keptSince returns how old a state of the account must be to be kept when it ends now: it must have begun before today, or before somebody last looked.
func keptSince(ctx context.Context, tx *sqlite.Tx, accountID string) (sqlite.Time, error) {
	day := startOfDay(tx.Now)
	looks, err := collect(ctx, tx, func(row scanner) (at sqlite.NullTime, err error) { return at, row.Scan(&at) }, `SELECT began FROM history_start
		UNION ALL SELECT MAX(look.looked) FROM account_look look WHERE look.account_id = $1
		UNION ALL SELECT MAX(task.first_success_at) FROM sync_task task WHERE task.account_id = $1 AND task.scope = 'transactions'`, accountID)
	for _, look := range looks {
		if after := look.Add(time.Millisecond); !look.IsZero() && after.After(day) {
			day = after
		}
	}
	return sqlite.At(day), err
}

// keepRows keeps what rows of an account say, since they are about to change or to go.
func keepRows(ctx context.Context, tx *sqlite.Tx, accountID string, ids ...any) error {
	if len(ids) == 0 {
		return nil
	}
	since, err := keptSince(ctx, tx, accountID)
	if err != nil {
		return err
	}
	return keepVersions(ctx, tx, since, ids...)
}

// versionsQuery copies rows as they are into the history. Its parameters are now, the moment before which the state of a row must have begun, and the ids
// of the rows.
func versionsQuery(ids int) string {
	const began = `COALESCE((SELECT MAX(before.until) FROM transaction_version before WHERE before.transaction_id = t.id), t.first_seen)`
	return `INSERT INTO transaction_version (transaction_id, until, since, account_id, sort_key, unlisted, by_hand, minor, currency, display_date, booking_date, value_date,
			counterparty, payee, counterparty_account, remittance, kind)
		SELECT t.id, ?, ` + began + `, t.account_id, t.sort_key, ` + unlisted + `, t.seen_run = 0, t.minor, t.currency, t.display_date, t.booking_date, t.value_date,
			t.counterparty, t.payee, t.counterparty_account, t.remittance, t.kind
		FROM booked_transaction t WHERE ` + began + ` < ? AND t.id IN ` + tuples(1, ids) + ` ON CONFLICT DO NOTHING`
}

var oneVersion, manyVersions = versionsQuery(1), versionsQuery(lookupRows)

// keepVersions is keepRows for callers that have the result of keptSince.
func keepVersions(ctx context.Context, tx *sqlite.Tx, since sqlite.Time, ids ...any) error {
	now := sqlite.At(tx.Now)
	if len(ids) < 4 {
		for _, id := range ids {
			if _, err := tx.ExecContext(ctx, oneVersion, now, since, id); err != nil {
				return err
			}
		}
		return nil
	}
	for some := range slices.Chunk(ids, lookupRows) {
		if _, err := tx.ExecContext(ctx, manyVersions, append([]any{now, since}, padded(some)...)...); err != nil {
			return err
		}
	}
	return nil
}

// keepRows keeps the present state of rows of the account, which are about to change or to be deleted.
func (m *merge) keepRows(ctx context.Context, ids ...any) (err error) {
	if m.since.IsZero() {
		if m.since, err = keptSince(ctx, m.tx, m.account); err != nil {
			return err
		}
	}
	return keepVersions(ctx, m.tx, m.since, ids...)
}

// pendingSame says that two rows that are not booked say the same.
const pendingSame = `old.identity = p.identity AND old.ordinal = p.ordinal AND old.status = p.status AND old.minor = p.minor AND old.currency = p.currency
	AND old.amount = p.amount AND old.display_date = p.display_date AND old.counterparty = p.counterparty AND old.counterparty_account = p.counterparty_account
	AND old.remittance = p.remittance AND old.kind = p.kind`

// keepPending keeps the pending rows of an account that are about to be deleted because the run does not repeat them; run 0 repeats none. Rows that the run
// does repeat take over the time since which they are known.
func keepPending(ctx context.Context, tx *sqlite.Tx, accountID string, run int64) error {
	var shown bool
	err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM pending_transaction p WHERE p.account_id = $1)`, accountID).Scan(&shown)
	if err != nil || !shown {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE pending_transaction AS p SET since = COALESCE((SELECT old.since FROM pending_transaction old JOIN account a ON a.id = old.account_id
			WHERE old.account_id = p.account_id AND old.run = a.pending_run AND `+pendingSame+`), $1) WHERE p.account_id = $2 AND p.run = $3`,
		sqlite.At(tx.Now), accountID, run)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO pending_version (account_id, until, identity, ordinal, since, status, minor, currency, amount, display_date, counterparty,
			counterparty_account, remittance, kind)
		SELECT old.account_id, $1, old.identity, old.ordinal, old.since, old.status, old.minor, old.currency, old.amount, old.display_date,
			CASE old.payee WHEN '' THEN old.counterparty ELSE old.payee END, old.counterparty_account, old.remittance, old.kind
		FROM pending_transaction old JOIN account a ON a.id = old.account_id AND a.pending_run = old.run
		WHERE a.id = $2 AND old.since < $3 AND NOT EXISTS (SELECT 1 FROM pending_transaction p WHERE p.account_id = $2 AND p.run = $4 AND `+pendingSame+`)
		ON CONFLICT DO NOTHING`, sqlite.At(tx.Now), accountID, sqlite.At(startOfDay(tx.Now)), run)
	return err
}

// keepBalances keeps the balances of an account with which a day ended, since others are about to take their place.
func keepBalances(ctx context.Context, tx *sqlite.Tx, accountID string) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO balance_version (account_id, until, position, type, name, minor, currency, amount, reference_date, last_change, fetched)
		SELECT b.account_id, $1, b.position, b.type, b.name, b.minor, b.currency, b.amount, b.reference_date, b.last_change, b.fetched
		FROM balance b WHERE b.account_id = $2 AND b.fetched < $3 ON CONFLICT DO NOTHING`, sqlite.At(tx.Now), accountID, sqlite.At(startOfDay(tx.Now)))
	return err
}

// arrival is whether and to whom new rows are reported.
type arrival int

const (
	quietly arrival = iota // not at all: the first sync of an account, or a file
	byBank
	byHand // whoever typed the row is not told
)

// arrived records the arrival of the last rows that were stored. They have the highest ids.
func (m *merge) arrived(ctx context.Context, rows int64) error {
	if m.arrival == quietly {
		return nil
	}
	_, err := m.tx.ExecContext(ctx, `INSERT INTO transaction_arrival (account_id, arrived, first_id, last_id, by_hand) VALUES ($1, $2, $3, $4, $5)`,
		m.account, sqlite.At(m.tx.Now), m.nextID-rows, m.nextID-1, flag(m.arrival == byHand))
	return err
}
