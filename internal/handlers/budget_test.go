package handlers_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
)

// spends makes an account that the user keeps, with rows of categories on the 10th of months before this one.
func (s *site) spends(user finance.User, rows map[string][]int64) {
	s.t.Helper()
	ctx := s.t.Context()
	account, err := s.store.CreateAccount(ctx, finance.Account{UserID: user.ID, Source: finance.SourceManual, Nickname: "Purse", Currency: "EUR",
		Type: openbanking.CashAccountTypeCASH}, finance.Value{Day: "2020-01-01", Amount: money.FromMinor(0, "EUR")})
	must(s.t, err)
	for category, months := range rows {
		for ago, minor := range months {
			if minor == 0 {
				continue
			}
			day := openbanking.DateOf(monthsAgo(ago).AddDate(0, 0, 9))
			if ago == 0 {
				day = openbanking.DateOf(time.Now())
			}
			e, err := finance.WrittenRow{BookingDate: day, Amount: money.FromMinor(minor, "EUR"), Counterparty: "Shop for " + category}.Entry(day)
			must(s.t, err)
			e.Identity.Key += category + string(day)
			id, err := s.store.AddRow(ctx, user.ID, account, e)
			must(s.t, err)
			_, err = s.store.SetCategory(ctx, user.ID, account, id, category)
			must(s.t, err)
		}
	}
}

func monthsAgo(n int) time.Time {
	now := time.Now().UTC()
	return time.Date(now.Year(), now.Month()-time.Month(n), 1, 0, 0, 0, 0, now.Location())
}

func monthOf(ago int) string { return monthsAgo(ago).Format("2006-01") }

// Budgets without JavaScript: proposed, agreed to, filled, moved, carried over, ended.
func TestBudgets(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira := s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	b.get("/budgets").status(http.StatusOK).has("You have no budgets yet", "When your month begins")
	s.spends(mira, map[string][]int64{"groceries": {-9000, -30000, -31000, -32050}, "dining": {-12000, -5000, -5000, -5000}, "salary": {0, 20000, 20000, 20000}, "pets": {-1500, 0, 0, 0}})

	// Florin proposes budgets from three months. No budget exists before the person agrees.
	b.get("/budgets").has("Start with these budgets", `value="groceries EUR"`, `value="311.00"`, `value="dining EUR"`, `value="50.00"`).lacks("salary EUR", "pets EUR")
	b.get("/budgets").has("Start with these budgets", "Not budgeted", "15.00")
	b.post("/budgets/start", url.Values{}).status(http.StatusUnprocessableEntity).has("Choose at least one budget.")
	chosen := url.Values{"use": {"groceries EUR", "dining EUR"}, "amount-1": {"a lot"}, "amount-2": {"100"}}
	b.post("/budgets/start", chosen).status(http.StatusUnprocessableEntity).has("Correct the amounts that are marked.", `value="a lot"`)
	chosen.Set("amount-1", "300")
	for range 2 { // a form that is sent twice
		b.post("/budgets/start", chosen).to("/budgets")
	}
	page := b.get("/budgets").has("2 budgets are saved.", "of 300.00", "of 100.00", "210.00 EUR left", "20.00 EUR overspent", "30\u00a0% spent, ", " of the month gone",
		"Your budgets are more than your income", "Together they are 400.00 EUR. About 200.00 EUR a month comes in", "Not budgeted", "Pets")
	found := regexp.MustCompile(`/budgets/([0-9A-Z]+)\?month=[0-9-]+"><bdi>Groceries`).FindStringSubmatch(page.body)
	dining := regexp.MustCompile(`/budgets/([0-9A-Z]+)\?month=[0-9-]+"><bdi>Restaurants`).FindStringSubmatch(page.body)
	if found == nil || dining == nil {
		t.Fatal("the budgets are not in the list", page.body)
	}
	// The figure equals the total of the list behind it.
	rows := regexp.MustCompile(`href="(/transactions\?q=[^"]+)"><span class="money">90.00`).FindStringSubmatch(page.body)
	if rows == nil {
		t.Fatal("the spent amount has no link", page.body)
	}
	b.get(html.UnescapeString(rows[1])).status(http.StatusOK).has("−90.00").lacks("Shop for dining", "−300.00")
	sum := regexp.MustCompile(`href="(/transactions\?q=[^"]+)">\s*<span class="money money-big">210<`).FindStringSubmatch(page.body)
	if sum == nil {
		t.Fatal("the amount spent on all budgets has no link", page.body)
	}
	b.get(html.UnescapeString(sum[1])).status(http.StatusOK).has("−210.00", "Shop for dining", "Shop for groceries").lacks("Shop for pets", "−300.00")
	food, now := "/budgets/"+found[1], monthOf(0)
	b.get(food).status(http.StatusOK).has("Average of 3 months: 310.17 EUR").lacks("As spent last month")
	b.get(food).has(`value="310.17"`, "Delete this budget", "Carry over what is left", "Save up for a bill")

	// Two clicks move money: the link of the line, and the button of the other budget.
	eating := "/budgets/" + dining[1]
	move := b.get(eating+"?month="+now).has("From Groceries (210.00 EUR left)", `name="moved" type="text" value="20.00"`)
	id := regexp.MustCompile(`name="move" value="([^"]+)"`).FindStringSubmatch(move.body)[1]
	form := url.Values{"month": {now}, "move": {id}, "moved": {"20.00"}, "other": {"from " + found[1]}}
	for range 2 {
		b.post(eating+"/move", form).to("/budgets?month=" + now)
	}
	b.get("/budgets?month="+now).has("20.00 EUR moved from Groceries to Restaurants", "of 280.00", "of 120.00", "0.00 EUR left")
	for problem, wrong := range map[string]url.Values{"The amount must be more than zero.": {"moved": {"0"}}, "Choose a budget of the same month.": {"other": {"from " + dining[1]}}} {
		bad := url.Values{"month": {now}, "move": {id}, "moved": {"20.00"}, "other": {"from " + found[1]}}
		for name, value := range wrong {
			bad[name] = value
		}
		b.post(eating+"/move", bad).status(http.StatusUnprocessableEntity).has(problem)
	}

	// The amount applies from this month on. What is left is carried over when the person wants it.
	b.post(food, url.Values{"month": {now}, "amount": {"-5"}}).status(http.StatusUnprocessableEntity).has("The amount must be more than zero.")
	b.post(food, url.Values{"month": {now}, "amount": {"310,17"}}).to(food + "?month=" + now)
	next := monthOf(-1)
	b.get("/budgets?month=" + next).has("of 310.17").lacks("from the month before")
	b.post(food+"/carry", url.Values{"month": {now}, "left": {"yes"}}).to(food + "?month=" + now)
	b.get("/budgets?month="+next).has("200.17 EUR from the month before", "of 510.34")
	b.post(eating+"/carry", url.Values{"month": {now}, "overspent": {"yes"}}).to(eating + "?month=" + now)
	b.post(eating, url.Values{"month": {now}, "amount": {"0"}}).to(eating + "?month=" + now)
	b.get("/budgets?month=" + next).has("100.00 EUR overspent in the month before")

	// A bill to save up for.
	due := monthOf(-3)
	b.post(food+"/goal", url.Values{"month": {now}, "bill": {"2000"}, "due": {due}}).to(food + "?month=" + now)
	b.get(food).has("it needs 505.00 EUR a month", "For the bill: 505.00 EUR")
	b.post(food+"/goal", url.Values{"month": {now}, "bill": {"2000"}, "due": {"2000-01"}}).status(http.StatusUnprocessableEntity).has("Choose a month from the list.", `value="2000"`)
	b.post(food+"/goal", url.Values{"month": {now}, "bill": {""}}).to(food + "?month=" + now)
	b.get(food).lacks("For the bill")

	// A budget of a group counts the categories that have no budget of their own. A second budget for the same group is refused.
	b.get("/budgets/new?for=pets&currency=EUR").status(http.StatusOK).has(`value="pets" selected`)
	group := url.Values{"month": {now}, "for": {"group:living"}, "currency": {"EUR"}, "amount": {"40"}}
	b.post("/budgets/new", group).to("/budgets?month=" + now)
	b.get("/budgets").has("Everything else: Daily life", "25.00 EUR left")
	b.post("/budgets/new", group).status(http.StatusUnprocessableEntity).has("There is a budget for this already.", `value="40"`)
	for problem, name := range map[string]string{"Choose a category.": "for", "Enter the amount": "amount"} {
		bad := url.Values{"month": {now}, "for": {"rent"}, "currency": {"EUR"}, "amount": {"40"}}
		bad.Set(name, "nonsense")
		b.post("/budgets/new", bad).status(http.StatusUnprocessableEntity).has(problem)
	}
	b.post("/budgets/new", url.Values{"month": {now}, "for": {"salary"}, "currency": {"EUR"}, "amount": {"40"}}).status(http.StatusUnprocessableEntity).has("Choose a category.")

	// A category is archived, then merged. The budget stays, and its page says what happened.
	b.post("/categories/dining", url.Values{"name": {"Restaurants and cafés"}, "group": {"leisure"}, "state": {"archived"}}).to("/categories")
	b.get("/budgets").has("Archived", "Restaurants")
	b.get(eating).has("Restaurants and cafés is archived", "Its transactions still count.")
	b.post("/categories/dining", url.Values{"name": {"Restaurants and cafés"}, "group": {"leisure"}, "state": {"merged"}, "into": {"groceries"}}).to("/categories")
	b.get("/budgets").lacks("Restaurants")
	b.get(eating).has("Restaurants and cafés was merged into Groceries", "210.00") // spent in both categories
	b.post("/categories/dining", url.Values{"name": {"Restaurants and cafés"}, "group": {"leisure"}}).to("/categories")

	// The first day of the month is changed, and months that do not exist are refused. A first day after the 15th would begin the next budget month in this
	// calendar month, perhaps before today: the present budget month would be over.
	b.post("/budgets/first-day", url.Values{"first": {"29"}}).status(http.StatusBadRequest).has("A month cannot begin on this day.")
	b.post("/budgets/first-day", url.Values{"first": {"10"}}).to("/budgets")
	b.get("/budgets").has("The first day is saved.", `<option value="10" selected>`)
	for _, month := range []string{"2026-13", "x", "0001-01", "9999-01"} {
		b.get("/budgets?month=" + month).status(http.StatusNotFound)
	}
	b.get("/budgets/nonsense").status(http.StatusNotFound)
	for _, page := range []string{food + "?month=" + now, "/budgets/new?for=groceries&currency=EUR"} {
		inGerman := b.request(http.MethodGet, page, nil)
		inGerman.Header.Set("Accept-Language", "de")
		b.do(inGerman).has(`value="310,17"`).lacks(`value="310.17"`)
	}
	b.post(eating+"/end", url.Values{"month": {now}}).to("/budgets?month=" + now)
	b.get("/budgets?month=" + now).has("The budget has ended.").lacks("bdi>Restaurants and cafés</bdi></a>")

	german := b.request(http.MethodGet, "/budgets?month="+now, nil)
	german.Header.Set("Accept-Language", "de")
	if text := b.do(german).words(); !strings.Contains(text, "Ohne Budget") || !strings.Contains(text, "übrig") {
		t.Errorf("in German: %s", text)
	}
}

// Where there are more categories than a search can name, a figure leads to the report by category. There each category links to its rows.
func TestFiguresOfManyCategories(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira := s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	rows := map[string][]int64{"groceries": {-90000}, "salary": {200000}}
	for i := range 80 {
		own := categories.Own{Category: categories.Category{ID: fmt.Sprintf("own-%d", i), Group: categories.GroupLiving}, Name: fmt.Sprintf("A category of my own %d", i)}
		must(t, s.store.SaveCategory(t.Context(), mira.ID, own))
		rows[own.ID] = []int64{-100}
	}
	s.spends(mira, rows)
	b.post("/budgets/new", url.Values{"month": {monthOf(0)}, "for": {"group:living"}, "currency": {"EUR"}, "amount": {"1000"}}).to("/budgets?month=" + monthOf(0))
	reportBefore := func(page, figure string) string {
		t.Helper()
		found := regexp.MustCompile(`href="(/reports\?[^"]+)">[^/]*` + figure).FindStringSubmatch(page)
		if found == nil {
			t.Fatalf("%s is no link to a report: %s", figure, page)
		}
		return html.UnescapeString(found[1])
	}
	// In the chart of streams the link leads to the bars below it.
	b.get("/reports?period=month&view=categories").has(`<a href="#bars-sout-EUR"><bdi>73 other categories`, `id="bars-sout-EUR"`)
	budgets := b.get("/budgets")
	for _, page := range []string{reportBefore(budgets.body, `>980`), reportBefore(b.get("/").body, `<bdi>75 other categories`)} {
		list := b.get(page).status(http.StatusOK).has("A category of my own 7", "A category of my own 79").body
		_, list, _ = strings.Cut(list, `name="category"`) // the choice of categories
		_, list, _ = strings.Cut(list, "</form>")
		b.get(linkBefore(t, list, "<bdi>A category of my own 79")).status(http.StatusOK).has("1 transaction", "−1.00")
	}
}
