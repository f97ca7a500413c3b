package server_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"florin/internal/contract/walk"
	"florin/internal/openbanking"
)

// lookAfter signs a customer in to the bank's page of consents, by way of /consents.
func (s *service) lookAfter(b *walk.Browser, bank openbanking.ASPSPData, person walk.Person) *walk.Page {
	s.t.Helper()
	list := open(s.t, b, s.url+"/consents?"+url.Values{"q": {bank.Name}}.Encode())
	var page *walk.Page
	for _, link := range list.Links {
		if strings.HasSuffix(link, "/consents") && strings.Contains(link, "/banks/"+strings.ToLower(bank.Country)+"/") {
			page = open(s.t, b, link)
			break
		}
	}
	if page == nil {
		s.t.Fatalf("no link leads to the consents at %s: %v", bank.Name, list.Links)
	}
	return submit(s.t, b, page, "/consents/sign-in", url.Values{"username": {person.Username}, "password": {person.Password}, "code": {person.Code}})
}

// endForm is the form that ends the first consent of a page.
func endForm(t *testing.T, page *walk.Page) walk.Form {
	t.Helper()
	form, ok := page.Form("/consents/end")
	if !ok {
		t.Fatalf("the page %q has no consent to end", page.Title)
	}
	return form
}

// api-notes 5: AUTHORIZED, PSU revokes at the bank: REVOKED. The client learns of it with the next call, whichever it is.
func TestRevokedConsent(t *testing.T) {
	s := run(t, "Ledger <b>&", "")
	for _, mock := range []bool{false, true} {
		bank, person := s.bank(mock)
		t.Run(bank.Name, func(t *testing.T) {
			defer s.during(t)()
			reference := openbanking.ASPSP{Name: bank.Name, Country: bank.Country}
			first, second := s.linkAs(reference, person), s.linkAs(reference, person)
			b := walk.New(nil)
			if mock {
				person.Username = "personal"
			}
			page := s.lookAfter(b, bank, person)
			if page.Status != 200 || strings.Count(page.Body, "<h3><bdi>Ledger &lt;b&gt;&amp;</bdi></h3>") != 2 {
				t.Fatalf("the customer sees %d %q", page.Status, page.Title)
			}
			for _, text := range []string{"Balances and transactions", "in 90 days", " UTC", first.Accounts[0].Currency} {
				if !strings.Contains(page.Body, text) {
					t.Errorf("the consent does not say %q", text)
				}
			}
			form := endForm(t, page) // of the newest consent
			after, err := b.Submit(t.Context(), form, nil)
			if err != nil {
				t.Fatal(err)
			}
			if after.Status != 200 || !strings.Contains(after.Body, "can read nothing more") || !strings.Contains(after.Body, "You ended it on") {
				t.Errorf("after it: %d %q", after.Status, after.Title)
			}
			var session openbanking.Session
			if s.call("GET", "/sessions/"+second.SessionID, nil, &session); session.Status != openbanking.SessionStatusRevoked || session.Closed == nil {
				t.Errorf("the session is %s", session.Status)
			}
			refusal(t, s.get("/accounts/"+*second.Accounts[0].UID+"/balances", attended), 401, openbanking.RevokedSession, "null")
			var failure openbanking.ErrorResponse
			if status := s.call("DELETE", "/sessions/"+second.SessionID, nil, &failure); status != 401 || *failure.Error != openbanking.RevokedSession {
				t.Errorf("DELETE: %d %+v", status, failure)
			}
			if got := s.get("/accounts/"+*first.Accounts[0].UID+"/balances", attended); got.status != 200 {
				t.Errorf("the other session: %d %s", got.status, got.text)
			}
			again, err := b.Submit(t.Context(), form, nil) // a form that is sent twice
			if err != nil || again.Status != 200 {
				t.Errorf("%v %+v", err, again)
			}
			if s.call("GET", "/sessions/"+first.SessionID, nil, &session); session.Status != openbanking.SessionStatusAuthorized {
				t.Errorf("the other session is %s", session.Status)
			}
			s.call("DELETE", "/sessions/"+first.SessionID, nil, &openbanking.SuccessResponse{})
			if closed := open(t, b, page.URL.String()); !strings.Contains(closed.Body, "The application ended it on") ||
				!strings.Contains(closed.Body, "None. When you allow") {
				t.Error("a session that was closed leaves its consent")
			}
		})
	}
}

// A customer sees and ends the own consents only, and only while signed in.
func TestConsentsBelongToTheCustomer(t *testing.T) {
	s := run(t, "Ledger", "")
	bank := openbanking.ASPSPData{Name: "Seebrücke Bank", Country: "DE"}
	reference := openbanking.ASPSP{Name: bank.Name, Country: bank.Country}
	lena, tom := walk.Person{Username: "lena", Password: "moewe-27", Code: "271828"}, walk.Person{Username: "tom", Password: "anker-31", Code: "314159"}
	session := s.linkAs(reference, lena)
	mine, theirs := walk.New(nil), walk.New(nil)
	form := endForm(t, s.lookAfter(mine, bank, lena))
	if page := s.lookAfter(theirs, bank, tom); strings.Contains(page.Body, form.Fields.Get("consent")) || !strings.Contains(page.Body, "Tom Albrecht") {
		t.Error("another customer sees the consent")
	}
	alive := func(what string) {
		t.Helper()
		var got openbanking.Session
		if s.call("GET", "/sessions/"+session.SessionID, nil, &got); got.Status != openbanking.SessionStatusAuthorized {
			t.Fatalf("%s: the session is %s", what, got.Status)
		}
	}
	end := func(b *walk.Browser, action *url.URL, what string) *walk.Page {
		t.Helper()
		page, err := b.Submit(t.Context(), walk.Form{Method: http.MethodPost, Action: action, Fields: form.Fields}, nil)
		if err != nil {
			t.Fatal(err)
		}
		alive(what)
		return page
	}
	end(theirs, form.Action, "ended by another customer")
	if page := end(walk.New(nil), form.Action, "ended by nobody"); !strings.Contains(page.Body, "Sign in") {
		t.Errorf("nobody is shown %q", page.Title)
	}
	elsewhere := *form.Action
	elsewhere.Path = strings.Replace(elsewhere.Path, "/de/seebruecke-bank/", "/de/bergwerk-kreditanstalt/", 1)
	end(mine, &elsewhere, "ended at another bank")

	for name, wrong := range map[string]walk.Person{
		"user": {Username: "nobody", Password: lena.Password, Code: lena.Code}, "password": {Username: "lena", Password: "x", Code: lena.Code},
		"code": {Username: "lena", Password: lena.Password, Code: "1"}, "no code": {Username: "lena", Password: lena.Password},
	} {
		if page := s.lookAfter(walk.New(nil), bank, wrong); page.Status != 422 ||
			!strings.Contains(page.Body, "The user, the password or the one-time code is wrong.") || strings.Contains(page.Body, "Lena Albrecht") {
			t.Errorf("wrong %s: %d %q", name, page.Status, page.Title)
		}
	}
	response, _ := send(t, "POST", form.Action.String(),
		browserHeader("Sec-Fetch-Site", "cross-site", "Origin", "https://elsewhere.example", "Content-Type", "application/x-www-form-urlencoded"),
		form.Fields.Encode())
	if response.StatusCode != http.StatusForbidden {
		t.Errorf("a form from elsewhere: %d", response.StatusCode)
	}
	page := open(t, mine, strings.TrimSuffix(form.Action.String(), "/end"))
	if out := submit(t, mine, page, "/consents/sign-out", nil); !strings.Contains(out.Body, "Sign in to see") {
		t.Errorf("after signing out: %q", out.Title)
	}
	end(mine, form.Action, "ended after signing out")
	s.lookAfter(mine, bank, lena)
	s.clock.Advance(16 * time.Minute)
	if page := end(mine, form.Action, "ended after a quarter of an hour"); !strings.Contains(page.Body, "Sign in to see") {
		t.Errorf("after a quarter of an hour: %q", page.Title)
	}
	if page := open(t, mine, form.Action.String()); page.URL.Path != strings.TrimSuffix(form.Action.Path, "/end") {
		t.Errorf("a form's address opened like a page leads to %s", page.URL)
	}
}

// The front page of a bank leads to its consents; so does a search that finds nothing lead back.
func TestWaysToConsents(t *testing.T) {
	s := run(t, "Ledger", "")
	home := open(t, walk.New(nil), s.url+"/banks/de/seebruecke-bank/")
	found := false
	for _, link := range home.Links {
		found = found || link == s.url+"/banks/de/seebruecke-bank/consents"
	}
	if !found {
		t.Errorf("the bank's links are %v", home.Links)
	}
	if page := open(t, walk.New(nil), s.url+"/consents?q=no+such+bank"); page.Status != 200 || !strings.Contains(page.Body, "No bank matches this search.") {
		t.Errorf("%d %q", page.Status, page.Title)
	}
	if page := open(t, walk.New(nil), s.url+"/banks/de/no-such-bank/consents"); page.Status != 404 {
		t.Errorf("%d %q", page.Status, page.Title)
	}
}

// The sign-in of a customer is good at the one bank, whoever has the same name at another, and whatever path the browser sends the cookie to.
func TestCustomerOfOneBank(t *testing.T) {
	s := run(t, "Ledger", "")
	b := walk.New(nil)
	page := s.lookAfter(b, openbanking.ASPSPData{Name: "Fyriskassan", Country: "SE"}, walk.Person{Username: "maja", Password: "strom-40", Code: "404141"})
	const out = "/consents/sign-out" // the form of whoever is signed in
	if !strings.Contains(page.Body, out) {
		t.Fatalf("not signed in: %d %s", page.Status, page.Body)
	}
	var cookie string
	for _, c := range b.Cookies(page.URL) {
		if c.Name == "florin-customer" {
			cookie = c.Name + "=" + c.Value
		}
	}
	for path, signedIn := range map[string]bool{page.URL.Path: true, "/banks/pl/bank-bursztynowy/consents": false} {
		if response, body := send(t, "GET", s.url+path, browserHeader("Cookie", cookie), ""); response.StatusCode != http.StatusOK ||
			strings.Contains(body, out) != signedIn {
			t.Errorf("%s: %d, signed in is not %v", path, response.StatusCode, signedIn)
		}
	}
}
