package store

import (
	"cmp"
	"context"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/sqlite"
)

// personalNames reads the names that a user gave to the other sides of transactions.
func personalNames(ctx context.Context, q querier, userID string) (categories.Names, error) {
	given, err := givenNames(ctx, q, userID)
	names := make(map[string]string, len(given))
	for _, n := range given {
		names[n.Key] = n.Name
	}
	return categories.NamesOf(names), err
}

func givenNames(ctx context.Context, q querier, userID string) ([]finance.GivenName, error) {
	return collect(ctx, q, func(row scanner) (n finance.GivenName, err error) { return n, row.Scan(&n.Key, &n.Was, &n.Name) },
		`SELECT name_key, was, name FROM counterparty_name WHERE user_id = $1 ORDER BY name, was, name_key`, userID)
}

// GivenNames lists the names that a user gave to the other sides of transactions, in the order of the alphabet.
func (s *Store) GivenNames(ctx context.Context, userID string) (_ []finance.GivenName, err error) {
	defer doing("read names", &err)
	return givenNames(ctx, s.db.Read(), userID)
}

// NamedAs says how the other side of a booked row of a user is shown. finance.ErrNotFound for the row of somebody else.
func (s *Store) NamedAs(ctx context.Context, userID, accountID string, id int64) (n finance.NamedAs, err error) {
	defer doing("read name", &err)
	err = s.db.Snapshot(ctx, func(at sqlite.Snapshot) error {
		n, err = namedAs(ctx, at, userID, accountID, id)
		if err != nil || n.Key == "" {
			return err
		}
		return at.QueryRowContext(ctx, `SELECT COUNT(*) FROM (SELECT 1 FROM account a JOIN booked_transaction t ON t.account_id = a.id AND t.payee_key = $1
			WHERE a.user_id = $2 AND `+inList+` LIMIT $3 + 1)`, n.Key, userID, finance.MaxCounted).Scan(&n.Rows)
	})
	return n, err
}

func namedAs(ctx context.Context, q querier, userID, accountID string, id int64) (n finance.NamedAs, err error) {
	row, err := scanLabelled(q.QueryRowContext(ctx, `SELECT `+labelledColumns+` FROM booked_transaction t JOIN account a ON a.id = t.account_id
		JOIN transaction_record record ON record.transaction_id = t.id WHERE t.id = $1 AND a.id = $2 AND a.user_id = $3`, id, accountID, userID))
	if err != nil {
		return n, notFound(err)
	}
	names, err := personalNames(ctx, q, userID)
	payee := categories.PayeeOf(row.Facts)
	n.Name, n.Key, n.Given = names.Of(payee.Name, payee.Key)
	n.Shown = cmp.Or(row.payee, row.counterparty)
	return n, err
}

// Rename shows all rows with the other side of a row of the user under another name, those to come too. Where others have that name already, both are one from
// then on. It returns the name as it is shown, and how many rows had it before. finance.ErrNotFound for the row of somebody else, and for one whose other side
// has no name.
func (s *Store) Rename(ctx context.Context, userID, accountID string, id int64, name string) (shown string, joined int, err error) {
	defer doing("rename counterparty", &err)
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		was, err := namedAs(ctx, tx, userID, accountID, id)
		if err != nil {
			return err
		}
		key := categories.NameKey(name)
		if was.Key == "" || key == "" {
			return finance.ErrNotFound
		}
		if joined, shown = 0, name; name == was.Name {
			return nil
		}
		m, err := memoryOf(ctx, tx, userID)
		if err != nil {
			return err
		}
		affected, err := rowsOfPayee(ctx, tx, userID, was.Key, key)
		if err != nil {
			return err
		}
		own := map[string]string{} // the names that all these rows have of their own, by their keys
		for _, l := range affected {
			payee := categories.PayeeOf(l.Facts)
			if l.payeeKey == was.Key {
				own[payee.Key] = payee.Name
			} else if joined++; joined == 1 { // one name is written in one way
				shown, _, _ = m.Names.Of(payee.Name, payee.Key)
			}
		}
		for _, key := range m.Names.Shared(was.Key) {
			if name, ok := own[key]; ok || key != was.Key {
				if err := giveName(ctx, tx, userID, finance.GivenName{Key: key, Was: name, Name: shown}); err != nil {
					return err
				}
			}
		}
		return renamed(ctx, tx, userID, affected)
	})
	return shown, joined, err
}

// UndoName takes back a name that a user gave, by the key of the one that it stands for. finance.ErrNotFound when there is none.
func (s *Store) UndoName(ctx context.Context, userID, key string) (err error) {
	defer doing("take back name", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		names, err := personalNames(ctx, tx, userID)
		if err != nil {
			return err
		}
		_, shown, given := names.Of("", key)
		if !given {
			return finance.ErrNotFound
		}
		affected, err := rowsOfPayee(ctx, tx, userID, shown, key)
		if err != nil {
			return err
		}
		if err := giveName(ctx, tx, userID, finance.GivenName{Key: key}); err != nil {
			return err
		}
		return renamed(ctx, tx, userID, affected)
	})
}

// giveName keeps a name, or without one takes it back. So does the name that there was before.
func giveName(ctx context.Context, tx *sqlite.Tx, userID string, n finance.GivenName) error {
	if n.Name != "" {
		_, err := tx.ExecContext(ctx, `INSERT INTO counterparty_name (user_id, name_key, was, name) VALUES ($1, $2, $3, $4)
			ON CONFLICT (user_id, name_key) DO UPDATE SET name = excluded.name`, userID, n.Key, n.Was, n.Name)
		if err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM counterparty_name WHERE user_id = $1 AND name_key = $2 AND (name = was OR $3 = '')`, userID, n.Key, n.Name)
	return err
}

// renamed decides rows anew whose names have changed.
func renamed(ctx context.Context, tx *sqlite.Tx, userID string, rows []labelled) error {
	m, err := memoryOf(ctx, tx, userID)
	if err != nil {
		return err
	}
	_, err = decideAnew(ctx, tx, m, rows)
	return err
}
