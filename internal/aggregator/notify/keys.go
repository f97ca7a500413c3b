package notify

import (
	"context"
	"crypto"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"florin/internal/aggregator"
	"florin/internal/aggregator/storage"
	"florin/internal/apptoken"
)

const (
	day = 24 * time.Hour

	signFor        = 90 * day         // that a key signs
	signingLives   = signFor + 14*day // its certificate, so that tokens can be verified long after the last retry
	authorityFor   = 9 * 365 * day    // that an authority issues certificates
	authorityLives = 10 * 365 * day
	leafFor        = 60 * day // that a certificate of the TLS listener is used
	leafLives      = 90 * day
	clockSkew      = 5 * time.Minute // by which the clocks of others may be behind
)

// keys are the authority that issues certificates and the key that signs, with a way to keep them in the database. All are
// made when they are needed for the first time.
type keys struct {
	store *storage.Store
	aead  cipher.AEAD
	url   string
	host  string // of url
	now   func() time.Time
	log   *slog.Logger

	makeKey func() (*rsa.PrivateKey, error)

	mu        sync.Mutex // held while keys are made
	signing   issued
	authority issued
	leaf      issued
}

// issued is a key with its certificate.
type issued struct {
	id          string
	key         crypto.Signer
	certificate *x509.Certificate
	until       time.Time // when another one takes its place
}

func newKeys(o Options) (*keys, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || o.URL != "https://"+u.Host {
		return nil, fmt.Errorf("%q is not an address of the form https://host or https://host:port: certificates of webhooks are served over TLS alone", o.URL)
	}
	block, err := aes.NewCipher(o.Secret[:])
	if err != nil {
		return nil, fmt.Errorf("key of webhook keys: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("key of webhook keys: %w", err)
	}
	return &keys{store: o.Store, aead: aead, url: o.URL, host: u.Hostname(), now: o.Now, log: o.Log, makeKey: apptoken.NewKey}, nil
}

// token makes the token of one try (spec: Events). It has the claims that the specification lists and no others, so that no
// reader stumbles.
func (k *keys) token(ctx context.Context, w aggregator.Webhook) (string, error) {
	k.mu.Lock()
	signing, err := k.signer(ctx)
	k.mu.Unlock()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(w.Body))
	token := jwt.NewWithClaims(jwt.SigningMethodRS256, jwt.MapClaims{
		"sub":         w.ApplicationID,
		"environment": w.Environment,
		"msgi":        "sha256-" + base64.StdEncoding.EncodeToString(sum[:]),
	})
	token.Header["x5u"] = k.url + "/webhook-keys/" + signing.id + ".pem"
	text, err := token.SignedString(signing.key)
	if err != nil {
		return "", fmt.Errorf("sign a webhook: %w", err)
	}
	return text, nil
}

// signer returns the key that signs now. Callers hold mu.
func (k *keys) signer(ctx context.Context) (issued, error) {
	err := k.current(ctx, aggregator.WebhookSigning, &k.signing, signFor, func() (issued, error) {
		authority, err := k.issuer(ctx)
		if err != nil {
			return issued{}, err
		}
		key, err := k.makeKey()
		if err != nil {
			return issued{}, err
		}
		return issue(key, &x509.Certificate{
			Subject:  pkix.Name{Organization: []string{k.host}, CommonName: "Florin webhook signing"},
			NotAfter: k.now().Add(signingLives),
			KeyUsage: x509.KeyUsageDigitalSignature,
		}, authority, k.now())
	})
	return k.signing, err
}

// issuer returns the authority. Callers hold mu.
func (k *keys) issuer(ctx context.Context) (issued, error) {
	err := k.current(ctx, aggregator.WebhookAuthority, &k.authority, authorityFor, func() (issued, error) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return issued{}, fmt.Errorf("make the key of an authority: %w", err)
		}
		return issue(key, &x509.Certificate{
			Subject:        pkix.Name{Organization: []string{k.host}, CommonName: "Florin webhook authority"},
			NotAfter:       k.now().Add(authorityLives),
			KeyUsage:       x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
			IsCA:           true,
			MaxPathLenZero: true,
		}, issued{}, k.now())
	})
	return k.authority, err
}

// current puts the key of a purpose into slot: the one in memory, or the one in the database, or a new one.
func (k *keys) current(ctx context.Context, purpose aggregator.WebhookKeyPurpose, slot *issued, use time.Duration, create func() (issued, error)) error {
	if k.now().Before(slot.until) {
		return nil
	}
	for {
		stored, err := k.store.WebhookKey(ctx, purpose)
		if err != nil && !errors.Is(err, aggregator.ErrNotFound) {
			return err
		}
		if err == nil && k.now().Before(stored.Created.Add(use)) {
			if *slot, err = k.open(stored); err == nil {
				slot.until = stored.Created.Add(use)
				return nil
			}
			k.log.Warn("a key of webhooks cannot be used, and is replaced", "purpose", purpose, "error", err)
		}
		made, err := create()
		if err != nil {
			return err
		}
		made.id = uuid.NewString()
		row := aggregator.WebhookKey{
			ID: made.id, Purpose: purpose, Created: k.now(), Expires: made.certificate.NotAfter,
			Certificate: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: made.certificate.Raw})),
		}
		if row.Sealed, err = k.seal(made); err != nil {
			return err
		}
		made.until = row.Created.Add(use)
		err = k.store.ReplaceWebhookKey(ctx, stored.ID, row)
		if errors.Is(err, aggregator.ErrConflict) {
			continue // another process was first
		}
		if err == nil {
			*slot = made
			k.log.Info("key of webhooks made", "purpose", purpose, "kid", made.id)
		}
		return err
	}
}

// server returns a certificate for the TLS listener. It lives in memory alone: it costs little to make.
func (k *keys) server(ctx context.Context) (issued, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.now().Before(k.leaf.until) {
		return k.leaf, nil
	}
	authority, err := k.issuer(ctx)
	if err != nil {
		return issued{}, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return issued{}, fmt.Errorf("make the key of a server: %w", err)
	}
	template := &x509.Certificate{
		Subject:     pkix.Name{CommonName: k.host},
		NotAfter:    k.now().Add(leafLives),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:    []string{"localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	if ip := net.ParseIP(k.host); ip != nil {
		template.IPAddresses = append(template.IPAddresses, ip)
	} else {
		template.DNSNames = append(template.DNSNames, k.host)
	}
	leaf, err := issue(key, template, authority, k.now())
	if err != nil {
		return issued{}, err
	}
	leaf.until = k.now().Add(leafFor)
	k.leaf = leaf
	return leaf, nil
}

// root returns the certificate of the authority.
func (k *keys) root(ctx context.Context) (*x509.Certificate, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	authority, err := k.issuer(ctx)
	return authority.certificate, err
}

// issue completes a certificate and signs it: with the authority, or, where that is zero, with the key itself.
func issue(key crypto.Signer, template *x509.Certificate, authority issued, now time.Time) (issued, error) {
	serial := make([]byte, 16)
	rand.Read(serial) // never fails, see crypto/rand
	serial[0] = serial[0]&0x7f | 0x40
	template.SerialNumber = new(big.Int).SetBytes(serial)
	template.NotBefore = now.Add(-clockSkew)
	template.BasicConstraintsValid = true
	if authority.key == nil {
		authority = issued{key: key, certificate: template}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, authority.certificate, key.Public(), authority.key)
	if err != nil {
		return issued{}, fmt.Errorf("make a certificate: %w", err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return issued{}, fmt.Errorf("make a certificate: %w", err)
	}
	return issued{key: key, certificate: certificate}, nil
}

// seal encrypts the private half of a key, bound to its row.
func (k *keys) seal(key issued) (string, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key.key)
	if err != nil {
		return "", fmt.Errorf("write a key of webhooks: %w", err)
	}
	sealed := k.aead.Seal(nil, nil, der, boundTo(key.id)) //nolint:gosec // G407: the AEAD makes a random nonce itself
	return base64.RawStdEncoding.EncodeToString(sealed), nil
}

// open is the reverse of seal.
func (k *keys) open(row aggregator.WebhookKey) (issued, error) {
	sealed, err := base64.RawStdEncoding.DecodeString(row.Sealed)
	if err != nil {
		return issued{}, errors.New("a sealed key is not in base64")
	}
	der, err := k.aead.Open(nil, nil, sealed, boundTo(row.ID))
	if err != nil {
		return issued{}, fmt.Errorf("unseal a key of webhooks: %w", err)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return issued{}, errors.New("a sealed key cannot be read")
	}
	key, ok := parsed.(crypto.Signer)
	block, _ := pem.Decode([]byte(row.Certificate))
	if !ok || block == nil {
		return issued{}, errors.New("a stored key or certificate is damaged")
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return issued{}, errors.New("a stored certificate cannot be read")
	}
	return issued{id: row.ID, key: key, certificate: certificate}, nil
}

func boundTo(kid string) []byte { return []byte("webhook_key.sealed " + kid) }

// certificateName returns the id of a key from the name of its file.
func certificateName(file string) (kid string, ok bool) {
	kid, ok = strings.CutSuffix(file, ".pem")
	return kid, ok && uuid.Validate(kid) == nil
}
