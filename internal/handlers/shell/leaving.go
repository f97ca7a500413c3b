package shell

import (
	"net"
	"net/url"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
)

// LeadsTo is where an address of a service leads people: the address, and its host as the browser will show it. A host with other letters than those of
// ASCII is written in punycode, so that none looks like another. ok is false where Florin leads nobody: at the simulated banks alone without https, and
// never with a user name, which would make one host look like another.
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
