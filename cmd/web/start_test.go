package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"html"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"florin/internal/contract/walk"
	"florin/internal/testkit"
)

// refused runs the real binary, which must refuse to start: with exit status 1, no address on standard output and a sentence on standard error, which is
// returned.
func refused(t *testing.T, arguments ...string) string {
	t.Helper()
	c := command(t, arguments...)
	var out, said bytes.Buffer
	c.Stdout, c.Stderr = &out, &said
	timer := time.AfterFunc(time.Minute, func() { _ = c.Process.Kill() })
	defer timer.Stop()
	err := c.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Fatalf("florin %s ended with %v, want exit status 1\n%s", arguments, err, said.String())
	}
	if strings.Contains(said.String(), "goroutine ") {
		t.Errorf("florin %s shows a stack trace:\n%s", arguments, said.String())
	}
	if strings.Contains(out.String(), "http://") {
		t.Errorf("florin %s said where it is and then ended: %s", arguments, out.String())
	}
	return said.String()
}

// When Florin cannot start, it prints a sentence on standard error and exits with status 1.
func TestRefusesToStart(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	folder := func(prepare func(folder string)) string {
		folder := closed(t.TempDir())
		prepare(folder)
		return folder
	}
	write := func(name, text string) func(string) {
		return func(folder string) {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	newer := func(name string) func(string) {
		return func(folder string) {
			f := beginIn(t, folder)
			if err := f.end(); err != nil {
				t.Fatal(err)
			}
			db, err := sql.Open("sqlite", "file:"+filepath.Join(folder, name))
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if _, err := db.Exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, 1)"); err != nil {
				t.Fatal(err)
			}
		}
	}
	mode := func(name string, mode fs.FileMode) func(string) {
		return func(folder string) {
			path := filepath.Join(folder, name)
			err := os.MkdirAll(filepath.Dir(path), 0o700)
			if filepath.Ext(name) == "" {
				err = errors.Join(err, os.MkdirAll(path, 0o700))
			} else {
				err = errors.Join(err, os.WriteFile(path, nil, 0o600))
			}
			if err := errors.Join(err, os.Chmod(path, mode)); err != nil {
				t.Fatal(err)
			}
		}
	}
	used := func(then func(path string) error) func(name string) func(string) {
		return func(name string) func(string) {
			return func(folder string) {
				if err := errors.Join(beginIn(t, folder).end(), then(filepath.Join(folder, name))); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	without := used(os.Remove)
	emptied := used(func(path string) error { return os.Truncate(path, 0) })
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	withoutKey := folder(without("secrets/app.key"))
	tests := []struct {
		name      string
		arguments []string
		say       []string
	}{
		{"port of the app in use", []string{"--data-dir", closed(t.TempDir()), "--listen", taken.Addr().String(), "--service-listen", "127.0.0.1:0"},
			[]string{"the web app cannot listen on " + taken.Addr().String(), "--listen"}},
		{"port of the service in use", []string{"--data-dir", closed(t.TempDir()), "--listen", "127.0.0.1:0", "--service-listen", taken.Addr().String()},
			[]string{"the aggregation service cannot listen on " + taken.Addr().String(), "--service-listen"}},
		{"port of the certificates in use", []string{"--data-dir", closed(t.TempDir()), "--listen", "127.0.0.1:0", "--service-listen", "127.0.0.1:0",
			"--service-tls-listen", taken.Addr().String()},
			[]string{"the aggregation service with its certificates cannot listen on " + taken.Addr().String(), "--service-tls-listen"}},
		{"another Florin runs with the data directory", append([]string{"--data-dir", beginIn(t, t.TempDir()).folder}, anywhere...),
			[]string{"another Florin runs", "--data-dir"}},
		{"app.db is newer", append([]string{"--data-dir", folder(newer("app.db"))}, anywhere...), []string{"app.db", "newer"}},
		{"aggregator.db is newer", append([]string{"--data-dir", folder(newer("aggregator.db"))}, anywhere...), []string{"aggregator.db", "newer"}},
		{"app.db is no database", append([]string{"--data-dir", folder(write("app.db", strings.Repeat("no database ", 100)))}, anywhere...),
			[]string{"app.db", "not a database"}},
		{"aggregator.db is no database", append([]string{"--data-dir", folder(write("aggregator.db", strings.Repeat("no database ", 100)))}, anywhere...),
			[]string{"aggregator.db", "not a database"}},
		{"the data folder is open to others", append([]string{"--data-dir", folder(mode("", 0o755))}, anywhere...),
			[]string{"open to other users", "run chmod 700 "}},
		{"app.db is open to others", append([]string{"--data-dir", folder(mode("app.db", 0o640))}, anywhere...),
			[]string{"app.db is open to other users", "run chmod 600 ", "app.db"}},
		{"aggregator.db is open to others", append([]string{"--data-dir", folder(mode("aggregator.db", 0o604))}, anywhere...),
			[]string{"aggregator.db is open to other users", "run chmod 600 "}},
		{"a log of app.db is open to others", append([]string{"--data-dir", folder(mode("app.db-wal", 0o644))}, anywhere...),
			[]string{"app.db-wal is open to other users", "run chmod 600 "}},
		{"a copy is open to others", append([]string{"--data-dir", folder(mode("backups/app-schema-00001-x.db", 0o644))}, anywhere...),
			[]string{"app-schema-00001-x.db is open to other users", "run chmod 600 "}},
		{"a key is open to others", append([]string{"--data-dir", folder(mode("secrets/app.key", 0o644))}, anywhere...),
			[]string{"app.key is open to other users", "run chmod 600 "}},
		{"the folder of keys is open to others", append([]string{"--data-dir", folder(mode("secrets", 0o750))}, anywhere...),
			[]string{"secrets is open to other users", "run chmod 700 "}},
		{"app.db is gone", append([]string{"--data-dir", folder(without("app.db"))}, anywhere...),
			[]string{"app.db is missing or empty", "app.key is there", "from a backup"}},
		{"app.db is empty", append([]string{"--data-dir", folder(emptied("app.db"))}, anywhere...),
			[]string{"app.db is missing or empty", "app.key is there", "from a backup"}},
		{"aggregator.db is gone", append([]string{"--data-dir", folder(without("aggregator.db"))}, anywhere...),
			[]string{"aggregator.db is missing or empty", "service-hash is there", "from a backup"}},
		{"app.key is gone", append([]string{"--data-dir", withoutKey}, anywhere...), []string{"app.key is missing", "app.db is there", "from a backup"}},
		{"service-hash is gone", append([]string{"--data-dir", folder(without("secrets/service-hash"))}, anywhere...),
			[]string{"service-hash is missing", "aggregator.db is there", "from a backup"}},
		{"the data folder is a file", append([]string{"--data-dir", file}, anywhere...), []string{file}},
		{"a database is a folder", append([]string{"--data-dir", folder(func(folder string) { _ = os.Mkdir(filepath.Join(folder, "app.db"), 0o700) })},
			anywhere...), []string{"app.db"}},
		{"the catalogue is not there", append([]string{"--data-dir", closed(t.TempDir()), "--sandbox-catalogue", "/nowhere.json"}, anywhere...),
			[]string{"/nowhere.json"}},
		{"the catalogue has mistakes", append([]string{"--data-dir", closed(t.TempDir()), "--sandbox-catalogue",
			filepath.Join(folder(write("c.json", `{"banks": [{"name": "", "country": "Nowhere"}]}`)), "c.json")}, anywhere...),
			[]string{"banks[0]", "name", "country"}},
		{"several settings are wrong", []string{"--data-dir", closed(t.TempDir()), "--listen", "nowhere", "--public-url", "ftp://x", "--service-code-lifetime",
			"1h", "--log-level", "loud"},
			[]string{"--listen", "--public-url", "--service-code-lifetime", "--log-level"}},
		{"an unknown flag", []string{"--colour", "blue"}, []string{"--colour"}},
	}
	if os.Getuid() != 0 { // root reads everything
		locked := t.TempDir()
		if err := os.Chmod(locked, 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(locked, 0o700) })
		tests = append(tests, struct {
			name      string
			arguments []string
			say       []string
		}{"the data folder cannot be read", append([]string{"--data-dir", locked}, anywhere...), []string{locked, "permission denied"}})
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			said := refused(t, test.arguments...)
			for _, want := range test.say {
				if !strings.Contains(said, want) {
					t.Errorf("standard error does not say %q:\n%s", want, said)
				}
			}
			t.Logf("%s", said)
		})
	}
	if _, err := os.Lstat(filepath.Join(withoutKey, "secrets", "app.key")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a start that is refused for a missing key leaves a new one behind: %v", err)
	}
}

// A command of a newer Florin does not change the databases while an older Florin uses them. It says what to do.
func TestCommandsLeaveTheDatabasesOfARunningFlorin(t *testing.T) {
	t.Parallel()
	f := begin(t)
	for database, arguments := range map[string][]string{"app.db": {"user", "list"}, "aggregator.db": {"operator"}} {
		db, err := sql.Open("sqlite", "file:"+filepath.Join(f.folder, database)+"?_pragma=busy_timeout(10000)")
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		var newest, after int
		if err := db.QueryRow("DELETE FROM goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version) RETURNING version_id").Scan(&newest); err != nil { // like an older Florin
			t.Fatal(err)
		}
		said := refused(t, append(arguments, "--data-dir", f.folder)...)
		if !strings.Contains(said, "an older Florin runs with the data directory") || !strings.Contains(said, "stop that one") {
			t.Errorf("%s: %s", database, said)
		}
		if err := db.QueryRow("SELECT max(version_id) FROM goose_db_version").Scan(&after); err != nil || after >= newest {
			t.Errorf("%s: the schema is version %d: %v", database, after, err)
		}
		if _, err := db.Exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES ($1, 1)", newest); err != nil {
			t.Fatal(err)
		}
	}
}

// Without any setting Florin creates its folder, keeps its files private, and is alive and ready on both listeners.
func TestHealth(t *testing.T) {
	t.Parallel()
	f := begin(t)
	for _, address := range []string{f.web, f.service} {
		for _, path := range []string{"/healthz", "/readyz"} {
			p := newPerson(t)
			p.visit(address + path)
			p.sees(http.StatusOK)
		}
	}
	err := filepath.WalkDir(f.folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == f.folder {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %s: others can read it", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// streams reports when an answer that is an event stream begins.
type streams struct{ open chan struct{} }

func (s streams) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		close(s.open)
	}
	return response, err
}

var liveAddress = regexp.MustCompile(`data-live="([^"]+)"`)

// A Florin that is asked to stop ends without an error while a browser reads a stream of events, and the stream ends properly.
func TestStopsWithAnOpenStream(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Process)
	f := launch(t, t.TempDir(), anywhere...)
	transport := streams{open: make(chan struct{})}
	p := &person{t: t, browser: walk.New(transport)}
	p.setUp(f)
	p.link(f, "Mock ASPSP", "FI", walk.Person{})
	p.visit(f.web)
	address := liveAddress.FindStringSubmatch(p.page.Body)
	if address == nil {
		p.fatalf("the page names no stream")
	}
	ended := make(chan error, 1)
	go func() {
		_, err := p.browser.Open(context.Background(), f.web+html.UnescapeString(address[1]))
		ended <- err
	}()
	select {
	case <-transport.open:
	case err := <-ended:
		t.Fatal("the stream did not open:", err)
	}
	if err := f.end(); err != nil {
		t.Errorf("Florin ended with %v, want exit status 0\n%s", err, f.err.tail())
	}
	if err := <-ended; err != nil {
		t.Errorf("the stream ended with %v, want a good end", err)
	}
	f.noErrors()
}

// The data directory is relative by default, to the folder in which Florin is started.
func TestStartsWithARelativeDataDirectory(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Process)
	f := launch(t, "./data", anywhere...)
	p := newPerson(t)
	p.setUp(f)
	if _, err := os.Stat(filepath.Join(f.process.Dir, "data", "app.db")); err != nil {
		t.Error(err)
	}
	if err := f.end(); err != nil {
		t.Error(err)
	}
	f.noErrors()
}
