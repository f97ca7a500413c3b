package migrations_test

import (
	"slices"
	"testing"

	"florin/internal/sqlite"
	"florin/migrations"
)

// Rows that a run marked as gone without having asked for their time are not marked any more; those of its time are.
func TestRowsMarkedOutsideTheirRunAreHealed(t *testing.T) {
	db := appBefore(t, "00008")
	const early, late = `'2026-10-01T08:00:00.000Z'`, `'2026-11-01T08:00:00.000Z'`
	row := func(id, date, seen, missing string) string {
		return `INSERT INTO booked_transaction (id, account_id, sort_key, identity, ordinal, reference, content, minor, currency, amount, display_date, booking_date, value_date, transaction_date,
			counterparty, counterparty_account, remittance, kind, first_run, seen_run, first_seen, missing_since)
			VALUES (` + id + `, 'a', ` + id + `, '` + id + `', 0, '', '', -500, 'EUR', '5.00', '` + date + `', '', '', '', '', '', '', '', 1, 1, ` + seen + `, ` + missing + `)`
	}
	err := db.Write(t.Context(), func(tx *sqlite.Tx) error {
		for _, statement := range []string{
			`INSERT INTO user (id, email, password_hash, role, created) VALUES ('u', 'a@example.org', 'h', 'owner', ` + early + `)`,
			`INSERT INTO provider (id, name, base_url, registration_url, issuer, audience, application_id, redirect_url, environment, private_key, created, updated)
				VALUES ('p', 'P', 'b', 'r', 'i', 'a', 'app', 'r', 'SANDBOX', 'k', ` + early + `, ` + early + `)`,
			`INSERT INTO connection (id, user_id, provider_id, aspsp_name, country, psu_type, status, session_id, valid_until, created, authorized)
				VALUES ('c', 'u', 'p', 'B', 'DE', 'personal', 'active', 's', ` + early + `, ` + early + `, ` + early + `)`,
			`INSERT INTO account (id, user_id, connection_id, hash, bank_currency, currency, uid, holder, details, product, type, usage, iban, number, scheme, credit_limit, original, created)
				VALUES ('a', 'u', 'c', 'h', 'EUR', 'EUR', 'uid', '', '', '', '', '', '', '', '', '', '{}', ` + early + `)`,
			row("1", "1970-01-01", late, "NULL"),
			row("2", "2024-05-01", early, late), // long before the newest of then
			row("3", "2026-09-19", early, late),
			row("4", "2026-09-25", early, late), // within the ten days that the run asked for
			row("5", "2026-09-30", early, "NULL"),
			row("6", "2026-10-31", late, "NULL"),
		} {
			if _, err := tx.ExecContext(t.Context(), statement); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := sqlite.Migrate(t.Context(), db, migrations.App); err != nil {
		t.Fatal(err)
	}
	rows, err := db.Read().QueryContext(t.Context(), `SELECT id FROM booked_transaction WHERE missing_since IS NOT NULL ORDER BY id`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var marked []int
	for rows.Next() {
		var id int
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		marked = append(marked, id)
	}
	if err := rows.Err(); err != nil || !slices.Equal(marked, []int{4}) {
		t.Errorf("still marked: %v, %v", marked, err)
	}
}
