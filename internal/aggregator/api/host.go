package api

import (
	"net"
	"net/netip"
	"slices"
	"strings"

	"florin/internal/openbanking"
)

// checkHost wants the host of a request to be one of the service's names, whatever the port: a page elsewhere whose
// name was made to lead here does not get an answer (DNS rebinding). The names of the own machine always do. Without names every
// host does.
func checkHost(names []string, host string) error {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if len(names) == 0 || slices.Contains(names, host) || host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return nil
	}
	if address, err := netip.ParseAddr(host); err == nil && address.IsLoopback() {
		return nil
	}
	return openbanking.InvalidHost
}
