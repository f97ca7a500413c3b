package publicnet

import (
	"net/netip"
	"testing"
)

// Security T9: what is not an address of the internet is refused, whatever it looks like.
func TestAddressesThatAreNotPublicAreRefused(t *testing.T) {
	for address, want := range map[string]bool{
		"1.1.1.1": true, "93.184.215.14": true, "172.15.255.255": true, "172.32.0.0": true, "100.63.255.255": true, "100.128.0.0": true, "198.17.255.255": true,
		"223.255.255.255": true, "2606:4700::1111": true, "2a00:1450:4001::1": true, "::ffff:1.1.1.1": true,

		"0.0.0.0": false, "0.1.2.3": false, "10.0.0.1": false, "100.64.0.1": false, "100.127.255.255": false, "127.0.0.1": false, "127.255.255.254": false,
		"169.254.169.254": false, "172.16.0.1": false, "172.31.255.255": false, "192.0.0.8": false, "192.0.2.1": false, "192.88.99.1": false,
		"192.31.196.1": false, "192.52.193.1": false, "192.175.48.1": false, "192.168.1.1": false,
		"198.18.0.1": false, "198.19.255.255": false, "198.51.100.7": false, "203.0.113.7": false, "224.0.0.1": false, "239.1.1.1": false, "240.0.0.1": false,
		"255.255.255.255": false,

		"::": false, "::1": false, "::127.0.0.1": false, "::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "::ffff:7f00:1": false, "::ffff:0:127.0.0.1": false,
		"64:ff9b::7f00:1": false, "64:ff9b::808:808": false, "64:ff9b:1::a00:1": false, "100::1": false,
		"2001::1": false, "2001:0:7f00:1::": false, "2001:db8::1": false, "2002:7f00:1::": false, "2002:a00:1::1": false, "3fff::1": false, "5f00::1": false,
		"fc00::1": false, "fd12:3456::1": false, "fe80::1": false, "fe80::1%eth0": false, "2606:4700::1111%eth0": false, "fec0::1": false, "ff02::1": false,
	} {
		if got := Is(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: public is %v, want %v", address, got, want)
		}
	}
	if Is(netip.Addr{}) {
		t.Error("no address is a public one")
	}
}

// A host is this machine itself by its name alone, in its usual spelling.
func TestLoopbackNames(t *testing.T) {
	for host, want := range map[string]bool{"localhost": true, "127.0.0.1": true, "127.1.2.3": true, "::1": true, "::ffff:127.0.0.1": true,
		"": false, "localhost.": false, "LOCALHOST": false, "127.1": false, "0.0.0.0": false, "::": false, "::1%lo": false, "10.0.0.1": false, "example.com": false} {
		if got := Loopback(host); got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
}
