// Package mailtest is a mail server on this machine, for tests.
package mailtest

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"math/big"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/textproto"
	"strings"
	"sync"
	"testing"
	"time"
)

// Answers in place of the usual ones that are no lines of SMTP.
const (
	Silence = "silence" // nothing more is said: the client waits until it gives up
	HangUp  = "hang up" // the connection is closed
)

// Server speaks as much SMTP as a client needs.
type Server struct {
	TLS    *tls.Config // of the server; nil: no STARTTLS
	Direct bool        // TLS from the first byte

	listener net.Listener
	silent   chan struct{}
	stop     chan struct{}

	mu      sync.Mutex
	answers map[string]string
	mails   []Mail
	signIns []string
	plain   bool
}

// Mail is a message that the server has taken.
type Mail struct {
	To      string // of the envelope
	Header  mail.Header
	Subject string
	Text    string // lines end with "\n"
}

// Start starts the server on a free port of 127.0.0.1 and stops it when the test ends.
func Start(t testing.TB, s *Server) *Server {
	t.Helper()
	var err error
	if s.listener, err = new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	if s.Direct {
		s.listener = tls.NewListener(s.listener, s.TLS)
	}
	s.silent, s.stop = make(chan struct{}, 1), make(chan struct{})
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			connection, err := s.listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { s.talk(connection) })
		}
	})
	t.Cleanup(func() { close(s.stop); s.listener.Close(); serving.Wait() }) // it waits for ever where a client leaves its connection open
	return s
}

// Port is where the server listens.
func (s *Server) Port() int { return s.listener.Addr().(*net.TCPAddr).Port }

// Answer sets what the server says to a command from now on: a line of SMTP, Silence or HangUp; "" for the usual answer. The greeting is the command
// "CONNECT", the end of a message "END": the server has taken the message by then unless the answer is a refusal.
func (s *Server) Answer(command, line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.answers == nil {
		s.answers = make(map[string]string)
	}
	s.answers[command] = line
}

// Silent receives a value when a client waits for an answer that does not come.
func (s *Server) Silent() <-chan struct{} { return s.silent }

// Mails are the messages that the server has taken, oldest first.
func (s *Server) Mails() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Mail(nil), s.mails...)
}

// SignIns are the arguments of AUTH.
func (s *Server) SignIns() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.signIns...)
}

// Plain reports whether a message came without TLS.
func (s *Server) Plain() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.plain
}

func (s *Server) answer(command, usual string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if line := s.answers[command]; line != "" {
		return line
	}
	return usual
}

func (s *Server) talk(connection net.Conn) {
	defer func() { connection.Close() }()
	text, secure, to := textproto.NewConn(connection), s.Direct, ""
	say := func(command, usual string) (goOn bool) {
		switch line := s.answer(command, usual); line {
		case Silence:
			select {
			case s.silent <- struct{}{}:
			default: // nobody has asked since the last time
			}
			<-s.stop
			return false
		case HangUp:
			return false
		default:
			return text.PrintfLine("%s", line) == nil
		}
	}
	for goOn := say("CONNECT", "220 mail.example"); goOn; {
		line, err := text.ReadLine()
		if err != nil {
			return
		}
		verb, rest, _ := strings.Cut(line, " ")
		switch verb = strings.ToUpper(verb); verb {
		case "EHLO":
			extensions := "250-mail.example\r\n"
			if s.TLS != nil && !secure {
				extensions += "250-STARTTLS\r\n"
			}
			goOn = say(verb, extensions+"250-AUTH PLAIN LOGIN\r\n250 8BITMIME")
		case "STARTTLS":
			if goOn = say(verb, "220 go on"); goOn && s.answer(verb, "") == "" {
				connection = tls.Server(connection, s.TLS)
				text, secure = textproto.NewConn(connection), true
			}
		case "AUTH":
			s.mu.Lock()
			s.signIns = append(s.signIns, rest)
			s.mu.Unlock()
			goOn = say(verb, "235 welcome")
		case "RCPT":
			to = strings.Trim(strings.TrimPrefix(rest, "TO:"), "<>")
			goOn = say(verb, "250 ok")
		case "DATA":
			if goOn = say(verb, "354 go on"); !goOn || s.answer(verb, "") != "" {
				continue
			}
			body, err := io.ReadAll(text.DotReader())
			if err != nil {
				return
			}
			if answer := s.answer("END", ""); !strings.HasPrefix(answer, "4") && !strings.HasPrefix(answer, "5") {
				s.take(to, body, secure)
			}
			goOn = say("END", "250 ok")
		case "QUIT":
			say(verb, "221 bye")
			return
		default:
			goOn = say(verb, "250 ok")
		}
	}
}

func (s *Server) take(to string, body []byte, secure bool) {
	m := Mail{To: to}
	if message, err := mail.ReadMessage(bytes.NewReader(body)); err == nil {
		m.Header = message.Header
		m.Subject, _ = new(mime.WordDecoder).DecodeHeader(message.Header.Get("Subject"))
		content := message.Body
		if message.Header.Get("Content-Transfer-Encoding") == "quoted-printable" {
			content = quotedprintable.NewReader(content)
		}
		text, _ := io.ReadAll(content)
		m.Text = strings.ReplaceAll(string(text), "\r\n", "\n")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mails = append(s.mails, m)
	s.plain = s.plain || !secure
}

// Identity is the certificate of a server at 127.0.0.1, and the roots that trust it.
func Identity(t testing.TB) (server, client *tls.Config) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "mail.example"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(certificate)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, &tls.Config{RootCAs: roots, ServerName: "127.0.0.1"}
}
