// Package secretfile keeps random secrets in files of their own, readable by their owner alone.
package secretfile

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Load returns the secret of size bytes in the file name of the folder, and makes a random one the first time, with the
// folder. Two processes that start at once agree on it. A folder or a file that others may open, or a file that holds
// something else, is an error and stays as it is.
func Load(folder, name string, size int) ([]byte, error) {
	if err := open(folder); err != nil {
		return nil, err
	}
	path := filepath.Join(folder, name)
	secret, err := read(path, size)
	if !errors.Is(err, fs.ErrNotExist) {
		return secret, err
	}
	if err := create(folder, path, size); err != nil {
		return nil, fmt.Errorf("create the secret %s: %w", path, err)
	}
	return read(path, size)
}

// open creates the folder when there is none. It refuses a folder that others may enter.
func open(folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("create the folder for secrets: %w", err)
	}
	return CheckPrivate(folder)
}

// CheckPrivate returns an error when a file or folder is open to other users than its owner. The error names the command that mends it.
func CheckPrivate(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("look who may open %s: %w", path, err)
	}
	return private(path, info)
}

func private(path string, info fs.FileInfo) error {
	mode := info.Mode().Perm()
	switch {
	case runtime.GOOS == "windows", mode&0o077 == 0: // Windows has no such modes
		return nil
	case info.IsDir():
		return fmt.Errorf("the folder %s is open to other users of this machine (mode %04o): run chmod 700 %q", path, mode, path)
	}
	return fmt.Errorf("the file %s is open to other users of this machine (mode %04o): run chmod 600 %q", path, mode, path)
}

func read(path string, size int) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read a secret: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("read a secret: %w", err)
	}
	if err := private(path, info); err != nil {
		return nil, err
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
func create(folder, path string, size int) error {
	secret := make([]byte, size)
	rand.Read(secret)
	file, err := os.CreateTemp(folder, ".new-*")
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
	directory, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(directory.Sync(), directory.Close())
}
