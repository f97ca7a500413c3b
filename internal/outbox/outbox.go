// Package outbox sends the mails and messages that wait in rows of the web app's database: each at most once, even when Florin is killed while sending (ADR
// 0056).
package outbox

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"florin/internal/finance"
	"florin/internal/mailing"
	"florin/internal/store"
)

// Letter is the content of a mail.
type Letter struct{ Subject, Text string }

// Options are the dependencies of an Outbox. All are required unless stated otherwise.
type Options struct {
	Store *store.Store
	// Deliver sends a mail to the mail server. An error is a *mailing.Failure. It is nil without a mail server.
	Deliver   func(ctx context.Context, m mailing.Mail) error
	ResetLink func(ctx context.Context, user finance.User) (finance.Secret, error)   // returns the token of a new one-time link
	Write     func(ctx context.Context, m finance.Mail, reset finance.Secret) Letter // in the language of m; reset is the token of a finance.MailResetLink
	Log       *slog.Logger
}

// Outbox sends mails. All methods except Work are safe for use by many goroutines.
type Outbox struct {
	Options
	rest time.Time // until then the mail server is not contacted
}

// New returns an outbox.
func New(o Options) *Outbox { return &Outbox{Options: o} }

// Sends reports whether there is a mail server.
func (o *Outbox) Sends() bool { return o.Deliver != nil }

// The pause after a first failed attempt, and the longest one. It doubles with each attempt.
const (
	firstPause   = time.Minute
	longestPause = time.Hour
)

func pause(attempts int) time.Duration {
	if attempts > 6 {
		return longestPause
	}
	return min(longestPause, firstPause<<(attempts-1))
}

// lookEvery is how often Work must be called, in addition to when store.WhenMailed wakes it: the commands of the operator add mails in another process.
const lookEvery = time.Minute

// Work sends the mails that are due, and returns when to call it again. A failing mail server is not an error of Florin; it is not contacted for a pause.
// Work is called by a background loop, and needs a mail server.
func (o *Outbox) Work(ctx context.Context) (next time.Time, err error) {
	if time.Now().Before(o.rest) {
		return o.rest, nil
	}
	for ctx.Err() == nil {
		m, ok, next, err := o.Store.ClaimMail(ctx)
		if err != nil {
			return time.Time{}, err
		}
		if !ok {
			if latest := time.Now().Add(lookEvery); next.IsZero() || next.After(latest) {
				next = latest
			}
			return next, nil
		}
		if failure, err := o.send(ctx, m); err != nil {
			return time.Time{}, err
		} else if failure != nil && failure.Again && ofServer(failure.Step) {
			o.rest = time.Now().Add(pause(m.Attempts))
			return o.rest, nil
		}
	}
	return time.Time{}, ctx.Err()
}

// ofServer reports whether a failure at this step concerns every mail.
func ofServer(step mailing.Step) bool {
	return step == mailing.StepConnect || step == mailing.StepTLS || step == mailing.StepSignIn
}

// Test sends a test mail to the user at once, without retries. The failure says why it was not sent.
func (o *Outbox) Test(ctx context.Context, userID string) (*mailing.Failure, error) {
	m, err := o.Store.StartTestMail(ctx, userID)
	if err != nil {
		return nil, err
	}
	return o.send(ctx, m)
}

// send sends a mail that is stored as being sent, and stores the result. err is an internal error.
func (o *Outbox) send(ctx context.Context, m finance.Mail) (failure *mailing.Failure, err error) {
	record := context.WithoutCancel(ctx) // the result must be stored even while Florin is stopping
	var reset finance.Secret
	if m.Kind == finance.MailResetLink { // the token is created here, so that it is stored nowhere
		if reset, err = o.ResetLink(ctx, m.User); err != nil {
			return nil, errors.Join(err, o.Store.RetryMail(record, m.User.ID, m.ID, "", time.Now().Add(pause(m.Attempts))))
		}
	}
	letter := o.Write(ctx, m, reset)
	err = o.Deliver(ctx, mailing.Mail{ID: m.ID, To: m.User.Email, Subject: letter.Subject, Text: letter.Text, Written: m.Created})
	failure, failed := errors.AsType[*mailing.Failure](err)
	due := time.Now().Add(pause(m.Attempts))
	switch {
	case err == nil:
		o.Log.InfoContext(ctx, "mail sent", "kind", m.Kind, "user", m.User.ID)
		return nil, o.Store.EndMail(record, m.User.ID, m.ID, "")
	case !failed:
		return nil, errors.Join(err, o.Store.EndMail(record, m.User.ID, m.ID, string(mailing.StepAnswer)))
	case failure.Again && due.Before(m.Until):
		o.Log.WarnContext(ctx, "mail not sent, to be tried again", "kind", m.Kind, "user", m.User.ID, "cause", failure, "attempts", m.Attempts)
		return failure, o.Store.RetryMail(record, m.User.ID, m.ID, string(failure.Step), due)
	}
	o.Log.WarnContext(ctx, "mail not sent", "kind", m.Kind, "user", m.User.ID, "cause", failure, "attempts", m.Attempts)
	return failure, o.Store.EndMail(record, m.User.ID, m.ID, string(failure.Step))
}
