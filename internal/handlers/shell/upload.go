package shell

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"time"
)

// The longest time for a piece of an upload, and for all of it. A browser that sends nothing is not waited for any longer.
const (
	uploadPiece = 30 * time.Second
	uploadWhole = 15 * time.Minute
)

// Upload calls read with the file in a field of a form whose route is streamed, and with the name that the browser gives it; with neither when no file was
// chosen. read receives the file while it arrives; nothing is buffered. The rest of the request is discarded, so that a browser that is still sending
// receives its answer.
func (v *Visitor) Upload(field string, read func(name string, file io.Reader) error) error {
	v.Request.Body = &upload{body: v.Request.Body, control: http.NewResponseController(v.Writer), end: time.Now().Add(uploadWhole)}
	parts, err := v.Request.MultipartReader()
	if err != nil {
		return read("", nil) // the form has no field for a file, or is empty
	}
	defer func() { _, _ = io.Copy(io.Discard, v.Request.Body) }()
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return read("", nil)
		}
		if err != nil {
			return unreadable(err)
		}
		if part.FormName() != field {
			continue
		}
		_, parameters, err := mime.ParseMediaType(part.Header.Get("Content-Disposition")) // FileName drops a path, but a path must be refused
		if err != nil {
			return unreadable(err)
		}
		if parameters["filename"] == "" {
			return read("", nil)
		}
		return read(parameters["filename"], part)
	}
}

// unreadable returns the problem of a form that is cut off or malformed. An error about its size is returned as it is.
func unreadable(err error) error {
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return err
	}
	return &Problem{Status: http.StatusBadRequest, Cause: errors.New("the form cannot be read")} // err may contain parts of the form
}

// upload is the body of a slow upload. It extends the deadlines of the request and of its answer with each piece.
type upload struct {
	body    io.ReadCloser
	control *http.ResponseController
	end     time.Time
}

// Read reads the next piece.
func (u *upload) Read(b []byte) (int, error) {
	until := time.Now().Add(uploadPiece)
	if until.After(u.end) {
		until = u.end
	}
	if err := errors.Join(u.control.SetReadDeadline(until), u.control.SetWriteDeadline(until.Add(uploadPiece))); err != nil {
		return 0, err
	}
	return u.body.Read(b)
}

// Close closes the body.
func (u *upload) Close() error { return u.body.Close() }
