package notify

import (
	"context"
	"net"
	"net/netip"
	"syscall"

	"florin/internal/publicnet"
)

// guardedDialer connects to public addresses alone. It looks at the address that is dialled, after names were
// resolved, so that a name that changes its mind gains nothing.
func guardedDialer(resolver *net.Resolver) *net.Dialer {
	return &net.Dialer{
		Timeout:  acknowledgeWithin,
		Resolver: resolver,
		ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
			target, err := netip.ParseAddrPort(address)
			if err != nil || !publicnet.Is(target.Addr()) {
				return publicnet.ErrNotPublic
			}
			return nil
		},
	}
}
