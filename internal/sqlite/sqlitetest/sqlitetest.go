// Package sqlitetest gives tests databases that have their schema from the beginning. Only tests import it.
package sqlitetest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"florin/internal/sqlite"
)

// tester is what Make needs from a test of package testing or rapid.
type tester interface {
	Helper()
	Fatal(args ...any)
}

var (
	mu    sync.Mutex
	empty = map[fs.FS][]byte{} // databases without rows, by their schema
)

// Make creates a database with this schema and no rows at path, and its folder. The steps of a schema run once in each test binary: the first database is
// copied for all others.
func Make(t tester, path string, schema fs.FS) {
	t.Helper()
	mu.Lock()
	defer mu.Unlock()
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if made, ok := empty[schema]; ok {
		err = errors.Join(err, os.WriteFile(path, made, 0o600))
	} else if err == nil {
		err = migrate(path, schema)
		if err == nil {
			empty[schema], err = os.ReadFile(path)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

func migrate(path string, schema fs.FS) error {
	db, err := sqlite.Open(context.Background(), path)
	if err != nil {
		return err
	}
	return errors.Join(sqlite.Migrate(context.Background(), db, schema), db.Close())
}
