// Package storage keeps all rows of the aggregation service: developers, applications and the log of their requests; authorisations
// with their sessions and visits; payments and the webhooks about them, with the keys that sign those; and what the simulated banks
// remember, which are visits, consents and payments too. Each file holds what belongs together, not one table alone. Lookups of one
// row return aggregator.ErrNotFound when there is none.
package storage

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"florin/internal/aggregator"
	"florin/internal/sqlite"
	"florin/migrations"
)

// Store is the service's database. It is safe for concurrent use.
type Store struct{ db *sqlite.DB }

// IsDiskFull reports whether err says that something could not be stored because the disk is full.
func IsDiskFull(err error) bool { return sqlite.IsFull(err) }

// Open opens the database at path, creates it when there is none, and brings its schema up to date.
func Open(ctx context.Context, path string) (*Store, error) {
	db, err := sqlite.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	if err := sqlite.Migrate(ctx, db, migrations.Aggregator); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &Store{db: db}, nil
}

// Close ends all connections to the database.
func (s *Store) Close() error { return s.db.Close() }

// Ping reports whether the database can be written.
func (s *Store) Ping(ctx context.Context) error { return s.db.Ping(ctx) }

// Checks returns background work that looks for damage in the database (sqlite.DB.Checks).
func (s *Store) Checks(tell func(error)) func(ctx context.Context) (next time.Time, err error) {
	return s.db.Checks(tell)
}

// scanner is a *sql.Row or *sql.Rows.
type scanner interface{ Scan(dest ...any) error }

// found turns the absence of a row into aggregator.ErrNotFound and says what was being done otherwise.
func found(err error, doing string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		return aggregator.ErrNotFound
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// changed turns an update that met no row into aggregator.ErrNotFound.
func changed(result sql.Result, err error, doing string) error {
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	n, err := result.RowsAffected()
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if n == 0 {
		return aggregator.ErrNotFound
	}
	return nil
}

// document is a column of JSON text: doc(&value) is both an argument of a statement and a destination of Scan.
type document[T any] struct{ value *T }

func doc[T any](value *T) document[T] { return document[T]{value} }

// Scan reads the document.
func (d document[T]) Scan(src any) error {
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("storage: a JSON column gave %T", src)
	}
	return json.Unmarshal([]byte(text), d.value)
}

// Value writes the document.
func (d document[T]) Value() (driver.Value, error) {
	data, err := json.Marshal(d.value)
	if err != nil {
		return nil, fmt.Errorf("storage: write JSON: %w", err)
	}
	return string(data), nil
}

// nullText is NULL for an empty text.
func nullText(text string) sql.NullString { return sql.NullString{String: text, Valid: text != ""} }

// nullDoc is NULL for nil, else a column of JSON text.
func nullDoc[T any](value *T) driver.Valuer {
	if value == nil {
		return sql.NullString{}
	}
	return doc(value)
}

// optionalDocument is a column of JSON text or NULL, as a destination of Scan.
type optionalDocument[T any] struct{ value **T }

func optional[T any](value **T) optionalDocument[T] { return optionalDocument[T]{value} }

// Scan reads the document; NULL is nil.
func (o optionalDocument[T]) Scan(src any) error {
	if src == nil {
		*o.value = nil
		return nil
	}
	*o.value = new(T)
	return doc(*o.value).Scan(src)
}
