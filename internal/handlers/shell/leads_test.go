package shell

import "testing"

// What a service sends people to is an https address of a host and nothing else; at simulated banks http will do.
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
