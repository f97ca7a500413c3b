// Package sqlite opens Florin's databases: one writer, a pool of readers, transactions, migrations, the encoding of times, and the meaning of SQLite's error
// codes. Everything specific to SQLite is in this package; the stores use plain SQL.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	driver "modernc.org/sqlite"
)

// applicationID marks a database file as Florin's ("FLOR", see PRAGMA application_id).
const applicationID = 0x464c4f52

// minVersion is the oldest SQLite that may be linked: 3.51.3 fixed a fault that could corrupt a database in WAL mode.
const minVersion = "3.51.3"

// busyTimeout is how long a statement waits for a lock of another process.
const busyTimeout = 10 * time.Second

// DB is one database file, opened by one process: a single writer connection and a pool of readers.
// It is safe for use by many goroutines.
type DB struct {
	path      string
	writer    *sql.DB
	reader    *sql.DB
	watch     watch
	memory    memory
	announced func(news []string) // see WhenAnnounced

	mu     sync.Mutex
	probe  *probe // the running probe; nil without one
	damage error  // found by Check
}

// Tx is one write transaction. Now is the time it began, in UTC and whole milliseconds. All rows of the transaction use it for the present time, so that they
// agree.
type Tx struct {
	*sql.Tx
	Now time.Time

	news []string
}

// Announce adds news for the function set with WhenAnnounced. It receives them once the transaction is committed, and never after a rollback.
func (tx *Tx) Announce(news ...string) { tx.news = append(tx.news, news...) }

// WhenAnnounced sets the function that receives the news of each transaction after its end, without duplicates. It must be set before the database is used.
func (db *DB) WhenAnnounced(announced func(news []string)) { db.announced = announced }

// Open opens the database at path. When the file is missing, it creates it, readable only by its owner. The folder must exist.
//
// Every connection enforces foreign keys and waits for locks of other processes. A commit is on disk when Write returns (write-ahead log, synchronous=FULL).
// Errors explain what is wrong with the file or its folder.
func Open(ctx context.Context, path string) (*DB, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	if err := checkFolder(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	if err := createFile(path); err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, explain(err))
	}
	db := &DB{path: path, announced: func([]string) {}}
	if db.writer, err = pool(path, true, 1); err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	if db.reader, err = pool(path, false, 1+max(4, runtime.GOMAXPROCS(0))); err != nil {
		return nil, errors.Join(fmt.Errorf("open database %s: %w", path, err), db.Close())
	}
	if err := db.check(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open database %s: %w", path, explain(err)), db.Close())
	}
	return db, nil
}

// Close closes all connections. It waits for running statements and merges the write-ahead log into the file.
func (db *DB) Close() error {
	errs := []error{db.watch.close()}
	for _, p := range []*sql.DB{db.reader, db.writer} { // the writer last: the last connection merges the log
		if p != nil {
			errs = append(errs, p.Close())
		}
	}
	return errors.Join(errs...)
}

// Read returns the pool of readers. It only sees committed data, never waits for the writer, and refuses to write. For several reads that must agree use
// Snapshot.
func (db *DB) Read() Reads { return Reads{db.reader} }

// Reads runs short queries. A running query is not interrupted when its context ends: watching the context takes two goroutines, which cost more than many
// queries and delay other requests when all cores are busy. With an ended context no query begins.
type Reads struct{ pool *sql.DB }

// QueryContext is like that of sql.DB.
func (r Reads) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return r.pool.QueryContext(unwatched(ctx), query, args...)
}

// QueryRowContext is like that of sql.DB.
func (r Reads) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	return r.pool.QueryRowContext(unwatched(ctx), query, args...)
}

// unwatched returns a context that never ends; it returns ctx itself when that has ended already.
func unwatched(ctx context.Context) context.Context {
	if ctx.Err() != nil {
		return ctx
	}
	return context.WithoutCancel(ctx)
}

// Snapshot runs fn in one read-only transaction, so that all its reads see the same state. It does not wait for writers or block them. fn must use only its
// argument: Read inside fn would use another connection and see another state.
func (db *DB) Snapshot(ctx context.Context, fn func(s Snapshot) error) error {
	tx, err := db.reader.BeginTx(unwatched(ctx), &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return fmt.Errorf("begin snapshot: %w", explain(err))
	}
	defer tx.Rollback() // there is nothing to commit
	return fn(Snapshot{tx})
}

// Snapshot is a read-only transaction. Its queries behave like those of Reads.
type Snapshot struct{ tx *sql.Tx }

// QueryContext is like that of sql.Tx.
func (s Snapshot) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return s.tx.QueryContext(unwatched(ctx), query, args...)
}

// QueryRowContext is like that of sql.Tx.
func (s Snapshot) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	return s.tx.QueryRowContext(unwatched(ctx), query, args...)
}

// Write runs fn in one immediate transaction on the single writer connection. It commits when fn returns nil, and rolls back when fn returns an error,
// panics, or ctx ends. It returns fn's error unchanged.
//
// Writes run one after the other, so fn must be short and do no network I/O. A Write inside fn would wait for itself: pass the Tx on instead. Read inside fn
// sees the state before the transaction.
func (db *DB) Write(ctx context.Context, fn func(tx *Tx) error) error {
	sqlTx, err := db.writer.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin transaction: %w", explain(err))
	}
	defer sqlTx.Rollback() // does nothing after Commit; otherwise the cause is being returned already
	tx := &Tx{Tx: sqlTx, Now: time.Now().UTC().Truncate(time.Millisecond)}
	if err := fn(tx); err != nil {
		return ended(ctx, err)
	}
	if err := sqlTx.Commit(); err != nil {
		return fmt.Errorf("commit transaction: %w", ended(ctx, explain(err)))
	}
	db.watch.stamp.Add(1)
	if len(tx.news) > 0 {
		slices.Sort(tx.news)
		db.announced(slices.Compact(tx.news))
	}
	return nil
}

// ended returns the error of ctx when a transaction is over because ctx has ended.
func ended(ctx context.Context, err error) error {
	if errors.Is(err, sql.ErrTxDone) && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// Ping reports whether the database is undamaged, as far as Check knows, and writable. It commits a small write, which detects a full disk, a read-only file
// system and a lock held by another process. It costs one disk flush; calls during a probe share its result, so that many of them do not delay the writer.
func (db *DB) Ping(ctx context.Context) error {
	db.mu.Lock()
	if db.damage != nil {
		defer db.mu.Unlock()
		return db.damage
	}
	p := db.probe
	if p == nil {
		p = &probe{done: make(chan struct{})}
		db.probe = p
		go db.run(context.WithoutCancel(ctx), p) // a caller that leaves must not end the probe for the others
	}
	db.mu.Unlock()
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// probe is a test write; err is set once done is closed.
type probe struct {
	done chan struct{}
	err  error
}

func (db *DB) run(ctx context.Context, p *probe) {
	ctx, cancel := context.WithTimeout(ctx, 2*busyTimeout)
	defer cancel()
	p.err = db.Write(ctx, func(tx *Tx) error {
		if _, err := tx.ExecContext(ctx, "PRAGMA application_id = "+strconv.Itoa(applicationID)); err != nil {
			return fmt.Errorf("write probe: %w", explain(err))
		}
		return nil
	})
	db.mu.Lock()
	db.probe = nil
	db.mu.Unlock()
	close(p.done)
}

// pool opens size connections to path, as a writer or as readers.
func pool(path string, write bool, size int) (*sql.DB, error) {
	settings := map[string]string{
		"_busy_timeout": strconv.FormatInt(busyTimeout.Milliseconds(), 10),
		"_foreign_keys": "1",
		"_dqs":          "0", // "name" is a column, never a text
		"_defensive":    "1", // SQL cannot corrupt the file
	}
	if write {
		settings["_journal_mode"] = "WAL"
		settings["_synchronous"] = "FULL"
		settings["_txlock"] = "immediate"
		settings["_pragma"] = "journal_size_limit(67108864)"
	} else {
		settings["_query_only"] = "1"
	}
	base, err := driver.NewConnector(dataSource(path, settings))
	if err != nil {
		return nil, err
	}
	p := sql.OpenDB(connector{base})
	p.SetMaxOpenConns(size)
	p.SetMaxIdleConns(size) // keep the connections with their prepared statements
	return p, nil
}

// dataSource returns the driver's name for an existing file, with the settings of each connection.
func dataSource(path string, settings map[string]string) string {
	query := url.Values{
		"mode":      {"rw"}, // never create the file: createFile does, with the right permissions
		"_error_rc": {"1"},  // no outdated message with an error code
	}
	for key, value := range settings {
		query.Set(key, value)
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") { // a drive letter
		path = "/" + path
	}
	name := url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}
	return name.String()
}

// connect opens the writer connection. This turns the write-ahead log on in a new file. SQLite does not wait when another process is doing the same, so
// connect retries.
func (db *DB) connect(ctx context.Context) error {
	for giveUp := time.Now().Add(busyTimeout); ; {
		err := db.writer.PingContext(ctx)
		if !IsBusy(err) || time.Now().After(giveUp) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// check connects to the file and checks that it is Florin's.
func (db *DB) check(ctx context.Context) error {
	if err := db.connect(ctx); err != nil {
		return err
	}
	var version string
	if err := db.writer.QueryRowContext(ctx, "SELECT sqlite_version()").Scan(&version); err != nil {
		return err
	}
	if olderThan(version, minVersion) {
		return fmt.Errorf("the program was built with SQLite %s; it needs %s or newer, because older ones can corrupt a database. Build Florin with the versions in its go.mod", version, minVersion)
	}
	var id int64
	if err := db.writer.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id); err != nil {
		return err
	}
	if id != 0 && id != applicationID {
		return errors.New("this is a database of another program; choose another data directory")
	}
	var mode string
	if err := db.writer.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" {
		return fmt.Errorf("the file system does not support SQLite's write-ahead log (journal mode stayed %q); choose a local disk", mode)
	}
	return db.reader.PingContext(ctx)
}

// createFile creates an empty database file with mode 0600; SQLite gives its companions (-wal, -shm) the same mode. It does not open an existing file:
// closing it would drop the locks of this process's own connections.
func createFile(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

func checkFolder(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the directory %s does not exist; create it or choose another data directory: %w", dir, err)
	case err != nil:
		return explain(err)
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory; choose another data directory", dir)
	}
	return checkDisk(dir)
}

// olderThan reports whether a dotted version number is lower than another.
func olderThan(version, than string) bool {
	a, b := strings.Split(version, "."), strings.Split(than, ".")
	for i := range b {
		var x, y int
		if i < len(a) {
			x, _ = strconv.Atoi(a[i])
		}
		y, _ = strconv.Atoi(b[i])
		if x != y {
			return x < y
		}
	}
	return false
}
