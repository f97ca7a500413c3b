package server

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// secrets is a folder with one file for each secret of the service, readable by its owner alone. They belong in the
// backup: without the one of the account hashes every account gets new hashes (api-notes 5).
type secrets struct{ folder string }

// openSecrets creates the folder when there is none. It refuses a folder that others may enter.
func openSecrets(folder string) (secrets, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return secrets{}, fmt.Errorf("create the folder for secrets: %w", err)
	}
	info, err := os.Stat(folder)
	if err != nil {
		return secrets{}, fmt.Errorf("look at the folder for secrets: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return secrets{}, fmt.Errorf("the folder %s is open to other users (mode %04o): run chmod 700 on it", folder, info.Mode().Perm())
	}
	return secrets{folder}, nil
}

// load returns the secret of size bytes with this name, and makes a random one the first time. Two processes that
// start at once agree on it. A file that others may read, or that holds something else, is an error and stays as it is.
func (s secrets) load(name string, size int) ([]byte, error) {
	path := filepath.Join(s.folder, name)
	secret, err := readSecret(path, size)
	if !errors.Is(err, fs.ErrNotExist) {
		return secret, err
	}
	if err := s.create(path, size); err != nil {
		return nil, fmt.Errorf("create the secret %s: %w", path, err)
	}
	return readSecret(path, size)
}

func readSecret(path string, size int) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read a secret: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("read a secret: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("the secret %s is readable by other users (mode %04o): run chmod 600 on it", path, info.Mode().Perm())
	}
	if info.Size() > 4096 {
		return nil, fmt.Errorf("the secret %s is far too long: restore it from a backup", path)
	}
	text := make([]byte, info.Size())
	if _, err := file.ReadAt(text, 0); err != nil {
		return nil, fmt.Errorf("read the secret %s: %w", path, err)
	}
	secret, err := hex.DecodeString(string(bytes.TrimSpace(text)))
	if err != nil || len(secret) != size {
		return nil, fmt.Errorf("the secret %s is not %d bytes in hexadecimal: restore it from a backup", path, size)
	}
	return secret, nil
}

// create writes a random secret to a file of its own and then gives it the name, which fails silently when another
// process was first. A name therefore never stands for half a secret.
func (s secrets) create(path string, size int) error {
	secret := make([]byte, size)
	rand.Read(secret)
	file, err := os.CreateTemp(s.folder, ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = file.WriteString(hex.EncodeToString(secret) + "\n")
	if err := errors.Join(err, file.Chmod(0o600), file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Link(file.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	folder, err := os.Open(s.folder)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
