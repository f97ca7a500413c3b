package site

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gorilla/sessions"
)

// Book is what a browser itself carries: the ids of the visits that it began. The cookie is signed and encrypted, so it
// can neither be read nor made up. A visit belongs to the browsers whose book holds its id: another browser that
// gets hold of an address gets no further.
type Book struct {
	store *sessions.CookieStore
	name  string
}

const (
	bookPages   = 16          // visits that a book holds; the oldest makes room
	bookMaxAge  = 2 * 60 * 60 // seconds; longer than any visit may last
	bookEntries = "visits"    // key of the only value
	hashKeySize = 64          // bytes of HMAC-SHA256 key

	// KeySize is the number of bytes of the key of a Book.
	KeySize = hashKeySize + 32
)

// NewBook returns the book with this cookie name and key, which is for this book alone. It panics when the key has not KeySize bytes.
func NewBook(name string, key []byte, secure bool) *Book {
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
	store.MaxAge(bookMaxAge) // for the codec too
	if secure {
		name = "__Host-" + name
	}
	return &Book{store: store, name: name}
}

// open returns the ids in the book of the browser; a forged or stale cookie is an empty book.
func (b *Book) open(r *http.Request) (*sessions.Session, []string) {
	session, _ := b.store.Get(r, b.name) // it returns a new session along with the error
	text, _ := session.Values[bookEntries].(string)
	return session, strings.Fields(text)
}

// IDs returns what is in the book of the browser, the latest one last.
func (b *Book) IDs(r *http.Request) []string {
	_, ids := b.open(r)
	return ids
}

// Holds reports whether this browser began the visit.
func (b *Book) Holds(r *http.Request, id string) bool {
	_, ids := b.open(r)
	return id != "" && slices.Contains(ids, id)
}

// Add writes the visit into the book. Over plain HTTP only addresses below path get to see it, since all ports of a host share their cookies; behind https the
// cookie belongs to the host alone (__Host-), which takes the path "/".
func (b *Book) Add(w http.ResponseWriter, r *http.Request, path, id string) error {
	session, ids := b.open(r)
	ids = append(slices.DeleteFunc(ids, func(other string) bool { return other == id }), id)
	if len(ids) > bookPages {
		ids = ids[len(ids)-bookPages:]
	}
	return b.save(w, r, session, path, ids)
}

// Remove ends visits for this browser.
func (b *Book) Remove(w http.ResponseWriter, r *http.Request, path string, ended ...string) error {
	session, ids := b.open(r)
	before := len(ids)
	if ids = slices.DeleteFunc(ids, func(id string) bool { return slices.Contains(ended, id) }); len(ids) == before {
		return nil
	}
	return b.save(w, r, session, path, ids)
}

func (b *Book) save(w http.ResponseWriter, r *http.Request, session *sessions.Session, path string, ids []string) error {
	options := *b.store.Options
	if options.Path = path; options.Secure {
		options.Path = "/"
	}
	if len(ids) == 0 {
		options.MaxAge = -1
	}
	session.Options = &options
	session.Values[bookEntries] = strings.Join(ids, " ")
	return session.Save(r, w)
}
