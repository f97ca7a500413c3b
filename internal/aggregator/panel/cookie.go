package panel

import (
	"net/http"
	"time"

	"github.com/gorilla/sessions"
)

// KeySize is the number of bytes of Options.CookieKey.
const KeySize = hashKeySize + 32

const (
	hashKeySize = 64 // bytes of HMAC-SHA256 key
	secretEntry = "secret"
)

// cookie carries a signed and encrypted secret that signs a browser in as a developer or as the operator. The sign-in itself is a row, so it can be ended
// on the server.
type cookie struct {
	store *sessions.CookieStore
	name  string
}

func newCookie(key []byte, name string, lifetime time.Duration, secure bool) *cookie {
	if len(key) != KeySize {
		panic("panel: the cookie key has the wrong size")
	}
	store := sessions.NewCookieStore(key[:hashKeySize], key[hashKeySize:])
	store.Options = &sessions.Options{ // every one set: the defaults do not fit (security F7)
		Path:        Path, // all ports of a host share their cookies
		Domain:      "",
		Secure:      secure,
		HttpOnly:    true,
		Partitioned: false,
		SameSite:    http.SameSiteLaxMode, // Strict would be missing on the return from the bank (security F3)
	}
	store.MaxAge(int(lifetime.Seconds())) // for the codec too
	if secure {
		name, store.Options.Path = "__Host-"+name, "/" // of this host alone
	}
	return &cookie{store: store, name: name}
}

// secret returns what the browser carries; a forged or stale cookie is none.
func (c *cookie) secret(r *http.Request) string {
	session, _ := c.store.Get(r, c.name) // it returns a new session along with an error
	secret, _ := session.Values[secretEntry].(string)
	return secret
}

// set gives the browser a new secret; an empty one takes the cookie away.
func (c *cookie) set(w http.ResponseWriter, r *http.Request, secret string) error {
	session := sessions.NewSession(c.store, c.name) // never what the browser brought (security T15)
	options := *c.store.Options
	if secret == "" {
		options.MaxAge = -1
	}
	session.Options = &options
	session.Values[secretEntry] = secret
	return session.Save(r, w)
}
