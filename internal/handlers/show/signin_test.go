package show_test

import (
	"net/netip"
	"testing"

	"florin/internal/finance"
	"florin/internal/handlers/show"
	"florin/web/templates/words"
)

func TestNetworks(t *testing.T) {
	here := finance.NetworkOf(netip.MustParseAddr("192.0.2.77"))
	for address, want := range map[string]string{
		"":                     "Unknown network",
		"192.0.2.1":            "This network (192.0.2.…)",
		"::ffff:192.0.2.1":     "This network (192.0.2.…)",
		"198.51.100.7":         "Another network (198.51.100.…)",
		"2001:db8:7:1::9":      "Another network (2001:db8:7:…)",
		"fe80::1%eth0":         "Another network (fe80:0:0:…)",
		"127.0.0.1":            "The machine on which Florin runs",
		"::1":                  "The machine on which Florin runs",
		"::ffff:198.51.100.99": "Another network (198.51.100.…)",
	} {
		a, _ := netip.ParseAddr(address)
		if got := words.In(t.Context()).Message(show.Network(finance.NetworkOf(a), here)); got != want {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
	}
}
