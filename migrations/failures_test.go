package migrations_test

import (
	"slices"
	"testing"

	"florin/internal/sqlite"
	"florin/migrations"
)

// Syncs that failed for a reason of Florin's own get the code that links and payments have for it; codes of the API stay.
func TestFailuresOfSyncsGetTheCodesOfAll(t *testing.T) {
	db := appBefore(t, "00011")
	const at = `'2026-10-01T08:00:00.000Z'`
	task := func(id, scope, code string) string {
		return `INSERT INTO sync_task (id, user_id, connection_id, account_id, scope, state, next_attempt_at, last_error_code)
			VALUES ('` + id + `', 'u', 'c', 'a` + id + `', '` + scope + `', 'waiting', ` + at + `, '` + code + `')`
	}
	statements := []string{
		`INSERT INTO user (id, email, password_hash, role, created) VALUES ('u', 'a@example.org', 'h', 'owner', ` + at + `)`,
		`INSERT INTO provider (id, name, base_url, registration_url, issuer, audience, application_id, redirect_url, environment, private_key, created, updated)
			VALUES ('p', 'P', 'b', 'r', 'i', 'a', 'app', 'r', 'SANDBOX', 'k', ` + at + `, ` + at + `)`,
		`INSERT INTO connection (id, user_id, provider_id, aspsp_name, country, psu_type, status, session_id, valid_until, created, authorized)
			VALUES ('c', 'u', 'p', 'B', 'DE', 'personal', 'active', 's', ` + at + `, ` + at + `, ` + at + `)`,
	}
	codes := []string{"", "UNREACHABLE", "INTERNAL", "ENDLESS", "ASPSP_ERROR", "HTTP_503"}
	for i, code := range codes {
		id := string(rune('0' + i))
		statements = append(statements,
			`INSERT INTO account (id, user_id, connection_id, hash, bank_currency, currency, uid, holder, details, product, type, usage, iban, number, scheme, credit_limit, original, created)
				VALUES ('a`+id+`', 'u', 'c', 'h`+id+`', 'EUR', 'EUR', 'uid', '', '', '', '', '', '', '', '', '', '{}', `+at+`)`,
			task(id, "balances", code))
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
	rows, err := db.Read().QueryContext(t.Context(), `SELECT last_error_code FROM sync_task ORDER BY id`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var got []string
	for rows.Next() {
		var code string
		if err := rows.Scan(&code); err != nil {
			t.Fatal(err)
		}
		got = append(got, code)
	}
	if want := []string{"", "unreachable", "internal", "endless", "ASPSP_ERROR", "HTTP_503"}; rows.Err() != nil || !slices.Equal(got, want) {
		t.Errorf("codes are %q (%v), want %q", got, rows.Err(), want)
	}
}
