package webauthn

import (
	"encoding/base64"
	"encoding/json"
	"time"
)

// User is the user for whom a passkey is made.
type User struct {
	Handle []byte // part of each answer of the passkey: at most 64 bytes, and nothing personal (WebAuthn 14.6.1)
	Name   string // shown by the device
}

// Patience is how long a browser waits for a device.
const Patience = 5 * time.Minute

// CreationOptions returns the options with which a browser makes a passkey for the user, as PublicKeyCredentialCreationOptionsJSON (WebAuthn 5.1.8). The
// passkey can be found without typing a name; the device verifies its user; devices of any make are accepted, except those that have one of the passkeys in
// has. challenge is in base64url; name is that of the program.
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
			"residentKey": "required", "requireResidentKey": true, // the second is the form of level 1 of the specification
			"userVerification": required,
		},
		Conveyance: "none",
	})
}

// RequestOptions returns the options with which a browser finds a passkey and lets it answer, as PublicKeyCredentialRequestOptionsJSON (WebAuthn 5.1.9): one
// of those in of, or any passkey of this site when of is empty. challenge is in base64url.
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
	publicKey = "public-key" // the only type of credentials
	required  = "required"   // the device must do it
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
