package main

import (
	"fmt"
	"html"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"florin/internal/aggregator/sandbox"
	"florin/internal/contract/walk"
	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/search"
	"florin/internal/store"
	"florin/internal/testkit"
	"florin/web/templates/pages"
	"florin/web/templates/words"
)

// outcome is the expected result of a scenario in the app.
type outcome struct {
	failed []finance.Scope // syncs that fail; none: all succeed
	code   string          // of the failure
	cut    bool            // the booked rows do not add up to the booked balance: the bank gives too few or too many rows, or no such balance
	shown  int             // how many balances are shown, when the bank does not give all of them
	holds  func(t *testing.T, a linkedAccount)
	page   []string // texts on the page of the account
	row    []string // texts on the page of one of its booked rows
}

// linkedAccount is an account of a scenario after a sync.
type linkedAccount struct {
	finance.Account
	booked   []finance.Transaction
	pending  []finance.PendingTransaction
	balances []finance.Balance
}

const allBalances = 4 // balances that the banks of scenarios give

// everyScope lists the scopes that fail when every call for data fails.
var everyScope = finance.Scopes()

// outcomes has the expected result of each scenario (api-notes 10).
var outcomes = map[string]outcome{
	"references-missing":     {},
	"references-positional":  {},
	"references-change":      {},
	"references-per-session": {},
	"references-per-fetch":   {},
	"references-shared":      {},
	"references-twice":       {cut: true},
	"references-zero":        {},
	"booking-resent":         {holds: notTwice},
	"pages-overlap":          {},
	"pages-circle":           {cut: true},
	"pages-empty":            {},
	"dates-pending-none":     {holds: undated},
	"dates-transaction-only": {},
	"dates-ignored":          {},
	"status-refused":         {},
	"statuses-all":           {holds: nothingUnmade, page: []string{"On hold", "Scheduled", "Other status"}},
	"period-90-days":         {cut: true},
	"period-one-hour":        {},
	"period-unnamed":         {cut: true},
	"period-breaks":          {cut: true},
	"amounts-signed":         {},
	"amounts-short":          {},
	"amounts-change":         {},
	"rates-spot":             {row: []string{"Original amount", "Exchange rate", "SPOT"}},
	"merchant-in-address":    {holds: named},
	"own-side":               {holds: neverTheHolder},
	"creditor-empty":         {holds: titled},
	"remittance-null":        {holds: titled},
	"remittance-empty":       {holds: titled},
	"remittance-lines":       {holds: oneLine},
	"remittance-labels":      {holds: withoutLabels},
	"remittance-enriched":    {},
	"notes":                  {holds: notesApart, row: []string{"Note", "Shared with Maeve"}},
	"parties-complete":       {holds: named, row: []string{"Address", "Dock Road 12"}},
	"balances-fail":          {failed: []finance.Scope{finance.ScopeBalances}, code: "ASPSP_ERROR", cut: true},
	"balances-expected":      {cut: true, shown: 1},
	"balances-other":         {cut: true, shown: 1},
	"balances-none":          {cut: true},
	"currency-unknown":       {holds: inEuros},
	"pockets":                {},
	"account-not-accessible": {failed: everyScope, code: "ASPSP_ACCOUNT_NOT_ACCESSIBLE"},
	"four-a-day":             {},
	"one-an-hour":            {},
	"slow":                   {},
	"timeout":                {failed: everyScope, code: "ASPSP_TIMEOUT"},
	"down":                   {failed: everyScope, code: "ASPSP_ERROR"},
	"down-half-the-hour":     {}, // depends on the time
	"action-required":        {}, // only after the person has refreshed it
	"error-null":             {failed: everyScope, code: "ASPSP_ERROR"},
	"error-text":             {failed: everyScope, code: "ASPSP_ERROR"},
	"error-nested":           {failed: everyScope, code: "ASPSP_ERROR"},
	"error-foreign":          {failed: everyScope, code: "HTTP_400"},
	"consent-shortened":      {},
	"one-consent":            {},
}

// notTwice checks that no row is both pending and booked.
func notTwice(t *testing.T, a linkedAccount) {
	for _, p := range a.pending {
		for _, b := range a.booked {
			if b.TransactionDate == p.Date && b.Amount == p.Amount && b.Counterparty == p.Counterparty {
				t.Errorf("%s of %s is shown as pending and as booked", p.Amount, p.Date)
			}
		}
	}
}

func undated(t *testing.T, a linkedAccount) {
	for _, p := range a.pending {
		if p.Date != "" {
			t.Errorf("a pending row got the date %s", p.Date)
		}
	}
}

func named(t *testing.T, a linkedAccount) {
	n := 0
	for _, b := range a.booked {
		if b.Counterparty != "" {
			n++
		}
	}
	if n < len(a.booked)/2 {
		t.Errorf("%d of %d rows name a counterparty", n, len(a.booked))
	}
}

func neverTheHolder(t *testing.T, a linkedAccount) {
	for _, b := range a.booked {
		if b.Counterparty != "" || b.CounterpartyAccount != "" {
			t.Fatalf("the counterparty is %q, %q", b.Counterparty, b.CounterpartyAccount)
		}
	}
	titled(t, a)
}

func titled(t *testing.T, a linkedAccount) {
	for _, b := range a.booked {
		if b.Title() == "" {
			t.Fatalf("%+v has no title", b)
		}
	}
}

func oneLine(t *testing.T, a linkedAccount) {
	for _, b := range a.booked {
		if strings.ContainsAny(b.Remittance, "\r\n\t") || strings.Contains(b.Remittance, "  ") || !strings.Contains(b.Remittance, "GALWAY IRELAND") {
			t.Fatalf("the text is %q", b.Remittance)
		}
	}
}

func withoutLabels(t *testing.T, a linkedAccount) {
	for _, b := range a.booked {
		if b.Remittance == "" || strings.Contains(b.Remittance, "Omschrijving") || strings.Contains(b.Remittance, "Kenmerk") {
			t.Fatalf("the text is %q", b.Remittance)
		}
	}
}

// nothingUnmade checks that rows on hold, scheduled rows and rows of other kinds are listed as pending, and that cancelled and rejected ones are listed
// nowhere.
func nothingUnmade(t *testing.T, a linkedAccount) {
	listed := map[openbanking.TransactionStatus]int{}
	for _, p := range a.pending {
		listed[p.Status]++
	}
	delete(listed, openbanking.TransactionStatusPDNG)
	want := map[openbanking.TransactionStatus]int{openbanking.TransactionStatusHOLD: 1, openbanking.TransactionStatusSCHD: 1,
		openbanking.TransactionStatusOTHR: 1}
	if !maps.Equal(listed, want) {
		t.Errorf("listed beside pending rows: %v, want %v", listed, want)
	}
}

// notesApart checks that a note is not shown as the text of the payer.
func notesApart(t *testing.T, a linkedAccount) {
	for _, b := range a.booked {
		if strings.Contains(b.Remittance+b.Title(), "Shared with Maeve") {
			t.Fatalf("the note is in %q, %q", b.Title(), b.Remittance)
		}
	}
}

func inEuros(t *testing.T, a linkedAccount) {
	if a.Currency != "EUR" {
		t.Errorf("the currency is %s", a.Currency)
	}
}

// household is a person with a link to every scenario.
type household struct {
	*person
	florin      *florin
	store       *store.Store
	user        finance.User
	connections map[string]string // by scenario
}

// The app works with every scenario: each sync ends, two syncs in a row double no row, totals are right where the scenario permits that, and failures are
// explained in words without affecting the other connections.
func TestAppSurvivesEveryScenario(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Process)
	f := spawn(t) // under the race detector it would be so slow that banks time out
	h := &household{person: newPerson(t), florin: f, connections: map[string]string{}}
	h.setUp(f)
	key, err := store.LoadKey(filepath.Join(f.folder, "secrets"))
	if err != nil {
		t.Fatal(err)
	}
	if h.store, err = store.Open(t.Context(), filepath.Join(f.folder, "app.db"), key); err != nil {
		t.Fatal(err)
	}
	defer h.store.Close()
	if h.user, _, err = h.store.UserByEmail(t.Context(), ownerEmail); err != nil {
		t.Fatal(err)
	}
	banks, err := sandbox.New(sandbox.Options{BaseURL: f.service, Flows: struct{ sandbox.FlowStore }{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range banks.Scenarios() {
		if s.Group == "Payments" {
			continue // these banks have no account data
		}
		if _, known := outcomes[s.Name]; !known {
			t.Errorf("outcomes has no entry for %s", s.Name)
		}
		for _, place := range s.Places {
			if place.User.Username == "" {
				continue
			}
			known := h.all()
			h.link(f, place.Bank.Name(), place.Bank.Country(), walk.Person{Username: place.User.Username, Password: place.User.Password, Code: place.User.OTP})
			for _, c := range h.all() {
				if !slices.ContainsFunc(known, func(k finance.Connection) bool { return k.ID == c.ID }) {
					h.connections[s.Name] = c.ID
				}
			}
			if h.connections[s.Name] == "" {
				t.Fatalf("%s gave no connection of its own", s.Name)
			}
		}
	}

	h.settle(time.Time{})
	for _, k := range h.tasks("action-required") {
		if k.LastError.Code != "ASPSP_PSU_ACTION_REQUIRED" {
			t.Errorf("action-required: %s ended with %q before the person refreshed", k.Scope, k.LastError.Code)
		}
	}
	again := time.Now()
	for _, name := range []string{"period-breaks", "action-required"} { // a bank that fails over a long period is asked for a short one after two failures
		h.rests(h.connections[name])
		h.request(http.MethodPost, f.web+"/connections/"+h.connections[name]+"/refresh")
		h.settleOf(h.connections[name], again)
	}
	first := map[string][]linkedAccount{}
	for name := range h.connections {
		first[name] = h.accounts(name)
	}
	again = time.Now()
	for _, id := range h.connections {
		h.rests(id)
		h.request(http.MethodPost, f.web+"/connections/"+id+"/refresh")
	}
	h.settle(again)
	for name, want := range outcomes {
		t.Run(name, func(t *testing.T) { h.check(t, name, want, first[name]) })
	}
	for _, k := range h.tasks("references-per-fetch") {
		if k.RowsNew != 0 {
			t.Errorf("references-per-fetch: a refresh that brought nothing new reports %d rows", k.RowsNew)
		}
	}
	t.Run("a new session with new references", func(t *testing.T) { h.renew(t, banks, "references-per-session") })
	for line := range strings.Lines(f.err.String()) {
		if strings.Contains(line, "level=ERROR") && strings.Contains(line, "half=app") {
			t.Errorf("the app logged: %s", line)
		}
	}
}

// renew links a scenario again and compares the rows.
func (h *household) renew(t *testing.T, banks *sandbox.Sandbox, name string) {
	before, again := h.accounts(name), time.Now()
	known := len(h.all())
	for _, s := range banks.Scenarios() {
		if s.Name == name {
			place := s.Places[0]
			h.visit(h.renewal(h.florin, place.Bank.Name(), place.Bank.Country(), h.connections[name]))
			h.approve(h.florin, nil, walk.Person{Username: place.User.Username, Password: place.User.Password})
		}
	}
	h.settleOf(h.connections[name], again)
	after := h.accounts(name)
	if len(h.all()) != known || len(after) != 1 || after[0].UID == before[0].UID {
		t.Fatalf("%d connections, %d accounts", len(h.all()), len(after))
	}
	if len(after[0].booked) != len(before[0].booked) {
		t.Errorf("%d rows, then %d", len(before[0].booked), len(after[0].booked))
	}
	for i, b := range after[0].booked {
		if b.Missing || b.ID != before[0].booked[i].ID {
			t.Fatalf("row %d is another one, or missing: %+v", i, b)
		}
	}
}

// tasks returns the sync tasks of a scenario.
func (h *household) tasks(name string) []finance.SyncTask {
	h.t.Helper()
	tasks, err := h.store.Tasks(h.t.Context(), h.user.ID, h.connections[name])
	if err != nil || len(tasks) == 0 {
		h.t.Fatal(len(tasks), err)
	}
	return tasks
}

func (h *household) all() []finance.Connection {
	h.t.Helper()
	connections, err := h.store.Connections(h.t.Context(), h.user.ID)
	if err != nil {
		h.t.Fatal(err)
	}
	return connections
}

// settle waits until every task has ended a run that began after since. It ignores tasks that the bank's limit delays, and tasks that failed so often that
// Florin pauses them for an hour. On a slow machine that pause can begin before the second request.
func (h *household) settle(since time.Time) {
	h.t.Helper()
	h.settleOf("", since)
}

// settleOf is settle for one connection.
func (h *household) settleOf(connection string, since time.Time) {
	h.t.Helper()
	for end := time.Now().Add(4 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		tasks, err := h.store.Tasks(h.t.Context(), h.user.ID, connection)
		if err != nil {
			h.t.Fatal(err)
		}
		waiting := slices.DeleteFunc(tasks, func(k finance.SyncTask) bool {
			limited := k.LastError.Code == finance.FailureCode(openbanking.ASPSPRateLimitExceeded)
			rests := k.LastError.Code != "" && k.NextAttempt.After(time.Now().Add(10*time.Minute))
			return k.State != finance.TaskRunning && (limited || rests || k.LastSuccess.After(since) || k.LastError.At.After(since))
		})
		if len(waiting) == 0 {
			return
		}
		if time.Now().After(end) {
			h.t.Fatalf("%d tasks never end, such as %+v\n%s", len(waiting), waiting[0], h.florin.err)
		}
	}
}

// rests waits until no task of a connection runs or is about to run: a refresh during a retry would read nothing more.
func (h *household) rests(connection string) {
	h.t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		tasks, err := h.store.Tasks(h.t.Context(), h.user.ID, connection)
		if err != nil {
			h.t.Fatal(err)
		}
		soon := time.Now().Add(time.Second)
		if !slices.ContainsFunc(tasks, func(k finance.SyncTask) bool { return k.Busy(soon) }) {
			return
		}
		if time.Now().After(end) {
			h.t.Fatalf("a connection never rests: %+v", tasks)
		}
	}
}

// accounts returns the accounts of a scenario with their data. Booked rows have only what a list shows.
func (h *household) accounts(name string) (list []linkedAccount) {
	h.t.Helper()
	ctx := h.t.Context()
	accounts, err := h.store.Accounts(ctx, h.user.ID)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, a := range accounts {
		if a.ConnectionID != h.connections[name] {
			continue
		}
		linked := linkedAccount{Account: a}
		rows, _, err := h.store.Find(ctx, h.user.ID, search.InAccount(a.ID), store.Newest, 100_000)
		if err != nil {
			h.t.Fatal(err)
		}
		for _, row := range rows {
			linked.booked = append(linked.booked, finance.Transaction{TransactionRow: row.TransactionRow})
		}
		if linked.pending, err = h.store.Pending(ctx, h.user.ID, a.ID); err != nil {
			h.t.Fatal(err)
		}
		if linked.balances, err = h.store.AccountBalances(ctx, h.user.ID, a.ID); err != nil {
			h.t.Fatal(err)
		}
		list = append(list, linked)
	}
	return list
}

// inFull reads all data of each booked row.
func (h *household) inFull(list []linkedAccount) []linkedAccount {
	h.t.Helper()
	for _, a := range list {
		for i, row := range a.booked {
			full, err := h.store.Transaction(h.t.Context(), h.user.ID, a.ID, row.ID)
			if err != nil {
				h.t.Fatal(err)
			}
			a.booked[i] = full.Transaction
		}
	}
	return list
}

// check compares the result of a scenario with the expected one.
func (h *household) check(t *testing.T, name string, want outcome, first []linkedAccount) {
	tasks, err := h.store.Tasks(t.Context(), h.user.ID, h.connections[name])
	if err != nil {
		t.Fatal(err)
	}
	connections := h.all()
	c := connections[slices.IndexFunc(connections, func(c finance.Connection) bool { return c.ID == h.connections[name] })]
	if c.State(time.Now()) != finance.ConnectionActive {
		t.Errorf("the connection is %s", c.Status)
	}
	page := h.visit(h.florin.web + "/connections/" + c.ID)
	if page.Status != http.StatusOK {
		t.Errorf("the page of the connection: %d %q", page.Status, page.Title)
	}
	fails := func(scope finance.Scope) bool { return slices.Contains(want.failed, scope) }
	for _, k := range tasks {
		code := k.LastError.Code
		byChance := name == "down-half-the-hour" && code == "ASPSP_ERROR" || code == finance.FailureCode(openbanking.ASPSPRateLimitExceeded)
		if fails(k.Scope) && string(code) != want.code || !fails(k.Scope) && code != "" && !byChance {
			t.Errorf("%s ended with %q", k.Scope, code)
		}
		if code != "" {
			if failure := pages.ExplainSync(words.English, k.LastError, c.ASPSP.Name); !strings.Contains(page.Body, html.EscapeString(failure.Title)) {
				t.Errorf("the page of the connection does not say %q", failure.Title)
			}
		}
		if k.RowsRefused > 0 {
			t.Errorf("%d rows could not be read", k.RowsRefused)
		}
	}
	accounts := h.inFull(h.accounts(name))
	if len(accounts) == 0 || len(accounts) != len(first) {
		t.Fatalf("%d accounts, then %d", len(first), len(accounts))
	}
	for i, a := range accounts {
		address := h.florin.web + "/accounts/" + a.ID
		page := h.visit(address)
		if page.Status != http.StatusOK || !says(page, want.page) {
			t.Errorf("the page of the account: %d %q, want %q on it", page.Status, page.Title, want.page)
		}
		if len(want.row) > 0 && !slices.ContainsFunc(a.booked, func(b finance.Transaction) bool {
			return says(h.visit(fmt.Sprint(address, "/transactions/", b.ID)), want.row)
		}) {
			t.Errorf("no page of a row says %q", want.row)
		}
		if fails(finance.ScopeTransactions) || name == "down-half-the-hour" { // here the minute of each sync decides
			continue
		}
		if len(a.booked) < 20 || len(a.booked) != len(first[i].booked) || int(a.Transactions) != len(a.booked) {
			t.Errorf("%s: %d rows after the first sync, %d after the second, %d counted", a.Name(), len(first[i].booked), len(a.booked), a.Transactions)
		}
		// A new pending card payment may have come between the syncs. No earlier row is doubled or missing.
		if n := len(a.pending) - len(first[i].pending); n < 0 || n > 2 {
			t.Errorf("%s: %d pending rows, then %d", a.Name(), len(first[i].pending), len(a.pending))
		}
		var sum int64
		for _, b := range a.booked {
			if b.Missing || b.Date == "" {
				t.Errorf("%s: a row of %q is marked as missing, or has no date", a.Name(), b.Date)
			}
			sum += b.Amount.Minor()
		}
		if !want.cut {
			want.shown = allBalances
			i := slices.IndexFunc(a.balances, func(b finance.Balance) bool { return b.Type == openbanking.BalanceStatusCLBD })
			if i < 0 || a.balances[i].Amount.Minor() != sum {
				t.Errorf("%s: the rows add up to %d, the balances are %+v", a.Name(), sum, a.balances)
			}
		}
		if len(a.balances) != want.shown && (!want.cut || want.shown > 0 || strings.HasPrefix(name, "balances-")) {
			t.Errorf("%s: %d balances, want %d", a.Name(), len(a.balances), want.shown)
		}
		if want.holds != nil {
			want.holds(t, a)
		}
	}
}

// says reports whether a page contains all of these texts.
func says(page *walk.Page, texts []string) bool {
	return !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(page.Body, html.EscapeString(text)) })
}
