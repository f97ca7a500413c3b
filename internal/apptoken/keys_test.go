package apptoken

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"strings"
	"testing"
	"time"
)

func block(t *testing.T, kind string, der []byte, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

func TestOwnKeysHave3072BitsAndSurviveWriting(t *testing.T) {
	key, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	if bits := key.N.BitLen(); bits != 3072 {
		t.Errorf("%d bits, want 3072 (ASVS 11.2.3)", bits)
	}
	text, err := MarshalKey(key)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(text), "-----BEGIN PRIVATE KEY-----\n") {
		t.Errorf("the key is not PKCS#8 in PEM")
	}
	again, err := ParseKey(text)
	if err != nil {
		t.Fatal(err)
	}
	if !again.Equal(key) {
		t.Error("the key read back differs")
	}
}

func TestSelfSignedCertificate(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	text, err := SelfSigned(ownKey(), "My app", now, 24*time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	der, _ := pem.Decode(text)
	certificate, err := x509.ParseCertificate(der.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	if err := certificate.CheckSignature(certificate.SignatureAlgorithm, certificate.RawTBSCertificate, certificate.Signature); err != nil {
		t.Errorf("it is not signed with its own key: %v", err)
	}
	if certificate.Subject.CommonName != "My app" || !certificate.NotBefore.Equal(now) || !certificate.NotAfter.Equal(now.Add(24*time.Hour)) {
		t.Errorf("name %q, from %v until %v", certificate.Subject.CommonName, certificate.NotBefore, certificate.NotAfter)
	}
	public, err := ParsePublic(text)
	if err != nil {
		t.Fatal(err)
	}
	if !public.Equal(&ownKey().PublicKey) {
		t.Error("the certificate holds another key")
	}
	other, err := SelfSigned(ownKey(), "My app", now, 24*time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	der, _ = pem.Decode(other)
	second, err := x509.ParseCertificate(der.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	if second.SerialNumber.Cmp(certificate.SerialNumber) == 0 {
		t.Error("two certificates have the same serial number")
	}
}

// api-notes 3: the certificate of a registration may be a certificate or a bare public key.
func TestParsePublic(t *testing.T) {
	own := &ownKey().PublicKey
	certificate, err := SelfSigned(ownKey(), "x", time.Now(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	weakCertificate, err := SelfSigned(weakKey(), "x", time.Now(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	pkix, pkixErr := x509.MarshalPKIXPublicKey(own)
	curve, curveErr := x509.MarshalPKIXPublicKey(&curveKey().PublicKey)
	private, privateErr := x509.MarshalPKCS8PrivateKey(ownKey())
	huge := *own
	huge.N = new(big.Int).SetBit(big.NewInt(1), 8192, 1)
	hugeDER, hugeErr := x509.MarshalPKIXPublicKey(&huge)

	for _, test := range []struct {
		name, text, wrong string // wrong: part of the error, "" for none
	}{
		{"certificate", string(certificate), ""},
		{"certificate with Windows line ends and words before", "Subject: x\r\n" + strings.ReplaceAll(string(certificate), "\n", "\r\n") + "\r\n", ""},
		{"public key", block(t, "PUBLIC KEY", pkix, pkixErr), ""},
		{"PKCS#1 public key", block(t, "RSA PUBLIC KEY", x509.MarshalPKCS1PublicKey(own), nil), ""},
		{"empty", "", "not PEM"},
		{"plain text", "hello", "not PEM"},
		{"two certificates", string(certificate) + string(certificate), "only one"},
		{"cut off", block(t, "CERTIFICATE", []byte("abc"), nil), "cut off or damaged"},
		{"a key that says it is a certificate", block(t, "CERTIFICATE", pkix, pkixErr), "cut off or damaged"},
		{"private key", block(t, "PRIVATE KEY", private, privateErr), "this is a private key"},
		{"another thing", block(t, "CERTIFICATE REQUEST", pkix, pkixErr), `found "CERTIFICATE REQUEST"`},
		{"elliptic curve", block(t, "PUBLIC KEY", curve, curveErr), "needs RSA"},
		{"1024 bits", string(weakCertificate), "has 1024 bits; at least 2048"},
		{"8193 bits", block(t, "PUBLIC KEY", hugeDER, hugeErr), "has 8193 bits; at most 8192"},
	} {
		t.Run(test.name, func(t *testing.T) {
			key, err := ParsePublic([]byte(test.text))
			if test.wrong == "" {
				if err != nil || !key.Equal(own) {
					t.Errorf("ParsePublic = %v, %v; want the key", key, err)
				}
				return
			}
			if key != nil || err == nil || !strings.Contains(err.Error(), test.wrong) {
				t.Errorf("error %v, want one with %q", err, test.wrong)
			}
		})
	}
}

func TestParseKey(t *testing.T) {
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, pkcs8Err := x509.MarshalPKCS8PrivateKey(ownKey())
	curve8, curveErr := x509.MarshalPKCS8PrivateKey(curve)
	for _, test := range []struct{ name, text, wrong string }{
		{"PKCS#8", block(t, "PRIVATE KEY", pkcs8, pkcs8Err), ""},
		{"PKCS#1", block(t, "RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(ownKey()), nil), ""},
		{"public key", block(t, "PUBLIC KEY", nil, nil), "expected a private key"},
		{"encrypted", block(t, "ENCRYPTED PRIVATE KEY", nil, nil), "protected by a password"},
		{"damaged", block(t, "PRIVATE KEY", pkcs8[:100], nil), "cut off or damaged"},
		{"elliptic curve", block(t, "PRIVATE KEY", curve8, curveErr), "not an RSA key"},
		{"1024 bits", block(t, "RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(weakKey()), nil), "has 1024 bits"},
		{"not PEM", "secret", "not PEM"},
	} {
		t.Run(test.name, func(t *testing.T) {
			key, err := ParseKey([]byte(test.text))
			if test.wrong == "" {
				if err != nil || !key.Equal(ownKey()) {
					t.Errorf("ParseKey: %v; want the key", err)
				}
				return
			}
			if key != nil || err == nil || !strings.Contains(err.Error(), test.wrong) {
				t.Errorf("error %v, want one with %q", err, test.wrong)
			}
		})
	}
}
