package sqlite

import (
	"context"
	"sync"
	"sync/atomic"
)

// maxRemembered is the largest number of rows that are kept between two commits.
const maxRemembered = 10_000

// Key identifies a remembered row: first the name of its table.
type Key [3]string

// memory keeps rows that were read until the next commit.
type memory struct{ current atomic.Pointer[remembered] }

// remembered holds the rows read since a commit.
type remembered struct {
	stamp uint64
	mu    sync.RWMutex
	rows  map[Key]any
}

// Remember returns the row with the key, and calls read when it is not in memory. Any commit clears the memory (see Stamp), so after a Write returns, no
// older row is returned. Errors, also for missing rows, are not remembered. Do not use it for rows that depend on the time.
//
// Callers must not change the returned row, which others may share.
func Remember[T any](ctx context.Context, db *DB, key Key, read func() (T, error)) (T, error) {
	return RememberFew(ctx, db, key, maxRemembered, read)
}

// RememberFew is Remember for large rows whose keys end with a value that users choose. Of keys that differ only in that last part, at most most are kept.
func RememberFew[T any](ctx context.Context, db *DB, key Key, most int, read func() (T, error)) (T, error) {
	stamp := db.Stamp(ctx) // before reading: a commit meanwhile changes the stamp
	m := db.memory.current.Load()
	if m == nil || m.stamp != stamp {
		m = &remembered{stamp: stamp, rows: map[Key]any{}}
		db.memory.current.Store(m)
	}
	m.mu.RLock()
	known, ok := m.rows[key]
	m.mu.RUnlock()
	if ok {
		return known.(T), nil
	}
	row, err := read()
	if err != nil {
		return row, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.rows) < maxRemembered && (most >= maxRemembered || m.like(key) < most) {
		m.rows[key] = row
	}
	return row, nil
}

// like returns the number of rows whose keys differ from key at most in the last part.
func (m *remembered) like(key Key) (n int) {
	for k := range m.rows {
		if k[0] == key[0] && k[1] == key[1] {
			n++
		}
	}
	return n
}
