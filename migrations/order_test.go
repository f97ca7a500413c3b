package migrations_test

import (
	"fmt"
	"testing"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
	"florin/migrations"
)

// Sort keys that accounts have in common become places in one list: of the same day, and in the order that the rows have in their account. No row of before is
// to be reviewed.
func TestRowsGetPlacesInOneList(t *testing.T) {
	db := appBefore(t, "00015")
	const at = `'2026-10-01T08:00:00.000Z'`
	statements := []string{
		`INSERT INTO user (id, email, password_hash, role, created) VALUES ('u', 'a@example.org', 'h', 'owner', ` + at + `)`,
		`INSERT INTO provider (id, name, base_url, registration_url, issuer, audience, application_id, redirect_url, environment, private_key, created, updated)
			VALUES ('p', 'P', 'b', 'r', 'i', 'a', 'app', 'r', 'SANDBOX', 'k', ` + at + `, ` + at + `)`,
		`INSERT INTO connection (id, user_id, provider_id, aspsp_name, country, psu_type, status, session_id, valid_until, created, authorized)
			VALUES ('c', 'u', 'p', 'B', 'DE', 'personal', 'active', 's', ` + at + `, ` + at + `, ` + at + `)`,
	}
	type row struct {
		id      int64
		account string
		date    openbanking.Date
	}
	of := map[int64]row{}
	for _, account := range []string{"a", "b", "c"} {
		statements = append(statements,
			`INSERT INTO account (id, user_id, connection_id, hash, bank_currency, currency, uid, holder, details, product, type, usage, iban, number, scheme, credit_limit, original, created)
			VALUES ('`+account+`', 'u', 'c', '`+account+`', 'EUR', 'EUR', 'uid', '', '', '', '', '', '', '', '', '', '{}', `+at+`)`)
		for _, date := range []openbanking.Date{"", "2026-02-28", "2026-03-01"} {
			_, middle, _ := finance.SortRange(date)
			for i := range int64(3) {
				r := row{int64(len(of)) + 1, account, date}
				of[r.id] = r
				statements = append(statements, fmt.Sprintf(
					`INSERT INTO booked_transaction (id, account_id, sort_key, identity, ordinal, reference, content, minor, currency, amount, display_date, booking_date, value_date, transaction_date,
						counterparty, counterparty_account, remittance, kind, first_run, seen_run, first_seen)
					VALUES (%d, '%s', %d, '%d', 0, '', '', -500, 'EUR', '5.00', '%s', '', '', '', '', '', '', '', 1, 1, %s)`, r.id, account, middle+i, r.id, date, at))
			}
		}
	}
	err := db.Write(t.Context(), func(tx *sqlite.Tx) error {
		for _, statement := range statements {
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
	rows, err := db.Read().QueryContext(t.Context(), `SELECT t.id, t.sort_key FROM booked_transaction t JOIN transaction_unindexed u ON u.transaction_id = t.id WHERE t.reviewed = 1 ORDER BY t.id`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	keys, taken := map[int64]int64{}, map[int64]bool{}
	for rows.Next() {
		var id, key int64
		if err := rows.Scan(&id, &key); err != nil {
			t.Fatal(err)
		}
		if low, middle, high := finance.SortRange(of[id].date); key < low || key > high || key < middle-9 || key > middle+9 {
			t.Errorf("row %d of %q gets the key %d", id, of[id].date, key)
		}
		if taken[key] {
			t.Errorf("the key %d is there twice", key)
		}
		keys[id], taken[key] = key, true
		if before, ok := keys[id-1]; ok && of[id-1] == (row{id - 1, of[id].account, of[id].date}) && before >= key {
			t.Errorf("row %d stands below the one before it", id)
		}
	}
	if err := rows.Err(); err != nil || len(keys) != len(of) {
		t.Errorf("%d rows of %d: %v", len(keys), len(of), err)
	}
}
