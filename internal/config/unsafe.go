package config

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"
	"time"
)

// Unsafe is a setting that works and leaves a door open.
type Unsafe struct {
	Setting string // where it was given
	Why     string
}

// noteUnsafe collects what is named at each start, after all settings were checked.
func (r *raw) noteUnsafe(s *Settings, found *problems) {
	note := func(setting, format string, args ...any) {
		s.Unsafe = append(s.Unsafe, Unsafe{found.place(setting), fmt.Sprintf(format, args...)})
	}
	if r.SetupToken != "" {
		note("setup-token", "others on this machine can see arguments and variables: use --setup-token-file")
	}
	if r.SMTPPassword != "" {
		note("smtp-password", "others on this machine can see arguments and variables: use --smtp-password-file")
	}
	if r.OIDCClientSecret != "" {
		note("oidc-client-secret", "others on this machine can see arguments and variables: use --oidc-client-secret-file")
	}
	for _, network := range s.TrustedProxies {
		if network.Bits() == 0 || network.Addr().Is4() && network.Bits() < 8 || !network.Addr().Is4() && network.Bits() < 32 {
			note("trusted-proxy", "%s is more than a network of your own: everybody in it can invent the address that wrong passwords count for", network)
		}
	}
	for _, l := range []struct {
		setting, listen string
		public          bool // the address that people use has https, so a proxy is meant to stand before it
		on              bool
	}{
		{"listen", s.Listen, s.PublicURL.Scheme == "https", true},
		{"service-listen", s.ServiceListen, s.ServiceURL.Scheme == "https", s.Service},
	} {
		if l.on && beyondLoopback(l.listen) && !inContainer() {
			what := "the network can reach it without TLS"
			if l.public {
				what += ", past the proxy"
			}
			note(l.setting, "%s: let it listen on 127.0.0.1, or let a firewall keep others away", what)
		}
	}
	for _, origin := range s.ServiceWebhookAllow {
		if strings.HasPrefix(origin, "http://") && !isLoopback(hostOf(origin)) {
			note("service-webhook-allow", "webhooks to %s cross the network in the open", origin)
		}
	}
	if s.PrivateChannels {
		note("private-channels", "whoever signs in can have messages sent to any address that this machine reaches")
	}
	if s.SignInLifetime > 12*time.Hour {
		note("sign-in-lifetime", "%s is longer than a day of work: whoever finds a browser open can look at everything for as long", r.SignInLifetime)
	}
	if s.IdleLifetime > 2*time.Hour {
		note("idle-lifetime", "%s is longer than two hours: whoever finds a browser open can look at everything, though its person has gone", r.IdleLifetime)
	}
	if s.RememberedIdleLifetime > 7*24*time.Hour {
		note("remembered-idle-lifetime", "%s is longer than a week: a device that is lost can look at everything for as long", r.RememberedIdle)
	}
	if s.RememberedLifetime > 30*24*time.Hour {
		note("remembered-lifetime", "%s is longer than 30 days: a stolen device can look at everything for as long", r.RememberedLifetime)
	}
}

// place is where the value of a setting was given.
func (p *problems) place(setting string) string {
	if place, ok := p.origin[setting]; ok {
		return place
	}
	return "--" + setting
}

// inContainer reports whether Docker or Podman runs the program: there it has to listen on all interfaces, and the container decides who reaches it.
func inContainer() bool {
	for _, mark := range []string{"/.dockerenv", "/run/.containerenv"} {
		if _, err := os.Stat(mark); err == nil {
			return true
		}
	}
	return false
}

// beyondLoopback reports whether others than this machine can reach a listener.
func beyondLoopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return false
	}
	if host == "" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && !ip.IsLoopback() || err != nil && !isLoopback(host)
}

func hostOf(origin string) string {
	_, host, _ := strings.Cut(origin, "://")
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return host
}
