package sqlite

import (
	"context"
	"sync"
	"sync/atomic"
)

// maxRemembered bounds the rows that are kept between two commits.
const maxRemembered = 10_000

// Key is what a row is remembered by: the name of its table first.
type Key [3]string

// memory keeps rows that were read, for as long as nothing is committed.
type memory struct{ current atomic.Pointer[remembered] }

// remembered are the rows since a commit.
type remembered struct {
	stamp uint64
	mu    sync.RWMutex
	rows  map[Key]any
}

// Remember returns the row with the key, by read when it is not remembered. Any commit makes it forget all rows (see Stamp), so what ended
// with a Write is over when Write returns. What is not found is not remembered, and a row that depends on the time is not for it.
//
// Callers change nothing in a row that they are given: others may have the same one.
func Remember[T any](ctx context.Context, db *DB, key Key, read func() (T, error)) (T, error) {
	return RememberFew(ctx, db, key, maxRemembered, read)
}

// RememberFew is Remember for large rows whose keys end with a value that users choose. Of keys that differ only in that last part, at most most are kept.
func RememberFew[T any](ctx context.Context, db *DB, key Key, most int, read func() (T, error)) (T, error) {
	stamp := db.Stamp(ctx) // before reading: what is committed meanwhile gets another one
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

// like is how many rows have a key that differs from another one in its last part alone.
func (m *remembered) like(key Key) (n int) {
	for k := range m.rows {
		if k[0] == key[0] && k[1] == key[1] {
			n++
		}
	}
	return n
}
