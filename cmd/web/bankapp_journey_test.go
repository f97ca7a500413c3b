package main

import (
	"bytes"
	"errors"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"

	"florin/internal/pdf/pdftest"
	codes "florin/internal/qrcode"
	"florin/internal/testkit"
)

// Somebody prepares a payment. A QR reader by another author reads its code from a picture of the screen. The code is pasted and approved at the bank, the bank
// books the payment, and after the next sync the open page of the payment reports that without a reload by the person. Nothing goes through the service. Then
// three payments go to the bank in one file; the bank books two of them as one total and refuses one. A Swiss bill is paid from an account in francs that is
// not linked to a bank, and its page closes when its booking is typed. One payment goes by a link, in German, on a phone without JavaScript, where an invoice
// as PDF is read, too.
func TestJourneyBanksApp(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	f, p := linked(t, "--sandbox-pace", "10ms")
	w := browse(t, desktop)
	w.as(p)
	w.prepares(f, "Müller & Söhne", outside(41), "12,30", "Rechnung März 7", "12.30")
	code := w.readCode()
	if want := "BCD\n002\n1\nSCT\n\nMueller + Soehne\n" + strings.ReplaceAll(outside(41), " ", "") + "\nEUR12.30\n\n\nRechnung Maerz 7"; code != want {
		t.Fatalf("the code on the page holds %q, want %q", code, want)
	}
	w.evaluate(`(scrollBy(0, document.querySelector("svg.qr").getBoundingClientRect().bottom - innerHeight + 80), "")`)
	w.pictures("bank-app", "")

	bank := w.tab()
	bank.visit(f.service + "/banks/de/seebruecke-bank/app")
	bank.fill("User", exampleCustomer.Username)
	bank.fill("Password", exampleCustomer.Password)
	bank.fill("One-time code", exampleCustomer.Code)
	bank.click("Sign in")
	bank.fill("Text of the code, or link", code)
	bank.click("Continue")
	bank.see("Check your payment", "Mueller + Soehne", outside(41), "12.30", "Simulated: no money moves")
	bank.keepsWidth()
	bank.click("Approve the payment")
	bank.see("The bank has your order", "The bank carries out 1 payment.")

	bank.visit(f.web + "/")
	bank.click("Refresh")
	w.see(bookedWords, "Whether it arrived is not reported.", "−12.30")
	w.seeNot("I have sent it")

	w.sendsAFile(f, bank)
	w.paysABill(f)
	onPhone := browse(t, look{width: phone.width, height: phone.height, german: true, noScript: true})
	onPhone.as(p)
	onPhone.sendsALink(f, bank)
	onPhone.readsAPDF(f, code)
}

// bookedWords are on the page of a payment whose booking was found.
const bookedWords = "This is what your bank booked for it."

// prepares creates a payment that is sent in the app of the bank, and opens its page. sum is the amount in the text of the button.
func (w *window) prepares(f *florin, name, account, amount, text, sum string) {
	w.t.Helper()
	w.visit(f.web + "/pay")
	w.visit(w.evaluate(payLink("Hauptkonto") + ".href")) // the account that the bank offers first
	w.kind("In your bank’s app", "In euros. Florin prepares it, and you send it in the app of your bank.")
	w.payee(name, account, amount)
	w.fill("Text for the payee (optional)", text)
	w.review(newPayeeBox)
	w.fill("Your Florin password", ownerPassword)
	w.click("Confirm " + sum + " EUR to " + name)
	w.see("Florin has sent nothing. Your bank sends it when you approve it there.", "Handed to you")
	w.keepsWidth()
}

// sendsAFile gives the bank three payments in one file, to be booked as one total. The bank refuses one of them. When the person says which, the pages of the
// other two close without a click.
func (w *window) sendsAFile(f *florin, bank *window) {
	w.t.Helper()
	var open []*window // the page of each payment
	for _, one := range [][3]string{{"Rote Katze GmbH", outside(42), "1"}, {"Blauer Hund KG", outside(43), "2"}, {"Nobody Ltd", "IE14 SCNM 9903 1012 3456 78", "3"}} {
		tab := w.tab()
		tab.prepares(f, one[0], one[1], one[2], "File of three", one[2]+".00")
		open = append(open, tab)
	}
	w.visit(f.web + "/payments")
	w.click("Several in one file")
	w.see("Rote Katze GmbH", "Blauer Hund KG", "Nobody Ltd", "Florin keeps no copy.")
	w.keepsWidth()
	w.press("Tick all")
	w.choose("How your bank books them", "One total for each day")
	folder := w.downloads()
	w.press("Download the file")
	file := w.downloaded(folder, "xml")

	bank.visit(f.service + "/banks/de/seebruecke-bank/app")
	bank.attach("Or a file (pain.001)", file)
	bank.click("Continue")
	bank.see("Check your payment", "Rote Katze GmbH", "Blauer Hund KG", "Nobody Ltd", "One total for each group of payments in the file")
	bank.click("Approve the payment")
	bank.see("The bank has your order", "The bank carries out 2 payments.", "The payment to Nobody Ltd was refused")
	bank.visit(f.service + "/banks/de/seebruecke-bank/app")
	bank.attach("Or a file (pain.001)", file)
	bank.click("Continue")
	bank.see("The bank has had this file before")

	bank.visit(f.web + "/")
	bank.click("Refresh")
	bank.see("2 transfers") // no page closes yet: the total is less than the sum in the file
	open[2].click("I did not send it")
	open[2].see("Not sent")
	for _, taken := range open[:2] {
		taken.see("Your bank booked this payment and the others of its file as one total.", "−3.00")
	}
}

// paysABill pays a Swiss QR-bill from an account in francs. The code on the page has the contents of the bill, except the debtor, whom the app of the bank
// fills in. The open page of the payment closes without a click when the person types the booking.
func (w *window) paysABill(f *florin) {
	w.t.Helper()
	const bill = "SPC\n0200\n1\nCH4431999123000889012\nS\nMüller & Söhne AG\nRue du Lac\n12\n2501\nBiel\nCH\n\n\n\n\n\n\n\n49.75\nCHF\n" +
		"%s\nQRR\n210000000003139471430009017\nBestellung vom März\nEPD"
	const debtor = "S\nAda Muster\nSeeweg\n7\n3000\nBern\nCH"
	w.visit(f.web + "/accounts/new")
	w.fill("Name", "Kantonalkonto")
	w.choose("Kind of account", "Current account")
	w.fill("Currency", "CHF")
	w.fill("Balance or value", "900.00")
	w.submit()
	w.see("Kantonalkonto is saved.")
	account := w.address()

	w.visit(f.web + "/pay")
	w.fill("IBAN, or the text of a payment code", fmt.Sprintf(bill, debtor))
	w.click("Continue")
	w.see("From which account?", "49.75 CHF to Müller & Söhne AG")
	w.click("Kantonalkonto")
	w.see("In francs or euros.", "Postcode")
	w.keepsWidth()
	w.click("Review the payment")
	w.see("Florin shows a Swiss QR-bill")
	w.press(newPayeeBox)
	w.fill("Your Florin password", ownerPassword)
	w.click("Confirm 49.75 CHF to Müller & Söhne AG")
	w.see("Florin has sent nothing. Your bank sends it when you approve it there.", "21 00000 00003 13947 14300 09017")
	w.keepsWidth()
	if code, want := w.readCode(), fmt.Sprintf(bill, "\n\n\n\n\n\n"); code != strings.Replace(want, "Lac\n12\n", "Lac 12\n\n", 1) {
		w.t.Fatalf("the code on the page holds %q, want %q", code, want)
	}

	typing := w.tab()
	typing.visit(account)
	typing.click("Add a transaction")
	typing.fill("Amount in CHF", "49.75")
	typing.fill("With whom", "Müller & Söhne AG")
	typing.fill("Text", "Bestellung vom März")
	typing.submit()
	typing.see("850.25")
	w.see(bookedWords, "−49.75")
}

// sendsALink gives the bank the payto link of a payment.
func (w *window) sendsALink(f *florin, bank *window) {
	w.t.Helper()
	w.prepares(f, "Grüne Gans", outside(44), "4,40", "Link vom Handy", "4.40")
	page, link := w.address(), w.evaluate(`document.getElementById("payto").href`)
	if want := "payto://iban/" + strings.ReplaceAll(outside(44), " ", "") + "?"; !strings.HasPrefix(link, want) {
		w.fatalf("the link is %q, want %q", link, want)
	}
	bank.visit(f.service + "/banks/de/seebruecke-bank/app")
	bank.fill("Text of the code, or link", link)
	bank.click("Continue")
	bank.see("Check your payment", "4.40")
	bank.click("Approve the payment")
	bank.see("The bank has your order")
	bank.visit(f.web + "/")
	bank.click("Refresh")
	w.patiently("find the booking", func() error {
		w.visit(page)
		if !w.shows(w.said(bookedWords)) {
			return errors.New("the page does not say that it is booked")
		}
		return nil
	})
	w.keepsWidth()
}

// readsAPDF takes the code from an invoice as PDF.
func (w *window) readsAPDF(f *florin, code string) {
	w.t.Helper()
	drawn, err := codes.Encode(code, codes.M)
	if err != nil {
		w.t.Fatal(err)
	}
	invoice := filepath.Join(w.t.TempDir(), "Rechnung.pdf")
	if err := os.WriteFile(invoice, pdftest.Page(595, 842, "", pdftest.Squares(drawn.Size, drawn.Dark, 60, 60, 80)), 0o600); err != nil {
		w.t.Fatal(err)
	}
	w.visit(f.web + "/pay")
	w.attach("Bild oder PDF mit einem Zahlungscode", invoice)
	w.click("Code lesen")
	w.see("Von welchem Konto?", "12,30 EUR an Mueller + Soehne")
	w.keepsWidth()
}

// readCode reads the code of the page from a picture of the screen.
func (w *window) readCode() string {
	w.t.Helper()
	w.evaluate(`(document.querySelector("svg.qr").scrollIntoView({block: "center"}), "")`)
	shot, err := chromedp.Run(w.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		w.fatalf("take a picture: %v", err)
	}
	picture, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		w.t.Fatal(err)
	}
	bitmap, err := gozxing.NewBinaryBitmapFromImage(picture)
	if err != nil {
		w.t.Fatal(err)
	}
	read, err := qrcode.NewQRCodeReader().Decode(bitmap, map[gozxing.DecodeHintType]any{gozxing.DecodeHintType_TRY_HARDER: true})
	if err != nil {
		w.fatalf("there is no code to be read on the page: %v", err)
	}
	return read.GetText()
}
