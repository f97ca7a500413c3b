package store

import (
	"context"
	"time"

	"florin/internal/sqlite"
)

// Remembered returns what read makes of the data of a user, from memory while nothing was written and the hour of now, in its time zone, has not passed. What names it, and all
// that it depends on besides: a language, a card. Nobody changes anything in it, since others may have the same one.
func Remembered[T any](ctx context.Context, s *Store, userID, what string, now time.Time, read func() (T, error)) (T, error) {
	return sqlite.Remember(ctx, s.db, sqlite.Key{what, userID, now.Format("2006-01-02T15 -07:00")}, read)
}
