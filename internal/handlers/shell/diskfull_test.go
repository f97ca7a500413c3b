package shell

import (
	"database/sql"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"florin/internal/auth"
	"florin/internal/store"
)

// full is the error of a database on a disk without space.
func full(t *testing.T) error {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "full.db")+"?_pragma=max_page_count(2)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err = db.Exec(`CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(100000))`); err == nil {
		t.Fatal("the disk is not full")
	}
	return err
}

// A full disk is not a fault of Florin: the page names the cause, even when the sign-in could not be saved.
func TestFullDiskIsSaid(t *testing.T) {
	s := &Shell{store: new(store.Store), auth: auth.New(nil), log: slog.New(slog.DiscardHandler)}
	err := full(t)
	if p := s.problemOf(&Visitor{Request: httptest.NewRequest(http.MethodGet, "/", nil)}, err); p.Status != http.StatusInsufficientStorage ||
		p.Title != "The disk of this server is full" || !strings.Contains(p.Todo, "free some space") {
		t.Errorf("%+v", p)
	}
	answer := httptest.NewRecorder()
	sessions := s.newSessions(false)
	sessions.ErrorFunc(answer, httptest.NewRequest(http.MethodGet, "/", nil), err)
	body, _ := io.ReadAll(answer.Body)
	if answer.Code != http.StatusInsufficientStorage || !strings.Contains(string(body), "The disk of this server is full") ||
		strings.Contains(string(body), "Something went wrong") {
		t.Errorf("%d %s", answer.Code, body)
	}
}
