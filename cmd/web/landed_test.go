package main

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"florin/internal/sqlite"
	"florin/internal/testkit"
	"florin/migrations"
)

// The data folders in testdata/landed were written by builds of the commits in their names: every state of the database schemas that was ever on main. In each
// of them Ada signed in, linked a bank and, where payments existed, paid, and the webhooks arrived; the operator registered an application. Only the newest 25
// transactions of each account were kept, so that the files are small.
//
// 8a14da2 has more, for the tables that were added after e80132d. Ada has prepared two payments in her bank's app, of which one is booked. She has a payee, a
// manual account with an imported file and one that waits, a rule that shares, a budget, a rate, a saved search, a saved report, a choice of notifications, and
// transactions with a note, with parts and with an attachment. Bo joined by an invitation, sees an account of Ada's, shares expenses with her, received cash,
// is asked to pay, and has an authenticator app. The rows that these need, and three transfers between accounts, were kept in addition to the newest 25.
const (
	landedWeb     = "http://localhost:18080" // the addresses under which they were written
	landedService = "http://localhost:18081"
	landedToken   = "sign-in" // file with Ada's cookie
)

// TestLandedStatesOpen opens the data of every landed Florin with this one: nobody is signed out, nothing is lost, and syncing continues.
func TestLandedStatesOpen(t *testing.T) {
	testkit.Unwatched(t)
	files, err := filepath.Glob("testdata/landed/*.tar.gz")
	if err != nil || len(files) == 0 {
		t.Fatal("no fixtures", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".tar.gz"), func(t *testing.T) {
			t.Parallel()
			opensLanded(t, unpack(t, file))
		})
	}
}

// TestLandedStatesThatAFaultyUpgradeLeft opens data that were upgraded by versions of Florin without the repairs: app.db was brought up to date, and the
// service's database stopped at a step or was up to date as well.
func TestLandedStatesThatAFaultyUpgradeLeft(t *testing.T) {
	testkit.Unwatched(t)
	for name, whole := range map[string]bool{"dda6280": true, "d7a00a8": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := unpack(t, "testdata/landed/"+name+".tar.gz")
			for file, schema := range map[string]fs.FS{
				"app.db":        unrepaired(t, migrations.App, "00007_providers.sql"),
				"aggregator.db": unrepaired(t, migrations.Aggregator, "00010_attempts_of_orders.sql"),
			} {
				db, err := sqlite.Open(t.Context(), filepath.Join(folder, file))
				if err != nil {
					t.Fatal(err)
				}
				migrated := sqlite.Migrate(t.Context(), db, schema)
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
				if good := migrated == nil; good != (whole || file == "app.db") {
					t.Fatalf("%s without repair: %v", file, migrated)
				}
			}
			opensLanded(t, folder)
		})
	}
}

// TestBothDatabasesMigrateOrNeither: when a step of the second database fails, the first one stays unchanged. The next start, without the fault, brings both up
// to date.
func TestBothDatabasesMigrateOrNeither(t *testing.T) {
	t.Parallel()
	testkit.Long(t, testkit.Whole)
	folder := unpack(t, "testdata/landed/a6fea9f.tar.gz")
	app, service := openFile(t, filepath.Join(folder, "app.db")), openFile(t, filepath.Join(folder, "aggregator.db"))
	versions := func() [2]int {
		const query = `SELECT max(version_id) FROM goose_db_version`
		return [2]int{ask[int](t, app, query), ask[int](t, service, query)}
	}
	before := versions()
	mustExec(t, service, `CREATE TABLE webhook_key (in_the_way TEXT) STRICT`)
	said := refused(t, append([]string{"--data-dir", folder}, anywhere...)...)
	if !strings.Contains(said, "aggregator.db") || !strings.Contains(said, "webhook_key already exists") {
		t.Errorf("Florin says %q", said)
	}
	if got := versions(); got != before {
		t.Fatalf("the databases are at steps %v, want %v as before", got, before)
	}
	mustExec(t, service, `DROP TABLE webhook_key`)
	opensLanded(t, folder)
	if got := versions(); got[0] <= before[0] || got[1] <= before[1] {
		t.Errorf("the databases are at steps %v", got)
	}
}

// unrepaired returns a schema from before there were repairs: only the steps of that time, because later ones rely on the repairs.
func unrepaired(t *testing.T, schema fs.FS, last string) fs.FS {
	t.Helper()
	names, err := fs.Glob(schema, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(names, last) {
		t.Fatalf("there is no step %s", last)
	}
	steps := fstest.MapFS{}
	for _, name := range names {
		if name > last {
			continue
		}
		text, err := fs.ReadFile(schema, name)
		if err != nil {
			t.Fatal(err)
		}
		steps[name] = &fstest.MapFile{Data: text}
	}
	return steps
}

// landed holds numbers of rows, counted before and after.
type landed struct {
	users, rows, payments, deliveries, applications, events int
	expenses, handed, rules, shares, budgets, searches      int // 0 where there was no table for them yet
	files, parts                                            int
}

func opensLanded(t *testing.T, folder string) {
	t.Helper()
	moveToNow(t, folder)
	app, service := openFile(t, filepath.Join(folder, "app.db")), openFile(t, filepath.Join(folder, "aggregator.db"))
	mustExec(t, app, `UPDATE sync_task SET next_attempt_at = last_success_at`)
	count := func() landed {
		return landed{
			users: number(t, app, "user"), rows: number(t, app, "booked_transaction"), payments: number(t, app, "payment"),
			deliveries: number(t, app, "webhook_delivery"), applications: number(t, service, "application"), events: number(t, service, "webhook"),
			expenses: number(t, app, "expense"), handed: number(t, app, "payment", "type = 'OWN_APP'"), rules: number(t, app, "transaction_rule"),
			shares: number(t, app, "account_share"), budgets: number(t, app, "budget"), searches: number(t, app, "saved_search"),
			files: number(t, app, "transaction_attachment"), parts: number(t, app, "transaction_part"),
		}
	}
	before := count()
	newest := ask[int64](t, app, `SELECT max(id) FROM booked_transaction`)
	began := time.Now().UTC().Format("2006-01-02T15:04:05.000Z")

	f := beginAt(t, folder, landedWeb, landedService)
	token, err := os.ReadFile(filepath.Join(folder, landedToken))
	if err != nil {
		t.Fatal(err)
	}
	page := f.get(t, "/", string(token))
	if !strings.Contains(page, exampleBank) {
		t.Errorf("the page of the person who was signed in does not show the bank:\n%s", page)
	}
	if before.payments > 0 && !strings.Contains(f.get(t, "/payments", string(token)), "ACME GmbH") {
		t.Error("the payment is not in the list")
	}
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if ask[int](t, app, `SELECT count(*) FROM sync_task WHERE last_success_at < $1 OR in_run = 1`, began) == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("syncing does not go on\n%s", f.err.tail())
		}
	}
	after := count()
	if after.rows < before.rows || after.expenses < before.expenses {
		t.Errorf("%d rows and %d expenses, there were %d and %d", after.rows, after.expenses, before.rows, before.expenses)
	}
	after.rows, after.expenses = before.rows, before.expenses // the bank may bring new rows, and a rule shares them
	if after != before {
		t.Errorf("there was %+v, there is %+v", before, after)
	}
	if ask[int](t, app, `SELECT count(*) FROM booked_transaction b JOIN account a ON a.id = b.account_id JOIN sync_task s ON s.account_id = a.id AND s.scope = 'transactions'
			WHERE b.id <= $1 AND b.seen_run = s.run`, newest) == 0 {
		t.Error("no row was recognised")
	}
	if doubled := ask[int](t, app,
		`SELECT count(*) FROM booked_transaction n JOIN booked_transaction o ON o.account_id = n.account_id AND o.content = n.content AND o.id < n.id AND o.ordinal = n.ordinal`); doubled > 0 {
		t.Errorf("%d rows are there twice", doubled)
	}
	if lost := ask[int](t, app, `SELECT count(*) FROM booked_transaction WHERE missing_since IS NOT NULL`); lost > 0 {
		t.Errorf("%d rows are taken for lost", lost)
	}
	for _, half := range []struct {
		db     *sql.DB
		schema fs.FS
	}{{app, migrations.App}, {service, migrations.Aggregator}} {
		if got, want := shape(t, half.db), shape(t, fresh(t, half.schema)); !slices.Equal(got, want) {
			t.Errorf("the schema is not that of a new database:\ngot  %q\nwant %q", missing(got, want), missing(want, got))
		}
	}
}

// unpack extracts a fixture into a new folder.
func unpack(t *testing.T, file string) string {
	t.Helper()
	folder := t.TempDir()
	packed, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	unzipped, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	for archive := tar.NewReader(unzipped); ; {
		entry, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(folder, filepath.Clean("/"+entry.Name))
		if entry.Typeflag == tar.TypeDir {
			err = os.MkdirAll(name, 0o700)
		} else {
			var text []byte
			if text, err = io.ReadAll(archive); err == nil {
				err = os.WriteFile(name, text, 0o600)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return closed(folder)
}

// moveToNow moves every time in both databases, as if the data had been written just now, because sign-ins and consents expire.
func moveToNow(t *testing.T, folder string) {
	t.Helper()
	app := openFile(t, filepath.Join(folder, "app.db"))
	written, err := time.Parse(time.RFC3339, ask[string](t, app, `SELECT max(last_seen) FROM user_session`))
	if err != nil {
		t.Fatal(err)
	}
	later := fmt.Sprintf("+%d seconds", int(time.Since(written).Seconds()))
	for _, db := range []*sql.DB{app, openFile(t, filepath.Join(folder, "aggregator.db"))} {
		for _, c := range texts(t, db) {
			mustExec(t, db, fmt.Sprintf(`UPDATE %q SET %q = strftime('%%Y-%%m-%%dT%%H:%%M:%%fZ', %[2]q, $1) WHERE %[2]q GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T??:??:??.[0-9][0-9][0-9]Z'`, c[0], c[1]), later)
		}
	}
}

// texts lists the columns of a database that hold text, as pairs of table and column.
func texts(t *testing.T, db *sql.DB) (columns [][2]string) {
	t.Helper()
	rows, err := db.Query(`SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.type = 'TEXT'`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var c [2]string
		if err := rows.Scan(&c[0], &c[1]); err != nil {
			t.Fatal(err)
		}
		columns = append(columns, c)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return columns
}

// beginAt is beginIn for data that belong to certain public addresses. Florin listens elsewhere; the addresses of the returned florin are those on which it
// listens.
func beginAt(t *testing.T, folder, web, service string) *florin {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	f := &florin{t: t, folder: folder, out: &record{}, err: &record{}, stop: stop, ended: make(chan struct{})}
	webListen, serviceListen := freeAddress(t), freeAddress(t)
	go func() {
		defer close(f.ended)
		f.failure = run(ctx, []string{"--data-dir", folder, "--listen", webListen, "--public-url", web, "--service-listen", serviceListen, "--service-url",
			service, "--service-tls-listen", "127.0.0.1:0"},
			noSettings, stdio{in: strings.NewReader(""), out: f.out, err: f.err})
	}()
	t.Cleanup(func() {
		if err := f.end(); err != nil {
			t.Error("Florin ended with:", err)
		}
	})
	f.web, f.service = "http://"+webListen, "http://"+serviceListen
	f.await()
	return f
}

// get opens a page with the cookie of a sign-in, and fails when it is refused.
func (f *florin) get(t *testing.T, path, token string) string {
	t.Helper()
	request, err := http.NewRequest(http.MethodGet, f.web+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.AddCookie(&http.Cookie{Name: "florin-session", Value: strings.TrimSpace(token)})
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s answers %s to %s: %v", path, answer.Status, answer.Header.Get("Location"), err)
	}
	return string(text)
}

func openFile(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func ask[T any](t *testing.T, db *sql.DB, query string, arguments ...any) (answer T) {
	t.Helper()
	if err := db.QueryRow(query, arguments...).Scan(&answer); err != nil {
		t.Fatal(query, err)
	}
	return answer
}

func mustExec(t *testing.T, db *sql.DB, statement string, arguments ...any) {
	t.Helper()
	if _, err := db.Exec(statement, arguments...); err != nil {
		t.Fatal(statement, err)
	}
}

// number returns how many rows of a table meet the conditions; 0 where there is no such table.
func number(t *testing.T, db *sql.DB, table string, that ...string) int {
	t.Helper()
	if ask[int](t, db, `SELECT count(*) FROM sqlite_master WHERE name = $1`, table) == 0 {
		return 0
	}
	return ask[int](t, db, `SELECT count(*) FROM `+table+` WHERE `+strings.Join(append(that, "true"), " AND "))
}

// fresh returns a new database with a schema.
func fresh(t *testing.T, schema fs.FS) *sql.DB {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fresh.db")
	db, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(sqlite.Migrate(t.Context(), db, schema), db.Close()); err != nil {
		t.Fatal(err)
	}
	return openFile(t, path)
}

var blanks = regexp.MustCompile(`\s+`)

// shape lists the columns and indexes of a database, without regard to the order and the defaults of columns.
func shape(t *testing.T, db *sql.DB) []string {
	t.Helper()
	rows, err := db.Query(`SELECT format('%s.%s %s %d %d', m.name, c.name, c.type, c."notnull", c.pk) FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'
		UNION ALL SELECT sql FROM sqlite_master WHERE type <> 'table' AND sql IS NOT NULL
		UNION ALL SELECT format('%s WITHOUT ROWID %d, STRICT %d', name, wr, strict) FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var list []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		list = append(list, blanks.ReplaceAllString(text, " "))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	return list
}

// missing returns the elements of a list that are not in the other list.
func missing(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(text string) bool { return slices.Contains(other, text) })
}
