package apptoken

import (
	"crypto/sha256"
	"sync"
	"time"
)

// maxVerified bounds the memory of verified tokens.
const maxVerified = 4096

// verified remembers tokens that passed, by their hash and never by their text.
type verified struct {
	mu      sync.RWMutex
	entries map[[sha256.Size]byte]verifiedToken
	forgets uint64 // counts calls of forget
}

type verifiedToken struct {
	kid     string
	expires time.Time
}

func newVerified() *verified {
	return &verified{entries: make(map[[sha256.Size]byte]verifiedToken)}
}

func (v *verified) find(hash [sha256.Size]byte, now time.Time) (kid string, ok bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	entry, ok := v.entries[hash]
	if !ok || !now.Before(entry.expires) {
		return "", false
	}
	return entry.kid, true
}

// generation is taken before a key is looked for and handed to add.
func (v *verified) generation() uint64 {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.forgets
}

// add remembers a token unless forget was called since the generation was
// taken: its key may have been read before the change.
func (v *verified) add(hash [sha256.Size]byte, kid string, expires time.Time, generation uint64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.forgets != generation {
		return
	}
	if len(v.entries) >= maxVerified {
		for other := range v.entries { // any one: to lose it costs one verification
			delete(v.entries, other)
			break
		}
	}
	v.entries[hash] = verifiedToken{kid: kid, expires: expires}
}

func (v *verified) forget(kid string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.forgets++
	for hash, entry := range v.entries {
		if entry.kid == kid {
			delete(v.entries, hash)
		}
	}
}
