package migrations_test

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"florin/internal/sqlite"
	"florin/migrations"
)

// A consent that was given before consents had an end of their own gets that of its session; everything else stays.
func TestConsentsOfBeforeGetTheirEnd(t *testing.T) {
	before := fstest.MapFS{}
	names, err := fs.Glob(migrations.Aggregator, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if text, err := fs.ReadFile(migrations.Aggregator, name); err != nil {
			t.Fatal(err)
		} else if name < "00004" {
			before[name] = &fstest.MapFile{Data: text}
		}
	}
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "aggregator.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := sqlite.Migrate(t.Context(), db, before); err != nil {
		t.Fatal(err)
	}
	hash := func(letter string) string { return "'" + strings.Repeat(letter, 64) + "'" }
	err = db.Write(t.Context(), func(tx *sqlite.Tx) error {
		for _, statement := range []string{
			`INSERT INTO application (id, name, description, environment, redirect_urls, webhook_origins, services, gdpr_email, privacy_url, terms_url, active, public_key, created_at)
				VALUES ('app', 'App', '', 'SANDBOX', '[]', '[]', '[]', '', '', '', 1, 'key', '2026-01-01T00:00:00.000Z')`,
			`INSERT INTO session (authorization_id, session_id, application_id, status, aspsp_name, aspsp_country, psu_type, auth_method, psu_id_hash, accounts, balances, transactions,
					valid_until, state, redirect_url, language, created, page_expires, bank_state_hash, returned, authorized, consent_reference, consent_valid_until, due)
				VALUES ('auth', 'session', 'app', 'AUTHORIZED', 'B', 'DE', 'personal', '', ` + hash("a") + `, 'null', 1, 1, '2027-01-01T00:00:00.000Z', '', 'https://app.example/', '',
					'2026-01-01T00:00:00.000Z', '2026-01-01T00:30:00.000Z', ` + hash("b") + `, '2026-01-01T00:05:00.000Z', '2026-01-01T00:06:00.000Z', 'given', '2027-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z')`,
			`INSERT INTO bank_flow (id, aspsp_name, aspsp_country, request, step, username, failures, accounts, code_hash, created, expires)
				VALUES ('given', 'B', 'DE', '{}', 'finished', 'u', 0, '[]', ` + hash("c") + `, '2026-01-01T00:00:00.000Z', '2026-01-01T00:10:00.000Z')`,
			`INSERT INTO bank_flow (id, aspsp_name, aspsp_country, request, step, username, failures, accounts, code_hash, created, expires)
				VALUES ('ended', 'B', 'DE', '{}', 'ended', 'u', 0, '[]', ` + hash("d") + `, '2026-01-01T00:00:00.000Z', '2026-01-01T00:10:00.000Z')`,
			`INSERT INTO bank_flow (id, aspsp_name, aspsp_country, request, step, username, failures, accounts, created, expires)
				VALUES ('visit', 'B', 'DE', '{}', 'sign_in', '', 0, 'null', '2026-01-01T00:00:00.000Z', '2026-01-01T00:15:00.000Z')`,
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
	if err := sqlite.Migrate(t.Context(), db, migrations.Aggregator); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string][2]string{
		"given": {"2027-01-01T00:00:00.000Z", ""}, "ended": {"2026-01-01T00:10:00.000Z", "service"}, "visit": {"2026-01-01T00:15:00.000Z", ""},
	} {
		var got [2]string
		if err := db.Read().QueryRowContext(t.Context(), "SELECT expires, ended_by FROM bank_flow WHERE id = $1", id).Scan(&got[0], &got[1]); err != nil ||
			got != want {
			t.Errorf("%s: %v, %v, want %v", id, got, err, want)
		}
	}
}
