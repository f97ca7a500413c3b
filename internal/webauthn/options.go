package webauthn

import (
	"encoding/base64"
	"encoding/json"
	"time"
)

// User is for whom a passkey is made.
type User struct {
	Handle []byte // comes with each answer of the passkey: 64 bytes at most, and nothing personal (WebAuthn 14.6.1)
	Name   string // the device shows it
}

// Patience is how long a browser waits for a device.
const Patience = 5 * time.Minute

// CreationOptions returns what a browser has to know to make a passkey for the user, as PublicKeyCredentialCreationOptionsJSON (WebAuthn 5.1.8): found without
// a name being typed, checked by the device who holds it, of any make, and on no device that has one of those already. challenge is in base64url; name is that
// of the program.
func (s Site) CreationOptions(name string, user User, challenge string, has []Credential) ([]byte, error) {
	type entity struct {
		ID          string `json:"id"`
		Name        string `json:"name"`
		DisplayName string `json:"displayName,omitempty"`
	}
	type parameter struct {
		Type      string    `json:"type"`
		Algorithm Algorithm `json:"alg"`
	}
	return json.Marshal(struct {
		Site       entity       `json:"rp"`
		User       entity       `json:"user"`
		Challenge  string       `json:"challenge"`
		Parameters []parameter  `json:"pubKeyCredParams"`
		Timeout    int64        `json:"timeout"`
		Exclude    []descriptor `json:"excludeCredentials"`
		Selection  any          `json:"authenticatorSelection"`
		Conveyance string       `json:"attestation"`
	}{
		Site:       entity{ID: s.ID, Name: name},
		User:       entity{ID: base64.RawURLEncoding.EncodeToString(user.Handle), Name: user.Name, DisplayName: user.Name},
		Challenge:  challenge,
		Parameters: []parameter{{publicKey, ES256}, {publicKey, EdDSA}, {publicKey, RS256}},
		Timeout:    Patience.Milliseconds(),
		Exclude:    descriptors(has),
		Selection: map[string]any{
			"residentKey": "required", "requireResidentKey": true, // the second is how browsers of level 1 know the first
			"userVerification": required,
		},
		Conveyance: "none",
	})
}

// RequestOptions returns what a browser has to know to find a passkey and have it answer, as PublicKeyCredentialRequestOptionsJSON (WebAuthn 5.1.9): one of
// these, or any of this site when there are none. challenge is in base64url.
func (s Site) RequestOptions(challenge string, of []Credential) ([]byte, error) {
	return json.Marshal(struct {
		Site         string       `json:"rpId"`
		Challenge    string       `json:"challenge"`
		Timeout      int64        `json:"timeout"`
		Allow        []descriptor `json:"allowCredentials"`
		Verification string       `json:"userVerification"`
	}{s.ID, challenge, Patience.Milliseconds(), descriptors(of), required})
}

const (
	publicKey = "public-key" // the one type of credentials
	required  = "required"   // of what a device does
)

// descriptor names a credential (WebAuthn 5.8.3).
type descriptor struct {
	Type       string   `json:"type"`
	ID         string   `json:"id"`
	Transports []string `json:"transports,omitempty"`
}

func descriptors(of []Credential) []descriptor {
	all := make([]descriptor, len(of))
	for i, c := range of {
		all[i] = descriptor{publicKey, base64.RawURLEncoding.EncodeToString(c.ID), c.Transports}
	}
	return all
}
