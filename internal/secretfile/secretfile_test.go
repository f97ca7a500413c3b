package secretfile

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestSecretIsCreatedOnceAndKept(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "data", "secrets")
	var all sync.WaitGroup
	values := make([][]byte, 8)
	for i := range values {
		all.Go(func() {
			value, err := Load(folder, "hash", 32)
			if err != nil {
				t.Error(err)
			}
			values[i] = value
		})
	}
	all.Wait()
	for _, value := range values {
		if len(value) != 32 || !bytes.Equal(value, values[0]) {
			t.Fatal("concurrent first loads do not agree on one secret")
		}
	}
	other, err := Load(folder, "other", 32)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(other, values[0]) {
		t.Error("two names share a secret")
	}
	info, err := os.Stat(filepath.Join(folder, "hash"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode of the file = %04o, want 0600", info.Mode().Perm())
	}
	info, err = os.Stat(folder)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o700 {
		t.Errorf("mode of the folder = %04o, want 0700", info.Mode().Perm())
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 2 {
		t.Errorf("the folder holds %d files, want the 2 secrets alone", len(entries))
	}
}

func TestSecretIsRefused(t *testing.T) {
	good := strings.Repeat("ab", 32)
	tests := []struct {
		name    string
		content string
		mode    os.FileMode
		want    string
	}{
		{"group may read", good, 0o640, "chmod 600"},
		{"others may read", good, 0o604, "chmod 600"},
		{"empty", "", 0o600, "restore it from a backup"},
		{"cut off", good[:40], 0o600, "restore it from a backup"},
		{"no hexadecimal", strings.Repeat("zz", 32), 0o600, "restore it from a backup"},
		{"huge", strings.Repeat("a", 5000), 0o600, "restore it from a backup"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			if err := os.Chmod(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(folder, "hash")
			if err := os.WriteFile(path, []byte(test.content), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, test.mode); err != nil {
				t.Fatal(err)
			}
			_, err := Load(folder, "hash", 32)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error = %v, want one that says %q", err, test.want)
			}
			if err != nil && test.content != "" && strings.Contains(err.Error(), test.content) {
				t.Error("the error holds the content of the file")
			}
			kept, err := os.ReadFile(path)
			if err != nil || string(kept) != test.content {
				t.Errorf("the file was changed (%v)", err)
			}
		})
	}
}

func TestOpenFolderOfSecretsIsRefused(t *testing.T) {
	folder := t.TempDir()
	if err := os.Chmod(folder, 0o750); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(folder, "hash", 32); err == nil || !strings.Contains(err.Error(), "chmod 700") {
		t.Errorf("error = %v, want one that says chmod 700", err)
	}
}
