package store

import (
	"cmp"
	"context"
	"errors"
	"time"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/settling"
	"florin/internal/sqlite"
)

// WhenShared sets what is told the people of expenses that rules made. It is set before the store is used.
func (s *Store) WhenShared(tell func(people []string)) { s.db.WhenAnnounced(tell) }

// verdict is what happens to a row that a rule would share.
type verdict int

const (
	notForRules  verdict = iota // no amount, or too much; or somebody of the rule has left
	keptAsIs                    // it is an expense already, or was one that a person deleted
	sharedByRule                // it becomes one
)

// sameExpenseDays is how many days may lie between an expense that was entered without a booking and its booking.
const sameExpenseDays = 5

// shareByRule makes a row of a user an expense as its rule says, where the user could by hand and has not said otherwise.
func shareByRule(ctx context.Context, tx *sqlite.Tx, userID string, row int64, d categories.Deed) error {
	e, why, err := ruledExpense(ctx, tx, userID, row, d)
	if err != nil || why != sharedByRule {
		return err
	}
	people, err := saveExpense(ctx, tx, userID, e)
	tx.Announce(people...)
	return err
}

// ruledExpense is the expense that a rule would make of a row of a user, with what becomes of it.
func ruledExpense(ctx context.Context, q querier, userID string, row int64, d categories.Deed) (e settling.Expense, why verdict, err error) {
	var minor int64
	var currency, payee, name, text, kind string
	err = q.QueryRowContext(ctx, `SELECT t.account_id, t.minor, t.currency, t.display_date, t.payee, t.counterparty, t.remittance, t.kind
		FROM booked_transaction t JOIN account a ON a.id = t.account_id WHERE t.id = $1 AND a.user_id = $2 AND `+inList, row, userID).
		Scan(&e.AccountID, &minor, &currency, &e.Date, &payee, &name, &text, &kind)
	if err = notFound(err); errors.Is(err, finance.ErrNotFound) {
		return e, notForRules, nil
	}
	if err != nil {
		return e, notForRules, err
	}
	title := []rune(cmp.Or(finance.Clean(cmp.Or(payee, name, text, kind)), "–"))
	e.ID, e.Payer, e.Rule, e.TransactionID, e.Booked = finance.NewID(), userID, d.Rule, row, true
	e.Amount, e.Text, e.Method = money.FromMinor(minor, currency).Neg(), string(title[:min(len(title), settling.MaxText)]), settling.Equally
	for _, part := range d.Share {
		var here bool
		if err := q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM user WHERE id = $1)`, part.Person).Scan(&here); err != nil || !here {
			return e, notForRules, err
		}
		if part.Weight != d.Share[0].Weight {
			e.Method = settling.ByShares
		}
		e.Shares = append(e.Shares, settling.Share{Person: part.Person, Weight: part.Weight})
	}
	if e, err = settling.Divide(e); err != nil {
		return e, notForRules, nil //nolint:nilerr // nothing to divide, or more than can be added up: no rule shares it
	}
	is, err := isExpense(ctx, q, e)
	if err != nil || is {
		return e, keptAsIs, err
	}
	return e, sharedByRule, nil
}

// isExpense reports whether the booking is already an expense, even a deleted one. It is also true when an expense with its amount was entered without a
// booking at about that time, and when somebody else has entered the same booking of a joint account.
func isExpense(ctx context.Context, q querier, e settling.Expense) (is bool, err error) {
	day, err := e.Date.Time()
	if err != nil {
		return false, err
	}
	near := func(days int) openbanking.Date { return openbanking.DateOf(day.AddDate(0, 0, days)) }
	err = q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM expense e WHERE e.transaction_id = $1)
		OR EXISTS (SELECT 1 FROM expense e WHERE e.payer_id = $2 AND e.day BETWEEN $3 AND $4 AND e.minor = $5 AND e.currency = $6 AND e.transaction_id IS NULL)
		OR EXISTS (SELECT 1 FROM account own CROSS JOIN account joint ON joint.hash = own.hash AND joint.currency = own.currency AND joint.id <> own.id
			CROSS JOIN expense e ON e.payer_id = joint.user_id AND e.day = $7 AND e.minor = $5 AND e.currency = $6
			CROSS JOIN booked_transaction t ON t.id = e.transaction_id AND t.account_id = joint.id
			WHERE own.id = $8 AND own.user_id = $2 AND own.hash <> '')`,
		e.TransactionID, e.Payer, near(-sameExpenseDays), near(sameExpenseDays), e.Amount.Minor(), e.Amount.Currency(), e.Date, e.AccountID).Scan(&is)
	return is, err
}

// giveExpense moves the expense of one row to another that replaces it or that it is merged into. When both rows have an expense, one that a rule made and
// nobody has changed is deleted. It returns the id of an expense that has moved.
func giveExpense(ctx context.Context, tx *sqlite.Tx, row, from int64) (moved string, err error) {
	const untouched = `transaction_id = $1 AND rule_id <> '' AND revision = 1 AND EXISTS (SELECT 1 FROM expense held WHERE held.transaction_id = $2)`
	for _, rows := range [][]any{{from, row}, {row, from}} {
		people, err := collect(ctx, tx, func(row scanner) (id string, err error) { return id, row.Scan(&id) },
			`SELECT part.person_id FROM expense_share part WHERE part.expense_id IN (SELECT e.id FROM expense e WHERE `+untouched+`)`, rows...)
		if err != nil {
			return "", err
		}
		tx.Announce(people...)
		if _, err := tx.ExecContext(ctx, `DELETE FROM expense WHERE `+untouched, rows...); err != nil {
			return "", err
		}
	}
	err = tx.QueryRowContext(ctx, `UPDATE expense SET transaction_id = $1 WHERE transaction_id = $2
		AND NOT EXISTS (SELECT 1 FROM expense held WHERE held.transaction_id = $1) RETURNING id`, row, from).Scan(&moved)
	if err = notFound(err); errors.Is(err, finance.ErrNotFound) {
		err = nil
	}
	return moved, err
}

// SwitchRule switches a rule of a user on or off. One that is switched on again shares from the day on, and not what came while it was off. finance.ErrNotFound
// for the rule of somebody else.
func (s *Store) SwitchRule(ctx context.Context, userID, id string, off bool) (err error) {
	defer doing("switch rule", &err)
	r, err := s.Rule(ctx, userID, id)
	if err != nil {
		return err
	}
	if r.Off && !off && len(r.Share) > 0 {
		r.ShareFrom = max(r.ShareFrom, openbanking.DateOf(time.Now()))
	}
	r.Off = off
	_, err = s.SaveRule(ctx, userID, r)
	return err
}
