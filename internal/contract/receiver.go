package contract

import (
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"florin/internal/openbanking"
)

// Receiver takes webhooks as an application would, and verifies each by the specification alone (spec: Events): with the
// standard library, and nothing of what is behind the service. It is good for any service.
type Receiver struct {
	Application openbanking.Application // whose webhooks come here
	Domain      string                  // of the service: the host of x5u is it, or is below it
	Client      *http.Client            // fetches the certificate at x5u
	Schema      *openapi3.Schema        // that bodies follow; nil: it is not looked at
	Now         func() time.Time        // by which certificates are good; nil: time.Now

	mu      sync.Mutex
	answers []int // statuses of the next answers; 204 after them
	arrived []Delivery
	more    chan struct{} // closed with the next arrival
}

// Delivery is one request that came.
type Delivery struct {
	Event     openbanking.PaymentStatusWebhook
	Body      string
	RequestID string
	Token     string
	Status    int   // of the answer
	Problem   error // why it is no webhook of the service; nil: it is one
}

// Answer sets the statuses of the next answers.
func (r *Receiver) Answer(statuses ...int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers = statuses
}

// Arrived are all requests that came so far.
func (r *Receiver) Arrived() []Delivery {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.arrived)
}

// Await returns the requests that came, once enough says that they do; or when ctx ends, with its error.
func (r *Receiver) Await(ctx context.Context, enough func([]Delivery) bool) ([]Delivery, error) {
	for {
		r.mu.Lock()
		if r.more == nil {
			r.more = make(chan struct{})
		}
		arrived, more := slices.Clone(r.arrived), r.more
		r.mu.Unlock()
		if enough(arrived) {
			return arrived, nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			return arrived, ctx.Err()
		}
	}
}

// ServeHTTP takes a webhook.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	text, err := io.ReadAll(http.MaxBytesReader(w, request.Body, 64<<10)) // as it arrived: msgi is the digest of these bytes
	d := Delivery{Body: string(text), RequestID: request.Header.Get("X-Request-Id"), Token: request.Header.Get("Authorization"), Status: http.StatusNoContent}
	if d.Problem = err; err == nil {
		d.Problem = errors.Join(r.checkRequest(request), r.verify(request.Context(), d.Token, text))
	}
	if err := json.Unmarshal(text, &d.Event); err != nil {
		d.Problem = errors.Join(d.Problem, fmt.Errorf("the body is no event: %w", err))
	}
	if r.Schema != nil {
		d.Problem = errors.Join(d.Problem, follow("webhook", r.Schema, text))
	}
	r.mu.Lock()
	if len(r.answers) > 0 {
		d.Status, r.answers = r.answers[0], r.answers[1:]
	}
	r.mu.Unlock()
	w.WriteHeader(d.Status)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.arrived = append(r.arrived, d)
	if r.more != nil {
		close(r.more)
		r.more = nil
	}
}

// checkRequest checks the parts of a request that are not the token.
func (r *Receiver) checkRequest(request *http.Request) error {
	switch {
	case request.Method != http.MethodPost:
		return fmt.Errorf("a webhook is a POST, this is a %s", request.Method)
	case request.Header.Get("Content-Type") != "application/json":
		return fmt.Errorf("the Content-Type is %q", request.Header.Get("Content-Type"))
	case request.Header.Get("X-Request-Id") == "":
		return errors.New("there is no X-Request-Id")
	}
	return nil
}

// verify checks the Authorization header of a request with this body.
func (r *Receiver) verify(ctx context.Context, authorization string, body []byte) error {
	token, ok := strings.CutPrefix(authorization, "Bearer ")
	parts := strings.Split(token, ".")
	if !ok || len(parts) != 3 {
		return errors.New("there is no token")
	}
	var header struct{ Alg, Typ, X5u string }
	var claims struct{ Sub, Environment, Msgi string }
	if err := errors.Join(decodePart(parts[0], &header), decodePart(parts[1], &claims)); err != nil {
		return err
	}
	if header.Alg != "RS256" || header.Typ != "JWT" {
		return fmt.Errorf("alg is %q and typ is %q", header.Alg, header.Typ)
	}
	key, err := r.key(ctx, header.X5u)
	if err != nil {
		return err
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil {
		return fmt.Errorf("signature: %w", err)
	}
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err := rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], signature); err != nil {
		return fmt.Errorf("signature: %w", err)
	}
	sum := sha256.Sum256(body)
	switch {
	case claims.Sub != r.Application.Kid:
		return fmt.Errorf("sub is %q, the application %q", claims.Sub, r.Application.Kid)
	case claims.Environment != string(r.Application.Environment):
		return fmt.Errorf("environment is %q, that of the application %q", claims.Environment, r.Application.Environment)
	case claims.Msgi != "sha256-"+base64.StdEncoding.EncodeToString(sum[:]):
		return fmt.Errorf("msgi is %q, which is not the digest of the body", claims.Msgi)
	}
	return nil
}

// decodePart reads a part of a token.
func decodePart(part string, value any) error {
	text, err := base64.RawURLEncoding.DecodeString(part)
	if err == nil {
		err = json.Unmarshal(text, value)
	}
	if err != nil {
		return fmt.Errorf("token: %w", err)
	}
	return nil
}

// key fetches the certificate at x5u, every time again, and returns its key.
func (r *Receiver) key(ctx context.Context, x5u string) (*rsa.PublicKey, error) {
	address, err := url.Parse(x5u)
	if err != nil || address.Scheme != "https" || address.User != nil || address.Hostname() != r.Domain && !strings.HasSuffix(address.Hostname(), "."+r.Domain) {
		return nil, fmt.Errorf("x5u is %q, which is no HTTPS address of %s", x5u, r.Domain)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, x5u, nil)
	if err != nil {
		return nil, err
	}
	answer, err := r.Client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	if err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	block, _ := pem.Decode(text)
	if answer.StatusCode != http.StatusOK || block == nil {
		return nil, fmt.Errorf("there is no certificate at x5u: status %d, %.80q", answer.StatusCode, text)
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	key, ok := certificate.PublicKey.(*rsa.PublicKey)
	now := time.Now
	if r.Now != nil {
		now = r.Now
	}
	if now := now(); !ok || now.Before(certificate.NotBefore) || now.After(certificate.NotAfter) {
		return nil, fmt.Errorf("the certificate holds a %T and is good from %v to %v", certificate.PublicKey, certificate.NotBefore, certificate.NotAfter)
	}
	return key, nil
}
