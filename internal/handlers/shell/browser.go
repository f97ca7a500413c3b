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

// browserCookie is the cookie that identifies a browser in which somebody has signed in before. It signs nobody in. Wrong passwords from a known browser are
// counted apart from those of strangers, so that strangers cannot lock its owner out (security T22).
const browserCookie = "florin-browser"

const (
	browserLife = 365 * 24 * time.Hour // from the last sign-in
	maxKnown    = 8                    // users of one browser
)

// The contents of the cookie.
const (
	browserID    = "id"
	browserUsers = "users" // ids, the last one to sign in first
)

func newBrowsers(https bool, keys [][]byte) *sessions.CookieStore {
	s := sessions.NewCookieStore(keys...)
	s.Options = &sessions.Options{Path: "/", Domain: "", Secure: https, HttpOnly: true, SameSite: http.SameSiteLaxMode} // all of them are set (security F7)
	s.MaxAge(int(browserLife / time.Second))
	return s
}

// Browser describes the browser of the visitor for a sign-in.
func (s *Shell) Browser(v *Visitor) auth.Browser {
	b := auth.Browser{Device: auth.Device(v.Request.UserAgent()), Language: words.In(v.Ctx()).Code(), Address: clientAddress(v)}
	cookie, _ := s.browsers.Get(v.Request, s.browserName) // an error means an invalid cookie, which counts as none
	if id, _ := cookie.Values[browserID].(string); !cookie.IsNew {
		users, _ := cookie.Values[browserUsers].(string)
		b.ID, b.Known = finance.Secret(id), strings.Fields(users)
	}
	return b
}

// KnowBrowser records that the user has signed in with this browser.
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

// clientAddress returns the address of the visitor. It is the zero Addr when the address is that of a proxy, which everybody behind it shares.
func clientAddress(v *Visitor) netip.Addr {
	if middleware.ClientUnknown(v.Ctx()) {
		return netip.Addr{}
	}
	return middleware.ClientAddressFrom(v.Ctx())
}

// Present returns the PSU headers from the visitor's own request (spec: PSU headers), which tell a bank that the person is present. They are sent with calls
// that this request causes and are not stored. The address is the one by which sign-ins are counted. The headers say nothing more than the presence requires:
// of the referring page only the origin is given, and only when it is Florin's own.
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
		set("Psu-Referer", from.Scheme+"://"+from.Host+"/") // neither the page itself, such as a search, nor a page outside Florin
	}
	for _, name := range []string{"User-Agent", "Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language"} {
		set("Psu-"+name, v.Request.Header.Get(name))
	}
	return present
}
