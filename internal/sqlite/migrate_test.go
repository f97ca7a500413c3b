package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"florin/internal/sqlite"
)

// versions are the migrations 1 to n of a small schema. The second changes data and would do harm if it ran twice.
func versions(n int) fs.FS {
	all := []string{
		"CREATE TABLE note (text TEXT NOT NULL) STRICT;",
		"INSERT INTO note (text) VALUES ('from migration 2');",
		"ALTER TABLE note ADD COLUMN third TEXT;",
		"ALTER TABLE note ADD COLUMN fourth TEXT;",
		"ALTER TABLE note ADD COLUMN fifth TEXT;",
		"ALTER TABLE note ADD COLUMN sixth TEXT;",
		"ALTER TABLE note ADD COLUMN seventh TEXT;",
		"ALTER TABLE note ADD COLUMN eighth TEXT;",
	}
	files := fstest.MapFS{}
	for i, statement := range all[:n] {
		files[fmt.Sprintf("%05d_step.sql", i+1)] = &fstest.MapFile{Data: []byte("-- +goose Up\n" + statement + "\n")}
	}
	return files
}

func openAndMigrate(ctx context.Context, path string) error {
	db, err := sqlite.Open(ctx, path)
	if err != nil {
		return err
	}
	return errors.Join(sqlite.Migrate(ctx, db, versions(8)), db.Close())
}

func migrate(t *testing.T, db *sqlite.DB, files fs.FS) {
	t.Helper()
	if err := sqlite.Migrate(t.Context(), db, files); err != nil {
		t.Fatal(err)
	}
}

// copiesIn returns the names of the finished and unfinished copies beside the database.
func copiesIn(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, "backups"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestMigrateANewDatabaseMakesNoCopy(t *testing.T) {
	dir := t.TempDir()
	db := open(t, filepath.Join(dir, "app.db"))
	for range 2 { // the second time there is nothing to do
		migrate(t, db, versions(2))
		if got := value[string](t, db, "SELECT text FROM note"); got != "from migration 2" {
			t.Errorf("got %q", got)
		}
		if names := copiesIn(t, dir); len(names) != 0 {
			t.Errorf("copies of an empty database: %v", names)
		}
	}
}

func TestMigrateCopiesAnExistingDatabaseFirst(t *testing.T) {
	dir := t.TempDir()
	db := open(t, filepath.Join(dir, "app.db"))
	migrate(t, db, versions(1))
	change(t, db, "INSERT INTO note (text) VALUES ('mine')")
	migrate(t, db, versions(3))

	names := copiesIn(t, dir)
	if len(names) != 1 || !strings.HasPrefix(names[0], "app-schema-00001-") || !strings.HasSuffix(names[0], ".db") {
		t.Fatalf("copies: %v, want one of schema 1", names)
	}
	path := filepath.Join(dir, "backups", names[0])
	for path, want := range map[string]fs.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("mode of %s is %o, want %o", path, got, want)
		}
	}
	copied := open(t, path)
	if got := value[string](t, copied, "SELECT group_concat(text) FROM note"); got != "mine" {
		t.Errorf("the copy holds %q, want the state before the migration", got)
	}
	if got := value[string](t, copied, "PRAGMA integrity_check"); got != "ok" {
		t.Errorf("integrity check of the copy: %s", got)
	}
	migrate(t, copied, versions(3)) // a copy that is put back is brought up to date again
	if got := value[int](t, copied, "SELECT count(*) FROM note"); got != 2 {
		t.Errorf("%d notes in the migrated copy, want 2", got)
	}
}

func TestMigrateKeepsTheLastFewCopies(t *testing.T) {
	dir := t.TempDir()
	db := open(t, filepath.Join(dir, "app.db"))
	for n := 1; n <= 8; n++ {
		migrate(t, db, versions(n))
	}
	names := copiesIn(t, dir)
	if len(names) != 5 || !strings.HasPrefix(names[0], "app-schema-00003-") || !strings.HasPrefix(names[4], "app-schema-00007-") {
		t.Errorf("copies: %v, want those of schema 3 to 7", names)
	}
}

func TestMigrateRefusesANewerSchema(t *testing.T) {
	dir := t.TempDir()
	db := open(t, filepath.Join(dir, "app.db"))
	migrate(t, db, versions(4))
	err := sqlite.Migrate(t.Context(), db, versions(3))
	if !errors.Is(err, sqlite.ErrNewerSchema) {
		t.Fatalf("got %v, want ErrNewerSchema", err)
	}
	for _, words := range []string{"version 4", "up to 3", "Start the newer program again", filepath.Join(dir, "backups")} {
		if !strings.Contains(err.Error(), words) {
			t.Errorf("%q does not say %q", err, words)
		}
	}
	migrate(t, db, versions(4)) // it was left as it was
}

func TestAMigrationThatFailsChangesNothing(t *testing.T) {
	dir := t.TempDir()
	db := open(t, filepath.Join(dir, "app.db"))
	migrate(t, db, versions(1))
	broken := fstest.MapFS{
		"00001_step.sql": {Data: []byte("-- +goose Up\nCREATE TABLE note (text TEXT NOT NULL) STRICT;\n")},
		"00002_step.sql": {Data: []byte("-- +goose Up\nINSERT INTO note (text) VALUES ('half');\nINSERT INTO nowhere (x) VALUES (1);\n")},
	}
	if err := sqlite.Migrate(t.Context(), db, broken); err == nil {
		t.Fatal("a broken migration worked")
	}
	if got := value[int](t, db, "SELECT count(*) FROM note"); got != 0 {
		t.Errorf("%d notes, want none", got)
	}
	migrate(t, db, versions(2)) // the mended program goes on from there
	if got := value[int](t, db, "SELECT count(*) FROM note"); got != 1 {
		t.Errorf("%d notes, want 1", got)
	}
	if i := slices.IndexFunc(copiesIn(t, dir), func(name string) bool { return strings.HasSuffix(name, ".unfinished") }); i >= 0 {
		t.Error("an unfinished copy was left behind")
	}
}

func TestMigrateWithoutFiles(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "app.db"))
	if err := sqlite.Migrate(t.Context(), db, fstest.MapFS{}); err == nil {
		t.Error("a program without migrations started")
	}
}

// Processes that start at once on the same new file open it and migrate it one after the other.
func TestProcessesThatStartAtOnce(t *testing.T) {
	for range 3 {
		path := filepath.Join(t.TempDir(), "app.db")
		errs := make(chan error)
		const processes = 4
		for range processes {
			cmd := process(t, "migrate", path)
			go func() { errs <- cmd.Run() }()
		}
		for range processes {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
		db := open(t, path)
		if got := value[int](t, db, "SELECT count(*) FROM note"); got != 1 {
			t.Errorf("migration 2 ran %d times, want once", got)
		}
		if got := value[int](t, db, "SELECT count(*) FROM goose_db_version WHERE version_id > 0"); got != 8 {
			t.Errorf("%d versions are recorded, want 8", got)
		}
	}
}

// Several databases are migrated together: a step that fails in one leaves all as they were.
func TestMigrateTogether(t *testing.T) {
	dir := t.TempDir()
	first, second := open(t, filepath.Join(dir, "first.db")), open(t, filepath.Join(dir, "second.db"))
	migrate(t, first, versions(1))
	migrate(t, second, versions(1))
	broken := fstest.MapFS{"00001_step.sql": {Data: []byte("SELECT 1;")}, "00002_step.sql": {Data: []byte("INSERT INTO nowhere (x) VALUES (1);")}}
	err := sqlite.MigrateTogether(t.Context(), nil, nil, sqlite.Upgrade{DB: first, Files: versions(3)}, sqlite.Upgrade{DB: second, Files: broken})
	if err == nil || !strings.Contains(err.Error(), "second.db") || !strings.Contains(err.Error(), "00002_step.sql") {
		t.Fatalf("the error is %v, want one that names the database and the step", err)
	}
	for _, db := range []*sqlite.DB{first, second} {
		if got := value[int](t, db, "SELECT count(*) FROM note"); got != 0 {
			t.Errorf("%d notes, want none", got)
		}
		if got := value[int](t, db, "SELECT max(version_id) FROM goose_db_version"); got != 1 {
			t.Errorf("version %d, want 1", got)
		}
	}
	var told []string
	tell := func(step, of int, what string) { told = append(told, fmt.Sprintf("%d/%d %s", step, of, what)) }
	fresh := open(t, filepath.Join(dir, "fresh.db")) // it holds nothing, and takes no time
	upgrades := []sqlite.Upgrade{{DB: first, Files: versions(3)}, {DB: fresh, Files: versions(3)}, {DB: second, Files: versions(2)}}
	for range 2 { // the second time nothing is left to do
		if err := sqlite.MigrateTogether(t.Context(), nil, tell, upgrades...); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"1/7 first.db: check", "2/7 second.db: check", "3/7 first.db: copy", "4/7 second.db: copy", "5/7 first.db: 00002_step.sql", "6/7 first.db: 00003_step.sql",
		"7/7 second.db: 00002_step.sql"}
	if !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
	for _, db := range []*sqlite.DB{first, second} {
		if got := value[int](t, db, "SELECT count(*) FROM note"); got != 1 {
			t.Errorf("%d notes, want 1", got)
		}
	}
}

// A database that holds something is changed while nobody else is at work with it; a new one needs no such care, nor does one that is up to date.
func TestMigrateAlone(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "app.db"))
	asked, released := 0, 0
	refuse := errors.New("somebody is at work")
	for _, step := range []struct {
		versions, asked int
		answer, want    error
	}{{1, 0, refuse, nil}, {1, 0, refuse, nil}, {2, 1, refuse, refuse}, {2, 2, nil, nil}, {2, 2, refuse, nil}} {
		err := sqlite.MigrateTogether(t.Context(), func() (func(), error) {
			asked++
			return func() { released++ }, step.answer
		}, nil, sqlite.Upgrade{DB: db, Files: versions(step.versions)})
		if !errors.Is(err, step.want) || asked != step.asked {
			t.Errorf("%+v: %v, asked %d times", step, err, asked)
		}
		if want := map[bool]int{true: step.versions, false: 1}[err == nil]; value[int](t, db, "SELECT max(version_id) FROM goose_db_version") != want {
			t.Errorf("%+v: the schema is not version %d", step, want)
		}
	}
	if released != 1 {
		t.Errorf("released %d times", released)
	}
}

// A repair runs where there is something to mend, before the steps that are new, and with a copy of what was there.
func TestMigrateRepairs(t *testing.T) {
	schema := func(steps int) fs.FS {
		files := versions(steps).(fstest.MapFS)
		files["repair/00001_note.sql"] = &fstest.MapFile{Data: []byte("-- when: SELECT 1 FROM pragma_table_info('note') WHERE name = 'wrong'\nALTER TABLE note RENAME COLUMN wrong TO text;\n")}
		return files
	}
	dir := t.TempDir()
	db := open(t, filepath.Join(dir, "app.db"))
	migrate(t, db, fstest.MapFS{"00001_step.sql": {Data: []byte("CREATE TABLE note (wrong TEXT NOT NULL) STRICT; INSERT INTO note (wrong) VALUES ('mine');")}})
	for range 2 {
		migrate(t, db, schema(2))
		if got := value[string](t, db, "SELECT group_concat(text) FROM note"); got != "mine,from migration 2" {
			t.Errorf("got %q", got)
		}
	}
	if names := copiesIn(t, dir); len(names) != 1 {
		t.Errorf("copies: %v, want one", names)
	}
	wrong := fstest.MapFS{"00001_step.sql": {Data: []byte("SELECT 1;")}, "repair/00001_note.sql": {Data: []byte("DELETE FROM note;")}}
	if err := sqlite.Migrate(t.Context(), db, wrong); err == nil || value[int](t, db, "SELECT count(*) FROM note") != 2 {
		t.Errorf("a repair that does not say when it is needed: %v", err)
	}
}
