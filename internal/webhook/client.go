package webhook

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/netip"
	"syscall"

	"florin/internal/publicnet"
)

// NewClient returns the client that fetches certificates from a public service: https alone, without proxy and redirects, and only to addresses of the public
// internet on port 443, whatever a name resolves to (security T3).
func NewClient() *http.Client {
	dialer := &net.Dialer{Timeout: fetchIn, Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil || at.Port() != 443 || !publicnet.Is(at.Addr()) {
			return publicnet.ErrNotPublic
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
