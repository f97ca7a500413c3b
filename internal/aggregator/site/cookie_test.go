package site

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
)

func testCookie(secure bool) *Cookie {
	key := make([]byte, KeySize)
	rand.Read(key)
	return NewCookie("florin-test", key, secure)
}

// carry makes the next request of a browser that got these answers.
func carry(answers ...*httptest.ResponseRecorder) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	jar := map[string]*http.Cookie{}
	for _, answer := range answers {
		for _, c := range answer.Result().Cookies() {
			if jar[c.Name] = c; c.MaxAge < 0 {
				delete(jar, c.Name)
			}
		}
	}
	for _, c := range jar {
		r.AddCookie(c)
	}
	return r
}

// Behind https the cookie is sent over https alone, and nobody else can set it (ASVS 3.3.1).
func TestBookBehindHTTPS(t *testing.T) {
	answer := httptest.NewRecorder()
	if err := testCookie(true).Add(answer, carry(), "/ais", "one"); err != nil {
		t.Fatal(err)
	}
	c := answer.Result().Cookies()[0]
	if c.Name != "__Host-florin-test" || !c.Secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" ||
		c.MaxAge != cookieMaxAge {
		t.Errorf("cookie = %+v", c)
	}
}

func TestBookHoldsSeveralVisits(t *testing.T) {
	b := testCookie(false)
	var answers []*httptest.ResponseRecorder
	step := func(do func(w http.ResponseWriter, r *http.Request) error) {
		t.Helper()
		answer := httptest.NewRecorder()
		if err := do(answer, carry(answers...)); err != nil {
			t.Fatal(err)
		}
		answers = append(answers, answer)
	}
	for _, id := range []string{"one", "two", "one"} {
		step(func(w http.ResponseWriter, r *http.Request) error { return b.Add(w, r, "/", id) })
	}
	if r := carry(answers...); !b.Holds(r, "one") || !b.Holds(r, "two") || b.Holds(r, "three") || b.Holds(r, "") {
		t.Error("the cookie does not hold exactly one and two")
	}
	step(func(w http.ResponseWriter, r *http.Request) error { return b.Remove(w, r, "/", "two") })
	if r := carry(answers...); !b.Holds(r, "one") || b.Holds(r, "two") {
		t.Error("the cookie does not hold exactly one")
	}
	for i := range maxIDs {
		step(func(w http.ResponseWriter, r *http.Request) error { return b.Add(w, r, "/", fmt.Sprintf("%064d", i)) })
	}
	r := carry(answers...)
	if b.Holds(r, "one") || !b.Holds(r, fmt.Sprintf("%064d", 0)) || !b.Holds(r, fmt.Sprintf("%064d", maxIDs-1)) {
		t.Error("the oldest visit, and only it, has to make room")
	}
	if size := len(r.Header.Get("Cookie")); size > 4096 {
		t.Errorf("a full cookie has %d bytes, want at most 4096", size)
	}
	for i := range maxIDs {
		step(func(w http.ResponseWriter, r *http.Request) error {
			return b.Remove(w, r, "/", fmt.Sprintf("%064d", i))
		})
	}
	if r := carry(answers...); r.Header.Get("Cookie") != "" {
		t.Error("the cookie without ids is kept")
	}
}

// Another key, as of the other site, opens nothing.
func TestBookOfAnotherKey(t *testing.T) {
	answer := httptest.NewRecorder()
	if err := testCookie(false).Add(answer, carry(), "/", "one"); err != nil {
		t.Fatal(err)
	}
	if testCookie(false).Holds(carry(answer), "one") {
		t.Error("a cookie under another key is believed")
	}
}
