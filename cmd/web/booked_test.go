package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"florin/internal/testkit"
)

// What happens after a payment: the bank books it, and an open page shows that. A person who left the page sees once how the payment ended. A standing order is
// announced the day before.
func TestJourneyAfterPaying(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	f, p := linked(t, "--sandbox-pace", "300ms")
	n := 30
	for scripting, l := range scripts {
		t.Run(scripting, func(t *testing.T) {
			w := browse(t, l)
			w.as(p)
			pay := func(payee, amount, shown, when string, more func()) {
				t.Helper()
				n++
				w.visit(f.web + "/pay")
				w.visit(w.evaluate(payLink(exampleBank) + ".href"))
				w.payee(payee, outside(n), amount)
				if more != nil {
					more()
				}
				w.review(newPayeeBox)
				w.confirm("Confirm "+shown+" to "+payee+when, exampleBank)
				w.approveAt(exampleBank)
				w.see("Payment to", payee)
			}

			again := func(enough func() bool) { // without JavaScript: load the page again until enough is true, instead of waiting for the page's own reload
				for end := time.Now().Add(patience); l.noScript && !enough() && time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
					w.visit(w.address())
				}
			}

			pay("Gasthof Linde "+scripting, "31,70", "31.70 EUR", "", nil)
			w.see("Sent from your account")
			again(func() bool { return w.shows("This is what your bank booked for it.") }) // the sync that finds it runs without a click
			w.see("This is what your bank booked for it.", "−31.70")
			w.keepsWidth()
			w.visit(w.evaluate(`document.getElementById("booked-1").href`))
			w.see("Your payment", "This is your payment to Gasthof Linde "+scripting, "Receipt")
			w.click("Gasthof Linde " + scripting)
			w.see("Payment to", "Sent from your account")

			pay("Bootsverleih "+scripting, "4", "4.00 EUR", "", nil)
			w.visit(f.web + "/") // leave before the bank is done with the payment
			again(func() bool { return w.shows("Since you last looked") })
			w.see("Since you last looked", "Bootsverleih "+scripting, "Sent from your account")
			if open := w.evaluate(`document.getElementById("open-payments").innerText`); strings.Contains(open, "Gasthof Linde") {
				t.Errorf("the payment whose end was seen is listed again: %s", open)
			}
			w.keepsWidth()
			w.click("Got it")
			w.see("Overview", exampleBank)
			w.seeNot("Since you last looked", "Bootsverleih "+scripting)

			f.settledLedger()
			w.visit(f.web + "/")
			others := w.coming()
			tomorrow := time.Now().UTC().AddDate(0, 0, 1)
			pay("Verein Seebad "+scripting, "9", "9.00 EUR", ", every month", func() {
				w.press("Standing order")
				w.choose("How often", "Every month")
				w.day("First day", tomorrow)
			})
			w.see("Starts on", "Executions", "Next", "I stopped it at my bank")
			w.visit(f.web + "/")
			next := "Tomorrow: 9.00 EUR to Verein Seebad " + scripting + ", standing order"
			if day := tomorrow; day.Weekday() == time.Saturday || day.Weekday() == time.Sunday { // the bank pays it on Monday
				for day.Weekday() != time.Monday {
					day = day.AddDate(0, 0, 1)
				}
				next = strings.Replace(next, "Tomorrow", day.Format("Monday 2 January"), 1)
			}
			w.see("Coming up", next, "Florin knows weekends only.")
			w.click(next)
			w.click("I stopped it at my bank")
			w.see("Nothing was changed at your bank.", "It is still active")
			w.visit(f.web + "/")
			if len(others) == 0 {
				w.see("Coming up", "Florin expects no payments in the next two weeks.")
			} else if got := w.coming(); !slices.Equal(got, others) {
				t.Errorf("the card lists %q, want %q", got, others)
			}
		})
	}
}

// coming returns the lines of the card "Coming up".
func (w *window) coming() []string {
	w.t.Helper()
	lines := w.evaluate(`[...document.querySelectorAll("#coming .row-title")].map((a) => a.innerText).join("\n")`)
	return slices.DeleteFunc(strings.Split(lines, "\n"), func(line string) bool { return line == "" })
}

// shows reports whether the words can be read on the page.
func (w *window) shows(words string) bool { return strings.Contains(fold(w.text()), fold(words)) }
