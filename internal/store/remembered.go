package store

import (
	"context"
	"strconv"
	"time"

	"florin/internal/sqlite"
)

// Stamp is another number after each commit (sqlite.DB.Stamp).
func (s *Store) Stamp(ctx context.Context) uint64 { return s.db.Stamp(ctx) }

// Remembered returns what read makes of the data of a user, from memory while nothing was written and the hour of now, in its time zone, has not passed. What
// names it, and all that it depends on besides: a language, a card. since is the Stamp before anything was read that read uses: what is made of older data is
// for those alone who have the same. Nobody changes anything in it, since others may have the same one.
func Remembered[T any](ctx context.Context, s *Store, userID, what string, now time.Time, since uint64, read func() (T, error)) (T, error) {
	return sqlite.Remember(ctx, s.db, sqlite.Key{what, userID, now.Format("2006-01-02T15 -07:00 ") + strconv.FormatUint(since, 10)}, read)
}
