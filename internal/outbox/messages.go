package outbox

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"florin/internal/courier"
	"florin/internal/finance"
	"florin/internal/mailing"
	"florin/internal/store"
)

// MessageOptions are the dependencies of Messages. All are required unless stated otherwise.
type MessageOptions struct {
	Store    *store.Store
	Mail     func(ctx context.Context, m mailing.Mail) error // sends to the mail server; an error is a *mailing.Failure; nil without a mail server
	Courier  *courier.Courier
	Write    func(ctx context.Context, m finance.Message) courier.Letter // in the language of m
	Location *time.Location                                              // the time zone of the server, for people who have chosen none
	Log      *slog.Logger
}

// Messages sends notifications on the channels that people have chosen (ADR 0061). It is safe for use by many goroutines.
type Messages struct{ MessageOptions }

// NewMessages returns a Messages.
func NewMessages(o MessageOptions) *Messages { return &Messages{o} }

// Sends reports whether Florin can send on a channel.
func (o *Messages) Sends(c finance.Channel) bool { return c != finance.ChannelMail || o.Mail != nil }

// Work returns the work of a background loop that sends what is due on one channel, and returns when to call it again. Each channel has its own loop, so that
// a slow server delays no other channel. A failing server is not an error of Florin.
func (o *Messages) Work(c finance.Channel) func(context.Context) (next time.Time, err error) {
	return func(ctx context.Context) (next time.Time, err error) {
		for ctx.Err() == nil {
			m, ok, next, err := o.Store.ClaimMessage(ctx, c, o.Location)
			if err != nil {
				return time.Time{}, err
			}
			if !ok {
				if latest := time.Now().Add(lookEvery); next.IsZero() || next.After(latest) {
					next = latest
				}
				return next, nil
			}
			if _, err := o.send(ctx, m, true); err != nil {
				return time.Time{}, err
			}
		}
		return time.Time{}, ctx.Err()
	}
}

// Test sends a test message to the user on a channel at once, without retries. reason is a code for why it was not sent, "" when it was. The error is
// finance.ErrNotFound when the channel is not set up.
func (o *Messages) Test(ctx context.Context, userID string, c finance.Channel) (reason string, err error) {
	m, err := o.Store.StartTestMessage(ctx, userID, c)
	if err != nil {
		return "", err
	}
	return o.send(ctx, m, false)
}

// send sends a message that is stored as being sent, and stores the result.
func (o *Messages) send(ctx context.Context, m finance.Message, retry bool) (reason string, err error) {
	record := context.WithoutCancel(ctx) // the result must be stored even while Florin is stopping
	reason, again := o.deliver(ctx, m)
	if reason == "" {
		o.Log.InfoContext(ctx, "message sent", "kind", m.Alert.Kind, "channel", m.Channel, "user", m.User.ID)
		return "", o.Store.EndMessage(record, m.User.ID, m.ID, "")
	}
	due := time.Now().Add(pause(m.Attempts))
	again = again && retry && !m.GivenUp(time.Now())
	o.Log.WarnContext(ctx, "message not sent", "kind", m.Alert.Kind, "channel", m.Channel, "user", m.User.ID, "cause", reason, "attempts", m.Attempts, "again", again)
	if again {
		return reason, o.Store.RetryMessage(record, m, reason, due)
	}
	return reason, o.Store.EndMessage(record, m.User.ID, m.ID, reason)
}

// deliver hands a message over. reason is the step that failed, "" when it was sent; again reports that a retry cannot deliver it twice.
func (o *Messages) deliver(ctx context.Context, m finance.Message) (reason string, again bool) {
	letter := o.Write(ctx, m)
	if m.Channel != finance.ChannelMail {
		err := o.Courier.Deliver(ctx, m, letter)
		if failure, is := errors.AsType[*courier.Failure](err); is {
			return string(failure.Step), failure.Again
		}
		return "", false
	}
	if o.Mail == nil {
		return string(mailing.StepConnect), true
	}
	err := o.Mail(ctx, mailing.Mail{ID: m.ID, To: m.User.Email, Subject: letter.Title, Text: letter.Mail, Written: m.Created, Unsubscribe: letter.Off})
	if failure, is := errors.AsType[*mailing.Failure](err); is {
		return string(failure.Step), failure.Again
	}
	return "", false
}
