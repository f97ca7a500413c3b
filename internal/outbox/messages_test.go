package outbox_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"florin/internal/courier"
	"florin/internal/finance"
	"florin/internal/mailing"
	"florin/internal/outbox"
	"florin/internal/sqlite"
)

// takers are a mail server, an ntfy server and a receiver of webhooks, which counts each id once as receivers have to.
type takers struct {
	*bed

	mu    sync.Mutex
	ntfy  int
	hooks map[string]int
}

func newTakers(t *testing.T) *takers {
	k := &takers{bed: newBed(t), hooks: map[string]int{}}
	serve := func(c finance.Channel, take func(*http.Request)) {
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			k.mu.Lock()
			defer k.mu.Unlock()
			take(r)
		}))
		t.Cleanup(server.Close)
		target := finance.Target{Address: server.URL, Topic: "t"}
		if c == finance.ChannelWebhook {
			target.Secret = courier.NewSecret()
		}
		k.must(k.store.SaveTarget(t.Context(), k.user.ID, c, target))
	}
	serve(finance.ChannelNtfy, func(*http.Request) { k.ntfy++ })
	serve(finance.ChannelWebhook, func(r *http.Request) { k.hooks[r.Header.Get("webhook-id")]++ })
	for _, c := range finance.Channels {
		k.must(k.store.SwitchAlerts(t.Context(), k.user.ID, c, finance.AlertDigest))
	}
	return k
}

func (k *takers) messages() *outbox.Messages {
	return outbox.NewMessages(outbox.MessageOptions{Store: k.store, Mail: k.deliver, Courier: courier.New(true, nil), Location: time.UTC,
		Log: slog.New(slog.DiscardHandler),
		Write: func(_ context.Context, m finance.Message) courier.Letter {
			return courier.Letter{Title: string(m.Alert.Kind), Text: "x", Link: "l", Off: "https://florin.example/off", OffText: "off", Mail: "x"}
		}})
}

// happens raises a digest: the look at it finds that a week has ended.
func (k *takers) happens() {
	k.t.Helper()
	now := time.Now()
	for now.Weekday() != time.Monday {
		now = now.AddDate(0, 0, 1)
	}
	k.must(k.store.Watch(k.t.Context(), now, nil))
}

func (k *takers) sends() {
	k.t.Helper()
	for _, c := range finance.Channels {
		_, err := k.messages().Work(c)(k.t.Context())
		k.must(err)
	}
}

func (k *takers) due() {
	k.t.Helper()
	db, err := sqlite.Open(k.t.Context(), k.path)
	k.must(err)
	defer db.Close()
	k.must(db.Write(k.t.Context(), func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(k.t.Context(), `UPDATE message SET due = $1 WHERE state = 'waiting'`, sqlite.At(tx.Now))
		return err
	}))
}

func (k *takers) claim(c finance.Channel) finance.Message {
	k.t.Helper()
	m, ok, _, err := k.store.ClaimMessage(k.t.Context(), c, time.UTC)
	if k.must(err); !ok {
		k.t.Fatalf("%s: nothing to send", c)
	}
	return m
}

// Wherever the process dies, nobody gets a message twice: a mail and a message to ntfy arrive at most once, a webhook at least once, and its receiver knows it
// by its id.
func TestDeathAtEachStepOfAMessage(t *testing.T) {
	for _, tt := range []struct {
		name         string
		die          func(k *takers)
		once, hooked int // what mail and ntfy each get in the end; how often the webhook comes
	}{
		{"before it was begun", func(*takers) {}, 1, 1},
		{"after sending was stored", func(k *takers) {
			for _, c := range finance.Channels {
				k.claim(c)
			}
		}, 0, 1},
		{"after it was taken", func(k *takers) {
			for _, c := range finance.Channels {
				m := k.claim(c)
				if c == finance.ChannelMail {
					k.must(k.deliver(t.Context(), mailing.Mail{To: m.User.Email, Subject: "x", Text: "x"}))
				} else {
					k.must(courier.New(true, nil).Deliver(t.Context(), m, courier.Letter{}))
				}
			}
		}, 1, 2},
		{"after it was sent", func(k *takers) { k.sends() }, 1, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := newTakers(t)
			k.happens()
			tt.die(k)
			for range 3 {
				k.restart()
				k.happens() // the same event is found again
				k.due()
				k.sends()
			}
			hooked := 0
			for _, n := range k.hooks {
				hooked += n
			}
			if mails := len(k.server.Mails()); mails != tt.once || k.ntfy != tt.once || len(k.hooks) != 1 || hooked != tt.hooked {
				t.Errorf("%d mails, %d to ntfy, %d webhooks with %d ids", mails, k.ntfy, hooked, len(k.hooks))
			}
		})
	}
}

// A mail server that refuses each attempt for two days is asked as often as the pauses allow, and no more. The clock has no part in that.
func TestMessagesAreGivenUpAfterAttempts(t *testing.T) {
	k := newTakers(t)
	k.happens()
	asked := 0
	o := k.messages()
	o.Mail = func(context.Context, mailing.Mail) error {
		asked++
		return &mailing.Failure{Step: mailing.StepConnect, Again: true}
	}
	for range finance.MostAttempts + 10 {
		k.due()
		_, err := o.Work(finance.ChannelMail)(t.Context())
		k.must(err)
	}
	if asked != finance.MostAttempts {
		t.Errorf("asked %d times", asked)
	}
	k.sends()
	if mails := k.server.Mails(); len(mails) != 0 || k.ntfy != 1 {
		t.Errorf("%d mails after it was given up, %d to ntfy", len(mails), k.ntfy)
	}
}
