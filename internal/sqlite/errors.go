package sqlite

import (
	"errors"
	"fmt"
	"io/fs"

	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"
)

// IsUnique reports whether err says that a row with the same key already exists (UNIQUE or PRIMARY KEY).
func IsUnique(err error) bool {
	switch code(err) {
	case codes.SQLITE_CONSTRAINT_UNIQUE, codes.SQLITE_CONSTRAINT_PRIMARYKEY, codes.SQLITE_CONSTRAINT_ROWID:
		return true
	}
	return false
}

// IsBusy reports whether err says that another connection kept the database locked for too long. A later try may succeed.
func IsBusy(err error) bool {
	primary := code(err) & 0xff
	return primary == codes.SQLITE_BUSY || primary == codes.SQLITE_LOCKED
}

// code returns the extended result code of SQLite in err, or 0.
func code(err error) int {
	var e *driver.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return 0
}

// explain adds an explanation for the operator to an error about the file as a whole, and returns other errors unchanged.
func explain(err error) error {
	words := ""
	switch code(err) & 0xff {
	case codes.SQLITE_NOTADB:
		words = "the file is not a database, or it is encrypted; move it away or choose another data directory"
	case codes.SQLITE_CORRUPT:
		words = "the file is damaged; restore it from a backup"
	case codes.SQLITE_READONLY:
		words = "the file or its directory cannot be written; check owner, permissions and whether the disk is mounted read-only"
	case codes.SQLITE_CANTOPEN, codes.SQLITE_PERM:
		words = "the file cannot be opened; check that it is a file and that this user may read and write it and its directory"
	case codes.SQLITE_FULL:
		words = "the disk is full; free some space"
	case codes.SQLITE_IOERR:
		words = "the disk reports an error; check free space and the state of the disk"
	case codes.SQLITE_BUSY, codes.SQLITE_LOCKED:
		words = "another process keeps the database locked"
	case 0:
		if errors.Is(err, fs.ErrPermission) {
			words = "this user may not write here; check owner and permissions"
		}
	}
	if words == "" {
		return err
	}
	return fmt.Errorf("%s: %w", words, err)
}
