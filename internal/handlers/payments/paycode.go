package payments

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"florin/internal/handlers/shell"
	"florin/internal/paymentfile"
	"florin/internal/paymentform"
	"florin/internal/pdf"
	"florin/internal/qrcode"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// readIn is how long a code is looked for in a file that has arrived, the wait for other files included. Drawing a scanned page takes 10 s.
const readIn = 30 * time.Second

// payCode reads the payment code in a picture or a PDF, and goes on with it as with one that was pasted. The file is not kept.
func (a *Area) payCode(v *shell.Visitor) error {
	text, err := a.readCode(v)
	refuse := func(payers []paymentform.Payer, why string) error {
		return a.choosePayer(v, http.StatusUnprocessableEntity, payers, payEntry{}, pages.PayStartView{PictureProblem: why}, nil)
	}
	if why := pictureProblem(err); why != "" {
		payers, err := a.payers(v)
		if err != nil {
			return err
		}
		return refuse(payers, v.Say(why))
	}
	if err != nil {
		return err
	}
	return a.payPasted(v, text, func(payers []paymentform.Payer, why string) error {
		if !paymentfile.LooksLikeInvoice(text) {
			why = v.Say("The QR code in this file is no payment code. Enter name, IBAN and amount in the form.")
		}
		return refuse(payers, why)
	})
}

// readCode returns the text of the code in the file that a form brings. It reads one file of each person at a time: all people share one place to read
// (qrcode.Read), and nobody else would get it while the files of one person wait in a row. The error is one of pictureProblems, or that of the upload.
func (a *Area) readCode(v *shell.Visitor) (text string, err error) {
	err = v.Upload("picture", func(_ string, file io.Reader) (err error) {
		if file == nil {
			return errNoPicture
		}
		if _, busy := a.reading.LoadOrStore(v.User.ID, true); busy {
			return errReading
		}
		defer a.reading.Delete(v.User.ID)
		text, err = qrcode.Read(v.Ctx(), file, readIn, paymentfile.IsReadable)
		return err
	})
	return text, err
}

// Problems of a form with a file.
var (
	errNoPicture = errors.New("no file was chosen")
	errReading   = errors.New("another file of this person is being read")
)

// pictureProblem says why no code was read, and what to do; "" for any other error.
func pictureProblem(err error) words.Text {
	for _, problem := range pictureProblems {
		if errors.Is(err, problem.err) {
			if errors.Is(err, qrcode.ErrPDF) {
				return problem.ofPDF
			}
			return problem.ofPicture
		}
	}
	return ""
}

// pictureProblems are what can be wrong with a picture, or with a PDF.
var pictureProblems = []struct {
	err              error
	ofPicture, ofPDF words.Text
}{
	{errNoPicture, "Choose a file first.", ""},
	{errReading, "Florin is still reading your last file. Wait a moment, then choose this one again.", ""},
	{qrcode.ErrTooLarge, "This file is too large. Take a screenshot of the code, or crop the picture to the code.", ""},
	{qrcode.ErrNoPicture, "This file is not a picture that Florin can read, or it is damaged. Choose a PNG, JPEG, WebP or PDF file.", ""},
	{pdf.ErrLocked, "", "This PDF is locked with a password. Open it, take a screenshot of the code, and choose that."},
	{pdf.ErrUnreadable, "", "Florin cannot show the first page of this PDF: it is damaged, empty, or needs too much memory. Open it, take a screenshot of the code, and choose that."},
	{qrcode.ErrNoCode, "Florin finds no QR code in this picture. Take it again: the whole code, sharp, without shadows.",
		"Florin finds no QR code on the first page of this PDF. Open it, take a screenshot of the code, and choose that."},
	{qrcode.ErrOtherCodes, "There are several QR codes in this picture. Crop it to the payment code.",
		"There are several QR codes on the first page of this PDF. Take a screenshot of the payment code alone, and choose that."},
	{context.DeadlineExceeded, "Reading this picture took too long. Crop it to the code, and try again.",
		"Reading this PDF took too long. Open it, take a screenshot of the code, and choose that."},
}

// pictureTooLarge says what to do instead of sending so large a file.
func pictureTooLarge(ctx context.Context) *shell.Problem {
	return &shell.Problem{Status: http.StatusRequestEntityTooLarge, Title: words.Say(ctx, "The file is too large"),
		What:   words.Say(ctx, "A file with a payment code may have %d MB at most.", qrcode.MaxBytes>>20),
		Todo:   words.Say(ctx, "Take a screenshot of the code, or crop the picture to the code."),
		Action: ui.Link{Text: words.Say(ctx, "Pay"), Href: paths.Pay}}
}
