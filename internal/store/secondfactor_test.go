package store

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"florin/internal/finance"
)

// withApp adds an authenticator app to a user, through a sign-in of theirs.
func (b *bed) withApp(t testing.TB, u finance.User, name string) finance.Authenticator {
	t.Helper()
	signIn := must(b.CreateSignIn(t.Context(), NewSignIn{UserID: u.ID, PasswordHash: "hash of " + u.Email}))(t)
	secret := finance.Secret("SECRET OF " + name)
	check(t, b.BeginAuthenticator(t.Context(), u.ID, signIn.ID, secret, time.Minute))
	app, _, err := b.AddAuthenticator(t.Context(), signIn.ID, finance.Authenticator{UserID: u.ID, Secret: secret, Name: name, Step: 100}, []finance.Secret{"A", "B"})
	check(t, err)
	return app
}

// A code is accepted once, only together with the sign-in that it came with, and causes a notice.
func TestCodesAreUsedOnce(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u, other := b.user(t, "a@example.org"), b.user(t, "b@example.org")
	app := b.withApp(t, u, "Phone")
	begin := func(user finance.User, use finance.SecondUse) error {
		_, err := b.CreateSignIn(ctx, NewSignIn{UserID: user.ID, PasswordHash: "hash of " + user.Email, Second: use})
		return err
	}
	for _, c := range []struct {
		step int64
		want error
	}{{100, ErrCodeUsed}, {101, nil}, {101, ErrCodeUsed}, {99, ErrCodeUsed}, {103, nil}, {102, ErrCodeUsed}} {
		if err := begin(u, finance.SecondUse{AuthenticatorID: app.ID, Step: c.step}); !errors.Is(err, c.want) {
			t.Errorf("step %d: %v, want %v", c.step, err, c.want)
		}
	}
	if err := begin(other, finance.SecondUse{AuthenticatorID: app.ID, Step: 200}); !errors.Is(err, finance.ErrNotFound) {
		t.Error("somebody signs in with the app of another:", err)
	}
	if n := b.number(t, `SELECT count(*) FROM user_session WHERE user_id = '`+other.ID+`'`); n != 0 {
		t.Errorf("%d sign-ins with a code that was refused", n)
	}
	for _, c := range []struct {
		code finance.Secret
		want error
	}{{"A", nil}, {"A", ErrCodeUsed}, {"C", finance.ErrNotFound}, {"B", nil}} {
		if err := b.UseSecond(ctx, u.ID, finance.SecondUse{RecoveryCode: c.code}); !errors.Is(err, c.want) {
			t.Errorf("code %s: %v, want %v", c.code.Reveal(), err, c.want)
		}
	}
	if err := b.UseSecond(ctx, other.ID, finance.SecondUse{RecoveryCode: "B"}); !errors.Is(err, finance.ErrNotFound) {
		t.Error("somebody uses the code of another:", err)
	}
	before := must(b.SecondFactors(ctx, u.ID, ""))(t).CodeSet
	check(t, b.MakeRecoveryCodes(ctx, u.ID, before, []finance.Secret{"D"}))
	for _, stale := range []string{before, ""} {
		if err := b.MakeRecoveryCodes(ctx, u.ID, stale, []finance.Secret{"E"}); !errors.Is(err, ErrCodesMade) {
			t.Errorf("made again in place of %q: %v", stale, err)
		}
	}
	if err := b.UseSecond(ctx, u.ID, finance.SecondUse{RecoveryCode: "B"}); !errors.Is(err, finance.ErrNotFound) {
		t.Error("a code of before:", err)
	}
	kinds := map[finance.NoticeKind]int{}
	for _, kind := range b.noticed(t, u) {
		kinds[kind]++
	}
	if kinds[finance.NoticeAppAdded] != 1 || kinds[finance.NoticeRecoveryUsed] != 2 || kinds[finance.NoticeRecoveryCodes] != 1 {
		t.Errorf("notices %v", kinds)
	}
	if n := b.number(t, `SELECT count(*) FROM authenticator WHERE secret LIKE '%SECRET%'`) + b.number(t, `SELECT count(*) FROM recovery_code WHERE code_hash = 'D'`); n != 0 {
		t.Error("a secret is in the database as it is")
	}
}

// Set-ups of apps belong to a sign-in, are limited in number, and expire.
func TestSetUpsOfApps(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u, other := b.user(t, "a@example.org"), b.user(t, "b@example.org")
	var ids []string
	for range mostSetups + 1 {
		ids = append(ids, must(b.CreateSignIn(ctx, NewSignIn{UserID: u.ID, PasswordHash: "hash of " + u.Email}))(t).ID)
	}
	for i, id := range ids {
		err := b.BeginAuthenticator(ctx, u.ID, id, finance.Secret(strconv.Itoa(i)), time.Hour)
		if (i == mostSetups) != errors.Is(err, ErrTooManySetups) || i < mostSetups && err != nil {
			t.Fatalf("set-up %d: %v", i, err)
		}
	}
	check(t, b.BeginAuthenticator(ctx, u.ID, ids[3], "again", time.Hour)) // it replaces the set-up of the same sign-in
	for i, want := range map[int]finance.Secret{0: "0", 3: "again", 4: "4"} {
		if got := must(b.AuthenticatorSetup(ctx, u.ID, ids[i]))(t); got != want {
			t.Errorf("set-up %d has the secret %q", i, got.Reveal())
		}
	}
	if _, err := b.AuthenticatorSetup(ctx, other.ID, ids[0]); !errors.Is(err, finance.ErrNotFound) {
		t.Error("somebody reads the secret of another:", err)
	}
	if err := b.BeginAuthenticator(ctx, other.ID, ids[0], "x", time.Hour); !errors.Is(err, finance.ErrNotFound) {
		t.Error("somebody begins in a sign-in of another:", err)
	}
	add := func(secret finance.Secret) error {
		_, _, err := b.AddAuthenticator(ctx, ids[0], finance.Authenticator{UserID: u.ID, Secret: secret, Name: "x"}, nil)
		return err
	}
	if err := add("4"); !errors.Is(err, finance.ErrNotFound) {
		t.Error("with the secret of another sign-in:", err)
	}
	check(t, add("0"))
	for i := 1; i < finance.MaxAuthenticators; i++ {
		check(t, b.BeginAuthenticator(ctx, u.ID, ids[0], "y", time.Hour))
		check(t, add("y"))
	}
	check(t, b.BeginAuthenticator(ctx, u.ID, ids[0], "y", time.Hour))
	if err := add("y"); !errors.Is(err, ErrTooManyAuthenticators) {
		t.Error("one too many:", err)
	}
	check(t, b.BeginAuthenticator(ctx, u.ID, ids[0], "z", -time.Second))
	if err := add("z"); !errors.Is(err, finance.ErrNotFound) {
		t.Error("too late:", err)
	}
}

// When everybody needs a second factor, the last one cannot be removed, and a later sign-in must provide one. A passkey of another address does not count.
func TestEverybodyNeedsASecondFactor(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	const here = "florin.example"
	u := b.user(t, "a@example.org")
	signIn := func(n NewSignIn) string {
		t.Helper()
		n.UserID, n.PasswordHash = u.ID, "hash of "+u.Email
		return must(b.CreateSignIn(ctx, n))(t).ID
	}
	needs := func(what, signInID string, want bool) {
		t.Helper()
		if got := must(b.NeedsSecondFactor(ctx, u.ID, signInID, here))(t); got != want {
			t.Errorf("%s: needs one: %t", what, got)
		}
	}
	before := signIn(NewSignIn{})
	needs("nobody needs one", before, false)
	check(t, b.RequireSecondFactor(ctx, true))
	check(t, b.RequireSecondFactor(ctx, true))
	after, proved := signIn(NewSignIn{}), signIn(NewSignIn{TwoFactors: true})
	needs("a sign-in of before", before, false)
	needs("a sign-in of after", after, true)
	needs("two factors at the provider", proved, false)
	passkey := func(site, id string) finance.Passkey {
		t.Helper()
		return must(b.AddPasskey(ctx, finance.Passkey{UserID: u.ID, Site: site, Credential: []byte(id), PublicKey: []byte{0}, Name: id}))(t)
	}
	elsewhere := passkey("old.example", "old")
	needs("a passkey of another address", after, true)
	phone := passkey(here, "phone")
	needs("a passkey", after, false)
	must(b.RemovePasskey(ctx, u.ID, elsewhere.ID, "", here))(t)
	if _, err := b.RemovePasskey(ctx, u.ID, phone.ID, "", here); !errors.Is(err, ErrLastFactor) {
		t.Error("the last one is removed:", err)
	}
	app := b.withApp(t, u, "Phone")
	must(b.RemovePasskey(ctx, u.ID, phone.ID, "", here))(t)
	if _, err := b.RemoveAuthenticator(ctx, u.ID, app.ID, here); !errors.Is(err, ErrLastFactor) {
		t.Error("the last one is removed:", err)
	}
	other := b.user(t, "b@example.org")
	if _, err := b.RemoveAuthenticator(ctx, other.ID, app.ID, here); !errors.Is(err, finance.ErrNotFound) {
		t.Error("somebody removes the app of another:", err)
	}
	had := must(b.ResetSecondFactor(ctx, u.ID))(t)
	if had != (finance.SecondFactors{Apps: 1, Codes: 2, Required: true}) {
		t.Errorf("removed %+v", had)
	}
	if all := must(b.SignIns(ctx, u.ID, time.Unix(0, 0)))(t); len(all) != 0 {
		t.Errorf("%d sign-ins after the reset", len(all))
	}
	check(t, b.RequireSecondFactor(ctx, false))
	app = b.withApp(t, u, "Phone")
	if name := must(b.RemoveAuthenticator(ctx, u.ID, app.ID, here))(t); name != "Phone" {
		t.Errorf("removed %q", name)
	}
}
