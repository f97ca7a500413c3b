// Package publicnet tells addresses of the internet from those of private networks, for connections to places that others
// name: certificates of webhooks, and the receivers of webhooks (security T3, T9).
package publicnet

import (
	"errors"
	"net/netip"
)

// ErrNotPublic is why a connection to an address is refused.
var ErrNotPublic = errors.New("the address is not public")

// given is the space of IPv6 addresses that are given out. What lies outside, such as the forms of NAT64 that hold an IPv4
// address, is for networks of one's own.
var given = netip.MustParsePrefix("2000::/3")

// special are the networks inside the spaces that are given out which are not of the internet, or lead into other networks.
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("10.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"), // carrier-grade NAT
	netip.MustParsePrefix("127.0.0.0/8"),
	netip.MustParsePrefix("169.254.0.0/16"), // link-local, with the metadata of clouds
	netip.MustParsePrefix("172.16.0.0/12"),
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("192.31.196.0/24"), // AS112
	netip.MustParsePrefix("192.52.193.0/24"), // AMT
	netip.MustParsePrefix("192.88.99.0/24"),  // relays of 6to4
	netip.MustParsePrefix("192.168.0.0/16"),
	netip.MustParsePrefix("192.175.48.0/24"), // AS112
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("224.0.0.0/4"), // multicast
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("2001::/23"), // Teredo and others of the protocol itself
	netip.MustParsePrefix("2001:db8::/32"),
	netip.MustParsePrefix("2002::/16"), // 6to4 holds an IPv4 address
	netip.MustParsePrefix("3fff::/20"),
}

// Is reports whether an address is one of the internet. netip's own methods are not enough: they take networks for public
// that lead elsewhere. An address with a zone is none.
func Is(address netip.Addr) bool {
	if !address.IsValid() || address.Zone() != "" {
		return false
	}
	address = address.Unmap()
	if address.Is6() && !given.Contains(address) {
		return false
	}
	for _, network := range special {
		if network.Contains(address) {
			return false
		}
	}
	return true
}

// Loopback reports whether a host is this machine itself by its name alone: localhost, or a loopback address as it is usually written.
func Loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Zone() == "" && address.Unmap().IsLoopback()
}
