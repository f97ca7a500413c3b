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

// MessageOptions are what the messages need. All are required unless it says otherwise.
type MessageOptions struct {
	Store    *store.Store
	Mail     func(ctx context.Context, m mailing.Mail) error // to the mail server; an error is a *mailing.Failure; nil: there is no mail server
	Courier  *courier.Courier
	Write    func(ctx context.Context, m finance.Message) courier.Letter // in the language of m
	Location *time.Location                                              // of the server, for people who have chosen no time zone
	Log      *slog.Logger
}

// Messages sends what people want to be told on their channels (ADR 0061). It is safe for use by many goroutines.
type Messages struct{ MessageOptions }

// NewMessages returns the messages.
func NewMessages(o MessageOptions) *Messages { return &Messages{o} }

// Sends reports whether Florin can send on a channel.
func (o *Messages) Sends(c finance.Channel) bool { return c != finance.ChannelMail || o.Mail != nil }

// Work returns the work of a background loop that sends what is due on one channel, and returns when to call it again. Each channel has a loop of its own: a
// server that hangs holds up no other channel. A server that fails is no fault of Florin.
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

// Test sends a message to the user on a channel at once, which says that it has come. reason is why it was not sent, a code, "" for sent; it is not tried
// again. finance.ErrNotFound when the channel is not set up.
func (o *Messages) Test(ctx context.Context, userID string, c finance.Channel) (reason string, err error) {
	m, err := o.Store.StartTestMessage(ctx, userID, c)
	if err != nil {
		return "", err
	}
	return o.send(ctx, m, false)
}

// send sends a message that is stored as being sent, and records how that ended.
func (o *Messages) send(ctx context.Context, m finance.Message, retry bool) (reason string, err error) {
	record := context.WithoutCancel(ctx) // how it ended has to be known, also to a Florin that is being stopped
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

// deliver hands a message over. reason is the step at which that failed, "" for sent; again says that another try cannot show it twice.
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
