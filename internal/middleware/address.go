package middleware

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// ClientAddress finds the address of the client (security T37) and keeps it for
// ClientAddressFrom. Only when the peer is one of the trusted proxies is
// X-Forwarded-For read, from the right: the first hop that is not itself trusted
// is the client. Everything to the left of it may be invented. With no trusted
// proxies the header is ignored. "Forwarded" and "X-Real-IP" are never read.
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
			}
			next.ServeHTTP(w, r)
		})
	}
}

// ClientAddressFrom returns the address of the client whose request's context
// this is. It is the zero Addr (not valid) where ClientAddress was not called.
func ClientAddressFrom(ctx context.Context) netip.Addr {
	if n := noteFrom(ctx); n != nil {
		return n.client
	}
	return netip.Addr{}
}

// parseHop reads "192.0.2.1", "192.0.2.1:80", "2001:db8::1" or "[2001:db8::1]:80".
// An IPv4 address written as IPv6 becomes IPv4; a zone is dropped.
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
