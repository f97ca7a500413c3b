package auth

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/hotp"

	"florin/internal/finance"
)

// codeOf is what an app with the secret shows by a clock that is off by some time.
func codeOf(t testing.TB, secret finance.Secret, off time.Duration) finance.Secret {
	t.Helper()
	code, err := hotp.GenerateCode(secret.Reveal(), uint64(stepAt(time.Now().Add(off))))
	check(t, err)
	return finance.Secret(code)
}

// withApp gives the user an app, and returns its secret and the recovery codes that came with it.
func withApp(t testing.TB, a *Auth, user finance.User, signInID string) (finance.Secret, []finance.Secret) {
	t.Helper()
	check(t, a.BeginAuthenticator(t.Context(), user.ID, signInID))
	begun, err := a.AuthenticatorSetup(t.Context(), user, signInID)
	check(t, err)
	_, codes, err := a.AddAuthenticator(t.Context(), user, signInID, "Phone", codeOf(t, begun.Secret, -codePeriod))
	check(t, err)
	return begun.Secret, codes
}

func isCode(err error, want CodeFault) bool {
	wrong, is := errors.AsType[*CodeError](err)
	return is && wrong.Fault == want
}

// first takes the first step of a sign-in.
func first(t testing.TB, a *Auth, user finance.User, from Browser) Pending {
	t.Helper()
	_, signIn, err := a.SignIn(t.Context(), user.Email, password, from, true)
	second, is := errors.AsType[*SecondStepError](err)
	if !is || signIn.ID != "" {
		t.Fatalf("the password alone signs in: %v", err)
	}
	return second.Pending
}

// TestSecondStep: the password alone signs nobody in who has an app. A code counts once, an older one not at all, within 30 seconds of either side.
func TestSecondStep(t *testing.T) {
	inBubble(t, func(t *testing.T, open func(...Option) *Auth, user finance.User) {
		a := open()
		_, desk, err := a.SignIn(t.Context(), user.Email, password, Browser{}, false)
		check(t, err)
		secret, codes := withApp(t, a, user, desk.ID)
		if len(codes) != finance.RecoveryCodes {
			t.Fatalf("%d recovery codes", len(codes))
		}
		eve, err := a.AddUser(t.Context(), "eve@example.org", password, finance.RoleMember)
		check(t, err)
		_, hers, err := a.SignIn(t.Context(), eve.Email, password, Browser{}, false)
		check(t, err)
		foreign, foreignCodes := withApp(t, a, eve, hers.ID)

		p := first(t, a, user, Browser{})
		complete := func(p Pending, code finance.Secret) error {
			_, signIn, err := a.Complete(t.Context(), p, code, Browser{})
			if (signIn.ID != "") != (err == nil) {
				t.Errorf("a sign-in %v with %v", signIn, err)
			}
			return err
		}
		shown := func(secret finance.Secret, off time.Duration) func() finance.Secret {
			return func() finance.Secret { return codeOf(t, secret, off) }
		}
		typed := func(text finance.Secret) func() finance.Secret { return func() finance.Secret { return text } }
		for _, c := range []struct {
			name string
			code func() finance.Secret
			want CodeFault
		}{
			{"the one of the set-up", shown(secret, -codePeriod), CodeUsed},
			{"nothing", typed(" "), CodeFormat},
			{"words", typed("a code"), CodeFormat},
			{"of another user", shown(foreign, 0), CodeWrong},
			{"a recovery code of another user", typed(foreignCodes[0]), CodeWrong},
			{"of two minutes ago", shown(secret, -2*time.Minute), CodeWrong},
			{"of in two minutes", shown(secret, 2*time.Minute), CodeClock},
		} {
			if err := complete(p, c.code()); !isCode(err, c.want) {
				t.Errorf("a code that is %s: %v, want %q", c.name, err, c.want)
			}
			time.Sleep(2 * time.Hour)
			p = first(t, a, user, Browser{})
		}
		time.Sleep(25 * time.Hour) // nothing counts any more
		p = first(t, a, user, Browser{})
		code := codeOf(t, secret, 0)
		check(t, complete(p, finance.Secret(code.Reveal()[:3]+" "+code.Reveal()[3:])))
		if err := complete(p, code); !isCode(err, CodeUsed) {
			t.Error("a second time:", err)
		}
		if err := complete(p, codeOf(t, secret, -codePeriod)); !isCode(err, CodeUsed) {
			t.Error("an older one:", err)
		}
		check(t, complete(first(t, a, user, Browser{}), codeOf(t, secret, codePeriod))) // a clock that is half a minute ahead

		// Recovery codes, as people type them: each once.
		check(t, complete(first(t, a, user, Browser{}), finance.Secret(" "+strings.ToLower(codes[0].Reveal()[:4]+"-"+codes[0].Reveal()[4:])+" ")))
		if err := complete(first(t, a, user, Browser{}), codes[0]); !isCode(err, CodeUsed) {
			t.Error("a recovery code a second time:", err)
		}
		has, err := a.SecondFactors(t.Context(), user.ID)
		check(t, err)
		anew, err := a.MakeRecoveryCodes(t.Context(), user.ID, has.CodeSet)
		check(t, err)
		if err := complete(first(t, a, user, Browser{}), codes[1]); !isCode(err, CodeWrong) {
			t.Error("a recovery code of before:", err)
		}
		check(t, complete(first(t, a, user, Browser{}), anew[1]))
		told, err := a.store.Notices(t.Context(), user.ID)
		check(t, err)
		var used []string
		for _, n := range told {
			if n.Kind == finance.NoticeRecoveryUsed {
				used = append(used, n.Name)
			}
		}
		if len(used) != 2 || used[0] != "9" || used[1] != "9" { // of ten, twice
			t.Errorf("told that codes were used: %q", used)
		}
	})
}

// TestSecondStepThirtyTimes: guesses wait as those at passwords do, wherever they come from; and the person on a known device does not wait for them.
func TestSecondStepThirtyTimes(t *testing.T) {
	inBubble(t, func(t *testing.T, open func(...Option) *Auth, user finance.User) {
		a := open()
		known := Browser{Address: home, ID: "the owner's browser", Known: []string{user.ID}}
		_, desk, err := a.SignIn(t.Context(), user.Email, password, known, false)
		check(t, err)
		secret, _ := withApp(t, a, user, desk.ID)
		time.Sleep(time.Minute)
		p, looked := first(t, a, user, Browser{Address: home}), 0
		for range 30 {
			_, _, err := a.Complete(t.Context(), p, "000000", Browser{Address: home})
			if !isWait(err) {
				looked++
			}
		}
		if looked != freeAccount {
			t.Errorf("%d of 30 guesses in a moment were looked at", looked)
		}
		if _, _, err := a.Complete(t.Context(), p, codeOf(t, secret, 0), Browser{}); !isWait(err) {
			t.Error("the right code from elsewhere meanwhile:", err)
		}
		if _, _, err := a.Complete(t.Context(), first(t, a, user, known), codeOf(t, secret, 0), known); err != nil {
			t.Error("the person on a known device:", err)
		}
	})
}

// TestCodeAheadOfItsTime: whoever is told that a code is ahead of its time cannot wait for that time: a guess would be right for twenty codes that are still to
// come. The codes before and after it stay good.
func TestCodeAheadOfItsTime(t *testing.T) {
	inBubble(t, func(t *testing.T, open func(...Option) *Auth, user finance.User) {
		a := open()
		_, desk, err := a.SignIn(t.Context(), user.Email, password, Browser{}, false)
		check(t, err)
		secret, _ := withApp(t, a, user, desk.ID)
		p := first(t, a, user, Browser{})
		complete := func(code finance.Secret) error {
			_, _, err := a.Complete(t.Context(), p, code, Browser{})
			return err
		}
		guessed, proved := codeOf(t, secret, 2*time.Minute), codeOf(t, secret, 4*time.Minute)
		if err := complete(guessed); !isCode(err, CodeClock) {
			t.Fatal(err)
		}
		_, err = a.StepUp(t.Context(), user, desk.ID, ForServices, Evidence{ByCode: proved})
		if wrong, is := errors.AsType[*ProofError](err); !is || !isCode(wrong.Why, CodeClock) {
			t.Fatal(err)
		}
		time.Sleep(90 * time.Second)
		check(t, complete(codeOf(t, secret, 0)))
		time.Sleep(codePeriod)
		if err := complete(guessed); !isCode(err, CodeUsed) {
			t.Error("the guess when its time has come:", err)
		}
		time.Sleep(2 * time.Minute)
		if _, err := a.StepUp(t.Context(), user, desk.ID, ForServices, Evidence{ByCode: proved}); err == nil {
			t.Error("the guess is a proof when its time has come")
		}
		time.Sleep(codePeriod)
		check(t, complete(codeOf(t, secret, 0)))
	})
}

// TestPendingEnds: the first step of a sign-in is good for ten minutes, and ends with the password that it was checked against.
func TestPendingEnds(t *testing.T) {
	inBubble(t, func(t *testing.T, open func(...Option) *Auth, user finance.User) {
		a := open()
		_, desk, err := a.SignIn(t.Context(), user.Email, password, Browser{}, false)
		check(t, err)
		secret, _ := withApp(t, a, user, desk.ID)
		time.Sleep(time.Minute)
		p := first(t, a, user, Browser{})
		if again, ok := ParsePending(p.String()); !ok || again.String() != p.String() || !again.Remember || again.UserID != user.ID {
			t.Errorf("%q is read as %q, %t", p.String(), again.String(), ok)
		}
		for _, text := range []string{"", "a b c d e", p.String() + " x", strings.TrimSuffix(p.String(), p.String()[len(p.String())-1:])} {
			if _, ok := ParsePending(text); ok {
				t.Errorf("%q is a pending sign-in", text)
			}
		}
		check(t, a.SetPassword(t.Context(), user, "another long password"))
		if _, _, err := a.Complete(t.Context(), p, codeOf(t, secret, 0), Browser{}); !errors.Is(err, ErrPending) {
			t.Error("after a new password:", err)
		}
		forged := p
		forged.proof = pendingProof(user.ID, ByPassword, "")
		if _, _, err := a.Complete(t.Context(), forged, codeOf(t, secret, 0), Browser{}); !errors.Is(err, ErrPending) {
			t.Error("forged:", err)
		}
		time.Sleep(PendingLife)
		if _, ok := ParsePending(p.String()); ok {
			t.Error("it is good after ten minutes")
		}
	})
}

// TestSetUpOfAnApp: the secret belongs to the sign-in that began, whatever others of the same user do; for ten minutes; and clocks that differ are told.
func TestSetUpOfAnApp(t *testing.T) {
	inBubble(t, func(t *testing.T, open func(...Option) *Auth, user finance.User) {
		a := open()
		_, one, err := a.SignIn(t.Context(), user.Email, password, Browser{}, false)
		check(t, err)
		_, two, err := a.SignIn(t.Context(), user.Email, password, Browser{}, false)
		check(t, err)
		begin := func(signInID string) finance.Secret {
			t.Helper()
			check(t, a.BeginAuthenticator(t.Context(), user.ID, signInID))
			begun, err := a.AuthenticatorSetup(t.Context(), user, signInID)
			check(t, err)
			if !strings.Contains(begun.URI.Reveal(), "secret="+begun.Secret.Reveal()) || len(begun.Secret.Reveal()) != 32 {
				t.Errorf("the QR code says %s", begun.URI.Reveal())
			}
			return begun.Secret
		}
		add := func(signInID string, code finance.Secret) error {
			_, _, err := a.AddAuthenticator(t.Context(), user, signInID, "Phone", code)
			return err
		}
		first, second := begin(one.ID), begin(two.ID)
		if again, err := a.AuthenticatorSetup(t.Context(), user, one.ID); err != nil || again.Secret != first || first == second {
			t.Error("the second sign-in took the secret of the first", err)
		}
		if err := add(one.ID, codeOf(t, second, 0)); !isCode(err, CodeWrong) {
			t.Error("a code of the other sign-in:", err)
		}
		for off, want := range map[time.Duration]time.Duration{2 * time.Minute: 2 * time.Minute, -2 * time.Minute: -2 * time.Minute} {
			wrong, is := errors.AsType[*CodeError](add(one.ID, codeOf(t, first, off)))
			if !is || wrong.Fault != CodeClock || wrong.Off != want {
				t.Errorf("a clock that is off by %s: %v", off, wrong)
			}
		}
		check(t, add(one.ID, codeOf(t, first, 0)))
		if err := add(one.ID, codeOf(t, first, 0)); !isCode(err, CodeSetup) {
			t.Error("a second time:", err)
		}
		check(t, add(two.ID, codeOf(t, second, 0)))
		begin(one.ID)
		time.Sleep(AuthenticatorLife)
		if err := add(one.ID, "123456"); !isCode(err, CodeSetup) {
			t.Error("after ten minutes:", err)
		}
		third := begin(one.ID)
		for range 30 {
			err = add(one.ID, "abcdef")
		}
		if !isCode(err, CodeFormat) {
			t.Error("no code at all:", err)
		}
		for range 30 {
			err = add(one.ID, codeOf(t, third, time.Hour))
		}
		if !isWait(err) {
			t.Error("thirty guesses at the set-up:", err)
		}
		if err := a.BeginAuthenticator(t.Context(), user.ID, "no sign-in"); err == nil {
			t.Error("somebody who is not signed in begins")
		}
	})
}

// TestStepUpWithACode: a code of an app, or a recovery code, proves who somebody is as the password does, and once; what changes how one signs in takes both.
func TestStepUpWithACode(t *testing.T) {
	inBubble(t, func(t *testing.T, open func(...Option) *Auth, user finance.User) {
		a := open()
		_, desk, err := a.SignIn(t.Context(), user.Email, password, Browser{}, false)
		check(t, err)
		secret, codes := withApp(t, a, user, desk.ID)
		prove := func(purpose Purpose, given Evidence) error {
			_, err := a.StepUp(t.Context(), user, desk.ID, purpose, given)
			return err
		}
		code := codeOf(t, secret, 0)
		check(t, prove(ForPayment("p1", "hash"), Evidence{ByCode: code}))
		err = prove(ForPayment("p1", "hash"), Evidence{ByCode: code})
		if wrong, is := errors.AsType[*ProofError](err); !is || wrong.Method != ByCode || !isCode(wrong.Why, CodeUsed) {
			t.Error("a second time:", err)
		}
		check(t, prove(ForPayment("p1", "hash"), Evidence{ByPassword: password}))
		time.Sleep(time.Minute)
		for _, purpose := range []Purpose{ForSecond, ForPasskeys, ForPassword} {
			if err := prove(purpose, Evidence{ByPassword: password}); err == nil {
				t.Errorf("the password alone is enough for %s", purpose)
			}
			if err := prove(purpose, Evidence{ByCode: codeOf(t, secret, 0)}); err == nil {
				t.Errorf("a code alone is enough for %s", purpose)
			}
			check(t, prove(purpose, Evidence{ByPassword: password, ByCode: codes[0]}))
			codes = codes[1:]
		}
		for range 5 {
			if err := prove(ForServices, Evidence{ByCode: "000000"}); err == nil {
				t.Error("a guess is right")
			}
		}
		if err := prove(ForServices, Evidence{ByCode: codeOf(t, secret, 0)}); !isWait(err) {
			t.Error("after five guesses:", err)
		}
		check(t, prove(ForServices, Evidence{ByPassword: password}))
	})
}

// TestStepUpWithAPasskey: what a passkey signs covers what it is for: the answer to a question for one payment is none for the same with another amount.
func TestStepUpWithAPasskey(t *testing.T) {
	h := newHolder(t)
	_, signIn, err := h.SignIn(t.Context(), h.user.Email, password, Browser{}, false)
	check(t, err)
	ask := func(signInID string, purpose Purpose) finance.Secret {
		t.Helper()
		options, err := h.AskPasskeyFor(t.Context(), h.user.ID, signInID, purpose.String())
		check(t, err)
		return finance.Secret(h.device.Get(t, options))
	}
	prove := func(purpose Purpose, answer finance.Secret) error {
		_, err := h.StepUp(t.Context(), h.user, signIn.ID, purpose, Evidence{ByPasskey: answer})
		return err
	}
	late := func(what string, err error) {
		t.Helper()
		wrong, is := errors.AsType[*ProofError](err)
		if !is || wrong.Method != ByPasskey {
			t.Errorf("%s: %v", what, err)
			return
		}
		h.refuses(PasskeyLate, wrong.Why)
	}
	pay := ForPayment("p1", "hash of 12.30 EUR to ACME")
	answer := ask(signIn.ID, pay)
	check(t, prove(pay, answer))
	late("a second time", prove(pay, answer))
	late("another amount", prove(ForPayment("p1", "hash of 12.31 EUR to ACME"), ask(signIn.ID, pay)))
	late("another payment", prove(ForPayment("p2", "hash of 12.30 EUR to ACME"), ask(signIn.ID, pay)))
	late("another sign-in", prove(pay, ask("another sign-in", pay)))
	_, signIn, err = h.SignIn(t.Context(), h.user.Email, password, Browser{}, false) // with tries of its own
	check(t, err)
	signing, err := h.AskPasskey(finance.Secret(signIn.ID))
	check(t, err)
	late("a question of signing in", prove(pay, finance.Secret(h.device.Get(t, signing))))
	late("a question for a setting", prove(pay, ask(signIn.ID, ForServices)))
	for _, purpose := range []Purpose{ForSecond, ForPasskeys, ForOpenID, ForServices, ForDeletion} {
		check(t, prove(purpose, ask(signIn.ID, purpose))) // two factors at once
	}
	if err := prove(ForPassword, ask(signIn.ID, ForPassword)); err == nil {
		t.Error("a passkey sets a new password without the present one")
	}
	if err := prove(pay, "{}"); err == nil {
		t.Error("nothing is a proof")
	}

	// Who changes what signs them in proves it as at a sign-in: where everybody needs a second factor, the password is not enough.
	byPassword := func(purpose Purpose) error {
		_, err := h.StepUp(t.Context(), h.user, signIn.ID, purpose, Evidence{ByPassword: password})
		return err
	}
	check(t, byPassword(ForSecond))
	check(t, h.store.RequireSecondFactor(t.Context(), true))
	for _, purpose := range []Purpose{ForSecond, ForPasskeys, ForOpenID} {
		if wrong, is := errors.AsType[*ProofError](byPassword(purpose)); !is || wrong.Method != ByPasskey || !wrong.Missing {
			t.Errorf("the password alone for %s: %v", purpose, wrong)
		}
		check(t, prove(purpose, ask(signIn.ID, purpose)))
	}
	check(t, byPassword(pay))
	check(t, byPassword(ForPassword))
}
