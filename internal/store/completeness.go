package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"florin/internal/completeness"
	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

const (
	readingsFor = 35 // days for which readings are kept: what they cost does not grow with the history
	together    = 15 * time.Minute
	lateRows    = 10 // days before the first reading or a break; as far back as a refresh looks for rows (package syncer)
	breakRows   = 500
)

// takeReading stores the booked balances of an account as a reading, in the transaction that stores the later of balances and rows. It does so only when
// both were fetched within a quarter of an hour.
func takeReading(ctx context.Context, tx *sqlite.Tx, userID, accountID string) error {
	var begun, last sqlite.NullTime
	err := tx.QueryRowContext(ctx, `SELECT k.last_started_at, (SELECT MAX(reading.taken) FROM balance_reading reading WHERE reading.account_id = k.account_id) AS last
		FROM sync_task k JOIN account a ON a.id = k.account_id
		WHERE a.id = $1 AND a.user_id = $2 AND k.scope = 'transactions' AND k.in_run = 0 AND k.last_error_code = '' AND k.last_success_at > COALESCE(last, '')`,
		accountID, userID).Scan(&begun, &last)
	if err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			return nil // the rows have not been read
		}
		return err
	}
	account, err := Reader{tx}.Account(ctx, userID, accountID)
	if err != nil {
		return err
	}
	balances, err := Reader{tx}.balancesOf(ctx, userID, accountID)
	if err != nil || len(balances) == 0 || !balances[0].Fetched.After(last.Time) || balances[0].Fetched.Sub(begun.Time).Abs() > together {
		return err
	}
	oldest := openbanking.DateOf(tx.Now.AddDate(0, 0, -readingsFor))
	for _, p := range completeness.Provable(account, balances) {
		if p.Day < oldest {
			continue // a balance of years ago tells nothing of the rows that come
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO balance_reading (account_id, day, taken, type, minor, currency, pending) VALUES ($1, $2, $3, $4, $5, $6,
				COALESCE((SELECT SUM(p.minor) FROM pending_transaction p JOIN account a ON a.id = p.account_id AND a.pending_run = p.run
					WHERE p.account_id = $1 AND p.currency = $6 AND ABS(p.minor) < 1000000000000), 0))
			ON CONFLICT DO NOTHING`, accountID, p.Day, sqlite.At(tx.Now), p.Type, p.Balance.Minor(), p.Balance.Currency())
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM balance_reading WHERE account_id = $1 AND (day < $2 OR day = $3 AND taken < $4
			AND taken > (SELECT MIN(first.taken) FROM balance_reading first WHERE first.account_id = $1 AND first.day = $3))`, accountID, oldest, p.Day, sqlite.At(tx.Now))
		if err != nil {
			return err
		}
	}
	return nil
}

// Completeness is how far an account is known to be complete, and what is likely wrong at its last break.
type Completeness struct {
	completeness.Verdict
	Provable bool // the bank gives a balance by which rows can be proven
	Cause    completeness.Cause
	Row      finance.TransactionRow // that the cause is about; its ID is 0 when it is about none
}

// Completeness returns that of an account of the user. finance.ErrNotFound for that of somebody else.
func (s *Store) Completeness(ctx context.Context, userID, accountID string) (_ Completeness, err error) {
	defer doing("prove account complete", &err)
	return sqlite.Remember(ctx, s.db, sqlite.Key{"balance_reading", userID, accountID}, func() (c Completeness, err error) {
		err = s.Snapshot(ctx, func(r Reader) (err error) {
			c, err = r.completeness(ctx, userID, accountID)
			return err
		})
		return c, err
	})
}

func (r Reader) completeness(ctx context.Context, userID, accountID string) (c Completeness, err error) {
	account, err := r.Account(ctx, userID, accountID)
	if err != nil {
		return c, err
	}
	balances, err := r.balancesOf(ctx, userID, accountID)
	if err != nil {
		return c, err
	}
	c.Provable = len(completeness.Provable(account, balances)) > 0
	readings, err := r.readings(ctx, account)
	if err != nil || len(readings) == 0 {
		return c, err
	}
	c.Verdict = completeness.Judge(readings)
	if len(c.Breaks) == 0 {
		return c, nil
	}
	last := c.Breaks[len(c.Breaks)-1]
	rows, err := r.rowsOfBreak(ctx, account, last)
	if err != nil {
		return c, err
	}
	cause, row := last.Explain(rows)
	if c.Cause = cause; row.ID == 0 {
		return c, nil
	}
	return c, scanRow(r.from.QueryRowContext(ctx, `SELECT `+rowColumns+` FROM booked_transaction t JOIN account a ON a.id = t.account_id
		WHERE t.id = $1 AND a.id = $2 AND a.user_id = $3`, row.ID, account.ID, userID), &c.Row)
}

// bookedOn is the day on which a row t is booked, as the index has it: where the bank does not tell, the day that is shown.
const bookedOn = `CASE t.booking_date WHEN '' THEN t.display_date ELSE t.booking_date END`

// readings returns the readings of an account, each with the sum of the rows that count for it.
//
// A row counts for a reading that was taken after the row arrived, when it was booked on or before the day of the reading. A row from a file counts by its
// day alone. A row without a booking date counts when it arrived after the first reading. Rows that arrived after a reading but are booked until its day
// are reported apart.
func (r Reader) readings(ctx context.Context, account finance.Account) ([]completeness.Reading, error) {
	list, err := collect(ctx, r.from, func(row scanner) (one completeness.Reading, err error) {
		var taken sqlite.Time
		var minor, pending int64
		var currency string
		err = row.Scan(&one.Day, &taken, &minor, &currency, &pending)
		one.Taken, one.Balance, one.Pending = taken.Time, money.FromMinor(minor, currency), money.FromMinor(pending, currency)
		return one, err
	}, `SELECT reading.day, reading.taken, reading.minor, reading.currency, reading.pending FROM balance_reading reading JOIN account a ON a.id = reading.account_id
		WHERE a.id = $1 AND reading.currency = $2 AND a.user_id = $3 ORDER BY reading.day, reading.taken`, account.ID, account.Currency, account.UserID)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	first := list[0]
	rows, onDay, late, since := make([]flow, len(list)), make([]flow, len(list)), make([]flow, len(list)), make([]flow, len(list))
	_, err = collect(ctx, r.from, func(row scanner) (struct{}, error) {
		var day openbanking.Date
		var came sqlite.Time
		var undated, file bool
		var sum flow
		if err := row.Scan(&day, &came, &undated, &file, &sum.millions, &sum.rest); err != nil {
			return struct{}{}, err
		}
		after := came.After(first.Taken)
		for i, reading := range list {
			switch {
			case day > reading.Day, undated && !file && !after:
			case !file && came.After(reading.Taken):
				if !undated && day >= first.Day {
					since[i].add(sum, 1)
				}
			case undated && !file, day >= first.Day:
				rows[i].add(sum, 1)
				if day == reading.Day {
					onDay[i].add(sum, 1)
				}
			case after && !file:
				late[i].add(sum, 1)
			}
		}
		return struct{}{}, nil
	}, `SELECT `+bookedOn+`, t.first_seen, t.booking_date = '', t.seen_run = 0, SUM(t.minor / 1000000), SUM(t.minor % 1000000)
		FROM account a CROSS JOIN booked_transaction t ON t.account_id = a.id AND `+bookedOn+` BETWEEN $2 AND $3
		WHERE a.id = $1 AND a.user_id = $5 AND t.currency = $4 AND `+inList+` AND NOT (`+unlisted+`) GROUP BY 1, 2, 3, 4`,
		account.ID, shifted(first.Day, 0, -lateRows), list[len(list)-1].Day, account.Currency, account.UserID)
	if err != nil {
		return nil, err
	}
	fitting := list[:0]
	for i, reading := range list {
		var fits [4]bool
		reading.Rows, fits[0] = rows[i].amount(account.Currency)
		reading.OnDay, fits[1] = onDay[i].amount(account.Currency)
		reading.Late, fits[2] = late[i].amount(account.Currency)
		reading.Since, fits[3] = since[i].amount(account.Currency)
		if fits == [4]bool{true, true, true, true} {
			fitting = append(fitting, reading)
		}
	}
	return fitting, nil
}

// rowsOfBreak lists the booked rows about a break, the newest of them. A row that came late, or of which the bank tells only when it was paid, bears a day
// before it.
func (r Reader) rowsOfBreak(ctx context.Context, account finance.Account, at completeness.Break) ([]completeness.Row, error) {
	return collect(ctx, r.from, func(row scanner) (one completeness.Row, err error) {
		var minor int64
		var gone bool
		err = row.Scan(&one.ID, &one.Day, &minor, &gone, &one.Says)
		one.Amount, one.Listed = money.FromMinor(minor, account.Currency), !gone
		return one, err
	}, `SELECT t.id, `+bookedOn+`, t.minor, `+unlisted+`, t.counterparty || ' ' || t.remittance
		FROM account a CROSS JOIN booked_transaction t ON t.account_id = a.id AND `+bookedOn+` BETWEEN $2 AND $3
		WHERE a.id = $1 AND a.user_id = $7 AND t.currency = $4 AND `+inList+` AND t.minor IN ($5, -$5) ORDER BY t.sort_key DESC LIMIT $6`,
		account.ID, shifted(at.After, 0, -lateRows), at.Day, account.Currency, at.Difference.Minor(), breakRows, account.UserID)
}
