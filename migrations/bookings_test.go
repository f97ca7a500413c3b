package migrations_test

import (
	"testing"

	"florin/internal/sqlite"
	"florin/migrations"
)

// Bookings that were found before stay found, with everything else of their payments; what ended before is no news; and what may be carried out for long is
// still looked at.
func TestBookingsOfBeforeStayFound(t *testing.T) {
	db := appBefore(t, "00004")
	const at = `'2026-10-01T08:00:00.000Z'`
	const insert = `INSERT INTO payment (user_id, provider_id, aspsp_name, country, psu_type, type, auth_method, successful, title, minor, currency, created,
		id, form_key, reference, phase, request, sent, payment_id, status, at_created, news, final, ended, failure_code) VALUES ('u', 'p', 'B', 'DE', 'personal', 'SEPA', '', '', 'A', 500, 'EUR', ` + at + `, `
	err := db.Write(t.Context(), func(tx *sqlite.Tx) error {
		for _, statement := range []string{
			`INSERT INTO user (id, email, password_hash, role, created) VALUES ('u', 'a@example.org', 'h', 'owner', ` + at + `)`,
			`INSERT INTO provider (id, name, base_url, registration_url, issuer, audience, application_id, redirect_url, environment, private_key, created, updated)
				VALUES ('p', 'P', 'b', 'r', 'i', 'a', 'app', 'r', 'SANDBOX', 'k', ` + at + `, ` + at + `)`,
			`INSERT INTO connection (id, user_id, provider_id, aspsp_name, country, psu_type, status, session_id, valid_until, created, authorized)
				VALUES ('c', 'u', 'p', 'B', 'DE', 'personal', 'active', 's', ` + at + `, ` + at + `, ` + at + `)`,
			`INSERT INTO account (id, user_id, connection_id, hash, bank_currency, currency, uid, holder, details, product, type, usage, iban, number, scheme, credit_limit, original, created)
				VALUES ('a', 'u', 'c', 'h', 'EUR', 'EUR', 'uid', '', '', '', '', '', '', '', '', '', '{}', ` + at + `)`,
			`INSERT INTO booked_transaction (id, account_id, sort_key, identity, ordinal, reference, content, minor, currency, amount, display_date, booking_date, value_date, transaction_date, counterparty,
				counterparty_account, remittance, kind, first_run, seen_run, first_seen)
				VALUES (7, 'a', 1, 'i', 0, '', '', -500, 'EUR', '5.00', '2026-10-02', '', '', '', '', '', '', '', 1, 1, ` + at + `)`,
			insert + `'final', 'f1', 'r1', 'created', '{}', ` + at + `, '1', 'ACSC', ` + at + `, ` + at + `, 1, '2026-10-03T09:00:00.000Z', '')`,
			insert + `'open', 'f2', 'r2', 'created', '{}', ` + at + `, '2', 'ACSP', ` + at + `, ` + at + `, 0, NULL, '')`,
			insert + `'standing', 'f3', 'r3', 'created', '{"credit_transfer_transaction":[{"frequency":"MNTH"}]}', ` + at + `, '3', 'ACSP', ` + at + `, ` + at +
				`, 0, NULL, '')`,
			insert + `'dated', 'f4', 'r4', 'created', '{"credit_transfer_transaction":[{"requested_execution_date":"2027-01-01"}]}', ` + at + `, '4', 'ACSP', ` +
				at + `, ` + at + `, 0, NULL, '')`,
			insert + `'several', 'f7', 'r7', 'created', '{"credit_transfer_transaction":[{"requested_execution_date":"2026-12-24"},{}]}', ` + at +
				`, '7', 'ACSP', ` + at + `, ` + at + `, 0, NULL, '')`,
			insert + `'failed', 'f5', 'r5', 'failed', '{}', ` + at + `, NULL, '', NULL, '2026-10-04T09:00:00.000Z', 0, NULL, 'X')`,
			`INSERT INTO payment_transfer (payment_id, position, payee, payee_key, scheme, number, minor, currency, end_to_end_id, transaction_id, status, booked_id)
				VALUES ('final', 0, 'Ann', 'ann', 'IBAN', 'N', 500, 'EUR', 'e', 't', 'ACSC', 7), ('open', 0, 'Bob', 'bob', 'IBAN', 'N', 500, 'EUR', 'e', '', '', NULL),
				('several', 0, 'Bob', 'bob', 'IBAN', 'N', 500, 'EUR', 'e', '', '', NULL), ('several', 1, 'Ann', 'ann', 'IBAN', 'N', 500, 'EUR', 'e', '', '', NULL)`,
			`INSERT INTO payment_event (payment_id, sequence, at, kind, source, status, final, auth, reason_code, detail, delivery_id) VALUES ('final', 1, ` + at +
				`, 'booked', '', '', 0, '', '', 'd', '')`,
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
	for query, want := range map[string]string{
		`SELECT payment_id || position || execution || total FROM payment_booking WHERE booked_id = 7`:                                                                     "final00",
		`SELECT payee || payee_key || scheme || number || minor || currency || end_to_end_id || transaction_id || status FROM payment_transfer WHERE payment_id = 'final'`: "AnnannIBANN500EURetACSC",
		`SELECT kind || detail || at FROM payment_event`:                         "bookedd2026-10-01T08:00:00.000Z",
		`SELECT seen FROM payment WHERE id = 'final'`:                            "2026-10-03T09:00:00.000Z",
		`SELECT seen FROM payment WHERE id = 'failed'`:                           "2026-10-04T09:00:00.000Z",
		`SELECT COALESCE(seen, 'not') FROM payment WHERE id = 'open'`:            "not",
		`SELECT last_day FROM payment WHERE id = 'open'`:                         "2026-10-01",
		`SELECT last_day FROM payment WHERE id = 'standing'`:                     "", // the store fills it in
		`SELECT last_day FROM payment WHERE id = 'several'`:                      "",
		`SELECT title FROM payment WHERE id = 'several'`:                         "",
		`SELECT title FROM payment WHERE id = 'open'`:                            "A",
		`SELECT CAST(COUNT(*) AS TEXT) FROM payment_booking`:                     "1",
		`SELECT CAST(COUNT(*) AS TEXT) FROM pragma_foreign_key_check`:            "0",
		`SELECT CAST(COUNT(*) AS TEXT) FROM payment_transfer WHERE position = 0`: "3",
	} {
		var got string
		if err := db.Read().QueryRowContext(t.Context(), query).Scan(&got); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", query, got, err, want)
		}
	}
	// The booking goes, and what was found with it; the payment stays.
	err = db.Write(t.Context(), func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(t.Context(), `DELETE FROM booked_transaction WHERE id = 7`)
		return err
	})
	var left, transfers int
	if err := db.Read().QueryRowContext(t.Context(), `SELECT (SELECT COUNT(*) FROM payment_booking), (SELECT COUNT(*) FROM payment_transfer)`).Scan(&left,
		&transfers); err != nil || left != 0 || transfers != 4 {
		t.Errorf("%d matches lead nowhere, %d transfers: %v", left, transfers, err)
	}
	if err != nil {
		t.Error(err)
	}
}
