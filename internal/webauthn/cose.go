package webauthn

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"math/big"
	"slices"
)

// Algorithm is a signature algorithm of passkeys, with its COSE number (RFC 9053).
type Algorithm int64

// Values of Algorithm that devices use.
const (
	EdDSA Algorithm = -8
	ES256 Algorithm = -7
	RS256 Algorithm = -257
)

// key is a public key.
type key struct {
	algorithm Algorithm
	public    crypto.PublicKey
}

// Labels of COSE keys, and their values (RFC 9052, 7; RFC 9053, 7; RFC 8230, 4).
const (
	labelType, labelAlgorithm, labelCurve, labelX, labelY = int64(1), int64(3), int64(-1), int64(-2), int64(-3)
	labelModulus, labelExponent                           = int64(-1), int64(-2)

	typeOctets, typePoint, typeRSA = int64(1), int64(2), int64(3)
	curveP256, curveEd25519        = int64(1), int64(6)
)

// Accepted sizes of RSA keys, in bits.
const (
	minRSA = 2048
	maxRSA = 8192
)

// readKey parses a COSE key of one of the algorithms. The error is ErrMalformed.
func readKey(data []byte) (key, error) {
	item, rest, err := decode(data, 0)
	parts, ok := item.(map[any]any)
	if err != nil || len(rest) > 0 || !ok {
		return key{}, ErrMalformed
	}
	kind, _ := parts[labelType].(int64)
	number, _ := parts[labelAlgorithm].(int64)
	curve, _ := parts[labelCurve].(int64)
	x, _ := parts[labelX].([]byte)
	switch algorithm := Algorithm(number); {
	case algorithm == ES256 && kind == typePoint && curve == curveP256:
		y, _ := parts[labelY].([]byte)
		public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), slices.Concat([]byte{4}, x, y))
		if err != nil || len(x) != len(y) {
			return key{}, ErrMalformed
		}
		return key{algorithm, public}, nil
	case algorithm == EdDSA && kind == typeOctets && curve == curveEd25519 && len(x) == ed25519.PublicKeySize:
		return key{algorithm, ed25519.PublicKey(x)}, nil
	case algorithm == RS256 && kind == typeRSA:
		modulus, _ := parts[labelModulus].([]byte)
		exponent, _ := parts[labelExponent].([]byte)
		n, e := new(big.Int).SetBytes(modulus), new(big.Int).SetBytes(exponent)
		if bits := n.BitLen(); bits < minRSA || bits > maxRSA || e.BitLen() > 31 || e.Bit(0) == 0 || e.BitLen() < 2 {
			return key{}, ErrMalformed
		}
		return key{algorithm, &rsa.PublicKey{N: n, E: int(e.Int64())}}, nil
	}
	return key{}, ErrMalformed
}

// verify reports whether the signature is that of the message (WebAuthn 6.5.5).
func (k key) verify(message, signature []byte) bool {
	switch public := k.public.(type) {
	case *ecdsa.PublicKey:
		hash := sha256.Sum256(message)
		return ecdsa.VerifyASN1(public, hash[:], signature)
	case ed25519.PublicKey:
		return ed25519.Verify(public, message, signature)
	case *rsa.PublicKey:
		hash := sha256.Sum256(message)
		return rsa.VerifyPKCS1v15(public, crypto.SHA256, hash[:], signature) == nil
	}
	return false
}
