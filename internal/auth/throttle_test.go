package auth

import (
	"errors"
	"net/netip"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"florin/internal/finance"
	"florin/internal/sqlite/sqlitetest"
	"florin/internal/store"
	"florin/migrations"
)

// inBubble runs fn with a clock that jumps over all waiting, on a real database. open makes one more Auth on it.
func inBubble(t *testing.T, fn func(t *testing.T, open func(...Option) *Auth, owner finance.User)) {
	path, secrets := filepath.Join(t.TempDir(), "app.db"), filepath.Join(t.TempDir(), "secrets")
	sqlitetest.Make(t, path, migrations.App)
	synctest.Test(t, func(t *testing.T) {
		key, err := store.LoadKey(secrets)
		check(t, err)
		s, err := store.Open(t.Context(), path, key)
		check(t, err)
		defer func() { check(t, s.Close()) }()
		open := func(options ...Option) *Auth { return New(s, append(options, Cheap)...) }
		owner, err := open().AddUser(t.Context(), "anna@example.org", password, finance.RoleOwner)
		check(t, err)
		fn(t, open, owner)
	})
}

const wrong = finance.Secret("wrong pony battery")

// Twenty wrong tries from anywhere, for hours, keep neither the signed-in owner from paying nor the owner from signing in on a known device.
func TestStrangersDoNotLockTheOwnerOut(t *testing.T) {
	inBubble(t, func(t *testing.T, open func(...Option) *Auth, owner finance.User) {
		a := open()
		known := Browser{Address: home, ID: "the owner's browser", Known: []string{owner.ID}}
		_, signIn, err := a.SignIn(t.Context(), owner.Email, password, known, false)
		check(t, err)
		waits := func(err error) bool { _, is := errors.AsType[*WaitError](err); return is }
		for hour := range 6 {
			refused := 0
			for i := range 20 {
				from := netip.AddrFrom4([4]byte{203, 0, 113, byte(i)})
				if i%2 == 0 {
					from = home // the stranger shares the owner's network too
				}
				browser := Browser{Address: from, ID: "a stranger's browser", Known: []string{"somebody else"}}
				if _, _, err := a.SignIn(t.Context(), owner.Email, wrong, browser, false); waits(err) {
					refused++
				}
			}
			if refused < 15 {
				t.Errorf("hour %d: only %d of 20 tries were refused unseen", hour, refused)
			}
			if err := stepUp(t, a, owner, signIn.ID, password); err != nil {
				t.Errorf("hour %d: the signed-in owner cannot pay: %v", hour, err)
			}
			if _, _, err := a.SignIn(t.Context(), owner.Email, password, known, false); err != nil {
				t.Errorf("hour %d: the owner cannot sign in on a known device: %v", hour, err)
			}
			if _, _, err := a.SignIn(t.Context(), owner.Email, password, Browser{Address: home}, false); !waits(err) {
				t.Errorf("hour %d: a device that is not known does not wait: %v", hour, err)
			}
			time.Sleep(time.Hour)
		}
	})
}

// The bound on guesses (security T22): 12 in the first 64 minutes, then one an hour, so 35 on the first day and 24 on each later one. It is the same
// for strangers, for whoever has the cookie of a known browser and for whoever has a session. The owner's own sign-ins do not widen it.
func TestGuessesAreBounded(t *testing.T) {
	inBubble(t, func(t *testing.T, open func(...Option) *Auth, owner finance.User) {
		a := open()
		known := Browser{ID: "the owner's browser", Known: []string{owner.ID}}
		_, signIn, err := a.SignIn(t.Context(), owner.Email, password, known, true)
		check(t, err)
		guesses := map[string]func() error{
			"strangers": func() error {
				_, _, err := a.SignIn(t.Context(), owner.Email, wrong, Browser{}, false)
				return err
			},
			"the cookie of a browser": func() error {
				_, _, err := a.SignIn(t.Context(), owner.Email, wrong, Browser{ID: "another browser of the owner", Known: []string{owner.ID}}, false)
				return err
			},
			"a session": func() error { return stepUp(t, a, owner, signIn.ID, wrong) },
		}
		seen, next := map[string]int{}, map[string]time.Time{}
		begin := time.Now()
		for day := 1; day <= 3; day++ {
			for time.Since(begin) < time.Duration(day)*24*time.Hour {
				for name, guess := range guesses {
					if time.Now().Before(next[name]) { // a refused try is not counted, and says until when
						continue
					}
					err := guess()
					wait, blocked := errors.AsType[*WaitError](err)
					switch {
					case blocked:
						next[name] = wait.Until
					case errors.Is(err, ErrCredentials), isWrong(err):
						seen[name]++
					default:
						t.Fatalf("%s: %v", name, err)
					}
				}
				if time.Since(begin)%(6*time.Hour) == 0 {
					if _, _, err := a.SignIn(t.Context(), owner.Email, password, known, false); err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(30 * time.Second)
			}
			for name, n := range seen {
				if most := 35 + 24*(day-1); n > most || n < most-2 {
					t.Errorf("%s: %d guesses in %d days, the bound is %d", name, n, day, most)
				}
			}
		}
		if len(seen) != len(guesses) {
			t.Errorf("%v", seen)
		}
	})
}

// Somebody who mistypes the password once every day, and then gives the right one, never waits: neither to sign in on a known device nor to pay.
func TestWhoMistypesDailyNeverWaits(t *testing.T) {
	inBubble(t, func(t *testing.T, open func(...Option) *Auth, owner finance.User) {
		a := open()
		known := Browser{Address: home, ID: "the owner's browser", Known: []string{owner.ID}}
		_, signIn, err := a.SignIn(t.Context(), owner.Email, password, known, true)
		check(t, err)
		for day := range 30 {
			if _, _, err := a.SignIn(t.Context(), owner.Email, wrong, known, false); !errors.Is(err, ErrCredentials) {
				t.Fatalf("day %d: a wrong password: %v", day, err)
			}
			if _, _, err := a.SignIn(t.Context(), owner.Email, password, known, false); err != nil {
				t.Fatalf("day %d: the right password: %v", day, err)
			}
			if err := stepUp(t, a, owner, signIn.ID, wrong); !isWrong(err) {
				t.Fatalf("day %d: a wrong password before a payment: %v", day, err)
			}
			if err := stepUp(t, a, owner, signIn.ID, password); err != nil {
				t.Fatalf("day %d: the right password before a payment: %v", day, err)
			}
			time.Sleep(20 * time.Hour)
		}
	})
}

// The machine itself, and a proxy that is not trusted, stand for everybody: their address is no subject.
func TestSomeAddressesTellNobodyApart(t *testing.T) {
	for text, want := range map[string]int{"127.0.0.1": 1, "::1": 1, "::ffff:127.0.0.1": 1, "192.0.2.1": 2, "172.17.0.1": 2, "2001:db8::1": 2} {
		if got := len(strangerCounters("a@example.org", netip.MustParseAddr(text))); got != want {
			t.Errorf("%s: %d counters, want %d", text, got, want)
		}
	}
	if got := len(strangerCounters("a@example.org", netip.Addr{})); got != 1 {
		t.Errorf("an unknown proxy: %d counters", got)
	}
}

// A block that was written while the clock was ahead does not last until then.
func TestABlockFromTheFutureIsNone(t *testing.T) {
	r := newRig(t, Cheap)
	u := r.owner(t)
	ahead := time.Now().Add(365 * 24 * time.Hour)
	_, err := r.store.AddSignInTry(t.Context(), ahead, []string{accountSubject(u.Email)}, longestWait, func(int, int) time.Duration { return time.Hour })
	check(t, err)
	if _, _, err := r.SignIn(t.Context(), u.Email, password, Browser{}, false); err != nil {
		t.Error(err)
	}
}

// A sign-in ends after 12 hours, after 30 days where the person chose to stay signed in, used or not (security T16), and sooner when it is not used; all are
// settings.
func TestSignInsEnd(t *testing.T) {
	inBubble(t, func(t *testing.T, open func(...Option) *Auth, u finance.User) {
		byDefault, short := open(), open(Lasting(Lifetimes{SignIn: time.Hour, Remembered: 2 * time.Hour}))
		for _, c := range []struct {
			auth     *Auth
			remember bool
			want     time.Duration
		}{{byDefault, false, 12 * time.Hour}, {byDefault, true, 30 * 24 * time.Hour}, {short, false, time.Hour}, {short, true, 2 * time.Hour}} {
			_, signIn, err := c.auth.SignIn(t.Context(), u.Email, password, Browser{}, c.remember)
			check(t, err)
			for range 8 { // in use all the time
				time.Sleep(c.want/8 - time.Second)
				if _, got, err := c.auth.SignedIn(t.Context(), u.ID, signIn.ID); err != nil || got.Remembered != c.remember {
					t.Fatalf("%v %v: %+v %v", c.want, c.remember, got, err)
				}
				check(t, c.auth.store.TouchSignIn(t.Context(), signIn, netip.Prefix{}))
			}
			time.Sleep(10 * time.Second)
			if list, err := c.auth.SignIns(t.Context(), u.ID); err != nil || len(list) != 0 {
				t.Errorf("%v %v: still listed: %+v %v", c.want, c.remember, list, err)
			}
			if _, _, err := c.auth.SignedIn(t.Context(), u.ID, signIn.ID); !errors.Is(err, finance.ErrNotFound) {
				t.Errorf("%v %v: %v", c.want, c.remember, err)
			}
		}

		for remembered, want := range map[time.Duration]bool{30 * 24 * time.Hour: true, 7 * 24 * time.Hour: false, 24 * time.Hour: false} { // is idle shorter
			idle, shorter := open(Lasting(Lifetimes{Remembered: remembered, RememberedIdle: 7 * 24 * time.Hour})).LongestUnused()
			if shorter != want || idle != 7*24*time.Hour {
				t.Errorf("remembered for %v: %v, %v", remembered, idle, shorter)
			}
		}
		short = open(Lasting(Lifetimes{SignIn: time.Hour, Idle: 10 * time.Minute, Remembered: 2 * time.Hour, RememberedIdle: 30 * time.Minute}))
		for remember, idle := range map[bool]time.Duration{false: 10 * time.Minute, true: 30 * time.Minute} {
			_, signIn, err := short.SignIn(t.Context(), u.Email, password, Browser{}, remember)
			check(t, err)
			for range 2 { // a look whether it is good is no use of it
				time.Sleep(idle/2 - time.Second)
				if _, _, err := short.SignedIn(t.Context(), u.ID, signIn.ID); err != nil {
					t.Fatalf("%v: %v", remember, err)
				}
			}
			time.Sleep(5 * time.Second)
			if list, err := short.SignIns(t.Context(), u.ID); err != nil || len(list) != 0 {
				t.Errorf("%v: still listed, and not used for %v: %+v %v", remember, idle, list, err)
			}
			if _, _, err := short.SignedIn(t.Context(), u.ID, signIn.ID); !errors.Is(err, finance.ErrNotFound) {
				t.Errorf("%v: not used for %v: %v", remember, idle, err)
			}
		}
	})
}
