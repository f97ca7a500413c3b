package panel_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"florin/internal/aggregator/server"
	"florin/internal/contract/walk"
)

// api-notes 3: sign-in by a one-time link, used up by the press of a button and by nothing else.
func TestSignInLink(t *testing.T) {
	s := run(t)
	b := walk.New(nil)
	if page := s.page(b, "/panel/", 200); page.Title != "Sign in" {
		t.Fatalf("without a sign-in: %q", page.Title)
	}
	if page := s.ask(b, " Ada@Dev.example "); page.Title != "Open the outbox" || !strings.Contains(page.Body, "florin operator") ||
		strings.Contains(strings.ToLower(page.Body), "ada@") {
		t.Errorf("asked: %q", page.Title)
	}
	link := strings.TrimPrefix(s.links("ada@dev.example")[0], s.url)
	for range 2 { // programs that look through mails open links
		if page := s.page(walk.New(nil), link, 200); page.Title != "Sign in as ada@dev.example?" {
			t.Errorf("the link shows %q", page.Title)
		}
	}
	code := url.Values{"oobCode": {link[strings.LastIndex(link, "=")+1:]}}
	if page := s.post(b, "/panel/confirm", code, 200); page.Title != "Applications" || !strings.Contains(page.Body, "You have no application yet") {
		t.Errorf("signed in: %q", page.Title)
	}
	s.post(walk.New(nil), "/panel/confirm", code, 410)
	s.page(walk.New(nil), link, 410)
	if again := s.developer("ADA@dev.example"); again == nil {
		t.Fatal("no second sign-in")
	}
	for _, forged := range []string{"", "x", strings.Repeat("A", 26), strings.Repeat("A", 9000)} {
		s.post(walk.New(nil), "/panel/confirm", url.Values{"oobCode": {forged}}, 410)
	}
}

func TestLinkEndsAfter15Minutes(t *testing.T) {
	s := run(t)
	s.ask(walk.New(nil), "ada@dev.example")
	link := strings.TrimPrefix(s.links("ada@dev.example")[0], s.url)
	code := url.Values{"oobCode": {link[strings.LastIndex(link, "=")+1:]}}
	s.clock.Advance(15 * time.Minute)
	s.page(walk.New(nil), link, 410)
	s.post(walk.New(nil), "/panel/confirm", code, 410)
	if left := s.links("ada@dev.example"); left != nil {
		t.Errorf("the outbox keeps %d mails that are of no use", len(left))
	}
}

// The answer is the same whether the address has an account, may have one, or has asked too often.
func TestSameAnswerForEveryAddress(t *testing.T) {
	s := run(t, func(o *server.Options) { o.SignUpDomains = []string{"dev.example"} })
	s.developer("known@dev.example")
	b := walk.New(nil)
	want := s.ask(b, "known@dev.example")
	for _, email := range []string{"new@dev.example", "stranger@elsewhere.example", "known@dev.example", "known@dev.example"} {
		if page := s.ask(b, email); page.Status != want.Status || page.Body != want.Body || page.URL.String() != want.URL.String() {
			t.Errorf("%s: %d %q", email, page.Status, page.Title)
		}
	}
	if n := len(s.links("stranger@elsewhere.example")); n != 0 {
		t.Errorf("%d mails for an address that may not sign in", n)
	}
	if n := len(s.links("known@dev.example")); n != 3 {
		t.Errorf("%d mails in 15 minutes, want 3", n)
	}
	if page := s.post(b, "/panel/sign-in", url.Values{"email": {"no address"}}, 422); !strings.Contains(page.Body, "This is not an e-mail address.") ||
		!strings.Contains(page.Body, `value="no address"`) {
		t.Error("a wrong address is not shown with its problem")
	}
	for range 20 {
		must[*walk.Page](t)(b.Submit(t.Context(), walk.Form{Method: "POST", Action: must[*url.URL](t)(url.Parse(s.url + "/panel/sign-in")),
			Fields: url.Values{"email": {"other@dev.example"}}}, nil))
	}
	if page := s.post(b, "/panel/sign-in", url.Values{"email": {"one-more@dev.example"}}, 429); page.Title != "Too many links were asked for" {
		t.Errorf("the 21st request of a network: %q", page.Title)
	}
	s.clock.Advance(15*time.Minute + time.Second)
	s.ask(b, "one-more@dev.example")
}

// cookies returns the cookies that an answer sets.
func setCookies(page *walk.Page) []*http.Cookie {
	return (&http.Response{Header: page.Header}).Cookies()
}

// security T15, T17, F7: a sign-in gets a new secret, every attribute of the cookie is set, and ended means ended.
func TestSignInCookie(t *testing.T) {
	s := run(t)
	confirm := func(cookie string) (*http.Cookie, int) {
		t.Helper()
		s.ask(walk.New(nil), "ada@dev.example")
		link := s.links("ada@dev.example")[0]
		request := must[*http.Request](t)(http.NewRequestWithContext(t.Context(), "POST", s.url+"/panel/confirm",
			strings.NewReader("oobCode="+link[strings.LastIndex(link, "=")+1:])))
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if cookie != "" {
			request.Header.Set("Cookie", "florin-panel="+cookie)
		}
		a := s.do(request)
		for _, c := range setCookies(&walk.Page{Header: a.header}) {
			if c.Name == "florin-panel" {
				return c, a.status
			}
		}
		return nil, a.status
	}
	signedIn := func(cookie string) bool {
		t.Helper()
		request := must[*http.Request](t)(http.NewRequestWithContext(t.Context(), "GET", s.url+"/panel/", nil))
		request.Header.Set("Cookie", "florin-panel="+cookie)
		return s.do(request).status == 200
	}
	first, status := confirm("chosen-by-somebody-else")
	if first == nil || status != 303 {
		t.Fatalf("cookie %v, status %d", first, status)
	}
	if first.Path != "/panel/" || !first.HttpOnly || first.SameSite != http.SameSiteLaxMode || first.MaxAge != 24*60*60 || first.Domain != "" || first.Secure {
		t.Errorf("cookie %+v", first)
	}
	second, _ := confirm(first.Value)
	if second.Value == first.Value || !signedIn(second.Value) {
		t.Error("a second sign-in keeps the old cookie")
	}
	if signedIn(first.Value) {
		t.Error("the sign-in that was replaced in this browser goes on")
	}
	request := must[*http.Request](t)(http.NewRequestWithContext(t.Context(), "POST", s.url+"/panel/sign-out", nil))
	request.Header.Set("Cookie", "florin-panel="+second.Value)
	out := s.do(request)
	if cleared := setCookies(&walk.Page{Header: out.header}); len(cleared) != 1 || cleared[0].MaxAge >= 0 || out.header.Get("Clear-Site-Data") != `"cache"` {
		t.Errorf("signed out: %v", out.header)
	}
	if signedIn(second.Value) {
		t.Error("the cookie works after the sign-out")
	}
	for name, forged := range map[string]string{"none": "", "nonsense": "x", "cut": second.Value[:40], "altered": "A" + second.Value[1:]} {
		if signedIn(forged) {
			t.Errorf("a forged cookie signs in: %s", name)
		}
	}
}

func TestSignInEnds(t *testing.T) {
	s := run(t)
	for _, test := range []struct { // the longest comes last: the operator, who reads the outbox for ada, is signed in for 8 hours
		name  string
		steps []time.Duration
		ended bool
	}{
		{"in use", []time.Duration{time.Hour, time.Hour, time.Hour}, false},
		{"idle", []time.Duration{2*time.Hour + time.Minute}, true},
		{"after long", []time.Duration{90 * time.Minute, 90 * time.Minute, 23 * time.Hour}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := s.developer("ada@dev.example")
			var page *walk.Page
			for _, step := range test.steps {
				s.clock.Advance(step)
				page = s.page(b, "/panel/", 200)
			}
			if ended := page.Title == "Sign in"; ended != test.ended {
				t.Errorf("ended %v, want %v", ended, test.ended)
			}
			s.clock.Advance(time.Hour) // the limit of links
		})
	}
}

// security, ASVS 7.4.2, 7.5.2: see and end one's own sign-ins, and nobody else's.
func TestEndOtherSignIns(t *testing.T) {
	s := run(t)
	here, there, stranger := s.developer("ada@dev.example"), s.developer("ada@dev.example"), s.developer("eve@dev.example")
	page := s.page(here, "/panel/account", 200)
	if strings.Count(page.Body, `name="id"`) != 2 || !strings.Contains(page.Body, "Sign out here") {
		t.Fatalf("the account shows %d sign-ins", strings.Count(page.Body, `name="id"`))
	}
	for _, form := range page.Forms {
		if id := form.Fields.Get("id"); id != "" {
			if !strings.Contains(s.page(stranger, "/panel/account", 200).Body, id) {
				s.post(stranger, "/panel/account/end", url.Values{"id": {id}}, 404)
			} else {
				t.Error("a stranger sees the sign-in")
			}
		}
	}
	own := regexp.MustCompile(`value="([0-9a-f-]{36})"[^<]*<button[^>]*>Sign out here`).FindStringSubmatch(s.page(there, "/panel/account", 200).Body)
	if own == nil {
		t.Fatal("the own sign-in is not marked")
	}
	s.post(here, "/panel/account/end", url.Values{"id": {own[1]}}, 200)
	if page := s.page(there, "/panel/", 200); page.Title != "Sign in" {
		t.Errorf("the other browser is at %q", page.Title)
	}
	s.page(here, "/panel/account", 200)
	if page := s.post(here, "/panel/sign-out", nil, 200); page.Title != "Sign in" {
		t.Errorf("signed out: %q", page.Title)
	}
}

// Without a mail server the sign-in says where the link is.
func TestSignInLeadsToTheOutbox(t *testing.T) {
	s := run(t)
	for _, path := range []string{"/panel/sign-in", "/panel/sent"} {
		if page := s.page(walk.New(nil), path, 200); !strings.Contains(page.Body, `href="/panel/operator"`) {
			t.Errorf("%s does not lead to the outbox", path)
		}
	}
}

// security T32: neither the log nor the database holds a link, and the log no address.
func TestSecretsOfASignIn(t *testing.T) {
	s := run(t)
	s.developer("ada@dev.example")
	s.ask(walk.New(nil), "ada@dev.example")
	links := s.links("ada@dev.example")
	s.stop()
	if !strings.Contains(s.log.String(), "mail written") {
		t.Error("the log does not tell of the mail")
	}
	var database []byte
	for _, name := range []string{"aggregator.db", "aggregator.db-wal"} {
		text, err := os.ReadFile(filepath.Join(s.folder, name))
		if err == nil {
			database = append(database, text...)
		}
	}
	if len(database) == 0 {
		t.Fatal("no database")
	}
	for _, link := range links {
		code := link[strings.LastIndex(link, "=")+1:]
		if strings.Contains(string(database), code) || strings.Contains(s.log.String(), code) {
			t.Error("a sign-in code is in the database or the log")
		}
	}
	if strings.Contains(s.log.String(), "ada@") || strings.Contains(s.log.String(), "oobCode") {
		t.Error("the log holds an address or a query")
	}
}
