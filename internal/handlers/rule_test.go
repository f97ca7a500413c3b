package handlers_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

var seen = regexp.MustCompile(`name="seen" value="([0-9a-f]+)"`)

// saved sends the form of a rule to be saved, first to see what it does.
func (b *browser) savesRule(path string, form url.Values) *answer {
	b.site.t.Helper()
	form.Set("do", "preview")
	m := seen.FindStringSubmatch(b.post(path, form).status(http.StatusOK).body)
	if m == nil {
		b.site.t.Fatal("the page shows no preview")
	}
	form.Set("do", "save")
	form.Set("seen", m[1])
	return b.post(path, form)
}

// TestRuleFromATransaction: two clicks lead from the page of a transaction to a saved rule, and the preview says before what it does.
func TestRuleFromATransaction(t *testing.T) {
	t.Parallel()
	rows := transactions(30)
	for i := range rows {
		if i%3 == 0 {
			name := "SUMUP  *CORNER 00" + string(rune('0'+i%10))
			rows[i].Creditor.Name = &name
		}
	}
	_, b, own := linkedSite(t, rows)
	corner := regexp.MustCompile(`/accounts/[^"]*/transactions/\d+`).FindString(b.get("/transactions?q=corner+purchase+3").body)
	b.get(corner).status(http.StatusOK).has("<bdi>Corner</bdi>", "Your bank writes: <bdi>SUMUP *CORNER 003</bdi>", "Make a rule from this")
	from := "/rules/new?account=" + own.account + "&amp;transaction=" + corner[strings.LastIndex(corner, "/")+1:]
	form := b.get(corner).has(from)
	preview := b.get(html.UnescapeString(from)).status(http.StatusOK).has("New rule", "\nCorner</textarea>", "Money out").lacks("It fits")
	if seen.MatchString(preview.body) {
		t.Error("a rule that does nothing yet can be saved")
	}
	typed := url.Values{"payees": {"Corner"}, "flow": {"out"}, "category": {"gifts"}, "name": {"Kiosk"}, "tags": {"corner"}, "do": {"save"}, "seen": {""}}
	b.post("/rules", typed).status(http.StatusOK).has("Look at what the rule does", "It fits 10 of your transactions.", "10 of them get another category.", "No category → Gifts and donations")
	b.savesRule("/rules", typed).to("/rules")
	b.get("/rules").status(http.StatusOK).has("The rule is saved.", "Name: Corner · Money out", "Gifts and donations · Shown as Kiosk · #corner")
	b.get("/transactions?q=category:gifts").has("10 transactions", "<bdi>Kiosk</bdi>")
	id := regexp.MustCompile(`/rules/([0-9A-Z]{20,})"`).FindStringSubmatch(b.get("/rules").body)[1]
	b.get(corner).has("Your rule decides this: <a href=\"/rules/"+id+"\">Name: Corner · Money out</a>", "The name is from your rule", "Add to that rule", "Your bank writes: <bdi>SUMUP")
	form.lacks("Kiosk")

	// Another transaction is added to the rule: its form comes filled, and is saved with one click more.
	shop := regexp.MustCompile(`/transactions/(\d+)"`).FindStringSubmatch(b.get("/transactions?q=purchase+4").body)[1]
	add := "/rules/new?" + url.Values{"rule": {id}, "account": {own.account}, "transaction": {shop}}.Encode()
	wide := b.get(add).status(http.StatusOK).has("Change a rule", "\nCorner\nShop 4</textarea>", "It fits 11 of your transactions.", "1 of them gets another category.", `action="/rules/`+id+`"`)
	b.post("/rules/"+id, url.Values{"payees": {"Corner\r\nShop 4"}, "flow": {"out"}, "category": {"gifts"}, "name": {"Kiosk"}, "tags": {"corner"}, "do": {"save"},
		"seen": {seen.FindStringSubmatch(wide.body)[1]}}).to("/rules")
	b.get("/transactions?q=category:gifts").has("11 transactions")

	// A category that was chosen by hand stays. The page says when a rule hides another, fits nothing or fits everything.
	b.post(corner+"/category", url.Values{"category": {"pets"}}).to(corner)
	b.get("/rules/"+id).has("It fits 11 of your transactions.", "1 of them keeps the category that you chose yourself.")
	b.post("/rules", url.Values{"payees": {"corner"}, "category": {"travel"}}).has("9 of them get another category.").lacks("then never decides anything")
	b.post("/rules", url.Values{"category": {"travel"}, "name": {"Anybody"}}).has("This rule fits every transaction.")
	b.post("/rules", url.Values{"payees": {"nobody at all"}, "category": {"travel"}}).has("No transaction fits so far.")
	b.savesRule("/rules", url.Values{"payees": {"cor"}, "category": {"travel"}, "name": {"X"}}).to("/rules")
	b.savesRule("/rules", url.Values{"payees": {"corner shop"}, "category": {"pets"}}).to("/rules")
	list := b.get("/rules").has("Up", "Down")
	first := regexp.MustCompile(`/rules/([0-9A-Z]{20,})"><bdi>Name: corner shop`).FindStringSubmatch(list.body)
	if first == nil {
		t.Fatal("the new rule is not in the list")
	}
	b.post("/rules/"+first[1]+"/move", url.Values{"to": {"down"}}).to("/rules")
	b.get("/rules").has("This rule never decides anything: the rule “Name: cor” comes before it and does the same or more.")
	b.get("/rules/" + first[1]).has("This rule never decides anything: the rule “Name: cor” comes before it")
	b.post("/rules/"+first[1]+"/off", url.Values{"off": {"yes"}}).to("/rules")
	b.get("/rules").has("Switched off", "Switch on")
	b.post("/rules/"+first[1]+"/delete", nil).to("/rules")
	b.get("/rules").has("The rule is deleted.").lacks("corner shop")

	b.languages = "de"
	b.get("/rules").has("Regeln", "Regel hinzufügen", "Angezeigt als Kiosk")
	b.get("/rules/"+id).has("Wann ein Umsatz passt", "Regel speichern", "davon behält die Kategorie, die Sie selbst gewählt haben.")
}

// TestRulesThatCannotBeSaved: each problem is reported at its field, and what was typed stays.
func TestRulesThatCannotBeSaved(t *testing.T) {
	t.Parallel()
	_, b, _ := linkedSite(t, transactions(3))
	long := strings.Repeat("x", 10_000)
	for name, c := range map[string]struct {
		form url.Values
		want []string
	}{
		"empty":             {url.Values{"do": {"save"}}, []string{"Choose at least one thing that the rule does"}},
		"no action":         {url.Values{"payees": {"shop"}}, []string{"Choose at least one thing that the rule does"}},
		"10 kB":             {url.Values{"payees": {long}, "category": {"gifts"}}, []string{"A value may have 100 characters at most.", long}},
		"no words":          {url.Values{"texts": {"***"}, "category": {"gifts"}}, []string{"“***” has no letters and no digits.", "***</textarea>"}},
		"many":              {url.Values{"payees": {many(51)}, "category": {"gifts"}}, []string{"Enter 50 values at most."}},
		"hostile number":    {url.Values{"numbers": {`"; DROP TABLE rule`}, "category": {"gifts"}}, []string{"is no account number."}},
		"merchant code":     {url.Values{"codes": {"54x1"}, "category": {"gifts"}}, []string{"“54x1” is no merchant category code"}},
		"amount":            {url.Values{"low": {"-5"}, "high": {"much"}, "category": {"gifts"}}, []string{"Enter an amount without a sign, like 20 or 12.50.", `value="much"`}},
		"amounts":           {url.Values{"low": {"50"}, "high": {"20"}, "category": {"gifts"}}, []string{"This is less than the least amount."}},
		"day":               {url.Values{"from": {"2026-02-30"}, "category": {"gifts"}}, []string{"The date 2026-02-30 does not exist."}},
		"days":              {url.Values{"from": {"2026-02-02"}, "to": {"2026-02-01"}, "category": {"gifts"}}, []string{"This is before the first day."}},
		"foreign account":   {url.Values{"account": {"somebody-elses"}, "category": {"gifts"}}, []string{"Choose one of your accounts."}},
		"unknown category":  {url.Values{"payees": {"shop"}, "category": {"nonsense"}}, []string{"Choose one of your categories."}},
		"name without word": {url.Values{"payees": {"shop"}, "name": {"!!!"}}, []string{"“!!!” has no letters and no digits."}},
		"long name":         {url.Values{"payees": {"shop"}, "name": {strings.Repeat("n", 71)}}, []string{"The name is too long. Use at most 70 characters."}},
		"long tag":          {url.Values{"payees": {"shop"}, "tags": {strings.Repeat("n", 41)}}, []string{"A tag may have 40 characters at most."}},
		"long note":         {url.Values{"payees": {"shop"}, "note": {strings.Repeat("n", 2001)}}, []string{"A note may have 2,000 characters at most."}},
	} {
		t.Run(name, func(t *testing.T) {
			b.post("/rules", c.form).status(http.StatusUnprocessableEntity).has(c.want...).lacks(`value="save"`)
		})
	}
	// Markup and search syntax in a rule are plain text.
	hostile := `<script>alert(1)</script> payee:"x" OR NEAR(a b) ' --` + "\u202e"
	b.savesRule("/rules", url.Values{"payees": {hostile}, "texts": {`"*" AND ^x`}, "category": {"gifts"}, "name": {"<b>x</b>"}, "from": {"1000-01-01"}, "to": {"9999-12-31"}}).to("/rules")
	b.get("/rules").status(http.StatusOK).has("&lt;script&gt;alert(1)").lacks("<script>alert(1)", "<b>x</b>")
	b.get("/rules/nonsense").status(http.StatusNotFound)
	b.get("/rules/new?account=x&transaction=1").status(http.StatusNotFound)
	b.get("/rules/new?rule=x&account=x&transaction=1").status(http.StatusNotFound)
}

func many(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("shop " + strings.Repeat("i", i+1) + "\n")
	}
	return b.String()
}

// TestNameOfATransaction: a new name applies to all transactions with the old one, is refused when it is not valid, and can be taken back. Payments still use
// the bank's name.
func TestNameOfATransaction(t *testing.T) {
	t.Parallel()
	rows := transactions(3)
	for i, name := range []string{"SUMUP  *CORNER 001", "Corner", "Bakery Miller"} {
		rows[i].Creditor.Name = &name
	}
	s, b, _ := linkedSite(t, rows)
	page := regexp.MustCompile(`/accounts/[^"]*/transactions/\d+`).FindString(b.get("/transactions?q=purchase+0").body)
	b.get(page).has("<h1><bdi>Corner</bdi></h1>", `href="`+page+`/name"`)
	b.get(page+"/name").status(http.StatusOK).has("2 transactions have this name.", "Your bank writes: <bdi>SUMUP *CORNER 001</bdi>", `value="Corner"`)
	b.post(page+"/name", url.Values{"name": {"Kiosk"}}).to(page + "/name")
	b.get(page+"/name").has("The name is now Kiosk.", "<bdi>Corner</bdi> is shown as <strong class=\"wrap-any\">Kiosk</strong>")
	b.get("/transactions?q=kiosk").has("2 transactions")
	b.get("/transactions?q=corner").has("2 transactions", "<bdi>Kiosk</bdi>")
	b.get(page).has("Your bank writes: <bdi>SUMUP *CORNER 001</bdi>")
	b.post(page+"/name", url.Values{"name": {"bakery miller"}}).to(page + "/name")
	b.get(page+"/name").has("This payee and Bakery Miller are now one.", "3 transactions have this name.")
	b.get("/names").status(http.StatusOK).has("<bdi>Corner</bdi> is shown as <strong class=\"wrap-any\">Bakery Miller</strong>")
	for name, want := range map[string]string{"": "Enter a name with letters or digits.", "***": "Enter a name with letters or digits.",
		strings.Repeat("n", 71): "The name is too long. Use at most 70 characters."} {
		b.post(page+"/name", url.Values{"name": {name}}).status(http.StatusUnprocessableEntity).has(want)
	}
	s.user("eve@example.org")
	eve := s.signedIn("eve@example.org")
	eve.post("/names", url.Values{"key": {"corner"}}).to("/names")
	eve.get("/names").has("You have not changed any name")
	b.post("/names", url.Values{"key": {"corner"}}).to("/names")
	b.get("/names").has("Corner has its own name again.", "You have not changed any name")
	b.get(page).has("<h1><bdi>Corner</bdi></h1>")
	b.languages = "de"
	b.get(page+"/name").has("2 Umsätze haben diesen Namen.", "Namen speichern")
}

// TestRuleShares: a rule shares expenses with the people of its form, after a preview with counts. People with a share see it, and the expense links to its
// rule. When somebody leaves, the rule says that it stopped.
func TestRuleShares(t *testing.T) {
	t.Parallel()
	s, b, own := linkedSite(t, transactions(6))
	b.get("/rules/new").status(http.StatusOK).lacks("Share with others")
	bo := s.user("bo@example.org")
	other := s.signedIn("bo@example.org")
	me := regexp.MustCompile(`name="share-([A-Z2-7]+)"[^>]*>`)
	page := b.get("/rules/new").status(http.StatusOK).has("Share with others", "Your shares", "Shares of bo@example.org", "cannot share by amounts")
	var ann string
	for _, m := range me.FindAllStringSubmatch(page.body, -1) {
		if m[1] != bo.ID {
			ann = m[1]
		}
	}
	form := func(from, mine, others string) url.Values {
		return url.Values{"payees": {"shop"}, "share-" + ann: {mine}, "share-" + bo.ID: {others}, "share-from": {from}, "do": {"preview"}}
	}
	b.post("/rules", form("", "1", "")).status(http.StatusUnprocessableEntity).has("Nobody but you has a share.")
	b.post("/rules", form("", "1", "x")).status(http.StatusUnprocessableEntity).has("Enter a whole number up to 1,000, or nothing.")
	b.post("/rules", form("", "1", "1001")).status(http.StatusUnprocessableEntity).has("Enter a whole number up to 1,000, or nothing.")
	b.post("/rules", form("2026-02-30", "1", "1")).status(http.StatusUnprocessableEntity).has("does not exist")
	stranger := form("", "1", "")
	stranger.Set("share-NOBODY", "1")
	b.post("/rules", stranger).status(http.StatusUnprocessableEntity).has("Nobody but you has a share.")
	b.post("/rules", form("2099-01-01", "1", "1")).status(http.StatusOK).has("None of them becomes a shared expense now.", "1 January 2099")
	b.post("/rules", form("2000-01-01", "1", "3")).status(http.StatusOK).has("6 of them become shared expenses,")
	other.get("/settling").lacks("ann@example.org paid", "you owe")
	b.savesRule("/rules", form("2000-01-01", "1", "3")).to("/rules")
	b.get("/rules").has("Shared with bo@example.org", "The rule is saved. It shares transactions from 1 January 2000 on")
	theirs := other.get("/settling").status(http.StatusOK).has("you owe")
	expense := "/settling/expenses/" + theirs.find(expensePage)
	other.get(expense).has("A rule of ").lacks("/rules/")
	id := regexp.MustCompile(`/rules/([0-9A-Z]{20,})"`).FindStringSubmatch(b.get("/rules").body)[1]
	b.get(expense).has("Your rule shared it.", "/rules/"+id)
	other.get("/rules/" + id).status(http.StatusNotFound)
	row := regexp.MustCompile(`/accounts/[^"]*/transactions/\d+`).FindString(b.get("/transactions?account=" + own.account).body)
	b.get(row).has("This is a shared expense", "Your rule shared it.")
	b.get("/rules/" + id).has("6 of them are left alone: they are shared expenses already")
	b.savesRule("/rules", form("2000-01-01", "1", "1")).to("/rules") // a new rule comes first
	b.get("/rules/" + id).has("6 of them are shared by an earlier rule.").lacks("left alone: they are shared")
	first := regexp.MustCompile(`/rules/([0-9A-Z]{20,})"`).FindStringSubmatch(b.get("/rules").body)[1]
	b.post("/rules/"+first+"/delete", nil).to("/rules")
	b.languages = "de"
	b.get("/rules/"+id).has("Mit anderen teilen", "6 davon bleiben, wie sie sind")
	b.get(expense).has("Ihre Regel hat das geteilt.", "Regel ansehen")
	b.languages = ""

	must(t, s.store.RemoveUser(t.Context(), bo.ID))
	b.get("/rules").has("This rule shares nothing any more, since somebody has left: bo@example.org (no longer here).")
	b.get("/rules/"+id).has("This rule shares nothing any more", "What it shared before stays.")
	b.post("/rules/"+id+"/delete", nil).to("/rules")
	b.get(expense).has("It was shared by a rule that you have since deleted.").lacks("/rules/" + id)
}
