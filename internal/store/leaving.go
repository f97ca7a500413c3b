package store

import (
	"context"

	"florin/internal/finance"
	"florin/internal/sqlite"
)

// Belongings counts what belongs to a user and goes with them.
type Belongings struct {
	Connections, Consents, Accounts int // consents are those that have not ended yet
	Transactions, Notes, Attachments,
	Rules, Categories, Budgets, Searches, Payees, SignIns int // categories that the user made; saved searches and reports
	Payments, PaymentsUnderWay int // under way are those that were sent and have no final status yet

	Stays Staying
}

// Staying counts what stays with the others when a user goes.
type Staying struct {
	Joint              int // accounts that others have linked, too: theirs stay as they are
	Shown              int // accounts that others see now, and will not see any more
	Expenses, Payments int // shared expenses and what settled them, of which somebody else is a part
}

// Belongings returns what would be removed with a user, and what would stay with the others.
func (s *Store) Belongings(ctx context.Context, userID string) (b Belongings, err error) {
	defer doing("read belongings", &err)
	err = s.db.Snapshot(ctx, func(at sqlite.Snapshot) error {
		err := at.QueryRowContext(ctx, `SELECT
			(SELECT COUNT(*) FROM connection WHERE user_id = $1),
			(SELECT COUNT(*) FROM connection WHERE user_id = $1 AND status = 'active'),
			(SELECT COUNT(*) FROM account WHERE user_id = $1),
			(SELECT COUNT(*) FROM booked_transaction b JOIN account a ON a.id = b.account_id WHERE a.user_id = $1 AND b.sort_key >= 0),
			(SELECT COUNT(*) FROM account a JOIN booked_transaction b ON b.account_id = a.id JOIN transaction_note note ON note.transaction_id = b.id
				WHERE a.user_id = $1),
			(SELECT COUNT(DISTINCT attachment.file) FROM account a JOIN booked_transaction b ON b.account_id = a.id
				JOIN transaction_attachment attachment ON attachment.transaction_id = b.id WHERE a.user_id = $1),
			(SELECT COUNT(*) FROM transaction_rule WHERE user_id = $1),
			(SELECT COUNT(*) FROM category WHERE user_id = $1 AND name <> ''),
			(SELECT COUNT(*) FROM budget WHERE user_id = $1),
			(SELECT COUNT(*) FROM saved_search WHERE user_id = $1),
			(SELECT COUNT(*) FROM payee WHERE user_id = $1),
			(SELECT COUNT(*) FROM user_session WHERE user_id = $1 AND revoked IS NULL),
			(SELECT COUNT(*) FROM payment WHERE user_id = $1),
			(SELECT COUNT(*) FROM payment WHERE user_id = $1 AND phase IN ('sending', 'created', 'unknown') AND final = 0)`, userID).
			Scan(&b.Connections, &b.Consents, &b.Accounts, &b.Transactions, &b.Notes, &b.Attachments, &b.Rules, &b.Categories, &b.Budgets, &b.Searches,
				&b.Payees, &b.SignIns, &b.Payments, &b.PaymentsUnderWay)
		if err != nil {
			return err
		}
		return at.QueryRowContext(ctx, `SELECT
			(SELECT COUNT(*) FROM account a WHERE a.user_id = $1 AND a.hash <> ''
				AND EXISTS (SELECT 1 FROM account twin WHERE twin.hash = a.hash AND twin.currency = a.currency AND twin.user_id <> a.user_id)),
			(SELECT COUNT(DISTINCT seen.account_id) FROM shared_account seen WHERE seen.owner_id = $1),
			(SELECT COUNT(*) FROM expense e WHERE `+visibleExpense+` AND e.deleted = 0
				AND EXISTS (SELECT 1 FROM user other WHERE other.id <> $1 AND (other.id = e.payer_id
					OR other.id IN (SELECT part.person_id FROM expense_share part WHERE part.expense_id = e.id)))),
			(SELECT COUNT(*) FROM settlement s WHERE `+visibleSettlement+` AND s.state IN ('', 'settled') AND s.undone_by IS NULL
				AND EXISTS (SELECT 1 FROM user other WHERE other.id <> $1 AND (other.id IN (s.from_id, s.to_id)
					OR other.id IN (SELECT way.person_id FROM settlement_path way WHERE way.settlement_id = s.id))))`, userID).
			Scan(&b.Stays.Joint, &b.Stays.Shown, &b.Stays.Expenses, &b.Stays.Payments)
	})
	return b, err
}

// RemoveUser removes a user with all their data in one transaction. What they share with other people stays with those. The sessions of the user's
// connections are left for ClaimSessionEnd. The error is finance.ErrNotFound when there is no such user, and ErrOwnerStays for the last owner while there
// are other users.
func (s *Store) RemoveUser(ctx context.Context, userID string) (err error) {
	defer doing("remove user", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		all, err := users(ctx, tx)
		if err != nil {
			return err
		}
		if !finance.MayLeave(all, userID) {
			return ErrOwnerStays
		}
		if err := s.leaveSettling(ctx, tx, userID); err != nil {
			return err
		}
		connections, err := collect(ctx, tx, func(row scanner) (id string, err error) { return id, row.Scan(&id) },
			`SELECT c.id FROM connection c WHERE c.user_id = $1 ORDER BY c.id`, userID)
		if err != nil {
			return err
		}
		for _, id := range connections {
			if err := s.putSessionEnd(ctx, tx, userID, id); err != nil {
				return err
			}
		}
		for _, query := range []string{
			`DELETE FROM reset_request WHERE email = (SELECT u.email FROM user u WHERE u.id = $1)`,
			`DELETE FROM session_data WHERE ended = 0 AND instr(CAST(data AS TEXT), $1) > 0`,
		} {
			if _, err := tx.ExecContext(ctx, query, userID); err != nil {
				return err
			}
		}
		if err := changed(tx.ExecContext(ctx, `DELETE FROM user WHERE id = $1`, userID)); err != nil {
			return err
		}
		return forgetSharers(ctx, tx)
	})
}
