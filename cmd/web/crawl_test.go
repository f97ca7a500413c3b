package main

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"florin/internal/contract/walk"
	"florin/internal/handlers"
	"florin/internal/handlers/shell"
	"florin/internal/testkit"
	"florin/internal/webauthn/webauthntest"
	"florin/web/templates/paths"
)

const (
	memberEmail    = "ben@home.example"
	memberPassword = "another long password"
)

// addMember adds a second person.
func addMember(t testing.TB, f *florin) {
	t.Helper()
	addUser(t, f, memberEmail, memberPassword)
}

// addUser adds a person with the command line.
func addUser(t testing.TB, f *florin, email, password string) {
	t.Helper()
	std := stdio{in: strings.NewReader(password + "\n"), out: &record{}, err: &record{}}
	if err := run(context.Background(), []string{"user", "add", "--email", email, "--password-stdin", "--data-dir", f.folder}, noSettings, std); err != nil {
		t.Fatal(err)
	}
}

// ids returns the values of one person for the wildcards of the route table.
func (f *florin) ids(email string) map[string]string {
	f.t.Helper()
	f.searched()
	db := f.database()
	defer db.Close()
	ids := map[string]string{"provider": "embedded"}
	for wildcard, query := range map[string]string{
		"attempt":       `SELECT id FROM link_attempt WHERE user_id = $1 AND status = 'done'`,
		"connection":    `SELECT id FROM connection WHERE user_id = $1`,
		"account":       `SELECT id FROM account WHERE user_id = $1 AND transactions > 0 AND source = '' ORDER BY id`,
		"transaction":   `SELECT b.id FROM booked_transaction b WHERE b.account_id = (SELECT id FROM account WHERE user_id = $1 AND transactions > 0 AND source = '' ORDER BY id LIMIT 1) ORDER BY b.sort_key DESC`,
		"manual":        `SELECT id FROM account WHERE user_id = $1 AND source = 'manual'`,
		"written":       `SELECT b.id FROM booked_transaction b JOIN account a ON a.id = b.account_id WHERE a.user_id = $1 AND a.source = 'manual' ORDER BY b.id`,
		"import":        `SELECT i.file_id FROM statement_import i JOIN account a ON a.id = i.account_id WHERE a.user_id = $1`,
		"attachment":    `SELECT f.file FROM transaction_attachment f JOIN booked_transaction b ON b.id = f.transaction_id JOIN account a ON a.id = b.account_id WHERE a.user_id = $1`,
		"payment":       `SELECT id FROM payment WHERE user_id = $1 AND phase = 'created' ORDER BY created`,
		"category":      `SELECT id FROM category WHERE user_id = $1`,
		"edit":          `SELECT id FROM bulk_edit WHERE user_id = $1 ORDER BY begun DESC`,
		"search":        `SELECT id FROM saved_search WHERE user_id = $1 AND kind = 'transactions'`,
		"report":        `SELECT id FROM saved_search WHERE user_id = $1 AND kind = 'report'`,
		"budget":        `SELECT id FROM budget WHERE user_id = $1`,
		"rate":          `SELECT id FROM own_rate WHERE user_id = $1`,
		"passkey":       `SELECT id FROM passkey WHERE user_id = $1`,
		"authenticator": `SELECT id FROM authenticator WHERE user_id = $1`,
		"rule":          `SELECT id FROM transaction_rule WHERE user_id = $1`,
		"series":        `SELECT id FROM recurring_series WHERE user_id = $1 AND merged_into = '' AND row_count > 1`,
		"debit":         `SELECT d.transaction_id FROM direct_debit d JOIN account a ON a.id = d.account_id WHERE a.user_id = $1 ORDER BY d.day DESC`,
		"payee":         `SELECT id FROM payee WHERE user_id = $1`,
		"webhook":       `SELECT id FROM webhook_delivery WHERE $1 <> '' ORDER BY verified DESC`, // webhooks belong to the owner
		"service":       `SELECT id FROM provider_setup WHERE $1 <> ''`,                          // these belong to the owner
		"person":        `SELECT id FROM user WHERE id = $1`,
		"sharer":        `SELECT id FROM user WHERE id <> $1 ORDER BY email`, // the other person; nobody owes themselves anything
		"expense":       `SELECT id FROM expense WHERE payer_id = $1`,
		"settlement":    `SELECT id FROM settlement WHERE to_id = $1`,
		"request":       `SELECT id FROM payment_request WHERE asker_id = $1`,
		"invitation":    `SELECT id FROM invitation WHERE user_id = $1`,
		"notice":        `SELECT id FROM notice WHERE user_id = $1 ORDER BY created`,
		"sign_in":       `SELECT id FROM user_session WHERE user_id = $1 ORDER BY created`,
	} {
		var user, id string
		if err := db.QueryRow(`SELECT id FROM user WHERE email = $1`, email).Scan(&user); err != nil {
			f.t.Fatal(err)
		}
		if err := db.QueryRow(query+` LIMIT 1`, user).Scan(&id); err != nil && err != sql.ErrNoRows {
			f.t.Fatal(wildcard, err)
		}
		ids[wildcard] = id
	}
	return ids
}

// searched waits until all transactions were searched for series and direct debits.
func (f *florin) searched() {
	f.t.Helper()
	db := f.database()
	defer db.Close()
	for end := time.Now().Add(3 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		var left int
		err := db.QueryRow(`SELECT (SELECT COUNT(*) FROM recurring_waiting) + (SELECT COUNT(*) FROM booked_transaction, recurring_backlog WHERE id >= from_id)
			+ (SELECT COUNT(*) FROM debit_waiting) + (SELECT COUNT(*) FROM booked_transaction, debit_backlog WHERE id >= from_id)`).Scan(&left)
		if err != nil {
			f.t.Fatal(err)
		}
		if left == 0 {
			return
		}
		if time.Now().After(end) {
			f.t.Fatalf("%d payees and transactions are left to look at", left)
		}
	}
}

// keepsMuch gives a person the data that most pages show: accounts at simulated banks, an account without a bank, plans, and shared expenses and requests with
// another person.
func (p *person) keepsMuch(f *florin, other string) {
	p.t.Helper()
	p.link(f, mammoth.Name, mammoth.Country, walk.Person{Username: "1000", Password: "mammoth"})
	p.linkPaying(f)
	p.setBudget(f)
	p.setRate(f)
	p.saveReport(f)
	p.keepWallet(f)
	p.shares(f, other)
	p.asks(f, other)
}

var wildcard = regexp.MustCompile(`\{([a-z_]+)\}`)

// A second user sees nothing of the first: every route with an id answers 404 when the id belongs to another person (security T14). The routes come from the
// route table, so a new one is tried too.
func TestForeignIDsAreNotFound(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Whole)
	f := begin(t)
	owner := newPerson(t)
	owner.setUp(f)
	addMember(t, f)
	const third = "cleo@home.example"
	addUser(t, f, third, memberPassword)
	member := newPerson(t)
	member.signIn(f, memberEmail, memberPassword)
	for _, p := range []*person{owner, member} {
		p.keepsMuch(f, third)
		p.visit(f.web + "/categories")
		p.send("/categories", url.Values{"name": {"Cabin"}})
		p.visit(f.web + "/transactions/searches")
		p.send("/transactions/searches", url.Values{"name": {"Rent"}, "text": {"rent"}})
		p.addPasskey(f, &webauthntest.Device{Origin: f.web})
	}
	f.synced()
	for _, p := range []*person{owner, member} {
		p.makeRule(f)
	}
	owner.attach(f, ownerEmail)
	member.attach(f, memberEmail)
	payerOf(t, f, ownerEmail).leaves()
	payerOf(t, f, memberEmail).leaves()
	for _, p := range []*person{owner, member} {
		p.editsAll(f)
	}
	owner.visit(f.web + owner.connects(f, newForeign(t)))
	owner.send("/key", nil)
	owner.visit(f.web + paths.People)
	invite, _ := owner.page.Form(paths.Invite)
	owner.at(owner.browser.Submit(t.Context(), invite, url.Values{"name": {"Friend"}, "role": {"member"}})) // the form offers roles in a list
	owner.sees(http.StatusOK, "/join?token=")
	newPerson(t).signIn(f, ownerEmail, ownerPassword) // a sign-in on a new device gives each a notice
	newPerson(t).signIn(f, memberEmail, memberPassword)
	for _, p := range []*person{owner, member} {
		p.addApp(f)
	}
	theirs, own := f.ids(ownerEmail), f.ids(memberEmail)
	var tried []shell.Route
	for _, route := range handlers.Routes() {
		if !wildcard.MatchString(strings.TrimSuffix(route.Pattern, "{$}")) || route.Access == shell.Public {
			continue
		}
		if route.Access == shell.ByAddress || strings.Contains(route.Pattern, "{channel}") {
			continue // the id is a secret, or a word that is the same for everybody
		}
		tried = append(tried, route)
		names := wildcard.FindAllStringSubmatch(route.Pattern, -1)
		// Try each mixture of the member's ids with at least one id of the owner.
		for mask := 1; mask < 1<<len(names); mask++ {
			path := route.Pattern
			for i, name := range names {
				id := own[name[1]]
				if mask&(1<<i) != 0 {
					id = theirs[name[1]]
				}
				if id == "" {
					t.Fatalf("%s: there is no %s to try", route.Pattern, name[1])
				}
				path = strings.Replace(path, name[0], url.PathEscape(id), 1)
			}
			member.request(route.Method, f.web+path)
			if member.page.Status != http.StatusNotFound {
				t.Errorf("%s %s with foreign ids answers %d, want 404", route.Method, path, member.page.Status)
			}
		}
	}
	if len(tried) < 8 {
		t.Errorf("only %d routes have ids: %v", len(tried), tried)
	}
	// The same addresses work for the owner, so the member's requests changed nothing. Routes that end something come last.
	slices.SortStableFunc(tried, func(a, b shell.Route) int { return rank(a) - rank(b) })
	for _, route := range tried {
		path := wildcard.ReplaceAllStringFunc(route.Pattern, func(name string) string { return url.PathEscape(theirs[strings.Trim(name, "{}")]) })
		owner.request(route.Method, f.web+path)
		if slices.ContainsFunc([]string{"/receipt", "/trust", "/transfer", "/code.png", "/file", "/booking", "/right", "/decline"}, func(end string) bool {
			return strings.HasSuffix(route.Pattern, end)
		}) {
			// These answer 404 to the owner too: nothing is approved yet, no key of a webhook is in doubt, the transaction is not a transfer, the payment is
			// not sent in a bank's app, the debit has no finding, and the request for a payment goes to somebody else.
			continue
		}
		if owner.page.Status != http.StatusOK && owner.page.Status != http.StatusUnprocessableEntity {
			t.Errorf("%s %s answers the owner with %d, want 200 or 422", route.Method, path, owner.page.Status)
		}
	}
}

// keepWallet makes an account without a bank, with a typed transaction, an imported one, and a file that is uploaded but not imported yet.
func (p *person) keepWallet(f *florin) {
	p.t.Helper()
	p.visit(f.web + "/accounts/new")
	p.send("/accounts/new", url.Values{"name": {"Wallet"}, "currency": {"EUR"}, "amount": {"10"}, "day": {"2026-01-01"}})
	wallet := p.page.URL.Path
	p.visit(f.web + wallet + "/add")
	p.send("/add", url.Values{"amount": {"5"}, "day": {"2026-01-02"}, "payee": {"Market"}})
	bring := func(file string) {
		p.visit(f.web + "/import")
		form, _ := p.page.Form("/import")
		p.at(p.browser.Upload(context.Background(), form, url.Values{"account": {strings.TrimPrefix(wallet, "/accounts/")}}, "file", "wallet.csv", []byte(file)))
	}
	bring("Date,Payee,Amount\n2026-01-03,Baker,-2.50\n")
	p.send("/import/save", nil)
	bring("Date,Payee,Amount\n2026-01-04,Baker,-3.50\n") // waits at its preview
}

// makeRule creates a rule after viewing its preview.
func (p *person) makeRule(f *florin) {
	p.t.Helper()
	p.visit(f.web + paths.NewRule)
	for _, do := range []string{"preview", "save"} {
		p.send(paths.Rules, url.Values{"payees": {"rent"}, "tags": {"home"}, "do": {do}})
	}
}

// shares shares an expense with another person, who repays a part of it in cash.
func (p *person) shares(f *florin, email string) {
	p.t.Helper()
	id := f.userID(email)
	p.visit(f.web + paths.NewExpenseWith(id))
	p.send(paths.NewExpense, url.Values{"text": {"Dinner"}, "amount": {"30"}, "currency": {"EUR"}, "payer": {f.userID(p.email)}, "in-" + id: {"yes"}}) // lists of people
	p.sees(http.StatusOK, "The expense is saved.")
	p.visit(f.web + paths.SettlingWith(id))
	p.send("/cash", url.Values{"amount-EUR": {"5"}})
	p.sees(http.StatusOK, "is settled in cash")
}

// asks asks another person for a payment.
func (p *person) asks(f *florin, email string) {
	p.t.Helper()
	p.visit(f.web + paths.NewRequest)
	form, ok := p.page.Form(paths.NewRequest)
	if !ok {
		p.fatalf("there is no form that asks for a payment")
	}
	p.at(p.browser.Submit(context.Background(), form, // the form offers people in a list
		url.Values{"person": {f.userID(email)}, "payee": {"Plumber"}, "iban": {"DE89370400440532013000"}, "amount": {"77.31"}, "currency": {"EUR"}}))
	p.sees(http.StatusOK, "is asked to pay this")
}

// setBudget sets a budget.
func (p *person) setBudget(f *florin) {
	p.t.Helper()
	p.visit(f.web + paths.NewBudget)
	p.send(paths.NewBudget, url.Values{"for": {"groceries"}, "amount": {"300"}})
}

// setRate types an exchange rate.
func (p *person) setRate(f *florin) {
	p.t.Helper()
	p.visit(f.web + paths.Rates)
	p.send(paths.Rates, url.Values{"base": {"EUR"}, "value": {"0.93"}, "quote": {"CHF"}})
}

// saveReport saves a report.
func (p *person) saveReport(f *florin) {
	p.t.Helper()
	p.visit(f.web + paths.Reports)
	p.send(paths.SavedReports, url.Values{"name": {"Worth"}, "report": {"view=worth"}})
}

// editsAll begins a bulk edit of all transactions, up to its preview.
func (p *person) editsAll(f *florin) {
	p.t.Helper()
	p.visit(f.web + paths.SelectTransactions)
	p.send(paths.BulkEdits, url.Values{"which": {"all"}})
	p.send(p.page.URL.Path, url.Values{"note": {"Checked"}})
}

// attach attaches a file to a transaction of the person.
func (p *person) attach(f *florin, email string) {
	p.t.Helper()
	ids := f.ids(email)
	p.visit(f.web + paths.Transaction(ids["account"], ids["transaction"]))
	form, ok := p.page.Form("/attachments")
	if !ok {
		p.fatalf("there is no form for a file")
	}
	p.at(p.browser.Upload(context.Background(), form, nil, "file", "receipt.pdf", []byte("%PDF-1.7\n")))
	p.sees(http.StatusOK, "receipt.pdf is attached.")
}

// rank puts forms after pages, and forms that end something last.
func rank(r shell.Route) int {
	switch {
	case r.Method == http.MethodGet:
		return 0
	case strings.HasSuffix(r.Pattern, "/disconnect"), strings.HasSuffix(r.Pattern, "/end"), strings.HasSuffix(r.Pattern, "/delete"),
		strings.HasSuffix(r.Pattern, "/discard"), strings.HasSuffix(r.Pattern, "/remove"):
		return 2
	}
	return 1
}

// Every page, for everybody who can see it, in the looks that people use: it has no message in the console, no violation of the content security policy, loads
// completely (the window checks all of that), and is not wider than the screen.
func TestJourneyEveryPage(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	f := spawn(t)
	owner := newPerson(t)
	owner.setUp(f)
	addMember(t, f)
	owner.linkPaying(f)
	f.synced()
	paying := payerOf(t, f, ownerEmail)
	paying.settled(paying.approved(0).ID)
	paying.leaves()
	owner.visit(f.web + paths.SavedSearches)
	owner.send(paths.SavedSearches, url.Values{"name": {"Rent"}, "text": {"rent"}})
	owner.makeRule(f)
	owner.setBudget(f)
	owner.saveReport(f)
	owner.addPasskey(f, &webauthntest.Device{Origin: f.web})
	owner.shares(f, memberEmail)
	owner.asks(f, memberEmail)
	member := newPerson(t)
	member.signIn(f, memberEmail, memberPassword)
	for _, p := range []*person{owner, member} {
		p.keepWallet(f)
		p.editsAll(f)
	}
	owner.send("/start", nil)
	owner.begin(f)
	for _, role := range []struct{ name, email, password string }{
		{"nobody", "", ""}, {"owner", ownerEmail, ownerPassword}, {"member", memberEmail, memberPassword},
	} {
		for name, l := range map[string]look{"wide": desktop, "narrow and dark": {width: 320, height: 844, dark: true}} {
			t.Run(role.name+" "+name, func(t *testing.T) {
				t.Parallel()
				w := browse(t, l)
				starts := []string{f.web + "/", f.web + "/simulated", f.web + "/setup", f.web + paths.Join, f.web + "/nowhere", f.service + "/", f.service + "/docs", f.service + "/nowhere"}
				if role.email != "" {
					w.signIn(f, role.email, role.password)
					// No link leads to the first page, only a form with a proof. The list of payments links to the second one only while several payments wait.
					starts = append(starts, f.web+paths.NewPasskey, f.web+paths.PaymentsFile)
				}
				if role.email == ownerEmail { // only a button leads to one of these pages, and the others are too many of their kind for the crawl to reach
					ids := f.ids(ownerEmail)
					starts = append(starts, f.web+paths.AccountKnown(ids["account"]), f.web+paths.AccountNews(ids["account"]),
						f.web+paths.PaymentLeave(ids["payment"]), f.web+paths.Account(ids["manual"]), f.web+paths.Transaction(ids["manual"], ids["written"]))
				}
				seen := w.crawl(f, starts)
				t.Logf("%d pages", len(seen))
				if role.email != "" {
					for _, route := range handlers.Routes() {
						if route.Method != http.MethodGet || route.Access == shell.Stream || route.Access == shell.ByAddress ||
							strings.HasPrefix(route.Pattern, "/callback") {
							continue
						}
						if role.name == "member" && wildcard.MatchString(strings.TrimSuffix(route.Pattern, "{$}")) {
							continue // the member has linked nothing
						}
						if role.name == "member" && route.Access == shell.Owner {
							continue
						}
						if strings.HasSuffix(route.Pattern, "/certificate") || strings.HasSuffix(route.Pattern, "/{attachment}") || strings.HasSuffix(route.Pattern, "/confirm") ||
							strings.HasSuffix(route.Pattern, "/code.png") || strings.HasSuffix(route.Pattern, "/file") ||
							slices.Contains([]string{paths.Reset, paths.Forgot, paths.Off,
								paths.ReportsExport, paths.ForecastExport, paths.SettlingExport, paths.Takeout, paths.LinkLogo, paths.OpenIDBack,
								paths.SignInSecond, paths.SecondFactorFirst, paths.NewAuthenticator, paths.Authenticators + "/{authenticator}",
								paths.Manifest, paths.Worker, paths.Offline}, route.Pattern) {
							continue // a file, a picture, the way back from a form or a set-up, or a page that no link leads to
						}
						if !slices.Contains(seen, route.Pattern) && route.Pattern != "/setup" && !strings.Contains(route.Pattern, "{attempt}") && route.Pattern != "/sign-in" {
							t.Errorf("no link leads to %s", route.Pattern)
						}
					}
				}
			})
		}
	}
}

// crawl follows every link, a few of each kind of page, and returns the patterns of the app that it met.
func (w *window) crawl(f *florin, open []string) (patterns []string) {
	w.t.Helper()
	mux := http.NewServeMux()
	for _, route := range handlers.Routes() {
		if route.Method == http.MethodGet {
			mux.Handle(route.Pattern, http.NotFoundHandler())
		}
	}
	const each = 3 // pages of one kind
	known := map[string]bool{}
	count := map[string]int{}
	for len(open) > 0 {
		address := open[0]
		open = open[1:]
		u, err := url.Parse(address)
		if err != nil {
			w.fatalf("a link leads to %q", address)
		}
		u.Fragment = ""
		if known[u.String()] {
			continue
		}
		known[u.String()] = true
		if !strings.HasPrefix(address, f.web) && !strings.HasPrefix(address, f.service) {
			w.fatalf("a link leads out, to %s", address)
		}
		kind := u.Host + " " + regexp.MustCompile(`^/banks/.*`).ReplaceAllString(u.Path, "/banks/")
		if strings.HasPrefix(address, f.web) {
			_, pattern := mux.Handler(&http.Request{Method: "GET", URL: u, Host: u.Host})
			kind = pattern
		}
		download := u.Path == "/openapi.yaml" || strings.HasSuffix(u.Path, ".pem") // a file for programs, not a page
		if download || u.Path == "/assets" || count[kind] >= each {
			continue
		}
		count[kind]++
		if !slices.Contains(patterns, kind) {
			patterns = append(patterns, kind)
		}
		w.visit(u.String())
		status := w.status()
		if want := expected(u.Path); want != 0 && status != want {
			w.fatalf("the status is %d, want %d", status, want)
		}
		w.checkPage()
		open = append(open, strings.Fields(w.evaluate(pageLinks))...)
	}
	return patterns
}

func expected(path string) int64 {
	switch path {
	case "/nowhere", paths.Join: // without an invitation
		return http.StatusNotFound
	case "/setup":
		return 0 // the setup is closed once there is an owner
	case "/panel/operator":
		return http.StatusForbidden // the page explains how the operator opens it
	}
	return http.StatusOK
}

// pageLinks collects the addresses that a page links to. A link in a chart has its address only in the attribute.
const pageLinks = `[...document.querySelectorAll("a[href]:not([download], [rel~=external])")]
	.map((a) => new URL(a.getAttribute("href"), document.baseURI).href).join("\n")`

// pageRules finds the elements of a page that break a rule, and says "fine" when there are none, "loading" when a part of the page has not arrived yet.
const pageRules = `(() => {
	if (document.readyState === "loading") return "loading";
	const all = (selector) => [...document.querySelectorAll(selector)];
	const twice = (list, key) => list.filter((e, i) => list.findIndex((other) => key(other) === key(e)) !== i);
	const named = (e) => ["aria-describedby", "aria-labelledby"].flatMap((name) => (e.getAttribute(name) || "").split(/\s+/)).filter(Boolean);
	const broken = {
		"one h1": all("h1").length === 1 ? [] : [document.body, ...all("h1")],
		"a title": document.title ? [] : [document.head],
		"a language": document.documentElement.lang ? [] : [document.documentElement],
		"no id twice": twice(all("[id]"), (e) => e.id),
		"a label for each field": all("input:not([type=hidden]):not([hidden]), select, textarea").filter((e) => !e.labels.length && !e.ariaLabel),
		"words on each link and button": all("a, button, summary").filter((e) => !e.textContent.trim() && !e.ariaLabel),
		"a text for each picture": all("img:not([alt])"),
		"no style of its own": all("style, [style]"),
		"no script of its own": all("script").filter((e) => !e.src),
		"no target for the skip link missing": all("a[href^='#']").filter((e) => e.hash && !document.getElementById(e.hash.slice(1))),
		"nothing named that is not there": all("[aria-describedby],[aria-labelledby]").filter((e) => named(e).some((id) => !document.getElementById(id))),
	};
	return Object.entries(broken).flatMap(([rule, elements]) => elements.map((e) => "want " + rule + ", not " + e.outerHTML.slice(0, 300))).join("\n") || "fine";
})()`

// checkPage checks the rules for every page. It waits while a page reloads, as after a sync, because a link whose words have not arrived yet has no text.
func (w *window) checkPage() {
	w.t.Helper()
	w.keepsWidth()
	found := w.evaluate(pageRules)
	for end := time.Now().Add(patience); found == "loading" && time.Now().Before(end); found = w.evaluate(pageRules) {
		time.Sleep(20 * time.Millisecond)
	}
	if found != "fine" {
		w.t.Errorf("%s: %s", w.address(), found)
	}
	w.mu.Lock()
	document := w.document
	w.mu.Unlock()
	header := func(name string) string {
		for key, value := range document.Headers {
			if strings.EqualFold(key, name) {
				return fmt.Sprint(value)
			}
		}
		return ""
	}
	for name, want := range map[string]string{
		"Content-Security-Policy":      "default-src 'none'",
		"X-Content-Type-Options":       "nosniff",
		"Referrer-Policy":              "same-origin",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Cache-Control":                "no-store",
	} {
		if got := header(name); !strings.Contains(got, want) {
			w.t.Errorf("%s: the header %s is %q, want %q in it", w.address(), name, got, want)
		}
	}
}
