package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ErrNewerSchema says that the database was written by a newer version of Florin. An older version never opens it.
var ErrNewerSchema = errors.New("the database was written by a newer version of Florin")

// keptCopies is the number of copies from before migrations that are kept for each database.
const keptCopies = 5

// Upgrade is a database and the files of its schema: SQL files named 00001_what.sql, each a step that is run once. SQLite reads a file as a whole, so
// statements need no separators of ours.
//
// Files in the folder repair fix a database whose steps had a different text when they were run. The first line of each is "-- when: SELECT …", which finds a
// row when the repair is needed; the rest is the repair.
type Upgrade struct {
	DB    *DB
	Files fs.FS
}

// Migrate updates the schema of one database (MigrateTogether).
func Migrate(ctx context.Context, db *DB, files fs.FS) error {
	return MigrateTogether(ctx, nil, nil, Upgrade{db, files})
}

// MigrateTogether updates the schemas of databases: all of them, or none when a step of any of them fails. The steps of each database run in one transaction,
// and all are committed after all have succeeded.
//
// A database with data is first copied to backups/NAME-schema-VERSION-TIME.db in its folder with mode 0600; the last few copies are kept. A schema that is
// newer than the files is refused with ErrNewerSchema, and no database is changed. When two processes start at once, they migrate one after the other.
//
// alone, unless it is nil, is called before a database with data is changed, and its release when all is done: a program that is using the database would not
// know the new schema. An error of alone is returned, and nothing is changed.
//
// tell, unless it is nil, is called before each step on a database with data, because these may take minutes: with the number of the step from 1, the number
// of steps in all databases, and what is done. The first steps are the checks and the copies.
func MigrateTogether(ctx context.Context, alone func() (release func(), err error), tell func(step, of int, what string), upgrades ...Upgrade) (err error) {
	var works []*work
	defer func() {
		for _, w := range works {
			w.end()
		}
	}()
	each := func(do func(*work) error) error {
		for _, w := range works {
			if err := do(w); err != nil {
				return fmt.Errorf("migrate database %s: %w", w.db.path, explain(err))
			}
		}
		return nil
	}
	for _, u := range upgrades {
		works = append(works, &work{db: u.DB, files: u.Files})
	}
	if err := each(func(w *work) error { return w.plan(ctx) }); err != nil {
		return err
	}
	step, of := 0, 0
	for _, w := range works {
		if w.changes() {
			of += 2 + len(w.steps)
		}
	}
	next := func(w *work, what string) {
		if tell != nil && w.changes() {
			step++
			tell(step, of, filepath.Base(w.db.path)+": "+what)
		}
	}
	if err := each(func(w *work) error { return w.check(ctx, next) }); err != nil {
		return err
	}
	if alone != nil && slices.ContainsFunc(works, (*work).changes) {
		release, err := alone()
		if err != nil {
			return err
		}
		defer release()
	}
	for _, stage := range []func(*work) error{
		func(w *work) error { return w.copyBefore(ctx, next) },
		func(w *work) error { return w.change(ctx, next) },
		func(w *work) error { return w.commit() },
	} {
		if err := each(stage); err != nil {
			return err
		}
	}
	return nil
}

// versionTable lists the steps that were run on a database. Its name and columns are those of goose, which ran the steps of earlier versions of Florin.
const versionTable = "goose_db_version"

// work is the update that one database needs.
type work struct {
	db     *DB
	files  fs.FS
	unlock func()

	version   int64 // of the last step that was run; 0 for none
	holdsData bool  // there are tables besides versionTable
	steps     []step
	tx        *sql.Tx
}

// step is a piece of SQL to run. A repair has version 0.
type step struct {
	name    string
	version int64
	text    string
}

// end rolls back what is not committed and lets other processes migrate.
func (w *work) end() {
	if w.tx != nil {
		_ = w.tx.Rollback() // does nothing after the commit
	}
	if w.unlock != nil {
		w.unlock()
	}
}

// plan determines the steps to run, and keeps other processes from running them too.
func (w *work) plan(ctx context.Context) (err error) {
	known, err := steps(w.files)
	if err != nil {
		return err
	}
	if w.unlock, err = lock(ctx, w.db.path+"-migrating"); err != nil {
		return err
	}
	if w.version, w.holdsData, err = w.db.schema(ctx); err != nil {
		return err
	}
	if newest := known[len(known)-1].version; w.version > newest {
		return fmt.Errorf("%w: its schema is version %d, this program knows versions up to %d. Start the newer program again, or restore the copy made before the upgrade from %s",
			ErrNewerSchema, w.version, newest, w.db.copies())
	}
	if w.holdsData {
		if w.steps, err = w.repairs(ctx); err != nil {
			return err
		}
	}
	for _, s := range known {
		if s.version > w.version {
			w.steps = append(w.steps, s)
		}
	}
	return nil
}

// check looks for damage in a database with data before it is changed, because changes would make damage worse.
func (w *work) check(ctx context.Context, next func(w *work, what string)) error {
	if !w.changes() {
		return nil
	}
	next(w, "check")
	return w.db.Check(ctx)
}

// changes reports whether a database with data will be changed.
func (w *work) changes() bool { return w.holdsData && len(w.steps) > 0 }

// repairs returns the repairs that the database needs.
func (w *work) repairs(ctx context.Context) (needed []step, err error) {
	names, err := fs.Glob(w.files, "repair/*.sql")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := fs.ReadFile(w.files, name)
		if err != nil {
			return nil, err
		}
		first, rest, _ := strings.Cut(string(text), "\n")
		when, ok := strings.CutPrefix(first, "-- when: ")
		if !ok {
			return nil, fmt.Errorf("%s does not begin with \"-- when: \"", name)
		}
		var found int
		switch err := w.db.writer.QueryRowContext(ctx, when).Scan(&found); {
		case err == nil:
			needed = append(needed, step{name: name, text: rest})
		case !errors.Is(err, sql.ErrNoRows):
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return needed, nil
}

// copyBefore copies a database with data before it is changed.
func (w *work) copyBefore(ctx context.Context, next func(w *work, what string)) error {
	if !w.changes() {
		return nil
	}
	next(w, "copy")
	if err := w.db.copyBefore(ctx, w.version); err != nil {
		return fmt.Errorf("copy the database before changing its schema: %w", explain(err))
	}
	return nil
}

// change runs the steps; the caller commits.
func (w *work) change(ctx context.Context, next func(w *work, what string)) (err error) {
	if len(w.steps) == 0 {
		return nil
	}
	if w.tx, err = w.db.writer.BeginTx(ctx, nil); err != nil {
		return err
	}
	const table = `CREATE TABLE IF NOT EXISTS ` + versionTable + ` (
		id INTEGER PRIMARY KEY AUTOINCREMENT, version_id INTEGER NOT NULL, is_applied INTEGER NOT NULL, tstamp TIMESTAMP DEFAULT (datetime('now')))`
	if _, err := w.tx.ExecContext(ctx, table); err != nil {
		return err
	}
	for _, s := range w.steps {
		next(w, s.name)
		if _, err := w.tx.ExecContext(ctx, s.text); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if s.version == 0 {
			continue
		}
		if _, err := w.tx.ExecContext(ctx, `INSERT INTO `+versionTable+` (version_id, is_applied) VALUES ($1, 1)`, s.version); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

func (w *work) commit() error {
	if w.tx == nil {
		return nil
	}
	return w.tx.Commit()
}

// steps returns the files of a schema in their order.
func steps(files fs.FS) ([]step, error) {
	names, err := fs.Glob(files, "*.sql") // sorted by name
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, errors.New("there are no files of its schema")
	}
	var list []step
	for _, name := range names {
		number, _, _ := strings.Cut(name, "_")
		version, err := strconv.ParseInt(number, 10, 64)
		if err != nil || version < 1 {
			return nil, fmt.Errorf("%s: the name of a step begins with its number", name)
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		list = append(list, step{name, version, string(text)})
	}
	return list, nil
}

// schema returns the version of the newest step in the database, and whether there are other tables than the one of versions.
func (db *DB) schema(ctx context.Context) (version int64, holdsData bool, err error) {
	rows, err := db.writer.QueryContext(ctx, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
	if err != nil {
		return 0, false, err
	}
	defer rows.Close()
	migrated := false
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return 0, false, err
		}
		if name == versionTable {
			migrated = true
		} else {
			holdsData = true
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil { // closed before the next query, because there is only one connection
		return 0, false, err
	}
	if migrated {
		err = db.writer.QueryRowContext(ctx, "SELECT coalesce(max(version_id), 0) FROM "+versionTable).Scan(&version)
	}
	return version, holdsData, err
}

// copies returns the folder for copies from before migrations.
func (db *DB) copies() string { return filepath.Join(filepath.Dir(db.path), "backups") }

// copyBefore writes a consistent copy of the database. The file with its final name is complete on disk, or does not exist.
func (db *DB) copyBefore(ctx context.Context, version int64) error {
	dir := db.copies()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	prefix := strings.TrimSuffix(filepath.Base(db.path), filepath.Ext(db.path)) + "-schema-"
	name := filepath.Join(dir, fmt.Sprintf("%s%05d-%s.db", prefix, version, time.Now().UTC().Format("20060102T150405.000Z")))

	unfinished := name + ".unfinished"
	if err := createFile(unfinished); err != nil { // VACUUM INTO fills an empty file and keeps its mode
		return err
	}
	defer os.Remove(unfinished) // fails after the rename, which is intended
	if _, err := db.writer.ExecContext(ctx, "VACUUM INTO $1", unfinished); err != nil {
		return err
	}
	if err := flush(unfinished); err != nil {
		return err
	}
	if err := os.Rename(unfinished, name); err != nil {
		return err
	}
	if err := flush(dir); err != nil {
		return err
	}
	return prune(dir, prefix)
}

// prune removes all but the newest copies. Version and time have fixed widths in the names, so name order is age order.
func prune(dir, prefix string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) && strings.HasSuffix(e.Name(), ".db") {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	for len(names) > keptCopies {
		if err := os.Remove(filepath.Join(dir, names[0])); err != nil {
			return err
		}
		names = names[1:]
	}
	return nil
}

// flush writes a file, or the names in a folder, to disk.
func flush(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
