package storage

import (
	"context"
	"sync"
	"sync/atomic"
)

// maxRemembered bounds the rows that are kept between two commits.
const maxRemembered = 10_000

// memory keeps rows that were read, for as long as nothing is committed. Callers change nothing in a row that they are
// given: others may have the same one.
type memory struct{ current atomic.Pointer[remembered] }

// remembered are the rows since a commit.
type remembered struct {
	stamp uint64
	rows  sync.Map
	count atomic.Int64
}

// remember returns the row with the key, by read when it is not remembered. A key begins with the name of the table. What
// is not found is not remembered.
func remember[T any](ctx context.Context, s *Store, key [3]string, read func() (T, error)) (T, error) {
	stamp := s.db.Stamp(ctx) // before reading: what is committed meanwhile gets another one
	m := s.memory.current.Load()
	if m == nil || m.stamp != stamp {
		m = &remembered{stamp: stamp}
		s.memory.current.Store(m)
	}
	if row, ok := m.rows.Load(key); ok {
		return row.(T), nil
	}
	row, err := read()
	if err == nil && m.count.Add(1) <= maxRemembered {
		m.rows.Store(key, row)
	}
	return row, err
}
