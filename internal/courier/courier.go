// Package courier hands messages to ntfy servers and to receivers of webhooks, at addresses that people typed. It goes to addresses of the internet alone
// unless the operator allows others, follows no redirect, and reads no more of an answer than its status (security T77).
package courier

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"florin/internal/finance"
	"florin/internal/publicnet"
)

// Step is where handing over a message failed.
type Step string

// The steps at which a delivery fails.
const (
	StepAddress  Step = "address"         // the address is none, or not one that Florin uses
	StepPrivate  Step = "private-address" // the address is not of the internet, and the operator does not allow others
	StepConnect  Step = "connect"         // there is no connection, or the server says nothing
	StepTLS      Step = "tls"             // the connection cannot be protected, or the certificate is not trusted
	StepRedirect Step = "redirect"        // the server sends Florin elsewhere
	StepSignIn   Step = "sign-in"         // 401 or 403: the token is wrong or missing
	StepGone     Step = "gone"            // 404 or 410: nothing takes messages there
	StepRefused  Step = "refused"         // another answer from 400 to 499
	StepServer   Step = "server"          // 429 and from 500: the server cannot take it now
	StepAnswer   Step = "answer"          // the message has left, and nobody knows whether it was taken
)

// Failure says why a message was not handed over. Where Again is set another try may deliver it, and cannot show it twice.
type Failure struct {
	Step  Step
	Again bool
	err   error
}

// Error names no address.
func (f *Failure) Error() string { return string(f.Step) }

// Unwrap returns the cause, which may name an address.
func (f *Failure) Unwrap() error { return f.err }

// Letter is what a message says.
type Letter struct {
	Title, Text string
	Link        string // the page of Florin that tells more
	Off         string // turns this kind of message off, without a sign-in
	OffText     string // what Off does
	Mail        string // all of it, as the text of a mail
}

// patience is how long one delivery may take. mostAnswer is how much of an answer is read, so that the connection ends well.
const (
	patience   = 10 * time.Second
	mostAnswer = 4 << 10
)

// Courier hands messages over. It is safe for use by many goroutines.
type Courier struct {
	client  *http.Client
	private bool
}

// New returns a courier. private allows addresses that are not of the internet, and such without TLS. config is for tests; nil: the roots of the system.
func New(private bool, config *tls.Config) *Courier {
	dialer := &net.Dialer{Timeout: patience}
	if !private {
		dialer.ControlContext = func(_ context.Context, _, address string, _ syscall.RawConn) error {
			at, err := netip.ParseAddrPort(address)
			if err != nil || !publicnet.Is(at.Addr()) {
				return publicnet.ErrNotPublic
			}
			return nil
		}
	}
	return &Courier{private: private, client: &http.Client{
		Timeout:       patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{ // no proxy: it would dial what Florin does not
			DialContext: dialer.DialContext, TLSClientConfig: config, TLSHandshakeTimeout: patience, DisableKeepAlives: true, // a request is written once
			MaxResponseHeaderBytes: 64 << 10,
		},
	}}
}

// Private reports whether addresses that are not of the internet are allowed.
func (c *Courier) Private() bool { return c.private }

// topics are the names that ntfy takes.
var topics = regexp.MustCompile(`^[-_A-Za-z0-9]{1,64}$`)

// CheckTopic reports whether ntfy takes a topic.
func CheckTopic(topic string) bool { return topics.MatchString(topic) }

// CheckAddress says what is wrong with an address that a person typed: a *Failure, nil when it may be used. Whether its name leads to a private address is
// seen when it is called.
func (c *Courier) CheckAddress(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.User != nil || u.Fragment != "" || len(address) > 1000 || u.Scheme != "https" && u.Scheme != "http" {
		return &Failure{Step: StepAddress, err: errors.New("no address")}
	}
	if c.private {
		return nil
	}
	if at, err := netip.ParseAddr(u.Hostname()); publicnet.Loopback(u.Hostname()) || err == nil && !publicnet.Is(at) {
		return &Failure{Step: StepPrivate, err: publicnet.ErrNotPublic}
	}
	if u.Scheme != "https" {
		return &Failure{Step: StepAddress, err: errors.New("no https address")}
	}
	return nil
}

// Deliver hands a message to where its channel leads. An error is a *Failure.
func (c *Courier) Deliver(ctx context.Context, m finance.Message, l Letter) error {
	if err := c.CheckAddress(m.Target.Address); err != nil {
		return err
	}
	var body any
	header := http.Header{"Content-Type": {"application/json"}}
	address := m.Target.Address
	if m.Channel == finance.ChannelNtfy {
		// https://docs.ntfy.sh/publish/#publish-as-json
		body = ntfyMessage{Topic: m.Target.Topic, Title: l.Title, Message: l.Text, Click: l.Link, Actions: []ntfyAction{{"view", l.OffText, l.Off}}}
		if token := m.Target.Secret.Reveal(); token != "" {
			header.Set("Authorization", "Bearer "+token)
		}
		address = strings.TrimRight(address, "/") + "/"
	} else {
		// The form of a payload that Standard Webhooks recommends.
		body = hookMessage{Type: "florin." + string(m.Alert.Kind), Timestamp: m.Alert.Created.UTC(), Data: hookData{l.Title, l.Text, l.Link, l.Off}}
	}
	text, err := json.Marshal(body)
	if err != nil {
		return &Failure{Step: StepAddress, err: err}
	}
	if m.Channel == finance.ChannelWebhook {
		if err := sign(header, m.ID, time.Now(), m.Target.Secret, text); err != nil {
			return &Failure{Step: StepAddress, err: err}
		}
	}
	return c.post(ctx, address, header, text, m.Channel.Recognises())
}

type ntfyMessage struct {
	Topic   string       `json:"topic"`
	Title   string       `json:"title"`
	Message string       `json:"message"`
	Click   string       `json:"click"`
	Actions []ntfyAction `json:"actions"`
}

type ntfyAction struct {
	Action string `json:"action"`
	Label  string `json:"label"`
	URL    string `json:"url"`
}

type hookMessage struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Data      hookData  `json:"data"`
}

type hookData struct {
	Title string `json:"title"`
	Text  string `json:"text"`
	Link  string `json:"link"`
	Off   string `json:"off"`
}

// secretPrefix is how Standard Webhooks marks a secret for HMAC; base64 follows.
const secretPrefix = "whsec_"

// NewSecret returns a random secret to sign webhooks with, as Standard Webhooks writes it.
func NewSecret() finance.Secret {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return finance.Secret(secretPrefix + base64.StdEncoding.EncodeToString(key))
}

// sign adds the headers of Standard Webhooks 1.0: HMAC-SHA256 over id, time and body, joined by dots.
func sign(header http.Header, id string, at time.Time, secret finance.Secret, body []byte) error {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret.Reveal(), secretPrefix))
	if err != nil || len(key) == 0 {
		return errors.New("the secret of a webhook is none")
	}
	seconds := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + seconds + "."))
	mac.Write(body)
	header.Set("Webhook-Id", id)
	header.Set("Webhook-Timestamp", seconds)
	header.Set("Webhook-Signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return nil
}

// post sends a body. recognised says that the receiver tells one that comes a second time.
func (c *Courier) post(ctx context.Context, address string, header http.Header, body []byte, recognised bool) error {
	var left atomic.Bool // from here on the message may have left
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { left.Store(true) }})
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return &Failure{Step: StepAddress, err: err}
	}
	request.Header = header
	response, err := c.client.Do(request)
	if err != nil {
		f := &Failure{Step: StepConnect, Again: true, err: err}
		_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
		_, record := errors.AsType[tls.RecordHeaderError](err)
		_, alert := errors.AsType[tls.AlertError](err)
		switch {
		case left.Load():
			f.Step, f.Again = StepAnswer, recognised
		case errors.Is(err, publicnet.ErrNotPublic):
			f.Step, f.Again = StepPrivate, false
		case certificate, record, alert, strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"): // net/http has no error of its own for it
			f.Step = StepTLS
		}
		return f
	}
	defer response.Body.Close()
	_, _ = io.CopyN(io.Discard, response.Body, mostAnswer) // the status has said it
	if response.StatusCode/100 == 2 {
		return nil
	}
	return refusal(response.StatusCode, recognised)
}

// refusal is what an answer means that is no success. Again is set where the message was certainly not taken, or is recognised when it comes again.
func refusal(status int, recognised bool) *Failure {
	f := &Failure{err: fmt.Errorf("answer %d", status), Again: true}
	switch {
	case status/100 == 3:
		f.Step, f.Again = StepRedirect, false
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		f.Step = StepSignIn
	case status == http.StatusNotFound, status == http.StatusGone:
		f.Step, f.Again = StepGone, status == http.StatusNotFound
	case status == http.StatusBadGateway, status == http.StatusGatewayTimeout: // what stands before the server does not know whether it has taken the message
		f.Step, f.Again = StepAnswer, recognised
	case status == http.StatusTooManyRequests, status >= 500:
		f.Step = StepServer
	default:
		f.Step, f.Again = StepRefused, false
	}
	return f
}
