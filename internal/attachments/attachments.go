// Package attachments keeps the files that people attach to transactions, each under a random name of its own, in a folder of the data directory. Whose they
// are and what they are called is in the database.
package attachments

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"florin/internal/finance"
)

// Records is what the database knows of the files.
type Records interface {
	// HasAttachment reports whether a transaction has the file with an id.
	HasAttachment(ctx context.Context, id string) (bool, error)
	// UnusedAttachments returns ids of files that no transaction has any more, some at a time.
	UnusedAttachments(ctx context.Context) ([]string, error)
	// ForgetAttachments forgets that files are not used: they are gone.
	ForgetAttachments(ctx context.Context, ids []string) error
}

// Folder is where the files are. It is safe for use by many goroutines.
type Folder struct {
	path    string
	records Records
	room    func() error
}

// ErrFull says that the disk has no room for the file.
var ErrFull = errors.New("the disk is full")

// draft ends the name of a file that no record has yet.
const draft = ".draft"

// Open returns the folder with a path, which it makes when there is none. room returns an error when the disk is nearly full.
func Open(path string, records Records, room func() error) (*Folder, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder for attachments: %w", err)
	}
	return &Folder{path: path, records: records, room: room}, nil
}

func (f *Folder) of(id string) string { return filepath.Join(f.path, id) }

// Keep reads a file to its end and keeps it, once record has written it down in the database; an error of it is returned, and nothing stays. A file takes no
// memory, however large it is. Errors: finance.ErrFileEmpty, ErrFileTooLarge and ErrFileType, ErrFull, and that of reading.
//
// Until it is recorded the file is a draft, which Recover removes after a crash.
func (f *Folder) Keep(from io.Reader, record func(id string, t finance.FileType, size int64) error) (err error) {
	if err := f.room(); err != nil {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	id := finance.NewID()
	name := f.of(id)
	defer func() {
		if err != nil {
			if gone := os.Remove(name + draft); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
				err = errors.Join(err, gone)
			}
		}
	}()
	t, size, err := write(name+draft, from)
	if err != nil {
		return err
	}
	if err := record(id, t, size); err != nil {
		return err
	}
	return f.publish(id) // it is recorded: when this fails, Recover does it
}

// write stores what comes in a new file, on the disk for good.
func write(name string, from io.Reader) (t finance.FileType, size int64, err error) {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", 0, full(err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	reader := bufio.NewReader(io.LimitReader(from, finance.MaxAttachment+1))
	head, err := reader.Peek(finance.FileHead)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", 0, err
	}
	if t = finance.FileTypeOf(head); t == "" && len(head) > 0 {
		return "", 0, finance.ErrFileType
	}
	size, err = io.Copy(file, reader)
	switch {
	case err != nil:
		return "", 0, full(err)
	case size == 0:
		return "", 0, finance.ErrFileEmpty
	case size > finance.MaxAttachment:
		return "", 0, finance.ErrFileTooLarge
	}
	return t, size, full(file.Sync())
}

// full is ErrFull for an error that says so, else the error.
func full(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return err
}

// publish gives a draft its name.
func (f *Folder) publish(id string) error {
	if err := os.Rename(f.of(id)+draft, f.of(id)); err != nil {
		return fmt.Errorf("keep an attachment: %w", err)
	}
	folder, err := os.Open(f.path)
	if err != nil {
		return fmt.Errorf("keep an attachment: %w", err)
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// Read opens the file with an id, as the database has it. fs.ErrNotExist when it is gone from the folder.
func (f *Folder) Read(id string) (*os.File, error) {
	return os.Open(f.of(id))
}

// Recover settles what a crash has left: a draft that is recorded gets its name, any other one is removed. It is called when Florin starts, before anybody can
// attach a file.
func (f *Folder) Recover(ctx context.Context) error {
	entries, err := os.ReadDir(f.path)
	if err != nil {
		return fmt.Errorf("recover attachments: %w", err)
	}
	for _, e := range entries {
		id, is := strings.CutSuffix(e.Name(), draft)
		if !is {
			continue
		}
		recorded, err := f.records.HasAttachment(ctx, id)
		if err != nil {
			return err
		}
		if recorded {
			err = f.publish(id)
		} else {
			err = os.Remove(f.of(e.Name()))
		}
		if err != nil {
			return fmt.Errorf("recover attachments: %w", err)
		}
	}
	return nil
}

// Clean removes the files that no transaction has any more.
func (f *Folder) Clean(ctx context.Context) error {
	for {
		ids, err := f.records.UnusedAttachments(ctx)
		if err != nil || len(ids) == 0 {
			return err
		}
		for _, id := range ids {
			if err := os.Remove(f.of(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("remove an attachment: %w", err)
			}
		}
		if err := f.records.ForgetAttachments(ctx, ids); err != nil {
			return err
		}
	}
}
