package outbox_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/mailing"
	"florin/internal/mailing/mailtest"
	"florin/internal/outbox"
	"florin/internal/sqlite"
	"florin/internal/sqlite/sqlitetest"
	"florin/internal/store"
	"florin/migrations"
)

// bed is a database with one user, and a mail server.
type bed struct {
	t      *testing.T
	path   string
	store  *store.Store
	server *mailtest.Server
	user   finance.User
	log    bytes.Buffer
}

func newBed(t *testing.T) *bed {
	t.Helper()
	b := &bed{t: t, path: filepath.Join(t.TempDir(), "app.db"), server: mailtest.Start(t, &mailtest.Server{})}
	sqlitetest.Make(t, b.path, migrations.App)
	b.open()
	t.Cleanup(func() { b.must(b.store.Close()) })
	var err error
	b.user, err = b.store.CreateUser(t.Context(), "ada@dev.example", finance.RoleOwner, "hash")
	b.must(err)
	return b
}

func (b *bed) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bed) open() {
	b.t.Helper()
	key, err := store.NewKey(bytes.Repeat([]byte{7}, 32))
	b.must(err)
	b.store, err = store.Open(b.t.Context(), b.path, key)
	b.must(err)
}

// restart is a new process on the same database.
func (b *bed) restart() {
	b.t.Helper()
	b.must(b.store.Close())
	b.open()
	b.must(b.store.TakeOver(b.t.Context()))
}

// outbox returns an outbox on the database.
func (b *bed) outbox(deliver func(context.Context, mailing.Mail) error) *outbox.Outbox {
	return outbox.New(outbox.Options{Store: b.store, Deliver: deliver, Log: slog.New(slog.NewTextHandler(&b.log, nil)),
		ResetLink: func(ctx context.Context, u finance.User) (finance.Secret, error) {
			token := finance.Secret(finance.NewID())
			return token, b.store.CreateResetLink(ctx, u.ID, token, time.Hour)
		},
		Write: func(_ context.Context, m finance.Mail, reset finance.Secret) outbox.Letter {
			return outbox.Letter{Subject: string(m.Kind), Text: "Read " + reset.Reveal()}
		}})
}

func (b *bed) deliver(ctx context.Context, m mailing.Mail) error {
	return mailing.Server{Host: "127.0.0.1", Port: b.server.Port(), From: "florin@service.example", TLS: mailing.NoTLS}.Deliver(ctx, m)
}

// work runs the loop once.
func (b *bed) work(o *outbox.Outbox) (next time.Time) {
	b.t.Helper()
	next, err := o.Work(b.t.Context())
	b.must(err)
	return next
}

// later makes every mail due.
func (b *bed) later() {
	b.t.Helper()
	db, err := sqlite.Open(b.t.Context(), b.path)
	b.must(err)
	defer db.Close()
	b.must(db.Write(b.t.Context(), func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(b.t.Context(), `UPDATE mail SET due = $1 WHERE state = 'waiting'`, sqlite.At(tx.Now))
		return err
	}))
}

func (b *bed) last() finance.Mail {
	b.t.Helper()
	m, err := b.store.LastMail(b.t.Context(), b.user.ID)
	b.must(err)
	return m
}

func (b *bed) changePassword() {
	b.t.Helper()
	b.must(b.store.ResetPassword(b.t.Context(), b.user.ID, finance.NewID()))
}

// A mail is sent once, and never twice, wherever the process dies.
func TestDeathAtEachStep(t *testing.T) {
	for _, tt := range []struct {
		name   string
		die    func(b *bed) // after the row was stored
		arrive int
		state  finance.MailState
		reason string
	}{
		{"before it was begun", func(*bed) {}, 1, finance.MailSent, ""},
		{"after sending was stored", func(b *bed) {
			_, ok, _, err := b.store.ClaimMail(t.Context())
			if b.must(err); !ok {
				t.Fatal("no mail")
			}
		}, 0, finance.MailFailed, finance.MailInterrupted},
		{"after the mail server took it", func(b *bed) {
			m, _, _, err := b.store.ClaimMail(t.Context())
			b.must(err)
			b.must(b.deliver(t.Context(), mailing.Mail{To: m.User.Email, Subject: string(m.Kind), Text: "x"}))
		}, 1, finance.MailFailed, finance.MailInterrupted},
		{"after it was sent", func(b *bed) { b.work(b.outbox(b.deliver)) }, 1, finance.MailSent, ""},
		{"after it certainly did not leave", func(b *bed) {
			b.server.Answer("MAIL", "451 try later")
			b.work(b.outbox(b.deliver))
			b.server.Answer("MAIL", "")
		}, 1, finance.MailSent, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBed(t)
			b.changePassword()
			tt.die(b)
			for range 3 {
				b.restart()
				b.later()
				b.work(b.outbox(b.deliver))
			}
			mails := b.server.Mails()
			if m := b.last(); len(mails) != tt.arrive || m.State != tt.state || m.Reason != tt.reason {
				t.Errorf("%d mails, %s, %q", len(mails), m.State, m.Reason)
			}
			if len(mails) == 1 && (mails[0].To != b.user.Email || mails[0].Subject != string(finance.NoticePasswordSet)) {
				t.Errorf("mail %+v", mails[0])
			}
		})
	}
}

// What the mail server does decides whether a mail waits again: only what has certainly not left does.
func TestMailServerThatFails(t *testing.T) {
	for _, tt := range []struct {
		command, answer string
		again           bool
		step            mailing.Step
	}{
		{"CONNECT", "421 too busy", true, mailing.StepConnect},
		{"CONNECT", mailtest.HangUp, true, mailing.StepConnect},
		{"MAIL", "550 not from here", false, mailing.StepSender},
		{"RCPT", "450 greylisted", true, mailing.StepRecipient},
		{"RCPT", "550 no such user", false, mailing.StepRecipient},
		{"END", "451 no room", true, mailing.StepMessage},
		{"END", "554 spam", false, mailing.StepMessage},
		{"END", mailtest.HangUp, false, mailing.StepAnswer}, // it may have arrived
	} {
		t.Run(tt.command+" "+tt.answer, func(t *testing.T) {
			b := newBed(t)
			b.server.Answer(tt.command, tt.answer)
			b.changePassword()
			b.work(b.outbox(b.deliver))
			if m := b.last(); m.Reason != string(tt.step) || (m.State == finance.MailWaiting) != tt.again {
				t.Errorf("%s, %q", m.State, m.Reason)
			}
			b.server.Answer(tt.command, "")
			b.later()
			b.work(b.outbox(b.deliver))
			arrived := 0
			if tt.again || tt.step == mailing.StepAnswer { // the test's server keeps what it took before it hung up
				arrived = 1
			}
			if mails := b.server.Mails(); len(mails) != arrived {
				t.Errorf("%d mails in the end, want %d", len(mails), arrived)
			}
			if strings.Contains(b.log.String(), "@") {
				t.Errorf("the log names an address: %s", &b.log)
			}
		})
	}
}

// A mail server that cannot be reached is asked once for all mails, left alone for a pause that grows, and gets every mail when it is back. What is of no use
// by then is not sent.
func TestMailServerThatIsAway(t *testing.T) {
	b := newBed(t)
	asked := 0
	away := b.outbox(func(context.Context, mailing.Mail) error {
		asked++
		return mailing.Server{Host: "127.0.0.1", Port: 1, From: "florin@service.example", TLS: mailing.NoTLS}.Deliver(t.Context(), mailing.Mail{To: "a@b.example"})
	})
	for range 5 {
		b.changePassword()
	}
	next := b.work(away)
	if wait := time.Until(next); asked != 1 || wait < 30*time.Second || wait > time.Minute {
		t.Errorf("asked %d times, again in %v", asked, wait)
	}
	if again := b.work(away); asked != 1 || !again.Equal(next) {
		t.Errorf("asked %d times, again at %v, not at %v", asked, again, next)
	}
	for i := range 12 {
		b.later()
		b.work(b.outbox(away.Deliver)) // no pause, as after a restart
		if m := b.last(); m.State != finance.MailWaiting {
			t.Fatalf("after %d attempts: %s, %s", i, m.State, m.Reason)
		}
	}
	b.later()
	if b.work(b.outbox(b.deliver)); len(b.server.Mails()) != 5 {
		t.Errorf("%d mails, want 5", len(b.server.Mails()))
	}
}

// The link of a mail is made when it is sent, works, and stands in no row. An address that nobody has brings no mail.
func TestResetLinkByMail(t *testing.T) {
	b := newBed(t)
	o := b.outbox(b.deliver)
	woken := 0
	b.store.WhenMailed(func() { woken++ })
	for _, email := range []string{b.user.Email, "nobody@dev.example"} {
		b.must(b.store.AskForReset(t.Context(), email))
	}
	b.work(o)
	mails := b.server.Mails()
	if woken < 2 || len(mails) != 1 || mails[0].To != b.user.Email || mails[0].Subject != string(finance.MailResetLink) {
		t.Fatalf("woken %d times, mails %+v", woken, mails)
	}
	token := strings.TrimSpace(strings.TrimPrefix(mails[0].Text, "Read "))
	u, err := b.store.UserOfResetLink(t.Context(), finance.Secret(token))
	if b.must(err); u.ID != b.user.ID {
		t.Errorf("the link is for %+v", u)
	}
	b.restart()
	if b.work(b.outbox(b.deliver)); len(b.server.Mails()) != 1 {
		t.Error("it was sent twice")
	}
}

// A test message says at once what is wrong, and is not tried again.
func TestTestMessage(t *testing.T) {
	b := newBed(t)
	b.server.Answer("RCPT", "450 later")
	failure, err := b.outbox(b.deliver).Test(t.Context(), b.user.ID)
	if b.must(err); failure == nil || failure.Step != mailing.StepRecipient {
		t.Errorf("%v", failure)
	}
	b.server.Answer("RCPT", "")
	b.later()
	if b.work(b.outbox(b.deliver)); len(b.server.Mails()) != 0 {
		t.Error("it was tried again")
	}
	failure, err = b.outbox(b.deliver).Test(t.Context(), b.user.ID)
	if b.must(err); failure != nil || len(b.server.Mails()) != 1 || b.last().State != finance.MailSent {
		t.Errorf("%v, %d mails", failure, len(b.server.Mails()))
	}
}

// A mail server that says nothing keeps nobody from stopping Florin; what was being handed over then is not sent again unless it has certainly not left.
func TestSilentMailServer(t *testing.T) {
	for _, tt := range []struct {
		command string
		state   finance.MailState
	}{{"EHLO", finance.MailWaiting}, {"END", finance.MailFailed}} {
		t.Run(tt.command, func(t *testing.T) {
			b := newBed(t)
			b.server.Answer(tt.command, mailtest.Silence)
			b.changePassword()
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			go func() {
				<-b.server.Silent()
				stop()
			}()
			if _, err := b.outbox(b.deliver).Work(ctx); err != nil && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			if m := b.last(); m.State != tt.state {
				t.Errorf("%s, %s", m.State, m.Reason)
			}
		})
	}
}

// Mails that are of no use any more are dropped.
func TestLateMail(t *testing.T) {
	b := newBed(t)
	b.changePassword()
	db, err := sqlite.Open(t.Context(), b.path)
	b.must(err)
	defer db.Close()
	b.must(db.Write(t.Context(), func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(t.Context(), `UPDATE mail SET until = $1`, sqlite.At(tx.Now))
		return err
	}))
	if b.work(b.outbox(b.deliver)); len(b.server.Mails()) != 0 {
		t.Errorf("mails %v", b.server.Mails())
	}
}
