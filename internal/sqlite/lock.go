package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"

	driver "modernc.org/sqlite"
)

// ErrOccupied says that another process holds the lock.
var ErrOccupied = errors.New("another process uses it")

// Occupy takes the lock at path, which can stand for anything that only one process may use at a time. It is held until release is called or the process
// ends, even by a crash. The error is ErrOccupied when another process holds it.
func Occupy(ctx context.Context, path string) (release func(), err error) {
	release, err = lockOnce(ctx, path)
	if IsBusy(err) {
		return nil, ErrOccupied
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, explain(err))
	}
	return release, nil
}

// lock waits until no other process holds the lock at path, and takes it.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	for {
		unlock, err := lockOnce(ctx, path)
		if err == nil {
			return unlock, nil
		}
		if !IsBusy(err) || ctx.Err() != nil {
			return nil, fmt.Errorf("wait for another process that is migrating: %w", explain(err))
		}
	}
}

// lockOnce takes the lock at path, or returns a busy error after a moment. The lock is that of an empty SQLite database: it works on every system, and is
// released when its process ends.
func lockOnce(ctx context.Context, path string) (unlock func(), err error) {
	if path, err = filepath.Abs(path); err != nil { // the URI of a data source needs an absolute path
		return nil, err
	}
	if err := createFile(path); err != nil {
		return nil, err
	}
	base, err := driver.NewConnector(dataSource(path, map[string]string{"_busy_timeout": "100"}))
	if err != nil {
		return nil, err
	}
	p := sql.OpenDB(base)
	p.SetMaxOpenConns(1)
	if _, err := p.ExecContext(ctx, "BEGIN EXCLUSIVE"); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return func() { _ = p.Close() }, nil
}
