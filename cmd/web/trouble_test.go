package main

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"florin/internal/testkit"
)

// troubled starts Florin as a process that may not become ready, and waits until it has printed its addresses.
func troubled(t *testing.T, folder string, arguments ...string) *florin {
	t.Helper()
	f := &florin{t: t, folder: closed(folder), out: &record{}, err: &record{}, ended: make(chan struct{})}
	f.process = exec.Command(program(t), slices.Concat([]string{"--data-dir", folder}, anywhere, arguments)...)
	f.process.Env = []string{"HOME=" + t.TempDir()}
	f.process.Stdout, f.process.Stderr = f.out, f.err
	if err := f.process.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(f.ended)
		f.failure = f.process.Wait()
	}()
	t.Cleanup(f.kill)
	for end := time.Now().Add(time.Minute); f.web == "" || f.service == ""; time.Sleep(5 * time.Millisecond) {
		f.web, f.service, f.setup = first(saidWeb, f.out.String()), first(saidService, f.out.String()), first(saidSetup, f.out.String())
		if time.Now().After(end) {
			t.Fatalf("Florin does not say where it is\n%s", f.err.tail())
		}
	}
	return f
}

// answers requests an address until it returns the expected status.
func answers(t *testing.T, address string, status int) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		answer, err := http.Get(address)
		if err == nil {
			_, _ = io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
			if answer.StatusCode == status {
				return
			}
		}
		if time.Now().After(end) {
			t.Fatalf("%s does not answer %d: %v %v", address, status, answer, err)
		}
	}
}

// Before the disk is full, Florin reports that it is not ready, continues to work, and notifies the owner.
func TestLittleSpace(t *testing.T) {
	t.Parallel()
	testkit.Long(t, testkit.Whole)
	f := troubled(t, t.TempDir(), "--disk-reserve", "4000000000") // more than any disk has
	for _, address := range []string{f.web, f.service} {
		answers(t, address+"/readyz", http.StatusServiceUnavailable)
		answers(t, address+"/healthz", http.StatusOK)
	}
	p := newPerson(t)
	p.visit(f.setup)
	p.send("/setup", map[string][]string{"email": {ownerEmail}, "password": {ownerPassword}})
	p.sees(http.StatusOK, "The disk of this server is almost full. Free some space")
	if !strings.Contains(f.err.String(), "the disk is nearly full") {
		t.Errorf("the log does not say so:\n%s", f.err.tail())
	}
	addUser(t, f, "bo@home.example", ownerPassword)
	member := newPerson(t)
	member.signIn(f, "bo@home.example", ownerPassword)
	member.sees(http.StatusOK)
	if strings.Contains(member.page.Body, "almost full") {
		t.Error("the page reports it to a person who is not the owner")
	}
}

// Damage to a database is found at the start: Florin is not ready, and every page reports the damage to the owner.
func TestDamageIsTold(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Process)
	for _, name := range []string{"app.db", "aggregator.db"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			f := launch(t, folder, anywhere...)
			newPerson(t).setUp(f)
			if err := f.end(); err != nil {
				t.Fatal(err)
			}
			damage(t, filepath.Join(folder, name))
			f = troubled(t, folder)
			broken := map[string]string{"app.db": f.web, "aggregator.db": f.service}[name]
			answers(t, broken+"/readyz", http.StatusServiceUnavailable)
			answers(t, broken+"/healthz", http.StatusOK)
			p := newPerson(t)
			p.signIn(f, ownerEmail, ownerPassword)
			p.visit(f.web + "/settings")
			p.sees(http.StatusOK, "The database "+name+" is damaged. Stop Florin and restore the database from a backup")
			if !strings.Contains(f.err.String(), "database damaged") {
				t.Errorf("the log does not say so:\n%s", f.err.tail())
			}
		})
	}
}

// damage makes the list of free pages of a database wrong, although everything can still be read and written.
func damage(t *testing.T, path string) {
	t.Helper()
	db := openFile(t, path)
	mustExec(t, db, `CREATE TABLE in_between (text TEXT) STRICT`)
	mustExec(t, db, `INSERT INTO in_between (text) VALUES (hex(zeroblob(100000)))`)
	mustExec(t, db, `DROP TABLE in_between`)
	mustExec(t, db, `PRAGMA wal_checkpoint(TRUNCATE)`)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteAt([]byte{0, 0, 0, 200}, 36); err != nil { // how many free pages there are (fileformat2, 1.3)
		t.Fatal(err)
	}
}
