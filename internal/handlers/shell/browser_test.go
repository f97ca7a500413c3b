package shell

import (
	"net/http/httptest"
	"testing"
)

// A bank that requires Psu-Referer gets only Florin's own address: neither the words of a search nor the page before Florin are sent.
func TestPresentSaysNothingOfWhatIsLookedAt(t *testing.T) {
	t.Parallel()
	for referer, want := range map[string]string{
		"https://money.example/transactions?q=divorce+lawyer#row": "https://money.example/",
		"https://money.example/accounts/4711":                     "https://money.example/",
		"https://money.example":                                   "https://money.example/",
		"https://mail.example/inbox?message=1":                    "",
		"https://me:word@elsewhere.example/":                      "",
		"https://me:word@money.example/":                          "https://money.example/",
		"//money.example:8443/":                                   "",
		"https://money.example/%zz":                               "",
		"":                                                        "",
	} {
		r := httptest.NewRequest("GET", "https://money.example/accounts/4711?q=divorce", nil)
		r.Header.Set("Referer", referer)
		r.Header.Set("User-Agent", "Browser")
		r.Header.Set("Cookie", "florin=secret")
		r.Header.Set("Authorization", "Basic secret")
		present := (&Visitor{Request: r}).Present()
		if got := present.Get("Psu-Referer"); got != want {
			t.Errorf("from %q: %q, want %q", referer, got, want)
		}
		present.Del("Psu-Referer")
		if len(present) != 1 || present.Get("Psu-User-Agent") != "Browser" {
			t.Errorf("from %q: %v", referer, present)
		}
	}
}
