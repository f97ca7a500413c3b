package bank

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"

	"florin/internal/publicnet"
)

// maxHeaders bounds the headers of an answer of a service that a person named.
const maxHeaders = 64 << 10

// Foreign is for a service whose address a person typed: a name of this machine itself leads to loopback addresses alone, and every other to addresses of the
// internet alone, whatever the name service says of it (security T9). Where the environment names a proxy for the address, the proxy decides.
func Foreign(baseURL string) Option {
	return func(t *http.Transport) {
		t.MaxResponseHeaderBytes = maxHeaders
		base, err := url.Parse(baseURL)
		if err != nil {
			base = &url.URL{}
		}
		if proxy, err := http.ProxyFromEnvironment(&http.Request{URL: base}); err == nil && proxy != nil {
			return
		}
		own := publicnet.Loopback(base.Hostname())
		dialer := &net.Dialer{Timeout: dialWithin, Control: func(_, address string, _ syscall.RawConn) error {
			at, err := netip.ParseAddrPort(address)
			if err != nil || own && !at.Addr().Unmap().IsLoopback() || !own && !publicnet.Is(at.Addr()) {
				return publicnet.ErrNotPublic
			}
			return nil
		}}
		t.Proxy, t.DialContext = nil, dialer.DialContext
	}
}
