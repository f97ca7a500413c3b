package auth

import (
	"container/list"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"sync"
	"time"
)

// ChallengeLife is how long a challenge for a passkey is valid.
const ChallengeLife = 5 * time.Minute

// mostChallenges is the largest number of open challenges in a list. A further one replaces the oldest.
const mostChallenges = 4096

// A challenge is a random text that a passkey signs.
type challenge struct {
	text string // base64url: the challenge of WebAuthn
	by   string // the browser or sign-in that asked for it; only this one may answer
	act  string // the purpose of the answer
	ends time.Time
}

// challenges holds the open challenges. They are kept only in memory, because they expire after five minutes: after a restart the person presses the button
// again.
type challenges struct {
	now func() time.Time

	mu   sync.Mutex
	list *list.List // of challenge, the oldest first
	open map[string]*list.Element
}

func newChallenges() *challenges {
	return &challenges{now: time.Now, list: list.New(), open: make(map[string]*list.Element)}
}

// ask returns a new challenge. It includes the purpose of the answer, so that the signature covers the purpose (dynamic linking, security T25).
func (c *challenges) ask(by, act string) (text string) {
	nonce := make([]byte, sha256.Size)
	_, _ = rand.Read(nonce) // never fails
	sum := sha256.Sum256(slices.Concat(nonce, []byte(act)))
	text = base64.RawURLEncoding.EncodeToString(sum[:])
	now := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	for oldest := c.list.Front(); oldest != nil && (c.list.Len() >= mostChallenges || !now.Before(oldest.Value.(challenge).ends)); oldest = c.list.Front() {
		c.remove(oldest)
	}
	c.open[text] = c.list.PushBack(challenge{text: text, by: by, act: act, ends: now.Add(ChallengeLife)})
	return text
}

// use uses up a challenge, and reports whether it was valid: issued to this browser or sign-in, for this purpose, not answered before, and not expired.
func (c *challenges) use(text, by, act string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.open[text]
	if !ok {
		return false
	}
	asked := found.Value.(challenge)
	c.remove(found)
	return asked.by == by && asked.act == act && c.now().Before(asked.ends)
}

func (c *challenges) remove(e *list.Element) {
	delete(c.open, c.list.Remove(e).(challenge).text)
}
