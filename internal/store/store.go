// Package store keeps the web app's data in app.db: one file per table or group of tables. Every query of what belongs to a user names
// the user's id; what belongs to somebody else is finance.ErrNotFound. Secrets are sealed before they reach the database.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"florin/internal/finance"
	"florin/internal/sqlite"
	"florin/migrations"
)

// Store is app.db, open. It is safe for use by many goroutines.
type Store struct {
	Reader // of what is committed at each call

	db          *sqlite.DB
	key         Key
	undecided   func() // see WhenUndecided
	rowsChanged func() // see WhenRowsChanged
	mailed      func() // see WhenMailed
	messaged    func() // see WhenMessaged
}

// Reader reads what users have: their connections, accounts, balances and sync tasks.
type Reader struct{ from querier }

// Open opens app.db at path, creates it when there is none, and brings its schema up to date (sqlite.ErrNewerSchema when it is ahead).
// key is the one with which its secrets were sealed, else the error is ErrWrongKey.
func Open(ctx context.Context, path string, key Key) (*Store, error) {
	db, err := sqlite.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	s := &Store{Reader: Reader{db.Read()}, db: db, key: key, undecided: func() {}, rowsChanged: func() {}, mailed: func() {}, messaged: func() {}}
	if err := sqlite.Migrate(ctx, db, migrations.App); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	for _, ready := range []func(context.Context) error{s.proveKey, s.fillIdentities, s.fillReferences, s.fillLastDays, s.keepSignIns, s.keepDisconnected} {
		if err := ready(ctx); err != nil {
			return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), db.Close())
		}
	}
	return s, nil
}

// Close closes the database.
func (s *Store) Close() error { return s.db.Close() }

// Ping reports whether the database can be written.
func (s *Store) Ping(ctx context.Context) error { return s.db.Ping(ctx) }

// Snapshot calls fn with a Reader that sees the database at one moment, so that all its reads agree. A page that shows a connection with its tasks needs
// that, because both change together. fn must not call other methods of the Store.
func (s *Store) Snapshot(ctx context.Context, fn func(r Reader) error) error {
	return s.db.Snapshot(ctx, func(s sqlite.Snapshot) error { return fn(Reader{s}) })
}

// querier is what a read pool and a transaction have in common.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// scanner is one row to be read.
type scanner interface{ Scan(dest ...any) error }

// collect reads all rows of a query.
func collect[T any](ctx context.Context, q querier, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, rows.Err()
}

// scanID reads the id of a row.
func scanID(row scanner) (any, error) {
	var id int64
	err := row.Scan(&id)
	return id, err
}

// some reports whether a query finds anything for a user, from memory until the next write. It spares users without rows in a rarely used table the larger
// query.
func (s *Store) some(ctx context.Context, table, query, userID string) (bool, error) {
	return sqlite.Remember(ctx, s.db, sqlite.Key{table, userID, "some"}, func() (some bool, err error) {
		return some, s.db.Read().QueryRowContext(ctx, `SELECT EXISTS (`+query+`)`, userID).Scan(&some)
	})
}

// notFound turns "no row" into finance.ErrNotFound.
func notFound(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return finance.ErrNotFound
	}
	return err
}

// outcomes are the errors that callers decide on. They are returned as they are; every other error says what the store was doing.
var outcomes = []error{
	finance.ErrNotFound, ErrAttempt, ErrPayeeExists, ErrSent, ErrReturn, ErrProviderInUse, ErrSetupExists, ErrResetLink, ErrLeaseLost, ErrSessionEnded,
	ErrEmailTaken, ErrOwnerExists, ErrSetupToken, ErrOwnerStays, ErrHasAccounts, ErrInvitation, ErrSearchExists, ErrTooManySearches, ErrTooManyPasskeys,
	ErrPasskeyExists, ErrPasskeyCopied, ErrTooManyAuthenticators, ErrTooManySetups, ErrLastFactor, ErrCodeUsed,
	ErrTooManyRules, ErrTooManyBudgets, ErrTooManyRates, ErrIdentityTaken,
	finance.ErrRest, ErrNothingChosen, ErrTooManyChosen, ErrOthersChosen, ErrBulkState, ErrBulkReplanned,
	finance.ErrTooManyAttachments, finance.ErrAttachmentSpace,
	finance.ErrMergeSelf, finance.ErrMergeAccounts, finance.ErrMergeAmounts, finance.ErrMergePayments, finance.ErrMergeMerged,
	finance.ErrTooManyTags, finance.ErrNoteTooLong,
	ErrExpenseChanged, ErrExpenseTaken,
	finance.ErrManyRequests, finance.ErrRequestOver, ErrCodesMade,
}

// doing adds to an error what a function was doing when it failed: defer doing("save payee", &err).
func doing(what string, err *error) {
	if *err == nil || slices.ContainsFunc(outcomes, func(outcome error) bool { return errors.Is(*err, outcome) }) {
		return
	}
	*err = fmt.Errorf("%s: %w", what, *err)
}

// changed is finance.ErrNotFound when a statement changed nothing.
func changed(result sql.Result, err error) error {
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	if err != nil {
		return err
	}
	if n == 0 {
		return finance.ErrNotFound
	}
	return nil
}

// Checks returns background work that looks for damage in the database (sqlite.DB.Checks).
func (s *Store) Checks(tell func(error)) func(ctx context.Context) (next time.Time, err error) {
	return s.db.Checks(tell)
}

// IsDiskFull reports whether err says that something could not be stored because the disk is full.
func IsDiskFull(err error) bool { return sqlite.IsFull(err) }
