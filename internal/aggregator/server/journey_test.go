package server_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"florin/internal/contract/walk"
)

// spec: Account information flow, steps 4 to 7.
func TestApproval(t *testing.T) {
	s := run(t, "Ledger", "")
	for _, mock := range []bool{false, true} {
		bank, person := s.bank(mock)
		t.Run(bank.Name, func(t *testing.T) {
			start := s.begin(bank, "a state & more", callback)
			back := must[*url.URL](t)(walk.New(nil).Approve(t.Context(), start, person))
			if got := back.Scheme + "://" + back.Host + back.Path; got != "https://app.example/callback" {
				t.Errorf("the browser goes to %s", got)
			}
			query := back.Query()
			if query.Get("state") != "a state & more" || query.Get("from") != "bank" || query.Get("error") != "" {
				t.Errorf("parameters = %v", query)
			}
			status, session := s.redeem(query.Get("code"))
			if status != 200 || len(session.Accounts) == 0 {
				t.Errorf("POST /sessions: status %d, %d accounts", status, len(session.Accounts))
			}
		})
	}
}

func TestOnlyChosenAccountsAreShared(t *testing.T) {
	s := run(t, "Ledger", "")
	bank, person := s.bank(false)
	b := walk.New(nil)
	page := must[*walk.Page](t)(b.SignIn(t.Context(), must[*walk.Page](t)(b.ToBank(t.Context(), s.begin(bank, "s", callback))), person))
	form, ok := page.Form("/approve")
	if !ok || len(form.Boxes) < 2 {
		t.Fatalf("the person has %d accounts, want at least 2", len(form.Boxes))
	}
	none := submit(t, b, page, "/approve", url.Values{"account": nil})
	if none.Status != http.StatusUnprocessableEntity || !strings.Contains(none.Body, "Choose at least one account") {
		t.Errorf("no account: status %d, page %q", none.Status, none.Title)
	}
	foreign := submit(t, b, page, "/approve", url.Values{"account": {"no-such-account"}})
	if foreign.Status != http.StatusUnprocessableEntity || !strings.Contains(foreign.Body, "cannot be chosen") {
		t.Errorf("foreign account: status %d, page %q", foreign.Status, foreign.Title)
	}
	back := submit(t, b, page, "/approve", url.Values{"account": form.Boxes[1:2]})
	if back.Left == nil {
		t.Fatalf("no way back, but %q", back.Title)
	}
	if _, session := s.redeem(back.Left.Query().Get("code")); len(session.Accounts) != 1 {
		t.Errorf("the session has %d accounts, want the one that was chosen", len(session.Accounts))
	}
}

// api-notes 4: the two documented redirect errors.
func TestRefusals(t *testing.T) {
	s := run(t, "Ledger", "")
	bank, person := s.bank(false)
	tests := []struct {
		name        string
		refuse      func(t *testing.T, b *walk.Browser, start string) (*url.URL, error)
		description string
	}{
		{"cancel on the service's page", func(t *testing.T, b *walk.Browser, start string) (*url.URL, error) {
			return b.Cancel(t.Context(), start)
		}, "Denied data sharing consent"},
		{"decline at the bank's first page", func(t *testing.T, b *walk.Browser, start string) (*url.URL, error) {
			return b.Decline(t.Context(), must[*walk.Page](t)(b.ToBank(t.Context(), start)))
		}, "Cancelled by user"},
		{"decline at the one-time code", func(t *testing.T, b *walk.Browser, start string) (*url.URL, error) {
			page := must[*walk.Page](t)(b.ToBank(t.Context(), start))
			return b.Decline(t.Context(), submit(t, b, page, "/sign-in", url.Values{"username": {person.Username}, "password": {person.Password}}))
		}, "Cancelled by user"},
		{"decline at the approval", func(t *testing.T, b *walk.Browser, start string) (*url.URL, error) {
			page := must[*walk.Page](t)(b.ToBank(t.Context(), start))
			return b.Decline(t.Context(), must[*walk.Page](t)(b.SignIn(t.Context(), page, person)))
		}, "Cancelled by user"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := walk.New(nil)
			start := s.begin(bank, "the state", callback)
			query := must[*url.URL](t)(test.refuse(t, b, start)).Query()
			want := url.Values{"from": {"bank"}, "error": {"access_denied"}, "error_description": {test.description}, "state": {"the state"}}
			if query.Encode() != want.Encode() {
				t.Errorf("parameters = %v, want %v", query, want)
			}
			if again := open(t, b, start); again.Status != http.StatusGone || !strings.Contains(again.Title, "finished") {
				t.Errorf("opened again: status %d, page %q", again.Status, again.Title)
			}
		})
	}
}

// security, PSD2 RTS art. 4: at most five wrong attempts, and no word on what was wrong.
func TestFiveWrongAttemptsBlock(t *testing.T) {
	s := run(t, "Ledger", "")
	bank, person := s.bank(false)
	signIn := url.Values{"username": {person.Username}, "password": {person.Password}}
	tests := []struct {
		name    string
		form    string
		wrong   []url.Values // sent in turn
		problem string
	}{
		{"password and user", "/sign-in", []url.Values{
			{"username": {person.Username}, "password": {"wrong"}},
			{"username": {"nobody"}, "password": {person.Password}},
		}, "The user or the password is wrong."},
		{"one-time code", "/code", []url.Values{{"code": {"999999"}}, {"code": {"x"}}}, "This code is wrong."},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := walk.New(nil)
			page := must[*walk.Page](t)(b.ToBank(t.Context(), s.begin(bank, "s", callback)))
			if test.form == "/code" {
				page = submit(t, b, page, "/sign-in", signIn)
			}
			for left := 4; left > 0; left-- {
				page = submit(t, b, page, test.form, test.wrong[left%len(test.wrong)])
				attempts := "attempts"
				if left == 1 {
					attempts = "attempt"
				}
				want := test.problem + " You have " + string(rune('0'+left)) + " " + attempts + " left."
				if page.Status != http.StatusUnprocessableEntity || !strings.Contains(page.Body, want) {
					t.Fatalf("status %d, page %q, want %q", page.Status, page.Title, want)
				}
			}
			page = submit(t, b, page, test.form, test.wrong[0])
			if page.Status != http.StatusForbidden || page.Title != "Access is blocked" || len(page.Links) != 1 {
				t.Fatalf("status %d, page %q, links %v", page.Status, page.Title, page.Links)
			}
			if reload := open(t, b, page.URL.String()); reload.Title != "Access is blocked" {
				t.Errorf("the page opened anew: %d %q", reload.Status, reload.Title)
			}
			back := open(t, b, page.Links[0])
			if back.Left == nil || back.Left.Query().Get("error") != "access_denied" || back.Left.Query().Get("state") != "s" {
				t.Errorf("the way back leads to %v (%q)", back.Left, back.Title)
			}
		})
	}
}

func TestRightAttemptAfterWrongOnes(t *testing.T) {
	s := run(t, "Ledger", "")
	bank, person := s.bank(false)
	b := walk.New(nil)
	page := must[*walk.Page](t)(b.ToBank(t.Context(), s.begin(bank, "s", callback)))
	page = submit(t, b, page, "/sign-in", url.Values{"username": {person.Username}, "password": {"wrong"}})
	if form, _ := page.Form("/sign-in"); form.Fields.Get("username") != person.Username || form.Fields.Get("password") != "" {
		t.Errorf("the form comes back with %v", form.Fields)
	}
	if !strings.Contains(page.Body, "<title>Please check: Sign in") {
		t.Error("the title does not say that something is to be mended")
	}
	page = submit(t, b, page, "/sign-in", url.Values{"username": {person.Username}, "password": {person.Password}})
	page = submit(t, b, page, "/code", url.Values{"code": {"wrong"}})
	page = submit(t, b, page, "/code", url.Values{"code": {" " + person.Code + " "}})
	if back := submit(t, b, page, "/approve", nil); back.Left == nil || back.Left.Query().Get("code") == "" {
		t.Errorf("no code, but %q", back.Title)
	}
}

// security T10: what began in one browser goes on in no other, and tells the other nothing.
func TestAnotherBrowser(t *testing.T) {
	s := run(t, "Ledger", "")
	bank, person := s.bank(false)
	owner, other := walk.New(nil), walk.New(nil)
	refused := func(page *walk.Page, at string) {
		t.Helper()
		if page.Status != http.StatusForbidden || page.Title != "Go on in the browser in which you began" {
			t.Errorf("%s: status %d, page %q", at, page.Status, page.Title)
		}
		for _, secret := range []string{bank.Name, person.Username, "Ledger", "code=", "state="} {
			if strings.Contains(page.Body, secret) {
				t.Errorf("%s: the page names %q", at, secret)
			}
		}
	}
	start := s.begin(bank, "s", callback)
	consent := open(t, owner, start)
	refused(submit(t, other, consent, "/accept", nil), "accept")
	refused(submit(t, other, consent, "/cancel", nil), "cancel")
	signIn := submit(t, owner, consent, "/accept", nil)
	code := submit(t, owner, signIn, "/sign-in", url.Values{"username": {person.Username}, "password": {person.Password}})
	refused(open(t, other, code.URL.String()), "page of the code")
	refused(submit(t, other, code, "/code", url.Values{"code": {person.Code}}), "code")
	approval := submit(t, owner, code, "/code", url.Values{"code": {person.Code}})
	refused(open(t, other, approval.URL.String()), "page of the approval")
	refused(submit(t, other, approval, "/approve", nil), "approve")
	refused(submit(t, other, approval, "/decline", nil), "decline")

	// The return from the bank, caught on its way: the other browser gets nothing, the owner still gets a code.
	form, _ := approval.Form("/approve")
	location := post(t, owner, form)
	refused(open(t, other, location), "return")
	back := open(t, owner, location)
	if back.Left == nil {
		t.Fatalf("the owner is refused: %d %q", back.Status, back.Title)
	}
	if status, _ := s.redeem(back.Left.Query().Get("code")); status != 200 {
		t.Errorf("POST /sessions: status %d", status)
	}
}

// security, ASVS 2.3.1: a form that is sent again, late or out of order changes nothing more.
func TestReplays(t *testing.T) {
	s := run(t, "Ledger", "")
	bank, person := s.bank(false)
	b := walk.New(nil)
	start := s.begin(bank, "s", callback)
	consent := open(t, b, start)
	open(t, b, start) // opened twice: the same page
	first := submit(t, b, consent, "/accept", nil)
	signIn := submit(t, b, consent, "/accept", nil) // another visit to the bank
	if first.URL.String() == signIn.URL.String() || signIn.Status != 200 {
		t.Errorf("accepted twice: %s, status %d", signIn.URL, signIn.Status)
	}
	values := url.Values{"username": {person.Username}, "password": {person.Password}}
	code := submit(t, b, signIn, "/sign-in", values)
	if again := submit(t, b, signIn, "/sign-in", values); again.Title != code.Title || again.Status != 200 {
		t.Errorf("signed in again: %d %q, want the page of the code", again.Status, again.Title)
	}
	if wrong := submit(t, b, signIn, "/sign-in", url.Values{"username": {"x"}, "password": {"y"}}); wrong.Title != code.Title {
		t.Errorf("signed in wrongly after the fact: %q, want the page of the code", wrong.Title)
	}
	form, _ := signIn.Form("/sign-in")
	form.Action.Path = strings.Replace(form.Action.Path, "/sign-in", "/approve", 1)
	if early := must[*walk.Page](t)(b.Submit(t.Context(), form, nil)); early.Title != code.Title {
		t.Errorf("approved before the code: %q, want the page of the code", early.Title)
	}
	approval := submit(t, b, code, "/code", url.Values{"code": {person.Code}})
	if again := submit(t, b, code, "/code", url.Values{"code": {person.Code}}); again.Title != approval.Title {
		t.Errorf("code sent again: %q, want the page of the approval", again.Title)
	}
	approve, _ := approval.Form("/approve")
	location := post(t, b, approve)
	back := open(t, b, location)
	if back.Left == nil {
		t.Fatalf("no way back, but %q", back.Title)
	}
	for name, again := range map[string]*walk.Page{
		"return":                open(t, b, location),
		"approve":               submit(t, b, approval, "/approve", nil),
		"decline":               submit(t, b, approval, "/decline", nil),
		"accept":                submit(t, b, consent, "/accept", nil),
		"cancel":                submit(t, b, consent, "/cancel", nil),
		"visit":                 open(t, b, approval.URL.String()),
		"first visit, declined": submit(t, b, first, "/decline", nil),
	} {
		if again.Left != nil || again.Status < 400 || again.Status >= 500 {
			t.Errorf("%s again: status %d, page %q, left to %v", name, again.Status, again.Title, again.Left)
		}
	}
	if opened := open(t, b, start); opened.Status != http.StatusGone || opened.Title != "This request is finished" {
		t.Errorf("opened when finished: %d %q", opened.Status, opened.Title)
	}
	if status, session := s.redeem(back.Left.Query().Get("code")); status != 200 || len(session.Accounts) == 0 {
		t.Errorf("after all replays POST /sessions gives %d", status)
	}
	if status, _ := s.redeem(back.Left.Query().Get("code")); status != 422 {
		t.Errorf("the code works twice: status %d", status)
	}
}

func TestExpiry(t *testing.T) {
	s := run(t, "Ledger", "")
	bank, person := s.bank(false)

	t.Run("the request", func(t *testing.T) {
		b := walk.New(nil)
		start := s.begin(bank, "s", callback)
		consent := open(t, b, start)
		s.clock.Advance(31 * time.Minute)
		for name, page := range map[string]*walk.Page{
			"opened":    open(t, b, start),
			"accepted":  submit(t, b, consent, "/accept", nil),
			"cancelled": submit(t, b, consent, "/cancel", nil),
		} {
			if page.Status != http.StatusGone || page.Title != "This request has expired" {
				t.Errorf("%s late: status %d, page %q", name, page.Status, page.Title)
			}
		}
	})
	for _, wait := range []time.Duration{16 * time.Minute, 31 * time.Minute} {
		t.Run("the visit to the bank, "+wait.String(), func(t *testing.T) {
			b := walk.New(nil)
			page := must[*walk.Page](t)(b.ToBank(t.Context(), s.begin(bank, "s", callback)))
			s.clock.Advance(wait)
			late := submit(t, b, page, "/sign-in", url.Values{"username": {person.Username}, "password": {person.Password}})
			if late.Status != http.StatusGone || late.Title != "Your visit took too long" || len(late.Links) != 1 {
				t.Fatalf("signed in late: status %d, page %q, links %v", late.Status, late.Title, late.Links)
			}
			back := open(t, b, late.Links[0])
			if back.Left == nil || back.Left.Query().Get("error") != "server_error" || back.Left.Query().Get("state") != "s" {
				t.Errorf("the way back leads to %v (%q)", back.Left, back.Title)
			}
		})
	}
}

// A walk that meets another page than it looks for says which.
func TestWalkNamesTheUnexpectedPage(t *testing.T) {
	s := run(t, "Ledger", "")
	bank, person := s.bank(false)
	b := walk.New(nil)
	_, err := b.Approve(t.Context(), s.url+"/ais/start?sessionid=x", person)
	if err == nil || !strings.Contains(err.Error(), "This link leads nowhere") || !strings.Contains(err.Error(), "404") {
		t.Errorf("error = %v", err)
	}
	person.Code = "wrong"
	_, err = b.Approve(t.Context(), s.begin(bank, "s", callback), person)
	if err == nil || !strings.Contains(err.Error(), "Enter your one-time code") || !strings.Contains(err.Error(), "422") {
		t.Errorf("error = %v", err)
	}
}

// post sends a form and returns where its answer redirects, without going there.
func post(t *testing.T, b *walk.Browser, form walk.Form) string {
	t.Helper()
	location, err := b.Location(t.Context(), form)
	if err != nil {
		t.Fatal(err)
	}
	return location
}
