package config

import (
	"strings"
	"testing"
)

// Settings that leave a door open are collected, by the place where they were given; the defaults leave none open.
func TestUnsafeSettings(t *testing.T) {
	if unsafe := load(t, env()).Settings.Unsafe; len(unsafe) != 0 {
		t.Errorf("the defaults: %+v", unsafe)
	}
	if unsafe := load(t, env("FLORIN_PUBLIC_URL=https://money.example", "FLORIN_TRUSTED_PROXY=10.0.0.0/8"), "--service-webhook-allow",
		"http://127.0.0.1:9000").Settings.Unsafe; len(unsafe) != 0 {
		t.Errorf("behind a proxy: %+v", unsafe)
	}
	for _, c := range []struct {
		environment []string
		arguments   []string
		want        string // place and the beginning of the reason
	}{
		{[]string{"FLORIN_SETUP_TOKEN=0123456789012345678901"}, nil, "FLORIN_SETUP_TOKEN others on this machine can see"},
		{nil, []string{"--smtp-host=mail.example", "--smtp-from=a@example.org", "--smtp-user=a", "--smtp-password=secret"},
			"--smtp-password others on this machine can see"},
		{nil, []string{"--oidc-issuer=https://login.example", "--oidc-client-id=a", "--oidc-client-secret=secret"}, "--oidc-client-secret others on this machine can see"},
		{nil, []string{"--trusted-proxy=0.0.0.0/0"}, "--trusted-proxy 0.0.0.0/0 is more than a network of your own"},
		{nil, []string{"--trusted-proxy=::/0"}, "--trusted-proxy ::/0 is more than a network of your own"},
		{nil, []string{"--service-webhook-allow=http://192.168.1.5:9000"}, "--service-webhook-allow webhooks to http://192.168.1.5:9000 cross the network"},
		{nil, []string{"--private-channels=on"}, "--private-channels whoever signs in can have messages sent"},
		{nil, []string{"--sign-in-lifetime=24h"}, "--sign-in-lifetime 24h is longer"},
		{nil, []string{"--idle-lifetime=3h"}, "--idle-lifetime 3h is longer"},
		{nil, []string{"--remembered-idle-lifetime=169h"}, "--remembered-idle-lifetime 169h is longer"},
		{nil, []string{"--remembered-lifetime=2160h"}, "--remembered-lifetime 2160h is longer"},
	} {
		unsafe := load(t, c.environment, c.arguments...).Settings.Unsafe
		if len(unsafe) != 1 || !strings.HasPrefix(unsafe[0].Setting+" "+unsafe[0].Why, c.want) {
			t.Errorf("%v %v: %+v, want %s", c.environment, c.arguments, unsafe, c.want)
		}
	}
}

// Listening beyond the machine is named, but in a container, which decides who reaches it.
func TestListeningBeyondTheMachine(t *testing.T) {
	for listen, beyond := range map[string]bool{":8080": true, "0.0.0.0:8080": true, "[::]:8080": true, "192.168.1.5:80": true, "money.example:80": true,
		"127.0.0.1:8080": false, "[::1]:80": false, "localhost:80": false} {
		if got := beyondLoopback(listen); got != beyond {
			t.Errorf("%s: %t", listen, got)
		}
		want := 0
		if beyond && !inContainer() {
			want = 1
		}
		if got := load(t, env(), "--listen", listen).Settings.Unsafe; len(got) != want {
			t.Errorf("%s: %+v", listen, got)
		}
	}
}
