package auth

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/netip"
	"slices"
	"time"

	"florin/internal/finance"
)

// A counter counts wrong tries of one subject (security T22). A few tries are free; then each further one waits twice as long as the one before, up to
// an hour. So a guesser gets 12 tries in the first 64 minutes and one an hour after that: 35 on the first day, 24 on each later one. Failures count for 24
// hours after the last one; waiting that long for five free tries again gives fewer.
//
// There are two kinds:
//   - A stranger is counted by the account and by the network address. Anybody can use up these tries from outside.
//   - A browser in which the person has signed in before has a counter of its own, and so has a step-up for its sign-in and kind of proof. Strangers
//     cannot use these up, so the owner can sign in and pay on a known device whatever strangers do. Each right password clears one earlier failure
//     there, so that a person who mistypes once a day never waits. It gives whoever has that cookie one more guess.
//
// So guesses at one password are limited by the counter of the account, and once more by that of each browser and sign-in that has used the password,
// which require the cookie of that browser. Counters of network addresses limit tries at many accounts.
type counter struct {
	subject string // a hash
	free    int    // tries before the first wait, including the last of them
	forgets int    // number of earlier failures that a success clears
}

const (
	freeAccount = 5
	freeAddress = 20 // a household shares it
	firstWait   = 30 * time.Second
	longestWait = time.Hour
)

// wait returns how long a counter blocks after n tries without a success.
func wait(n, free int) time.Duration {
	if n < free {
		return 0
	}
	if n-free >= 7 {
		return longestWait
	}
	return min(longestWait, firstWait<<(n-free))
}

// try counts a try, or refuses it when one of the counters blocks. It is called before the password is checked.
func (a *Auth) try(ctx context.Context, counters []counter) error {
	blocked, err := a.store.AddSignInTry(ctx, time.Now(), subjects(counters), longestWait, func(i, tries int) time.Duration {
		return wait(tries, counters[i].free)
	})
	if err != nil {
		return err
	}
	if !blocked.IsZero() {
		return &WaitError{Until: blocked}
	}
	return nil
}

// forgive subtracts a successful try and the earlier failures that it clears.
func (a *Auth) forgive(ctx context.Context, counters []counter) error {
	return a.store.ForgiveSignInTries(ctx, subjects(counters), func(i int) int { return 1 + counters[i].forgets })
}

// tried counts a try and runs check. When check succeeds, the try is subtracted again.
func (a *Auth) tried(ctx context.Context, counters []counter, check func() error) error {
	if err := a.try(ctx, counters); err != nil {
		return err
	}
	if err := check(); err != nil {
		return err
	}
	return a.forgive(ctx, counters)
}

func subjects(counters []counter) []string {
	all := make([]string, len(counters))
	for i, c := range counters {
		all[i] = c.subject
	}
	return all
}

// resetCounters returns the counters of requests for a new password. Such requests for somebody else flood a mailbox and invalidate earlier links. They are
// counted apart from passwords, so that a person who mistyped a password need not wait for a link as well.
func resetCounters(email string, from netip.Addr) []counter {
	counters := []counter{{subject("reset", email), freeAccount, 0}}
	for _, c := range addressCounters(from) {
		c.subject = subject("reset from", c.subject)
		counters = append(counters, c)
	}
	return counters
}

// strangerCounters returns the counters for a browser with which nobody has signed in to the account before.
func strangerCounters(email string, from netip.Addr) []counter {
	return append(addressCounters(from), counter{accountSubject(email), freeAccount, 0})
}

// addressCounters returns the counter of a network address. There is none for an unknown or local address, behind which anybody may be.
func addressCounters(from netip.Addr) []counter {
	if !from.IsValid() || from.Unmap().IsLoopback() { // requests from this machine come through a proxy or a tunnel, from anywhere
		return nil
	}
	return []counter{{addressSubject(from), freeAddress, 0}}
}

// deviceCounters returns the counter of a known browser. It starts at zero with each new password, so that a person who was locked out can sign in right
// after setting one.
func deviceCounters(userID string, browser finance.Secret, passwordHash string) []counter {
	return []counter{{subject("device", userID+" "+browser.Reveal()+" "+passwordHash), freeAccount, 1}}
}

func stepUpCounters(signInID string, by Method) []counter {
	return []counter{{subject("step-up", signInID+" "+string(by)), freeAccount, 1}}
}

// secondCounters returns the counters for the second step of a sign-in, which requires the first. As with passwords, a browser that the person has used
// before has a counter of its own.
func secondCounters(userID string, browser Browser) []counter {
	if browser.ID != "" && slices.Contains(browser.Known, userID) {
		return []counter{{subject("second step device", userID+" "+browser.ID.Reveal()), freeAccount, 1}}
	}
	return append(addressCounters(browser.Address), counter{subject("second step", userID), freeAccount, 1})
}

// passkeyCounters returns the counter of a passkey, by the id in the answer, and that of the network address. Only somebody with the passkey knows the id.
func passkeyCounters(credential []byte, from netip.Addr) []counter {
	return append(addressCounters(from), counter{subject("passkey", string(credential)), freeAccount, 1})
}

func accountSubject(email string) string { return subject("account", email) }

// addressSubject returns the subject of a network address. It treats an IPv6 network of /64 as one address, because one customer has all of it.
func addressSubject(from netip.Addr) string {
	from = from.Unmap().WithZone("")
	if from.Is6() {
		if p, err := from.Prefix(64); err == nil {
			return subject("address", p.String())
		}
	}
	return subject("address", from.String())
}

// subject returns a hash, so that the database contains neither the addresses that were tried nor where people are.
func subject(kind, text string) string {
	sum := sha256.Sum256([]byte("florin sign-in " + kind + "\x00" + text))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
