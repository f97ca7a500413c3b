package mailing

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"strings"
	"sync/atomic"
	"time"

	"github.com/wneessen/go-mail"
)

// Server is a mail server.
type Server struct {
	Host     string
	Port     int
	User     string // empty: without signing in
	Password string
	From     string // address of the sender
	TLS      TLS
	Config   *tls.Config // nil: the roots of the system
}

// TLS says how the connection to a mail server is protected.
type TLS string

// The kinds of protection.
const (
	StartTLS  TLS = "starttls" // asked for at the begin of the connection; without it nothing is sent
	DirectTLS TLS = "tls"      // from the first byte
	NoTLS     TLS = "none"
)

// Step is a part of handing over a mail.
type Step string

// The steps at which a delivery fails.
const (
	StepAddress   Step = "address"   // the sender or the recipient is no e-mail address
	StepConnect   Step = "connect"   // there is no connection, or the server says nothing
	StepTLS       Step = "tls"       // the connection cannot be protected, or the certificate is not trusted
	StepSignIn    Step = "sign-in"   // the server does not take the user and the password
	StepSender    Step = "sender"    // the server does not take the sender
	StepRecipient Step = "recipient" // the server does not take the recipient
	StepMessage   Step = "message"   // the server does not take the message
	StepAnswer    Step = "answer"    // the server got the message and did not say whether it takes it
)

// Failure says why a mail was not delivered. Where Again is set the mail has certainly not left, and another try may deliver it. At StepAnswer nobody
// knows whether it has left.
type Failure struct {
	Step  Step
	Again bool
	err   error
}

// Error says what the mail server said, without e-mail addresses.
func (f *Failure) Error() string { return string(f.Step) + ": " + withoutAddresses(f.err.Error()) }

// Unwrap returns the cause, which may name e-mail addresses.
func (f *Failure) Unwrap() error { return f.err }

const deliveryTimeout = 20 * time.Second // of each step

// Deliver hands a mail to the server. An error is a *Failure.
func (s Server) Deliver(ctx context.Context, m Mail) error {
	message := mail.NewMsg(mail.WithNoDefaultUserAgent())
	if err := errors.Join(message.From(s.From), message.To(m.To)); err != nil {
		return &Failure{Step: StepAddress, err: err}
	}
	message.Subject(m.Subject)
	message.SetDateWithValue(m.Written)
	_, domain, _ := strings.Cut(s.From, "@")
	if m.ID == "" {
		message.SetMessageID()
	} else {
		message.SetMessageIDWithValue(m.ID + "@" + domain)
	}
	message.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: no machine answers it
	if m.Unsubscribe != "" {
		message.SetGenHeader("List-Unsubscribe", "<"+m.Unsubscribe+">")
		message.SetGenHeader("List-Unsubscribe-Post", "List-Unsubscribe=One-Click") // RFC 8058
	}
	message.SetBodyString(mail.TypeTextPlain, m.Text)

	config := &tls.Config{ServerName: s.Host, MinVersion: tls.VersionTLS12}
	if s.Config != nil {
		config = s.Config
	}
	var connection atomic.Pointer[net.Conn] // the client leaves it open when it gives up early, such as without STARTTLS
	hangUp := func() {
		if c := connection.Swap(nil); c != nil {
			_ = (*c).Close() // the client may have done so
		}
	}
	defer hangUp()
	defer context.AfterFunc(ctx, hangUp)()
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, address)
		if err == nil {
			connection.Store(&c)
		}
		return c, err
	}
	options := []mail.Option{mail.WithPort(s.Port), mail.WithTimeout(deliveryTimeout), mail.WithTLSConfig(config)}
	switch s.TLS {
	case DirectTLS: // with a dial function of ours the client would not know that the connection is protected
		options = append(options, mail.WithSSL())
	case NoTLS:
		options = append(options, mail.WithTLSPolicy(mail.NoTLS), mail.WithDialContextFunc(dial))
	default:
		options = append(options, mail.WithTLSPolicy(mail.TLSMandatory), mail.WithDialContextFunc(dial))
	}
	if s.User != "" {
		options = append(options, mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover), mail.WithUsername(s.User), mail.WithPassword(s.Password))
	}
	client, err := mail.NewClient(s.Host, options...)
	if err != nil {
		return &Failure{Step: StepConnect, err: fmt.Errorf("mail server: %w", err)}
	}
	err = client.DialAndSendWithContext(ctx, message)
	if err == nil || message.IsDelivered() { // the server has taken it, whatever went wrong at leaving
		return nil
	}
	return failure(err)
}

// failure finds out at which step handing over failed.
func failure(err error) *Failure {
	f := &Failure{Step: StepConnect, Again: true, err: err}
	sending, isSending := errors.AsType[*mail.SendError](err)
	if !isSending {
		f.Step = beginning(err)
		return f
	}
	switch sending.Reason {
	case mail.ErrGetSender, mail.ErrSMTPMailFrom:
		f.Step = StepSender
	case mail.ErrGetRcpts, mail.ErrSMTPRcptTo:
		f.Step = StepRecipient
	case mail.ErrSMTPData, mail.ErrWriteContent, mail.ErrNoUnencoded:
		f.Step = StepMessage
	case mail.ErrSMTPDataClose:
		f.Step = StepMessage
		if sending.ErrorCode() == 0 { // no answer to the message, or none that means something
			f.Step, f.Again = StepAnswer, false
			return f
		}
	default:
		return f
	}
	f.Again = sending.ErrorCode() < 500 // a refusal for good; without a code the connection broke
	return f
}

// beginning is the step at which the connection was not to be had: what comes before the first message.
func beginning(err error) Step {
	_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
	_, record := errors.AsType[tls.RecordHeaderError](err)
	_, alert := errors.AsType[tls.AlertError](err)
	answer, answered := errors.AsType[*textproto.Error](err)
	text := err.Error() // the library has no errors of its own for these
	switch {
	case certificate, record, alert, strings.Contains(text, "STARTTLS"):
		return StepTLS
	case strings.Contains(text, "SMTP AUTH"), errors.Is(err, mail.ErrNoSupportedAuthDiscovered), answered && answer.Code/10 == 53: // RFC 4954
		return StepSignIn
	}
	return StepConnect
}
