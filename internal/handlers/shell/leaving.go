package shell

import (
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
)

// Site is a place outside Florin to which people are led: where a service asks for their consent.
type Site struct {
	Href   string // the address itself
	Origin string // as a policy names it: "https://bank.example"; "" where no policy can
	Host   string // as the browser shows it
}

// nameable is an origin that a policy can name: not one of an IPv6 address.
var nameable = regexp.MustCompile(`^https?://[a-z0-9.-]+(:[0-9]{1,5})?$`)

// SiteOf is the site of an address that LeadsTo allows, with ok as there.
func SiteOf(address string, simulated bool) (s Site, ok bool) {
	href, host, ok := LeadsTo(address, simulated)
	if !ok {
		return Site{}, false
	}
	s.Href, s.Host = href, host
	if origin := href[:strings.Index(href, "://")+3] + host; nameable.MatchString(strings.ToLower(origin)) {
		s.Origin = strings.ToLower(origin)
	}
	return s, true
}

// LetFormLeadTo lets the forms of this page end with a redirect to another site, which the page has named: a browser applies form-action to redirects as well
// (security F2).
func (v *Visitor) LetFormLeadTo(s Site) {
	const own = "form-action 'self'"
	header := v.Writer.Header()
	header.Set("Content-Security-Policy", strings.Replace(header.Get("Content-Security-Policy"), own, own+" "+s.Origin, 1))
}

// Leave redirects the visitor to another site. The page before has named that site.
func (v *Visitor) Leave(s Site) {
	v.Writer.Header().Set("Location", s.Href)
	v.answer(http.StatusSeeOther)
}

// LeadsTo returns the address of a service to which Florin may send people, and its host as the browser will show it. A host with letters outside ASCII is
// written in punycode, so that it cannot be confused with another. ok is false for addresses with a user name, which would imitate another host, and for
// addresses without https, except at simulated banks.
func LeadsTo(address string, simulated bool) (href, host string, ok bool) {
	to, err := url.Parse(address)
	if err != nil || to.Hostname() == "" || to.User != nil {
		return "", "", false
	}
	if strings.ContainsFunc(to.Host, func(r rune) bool { return r > unicode.MaxASCII }) {
		name, err := idna.Lookup.ToASCII(to.Hostname())
		if err != nil {
			return "", "", false
		}
		if port := to.Port(); port != "" {
			name = net.JoinHostPort(name, port)
		}
		to.Host = name
		address = to.String()
	}
	return address, to.Host, to.Scheme == "https" || to.Scheme == "http" && simulated
}
