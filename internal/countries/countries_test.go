package countries

import "testing"

func TestName(t *testing.T) {
	for code, want := range map[string]string{"SE": "Sweden", "US": "United States", "CI": "Côte d’Ivoire", "XK": "Kosovo", "XX": "XX", "": ""} {
		if got := Name(code); got != want {
			t.Errorf("Name(%s) = %q, want %q", code, got, want)
		}
	}
}

func TestWorldHasEachCountryOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, code := range World() {
		if seen[code] || Name(code) == code {
			t.Errorf("%s is there twice, or has no name", code)
		}
		seen[code] = true
	}
	for _, code := range Codes() {
		if !seen[code] {
			t.Errorf("%s is not in the world", code)
		}
	}
	if len(seen) != 250 {
		t.Errorf("the world has %d countries, want the 249 of ISO 3166 and Kosovo", len(seen))
	}
}
