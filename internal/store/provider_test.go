package store

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/openbanking"
)

const canarySetup = "canary-setup-key-0c44"

func aSetup(id string) finance.ProviderSetup {
	return finance.ProviderSetup{ID: id, Name: "A service", BaseURL: "https://api.example", Issuer: "i", Audience: "a", ApplicationID: "app-1",
		PrivateKey: canarySetup, Certificate: "PEM",
		Examination: finance.Examination{At: time.Unix(1000, 0).UTC(), Problem: finance.ProblemKey, Status: 401, Ahead: time.Minute, Clock: true,
			Countries: []string{"FI"}}}
}

// A setup is stored as it was typed, with its key encrypted, until it becomes a provider: then it is deleted.
func TestProviderSetup(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	ctx := t.Context()
	want := must(b.CreateProviderSetup(ctx, aSetup("one")))(t)
	if _, err := b.CreateProviderSetup(ctx, aSetup("one")); !errors.Is(err, ErrSetupExists) {
		t.Errorf("a second setup under the same id: %v", err)
	}
	got := must(b.ProviderSetup(ctx, "one"))(t)
	if got.PrivateKey != canarySetup || got.Certificate != "PEM" || got.ApplicationID != "app-1" || got.Examination.Problem != finance.ProblemKey ||
		got.Examination.Ahead != time.Minute ||
		!got.Examination.At.Equal(want.Examination.At) || !got.Created.Equal(want.Created) || len(got.Examination.Countries) != 1 {
		t.Errorf("read back as %+v", got)
	}
	for _, f := range must(filepath.Glob(b.path + "*"))(t) {
		if bytes.Contains(must(os.ReadFile(f))(t), []byte(canarySetup)) {
			t.Errorf("%s holds the key", f)
		}
	}
	got.ApplicationID = "app-2"
	must(b.ChangeProviderSetup(ctx, got))(t)
	if all := must(b.ProviderSetups(ctx))(t); len(all) != 1 || all[0].ApplicationID != "app-2" {
		t.Errorf("after the change: %+v", all)
	}
	if _, err := b.Provider(ctx, "one"); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("a setup is a provider: %v", err)
	}
	check(t, b.SaveProvider(ctx, got.Provider("https://florin.example/callback/one", openbanking.EnvironmentProduction)))
	p := must(b.Provider(ctx, "one"))(t)
	if p.PrivateKey != canarySetup || p.Simulated() || p.RedirectURL != "https://florin.example/callback/one" ||
		p.Examination.Problem != finance.ProblemKey || p.ApplicationID != "app-2" {
		t.Errorf("the provider is %+v", p)
	}
	if _, err := b.ProviderSetup(ctx, "one"); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("the setup is still there: %v", err)
	}
	if err := b.DeleteProviderSetup(ctx, "one"); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("thrown away twice: %v", err)
	}
	if _, err := b.ChangeProviderSetup(ctx, got); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("changed after its end: %v", err)
	}
}

// The examination of an older registration is not stored for a newer one.
func TestExaminationIsOfItsRegistration(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	ctx := t.Context()
	old := b.provider(t)
	check(t, b.SaveExamination(ctx, old, finance.Examination{At: time.Now(), Name: "first"}))
	if got := must(b.Provider(ctx, old.ID))(t); got.Examination.Name != "first" {
		t.Errorf("the examination is %+v", got.Examination)
	}
	time.Sleep(2 * time.Millisecond) // times are stored to the millisecond
	b.provider(t)
	check(t, b.SaveExamination(ctx, old, finance.Examination{At: time.Now(), Name: "late"}))
	if got := must(b.Provider(ctx, old.ID))(t); got.Examination.Done() {
		t.Errorf("the newer registration has the examination of the older: %+v", got.Examination)
	}
}

// A provider is not removed while a connection uses it. After a removal its key is deleted, its row stays for the history, and it can be connected again.
func TestRemoveProvider(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	ctx := t.Context()
	u := b.user(t, "a@example.org")
	p := b.provider(t)
	done, _ := b.link(t, u, "session", resource("h", "EUR", "uid"))
	if use := must(b.ProviderUse(ctx, p.ID))(t); use.Connections != 1 || !use.Open() {
		t.Errorf("use is %+v", use)
	}
	if err := b.RemoveProvider(ctx, p.ID); !errors.Is(err, ErrProviderInUse) {
		t.Fatalf("removed while it is in use: %v", err)
	}
	check(t, b.EndConnection(ctx, u.ID, done.ConnectionID, finance.ConnectionDisconnected))
	check(t, b.RemoveProvider(ctx, p.ID))
	if err := b.RemoveProvider(ctx, p.ID); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("removed twice: %v", err)
	}
	if all := must(b.Providers(ctx))(t); len(all) != 0 {
		t.Errorf("still listed: %+v", all)
	}
	gone := must(b.Provider(ctx, p.ID))(t)
	if gone.PrivateKey != "" || gone.Removed.IsZero() {
		t.Errorf("after the removal: %+v", gone)
	}
	if c := must(b.Connection(ctx, u.ID, done.ConnectionID))(t); c.ProviderName != "Simulated banks" {
		t.Errorf("the history names %q", c.ProviderName)
	}
	check(t, b.SaveProvider(ctx, p))
	if back := must(b.Provider(ctx, p.ID))(t); back.PrivateKey != canaryKey || !back.Removed.IsZero() {
		t.Errorf("connected again: %+v", back)
	}
}

// A removed provider is not asked to end sessions, because its key is deleted. A connection whose only rest was such a session is deleted with it.
func TestRemoveProviderThatHasNotEndedASession(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	ctx := t.Context()
	u := b.user(t, "a@example.org")
	p := b.provider(t)
	done, _ := b.link(t, u, "session", resource("h", "EUR", "uid"))
	if err := b.RemoveProvider(ctx, p.ID); !errors.Is(err, ErrProviderInUse) {
		t.Fatalf("removed while it is in use: %v", err)
	}
	if ended := must(b.DeleteAccount(ctx, u.ID, done.Accounts[0].Account.ID))(t); ended != done.ConnectionID {
		t.Fatalf("ended %q", ended)
	}
	check(t, b.RemoveProvider(ctx, p.ID))
	if e, ok, next, err := b.ClaimSessionEnd(ctx, "", time.Minute); ok || !next.IsZero() || err != nil {
		t.Errorf("it is still asked: %+v, next %v, %v", e, next, err)
	}
	if left := must(b.Connections(ctx, u.ID))(t); len(left) != 0 {
		t.Errorf("connections left: %+v", left)
	}
}

// A provider that was never used is deleted completely.
func TestRemoveUnusedProvider(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	p := b.provider(t)
	must(b.CreateProviderSetup(t.Context(), aSetup(p.ID)))(t)
	check(t, b.RemoveProvider(t.Context(), p.ID))
	if _, err := b.Provider(t.Context(), p.ID); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("the row is still there: %v", err)
	}
	if _, err := b.ProviderSetup(t.Context(), p.ID); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("its setup is still there: %v", err)
	}
}

// A provider is not removed while one of its payments may still arrive.
func TestProviderWithOpenPayment(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	u := b.user(t, "a@example.org")
	p := b.provider(t)
	b.sent(t, u, "p1", order(transfer("ACME", ibanDE, "1.00")))
	if err := b.RemoveProvider(t.Context(), p.ID); !errors.Is(err, ErrProviderInUse) {
		t.Errorf("removed with a payment under way: %v", err)
	}
	if use := must(b.ProviderUse(t.Context(), p.ID))(t); use.Payments != 1 || use.Connections != 0 {
		t.Errorf("use is %+v", use)
	}
}
