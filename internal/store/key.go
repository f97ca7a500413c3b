package store

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"florin/internal/finance"
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
}

// LoadKey reads the master key app.key in the folder dir. Where there is none, it makes the folder (0700) and the key (0600).
// A key that others may read is refused.
func LoadKey(dir string) (Key, error) {
	path := filepath.Join(dir, keyFile)
	text, err := readKey(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeKey(dir, path); err != nil {
			return Key{}, fmt.Errorf("make the key %s: %w", path, err)
		}
		text, err = readKey(path)
	}
	if err != nil {
		return Key{}, err
	}
	master, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(master) != keySize {
		return Key{}, fmt.Errorf("the key %s is damaged: it holds 64 hexadecimal digits; put it back from the backup", path)
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
	return Key{id: hex.EncodeToString(id), aead: aead, cookies: cookies}, nil
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

func readKey(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("the key %s can be read by others (mode %04o); run: chmod 600 %s", path, info.Mode().Perm(), path)
	}
	var b bytes.Buffer
	if _, err := b.ReadFrom(f); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// makeKey writes a new key. It is on disk under its name only when whole; another process that is quicker wins.
func makeKey(dir, path string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	var master [keySize]byte
	if _, err := rand.Read(master[:]); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, keyFile+".*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(hex.EncodeToString(master[:]) + "\n")
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// hashOf is how a random token is stored: it cannot be guessed, so a plain hash does.
func hashOf(token finance.Secret) string {
	sum := sha256.Sum256([]byte(token.Reveal()))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
