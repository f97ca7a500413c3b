package engine

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
)

// Secrets are the keys of an Engine, each of 32 random bytes and for one purpose.
type Secrets struct {
	Hash         [32]byte // identification hashes and PSU id hashes: a new one changes every hash, so it belongs in the backup (api-notes 5)
	Continuation [32]byte // continuation keys: a new one ends the listings that are under way
	State        [32]byte // states of visits to banks: a new one ends the visits that are under way
	Credentials  [32]byte // credentials that wait for the PSU: with a new one the PSU is asked for them
}

// NewSecrets makes new keys.
func NewSecrets() Secrets {
	var s Secrets
	for _, key := range []*[32]byte{&s.Hash, &s.Continuation, &s.State, &s.Credentials} {
		rand.Read(key[:]) // never fails, see crypto/rand
	}
	return s
}

// seal encrypts credentials, bound to the row that keeps them (security T30).
func (s *Secrets) seal(authorizationID string, credentials map[string]string) (string, error) {
	aead, err := s.credentialsAEAD()
	if err != nil {
		return "", err
	}
	sealed := aead.Seal(nil, nil, mustJSON(credentials), boundTo(authorizationID)) //nolint:gosec // G407: the AEAD makes a random nonce itself
	return base64.RawStdEncoding.EncodeToString(sealed), nil
}

// unseal is the reverse of seal.
func (s *Secrets) unseal(authorizationID, sealed string) (map[string]string, error) {
	aead, err := s.credentialsAEAD()
	if err != nil {
		return nil, err
	}
	data, err := base64.RawStdEncoding.DecodeString(sealed)
	if err != nil {
		return nil, errors.New("sealed credentials are not in base64")
	}
	text, err := aead.Open(nil, nil, data, boundTo(authorizationID))
	if err != nil {
		return nil, fmt.Errorf("unseal credentials: %w", err)
	}
	var credentials map[string]string
	if err := json.Unmarshal(text, &credentials); err != nil {
		return nil, errors.New("sealed credentials are not in JSON")
	}
	return credentials, nil
}

func (s *Secrets) credentialsAEAD() (cipher.AEAD, error) {
	block, err := aes.NewCipher(s.Credentials[:])
	if err != nil {
		return nil, fmt.Errorf("key of credentials: %w", err)
	}
	return cipher.NewGCMWithRandomNonce(block)
}

func boundTo(authorizationID string) []byte {
	return []byte("supplied_credentials.sealed " + authorizationID)
}
