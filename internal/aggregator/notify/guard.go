package notify

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"syscall"
)

// errNotPublic is why a connection to an address of a private network is refused.
var errNotPublic = errors.New("the address is not public")

// public is the space of IPv6 addresses that are given out. What lies outside, such as the forms of NAT64 that hold an IPv4
// address, is for networks of one's own.
var public = netip.MustParsePrefix("2000::/3")

// notPublic are the networks inside the spaces above that are not of the internet, or lead into other networks.
var notPublic = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("10.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"), // carrier-grade NAT
	netip.MustParsePrefix("127.0.0.0/8"),
	netip.MustParsePrefix("169.254.0.0/16"), // link-local, with the metadata of clouds
	netip.MustParsePrefix("172.16.0.0/12"),
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("192.88.99.0/24"), // relays of 6to4
	netip.MustParsePrefix("192.168.0.0/16"),
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

// isPublic reports whether an address is one of the internet (security T9). netip's own methods are not enough: they take
// networks for public that lead elsewhere.
func isPublic(address netip.Addr) bool {
	if !address.IsValid() || address.Zone() != "" {
		return false
	}
	address = address.Unmap()
	if address.Is6() && !public.Contains(address) {
		return false
	}
	for _, network := range notPublic {
		if network.Contains(address) {
			return false
		}
	}
	return true
}

// guardedDialer connects to public addresses alone. It looks at the address that is dialled, after names were
// resolved, so that a name that changes its mind gains nothing.
func guardedDialer(resolver *net.Resolver) *net.Dialer {
	return &net.Dialer{
		Timeout:  acknowledgeWithin,
		Resolver: resolver,
		ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
			target, err := netip.ParseAddrPort(address)
			if err != nil || !isPublic(target.Addr()) {
				return errNotPublic
			}
			return nil
		},
	}
}
