package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"florin/internal/sqlite"
)

func TestOneProcessOccupiesAPath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "serving")
	release, err := sqlite.Occupy(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Occupy(t.Context(), path); !errors.Is(err, sqlite.ErrOccupied) {
		t.Errorf("a second time: %v", err)
	}
	release()
	release, err = sqlite.Occupy(t.Context(), path)
	if err != nil {
		t.Fatalf("after it was given back: %v", err)
	}
	release()
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	if _, err := sqlite.Occupy(t.Context(), filepath.Join(path, "below")); err == nil || errors.Is(err, sqlite.ErrOccupied) {
		t.Errorf("where there can be no file: %v", err)
	}
}

// The data directory is relative by default.
func TestOccupyARelativePath(t *testing.T) {
	t.Chdir(t.TempDir())
	release, err := sqlite.Occupy(t.Context(), "serving")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if _, err := sqlite.Occupy(t.Context(), "serving"); !errors.Is(err, sqlite.ErrOccupied) {
		t.Errorf("a second time: %v", err)
	}
}
