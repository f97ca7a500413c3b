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

// Site is an address outside Florin to which people are sent: the page where a service asks for consent.
type Site struct {
	Href   string // the address itself
	Origin string // as a content security policy names it: "https://bank.example"; "" when no policy can
	Host   string // as shown by the browser
}

// nameable matches origins that a policy can name: not those with an IPv6 address.
var nameable = regexp.MustCompile(`^https?://[a-z0-9.-]+(:[0-9]{1,5})?$`)

// SiteOf returns the site of an address. ok is false when LeadsTo refuses the address.
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

// LetFormLeadTo allows the forms of this page to end in a redirect to another site, which the page names: browsers apply form-action to redirects as well
// (security F2).
func (v *Visitor) LetFormLeadTo(s Site) {
	const own = "form-action 'self'"
	header := v.Writer.Header()
	header.Set("Content-Security-Policy", strings.Replace(header.Get("Content-Security-Policy"), own, own+" "+s.Origin, 1))
}

// Leave redirects the visitor to another site, which the page before has named.
func (v *Visitor) Leave(s Site) {
	v.Writer.Header().Set("Location", s.Href)
	v.answer(http.StatusSeeOther)
}

// LeadsTo checks an address to which a service wants to send people. It returns the address, and its host as the browser will show it. A host with letters
// outside ASCII is written in punycode, so that it cannot be confused with another. ok is false for addresses with a user name, which could imitate another
// host, and for addresses without https, except at simulated banks.
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
