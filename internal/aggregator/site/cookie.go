package site

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gorilla/sessions"
)

// Cookie holds the ids of what a browser began: authorisations, visits at a bank, sign-ins there. It is signed and encrypted, so that nobody can read it or
// make one up. What was begun belongs to the browser whose cookie holds its id; another browser that gets hold of an address gets no further.
type Cookie struct {
	store *sessions.CookieStore
	name  string
}

const (
	maxIDs       = 16          // that a cookie holds; the oldest makes room
	cookieMaxAge = 2 * 60 * 60 // seconds; longer than anything that is begun may last
	idsKey       = "visits"    // key of the only value in the cookie
	hashKeySize  = 64          // bytes of HMAC-SHA256 key

	// KeySize is the number of bytes of the key of a Cookie.
	KeySize = hashKeySize + 32
)

// NewCookie returns the cookie with this name and key, which is for this cookie alone. It panics when the key has not KeySize bytes.
func NewCookie(name string, key []byte, secure bool) *Cookie {
	if len(key) != KeySize {
		panic("site: a cookie key has the wrong size")
	}
	store := sessions.NewCookieStore(key[:hashKeySize], key[hashKeySize:])
	store.Options = &sessions.Options{ // every one set: the defaults do not fit (security F7)
		Path:        "/",
		Domain:      "",
		Secure:      secure,
		HttpOnly:    true,
		Partitioned: false,
		SameSite:    http.SameSiteLaxMode, // Strict would be missing on the return from the bank (security F3)
	}
	store.MaxAge(cookieMaxAge) // for the codec too
	if secure {
		name = "__Host-" + name
	}
	return &Cookie{store: store, name: name}
}

// open returns the ids in the cookie of the browser; a forged or stale cookie holds none.
func (c *Cookie) open(r *http.Request) (*sessions.Session, []string) {
	session, _ := c.store.Get(r, c.name) // it returns a new session along with the error
	text, _ := session.Values[idsKey].(string)
	return session, strings.Fields(text)
}

// IDs returns the ids in the cookie of the browser, the latest one last.
func (c *Cookie) IDs(r *http.Request) []string {
	_, ids := c.open(r)
	return ids
}

// Holds reports whether this browser began what has the id.
func (c *Cookie) Holds(r *http.Request, id string) bool {
	_, ids := c.open(r)
	return id != "" && slices.Contains(ids, id)
}

// Add writes an id into the cookie. Over plain HTTP only addresses below path get to see it, since all ports of a host share their cookies; behind https the
// cookie belongs to the host alone (__Host-), which takes the path "/".
func (c *Cookie) Add(w http.ResponseWriter, r *http.Request, path, id string) error {
	session, ids := c.open(r)
	ids = append(slices.DeleteFunc(ids, func(other string) bool { return other == id }), id)
	if len(ids) > maxIDs {
		ids = ids[len(ids)-maxIDs:]
	}
	return c.save(w, r, session, path, ids)
}

// Remove takes ids out of the cookie.
func (c *Cookie) Remove(w http.ResponseWriter, r *http.Request, path string, ended ...string) error {
	session, ids := c.open(r)
	before := len(ids)
	if ids = slices.DeleteFunc(ids, func(id string) bool { return slices.Contains(ended, id) }); len(ids) == before {
		return nil
	}
	return c.save(w, r, session, path, ids)
}

func (c *Cookie) save(w http.ResponseWriter, r *http.Request, session *sessions.Session, path string, ids []string) error {
	options := *c.store.Options
	if options.Path = path; options.Secure {
		options.Path = "/"
	}
	if len(ids) == 0 {
		options.MaxAge = -1
	}
	session.Options = &options
	session.Values[idsKey] = strings.Join(ids, " ")
	return session.Save(r, w)
}
