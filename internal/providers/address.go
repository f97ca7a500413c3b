package providers

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"florin/internal/publicnet"
)

// Fault is what is wrong with a field of a form, in no language yet.
type Fault string

// Faults of an address.
const (
	NoAddress         Fault = "no address"
	AddressCharacters Fault = "characters of the address" // or its length
	NoWebAddress      Fault = "no web address"
	AddressUser       Fault = "user in the address"
	AddressQuery      Fault = "query in the address"
	AddressHTTP       Fault = "address without https"
	AddressHost       Fault = "host of the address"
	AddressPath       Fault = "path of the address"
	AddressPort       Fault = "port of the address"
	PrivateAddress    Fault = "private address"
)

// Faults of the other fields.
const (
	LongName         Fault = "long name"
	WrongIdentity    Fault = "issuer or audience" // too long, or with characters that it must not have
	NoKey            Fault = "no key"
	WrongKey         Fault = "wrong key"
	NoApplicationID  Fault = "no application id"
	WrongApplication Fault = "wrong application id"
	KnownApplication Fault = "application connected already"
)

// checkBaseURL returns the address of a service as it is kept, or why a person's own is not taken: it begins with https, or with http on this machine
// itself, since a token that is read on the way is a token lost.
func checkBaseURL(text string) (string, Fault) {
	text = strings.TrimRight(strings.TrimSpace(text), "/")
	u, err := url.Parse(text)
	if err == nil {
		u.Host = strings.ToLower(u.Host)
	}
	switch {
	case text == "":
		return "", NoAddress
	case len(text) > 500 || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`\"'<>`, r) }):
		return "", AddressCharacters
	case err != nil || u.Opaque != "" || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "":
		return "", NoWebAddress
	case u.User != nil:
		return "", AddressUser
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.Contains(text, "#"):
		return "", AddressQuery
	case u.Scheme == "http" && !publicnet.Loopback(u.Hostname()):
		return "", AddressHTTP
	case strings.Contains(u.Host, "%") || strings.HasSuffix(u.Hostname(), "."):
		return "", AddressHost
	case strings.Contains(u.EscapedPath(), "%") || strings.Contains(u.Path+"/", "/../") || strings.Contains(u.Path+"/", "/./") || strings.Contains(u.Path, "//"):
		return "", AddressPath
	}
	if port, err := strconv.ParseUint(u.Port(), 10, 16); strings.HasSuffix(u.Host, ":") || u.Port() != "" && (err != nil || port == 0) {
		return "", AddressPort
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && !ip.Unmap().IsLoopback() && !publicnet.Is(ip) {
		return "", PrivateAddress
	}
	return u.String(), ""
}
