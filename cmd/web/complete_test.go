package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"florin/internal/aggregator"
	"florin/internal/aggregator/sandbox"
	"florin/internal/completeness"
	"florin/internal/finance"
	"florin/internal/live"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/search"
	"florin/internal/sqlite/sqlitetest"
	"florin/internal/store"
	"florin/internal/syncer"
	"florin/internal/testkit"
	"florin/migrations"
)

// wire is the API of a scenario bank for one of its users, without the service in between. It can leave out a row, or send it twice.
type wire struct {
	bank   *sandbox.Bank
	flows  map[string]aggregator.BankFlow // consents
	now    time.Time
	served map[string]openbanking.Date // booked rows by their contents: the day on which each came first
	count  map[string]int              // how often each row is in the last listing
	rows   map[string]openbanking.Transaction
	lost   string // the row to leave out
	twice  string // the row to send once more, under another reference
}

func (w *wire) consent(uid string) (aggregator.Consent, string) {
	id, reference, _ := strings.Cut(uid, "/")
	return aggregator.Consent{Reference: id}, reference
}

// psu is a person who is present, so that the bank's limits do not apply: other tests cover those.
var psu = aggregator.PSU{"Psu-Ip-Address": "192.0.2.1", "Psu-User-Agent": "test"}

func told[T any](answer T, err error) (T, error) {
	var known *openbanking.Error
	if err != nil && !errors.As(err, &known) {
		err = &openbanking.Error{Code: openbanking.ASPSPError, Message: err.Error()}
	}
	return answer, err
}

func (w *wire) AccountDetails(ctx context.Context, uid string, _ http.Header) (openbanking.AccountResource, error) {
	consent, reference := w.consent(uid)
	a, err := w.bank.Account(ctx, consent, reference, psu)
	return told(a.Account, err)
}

func (w *wire) Balances(ctx context.Context, uid string, _ http.Header) ([]openbanking.BalanceResource, error) {
	consent, reference := w.consent(uid)
	return told(w.bank.Balances(ctx, consent, reference, psu))
}

func (w *wire) TransactionsPage(ctx context.Context, uid string, q openbanking.TransactionsQuery, _ http.Header) (openbanking.TransactionsPage, error) {
	consent, reference := w.consent(uid)
	answer, err := w.bank.Transactions(ctx, consent, reference,
		aggregator.TransactionQuery{DateFrom: q.DateFrom, Strategy: q.Strategy, Cursor: q.ContinuationKey}, psu)
	if err != nil {
		return told(openbanking.TransactionsPage{}, err)
	}
	var page openbanking.TransactionsPage
	if answer.Next != "" {
		page.ContinuationKey = &answer.Next
	}
	if q.ContinuationKey == "" {
		maps.DeleteFunc(w.count, func(key string, _ int) bool { return strings.HasPrefix(key, reference+" ") })
	}
	add := func(t openbanking.Transaction) {
		original, _ := json.Marshal(t)
		page.Transactions, page.Originals = append(page.Transactions, t), append(page.Originals, original)
	}
	for _, t := range answer.Transactions {
		says := t
		says.EntryReference, says.TransactionID, says.RemittanceInformation, says.BalanceAfterTransaction = nil, nil, nil, nil
		original, _ := json.Marshal(says)
		key := reference + " " + string(original)
		if t.Status == openbanking.TransactionStatusBOOK {
			if w.served[key] == "" {
				w.served[key], w.rows[key] = openbanking.DateOf(w.now), t
			}
			w.count[key]++
		}
		if key == w.lost {
			continue
		}
		add(t)
		if key == w.twice {
			if t.EntryReference != nil {
				again := *t.EntryReference + "Z"
				t.EntryReference = &again
			}
			add(t)
		}
	}
	return page, nil
}

func (w *wire) Session(context.Context, string) (openbanking.Session, error) {
	return openbanking.Session{Status: openbanking.SessionStatusAuthorized}, nil
}

// linkedScenario is somebody who has linked a scenario bank, in a store of its own.
type linkedScenario struct {
	*wire
	t        *testing.T
	store    *store.Store
	db       *sql.DB
	syncer   *syncer.Syncer
	user     finance.User
	accounts []finance.Account
}

// link links the bank again: another session, other uids.
func (l *linkedScenario) link(banks *sandbox.Sandbox, username string) {
	l.t.Helper()
	ctx := l.t.Context()
	id := fmt.Sprintf("flow%d", len(l.flows))
	flow := aggregator.BankFlow{ID: id, ASPSP: openbanking.ASPSP{Name: l.bank.Name(), Country: l.bank.Country()}, Step: aggregator.BankFlowApproval,
		Username: username,
		Request:  aggregator.ConsentRequest{Balances: true, Transactions: true}, Created: l.now, Expires: l.now.AddDate(1, 0, 0)}
	l.flows[id] = flow
	choices, err := banks.Choices(ctx, id)
	l.check(err)
	flow.Step = aggregator.BankFlowFinished
	for _, choice := range choices {
		flow.Accounts = append(flow.Accounts, choice.Reference)
	}
	l.flows[id] = flow
	var accounts []openbanking.AccountResource
	for _, reference := range flow.Accounts {
		uid := id + "/" + reference
		consent, _ := l.consent(uid)
		a, err := l.bank.Account(ctx, consent, reference, psu)
		if err != nil {
			a.Account = openbanking.AccountResource{CashAccountType: openbanking.CashAccountTypeCACC, Currency: "EUR"}
		}
		a.Account.UID, a.Account.IdentificationHash, a.Account.IdentificationHashes = &uid, reference, []string{reference}
		accounts = append(accounts, a.Account)
	}
	state := finance.Secret(finance.NewID())
	asked := finance.LinkAttempt{UserID: l.user.ID, ProviderID: "embedded", ASPSP: flow.ASPSP, PSUType: "personal", ValidUntil: time.Now().Add(time.Hour)}
	if len(l.accounts) > 0 {
		asked.Renews = l.accounts[0].ConnectionID
	}
	attempt, err := l.store.CreateAttempt(ctx, asked, state, "browser", time.Minute)
	l.check(err)
	l.check(l.store.OpenAttempt(ctx, l.user.ID, attempt.ID, "https://bank.example", "psu"))
	attempt, err = l.store.UseAttempt(ctx, "embedded", state, "browser")
	l.check(err)
	_, _, err = l.store.SaveLink(ctx, store.Link{Attempt: attempt, SessionID: finance.Secret(id), ValidUntil: time.Now().Add(24 * time.Hour),
		Accounts: accounts})
	l.check(err)
	before := len(l.accounts)
	l.accounts, err = l.store.Accounts(ctx, l.user.ID)
	l.check(err)
	if before > 0 && len(l.accounts) != before {
		l.t.Fatalf("%d accounts, then %d", before, len(l.accounts))
	}
}

func (l *linkedScenario) check(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

// sync reads everything once, on the present day.
func (l *linkedScenario) sync() {
	l.t.Helper()
	_, err := l.db.Exec(`UPDATE sync_task SET reads = '', next_attempt_at = '2000-01-01T00:00:00.000Z' WHERE state = 'waiting'`)
	l.check(err)
	for range 500 {
		next, err := l.syncer.Run(l.t.Context())
		l.check(err)
		if next.IsZero() || next.After(time.Now()) {
			return
		}
	}
	l.t.Fatal("the sync does not end")
}

// tomorrow moves to the next day and syncs.
func (l *linkedScenario) tomorrow() {
	l.t.Helper()
	l.now = l.now.AddDate(0, 0, 1)
	l.sync()
}

func (l *linkedScenario) judged(a finance.Account) store.Completeness {
	l.t.Helper()
	c, err := l.store.Completeness(l.t.Context(), l.user.ID, a.ID)
	l.check(err)
	return c
}

// exact fails unless each account is proven complete until today, where its bank gives a booked balance.
func (l *linkedScenario) exact(when string, since openbanking.Date) {
	l.t.Helper()
	for _, a := range l.accounts {
		c := l.judged(a)
		want := completeness.Verdict{}
		if c.Provable {
			want = completeness.Verdict{Since: since, Until: openbanking.DateOf(l.now)}
		}
		if c.Since != want.Since || c.Until != want.Until || len(c.Breaks) > 0 || c.Open != nil {
			l.t.Errorf("%s: %s is %+v, want %+v", when, a.Product, c.Verdict, want)
		}
	}
}

// listed returns the rows that the banks list, with the contents that a person sees.
func (l *linkedScenario) listed() (all []string) {
	l.t.Helper()
	rows, _, err := l.store.Find(l.t.Context(), l.user.ID, search.And{}, store.Newest, 100_000)
	l.check(err)
	for _, r := range rows {
		if !r.Missing {
			all = append(all, fmt.Sprintf("%s %d: %s %s %s %s", r.AccountID, r.ID, r.Date, r.Amount, r.Title(), r.Remittance))
		}
	}
	slices.Sort(all)
	return all
}

// same fails unless the rows equal the earlier ones: none missing, none twice, none changed.
func (l *linkedScenario) same(when string, before []string) {
	l.t.Helper()
	now := l.listed()
	only := func(list, other []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(row string) bool { return slices.Contains(other, row) })
	}
	if !slices.Equal(now, before) {
		l.t.Errorf("%s: %d rows of %d; lost %q, new %q", when, len(now), len(before), only(before, now), only(now, before))
	}
}

// unproven reports whether the banks of a scenario give no booked balance, or no data at all.
func unproven(name string) bool {
	return len(outcomes[name].failed) > 0 || strings.HasPrefix(name, "balances-")
}

// Whatever a bank does with its rows, when it is synced twice, linked again, renewed, and synced day after day: no row is doubled or lost, edits of the person
// are kept, and the account is proven complete each day. When the bank loses a row or sends one twice, Florin finds that with its day and its amount.
func TestEveryScenarioIsProvenComplete(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Each)
	plain, err := sandbox.New(sandbox.Options{BaseURL: "http://bank.example", Flows: struct{ sandbox.FlowStore }{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range plain.Scenarios() {
		if s.Group == "Payments" || s.Name == "slow" || s.Name == "timeout" { // TestAppSurvivesEveryScenario covers slow answers
			continue
		}
		t.Run(s.Name, func(t *testing.T) { proveScenario(t, s) })
	}
}

func proveScenario(t *testing.T, s sandbox.Scenario) {
	place := s.Places[slices.IndexFunc(s.Places, func(p sandbox.ScenarioPlace) bool { return p.User.Username != "" })]
	start := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -27).Add(12*time.Hour + 45*time.Minute) // a bank that is down half the hour is up then
	l := &linkedScenario{t: t, wire: &wire{now: start, flows: map[string]aggregator.BankFlow{}, served: map[string]openbanking.Date{}, count: map[string]int{},
		rows: map[string]openbanking.Transaction{}}}
	banks, err := sandbox.New(sandbox.Options{BaseURL: "http://bank.example", Now: func() time.Time { return l.now }, Flows: flowsOf{of: l.wire}})
	l.check(err)
	for _, b := range banks.Banks() {
		if b.Name() == place.Bank.Name() && b.Country() == place.Bank.Country() {
			l.bank = b
		}
	}
	path := filepath.Join(t.TempDir(), "app.db")
	sqlitetest.Make(t, path, migrations.App)
	key, err := store.LoadKey(filepath.Join(t.TempDir(), "secrets"))
	l.check(err)
	l.store, err = store.Open(t.Context(), path, key)
	l.check(err)
	t.Cleanup(func() { _ = l.store.Close() })
	l.db, err = sql.Open("sqlite", path+"?_pragma=busy_timeout(10000)")
	l.check(err)
	t.Cleanup(func() { _ = l.db.Close() })
	l.syncer = syncer.New(l.store, func(context.Context, finance.Provider) (syncer.API, error) { return l.wire, nil }, live.NewHub(),
		slog.New(slog.DiscardHandler))
	l.user, err = l.store.CreateUser(t.Context(), "a@example.org", finance.RoleMember, "h")
	l.check(err)
	l.check(l.store.SaveProvider(t.Context(), finance.Provider{ID: "embedded", Name: "S", BaseURL: "http://bank.example", Environment: openbanking.EnvironmentSandbox, PrivateKey: "k"}))

	first := openbanking.DateOf(l.now)
	l.link(banks, place.User.Username)
	l.sync()
	if s.Name == "period-breaks" {
		l.sync() // a bank that fails over a long period is asked for a short one after two failures
	}
	rows := l.listed()
	l.sync()
	l.exact("synced twice", first)
	l.same("synced twice", rows)
	edited := l.edit()
	l.link(banks, place.User.Username)
	l.sync()
	l.exact("linked again", first)
	l.same("linked again", rows)
	l.kept("linked again", edited)
	if s.Name == "references-twice" {
		l.doubles(first)
		return
	}
	l.tomorrow()
	l.exact("the next day", first)
	l.kept("the next day", edited)
	rows = l.listed()
	l.link(banks, place.User.Username)
	l.sync()
	l.exact("renewed", first)
	l.same("renewed", rows)
	l.kept("renewed", edited)
	if proven := slices.ContainsFunc(l.accounts, func(a finance.Account) bool { return l.judged(a).Provable }); proven == unproven(s.Name) {
		t.Fatalf("proven: %t", proven)
	} else if !proven {
		return
	}
	a, row, amount := l.newRow(first)
	came := openbanking.DateOf(l.now)
	l.lost = row
	l.tomorrow()
	l.breaks(a, "a lost row", completeness.Missing, came, amount)
	l.lost = ""
	l.tomorrow()
	l.exact("the row is there again", first)
	l.twice = row
	l.tomorrow()
	doubled := openbanking.DateOf(l.now)
	if c := l.judged(a); c.Open == nil || len(c.Breaks) > 0 || c.Until >= doubled {
		t.Errorf("on the day of the double: %+v", c)
	}
	l.tomorrow()
	l.breaks(a, "a double", completeness.Doubled, doubled, amount.Neg())
	l.twice = ""
	l.tomorrow()
	l.exact("the double is gone", first)
	l.kept("at the end", edited)
}

// flowsOf stores the visits of a person at the banks.
type flowsOf struct {
	sandbox.FlowStore
	of *wire
}

func (f flowsOf) BankFlow(_ context.Context, id string) (aggregator.BankFlow, error) {
	flow, known := f.of.flows[id]
	if !known {
		return flow, aggregator.ErrNotFound
	}
	return flow, nil
}

func (f flowsOf) BankOrders(context.Context, aggregator.BankAccountKey, int64) ([]aggregator.BankOrder, error) {
	return nil, nil
}

func (f flowsOf) TakeFetch(context.Context, aggregator.FetchBucket, time.Time, int, time.Duration) (bool, error) {
	return true, nil
}

// covered reports whether the bank lists an older row than the missing one: only then Florin treats an unlisted row as gone.
func (l *linkedScenario) covered(key string) bool {
	dates := func(t openbanking.Transaction) (shown, last openbanking.Date) {
		for _, d := range []*openbanking.Date{t.BookingDate, t.TransactionDate} {
			if d != nil {
				shown, last = *d, max(last, *d)
			}
		}
		return shown, last
	}
	shown, _ := dates(l.rows[key])
	account, _, _ := strings.Cut(key, " ")
	for other := range l.count {
		if _, last := dates(l.rows[other]); strings.HasPrefix(other, account+" ") && last < shown && last >= openbanking.DateOf(l.now.AddDate(0, 0, -5)) {
			return true
		}
	}
	return false
}

// newRow goes from day to day until a new row was booked exactly once, and returns it with its account.
func (l *linkedScenario) newRow(first openbanking.Date) (finance.Account, string, money.Amount) {
	l.t.Helper()
	for range 14 {
		l.tomorrow()
		l.exact("day by day", first)
		for _, a := range l.accounts {
			for _, key := range slices.Sorted(maps.Keys(l.served)) {
				if l.served[key] != openbanking.DateOf(l.now) || l.count[key] != 1 || !l.covered(key) || !strings.HasPrefix(key, a.Hash+" ") ||
					!l.judged(a).Provable {
					continue
				}
				t := l.rows[key]
				amount, err := money.Parse(t.TransactionAmount.Amount, a.Currency)
				l.check(err)
				if amount = amount.Abs(); t.CreditDebitIndicator == openbanking.CreditDebitIndicatorDBIT {
					amount = amount.Neg()
				}
				return a, key, amount
			}
		}
	}
	l.t.Fatal("nothing was booked for days")
	return finance.Account{}, "", money.Amount{}
}

// doubles goes from day to day until the bank itself has sent a new row twice. A break is right then.
func (l *linkedScenario) doubles(first openbanking.Date) {
	l.t.Helper()
	for range 10 {
		l.exact("before a double", first)
		l.tomorrow()
		c := l.judged(l.accounts[0])
		if c.Open == nil {
			continue
		}
		l.tomorrow()
		again := l.judged(l.accounts[0])
		if len(again.Breaks) != 1 || again.Breaks[0] != *c.Open {
			l.t.Errorf("the bank’s own double: %+v, after %+v", again, *c.Open)
		}
		return
	}
	l.t.Fatal("the bank sent no row twice for days")
}

// breaks fails unless an account has a break on a day, by an amount, with a cause that names a row of that amount.
func (l *linkedScenario) breaks(a finance.Account, when string, cause completeness.Cause, day openbanking.Date, difference money.Amount) {
	l.t.Helper()
	c := l.judged(a)
	if len(c.Breaks) != 1 || c.Breaks[0].Day != day || c.Breaks[0].Difference != difference || c.Cause != cause || c.Row.Amount.Abs() != difference.Abs() {
		l.t.Errorf("%s of %s on %s: %+v", when, difference, day, c)
	}
}

// edits lists the rows that somebody edited.
type edits struct{ noted, split, attached []int64 }

// edit writes a note and tags to a row of each account, sets its category, splits another row, and attaches a file to it.
func (l *linkedScenario) edit() (done edits) {
	l.t.Helper()
	ctx := l.t.Context()
	for _, a := range l.accounts {
		rows, _, err := l.store.Find(ctx, l.user.ID, search.InAccount(a.ID), store.Newest, 2)
		l.check(err)
		for i, r := range rows {
			if i == 0 {
				l.check(l.store.Annotate(ctx, l.user.ID, a.ID, r.ID, finance.Annotation{Note: "mine", Tags: []string{"Italy", "with Lena"}}))
				_, err := l.store.SetCategory(ctx, l.user.ID, a.ID, r.ID, "gifts")
				l.check(err)
				done.noted = append(done.noted, r.ID)
				continue
			}
			half := money.FromMinor(r.Amount.Minor()/2, r.Amount.Currency())
			rest, err := r.Amount.Sub(half)
			l.check(err)
			if !half.IsZero() {
				l.check(l.store.Split(ctx, l.user.ID, a.ID, r.ID, []finance.SplitPart{{Amount: half, Category: "rent", Note: "half"}, {Amount: rest, Category: "pets"}}))
				done.split = append(done.split, r.ID)
			}
			l.check(l.store.Attach(ctx, l.user.ID, a.ID, r.ID, finance.Attachment{ID: finance.NewID(), Name: "receipt.pdf", Type: finance.FilePDF, Size: 1}))
			done.attached = append(done.attached, r.ID)
		}
	}
	return done
}

// kept fails unless every edit is there exactly once.
func (l *linkedScenario) kept(when string, done edits) {
	l.t.Helper()
	ctx := l.t.Context()
	rows, _, err := l.store.Find(ctx, l.user.ID, search.And{}, store.Newest, 100_000)
	l.check(err)
	category := map[int64]string{}
	for _, r := range rows {
		category[r.ID] = r.Category
	}
	for _, id := range done.noted {
		note, err := l.store.Annotation(ctx, l.user.ID, id)
		if err != nil || note.Note != "mine" || !slices.Equal(note.Tags, []string{"Italy", "with Lena"}) || category[id] != "gifts" {
			l.t.Errorf("%s: row %d has %+v and the category %q, %v", when, id, note, category[id], err)
		}
	}
	for _, id := range done.split {
		if parts, err := l.store.Parts(ctx, l.user.ID, id); err != nil || len(parts) != 2 || parts[0].Category != "rent" || parts[0].Note != "half" ||
			parts[1].Category != "pets" {
			l.t.Errorf("%s: row %d has the parts %+v, %v", when, id, parts, err)
		}
	}
	for _, id := range done.attached {
		if files, err := l.store.Attachments(ctx, l.user.ID, id); err != nil || len(files) != 1 || files[0].Name != "receipt.pdf" {
			l.t.Errorf("%s: row %d has the files %+v, %v", when, id, files, err)
		}
	}
}
