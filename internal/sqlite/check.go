package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	codes "modernc.org/sqlite/lib"
)

// ErrDamaged says that a check found a database damaged.
var ErrDamaged = errors.New("the file is damaged; stop Florin and restore it from a backup")

// Check looks for damage in the whole file, as SQLite's integrity_check does: of 240 files with a bit flipped at random it finds 34, quick_check 18.
// The others have another text or number in some row, which nothing in the file contradicts. It reads and holds up no writer. Damage is ErrDamaged with
// what was found first, and Ping reports it from then on.
func (db *DB) Check(ctx context.Context) error {
	err := db.findDamage(ctx)
	if errors.Is(err, ErrDamaged) {
		err = fmt.Errorf("database %s: %w", db.path, err)
		db.mu.Lock()
		db.damage = err
		db.mu.Unlock()
	}
	return err
}

// findDamage takes a connection of its own. One that has searched a full-text index keeps a picture of it, which integrity_check does not renew: after others
// have changed the index it finds damage that is not there.
func (db *DB) findDamage(ctx context.Context) error {
	fresh, err := pool(db.path, false, 1)
	if err != nil {
		return fmt.Errorf("check database %s: %w", db.path, explain(err))
	}
	defer fresh.Close()
	var found string
	err = fresh.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&found)
	switch primary := code(err) & 0xff; {
	case primary == codes.SQLITE_CORRUPT || primary == codes.SQLITE_NOTADB:
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	case err != nil:
		return fmt.Errorf("check database %s: %w", db.path, explain(err))
	case found != "ok":
		first, _, _ := strings.Cut(strings.TrimPrefix(found, "*** in database main ***\n"), "\n")
		return fmt.Errorf("%w: %s", ErrDamaged, first)
	}
	return nil
}

// CheckEvery is how often a database is checked while it is open, the first time CheckAfter after the start: reading a whole file takes a core for
// seconds, which the first pages need.
const (
	CheckEvery = 24 * time.Hour
	CheckAfter = 5 * time.Second
)

// Checks returns background work that checks the database when it is called, and wants to be called again after a day. tell gets the damage that was found.
func (db *DB) Checks(tell func(error)) func(ctx context.Context) (next time.Time, err error) {
	return func(ctx context.Context) (time.Time, error) {
		err := db.Check(ctx)
		if errors.Is(err, ErrDamaged) {
			tell(err)
			err = nil
		}
		if err != nil {
			return time.Time{}, err
		}
		return time.Now().Add(CheckEvery), nil
	}
}

// IsFull reports whether err says that the disk is full.
func IsFull(err error) bool { return code(err)&0xff == codes.SQLITE_FULL }

// ErrLittleSpace says that a disk has less free space than it should.
var ErrLittleSpace = errors.New("the disk is nearly full")

// CheckSpace returns ErrLittleSpace, with how much there is, when the disk of a folder has less than so many free bytes for this user. A system that does not
// tell has enough.
func CheckSpace(folder string, least uint64) error {
	if free, known := freeSpace(folder); known && free < least {
		return fmt.Errorf("%w: %d MB are free where %s lies, and at least %d MB should be", ErrLittleSpace, free/1_000_000, folder, least/1_000_000)
	}
	return nil
}
