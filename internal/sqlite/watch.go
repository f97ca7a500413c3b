package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// watch notices changes of the data.
type watch struct {
	stamp  atomic.Uint64
	looked atomic.Int64 // when commits of other processes were last looked for, in nanoseconds since began

	mu      sync.Mutex // held while looking
	conn    *sql.Conn  // a reader connection that is kept: only the same connection can compare
	query   *sql.Stmt
	version int64
	closed  bool
}

// lookEvery is the longest delay until a commit of another process is noticed.
const lookEvery = 5 * time.Millisecond

var began = time.Now()

// Stamp returns a number that changes with every commit: of this process at once, before Write returns; of another process at most 5 ms later. Data read
// after a Stamp may be kept for as long as Stamp returns the same number.
func (db *DB) Stamp(ctx context.Context) uint64 {
	w := &db.watch
	now := int64(time.Since(began))
	if last := w.looked.Load(); (last == 0 || now-last >= int64(lookEvery)) && w.mu.TryLock() {
		w.look(context.WithoutCancel(ctx), db.reader)
		w.looked.Store(now)
		w.mu.Unlock()
	}
	return w.stamp.Load()
}

// look asks SQLite whether another connection has committed, including the writer of this process. A failure counts as a change.
func (w *watch) look(ctx context.Context, reader *sql.DB) {
	var version int64
	if w.open(ctx, reader) != nil || w.query.QueryRowContext(ctx).Scan(&version) != nil || version != w.version {
		w.stamp.Add(1)
	}
	w.version = version
}

func (w *watch) open(ctx context.Context, reader *sql.DB) (err error) {
	switch {
	case w.closed:
		return sql.ErrConnDone
	case w.query != nil:
		return nil
	case w.conn == nil:
		if w.conn, err = reader.Conn(ctx); err != nil {
			return err
		}
	}
	w.query, err = w.conn.PrepareContext(ctx, "PRAGMA data_version")
	return err
}

func (w *watch) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	var err error
	if w.query != nil {
		err = w.query.Close()
	}
	if w.conn != nil {
		err = errors.Join(err, w.conn.Close())
	}
	return err
}
