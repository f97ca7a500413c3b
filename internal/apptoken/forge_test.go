package apptoken

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"sync"
	"testing"
	"time"
)

// The keys of the tests; to make one takes a while.
var (
	ownKey   = sync.OnceValue(func() *rsa.PrivateKey { return mustKey(2048) })
	otherKey = sync.OnceValue(func() *rsa.PrivateKey { return mustKey(2048) })
	weakKey  = sync.OnceValue(func() *rsa.PrivateKey { return mustKey(1024) })
	curveKey = sync.OnceValue(func() *ecdsa.PrivateKey {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			panic(err)
		}
		return key
	})
)

func mustKey(bits int) *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		panic(err)
	}
	return key
}

const (
	app      = "6f1cb24c-3a9e-4f0e-9d7f-0a4a9b1d2c3e"
	issuer   = "florin.example"
	audience = "api.florin.example"
	header   = `{"typ":"JWT","alg":"RS256","kid":"` + app + `"}`
)

// payload writes the claims of a good token at now, with more claims after them.
func payload(now time.Time, more string) string {
	return fmt.Sprintf(`{"iss":%q,"aud":%q,"iat":%d,"exp":%d%s}`, issuer, audience, now.Unix(), now.Unix()+3600, more)
}

// times writes claims with iat and exp, as JSON, at these distances from now in seconds.
func times(now time.Time, iat, exp int64) string {
	return fmt.Sprintf(`{"iss":%q,"aud":%q,"iat":%d,"exp":%d}`, issuer, audience, now.Unix()+iat, now.Unix()+exp)
}

func encode(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

// forge signs any header and payload with RS256.
func forge(t testing.TB, key *rsa.PrivateKey, header, payload string) string {
	t.Helper()
	return signed(encode(header)+"."+encode(payload), func(input []byte) []byte { return pkcs1(key, crypto.SHA256, input) })
}

func signed(input string, sign func([]byte) []byte) string {
	return input + "." + base64.RawURLEncoding.EncodeToString(sign([]byte(input)))
}

func pkcs1(key *rsa.PrivateKey, hash crypto.Hash, input []byte) []byte {
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, hash, digest(hash, input))
	if err != nil {
		panic(err)
	}
	return signature
}

func pss(key *rsa.PrivateKey, input []byte) []byte {
	signature, err := rsa.SignPSS(rand.Reader, key, crypto.SHA256, digest(crypto.SHA256, input), &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash})
	if err != nil {
		panic(err)
	}
	return signature
}

func ecdsaSign(input []byte) []byte {
	r, s, err := ecdsa.Sign(rand.Reader, curveKey(), digest(crypto.SHA256, input))
	if err != nil {
		panic(err)
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return signature
}

func hmacSign(secret, input []byte) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write(input)
	return mac.Sum(nil)
}

func digest(hash crypto.Hash, input []byte) []byte {
	switch hash {
	case crypto.SHA384:
		sum := sha512.Sum384(input)
		return sum[:]
	case crypto.SHA512:
		sum := sha512.Sum512(input)
		return sum[:]
	}
	sum := sha256.Sum256(input)
	return sum[:]
}
