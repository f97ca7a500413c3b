package notify

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/google/uuid"

	"florin/internal/aggregator"
	"florin/internal/buildinfo"
	"florin/internal/publicnet"
)

const (
	acknowledgeWithin = 10 * time.Second // spec: Events
	bodyWithin        = time.Second      // to read the little of an answer that is read, so that the connection can be used again
	maxBody           = 4 << 10
	maxHeader         = 16 << 10
	keepConnection    = 30 * time.Second
)

// newTransport speaks to receivers: to them alone, without a proxy, and with certificates that are verified.
func newTransport(dialer *net.Dialer, roots *x509.CertPool) *http.Transport {
	return &http.Transport{
		DialContext:            dialer.DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots},
		TLSHandshakeTimeout:    acknowledgeWithin,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		MaxIdleConns:           maxTries,
		MaxIdleConnsPerHost:    perOrigin,
		IdleConnTimeout:        keepConnection,
		MaxResponseHeaderBytes: maxHeader,
	}
}

// try sends an event once.
func (n *Notifier) try(ctx context.Context, w aggregator.Webhook) (r result) {
	r = result{webhook: w}
	defer func() {
		if v := recover(); v != nil {
			r.err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	app, err := n.store.Application(ctx, w.ApplicationID)
	if err != nil {
		r.err = err
		return r
	}
	start := n.now()
	r.WebhookID, r.At = w.ID, start
	transport, refusal := n.transport(app, w)
	if refusal != "" {
		r.Outcome = refusal
	} else {
		token, err := n.keys.token(ctx, w)
		if err != nil {
			r.err = err
			return r
		}
		answered := time.Now()
		r.Status, r.Outcome = send(ctx, transport, w, token)
		r.Latency = max(0, time.Since(answered))
	}
	if ctx.Err() != nil && !aggregator.AcknowledgesWebhook(r.Status) {
		r.err = ctx.Err() // not the receiver's fault
		return r
	}
	if r.Acknowledged = aggregator.AcknowledgesWebhook(r.Status); !r.Acknowledged && app.Status != aggregator.ApplicationDeleted {
		r.Next = nextTry(w, start, n.now())
	}
	return r
}

// transport returns the way to the receiver of an event, or in words why there is none.
func (n *Notifier) transport(app aggregator.Application, w aggregator.Webhook) (transport *http.Transport, refusal string) {
	if app.Status == aggregator.ApplicationDeleted {
		return nil, "refused: the application was deleted"
	}
	u, err := url.Parse(w.URL)
	if err != nil || u.User != nil || aggregator.OriginOf(w.URL) != w.Origin {
		return nil, "refused: the address is not usable"
	}
	if !aggregator.ListsOrigin(app.WebhookOrigins, w.Origin) {
		return nil, "refused: the application does not list this origin any more"
	}
	switch {
	case n.mayReachAll(app, w.Origin):
		return n.trusted, ""
	case u.Scheme != "https":
		return nil, "refused: the address has to begin with https"
	}
	return n.guarded, ""
}

// send makes the request, and returns the status of the answer, zero for none, and in words what happened. Nothing of
// the answer but its status is looked at: a developer who can read outcomes must not be able to read other servers through them.
func send(ctx context.Context, transport *http.Transport, w aggregator.Webhook, token string) (status int, outcome string) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(acknowledgeWithin, func() { cancel(errTooSlow) })
	defer timer.Stop()
	var interim atomic.Bool // 102 came; net/http never returns it as an answer
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{Got1xxResponse: func(code int, _ textproto.MIMEHeader) error {
		if code == http.StatusProcessing {
			interim.Store(true)
		}
		return nil
	}})
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL, strings.NewReader(w.Body))
	if err != nil {
		return 0, "refused: the address is not usable"
	}
	request.Header = http.Header{
		"Content-Type":  {"application/json"},
		"Authorization": {"Bearer " + token},
		"X-Request-Id":  {uuid.NewString()},
		"User-Agent":    {buildinfo.UserAgent()},
		// Not sent, but lets the transport repeat a request on a connection that the receiver has just closed.
		"Idempotency-Key": nil,
	}
	client := http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	answer, err := client.Do(request) // the address was checked, and the dialer checks where it leads
	if err == nil {
		timer.Reset(min(bodyWithin, acknowledgeWithin))
		_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, maxBody))
		_ = answer.Body.Close()
		if aggregator.AcknowledgesWebhook(answer.StatusCode) {
			return answer.StatusCode, "acknowledged"
		}
	}
	switch {
	case interim.Load():
		return http.StatusProcessing, "acknowledged"
	case err != nil:
		return 0, failure(ctx, err)
	case answer.StatusCode >= 300 && answer.StatusCode < 400:
		return answer.StatusCode, "a redirect is not followed"
	}
	return answer.StatusCode, "this status does not acknowledge"
}

var errTooSlow = errors.New("no answer within 10 seconds")

// failure says why there was no answer. It never quotes the error, which can hold parts of the answer.
func failure(ctx context.Context, err error) string {
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	switch {
	case errors.Is(context.Cause(ctx), errTooSlow):
		return errTooSlow.Error()
	case errors.Is(err, publicnet.ErrNotPublic):
		return "refused: " + publicnet.ErrNotPublic.Error()
	case errors.As(err, &name):
		return "the host name could not be resolved"
	case errors.As(err, &certificate):
		return "the certificate of the receiver was not accepted"
	case errors.As(err, &record), errors.As(err, &alert), errors.Is(err, http.ErrSchemeMismatch):
		return "no TLS connection"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the connection was refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection was closed without an answer"
	}
	if failed, ok := errors.AsType[net.Error](err); ok && failed.Timeout() {
		return errTooSlow.Error()
	}
	return "no usable answer"
}
