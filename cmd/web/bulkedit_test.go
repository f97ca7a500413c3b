package main

import (
	"regexp"
	"strings"
)

// editsSeveral saves a search, changes all rows of a page at once, and undoes that. Then it changes everything that the search finds, and waits until the page
// shows that this is done.
func (w *window) editsSeveral(f *florin) {
	w.t.Helper()
	w.visit(f.web + "/transactions")
	w.fill("Search in all accounts", "is:out")
	w.click("Search")
	w.click("Save this search")
	w.fill("Name", "Spending")
	w.click("Save the search")
	w.see("The search Spending is saved.")
	w.visit(f.web + "/")
	w.see("Saved searches", "Spending")
	w.click("Spending")
	w.click("Edit several")
	w.checkPage()
	w.pressOn(matching("input[name=id]"))
	w.evaluate(`(() => { if (!document.querySelector("input[data-all]").indeterminate) throw "one of many looks like none or all"; return "" })()`)
	w.pressOn(matching("input[data-all]"))
	rows := w.evaluate(`String(document.querySelectorAll("input[name=id]:checked").length)`)
	w.click("Edit the chosen ones")
	w.see("Edit " + rows + " transactions")
	w.choose("Category", "Gifts and donations")
	w.fill("Add tags", "Together")
	w.click("Show what will change")
	w.see(rows+" transactions will change", "Set the category Gifts and donations", "Add the tags Together")
	w.checkPage()
	w.click("Change " + rows + " transactions")
	w.see(rows + " transactions are changed")
	w.checkPage()
	w.visit(f.web + "/transactions?q=tag:together+category:gifts")
	w.see("Gifts and donations ·")
	w.visit(f.web + "/transactions/edits")
	w.checkPage()
	w.clickOn(matching(".rows form button"))
	w.see("Undone: " + rows + " transactions are as they were before")
	w.visit(f.web + "/transactions?q=tag:together")
	w.see("No booked transaction matches")

	w.visit(f.web + "/transactions/select?q=is:out")
	w.click("Edit everything found")
	found := regexp.MustCompile(`[\d,]+ transactions`).FindString(w.evaluate(`document.querySelector("h1").textContent`))
	w.fill("Add to the note", "all of them")
	w.click("Show what will change")
	w.click("Change " + found)
	w.see(strings.Replace(found, "transactions", "transactions are changed", 1)) // the page shows the end without a click
	w.checkPage()
}
