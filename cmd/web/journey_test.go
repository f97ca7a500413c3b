package main

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"florin/internal/mailing/mailtest"
	"florin/internal/testkit"
)

// customer is a sample user of a simulated bank.
type customer struct{ user, password, code string }

// The steps that several journeys use.

// setUp creates the owner through the one-time link.
func (w *window) setUp(f *florin) {
	w.t.Helper()
	w.visit(f.setup)
	w.see("Welcome to Florin")
	w.fill("E-mail address", ownerEmail)
	w.fill("Password", ownerPassword)
	w.click("Create account")
	w.see("No bank is linked yet")
}

// signIn signs in somebody who has an account.
func (w *window) signIn(f *florin, email, password string) {
	w.t.Helper()
	w.visit(f.web + "/sign-in")
	w.fill("E-mail address", email)
	w.fill("Password", password)
	w.click("Sign in")
	w.see("Overview")
	w.seeNot("Forgotten your password?")
}

// proves types the password before a setting is changed.
func (w *window) proves() {
	w.t.Helper()
	w.see("Confirm that it is you", "Nothing has changed yet.")
	w.keepsWidth()
	w.fill("Your Florin password", ownerPassword)
	w.click("Continue")
}

// chooseBank finds a bank in the list and opens the page that confirms the choice.
func (w *window) chooseBank(f *florin, bank, country string) {
	w.t.Helper()
	w.visit(f.web + "/link")
	w.see("Choose the bank where you have an account")
	w.choose("Country", country)
	w.fill("Name or BIC", bank)
	w.click("Search")
	w.click(bank)
	w.see("Link "+bank, "What you agree to")
	if w.has("Personal") {
		w.press("Personal")
	}
}

// toConsent goes from the choice to the consent page of the service.
func (w *window) toConsent(bank string) {
	w.t.Helper()
	w.see("You are leaving for "+bank, "Look for this name in the address bar.")
	w.click("Continue to " + bank)
	w.see(bank, "Simulated bank: no real money.")
}

// toBank accepts the consent and goes to the bank's own site.
func (w *window) toBank(bank string) {
	w.t.Helper()
	w.click("Accept and go to " + bank)
}

// samples reads the sample users from the sign-in page of a simulated bank.
func (w *window) samples() []customer {
	w.t.Helper()
	w.see("This is a simulated bank")
	var found []customer
	table := w.evaluate(`[...document.querySelectorAll("table.users tbody tr")].map(tr => [...tr.cells].map(td => td.textContent.trim()).join("\t")).join("\n")`)
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(cells) == 2 { // the code for a payment comes later
			cells = append(cells, "")
		}
		if len(cells) != 3 {
			w.fatalf("a sample user has %q", cells)
		}
		found = append(found, customer{cells[0], cells[1], cells[2]})
	}
	if len(found) == 0 {
		w.fatalf("the bank shows no sample user")
	}
	return found
}

// bankSignIn signs in at a bank with user and password.
func (w *window) bankSignIn(c customer) {
	w.t.Helper()
	w.fill("User", c.user)
	w.fill("Password", c.password)
	w.click("Sign in")
	w.see("One-time code")
}

// approve types the code and approves access to all accounts.
func (w *window) approve(c customer) {
	w.t.Helper()
	w.fill("One-time code", c.code)
	w.click("Continue")
	w.see("Your accounts")
	w.click("Approve")
}

// link goes all the way from the list of banks to a linked bank, and waits for the end of the first sync.
func (w *window) link(f *florin, bank, country string) {
	w.t.Helper()
	w.chooseBank(f, bank, country)
	w.toConsent(bank)
	w.consent(f, bank)
}

// consent links the bank from the consent page of the service.
func (w *window) consent(f *florin, bank string) {
	w.t.Helper()
	w.toBank(bank)
	c := w.samples()[0]
	w.bankSignIn(c)
	w.approve(c)
	w.see(bank + " is linked")
	w.synced(f)
}

// synced waits on the accounts page until all syncs are over.
func (w *window) synced(f *florin) {
	w.t.Helper()
	w.visit(f.web + "/")
	w.settled()
	w.see("Up to date")
}

const (
	exampleBank        = "Seebrücke Bank"
	exampleCountry     = "Germany"
	exampleCountryCode = "DE"
)

// A journey from the first start to a transaction, and out again. The setup is easy: at most 8 clicks and 9 pages lead from an installed Florin to the first
// balance.
func TestJourneyFirstStart(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	looks := maps.Clone(scripts)
	looks["in German"] = german
	for name, l := range looks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := spawn(t)
			w := browse(t, l)
			shoot := func(name string) {
				if !l.noScript && (!l.german || slices.Contains([]string{"link", "accounts", "search", "account", "transaction"}, name)) {
					w.pictures(name)
				}
			}
			w.visit(f.web)
			w.see("Open the setup link")
			w.startsCounting()
			w.setUp(f)
			w.click("Link a bank")
			shoot("link")
			w.click(exampleBank) // it is among the first banks of the list, without a search
			w.toConsent(exampleBank)
			w.see("Share your data from " + exampleBank + " with Florin?")
			shoot("consent")
			w.toBank(exampleBank)
			c := w.samples()[0]
			shoot("bank")
			atBank := w.cookies()
			w.bankSignIn(c)
			w.approve(c)
			w.see(exampleBank+" is linked", "Your accounts there")
			shoot("linked")
			if atHome := w.cookies(); len(atHome) == 0 || len(atBank) <= len(atHome) {
				t.Errorf("the cookies are %q at the bank and %q in the app, want those of the app and one of the bank's own", atBank, atHome)
			}
			w.settled()
			if first := w.evaluate(`(document.querySelector("main .row-side .money") || {}).textContent || ""`); first == "" {
				w.fatalf("there is no balance yet")
			}
			if clicks, pages := w.counted(); clicks > 8 || len(pages) > 9 {
				t.Errorf("from the start to the first balance: %d clicks and %d pages, want at most 8 and 9: %q", clicks, len(pages), pages)
			}
			w.click("See all accounts")
			w.see("Up to date")
			shoot("accounts")
			w.visit(f.web + "/transactions?q=amount%3A%3E20+-is%3Ain")
			w.see("Money out", "Edit several")
			shoot("search")
			w.visit(f.web + "/")
			account := w.evaluate(`document.querySelector(".account-row a.row-title").textContent.trim()`)
			w.click(account)
			w.see("Transactions", "Balances", "Details")
			shoot("account")
			w.clickOn(matching(".card:not(.pending) .tx a.row-title"))
			w.see("Dates", "What the bank sent")
			shoot("transaction")
			w.press("What the bank sent")
			w.see("credit_debit_indicator")
			w.signOut()
			w.do(chromedp.NavigateBack()) // security T20
			w.see("Forgotten your password?")
			w.seeNot(account)
			w.visit(f.web + "/")
			w.see("Forgotten your password?")
			w.signIn(f, ownerEmail, ownerPassword)
			w.see(account)
		})
	}
}

// writingTo returns the settings of a Florin that sends its mails to a server of the test.
func writingTo(mails *mailtest.Server) []string {
	return []string{"--smtp-host=127.0.0.1", "--smtp-port=" + strconv.Itoa(mails.Port()), "--smtp-tls=none", "--smtp-from=florin@example.org"}
}

// linkIn waits for a mail to the owner, skipping the first ones, and returns the link in it with this beginning.
func (w *window) linkIn(mails *mailtest.Server, first int, beginning string) (link string) {
	w.t.Helper()
	w.patiently("bring a mail", func() error {
		for _, m := range mails.Mails()[first:] {
			if _, rest, found := strings.Cut(m.Text, beginning); found && m.To == ownerEmail {
				rest, _, _ = strings.Cut(rest, "\n")
				link = beginning + rest
				return nil
			}
		}
		return errors.New("there is none yet")
	})
	return link
}

// startsCounting resets the counts of clicks and pages.
func (w *window) startsCounting() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clicks, w.pages = 0, nil
}

// counted returns the clicks and the pages since then.
func (w *window) counted() (clicks int, pages []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.clicks, slices.Clone(w.pages)
}

func (w *window) signOut() {
	w.t.Helper()
	w.settled()
	w.pressOn(matching(".top-side > details.menu summary"))
	w.click("Sign out")
	w.see("Sign in")
}

// The mock bank asks for no user, no password and no code.
func TestJourneyMockBank(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	f := spawn(t)
	w := browse(t, desktop)
	w.setUp(f)
	w.chooseBank(f, "Mock ASPSP", "Germany")
	w.toConsent("Mock ASPSP")
	w.toBank("Mock ASPSP")
	w.see("Which accounts may")
	w.click("Approve")
	w.see("Mock ASPSP is linked")
	w.synced(f)
}

// Who cancels at the consent page returns to Florin at once, and no data was shared.
func TestJourneyCancelAtConsent(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	for name, l := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := spawn(t)
			w := browse(t, l)
			w.setUp(f)
			w.chooseBank(f, exampleBank, exampleCountry)
			w.toConsent(exampleBank)
			w.click("Cancel")
			w.see("No access was given", "Nothing was shared")
			w.click("Go to your accounts")
			w.see("No bank is linked yet")
		})
	}
}

// Declining works on every page of the bank.
func TestJourneyDeclineAtBank(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	f := spawn(t)
	w := browse(t, desktop)
	w.setUp(f)
	for _, until := range []string{"Sign in", "One-time code", "Approve"} {
		w.chooseBank(f, exampleBank, exampleCountry)
		w.toConsent(exampleBank)
		w.toBank(exampleBank)
		c := w.samples()[0]
		if until != "Sign in" {
			w.bankSignIn(c)
		}
		if until == "Approve" {
			w.fill("One-time code", c.code)
			w.click("Continue")
			w.see("Your accounts")
			w.click("Decline")
		} else {
			w.click("Cancel and go back to Florin")
		}
		w.see("No access was given")
	}
	w.click("Go to your accounts")
	w.see("No bank is linked yet")
}

// After a wrong code the page says so and lets the person type it again; the fifth wrong code ends the visit.
func TestJourneyWrongCode(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	for name, l := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := spawn(t)
			w := browse(t, l)
			w.setUp(f)
			visit := func() customer {
				w.chooseBank(f, exampleBank, exampleCountry)
				w.toConsent(exampleBank)
				w.toBank(exampleBank)
				c := w.samples()[0]
				w.bankSignIn(c)
				return c
			}
			wrong := func() {
				w.fill("One-time code", "000000")
				w.click("Continue")
			}
			visit()
			for left := range 4 {
				wrong()
				w.see("This code is wrong", []string{"4 attempts", "3 attempts", "2 attempts", "1 attempt"}[left])
			}
			wrong()
			w.see("Access is blocked", "Nothing was shared")
			w.click("Go back")
			w.see("Start again")
			c := visit()
			wrong()
			w.see("This code is wrong")
			w.approve(c)
			w.see(exampleBank + " is linked")
		})
	}
}

// A journey with the keyboard alone.
func TestJourneyKeyboard(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	f := spawn(t)
	newPerson(t).setUp(f)
	w := browse(t, desktop)
	w.visit(f.web + "/sign-in")
	w.write("E-mail address", ownerEmail)
	w.write("Password", ownerPassword)
	w.enter()
	w.see("No bank is linked yet")
	w.tabTo("Link a bank")
	w.enter()
	w.write("Name or BIC", exampleBank)
	w.enter()
	w.tabTo(exampleBank)
	w.enter()
	w.tabTo("Continue to " + exampleBank)
	w.enter()
	w.tabTo("Accept and go to " + exampleBank)
	w.enter()
	c := w.samples()[0]
	w.write("User", c.user)
	w.write("Password", c.password)
	w.enter()
	w.write("One-time code", c.code)
	w.enter()
	w.see("Your accounts")
	w.tabTo("Approve")
	w.enter()
	w.see(exampleBank + " is linked")
	w.settled()
	w.tabTo("See all accounts")
	w.enter()
	w.see("Up to date")
}

// Two tabs of one browser can link banks at the same time.
func TestJourneyTwoTabs(t *testing.T) {
	t.Parallel()
	testkit.Long(t, testkit.Browser)
	f := begin(t)
	one := browse(t, desktop)
	one.setUp(f)
	two := one.tab()
	one.chooseBank(f, exampleBank, exampleCountry)
	one.toConsent(exampleBank)
	two.chooseBank(f, exampleBank, exampleCountry)
	two.toConsent(exampleBank)
	one.toBank(exampleBank)
	two.toBank(exampleBank)
	two.fill("User", "mia") // she shares no account with the other and has no code
	two.fill("Password", "muschel-8")
	two.click("Sign in")
	two.see("Your accounts")
	c := one.samples()[0]
	one.bankSignIn(c)
	one.approve(c)
	one.see(exampleBank + " is linked")
	two.click("Approve")
	two.see(exampleBank + " is linked")
	one.synced(f)
	two.synced(f)
	if first, second := one.evaluate(banks), two.evaluate(banks); first != "2" || second != "2" {
		t.Errorf("the tabs show %s and %s banks, want 2 and 2", first, second)
	}
	one.signOut()
	two.visit(f.web)
	two.see("Forgotten your password?")
}

const banks = `String(document.querySelectorAll("section.card[id^='bank-']").length)`

// Stopping the sync ends the consent and keeps the data. Deleting first lists what is deleted, and asks the person to type a name.
func TestJourneyDisconnect(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	for name, l := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := spawn(t)
			w := browse(t, l)
			w.setUp(f)
			w.link(f, exampleBank, exampleCountry)
			account := w.evaluate(`document.querySelector(".account-row a.row-title").href`)
			w.visit(account)
			before := w.evaluate(`[...document.querySelectorAll(".tx")].map(tx => tx.textContent).join()`)
			if before == "" {
				w.fatalf("there are no transactions")
			}
			w.click("How the sync went")
			w.click("Stop syncing, keep the history…")
			w.see("What happens", "stay in Florin")
			w.click("Keep the connection")
			w.click("Stop syncing, keep the history…")
			w.click("Stop syncing")
			w.see(exampleBank+" is no longer synced, and the consent has ended.", "Kept by you")
			w.visit(account)
			w.see("Florin no longer reads this account at the bank", "Reconnect")
			if after := w.evaluate(`[...document.querySelectorAll(".tx")].map(tx => tx.textContent).join()`); after == "" || !strings.HasSuffix(before, after) { // pending ones are gone
				t.Errorf("the transactions changed:\n%s\nwere\n%s", after, before)
			}
			name := w.evaluate(`document.querySelector("h1").textContent`)
			w.click("Delete the account")
			w.see("What Florin deletes", "transactions", "What stays", "Save a copy first")
			field := "To confirm, type “" + name + "”"
			w.fill(field, "something else")
			w.click("Delete the data")
			w.proves()
			w.see("The name does not match. Nothing is deleted yet.")
			w.fill(field, name)
			w.click("Delete the data")
			w.see(name+" is deleted.", "Kept by you")
		})
	}
}

// The first sync shows its progress without a click: with JavaScript in the same page, without it by reloading the page.
func TestJourneyProgress(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	for name, l := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := spawn(t)
			w := browse(t, l)
			w.setUp(f)
			w.chooseBank(f, mammoth.Name, "Netherlands")
			w.toConsent(mammoth.Name)
			w.toBank(mammoth.Name)
			w.fill("User", "10000")
			w.fill("Password", "mammoth")
			w.click("Sign in")
			w.see("Your accounts")
			w.click("Approve")
			w.see("Mammoth is linked")
			const progress = `(document.querySelector("[aria-live=polite]")?.textContent || "").replace(/\s+/g, " ").trim()`
			page, shown := w.opened(), map[string]bool{}
			for end := time.Now().Add(patience); ; {
				now := w.evaluate(progress)
				if now == "" { // the sync has ended
					break
				}
				if l.noScript || w.opened() == page {
					shown[now] = true
				}
				if time.Now().After(end) {
					w.fatalf("the first sync does not end; it showed %q", slices.Collect(maps.Keys(shown)))
				}
				time.Sleep(10 * time.Millisecond)
			}
			again := w.opened() != page
			if l.noScript && !again {
				t.Error("the page did not load itself again")
			}
			if !l.noScript && len(shown) < 2 {
				t.Errorf("the page showed no progress by itself, only %q", slices.Collect(maps.Keys(shown)))
			}
			w.visit(f.web + "/")
			w.see("Up to date")
		})
	}
}
