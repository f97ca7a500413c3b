package main

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"florin/internal/testkit"
)

// A person writes a note and tags on a transaction, marks a new one as reviewed with a click or a key, makes a rule from it, attaches a receipt, splits it, and
// undoes a transfer between own accounts. Then the person merges two transactions, separates them, and edits several at once.
func TestJourneyAnnotate(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	f := spawn(t)
	first := browse(t, desktop)
	first.setUp(f)
	first.link(f, exampleBank, exampleCountry)
	f.pairs()
	for name, look := range scripts {
		t.Run(name, func(t *testing.T) {
			w := browse(t, look)
			w.signIn(f, ownerEmail, ownerPassword)
			ids := f.ids(ownerEmail)
			page := f.web + "/accounts/" + ids["account"] + "/transactions/" + ids["transaction"]
			w.visit(page)
			w.seeNot("To review") // the first sync brought it
			w.click("Review it again later")
			w.see("To review")
			w.visit(f.web + "/accounts/" + ids["account"])
			if n := w.evaluate(`String(document.querySelectorAll(".row-title .new").length)`); n != "1" {
				t.Errorf("the list marks %s transactions as new, want 1", n)
			}
			w.visit(page)
			if look.noScript {
				w.click("Mark as reviewed")
			} else {
				w.write("Your note", "r") // here "r" is a letter of the note, not the key for "reviewed"
				w.see("To review")
				w.evaluate(`String(document.activeElement.blur())`)
				w.follow(chromedp.KeyEvent("r"))
			}
			w.see("This transaction is reviewed.")
			w.seeNot("To review")
			w.fill("Your note", "for "+name)
			w.fill("Tags", "Holiday, #tax")
			w.click("Save note and tags")
			w.see("Your note and tags are saved.", "Tags you have used: Holiday, tax")
			var note string
			db := f.database()
			defer db.Close()
			err := db.QueryRow(`SELECT text FROM transaction_note WHERE transaction_id = $1`, ids["transaction"]).Scan(&note)
			if err != nil || !strings.Contains(note, "for "+name) {
				t.Errorf("the note is %q, %v", note, err)
			}
			w.checkPage()
			w.keepsReceipt(page)
			w.splits(page)
			w.undoesTransfer(t, f)

			w.visit(page)
			// It takes three clicks from a row to a saved rule when its category is right. Here the category is chosen as well.
			w.click("Make a rule from this")
			w.see("New rule", "When a transaction fits")
			category := "Gifts and donations"
			if look.noScript {
				category = "Insurance"
			}
			w.choose("Category", category)
			w.click("Show what it does")
			w.see("What the rule would do", "another category", "→ "+category)
			w.checkPage()
			w.click("Save the rule")
			w.see("The rule is saved.", category)
			w.visit(page)
			w.see("Your rule decides this")
		})
	}
	t.Run("several at once", func(t *testing.T) {
		w := browse(t, desktop)
		w.signIn(f, ownerEmail, ownerPassword)
		w.merges(f)
		w.editsSeveral(f)
	})
}
