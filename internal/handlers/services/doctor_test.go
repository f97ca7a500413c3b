package services

import (
	"strings"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/handlers/show"
	"florin/internal/openbanking"
	"florin/web/templates/pages"
	"florin/web/templates/words"
)

// healthy is an examination in which all is well.
func healthy() finance.Examination {
	return finance.Examination{
		At: time.Date(2026, 11, 20, 14, 2, 0, 0, time.UTC), RedirectURL: "https://money.example/callback/x", RedirectAllowed: true,
		RedirectURLs: []string{"https://money.example/callback/x"},
		Clock:        true, Name: "My Florin", ApplicationID: "app", Environment: openbanking.EnvironmentSandbox, Active: true,
		Services: []openbanking.Service{openbanking.ServiceAIS, openbanking.ServicePIS}, Countries: []string{"FI", "DE"}, Banks: 2431,
	}
}

// Each check is a line. It says what to do when the check fails.
func TestFindings(t *testing.T) {
	public := examined{baseURL: "https://api.enablebanking.com", applicationID: "app", public: true, signed: true}
	other := examined{baseURL: "http://localhost:9000", applicationID: "app"}
	c := show.Clock{Language: words.English, Now: time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)}
	for _, test := range []struct {
		name    string
		who     examined
		change  func(e *finance.Examination)
		title   string // of the whole examination
		line    string // title of a line
		state   state
		text    string // in that line
		healthy bool
	}{
		{"all is well", public, func(*finance.Examination) {}, "Everything is fine", "2,431 banks", didPass, "when they link a bank", true},
		{"pages for the control panel", public, func(*finance.Examination) {}, "Everything is fine", "Privacy and terms pages", goodToKnow, "everybody can read them.", true},
		{"pages without a name", other, func(*finance.Examination) {}, "Everything is fine", "Privacy and terms pages", lookAt, "set --operator-name", true},
		{"countries by name", public, func(*finance.Examination) {}, "Everything is fine", "Countries", goodToKnow, "Finland, Germany.", true},
		{"no such host", public, func(e *finance.Examination) { e.Problem = finance.ProblemName }, "Florin could not reach the banking service", "The banking service answers",
			toDo, "No host called api.enablebanking.com", false},
		{"the rest waits", public, func(e *finance.Examination) { e.Problem = finance.ProblemTimeout }, "Florin could not reach the banking service",
			"The key belongs to the application", notChecked, "once the banking service answers", false},
		{"its certificate", public, func(e *finance.Examination) { e.Problem = finance.ProblemCertificate }, "Florin could not reach the banking service",
			"The banking service answers", toDo, "Nothing was sent.", false},
		{"a private network", public, func(e *finance.Examination) { e.Problem = finance.ProblemAddress }, "Florin could not reach the banking service",
			"The banking service answers", toDo, "private network", false},
		{"broken off", other, func(e *finance.Examination) { e.Problem = finance.ProblemUnanswered }, "Florin could not reach the banking service",
			"The banking service answers", toDo, "localhost:9000 was interrupted", false},
		{"refused key", public, func(e *finance.Examination) { e.Problem, e.Status = finance.ProblemKey, 401 }, "The banking service does not accept Florin’s key",
			"The key belongs to the application", toDo, "One of two things is wrong", false},
		{"refused key elsewhere", other, func(e *finance.Examination) { e.Problem, e.Status = finance.ProblemKey, 401 },
			"The banking service does not accept Florin’s key", "The key belongs to the application", toDo, "issuer and audience", false},
		{"clock ahead", public, func(e *finance.Examination) { e.Problem, e.Status, e.Ahead = finance.ProblemKey, 401, 2*time.Minute },
			"The banking service does not accept Florin’s key", "The key belongs to the application", toDo, "2 minutes ahead", false},
		{"clock far behind", public, func(e *finance.Examination) { e.Problem, e.Status, e.Ahead = finance.ProblemKey, 401, -2*time.Hour },
			"The banking service does not accept Florin’s key", "The clocks agree", toDo, "2 hours behind", false},
		{"clock a little behind", public, func(e *finance.Examination) { e.Ahead = -2 * time.Minute }, "Everything is fine", "The clocks agree", lookAt,
			"It still works", true},
		{"no clock", public, func(e *finance.Examination) { e.Clock = false }, "Everything is fine", "The clocks agree", notChecked, "did not say", true},
		{"too many requests", public, func(e *finance.Examination) { e.Problem, e.Status = finance.ProblemStatus, 429 },
			"The banking service does not accept Florin’s key", "The key belongs to the application", toDo, "problem of its own (status 429)", false},
		{"another environment", public, func(e *finance.Examination) { e.Problem = finance.ProblemSwitched }, "The banking service does not accept Florin’s key",
			"The key belongs to the application", toDo, "connect this application as a separate banking service", false},
		{"sandbox is inactive", public, func(e *finance.Examination) { e.Active = false }, "1 thing to do", "The application is active", toDo, "Activate it", false},
		{"production is inactive", public, func(e *finance.Examination) { e.Active, e.Environment = false, openbanking.EnvironmentProduction }, "1 thing to do",
			"The application is active", toDo, "Link your own accounts", false},
		{"production", public, func(e *finance.Examination) { e.Environment = openbanking.EnvironmentProduction }, "Everything is fine",
			"Payments can be made (PIS)", lookAt, "Real money moves", true},
		{"restricted", public, func(e *finance.Examination) { e.Environment = openbanking.EnvironmentProduction }, "Everything is fine",
			"Only your own accounts, without a contract", goodToKnow, "link each account there first", true},
		{"no payments", public, func(e *finance.Examination) { e.Services = e.Services[:1] }, "Everything is fine", "No payments (PIS)", goodToKnow, "licence", true},
		{"no accounts", public, func(e *finance.Examination) { e.Services = e.Services[1:] }, "1 thing to do", "Accounts can be read (AIS)", toDo,
			"account information", false},
		{"webhooks", public, func(e *finance.Examination) { e.WebhookURL = "https://money.example/webhooks/x" }, "Everything is fine", "Payment updates",
			didPass, "allow this one", true},
		{"no webhooks", public, func(*finance.Examination) {}, "Everything is fine", "Payment updates", goodToKnow, "began with https", true},
		{"no believed webhooks", other, func(*finance.Examination) {}, "Everything is fine", "Payment updates", goodToKnow, "whose signatures to trust", true},
		{"no list of banks", public, func(e *finance.Examination) { e.BanksProblem, e.Banks = true, 0 }, "1 thing to do", "The list of banks", toDo,
			"could not be loaded", false},
		{"redirect by its scheme", public, func(e *finance.Examination) {
			e.RedirectAllowed, e.RedirectURLs = false, []string{"https://else.example/x", "http://money.example/callback/x"}
		}, "1 thing to do", "The redirect URL is registered", toDo, "only in http or https: http://money.example/callback/x", false},
		{"redirect by its host", public, func(e *finance.Examination) {
			e.RedirectAllowed, e.RedirectURLs = false, []string{"https://www.money.example/callback/x"}
		}, "1 thing to do", "The redirect URL is registered", toDo, "only in its host", false},
		{"redirect of another provider", public, func(e *finance.Examination) {
			e.RedirectAllowed, e.RedirectURLs = false, []string{"https://money.example/callback/y"}
		}, "1 thing to do", "The redirect URL is registered", toDo, "only in its path", false},
		{"no redirect at all", public, func(e *finance.Examination) { e.RedirectAllowed, e.RedirectURLs = false, nil }, "1 thing to do",
			"The redirect URL is registered", toDo, "exactly as it is here", false},
	} {
		e := healthy()
		test.change(&e)
		f := findings(c, e, test.who)
		if f.Title != test.title || f.When != "at 14:02" {
			t.Errorf("%s: %q %s", test.name, f.Title, f.When)
		}
		if got := e.Healthy(); got != test.healthy {
			t.Errorf("%s: healthy is %v", test.name, got)
		}
		var line *pages.Finding
		for i := range f.Rows {
			if f.Rows[i].Title == test.line {
				line = &f.Rows[i]
			}
		}
		if line == nil {
			t.Errorf("%s: there is no line %q", test.name, test.line)
			continue
		}
		if line.State != test.state.badge(words.English) || !strings.Contains(line.Text, test.text) {
			t.Errorf("%s: %v %q", test.name, line.State, line.Text)
		}
	}
	if findings(c, finance.Examination{}, public) != nil {
		t.Error("there are findings before an examination")
	}
}
