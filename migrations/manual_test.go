package migrations_test

import (
	"testing"

	"florin/internal/sqlite"
	"florin/migrations"
)

// Accounts that were there stay linked, with all that hangs on them; an account without a connection can be stored, one that a bank brings only with one.
func TestAccountsWithoutAConnection(t *testing.T) {
	db := appBefore(t, "00023")
	const early = `'2026-10-01T08:00:00.000Z'`
	const account = `INSERT INTO account (id, user_id, connection_id, hash, bank_currency, currency, uid, holder, details, product, type, usage, iban, number, scheme, credit_limit, original, created`
	exec := func(statement string) error {
		return db.Write(t.Context(), func(tx *sqlite.Tx) error {
			_, err := tx.ExecContext(t.Context(), statement)
			return err
		})
	}
	for _, statement := range []string{
		`INSERT INTO user (id, email, password_hash, role, created) VALUES ('u', 'a@example.org', 'h', 'owner', ` + early + `)`,
		`INSERT INTO provider (id, name, base_url, registration_url, issuer, audience, application_id, redirect_url, environment, private_key, created, updated)
			VALUES ('p', 'P', 'b', 'r', 'i', 'a', 'app', 'r', 'SANDBOX', 'k', ` + early + `, ` + early + `)`,
		`INSERT INTO connection (id, user_id, provider_id, aspsp_name, country, psu_type, status, session_id, valid_until, created, authorized)
			VALUES ('c', 'u', 'p', 'B', 'DE', 'personal', 'active', 's', ` + early + `, ` + early + `, ` + early + `)`,
		account + `) VALUES ('a', 'u', 'c', 'h', 'EUR', 'EUR', 'uid', '', '', '', '', '', '', '', '', '', '{}', ` + early + `)`,
		`INSERT INTO booked_transaction (id, account_id, sort_key, identity, ordinal, reference, content, minor, currency, amount, display_date, booking_date, value_date, transaction_date,
			counterparty, counterparty_account, remittance, kind, first_run, seen_run, first_seen)
			VALUES (1, 'a', 1, 'i', 0, '', '', -500, 'EUR', '5.00', '2026-10-01', '', '', '', '', '', '', '', 1, 1, ` + early + `)`,
	} {
		if err := exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := sqlite.Migrate(t.Context(), db, migrations.App); err != nil {
		t.Fatal(err)
	}
	var rows int
	err := db.Read().QueryRowContext(t.Context(), `SELECT COUNT(*) FROM booked_transaction t JOIN account a ON a.id = t.account_id
		WHERE a.connection_id = 'c' AND a.source = '' AND a.closed IS NULL`).Scan(&rows)
	if err != nil || rows != 1 {
		t.Errorf("%d rows of the linked account, %v", rows, err)
	}
	if err := exec(account + `, source` + `) VALUES ('m', 'u', NULL, '', 'EUR', 'EUR', '', '', '', '', '', '', '', '', '', '', '{}', ` + early + `, 'manual')`); err != nil {
		t.Errorf("an account without a connection: %v", err)
	}
	if err := exec(account + `) VALUES ('n', 'u', NULL, '', 'EUR', 'EUR', '', '', '', '', '', '', '', '', '', '', '{}', ` + early + `)`); err == nil {
		t.Error("an account of a bank without a connection was stored")
	}
	if err := exec(account + `, source` + `) VALUES ('o', 'u', 'c', 'h2', 'EUR', 'EUR', '', '', '', '', '', '', '', '', '', '', '{}', ` + early + `, 'value')`); err == nil {
		t.Error("an account with a connection that the person keeps was stored")
	}
	if err := exec(`INSERT INTO account_value (account_id, day, minor) VALUES ('none', '2026-10-01', 1)`); err == nil {
		t.Error("a value of no account was stored")
	}
}
