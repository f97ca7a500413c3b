package storage

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"time"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

const bankOrderColumns = "p.aspsp_name, p.aspsp_country, p.number, p.payment_order, p.username, p.account, p.approved, p.plan"

// ApproveBankOrder is UpdateBankFlow for a change that can approve an order. Within the transaction, orders returns what BankOrders
// does. The order that change returns is stored, unless it is nil or the bank has the order already.
func (s *Store) ApproveBankOrder(ctx context.Context, id string,
	change func(flow *aggregator.BankFlow, orders aggregator.BankOrders) (*aggregator.BankOrder, error)) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		var approved *aggregator.BankOrder
		err := updateBankFlow(ctx, tx, id, func(flow *aggregator.BankFlow) (err error) {
			approved, err = change(flow, bankOrdersIn(ctx, tx))
			return err
		})
		if err != nil || approved == nil {
			return err
		}
		return addBankOrder(ctx, tx, *approved)
	})
}

// AddBankOrder stores the order that approve returns, unless the bank has it already. Within the transaction, orders returns what BankOrders does.
func (s *Store) AddBankOrder(ctx context.Context, approve func(orders aggregator.BankOrders) (*aggregator.BankOrder, error)) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		approved, err := approve(bankOrdersIn(ctx, tx))
		if err != nil {
			return err
		}
		return addBankOrder(ctx, tx, *approved)
	})
}

// bankOrdersIn reads orders within a transaction.
func bankOrdersIn(ctx context.Context, tx *sqlite.Tx) aggregator.BankOrders {
	return func(account aggregator.BankAccountKey, after int64) ([]aggregator.BankOrder, error) {
		return bankOrders(ctx, tx, account, after)
	}
}

func addBankOrder(ctx context.Context, tx *sqlite.Tx, o aggregator.BankOrder) error {
	if err := tx.QueryRowContext(ctx, "SELECT COALESCE(MAX(number), 0) + 1 FROM bank_payment").Scan(&o.Number); err != nil {
		return fmt.Errorf("number an order at a bank: %w", err)
	}
	result, err := tx.ExecContext(ctx, `INSERT INTO bank_payment (aspsp_name, aspsp_country, order_id, number, payment_order, username, account, approved, plan, over)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (aspsp_country, aspsp_name, order_id) DO NOTHING`,
		o.ASPSP.Name, o.ASPSP.Country, o.Order.ID, o.Number, doc(&o.Order), o.Username, o.Account, sqlite.At(o.Approved), doc(&o.Plan),
		sqlite.AtOrNull(over(o)))
	if err != nil {
		return fmt.Errorf("add an order at a bank: %w", err)
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 || !o.Moves() {
		return err
	}
	for _, a := range o.Accounts() {
		_, err := tx.ExecContext(ctx, "INSERT INTO bank_payment_account (account_country, account_name, account, number) VALUES ($1, $2, $3, $4)",
			a.ASPSP.Country, a.ASPSP.Name, a.Reference, o.Number)
		if err != nil {
			return fmt.Errorf("add an account of an order: %w", err)
		}
	}
	return nil
}

// over returns when an order that leaves nothing in a ledger has ended; zero for any other order.
func over(o aggregator.BankOrder) time.Time {
	for _, t := range o.Plan.Transfers {
		if !t.Shown.IsZero() && t.Gone.IsZero() {
			return time.Time{}
		}
	}
	if len(o.Plan.Steps) == 0 {
		return time.Time{}
	}
	return o.Plan.Steps[len(o.Plan.Steps)-1].At
}

// BankOrder returns what a bank has of an order, by its id; aggregator.ErrNotFound when nobody has approved it.
func (s *Store) BankOrder(ctx context.Context, aspsp openbanking.ASPSP, orderID string) (aggregator.BankOrder, error) {
	return scanBankOrder(s.db.Read().QueryRowContext(ctx, "SELECT "+bankOrderColumns+` FROM bank_payment p
		WHERE p.aspsp_country = $1 AND p.aspsp_name = $2 AND p.order_id = $3`, aspsp.Country, aspsp.Name, orderID))
}

// BankOrders returns the approved orders that move money on an account, in the order of the approvals, those after a number.
func (s *Store) BankOrders(ctx context.Context, account aggregator.BankAccountKey, after int64) ([]aggregator.BankOrder, error) {
	key := sqlite.Key{"bank_payment", account.ASPSP.Country + "/" + account.ASPSP.Name, account.Reference + "/" + strconv.FormatInt(after, 10)}
	return sqlite.Remember(ctx, s.db, key, func() ([]aggregator.BankOrder, error) { return bankOrders(ctx, s.db.Read(), account, after) })
}

func bankOrders(ctx context.Context, db interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}, account aggregator.BankAccountKey, after int64) ([]aggregator.BankOrder, error) {
	rows, err := db.QueryContext(ctx, "SELECT "+bankOrderColumns+` FROM bank_payment_account a JOIN bank_payment p ON p.number = a.number
		WHERE a.account_country = $1 AND a.account_name = $2 AND a.account = $3 AND a.number > $4 ORDER BY a.number`,
		account.ASPSP.Country, account.ASPSP.Name, account.Reference, after)
	if err != nil {
		return nil, fmt.Errorf("read the orders of an account: %w", err)
	}
	defer rows.Close()
	var orders []aggregator.BankOrder
	for rows.Next() {
		order, err := scanBankOrder(rows)
		if err != nil {
			return nil, err
		}
		orders = append(orders, order)
	}
	return orders, rows.Err()
}

// purgeBankOrders removes the orders that were over before a time and have left nothing in a ledger. What a ledger shows stays.
func purgeBankOrders(ctx context.Context, tx *sqlite.Tx, before time.Time) error {
	for _, statement := range []string{
		"DELETE FROM bank_payment_account WHERE number IN (SELECT number FROM bank_payment WHERE over < $1)",
		"DELETE FROM bank_payment WHERE over < $1 AND number < (SELECT MAX(number) FROM bank_payment)", // no number is given twice
	} {
		if _, err := tx.ExecContext(ctx, statement, sqlite.At(before)); err != nil {
			return fmt.Errorf("purge orders at banks: %w", err)
		}
	}
	return nil
}

func scanBankOrder(row scanner) (aggregator.BankOrder, error) {
	var o aggregator.BankOrder
	var approved sqlite.Time
	err := row.Scan(&o.ASPSP.Name, &o.ASPSP.Country, &o.Number, doc(&o.Order), &o.Username, &o.Account, &approved, doc(&o.Plan))
	if err != nil {
		return aggregator.BankOrder{}, found(err, "read an order at a bank")
	}
	o.Approved = approved.Time
	return o, nil
}
