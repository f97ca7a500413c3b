package middleware

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// forwarding lists the headers with which a proxy names its client.
var forwarding = []string{"X-Forwarded-For", "Forwarded", "X-Real-Ip", "Via"}

// ClientAddress determines the address of the client (security T37) for ClientAddressFrom. It reads X-Forwarded-For only when the peer is a trusted proxy,
// from the right: the first hop that is not trusted is the client, and everything left of it may be invented. Without trusted proxies the header is ignored.
// "Forwarded" and "X-Real-IP" are never read. It also determines whether the address is that of a proxy after all (ClientUnknown).
func ClientAddress(trusted []netip.Prefix) func(http.Handler) http.Handler {
	isTrusted := func(a netip.Addr) bool {
		return slices.ContainsFunc(trusted, func(p netip.Prefix) bool { return p.Contains(a) })
	}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n, r := noted(r)
			n.client = parseHop(r.RemoteAddr)
			if isTrusted(n.client) {
				hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
				for i := len(hops) - 1; i >= 0 && isTrusted(n.client); i-- {
					hop := parseHop(strings.TrimSpace(hops[i]))
					if !hop.IsValid() {
						break
					}
					n.client = hop
				}
				n.unknown = isTrusted(n.client)
			} else if n.client.IsPrivate() || n.client.IsLoopback() || n.client.IsLinkLocalUnicast() {
				n.unknown = slices.ContainsFunc(forwarding, func(name string) bool { return r.Header.Get(name) != "" })
			}
			next.ServeHTTP(w, r)
		})
	}
}

// ClientAddressFrom returns the address of the client of the request with this context. It is the zero Addr (not valid) without ClientAddress.
func ClientAddressFrom(ctx context.Context) netip.Addr {
	if n := noteFrom(ctx); n != nil {
		return n.client
	}
	return netip.Addr{}
}

// ClientUnknown reports whether the address is that of a proxy, which everybody behind it shares: of a trusted one that named no client, or of one that is
// not trusted and forwards all the same. The latter is only assumed for addresses in private networks: a stranger who sends such a header keeps their own
// address.
func ClientUnknown(ctx context.Context) bool {
	n := noteFrom(ctx)
	return n != nil && n.unknown
}

// parseHop parses "192.0.2.1", "192.0.2.1:80", "2001:db8::1" or "[2001:db8::1]:80". An IPv4 address written as IPv6 becomes IPv4; a zone is dropped.
func parseHop(text string) netip.Addr {
	if host, _, err := net.SplitHostPort(text); err == nil {
		text = host
	}
	address, err := netip.ParseAddr(strings.Trim(text, "[]"))
	if err != nil {
		return netip.Addr{}
	}
	return address.Unmap().WithZone("")
}
