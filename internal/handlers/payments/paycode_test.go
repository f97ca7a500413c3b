package payments

import (
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/qrcode"
)

// patient is an answer that accepts deadlines, as those of connections do.
type patient struct{ http.ResponseWriter }

func (patient) SetReadDeadline(time.Time) error  { return nil }
func (patient) SetWriteDeadline(time.Time) error { return nil }

// Florin reads one file of each person at a time. A second file of the same person is refused with a reason. Other people do not wait, and afterwards the next
// file is read.
func TestOneFileOfAPersonIsReadAtATime(t *testing.T) {
	t.Parallel()
	a := New(Deps{})
	// send begins to send a file. ends sends the rest, which makes it no picture, and returns the result.
	send := func(user string) (file io.Writer, ends func() error) {
		t.Helper()
		body, sent := io.Pipe()
		form := multipart.NewWriter(sent)
		v := &shell.Visitor{Writer: patient{httptest.NewRecorder()}, User: finance.User{ID: user},
			Request: httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/pay/code", body)}
		v.Request.Header.Set("Content-Type", form.FormDataContentType())
		done := make(chan error, 1)
		go func() {
			_, err := a.readCode(v)
			done <- err
		}()
		file, err := form.CreateFormFile("picture", "invoice.png")
		if err != nil {
			t.Fatal(err)
		}
		return file, func() error {
			if err := errors.Join(form.Close(), sent.Close()); err != nil {
				t.Fatal(err)
			}
			return <-done
		}
	}
	file, ends := send("mira")
	for range 2 { // the second piece is accepted only while the file is being read
		if _, err := file.Write(make([]byte, 64<<10)); err != nil {
			t.Fatal(err)
		}
	}
	_, second := send("mira")
	if err := second(); !errors.Is(err, errReading) || pictureProblem(err) == "" {
		t.Errorf("a second file: %v", err)
	}
	_, other := send("ada")
	if err := other(); !errors.Is(err, qrcode.ErrNoPicture) {
		t.Errorf("somebody else's file: %v", err)
	}
	if err := ends(); !errors.Is(err, qrcode.ErrNoPicture) {
		t.Errorf("the first file: %v", err)
	}
	_, next := send("mira")
	if err := next(); !errors.Is(err, qrcode.ErrNoPicture) {
		t.Errorf("the next file: %v", err)
	}
}
