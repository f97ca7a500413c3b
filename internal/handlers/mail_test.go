package handlers_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/mailing"
	"florin/internal/mailing/mailtest"
	"florin/internal/sqlite"
)

// mailServer gives the site a mail server.
func (s *site) mailServer() *mailtest.Server {
	s.t.Helper()
	server := mailtest.Start(s.t, &mailtest.Server{})
	s.mails.Deliver = mailing.Server{Host: "127.0.0.1", Port: server.Port(), From: "florin@service.example", TLS: mailing.NoTLS}.Deliver
	return server
}

// sendMails sends the mails that are due, and returns those that came since the last call.
func (s *site) sendMails(server *mailtest.Server, known int) []mailtest.Mail {
	s.t.Helper()
	_, err := s.mails.Work(s.t.Context())
	must(s.t, err)
	return server.Mails()[known:]
}

var noticeForm = regexp.MustCompile(`action="(/notices/[^"]+/close)"`)

// A person who forgot the password gets a link by mail, and later a mail about the new password. The page says the same for an unknown address.
func TestForgottenPasswordByMail(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	server := s.mailServer()
	s.user("mira@example.org")
	signedIn := s.signedIn("mira@example.org")
	b := s.browser()
	b.get("/sign-in").has(`href="/forgot"`)
	b.get("/forgot").status(http.StatusOK).has("Send the link", "florin user link").hasHeaders()
	b.post("/forgot", url.Values{"email": {"mira"}}).status(http.StatusUnprocessableEntity).has("looks like name@example.org")

	unknown := b.post("/forgot", url.Values{"email": {"nobody@example.org"}})
	known := b.post("/forgot", url.Values{"email": {" Mira@Example.org "}})
	unknown.to("/forgot?sent=yes")
	known.to("/forgot?sent=yes")
	if unknown.body != known.body {
		t.Errorf("the answers differ: %q, %q", unknown.body, known.body)
	}
	b.get("/forgot?sent=yes").status(http.StatusOK).has("Check your inbox").lacks("Send the link")
	mails := s.sendMails(server, 0)
	if len(mails) != 1 || mails[0].To != "mira@example.org" || mails[0].Subject != "Set a new password for Florin" {
		t.Fatalf("mails %+v", mails)
	}
	found := regexp.MustCompile(regexp.QuoteMeta(s.url) + `(/reset\?token=\S+)`).FindStringSubmatch(mails[0].Text)
	if found == nil {
		t.Fatalf("no link in %q", mails[0].Text)
	}
	token := strings.TrimPrefix(found[1], "/reset?token=")
	b.get(found[1]).status(http.StatusOK).has("mira@example.org")
	signedIn.get("/settings").status(http.StatusOK) // nothing has changed so far
	b.post("/reset", url.Values{"token": {token}, "password": {"another long phrase"}}).to("/sign-in?reset=done")
	signedIn.get("/settings").to("/sign-in?next=%2Fsettings")
	b.get(found[1]).status(http.StatusNotFound)

	mails = s.sendMails(server, 1)
	if len(mails) != 1 || mails[0].Subject != "A new password was set with a one-time link" || !strings.Contains(mails[0].Text, s.url+"/settings") {
		t.Fatalf("mails %+v", mails)
	}
	b.post("/sign-in", credentials("mira@example.org", "another long phrase")).to("/")
	b.get("/settings").has("A new password was set with a one-time link")
	if log := s.log.String(); strings.Contains(log, "mira@") || strings.Contains(log, "nobody@") || strings.Contains(log, token) {
		t.Error("the log names an address or a token")
	}

	for range 3 {
		b.post("/forgot", url.Values{"email": {"nobody@example.org"}})
	}
	b.post("/forgot", url.Values{"email": {"nobody@example.org"}}).to("/forgot?sent=yes")
	b.post("/forgot", url.Values{"email": {"nobody@example.org"}}).status(http.StatusTooManyRequests) // counted like a known one
	b.post("/forgot", url.Values{"email": {"mira@example.org"}}).to("/forgot?sent=yes")
}

func TestForgottenPasswordWithoutMail(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	b := s.browser()
	b.get("/forgot").status(http.StatusOK).has("florin user link").lacks("Send the link")
	b.post("/forgot", url.Values{"email": {"mira@example.org"}}).status(http.StatusOK).has("florin user link")
	_, err := s.mails.Store.LastMail(t.Context(), "")
	if _, ok, _, claimed := s.store.ClaimMail(t.Context()); ok || claimed != nil || err == nil {
		t.Error("a mail waits that nobody can send")
	}
}

// A sign-in on a new device is reported on the other devices and by mail, in the language of the person. A known browser is not reported.
func TestNewDeviceIsTold(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	server := s.mailServer()
	s.user("mira@example.org")
	at := s.signedIn("mira@example.org")
	at.get("/settings").lacks("new device:")
	at.post("/settings/language", url.Values{"language": {"de"}})
	other := s.signedIn("mira@example.org")
	page := at.get("/categories").has("Sie haben sich auf einem neuen Gerät angemeldet: Firefox auf Linux")
	mails := s.sendMails(server, 0)
	if len(mails) != 1 || mails[0].Subject != "Sie haben sich auf einem neuen Gerät angemeldet: Firefox auf Linux" || !strings.Contains(mails[0].Text, "ändern Sie Ihr Passwort") {
		t.Errorf("mails %+v", mails)
	}
	if kind := mails[0].Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/plain") {
		t.Errorf("a mail of the type %s", kind)
	}
	form := noticeForm.FindStringSubmatch(page.body)
	if form == nil {
		t.Fatal("the notice has no form that closes it")
	}
	s.user("otto@example.org")
	s.signedIn("otto@example.org").post(form[1], url.Values{"back": {"/categories"}}).status(http.StatusNotFound)
	at.post(form[1], url.Values{"back": {"/categories"}}).to("/categories")
	at.get("/categories").lacks("neuen Gerät angemeldet")
	at.post(form[1], url.Values{"back": {"https://evil.example/"}}).to("/")
	other.post("/sign-out", nil)
	other.post("/sign-in", credentials("mira@example.org", password)).to("/")
	if mails := s.sendMails(server, 1); len(mails) != 0 {
		t.Errorf("a known browser is reported: %+v", mails)
	}
}

// The reminder is on every page, except those that already say it and those for renewing. It can be put off. The mail names the day, but neither the bank nor
// an account number.
func TestReminderOnPagesAndByMail(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	server := s.mailServer()
	_, b, c := s.linked("mira@example.org")
	end := time.Now().UTC().Add(6 * 24 * time.Hour)
	s.exec(`UPDATE connection SET valid_until = $1, authorized = $2 WHERE id = $3`, sqlite.At(end), sqlite.At(end.Add(-90*24*time.Hour)), c.ID)
	_, err := s.store.Remind(t.Context())
	must(t, err)
	page := b.get("/categories").has("Your consent at Elbe Sparbank ends", "Remind me later", "Renew")
	for _, path := range []string{"/", "/link", "/connections/" + c.ID} {
		b.get(path).lacks("Remind me later")
	}
	s.messages.Mail = s.mails.Deliver
	s.sendMessages()
	mails := server.Mails()
	if len(mails) != 1 || !strings.HasPrefix(mails[0].Subject, "A consent ends on ") || !strings.Contains(mails[0].Text, s.url+"/link/bank?") ||
		regexp.MustCompile(`[A-Z]{2}\d{2}|…\d|Elbe`).MatchString(regexp.MustCompile(`http\S+`).ReplaceAllString(mails[0].Text, "")) { // a link holds a random id
		t.Errorf("mails %+v", mails)
	}
	form := noticeForm.FindStringSubmatch(page.body)
	b.post(form[1], url.Values{"back": {"/categories"}}).to("/categories")
	b.get("/categories").lacks("Remind me later")
}

// The settings say whether mails are sent, which step fails, and what to do. The owner can send a test message.
func TestMailSettings(t *testing.T) {
	t.Parallel()
	s, owner, member := household(t)
	owner.get("/settings").has("it knows no mail server", "--smtp-host").lacks("Send a test message")
	member.get("/settings").has("it knows no mail server").lacks("--smtp-host")
	owner.post("/settings/mail", nil).to("/settings")

	server := s.mailServer()
	member.get("/settings").has("Florin writes to your e-mail address").lacks("Send a test message")
	member.post("/settings/mail", nil).status(http.StatusNotFound)
	owner.get("/settings").has("Send a test message")
	owner.post("/settings/mail", nil).to("/settings")
	owner.get("/settings").has("The mail server has taken the test message", "mira@example.org", "The mail server took the last message")
	if mails := server.Mails(); len(mails) != 1 || mails[0].Subject != "Test message from Florin" {
		t.Fatalf("mails %+v", mails)
	}
	for step, todo := range map[string]string{"CONNECT 554 no": "--smtp-host", "MAIL 550 no": "does not accept the sender", "RCPT 550 no": "does not accept the recipient",
		"END 554 no": "Its log says why", "END " + mailtest.HangUp: "Nobody knows whether it arrives"} {
		command, answer, _ := strings.Cut(step, " ")
		server.Answer(command, answer)
		owner.post("/settings/mail", nil).to("/settings")
		owner.get("/settings").has("The test message was not sent", "An e-mail could not be sent at", todo)
		server.Answer(command, "")
	}
	server.Answer("RCPT", "550 no such user")
	must(t, s.auth.SetPassword(t.Context(), finance.User{ID: s.otto().ID, Email: "otto@example.org"}, "a long phrase of otto"))
	s.sendMails(server, 1)
	again := s.browser()
	again.post("/sign-in", credentials("otto@example.org", "a long phrase of otto"))
	again.get("/settings").has("An e-mail to you could not be sent", "Whoever runs this server has set a new password for you").lacks("--smtp")
}

func (s *site) otto() finance.User {
	s.t.Helper()
	u, _, err := s.store.UserByEmail(s.t.Context(), "otto@example.org")
	must(s.t, err)
	return u
}
