package store

import (
	"errors"
	"slices"
	"testing"

	"florin/internal/finance"
	"florin/internal/search"
)

func receipt(name string, size int64) finance.Attachment {
	return finance.Attachment{ID: finance.NewID(), Name: name, Type: finance.FilePDF, Size: size}
}

// Files can be attached to rows of the user, within limits. The search finds them. A file that no row uses any more counts as unused.
func TestAttach(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	b.user(t, "owner@example.org")
	user, account := b.linked(t)
	stranger := b.user(t, "b@example.org")
	b.run(t, []finance.Entry{entry(t, "R2", "50.00", "2026-03-02", "market"), entry(t, "R1", "700.00", "2026-03-01", "flat")})
	rows := b.all(t, user, search.And{}, 10)
	market, flat := rows[0].ID, rows[1].ID
	first, second := receipt("Rechnung.pdf", 1234), receipt("Rechnung.pdf", 1)
	check(t, b.Attach(ctx, user, account, market, first))
	check(t, b.Attach(ctx, user, account, market, second))
	got := must(b.Attachments(ctx, user, market))(t)
	if len(got) != 2 || !slices.ContainsFunc(got, func(a finance.Attachment) bool {
		same := a == finance.Attachment{ID: first.ID, Name: first.Name, Type: first.Type, Size: first.Size, Added: a.Added}
		return same && !a.Added.IsZero()
	}) {
		t.Errorf("the files are %+v", got)
	}
	if a := must(b.Attachment(ctx, user, account, market, first.ID))(t); a.Name != "Rechnung.pdf" || a.Size != 1234 || a.Type != finance.FilePDF {
		t.Errorf("%+v", a)
	}
	found := func() (ids []int64) {
		b.checkIndex(t)
		for _, r := range b.all(t, user, search.Marked{search.MarkAttachment}, 10) {
			ids = append(ids, r.ID)
		}
		return ids
	}
	if got := found(); !slices.Equal(got, []int64{market}) {
		t.Errorf("has:attachment finds %v", got)
	}
	for name, call := range map[string]func() error{
		"attach":                 func() error { return b.Attach(ctx, stranger.ID, account, market, receipt("x.pdf", 1)) },
		"attach elsewhere":       func() error { return b.Attach(ctx, user, "another", market, receipt("x.pdf", 1)) },
		"attach to what is not":  func() error { return b.Attach(ctx, user, account, 999, receipt("x.pdf", 1)) },
		"detach":                 func() error { return b.Detach(ctx, stranger.ID, account, market, first.ID) },
		"detach another row's":   func() error { return b.Detach(ctx, user, account, flat, first.ID) },
		"read":                   func() error { _, err := b.Attachment(ctx, stranger.ID, account, market, first.ID); return err },
		"read from another row":  func() error { _, err := b.Attachment(ctx, user, account, flat, first.ID); return err },
		"read from another book": func() error { _, err := b.Attachment(ctx, user, "another", market, first.ID); return err },
	} {
		if err := call(); !errors.Is(err, finance.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := must(b.Attachments(ctx, stranger.ID, market))(t); len(got) > 0 {
		t.Errorf("a stranger sees %+v", got)
	}
	if unused := must(b.UnusedAttachments(ctx))(t); len(unused) > 0 {
		t.Errorf("%q are used", unused)
	}

	check(t, b.Detach(ctx, user, account, market, first.ID))
	if unused := must(b.UnusedAttachments(ctx))(t); !slices.Equal(unused, []string{first.ID}) || must(b.HasAttachment(ctx, first.ID))(t) {
		t.Errorf("%q are unused, want %s", unused, first.ID)
	}
	check(t, b.Attach(ctx, user, account, flat, first)) // the undo of a removal attaches the file again
	if unused := must(b.UnusedAttachments(ctx))(t); len(unused) > 0 {
		t.Errorf("%q are used again", unused)
	}
	check(t, b.Detach(ctx, user, account, flat, first.ID))
	check(t, b.ForgetAttachments(ctx, must(b.UnusedAttachments(ctx))(t)))
	if unused := must(b.UnusedAttachments(ctx))(t); len(unused) > 0 {
		t.Errorf("%q are not forgotten", unused)
	}
	for range finance.MaxAttachments - 1 {
		check(t, b.Attach(ctx, user, account, market, receipt("x.pdf", 1)))
	}
	if err := b.Attach(ctx, user, account, market, receipt("x.pdf", 1)); !errors.Is(err, finance.ErrTooManyAttachments) {
		t.Errorf("one more than a row may have: %v", err)
	}
	large := receipt("large.pdf", finance.MaxAttachmentSpace-finance.MaxAttachments)
	check(t, b.Attach(ctx, user, account, flat, large))
	if err := b.Attach(ctx, user, account, flat, receipt("x.pdf", 1)); !errors.Is(err, finance.ErrAttachmentSpace) {
		t.Errorf("more than a person may have: %v", err)
	}
	if n := must(b.Belongings(ctx, user))(t).Attachments; n != finance.MaxAttachments+1 {
		t.Errorf("%d files go with the user", n)
	}
	// Attachments are deleted with their user, even when another user has the same file.
	check(t, b.RemoveUser(ctx, user))
	if unused := must(b.UnusedAttachments(ctx))(t); len(unused) != finance.MaxAttachments+1 || !slices.Contains(unused, large.ID) {
		t.Errorf("%d files are unused", len(unused))
	}
}
