package shell

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/sessions"

	"florin/internal/auth"
	"florin/internal/finance"
	"florin/internal/middleware"
	"florin/web/templates/words"
)

// browserCookie is the cookie by which a browser is known in which somebody has signed in before. It signs nobody in: wrong passwords from a known
// browser are counted apart from those of strangers, so that no stranger can keep its owner out (security T22).
const browserCookie = "florin-browser"

const (
	browserLife = 365 * 24 * time.Hour // from the last sign-in
	maxKnown    = 8                    // users of one browser
)

// What the cookie of a browser holds.
const (
	browserID    = "id"
	browserUsers = "users" // ids, the last one to sign in first
)

func newBrowsers(https bool, keys [][]byte) *sessions.CookieStore {
	s := sessions.NewCookieStore(keys...)
	s.Options = &sessions.Options{Path: "/", Domain: "", Secure: https, HttpOnly: true, SameSite: http.SameSiteLaxMode} // every one (security F7)
	s.MaxAge(int(browserLife / time.Second))
	return s
}

// Browser describes the browser of the visitor for a sign-in.
func (s *Shell) Browser(v *Visitor) auth.Browser {
	b := auth.Browser{Device: auth.Device(v.Request.UserAgent()), Language: words.In(v.Ctx()).Code(), Address: clientAddress(v)}
	cookie, _ := s.browsers.Get(v.Request, s.browserName) // an error means a cookie that is not good: treated as none
	if id, _ := cookie.Values[browserID].(string); !cookie.IsNew {
		users, _ := cookie.Values[browserUsers].(string)
		b.ID, b.Known = finance.Secret(id), strings.Fields(users)
	}
	return b
}

// KnowBrowser makes the browser known as one of the user's.
func (s *Shell) KnowBrowser(v *Visitor, user finance.User) error {
	b := s.Browser(v)
	if b.ID == "" {
		b.ID = finance.Secret(finance.NewID())
	}
	users := append([]string{user.ID}, slices.DeleteFunc(b.Known, func(id string) bool { return id == user.ID })...)
	cookie, _ := s.browsers.New(v.Request, s.browserName)
	cookie.Values = map[any]any{browserID: b.ID.Reveal(), browserUsers: strings.Join(users[:min(len(users), maxKnown)], " ")}
	if err := cookie.Save(v.Request, v.Writer); err != nil {
		return fmt.Errorf("browser cookie: %w", err)
	}
	return nil
}

// clientAddress is the visitor's address; the zero Addr where it is that of a proxy, which stands for everybody behind it.
func clientAddress(v *Visitor) netip.Addr {
	if middleware.ClientUnknown(v.Ctx()) {
		return netip.Addr{}
	}
	return middleware.ClientAddressFrom(v.Ctx())
}

// Present returns the PSU headers that the visitor's own request can give (spec: PSU headers): they tell a bank that the person is there. They are for calls
// that this very request asks for, and are kept nowhere. The address is that by which sign-ins are counted, too. What a header says beyond that somebody is
// there stays here: of the page that the visitor comes from its origin alone is given, and only when it is one of Florin's own.
func (v *Visitor) Present() http.Header {
	present := http.Header{}
	set := func(name, value string) {
		if value != "" {
			present.Set(name, value)
		}
	}
	if address := clientAddress(v); address.IsValid() {
		set("Psu-Ip-Address", address.String())
	}
	if from, err := url.Parse(v.Request.Referer()); err == nil && from.Host == v.Request.Host {
		set("Psu-Referer", from.Scheme+"://"+from.Host+"/") // neither what was looked at, such as the words of a search, nor where the visitor was before Florin
	}
	for _, name := range []string{"User-Agent", "Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language"} {
		set("Psu-"+name, v.Request.Header.Get(name))
	}
	return present
}
