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
	"strings"
	"time"

	"github.com/pressly/goose/v3"
)

// ErrNewerSchema says that the database was written by a newer version of Florin. An older one never opens it.
var ErrNewerSchema = errors.New("the database was written by a newer version of Florin")

// keptCopies is how many copies from before a migration are kept for each database.
const keptCopies = 5

// Migrate brings the schema up to the newest of files: SQL files of goose, "-- +goose Up" sections only, one transaction
// each, so that an interrupted migration goes on where it stopped. SQLite reads a file as a whole: its statements need no marks.
//
// A database that holds something is copied first, to backups/NAME-schema-VERSION-TIME.db beside it with mode 0600; the last
// few copies are kept. A schema newer than the files is refused with ErrNewerSchema and left as it is.
// Two processes that start at once migrate one after the other.
func Migrate(ctx context.Context, db *DB, files fs.FS) error {
	if err := db.migrate(ctx, files); err != nil {
		return fmt.Errorf("migrate database %s: %w", db.path, err)
	}
	return nil
}

func (db *DB) migrate(ctx context.Context, files fs.FS) error {
	steps, err := steps(files)
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db.writer, nil, goose.WithGoMigrations(steps...), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	sources := provider.ListSources()
	newest := sources[len(sources)-1].Version

	unlock, err := lock(ctx, db.path+"-migrating")
	if err != nil {
		return err
	}
	defer unlock()

	version, holdsData, err := db.schema(ctx)
	if err != nil {
		return explain(err)
	}
	if version > newest {
		return fmt.Errorf("%w: its schema is version %d, this program knows versions up to %d. Start the newer program again, or restore the copy made before the upgrade from %s",
			ErrNewerSchema, version, newest, db.copies())
	}
	pending, err := provider.HasPending(ctx)
	if err != nil {
		return explain(err)
	}
	if !pending {
		return nil
	}
	if holdsData {
		if err := db.copyBefore(ctx, version); err != nil {
			return fmt.Errorf("copy the database before changing its schema: %w", explain(err))
		}
	}
	if _, err := provider.Up(ctx); err != nil {
		return explain(err)
	}
	return nil
}

// steps are the files as migrations that run them. Goose's own parser would take a buffer of 4 MiB for each line to find where
// statements end, which SQLite knows.
func steps(files fs.FS) ([]*goose.Migration, error) {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return nil, err
	}
	var list []*goose.Migration
	for _, name := range names {
		version, err := goose.NumericComponent(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		list = append(list, goose.NewGoMigration(version, &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
			if _, err := tx.ExecContext(ctx, string(text)); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			return nil
		}}, nil))
	}
	return list, nil
}

// schema returns the version of the newest migration in the database, and whether there are tables besides goose's own.
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
		if name == goose.DefaultTablename {
			migrated = true
		} else {
			holdsData = true
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil { // closed before the next query: there is one connection
		return 0, false, err
	}
	if migrated {
		err = db.writer.QueryRowContext(ctx, "SELECT coalesce(max(version_id), 0) FROM "+goose.DefaultTablename).Scan(&version)
	}
	return version, holdsData, err
}

// copies is the folder of the copies made before migrations.
func (db *DB) copies() string { return filepath.Join(filepath.Dir(db.path), "backups") }

// copyBefore writes a consistent copy of the database, complete on disk under its name or not at all.
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
	defer os.Remove(unfinished) // fails after the rename, as it should
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

// flush makes sure that a file, or the names in a folder, are on disk.
func flush(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
