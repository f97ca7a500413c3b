package store

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"github.com/alexedwards/scs/v2"

	"florin/internal/finance"
	"florin/internal/sqlite"
)

var _ scs.CtxStore = (*SessionStore)(nil)

// Security F1, T17: a request that began before a sign-out and ends after it does not sign in again.
func TestLateCommitDoesNotReviveASession(t *testing.T) {
	for name, signOut := range map[string]func(m *scs.SessionManager, r *http.Request) error{
		"Destroy": func(m *scs.SessionManager, r *http.Request) error { return m.Destroy(r.Context()) },
		"RenewToken": func(m *scs.SessionManager, r *http.Request) error {
			m.Remove(r.Context(), "user")
			return m.RenewToken(r.Context())
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBed(t)
			m := scs.New()
			m.Store, m.IdleTimeout = b.Sessions(), time.Hour // with an idle time-out every request commits
			var late error
			m.ErrorFunc = func(_ http.ResponseWriter, _ *http.Request, err error) { late = err }
			started, release := make(chan struct{}), make(chan struct{})
			mux := http.NewServeMux()
			mux.HandleFunc("/in", func(_ http.ResponseWriter, r *http.Request) { m.Put(r.Context(), "user", "anna") })
			mux.HandleFunc("/slow", func(_ http.ResponseWriter, r *http.Request) {
				m.Put(r.Context(), "seen", "yes")
				close(started)
				<-release
			})
			mux.HandleFunc("/out", func(_ http.ResponseWriter, r *http.Request) {
				if err := signOut(m, r); err != nil {
					t.Error(err)
				}
			})
			mux.HandleFunc("/who", func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte(m.GetString(r.Context(), "user"))) })
			handler := m.LoadAndSave(mux)
			call := func(path string, cookie *http.Cookie) *httptest.ResponseRecorder {
				r := httptest.NewRequest(http.MethodGet, path, nil)
				if cookie != nil {
					r.AddCookie(cookie)
				}
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, r)
				return w
			}
			cookie := call("/in", nil).Result().Cookies()[0]
			if who := call("/who", cookie).Body.String(); who != "anna" {
				t.Fatalf("signed in as %q", who)
			}
			done := make(chan struct{})
			go func() { defer close(done); call("/slow", cookie) }()
			<-started
			call("/out", cookie)
			close(release)
			<-done
			if !errors.Is(late, ErrSessionEnded) {
				t.Errorf("the late commit failed with %v", late)
			}
			if who := call("/who", cookie).Body.String(); who != "" {
				t.Errorf("the old cookie is signed in as %q", who)
			}
		})
	}
}

func TestSessionRows(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	s := b.Sessions()
	check(t, s.CommitCtx(ctx, "a", []byte("1"), time.Now().Add(time.Hour)))
	check(t, s.CommitCtx(ctx, "a", []byte("2"), time.Now().Add(time.Hour)))
	check(t, s.CommitCtx(ctx, "old", []byte("3"), time.Now().Add(-time.Second)))
	check(t, s.DeleteCtx(ctx, "never"))
	b.reopen(t)
	s = b.Sessions()
	for token, want := range map[string]string{"a": "2", "old": "", "never": "", "": ""} {
		data, found, err := s.FindCtx(ctx, token)
		if string(data) != want || found != (want != "") || err != nil {
			t.Errorf("%q: %q %v %v", token, data, found, err)
		}
	}
	check(t, b.Clean(ctx))
	var rows int
	check(t, b.db.Read().QueryRowContext(ctx, `SELECT COUNT(*) FROM session_data`).Scan(&rows))
	if rows != 2 { // the row of a, and the tombstone
		t.Errorf("%d rows after cleaning", rows)
	}
}

// Signing out without a session writes nothing, except the tombstone of a token.
func TestNoTombstoneForNoSession(t *testing.T) {
	b := newBed(t)
	check(t, b.Sessions().DeleteCtx(t.Context(), ""))
	check(t, b.Sessions().DeleteCtx(t.Context(), "unknown"))
	var rows int
	check(t, b.db.Read().QueryRowContext(t.Context(), `SELECT COUNT(*) FROM session_data`).Scan(&rows))
	if rows != 1 {
		t.Errorf("%d tombstones, want that of the token alone", rows)
	}
}

// A sign-in fails when the password was changed while it was checked.
func TestSignInNeedsThePresentPassword(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u, other := b.user(t, "a@example.org"), b.user(t, "b@example.org")
	old := "hash of " + u.Email
	kept := must(b.CreateSignIn(ctx, NewSignIn{UserID: u.ID, PasswordHash: old, Device: "one"}))(t)
	check(t, b.SetPassword(ctx, u.ID, "hash of the next", kept.ID))
	for name, hash := range map[string]string{"old": old, "none": "", "another user's": "hash of " + other.Email} {
		if _, err := b.CreateSignIn(ctx, NewSignIn{UserID: u.ID, PasswordHash: hash, Device: "late"}); !errors.Is(err, finance.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if list := must(b.SignIns(ctx, u.ID, time.Now().Add(-time.Hour)))(t); len(list) != 1 || list[0].ID != kept.ID {
		t.Errorf("%+v", list)
	}
}

func TestEndedSignInStaysEnded(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u := b.user(t, "a@example.org")
	one, two := must(b.CreateSignIn(ctx, NewSignIn{UserID: u.ID, PasswordHash: "hash of " + u.Email, Device: "one"}))(t),
		must(b.CreateSignIn(ctx, NewSignIn{UserID: u.ID, PasswordHash: "hash of " + u.Email, Device: "two"}))(t)
	if got, _, err := b.SignedIn(ctx, u.ID, one.ID); err != nil || got.Email != u.Email {
		t.Fatal(got, err)
	}
	check(t, b.EndSignIn(ctx, u.ID, one.ID))
	late := one
	late.LastSeen = time.Now().Add(-time.Hour)
	check(t, b.TouchSignIn(ctx, late, netip.Prefix{})) // a request that ends late
	if _, _, err := b.SignedIn(ctx, u.ID, one.ID); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("ended, yet %v", err)
	}
	list := must(b.SignIns(ctx, u.ID, time.Now().Add(-time.Hour)))(t)
	if len(list) != 1 || list[0].ID != two.ID || list[0].Device != "two" {
		t.Errorf("%+v", list)
	}
}

// A database from before people could choose how long a sign-in lasts: sign-ins in use survive the upgrade with the 30 days they had. Those that had expired
// because they were not used stay expired.
func TestSignInsSurviveTheUpgrade(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u := b.user(t, "a@example.org")
	used, unused := must(b.CreateSignIn(ctx, NewSignIn{UserID: u.ID, PasswordHash: "hash of " + u.Email, Device: "used"}))(t),
		must(b.CreateSignIn(ctx, NewSignIn{UserID: u.ID, PasswordHash: "hash of " + u.Email, Device: "unused"}))(t)
	now := time.Now()
	check(t, b.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE user_session SET remembered = NULL, created = $1, last_seen = CASE id WHEN $2 THEN $3 ELSE $4 END`,
			sqlite.At(now.Add(-20*24*time.Hour)), used.ID, sqlite.At(now.Add(-11*time.Hour)), sqlite.At(now.Add(-13*time.Hour)))
		return err
	}))
	b.reopen(t)
	for id, want := range map[string]bool{used.ID: true, unused.ID: false} {
		if _, got, err := b.SignedIn(ctx, u.ID, id); err != nil || got.Remembered != want {
			t.Errorf("%+v %v, want remembered %t", got, err, want)
		}
	}
}
