package store

import (
	"errors"
	"slices"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/sqlite"
)

// noticed lists the kinds of a user's open notices.
func (b *bed) noticed(t testing.TB, u finance.User) (kinds []finance.NoticeKind) {
	t.Helper()
	for _, n := range must(b.Notices(t.Context(), u.ID))(t) {
		kinds = append(kinds, n.Kind)
	}
	return kinds
}

// mails claims and sends all mails that are due.
func (b *bed) mails(t testing.TB) (sent []finance.Mail) {
	t.Helper()
	for range 100 {
		m, ok, _, err := b.ClaimMail(t.Context())
		check(t, err)
		if !ok {
			return sent
		}
		check(t, b.EndMail(t.Context(), m.User.ID, m.ID, ""))
		sent = append(sent, m)
	}
	t.Fatal("the mails do not end")
	return nil
}

// ends sets how many days the consent of a connection has left, and for how many days it was given.
func (b *bed) ends(t testing.TB, connectionID string, left, given float64) {
	t.Helper()
	days := func(n float64) time.Duration { return time.Duration(n * 24 * float64(time.Hour)) }
	check(t, b.db.Write(t.Context(), func(tx *sqlite.Tx) error {
		until := tx.Now.Add(days(left))
		_, err := tx.ExecContext(t.Context(), `UPDATE connection SET valid_until = $1, authorized = $2 WHERE id = $3`, sqlite.At(until), sqlite.At(until.Add(-days(given))), connectionID)
		return err
	}))
}

// A change of the ways to sign in causes a notice in the same transaction: one for the user, none for others, until it is closed.
func TestChangesOfASignInAreTold(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u, other := b.user(t, "a@example.org"), b.user(t, "b@example.org")
	hash := "hash of " + u.Email
	signIn := NewSignIn{UserID: u.ID, PasswordHash: hash, Device: "Firefox on Linux", Language: "de", NewDevice: true}
	first := must(b.CreateSignIn(ctx, signIn))(t) // the very first sign-in causes no notice
	if kinds := b.noticed(t, u); len(kinds) != 0 {
		t.Errorf("notices after the first sign-in: %v", kinds)
	}
	must(b.CreateSignIn(ctx, signIn))(t)
	signIn.NewDevice = false
	must(b.CreateSignIn(ctx, signIn))(t)
	signIn.NewDevice = true
	passkey := must(b.AddPasskey(ctx, finance.Passkey{UserID: u.ID, Site: "florin.example", Credential: []byte("1"), PublicKey: []byte("key"), Name: "phone"}))(t)
	must(b.CreatePasskeySignIn(ctx, passkey, signIn))(t)
	must(b.RemovePasskey(ctx, u.ID, passkey.ID, "", ""))(t)
	if _, err := b.RemovePasskey(ctx, u.ID, passkey.ID, "", ""); !errors.Is(err, finance.ErrNotFound) {
		t.Error(err)
	}
	const issuer = "https://login.example"
	check(t, b.LinkIdentity(ctx, u.ID, issuer, "1"))
	if err := b.LinkIdentity(ctx, u.ID, issuer, "2"); !errors.Is(err, ErrIdentityTaken) {
		t.Error(err)
	}
	check(t, b.RemoveIdentity(ctx, u.ID, issuer, first.ID))
	check(t, b.SetPassword(ctx, u.ID, "second", first.ID))
	check(t, b.ResetPassword(ctx, u.ID, "third"))
	check(t, b.CreateResetLink(ctx, u.ID, "token", time.Hour))
	check(t, b.UseResetLink(ctx, "token", u.ID, "fourth"))
	if err := b.SetPassword(ctx, u.ID, "late", first.ID); !errors.Is(err, finance.ErrNotFound) {
		t.Error(err)
	}
	want := []finance.NoticeKind{finance.NoticeNewDevice, finance.NoticePasskeyAdded, finance.NoticeNewDevice, finance.NoticePasskeyRemoved,
		finance.NoticeProviderAdded, finance.NoticeProviderRemoved, finance.NoticePasswordChanged, finance.NoticePasswordSet, finance.NoticePasswordReset}
	got := b.noticed(t, u)
	slices.Sort(got)
	if slices.Sort(want); !slices.Equal(got, want) {
		t.Errorf("notices %v, want %v", got, want)
	}
	if kinds := b.noticed(t, other); len(kinds) != 0 {
		t.Errorf("another user has the notices %v", kinds)
	}
	names := map[finance.NoticeKind]string{finance.NoticeNewDevice: signIn.Device, finance.NoticePasskeyAdded: passkey.Name,
		finance.NoticePasskeyRemoved: passkey.Name,
		finance.NoticeProviderAdded:  issuer, finance.NoticeProviderRemoved: issuer}
	for _, m := range b.mails(t) {
		i := slices.Index(want, m.Notice.Kind)
		if i < 0 || m.User.ID != u.ID || m.Language != "de" || m.Kind != finance.MailKind(m.Notice.Kind) || m.Notice.Name != names[m.Notice.Kind] {
			t.Fatalf("mail %+v", m)
		}
		want = slices.Delete(want, i, i+1)
	}
	if len(want) != 0 {
		t.Errorf("no mail about %v", want)
	}
	for _, n := range must(b.Notices(ctx, u.ID))(t) {
		if err := b.CloseNotice(ctx, other.ID, n.ID); !errors.Is(err, finance.ErrNotFound) {
			t.Errorf("closed by somebody else: %v", err)
		}
		check(t, b.CloseNotice(ctx, u.ID, n.ID))
		check(t, b.CloseNotice(ctx, u.ID, n.ID)) // a second click
	}
	if kinds := b.noticed(t, u); len(kinds) != 0 {
		t.Errorf("after closing: %v", kinds)
	}
}

// A person is reminded of the end of a consent 14, 7 and 1 days before, each time once, also by mail. After a long time off, Florin sends only the last of
// these reminders. It sends none once the consent was renewed or has ended.
func TestReminders(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u := b.user(t, "a@example.org")
	done, _ := b.link(t, u, "session", resource("h", "EUR", "uid"))
	id := done.ConnectionID
	remind := func() (mails int) {
		t.Helper()
		for range 3 { // a restart repeats nothing
			b.reopen(t)
			must(b.Remind(ctx))(t)
		}
		return len(b.messages(t))
	}
	for _, step := range []struct {
		left          float64
		notice, mails int
	}{{20, 0, 0}, {14, 1, 1}, {10, 1, 0}, {6.9, 1, 1}, {0.5, 1, 1}, {0.2, 1, 0}} {
		b.ends(t, id, step.left, 90) // the days pass: the notice is still about the same end
		check(t, b.db.Write(ctx, func(tx *sqlite.Tx) error {
			_, err := tx.ExecContext(ctx, `UPDATE notice SET ends = (SELECT c.valid_until FROM connection c WHERE c.id = $1)`, id)
			return err
		}))
		if mails := remind(); mails != step.mails {
			t.Errorf("%v days left: %d mails, want %d", step.left, mails, step.mails)
		}
		if told := must(b.Notices(ctx, u.ID))(t); len(told) != step.notice || len(told) == 1 &&
			(told[0].Connection.ID != id || told[0].Connection.ASPSP != bank) {
			t.Errorf("%v days left: notices %+v", step.left, told)
		}
	}

	b.ends(t, id, 90, 90) // the consent was renewed
	if told := b.noticed(t, u); len(told) != 0 {
		t.Errorf("notices after a renewal: %v", told)
	}
	b.ends(t, id, 5, 90) // Florin was off on the days 14 and 7
	if mails := remind(); mails != 1 {
		t.Errorf("%d mails after weeks, want the last alone", mails)
	}

	// A waiting mail is not sent once the consent was renewed or has ended.
	b.ends(t, id, 0.5, 90)
	must(b.Remind(ctx))(t)
	b.ends(t, id, 90, 90)
	if mails := b.messages(t); len(mails) != 0 {
		t.Errorf("%d mails about a renewed consent", len(mails))
	}
	b.ends(t, id, 6, 90)
	must(b.Remind(ctx))(t)
	check(t, b.EndConnection(ctx, u.ID, id, finance.ConnectionRevoked))
	if mails, told := b.messages(t), b.noticed(t, u); len(mails) != 0 || len(told) != 0 {
		t.Errorf("%d mails about an ended consent, notices %v", len(mails), told)
	}
}

// A reminder that was put aside comes back on the next of the days.
func TestReminderThatIsPutAside(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u := b.user(t, "a@example.org")
	done, _ := b.link(t, u, "session", resource("h", "EUR", "uid"))
	b.ends(t, done.ConnectionID, 8, 90)
	must(b.Remind(ctx))(t)
	told := must(b.Notices(ctx, u.ID))(t)
	if len(told) != 1 {
		t.Fatalf("notices %v", told)
	}
	check(t, b.CloseNotice(ctx, u.ID, told[0].ID))
	next := must(b.Remind(ctx))(t)
	if left := b.noticed(t, u); len(left) != 0 {
		t.Errorf("put aside, and still the notices %v", left)
	}
	if day := time.Until(next).Round(time.Hour); day != 24*time.Hour {
		t.Errorf("next in %v, want a day", day)
	}
}
