package mailing

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/textproto"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// mailServer speaks as much SMTP as a client needs.
type mailServer struct {
	t        *testing.T
	listener net.Listener
	config   *tls.Config // of the server; nil: no STARTTLS
	direct   bool        // TLS from the first byte
	refuse   string      // answer to RCPT TO; empty: accepted

	mu    sync.Mutex
	mails []string
	auth  []string
	plain bool // a mail came without TLS
}

func startServer(t *testing.T, s *mailServer) *mailServer {
	t.Helper()
	var err error
	s.t = t
	if s.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	if s.direct {
		s.listener = tls.NewListener(s.listener, s.config)
	}
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
	t.Cleanup(func() { s.listener.Close(); serving.Wait() }) // it waits for ever where a client leaves its connection open
	return s
}

func (s *mailServer) talk(connection net.Conn) {
	defer func() { connection.Close() }()
	text := textproto.NewConn(connection)
	say := func(line string) { _ = text.PrintfLine("%s", line) } // a client that has gone is told nothing
	secure := s.direct
	say("220 mail.example")
	for {
		line, err := text.ReadLine()
		if err != nil {
			return
		}
		verb, rest, _ := strings.Cut(line, " ")
		switch strings.ToUpper(verb) {
		case "EHLO":
			say("250-mail.example")
			if s.config != nil && !secure {
				say("250-STARTTLS")
			}
			say("250-AUTH PLAIN LOGIN")
			say("250 8BITMIME")
		case "STARTTLS":
			say("220 go on")
			connection = tls.Server(connection, s.config)
			text, secure = textproto.NewConn(connection), true
		case "AUTH":
			s.mu.Lock()
			s.auth = append(s.auth, rest)
			s.mu.Unlock()
			say("235 welcome")
		case "RCPT":
			if s.refuse != "" {
				say(s.refuse)
				continue
			}
			say("250 ok")
		case "DATA":
			say("354 go on")
			body, err := io.ReadAll(text.DotReader())
			if err != nil {
				return
			}
			s.mu.Lock()
			s.mails = append(s.mails, string(body))
			s.plain = s.plain || !secure
			s.mu.Unlock()
			say("250 ok")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 ok")
		}
	}
}

func (s *mailServer) port() int { return s.listener.Addr().(*net.TCPAddr).Port }

// identity is the certificate of a server at 127.0.0.1, and the roots that trust it.
func identity(t *testing.T) (server, client *tls.Config) {
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

var letter = Mail{To: "ada@dev.example", Subject: "Your sign-in link für Ädä",
	Text: "Open https://service.example/?oobCode=" + strings.Repeat("A", 90) + "\n.\nThe end", Written: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)}

func TestDelivery(t *testing.T) {
	server, client := identity(t)
	for _, tt := range []struct {
		name   string
		server *mailServer
		tls    TLS
		user   string
		config *tls.Config
		fails  bool
	}{
		{"starttls", &mailServer{config: server}, StartTLS, "", client, false},
		{"starttls with password", &mailServer{config: server}, StartTLS, "florin", client, false},
		{"starttls is not offered", &mailServer{}, StartTLS, "", client, true},
		{"certificate of a stranger", &mailServer{config: server}, StartTLS, "", nil, true},
		{"tls", &mailServer{config: server, direct: true}, DirectTLS, "florin", client, false},
		{"tls is not spoken", &mailServer{}, DirectTLS, "", client, true},
		{"none", &mailServer{}, NoTLS, "", nil, false},
		{"refused", &mailServer{refuse: "550 no such user"}, NoTLS, "", nil, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := startServer(t, tt.server)
			to := Server{Host: "127.0.0.1", Port: s.port(), User: tt.user, Password: "pass word", From: "florin@service.example", TLS: tt.tls, Config: tt.config}
			if tt.user == "" {
				to.Password = ""
			}
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			err := to.Deliver(ctx, letter)
			s.mu.Lock()
			defer s.mu.Unlock()
			if (err != nil) != tt.fails || len(s.mails) != map[bool]int{true: 0, false: 1}[tt.fails] {
				t.Fatalf("error %v, %d mails", err, len(s.mails))
			}
			if tt.fails {
				return
			}
			if s.plain != (tt.tls == NoTLS) {
				t.Errorf("without TLS: %v", s.plain)
			}
			if tt.user != "" {
				secret := base64.StdEncoding.EncodeToString([]byte("\x00florin\x00pass word"))
				if len(s.auth) != 1 || s.auth[0] != "PLAIN "+secret {
					t.Errorf("signed in with %q", s.auth)
				}
			}
			message, err := mail.ReadMessage(bufio.NewReader(strings.NewReader(s.mails[0])))
			if err != nil {
				t.Fatal(err)
			}
			subject, err := new(mime.WordDecoder).DecodeHeader(message.Header.Get("Subject"))
			if err != nil || subject != letter.Subject {
				t.Errorf("subject %q, %v", subject, err)
			}
			if message.Header.Get("To") != "<ada@dev.example>" || message.Header.Get("From") != "<florin@service.example>" || message.Header.Get("Message-Id") == "" {
				t.Errorf("header %v", message.Header)
			}
			body, err := io.ReadAll(decoded(message))
			if text := strings.ReplaceAll(string(body), "\r\n", "\n"); err != nil || strings.TrimSpace(text) != letter.Text {
				t.Errorf("text %q, %v", text, err)
			}
		})
	}
}

func decoded(m *mail.Message) io.Reader {
	if m.Header.Get("Content-Transfer-Encoding") == "quoted-printable" {
		return quotedprintable.NewReader(m.Body)
	}
	return m.Body
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
