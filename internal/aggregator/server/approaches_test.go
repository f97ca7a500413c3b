package server_test

import (
	"bytes"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"florin/internal/aggregator/sandbox"
	"florin/internal/aggregator/storage"
	"florin/internal/contract/walk"
	"florin/internal/openbanking"
	"florin/internal/testkit"
)

// Banks of the catalogue, by what they offer.
var (
	embeddedBank  = openbanking.ASPSP{Name: "Raabe & Söhne Privatbank", Country: "DE"} // one method, without one-time code
	decoupledBank = openbanking.ASPSP{Name: "Mutuelle Océane", Country: "FR"}
	mixedBank     = openbanking.ASPSP{Name: "Kivijalka Säästöpankki", Country: "FI"} // decoupled and embedded, to choose from
	hiddenBank    = openbanking.ASPSP{Name: "Banque Petit-Pont", Country: "FR"}      // redirect, and a hidden embedded method
	hintBank      = openbanking.ASPSP{Name: "Cassa Appennina", Country: "IT"}        // redirect that takes the user if it is given
)

var (
	auguste = walk.Person{Username: "auguste", Password: "siegel-1"}
	yann    = walk.Person{Username: "yann", Password: "ecume", Code: "404040"}
	helmi   = walk.Person{Username: "helmi", Password: "kivi-77", Code: "777777"}
	ines    = walk.Person{Username: "ines", Password: "pont-neuf", Code: "777001"}
)

// authorize calls POST /auth for a bank, changed by change, and returns the address for the person's browser.
func (s *service) authorize(bank openbanking.ASPSP, change func(*openbanking.StartAuthorizationRequest)) string {
	s.t.Helper()
	request := openbanking.StartAuthorizationRequest{
		Access:      openbanking.Access{ValidUntil: openbanking.DateTime{Time: s.clock.Now().Add(24 * time.Hour)}},
		ASPSP:       bank,
		State:       "the state",
		RedirectURL: callback,
	}
	if change != nil {
		change(&request)
	}
	var answer openbanking.StartAuthorizationResponse
	if status := s.call("POST", "/auth", request, &answer); status != 200 {
		s.t.Fatalf("POST /auth: status %d", status)
	}
	return answer.URL
}

// accept opens an authorisation and agrees.
func accept(t *testing.T, b *walk.Browser, start string) *walk.Page {
	t.Helper()
	return must[*walk.Page](t)(b.ToBank(t.Context(), start))
}

// returned wants a page to have left for the application, and returns the parameters.
func returned(t *testing.T, page *walk.Page) url.Values {
	t.Helper()
	if page.Left == nil {
		t.Fatalf("no way back, but %d %q", page.Status, page.Title)
	}
	query := page.Left.Query()
	if query.Get("state") != "the state" {
		t.Errorf("state = %q", query.Get("state"))
	}
	return query
}

// refused wants the parameters of an error.
func refused(t *testing.T, page *walk.Page, code, description string) {
	t.Helper()
	if q := returned(t, page); q.Get("error") != code || q.Get("error_description") != description || q.Has("code") {
		t.Errorf("back with %v, want %s: %s", q, code, description)
	}
}

// redeemed wants a code that gives a session with accounts.
func (s *service) redeemed(page *walk.Page) {
	s.t.Helper()
	status, session := s.redeem(returned(s.t, page).Get("code"))
	if status != 200 || len(session.Accounts) == 0 {
		s.t.Errorf("POST /sessions: status %d, %d accounts", status, len(session.Accounts))
	}
}

func person(u sandbox.SampleUser) walk.Person {
	return walk.Person{Username: u.Username, Password: u.Password, Code: u.OTP}
}

// api-notes 4: whatever the approach, the hosted pages drive it and come back with a code. Every method of every bank is
// gone through by name, and each bank once more as the pages lead.
func TestEveryMethodOfEveryBankComesBackWithACode(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Each)
	s := run(t, "Ledger", "")
	store, err := storage.Open(t.Context(), t.TempDir()+"/other.db")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	banks, err := sandbox.New(sandbox.Options{BaseURL: s.url, Flows: store})
	if err != nil {
		t.Fatal(err)
	}
	approaches := map[openbanking.AuthenticationApproach]int{}
	for _, bank := range banks.Banks() {
		data := bank.ASPSP()
		ways := []openbanking.AuthMethod{}
		for _, psu := range data.PSUTypes {
			ways = append(ways, openbanking.AuthMethod{PSUType: psu})
		}
		ways = append(ways, data.AuthMethods...)
		for _, m := range ways {
			name := "as the pages lead"
			if m.Name != nil {
				name = *m.Name
			}
			t.Run(data.Name+" "+data.Country+" "+string(m.PSUType)+" "+name, func(t *testing.T) {
				s := &service{t: t, server: s.server, url: s.url, clock: s.clock, log: s.log, token: s.token, client: s.client}
				start := s.authorize(data.Reference(), func(r *openbanking.StartAuthorizationRequest) {
					r.PSUType, r.AuthMethod = &m.PSUType, m.Name
				})
				var who walk.Person
				if users := bank.SampleUsers(m.PSUType); len(users) > 0 {
					who = person(users[0])
				}
				back := must[*url.URL](t)(walk.New(nil).Approve(t.Context(), start, who))
				s.redeemed(&walk.Page{Left: back})
			})
			approaches[m.Approach]++
		}
	}
	for _, approach := range openbanking.AuthenticationApproach("").Values() {
		if approaches[approach] < 4 {
			t.Errorf("%s only %d times", approach, approaches[approach])
		}
	}
}

func TestChoiceOfTheMethod(t *testing.T) {
	s := run(t, "Ledger", "")
	b := walk.New(nil)
	page := accept(t, b, s.authorize(mixedBank, nil))
	form, ok := page.Form("/method")
	if !ok || page.Title != "How do you want to sign in?" || strings.Join(form.Boxes, " ") != "app codes" || form.Fields.Get("method") != "app" {
		t.Fatalf("page %q, methods %v", page.Title, form)
	}
	wrong := submit(t, b, page, "/method", url.Values{"method": {"fax"}})
	if wrong.Status != http.StatusUnprocessableEntity || !strings.Contains(wrong.Body, "Choose one of these ways.") {
		t.Errorf("an unknown method: %d %q", wrong.Status, wrong.Title)
	}
	device := must[*walk.Page](t)(b.SignIn(t.Context(), page, helmi))
	phone, ok := device.Phone()
	if !ok {
		t.Fatalf("no address for the phone on %q", device.Title)
	}
	// Second thoughts: the other method, and the phone is told.
	again := submit(t, b, device, "/again", nil)
	if _, ok := again.Form("/method"); !ok {
		t.Fatalf("start again leads to %q, want the choice", again.Title)
	}
	if stale := open(t, walk.New(nil), phone); stale.Status != http.StatusForbidden {
		t.Errorf("the phone that was left: %d %q", stale.Status, stale.Title)
	}
	helmi := helmi
	helmi.Method = "codes"
	accounts := must[*walk.Page](t)(b.SignIn(t.Context(), again, helmi))
	s.redeemed(submit(t, b, accounts, "/approve", nil))
}

// spec: AuthMethod.hidden_method, auth_method.
func TestHiddenMethodIsReachedByNameAlone(t *testing.T) {
	s := run(t, "Ledger", "")
	b := walk.New(nil)
	page := accept(t, b, s.authorize(hiddenBank, nil))
	if _, ok := page.Form("/sign-in"); !ok {
		t.Fatalf("without a method: %q, want the bank's own page", page.Title)
	}
	hidden := "direct"
	start := s.authorize(hiddenBank, func(r *openbanking.StartAuthorizationRequest) { r.AuthMethod = &hidden })
	page = accept(t, b, start)
	if _, ok := page.Form("/credentials"); !ok {
		t.Fatalf("by its name: %q, want the form", page.Title)
	}
	if _, ok := page.Form("/again"); ok {
		t.Error("there is another method to choose")
	}
	s.redeemed(submit(t, b, must[*walk.Page](t)(b.SignIn(t.Context(), page, ines)), "/approve", nil))
}

// with sets method and credentials of a request.
func with(method string, autosubmit *bool, credentials map[string]string) func(*openbanking.StartAuthorizationRequest) {
	return func(r *openbanking.StartAuthorizationRequest) {
		r.AuthMethod, r.Credentials, r.CredentialsAutosubmit = &method, credentials, autosubmit
	}
}

// spec: credentials, credentials_autosubmit.
func TestCredentialsOfTheStart(t *testing.T) {
	s := run(t, "Ledger", "")
	yes, no := true, false
	t.Run("embedded, submitted", func(t *testing.T) {
		b := walk.New(nil)
		page := accept(t, b, s.authorize(mixedBank, with("codes", nil, map[string]string{"userId": "helmi", "password": "kivi-77"})))
		if _, ok := page.Form("/code"); !ok {
			t.Fatalf("page %d %q, want the code", page.Status, page.Title)
		}
		s.redeemed(submit(t, b, submit(t, b, page, "/code", url.Values{"code": {"777777"}}), "/approve", nil))
	})
	t.Run("decoupled, submitted", func(t *testing.T) {
		page := accept(t, walk.New(nil), s.authorize(decoupledBank, with("mobile", &yes, map[string]string{"userId": "yann"})))
		if _, ok := page.Phone(); !ok {
			t.Errorf("page %d %q, want the one that waits", page.Status, page.Title)
		}
	})
	t.Run("redirect, submitted", func(t *testing.T) {
		page := accept(t, walk.New(nil), s.authorize(hintBank, with("site", nil, map[string]string{"userId": "marco"})))
		if form, _ := page.Form("/sign-in"); form.Fields.Get("username") != "marco" {
			t.Errorf("page %q, fields %v", page.Title, form.Fields)
		}
	})
	t.Run("wrong, submitted", func(t *testing.T) {
		b := walk.New(nil)
		page := accept(t, b, s.authorize(embeddedBank, with("direct", nil, map[string]string{"userId": "auguste", "password": "wrong"})))
		form, ok := page.Form("/credentials")
		if !ok || page.Status != http.StatusUnprocessableEntity || !strings.Contains(page.Body, "You have 4 attempts left.") ||
			strings.Contains(page.Body, "wrong\"") {
			t.Fatalf("page %d %q %v", page.Status, page.Title, form.Fields)
		}
		s.redeemed(submit(t, b, must[*walk.Page](t)(b.SignIn(t.Context(), page, auguste)), "/approve", nil))
	})
	t.Run("embedded, filled in", func(t *testing.T) {
		b := walk.New(nil)
		page := accept(t, b, s.authorize(embeddedBank, with("direct", &no, map[string]string{"userId": "auguste", "password": "siegel-1"})))
		form, ok := page.Form("/credentials")
		if !ok || form.Fields.Get("credential.userId") != "auguste" || form.Fields.Get("credential.password") != "siegel-1" ||
			!strings.Contains(page.Body, "has filled in what it knows") {
			t.Fatalf("page %q, fields %v", page.Title, form.Fields)
		}
		s.redeemed(submit(t, b, submit(t, b, page, "/credentials", nil), "/approve", nil))
	})
	t.Run("half of them, filled in", func(t *testing.T) {
		b := walk.New(nil)
		page := accept(t, b, s.authorize(embeddedBank, with("direct", &no, map[string]string{"userId": "nobody"})))
		wrong := submit(t, b, page, "/credentials", url.Values{"credential.password": {"siegel-1"}})
		form, _ := wrong.Form("/credentials")
		if wrong.Status != http.StatusUnprocessableEntity || form.Fields.Get("credential.userId") != "nobody" || form.Fields.Get("credential.password") != "" {
			t.Fatalf("page %d %q, fields %v", wrong.Status, wrong.Title, form.Fields)
		}
		s.redeemed(submit(t, b, submit(t, b, wrong, "/credentials", url.Values{"credential.userId": {"auguste"}, "credential.password": {"siegel-1"}}),
			"/approve", nil))
	})
	t.Run("redirect, filled in", func(t *testing.T) {
		b := walk.New(nil)
		page := accept(t, b, s.authorize(hintBank, with("site", &no, map[string]string{"userId": "somebody"})))
		if form, _ := page.Form("/credentials"); form.Fields.Get("credential.userId") != "somebody" {
			t.Fatalf("page %q, fields %v", page.Title, form.Fields)
		}
		if page = submit(t, b, page, "/credentials", url.Values{"credential.userId": {"marco"}}); !strings.Contains(page.Body, `value="marco"`) {
			t.Errorf("page %q does not expect marco", page.Title)
		}
	})
	t.Run("gone after their use", func(t *testing.T) {
		b := walk.New(nil)
		start := s.authorize(embeddedBank, with("direct", nil, map[string]string{"userId": "auguste", "password": "siegel-1"}))
		accept(t, b, start)
		page := accept(t, b, start) // a second time there is nothing to submit
		if form, ok := page.Form("/credentials"); !ok || form.Fields.Get("credential.userId") != "" {
			t.Errorf("page %q, fields %v", page.Title, form.Fields)
		}
	})
}

// spec: credentials; api-notes 5: WRONG_CREDENTIALS_PROVIDED.
func TestWrongCredentialsOfTheStartAreRefused(t *testing.T) {
	s := run(t, "Ledger", "")
	no, method := false, "direct"
	tests := []struct {
		name        string
		method      *string
		autosubmit  *bool
		credentials map[string]string
		status      int
		code        openbanking.ErrorCode
	}{
		{"without a method", nil, nil, map[string]string{"userId": "auguste"}, 422, openbanking.WrongRequestParameters},
		{"one is missing", &method, nil, map[string]string{"userId": "auguste"}, 422, openbanking.WrongCredentialsProvided},
		{"one is empty", &method, nil, map[string]string{"userId": "auguste", "password": ""}, 422, openbanking.WrongCredentialsProvided},
		{"none: the person is asked", &method, nil, map[string]string{}, 200, ""},
		{"all empty: the person is asked", &method, nil, map[string]string{"userId": "", "password": ""}, 200, ""},
		{"one is unknown", &method, nil, map[string]string{"userId": "auguste", "password": "siegel-1", "pin": "1"}, 422, openbanking.WrongCredentialsProvided},
		{"another form", &method, nil, map[string]string{"userId": "Auguste!", "password": "siegel-1"}, 422, openbanking.WrongCredentialsProvided},
		{"against a lookahead", &method, nil, map[string]string{"userId": "auguste", "password": "SIEGEL-1"}, 422, openbanking.WrongCredentialsProvided},
		{"too long", &method, nil, map[string]string{"userId": "auguste", "password": strings.Repeat("x", 201)}, 422, openbanking.WrongCredentialsProvided},
		{"another form, to fill in", &method, &no, map[string]string{"userId": "Auguste!"}, 422, openbanking.WrongCredentialsProvided},
		{"one is missing, to fill in", &method, &no, map[string]string{"userId": "auguste"}, 200, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var answer struct {
				Error openbanking.ErrorCode `json:"error"`
			}
			body := map[string]any{
				"access": map[string]any{"valid_until": time.Now().Add(time.Hour).UTC().Format(time.RFC3339)}, "aspsp": embeddedBank,
				"state": "s", "redirect_url": callback, "auth_method": test.method, "credentials": test.credentials, "credentials_autosubmit": test.autosubmit,
			}
			status := s.call("POST", "/auth", body, &answer)
			if status != test.status || answer.Error != test.code {
				t.Errorf("%d %s, want %d %s", status, answer.Error, test.status, test.code)
			}
		})
	}
}

// Fields that cannot be right are marked, and are no attempt at the bank.
func TestFaultsOfCredentialFields(t *testing.T) {
	s := run(t, "Ledger", "")
	b := walk.New(nil)
	page := accept(t, b, s.authorize(embeddedBank, nil))
	for range 6 {
		page = submit(t, b, page, "/credentials", url.Values{"credential.userId": {"Auguste!"}, "credential.password": {""}})
		for _, want := range []string{"Please check the marked fields.", "This does not have the form that the bank expects.", "This is needed.",
			`value="Auguste!"`, "<title>Please check:"} {
			if page.Status != http.StatusUnprocessableEntity || !strings.Contains(page.Body, want) {
				t.Fatalf("status %d, page %q lacks %q", page.Status, page.Title, want)
			}
		}
	}
	page = submit(t, b, page, "/credentials", url.Values{"credential.userId": {"auguste"}, "credential.password": {"siegel-1"}, "credential.pin": {"0"}})
	if page.Status != http.StatusUnprocessableEntity {
		t.Errorf("a field too many: %d %q", page.Status, page.Title)
	}
	s.redeemed(submit(t, b, must[*walk.Page](t)(b.SignIn(t.Context(), page, auguste)), "/approve", nil))
}

// Delegated Regulation (EU) 2018/389, article 4: at most five wrong attempts, passwords and codes together.
func TestFiveWrongAnswersBlockAnEmbeddedVisit(t *testing.T) {
	s := run(t, "Ledger", "")
	b := walk.New(nil)
	method := "codes"
	page := accept(t, b, s.authorize(mixedBank, func(r *openbanking.StartAuthorizationRequest) { r.AuthMethod = &method }))
	page = submit(t, b, page, "/credentials", url.Values{"credential.userId": {"helmi"}, "credential.password": {"wrong"}})
	if !strings.Contains(page.Body, "The bank does not accept this. Please check it. You have 4 attempts left.") {
		t.Errorf("page %d %q", page.Status, page.Title)
	}
	page = must[*walk.Page](t)(b.SignIn(t.Context(), page, walk.Person{Username: "helmi", Password: "kivi-77", Code: "000000"}))
	if !strings.Contains(page.Body, "This code is wrong. You have 3 attempts left.") {
		t.Errorf("page %d %q", page.Status, page.Title)
	}
	for range 2 {
		page = submit(t, b, page, "/code", url.Values{"code": {""}})
	}
	if !strings.Contains(page.Body, "You have 1 attempt left.") {
		t.Errorf("page %d %q", page.Status, page.Title)
	}
	code := page
	page = submit(t, b, page, "/code", url.Values{"code": {"1"}})
	if page.Status != http.StatusGone || page.Title != "Access is blocked" {
		t.Fatalf("page %d %q", page.Status, page.Title)
	}
	if late := submit(t, b, code, "/code", url.Values{"code": {"777777"}}); late.Title != "Access is blocked" {
		t.Errorf("the right code after that: %q", late.Title)
	}
	refused(t, submit(t, b, page, "/back", nil), "access_denied", "Too many wrong attempts at the bank")
}

// waits walks to the page that waits for the phone.
func (s *service) waits(b *walk.Browser) (page *walk.Page, phone string) {
	s.t.Helper()
	page = must[*walk.Page](s.t)(b.SignIn(s.t.Context(), accept(s.t, b, s.authorize(decoupledBank, nil)), yann))
	phone, ok := page.Phone()
	if !ok {
		s.t.Fatalf("page %d %q does not wait", page.Status, page.Title)
	}
	return page, phone
}

func TestDecoupledVisitSaysWhatToDo(t *testing.T) {
	s := run(t, "Ledger", "")
	computer, mobile := walk.New(nil), walk.New(nil)
	page, phone := s.waits(computer)
	if page.Title != "Approve on your phone" || !strings.Contains(page.Body, `<meta http-equiv="refresh" content="5">`) ||
		!strings.Contains(page.Body, `role="img"`) ||
		!regexp.MustCompile(`<strong data-clock>[1-5]:\d\d</strong>`).MatchString(page.Body) ||
		!strings.HasPrefix(phone, s.url+"/banks/fr/mutuelle-oceane/authorize?flow=") {
		t.Errorf("page %q, phone %s", page.Title, phone)
	}
	if policy := page.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "script-src 'self'; connect-src 'self'") ||
		!strings.Contains(policy, "form-action 'self' https://app.example") {
		t.Errorf("policy %s", policy)
	}
	state := func(b *walk.Browser) int {
		return open(t, b, strings.Replace(page.URL.String(), "/ais/visit", "/ais/visit/state", 1)).Status
	}
	if state(computer) != http.StatusNoContent || state(mobile) != http.StatusForbidden {
		t.Error("the state is not 204 for its browser and 403 for another")
	}
	signIn := open(t, mobile, phone)
	_, digits, _ := strings.Cut(page.Body, `<strong class="big-code">`)
	if digits, _, _ = strings.Cut(digits, "<"); len(digits) != 4 || !strings.Contains(signIn.Body, ">"+digits+"<") {
		t.Errorf("the phone does not show the digits %q", digits)
	}
	if form, _ := signIn.Form("/sign-in"); form.Fields.Get("username") != "yann" {
		t.Errorf("the phone asks %v", form.Fields)
	}
	if policy := signIn.Header.Get("Content-Security-Policy"); strings.Contains(policy, "script-src") {
		t.Errorf("policy of the phone %s", policy)
	}
	approval := must[*walk.Page](t)(mobile.SignIn(t.Context(), signIn, yann))
	done := submit(t, mobile, approval, "/approve", nil)
	if done.Status != http.StatusOK || done.Title != "You have approved" || done.Left != nil || strings.Contains(done.Body, "code=") {
		t.Errorf("the phone ends at %d %q", done.Status, done.Title)
	}
	if state(computer) != http.StatusOK {
		t.Error("the page that waits is not told")
	}
	s.redeemed(open(t, computer, page.URL.String()))
	if late := open(t, mobile, phone); late.Title != "You have approved" || late.Status != http.StatusOK {
		t.Errorf("the phone opened again: %d %q", late.Status, late.Title)
	}
	if late := submit(t, mobile, approval, "/decline", nil); late.Title != "You have approved" {
		t.Errorf("declined after all: %q", late.Title)
	}
}

func TestDecoupledVisitEnds(t *testing.T) {
	s := run(t, "Ledger", "")
	phoneSignedIn := func(t *testing.T, phone string) (*walk.Browser, *walk.Page) {
		mobile := walk.New(nil)
		return mobile, must[*walk.Page](t)(mobile.SignIn(t.Context(), open(t, mobile, phone), yann))
	}
	t.Run("declined on the phone", func(t *testing.T) {
		computer := walk.New(nil)
		page, phone := s.waits(computer)
		mobile, approval := phoneSignedIn(t, phone)
		if over := submit(t, mobile, approval, "/decline", nil); over.Title != "This request is over" || over.Left != nil {
			t.Errorf("the phone ends at %q", over.Title)
		}
		refused(t, open(t, computer, page.URL.String()), "access_denied", "Cancelled by user")
	})
	t.Run("cancelled on the computer", func(t *testing.T) {
		computer := walk.New(nil)
		page, phone := s.waits(computer)
		mobile, approval := phoneSignedIn(t, phone)
		refused(t, submit(t, computer, page, "/decline", nil), "access_denied", "Cancelled by user")
		if over := submit(t, mobile, approval, "/approve", nil); over.Title != "This request is over" {
			t.Errorf("the phone approves: %q", over.Title)
		}
	})
	t.Run("started again", func(t *testing.T) {
		computer := walk.New(nil)
		page, phone := s.waits(computer)
		mobile, approval := phoneSignedIn(t, phone)
		again := must[*walk.Page](t)(computer.SignIn(t.Context(), submit(t, computer, page, "/again", nil), yann))
		next, ok := again.Phone()
		if !ok || next == phone {
			t.Fatalf("page %q, phone %s", again.Title, next)
		}
		if over := submit(t, mobile, approval, "/approve", nil); over.Title != "This request is over" {
			t.Errorf("the phone of before approves: %q", over.Title)
		}
		mobile, approval = phoneSignedIn(t, next)
		submit(t, mobile, approval, "/approve", nil)
		s.redeemed(open(t, computer, page.URL.String()))
	})
	t.Run("accepted again", func(t *testing.T) {
		computer := walk.New(nil)
		start := s.authorize(decoupledBank, nil)
		consent := open(t, computer, start)
		first := must[*walk.Page](t)(computer.SignIn(t.Context(), submit(t, computer, consent, "/accept", nil), yann))
		phone, _ := first.Phone()
		second := submit(t, computer, consent, "/accept", nil)
		if gone := open(t, computer, first.URL.String()); gone.Status != http.StatusNotFound {
			t.Errorf("the visit of before: %d %q", gone.Status, gone.Title)
		}
		if over := open(t, walk.New(nil), phone); over.Status != http.StatusForbidden {
			t.Errorf("the phone of before: %d %q", over.Status, over.Title)
		}
		refused(t, submit(t, computer, second, "/decline", nil), "access_denied", "Cancelled by user")
	})
	for name, way := range map[string]struct {
		wait  time.Duration
		phone int // status of a phone that looks for the first time
		end   func(t *testing.T, computer *walk.Browser, late *walk.Page)
	}{
		"the bank waits no longer: back": {6 * time.Minute, http.StatusGone, func(t *testing.T, computer *walk.Browser, late *walk.Page) {
			refused(t, submit(t, computer, late, "/back", nil), "server_error", "The authorisation was not completed in time")
		}},
		"the bank waits no longer: again": {6 * time.Minute, http.StatusGone, func(t *testing.T, computer *walk.Browser, late *walk.Page) {
			again := must[*walk.Page](t)(computer.SignIn(t.Context(), submit(t, computer, late, "/again", nil), yann))
			if _, ok := again.Phone(); !ok {
				t.Errorf("start again leads to %q", again.Title)
			}
		}},
		"the service waits no longer": {31 * time.Minute, http.StatusForbidden, func(t *testing.T, _ *walk.Browser, late *walk.Page) {
			refused(t, late, "server_error", "The authorisation was not completed in time")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			computer := walk.New(nil)
			page, phone := s.waits(computer)
			mobile, approval := phoneSignedIn(t, phone)
			s.clock.Advance(way.wait)
			late := open(t, computer, page.URL.String())
			if late.Left == nil && (late.Status != http.StatusGone || late.Title != "The time is up") {
				t.Fatalf("late: %d %q", late.Status, late.Title)
			}
			if on := submit(t, mobile, approval, "/approve", nil); on.Status == http.StatusOK && on.Title == "You have approved" {
				t.Errorf("the phone approves late: %q", on.Title)
			}
			if first := open(t, walk.New(nil), phone); first.Status != way.phone {
				t.Errorf("the phone looks late: %d %q", first.Status, first.Title)
			}
			way.end(t, computer, late)
		})
	}
}

// security T10: a visit belongs to the browser in which the person agreed, and its pages tell another one nothing. That
// holds for a browser that knows the address of the authorisation, too.
func TestAnotherBrowserOnAVisit(t *testing.T) {
	s := run(t, "Ledger", "")
	owner, other := walk.New(nil), walk.New(nil)
	turnedAway := func(page *walk.Page, at string) {
		t.Helper()
		if page.Status != http.StatusForbidden || page.Title != "Go on in the browser in which you began" {
			t.Errorf("%s: status %d, page %q", at, page.Status, page.Title)
		}
		for _, secret := range []string{"Kivijalka", "helmi", "Helmi", "Ledger", "code=", "state="} {
			if strings.Contains(page.Body, secret) {
				t.Errorf("%s: the page names %q", at, secret)
			}
		}
	}
	start := s.authorize(mixedBank, nil)
	choice := accept(t, owner, start)
	open(t, other, start) // it may look at the consent
	everywhere := func(page *walk.Page) {
		t.Helper()
		turnedAway(open(t, other, page.URL.String()), "page")
		turnedAway(open(t, other, strings.Replace(page.URL.String(), "/ais/visit", "/ais/visit/state", 1)), "state")
		for _, step := range []string{"method", "credentials", "code", "approve", "again", "back", "decline"} {
			form := page.Forms[0]
			address := *form.Action
			address.Path = "/ais/visit/" + step
			form.Action = &address
			turnedAway(must[*walk.Page](t)(other.Submit(t.Context(), form,
				url.Values{"credential.userId": {"helmi"}, "credential.password": {"kivi-77"}, "code": {"777777"}})), step)
		}
	}
	everywhere(choice)
	credentials := submit(t, owner, choice, "/method", url.Values{"method": {"codes"}})
	everywhere(credentials)
	code := submit(t, owner, credentials, "/credentials", url.Values{"credential.userId": {"helmi"}, "credential.password": {"kivi-77"}})
	everywhere(code)
	accounts := submit(t, owner, code, "/code", url.Values{"code": {"777777"}})
	everywhere(accounts)
	s.redeemed(submit(t, owner, accounts, "/approve", nil))
	everywhere(accounts)
}

// The phone that looks first is the phone: another one learns nothing and changes nothing.
func TestAnotherPhone(t *testing.T) {
	s := run(t, "Ledger", "")
	computer, mobile, other := walk.New(nil), walk.New(nil), walk.New(nil)
	page, phone := s.waits(computer)
	approval := must[*walk.Page](t)(mobile.SignIn(t.Context(), open(t, mobile, phone), yann))
	for at, stopped := range map[string]*walk.Page{
		"page":    open(t, other, phone),
		"approve": submit(t, other, approval, "/approve", nil),
		"decline": submit(t, other, approval, "/decline", nil),
	} {
		if stopped.Status != http.StatusForbidden || strings.Contains(stopped.Body, "Océane") || strings.Contains(stopped.Body, "Ledger") {
			t.Errorf("%s: %d %q", at, stopped.Status, stopped.Title)
		}
	}
	submit(t, mobile, approval, "/approve", nil)
	s.redeemed(open(t, computer, page.URL.String()))
}

// security, ASVS 2.3.1: forms of a visit that are sent again, late or out of order change nothing more.
func TestReplaysOfAVisit(t *testing.T) {
	s := run(t, "Ledger", "")
	b := walk.New(nil)
	method := "codes"
	start := s.authorize(mixedBank, func(r *openbanking.StartAuthorizationRequest) { r.AuthMethod = &method })
	credentials := accept(t, b, start)
	elsewhere := func(page *walk.Page, step string, changes url.Values) *walk.Page {
		t.Helper()
		form := page.Forms[0]
		address := *form.Action
		address.Path = "/ais/visit/" + step
		form.Action = &address
		return must[*walk.Page](t)(b.Submit(t.Context(), form, changes))
	}
	right := url.Values{"credential.userId": {"helmi"}, "credential.password": {"kivi-77"}}
	for name, early := range map[string]*walk.Page{
		"accounts":      elsewhere(credentials, "approve", url.Values{"account": {"x"}}),
		"back":          elsewhere(credentials, "back", nil),
		"form's page":   open(t, b, strings.Replace(credentials.URL.String(), "/ais/visit", "/ais/visit/code", 1)),
		"state's page":  open(t, b, credentials.URL.String()),
		"unknown field": elsewhere(credentials, "approve", nil),
	} {
		if early.Title != credentials.Title || early.Left != nil {
			t.Errorf("%s too early: %d %q", name, early.Status, early.Title)
		}
	}
	code := submit(t, b, credentials, "/credentials", right)
	for _, again := range []url.Values{right, {"credential.userId": {"helmi"}, "credential.password": {"wrong"}}} {
		if page := submit(t, b, credentials, "/credentials", again); page.Title != code.Title || page.Status != http.StatusOK {
			t.Errorf("credentials again: %d %q", page.Status, page.Title)
		}
	}
	accounts := submit(t, b, code, "/code", url.Values{"code": {" 777777 "}})
	if page := submit(t, b, code, "/code", url.Values{"code": {"wrong"}}); page.Title != accounts.Title || page.Status != http.StatusOK {
		t.Errorf("the code again: %d %q", page.Status, page.Title)
	}
	if none := submit(t, b, accounts, "/approve", url.Values{"account": nil}); none.Status != http.StatusUnprocessableEntity ||
		!strings.Contains(none.Body, "Choose at least one account") {
		t.Errorf("no account: %d %q", none.Status, none.Title)
	}
	if foreign := submit(t, b, accounts, "/approve", url.Values{"account": {"no such"}}); foreign.Status != http.StatusUnprocessableEntity ||
		!strings.Contains(foreign.Body, "cannot be chosen") {
		t.Errorf("a foreign account: %d %q", foreign.Status, foreign.Title)
	}
	back := submit(t, b, accounts, "/approve", nil)
	returned(t, back)
	for name, again := range map[string]*walk.Page{
		"credentials": submit(t, b, credentials, "/credentials", right),
		"code":        submit(t, b, code, "/code", url.Values{"code": {"777777"}}),
		"approve":     submit(t, b, accounts, "/approve", nil),
		"decline":     submit(t, b, accounts, "/decline", nil),
		"again":       elsewhere(accounts, "again", nil),
		"back":        elsewhere(accounts, "back", nil),
		"method":      elsewhere(accounts, "method", url.Values{"method": {"codes"}}),
		"page":        open(t, b, accounts.URL.String()),
		"start":       open(t, b, start),
	} {
		if again.Left != nil || again.Status < 400 || again.Status >= 500 {
			t.Errorf("%s after the end: status %d, page %q", name, again.Status, again.Title)
		}
	}
	s.redeemed(back)
}

// Neither the credentials of POST /auth nor what a person types can be read from the database files or the log.
func TestCredentialsAtRest(t *testing.T) {
	s := run(t, "Ledger", "")
	no := false
	secret := map[string]string{"userId": "auguste", "password": "siegel-1"}
	waiting := s.authorize(embeddedBank, with("direct", nil, secret))
	b := walk.New(nil)
	page := accept(t, b, s.authorize(embeddedBank, with("direct", &no, secret)))
	submit(t, b, page, "/credentials", nil)
	typed := walk.New(nil)
	must[*walk.Page](t)(typed.SignIn(t.Context(), accept(t, typed, s.authorize(mixedBank, func(r *openbanking.StartAuthorizationRequest) {
		method := "codes"
		r.AuthMethod = &method
	})), helmi))
	var files []byte
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(s.folder + "/aggregator.db" + suffix)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, data...)
	}
	_, id, _ := strings.Cut(waiting, "sessionid=")
	if !bytes.Contains(files, []byte(id)) {
		t.Fatal("the files do not hold the authorisation; the search means nothing")
	}
	for _, text := range []string{"siegel-1", "kivi-77", "777777"} {
		if bytes.Contains(files, []byte(text)) || strings.Contains(s.log.String(), text) {
			t.Errorf("%q is stored or logged", text)
		}
	}
}
