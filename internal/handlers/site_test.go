package handlers_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"florin/internal/attachments"
	"florin/internal/auth"
	"florin/internal/bank"
	"florin/internal/bank/apitest"
	"florin/internal/budgets"
	"florin/internal/categories"
	"florin/internal/courier"
	"florin/internal/finance"
	"florin/internal/handlers"
	"florin/internal/handlers/letters"
	"florin/internal/linking"
	"florin/internal/live"
	"florin/internal/logos"
	"florin/internal/middleware"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/outbox"
	"florin/internal/payments"
	"florin/internal/providers"
	"florin/internal/rates"
	"florin/internal/search"
	"florin/internal/settling"
	"florin/internal/sqlite"
	"florin/internal/sqlite/sqlitetest"
	"florin/internal/store"
	"florin/internal/syncer"
	"florin/internal/testkit"
	"florin/internal/webhook"
	"florin/migrations"
)

const password = "correct horse battery"

// site is a web app on a real listener, with a real database file and a service that answers from a script.
type site struct {
	t        *testing.T
	url      string
	path     string // of app.db
	store    *store.Store
	auth     *auth.Auth
	syncer   *syncer.Syncer
	linking  *linking.Linking
	payments *payments.Payments
	hub      *live.Hub
	mails    *outbox.Outbox
	messages *outbox.Messages
	service  *service
	log      *testkit.Log
	config   func(*http.Server) // changes the server before it starts; nil for nothing
	private  bool               // channels may lead to private addresses
	full     error              // the disk has no room for files

	signingIn func(public string) []auth.Option // the ways in which people sign in; nil for the password alone
}

// newSite starts a site without users. With https set the public address is https, though the listener is not.
func newSite(t *testing.T, change ...func(*handlers.Options)) *site {
	t.Helper()
	s := unopened(t)
	s.open(change...)
	return s
}

func unopened(t *testing.T) *site {
	t.Helper()
	testkit.OneDay(t, time.Minute)
	path := filepath.Join(t.TempDir(), "app.db")
	sqlitetest.Make(t, path, migrations.App)
	return &site{t: t, path: path, service: newService(t), log: &testkit.Log{}}
}

// open starts the web app on the database file, as a new process would.
func (s *site) open(change ...func(*handlers.Options)) {
	t := s.t
	t.Helper()
	key, err := store.NewKey(bytes.Repeat([]byte{7}, 32))
	must(t, err)
	s.store, err = store.Open(t.Context(), s.path, key)
	must(t, err)
	log := slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	web := httptest.NewUnstartedServer(nil)
	s.url = "http://" + web.Listener.Addr().String()
	ways := []auth.Option{auth.Cheap}
	if s.signingIn != nil {
		ways = append(ways, s.signingIn(s.url)...)
	}
	s.auth, s.hub = auth.New(s.store, ways...), live.NewHub()
	client, err := bank.New(s.service.URL, apitest.Signer{})
	must(t, err)
	s.syncer = syncer.New(s.store, func(context.Context, finance.Provider) (syncer.API, error) { return client, nil }, s.hub, log)
	s.linking = linking.New(s.store, func(context.Context, finance.Provider) (linking.API, error) { return client, nil }, s.syncer.Wake, log)

	connected := providers.New(providers.Options{Store: s.store, PublicURL: "", Embedded: true, Log: log, WebhookURL: func(finance.Provider) string { return "" },
		Connect: func(_ context.Context, p finance.Provider) (providers.API, error) {
			return bank.New(p.BaseURL, apitest.Signer{}, bank.Foreign(p.BaseURL))
		}})
	s.payments = payments.New(payments.Options{Store: s.store, Connect: func(context.Context, finance.Provider) (payments.API, error) { return client, nil },
		Hub: s.hub, Log: log})

	public, err := url.Parse(s.url)
	must(t, err)
	connected.PublicURL = s.url
	must(t, s.store.SaveProvider(t.Context(), finance.Provider{
		ID: "embedded", Name: "Simulated banks", BaseURL: s.service.URL, RegistrationURL: s.service.URL, Issuer: "localhost", Audience: "localhost",
		ApplicationID: "4d1e1b0c-6a3a-4cf4-9b7e-2b9d3f5f0a11", RedirectURL: s.url + "/callback/embedded", Environment: openbanking.EnvironmentSandbox,
		PrivateKey: "unused",
	}))
	files, err := attachments.Open(filepath.Join(filepath.Dir(s.path), "attachments"), s.store, func() error { return s.full })
	must(t, err)
	s.mails = outbox.New(outbox.Options{Store: s.store, ResetLink: s.auth.ResetLink, Write: letters.Writer{PublicURL: public, Location: time.UTC}.Write,
		Log: log})
	s.messages = outbox.NewMessages(outbox.MessageOptions{Store: s.store, Courier: courier.New(s.private, nil), Location: time.UTC, Log: log,
		Write: letters.Writer{PublicURL: public, Location: time.UTC}.Message(s.store.OffToken)})
	options := handlers.Options{
		Outbox: s.mails, Messages: s.messages,
		Store: s.store, Auth: s.auth, Linking: s.linking, Payments: s.payments, Providers: connected,
		WakeEdits: func() {}, Webhooks: webhook.New(s.payments.Inbox(), noSender, s.payments.Wake, log), Syncer: s.syncer, Hub: s.hub, PublicURL: public,
		Attachments: files,
		Logo:        func(context.Context, finance.Provider, openbanking.ASPSP) ([]byte, error) { return nil, logos.ErrNone },
		CookieKeys:  [][]byte{s.store.CookieSecret()},
		Simulated:   &url.URL{Scheme: "http", Host: "localhost:8081"}, Version: "1.2.3", Location: time.UTC, Log: log, Ready: s.store.Ping,
	}
	for _, c := range change {
		c(&options)
	}
	app, err := handlers.New(options)
	must(t, err)
	web.Config = middleware.Server(app, log)
	if s.config != nil {
		s.config(web.Config)
	}
	web.Start()
	db, hub := s.store, s.hub
	t.Cleanup(func() {
		hub.Close()
		web.Close()
		if err := db.Close(); !errors.Is(err, sql.ErrConnDone) { // closed by the test
			must(t, err)
		}
	})
}

// noSender knows no service that sends webhooks.
func noSender(context.Context, string) (webhook.Sender, error) {
	return webhook.Sender{}, webhook.ErrNoSender
}

// exec changes the database behind the app's back.
func (s *site) exec(query string, args ...any) {
	s.t.Helper()
	db, err := sqlite.Open(s.t.Context(), s.path)
	must(s.t, err)
	defer db.Close()
	must(s.t, db.Write(s.t.Context(), func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(s.t.Context(), query, args...)
		return err
	}))
	time.Sleep(10 * time.Millisecond) // a commit of another process is noticed within 5 ms (sqlite.DB.Stamp)
}

// user creates a user; the first one is the owner.
func (s *site) user(email string) finance.User {
	s.t.Helper()
	role := finance.RoleMember
	if owned, err := s.store.HasOwner(s.t.Context()); err != nil || !owned {
		role = finance.RoleOwner
	}
	u, err := s.auth.AddUser(s.t.Context(), email, password, role)
	must(s.t, err)
	return u
}

// syncAll runs every sync task that is due.
func (s *site) syncAll() {
	s.t.Helper()
	for range 500 {
		next, err := s.syncer.Run(s.t.Context())
		must(s.t, err)
		if next.IsZero() || next.After(time.Now()) {
			return
		}
	}
	s.t.Fatal("the sync does not end")
}

// browser is a client that keeps cookies and follows no redirects.
type browser struct {
	site      *site
	client    *http.Client
	jar       *cookiejar.Jar
	languages string // Accept-Language; "" for none
}

func (s *site) browser() *browser {
	jar, err := cookiejar.New(nil)
	must(s.t, err)
	client := &http.Client{Jar: jar, Timeout: time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	s.t.Cleanup(client.CloseIdleConnections)
	return &browser{site: s, client: client, jar: jar}
}

// signedIn is a browser in which the user has signed in.
func (s *site) signedIn(email string) *browser {
	s.t.Helper()
	b := s.browser()
	a := b.post("/sign-in", url.Values{"email": {email}, "password": {password}})
	a.status(http.StatusSeeOther)
	return b
}

// answer is what came back, read to its end.
type answer struct {
	*http.Response
	t    *testing.T
	body string
}

func (b *browser) do(r *http.Request) *answer {
	b.site.t.Helper()
	response, err := b.client.Do(r)
	must(b.site.t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	must(b.site.t, err)
	return &answer{response, b.site.t, string(body)}
}

func (b *browser) request(method, path string, body io.Reader) *http.Request {
	b.site.t.Helper()
	if !strings.HasPrefix(path, "http") {
		path = b.site.url + path
	}
	r, err := http.NewRequestWithContext(b.site.t.Context(), method, path, body)
	must(b.site.t, err)
	r.Header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
	if b.languages != "" {
		r.Header.Set("Accept-Language", b.languages)
	}
	return r
}

func (b *browser) get(path string) *answer {
	b.site.t.Helper()
	return b.do(b.request(http.MethodGet, path, nil))
}

func (b *browser) post(path string, form url.Values) *answer {
	b.site.t.Helper()
	r := b.request(http.MethodPost, path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return b.do(r)
}

// cookie returns the value of a cookie of the app, "" without one.
func (b *browser) cookie(name string) string {
	u, err := url.Parse(b.site.url)
	must(b.site.t, err)
	for _, c := range b.jar.Cookies(u) {
		if c.Name == name {
			return c.Value
		}
	}
	return ""
}

// setCookie puts a cookie into the browser.
func (b *browser) setCookie(name, value string) {
	u, err := url.Parse(b.site.url)
	must(b.site.t, err)
	b.jar.SetCookies(u, []*http.Cookie{{Name: name, Value: value, Path: "/"}})
}

func (a *answer) status(want int) *answer {
	a.t.Helper()
	if a.StatusCode != want {
		a.t.Fatalf("%s %s: status %d, want %d\n%s", a.Request.Method, a.Request.URL, a.StatusCode, want, a.words())
	}
	return a
}

func (a *answer) to(want string) *answer {
	a.t.Helper()
	a.status(http.StatusSeeOther)
	if got := a.Header.Get("Location"); got != want {
		a.t.Fatalf("%s %s leads to %q, want %q", a.Request.Method, a.Request.URL, got, want)
	}
	return a
}

func (a *answer) has(texts ...string) *answer {
	a.t.Helper()
	for _, text := range texts {
		if !strings.Contains(a.body, text) {
			a.t.Errorf("%s %s: the page lacks %q\n%s", a.Request.Method, a.Request.URL, text, a.words())
		}
	}
	return a
}

func (a *answer) lacks(texts ...string) *answer {
	a.t.Helper()
	for _, text := range texts {
		if strings.Contains(a.body, text) {
			a.t.Errorf("%s %s: the page has %q", a.Request.Method, a.Request.URL, text)
		}
	}
	return a
}

var tags = regexp.MustCompile(`(?s)<[^>]*>\s*`)

// words is the text of the page, for messages.
func (a *answer) words() string {
	text := tags.ReplaceAllString(a.body, " ")
	return text[:min(len(text), 1500)]
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// service is a service with three banks, whose accounts and rows a test sets. Its fields are read and changed with it locked.
type service struct {
	*apitest.Service
	banks    []openbanking.ASPSPData
	starts   []openbanking.StartAuthorizationRequest          // in order
	accounts []openbanking.AccountResource                    // of every new session
	rows     map[string][]openbanking.Transaction             // by uid
	booked   map[string]openbanking.BalanceResource           // by uid: the only balance, in place of the usual ones
	sessions map[string]openbanking.StartAuthorizationRequest // by session id
	ended    map[string]bool                                  // sessions, by id
	closed   *openbanking.DateTime                            // when they ended; nil: it is not told
	services []openbanking.Service                            // of the application
	paid     []openbanking.CreatePaymentRequest               // in order; their ids are pay-1, pay-2 ...
	payments map[string]openbanking.Payment                   // by id
}

const pageOfService = 40

func newService(t *testing.T) *service {
	t.Helper()
	s := &service{
		Service: apitest.New(t), rows: map[string][]openbanking.Transaction{}, booked: map[string]openbanking.BalanceResource{},
		sessions: map[string]openbanking.StartAuthorizationRequest{}, ended: map[string]bool{}, payments: map[string]openbanking.Payment{},
		services: []openbanking.Service{openbanking.ServiceAIS, openbanking.ServicePIS},
		banks: []openbanking.ASPSPData{
			{Name: "Banca dell’Arno", Country: "IT", PSUTypes: both, MaximumConsentValidity: 180 * 86400, BIC: new("ARNOITF1XXX"),
				Group: &openbanking.ASPSPGroup{Name: "Arno Group"}},
			{Name: "Österbottens Sparbank", Country: "FI", PSUTypes: personal, MaximumConsentValidity: 90 * 86400, Beta: true},
			{Name: "Elbe Sparbank", Country: "DE", PSUTypes: personal, MaximumConsentValidity: 180 * 86400, BIC: new("ELBEDEHHXXX")},
		},
		accounts: []openbanking.AccountResource{
			accountOf("1", "DE89370400440532013000", "EUR", "Girokonto"),
			accountOf("2", "DE02120300000000202051", "SEK", "Reisekasse"),
		},
	}
	s.rows["uid-1"] = transactions(7)
	s.answers()
	return s
}

var (
	personal = openbanking.List[openbanking.PSUType]{openbanking.PSUTypePersonal}
	both     = openbanking.List[openbanking.PSUType]{openbanking.PSUTypePersonal, openbanking.PSUTypeBusiness}
)

func accountOf(n, number, currency, product string) openbanking.AccountResource {
	return openbanking.AccountResource{
		AccountID: &openbanking.AccountIdentification{IBAN: &number}, Name: new("Mira Kowalczyk"), CashAccountType: openbanking.CashAccountTypeCACC,
		Product: &product, Currency: currency, UID: new("uid-" + n), IdentificationHash: "hash-" + n, IdentificationHashes: []string{"hash-" + n},
	}
}

// transactions makes n booked rows, the newest first, two on a day, and one that is pending.
func transactions(n int) []openbanking.Transaction {
	var list []openbanking.Transaction
	today := time.Now().UTC()
	for i := range n {
		date := openbanking.DateOf(today.AddDate(0, 0, -1-i/2))
		list = append(list, openbanking.Transaction{
			EntryReference: new("ref-" + strconv.Itoa(i)), TransactionAmount: openbanking.AmountType{Currency: "EUR", Amount: fmt.Sprintf("%d.50", 10+i)},
			CreditDebitIndicator: openbanking.CreditDebitIndicatorDBIT, Status: openbanking.TransactionStatusBOOK, BookingDate: &date,
			Creditor: &openbanking.PartyIdentification{Name: new("Shop " + strconv.Itoa(i))}, RemittanceInformation: []string{"Purchase " + strconv.Itoa(i)},
		})
	}
	return append(list, openbanking.Transaction{
		TransactionAmount: openbanking.AmountType{Currency: "EUR", Amount: "3.20"}, CreditDebitIndicator: openbanking.CreditDebitIndicatorDBIT,
		Status: openbanking.TransactionStatusPDNG, Creditor: &openbanking.PartyIdentification{Name: new("Pending Café")},
	})
}

// answers says what the service answers when nothing goes wrong.
func (s *service) answers() {
	s.Answer("GET /aspsps", func(*http.Request) any { return openbanking.ASPSPsResponse{ASPSPs: s.banks} })
	s.Answer("POST /auth", func(r *http.Request) any {
		var body openbanking.StartAuthorizationRequest
		_ = json.NewDecoder(r.Body).Decode(&body)
		s.starts = append(s.starts, body)
		id := strconv.Itoa(len(s.starts))
		return openbanking.StartAuthorizationResponse{URL: "http://bank.test/ais/start?sessionid=" + id, AuthorizationID: id, PSUIDHash: "psu-" + id}
	})
	s.Answer("POST /sessions", func(r *http.Request) any {
		var body openbanking.AuthorizeSessionRequest
		_ = json.NewDecoder(r.Body).Decode(&body)
		n, _ := strconv.Atoi(strings.TrimPrefix(body.Code, "code-"))
		start := s.starts[n-1]
		id := "session-" + strconv.Itoa(n)
		s.sessions[id] = start
		return openbanking.AuthorizeSessionResponse{SessionID: id, Accounts: s.accounts, ASPSP: start.ASPSP, PSUType: *start.PSUType, Access: start.Access}
	})
	s.Answer("GET /sessions/{id}", func(r *http.Request) any {
		id := r.PathValue("id")
		start, status := s.sessions[id], openbanking.SessionStatusAuthorized
		if s.ended[id] {
			status = openbanking.SessionStatusClosed
		}
		return openbanking.Session{Status: status, Closed: s.closed, ASPSP: start.ASPSP, PSUType: *start.PSUType,
			PSUIDHash: "psu-" + strings.TrimPrefix(id, "session-"), Access: start.Access}
	})
	s.Answer("GET /application", func(*http.Request) any { return openbanking.Application{Services: s.services, Active: true} })
	s.Answer("POST /payments", func(r *http.Request) any {
		var body openbanking.CreatePaymentRequest
		_ = json.NewDecoder(r.Body).Decode(&body)
		s.paid = append(s.paid, body)
		id := "pay-" + strconv.Itoa(len(s.paid))
		payment := openbanking.Payment{PaymentID: id, Status: openbanking.PaymentStatusPDNG, PaymentType: body.PaymentType, ASPSP: body.ASPSP}
		payment.PaymentDetails.PaymentInformation = body.PaymentRequest.PaymentInformation
		for _, t := range body.PaymentRequest.CreditTransferTransaction {
			payment.PaymentDetails.CreditTransferTransaction = append(payment.PaymentDetails.CreditTransferTransaction,
				openbanking.CreditTransferTransactionDetails{CreditTransferTransaction: t})
		}
		s.payments[id] = payment
		return openbanking.CreatePaymentResponse{PaymentID: id, Status: payment.Status, URL: "http://bank.test/pis/start?payment_id=" + id, PSUIDHash: "psu"}
	})
	s.Answer("GET /payments/{id}", func(r *http.Request) any { return s.payments[r.PathValue("id")] })
	s.Answer("DELETE /sessions/{id}", func(r *http.Request) any {
		s.ended[r.PathValue("id")] = true
		return openbanking.SuccessResponse{Message: "OK"}
	})
	s.Answer("GET /accounts/{uid}/details", func(r *http.Request) any {
		for _, a := range s.accounts {
			if a.UID != nil && *a.UID == r.PathValue("uid") {
				return a
			}
		}
		return nil
	})
	s.Answer("GET /accounts/{uid}/balances", func(r *http.Request) any {
		if b, set := s.booked[r.PathValue("uid")]; set {
			return openbanking.HalBalances{Balances: []openbanking.BalanceResource{b}}
		}
		currency := "EUR"
		if r.PathValue("uid") == "uid-2" {
			currency = "SEK"
		}
		return openbanking.HalBalances{Balances: []openbanking.BalanceResource{
			{Name: "Booked", BalanceType: openbanking.BalanceStatusCLBD, BalanceAmount: openbanking.AmountType{Currency: currency, Amount: "1234.56"}},
			{Name: "Available", BalanceType: openbanking.BalanceStatusITAV, BalanceAmount: openbanking.AmountType{Currency: currency, Amount: "2234.56"}},
		}}
	})
	s.Answer("GET /accounts/{uid}/transactions", func(r *http.Request) any {
		rows := s.rows[r.PathValue("uid")]
		from, _ := strconv.Atoi(r.URL.Query().Get("continuation_key"))
		page := openbanking.HalTransactions{Transactions: rows[min(from, len(rows)):min(from+pageOfService, len(rows))]}
		if from+pageOfService < len(rows) {
			page.ContinuationKey = new(strconv.Itoa(from + pageOfService))
		}
		return page
	})
}

// last is the last POST /auth and its number.
func (s *service) last() (openbanking.StartAuthorizationRequest, int) {
	s.Lock()
	defer s.Unlock()
	return s.starts[len(s.starts)-1], len(s.starts)
}

var elbe = url.Values{"provider": {"embedded"}, "bank": {"Elbe Sparbank"}, "country": {"DE"}, "psu_type": {"personal"}}

// start begins a link and returns the path of the attempt.
func (b *browser) start(form url.Values) string {
	b.site.t.Helper()
	a := b.post("/link", form).status(http.StatusSeeOther)
	return a.Header.Get("Location")
}

// back is the address with which the service sends the browser back after the last start.
func (s *site) back() string {
	start, n := s.service.last()
	return start.RedirectURL + "?" + url.Values{"code": {"code-" + strconv.Itoa(n)}, "state": {start.State}}.Encode()
}

// link links Elbe Sparbank for the signed-in user and syncs everything.
func (b *browser) link() {
	b.site.t.Helper()
	attempt := b.start(elbe)
	b.get(b.site.back()).to(attempt)
	b.site.syncAll()
}

// things are the ids of what belongs to a user.
type things struct {
	attempt, connection, account, transaction, signIn, payment, payee, webhook, category, search, rule, edit, attachment, budget, report, rate, passkey,
	notice, authenticator string

	manual, written, imported string // an account that no bank brings, its row, and a file that was imported into it
	series, debit             string // among its rows

	sharer, expense, settlement string // somebody who is gone, an expense shared with them, and what they gave back
	request                     string // what somebody else is asked to pay
}

func (s *site) thingsOf(user finance.User, attempt string) things {
	s.t.Helper()
	ctx := s.t.Context()
	accounts, err := s.store.Accounts(ctx, user.ID)
	must(s.t, err)
	var found things
	for _, a := range accounts {
		rows, _, err := s.store.Find(ctx, user.ID, search.InAccount(a.ID), store.Newest, 1)
		must(s.t, err)
		if len(rows) > 0 {
			found.account, found.connection, found.transaction = a.ID, a.ConnectionID, strconv.FormatInt(rows[0].ID, 10)
		}
	}
	signIns, err := s.auth.SignIns(ctx, user.ID)
	must(s.t, err)
	found.signIn = signIns[0].ID
	hash, err := s.store.PasswordHash(ctx, user.ID)
	must(s.t, err)
	elsewhere, err := s.store.CreateSignIn(ctx, store.NewSignIn{UserID: user.ID, PasswordHash: hash, Device: "Another device", NewDevice: true})
	must(s.t, err)
	must(s.t, s.store.EndSignIn(ctx, user.ID, elsewhere.ID))
	told, err := s.store.Notices(ctx, user.ID)
	must(s.t, err)
	found.notice = told[0].ID
	found.attempt = strings.TrimPrefix(attempt, "/link/")
	found.payment = s.sendPayment(user, finance.NewID()).ID
	payee, err := s.store.SavePayee(ctx, finance.Payee{UserID: user.ID, Name: "Payee of " + user.Email, Beneficiary: openbanking.Beneficiary{
		CreditorAccount: openbanking.GenericIdentification{Identification: numberACME, SchemeName: openbanking.SchemeNameIBAN}}})
	must(s.t, err)
	found.payee = payee.ID
	found.category = "own" + strings.ReplaceAll(user.ID, "-", "")
	must(s.t, s.store.SaveCategory(ctx, user.ID, categories.Own{Category: categories.Category{ID: found.category, Group: categories.GroupHousing}, Name: "Cabin"}))
	must(s.t, s.store.SaveSearch(ctx, user.ID, finance.SavedSearch{Kind: finance.SavedTransactions, Name: "Kept by " + user.Email, Text: "rent"}))
	searches, err := s.store.SavedSearches(ctx, user.ID, finance.SavedTransactions)
	must(s.t, err)
	found.search = searches[0].ID
	must(s.t, s.store.SaveSearch(ctx, user.ID, finance.SavedSearch{Kind: finance.SavedReport, Name: "Kept by " + user.Email, Text: "view=worth"}))
	reports, err := s.store.SavedSearches(ctx, user.ID, finance.SavedReport)
	must(s.t, err)
	found.report = reports[0].ID
	must(s.t, s.store.SaveRate(ctx, user.ID, rates.Rate{Base: "EUR", Quote: "CHF", Value: "0.93", Day: "2026-01-02"}))
	typed, err := s.store.OwnRates(ctx, user.ID)
	must(s.t, err)
	found.rate = typed[0].ID
	passkey, err := s.store.AddPasskey(ctx, finance.Passkey{UserID: user.ID, Site: "localhost", Credential: []byte(user.ID), PublicKey: []byte{0}, Name: "Phone of " + user.Email})
	must(s.t, err)
	found.passkey = passkey.ID
	found.budget = finance.NewID()
	must(s.t, s.store.AddBudgets(ctx, user.ID, budgets.Budget{ID: found.budget, Target: budgets.Target{Category: found.category}, Currency: "EUR", From: "2026-01"}))
	row, err := strconv.ParseInt(found.transaction, 10, 64)
	must(s.t, err)
	found.edit, err = s.store.BeginEdit(ctx, user.ID, "", nil, []int64{row})
	must(s.t, err)
	found.rule, err = s.store.SaveRule(ctx, user.ID, categories.Rule{Conditions: categories.Conditions{Texts: []string{"no such text"}},
		Actions: categories.Actions{Category: "gifts"}})
	must(s.t, err)
	kept := finance.Attachment{ID: finance.NewID(), Name: "receipt.pdf", Type: finance.FilePDF, Size: int64(len(aPDF))}
	must(s.t, os.WriteFile(filepath.Join(filepath.Dir(s.path), "attachments", kept.ID), []byte(aPDF), 0o600))
	id, err := strconv.ParseInt(found.transaction, 10, 64)
	must(s.t, err)
	must(s.t, s.store.Attach(ctx, user.ID, found.account, id, kept))
	found.attachment = kept.ID
	must(s.t, s.store.KeepRefused(ctx, finance.Delivery{ProviderID: "embedded", BodyHash: "h", Answer: http.StatusUnauthorized,
		Checks: []finance.DeliveryCheck{{Name: "token"}}}))
	deliveries, _, err := s.store.Deliveries(ctx, true, "", 1)
	must(s.t, err)
	found.webhook = deliveries[0].ID
	if found.transaction == "" || found.attempt == "" {
		s.t.Fatalf("the user has too little: %+v", found)
	}
	return found
}

// keeping adds an account without a bank, with a row, and an authenticator app, so that later sign-ins of the user need its code.
func (f things) keeping(s *site, user finance.User) things {
	s.t.Helper()
	ctx := s.t.Context()
	day := openbanking.Date("2026-01-01")
	var err error
	f.manual, err = s.store.CreateAccount(ctx, finance.Account{UserID: user.ID, Source: finance.SourceManual, Nickname: "Wallet", Currency: "EUR",
		Type: openbanking.CashAccountTypeCASH}, finance.Value{Day: day, Amount: money.FromMinor(0, "EUR")})
	must(s.t, err)
	e, err := finance.WrittenRow{BookingDate: day, Amount: money.FromMinor(-100, "EUR"), Counterparty: "Shop"}.Entry(day)
	must(s.t, err)
	written, err := s.store.AddRow(ctx, user.ID, f.manual, e)
	must(s.t, err)
	f.written = strconv.FormatInt(written, 10)
	e.Identity.Key += "2"
	imported, err := s.store.SaveImport(ctx, user.ID, finance.Import{File: "f.csv", Format: "csv"},
		[]finance.ImportTarget{{Account: finance.Account{ID: f.manual}, Rows: []finance.ImportRow{{Entry: e, Line: 1}, {Entry: e, Line: 2, Place: 1}}}}, nil,
		nil)
	must(s.t, err)
	f.imported = imported.ID
	for _, day := range []openbanking.Date{"2025-10-05", "2025-11-05", "2025-12-05"} {
		e, err := finance.WrittenRow{BookingDate: day, Amount: money.FromMinor(-999, "EUR"), Counterparty: "Film club of " + user.Email}.Entry("2026-01-01")
		must(s.t, err)
		_, err = s.store.AddRow(ctx, user.ID, f.manual, e)
		must(s.t, err)
	}
	s.findRecurring()
	series, err := s.store.RecurringSeries(ctx, user.ID)
	must(s.t, err)
	if len(series) == 0 {
		s.t.Fatal("no series is found")
	}
	f.series = series[0].ID
	s.watchDebits()
	e, err = finance.WrittenRow{BookingDate: openbanking.DateOf(time.Now()), Amount: money.FromMinor(-2990, "EUR"), Counterparty: "Gym",
		Lines: []string{"MREF+G1 CRED+DE02ZZZ01234567890"}}.Entry(openbanking.DateOf(time.Now()))
	must(s.t, err)
	gym, err := s.store.AddRow(ctx, user.ID, f.manual, e)
	must(s.t, err)
	s.watchDebits()
	f.debit = strconv.FormatInt(gym, 10)
	gone, err := s.store.CreateUser(ctx, "gone-"+user.Email, finance.RoleMember, "hash")
	must(s.t, err)
	f.sharer, f.expense, f.settlement = gone.ID, finance.NewID(), finance.NewID()
	shared, err := settling.Divide(settling.Expense{ID: f.expense, Payer: user.ID, Date: day, Text: "Rent", Amount: money.FromMinor(1000, "EUR"), Method: settling.Equally,
		Shares: []settling.Share{{Person: user.ID}, {Person: gone.ID}}})
	must(s.t, err)
	_, err = s.store.SaveExpense(ctx, user.ID, shared)
	must(s.t, err)
	must(s.t, s.store.AddSettlement(ctx, user.ID, settling.Settlement{ID: f.settlement, From: gone.ID, To: user.ID, Amount: money.FromMinor(100, "EUR")}))
	must(s.t, s.store.RemoveUser(ctx, gone.ID))
	asked, err := s.store.CreateUser(ctx, "asked-by-"+user.Email, finance.RoleMember, "hash")
	must(s.t, err)
	f.request, err = s.store.AskForPayment(ctx, user.ID, finance.PaymentRequest{FormKey: finance.NewID(), Payer: finance.Person{ID: asked.ID},
		Payee: "Plumber", IBAN: numberACME, Amount: money.FromMinor(1000, "EUR")})
	must(s.t, err)
	must(s.t, s.store.BeginAuthenticator(ctx, user.ID, f.signIn, "JBSWY3DPEHPK3PXP", time.Minute))
	app, _, err := s.store.AddAuthenticator(ctx, f.signIn, finance.Authenticator{UserID: user.ID, Secret: "JBSWY3DPEHPK3PXP", Name: "App of " + user.Email}, nil)
	must(s.t, err)
	f.authenticator = app.ID
	return f
}

// fill puts ids into a pattern of the route table.
func (f things) fill(pattern string) string {
	return strings.NewReplacer("{attempt}", f.attempt, "{connection}", f.connection, "{account}", f.account, "{transaction}", f.transaction,
		"{sign_in}", f.signIn, "{payment}", f.payment, "{payee}", f.payee, "{webhook}", f.webhook, "{category}", f.category, "{search}", f.search, "{report}", f.report, "{rate}", f.rate, "{rule}", f.rule, "{edit}", f.edit, "{budget}", f.budget,
		"{attachment}", f.attachment, "{manual}", f.manual, "{written}", f.written, "{import}", f.imported, "{series}", f.series, "{debit}", f.debit, "{passkey}", f.passkey, "{authenticator}", f.authenticator, "{notice}", f.notice,
		"{sharer}", f.sharer, "{person}", f.sharer, "{expense}", f.expense, "{settlement}", f.settlement, "{request}", f.request,
		"{provider}", "embedded", "{service}", "embedded", "{$}",
		"").Replace(pattern)
}

// proxied is the address of a client behind a proxy that the site trusts.
func proxied(o *handlers.Options) {
	o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
}
