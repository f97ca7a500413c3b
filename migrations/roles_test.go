package migrations_test

import (
	"testing"

	"florin/internal/sqlite"
	"florin/migrations"
)

// The column of roles is replaced, and everybody keeps the role and all that refers to them.
func TestRolesSurviveTheirThird(t *testing.T) {
	t.Parallel()
	db := appBefore(t, "00047")
	ctx := t.Context()
	const at = `'2026-10-01T08:00:00.000Z'`
	do := func(statement string) error {
		return db.Write(ctx, func(tx *sqlite.Tx) error {
			_, err := tx.ExecContext(ctx, statement)
			return err
		})
	}
	for _, statement := range []string{
		`INSERT INTO user (id, email, password_hash, role, created) VALUES ('o', 'o@example.org', 'h', 'owner', ` + at + `), ('m', 'm@example.org', 'h', 'member', ` + at + `)`,
		`INSERT INTO user_session (id, user_id, device, created, last_seen) VALUES ('s', 'o', 'd', ` + at + `, ` + at + `)`,
	} {
		if err := do(statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := sqlite.Migrate(ctx, db, migrations.App); err != nil {
		t.Fatal(err)
	}
	var found string
	err := db.Read().QueryRowContext(ctx, `SELECT (SELECT group_concat(id || ' ' || role, ', ') FROM (SELECT id, role FROM user ORDER BY id)) || '; ' || user_id FROM user_session`).Scan(&found)
	if err != nil || found != "m member, o owner; o" {
		t.Errorf("%q %v", found, err)
	}
	if err := do(`UPDATE user SET role = 'viewer' WHERE id = 'm'`); err != nil {
		t.Error(err)
	}
	if err := do(`UPDATE user SET role = 'guest' WHERE id = 'm'`); err == nil {
		t.Error("a role that does not exist")
	}
	if err := do(`DELETE FROM user WHERE id = 'o'`); err != nil {
		t.Error(err)
	}
	var left int
	if err := db.Read().QueryRowContext(ctx, `SELECT COUNT(*) FROM user_session`).Scan(&left); err != nil || left != 0 {
		t.Errorf("%d sign-ins of somebody who is gone: %v", left, err)
	}
}
