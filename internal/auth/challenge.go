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

// ChallengeLife is how long the question is good that a passkey answers.
const ChallengeLife = 5 * time.Minute

// mostChallenges is how many questions wait for an answer in one list. One more takes the place of the oldest.
const mostChallenges = 4096

// A challenge is a random question that a passkey answers with a signature.
type challenge struct {
	text string // base64url: the challenge of WebAuthn
	by   string // the browser or the sign-in that asked for it: nobody else may bring the answer
	act  string // what the answer is for
	ends time.Time
}

// challenges are the questions that wait for an answer. They are only in memory, since they are worth nothing after five minutes: after a restart the person
// presses the button once more.
type challenges struct {
	now func() time.Time

	mu   sync.Mutex
	list *list.List // of challenge, the oldest first
	open map[string]*list.Element
}

func newChallenges() *challenges {
	return &challenges{now: time.Now, list: list.New(), open: make(map[string]*list.Element)}
}

// ask makes a question. What the answer is for is a part of it, so that the signature covers that too (dynamic linking, security T25).
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

// use uses a question up, and reports whether it was good: put to this browser or sign-in, for this, not answered before, and not too old.
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
