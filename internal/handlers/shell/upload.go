package shell

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"time"
)

// How long an upload may take: a piece of it, and all of it. A browser that sends nothing is not waited for longer.
const (
	uploadPiece = 30 * time.Second
	uploadWhole = 15 * time.Minute
)

// Upload calls read with the file in a field of a form whose route is streamed, and with the name that the browser gives it; with neither when no file was
// chosen. The file comes as it is sent: nothing of it is held. What read does not take is passed over, so that a browser that is still sending gets its answer.
func (v *Visitor) Upload(field string, read func(name string, file io.Reader) error) error {
	v.Request.Body = &upload{body: v.Request.Body, control: http.NewResponseController(v.Writer), end: time.Now().Add(uploadWhole)}
	parts, err := v.Request.MultipartReader()
	if err != nil {
		return read("", nil) // the form has no place for a file, or is empty
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
		_, parameters, err := mime.ParseMediaType(part.Header.Get("Content-Disposition")) // FileName leaves a path out, which is to be refused
		if err != nil {
			return unreadable(err)
		}
		if parameters["filename"] == "" {
			return read("", nil)
		}
		return read(parameters["filename"], part)
	}
}

// unreadable is the problem of a form that breaks off, or is none; one that is too large says so by itself.
func unreadable(err error) error {
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return err
	}
	return &Problem{Status: http.StatusBadRequest, Cause: errors.New("the form cannot be read")} // err may repeat parts of it
}

// upload is a body that takes long to come: each piece has its time, and so has the answer after it.
type upload struct {
	body    io.ReadCloser
	control *http.ResponseController
	end     time.Time
}

// Read waits for the next piece.
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
