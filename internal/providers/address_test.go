package providers

import (
	"strings"
	"testing"
)

// Security T9: an address that a person types is https, or http on this machine itself, and nothing that is read in two ways.
func TestAddressOfAService(t *testing.T) {
	for text, want := range map[string]string{
		"https://api.enablebanking.com":        "https://api.enablebanking.com",
		" https://api.example.com/ ":           "https://api.example.com",
		"https://API.Example.com/v1/":          "https://api.example.com/v1",
		"https://api.example.com:8443":         "https://api.example.com:8443",
		"http://localhost:8081":                "http://localhost:8081",
		"http://LOCALHOST:8081":                "http://localhost:8081",
		"http://127.0.0.1:8081/":               "http://127.0.0.1:8081",
		"http://127.8.8.8":                     "http://127.8.8.8",
		"http://[::1]:8081":                    "http://[::1]:8081",
		"https://127.0.0.1:8443":               "https://127.0.0.1:8443",
		"https://[2606:4700::1111]":            "https://[2606:4700::1111]",
		"":                                     "!no address",
		"api.example.com":                      "!no web address",
		"ftp://api.example.com":                "!no web address",
		"javascript:alert(1)":                  "!no web address",
		"https://":                             "!no web address",
		"https:api.example.com":                "!no web address",
		"//api.example.com":                    "!no web address",
		"http://api.example.com":               "!address without https",
		"http://localhost.example.com":         "!address without https",
		"http://127.0.0.1.example.com":         "!address without https",
		"http://2130706433":                    "!address without https",
		"http://0x7f000001":                    "!address without https",
		"http://0.0.0.0:8081":                  "!address without https",
		"http://[::ffff:10.0.0.1]":             "!address without https",
		"http://192.168.1.5":                   "!address without https",
		"https://192.168.1.5":                  "!private address",
		"https://10.0.0.1:443":                 "!private address",
		"https://169.254.169.254/latest":       "!private address",
		"https://0.0.0.0":                      "!private address",
		"https://[fd00::1]":                    "!private address",
		"https://[::ffff:192.168.1.5]":         "!private address",
		"https://[64:ff9b::7f00:1]":            "!private address",
		"https://user:secret@api.example.com":  "!user in the address",
		"https://api.example.com@evil.example": "!user in the address",
		"https://api.example.com?x=1":          "!query in the address",
		"https://api.example.com?":             "!query in the address",
		"https://api.example.com#x":            "!query in the address",
		"https://api.example.com/a/../b":       "!path",
		"https://api.example.com/%2e%2e/b":     "!path",
		"https://api.example.com//b":           "!path",
		"https://api.example.com.":             "!host",
		"https://[fe80::1%25eth0]":             "!host",
		"https://api.example.com:":             "!port",
		"https://api.example.com:0":            "!port",
		"https://api.example.com:99999":        "!port",
		"https://api.example.com\nHost: x":     "!characters",
		"https://bücher.example":               "!characters",
		"https://api.example.com/<script>":     "!characters",
		"https://" + strings.Repeat("a", 600):  "!characters",
		`https://api.example.com\@evil.com`:    "!characters",
	} {
		got, fault := checkBaseURL(text)
		if problem, wrong := strings.CutPrefix(want, "!"); wrong {
			if !strings.Contains(string(fault), problem) || got != "" {
				t.Errorf("%q: %q, %q; want the fault %q", text, got, fault, problem)
			}
			continue
		}
		if fault != "" || got != want {
			t.Errorf("%q: %q, %q; want %q", text, got, fault, want)
		}
	}
}

// The control panel names the file of the key by the application id, and browsers add to it.
func TestApplicationIDOfAFile(t *testing.T) {
	const id = "4d1e1b0c-6a3a-4cf4-9b7e-2b9d3f5f0a11"
	for name, want := range map[string]string{
		id + ".pem": id, id + " (1).pem": id, strings.ToUpper(id) + ".PEM": id, `C:\Users\me\` + id + ".pem": id, "/tmp/" + id + ".pem": id, id: id,
		"key.pem": "", "": "", "4d1e1b0c.pem": "", "my-" + id + ".pem": "",
	} {
		if got := idOfFile(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// The id of a provider is a part of its redirect URL, which people read and compare.
func TestIDsOfServices(t *testing.T) {
	for base, want := range map[string]string{
		"https://api.example.com": "api-example-com", "http://127.0.0.1:8081": "127-0-0-1-8081", "http://[::1]:8081": "1--8081", "https://new": "service",
		"https://embedded":      "service",
		"https://enablebanking": "service", "https://enablebanking-2": "service", "https://api.enablebanking.com": "api-enablebanking-com",
		"https://" + strings.Repeat("a", 63) + ".example": strings.Repeat("a", 60),
	} {
		if got := slug(base); got != want {
			t.Errorf("%s: %q, want %q", base, got, want)
		}
	}
}
