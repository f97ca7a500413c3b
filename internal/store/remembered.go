package store

import (
	"context"
	"strconv"
	"time"

	"florin/internal/sqlite"
)

// Stamp is another number after each commit (sqlite.DB.Stamp).
func (s *Store) Stamp(ctx context.Context) uint64 { return s.db.Stamp(ctx) }

// Remembered returns the result of read, from memory until the next write or the next full hour in the time zone of now. what names the result and
// everything else that it depends on, such as a language or a card. since is the Stamp from before the oldest data that read uses: a result from older data
// is shared only with callers that have the same Stamp. Callers must not change the result, since others share it.
func Remembered[T any](ctx context.Context, s *Store, userID, what string, now time.Time, since uint64, read func() (T, error)) (T, error) {
	return sqlite.Remember(ctx, s.db, sqlite.Key{what, userID, now.Format("2006-01-02T15 -07:00 ") + strconv.FormatUint(since, 10)}, read)
}
