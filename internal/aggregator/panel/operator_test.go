package panel

import (
	"net/http/httptest"
	"testing"
)

// The operator comes straight from the machine of the service, whatever else stands before it.
func TestIsOperator(t *testing.T) {
	for name, test := range map[string]struct {
		public     string
		proxy      bool
		peer, host string
		header     string
		want       bool
	}{
		"at home":                           {"http://localhost:8081", false, "127.0.0.1:5", "localhost:8081", "", true},
		"at home, IPv6":                     {"http://localhost:8081", false, "[::1]:5", "[::1]:8081", "", true},
		"at home, IPv4 as IPv6":             {"http://localhost:8081", false, "[::ffff:127.0.0.1]:5", "127.0.0.1", "", true},
		"from the network":                  {"http://localhost:8081", false, "192.0.2.7:5", "localhost:8081", "", false},
		"from the network, by address":      {"http://localhost:8081", false, "192.0.2.7:5", "192.0.2.1:8081", "", false},
		"a name that was made to lead here": {"http://localhost:8081", false, "127.0.0.1:5", "evil.example:8081", "", false},
		"a name behind a port":              {"http://localhost:8081", false, "127.0.0.1:5", "localhost:8081.evil.example", "", false},
		"no host":                           {"http://localhost:8081", false, "127.0.0.1:5", "", "", false},
		"through a proxy":                   {"http://localhost:8081", false, "127.0.0.1:5", "localhost:8081", "X-Forwarded-For", false},
		"public, unknown proxy":             {"https://service.example", false, "127.0.0.1:5", "127.0.0.1:8081", "", false},
		"public, trusted proxy":             {"https://service.example", true, "127.0.0.1:5", "127.0.0.1:8081", "", true},
		"public, through it":                {"https://service.example", true, "127.0.0.1:5", "127.0.0.1:8081", "Forwarded", false},
		"public, by its name":               {"https://service.example", true, "127.0.0.1:5", "service.example", "", false},
		"a socket without address":          {"http://localhost:8081", false, "@", "localhost:8081", "", false},
	} {
		r := httptest.NewRequest("GET", "/panel/operator", nil)
		r.RemoteAddr, r.Host = test.peer, test.host
		if test.header != "" {
			r.Header.Set(test.header, "x")
		}
		p := &Panel{registrationURL: test.public, behindProxy: test.proxy}
		if got := p.isOperator(r); got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}
