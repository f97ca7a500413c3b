package main

import (
	"bytes"
	"context"
	"crypto/rsa"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"florin/internal/apptoken"
	"florin/internal/contract"
	"florin/internal/contract/walk"
	"florin/internal/openbanking"
	"florin/internal/testkit"
)

// application is an application that "florin application add" registered, with a plain HTTP client.
type application struct {
	t      testing.TB
	base   string
	id     string
	key    *rsa.PrivateKey
	signer *apptoken.Signer
}

const redirectURL = "https://budget.example/back"

// addApplication registers an application with the command line, while the service runs.
func addApplication(t testing.TB, f *florin) *application {
	t.Helper()
	return addApplicationNamed(t, f, "Budget")
}

func addApplicationNamed(t testing.TB, f *florin, name string, more ...string) *application {
	t.Helper()
	key, err := apptoken.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	var answer openbanking.RegisterApplicationResponse
	said := runCommand(t, f, append([]string{"application", "add", "--name", name, "--redirect-url", redirectURL, "--certificate", certificateFile(t, key)},
		more...)...)
	if err := json.Unmarshal([]byte(said), &answer); err != nil || answer.AppID == "" {
		t.Fatalf("application add printed %q, want an app_id", said)
	}
	return &application{t: t, base: f.service, id: answer.AppID, key: key, signer: apptoken.NewSigner(key, answer.AppID, "localhost", "localhost")}
}

func certificateFile(t testing.TB, key *rsa.PrivateKey) string {
	t.Helper()
	certificate, err := apptoken.SelfSigned(key, "Budget", time.Now(), 24*time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "certificate.pem")
	if err := os.WriteFile(file, certificate, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// runCommand runs a command on the data of a running Florin, and returns its output.
func runCommand(t testing.TB, f *florin, arguments ...string) string {
	t.Helper()
	out, err := &record{}, &record{}
	arguments = append(arguments, "--data-dir", f.folder, "--service-url", f.service)
	if failure := run(context.Background(), arguments, noSettings, stdio{in: strings.NewReader(""), out: out, err: err}); failure != nil {
		t.Fatalf("florin %s: %v\n%s", arguments, failure, err)
	}
	return out.String()
}

// token is a token of the application.
func (a *application) token() (string, error) { return a.signer.Token(time.Now()) }

// ask makes a request of the API and reads the answer, which must have status 200.
func (a *application) ask(method, path string, body, into any) {
	a.t.Helper()
	var content io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			a.t.Fatal(err)
		}
		content = bytes.NewReader(encoded)
	}
	request, err := http.NewRequest(method, a.base+path, content)
	if err != nil {
		a.t.Fatal(err)
	}
	token, err := a.token()
	if err != nil {
		a.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		a.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		a.t.Fatalf("%s %s answered %d: %s", method, path, response.StatusCode, text)
	}
	if err := json.Unmarshal(text, into); err != nil {
		a.t.Fatalf("%s %s: %v\n%s", method, path, err, text)
	}
}

// authorize asks for the authorisation of a person.
func (a *application) authorize(bank openbanking.ASPSP) openbanking.StartAuthorizationResponse {
	a.t.Helper()
	return a.authorizeAs(bank, openbanking.PSUTypePersonal)
}

func (a *application) authorizeAs(bank openbanking.ASPSP, psu openbanking.PSUType) openbanking.StartAuthorizationResponse {
	a.t.Helper()
	yes := true
	var start openbanking.StartAuthorizationResponse
	a.ask("POST", "/auth", openbanking.StartAuthorizationRequest{
		Access: openbanking.Access{Balances: &yes, Transactions: &yes,
			ValidUntil: openbanking.DateTime{Time: time.Now().UTC().Add(24 * time.Hour).Truncate(time.Second)}},
		ASPSP:       bank,
		State:       "our-state",
		RedirectURL: redirectURL,
		PSUType:     &psu,
	}, &start)
	return start
}

// link goes from POST /auth through the hosted pages to a session.
func (a *application) link(bank openbanking.ASPSP, as walk.Person) openbanking.AuthorizeSessionResponse {
	a.t.Helper()
	return a.linkAs(bank, openbanking.PSUTypePersonal, as)
}

// linkAs is link for a customer of the given PSU type.
func (a *application) linkAs(bank openbanking.ASPSP, psu openbanking.PSUType, as walk.Person) openbanking.AuthorizeSessionResponse {
	a.t.Helper()
	start := a.authorizeAs(bank, psu)
	back, err := walk.New(nil).Approve(context.Background(), start.URL, as)
	if err != nil {
		a.t.Fatal(err)
	}
	if got := back.Scheme + "://" + back.Host + back.Path; got != redirectURL || back.Query().Get("state") != "our-state" || back.Query().Get("code") == "" {
		a.t.Fatalf("the bank sent back to %s, want %s with code and state", back, redirectURL)
	}
	var session openbanking.AuthorizeSessionResponse
	a.ask("POST", "/sessions", openbanking.AuthorizeSessionRequest{Code: back.Query().Get("code")}, &session)
	return session
}

// transactions reads all transactions of an account, page by page.
func (a *application) transactions(account string) []openbanking.Transaction {
	a.t.Helper()
	var all []openbanking.Transaction
	query := url.Values{"strategy": {"longest"}}
	for {
		var page openbanking.HalTransactions
		a.ask("GET", "/accounts/"+account+"/transactions?"+query.Encode(), nil, &page)
		all = append(all, page.Transactions...)
		if page.ContinuationKey == nil {
			return all
		}
		query.Set("continuation_key", *page.ContinuationKey)
	}
}

// sample returns a sample user of a bank from GET /aspsps: the one with this name, or the first one.
func (a *application) sample(bank openbanking.ASPSP, username string) walk.Person {
	a.t.Helper()
	var list openbanking.ASPSPsResponse
	a.ask("GET", "/aspsps?country="+bank.Country, nil, &list)
	for _, found := range list.ASPSPs {
		if found.Name != bank.Name || found.Sandbox == nil {
			continue
		}
		for _, user := range found.Sandbox.Users {
			person := walk.Person{Username: *user.Username, Password: *user.Password}
			if user.OTP != nil {
				person.Code = *user.OTP
			}
			if username == "" || username == person.Username {
				return person
			}
		}
	}
	a.t.Fatalf("GET /aspsps has no sample user %q at %s in %s", username, bank.Name, bank.Country)
	return walk.Person{}
}

var mammoth = openbanking.ASPSP{Name: "Mammoth", Country: "NL"}

// Any HTTP client can go through /auth, the hosted pages, /sessions and all transactions.
func TestApplicationWalksToAllTransactions(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	f := begin(t)
	a := addApplication(t, f)
	tests := []struct {
		bank openbanking.ASPSP
		user string
		rows int // the exact number; 0 for any number above zero
	}{
		{openbanking.ASPSP{Name: exampleBank, Country: exampleCountryCode}, "", 0},
		{mammoth, "1000", 1000},
		{mammoth, "10000", 10000},
	}
	for _, test := range tests {
		session := a.link(test.bank, a.sample(test.bank, test.user))
		if len(session.Accounts) == 0 {
			t.Errorf("%s %s: no accounts", test.bank.Name, test.user)
		}
		rows := 0
		for _, account := range session.Accounts {
			if account.UID == nil {
				continue
			}
			transactions := a.transactions(*account.UID)
			rows += len(transactions)
			seen := map[string]bool{}
			for _, transaction := range transactions {
				if transaction.EntryReference == nil {
					continue
				}
				if seen[*transaction.EntryReference] {
					t.Errorf("%s %s: the entry %s comes twice", test.bank.Name, test.user, *transaction.EntryReference)
				}
				seen[*transaction.EntryReference] = true
			}
		}
		if test.rows != 0 && rows != test.rows || rows == 0 {
			t.Errorf("%s %s: %d transactions, want %d", test.bank.Name, test.user, rows, test.rows)
		}
	}
}

// The program keeps the contract as it is shipped: on its own listener, with its default issuer and audience, for an application that the command line
// registered. The contract's cases that need an operator run only in the test of the suite itself.
func TestContractOfTheProgram(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Process)
	f := spawn(t, "--sandbox-pace=10ms")
	a, other := addApplication(t, f), addApplication(t, f)
	bank := openbanking.ASPSP{Name: exampleBank, Country: exampleCountryCode}
	person := a.sample(bank, "")
	contract.Run(t, contract.Target{
		BaseURL:     f.service,
		Token:       a.token,
		OtherToken:  other.token,
		RedirectURL: redirectURL,
		Bank:        bank,
		Approve: func(ctx context.Context, start string) (*url.URL, error) {
			return walk.New(nil).Approve(ctx, start, person)
		},
		Cancel: func(ctx context.Context, start string) (*url.URL, error) { return walk.New(nil).Cancel(ctx, start) },
		Pay: func(ctx context.Context, start string) (*url.URL, error) {
			return walk.New(nil).Pay(ctx, start, person)
		},
	})
}

// spec: Environments and activation: payments are on in the sandbox; in production the operator grants them, here with the command.
func TestApplicationAddGrantsPayments(t *testing.T) {
	t.Parallel()
	f := begin(t)
	production := []string{
		"--environment=PRODUCTION", "--description=d", "--gdpr-email=dpo@budget.example", "--privacy-url=https://budget.example/p",
		"--terms-url=https://budget.example/t",
	}
	for _, tt := range []struct {
		name string
		more []string
		want []openbanking.Service
	}{
		{"sandbox", nil, []openbanking.Service{openbanking.ServiceAIS, openbanking.ServicePIS}},
		{"sandbox, granted", []string{"--payments"}, []openbanking.Service{openbanking.ServiceAIS, openbanking.ServicePIS}},
		{"production", production, []openbanking.Service{openbanking.ServiceAIS}},
		{"production, granted", append([]string{"--payments"}, production...), []openbanking.Service{openbanking.ServiceAIS, openbanking.ServicePIS}},
	} {
		var got openbanking.Application
		addApplicationNamed(t, f, tt.name, tt.more...).ask("GET", "/application", nil, &got)
		if !slices.Equal(got.Services, tt.want) {
			t.Errorf("%s: services %v, want %v", tt.name, got.Services, tt.want)
		}
	}
}
