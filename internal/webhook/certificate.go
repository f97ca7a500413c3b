package webhook

import (
	"bytes"
	"context"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	fetchIn        = 5 * time.Second
	maxCertificate = 64 << 10
	keptFor        = time.Hour        // a certificate is used again
	failedFor      = 5 * time.Second  // a failure is told again
	freshAfter     = 10 * time.Second // before, a certificate is not fetched anew, whatever does not fit
	maxKept        = 64               // certificates
	minBits        = 2048
	maxBits        = 8192 // larger keys cost too much to verify with

	fetchesPerSecond, fetchesAtOnce = 1, 20
)

// KeyHost says where the certificates of a service are: at exactly one host and port, or at a domain and its subdomains (spec: Payment status webhook). Its zero value
// is nowhere.
type KeyHost struct {
	Exact  string // "localhost:8443": host and port as they are written in the address
	Domain string // "enablebanking.com": it or a subdomain of it, on port 443
}

var hostForm = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$`)

// check decides on an x5u before anything is done with it (security F4).
func (k KeyHost) check(x5u string) error {
	if len(x5u) > 2048 || strings.ContainsFunc(x5u, func(r rune) bool { return r <= ' ' || r > '~' }) || strings.ContainsAny(x5u, `\#`) {
		return errors.New("x5u is no plain address")
	}
	u, err := url.Parse(x5u)
	if err != nil {
		return errors.New("x5u is no address")
	}
	switch {
	case !strings.HasPrefix(x5u, "https://") || u.Scheme != "https":
		return errors.New("x5u is not an https address")
	case u.User != nil || u.Opaque != "" || u.Fragment != "" || !strings.HasPrefix(u.Path, "/"):
		return errors.New("x5u has parts that it must not have, or lacks its path")
	}
	if k.Exact != "" {
		if u.Host != k.Exact {
			return errors.New("x5u is at another host than the service's")
		}
		return nil
	}
	host := u.Hostname()
	switch {
	case k.Domain == "" || !hostForm.MatchString(host) || u.Host != host && u.Host != host+":443":
		return errors.New("x5u is at another host than the service's")
	case host != k.Domain && !strings.HasSuffix(host, "."+k.Domain):
		return errors.New("x5u is at another host than the service's")
	}
	return nil
}

// certificate is what an address gave.
type certificate struct {
	leaf    *x509.Certificate
	others  []*x509.Certificate
	fetched time.Time
	again   bool // it came out of memory
}

func (c *certificate) origin() string {
	if c.again {
		return "known"
	}
	return "fetched"
}

// fingerprint is the SHA-256 of the certificate.
func (c *certificate) fingerprint() string {
	sum := sha256.Sum256(c.leaf.Raw)
	return hex.EncodeToString(sum[:])
}

// check decides on the certificate itself (security T4) and returns its key. roots may be nil: then the caller compares the fingerprint.
func (c *certificate) check(now time.Time, roots *x509.CertPool) (*rsa.PublicKey, error) {
	leaf := c.leaf
	key, ok := leaf.PublicKey.(*rsa.PublicKey)
	switch {
	case now.Before(leaf.NotBefore):
		return nil, errors.New("the certificate is not valid yet")
	case now.After(leaf.NotAfter):
		return nil, errors.New("the certificate has expired")
	case !ok:
		return nil, errors.New("the certificate holds no RSA key")
	case key.N.BitLen() < minBits || key.N.BitLen() > maxBits:
		return nil, fmt.Errorf("the key of the certificate has %d bits", key.N.BitLen())
	case leaf.KeyUsage != 0 && leaf.KeyUsage&x509.KeyUsageDigitalSignature == 0:
		return nil, errors.New("the key of the certificate is not meant for signatures")
	case len(leaf.UnhandledCriticalExtensions) > 0:
		return nil, errors.New("the certificate has critical extensions that are not known")
	}
	if roots == nil {
		return key, nil
	}
	between := x509.NewCertPool()
	for _, o := range c.others {
		between.AddCert(o)
	}
	if _, err := leaf.Verify(x509.VerifyOptions{Roots: roots, Intermediates: between, CurrentTime: now, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}}); err != nil {
		return nil, errors.New("the certificate does not come from the service's authority")
	}
	return key, nil
}

// certificates remembers certificates by provider and address. Failures are remembered for a moment, too, and there are only so many fetches: whoever
// sends tokens chooses the path.
type certificates struct {
	fetches *rate.Limiter

	mu   sync.Mutex
	kept map[[2]string]*entry
}

type entry struct {
	mu          sync.Mutex
	certificate *certificate
	failure     error
	until       time.Time
}

func newCertificates() *certificates {
	return &certificates{fetches: rate.NewLimiter(fetchesPerSecond, fetchesAtOnce), kept: map[[2]string]*entry{}}
}

// get returns the certificate at an address, and whether it may be fetched anew when it does not fit. Of several callers one fetches and the others wait.
func (c *certificates) get(ctx context.Context, provider string, client *http.Client, x5u string, fresh bool) (_ *certificate, kept bool, err error) {
	e := c.entry([2]string{provider, x5u})
	e.mu.Lock()
	defer e.mu.Unlock()
	now := time.Now()
	if now.Before(e.until) {
		switch {
		case e.failure != nil:
			return nil, false, e.failure
		case !fresh || now.Sub(e.certificate.fetched) < freshAfter:
			again := *e.certificate
			again.again = true
			return &again, !fresh && now.Sub(e.certificate.fetched) >= freshAfter, nil
		}
	}
	if !c.fetches.Allow() {
		return nil, false, errors.New("too many certificates were asked for in a short time")
	}
	found, err := fetch(ctx, client, x5u)
	if ctx.Err() != nil { // the caller's time is over; that says nothing of the address
		return nil, false, errors.New("there was no time to fetch the certificate")
	}
	e.certificate, e.failure, e.until = found, err, now.Add(failedFor)
	if err == nil {
		e.until = now.Add(keptFor)
	}
	return found, false, err
}

func (c *certificates) entry(key [2]string) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.kept[key]
	if e == nil {
		if len(c.kept) >= maxKept { // failures go first: they cost nothing but a fetch
			for k, old := range c.kept {
				if old.mu.TryLock() {
					if old.certificate == nil {
						delete(c.kept, k)
					}
					old.mu.Unlock()
				}
			}
		}
		if len(c.kept) >= maxKept {
			clear(c.kept)
		}
		e = &entry{}
		c.kept[key] = e
	}
	return e
}

// fetch gets the certificates at an address that has been checked. Its errors hold no part of the answer.
func fetch(ctx context.Context, client *http.Client, x5u string) (*certificate, error) {
	if client == nil {
		return nil, errors.New("there is no way to fetch certificates")
	}
	ctx, cancel := context.WithTimeout(ctx, fetchIn)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, x5u, nil)
	if err != nil {
		return nil, errors.New("x5u is no address")
	}
	response, err := client.Do(r)
	if err != nil {
		return nil, errors.New("the certificate could not be fetched")
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the certificate could not be fetched: the answer has the status %d", response.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxCertificate+1))
	if err != nil {
		return nil, errors.New("the certificate could not be fetched: the answer broke off")
	}
	if len(text) > maxCertificate {
		return nil, errors.New("what is at x5u is too large for a certificate")
	}
	all, err := parseCertificates(text)
	if err != nil {
		return nil, err
	}
	return &certificate{leaf: all[0], others: all[1:], fetched: time.Now()}, nil
}

// parseCertificates reads a certificate or a chain, its own first, as PEM or one as DER.
func parseCertificates(text []byte) ([]*x509.Certificate, error) {
	bad := errors.New("what is at x5u is no certificate")
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("-----BEGIN")) {
		one, err := x509.ParseCertificate(text)
		if err != nil {
			return nil, bad
		}
		return []*x509.Certificate{one}, nil
	}
	var all []*x509.Certificate
	for rest := text; len(bytes.TrimSpace(rest)) > 0; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil || block.Type != "CERTIFICATE" || len(all) == 5 {
			return nil, bad
		}
		one, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, bad
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		return nil, bad
	}
	return all, nil
}
