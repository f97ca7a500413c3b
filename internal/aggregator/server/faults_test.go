package server_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	driver "modernc.org/sqlite"
	"pgregory.net/rapid"

	"florin/internal/aggregator"
	"florin/internal/aggregator/engine"
	"florin/internal/aggregator/notify"
	"florin/internal/aggregator/sandbox"
	"florin/internal/aggregator/storage"
	"florin/internal/contract"
	"florin/internal/contract/walk"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
	"florin/internal/testkit"
)

// fault lets transactions of one database fail when they are to be committed.
type fault struct {
	mu    sync.Mutex
	count int  // of the transactions so far
	at    int  // which one fails; 0: none
	dead  bool // all that come after it fail, too, as for a process that died
	hit   bool
}

// commit reports whether a transaction is committed.
func (f *fault) commit() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count++
	if f.at == 0 || f.count < f.at || f.count > f.at && !f.dead {
		return true
	}
	f.hit = true
	return false
}

// set begins to count anew.
func (f *fault) set(at int, dead bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count, f.at, f.dead, f.hit = 0, at, dead, false
}

func (f *fault) happened() (hit, dead bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.hit, f.dead
}

// faults are those of the databases of this process, by path.
var faults sync.Map

// watchCommits lets the faults have their say. What they test does not need disks that are waited for: no machine loses its power.
var watchCommits = sync.OnceFunc(func() {
	driver.RegisterConnectionHook(func(connection driver.ExecQuerierContext, name string) (err error) {
		faults.Range(func(path, f any) bool {
			if strings.Contains(name, path.(string)) {
				connection.(driver.HookRegisterer).RegisterCommitHook(func() int32 {
					if f.(*fault).commit() {
						return 0
					}
					return 1
				})
				_, err = connection.ExecContext(context.Background(), "PRAGMA synchronous = OFF", nil)
			}
			return true
		})
		return err
	})
})

// counter is a service, without its surfaces and its jobs, at which somebody makes one payment. Everything happens in turn, so
// that its transactions have numbers.
type counter struct {
	t      fataler
	path   string
	fault  *fault
	lives  []int // transactions that the first processes live for; the ones after them live on
	clock  time.Time
	inbox  *contract.Receiver
	failed atomic.Int32 // requests to the receiver, of which every third fails

	store    *storage.Store
	banks    *sandbox.Sandbox
	engine   *engine.Engine
	notifier *notify.Notifier

	app     aggregator.Application
	request openbanking.CreatePaymentRequest
	person  walk.Person
	id      string
	visit   string   // the page on which the browser is; empty: the first one of the payment
	before  string   // the page of an earlier visit
	flows   []string // at the bank, which were seen
	deaths  int
	mishaps []string // for the message of a test that fails
}

type fataler interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// use starts a process on the database.
func (c *counter) use() {
	c.t.Helper()
	must := func(err error) {
		c.t.Helper()
		if err != nil {
			c.t.Fatalf("start: %v", err)
		}
	}
	now := func() time.Time { return c.clock }
	c.fault.set(0, false)
	var err error
	c.store, err = storage.Open(context.Background(), c.path)
	must(err)
	c.banks, err = sandbox.New(sandbox.Options{BaseURL: "https://auth.example", Flows: c.store, Now: now})
	must(err)
	c.engine = engine.New(engine.Options{
		Store: c.store, Connectors: c.banks.Connector, List: c.banks.Connectors, AuthURL: "https://auth.example",
		Secrets: engine.Secrets{Hash: [32]byte{1}, State: [32]byte{2}, Credentials: [32]byte{3}}, Now: now,
	})
	c.notifier, err = notify.New(notify.Options{Store: c.store, Secret: [32]byte{4}, URL: "https://localhost", Now: now})
	must(err)
	if len(c.lives) > 0 {
		c.fault.set(c.lives[0], true)
		c.lives = c.lives[1:]
	}
}

// RoundTrip gives the receiver the certificates that the process serves.
func (c *counter) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := httptest.NewRecorder()
	c.notifier.Handler().ServeHTTP(answer, r)
	return answer.Result(), nil
}

// receive takes every event, and does not say so every third time.
func (c *counter) receive(w http.ResponseWriter, r *http.Request) {
	answer := httptest.NewRecorder()
	if c.inbox.ServeHTTP(answer, r); c.failed.Add(1)%3 == 0 {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.WriteHeader(answer.Code)
}

// try does something in the process that lives now. When that has died, the next one starts a few minutes later.
func (c *counter) try(what string, do func(ctx context.Context) error) {
	c.t.Helper()
	err := do(context.Background())
	hit, dead := c.fault.happened()
	if err != nil {
		c.mishaps = append(c.mishaps, what+": "+err.Error())
		if !hit && len(c.mishaps) > 40 {
			c.t.Fatalf("%s", strings.Join(c.mishaps, "\n"))
		}
	}
	if hit && dead {
		c.deaths++
		c.store.Close()
		c.clock = c.clock.Add(2 * time.Minute)
		c.use()
	}
}

// atBank is what somebody does next on the bank's own site, and on the phone.
func (c *counter) atBank(ctx context.Context, flow string) error {
	if !slices.Contains(c.flows, flow) {
		c.flows = append(c.flows, flow)
	}
	visit, err := c.banks.Visit(ctx, flow)
	if err != nil {
		return err
	}
	back := ""
	switch visit.Step {
	case aggregator.BankFlowSignIn:
		return c.banks.SignIn(ctx, flow, c.person.Username, c.person.Password)
	case aggregator.BankFlowApproval:
		var choices []aggregator.AccountChoice
		if choices, err = c.banks.Choices(ctx, flow); err == nil {
			back, err = c.banks.ConfirmOrder(ctx, flow, choices[0].Reference)
		}
	case aggregator.BankFlowOTP:
		back, err = c.banks.CheckOTP(ctx, flow, (&walk.Page{Message: visit.Message}).Code())
	case aggregator.BankFlowApproved:
		if !visit.Device {
			back = "?" + url.Values{"state": {visit.State}}.Encode()
		}
	}
	if err != nil || back == "" {
		return err
	}
	address, err := url.Parse(back)
	if err != nil {
		return err
	}
	q := address.Query()
	_, err = c.engine.ReturnFromBank(ctx, q.Get("state"), "", q.Get("error"), q.Get("error_description"))
	return err
}

// goOn is what somebody does next on the page on which the browser is, also after it was loaded again.
func (c *counter) goOn(ctx context.Context) error {
	if c.visit == "" {
		err := c.engine.MarkOpened(ctx, c.id)
		if err == nil {
			c.visit, err = c.engine.AcceptPayment(ctx, c.id)
		}
		if err != nil { // back to the page from before, if there was one
			c.visit, c.before = c.before, ""
		}
		return err
	}
	visit, err := c.engine.Visit(ctx, c.visit)
	if errors.Is(err, engine.ErrUnknownAuthorization) {
		c.visit = ""
	}
	if err != nil {
		return err
	}
	answer := aggregator.Answer{}
	switch step := visit.Step; step.Kind {
	case "":
		return c.engine.ChooseMethod(ctx, c.visit, *visit.Methods[0].Name)
	case aggregator.StepRedirect, aggregator.StepDevice:
		address, err := url.Parse(step.URL)
		if err != nil {
			return err
		}
		return c.atBank(ctx, address.Query().Get("flow"))
	case aggregator.StepExpired:
		return c.engine.StartAgain(ctx, c.visit)
	case aggregator.StepDone, aggregator.StepDeclined:
		_, err := c.engine.Conclude(ctx, c.visit)
		return err
	case aggregator.StepCredentials:
		answer.Credentials = map[string]string{}
		for i, credential := range visit.Method.Credentials {
			answer.Credentials[credential.Name] = []string{c.person.Username, c.person.Password}[i]
		}
	case aggregator.StepOrder:
		answer.Order, answer.Accounts = true, []string{step.Accounts[0].Reference}
	case aggregator.StepCode:
		answer.Code = (&walk.Page{Message: step.Message}).Code()
	}
	return c.engine.Answer(ctx, c.visit, answer)
}

// run makes the payment, from its request to its last event.
func (c *counter) run() {
	c.t.Helper()
	defer func() { c.store.Close() }()
	for turn := range 400 {
		switch {
		case c.id == "":
			c.try("create", func(ctx context.Context) error {
				created, err := c.engine.CreatePayment(ctx, c.app, c.request)
				c.id = created.PaymentID
				return err
			})
		case turn == 3, turn%11 == 10: // the person opens the payment once more
			c.visit, c.before = "", c.visit
		default:
			row, err := c.store.PaymentByID(context.Background(), c.id)
			if err != nil {
				c.t.Fatalf("the payment is gone: %v", err)
			}
			if row.Awaited() {
				c.try("page", c.goOn)
				break
			}
			events := c.events()
			if row.Final && !slices.ContainsFunc(events, func(w aggregator.WebhookRecord) bool { return w.Open() }) {
				c.check(row, events)
				return
			}
			c.clock = c.clock.Add(time.Second)
		}
		c.clock = c.clock.Add(500 * time.Millisecond)
		if c.id != "" && turn%3 == 0 {
			c.try("GET", func(ctx context.Context) error {
				_, err := c.engine.Payment(ctx, c.app, c.id)
				return err
			})
		}
		c.try("look after payments", func(ctx context.Context) error {
			_, err := c.engine.AdvancePayments(ctx)
			return err
		})
		c.try("deliver", func(ctx context.Context) error {
			_, err := c.notifier.Work(ctx)
			return err
		})
	}
	c.t.Fatalf("it does not come to an end:\n%s", strings.Join(c.mishaps, "\n"))
}

// events are those of the payment, in their order.
func (c *counter) events() []aggregator.WebhookRecord {
	c.t.Helper()
	list, err := c.store.Webhooks(context.Background(), aggregator.WebhookFilter{ApplicationID: c.app.ID, PaymentID: c.id, Limit: 100})
	if err != nil {
		c.t.Fatalf("%v", err)
	}
	slices.SortFunc(list, func(a, b aggregator.WebhookRecord) int { return a.Sequence - b.Sequence })
	return list
}

// check holds the end of a payment against what the receiver has heard, and what the bank has done.
func (c *counter) check(row aggregator.Payment, events []aggregator.WebhookRecord) {
	c.t.Helper()
	problem := func(format string, args ...any) {
		c.t.Helper()
		c.t.Errorf("%s\n%s", fmt.Sprintf(format, args...), strings.Join(c.mishaps, "\n"))
	}
	if row.AuthStatus != openbanking.PaymentAuthStatusFinalised || row.Status != openbanking.PaymentStatusACSC {
		problem("in the end it is %s and %s", row.Status, row.AuthStatus)
	}
	last := openbanking.PaymentStatusPDNG
	var written, first []string
	came := map[string]string{}
	for i, e := range events {
		if e.Sequence != i+1 || !aggregator.PaymentMove(last, e.Status) || e.Delivered.IsZero() {
			problem("event %d is number %d: %s after %s, %s", i+1, e.Sequence, e.Status, last, e.State())
		}
		last = e.Status
		written = append(written, e.ID+" "+e.Body)
	}
	for _, d := range c.inbox.Arrived() {
		if d.Problem != nil {
			problem("%s: %v", d.Body, d.Problem)
		}
		if body, again := came[d.Event.WebhookID]; again && body != d.Body {
			problem("%s, and %s", body, d.Body)
		} else if !again {
			came[d.Event.WebhookID] = d.Body
			first = append(first, d.Event.WebhookID+" "+d.Body)
		}
	}
	if last != row.Status || !slices.Equal(first, written) {
		problem("it is %s; arrived in this order %v, want %v", row.Status, first, written)
	}
	for _, flow := range c.flows { // old pages of the bank that are still open somewhere
		for range 4 {
			_ = c.atBank(context.Background(), flow)
		}
	}
	c.store.Close()
	db, err := sqlite.Open(context.Background(), c.path)
	if err != nil {
		c.t.Fatalf("%v", err)
	}
	defer db.Close()
	var orders, accounts, payments int
	err = db.Read().QueryRowContext(context.Background(), `SELECT (SELECT count(*) FROM bank_payment WHERE order_id = $1), (SELECT count(*) FROM bank_payment_account),
		(SELECT count(*) FROM payment WHERE status <> 'PDNG')`, c.id).Scan(&orders, &accounts, &payments)
	if err != nil || orders != 1 || accounts != 1 || payments != 1 {
		problem("the bank has %d orders that move money on %d accounts for %d payments (%v), want one of each", orders, accounts, payments, err)
	}
}

// till is where payments at one bank begin, each on a database of its own.
type till struct {
	bank     openbanking.ASPSP
	method   string
	person   walk.Person
	template string // path of a database with an application, and with the keys of webhooks
	web      *httptest.Server
	now      atomic.Pointer[counter] // whose webhooks come
	app      aggregator.Application
}

// openTill opens a till and makes a payment without a fault, whose transactions it counts.
func openTill(t *testing.T, bank openbanking.ASPSP, method string, person walk.Person) (s *till, transactions int) {
	t.Helper()
	watchCommits()
	s = &till{bank: bank, method: method, person: person, template: filepath.Join(t.TempDir(), "aggregator.db")}
	s.web = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.now.Load().receive(w, r) }))
	t.Cleanup(s.web.Close)
	s.app = aggregator.Application{
		ID: "6f1a4a0e-1111-4111-8111-000000000001", Name: "Shop", Environment: openbanking.EnvironmentSandbox, RedirectURLs: []string{callback},
		WebhookOrigins: []string{s.web.URL},
		Services:       []openbanking.Service{openbanking.ServicePIS}, Status: aggregator.ApplicationActive, CreatedAt: time.Now(),
	}
	store := must[*storage.Store](t)(storage.Open(t.Context(), s.template))
	if err := errors.Join(store.CreateApplication(t.Context(), s.app, aggregator.ApplicationKey{ID: "key", PEM: "none", Created: time.Now()}, 0),
		store.Close()); err != nil {
		t.Fatal(err)
	}
	s.putKeys(t)
	first, done := s.pay(t, t.TempDir(), func(*counter) {})
	defer done()
	if len(first.mishaps) > 0 || first.deaths > 0 || len(first.inbox.Arrived()) < 3 {
		t.Fatalf("without a fault: %q, %d deaths, %d webhooks", first.mishaps, first.deaths, len(first.inbox.Arrived()))
	}
	if signingKeys == nil {
		made := must[*storage.Store](t)(storage.Open(t.Context(), first.path))
		defer made.Close()
		for _, purpose := range []aggregator.WebhookKeyPurpose{aggregator.WebhookAuthority, aggregator.WebhookSigning} {
			signingKeys = append(signingKeys, must[aggregator.WebhookKey](t)(made.WebhookKey(t.Context(), purpose)))
		}
		s.putKeys(t)
	}
	return s, first.fault.count
}

// signingKeys are the keys of webhooks, which take long to make.
var signingKeys []aggregator.WebhookKey

// putKeys puts them into the template.
func (s *till) putKeys(t *testing.T) {
	t.Helper()
	store := must[*storage.Store](t)(storage.Open(t.Context(), s.template))
	defer store.Close()
	for _, key := range signingKeys {
		if err := store.ReplaceWebhookKey(t.Context(), "", key); err != nil {
			t.Fatal(err)
		}
	}
}

// pay makes a payment, with the faults that prepare sets in the first process.
func (s *till) pay(t fataler, folder string, prepare func(*counter)) (c *counter, done func()) {
	t.Helper()
	c = &counter{t: t, path: filepath.Join(folder, "aggregator.db"), fault: &fault{}, app: s.app, person: s.person, clock: time.Now()}
	c.inbox = &contract.Receiver{
		Application: openbanking.Application{Kid: s.app.ID, Environment: s.app.Environment}, Domain: "localhost",
		Client: &http.Client{Transport: c}, Now: func() time.Time { return c.clock },
	}
	c.request = openbanking.CreatePaymentRequest{
		PaymentType: openbanking.PaymentTypeSEPA,
		PaymentRequest: openbanking.PaymentRequestResource{CreditTransferTransaction: []openbanking.CreditTransferTransaction{transfer("12.50",
			"Verein Lindenhof", payee)}},
		ASPSP: s.bank, State: "the state", RedirectURL: callback, PSUType: openbanking.PSUTypePersonal, WebhookURL: new(s.web.URL + "/hook"),
	}
	if s.method != "" {
		c.request.AuthMethod = &s.method
	}
	data, err := os.ReadFile(s.template)
	if err == nil {
		err = os.WriteFile(c.path, data, 0o600)
	}
	if err != nil {
		t.Fatalf("copy the database: %v", err)
	}
	faults.Store(c.path, c.fault)
	s.now.Store(c)
	c.use()
	prepare(c)
	c.run()
	return c, func() { faults.Delete(c.path) }
}

const (
	redirectTill = 0
	embeddedTill = 2
)

// tills are one of each approach.
var tills = []struct {
	name   string
	bank   openbanking.ASPSP
	method string
	person walk.Person
}{
	{"redirect", redirectBank, "", lena},
	{"decoupled", noorsBank, "", noor},
	{"embedded", lindwurm, "direct", felix},
	{"without credentials", mockBank, "", walk.Person{}},
}

// TestEveryTransactionOfAPaymentCanFail lets the first transaction of a payment fail, the second, and so on, until a payment
// passes without one that fails: with all that come after it, as when the process dies there and another one goes on, and alone. Every payment
// is executed once, and every change of its status arrives, with the same webhook_id and body each time, and for the first time in the order
// of the payment (spec: Events). The other tills have their deaths in TestAPaymentOutlivesManyDeaths.
func TestEveryTransactionOfAPaymentCanFail(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Crashes)
	for _, test := range []struct {
		till int
		dead bool // all that come after it fail, too
	}{{redirectTill, true}, {embeddedTill, false}} {
		at := tills[test.till]
		t.Run(at.name, func(t *testing.T) {
			s, usual := openTill(t, at.bank, at.method, at.person)
			n := 1
			for ; ; n++ {
				c, done := s.pay(t, t.TempDir(), func(c *counter) { c.fault.set(n, test.dead) })
				done()
				hit := c.deaths > 0
				if !test.dead {
					hit, _ = c.fault.happened()
				}
				if t.Failed() {
					t.Fatalf("transaction %d failed, and all after it: %v", n, test.dead)
				}
				if !hit {
					break
				}
			}
			if n < usual/2 {
				t.Errorf("%d transactions could fail, of about %d", n-1, usual)
			}
		})
	}
}

// TestAPaymentOutlivesManyDeaths is the same with several processes that die one after another, each after some transactions.
func TestAPaymentOutlivesManyDeaths(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Crashes)
	type place struct {
		*till
		usual int
	}
	var places []place
	for _, at := range tills {
		s, usual := openTill(t, at.bank, at.method, at.person)
		places = append(places, place{s, usual})
	}
	parent, deaths := t.TempDir(), 0
	rapid.Check(t, func(r *rapid.T) {
		s := rapid.SampledFrom(places).Draw(r, "till")
		lives := rapid.SliceOfN(rapid.IntRange(1, s.usual/2), 1, 8).Draw(r, "lives")
		folder, err := os.MkdirTemp(parent, "till-") //nolint:usetesting // one for each draw
		if err != nil {
			r.Fatal(err)
		}
		c, done := s.pay(r, folder, func(c *counter) {
			c.lives = lives[1:]
			c.fault.set(lives[0], true)
		})
		done()
		deaths += c.deaths
	})
	if !t.Failed() && deaths == 0 {
		t.Error("nobody died")
	}
}
