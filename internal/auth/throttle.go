package auth

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/netip"
	"time"
)

// A subject of throttling is an account or a network address. A few tries are free, then each further one waits twice as long as the one
// before (security T22). An address has more free tries than an account, since a household shares it.
const (
	freeAccount = 5
	freeAddress = 20
	firstWait   = 30 * time.Second
	longestWait = time.Hour
)

// wait is how long a subject is blocked after n tries without a success.
func wait(n, free int) time.Duration {
	if n < free {
		return 0
	}
	if n-free >= 7 {
		return longestWait
	}
	return min(longestWait, firstWait<<(n-free))
}

// try counts a try for the account and the address, or refuses it. It is counted before the password is looked at.
func (a *Auth) try(ctx context.Context, account, address string) error {
	free := []int{freeAccount, freeAddress}
	blocked, err := a.store.AddSignInTry(ctx, time.Now(), []string{account, address}, func(subject, tries int) time.Duration {
		return wait(tries, free[subject])
	})
	if err != nil {
		return err
	}
	if !blocked.IsZero() {
		return &WaitError{Until: blocked}
	}
	return nil
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
