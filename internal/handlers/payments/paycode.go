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
	"florin/internal/qrcode"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// readIn is how long a code is looked for in a picture, the wait for other pictures included.
const readIn = 20 * time.Second

// payCode reads the payment code in a picture, and goes on with it as with one that was pasted. The picture is not kept.
func (a *Area) payCode(v *shell.Visitor) error {
	var text string
	err := v.Upload("picture", func(_ string, file io.Reader) (err error) {
		if file == nil {
			return errNoPicture
		}
		ctx, cancel := context.WithTimeout(v.Ctx(), readIn)
		defer cancel()
		text, err = qrcode.Read(ctx, file, paymentfile.LooksLikeInvoice)
		return err
	})
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
			why = v.Say("The QR code in this picture is no payment code. Enter name, IBAN and amount in the form.")
		}
		return refuse(payers, why)
	})
}

// errNoPicture is a form without a picture.
var errNoPicture = errors.New("no picture was chosen")

// pictureProblem says why no code was read, and what to do; "" for any other error.
func pictureProblem(err error) words.Text {
	switch {
	case errors.Is(err, errNoPicture):
		return "Choose a picture first."
	case errors.Is(err, qrcode.ErrTooLarge):
		return "This picture is too large. Take a screenshot of the code, or cut the picture so that the code remains."
	case errors.Is(err, qrcode.ErrPDF):
		return "Florin cannot read PDF files. Open the file, take a screenshot of the code, and choose that."
	case errors.Is(err, qrcode.ErrNoPicture):
		return "This file is not a picture that Florin can read, or it is damaged. Choose a PNG, JPEG or WebP file."
	case errors.Is(err, qrcode.ErrNoCode):
		return "Florin finds no QR code in this picture. Take it again: the whole code, sharp, without shadows."
	case errors.Is(err, qrcode.ErrOtherCodes):
		return "There are several QR codes in this picture. Cut it so that only the payment code remains."
	case errors.Is(err, context.DeadlineExceeded):
		return "Reading this picture took too long. Cut it so that only the code remains, and try again."
	}
	return ""
}

// pictureTooLarge says what to do instead of sending so large a file.
func pictureTooLarge(ctx context.Context) *shell.Problem {
	return &shell.Problem{Status: http.StatusRequestEntityTooLarge, Title: words.Say(ctx, "The file is too large"),
		What:   words.Say(ctx, "A picture with a payment code may have %d MB at most.", qrcode.MaxBytes>>20),
		Todo:   words.Say(ctx, "Take a screenshot of the code, or cut the picture so that the code remains."),
		Action: ui.Link{Text: words.Say(ctx, "Pay"), Href: paths.Pay}}
}
