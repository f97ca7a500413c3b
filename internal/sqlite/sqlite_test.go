package sqlite_test

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"florin/internal/sqlite"
)

// TestMain lets the test binary act as another process that uses the database: see process.
func TestMain(m *testing.M) {
	if role := os.Getenv("SQLITE_TEST_ROLE"); role != "" {
		if err := roles[role](context.Background(), os.Getenv("SQLITE_TEST_PATH")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var roles = map[string]func(ctx context.Context, path string) error{
	"write":   writeUntilKilled,
	"migrate": openAndMigrate,
}

// process is this test binary as another process, in one of the roles.
func process(t *testing.T, role, path string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), "SQLITE_TEST_ROLE="+role, "SQLITE_TEST_PATH="+path)
	cmd.Stderr = os.Stderr
	return cmd
}

func open(t *testing.T, path string) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error("close:", err)
		}
	})
	return db
}

// openCounters opens a new database with a table of named counters.
func openCounters(t *testing.T) *sqlite.DB {
	t.Helper()
	db := open(t, filepath.Join(t.TempDir(), "app.db"))
	change(t, db, "CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT")
	return db
}

func change(t *testing.T, db *sqlite.DB, query string, args ...any) {
	t.Helper()
	err := db.Write(t.Context(), func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(t.Context(), query, args...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func value[T any](t *testing.T, db *sqlite.DB, query string, args ...any) T {
	t.Helper()
	var v T
	if err := db.Read().QueryRowContext(t.Context(), query, args...).Scan(&v); err != nil {
		t.Fatal(query, err)
	}
	return v
}

func TestOpenCreatesAFileForItsOwnerAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no file modes")
	}
	path := filepath.Join(t.TempDir(), "with space ?#%.db")
	db := open(t, path)
	change(t, db, "CREATE TABLE t (x INTEGER) STRICT")
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != 0o600 {
			t.Errorf("mode of %s is %o, want 600", filepath.Base(name), got)
		}
	}
}

func TestEveryConnectionHasTheSettings(t *testing.T) {
	db := openCounters(t)
	var readers []*sql.Conn
	for range db.Read().Pool().Stats().MaxOpenConnections { // all at once, so each is a connection of its own
		c, err := db.Read().Pool().Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		readers = append(readers, c)
	}
	if len(readers) < 2 {
		t.Fatalf("%d readers, want at least 2", len(readers))
	}
	settings := []struct{ name, writer, reader string }{
		{"journal_mode", "wal", "wal"},
		{"synchronous", "2", "2"}, // FULL
		{"foreign_keys", "1", "1"},
		{"busy_timeout", "10000", "10000"},
		{"query_only", "0", "1"},
	}
	for _, s := range settings {
		var got string
		err := db.Write(t.Context(), func(tx *sqlite.Tx) error {
			return tx.QueryRowContext(t.Context(), "PRAGMA "+s.name).Scan(&got)
		})
		if err != nil {
			t.Fatal(err)
		}
		if got != s.writer {
			t.Errorf("writer: %s is %s, want %s", s.name, got, s.writer)
		}
		for i, c := range readers {
			if err := c.QueryRowContext(t.Context(), "PRAGMA "+s.name).Scan(&got); err != nil {
				t.Fatal(err)
			}
			if got != s.reader {
				t.Errorf("reader %d: %s is %s, want %s", i, s.name, got, s.reader)
			}
		}
	}
}

func TestReadersDoNotWriteAndSeeCommittedDataOnly(t *testing.T) {
	db := openCounters(t)
	if _, err := db.Read().Pool().ExecContext(t.Context(), "INSERT INTO counter (name, value) VALUES ('a', 1)"); err == nil {
		t.Error("a reader wrote")
	}
	err := db.Write(t.Context(), func(tx *sqlite.Tx) error {
		if _, err := tx.ExecContext(t.Context(), "INSERT INTO counter (name, value) VALUES ('a', 1)"); err != nil {
			return err
		}
		if n := value[int](t, db, "SELECT count(*) FROM counter"); n != 0 {
			t.Errorf("a reader saw %d rows before the commit", n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := value[int](t, db, "SELECT count(*) FROM counter"); n != 1 {
		t.Errorf("a reader saw %d rows after the commit, want 1", n)
	}
}

func TestSnapshotIsOneMoment(t *testing.T) {
	db := openCounters(t)
	err := db.Snapshot(t.Context(), func(tx sqlite.Snapshot) error {
		for range 2 {
			var n int
			if err := tx.QueryRowContext(t.Context(), "SELECT count(*) FROM counter").Scan(&n); err != nil {
				t.Fatal(err)
			}
			if n != 0 {
				t.Errorf("the snapshot has %d rows, want 0", n)
			}
			change(t, db, "INSERT INTO counter (name, value) VALUES ($1, 0)", time.Now().String())
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Transactions that read and then write must neither fail nor lose an update, within a process and between two.
func TestImmediateTransactions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	first, second := open(t, path), open(t, path) // two openings have separate connections, as two processes do
	change(t, first, "CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT")
	change(t, first, "INSERT INTO counter (name, value) VALUES ('n', 0)")

	const writers, rounds = 8, 25
	errs := make(chan error, writers*rounds)
	var all sync.WaitGroup
	for i := range writers {
		db := []*sqlite.DB{first, second}[i%2]
		all.Go(func() {
			for range rounds {
				errs <- db.Write(t.Context(), func(tx *sqlite.Tx) error {
					var n int
					if err := tx.QueryRowContext(t.Context(), "SELECT value FROM counter WHERE name = 'n'").Scan(&n); err != nil {
						return err
					}
					_, err := tx.ExecContext(t.Context(), "UPDATE counter SET value = $1 WHERE name = 'n'", n+1)
					return err
				})
			}
		})
	}
	all.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	if got := value[int](t, second, "SELECT value FROM counter"); got != writers*rounds {
		t.Errorf("counter is %d after %d transactions", got, writers*rounds)
	}
}

func TestWriteRollsBack(t *testing.T) {
	db := openCounters(t)
	insert := func(tx *sqlite.Tx) {
		if _, err := tx.ExecContext(t.Context(), "INSERT INTO counter (name, value) VALUES ('a', 1)"); err != nil {
			t.Fatal(err)
		}
	}
	cause := errors.New("cause")
	cases := map[string]func(){
		"after an error": func() {
			err := db.Write(t.Context(), func(tx *sqlite.Tx) error { insert(tx); return cause })
			if err != cause { //nolint:errorlint // the very error, not one around it
				t.Errorf("got %v, want the error of the function itself", err)
			}
		},
		"after a panic": func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic was swallowed")
				}
			}()
			_ = db.Write(t.Context(), func(tx *sqlite.Tx) error { insert(tx); panic("oops") })
		},
		"when the context ends": func() {
			ctx, cancel := context.WithCancel(t.Context())
			err := db.Write(ctx, func(tx *sqlite.Tx) error { insert(tx); cancel(); return nil })
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want context.Canceled", err)
			}
		},
	}
	for name, run := range cases {
		t.Run(name, func(t *testing.T) {
			run()
			if n := value[int](t, db, "SELECT count(*) FROM counter"); n != 0 {
				t.Errorf("%d rows, want none", n)
			}
			if err := db.Ping(t.Context()); err != nil {
				t.Errorf("the writer is not usable afterwards: %v", err)
			}
		})
	}
}

// What a transaction announces is heard after it: once, however often it was announced, and not at all when it is rolled back.
func TestNewsOfATransaction(t *testing.T) {
	db := openCounters(t)
	var heard []string
	db.WhenAnnounced(func(news []string) { heard = append(heard, strings.Join(news, " ")) })
	failure := errors.New("no")
	for _, end := range []error{nil, failure} {
		err := db.Write(t.Context(), func(tx *sqlite.Tx) error {
			for range 3 {
				tx.Announce("mira", "bo")
			}
			tx.Announce()
			if len(heard) > 0 && end == nil {
				t.Errorf("heard before the end: %q", heard)
			}
			return end
		})
		if !errors.Is(err, end) {
			t.Errorf("%v, want %v", err, end)
		}
	}
	change(t, db, `UPDATE counter SET value = 1`)
	if len(heard) != 1 || heard[0] != "bo mira" {
		t.Errorf("heard %q", heard)
	}
}

func TestNowOfATransaction(t *testing.T) {
	db := openCounters(t)
	before := time.Now().Truncate(time.Millisecond)
	err := db.Write(t.Context(), func(tx *sqlite.Tx) error {
		if tx.Now.Location() != time.UTC || tx.Now.Nanosecond()%1e6 != 0 {
			t.Errorf("%v is not UTC in whole milliseconds", tx.Now)
		}
		if tx.Now.Before(before) || tx.Now.After(time.Now()) {
			t.Errorf("%v is not now", tx.Now)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	foreign := filepath.Join(dir, "foreign.db")
	db := open(t, foreign)
	change(t, db, "PRAGMA application_id = 42")
	damaged := func() string {
		path := filepath.Join(dir, "damaged.db")
		db := open(t, path)
		change(t, db, "CREATE TABLE t (x TEXT) STRICT")
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return write("damaged.db", "SQLite format 9"+string(content[15:]))
	}()
	cases := []struct{ name, path, words string }{
		{"no directory", filepath.Join(dir, "missing", "app.db"), "does not exist; create it"},
		{"a file as directory", filepath.Join(write("plain", "x"), "app.db"), "is not a directory"},
		{"a directory as file", dir, "the file cannot be opened"},
		{"not a database", write("text.db", strings.Repeat("I am a text. ", 100)), "the file is not a database"},
		{"damaged header", damaged, "the file is not a database"},
		{"another program's", foreign, "a database of another program"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			db, err := sqlite.Open(t.Context(), c.path)
			if err == nil {
				db.Close()
				t.Fatal("opened")
			}
			if !strings.Contains(err.Error(), c.words) || !strings.Contains(err.Error(), filepath.Dir(c.path)) {
				t.Errorf("got %q, want the path and %q", err, c.words)
			}
		})
	}
}

func TestADirectoryThatCannotBeWritten(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	_, err := sqlite.Open(t.Context(), filepath.Join(dir, "app.db"))
	if err == nil || !strings.Contains(err.Error(), "this user may not write here") {
		t.Errorf("got %v, want words about permissions", err)
	}
}

func TestAFullDiskKeepsTheData(t *testing.T) {
	db := openCounters(t)
	change(t, db, "INSERT INTO counter (name, value) VALUES ('kept', 7)")
	limit := value[int](t, db, "PRAGMA page_count") // on the one writer connection, so it holds for what follows
	change(t, db, fmt.Sprintf("PRAGMA max_page_count = %d", limit))

	err := db.Write(t.Context(), func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(t.Context(), "INSERT INTO counter (name, value) VALUES ($1, 1)", strings.Repeat("x", 1<<20))
		return err
	})
	if err == nil {
		t.Fatal("a full disk took a megabyte")
	}
	if got := value[int](t, db, "SELECT value FROM counter WHERE name = 'kept'"); got != 7 {
		t.Errorf("got %d, want 7", got)
	}
	if got := value[string](t, db, "PRAGMA integrity_check"); got != "ok" {
		t.Errorf("integrity check: %s", got)
	}
}

func TestPingFindsALockedDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	holder, db := open(t, path), open(t, path)
	if err := db.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	change(t, db, "PRAGMA busy_timeout = 1") // on the one writer connection
	err := holder.Write(t.Context(), func(*sqlite.Tx) error {
		err := db.Ping(t.Context())
		if !sqlite.IsBusy(err) || !strings.Contains(err.Error(), "another process keeps the database locked") {
			t.Errorf("got %v, want a busy error in words", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Ping(t.Context()); err != nil {
		t.Errorf("after the lock was given back: %v", err)
	}
}

// Probes need no sign-in, so many of them must not keep the writer busy.
func TestPingsAtOnceShareAWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	db := open(t, path)
	logSize := func() int64 {
		info, err := os.Stat(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	const pings = 100
	var begun, all sync.WaitGroup
	begun.Add(pings)
	err := db.Write(t.Context(), func(*sqlite.Tx) error { // the writer is busy while they come
		for i := range pings {
			all.Go(func() {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if i%10 == 3 { // this one does not wait, which is nothing to the others
					cancel()
				}
				begun.Done()
				if err := db.Ping(ctx); err != nil && (i%10 != 3 || !errors.Is(err, context.Canceled)) {
					t.Error(err)
				}
			})
		}
		begun.Wait()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	before := logSize()
	all.Wait()
	if err := db.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	if written := (logSize() - before) / 4096; written > pings/2 {
		t.Errorf("%d pings wrote %d pages", pings, written)
	}
}

// security F17: another version of modernc.org/libc than the driver was generated with may fail in any way.
func TestLinkedLibcIsTheOneTheDriverPins(t *testing.T) {
	module := func(path, field string) string {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{with .Replace}}{{."+field+"}}{{else}}{{."+field+"}}{{end}}", path).Output()
		if err != nil {
			t.Fatal("go list -m", path, err)
		}
		return strings.TrimSpace(string(out))
	}
	mod, err := os.Open(module("modernc.org/sqlite", "GoMod"))
	if err != nil {
		t.Fatal(err)
	}
	defer mod.Close()
	pinned := ""
	for lines := bufio.NewScanner(mod); lines.Scan(); {
		if f := strings.Fields(lines.Text()); len(f) >= 2 && f[0] == "modernc.org/libc" {
			pinned = f[1]
		}
	}
	if linked := module("modernc.org/libc", "Version"); pinned == "" || linked != pinned {
		t.Errorf("modernc.org/libc %s is linked, the driver needs exactly %q", linked, pinned)
	}
}

// writeUntilKilled commits one row after another and names each on standard output once it is committed.
func writeUntilKilled(ctx context.Context, path string) error {
	db, err := sqlite.Open(ctx, path)
	if err != nil {
		return err
	}
	for n := 1; n <= 100_000; n++ {
		err := db.Write(ctx, func(tx *sqlite.Tx) error {
			var next int
			if err := tx.QueryRowContext(ctx, "SELECT coalesce(max(n), 0) + 1 FROM entry").Scan(&next); err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, "INSERT INTO entry (n) VALUES ($1)", next); err != nil {
				return err
			}
			n = next
			_, err := tx.ExecContext(ctx, "UPDATE total SET n = n + 1")
			return err
		})
		if err != nil {
			return err
		}
		fmt.Println(n)
	}
	return errors.New("never killed")
}

// security T33: whatever a commit acknowledged survives kill -9, and no transaction survives in part.
func TestKilledProcessLosesNoCommit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	db := open(t, path)
	change(t, db, "CREATE TABLE entry (n INTEGER PRIMARY KEY) STRICT")
	change(t, db, "CREATE TABLE total (n INTEGER NOT NULL) STRICT")
	change(t, db, "INSERT INTO total (n) VALUES (0)")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for round := range 6 {
		cmd := process(t, "write", path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		acknowledged := 0
		lines := bufio.NewScanner(out)
		for seen := 0; lines.Scan(); seen++ {
			n, err := strconv.Atoi(lines.Text())
			if err != nil {
				t.Fatal(err)
			}
			acknowledged = n
			if seen == 10+7*round { // from here on lines still come until the kill has landed
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := cmd.Wait(); err == nil {
			t.Fatal("the process ended by itself")
		}

		db := open(t, path)
		entries := value[int](t, db, "SELECT count(*) FROM entry")
		highest := value[int](t, db, "SELECT max(n) FROM entry")
		total := value[int](t, db, "SELECT n FROM total")
		if acknowledged == 0 || entries < acknowledged || entries != highest || entries != total {
			t.Errorf("round %d: %d acknowledged; %d entries up to %d, total %d", round, acknowledged, entries, highest, total)
		}
		if got := value[string](t, db, "PRAGMA integrity_check"); got != "ok" {
			t.Errorf("round %d: integrity check: %s", round, got)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
