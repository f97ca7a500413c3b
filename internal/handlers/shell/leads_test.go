package shell

import (
	"net/http/httptest"
	"testing"
)

// A service may lead people only to an https address of a host, without a user name. For simulated banks http is allowed, too.
func TestWhereAServiceLeadsPeople(t *testing.T) {
	for _, c := range []struct {
		address         string
		host            string
		real, simulated bool
	}{
		{"https://bank.example/approve?id=1", "bank.example", true, true},
		{"https://bank.example:8443/", "bank.example:8443", true, true},
		{"HTTPS://bank.example/", "bank.example", true, true},
		{"http://bank.example/approve", "bank.example", false, true},
		{"https://bank.example@evil.example/", "", false, false},
		{"https://bank.example:443@evil.example/", "", false, false},
		{"http://bank@evil.example/", "", false, false},
		{"javascript:alert(1)", "", false, false},
		{"data:text/html,x", "", false, false},
		{"ftp://bank.example/", "bank.example", false, false},
		{"//bank.example/", "bank.example", false, false},
		{"https:bank.example", "", false, false},
		{"https:///approve", "", false, false},
		{"bank.example/approve", "", false, false},
		{"https://bank.example\n/", "", false, false},
		{"", "", false, false},
	} {
		for simulated, want := range map[bool]bool{false: c.real, true: c.simulated} {
			if _, host, ok := LeadsTo(c.address, simulated); ok != want || ok && host != c.host {
				t.Errorf("%q, simulated %t: %q, %t", c.address, simulated, host, ok)
			}
		}
	}
}

// Security F2: whatever address a service gives, it adds at most one origin to the policy of a page: no second source, no wildcard, no other directive.
func TestPolicyNamesOneOrigin(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://bank.example/start?a=b":      "https://bank.example",
		"https://bank.example:8443/":          "https://bank.example:8443",
		"HTTPS://Bank.Example/":               "https://bank.example",
		"https://bank.example/;script-src *":  "https://bank.example",
		"https://b\u00e4nk.example/":          "https://xn--bnk-qla.example",
		"https://b%C3%A4nk.example/":          "https://xn--bnk-qla.example",
		"https://[2001:db8::1]/":              "",
		"https://*.example/":                  "",
		"https://*/":                          "",
		"https://bank.example;script-src*/":   "",
		"https://bank.example,evil.example/":  "",
		"https://'unsafe-inline'/":            "",
		"https://bank.example:/":              "",
		"https://bank.example evil.example/":  "",
		"https://bank.example%20evil/":        "",
		"https://bank.example\n/":             "",
		"https://bank.example\\@evil.example": "",
		"https://bank.example@evil.example/":  "",
		"http://bank.example/":                "",
		"javascript://bank.example/%0aalert":  "",
		"":                                    "",
	} {
		site, _ := SiteOf(address, false)
		if site.Origin != want {
			t.Errorf("%q: %+v, want %q", address, site, want)
		}
		if site.Origin == "" {
			continue
		}
		v := &Visitor{Writer: httptest.NewRecorder()}
		v.Writer.Header().Set("Content-Security-Policy", "default-src 'none'; form-action 'self'; base-uri 'none'")
		v.LetFormLeadTo(site)
		if got := v.Writer.Header().Get("Content-Security-Policy"); got != "default-src 'none'; form-action 'self' "+want+"; base-uri 'none'" {
			t.Errorf("%q: the policy is %q", address, got)
		}
	}
}
