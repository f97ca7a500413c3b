package handlers_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"florin/internal/bank/apitest"
	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/search"
	"florin/internal/sqlite"
	"florin/internal/store"
	"florin/internal/testkit"
)

// badInput is what a bank sends for one scope of the account "uid-1".
type badInput struct {
	name   string
	scope  finance.Scope
	answer func(w http.ResponseWriter, r *http.Request)
	code   finance.FailureCode // "" when the scope does not fail and only the impossible value is left out
	says   [2]string           // on the page of the connection, in English and in German
}

// sending answers with a text.
func sending(kind, text string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("X-Request-Id", apitest.RequestID)
		_, _ = io.WriteString(w, text)
	}
}

func refusing(status int, code openbanking.ErrorCode) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		e := openbanking.Error{Status: status, Code: code}
		_ = json.NewEncoder(w).Encode(e.Response())
	}
}

const (
	aPage   = `<!DOCTYPE html><html lang="en"><title>Maintenance</title><p>We are back soon.</p></html>`
	digits  = "1234567890123456789012345678901234567890"
	aRow    = `{"entry_reference":"ref-%d","transaction_amount":{"currency":"EUR","amount":%q},"credit_debit_indicator":"DBIT","status":"BOOK","booking_date":%q,"creditor":{"name":"Shop"}}`
	perPage = 20 // a list with so many pages counts as endless
)

// withRows answers with the rows that the bank has, and others.
func (s *site) withRows(key string, others ...string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		page := map[string]any{}
		rows := []json.RawMessage{}
		for _, row := range s.service.rows["uid-1"] {
			text, _ := json.Marshal(row)
			rows = append(rows, text)
		}
		for _, row := range others {
			rows = append(rows, json.RawMessage(row))
		}
		page["transactions"] = rows
		if key != "" {
			page["continuation_key"] = key
		}
		_ = json.NewEncoder(w).Encode(page)
	}
}

func (s *site) badInputs() []badInput {
	unreadable := [2]string{"Florin does not understand the answer of the banking service", "Florin versteht die Antwort des Bankdienstes nicht"}
	silent := [2]string{"The banking service did not answer", "Der Bankdienst hat nicht geantwortet"}
	yesterday := openbanking.DateOf(time.Now().AddDate(0, 0, -1))
	var list []badInput
	for _, scope := range finance.Scopes() {
		list = append(list,
			badInput{"HTML", scope, sending("text/html", aPage), finance.FailureUnreadable, unreadable},
			badInput{"JSON that ends too early", scope, sending("application/json", `{"balances":[{"balance_type":"CLBD","balance_amount":{"curr`), finance.FailureUnreadable, unreadable},
			badInput{"HTML with an error", scope, func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(http.StatusInternalServerError)
				sending("text/html", aPage)(w, r)
			},
				"HTTP_500", [2]string{"The banking service has a problem", "Der Bankdienst hat eine Störung"}},
			badInput{"headers that no browser sends", scope, refusing(http.StatusUnprocessableEntity, openbanking.PSUHeaderNotProvided), finance.FailureCode(openbanking.PSUHeaderNotProvided),
				[2]string{"Elbe Sparbank needs you to be present", "Elbe Sparbank verlangt, dass Sie anwesend sind"}},
		)
	}
	return append(list,
		badInput{"a slow answer", finance.ScopeBalances, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, finance.FailureUnreachable, silent},
		badInput{"a balance of 40 digits", finance.ScopeBalances,
			sending("application/json", `{"balances":[{"balance_type":"CLBD","balance_amount":{"currency":"EUR","amount":"7"}},{"balance_type":"ITAV","balance_amount":{"currency":"EUR","amount":"`+digits+`"}}]}`),
			finance.FailureUnreadable, unreadable},
		badInput{"a million pages", finance.ScopeTransactions, func(w http.ResponseWriter, r *http.Request) {
			n := len(r.URL.Query().Get("continuation_key"))
			s.withRows(strings.Repeat("k", n+1))(w, r)
		}, finance.FailureEndless, [2]string{"The list of transactions does not end", "Die Liste der Umsätze hat kein Ende"}},
		badInput{"a row of 40 digits", finance.ScopeTransactions, s.withRows("", fmt.Sprintf(aRow, 100, digits, yesterday)), "",
			[2]string{"1 transaction could not be read.", "1 Umsatz war nicht lesbar."}},
		badInput{"a row of the year 9999", finance.ScopeTransactions, s.withRows("", fmt.Sprintf(aRow, 101, "1.00", "9999-12-31")), "",
			[2]string{"1 transaction could not be read.", "1 Umsatz war nicht lesbar."}},
	)
}

// held is what Florin has stored of a user, without the times at which it was read.
func (s *site) held(user finance.User) (all []string) {
	s.t.Helper()
	ctx := s.t.Context()
	accounts, err := s.store.Accounts(ctx, user.ID)
	must(s.t, err)
	for _, a := range accounts {
		all = append(all, fmt.Sprintf("%s: %s %s %s %s %s", a.ID, a.Holder, a.Product, a.Type, a.Currency, a.IBAN))
		balances, err := s.store.AccountBalances(ctx, user.ID, a.ID)
		must(s.t, err)
		for _, b := range balances {
			all = append(all, fmt.Sprintf("%s: %s %s %s", a.ID, b.Type, b.Amount, b.Reference))
		}
		complete, err := s.store.Completeness(ctx, user.ID, a.ID)
		must(s.t, err)
		all = append(all, fmt.Sprintf("%s: %+v %v", a.ID, complete.Breaks, complete.Open))
	}
	rows, _, err := s.store.Find(ctx, user.ID, search.And{}, store.Newest, 1000)
	must(s.t, err)
	for _, row := range rows {
		note, err := s.store.Annotation(ctx, user.ID, row.ID)
		must(s.t, err)
		all = append(all, fmt.Sprintf("%d: %s %s %s %q %t %s", row.ID, row.AccountID, row.Date, row.Amount, row.Title(), row.Missing, note.Note))
	}
	return all
}

// A bad answer from a bank fails only its own scope, with a sentence in both languages, or Florin leaves out the impossible value. The other scopes, accounts
// and connections continue, stored data does not change, and the next good answer puts everything right (issue: Linked for years, "Bad input").
func TestBadInputFailsItsScopeAlone(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	s := newSite(t)
	mira := s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	b.link()
	page := "/connections/" + s.only(mira).ID
	elbes := s.service.accounts
	s.service.accounts = []openbanking.AccountResource{accountOf("3", "FI2112345600000785", "EUR", "Käyttötili")}
	s.service.rows["uid-3"] = transactions(3)
	shorter := time.Now().Add(30*24*time.Hour + time.Hour).UTC().Truncate(time.Second)
	s.service.Instead("GET /sessions/session-2", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(openbanking.Session{Status: openbanking.SessionStatusAuthorized, ASPSP: openbanking.ASPSP{Name: "Österbottens Sparbank", Country: "FI"},
			PSUType: openbanking.PSUTypePersonal, PSUIDHash: "psu-2", Access: openbanking.Access{ValidUntil: openbanking.DateTime{Time: shorter}}})
	})
	b.start(url.Values{"provider": {"embedded"}, "bank": {"Österbottens Sparbank"}, "country": {"FI"}, "psu_type": {"personal"}})
	b.get(s.back()).status(http.StatusSeeOther)
	s.service.accounts = append(elbes, s.service.accounts...)
	s.syncAll()
	accounts, err := s.store.Accounts(t.Context(), mira.ID)
	must(t, err)
	first := accounts[slices.IndexFunc(accounts, func(a finance.Account) bool { return a.UID == "uid-1" })].ID
	row, _, err := s.store.Find(t.Context(), mira.ID, search.InAccount(first), store.Newest, 1)
	must(t, err)
	must(t, s.store.Annotate(t.Context(), mira.ID, first, row[0].ID, finance.Annotation{Note: "mine"}))
	before := s.held(mira)
	if len(accounts) != 3 || len(before) < 3*4+10 {
		t.Fatalf("%d accounts: %q", len(accounts), before)
	}
	connections, err := s.store.Connections(t.Context(), mira.ID)
	must(t, err)
	other := connections[slices.IndexFunc(connections, func(c finance.Connection) bool { return c.ASPSP.Country == "FI" })]
	if !other.ValidUntil.Equal(shorter) { // 90 days were asked for
		t.Errorf("a consent until %s is taken for one until %s", shorter, other.ValidUntil)
	}
	b.get("/connections/" + other.ID).has("30 days")
	read := func() {
		t.Helper()
		s.exec(`UPDATE sync_task SET reads = '', next_attempt_at = $1`, sqlite.At(time.Now()))
		s.syncAll()
	}
	s.syncer.MostPages = perPage
	for _, bad := range s.badInputs() {
		name := bad.name + " for " + string(bad.scope)
		s.syncer.CallIn = time.Minute
		if bad.code == finance.FailureUnreachable {
			s.syncer.CallIn = 2 * time.Second
		}
		s.service.Instead("GET /accounts/uid-1/"+string(bad.scope), bad.answer)
		began := time.Now()
		read()
		tasks, err := s.store.Tasks(t.Context(), mira.ID, "")
		must(t, err)
		for _, k := range tasks {
			want := finance.FailureCode("")
			if k.AccountID == first && k.Scope == bad.scope {
				want = bad.code
			}
			if k.LastError.Code != want || k.LastSuccess.After(began.Truncate(time.Millisecond).Add(-time.Millisecond)) != (want == "") ||
				k.State != finance.TaskWaiting || !k.NextAttempt.After(began) {
				t.Errorf("%s: %s is %s after %q, want %q, and succeeded %s", name, k.Scope, k.State, k.LastError.Code, want, k.LastSuccess)
			}
		}
		if now := s.held(mira); !slices.Equal(now, before) {
			t.Errorf("%s: there was %q, there is %q", name, before, now)
		}
		for i, language := range []string{"", "de"} {
			b.languages = language
			b.get(page).status(http.StatusOK).has(bad.says[i])
		}
		b.languages = ""
		s.service.Instead("GET /accounts/uid-1/"+string(bad.scope), nil)
		read()
		b.get(page).lacks(bad.says[0])
		if now := s.held(mira); !slices.Equal(now, before) {
			t.Errorf("after %s: there was %q, there is %q", name, before, now)
		}
		if t.Failed() {
			t.FailNow()
		}
	}

	// A balance that contradicts the rows is kept as the bank sent it, and the page shows the difference.
	s.exec(`UPDATE balance_reading SET day = date(day, '-1 day'), taken = strftime('%Y-%m-%dT%H:%M:%fZ', taken, '-1 day')`)
	s.exec(`UPDATE booked_transaction SET first_seen = strftime('%Y-%m-%dT%H:%M:%fZ', first_seen, '-2 days')`)
	read()
	s.service.Lock()
	s.service.booked["uid-1"] = openbanking.BalanceResource{BalanceType: openbanking.BalanceStatusCLBD, BalanceAmount: openbanking.AmountType{Currency: "EUR", Amount: "1000.00"}}
	s.service.Unlock()
	read()
	b.get("/accounts/"+first).has("1,000.00", "Complete and exact up to", "differs from the bookings by 234.56 EUR")
	b.languages = "de"
	b.get("/accounts/" + first).has("234,56 EUR")
	b.languages = ""
	b.get(page).has("Up to date")

	// A session that ends in the middle of a list ends its connection without an alarm. The other connection continues, and the rows stay.
	rows := func() []string {
		return slices.DeleteFunc(s.held(mira), func(line string) bool { return !strings.Contains(line, "Shop") })
	}
	was := rows()
	s.service.Instead("GET /accounts/uid-1/transactions", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("continuation_key") {
			refusing(http.StatusUnauthorized, openbanking.ExpiredSession)(w, r)
			return
		}
		s.withRows("more")(w, r)
	})
	s.service.Instead("GET /sessions/session-1", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(openbanking.Session{Status: openbanking.SessionStatusExpired})
	})
	began := time.Now().Truncate(time.Millisecond)
	read()
	b.get(page).has("Consent ended").lacks("Warning")
	b.languages = "de"
	b.get(page).has("Einwilligung abgelaufen")
	b.languages = ""
	tasks, err := s.store.Tasks(t.Context(), mira.ID, other.ID)
	must(t, err)
	for _, k := range tasks {
		if k.LastSuccess.Before(began) || k.LastError.Code != "" {
			t.Errorf("%s of the other bank: %+v", k.Scope, k)
		}
	}
	if now := rows(); len(was) != 10 || !slices.Equal(now, was) {
		t.Errorf("there was %q, there is %q", was, now)
	}
}
