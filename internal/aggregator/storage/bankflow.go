package storage

import (
	"context"
	"fmt"

	"florin/internal/aggregator"
	"florin/internal/sqlite"
)

const bankFlowColumns = "id, aspsp_name, aspsp_country, request, step, username, failures, accounts, code_hash, created, expires"

// AddBankFlow stores a new visit to a simulated bank.
func (s *Store) AddBankFlow(ctx context.Context, flow aggregator.BankFlow) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO bank_flow ("+bankFlowColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
			flow.ID, flow.ASPSP.Name, flow.ASPSP.Country, doc(&flow.Request), flow.Step, flow.Username, flow.Failures, doc(&flow.Accounts),
			nullText(flow.CodeHash), sqlite.At(flow.Created), sqlite.At(flow.Expires))
		if err != nil {
			return fmt.Errorf("add bank flow: %w", err)
		}
		return nil
	})
}

// BankFlow returns the visit with that id; aggregator.ErrNotFound when there is none.
func (s *Store) BankFlow(ctx context.Context, id string) (aggregator.BankFlow, error) {
	return scanBankFlow(s.db.Read().QueryRowContext(ctx, "SELECT "+bankFlowColumns+" FROM bank_flow WHERE id = $1", id))
}

// BankFlowByCode returns the visit whose code has that hash; aggregator.ErrNotFound when there is none.
func (s *Store) BankFlowByCode(ctx context.Context, codeHash string) (aggregator.BankFlow, error) {
	return scanBankFlow(s.db.Read().QueryRowContext(ctx, "SELECT "+bankFlowColumns+" FROM bank_flow WHERE code_hash = $1", codeHash))
}

// UpdateBankFlow reads a visit, lets change alter it and writes it back, in one transaction. Identity, request and time of
// creation stay as they are. Nothing is written when change returns an error, which is returned as it is;
// aggregator.ErrNotFound when there is no such visit.
func (s *Store) UpdateBankFlow(ctx context.Context, id string, change func(flow *aggregator.BankFlow) error) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		flow, err := scanBankFlow(tx.QueryRowContext(ctx, "SELECT "+bankFlowColumns+" FROM bank_flow WHERE id = $1", id))
		if err != nil {
			return err
		}
		from := flow.Step
		if err := change(&flow); err != nil {
			return err
		}
		result, err := tx.ExecContext(ctx, `UPDATE bank_flow SET step = $3, username = $4, failures = $5, accounts = $6, code_hash = $7, expires = $8
			WHERE id = $1 AND step = $2`,
			id, from, flow.Step, flow.Username, flow.Failures, doc(&flow.Accounts), nullText(flow.CodeHash), sqlite.At(flow.Expires))
		return changed(result, err, "update bank flow")
	})
}

func scanBankFlow(row scanner) (aggregator.BankFlow, error) {
	var f aggregator.BankFlow
	var codeHash *string
	var created, expires sqlite.Time
	err := row.Scan(&f.ID, &f.ASPSP.Name, &f.ASPSP.Country, doc(&f.Request), &f.Step, &f.Username, &f.Failures, doc(&f.Accounts), &codeHash, &created, &expires)
	if err != nil {
		return aggregator.BankFlow{}, found(err, "read bank flow")
	}
	if codeHash != nil {
		f.CodeHash = *codeHash
	}
	f.Created, f.Expires = created.Time, expires.Time
	return f, nil
}
