package store

import (
	"context"
	"errors"
	"strings"

	"florin/internal/finance"
	"florin/internal/search"
	"florin/internal/sqlite"
)

// What is in the way of saving a search.
var (
	ErrSearchExists    = errors.New("the user has saved another search of this kind under this name")
	ErrTooManySearches = errors.New("the user has saved finance.MaxSavedSearches searches of this kind already")
)

// SavedSearches lists what the user keeps of a kind, in the order of the names.
func (s *Store) SavedSearches(ctx context.Context, userID string, kind finance.SavedKind) (_ []finance.SavedSearch, err error) {
	defer doing("read saved searches", &err)
	return sqlite.Remember(ctx, s.db, sqlite.Key{"saved_search", userID, string(kind)}, func() ([]finance.SavedSearch, error) {
		return collect(ctx, s.db.Read(), scanSavedSearch, savedQuery+` ORDER BY saved.name_key`, userID, kind)
	})
}

const savedQuery = `SELECT saved.id, saved.kind, saved.name, saved.text, saved.household FROM saved_search saved WHERE saved.user_id = $1 AND saved.kind = $2`

// SavedSearch returns what the user keeps of a kind under an id.
func (s *Store) SavedSearch(ctx context.Context, userID string, kind finance.SavedKind, id string) (_ finance.SavedSearch, err error) {
	defer doing("read saved search", &err)
	saved, err := scanSavedSearch(s.db.Read().QueryRowContext(ctx, savedQuery+` AND saved.id = $3`, userID, kind, id))
	return saved, notFound(err)
}

func scanSavedSearch(row scanner) (saved finance.SavedSearch, err error) {
	return saved, row.Scan(&saved.ID, &saved.Kind, &saved.Name, &saved.Text, &saved.Household)
}

// SaveSearch keeps a search or a report of the user: a new one without an ID, else the one of its kind with that ID. ErrSearchExists when another one has the
// name, ErrTooManySearches when there is no room for a new one, finance.ErrNotFound when there is none with that ID.
func (s *Store) SaveSearch(ctx context.Context, userID string, saved finance.SavedSearch) (err error) {
	defer doing("save search", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		key := strings.ToLower(saved.Name)
		var err error
		if saved.ID != "" {
			err = changed(tx.ExecContext(ctx, `UPDATE saved_search SET name = $1, name_key = $2, text = $3, household = $4 WHERE id = $5 AND user_id = $6 AND kind = $7`,
				saved.Name, key, saved.Text, flag(saved.Household), saved.ID, userID, saved.Kind))
		} else {
			var count int
			err = tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM saved_search WHERE user_id = $1 AND name_key <> $2 AND kind = $3`, userID, key, saved.Kind).Scan(&count)
			if err == nil && count >= finance.MaxSavedSearches {
				return ErrTooManySearches
			}
			if err == nil {
				_, err = tx.ExecContext(ctx, `INSERT INTO saved_search (id, user_id, kind, name, name_key, text, household, created)
					VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, finance.NewID(), userID, saved.Kind, saved.Name, key, saved.Text, flag(saved.Household), sqlite.At(tx.Now))
			}
		}
		if sqlite.IsUnique(err) {
			return ErrSearchExists
		}
		return err
	})
}

// DeleteSearch forgets what the user keeps of a kind under an id.
func (s *Store) DeleteSearch(ctx context.Context, userID string, kind finance.SavedKind, id string) (err error) {
	defer doing("delete saved search", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		return changed(tx.ExecContext(ctx, `DELETE FROM saved_search WHERE id = $1 AND user_id = $2 AND kind = $3`, id, userID, kind))
	})
}

// MaxCounted is how many rows CountFound counts at most.
const MaxCounted = 1000

// CountFound returns how many booked rows of a user a query is true of, at most MaxCounted. more tells that there are others.
func (s *Store) CountFound(ctx context.Context, userID string, query search.Query) (count int, more bool, err error) {
	return s.Mine(userID).CountFound(ctx, query)
}

// CountFound is Store.CountFound.
func (w Seen) CountFound(ctx context.Context, query search.Query) (count int, more bool, err error) {
	defer doing("count transactions", &err)
	m, err := w.matchOf(ctx, query)
	if err != nil || m.nothing() {
		return 0, false, err
	}
	count, err = sqlite.Remember(ctx, w.store.db, m.key("count", w.key()), func() (n int, err error) {
		err = w.store.db.Read().QueryRowContext(ctx, `SELECT COUNT(*) FROM (`+m.in.newest(`t.id`)+`) some`, m.what, m.low, m.high, w.userID, MaxCounted).Scan(&n)
		return n, err
	})
	return min(count, MaxCounted), count > MaxCounted, err
}
