package store

import (
	"context"
	"strconv"
	"strings"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/sqlite"
)

// splitColumn is the categories of the parts of a row t with a space between two: a row that is split has two parts at least. It is NULL for one that is not.
const splitColumn = `(SELECT GROUP_CONCAT(part.category_id, ' ') FROM transaction_part part WHERE part.transaction_id = t.id)`

// partsQuery finds the parts of the rows of a user.
const partsQuery = `SELECT 1 FROM transaction_part part CROSS JOIN booked_transaction t ON t.id = part.transaction_id CROSS JOIN account a ON a.id = t.account_id WHERE a.user_id = $1`

// splitOf are the categories of the parts of a row, "" for a part without one; nil when it is not split.
func splitOf(column string) []string {
	if column == "" {
		return nil
	}
	return strings.Split(column, " ")
}

// partsColumn is the parts of a row t, each its amount and its category, with a space between the two and a comma between two parts. It is NULL for a row that
// is not split.
const partsColumn = `(SELECT GROUP_CONCAT(part.minor || ' ' || part.category_id, ',') FROM transaction_part part WHERE part.transaction_id = t.id)`

// sharesOf reads partsColumn, "" for NULL, and returns how the row counts in sums.
func sharesOf(total money.Amount, category, column string) ([]finance.SplitPart, error) {
	var parts []finance.SplitPart
	for text := range strings.SplitSeq(column, ",") {
		if text == "" {
			continue
		}
		minor, category, _ := strings.Cut(text, " ")
		n, err := strconv.ParseInt(minor, 10, 64)
		if err != nil {
			return nil, err
		}
		parts = append(parts, finance.SplitPart{Amount: money.FromMinor(n, total.Currency()), Category: category})
	}
	return finance.Shares(total, category, parts), nil
}

// Parts returns the parts of a booked row of the user in their order; none when it is not split, or somebody else's.
func (s *Store) Parts(ctx context.Context, userID string, id int64) (_ []finance.SplitPart, err error) {
	defer doing("read parts", &err)
	return collect(ctx, s.db.Read(), func(row scanner) (p finance.SplitPart, err error) {
		var minor int64
		var currency string
		err = row.Scan(&minor, &currency, &p.Category, &p.Note)
		p.Amount = money.FromMinor(minor, currency)
		return p, err
	}, `SELECT part.minor, t.currency, part.category_id, part.note FROM transaction_part part JOIN booked_transaction t ON t.id = part.transaction_id
		JOIN account a ON a.id = t.account_id WHERE t.id = $1 AND a.user_id = $2 ORDER BY part.position`, id, userID)
}

// Split replaces the parts of a booked row; without any it is whole again. finance.ErrRest when they do not add up to its amount, finance.ErrNotFound for a
// category that the user does not have, and for the row of somebody else.
func (s *Store) Split(ctx context.Context, userID, accountID string, id int64, parts []finance.SplitPart) (err error) {
	defer doing("split transaction", &err)
	book, err := s.Categories(ctx, userID)
	if err != nil {
		return err
	}
	for _, p := range parts {
		if _, ok := book.Of(p.Category); p.Category != "" && !ok {
			return finance.ErrNotFound
		}
	}
	return s.edit(ctx, userID, accountID, id, func(tx *sqlite.Tx) error {
		var minor int64
		var currency string
		err := tx.QueryRowContext(ctx, `SELECT t.minor, t.currency FROM booked_transaction t JOIN account a ON a.id = t.account_id WHERE t.id = $1 AND a.user_id = $2`,
			id, userID).Scan(&minor, &currency)
		if err != nil {
			return err
		}
		if len(parts) > 0 && !finance.SplitFits(money.FromMinor(minor, currency), parts) {
			return finance.ErrRest
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM transaction_part WHERE transaction_id = $1`, id); err != nil {
			return err
		}
		return putParts(ctx, tx, id, parts)
	})
}

// putParts stores the parts of a row that has none.
func putParts(ctx context.Context, tx *sqlite.Tx, id int64, parts []finance.SplitPart) error {
	for i, p := range parts {
		if _, err := tx.ExecContext(ctx, `INSERT INTO transaction_part (transaction_id, position, minor, category_id, note) VALUES ($1, $2, $3, $4, $5)`,
			id, i+1, p.Amount.Minor(), p.Category, p.Note); err != nil {
			return err
		}
	}
	return nil
}
