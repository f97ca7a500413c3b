package finance

import "testing"

func TestCreditorID(t *testing.T) {
	for text, want := range map[string]string{
		"CRED+DE98ZZZ09999999999 SVWZ+Beitrag": "DE98ZZZ09999999999", "Incassant NL13ZZZ332005960000": "NL13ZZZ332005960000", "ZZZ": "", "PIZZZZA 12ZZZ": "", "DE98ZZZ0": "",
		"xDE98ZZZ09999999999": "",
	} {
		if got := creditorID(text); got != want {
			t.Errorf("creditorID(%q) = %q, want %q", text, got, want)
		}
	}
}
