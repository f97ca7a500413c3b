package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

// ErrNewerSchema says that the database was written by a newer version of Florin. It is never opened by an older one.
var ErrNewerSchema = errors.New("the database was written by a newer version of Florin")

// Migrate brings the schema up to the newest of the files (goose, "-- +goose Up" sections, one transaction each).
func Migrate(ctx context.Context, db *DB, files fs.FS) error {
	p, err := goose.NewProvider(goose.DialectSQLite3, db.writer, files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("migrate %s: %w", db.path, err)
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrate %s: %w", db.path, err)
	}
	return nil
}
