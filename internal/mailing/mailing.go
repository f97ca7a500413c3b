// Package mailing hands mails to a mail server (Server.Deliver), for both halves. For the service it also keeps mails in memory, because they hold one-time
// links: in a queue before the mail server, or in an outbox that the operator reads. What is not sent when the service stops is asked for again.
package mailing

import (
	"context"
	"log/slog"
	"regexp"
	"slices"
	"sync"
	"time"
)

// Mail is a message to one person.
type Mail struct {
	ID                string // before the @ of its Message-ID; "" for a random one
	To, Subject, Text string
	Written           time.Time
	Unsubscribe       string    // address that ends mails of this kind with one click (RFC 8058); "" for none
	Until             time.Time // later it is of no use, and is dropped
}

// maxWaiting bounds the mails in memory; the oldest makes room.
const maxWaiting = 200

// Outbox keeps mails for the operator of a service that has no mail server.
type Outbox struct {
	log *slog.Logger

	mu    sync.Mutex
	mails []Mail
}

// NewOutbox returns an empty outbox. The log says that a mail was written, never what is in it.
func NewOutbox(log *slog.Logger) *Outbox { return &Outbox{log: log} }

// Send puts a mail into the outbox.
func (o *Outbox) Send(m Mail) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.mails = appendBounded(o.mails, m)
	o.log.Info("mail written", "to_read", "the outbox page of the control panel, on this machine")
}

// Mails returns the mails that are still of use at now, the newest first.
func (o *Outbox) Mails(now time.Time) []Mail {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.mails = slices.DeleteFunc(o.mails, func(m Mail) bool { return !now.Before(m.Until) })
	mails := slices.Clone(o.mails)
	slices.Reverse(mails)
	return mails
}

// retryAfter is how long a mail waits for another try.
const retryAfter = 30 * time.Second

// Queue hands mails to a mail server, one after another, apart from the requests that cause them.
type Queue struct {
	deliver func(context.Context, Mail) error
	now     func() time.Time
	log     *slog.Logger
	wake    func()

	mu    sync.Mutex
	mails []Mail
}

// NewQueue returns an empty queue. deliver hands one mail over; now is the clock of Mail.Until.
func NewQueue(deliver func(context.Context, Mail) error, now func() time.Time, log *slog.Logger) *Queue {
	return &Queue{deliver: deliver, now: now, log: log, wake: func() {}}
}

// OnMail sets what is called when Work has something to do. It is called before the first mail.
func (q *Queue) OnMail(wake func()) { q.wake = wake }

// Send puts a mail into the queue. It does not wait.
func (q *Queue) Send(m Mail) {
	q.mu.Lock()
	q.mails = appendBounded(q.mails, m)
	q.mu.Unlock()
	q.wake()
}

// Work delivers what is in the queue, and returns when to call it again: zero for when it is woken. A mail that cannot be
// delivered stays until it is of no use; a mail server that fails is no fault of the service.
func (q *Queue) Work(ctx context.Context) (next time.Time, err error) {
	var failed []Mail
	for {
		m, ok := q.first()
		if !ok || ctx.Err() != nil {
			break
		}
		if !q.now().Before(m.Until) {
			q.log.Warn("mail dropped: it was not delivered in time")
			continue
		}
		if err := q.deliver(ctx, m); err != nil {
			q.log.Warn("mail not delivered", "cause", withoutAddresses(err.Error()))
			failed = append(failed, m)
			continue
		}
		q.log.Info("mail delivered")
	}
	if len(failed) == 0 {
		return time.Time{}, ctx.Err()
	}
	q.mu.Lock()
	q.mails = append(failed, q.mails...)
	q.mu.Unlock()
	return time.Now().Add(retryAfter), ctx.Err()
}

func (q *Queue) first() (Mail, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.mails) == 0 {
		return Mail{}, false
	}
	m := q.mails[0]
	q.mails = q.mails[1:]
	return m, true
}

func appendBounded(mails []Mail, m Mail) []Mail {
	if len(mails) >= maxWaiting {
		mails = mails[len(mails)-maxWaiting+1:]
	}
	return append(mails, m)
}

var address = regexp.MustCompile(`[^\s<>,;:"]+@[^\s<>,;:"]+`)

// withoutAddresses is what a mail server says, without whom it is about.
func withoutAddresses(text string) string { return address.ReplaceAllString(text, "[address]") }
