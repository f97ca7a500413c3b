package mailing

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
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

const deliveryTimeout = 20 * time.Second

// Deliver hands a mail to the server.
func (s Server) Deliver(ctx context.Context, m Mail) error {
	message := mail.NewMsg()
	if err := message.From(s.From); err != nil {
		return fmt.Errorf("sender: %w", err)
	}
	if err := message.To(m.To); err != nil {
		return fmt.Errorf("recipient: %w", err)
	}
	message.Subject(m.Subject)
	message.SetDateWithValue(m.Written)
	message.SetMessageID()
	message.SetBodyString(mail.TypeTextPlain, m.Text)

	config := &tls.Config{ServerName: s.Host, MinVersion: tls.VersionTLS12}
	if s.Config != nil {
		config = s.Config
	}
	var connection net.Conn // the client leaves it open when it gives up early, such as without STARTTLS
	defer func() {
		if connection != nil {
			_ = connection.Close() // the client may have done so
		}
	}()
	dial := func(ctx context.Context, network, address string) (_ net.Conn, err error) {
		connection, err = new(net.Dialer).DialContext(ctx, network, address)
		return connection, err
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
		return fmt.Errorf("mail server: %w", err)
	}
	if err := client.DialAndSendWithContext(ctx, message); err != nil {
		return fmt.Errorf("hand over to the mail server: %w", err)
	}
	return nil
}
