package storage

import (
	"context"
	"fmt"
	"time"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

const bankFlowColumns = "id, aspsp_name, aspsp_country, request, step, username, failures, accounts, code_hash, created, expires, ended_by, payment_order, secret"

// AddBankFlow stores a new visit to a simulated bank.
func (s *Store) AddBankFlow(ctx context.Context, flow aggregator.BankFlow) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		var order *string
		if flow.Order != nil {
			order = &flow.Order.ID
		}
		_, err := tx.ExecContext(ctx,
			"INSERT INTO bank_flow ("+bankFlowColumns+", order_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)",
			flow.ID, flow.ASPSP.Name, flow.ASPSP.Country, doc(&flow.Request), flow.Step, flow.Username, flow.Failures, doc(&flow.Accounts),
			nullText(flow.CodeHash), sqlite.At(flow.Created), sqlite.At(flow.Expires), flow.EndedBy, nullDoc(flow.Order), flow.Secret, order)
		if err != nil {
			return fmt.Errorf("add bank flow: %w", err)
		}
		return nil
	})
}

// BankFlow returns the visit with that id; aggregator.ErrNotFound when there is none.
func (s *Store) BankFlow(ctx context.Context, id string) (aggregator.BankFlow, error) {
	return sqlite.Remember(ctx, s.db, sqlite.Key{"bank_flow", id}, func() (aggregator.BankFlow, error) {
		return scanBankFlow(s.db.Read().QueryRowContext(ctx, "SELECT "+bankFlowColumns+" FROM bank_flow WHERE id = $1", id))
	})
}

// OrderFailures returns how many wrong attempts there were in the visits about an order at a bank, each of which begins with
// those of the ones before it.
func (s *Store) OrderFailures(ctx context.Context, aspsp openbanking.ASPSP, orderID string) (failures int, err error) {
	err = s.db.Read().QueryRowContext(ctx, "SELECT coalesce(max(failures), 0) FROM bank_flow WHERE order_id = $1 AND aspsp_country = $2 AND aspsp_name = $3",
		orderID, aspsp.Country, aspsp.Name).Scan(&failures)
	return failures, found(err, "count the wrong attempts of an order")
}

// BankFlowByCode returns the visit whose code has that hash; aggregator.ErrNotFound when there is none.
func (s *Store) BankFlowByCode(ctx context.Context, codeHash string) (aggregator.BankFlow, error) {
	return scanBankFlow(s.db.Read().QueryRowContext(ctx, "SELECT "+bankFlowColumns+" FROM bank_flow WHERE code_hash = $1", codeHash))
}

// UpdateBankFlow reads a visit, lets change alter it and writes it back, in one transaction. Identity, request and time of
// creation stay as they are. Nothing is written when change returns an error, which is returned as it is;
// aggregator.ErrNotFound when there is no such visit.
func (s *Store) UpdateBankFlow(ctx context.Context, id string, change func(flow *aggregator.BankFlow) error) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error { return updateBankFlow(ctx, tx, id, change) })
}

func updateBankFlow(ctx context.Context, tx *sqlite.Tx, id string, change func(flow *aggregator.BankFlow) error) error {
	flow, err := scanBankFlow(tx.QueryRowContext(ctx, "SELECT "+bankFlowColumns+" FROM bank_flow WHERE id = $1", id))
	if err != nil {
		return err
	}
	from := flow.Step
	if err := change(&flow); err != nil {
		return err
	}
	result, err := tx.ExecContext(ctx, `UPDATE bank_flow SET step = $3, username = $4, failures = $5, accounts = $6, code_hash = $7, expires = $8, ended_by = $9
		WHERE id = $1 AND step = $2`,
		id, from, flow.Step, flow.Username, flow.Failures, doc(&flow.Accounts), nullText(flow.CodeHash), sqlite.At(flow.Expires), flow.EndedBy)
	return changed(result, err, "update bank flow")
}

// BankConsents returns the consents that a user of a bank has given, those that are over included, the newest first.
func (s *Store) BankConsents(ctx context.Context, aspsp openbanking.ASPSP, username string) ([]aggregator.BankFlow, error) {
	rows, err := s.db.Read().QueryContext(ctx, "SELECT "+bankFlowColumns+` FROM bank_flow
		WHERE aspsp_country = $1 AND aspsp_name = $2 AND username = $3 AND step IN ($4, $5) ORDER BY created DESC, id`,
		aspsp.Country, aspsp.Name, username, aggregator.BankFlowFinished, aggregator.BankFlowEnded)
	if err != nil {
		return nil, fmt.Errorf("read consents at a bank: %w", err)
	}
	defer rows.Close()
	var flows []aggregator.BankFlow
	for rows.Next() {
		flow, err := scanBankFlow(rows)
		if err != nil {
			return nil, err
		}
		flows = append(flows, flow)
	}
	return flows, rows.Err()
}

// PurgeBankFlows removes the visits to simulated banks that expired before a time, the orders that were over by then without a
// trace in a ledger, and the buckets of TakeFetch that have been full since.
func (s *Store) PurgeBankFlows(ctx context.Context, before time.Time) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		for _, statement := range []string{"DELETE FROM bank_flow WHERE expires < $1", "DELETE FROM bank_fetch WHERE full_at < $1"} {
			if _, err := tx.ExecContext(ctx, statement, sqlite.At(before)); err != nil {
				return fmt.Errorf("purge visits to banks: %w", err)
			}
		}
		return purgeBankOrders(ctx, tx, before)
	})
}

func scanBankFlow(row scanner) (aggregator.BankFlow, error) {
	var f aggregator.BankFlow
	var codeHash *string
	var created, expires sqlite.Time
	err := row.Scan(&f.ID, &f.ASPSP.Name, &f.ASPSP.Country, doc(&f.Request), &f.Step, &f.Username, &f.Failures, doc(&f.Accounts), &codeHash, &created,
		&expires, &f.EndedBy, optional(&f.Order), &f.Secret)
	if err != nil {
		return aggregator.BankFlow{}, found(err, "read bank flow")
	}
	if codeHash != nil {
		f.CodeHash = *codeHash
	}
	f.Created, f.Expires = created.Time, expires.Time
	return f, nil
}
