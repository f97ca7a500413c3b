package transactions

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strconv"
	"strings"

	"florin/internal/attachments"
	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/middleware"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// maxUpload is how much of a form with a file is read. It is more than a file may have, so that one that is too large is answered with the page it came from.
const maxUpload = 100 << 20

// attachmentPolicy is the policy of a file that somebody attached: it runs nothing, loads nothing, sends nothing, and has no origin. The style is that with
// which browsers show a picture by itself.
const attachmentPolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

// fileTypes are what is told of each type, in the order in which they are offered.
var fileTypes = []struct {
	kind   finance.FileType
	name   string
	accept string
	opens  bool // as the picture that it is. Browsers do not show a PDF under attachmentPolicy, and few of them HEIC: those are saved
}{
	{finance.FilePDF, "PDF", ".pdf", false}, {finance.FileJPEG, "JPEG", ".jpg,.jpeg", true}, {finance.FilePNG, "PNG", ".png", true},
	{finance.FileWebP, "WebP", ".webp", true}, {finance.FileHEIC, "HEIC", ".heic,.heif", false},
}

// fileType returns the name of a type, and whether it opens in a browser.
func fileType(kind finance.FileType) (name string, opens bool) {
	for _, t := range fileTypes {
		if t.kind == kind {
			return t.name, t.opens
		}
	}
	return string(kind), false
}

// attachments shows the files of a transaction.
func (a *Area) attachments(v *shell.Visitor, c show.Clock, t finance.TransactionRecord) (pages.AttachmentsCard, error) {
	id := strconv.FormatInt(t.ID, 10)
	view := pages.AttachmentsCard{Action: paths.TransactionAttachments(t.AccountID, id),
		Hint: c.Say("A receipt or an invoice as PDF, JPEG, PNG, WebP or HEIC, with %d MB at most.", finance.MaxAttachment>>20)}
	var accept []string
	for _, kind := range fileTypes {
		accept = append(accept, string(kind.kind), kind.accept)
	}
	view.Accept = strings.Join(accept, ",")
	files, err := a.Store.Attachments(v.Ctx(), v.User.ID, t.ID)
	for _, f := range files {
		row := pages.AttachmentRow{Name: f.Name, Href: paths.TransactionAttachment(t.AccountID, id, f.ID), Size: c.Message(sizeWords(c, f.Size)),
			Added: c.Moment(f.Added), Remove: paths.TransactionAttachmentRemove(t.AccountID, id, f.ID)}
		row.Type, row.Opens = fileType(f.Type)
		view.Files = append(view.Files, row)
	}
	return view, err
}

// sizeWords is a size in KB or MB, never nothing.
func sizeWords(c show.Clock, bytes int64) words.Message {
	if bytes < 1_000_000 {
		return words.Msg("%s KB", c.Number(max(1, bytes/1000)))
	}
	return words.Msg("%s MB", c.Decimal(strconv.FormatFloat(float64(bytes)/1_000_000, 'f', 1, 64)))
}

// errNoFile says that no file was chosen.
var errNoFile = errors.New("no file was chosen")

// refusal says why a file is not kept; known is false when the reason is none of the person's.
func refusal(err error, file finance.Attachment) (why words.Message, known bool) {
	switch {
	case errors.Is(err, errNoFile):
		return words.Msg("Choose a file."), true
	case errors.Is(err, finance.ErrFileName):
		return words.Msg("The name of this file is a path or empty. Rename the file, and choose it again."), true
	case errors.Is(err, finance.ErrFileNameLong):
		return words.Msg("The name of this file is too long. Rename the file, and choose it again."), true
	case errors.Is(err, finance.ErrFileType):
		return words.Msg("This file is not a PDF, JPEG, PNG, WebP or HEIC, whatever its name says. Nothing was kept."), true
	case errors.Is(err, finance.ErrFileTypeOther):
		name, _ := fileType(file.Type)
		return words.Msg("The name %s ends like that of another kind of file, but what is in it is %s. Rename the file, and choose it again.", file.Name, name), true
	case errors.Is(err, finance.ErrFileEmpty):
		return words.Msg("This file is empty."), true
	case errors.Is(err, finance.ErrFileTooLarge):
		return words.Msg("A file may have %d MB at most. Make this one smaller, for example with a lower resolution.", finance.MaxAttachment>>20), true
	case errors.Is(err, finance.ErrTooManyAttachments):
		return words.Msg("A transaction may have %d files at most. Remove one first.", finance.MaxAttachments), true
	case errors.Is(err, finance.ErrAttachmentSpace):
		return words.Msg("All your files together may have %d GB at most. Remove some first.", finance.MaxAttachmentSpace>>30), true
	}
	return words.Message{}, false
}

// attachmentTooLarge is the page for a form that is not read to its end.
func attachmentTooLarge(ctx context.Context) *shell.Problem {
	return &shell.Problem{Status: http.StatusRequestEntityTooLarge, Title: words.Say(ctx, "The file is too large"),
		What: words.Say(ctx, "A file may have %d MB at most. Make this one smaller, for example with a lower resolution.", finance.MaxAttachment>>20),
		Todo: words.Say(ctx, "Go back in your browser, and choose another file.")}
}

// attach keeps a file with a transaction. Why one is refused is told on the page it came from.
func (a *Area) attach(v *shell.Visitor) error {
	account, t, err := a.asked(v)
	if err != nil {
		return err
	}
	var kept finance.Attachment
	err = v.Upload("file", func(name string, file io.Reader) error {
		if file == nil {
			return errNoFile
		}
		if kept.Name, err = finance.ReadFileName(name); err != nil {
			return err
		}
		return a.Attachments.Keep(file, func(id string, kind finance.FileType, size int64) error {
			kept.ID, kept.Type, kept.Size = id, kind, size
			if err := finance.CheckFileName(kept.Name, kind); err != nil {
				return err
			}
			return a.Store.Attach(v.Ctx(), v.User.ID, account.ID, t.ID, kept)
		})
	})
	if problem, known := refusal(err, kept); known {
		own, err := a.annotation(v, t)
		if err != nil {
			return err
		}
		return a.page(v, http.StatusUnprocessableEntity, account, t, own, func(view *pages.TransactionView) {
			view.Attachments.Problem = v.Say(problem.Text, problem.Args...)
		})
	}
	if errors.Is(err, attachments.ErrFull) {
		return &shell.Problem{Status: http.StatusInsufficientStorage, Title: v.Say("The disk of this server is full"),
			What: v.Say("Florin could not keep the file."), Todo: v.Say("Ask whoever runs this server to free some space on its disk. Then try again."),
			Action: ui.Link{Text: v.Say("Back to the transaction"), Href: paths.Transaction(account.ID, strconv.FormatInt(t.ID, 10))}, Cause: err}
	}
	if err != nil {
		return err
	}
	a.Flash(v, ui.Good, v.Say("%s is attached.", kept.Name))
	v.SeeOther(paths.Transaction(account.ID, strconv.FormatInt(t.ID, 10)))
	return nil
}

// attachment answers with a file: a picture is shown, everything else is saved.
func (a *Area) attachment(v *shell.Visitor) error {
	_, t, err := a.asked(v)
	if err != nil {
		return err
	}
	kept, err := a.Store.Attachment(v.Ctx(), v.User.ID, t.AccountID, t.ID, v.Request.PathValue("attachment"))
	if err != nil {
		return err
	}
	file, err := a.Attachments.Read(kept.ID)
	if errors.Is(err, fs.ErrNotExist) {
		return &shell.Problem{Status: http.StatusNotFound, Title: v.Say("This file is missing"),
			What: v.Say("Florin knows of the file, but it is not in the folder for attachments."),
			Todo: v.Say("Ask whoever runs this server to put it back from a backup."), Cause: fmt.Errorf("attachment: %w", fs.ErrNotExist)}
	}
	if err != nil {
		return err
	}
	defer file.Close()
	how := "attachment"
	if _, opens := fileType(kept.Type); opens {
		how = "inline"
	}
	v.Writer.Header().Set("Content-Security-Policy", attachmentPolicy)
	w := &fileWriter{visitor: v, contentType: string(kept.Type), disposition: disposition(how, kept.FileName()), length: kept.Size}
	if w.begin(); v.Request.Method == http.MethodHead {
		return nil
	}
	if _, err := io.CopyN(w, file, kept.Size); err != nil {
		if !w.failed {
			a.Log.ErrorContext(v.Ctx(), "attachment", "error", err, "request_id", middleware.RequestIDFrom(v.Ctx()))
		}
		panic(http.ErrAbortHandler) // no browser takes what has come for the whole
	}
	return nil
}

// detach removes a file from a transaction.
func (a *Area) detach(v *shell.Visitor) error {
	account, t, err := a.asked(v)
	if err != nil {
		return err
	}
	if err := a.Store.Detach(v.Ctx(), v.User.ID, account.ID, t.ID, v.Request.PathValue("attachment")); err != nil {
		return err
	}
	if err := a.Attachments.Clean(v.Ctx()); err != nil { // it is done again in the background
		a.Log.WarnContext(v.Ctx(), "files of attachments are not removed yet", "error", err, "request_id", middleware.RequestIDFrom(v.Ctx()))
	}
	a.Flash(v, ui.Good, v.Say("The file is deleted."))
	v.SeeOther(paths.Transaction(account.ID, strconv.FormatInt(t.ID, 10)))
	return nil
}
