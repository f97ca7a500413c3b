package webhook

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"syscall"
)

// NewClient returns the client that fetches certificates from a public service: https alone, without proxy and redirects, and only to addresses of the public
// internet on port 443, whatever a name resolves to (security T3).
func NewClient() *http.Client {
	dialer := &net.Dialer{Timeout: fetchIn, Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil || at.Port() != 443 || !public(at.Addr()) {
			return errNotPublic
		}
		return nil
	}}
	return newClient(dialer.DialContext, nil)
}

// NewPinnedClient returns the client that fetches certificates from a service whose listener is known: whatever the host of the address is, it connects to
// address, and the certificate of the connection must chain to roots.
func NewPinnedClient(address string, roots *x509.CertPool) *http.Client {
	dialer := &net.Dialer{Timeout: fetchIn}
	return newClient(func(ctx context.Context, network, _ string) (net.Conn, error) {
		return dialer.DialContext(ctx, network, address)
	}, roots)
}

func newClient(dial func(ctx context.Context, network, address string) (net.Conn, error), roots *x509.CertPool) *http.Client {
	return &http.Client{
		Timeout:       fetchIn,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext:            dial,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots},
			ForceAttemptHTTP2:      true,
			TLSHandshakeTimeout:    fetchIn,
			ResponseHeaderTimeout:  fetchIn,
			MaxResponseHeaderBytes: 16 << 10,
			DisableCompression:     true,
			MaxIdleConns:           2,
			IdleConnTimeout:        fetchIn,
		},
	}
}

// errNotPublic says that a name led to an address where no service is.
var errNotPublic = errors.New("the address is not one of the public internet")

// special are the networks that are not public, or lead to others that are not; netip and net call some of them global (security T9).
var special = networks(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24",
	"192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	"::/96", "::ffff:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
)

func networks(all ...string) []netip.Prefix {
	prefixes := make([]netip.Prefix, len(all))
	for i, text := range all {
		prefixes[i] = netip.MustParsePrefix(text)
	}
	return prefixes
}

// public reports whether an address is of the public internet.
func public(a netip.Addr) bool {
	if !a.IsValid() || a.Zone() != "" {
		return false
	}
	a = a.Unmap()
	for _, p := range special {
		if p.Contains(a) {
			return false
		}
	}
	return true
}
