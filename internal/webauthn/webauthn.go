// Package webauthn checks passkeys: the answer of a device that makes one, and its answer to a challenge (W3C Web Authentication, level 3; its sections are
// cited as "WebAuthn 7.1"). It does not ask for attestation, because the make of a device does not matter here. It is pure: it uses only its arguments.
package webauthn

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Errors in the answer of a device.
var (
	ErrMalformed  = errors.New("this is no answer of a passkey")
	ErrChallenge  = errors.New("it answers another question")
	ErrElsewhere  = errors.New("it was given at another address")
	ErrUnverified = errors.New("the device did not check who holds it")
	ErrSignature  = errors.New("the signature is wrong")
)

// Site is the site where passkeys are used: the relying party.
type Site struct {
	ID     string // its host name: the RP ID
	Origin string // "https://florin.example.org:8443"
}

// Credential is the public half of a passkey and its state.
type Credential struct {
	ID             []byte
	Key            []byte // a COSE key
	Transports     []string
	Counter        uint32 // number of signatures; 0 when the device does not count
	BackupEligible bool   // it may leave the device
	BackedUp       bool   // it has left the device
}

// Response is the answer of a device: a PublicKeyCredential object of the browser.
type Response struct {
	ID         []byte // of the credential
	UserHandle []byte // of the user for whom it was made; nil when the device does not say
	Transports []string

	kind, question, origin string
	crossOrigin            bool
	clientData             []byte
	attestation            []byte
	authenticatorData      []byte
	signature              []byte
}

// Parse parses a RegistrationResponseJSON or an AuthenticationResponseJSON (WebAuthn 5.1) without checking it. The error is ErrMalformed.
func Parse(data []byte) (Response, error) {
	var said struct {
		ID       encoded `json:"rawId"`
		Type     string  `json:"type"`
		Response struct {
			ClientData        encoded  `json:"clientDataJSON"`
			Attestation       encoded  `json:"attestationObject"`
			AuthenticatorData encoded  `json:"authenticatorData"`
			Signature         encoded  `json:"signature"`
			UserHandle        encoded  `json:"userHandle"`
			Transports        []string `json:"transports"`
		} `json:"response"`
	}
	if err := json.Unmarshal(data, &said); err != nil || said.Type != publicKey || len(said.ID) == 0 || len(said.ID) > maxID {
		return Response{}, ErrMalformed
	}
	var client struct {
		Type        string `json:"type"`
		Challenge   string `json:"challenge"`
		Origin      string `json:"origin"`
		CrossOrigin bool   `json:"crossOrigin"`
	}
	if err := json.Unmarshal(said.Response.ClientData, &client); err != nil {
		return Response{}, ErrMalformed
	}
	return Response{
		ID: said.ID, UserHandle: said.Response.UserHandle, Transports: said.Response.Transports,
		kind: client.Type, question: client.Challenge, origin: client.Origin, crossOrigin: client.CrossOrigin,
		clientData: said.Response.ClientData, attestation: said.Response.Attestation,
		authenticatorData: said.Response.AuthenticatorData, signature: said.Response.Signature,
	}, nil
}

// encoded is binary data in base64url.
type encoded []byte

func (e *encoded) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	read, err := base64.RawURLEncoding.Strict().DecodeString(text)
	*e = read
	return err
}

// Challenge returns the challenge that the device claims to have answered, in base64url.
func (r Response) Challenge() string { return r.question }

// Register checks the answer of a device that has made a passkey, and returns the passkey (WebAuthn 7.1). challenge is in base64url. Errors: ErrMalformed,
// ErrChallenge, ErrElsewhere, ErrUnverified.
func (s Site) Register(r Response, challenge string) (Credential, error) {
	if err := s.checkClient(r, "webauthn.create", challenge); err != nil {
		return Credential{}, err
	}
	object, rest, err := decode(r.attestation, 0)
	parts, ok := object.(map[any]any)
	if err != nil || len(rest) > 0 || !ok {
		return Credential{}, ErrMalformed
	}
	data, _ := parts["authData"].([]byte)
	d, err := readData(data)
	if err != nil {
		return Credential{}, err
	}
	if err := s.checkData(d); err != nil {
		return Credential{}, err
	}
	if !bytes.Equal(d.id, r.ID) {
		return Credential{}, ErrMalformed
	}
	if _, err := readKey(d.key); err != nil {
		return Credential{}, err
	}
	return Credential{ID: d.id, Key: d.key, Transports: r.Transports, Counter: d.counter, BackupEligible: d.has(flagEligible), BackedUp: d.has(flagBackedUp)},
		nil
}

// Verify checks the answer of a passkey to a challenge, and returns the passkey with its new counter and backup state (WebAuthn 7.2). The caller must check
// that the counter has grown when it stores the passkey. challenge is in base64url. Errors: ErrMalformed, ErrChallenge, ErrElsewhere, ErrUnverified,
// ErrSignature.
func (s Site) Verify(c Credential, r Response, challenge string) (Credential, error) {
	if err := s.checkClient(r, "webauthn.get", challenge); err != nil {
		return Credential{}, err
	}
	d, err := readData(r.authenticatorData)
	if err != nil {
		return Credential{}, err
	}
	if err := s.checkData(d); err != nil {
		return Credential{}, err
	}
	key, err := readKey(c.Key)
	if err != nil {
		return Credential{}, err
	}
	clientHash := sha256.Sum256(r.clientData)
	if !bytes.Equal(c.ID, r.ID) || !key.verify(slices.Concat(r.authenticatorData, clientHash[:]), r.signature) {
		return Credential{}, ErrSignature
	}
	if d.has(flagEligible) != c.BackupEligible { // fixed when the passkey is made (WebAuthn 6.1.3)
		return Credential{}, ErrMalformed
	}
	c.Counter, c.BackedUp = d.counter, d.has(flagBackedUp)
	return c, nil
}

// checkClient checks what the browser adds (WebAuthn 5.8.1): challenge and address are those of this site, and the page was not in a frame of another site.
func (s Site) checkClient(r Response, kind, challenge string) error {
	switch {
	case r.kind != kind:
		return ErrMalformed
	case challenge == "" || subtle.ConstantTimeCompare([]byte(r.question), []byte(challenge)) != 1:
		return ErrChallenge
	case r.origin != s.Origin || r.crossOrigin:
		return ErrElsewhere
	}
	return nil
}

// checkData checks what the device signs (WebAuthn 6.1): it is for this site, and the device has checked that its user is present and who it is.
func (s Site) checkData(d authenticatorData) error {
	site := sha256.Sum256([]byte(s.ID))
	switch {
	case !bytes.Equal(d.site, site[:]):
		return ErrElsewhere
	case !d.has(flagPresent) || !d.has(flagVerified):
		return ErrUnverified
	case d.has(flagBackedUp) && !d.has(flagEligible):
		return ErrMalformed
	}
	return nil
}

// Flags of authenticator data (WebAuthn 6.1).
const (
	flagPresent    = 1 << 0
	flagVerified   = 1 << 2
	flagEligible   = 1 << 3
	flagBackedUp   = 1 << 4
	flagCredential = 1 << 6
	flagExtensions = 1 << 7
)

const maxID = 1023 // bytes (WebAuthn 7.1, step 25)

// authenticatorData is the data that a device signs.
type authenticatorData struct {
	site    []byte // hash of the RP ID
	flags   byte
	counter uint32
	id, key []byte // of the new credential; else nil
}

func (d authenticatorData) has(flag byte) bool { return d.flags&flag != 0 }

func readData(data []byte) (d authenticatorData, err error) {
	if len(data) < 37 {
		return d, ErrMalformed
	}
	d.site, d.flags, d.counter = data[:32], data[32], binary.BigEndian.Uint32(data[33:37])
	rest := data[37:]
	if d.has(flagCredential) {
		if len(rest) < 18 { // 16 of them name the make
			return d, ErrMalformed
		}
		n := int(binary.BigEndian.Uint16(rest[16:18]))
		rest = rest[18:]
		if n == 0 || n > maxID || n > len(rest) {
			return d, ErrMalformed
		}
		d.id, rest = rest[:n], rest[n:]
		key := rest
		if _, rest, err = decode(rest, 0); err != nil {
			return d, err
		}
		d.key = key[:len(key)-len(rest)]
	}
	if d.has(flagExtensions) {
		if _, rest, err = decode(rest, 0); err != nil {
			return d, err
		}
	}
	if len(rest) > 0 {
		return d, fmt.Errorf("%w: bytes after its end", ErrMalformed)
	}
	return d, nil
}
