package handlers_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"florin/internal/finance"
	"florin/internal/mailing"
	"florin/internal/mailing/mailtest"
	"florin/internal/sqlite"
)

// receiver is a server that takes what channels deliver. Tests choose its answer.
type receiver struct {
	*httptest.Server

	mu     sync.Mutex
	answer int
	bodies []string
	heads  []http.Header
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{answer: http.StatusOK}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.answer == http.StatusOK {
			r.bodies, r.heads = append(r.bodies, string(body)), append(r.heads, q.Header)
		}
		w.WriteHeader(r.answer)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) take() (bodies []string, heads []http.Header) {
	r.mu.Lock()
	defer r.mu.Unlock()
	bodies, heads, r.bodies, r.heads = r.bodies, r.heads, nil, nil
	return bodies, heads
}

// sendMessages runs the loops of all channels once.
func (s *site) sendMessages() {
	s.t.Helper()
	for _, c := range finance.Channels {
		if s.messages.Sends(c) {
			_, err := s.messages.Work(c)(s.t.Context())
			must(s.t, err)
		}
	}
}

// channels sets up all channels of a person, with a mail server and receivers of this machine.
func (s *site) channels(b *browser) (mails *mailtest.Server, ntfy, hook *receiver) {
	s.t.Helper()
	mails, ntfy, hook = mailtest.Start(s.t, &mailtest.Server{}), newReceiver(s.t), newReceiver(s.t)
	s.messages.Mail = mailing.Server{Host: "127.0.0.1", Port: mails.Port(), From: "florin@service.example", TLS: mailing.NoTLS}.Deliver
	b.post("/settings/notifications/ntfy", url.Values{"ntfy_address": {ntfy.URL}, "ntfy_topic": {"florin-4711"}, "ntfy_token": {"tk_secret"}}).to("/settings/notifications")
	b.post("/settings/notifications/webhook", url.Values{"webhook_address": {hook.URL + "/hook"}}).to("/settings/notifications")
	return mails, ntfy, hook
}

func privately(t *testing.T) *site {
	t.Helper()
	s := unopened(t)
	s.private = true
	s.open()
	return s
}

// everything is the form that switches every kind on, on all channels.
func everything(more url.Values) url.Values {
	form := url.Values{"cap": {"50"}, "digest": {"weekly"}}
	for _, k := range finance.AlertKinds {
		for _, c := range finance.Channels {
			form.Add("on", string(k)+"."+string(c))
		}
	}
	for name, values := range more {
		form[name] = values
	}
	return form
}

// messagesDue makes every waiting message due.
func (s *site) messagesDue() {
	s.exec(`UPDATE message SET due = created WHERE state = 'waiting'`)
}

// A consent that ends is reported to the person once on each channel. No message holds amounts, names or account numbers until the person wants them. One click
// in a message turns its kind off, without a sign-in.
func TestMessagesOnAllChannels(t *testing.T) {
	t.Parallel()
	s := privately(t)
	_, b, c := s.linked("mira@example.org")
	b.get("/settings").has(`href="/settings/notifications"`)
	b.get("/settings/notifications").status(http.StatusOK).has("Notifications", "Set up", "it knows no mail server", `value="consent-ends.mail" checked`).
		lacks("consent-ends.ntfy").hasHeaders()
	mails, ntfy, hook := s.channels(b)
	b.post("/settings/notifications", everything(nil)).to("/settings/notifications")
	page := b.get("/settings/notifications").has(`value="consent-ends.ntfy" checked`, `value="debit.webhook" checked`, "florin-4711", "whsec_").lacks("tk_secret")
	secret := regexp.MustCompile(`whsec_[A-Za-z0-9+/=]+`).FindString(page.body)

	end := time.Now().UTC().Add(6 * 24 * time.Hour)
	remind := func(days int) {
		end = end.Add(time.Duration(days) * time.Second) // another consent
		s.exec(`UPDATE connection SET valid_until = $1, authorized = $2, nickname = 'Geheim' WHERE id = $3`, sqlite.At(end), sqlite.At(end.Add(-90*24*time.Hour)), c.ID)
		_, err := s.store.Remind(t.Context())
		must(t, err)
		s.sendMessages()
		s.sendMessages()
	}
	remind(0)
	sent := mails.Mails()
	published, heads := ntfy.take()
	hooked, signed := hook.take()
	if len(sent) != 1 || len(published) != 1 || len(hooked) != 1 {
		t.Fatalf("%d mails, %d to ntfy, %d webhooks", len(sent), len(published), len(hooked))
	}
	if heads[0].Get("Authorization") != "Bearer tk_secret" || !strings.Contains(published[0], `"topic":"florin-4711"`) {
		t.Errorf("ntfy: %v, %s", heads[0], published[0])
	}
	verifier, err := standardwebhooks.NewWebhook(secret)
	must(t, err)
	must(t, verifier.Verify([]byte(hooked[0]), signed[0]))
	for _, text := range []string{sent[0].Subject + sent[0].Text, published[0], hooked[0]} {
		plain := regexp.MustCompile(`https?://[^\s"]+`).ReplaceAllString(text, "")
		for _, private := range []string{"Elbe", "Geheim", "EUR", "mira", "DE0"} {
			if strings.Contains(plain, private) {
				t.Errorf("%q is in a message of somebody who does not want it: %s", private, plain)
			}
		}
		if !strings.Contains(text, "A consent ends on ") {
			t.Errorf("the message does not say what has happened: %s", text)
		}
	}

	// RFC 8058: a mail program turns the kind off, with no cookie and no page.
	header := sent[0].Header
	unsubscribe := strings.Trim(header.Get("List-Unsubscribe"), "<>")
	if !strings.HasPrefix(unsubscribe, s.url+"/off?token=") || header.Get("List-Unsubscribe-Post") != "List-Unsubscribe=One-Click" {
		t.Fatalf("headers %v", header)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, unsubscribe, strings.NewReader("List-Unsubscribe=One-Click"))
	must(t, err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := http.DefaultClient.Do(request)
	must(t, err)
	must(t, response.Body.Close())
	if response.StatusCode != http.StatusOK {
		t.Errorf("one click: %d", response.StatusCode)
	}
	b.get("/settings/notifications").has(`value="consent-ends.ntfy" checked`, `value="debit.mail" checked`).lacks(`value="consent-ends.mail" checked`)

	// In a browser the link asks first: only following it changes nothing.
	var push struct {
		Actions []struct {
			URL string `json:"url"`
		} `json:"actions"`
	}
	must(t, json.Unmarshal([]byte(published[0]), &push))
	off := strings.TrimPrefix(push.Actions[0].URL, s.url)
	stranger := s.browser()
	stranger.get(off).status(http.StatusOK).has("Shall Florin stop sending this by ntfy?", "A consent that ends soon").hasHeaders()
	b.get("/settings/notifications").has(`value="consent-ends.ntfy" checked`)
	stranger.post(off, nil).status(http.StatusOK).has("Florin sends no more of these by ntfy")
	b.get("/settings/notifications").lacks(`value="consent-ends.ntfy" checked`).has(`value="consent-ends.webhook" checked`)
	stranger.get(off + "x").status(http.StatusNotFound)
	stranger.post("/off", nil).status(http.StatusNotFound)

	b.post("/settings/notifications", everything(url.Values{"details": {"yes"}})).to("/settings/notifications")
	remind(1)
	sent = mails.Mails()
	if len(sent) != 2 || !strings.HasPrefix(sent[1].Subject, "Your consent at Elbe Sparbank (Geheim) ends on ") {
		t.Errorf("with details: %+v", sent)
	}
	if log := s.log.String(); strings.Contains(log, "mira@") || strings.Contains(log, ntfy.URL) || strings.Contains(log, "tk_secret") || strings.Contains(log, "/hook") {
		t.Error("the log names an address or a secret")
	}
}

// The page describes each state of a channel in a sentence. A channel that fails does not delay the others.
func TestChannelsThatFail(t *testing.T) {
	t.Parallel()
	s := privately(t)
	s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	mails, ntfy, hook := s.channels(b)
	test := func(channel string, says ...string) {
		t.Helper()
		b.post("/settings/notifications/"+channel+"/test", nil).to("/settings/notifications")
		b.get("/settings/notifications").has(says...)
	}
	for _, channel := range []string{"mail", "ntfy", "webhook"} {
		test(channel, "The test was sent")
	}
	if bodies, _ := ntfy.take(); len(bodies) != 1 || !strings.Contains(bodies[0], "Test message from Florin") || len(mails.Mails()) != 1 {
		t.Errorf("tests: %q, %d mails", bodies, len(mails.Mails()))
	}
	for answer, says := range map[int]string{500: "The server answers with an error of its own", 403: "does not accept the token", 404: "nothing takes messages",
		302: "sends Florin to another address", 400: "does not accept the message", 504: "Nobody knows whether it arrived"} {
		ntfy.answer = answer
		test("ntfy", "The test was not sent", "A message could not be sent", says)
	}
	mails.Answer("RCPT", "550 no such user")
	test("mail", "does not accept your e-mail address")
	hook.Close()
	test("webhook", "The server does not answer")

	for form, says := range map[string]string{"ntfy_address=ftp://x&ntfy_topic=a": "begins with https://", "ntfy_address=https://ntfy.example&ntfy_topic=a+b": "A topic has 1 to 64"} {
		values, err := url.ParseQuery(form)
		must(t, err)
		b.post("/settings/notifications/ntfy", values).status(http.StatusUnprocessableEntity).has(says)
	}
	for form, says := range map[string]string{"cap=0": "from 1 to 100", "zone=Moon/Crater": "does not know this time zone", "quiet_from=25:00": "Enter a time such as 22:00"} {
		values, err := url.ParseQuery("cap=10&" + form)
		must(t, err)
		name, value, _ := strings.Cut(form, "=")
		values.Set(name, value)
		b.post("/settings/notifications", values).status(http.StatusUnprocessableEntity).has(says)
	}
	b.post("/settings/notifications/ntfy/remove", nil).to("/settings/notifications")
	b.post("/settings/notifications/ntfy/remove", nil).status(http.StatusNotFound)
	b.post("/settings/notifications/mail/remove", nil).status(http.StatusNotFound)
	b.post("/settings/notifications/ntfy/test", nil).status(http.StatusNotFound)
	b.post("/settings/notifications/pigeon/test", nil).status(http.StatusNotFound)
	s.user("otto@example.org")
	s.signedIn("otto@example.org").get("/settings/notifications").lacks("whsec_", hook.URL)
}

// Without the operator's permission a private address is refused when it is entered.
func TestPrivateChannelsAreRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	b.post("/settings/notifications/webhook", url.Values{"webhook_address": {"https://192.168.1.5/hook"}}).status(http.StatusUnprocessableEntity).
		has("belongs to a private network", "--private-channels")
	b.get("/settings/notifications").lacks("whsec_")
}

// ntfy answers 500 for a day: Florin tries again after longer and longer pauses, and delivers each message once when ntfy works again.
func TestServerThatFailsForADay(t *testing.T) {
	t.Parallel()
	s := privately(t)
	_, b, c := s.linked("mira@example.org")
	_, ntfy, hook := s.channels(b)
	b.post("/settings/notifications", everything(nil)).to("/settings/notifications")
	end := time.Now().UTC().Add(6 * 24 * time.Hour)
	s.exec(`UPDATE connection SET valid_until = $1, authorized = $2 WHERE id = $3`, sqlite.At(end), sqlite.At(end.Add(-90*24*time.Hour)), c.ID)
	_, err := s.store.Remind(t.Context())
	must(t, err)
	ntfy.answer = http.StatusInternalServerError
	for range 30 {
		s.sendMessages()
		s.sendMessages() // not due, and so not sent
		s.messagesDue()
	}
	b.get("/settings/notifications").has("The server answers with an error of its own")
	ntfy.answer = http.StatusOK
	for range 3 {
		s.messagesDue()
		s.sendMessages()
	}
	bodies, _ := ntfy.take()
	hooks, _ := hook.take()
	if len(bodies) != 1 || len(hooks) != 1 {
		t.Errorf("%d to ntfy, %d webhooks", len(bodies), len(hooks))
	}
	b.get("/settings/notifications").lacks("A message could not be sent")
}
