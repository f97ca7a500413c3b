package auth

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/netip"
	"time"

	"florin/internal/finance"
)

// A counter counts wrong tries of one subject (security T22). A few tries are free, then each further one waits twice as long as the one before, up to
// an hour. So a guesser gets 12 tries in the first 64 minutes and one an hour after that: 35 on the first day, 24 on each later one. Failures count for 24
// hours after the last one; waiting that long for five free tries again gives fewer.
//
// Who is counted:
//   - A stranger counts for the account and for the network address. Anybody can use these up from outside.
//   - A browser in which the person has signed in before counts for itself, and a step-up for its sign-in: no stranger can use these up, so the
//     owner signs in on a known device and pays whatever goes on outside. Each right password forgets one earlier failure there, so that somebody who
//     mistypes once every day never waits. It gives whoever has that cookie one more guess.
//
// So the bound on guesses at one password is that of the account, and the same again for each browser that has signed in with it and each sign-in, which
// take the cookie of that browser. Network addresses bound tries at many accounts.
type counter struct {
	subject string // a hash
	free    int    // tries before the first wait, the last of them included
	forgets int    // earlier failures that a success forgets
}

const (
	freeAccount = 5
	freeAddress = 20 // a household shares it
	firstWait   = 30 * time.Second
	longestWait = time.Hour
)

// wait is how long a counter blocks after n tries without a success.
func wait(n, free int) time.Duration {
	if n < free {
		return 0
	}
	if n-free >= 7 {
		return longestWait
	}
	return min(longestWait, firstWait<<(n-free))
}

// try counts a try, or refuses it when one of the counters blocks. It is counted before the password is looked at.
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

// forgive takes a try back that was right, and the failures that it forgets.
func (a *Auth) forgive(ctx context.Context, counters []counter) error {
	return a.store.ForgiveSignInTries(ctx, subjects(counters), func(i int) int { return 1 + counters[i].forgets })
}

func subjects(counters []counter) []string {
	all := make([]string, len(counters))
	for i, c := range counters {
		all[i] = c.subject
	}
	return all
}

// strangerCounters are those of a browser that nobody of the account has used before.
func strangerCounters(email string, from netip.Addr) []counter {
	counters := []counter{{accountSubject(email), freeAccount, 0}}
	if from.IsValid() && !from.Unmap().IsLoopback() { // what comes from the machine itself comes through a proxy or a tunnel, from anywhere
		counters = append(counters, counter{addressSubject(from), freeAddress, 0})
	}
	return counters
}

// deviceCounters start at zero with each password, so that a person who was locked out and set a new one can sign in with it at once.
func deviceCounters(userID string, browser finance.Secret, passwordHash string) []counter {
	return []counter{{subject("device", userID+" "+browser.Reveal()+" "+passwordHash), freeAccount, 1}}
}

func stepUpCounters(signInID string) []counter {
	return []counter{{subject("step-up", signInID), freeAccount, 1}}
}

func accountSubject(email string) string { return subject("account", email) }

// addressSubject takes an IPv6 network of /64 as one, since one customer has all of it.
func addressSubject(from netip.Addr) string {
	from = from.Unmap().WithZone("")
	if from.Is6() {
		if p, err := from.Prefix(64); err == nil {
			return subject("address", p.String())
		}
	}
	return subject("address", from.String())
}

// subject hashes, so that the database lists neither addresses that were tried nor where people are.
func subject(kind, text string) string {
	sum := sha256.Sum256([]byte("florin sign-in " + kind + "\x00" + text))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
