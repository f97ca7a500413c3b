package auth

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"
	"golang.org/x/crypto/argon2"

	"florin/internal/finance"
)

// Lengths of a password. It may contain any characters and is never cut or changed.
const (
	MinPassword = 10   // characters
	MaxPassword = 1024 // bytes

	// FitsPassword is a number of characters that is never too many: a character has utf8.UTFMax bytes at most.
	FitsPassword = MaxPassword / utf8.UTFMax
)

// PasswordError says what is wrong with a new password.
type PasswordError struct{ Fault PasswordFault }

func (e *PasswordError) Error() string { return "the password is refused: " + string(e.Fault) }

// PasswordFault is what is wrong with a new password.
type PasswordFault string

// Values of PasswordFault.
const (
	PasswordShort  PasswordFault = "shorter than 10 characters"
	PasswordLong   PasswordFault = "longer than 1024 bytes"
	PasswordCommon PasswordFault = "one of those that attackers try first"
	PasswordEmail  PasswordFault = "too close to the e-mail address"
)

// CheckPassword checks a new password for the user with this address. The error is a *PasswordError.
func CheckPassword(password finance.Secret, email string) error {
	text := password.Reveal()
	lower := strings.ToLower(text)
	name, _, _ := strings.Cut(email, "@")
	switch {
	case utf8.RuneCountInString(text) < MinPassword:
		return &PasswordError{PasswordShort}
	case len(text) > MaxPassword:
		return &PasswordError{PasswordLong}
	case common(lower):
		return &PasswordError{PasswordCommon}
	case lower == email || len(name) >= 4 && strings.HasPrefix(lower, name) && len(lower)-len(name) < 4:
		return &PasswordError{PasswordEmail}
	}
	return nil
}

// parameters of argon2id: 46 MiB, two passes, one lane (OWASP's first choice with one pass more). All are fixed, because the library's default depends on the
// number of processors (security T23). A check takes about 0.1 s.
var parameters = &argon2id.Params{Memory: 46 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// atOnce is the number of hashes that a hasher computes at the same time. It limits memory and leaves processors to others.
const atOnce = 1

type hasher struct {
	parameters *argon2id.Params
	slots      chan struct{}
	waiting    atomic.Int32 // requests that wait for a slot or use one
	dummy      string       // has the form of a password hash but matches none
}

func newHasher(parameters *argon2id.Params) *hasher {
	noise := make([]byte, parameters.SaltLength+parameters.KeyLength)
	_, _ = rand.Read(noise) // never fails
	salt, key := noise[:parameters.SaltLength], noise[parameters.SaltLength:]
	return &hasher{
		parameters: parameters,
		slots:      make(chan struct{}, atOnce),
		dummy: fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, parameters.Memory, parameters.Iterations, parameters.Parallelism,
			base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(key)),
	}
}

// atMostWait is how many requests may wait for a slot: about a second of work. busyFor is how long further ones are told to wait.
const (
	atMostWait = 8
	busyFor    = 5 * time.Second
)

// slot waits for a free slot. release frees the slot, and returns the memory of the hash to the system. When too many are waiting, the error is a *WaitError
// at once.
func (h *hasher) slot(ctx context.Context) (release func(), err error) {
	if h.waiting.Add(1) > atMostWait+atOnce {
		h.waiting.Add(-1)
		return nil, &WaitError{Until: time.Now().Add(busyFor)}
	}
	defer func() {
		if err != nil {
			h.waiting.Add(-1)
		}
	}()
	select {
	case h.slots <- struct{}{}:
		return func() {
			if h.parameters.Memory >= 1<<10 { // KiB
				// The collector last saw the memory of the hash in use, and would let as much again accumulate before it runs next.
				debug.FreeOSMemory()
			}
			<-h.slots
			h.waiting.Add(-1)
		}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (h *hasher) hash(ctx context.Context, password finance.Secret) (string, error) {
	release, err := h.slot(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	return argon2id.CreateHash(password.Reveal(), h.parameters)
}

// check compares a password with a hash in constant time. For an unknown user it computes a hash as well, so that it takes the same time.
func (h *hasher) check(ctx context.Context, password finance.Secret, hash string, unknown bool) (bool, error) {
	release, err := h.slot(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	if unknown {
		hash = h.dummy
	}
	text := password.Reveal()
	tooLong := len(text) > MaxPassword // CheckPassword never accepts it; hashing a long text would be a waste
	if tooLong {
		text = text[:MaxPassword]
	}
	ok, err := argon2id.ComparePasswordAndHash(text, hash)
	return ok && !tooLong && !unknown, err
}
