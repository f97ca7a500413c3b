package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

// CreateAccount stores an account that the user keeps, with what is on it at the beginning of a day, and returns its id.
func (s *Store) CreateAccount(ctx context.Context, a finance.Account, first finance.Value) (id string, err error) {
	defer doing("create account", &err)
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		id, err = createAccount(ctx, tx, a, first)
		return err
	})
	return id, err
}

func createAccount(ctx context.Context, tx *sqlite.Tx, a finance.Account, first finance.Value) (id string, err error) {
	id = finance.NewID()
	_, err = tx.ExecContext(ctx, `INSERT INTO account
		(id, user_id, source, institution, nickname, hash, bank_currency, currency, uid, holder, details, product, type, usage, iban, number, scheme, credit_limit, original, created, simulated)
		VALUES ($1, $2, $3, $4, $5, '', $6, $6, '', $7, '', '', $8, '', $9, $10, $11, '', '{}', $12, $13)`,
		id, a.UserID, a.Source, a.Institution, a.Nickname, a.Currency, a.Holder, a.Type, a.IBAN, a.Number, a.Scheme, sqlite.At(tx.Now), flag(a.Simulated))
	if err != nil {
		return "", err
	}
	return id, putValue(ctx, tx, a.UserID, id, first)
}

// ChangeAccount changes what the user says of an account that the user keeps: its name, where it is, its kind and its number.
// finance.ErrNotFound for one that a bank brings, as in all that follows.
func (s *Store) ChangeAccount(ctx context.Context, a finance.Account) (err error) {
	defer doing("change account", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		return changed(tx.ExecContext(ctx, `UPDATE account SET nickname = $1, institution = $2, type = $3, iban = $4, number = $5, scheme = $6
			WHERE id = $7 AND user_id = $8 AND connection_id IS NULL`, a.Nickname, a.Institution, a.Type, a.IBAN, a.Number, a.Scheme, a.ID, a.UserID))
	})
}

// CloseAccount records that an account that the user keeps is no longer in use, or that it is. Its rows and values stay.
func (s *Store) CloseAccount(ctx context.Context, userID, id string, closed bool) (err error) {
	defer doing("close account", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		return changed(tx.ExecContext(ctx, `UPDATE account SET closed = CASE WHEN $1 = 1 THEN COALESCE(closed, $2) END
			WHERE id = $3 AND user_id = $4 AND connection_id IS NULL`, flag(closed), sqlite.At(tx.Now), id, userID))
	})
}

// DeleteAccount deletes an account of the user, with its rows and values. Rows of other accounts that were paired with its rows are no transfers any more. When
// a connection brings nothing else, it is ended, too: its id is returned, and its session is left for ClaimSessionEnd.
func (s *Store) DeleteAccount(ctx context.Context, userID, id string) (ended string, err error) {
	defer doing("delete account", &err)
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		ended = ""
		a, err := scanAccount(tx.QueryRowContext(ctx, `SELECT `+accountColumns+` FROM account a WHERE a.id = $1 AND a.user_id = $2`, id, userID))
		if err != nil {
			return notFound(err)
		}
		if err := deleteAccount(ctx, tx, userID, id); err != nil || a.ConnectionID == "" {
			return err
		}
		var brings bool
		err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM account other WHERE other.connection_id = $1 AND other.user_id = $2)
			OR EXISTS (SELECT 1 FROM shared_access s JOIN account other ON other.id = s.account_id WHERE s.connection_id = $1 AND other.user_id = $2)`,
			a.ConnectionID, userID).Scan(&brings)
		if err != nil {
			return err
		}
		if a.Linked() && !brings {
			ended = a.ConnectionID
			if err := s.endConnection(ctx, tx, userID, ended, finance.ConnectionDisconnected, tx.Now); err != nil {
				return err
			}
		}
		return forgetConnection(ctx, tx, a.ConnectionID)
	})
	return ended, err
}

// Contents counts what accounts of the user hold.
func (s *Store) Contents(ctx context.Context, userID string, accountIDs []string) (c finance.Contents, err error) {
	defer doing("count what accounts hold", &err)
	for _, id := range accountIDs {
		var one finance.Contents
		err := s.db.Read().QueryRowContext(ctx, `SELECT COUNT(*), COUNT(n.transaction_id),
				COALESCE(SUM((SELECT COUNT(*) FROM transaction_attachment f WHERE f.transaction_id = t.id)), 0)
			FROM account a JOIN booked_transaction t ON t.account_id = a.id LEFT JOIN transaction_note n ON n.transaction_id = t.id
			WHERE a.id = $1 AND a.user_id = $2 AND t.sort_key >= 0`, id, userID).Scan(&one.Transactions, &one.Notes, &one.Attachments)
		if err != nil {
			return c, err
		}
		c.Transactions, c.Notes, c.Attachments = c.Transactions+one.Transactions, c.Notes+one.Notes, c.Attachments+one.Attachments
	}
	return c, nil
}

// keepAccount turns an account of a connection into one that the user keeps. Its rows stay. Its opening value is chosen so that they come to the last
// booked balance of the bank plus what was booked after the day of that balance.
func keepAccount(ctx context.Context, tx *sqlite.Tx, a finance.Account) error {
	bank := a
	bank.Counts = "" // what was booked, whichever balance counts: the rows will be all that changes it
	known, _, err := Reader{tx}.knownBalance(ctx, a.UserID, bank)
	if err != nil {
		return err
	}
	err = changed(tx.ExecContext(ctx, `UPDATE account SET source = 'manual', former_connection = connection_id, connection_id = NULL, uid = '',
			institution = (SELECT c.aspsp_name FROM connection c WHERE c.id = connection_id),
			nickname = COALESCE(NULLIF(nickname, ''), NULLIF(details, ''), NULLIF(product, ''), (SELECT c.aspsp_name FROM connection c WHERE c.id = connection_id)),
			simulated = (SELECT p.environment <> 'PRODUCTION' FROM connection c JOIN provider p ON p.id = c.provider_id WHERE c.id = connection_id)
		WHERE id = $1 AND user_id = $2`, a.ID, a.UserID))
	if err != nil {
		return err
	}
	if err := keepPending(ctx, tx, a.ID, 0); err != nil {
		return err
	}
	for _, table := range []string{"pending_transaction", "balance_reading"} { // what is pending will not be booked, and the person's rows are no part of what the bank said
		if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE account_id = $1`, a.ID); err != nil {
			return err
		}
	}
	if a, err = keptAccount(ctx, tx, a.UserID, a.ID); err != nil {
		return err
	}
	if known.Balance.Currency() != a.Currency {
		return rebalance(ctx, tx, a)
	}
	first := openbanking.Date(tx.Now.Format(time.DateOnly))
	err = tx.QueryRowContext(ctx, `SELECT COALESCE(MIN(t.display_date), $1) FROM booked_transaction t WHERE t.account_id = $2 AND t.sort_key >= 0 AND t.display_date <> ''`,
		first, a.ID).Scan(&first)
	if err != nil {
		return err
	}
	sum, err := sumSince(ctx, tx, a, first)
	if err != nil {
		return err
	}
	var after [2]int64 // what the balance does not have in it
	if known.Day < finance.Today(tx.Now) {
		if after, err = sumSince(ctx, tx, a, dayAfter(known.Day)); err != nil {
			return err
		}
	}
	minor := known.Balance.Minor()
	opening, fits := joinedAmount([2]int64{minor/1_000_000 - sum[0] + after[0], minor%1_000_000 - sum[1] + after[1]}, a.Currency)
	if !fits {
		return rebalance(ctx, tx, a)
	}
	return putValue(ctx, tx, a.UserID, a.ID, finance.Value{Day: first, Amount: opening})
}

// keepDisconnected turns accounts of connections that an older Florin disconnected into accounts that the user keeps. Disconnecting did not do that then.
func (s *Store) keepDisconnected(ctx context.Context) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		accounts, err := collect(ctx, tx, scanAccountRow, `SELECT `+accountColumns+` FROM account a JOIN connection c ON c.id = a.connection_id
			WHERE c.status = 'disconnected' AND c.user_id = a.user_id`)
		if err != nil {
			return err
		}
		for _, a := range accounts {
			if err := keepAccount(ctx, tx, a); err != nil {
				return err
			}
		}
		return nil
	})
}

func deleteAccount(ctx context.Context, tx *sqlite.Tx, userID, id string) error {
	partners, err := collect(ctx, tx, scanID, `SELECT held.in_id FROM own_transfer held
			JOIN booked_transaction t ON t.id = held.out_id JOIN account a ON a.id = t.account_id WHERE a.id = $1 AND a.user_id = $2
		UNION ALL SELECT held.out_id FROM own_transfer held
			JOIN booked_transaction t ON t.id = held.in_id JOIN account a ON a.id = t.account_id WHERE a.id = $1 AND a.user_id = $2`, id, userID)
	if err != nil {
		return err
	}
	days, err := daysOf(ctx, tx, partners...)
	if err != nil {
		return err
	}
	if err := changed(tx.ExecContext(ctx, `DELETE FROM account WHERE id = $1 AND user_id = $2`, id, userID)); err != nil {
		return err
	}
	days = slices.DeleteFunc(days, func(of accountDay) bool { return of.account == id })
	if err := recount(ctx, tx, days...); err != nil { // they were transfers until now
		return err
	}
	return reindex(ctx, tx, partners)
}

// Values lists what the user said was on an account, the latest day first. One that a bank brings has none.
func (s *Store) Values(ctx context.Context, userID, accountID string) (_ []finance.Value, err error) {
	defer doing("read values", &err)
	return s.values(ctx, userID, accountID)
}

func (r Reader) values(ctx context.Context, userID, accountID string) ([]finance.Value, error) {
	return collect(ctx, r.from, func(row scanner) (v finance.Value, err error) {
		var minor int64
		var currency string
		err = row.Scan(&v.Day, &minor, &currency)
		v.Amount = money.FromMinor(minor, currency)
		return v, err
	}, `SELECT v.day, v.minor, a.currency FROM account_value v JOIN account a ON a.id = v.account_id WHERE a.id = $1 AND a.user_id = $2 ORDER BY v.day DESC`, accountID, userID)
}

// SetValue records what was on an account that the user keeps at the beginning of a day. An account with rows has one such day, from which on its rows count:
// it replaces the one before.
func (s *Store) SetValue(ctx context.Context, userID, accountID string, v finance.Value) (err error) {
	defer doing("set value", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error { return putValue(ctx, tx, userID, accountID, v) })
}

func putValue(ctx context.Context, tx *sqlite.Tx, userID, accountID string, v finance.Value) error {
	a, err := keptAccount(ctx, tx, userID, accountID)
	if err != nil {
		return err
	}
	if a.Source == finance.SourceManual {
		if _, err := tx.ExecContext(ctx, `DELETE FROM account_value WHERE account_id = $1`, a.ID); err != nil {
			return err
		}
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO account_value (account_id, day, minor) VALUES ($1, $2, $3) ON CONFLICT (account_id, day) DO UPDATE SET minor = excluded.minor`,
		a.ID, v.Day, v.Amount.Minor())
	if err != nil {
		return err
	}
	return rebalance(ctx, tx, a)
}

// RemoveValue takes back what the user said of a day. finance.ErrNotFound when there is no such value.
func (s *Store) RemoveValue(ctx context.Context, userID, accountID string, day openbanking.Date) (err error) {
	defer doing("remove value", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		a, err := keptAccount(ctx, tx, userID, accountID)
		if err != nil {
			return err
		}
		if err := changed(tx.ExecContext(ctx, `DELETE FROM account_value WHERE account_id = $1 AND day = $2`, a.ID, day)); err != nil {
			return err
		}
		return rebalance(ctx, tx, a)
	})
}

// WhenRowsChanged sets what is called when booked rows came, changed or went by the hand of a person: typed, imported, merged, or such a deed undone. There may
// be transfers to find then (FindTransfers), and bookings of payments (Matching). It is set before the store is used.
func (s *Store) WhenRowsChanged(wake func()) { s.rowsChanged = wake }

// AddRow stores a row that the user wrote in an account of such rows, and returns its id.
func (s *Store) AddRow(ctx context.Context, userID, accountID string, e finance.Entry) (id int64, err error) {
	defer doing("add transaction", &err)
	err = s.writeRows(ctx, userID, accountID, func(m *merge) error {
		id = m.nextID
		return m.add(ctx, e)
	})
	return id, err
}

// ChangeRow replaces what a row of an account that the user keeps says. What the user did to it stays, but for its parts when the amount is another: they would
// not add up to it. unsplit tells that it had some.
func (s *Store) ChangeRow(ctx context.Context, userID, accountID string, id int64, e finance.Entry) (unsplit bool, err error) {
	defer doing("change transaction", &err)
	err = s.writeRows(ctx, userID, accountID, func(m *merge) error {
		unsplit, err = m.rewrite(ctx, id, e)
		return err
	})
	return unsplit, err
}

// DeleteRow deletes a row of an account that the user keeps, and those that were merged into it.
func (s *Store) DeleteRow(ctx context.Context, userID, accountID string, id int64) (err error) {
	defer doing("delete transaction", &err)
	return s.writeRows(ctx, userID, accountID, func(m *merge) error {
		merged, err := mergesInto(ctx, m.tx, id)
		if err != nil {
			return err
		}
		var listed bool
		err = m.tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM booked_transaction WHERE id = $1 AND account_id = $2 AND sort_key >= 0)`, id, m.account).Scan(&listed)
		if err == nil && !listed {
			err = finance.ErrNotFound
		}
		if err != nil {
			return err
		}
		m.inserted--
		all := []any{}
		for _, hidden := range merged {
			all = append(all, hidden)
		}
		return removeRows(ctx, m.tx, m.account, append(all, id)...)
	})
}

// writeRows changes rows of an account that the user keeps, and its balance with them. finance.ErrNotFound for another one, or when it has no rows.
func (s *Store) writeRows(ctx context.Context, userID, accountID string, change func(m *merge) error) error {
	err := s.db.Write(ctx, func(tx *sqlite.Tx) error {
		a, err := keptAccount(ctx, tx, userID, accountID)
		if err != nil {
			return err
		}
		if a.Source != finance.SourceManual {
			return finance.ErrNotFound
		}
		m, err := newMerge(ctx, tx, a, 0, true) // true: whoever wrote a row has looked at it
		if err != nil {
			return err
		}
		m.arrival = byHand
		if err := change(m); err != nil {
			return err
		}
		if err := m.flush(ctx); err != nil {
			return err
		}
		if err := m.count(ctx, userID, a.Currency); err != nil {
			return err
		}
		return rebalance(ctx, tx, a)
	})
	if err == nil {
		s.rowsChanged()
	}
	return err
}

// keptAccount reads an account that the user keeps, else finance.ErrNotFound.
func keptAccount(ctx context.Context, tx *sqlite.Tx, userID, id string) (finance.Account, error) {
	a, err := scanAccount(tx.QueryRowContext(ctx, `SELECT `+accountColumns+` FROM account a WHERE a.id = $1 AND a.user_id = $2 AND a.connection_id IS NULL`, id, userID))
	return a, notFound(err)
}

// add stores an entry as a row of its own, whatever rows are there.
func (m *merge) add(ctx context.Context, e finance.Entry) error {
	ordinal, err := m.free(ctx, e.Identity.Key)
	if err != nil {
		return err
	}
	m.oldest = earlier(m.oldest, e.Date)
	return m.insert(ctx, m.read(e), place{e.Identity.Key, ordinal}, false)
}

func (m *merge) read(e finance.Entry) readRow { return readEntry(m.account, m.iban, e) }

// free returns the next unused ordinal for rows with an identity.
func (m *merge) free(ctx context.Context, identity string) (int, error) {
	n, known := m.ordinals[identity]
	if !known {
		err := m.tx.QueryRowContext(ctx, `SELECT COALESCE(MAX(ordinal) + 1, 0) FROM booked_transaction WHERE account_id = $1 AND identity = $2`, m.account, identity).Scan(&n)
		if err != nil {
			return 0, err
		}
	}
	m.ordinals[identity] = n + 1
	return n, nil
}

// rewrite puts an entry in the place of what a row said.
func (m *merge) rewrite(ctx context.Context, id int64, e finance.Entry) (unsplit bool, err error) {
	var h held
	var at place
	err = m.tx.QueryRowContext(ctx, `SELECT id, identity, ordinal, sort_key, display_date FROM booked_transaction WHERE id = $1 AND account_id = $2 AND sort_key >= 0`,
		id, m.account).
		Scan(&h.id, &at.identity, &at.ordinal, &h.sortKey, &h.Date)
	if err != nil {
		return false, notFound(err)
	}
	if at.identity != e.Identity.Key {
		if at.ordinal, err = m.free(ctx, e.Identity.Key); err != nil {
			return false, err
		}
	}
	err = changed(m.tx.ExecContext(ctx, `DELETE FROM transaction_part WHERE transaction_id = $1
		AND EXISTS (SELECT 1 FROM booked_transaction t WHERE t.id = $1 AND t.minor <> $2)`, id, e.Amount.Minor()))
	unsplit = err == nil
	if err != nil && !errors.Is(err, finance.ErrNotFound) {
		return false, err
	}
	if err := m.keepRows(ctx, id); err != nil {
		return false, err
	}
	_, err = m.tx.ExecContext(ctx, `UPDATE booked_transaction SET identity = $1, ordinal = $2, reference = $3, minor = $4, amount = $5 WHERE id = $6 AND account_id = $7`,
		e.Identity.Key, at.ordinal, e.Identity.Reference, e.Amount.Minor(), e.Text, id, m.account)
	if err != nil {
		return false, err
	}
	m.oldest = earlier(m.oldest, e.Date)
	return unsplit, m.update(ctx, &h, m.read(e))
}

// rebalance stores the balance of an account that the user keeps: its latest value plus the rows since then. The account has no balance when there is no
// value or the sum is too large for an amount.
func rebalance(ctx context.Context, tx *sqlite.Tx, a finance.Account) error {
	var day openbanking.Date
	var value int64
	err := tx.QueryRowContext(ctx, `SELECT v.day, v.minor FROM account_value v WHERE v.account_id = $1 ORDER BY v.day DESC LIMIT 1`, a.ID).Scan(&day, &value)
	if errors.Is(err, sql.ErrNoRows) {
		return replaceBalances(ctx, tx, a.ID, nil)
	}
	if err != nil {
		return err
	}
	sum, err := sumSince(ctx, tx, a, day)
	if err != nil {
		return err
	}
	var balances []finance.Balance
	if amount, fits := joinedAmount([2]int64{sum[0] + value/1_000_000, sum[1] + value%1_000_000}, a.Currency); fits {
		b := finance.Balance{AccountID: a.ID, Type: openbanking.BalanceStatusCLBD, Amount: amount, Text: amount.String(), Fetched: tx.Now}
		if a.Source == finance.SourceValue {
			b.Reference = day
		}
		balances = append(balances, b)
	}
	return replaceBalances(ctx, tx, a.ID, balances)
}

// sumSince is what the rows of an account come to from a day on, in its currency, without those that its bank no longer lists: they count in no sum. Millions
// and the rest are apart: no sum is out of range.
func sumSince(ctx context.Context, tx *sqlite.Tx, a finance.Account, day openbanking.Date) (sum [2]int64, err error) {
	low, _, _ := finance.SortRange(day)
	err = tx.QueryRowContext(ctx, `SELECT COALESCE(SUM(t.minor / 1000000), 0), COALESCE(SUM(t.minor % 1000000), 0)
		FROM booked_transaction t WHERE t.account_id = $1 AND t.sort_key >= $2 AND t.currency = $3 AND NOT (`+unlisted+`)`, a.ID, low, a.Currency).Scan(&sum[0], &sum[1])
	return sum, err
}
