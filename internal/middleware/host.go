package middleware

import (
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Hosts accepts a request only when its Host header names one of the hosts or a loopback address, with any port. Others go to refuse. This is the defence
// against DNS rebinding: a hostile site can point its own name at this server's address, and the browser then takes our pages for part of that site; but the
// browser sends that name as Host. A reverse proxy must pass on the Host that the browser sent.
//
// Probes (/healthz, /readyz) are accepted under every name, because container platforms ask under any address, and the answers reveal nothing.
func Hosts(hosts []string, refuse http.Handler) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			name := hostName(r.Host)
			if r.URL.Path == "/healthz" || r.URL.Path == "/readyz" || isLoopback(name) ||
				name != "" && slices.ContainsFunc(hosts, func(host string) bool { return hostName(host) == name }) {
				next.ServeHTTP(w, r)
				return
			}
			Annotate(r.Context(), slog.String("refused", "foreign Host header"))
			refuse.ServeHTTP(w, r)
		})
	}
}

// ThisMachine reports whether a Host header, or a host of a URL, can only mean this machine: localhost or a loopback address, with or without a port.
func ThisMachine(host string) bool { return isLoopback(hostName(host)) }

// hostName returns the name in "host", "host:port", "[v6]" or "[v6]:port", in lower case and without a final dot; "" for any other text. It checks the port,
// because net.SplitHostPort accepts any text: the port of "localhost:8080.evil.example" would hide the rest of the name.
func hostName(host string) string {
	if name, port, err := net.SplitHostPort(host); err == nil {
		if strings.Trim(port, "0123456789") != "" {
			return ""
		}
		host = name
	}
	if strings.ContainsAny(host, "/?#@\\") {
		return ""
	}
	return strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
}

// isLoopback reports whether a name can only mean this machine (RFC 6761, 6.3).
func isLoopback(name string) bool {
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	address, err := netip.ParseAddr(name)
	return err == nil && address.Unmap().IsLoopback()
}
