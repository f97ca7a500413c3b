package attachments

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"florin/internal/finance"
)

// records are what a database would know.
type records struct{ used, unused []string }

func (r *records) HasAttachment(_ context.Context, id string) (bool, error) {
	return slices.Contains(r.used, id), nil
}

func (r *records) UnusedAttachments(context.Context) ([]string, error) {
	return r.unused[:min(2, len(r.unused))], nil
}

func (r *records) ForgetAttachments(_ context.Context, ids []string) error {
	r.unused = slices.DeleteFunc(r.unused, func(id string) bool { return slices.Contains(ids, id) })
	return nil
}

func newFolder(t *testing.T, r *records) (*Folder, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "attachments")
	f, err := Open(path, r, func() error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return f, path
}

func names(t *testing.T, path string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: %v, %v", e.Name(), info, err)
		}
		list = append(list, e.Name())
	}
	return list
}

const pdf = "%PDF-1.7\nbinary\x00\xff"

// What is kept is what came, under a name of our own that nobody else may read; what is refused leaves nothing.
func TestKeep(t *testing.T) {
	r := &records{}
	f, path := newFolder(t, r)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder: %v, %v", info, err)
	}
	var kept string
	err := f.Keep(strings.NewReader(pdf), func(id string, kind finance.FileType, size int64) error {
		if kind != finance.FilePDF || size != int64(len(pdf)) {
			t.Errorf("%s of %d bytes", kind, size)
		}
		if got := names(t, path); !slices.Equal(got, []string{id + ".draft"}) {
			t.Errorf("before it is recorded there is %q", got)
		}
		kept = id
		return nil
	})
	if got := names(t, path); err != nil || !slices.Equal(got, []string{kept}) {
		t.Fatalf("%q, %v", got, err)
	}
	file, err := f.Read(kept)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if text, err := io.ReadAll(file); err != nil || string(text) != pdf {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := f.Read("another"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}

	refused := errors.New("refused")
	never := func(string, finance.FileType, int64) error { t.Error("recorded"); return nil }
	for name, c := range map[string]struct {
		from   io.Reader
		record func(string, finance.FileType, int64) error
		want   error
	}{
		"empty":          {strings.NewReader(""), never, finance.ErrFileEmpty},
		"a page":         {strings.NewReader("<html>%PDF-1.7"), never, finance.ErrFileType},
		"an archive":     {strings.NewReader("PK\x03\x04receipt.pdf"), never, finance.ErrFileType},
		"too large":      {io.MultiReader(strings.NewReader(pdf), io.LimitReader(zeros{}, finance.MaxAttachment)), never, finance.ErrFileTooLarge},
		"broken off":     {io.MultiReader(strings.NewReader(pdf), broken{}), never, io.ErrUnexpectedEOF},
		"broken at once": {broken{}, never, io.ErrUnexpectedEOF},
		"not recorded":   {strings.NewReader(pdf), func(string, finance.FileType, int64) error { return refused }, refused},
	} {
		if err := f.Keep(c.from, c.record); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	f.room = func() error { return refused }
	if err := f.Keep(strings.NewReader(pdf), never); !errors.Is(err, ErrFull) {
		t.Errorf("a disk that is nearly full: %v", err)
	}
	if got := names(t, path); !slices.Equal(got, []string{kept}) {
		t.Errorf("what was refused left %q", got)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// A device without space is told apart from other failures.
func TestFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Fatal("this test needs a device that is always full, as Linux has it:", err)
	}
	device, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	_, err = device.WriteString("x")
	if got := full(err); !errors.Is(got, ErrFull) || errors.Is(full(io.ErrUnexpectedEOF), ErrFull) {
		t.Errorf("%v", got)
	}
}

// The largest file takes no more memory than any other.
func TestFilesTakeNoMemory(t *testing.T) {
	f, _ := newFolder(t, &records{})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := f.Keep(io.MultiReader(strings.NewReader(pdf), io.LimitReader(zeros{}, finance.MaxAttachment-int64(len(pdf)))),
		func(_ string, _ finance.FileType, size int64) error {
			if size != finance.MaxAttachment {
				t.Errorf("%d bytes", size)
			}
			return nil
		})
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; err != nil || used > 1<<20 {
		t.Errorf("%d bytes of memory, %v", used, err)
	}
}

// After a crash a draft is either a file, when it was recorded, or gone. Everything else stays: the database may be an older copy.
func TestRecover(t *testing.T) {
	r := &records{used: []string{"RECORDED", "KEPT"}}
	f, path := newFolder(t, r)
	for _, name := range []string{"RECORDED.draft", "LOST.draft", "KEPT", "UNKNOWN"} {
		if err := os.WriteFile(filepath.Join(path, name), []byte(pdf), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := names(t, path); !slices.Equal(got, []string{"KEPT", "RECORDED", "UNKNOWN"}) {
		t.Errorf("left are %q", got)
	}
}

// What no transaction has is removed and then forgotten, also when it is gone already.
func TestClean(t *testing.T) {
	r := &records{unused: []string{"A", "B", "GONE"}}
	f, path := newFolder(t, r)
	for _, name := range []string{"A", "B", "KEPT"} {
		if err := os.WriteFile(filepath.Join(path, name), bytes.Repeat([]byte("x"), 10), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Clean(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := names(t, path); !slices.Equal(got, []string{"KEPT"}) || len(r.unused) > 0 {
		t.Errorf("left are %q, still to be removed %q", got, r.unused)
	}
}
