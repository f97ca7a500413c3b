package main

import (
	"bytes"
	"image/png"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"

	"florin/internal/testkit"
)

// Somebody prepares a payment, and what the page shows as a code, a reader of codes that is not ours reads from a picture of the screen. Pasted at the bank and
// approved there, it is booked, and the open page of the payment says so by itself after the next sync. Nothing went through the service.
func TestJourneyBanksApp(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	f := spawn(t, "--sandbox-pace", "10ms")
	p := newPerson(t)
	p.setUp(f)
	p.link(f, exampleBank, exampleCountryCode, exampleCustomer)
	f.synced()
	w := browse(t, desktop)
	w.as(p)
	w.visit(f.web + "/pay")
	w.visit(w.evaluate(payLink("Hauptkonto") + ".href")) // the account that the bank offers first
	w.kind("In your bank’s app", "In euros. Florin prepares it, and you send it in the app of your bank.")
	w.payee("Müller & Söhne", outside(41), "12,30")
	w.fill("Text for the payee (optional)", "Rechnung März 7")
	w.review(newPayeeBox)
	w.fill("Your Florin password", ownerPassword)
	w.click("Confirm 12.30 EUR to Müller & Söhne")
	w.see("Florin has sent nothing. Your bank sends it when you approve it there.", "Handed to you")
	code := w.readCode()
	if want := "BCD\n002\n1\nSCT\n\nMueller + Soehne\n" + strings.ReplaceAll(outside(41), " ", "") + "\nEUR12.30\n\n\nRechnung Maerz 7"; code != want {
		t.Fatalf("the code on the page holds %q, want %q", code, want)
	}

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
	w.see("Whether it arrived is not reported.", "This is what your bank booked for it.", "−12.30")
	w.seeNot("I have sent it")
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
