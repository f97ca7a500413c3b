package webhook

import (
	"bytes"
	"context"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"florin/internal/finance"
	"florin/internal/openbanking"
)

const (
	fetchIn        = 5 * time.Second
	maxCertificate = 64 << 10
	keptFor        = time.Hour        // a certificate is used again
	failedFor      = 5 * time.Second  // a failure is told again
	freshAfter     = 10 * time.Second // before, a certificate is not fetched anew, whatever does not fit
	outlives       = 24 * time.Hour   // one that has verified a signature is used for so long while it cannot be fetched
	maxKept        = 64               // addresses of a provider
	maxChain       = 5                // certificates
	minBits        = 2048
	maxBits        = 8192 // larger keys cost too much to verify with

	fetchesPerSecond, fetchesAtOnce = 1, 20
)

// KeyHost says where the certificates of a service are: at exactly one host and port, or at a domain and its subdomains (spec: Payment status webhook).
// Its zero value is nowhere.
type KeyHost struct {
	Exact  string // "localhost:8443": host and port as they are written in the address
	Domain string // "enablebanking.com": it or a subdomain of it, on port 443
}

var hostForm = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$`)

// check decides on an x5u before anything is done with it (security F4).
func (k KeyHost) check(x5u string) error {
	if len(x5u) > 2048 || strings.ContainsFunc(x5u, func(r rune) bool { return r <= ' ' || r > '~' }) || strings.ContainsAny(x5u, `\#`) {
		return flaw{Code: finance.FindingAddressMalformed}
	}
	u, err := url.Parse(x5u)
	if err != nil {
		return flaw{Code: finance.FindingAddressMalformed}
	}
	switch {
	case !strings.HasPrefix(x5u, "https://") || u.Scheme != "https":
		return flaw{Code: finance.FindingAddressScheme}
	case u.User != nil || u.Opaque != "" || u.Fragment != "" || !strings.HasPrefix(u.Path, "/"):
		return flaw{Code: finance.FindingAddressParts}
	}
	if k.Exact != "" {
		if u.Host != k.Exact {
			return flaw{Code: finance.FindingAddressHost}
		}
		return nil
	}
	host := u.Hostname()
	switch {
	case k.Domain == "" || !hostForm.MatchString(host) || u.Host != host && u.Host != host+":443":
		return flaw{Code: finance.FindingAddressHost}
	case host != k.Domain && !strings.HasSuffix(host, "."+k.Domain):
		return flaw{Code: finance.FindingAddressHost}
	}
	return nil
}

// voucher is what lies at an x5u: a certificate with its chain, or a bare public key (spec: Payment status webhook calls it a public key).
type voucher struct {
	leaf    *x509.Certificate // nil for a bare key
	others  []*x509.Certificate
	public  any
	der     []byte // of the certificate or the key
	fetched time.Time
	again   bool // it came out of memory
}

func (c *voucher) origin() finance.DeliveryFinding {
	if c.again {
		return finance.DeliveryFinding{Code: finance.FindingRemembered}
	}
	return finance.DeliveryFinding{Code: finance.FindingFetched}
}

// fingerprint is the SHA-256 of the certificate, or of the bare key.
func (c *voucher) fingerprint() string {
	sum := sha256.Sum256(c.der)
	return hex.EncodeToString(sum[:])
}

// ends is when the certificate ends; zero for a bare key, which does not.
func (c *voucher) ends() time.Time {
	if c.leaf == nil {
		return time.Time{}
	}
	return c.leaf.NotAfter
}

func (c *voucher) describe() finance.DeliveryFinding {
	if c.leaf == nil {
		return finance.DeliveryFinding{Code: finance.FindingBareKey, Of: c.fingerprint()}
	}
	return finance.DeliveryFinding{Code: finance.FindingCertificate, Of: c.fingerprint(), Until: openbanking.Date(c.leaf.NotAfter.UTC().Format(time.DateOnly))}
}

// check decides on the certificate or key itself (security T4) and returns the key. roots may be nil: then the caller compares the fingerprint.
func (c *voucher) check(now time.Time, roots *x509.CertPool) (*rsa.PublicKey, error) {
	key, ok := c.public.(*rsa.PublicKey)
	switch {
	case !ok:
		return nil, flaw{Code: finance.FindingKeyNotRSA}
	case key.N.BitLen() < minBits || key.N.BitLen() > maxBits:
		return nil, flaw{Code: finance.FindingKeySize, Number: key.N.BitLen()}
	case c.leaf == nil && roots != nil:
		return nil, flaw{Code: finance.FindingKeyBare}
	case c.leaf == nil:
		return key, nil
	}
	leaf := c.leaf
	switch {
	case now.Before(leaf.NotBefore):
		return nil, flaw{Code: finance.FindingCertEarly}
	case now.After(leaf.NotAfter):
		return nil, flaw{Code: finance.FindingCertExpired}
	case leaf.KeyUsage != 0 && leaf.KeyUsage&x509.KeyUsageDigitalSignature == 0:
		return nil, flaw{Code: finance.FindingCertUsage}
	case len(leaf.UnhandledCriticalExtensions) > 0:
		return nil, flaw{Code: finance.FindingCertExtension}
	}
	if roots == nil {
		return key, nil
	}
	between := x509.NewCertPool()
	for _, o := range c.others {
		between.AddCert(o)
	}
	if _, err := leaf.Verify(x509.VerifyOptions{Roots: roots, Intermediates: between, CurrentTime: now,
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}}); err != nil {
		return nil, flaw{Code: finance.FindingCertAuthority}
	}
	return key, nil
}

// keyring keeps the certificates of one provider by their addresses. The sender of a token chooses the address, so only a limited number of new ones is
// fetched. An address whose certificate has verified a signature is trusted more: it is never dropped for others, is fetched again without waiting, and
// stays valid when that fails.
type keyring struct {
	fetches *rate.Limiter

	mu   sync.Mutex
	kept map[string]*entry // by address
}

// entry is one address. Its fields but fetching belong to the mutex of the keyring.
type entry struct {
	fetching sync.Mutex // of several callers one fetches and the others wait

	known   *voucher
	failure error     // of the last fetch, where nothing is known
	tried   time.Time // when the last fetch was over
	used    time.Time
	proven  bool // a signature was verified
}

func newKeyring() *keyring {
	return &keyring{fetches: rate.NewLimiter(fetchesPerSecond, fetchesAtOnce), kept: map[string]*entry{}}
}

// get returns the certificate or key at an address. more says that it may be fetched again when it does not verify the signature.
func (k *keyring) get(ctx context.Context, client *http.Client, x5u string, fresh bool) (_ *voucher, more bool, err error) {
	e := k.entry(x5u)
	if v, more, err := k.remembered(e, fresh); v != nil || err != nil {
		return v, more, err
	}
	e.fetching.Lock()
	defer e.fetching.Unlock()
	if v, more, err := k.remembered(e, fresh); v != nil || err != nil { // somebody fetched it meanwhile
		return v, more, err
	}
	if !k.isProven(e) && !k.fetches.Allow() {
		return nil, false, flaw{Code: finance.FindingFetchLimit}
	}
	found, err := fetch(ctx, client, x5u)
	if ctx.Err() != nil { // the caller's time is over; that says nothing of the address
		return nil, false, flaw{Code: finance.FindingFetchTime}
	}
	return k.fetched(e, found, err)
}

// remembered is what is known of an address without fetching; neither when it has to be fetched.
func (k *keyring) remembered(e *entry, fresh bool) (_ *voucher, more bool, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := time.Now()
	since := now.Sub(e.tried)
	switch {
	case e.known == nil && e.failure != nil && since < failedFor:
		return nil, false, e.failure
	case e.known != nil && (!fresh && now.Sub(e.known.fetched) < keptFor || since < freshAfter):
		again := *e.known
		again.again = true
		return &again, !fresh && since >= freshAfter, nil
	}
	return nil, false, nil
}

// fetched takes what a fetch gave.
func (k *keyring) fetched(e *entry, found *voucher, err error) (*voucher, bool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	e.tried = time.Now()
	switch {
	case err == nil:
		e.known, e.failure = found, nil
	case e.proven && e.known != nil && e.tried.Sub(e.known.fetched) < outlives:
		again := *e.known
		again.again = true
		return &again, false, nil
	default:
		e.known, e.failure = nil, err
	}
	return found, false, err
}

func (k *keyring) isProven(e *entry) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return e.proven
}

// prove says that what lies at an address has verified a signature.
func (k *keyring) prove(x5u string) {
	e := k.entry(x5u)
	k.mu.Lock()
	defer k.mu.Unlock()
	e.proven = true
}

// entry finds or makes the entry of an address. To make room the one goes that was not used for the longest time, of those that never verified a signature
// if there are any.
func (k *keyring) entry(x5u string) *entry {
	k.mu.Lock()
	defer k.mu.Unlock()
	e := k.kept[x5u]
	if e == nil {
		if len(k.kept) >= maxKept {
			oldest := ""
			for address, o := range k.kept {
				if was := k.kept[oldest]; was == nil || was.proven && !o.proven || was.proven == o.proven && o.used.Before(was.used) {
					oldest = address
				}
			}
			delete(k.kept, oldest)
		}
		e = &entry{}
		k.kept[x5u] = e
	}
	e.used = time.Now()
	return e
}

// fetch gets what lies at an address that has been checked. Its errors hold no part of the answer.
func fetch(ctx context.Context, client *http.Client, x5u string) (*voucher, error) {
	if client == nil {
		return nil, flaw{Code: finance.FindingFetchClient}
	}
	ctx, cancel := context.WithTimeout(ctx, fetchIn)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, x5u, nil)
	if err != nil {
		return nil, flaw{Code: finance.FindingAddressMalformed}
	}
	response, err := client.Do(r)
	if err != nil {
		return nil, flaw{Code: finance.FindingFetchFailed}
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, flaw{Code: finance.FindingFetchStatus, Number: response.StatusCode}
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxCertificate+1))
	if err != nil {
		return nil, flaw{Code: finance.FindingFetchBrokeOff}
	}
	if len(text) > maxCertificate {
		return nil, flaw{Code: finance.FindingFetchLarge}
	}
	found, err := parseVoucher(text)
	if err != nil {
		return nil, err
	}
	found.fetched = time.Now()
	return found, nil
}

var errNoVoucher = flaw{Code: finance.FindingNoCertificate}

// parseVoucher reads a certificate or a chain, its own first, or a bare public key: as PEM, or one of them as DER.
func parseVoucher(text []byte) (*voucher, error) {
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("-----BEGIN")) {
		if one, err := x509.ParseCertificate(text); err == nil {
			return &voucher{leaf: one, public: one.PublicKey, der: one.Raw}, nil
		}
		return parseKey(text)
	}
	var all []*x509.Certificate
	for rest := text; len(bytes.TrimSpace(rest)) > 0; {
		var block *pem.Block
		block, rest = pem.Decode(rest)
		switch {
		case block == nil || len(all) == maxChain:
			return nil, errNoVoucher
		case block.Type == "PUBLIC KEY" && len(all) == 0 && len(bytes.TrimSpace(rest)) == 0:
			return parseKey(block.Bytes)
		case block.Type != "CERTIFICATE":
			return nil, errNoVoucher
		}
		one, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, errNoVoucher
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		return nil, errNoVoucher
	}
	return &voucher{leaf: all[0], others: all[1:], public: all[0].PublicKey, der: all[0].Raw}, nil
}

func parseKey(der []byte) (*voucher, error) {
	key, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return nil, errNoVoucher
	}
	return &voucher{public: key, der: der}, nil
}
