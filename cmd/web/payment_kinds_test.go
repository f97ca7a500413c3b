package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"florin/internal/aggregator"
	"florin/internal/contract/walk"
	"florin/internal/iban"
	"florin/internal/testkit"
)

// payJourney is one way to pay, from the form to the final status of the payment. Each is tested with and without JavaScript.
type payJourney struct {
	name string
	bank string // the payment goes from the first account there that can pay

	payee, account, amount string                        // as the person types them
	form                   func(w *window, j payJourney) // fills in the rest
	order                  func(w *window, j payJourney) // replaces the form: everything up to the review

	sum     string   // as pages show it
	review  []string // other texts on the review
	confirm func(w *window, j payJourney)

	approve  func(w *window, j payJourney) // from the page that leads to the bank until the return of the person
	headline string                        // of the payment at the end
	stop     string                        // the last of stops that the payment reaches
	says     []string                      // other texts on the payment's page
	open     bool                          // further changes are expected
	executes []string                      // the transactions of the bank's order; nil: one of the amount to the payee
	unpaid   bool                          // no bank gets an order

	after func(w *window, j payJourney)
}

// stops are the steps of a payment.
var stops = []string{"Created", "Approved by you", "Accepted by your bank", "Sent", "Arrived"}

const (
	savedPayee       = "Hausverwaltung Kern"
	scenarioPayments = "Scenario Payments"
	partlyRejected   = "bulk-partly-rejected" // a user there: every second payment is rejected
)

// bulkFile is a file of payments, with a placeholder for the day.
const bulkFile = `name;iban;amount;text;date
Zimmerei Holz;DE89 3704 0044 0532 0130 00;100,00;Roof;%[1]s
Chaussures Martin;FR14 2004 1010 0505 0001 3M02 606;20.50;Boots;%[1]s
Pension Seeblick;AT61 1904 3002 3457 3201;9,99;Breakfast;%[1]s
`

// dayOf writes a day as pages do: with the year unless it is the present one.
func dayOf(day time.Time) string {
	if day.Year() == time.Now().UTC().Year() {
		return day.Format("2 January")
	}
	return day.Format("2 January 2006")
}

// payday is the day of dated payments: about three weeks away, and not a weekend or a bank holiday.
var payday = func() time.Time {
	day := time.Now().UTC().AddDate(0, 0, 20)
	for slices.Contains([]string{"01-01", "05-01", "12-25", "12-26"}, day.Format("01-02")) || day.Weekday() < time.Tuesday || day.Weekday() > time.Thursday {
		day = day.AddDate(0, 0, 1)
	}
	return day
}()

// outside returns the number of an account that is not at a simulated bank.
func outside(n int) string { return must(iban.Compute("DE", fmt.Sprintf("37040044%010d", n))).Groups() }

// payJourneys has an entry for each kind of payment and for each way in which one can end.
var payJourneys = []payJourney{
	{
		name: "redirect", bank: exampleBank, payee: "ACME GmbH", account: outside(1), amount: "12,30", sum: "12.30",
		form: func(w *window, _ payJourney) {
			const explained = "Country: Germany. The check digits are correct."
			if w.look.noScript {
				w.seeNot(explained)
				w.click("Check the account number")
			}
			w.see(explained, "New payee: your first payment from Florin.")
			w.fill("Text for the payee (optional)", "Invoice 4711")
		},
		review: []string{"New payee: your first payment to ACME GmbH", "Invoice 4711", "Your bank checks whether the name matches the account"},
		approve: func(w *window, _ payJourney) {
			w.click("Not now")
			w.see("Waiting for your approval", "No money moves before you approve it.")
			w.click("Open " + exampleBank)
			w.approveAt(exampleBank)
		},
		headline: "Sent from your account", stop: "Sent", says: []string{"ACSC", "This is no proof that it arrived"},
		after: func(w *window, j payJourney) {
			if !w.look.noScript {
				w.pictures("payment")
			}
			w.click("Receipt")
			w.see("Receipt of a payment order", "It is no proof that the money arrived", "Simulated: no money moves", "End-to-end ID", "Payment ID", j.sum)
		},
	},
	{
		name: "decoupled", bank: decoupledBank, payee: "Crêperie Lann", account: outside(2), amount: "21,40", sum: "21.40",
		approve: func(w *window, j payJourney) {
			w.click("Go to " + decoupledBank)
			w.see("Do you want to make this payment?", j.payee, j.sum)
			w.click("Accept and continue")
			who := w.samples()[0]
			w.fill("Numéro d’adhérent", who.user)
			w.click("Continue")
			w.see("Approve on your phone")
			mobile := browse(w.t, look{width: 390, height: 844, noScript: w.look.noScript})
			mobile.visit(w.evaluate(`document.querySelector(".wait a").href`))
			mobile.fill("Password", who.password)
			mobile.click("Sign in")
			mobile.see("Check your payment", j.payee, j.sum)
			w.see("Approve on your phone") // not before the approval
			mobile.click("Approve the payment")
			mobile.see("on your other screen")
			w.see("Payment to")
		},
		headline: "Arrived", stop: "Arrived", says: []string{"ACCC", "Credited to the payee"}, // an instant payment: this bank offers no others
	},
	{
		name: "embedded", bank: mixedBank, payee: "Kirjakauppa Aalto", account: outside(3), amount: "3.20", sum: "3.20",
		form: func(w *window, _ payJourney) { w.choose("How you approve", "Käyttäjätunnus ja tunnusluvut") },
		approve: func(w *window, j payJourney) {
			w.click("Go to " + mixedBank)
			w.see("Do you want to make this payment?", j.payee, j.sum)
			w.click("Accept and continue")
			who := w.samples()[0]
			w.fill("Käyttäjätunnus", who.user)
			w.fill("Salasana", who.password)
			w.click("Continue")
			w.see("Check your payment")
			w.approveOrder()
		},
		headline: "Sent from your account", stop: "Sent",
	},
	{
		name: "instant", bank: exampleBank, payee: "Fahrradladen Nord", account: outside(4), amount: "7.50", sum: "7.50",
		form:     func(w *window, _ payJourney) { w.kind("Instant", "In euros, there within seconds.") },
		review:   []string{"Immediately after you approve"},
		approve:  func(w *window, _ payJourney) { w.approveAt(exampleBank) },
		headline: "Arrived", stop: "Arrived", says: []string{"ACCC", "Credited to the payee"},
		after: func(w *window, _ payJourney) {
			w.click("Save the payee")
			w.see("The payee is saved.")
		},
	},
	{
		name: "standing order", bank: exampleBank, payee: savedPayee, account: outside(5), sum: "250.00",
		form: func(w *window, j payJourney) {
			w.choose("Saved payee or own account", savedPayee) // with the keyboard, which does not send the form
			w.click("Fill in")
			w.see("Country: Germany.")
			w.fill("Amount", "250")
			w.press("Standing order")
			w.choose("How often", "Every month")
			w.day("First day", payday)
			if !w.look.noScript {
				w.see("Every month, from", "Florin counts only weekends here.", "until you stop it at your bank")
			}
		},
		review: []string{"Review the standing order", "every month, from " + payday.Format("2 January 2006"), "Every month, from", "Next:",
			"You change or stop it at your bank."},
		confirm: func(w *window, j payJourney) {
			w.fill("Your Florin password", ownerPassword)
			w.click("Confirm 250.00 EUR to " + j.payee + ", every month")
		},
		approve: func(w *window, _ payJourney) {
			w.toOrder(exampleBank)
			w.see("Standing order")
			w.approveOrder()
		},
		headline: "Starts on " + dayOf(payday), stop: "Accepted by your bank", open: true, // until its day
		after: func(w *window, j payJourney) { w.isOpen(j.payee, "standing order", j.sum) },
	},
	{
		name: "on a day", bank: exampleBank, payee: "Verein Lindenhof", account: outside(6), amount: "19.99", sum: "19.99",
		form: func(w *window, _ payJourney) {
			w.press("On a day")
			w.day("Day", payday)
		},
		confirm: func(w *window, j payJourney) {
			w.fill("Your Florin password", ownerPassword)
			w.click("Confirm 19.99 EUR to " + j.payee + ", on " + payday.Format("Monday, 2 January 2006"))
		},
		review:   []string{"On " + payday.Format("Monday, 2 January 2006"), "Your bank may move it to its next working day."},
		approve:  func(w *window, _ payJourney) { w.approveAt(exampleBank) },
		headline: "Scheduled for " + dayOf(payday), stop: "Accepted by your bank", open: true,
		after: func(w *window, j payJourney) { w.isOpen(j.payee, j.sum) },
	},
	{
		name: "bulk", bank: scenarioPayments, payee: "3 payments", sum: "130.49",
		order: func(w *window, _ payJourney) { w.bulk() },
		confirm: func(w *window, j payJourney) {
			w.fill("Your Florin password", ownerPassword)
			w.click("Confirm " + j.payee + ", " + j.sum + " EUR, on " + payday.Format("Monday, 2 January 2006"))
		},
		review: []string{"Zimmerei Holz", "Chaussures Martin", "Pension Seeblick", "On " + payday.Format("Monday, 2 January 2006")},
		approve: func(w *window, _ payJourney) {
			w.click("Go to " + scenarioPayments)
			w.see("Do you want to make this payment?")
			w.click("Accept and go to " + scenarioPayments)
			w.fill("User", partlyRejected)
			w.fill("Password", "scenario")
			w.click("Sign in")
			w.see("Check your payment")
			w.approveOrder()
		},
		headline: "Accepted in part", stop: "Accepted by your bank", open: true, // the others wait for their day
		says: []string{"PART", "Each payment in the list has its own status", "your bank decides on the others", "Scheduled for " + dayOf(payday) + " ACCP",
			"Rejected by your bank RJCT"},
		executes: []string{"100.00 EUR to Zimmerei Holz, DE89370400440532013000", "20.50 EUR to Chaussures Martin, FR1420041010050500013M02606",
			"9.99 EUR to Pension Seeblick, AT611904300234573201"},
	},
	{
		name: "rejected", bank: exampleBank, payee: "Nobody Ltd", account: "IE14 SCNM 9903 1012 3456 78", amount: "5", sum: "5.00",
		approve:  func(w *window, _ payJourney) { w.approveAt(exampleBank) },
		headline: "Rejected by your bank", stop: "Approved by you",
		says: []string{"RJCT", "The account number of the payee is wrong.", "AC01", "Compare it with the invoice"},
		after: func(w *window, _ payJourney) {
			w.click("Try again")
			w.see("A new payment like the one to Nobody Ltd")
		},
	},
	{
		name: "cancelled", bank: exampleBank, payee: "Buchhandlung Wal", account: outside(8), amount: "6", sum: "6.00",
		approve: func(w *window, _ payJourney) { // the person declines at the bank
			w.toOrder(exampleBank)
			w.click("Decline")
		},
		headline: "You cancelled this payment", stop: "Created", says: []string{"No money was sent."}, unpaid: true,
		after: func(w *window, j payJourney) { // decline another one, before the bank's site
			w.click("Try again")
			w.see("A new payment like the one to " + j.payee)
			w.review(newPayeeBox) // nobody was paid before, so the payee is new
			w.confirm("Confirm 6.00 EUR to "+j.payee, exampleBank)
			w.click("Go to " + exampleBank)
			w.click("Cancel")
			w.see("You cancelled this payment", "No money was sent.", "Made in place of")
		},
	},
	{
		name: "closed the tab and came back", bank: exampleBank, payee: "Gärtnerei Moos", account: outside(9), amount: "8", sum: "8.00",
		approve: func(w *window, j payJourney) {
			left := w.tab()
			left.visit(w.address())
			left.toOrder(exampleBank)
			left.close()

			w.isOpen(j.payee, "Waiting for your approval")
			w.clickOn(onPath("//*[@id='open-payments']//a[.=" + literal(j.payee) + "]"))
			w.see("Waiting for your approval", "Check again")
			w.click("Open " + exampleBank)
			w.see("Nothing is paid until you approve there.")
			w.click("Go to " + exampleBank)
			w.see(j.payee)
			if w.has("Accept and go to " + exampleBank) {
				w.click("Accept and go to " + exampleBank)
			}
			w.showIdentity()
			w.approveOrder()
		},
		headline: "Sent from your account", stop: "Sent",
	},
	{
		name: "keyboard alone", bank: exampleBank, payee: "Bäckerei Süß", account: outside(10), amount: "2,50", sum: "2.50",
		order: func(w *window, j payJourney) {
			w.tabTo("Pay")
			w.enter()
			w.see("From which account?")
			w.tabTo(w.evaluate(payLink(j.bank) + ".textContent.trim()"))
			w.enter()
			w.see("Review the payment")
			w.write("Name", j.payee)
			w.write("IBAN", strings.ToLower(strings.ReplaceAll(j.account, " ", "")))
			w.write("Amount", j.amount)
			w.enter() // sends the form without changing the kind of payment
			w.see("What happens next", "Standard")
			w.tabTo(newPayeeBox)
			w.keys(" ")
		},
		confirm: func(w *window, _ payJourney) {
			w.write("Your Florin password", ownerPassword)
			w.enter()
		},
		approve: func(w *window, j payJourney) {
			press := func(words string) {
				w.tabTo(words)
				w.enter()
			}
			press("Go to " + exampleBank)
			w.see("Do you want to make this payment?", j.payee, j.sum)
			press("Accept and go to " + exampleBank)
			who := w.samples()[0]
			w.write("User", who.user)
			w.write("Password", who.password)
			w.enter()
			w.see("Check your payment", j.payee, j.sum)
			press("Continue to the code")
			w.write("One-time code", w.sentCode())
			w.enter()
		},
		headline: "Sent from your account", stop: "Sent",
		after: func(w *window, _ payJourney) {
			w.tabTo("Receipt")
			w.enter()
			w.see("Receipt of a payment order")
		},
	},
}

// Every kind of payment and every way in which one can end, each with and without JavaScript: what the person sees at each step, and which orders the bank has
// at the end. One also runs in German. The page of a payment updates without a click until no further change is expected.
func TestJourneyPay(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	f := spawn(t, "--sandbox-pace", "700ms")
	payers := payersOf(t, f)
	t.Run("kinds", func(t *testing.T) {
		for _, j := range payJourneys {
			looks := maps.Clone(scripts)
			if j.name == "redirect" {
				looks[inGerman] = german
			}
			for how, l := range looks {
				t.Run(j.name+" "+how, func(t *testing.T) {
					t.Parallel()
					w := browse(t, l)
					w.as(payers[how])
					w.visit(f.web + "/payments")
					w.pay(f, j)
				})
			}
		}
		for scripting, l := range scripts {
			t.Run("two browsers "+scripting, func(t *testing.T) {
				t.Parallel()
				payInTwoBrowsers(t, f, payers[scripting], payerEmails[scripting], l)
			})
		}
	})
	f.nothingElsePaid()
}

// nothingElsePaid fails when the service or a bank has a payment that the app did not make.
func (f *florin) nothingElsePaid() {
	f.t.Helper()
	db := f.database()
	defer db.Close()
	for id, p := range f.payments() {
		var known int
		if err := db.QueryRow(`SELECT count(*) FROM payment WHERE payment_id = $1`, id).Scan(&known); err != nil {
			f.t.Fatal(err)
		}
		if known != 1 || p.orders > 1 {
			f.t.Errorf("the service has the payment %s, with %d orders at banks; the app has it %d times", id, p.orders, known)
		}
	}
}

// payInTwoBrowsers: actions in one browser appear in the other, which nobody touches: on the page of the payment, and with JavaScript in the lists too.
func payInTwoBrowsers(t *testing.T, f *florin, who *person, email string, l look) {
	j := payJourney{headline: "Sent from your account"}
	w, other := browse(t, l), browse(t, look{width: phone.width, height: phone.height, noScript: l.noScript})
	w.as(who)
	other.signIn(f, email, ownerPassword)
	lists := map[string]*window{}
	if !l.noScript {
		for _, path := range []string{"/payments", "/"} {
			lists[path] = other.tab()
			lists[path].visit(f.web + path)
			lists[path].see("Overview")
		}
	}
	loaded := map[string]string{}
	for path, o := range lists {
		loaded[path] = o.opened()
	}

	const payee = "Musikschule Ton"
	w.visit(f.web + "/pay")
	w.visit(w.evaluate(payLink(exampleBank) + ".href"))
	w.payee(payee, outside(11), "4")
	w.review(newPayeeBox)
	w.confirm("Confirm 4.00 EUR to "+payee, exampleBank)
	id := w.paymentHere()
	other.visit(f.web + "/payments/" + id)
	other.see("Waiting for your approval")
	for _, o := range lists {
		o.lists(id, payee, "Waiting for your approval")
	}
	before := other.glimpse()
	other.evaluate(keepHeadlines)
	w.approveAt(exampleBank)
	w.see("Payment to", payee)

	other.watch(j)
	if after := other.glimpse(); after.loaded == before.loaded {
		t.Error("the page did not reload at the end")
	}
	if !l.noScript {
		seen := strings.Split(other.evaluate("sessionStorage.headlines"), "\n")
		story := []string{"Your bank is checking it", "Your bank has the order", "Details checked", "Account checked", "Being carried out"}
		if between := slices.DeleteFunc(slices.Clone(story), func(h string) bool { return !slices.Contains(seen, h) }); len(between) == 0 ||
			!slices.Equal(slices.DeleteFunc(seen, func(h string) bool { return !slices.Contains(story, h) }), between) {
			t.Errorf("the page showed %q in place, want some of %q, in this order", seen, story)
		}
	}
	other.keepsWidth()
	for path, o := range lists {
		if path == "/payments" {
			o.lists(id, payee, j.headline)
		}
		if o.opened() != loaded[path] {
			t.Errorf("%s was reloaded", path)
		}
	}
}

// keepHeadlines records the headlines of a payment's page from now on, even when the page reloads.
const keepHeadlines = `(() => {
	sessionStorage.headlines = "";
	new MutationObserver(() => {
		const now = document.getElementById("status-title")?.firstChild.textContent.trim();
		const all = sessionStorage.headlines.split("\n");
		if (now && all.at(-1) !== now) sessionStorage.headlines = [...all, now].join("\n");
	}).observe(document.body, {childList: true, subtree: true});
	return "";
})()`

// paymentHere returns the id of the payment from the page that leads to the bank.
func (w *window) paymentHere() string {
	w.t.Helper()
	return w.evaluate(`document.querySelector("main a[href^='/payments/']").pathname.split("/")[2]`)
}

// inGerman is the name of the look with a browser that asks for German.
const inGerman = "in German"

var payerEmails = map[string]string{"with JavaScript": ownerEmail, "without JavaScript": memberEmail, inGerman: "carla@home.example"}

// payersOf returns people with accounts and a payee: one for each of scripts, with an account at each bank, and one who pays in German from the first bank.
func payersOf(t *testing.T, f *florin) map[string]*person {
	t.Helper()
	payers := map[string]*person{"with JavaScript": newPerson(t)}
	payers["with JavaScript"].setUp(f)
	for how, email := range payerEmails {
		if payers[how] == nil {
			payers[how] = newPerson(t)
			addUser(t, f, email, ownerPassword)
			payers[how].signIn(f, email, ownerPassword)
		}
	}
	var all sync.WaitGroup
	for how, p := range payers {
		all.Go(func() {
			for _, b := range []struct {
				name, country string
				as            walk.Person
			}{
				{exampleBank, exampleCountryCode, exampleCustomer},
				{decoupledBank, "FR", walk.Person{Username: "yann", Password: "ecume", Code: "404040"}},
				{mixedBank, "FI", walk.Person{Username: "helmi", Password: "kivi-77", Code: "777777", Method: "codes"}},
				{scenarioPayments, "IE", walk.Person{Username: partlyRejected, Password: "scenario"}},
			} {
				if how == inGerman && b.name != exampleBank {
					continue
				}
				p.visit(f.web + "/link?" + url.Values{"q": {b.name}, "country": {b.country}}.Encode())
				p.visit(p.leaving(f.web + "/link/bank"))
				choices := url.Values{}
				if b.name == scenarioPayments {
					choices.Set("psu_type", "business")
				} else if strings.Contains(p.page.Body, `name="psu_type"`) {
					choices.Set("psu_type", "personal")
				}
				p.approve(f, choices, b.as)
			}
			p.visit(f.web + "/payees/new")
			p.send("/payees", url.Values{"name": {savedPayee}, "iban": {outside(5)}})
		})
	}
	all.Wait()
	f.synced()
	return payers
}

// as signs in a person who is signed in elsewhere. Each window has its own sign-in, because a confirmation renews the session of the sign-in that it belongs
// to.
func (w *window) as(p *person) {
	w.t.Helper()
	own := newPerson(w.t)
	p.again.Lock()
	own.signIn(&florin{web: p.page.URL.Scheme + "://" + p.page.URL.Host}, p.email, p.password)
	p.again.Unlock()
	for _, c := range own.browser.Cookies(own.page.URL) {
		httpOnly := true
		w.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			_, err := cdp.Call(ctx, t, network.SetCookie,
				network.SetCookieParams{Name: c.Name, Value: c.Value, URL: own.page.URL.String(), HTTPOnly: &httpOnly, SameSite: network.CookieSameSiteLax})
			return err
		}))
	}
}

// pay makes a payment in the way of j.
func (w *window) pay(f *florin, j payJourney) {
	if j.order != nil {
		j.order(w, j)
	} else {
		w.visit(f.web + "/pay")
		w.see("From which account?", "Simulated: no money moves")
		w.visit(w.evaluate(payLink(j.bank) + ".href"))
		w.see("Review the payment", "Simulated: no money moves", j.bank)
		if j.amount != "" {
			w.payee(j.payee, j.account, j.amount)
		}
		if j.form != nil {
			j.form(w, j)
		}
		w.review(newPayeeBox)
	}
	w.see("Review the ", j.payee, j.sum, j.account, j.bank, "What happens next", "Simulated: no money moves")
	w.see(j.review...)
	w.keepsWidth()
	if j.name == "redirect" && !w.look.noScript {
		w.evaluate(`(scrollTo(0, 0), "")`)
		w.pictures("review")
	}
	if j.confirm != nil {
		j.confirm(w, j)
	} else {
		w.fill("Your Florin password", ownerPassword)
		w.click("Confirm " + j.sum + " EUR to " + j.payee)
	}
	w.see("Continue to "+j.bank, "Nothing is paid until you approve there.", "Simulated: no money moves", j.sum, j.payee)
	id := w.paymentHere()
	if orders := f.ordered(id); len(orders) > 0 {
		w.fatalf("the bank has %q before the approval", orders)
	}

	j.approve(w, j)
	w.watch(j)
	w.see(append(j.says, j.payee, j.sum, "Simulated: no money moves")...)
	w.keepsWidth()
	if reached := strings.Split(w.evaluate(`[...document.querySelectorAll(".stops .reached")].filter((s) => s.querySelector("time")).map((s) => s.querySelector(".stop-name").textContent.trim()).join("\n")`), "\n"); !slices.Equal(reached, w.allSaid(stops[:slices.Index(stops, j.stop)+1])) {
		w.fatalf("the payment has reached %q, want all up to %q", reached, j.stop)
	}
	want := j.executes
	if want == nil && !j.unpaid {
		want = []string{fmt.Sprintf("%s EUR to %s, %s", j.sum, j.payee, strings.ReplaceAll(j.account, " ", ""))}
	}
	if got := f.ordered(id); !slices.Equal(got, want) {
		w.fatalf("the bank has %q, want %q", got, want)
	}
	if j.after != nil {
		j.after(w, j)
	}
	w.visit(f.web + "/payments")
	w.lists(id, j.payee, j.headline)
}

// lists waits until the list on the page shows all of these texts for a payment.
func (w *window) lists(id string, texts ...string) {
	w.t.Helper()
	const row = `(document.querySelector("a.row-title[href='/payments/%s']")?.closest(".row").innerText || "").replace(/\s+/g, " ")`
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		shown := w.evaluate(fmt.Sprintf(row, id))
		if !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(shown, w.said(text)) }) {
			return
		}
		if time.Now().After(end) {
			w.fatalf("the list shows %q for the payment, want %q", shown, texts)
		}
	}
}

// bulk submits a file with a mistake, corrects it, and continues to the review.
func (w *window) bulk() {
	w.t.Helper()
	good := fmt.Sprintf(bulkFile, payday.Format(time.DateOnly))
	bad := strings.Replace(good, "3M02 606", "3M02 60", 1)
	w.click("Many at once")
	w.see("File: CSV, or pain.001", "Simulated: no money moves", "at most 100 payments at once")
	if w.look.noScript {
		w.fill("Or paste the text here", bad)
	} else {
		file := filepath.Join(w.t.TempDir(), "payments.csv")
		if err := os.WriteFile(file, []byte(bad), 0o600); err != nil {
			w.t.Fatal(err)
		}
		w.attach("File: CSV, or pain.001 from your accounting software", file)
	}
	w.click("Check and continue")
	w.see("These payments cannot be made yet", "1 of 3 payments needs to be corrected",
		"An IBAN that begins with FR (France) has 27 characters; this one has 26", "Line 3", "3 payments", "130.49 EUR")
	w.keepsWidth()
	w.fill("Or paste the text here", good)
	w.click("Check and continue")
	w.see("What happens next")
	w.agreeToAll()
}

// glimpse is the state of a payment's page at a moment.
type glimpse struct {
	loaded   string // when the page was loaded
	headline string
	goesOn   string // "live": by a stream; otherwise the seconds after which the page reloads itself; "": it does not change
	open     bool   // further changes are expected
}

// glimpse reads the state of the page. It is zero while the page loads.
func (w *window) glimpse() glimpse {
	w.t.Helper()
	const look = `(() => {
		const title = document.getElementById("status-title");
		const goesOn = document.querySelector("meta[http-equiv=refresh]")?.content || (document.body.dataset.live ? "live" : "");
		return !title || document.readyState !== "complete" ? "" : [performance.timeOrigin, title.firstChild.textContent.trim(), goesOn, document.getElementById("check") !== null].join("\t");
	})()`
	parts := strings.Split(w.evaluate(look), "\t")
	if len(parts) != 4 {
		return glimpse{}
	}
	g := glimpse{parts[0], parts[1], parts[2], parts[3] == "true"}
	if w.look.noScript && g.goesOn == "live" { // the stream needs JavaScript
		g.goesOn = ""
	}
	return g
}

// watch looks at the page of a payment without touching it, until the payment is where the journey ends. With JavaScript the page changes in place, and reloads
// once at the end. Without, it reloads itself every three seconds until the payment is final.
func (w *window) watch(j payJourney) {
	w.t.Helper()
	goesOn := map[bool]string{true: "3", false: "live"}[w.look.noScript]
	var seen []glimpse
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		g := w.glimpse()
		if g == (glimpse{}) {
			continue
		}
		if len(seen) == 0 || seen[len(seen)-1] != g {
			seen = append(seen, g)
		}
		if g.headline == w.said(j.headline) && g.open == j.open {
			break
		}
		if time.Now().After(end) {
			w.fatalf("the payment does not reach %q, open %t: %+v", j.headline, j.open, seen)
		}
	}
	for i, g := range seen {
		if g.open && g.goesOn != goesOn || !g.open && (g.goesOn == "3" || j.unpaid && g.goesOn != "") {
			w.fatalf("at %+v the page updates in another way: %+v", g, seen)
		}
		if i == 0 {
			continue
		}
		anew := seen[i-1].loaded != g.loaded
		if want := w.look.noScript || !g.open; anew != want {
			w.fatalf("before %+v the page was reloaded: %t, want %t: %+v", g, anew, want, seen)
		}
	}
}

// ordered returns the transactions of the orders that banks got for a payment, in the order in which the orders were approved.
func (f *florin) ordered(id string) (wishes []string) {
	f.t.Helper()
	app, service := f.database(), f.ledger()
	defer app.Close()
	defer service.Close()
	var paymentID string
	if err := app.QueryRow(`SELECT payment_id FROM payment WHERE id = $1`, id).Scan(&paymentID); err != nil {
		f.t.Fatal(err)
	}
	rows, err := service.Query(`SELECT payment_order FROM bank_payment WHERE order_id = $1 ORDER BY number`, paymentID)
	if err != nil {
		f.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var text []byte
		var order aggregator.PaymentOrder
		if err := rows.Scan(&text); err != nil {
			f.t.Fatal(err)
		}
		if err := json.Unmarshal(text, &order); err != nil { //nolint:musttag // as the service keeps it
			f.t.Fatal(err)
		}
		for _, x := range order.Payment.CreditTransferTransaction {
			wishes = append(wishes, fmt.Sprintf("%s %s to %s, %s", x.InstructedAmount.Amount, x.InstructedAmount.Currency, *x.Beneficiary.Creditor.Name,
				x.Beneficiary.CreditorAccount.Identification))
		}
	}
	if err := rows.Err(); err != nil {
		f.t.Fatal(err)
	}
	return wishes
}
