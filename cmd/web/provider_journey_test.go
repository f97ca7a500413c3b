package main

import (
	"database/sql"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"florin/internal/testkit"
	"florin/web/templates/paths"
)

// From an empty Florin to a payment through another person's service: the owner is led to the services, registers the certificate that Florin made, connects,
// links a bank there and pays, with a second click on the last button. Pages never call a production application simulated, and the review says that real money
// moves.
func TestJourneyConnectAService(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	for name, l := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newForeign(t)
			f := spawn(t, withoutService)
			w := browse(t, l)
			w.visit(f.setup)
			w.fill("E-mail address", ownerEmail)
			w.fill("Password", ownerPassword)
			w.click("Create account")
			w.see("Banking services", "Florin reaches banks through a banking service.", "Connect Enable Banking")
			w.keepsWidth()
			w.click("Connect another banking service")
			w.fill("Address of the API", "http://192.168.1.5:8081")
			w.click("Continue")
			w.proves()
			w.see("The address must begin with https://")
			w.fill("Address of the API", x.url)
			w.fill("Name (optional)", "Foreign service")
			w.fill("Issuer (optional)", foreignIssuer)
			w.fill("Audience (optional)", foreignAudience)
			w.click("Continue")
			w.see("1. Register an application", "2. Enter the application ID", "Being set up")
			service := must(url.Parse(w.address())).Path
			w.see(f.web + "/callback/" + path.Base(service))
			if !l.noScript {
				w.mayCopy()
				w.press("Copy " + f.web + "/callback/" + path.Base(service))
				w.see("Copied")
			}
			w.press("Show it to copy it")
			certificate := w.evaluate(`document.querySelector("pre.copy").textContent`)
			w.keepsWidth()

			w.fill("Application ID", "4d1e1b0c-6a3a-4cf4-9b7e-2b9d3f5f0a11")
			w.click("Check and connect")
			w.see("It does not work yet.", "Not connected yet", "refused Florin’s proof of identity")
			w.keepsWidth()
			w.fill("Application ID", x.register(certificate, f.web+"/callback/"+path.Base(service)))
			w.click("Check and connect")
			w.see(f.web+"/privacy", f.web+"/terms", "set --operator-name and --operator-contact")
			w.see("The banking service is connected.", "Everything is fine", "Environment: sandbox", "They are simulated: no money moves.")
			w.keepsWidth()
			w.click("Check again")
			w.see("Everything is fine")

			w.chooseBank(f, exampleBank, exampleCountry)
			w.see("Through: Foreign service")
			w.seeNot("You are leaving for") // Florin does not know yet where this service leads people; a later page names the site
			w.click("Continue to " + exampleBank)
			w.see("You are leaving for "+exampleBank, "Look for this name in the address bar.")
			w.click("Go to " + exampleBank)
			w.consent(f, exampleBank)
			w.paysFromTheFirst(f)
			w.see("Simulated: no money moves")
			w.payee("ACME GmbH", "DE89 3704 0044 0532 0130 00", "12,30")
			w.review(newPayeeBox)
			w.confirmTwice(f, x, l, "Confirm 12.30 EUR to ACME GmbH")
			w.toOrder(exampleBank)
			w.approveOrder()
			w.see("Payment to", "Approved by you")
			w.see("Sent from your account")

			// In a test, a production application could not send people to a bank, because that needs https. So the stored provider is changed to production,
			// to see what the pages say about real money.
			f.becomesReal(path.Base(service))
			w.paysFromTheFirst(f)
			w.payee("Verein Lindenhof", "DE02 1203 0000 0000 2020 51", "4,50")
			w.click("Review the payment")
			w.see("This is real money. It moves once you have confirmed here and approved at your bank.", "4.50 EUR")
			w.seeNot("Simulated: no money moves", "no real money")

			w.visit(f.web + service)
			w.press("Remove this banking service")
			w.see("1 connection. You can remove it once")
		})
	}
}

// confirmTwice clicks on the button a second time while the app waits for the service, and comes to the page that leads to the bank: signed in, with one
// payment. With JavaScript the second click sends nothing; without it, the answer to the second click is shown.
func (w *window) confirmTwice(f *florin, x *foreign, l look, button string) {
	w.t.Helper()
	asked, held := make(chan struct{}, 2), make(chan struct{})
	release := sync.OnceFunc(func() { close(held) })
	defer release()
	x.breaks(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost && r.URL.Path == "/payments" {
				asked <- struct{}{}
				<-held
			}
			next.ServeHTTP(rw, r)
		})
	})
	defer x.breaks(nil)
	id := path.Base(path.Dir(must(url.Parse(w.address())).Path))
	w.fill("Your Florin password", ownerPassword)
	var x0, y0 float64
	// While the next page loads, the browser answers no questions about the present one, so the place of the button is read before.
	place := w.evaluate(w.control(button).use(`e.scrollIntoView({block: "center"}); const b = boxes(e)[0]; return (b.x + b.width / 2) + " " + (b.y + b.height / 2);`))
	if _, err := fmt.Sscan(place, &x0, &y0); err != nil {
		w.fatalf("the button is at %q: %v", place, err)
	}
	w.do(chromedp.MouseClickXY(x0, y0))
	select {
	case <-asked:
	case <-time.After(patience):
		w.t.Fatal("the service is not asked for the payment")
	}
	w.do(chromedp.MouseClickXY(x0, y0))
	for end := time.Now().Add(patience); l.noScript && must(url.Parse(w.address())).Path != paths.Payment(id); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			w.fatalf("the second click is not answered")
		}
	}
	release()
	if l.noScript {
		for end := time.Now().Add(patience); !strings.Contains(w.text(), "Waiting for your approval"); time.Sleep(100 * time.Millisecond) {
			if time.Now().After(end) {
				w.fatalf("the payment does not go on")
			}
			w.visit(f.web + paths.Payment(id))
		}
		w.visit(f.web + paths.PaymentLeave(id))
	}
	w.see("Continue to " + exampleBank)
	if len(asked) > 0 {
		w.fatalf("the service was asked for a second payment")
	}
	sent := map[bool]int{true: 2, false: 1}[l.noScript]
	if n := strings.Count(f.err.String()+f.out.String(), "payments/{payment}/confirm"); n != sent {
		w.fatalf("the form was sent %d times, want %d", n, sent)
	}
}

// The owner connects with a key that the control panel made, chosen as a file on a phone. The name of the file contains the application ID.
func TestJourneyConnectWithAKeyFile(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
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
	w.press("I already have a private key")
	w.keepsWidth()
	w.attach("File with the private key", file)
	w.click("Check and connect")
	w.proves()
	w.see("The banking service is connected.", "Everything is fine", id)
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
	w.visit(w.evaluate(`document.querySelector(".row-payer a.row-title").href`))
	w.see("Review the payment")
}

// becomesReal marks the application of a provider as one for production.
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
	time.Sleep(10 * time.Millisecond) // Florin notices a commit of another process within 5 ms
}
