package apptoken

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"time"
)

const (
	// ownKeyBits is the size of every key made here (ASVS 11.2.3: 128-bit strength).
	ownKeyBits = 3072
	// minKeyBits and maxKeyBits bound the keys of others. The upper bound keeps
	// the cost of one verification small.
	minKeyBits = 2048
	maxKeyBits = 8192
)

// NewKey makes an RSA key of 3072 bits.
func NewKey() (*rsa.PrivateKey, error) {
	key, err := rsa.GenerateKey(rand.Reader, ownKeyBits)
	if err != nil {
		return nil, fmt.Errorf("apptoken: make a key: %w", err)
	}
	return key, nil
}

// MarshalKey writes a private key as PKCS#8 in PEM ("BEGIN PRIVATE KEY").
func MarshalKey(key *rsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("apptoken: write the key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}

// ParseKey reads a private RSA key in PEM: PKCS#8 ("BEGIN PRIVATE KEY") or
// PKCS#1 ("BEGIN RSA PRIVATE KEY"). The error says in words what is wrong and
// never quotes the text.
func ParseKey(text []byte) (*rsa.PrivateKey, error) {
	block, err := onlyBlock(text)
	if err != nil {
		return nil, err
	}
	var parsed any
	switch block.Type {
	case "PRIVATE KEY":
		parsed, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	case "RSA PRIVATE KEY":
		parsed, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	case "ENCRYPTED PRIVATE KEY":
		return nil, errors.New("the private key is protected by a password; remove the password first (openssl pkey -in key.pem -out plain.pem)")
	default:
		return nil, fmt.Errorf("expected a private key (BEGIN PRIVATE KEY), found %q", block.Type)
	}
	if err != nil {
		return nil, errors.New("the private key cannot be read; it may be cut off or damaged")
	}
	key, ok := parsed.(*rsa.PrivateKey)
	if !ok {
		return nil, errors.New("the private key is not an RSA key; tokens are signed with RS256, which needs RSA")
	}
	if err := checkSize(&key.PublicKey); err != nil {
		return nil, err
	}
	return key, nil
}

// ParsePublic reads the RSA public key out of a PEM text that holds either one
// X.509 certificate or one bare public key (spec: Application registration;
// api-notes 3). Keys below 2048 bits are refused. The error says in words what
// is wrong and is fit to be shown to the person who sent the text.
func ParsePublic(text []byte) (*rsa.PublicKey, error) {
	block, err := onlyBlock(text)
	if err != nil {
		return nil, err
	}
	var parsed any
	switch block.Type {
	case "CERTIFICATE":
		var certificate *x509.Certificate
		if certificate, err = x509.ParseCertificate(block.Bytes); err == nil {
			parsed = certificate.PublicKey
		}
	case "PUBLIC KEY":
		parsed, err = x509.ParsePKIXPublicKey(block.Bytes)
	case "RSA PUBLIC KEY":
		parsed, err = x509.ParsePKCS1PublicKey(block.Bytes)
	case "PRIVATE KEY", "RSA PRIVATE KEY", "ENCRYPTED PRIVATE KEY":
		return nil, errors.New("this is a private key; keep it secret and send the certificate or the public key")
	default:
		return nil, fmt.Errorf("expected a certificate (BEGIN CERTIFICATE) or a public key (BEGIN PUBLIC KEY), found %q", block.Type)
	}
	if err != nil {
		return nil, errors.New("the certificate or key cannot be read; it may be cut off or damaged")
	}
	key, ok := parsed.(*rsa.PublicKey)
	if !ok {
		return nil, errors.New("the certificate does not hold an RSA key; tokens are signed with RS256, which needs RSA")
	}
	if err := checkSize(key); err != nil {
		return nil, err
	}
	return key, nil
}

// SelfSigned makes a self-signed certificate in PEM for the key, valid from now
// for the given time, with name as its common name.
func SelfSigned(key *rsa.PrivateKey, name string, now time.Time, validity time.Duration) ([]byte, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, fmt.Errorf("apptoken: make a serial number: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber:          serial.Add(serial, big.NewInt(1)),
		Subject:               pkix.Name{CommonName: name},
		NotBefore:             now.UTC(),
		NotAfter:              now.UTC().Add(validity),
		KeyUsage:              x509.KeyUsageDigitalSignature,
		BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, fmt.Errorf("apptoken: make a certificate: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), nil
}

// onlyBlock returns the one PEM block of the text.
func onlyBlock(text []byte) (*pem.Block, error) {
	block, rest := pem.Decode(text)
	if block == nil {
		return nil, errors.New(`the text is not PEM; it has to begin with a line such as "-----BEGIN CERTIFICATE-----"`)
	}
	if len(bytes.TrimSpace(rest)) > 0 {
		return nil, errors.New("there is more than one PEM block; send only one")
	}
	return block, nil
}

func checkSize(key *rsa.PublicKey) error {
	switch bits := key.N.BitLen(); {
	case bits < minKeyBits:
		return fmt.Errorf("the RSA key has %d bits; at least %d are needed", bits, minKeyBits)
	case bits > maxKeyBits:
		return fmt.Errorf("the RSA key has %d bits; at most %d are accepted", bits, maxKeyBits)
	}
	return nil
}
