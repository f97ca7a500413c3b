package store

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"florin/internal/finance"
	"florin/internal/secretfile"
	"florin/internal/sqlite"
)

// keyFile is the name of the master key's file in the folder of secrets.
const keyFile = "app.key"

const keySize = 32

var (
	// ErrWrongKey says that the secrets in the database were sealed with another key.
	ErrWrongKey = errors.New("the database was written with another key: put the file secrets/app.key that belongs to it back from the backup")
	// ErrSealed says that a sealed secret does not open: it was altered or moved, or belongs to another key.
	ErrSealed = errors.New("a stored secret cannot be opened: the database or its key was altered")
)

// Key seals secrets at rest with AES-256-GCM. Each is bound to its table, column and row and to the key, so that it opens nowhere else.
type Key struct {
	id      string
	aead    cipher.AEAD
	cookies []byte
	links   []byte // see sign
}

// LoadKey reads the master key app.key in the folder dir, and makes it the first time (secretfile.Load).
func LoadKey(dir string) (Key, error) {
	master, err := secretfile.Load(dir, keyFile, keySize)
	if err != nil {
		return Key{}, err
	}
	return NewKey(master)
}

// NewKey derives the sealing key from 32 secret bytes.
func NewKey(master []byte) (Key, error) {
	if len(master) != keySize {
		return Key{}, fmt.Errorf("the master key has %d bytes; it needs %d", len(master), keySize)
	}
	fields, err := hkdf.Key(sha256.New, master, nil, "florin app.db fields", keySize)
	if err != nil {
		return Key{}, err
	}
	id, err := hkdf.Key(sha256.New, master, nil, "florin app.db key id", 6)
	if err != nil {
		return Key{}, err
	}
	block, err := aes.NewCipher(fields)
	if err != nil {
		return Key{}, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return Key{}, err
	}
	cookies, err := hkdf.Key(sha256.New, master, nil, "florin app cookies", keySize)
	if err != nil {
		return Key{}, err
	}
	links, err := hkdf.Key(sha256.New, master, nil, "florin app links", keySize)
	if err != nil {
		return Key{}, err
	}
	return Key{id: hex.EncodeToString(id), aead: aead, cookies: cookies, links: links}, nil
}

// CookieSecret returns the 32 secret bytes, derived from the master key, for cookies without a row of their own.
func (s *Store) CookieSecret() []byte { return bytes.Clone(s.key.cookies) }

// seal encrypts a secret for one place. The result starts with the id of the key. An empty secret stays empty.
func (k Key) seal(secret, table, column, row string) string {
	if secret == "" {
		return ""
	}
	sealed := k.aead.Seal(nil, nil, []byte(secret), k.bound(table, column, row)) //nolint:gosec // the cipher makes its own nonce
	return k.id + "." + base64.RawStdEncoding.EncodeToString(sealed)
}

// open decrypts what seal made for the same place, else ErrSealed.
func (k Key) open(sealed, table, column, row string) (string, error) {
	if sealed == "" {
		return "", nil
	}
	id, text, ok := strings.Cut(sealed, ".")
	if !ok || id != k.id {
		return "", ErrSealed
	}
	data, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return "", ErrSealed
	}
	secret, err := k.aead.Open(nil, nil, data, k.bound(table, column, row))
	if err != nil {
		return "", ErrSealed
	}
	return string(secret), nil
}

func (k Key) bound(table, column, row string) []byte {
	return []byte(table + "|" + column + "|" + row + "|" + k.id)
}

// proveKey opens the proof that the key is the right one, or leaves it in a new database.
func (s *Store) proveKey(ctx context.Context) error {
	const words = "florin"
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		all, err := collect(ctx, tx, func(row scanner) ([2]string, error) {
			var v [2]string
			err := row.Scan(&v[0], &v[1])
			return v, err
		}, `SELECT key_id, proof FROM master_key`)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			_, err := tx.ExecContext(ctx, `INSERT INTO master_key (key_id, proof, created) VALUES ($1, $2, $3)`,
				s.key.id, s.key.seal(words, "master_key", "proof", s.key.id), sqlite.At(tx.Now))
			return err
		}
		for _, v := range all {
			if got, err := s.key.open(v[1], "master_key", "proof", v[0]); err == nil && got == words {
				return nil
			}
		}
		return ErrWrongKey
	})
}

// hashOf is how a random token is stored: it cannot be guessed, so a plain hash does.
func hashOf(token finance.Secret) string {
	sum := sha256.Sum256([]byte(token.Reveal()))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
