package main

import (
	"database/sql"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"florin/web/templates/paths"
)

// From an empty Florin to a payment through a service of somebody else: the owner is led to the services, registers the certificate that Florin made, connects, links a
// bank there and pays. Of an application of production nothing is called simulated, and the review says that real money moves.
func TestJourneyConnectAService(t *testing.T) {
	for name, l := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newForeign(t)
			f := spawn(t, withoutService)
			w := browse(t, l)
			w.visit(f.setup)
			w.fill("E-mail address", ownerEmail)
			w.fill("Password", ownerPassword)
			w.click("Create the owner")
			w.see("Banking services", "Florin reaches banks through a service.", "Connect Enable Banking")
			w.keepsWidth()
			w.click("Connect another service")
			w.fill("Address of the interface", "http://192.168.1.5:8081")
			w.click("Continue")
			w.proves()
			w.see("The address has to begin with https://")
			w.fill("Address of the interface", x.url)
			w.fill("Name (may be left out)", "Foreign service")
			w.fill("Issuer (may be left out)", foreignIssuer)
			w.fill("Audience (may be left out)", foreignAudience)
			w.click("Continue")
			w.see("1. Register an application", "2. Tell Florin its id", "Being set up")
			service := must(url.Parse(w.address())).Path
			w.see(f.web + "/callback/" + path.Base(service))
			w.press("Show it, to copy it")
			certificate := w.evaluate(`document.querySelector("pre.copy").textContent`)
			w.keepsWidth()

			w.fill("Application id", "4d1e1b0c-6a3a-4cf4-9b7e-2b9d3f5f0a11")
			w.click("Check and connect")
			w.see("It does not work yet.", "Not connected yet", "refused Florin’s proof of identity")
			w.keepsWidth()
			w.fill("Application id", x.register(certificate, f.web+"/callback/"+path.Base(service)))
			w.click("Check and connect")
			w.see("The service is connected.", "All is well", "Environment: sandbox", "They are simulated: no money moves.")
			w.keepsWidth()
			w.click("Check again")
			w.see("All is well")

			w.chooseBank(f, exampleBank, exampleCountry)
			w.see("Through Foreign service")
			w.link(f, exampleBank, exampleCountry)
			w.paysFromTheFirst(f)
			w.see("Simulated: no money moves")
			w.payee("ACME GmbH", "DE89 3704 0044 0532 0130 00", "12,30")
			w.review(newPayeeBox)
			w.confirm("Confirm 12.30 EUR to ACME GmbH", exampleBank)
			w.toOrder(exampleBank)
			w.approveOrder()
			w.see("Payment to", "Approved by you")
			w.see("Sent: taken from your account")

			// An application of production could not send people to a bank without https. What the pages say of its money is seen all the same.
			f.becomesReal(path.Base(service))
			w.paysFromTheFirst(f)
			w.payee("Verein Lindenhof", "DE02 1203 0000 0000 2020 51", "4,50")
			w.click("Review the payment")
			w.see("Real money moves when you have confirmed here and approved at your bank.", "4.50 EUR")
			w.seeNot("Simulated: no money moves", "no real money")

			w.visit(f.web + service)
			w.press("Remove this service")
			w.see("1 connection, of all people here together")
		})
	}
}

// A key that the control panel made, chosen as a file on a phone: its name says the application id.
func TestJourneyConnectWithAKeyFile(t *testing.T) {
	t.Parallel()
	x := newForeign(t)
	f := spawn(t, withoutService)
	p := newPerson(t)
	p.visit(f.setup)
	p.send("/setup", url.Values{"email": {ownerEmail}, "password": {ownerPassword}})
	service := p.begins(f, x)
	w := browse(t, phone)
	w.signIn(f, ownerEmail, ownerPassword)
	w.see("No banking service is connected yet")
	w.click("Connect a banking service")
	w.click("Foreign service")
	private, certificate := ownKey()
	id := x.register(certificate, f.web+"/callback/"+path.Base(service))
	file := filepath.Join(t.TempDir(), id+".pem")
	if err := os.WriteFile(file, []byte(private), 0o600); err != nil {
		t.Fatal(err)
	}
	w.press("I have a private key already")
	w.keepsWidth()
	w.do(chromedp.SetUploadFiles(w.field("The file with the private key"), []string{file}))
	w.click("Check and connect")
	w.proves()
	w.see("The service is connected.", "All is well", id)
	w.keepsWidth()
	w.visit(f.web + paths.Services)
	w.see("Foreign service", "Ready")
	w.keepsWidth()
	if log := f.err.String(); strings.Contains(log, strings.Split(private, "\n")[2]) {
		t.Error("the key is in the log")
	}
}

// paysFromTheFirst opens the form for a payment from the first account that can pay.
func (w *window) paysFromTheFirst(f *florin) {
	w.t.Helper()
	w.visit(f.web + "/pay")
	w.see("From which account?")
	w.visit(w.evaluate(`document.querySelector(".rows a.row-title").href`))
	w.see("Review the payment")
}

// becomesReal makes a provider look as if its application were of production.
func (f *florin) becomesReal(provider string) {
	f.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(f.folder, "app.db")+"?_pragma=busy_timeout(10000)")
	if err != nil {
		f.t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`UPDATE provider SET environment = 'PRODUCTION' WHERE id = $1`, provider); err != nil {
		f.t.Fatal(err)
	}
}
