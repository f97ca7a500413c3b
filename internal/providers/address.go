package providers

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"florin/internal/publicnet"
)

// problem is what is wrong with a field, as a sentence for the person who typed it.
type problem string

func (p problem) Error() string { return string(p) }

// checkBaseURL returns the address of a service as it is kept, or why a person's own is not taken: it begins with https, or with http on this machine itself, since a
// token that is read on the way is a token lost.
func checkBaseURL(text string) (string, error) {
	text = strings.TrimRight(strings.TrimSpace(text), "/")
	u, err := url.Parse(text)
	if err == nil {
		u.Host = strings.ToLower(u.Host)
	}
	switch {
	case text == "":
		return "", problem("Type the address of the service.")
	case len(text) > 500 || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`\"'<>`, r) }):
		return "", problem("The address has characters that do not belong there, or is too long.")
	case err != nil || u.Opaque != "" || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "":
		return "", problem("This is no web address. It looks like https://api.example.com.")
	case u.User != nil:
		return "", problem("The address must not hold a user name or a password.")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.Contains(text, "#"):
		return "", problem("The address must not hold a question mark or a #: everything behind it is added by Florin.")
	case u.Scheme == "http" && !publicnet.Loopback(u.Hostname()):
		return "", problem("The address has to begin with https://, so that nobody on the way can read what is sent. Plain http:// is taken only for this machine itself, such as http://localhost:8081.")
	case strings.Contains(u.Host, "%") || strings.HasSuffix(u.Hostname(), "."):
		return "", problem("The host in the address is not written as usual.")
	case strings.Contains(u.EscapedPath(), "%") || strings.Contains(u.Path+"/", "/../") || strings.Contains(u.Path+"/", "/./") || strings.Contains(u.Path, "//"):
		return "", problem("The path in the address is not written as usual.")
	}
	if port, err := strconv.ParseUint(u.Port(), 10, 16); strings.HasSuffix(u.Host, ":") || u.Port() != "" && (err != nil || port == 0) {
		return "", problem("The port in the address is no port.")
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && !ip.Unmap().IsLoopback() && !publicnet.Is(ip) {
		return "", problem("This is the address of a machine in a private network. Florin calls services on the internet, and on this machine itself.")
	}
	return u.String(), nil
}
