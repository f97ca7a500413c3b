package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"florin/internal/config"
	"florin/internal/secretfile"
	"florin/internal/sqlite"
	"florin/migrations"
)

// half describes the files of one half of Florin in the data directory.
type half struct {
	database string
	key      string // the file with the secret that the database needs; neither is of use without the other
	keyed    string // a table that has rows only when a key exists
	schema   fs.FS
}

var (
	appHalf     = half{"app.db", filepath.Join("secrets", "app.key"), "master_key", migrations.App}
	serviceHalf = half{"aggregator.db", filepath.Join("secrets", "service-hash"), "application", migrations.Aggregator}
)

// halves returns the halves of Florin that run.
func halves(s config.Settings) []half {
	if s.Service {
		return []half{appHalf, serviceHalf}
	}
	return []half{appHalf}
}

// private creates the data directory when it is missing. When files of Florin in it are open to other users of the machine, the error contains the command
// that fixes it.
func private(folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("make the data directory: %w", err)
	}
	paths := []string{folder}
	for _, pattern := range []string{"app.db*", "aggregator.db*", "attachments", "attachments/*", "backups", "backups/*", "logos", "logos/*", "secrets", "secrets/*"} {
		found, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			return err
		}
		paths = append(paths, found...)
	}
	var open []error
	for _, path := range paths {
		if err := secretfile.CheckPrivate(path); err != nil && !errors.Is(err, fs.ErrNotExist) { // files next to a database come and go
			open = append(open, err)
		}
	}
	return errors.Join(open...)
}

// prepare creates the databases in the data directory when they never existed, and updates all of them or none. It runs before their keys are created. So an
// existing key proves that there was a database: when that is missing or empty, prepare returns an error that says so. When the key is missing, no new one is
// made for an existing database. alone and tell are those of sqlite.MigrateTogether.
func prepare(ctx context.Context, s config.Settings, alone func() (release func(), err error), tell func(step, of int, what string)) (err error) {
	if err := private(s.DataDir); err != nil {
		return err
	}
	var upgrades []sqlite.Upgrade
	defer func() {
		for _, u := range upgrades {
			err = errors.Join(err, u.DB.Close())
		}
	}()
	for _, h := range halves(s) {
		path, key := filepath.Join(s.DataDir, h.database), filepath.Join(s.DataDir, h.key)
		_, missing := os.Lstat(key)
		if missing == nil {
			if info, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() && info.Size() == 0 {
				return fmt.Errorf("the database %s is missing or empty, but its key %s is there: put the database back from a backup. To start with an empty database instead, move the key away", path, key)
			}
		}
		db, err := sqlite.Open(ctx, path)
		if err != nil {
			return err
		}
		upgrades = append(upgrades, sqlite.Upgrade{DB: db, Files: h.schema})
		if errors.Is(missing, fs.ErrNotExist) {
			if used, err := hasRows(ctx, db, h.keyed); err != nil {
				return err
			} else if used {
				return fmt.Errorf("the key %s is missing, but its database %s is there: put the key back from a backup. To start with an empty database instead, move this one away", key, path)
			}
		}
	}
	return sqlite.MigrateTogether(ctx, alone, tell, upgrades...)
}

// hasRows reports whether a database has the table, with at least one row.
func hasRows(ctx context.Context, db *sqlite.DB, table string) (found bool, err error) {
	err = db.Read().QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = $1)`, table).Scan(&found)
	if err == nil && found {
		err = db.Read().QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM `+table+`)`).Scan(&found)
	}
	if err != nil {
		return false, fmt.Errorf("read %s: %w", table, err)
	}
	return found, nil
}

// beside prepares the data directory for a command. When Florin runs, the command does not update the databases: they belong to the running Florin, which may
// be of another version.
func beside(ctx context.Context, s config.Settings) error {
	return prepare(ctx, s, func() (release func(), err error) {
		release, err = sqlite.Occupy(ctx, filepath.Join(s.DataDir, serving))
		if errors.Is(err, sqlite.ErrOccupied) {
			return nil, fmt.Errorf("an older Florin runs with the data directory %s, and this program would change its databases: stop that one and start this one in its place, or use the program that runs", s.DataDir)
		}
		return release, err
	}, nil)
}

// serving is the file that a Florin locks while it serves the data directory.
const serving = "serving"
