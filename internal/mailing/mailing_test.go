package mailing

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"florin/internal/mailing/mailtest"
)

var letter = Mail{ID: "4711", To: "ada@dev.example", Subject: "Your sign-in link für Ädä",
	Text: "Open https://service.example/?oobCode=" + strings.Repeat("A", 90) + "\n.\nThe end", Written: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)}

func TestDelivery(t *testing.T) {
	server, client := mailtest.Identity(t)
	for _, tt := range []struct {
		name   string
		server *mailtest.Server
		tls    TLS
		user   string
		config *tls.Config
		fails  Step
	}{
		{"starttls", &mailtest.Server{TLS: server}, StartTLS, "", client, ""},
		{"starttls with password", &mailtest.Server{TLS: server}, StartTLS, "florin", client, ""},
		{"starttls is not offered", &mailtest.Server{}, StartTLS, "", client, StepTLS},
		{"certificate of a stranger", &mailtest.Server{TLS: server}, StartTLS, "", nil, StepTLS},
		{"tls", &mailtest.Server{TLS: server, Direct: true}, DirectTLS, "florin", client, ""},
		{"tls is not spoken", &mailtest.Server{}, DirectTLS, "", client, StepTLS},
		{"tls of a stranger", &mailtest.Server{TLS: server, Direct: true}, DirectTLS, "", nil, StepTLS},
		{"none", &mailtest.Server{}, NoTLS, "", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := mailtest.Start(t, tt.server)
			to := Server{Host: "127.0.0.1", Port: s.Port(), User: tt.user, Password: "pass word", From: "florin@service.example", TLS: tt.tls, Config: tt.config}
			if tt.user == "" {
				to.Password = ""
			}
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			err := to.Deliver(ctx, letter)
			mails := s.Mails()
			if tt.fails != "" {
				if f, is := errors.AsType[*Failure](err); !is || f.Step != tt.fails || !f.Again || len(mails) != 0 {
					t.Errorf("error %v, %d mails, want a failure at %q", err, len(mails), tt.fails)
				}
				return
			}
			if err != nil || len(mails) != 1 {
				t.Fatalf("error %v, %d mails", err, len(mails))
			}
			if s.Plain() != (tt.tls == NoTLS) {
				t.Errorf("without TLS: %v", s.Plain())
			}
			if tt.user != "" {
				secret := base64.StdEncoding.EncodeToString([]byte("\x00florin\x00pass word"))
				if auth := s.SignIns(); len(auth) != 1 || auth[0] != "PLAIN "+secret {
					t.Errorf("signed in with %q", auth)
				}
			}
			got := mails[0]
			if got.Subject != letter.Subject || strings.TrimSpace(got.Text) != letter.Text {
				t.Errorf("subject %q, text %q", got.Subject, got.Text)
			}
			for name, want := range map[string]string{"To": "<ada@dev.example>", "From": "<florin@service.example>", "Message-Id": "<4711@service.example>",
				"Auto-Submitted": "auto-generated", "X-Mailer": "", "User-Agent": ""} {
				if value := got.Header.Get(name); value != want {
					t.Errorf("%s: %q, want %q", name, value, want)
				}
			}
		})
	}
}

// A failure says at which step it came, and whether another try cannot deliver the mail twice. Whatever the server does after it took the mail, the mail is
// delivered.
func TestFailures(t *testing.T) {
	for _, tt := range []struct {
		command, answer string
		want            Step // "" for delivered
		again           bool
	}{
		{"CONNECT", "554 no service here", StepConnect, true},
		{"CONNECT", mailtest.HangUp, StepConnect, true},
		{"AUTH", "535 5.7.8 wrong password", StepSignIn, true},
		{"AUTH", "454 4.7.0 try later", StepSignIn, true},
		{"MAIL", "451 try later", StepSender, true},
		{"MAIL", "550 not from here", StepSender, false},
		{"RCPT", "452 mailbox is full", StepRecipient, true},
		{"RCPT", "550 5.1.1 <ada@dev.example>: no such user", StepRecipient, false},
		{"RCPT", mailtest.HangUp, StepRecipient, true},
		{"DATA", "451 try later", StepMessage, true},
		{"DATA", "554 no", StepMessage, false},
		{"END", "452 no room", StepMessage, true},
		{"END", "554 spam", StepMessage, false},
		{"END", mailtest.HangUp, StepAnswer, false},
		{"RSET", mailtest.HangUp, "", false},
		{"RSET", "500 what", "", false},
		{"QUIT", mailtest.HangUp, "", false},
		{"QUIT", "500 what", "", false},
	} {
		t.Run(tt.command+" "+tt.answer, func(t *testing.T) {
			server, client := mailtest.Identity(t)
			s := mailtest.Start(t, &mailtest.Server{TLS: server})
			s.Answer(tt.command, tt.answer)
			to := Server{Host: "127.0.0.1", Port: s.Port(), User: "florin", Password: "pass", From: "florin@service.example", TLS: StartTLS, Config: client}
			err := to.Deliver(t.Context(), letter)
			f, failed := errors.AsType[*Failure](err)
			switch {
			case tt.want == "" && (err != nil || len(s.Mails()) != 1):
				t.Errorf("error %v, %d mails", err, len(s.Mails()))
			case tt.want != "" && (!failed || f.Step != tt.want || f.Again != tt.again):
				t.Errorf("error %v, %+v, want %s, again %v", err, f, tt.want, tt.again)
			case tt.want != "" && strings.Contains(err.Error(), "@"):
				t.Errorf("the error names an address: %v", err)
			}
		})
	}
}

// A server that says nothing holds up nobody for longer than the caller waits.
func TestSilence(t *testing.T) {
	for _, command := range []string{"CONNECT", "EHLO", "RCPT", "END"} {
		t.Run(command, func(t *testing.T) {
			s := mailtest.Start(t, &mailtest.Server{})
			s.Answer(command, mailtest.Silence)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() {
				<-s.Silent()
				cancel()
			}()
			err := Server{Host: "127.0.0.1", Port: s.Port(), From: "florin@service.example", TLS: NoTLS}.Deliver(ctx, letter)
			f, failed := errors.AsType[*Failure](err)
			if !failed || f.Again != (command != "END") {
				t.Errorf("error %v, %+v", err, f)
			}
		})
	}
}

func TestAddressesThatAreNone(t *testing.T) {
	for _, m := range []Mail{{To: "nobody"}, {To: "a@b.example\r\nBcc: c@d.example"}} {
		if err := (Server{Host: "127.0.0.1", Port: 1, From: "f@service.example", TLS: NoTLS}).Deliver(t.Context(), m); err == nil {
			t.Errorf("%q is delivered", m.To)
		}
	}
	if err := (Server{Host: "127.0.0.1", Port: 1, From: "nobody", TLS: NoTLS}).Deliver(t.Context(), letter); err == nil {
		t.Error("a sender without address delivers")
	}
}

// A mail server that fails is asked again until the mail is of no use; the log says why, and not whom.
func TestQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		var delivered []string
		fail := true
		q := NewQueue(func(_ context.Context, m Mail) error {
			if fail {
				return errors.New("550 5.1.1 <" + m.To + ">: no such user: " + m.To)
			}
			delivered = append(delivered, m.To)
			return nil
		}, time.Now, slog.New(slog.NewTextHandler(&log, nil)))
		woken := 0
		q.OnMail(func() { woken++ })
		q.Send(Mail{To: "a@x.example", Until: time.Now().Add(time.Minute)})
		q.Send(Mail{To: "b@x.example", Until: time.Now().Add(time.Hour)})
		work := func() time.Duration {
			t.Helper()
			next, err := q.Work(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if next.IsZero() {
				return 0
			}
			return time.Until(next)
		}
		if wait := work(); woken != 2 || wait != retryAfter {
			t.Errorf("woken %d times, again in %v", woken, wait)
		}
		time.Sleep(time.Minute)
		fail = false
		if wait := work(); wait != 0 || strings.Join(delivered, " ") != "b@x.example" {
			t.Errorf("again in %v, delivered %v", wait, delivered)
		}
		for range 3 * maxWaiting {
			q.Send(Mail{To: "c@x.example", Until: time.Now().Add(time.Hour)})
		}
		delivered = nil
		if work(); len(delivered) != maxWaiting {
			t.Errorf("%d mails are kept, want %d", len(delivered), maxWaiting)
		}
		if text := log.String(); strings.Contains(text, "@") || !strings.Contains(text, "no such user") || !strings.Contains(text, "mail dropped") {
			t.Errorf("the log: %s", text)
		}
	})
}

func TestOutbox(t *testing.T) {
	var log bytes.Buffer
	o := NewOutbox(slog.New(slog.NewTextHandler(&log, nil)))
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	o.Send(Mail{To: "a@x.example", Subject: "canary", Text: "canary", Until: now.Add(time.Minute)})
	o.Send(Mail{To: "b@x.example", Until: now.Add(time.Hour)})
	if mails := o.Mails(now); len(mails) != 2 || mails[0].To != "b@x.example" {
		t.Errorf("mails %v", mails)
	}
	if mails := o.Mails(now.Add(time.Minute)); len(mails) != 1 || mails[0].To != "b@x.example" {
		t.Errorf("mails after a minute %v", mails)
	}
	if text := log.String(); strings.Count(text, "mail written") != 2 || strings.Contains(text, "canary") || strings.Contains(text, "@") {
		t.Errorf("the log: %s", text)
	}
}
