package store

import (
	"errors"
	"strings"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/sqlite"
)

func TestOpenIDVisitsAreTakenOnce(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u := b.user(t, "a@example.org")
	begun := time.Now().Truncate(time.Millisecond)
	v := finance.OpenIDVisit{State: "state", Browser: "browser", Nonce: "nonce", Verifier: "verifier of a visit", Fresh: true, Errand: finance.ErrandStepUp, UserID: u.ID,
		Detail: "payment:1", Remember: true, Begun: begun}
	check(t, b.CreateOpenIDVisit(ctx, v, time.Minute))
	for name, try := range map[string][2]finance.Secret{"another browser": {"state", "other"}, "no browser": {"state", ""}, "another state": {"other", "browser"}} {
		if _, err := b.TakeOpenIDVisit(ctx, try[0], try[1]); !errors.Is(err, finance.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	got := must(b.TakeOpenIDVisit(ctx, "state", "browser"))(t)
	if !got.Begun.Equal(begun) {
		t.Errorf("begun %v, want %v", got.Begun, begun)
	}
	if got.Begun = begun; got != v {
		t.Errorf("%+v, want %+v", got, v)
	}
	if _, err := b.TakeOpenIDVisit(ctx, "state", "browser"); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("the second time: %v", err)
	}
	v.State = "late"
	check(t, b.CreateOpenIDVisit(ctx, v, -time.Second))
	if _, err := b.TakeOpenIDVisit(ctx, "late", "browser"); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("too late: %v", err)
	}
}

// TestOpenIDVisitsAreBounded: visits that strangers begin replace only visits of strangers.
func TestOpenIDVisitsAreBounded(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u := b.user(t, "a@example.org")
	check(t, b.CreateOpenIDVisit(ctx, finance.OpenIDVisit{State: "own", Errand: finance.ErrandLink, UserID: u.ID, Begun: time.Now()}, time.Minute))
	check(t, b.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1)
			INSERT INTO openid_visit (state_hash, browser_hash, nonce, verifier, fresh, errand, detail, remember, created, expires)
			SELECT 'stranger ' || i, '', '', '', 0, 'sign-in', '', 0, '', $2 FROM n`, mostVisits, sqlite.At(tx.Now.Add(2*time.Minute)))
		return err
	}))
	check(t, b.CreateOpenIDVisit(ctx, finance.OpenIDVisit{State: "new", Errand: finance.ErrandSignIn, Begun: time.Now()}, 10*time.Minute))
	var open int
	check(t, b.db.Read().QueryRowContext(ctx, `SELECT COUNT(*) FROM openid_visit WHERE user_id IS NULL`).Scan(&open))
	if open != mostVisits {
		t.Errorf("%d visits of strangers are open", open)
	}
	for _, state := range []finance.Secret{"own", "new"} {
		if _, err := b.TakeOpenIDVisit(ctx, state, ""); err != nil {
			t.Errorf("%s: %v", state.Reveal(), err)
		}
	}
}

func TestOpenIDIdentities(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u, other := b.user(t, "a@example.org"), b.user(t, "b@example.org")
	const home, away = "https://home.example", "https://away.example"
	check(t, b.LinkIdentity(ctx, u.ID, home, "1"))
	check(t, b.LinkIdentity(ctx, u.ID, away, "1"))
	check(t, b.LinkIdentity(ctx, other.ID, away, "2"))
	for name, try := range map[string][3]string{"of another": {other.ID, home, "1"}, "a second one": {u.ID, home, "2"}} {
		if err := b.LinkIdentity(ctx, try[0], try[1], try[2]); !errors.Is(err, ErrIdentityTaken) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := must(b.UserOfIdentity(ctx, home, "1"))(t); got.ID != u.ID || got.Email != u.Email {
		t.Errorf("%+v", got)
	}
	for _, try := range [][2]string{{home, "2"}, {"https://HOME.example", "1"}, {home + "/", "1"}, {home, ""}} { // only the exact issuer and subject count
		if _, err := b.UserOfIdentity(ctx, try[0], try[1]); !errors.Is(err, finance.ErrNotFound) {
			t.Errorf("%v: %v", try, err)
		}
	}
	kept, ended := must(b.CreateSignIn(ctx, NewSignIn{UserID: u.ID, PasswordHash: "hash of " + u.Email, Device: "one"}))(t),
		must(b.CreateSignInOf(ctx, home, "1", NewSignIn{UserID: u.ID, Device: "two", Remembered: true}))(t)
	if i := must(b.OpenIDIdentity(ctx, u.ID, home))(t); i.Subject != "1" || i.Used.IsZero() || i.Created.IsZero() || !ended.Remembered {
		t.Errorf("%+v, %+v", i, ended)
	}
	check(t, b.RemoveIdentity(ctx, u.ID, home, kept.ID))
	if _, _, err := b.SignedIn(ctx, u.ID, ended.ID); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("the other sign-in: %v", err)
	}
	if _, _, err := b.SignedIn(ctx, u.ID, kept.ID); err != nil {
		t.Errorf("the own sign-in: %v", err)
	}
	for name, err := range map[string]error{
		"removed twice": b.RemoveIdentity(ctx, u.ID, home, kept.ID),
		"of the removed": func() error {
			_, err := b.CreateSignInOf(ctx, home, "1", NewSignIn{UserID: u.ID, Device: "late"})
			return err
		}(),
		"of another": func() error {
			_, err := b.CreateSignInOf(ctx, away, "2", NewSignIn{UserID: u.ID, Device: "foreign"})
			return err
		}(),
	} {
		if !errors.Is(err, finance.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	made := must(b.CreateUserWithIdentity(ctx, "new@example.org", finance.RoleMember, home, "3"))(t)
	if hash := must(b.PasswordHash(ctx, made.ID))(t); hash != NoPassword {
		t.Errorf("the hash is %q", hash)
	}
	if _, err := b.CreateUserWithIdentity(ctx, "new@example.org", finance.RoleMember, home, "4"); !errors.Is(err, ErrEmailTaken) {
		t.Errorf("the same address: %v", err)
	}
	if _, err := b.CreateUserWithIdentity(ctx, "newer@example.org", finance.RoleMember, home, "3"); !errors.Is(err, ErrIdentityTaken) {
		t.Errorf("the same identity: %v", err)
	}
	if all := must(b.Users(ctx))(t); strings.Contains(all[len(all)-1].Email, "newer") {
		t.Error("a user without an identity is left")
	}
}
