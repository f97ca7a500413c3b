package migrations_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/sqlite"
	"florin/internal/store"
	"florin/migrations"
)

// A reminder of a consent that waits for the mail server at the update that made messages of them is sent by what comes after it, once, to the person to whom
// it was to go. One that had left, or had failed, is not sent again, and other mails stay mails.
func TestRemindersThatWaitStayAndBecomeMessages(t *testing.T) {
	ctx := t.Context()
	db := appBefore(t, "00062")
	now := time.Now().UTC()
	at := func(in time.Duration) string { return "'" + now.Add(in).Format("2006-01-02T15:04:05.000Z") + "'" }
	const day = 24 * time.Hour
	soon := at(6 * day)
	statements := []string{
		`INSERT INTO provider (id, name, base_url, registration_url, issuer, audience, application_id, redirect_url, environment, private_key, created, updated)
			VALUES ('p', 'P', 'b', 'r', 'i', 'a', 'app', 'r', 'SANDBOX', 'k', ` + at(0) + `, ` + at(0) + `)`,
	}
	for _, u := range []string{"ann", "bo"} {
		statements = append(statements, `INSERT INTO user (id, email, password_hash, role, created, heard) VALUES ('`+u+`', '`+u+`@example.org', 'h', 'owner', `+at(-90*day)+`, 'de')`)
	}
	reminder := func(id, user, state, due string) {
		statements = append(statements,
			`INSERT INTO connection (id, user_id, provider_id, aspsp_name, country, psu_type, status, session_id, valid_until, created, authorized)
				VALUES ('c`+id+`', '`+user+`', 'p', 'B', 'DE', 'personal', 'active', 's', `+soon+`, `+at(-80*day)+`, `+at(-80*day)+`)`,
			`INSERT INTO notice (id, user_id, kind, name, connection_id, ends, days, created) VALUES ('n`+id+`', '`+user+`', 'consent-ends', '', 'c`+id+`', `+soon+`, 7, `+at(-day)+`)`,
			`INSERT INTO mail (id, user_id, kind, key, state, due, until, created) VALUES ('m`+id+`', '`+user+`', 'consent-ends', 'n`+id+`', '`+state+`', `+due+`, `+soon+`, `+at(-day)+`)`)
	}
	reminder("1", "ann", "waiting", at(-time.Hour))
	reminder("2", "bo", "waiting", at(time.Hour)) // the mail server failed, and is left alone for a while
	reminder("3", "ann", "sent", at(-day))
	reminder("4", "ann", "failed", at(-day))
	statements = append(statements, `INSERT INTO notice (id, user_id, kind, name, created) VALUES ('n5', 'ann', 'password-changed', '', `+at(0)+`)`,
		`INSERT INTO mail (id, user_id, kind, key, state, due, until, created) VALUES ('m5', 'ann', 'password-changed', 'n5', 'waiting', `+at(0)+`, `+at(2*day)+`, `+at(0)+`)`)
	err := db.Write(ctx, func(tx *sqlite.Tx) error {
		for _, statement := range statements {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := sqlite.Migrate(ctx, db, migrations.App); err != nil {
		t.Fatal(err)
	}
	var path string
	if err := db.Read().QueryRowContext(ctx, `SELECT file FROM pragma_database_list WHERE name = 'main'`).Scan(&path); err != nil {
		t.Fatal(err)
	}
	key, err := store.LoadKey(filepath.Join(t.TempDir(), "secrets"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(ctx, path, key)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	claim := func() (sent []string, next time.Time) {
		t.Helper()
		for {
			m, ok, due, err := s.ClaimMessage(context.Background(), finance.ChannelMail, time.UTC)
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				return sent, due
			}
			if m.Alert.Kind != finance.AlertConsentEnds || m.Language != "de" || m.Late || m.Bank.ASPSP.Name != "B" ||
				m.Alert.Facts.Ends.Sub(now).Round(time.Minute) != 6*day {
				t.Errorf("sent %+v", m)
			}
			if err := s.EndMessage(ctx, m.User.ID, m.ID, ""); err != nil {
				t.Fatal(err)
			}
			sent = append(sent, m.User.Email+" "+m.Bank.ID)
		}
	}
	sent, next := claim()
	if !slices.Equal(sent, []string{"ann@example.org c1"}) || next.Sub(now).Round(time.Minute) != time.Hour {
		t.Errorf("sent %q, the next in %v", sent, next.Sub(now))
	}
	if _, err := s.Remind(ctx); err != nil { // what was told before the update is not told anew
		t.Fatal(err)
	}
	if sent, _ := claim(); len(sent) != 0 {
		t.Errorf("sent again: %q", sent)
	}
	if err := db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE message SET due = created`)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if sent, _ := claim(); !slices.Equal(sent, []string{"bo@example.org c2"}) {
		t.Errorf("after the pause: %q", sent)
	}
	m, ok, _, err := s.ClaimMail(ctx)
	if err != nil || !ok || m.ID != "m5" {
		t.Errorf("the mail is %+v, %v, %v", m, ok, err)
	}
	if m, ok, _, err := s.ClaimMail(ctx); ok || err != nil {
		t.Errorf("one more mail: %+v, %v", m, err)
	}
}
