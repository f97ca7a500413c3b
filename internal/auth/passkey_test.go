package auth

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/webauthn/webauthntest"
)

var public = &url.URL{Scheme: "https", Host: "florin.example"}

// holder is a person with a passkey on a device, in a browser.
type holder struct {
	*rig
	t      *testing.T
	user   finance.User
	device *webauthntest.Device
}

func newHolder(t *testing.T) *holder {
	t.Helper()
	h := &holder{rig: newRig(t, Cheap, At(public)), t: t, device: &webauthntest.Device{Origin: public.String()}}
	h.user = h.owner(t)
	h.add("phone")
	return h
}

const (
	laptop = finance.Secret("secret of a browser")
	desk   = "sign-in at the desk"
)

func (h *holder) add(name string) finance.Passkey {
	h.t.Helper()
	options, err := h.AskNewPasskey(h.t.Context(), h.user, desk)
	check(h.t, err)
	p, err := h.AddPasskey(h.t.Context(), h.user, desk, name, finance.Secret(h.device.Create(h.t, options)))
	check(h.t, err)
	return p
}

func (h *holder) ask() []byte {
	h.t.Helper()
	options, err := h.AskPasskey(laptop)
	check(h.t, err)
	return options
}

func (h *holder) signIn(answer string) (finance.User, error) {
	h.t.Helper()
	user, _, err := h.SignInWithPasskey(h.t.Context(), finance.Secret(answer), laptop, Browser{Device: "Firefox on Linux", Address: home}, false)
	return user, err
}

func (h *holder) refuses(want PasskeyFault, err error) {
	h.t.Helper()
	refused, is := errors.AsType[*PasskeyError](err)
	if !is || refused.Fault != want {
		h.t.Errorf("refused with %v, want %q", err, want)
	}
}

func TestSignInWithAPasskey(t *testing.T) {
	h := newHolder(t)
	before := time.Now().Add(-time.Second)
	user, signIn, err := h.SignInWithPasskey(t.Context(), finance.Secret(h.device.Get(t, h.ask())), laptop, Browser{Device: "Firefox on Linux"}, true)
	if err != nil || user != h.user || !signIn.Remembered || signIn.Device != "Firefox on Linux" {
		t.Fatalf("%+v, %+v, %v", user, signIn, err)
	}
	if _, _, err := h.SignedIn(t.Context(), user.ID, signIn.ID); err != nil {
		t.Error("the sign-in is not good:", err)
	}
	has, err := h.store.Passkeys(t.Context(), user.ID)
	check(t, err)
	if len(has) != 1 || has[0].Name != "phone" || has[0].Counter != 1 || has[0].LastUsed.Before(before) || has[0].Site != "florin.example" || has[0].BackupEligible {
		t.Errorf("the passkey is %+v", has)
	}
}

// TestPasskeysThatAreRefused: each try is wrong in one thing, and the next right one is good all the same.
func TestPasskeysThatAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(h *holder) string
		want   PasskeyFault
	}{
		"another origin": {func(h *holder) string {
			h.device.Origin = "https://florin.example.evil.example"
			return h.device.Get(h.t, h.ask())
		}, PasskeyElsewhere},
		"another RP ID": {func(h *holder) string {
			h.device.Site = "example"
			return h.device.Get(h.t, h.ask())
		}, PasskeyElsewhere},
		"nobody verified": {func(h *holder) string {
			h.device.Unverified = true
			return h.device.Get(h.t, h.ask())
		}, PasskeyUnverified},
		"a question that nobody put": {func(h *holder) string {
			return h.device.Get(h.t, []byte(strings.Replace(string(h.ask()), `"challenge":"`, `"challenge":"A`, 1)))
		}, PasskeyLate},
		"a question that was answered": {func(h *holder) string {
			question := h.ask()
			_, err := h.signIn(h.device.Get(h.t, question))
			check(h.t, err)
			return h.device.Get(h.t, question)
		}, PasskeyLate},
		"a question of five minutes ago": {func(h *holder) string {
			question := h.ask()
			h.strangersAsked.now = func() time.Time { return time.Now().Add(ChallengeLife) }
			return h.device.Get(h.t, question)
		}, PasskeyLate},
		"a question of another browser": {func(h *holder) string {
			question, err := h.AskPasskey("another secret")
			check(h.t, err)
			return h.device.Get(h.t, question)
		}, PasskeyLate},
		"a question for a new passkey": {func(h *holder) string {
			question, err := h.AskNewPasskey(h.t.Context(), h.user, laptop.Reveal())
			check(h.t, err)
			return h.device.Get(h.t, []byte(strings.Replace(string(question), `{"rp":`, `{"rpId":"florin.example","rp":`, 1)))
		}, PasskeyLate},
		"another user's handle": {func(h *holder) string {
			eve, err := h.AddUser(h.t.Context(), "eve@example.org", password, finance.RoleMember)
			check(h.t, err)
			h.device.Handle = []byte(eve.ID)
			return h.device.Get(h.t, h.ask())
		}, PasskeyUnknown},
		"nobody's handle": {func(h *holder) string {
			h.device.Handle = []byte("nobody")
			return h.device.Get(h.t, h.ask())
		}, PasskeyUnknown},
		"one that was removed": {func(h *holder) string {
			has, err := h.store.Passkeys(h.t.Context(), h.user.ID)
			check(h.t, err)
			_, err = h.store.RemovePasskey(h.t.Context(), h.user.ID, has[0].ID, "", "")
			check(h.t, err)
			return h.device.Get(h.t, h.ask())
		}, PasskeyUnknown},
		"nothing":  {func(*holder) string { return "" }, PasskeyWrong},
		"no JSON":  {func(*holder) string { return "passkey" }, PasskeyWrong},
		"an empty": {func(*holder) string { return "{}" }, PasskeyWrong},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHolder(t)
			whole := *h.device
			user, err := h.signIn(c.answer(h))
			h.refuses(c.want, err)
			if user.ID != "" {
				t.Error("it tells whose it is")
			}
			if strings.Contains(name, "removed") {
				return
			}
			h.device.Origin, h.device.Site, h.device.Unverified, h.device.Handle = whole.Origin, "", false, nil
			h.strangersAsked.now = time.Now
			if _, err := h.signIn(h.device.Get(t, h.ask())); err != nil {
				t.Error("a good one afterwards:", err)
			}
		})
	}
}

// TestCopiedPasskey: a copy of a passkey shows when its counter falls behind. From then on neither the copy nor the other one is good, nor what they signed in.
func TestCopiedPasskey(t *testing.T) {
	h := newHolder(t)
	copied := h.device.Copy()
	for range 3 {
		_, err := h.signIn(h.device.Get(t, h.ask()))
		check(t, err)
	}
	user, err := h.signIn(copied.Get(t, h.ask()))
	h.refuses(PasskeyCopied, err)
	if user.ID != h.user.ID {
		t.Error("nobody knows whom to tell")
	}
	_, err = h.signIn(h.device.Get(t, h.ask()))
	h.refuses(PasskeyCopied, err)
	has, err := h.store.Passkeys(t.Context(), h.user.ID)
	check(t, err)
	if has[0].Copied.IsZero() || has[0].Counter != 3 {
		t.Errorf("the passkey is %+v", has[0])
	}
	if all, err := h.SignIns(t.Context(), h.user.ID); err != nil || len(all) != 0 {
		t.Errorf("%d sign-ins, %v", len(all), err)
	}
	notices, err := h.store.Notices(t.Context(), h.user.ID)
	check(t, err)
	told := 0
	for _, n := range notices {
		if n.Kind == finance.NoticePasskeyCopied && n.Name == has[0].Name {
			told++
		}
	}
	if told != 1 {
		t.Errorf("told %d times of the copy: %+v", told, notices)
	}

	h = newHolder(t) // devices that do not count say 0, for ever
	h.device.NotCount = true
	for range 2 {
		if _, err := h.signIn(h.device.Get(t, h.ask())); err != nil {
			t.Error("without a counter:", err)
		}
	}
}

func TestNewPasskeys(t *testing.T) {
	h := newHolder(t)
	ctx := t.Context()
	ask := func() []byte {
		t.Helper()
		options, err := h.AskNewPasskey(ctx, h.user, desk)
		check(t, err)
		return options
	}
	if h.device.Create(t, ask()) != "" {
		t.Error("a device that has a passkey here is asked for another one")
	}
	_, err := h.AddPasskey(ctx, h.user, "another sign-in", "x", finance.Secret(new(webauthntest.Device{Origin: public.String()}).Create(t, ask())))
	h.refuses(PasskeyLate, err)
	_, err = h.AddPasskey(ctx, h.user, desk, "x", finance.Secret(new(webauthntest.Device{Origin: "https://evil.example"}).Create(t, ask())))
	h.refuses(PasskeyElsewhere, err)
	_, err = h.AddPasskey(ctx, h.user, desk, "x", finance.Secret(new(webauthntest.Device{Origin: public.String(), Unverified: true}).Create(t, ask())))
	h.refuses(PasskeyUnverified, err)
	for _, name := range []string{"", " \u200b ", strings.Repeat("ö", finance.MaxPasskeyName+1)} {
		_, err = h.AddPasskey(ctx, h.user, desk, name, "{}")
		h.refuses(PasskeyName, err)
	}
	again := h.device.Copy()
	question := ask()
	made := finance.Secret(again.Create(t, []byte(strings.Replace(string(question), "excludeCredentials", "x", 1))))
	_, err = h.AddPasskey(ctx, h.user, desk, "x", made)
	check(t, err)
	_, err = h.AddPasskey(ctx, h.user, desk, "x", made)
	h.refuses(PasskeyLate, err)
	for i := 2; i < finance.MaxPasskeys; i++ {
		h.device = &webauthntest.Device{Origin: public.String()}
		h.add(strconv.Itoa(i))
	}
	_, err = h.AddPasskey(ctx, h.user, desk, "x", finance.Secret(new(webauthntest.Device{Origin: public.String()}).Create(t, ask())))
	h.refuses(PasskeyTooMany, err)
}

// TestPasskeyTriesAreCounted as wrong passwords are, for the passkey and for the network address.
func TestPasskeyTriesAreCounted(t *testing.T) {
	h := newHolder(t)
	h.device.Origin = "https://evil.example"
	for range freeAccount {
		_, err := h.signIn(h.device.Get(t, h.ask()))
		h.refuses(PasskeyElsewhere, err)
	}
	if _, err := h.signIn(h.device.Get(t, h.ask())); !isWait(err) {
		t.Error("the sixth try:", err)
	}
	waits := false
	for range freeAddress { // each with a passkey that nobody knows
		h.device = &webauthntest.Device{Origin: public.String()}
		options, err := h.AskNewPasskey(t.Context(), h.user, desk)
		check(t, err)
		h.device.Create(t, options)
		_, err = h.signIn(h.device.Get(t, h.ask()))
		waits = waits || isWait(err)
	}
	if !waits {
		t.Error("an address may try as often as it likes")
	}
}

func isWait(err error) bool {
	_, is := errors.AsType[*WaitError](err)
	return is
}

// TestQuestionsAreBounded: strangers who ask without end take the place of their own questions, and of none of people who are signed in.
func TestQuestionsAreBounded(t *testing.T) {
	h := newHolder(t)
	mine, err := h.AskNewPasskey(t.Context(), h.user, desk)
	check(t, err)
	for range mostChallenges + 10 {
		h.ask()
	}
	if n := len(h.strangersAsked.open); n != mostChallenges || h.strangersAsked.list.Len() != n {
		t.Errorf("%d questions are kept", n)
	}
	other := &webauthntest.Device{Origin: public.String()}
	if _, err := h.AddPasskey(t.Context(), h.user, desk, "tablet", finance.Secret(other.Create(t, mine))); err != nil {
		t.Error("the question of somebody who is signed in:", err)
	}
	h.strangersAsked.now = func() time.Time { return time.Now().Add(ChallengeLife) }
	h.ask()
	if n := len(h.strangersAsked.open); n != 1 {
		t.Errorf("%d questions are kept after five minutes", n)
	}
}

func TestAddressesOfPasskeys(t *testing.T) {
	for text, want := range map[string]Address{
		"https://florin.example":      {Origin: "https://florin.example", Host: "florin.example", Site: "florin.example"},
		"https://Florin.Example:443":  {Origin: "https://florin.example", Host: "florin.example", Site: "florin.example"},
		"https://florin.example:8443": {Origin: "https://florin.example:8443", Host: "florin.example:8443", Site: "florin.example"},
		"http://localhost:8080":       {Origin: "http://localhost:8080", Host: "localhost:8080", Site: "localhost"},
		"http://money.localhost":      {Origin: "http://money.localhost", Host: "money.localhost", Site: "money.localhost"},
		"http://nas.local:8080":       {Origin: "http://nas.local:8080", Host: "nas.local:8080", Site: "nas.local", Fault: AddressPlain},
		"http://127.0.0.1:8080":       {Origin: "http://127.0.0.1:8080", Host: "127.0.0.1:8080", Site: "127.0.0.1", Fault: AddressNumber},
		"https://192.0.2.7":           {Origin: "https://192.0.2.7", Host: "192.0.2.7", Site: "192.0.2.7", Fault: AddressNumber},
		"https://[2001:db8::1]:8443":  {Origin: "https://[2001:db8::1]:8443", Host: "[2001:db8::1]:8443", Site: "2001:db8::1", Fault: AddressNumber},
	} {
		u, err := url.Parse(text)
		check(t, err)
		if got := addressOf(u); got != want {
			t.Errorf("%s: %+v", text, got)
		}
	}
	if got := newRig(t).PasskeyAddress(); got.Fault != AddressUnknown {
		t.Errorf("without an address: %+v", got)
	}
}
