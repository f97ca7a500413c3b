package main

import (
	"database/sql"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/mailing/mailtest"
	"florin/internal/testkit"
	"florin/web/templates/paths"
)

// Messages that a person gets in time: a test by mail and one click that turns it off, a calendar that is read with its address alone, amounts hidden by a key,
// and a finding about a direct debit. One Florin, with JavaScript, without, and in German.
func TestJourneyMessages(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	mails := mailtest.Start(t, &mailtest.Server{})
	f, p := linked(t, writingTo(mails)...)
	f.strangeDebit(p)
	for _, l := range []look{desktop, scripts["without JavaScript"], german} {
		w := browse(t, l)
		w.visit(f.web + "/sign-in")
		w.fill("E-mail address", ownerEmail)
		w.fill("Password", ownerPassword)
		w.click("Sign in")
		w.answersDebit()
		w.getsMail(f, mails)
		w.makesCalendar(f)
		w.hidesAmounts(f)
		w.close()
	}
}

// strangeDebit makes the last direct debit of the simulated bank the first one of its creditor: it deletes the other debits that the guard has stored, and
// syncs so that the guard judges this one again.
func (f *florin) strangeDebit(p *person) {
	f.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(f.folder, "app.db")+"?_pragma=busy_timeout(10000)")
	if err != nil {
		f.t.Fatal(err)
	}
	defer db.Close()
	count := func(query string) (n int) {
		if err := db.QueryRow(query).Scan(&n); err != nil {
			f.t.Fatal(err)
		}
		return n
	}
	wait := func(what, query string) {
		f.t.Helper()
		for end := time.Now().Add(patience); count(query) == 0; time.Sleep(50 * time.Millisecond) {
			if time.Now().After(end) {
				f.t.Fatalf("%s: not in %s", what, patience)
			}
		}
	}
	wait("the guard reads the direct debits of the bank", `SELECT EXISTS (SELECT 1 FROM direct_debit) AND (SELECT from_id FROM debit_backlog) > (SELECT MAX(id) FROM booked_transaction)
		AND NOT EXISTS (SELECT 1 FROM direct_debit WHERE looked = 0)`)
	const last = `(SELECT d.transaction_id FROM direct_debit d JOIN booked_transaction t ON t.id = d.transaction_id WHERE t.minor < 0 AND d.back_id IS NULL ORDER BY d.day DESC, d.transaction_id LIMIT 1)`
	for _, query := range []string{
		`DELETE FROM direct_debit WHERE transaction_id <> ` + last + ` AND account_id = (SELECT account_id FROM direct_debit WHERE transaction_id = ` + last + `)`,
		`UPDATE debit_watch SET since = '2000-01-01'`,
		`UPDATE direct_debit SET looked = 0 WHERE transaction_id = ` + last,
	} {
		if _, err := db.Exec(query); err != nil {
			f.t.Fatal(err)
		}
	}
	var connection string
	if err := db.QueryRow(`SELECT id FROM connection`).Scan(&connection); err != nil {
		f.t.Fatal(err)
	}
	p.visit(f.web + paths.Connection(connection))
	p.send(paths.ConnectionRefresh(connection), nil)
	wait("the guard finds something", `SELECT EXISTS (SELECT 1 FROM debit_finding WHERE kind = 'new-creditor')`)
}

// answersDebit sees the finding about a direct debit on the first page, reads the reason and the text to send, and says that the debit is right. Then it undoes
// that for the next window.
func (w *window) answersDebit() {
	w.t.Helper()
	w.see("Look at it")
	w.checkPage()
	w.click("Look at it")
	w.see("How long your bank refunds it", "This is right")
	w.press("Ask for the money back")
	w.see("Text to send")
	if text := w.evaluate(`document.querySelector("#refund textarea").value`); !strings.Contains(text, w.said("Mandate")+": ") {
		w.fatalf("the text to send is %q", text)
	}
	w.keepsWidth()
	w.checkPage()
	w.click("This is right")
	w.see("Noted: this direct debit is right. Florin does not mention it again.", "Check it again")
	page := w.address()
	w.visit(page[:strings.Index(page, "/direct-debits")] + "/")
	w.settled()
	if w.has("Look at it") { // has compares the whole text: in German other texts contain these words
		w.fatalf("the first page still mentions the direct debit")
	}
	w.visit(page)
	w.click("Check it again")
	w.see("This is right")
}

// getsMail switches one kind of notification on, gets a test mail, and switches the kind off with the link in the mail.
func (w *window) getsMail(f *florin, mails *mailtest.Server) {
	w.t.Helper()
	const kind = `input[name="on"][value="` + string(finance.AlertDebit) + `.mail"]`
	checked := func() bool {
		return w.evaluate(onceLoaded+`; String(document.querySelector('`+kind+`').checked)`) == "true"
	}
	w.visit(f.web + "/settings")
	w.click("Notifications")
	w.see("What Florin tells you about", ownerEmail)
	w.pressOn(matching(strings.ReplaceAll(kind, `"`, `'`)))
	w.click("Save the notifications")
	w.see("What Florin tells you about")
	if !checked() {
		w.fatalf("what was switched on is off")
	}
	before := len(mails.Mails())
	w.click("Send a test")
	w.see("The test was sent. It should arrive soon.")
	w.visit(w.linkIn(mails, before, f.web+"/off?"))
	w.see("Turn off messages", "Turn it off")
	w.checkPage()
	w.click("Turn it off")
	w.see("Everything else stays as it was. In the settings you can turn it on again.")
	w.visit(f.web + "/settings/notifications")
	if checked() {
		w.fatalf("what was turned off is on")
	}
	w.checkPage()
}

// makesCalendar makes a calendar address, reads the file as a calendar program does, and ends the address.
func (w *window) makesCalendar(f *florin) {
	w.t.Helper()
	read := func(address string) (status int, file string) {
		r, err := http.Get(address)
		if err != nil {
			w.t.Fatal(err)
		}
		defer r.Body.Close()
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.t.Fatal(err)
		}
		return r.StatusCode, string(body)
	}
	w.visit(f.web + "/settings/calendar")
	w.click("Make an address")
	w.proves()
	w.see("Your calendar address")
	w.checkPage()
	address := strings.TrimSpace(w.evaluate(`document.querySelector(".copyable code").textContent`))
	if status, file := read(address); status != http.StatusOK || !strings.HasPrefix(file, "BEGIN:VCALENDAR") || !strings.Contains(file, "BEGIN:VEVENT") {
		w.fatalf("%s answers %d: %.300s", address, status, file)
	}
	w.visit(f.web + "/settings/calendar")
	w.see("Current address")
	w.click("Turn off this address")
	w.see("Make an address")
	if status, _ := read(address); status != http.StatusNotFound {
		w.fatalf("the address that ended answers %d", status)
	}
}

// hidesAmounts hides amounts and shows them again: with the key, which does nothing while somebody types, or with the button.
func (w *window) hidesAmounts(f *florin) {
	w.t.Helper()
	hidden := func(yes bool) {
		w.t.Helper()
		w.patiently("hide amounts or show them", func() error {
			is, err := w.ask(onceLoaded + `; String(document.body.dataset.amounts === "hidden")`)
			if err == nil && is != strconv.FormatBool(yes) {
				err = errors.New("hidden is " + is)
			}
			return err
		})
	}
	toggle := func() {
		w.t.Helper()
		if w.look.noScript {
			w.clickOn(matching(`button[aria-keyshortcuts="."]`))
			return
		}
		w.settled()
		w.keys(".")
	}
	w.visit(f.web + "/keyboard")
	w.see("Hide amounts, or show them")
	w.checkPage()
	hidden(false)
	toggle()
	hidden(true)
	w.visit(f.web + "/")
	w.see("•••")
	w.visit(f.web + "/transactions")
	w.see("•••")
	if !w.look.noScript {
		w.put(matching("#q"), "rent")
		w.keys(".", "j")
		if typed := w.evaluate(`document.querySelector("#q").value`); typed != "rent.j" {
			w.fatalf("typed is %q", typed)
		}
		hidden(true)
		w.evaluate(`document.activeElement.blur(); ""`)
	}
	toggle()
	hidden(false)
	w.settled()
	w.seeNot("•••")
}
