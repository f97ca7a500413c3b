package main

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"florin/internal/categories"
	homes "florin/internal/categories/household"
	"florin/internal/money"
	"florin/internal/testkit"
)

// entry is a row of a made-up ledger.
type entry struct {
	day        time.Time
	name, text string
	minor      int64  // below zero for money out
	category   string // "" for sellers whom Florin does not know
}

// Counterparties of the rows that the questions are about.
const (
	landlord = "Erika Sauer"
	dearer   = "Netflix"
	bookshop = "Hugendubel"
)

// threeYears makes up the transactions of a household in the three years until a day: the purchases of package household at sellers that Florin knows, and
// bills. Three months ago one subscription became more expensive and the energy cheaper. Exactly one row has an amount of 42 euros.
func threeYears(today time.Time) []entry {
	this := time.Date(today.Year(), today.Month(), 1, 0, 0, 0, 0, time.UTC)
	var ledger []entry
	add := func(e entry) {
		if !e.day.After(today) {
			ledger = append(ledger, e)
		}
	}
	for month := 1 - 12*homes.Years; month <= 0; month++ {
		bill := func(day int, name, text, category string, minor int64) {
			add(entry{this.AddDate(0, month, day-1), name, text, minor, category})
		}
		bill(1, landlord, "Miete Lindenstr. 5", "rent", -850_00)
		bill(27, "Vogel Maschinenbau GmbH", "Lohn/Gehalt", "salary", 2900_00)
		bill(12, "Spotify AB", "Abo", "", -10_99)
		if month < -2 {
			bill(8, dearer, "Abo", "", -12_99)
			bill(20, "Stadtwerke am Fluss", "Abschlag Strom", "energy", -95_00)
		} else {
			bill(8, dearer, "Abo", "", -15_99)
			bill(20, "Stadtwerke am Fluss", "Abschlag Strom", "energy", -88_00)
		}
	}
	add(entry{this.AddDate(0, -1, 9), bookshop, "", -42_00, "books"})
	shift := 12*(today.Year()-2026) + int(today.Month()) // the ledgers of package household end with 2025
	for _, r := range homes.Of("DE", 0).Rows {
		if !r.Chain || r.Every > 0 || r.Creditor == nil || r.Category == "transfer" {
			continue
		}
		day, err := r.BookingDate.Time()
		amount, err2 := money.Parse(r.TransactionAmount.Amount, "EUR")
		if err != nil || err2 != nil {
			panic(cmp.Or(err, err2))
		}
		e := entry{day.AddDate(0, shift, 0), *r.Creditor.Name, strings.Join(r.RemittanceInformation, " "), -amount.Minor(), r.Category}
		facts := categories.Facts{Name: e.name, Text: e.text, Out: true}
		if (categories.Memory{}).Decide(facts, categories.PayeeOf(facts)).Category != e.category {
			continue // package categories measures how many it knows
		}
		if e.minor == -42_00 {
			e.minor--
		}
		add(e)
	}
	return ledger
}

// spentBy sums up the money that went out of a ledger by category, from a day until another one.
func spentBy(ledger []entry, from, until time.Time) map[string]int64 {
	sums := map[string]int64{}
	for _, e := range ledger {
		if e.minor < 0 && !e.day.Before(from) && !e.day.After(until) {
			sums[e.category] -= e.minor
		}
	}
	return sums
}

func total(sums map[string]int64) (sum int64) {
	for _, one := range sums {
		sum += one
	}
	return sum
}

// importLedger imports a ledger as a file, into a new account.
func (w *window) importLedger(f *florin, ledger []entry) {
	w.t.Helper()
	path := filepath.Join(w.t.TempDir(), "ledger.csv")
	file, err := os.Create(path)
	if err != nil {
		w.t.Fatal(err)
	}
	defer file.Close()
	lines := [][]string{{"Date", "Name", "Text", "Amount", "Currency"}}
	for _, e := range ledger {
		lines = append(lines, []string{e.day.Format(time.DateOnly), e.name, e.text, money.FromMinor(e.minor, "EUR").String(), "EUR"})
	}
	if err := csv.NewWriter(file).WriteAll(lines); err != nil {
		w.t.Fatal(err)
	}
	w.visit(f.web + "/import")
	w.attach("File", path)
	w.click("Look at the file")
	w.fill("Name of the new account", "Household")
	w.click("Show the file like this")
	w.see("Into a new account: Household")
	w.submit()
	w.see("transactions are imported.")
}

// settledLedger waits until all rows have a category and their series are found.
func (f *florin) settledLedger() {
	f.t.Helper()
	db := f.database()
	defer db.Close()
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		var waiting int
		err := db.QueryRow(`SELECT (SELECT COALESCE(MAX(id), 0) FROM booked_transaction) - (SELECT from_id FROM recurring_backlog) + 1
			+ (SELECT count(*) FROM recurring_waiting) + (SELECT count(*) FROM decision_backlog)`).Scan(&waiting)
		switch {
		case err != nil:
			f.t.Fatal(err)
		case waiting == 0:
			return
		case time.Now().After(end):
			f.t.Fatalf("%d rows and payees still wait", waiting)
		}
	}
}

// table reads the table with a caption from the page. It returns the numbers of each row by the row's name, in minor units.
func (w *window) table(caption string) map[string][]int64 {
	w.t.Helper()
	text := w.evaluate(fmt.Sprintf(`[...document.querySelectorAll("table")].filter((t) => t.caption?.textContent === %q).slice(0, 1)
		.flatMap((t) => [...t.tBodies[0].rows].map((r) => [...r.cells].map((c) => c.innerText.trim()).join("\t"))).join("\n")`, caption))
	rows := map[string][]int64{}
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		for _, cell := range cells[1:] {
			rows[cells[0]] = append(rows[cells[0]], minor(w.t, cell))
		}
	}
	if len(rows) == 0 {
		w.fatalf("there is no table %q", caption)
	}
	return rows
}

// minor reads an amount as a page has it: "1,234.50 EUR".
func minor(t testing.TB, text string) int64 {
	t.Helper()
	number, _, _ := strings.Cut(strings.ReplaceAll(text, ",", ""), "\u00a0EUR")
	number, _, _ = strings.Cut(number, " EUR")
	amount, err := money.Parse(strings.Replace(number, "−", "-", 1), "EUR")
	if err != nil {
		t.Fatalf("the page has %q: %v", text, err)
	}
	return amount.Minor()
}

// Limits for the requests and bytes of a page: at a first visit with everything that it loads, and at a later one.
const (
	firstVisit   = 60_000 // bytes
	laterVisit   = 15_000
	mostRequests = 8
)

// light fails when a page that the navigation or the reports lead to is too heavy. Charts are part of their pages.
func (w *window) light(f *florin) {
	w.t.Helper()
	links := func(where string) []string {
		return strings.Fields(w.evaluate(fmt.Sprintf(`[...document.querySelectorAll(%q)].map((a) => a.href).join(" ")`, where)))
	}
	w.visit(f.web + "/reports")
	pages := links(".nav a, .chips-line a")
	if len(pages) < 10 {
		w.fatalf("only %q", pages)
	}
	for _, page := range pages {
		requests, bytes := w.weigh(page, true)
		_, again := w.weigh(page, false)
		w.t.Logf("%s: %d requests, %d bytes, later %d", page, requests, bytes, again)
		if requests > mostRequests || bytes > firstVisit || again > laterVisit || again == 0 {
			w.t.Errorf("%s takes %d requests and %d bytes, later %d; want at most %d, %d and %d", page, requests, bytes, again, mostRequests, firstVisit, laterVisit)
		}
	}
}

// Questions that people ask about their money are answered within a few clicks from the first page, and the answers agree with the ledger.
func TestJourneyGlance(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	f := spawn(t)
	w := browse(t, desktop)
	w.setUp(f)
	y, m, d := time.Now().Date()
	today, this := time.Date(y, m, d, 0, 0, 0, 0, time.UTC), time.Date(y, m, 1, 0, 0, 0, 0, time.UTC)
	ledger := threeYears(today)
	w.importLedger(f, ledger)
	f.settledLedger()
	asks := func(question string, most int, answer func()) {
		t.Helper()
		w.visit(f.web + "/")
		w.clicks = 0
		answer()
		if w.clicks > most {
			t.Errorf("%s took %d clicks, want at most %d", question, w.clicks, most)
		}
		w.checkPage()
	}
	names := map[string]string{"": "No category", "rent": "Rent and housing", "groceries": "Groceries", "entertainment": "Entertainment", "energy": "Electricity, heating, water", "drugstore": "Drugstore",
		"clothing": "Clothes and shoes", "electronics": "Electronics", "shopping": "Other shopping", "health": "Health", "children": "Children", "pets": "Pets", "fuel": "Fuel and charging",
		"car": "Car", "transit": "Bus, train, taxi", "dining": "Restaurants and cafés", "sport": "Sport", "books": "Books and hobbies", "travel": "Holidays and travel", "home": "Home and garden"}
	byCategory := func(now, then map[string]int64) {
		t.Helper()
		rows := w.table("Spending by category")
		var sumNow, sumThen int64
		for category, name := range names {
			if figures, shown := rows[name]; shown && !slices.Equal(figures, []int64{now[category], then[category]}) {
				t.Errorf("%s: the page has %d, the ledger %d and %d", name, figures, now[category], then[category])
			}
		}
		for _, figures := range rows {
			sumNow, sumThen = sumNow+figures[0], sumThen+figures[1]
		}
		if sumNow != total(now) || sumThen != total(then) {
			t.Errorf("all categories come to %d and %d on the page, to %d and %d in the ledger", sumNow, sumThen, total(now), total(then))
		}
	}
	last, sameDay := this.AddDate(0, -1, 0), min(d, this.AddDate(0, 0, -1).Day())
	asks("what was spent on groceries last month", 2, func() {
		w.click("Earlier")
		w.see(last.Format("January 2006"))
		byCategory(spentBy(ledger, last, this.AddDate(0, 0, -1)), spentBy(ledger, last.AddDate(0, -1, 0), last.AddDate(0, 0, -1)))
		if _, shown := w.table("Spending by category")["Groceries"]; !shown {
			w.fatalf("groceries are not among the categories")
		}
	})
	asks("the booking of 42 euros", 1, func() {
		w.click("Transactions")
		w.fill("Search in all accounts", "42.00")
		w.enter()
		w.see("1 transaction", bookshop, "−42.00")
	})
	asks("whether the rent is paid", 2, func() {
		w.click("Rent and housing")
		w.see("1 transaction", landlord, "−850.00")
	})
	asks("which subscriptions became dearer", 2, func() {
		w.press("Plan")
		w.click("Recurring")
		got := w.evaluate(`[...document.querySelectorAll("[aria-labelledby=bills] li")].filter((li) => li.innerText.includes("now higher")).map((li) => li.querySelector(".row-title").innerText).join()`)
		if got != dearer {
			t.Errorf("dearer became %q, want %s", got, dearer)
		}
		w.see("12.99 EUR until")
	})
	asks("all of last year for the accountant", 4, func() {
		folder := w.downloads()
		w.click("Transactions")
		w.fill("Search in all accounts", fmt.Sprintf("on:%d", y-1))
		w.enter()
		w.click("Export these transactions")
		w.press("CSV")
		w.press("Download the file")
		want := 0
		for _, e := range ledger {
			if e.day.Year() == y-1 {
				want++
			}
		}
		if got := csvRows(t, w.downloaded(folder, "csv"), ','); got != want || got == 0 {
			t.Errorf("the file has %d rows, the ledger %d", got, want)
		}
	})
	asks("what is left until payday", 0, func() {
		payday := this.AddDate(0, 0, 26)
		if !payday.After(today) {
			payday = payday.AddDate(0, 1, 0)
		}
		w.see("Left until payday on " + payday.Format("Monday 2 January"))
	})
	asks("what comes in the next days", 0, func() {
		for day, name := range map[int]string{1: landlord, 8: dearer, 20: "Stadtwerke am Fluss", 27: "Vogel Maschinenbau GmbH"} {
			due := this.AddDate(0, 0, day-1)
			if !due.After(today) {
				due = due.AddDate(0, 1, 0)
			}
			if due.Before(today.AddDate(0, 0, 14)) {
				w.see(name, due.Format("Monday 2 January"))
			}
		}
	})
	asks("whether more was spent than last month, and on what", 2, func() {
		now, then := spentBy(ledger, this, today), spentBy(ledger, last, last.AddDate(0, 0, sameDay-1))
		byCategory(now, then)
		word := "more"
		by := total(now) - total(then)
		if by < 0 {
			word, by = "less", -by
		}
		says := w.evaluate(`document.querySelector("#month p").innerText`)
		sentences := strings.SplitN(strings.TrimPrefix(says, "You have spent "), ". That is ", 2)
		if len(sentences) != 2 || minor(t, sentences[0]) != total(now) || minor(t, sentences[1]) != by || !strings.Contains(says, word+" than you had spent by") {
			t.Errorf("the page says %q; in the ledger it is %d, and %d %s", says, total(now), by, word)
		}
	})
	w.budgets(f)
	w.visit(f.web + "/")
	w.pictures("dashboard")
	w.visit(f.web + "/reports?view=categories&period=last-month")
	w.pictures("reports")
	w.visit(f.web + "/recurring")
	w.pictures("recurring", "", "-phone")
	w.visit(f.web + "/forecast")
	w.pictures("forecast", "", "-dark")
	w.light(f)
}

// budgets accepts the proposed budgets, spends more than one of them has, moves the money from another one in two clicks, carries the rest over to the next
// month, and archives the category. Without JavaScript, TestBudgets of internal/handlers does the same. The rent of 850 euros is the only spending in its
// category.
func (w *window) budgets(f *florin) {
	w.t.Helper()
	const rent = "Rent and housing"
	set := func(amount string) {
		w.click(rent)
		w.fill("Amount in EUR", amount)
		w.click("Save the amount")
		w.see("Applies from")
		w.visit(f.web + "/budgets")
	}
	line := func(want ...string) {
		w.t.Helper()
		w.patiently("show the line of the rent", func() error {
			got, err := w.ask(`[...document.querySelectorAll("main li")].find((li) => li.querySelector(".row-title")?.innerText === "` + rent + `")?.innerText ?? ""`)
			for _, text := range want {
				if err == nil && !strings.Contains(got, text) {
					err = fmt.Errorf("it says %q, without %q", got, text)
				}
			}
			return err
		})
	}
	w.visit(f.web + "/budgets")
	w.click("Save these budgets")
	w.see("budgets are saved.")
	line("of 850.00", "0.00 EUR left", "100\u00a0% spent", "of the month gone")
	set("800")
	line("of 800.00", "50.00 EUR overspent")
	// The first click:
	w.clickOn(matching(`a[aria-label="Move money: ` + rent + `"]`))
	w.see("The money moves between two budgets of this month.")
	// And the second:
	w.clickOn(matching(`button[name=other][value^=from]`) + `.sort((a, b) => ((left) => left(b) - left(a))((e) => parseFloat(/\(([0-9,]+)/.exec(e.innerText)[1].replaceAll(",", "")))).slice(0, 1)`)
	w.see("50.00 EUR moved from")
	line("of 850.00", "0.00 EUR left")
	set("830")
	line("of 880.00", "30.00 EUR left")
	w.click(rent)
	w.press("Carry over what is left")
	w.click("Save")
	w.see("Applies from")
	w.visit(f.web + "/budgets")
	w.click("Later month")
	line("of 860.00", "30.00 EUR from the month before")
	w.visit(f.web + "/budgets")
	w.pictures("budgets", "", "-phone")
	w.visit(f.web + "/categories/rent")
	w.choose("State", "Archived")
	w.click("Save")
	w.visit(f.web + "/budgets")
	line("Archived", "of 880.00", "30.00 EUR left")
	w.click(rent)
	w.see(rent+" is archived", "Its transactions still count.")
	w.checkPage()
}
