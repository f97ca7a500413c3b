package server_test

import (
	"bytes"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"florin/internal/contract"
	"florin/internal/contract/walk"
	"florin/internal/openbanking"
	"florin/internal/testkit"
)

// spec: Endpoints. An id that is no UUID, and one that nothing has, at every endpoint that takes one in its path.
func TestIDsInPaths(t *testing.T) {
	o := &occasions{service: run(t, "Ledger", "")}
	session := o.link(nil)
	uid := *session.Accounts[0].UID
	const wrong = openbanking.WrongRequestParameters
	for _, test := range []struct {
		method, before, after string // of the id
		name                  string // of the parameter; empty: any text may be an id
		unknown               openbanking.ErrorCode
	}{
		{"GET", "/sessions/", "", "session_id", openbanking.SessionDoesNotExist},
		{"DELETE", "/sessions/", "", "session_id", openbanking.SessionDoesNotExist},
		{"GET", "/accounts/", "/details", "account_id", openbanking.AccountDoesNotExist},
		{"GET", "/accounts/", "/balances", "account_id", openbanking.AccountDoesNotExist},
		{"GET", "/accounts/", "/transactions", "account_id", openbanking.AccountDoesNotExist},
		{"GET", "/accounts/", "/transactions/1", "account_id", openbanking.AccountDoesNotExist},
		{"GET", "/accounts/" + uid + "/transactions/", "", "", openbanking.TransactionDoesNotExist},
		{"GET", "/payments/", "", "", openbanking.PaymentNotFound},
		{"DELETE", "/payments/", "", "", openbanking.PaymentNotFound},
		{"GET", "/payments/", "/transactions/1", "", openbanking.PaymentNotFound},
	} {
		t.Run(test.method+" "+test.before+test.after, func(t *testing.T) {
			defer o.during(t)()
			for _, id := range []string{"1", "0000", unknownID[:35], unknownID + "0", "%7B" + unknownID + "%7D", strings.ReplaceAll(unknownID, "-", ""),
				"'%20OR%201=1"} {
				got := o.ask(test.method, test.before+id+test.after, "")
				if test.name == "" {
					refusal(t, got, test.unknown.Status(), test.unknown, "")
				} else {
					refusal(t, got, 422, wrong, test.name+" is not a UUID")
				}
			}
			refusal(t, o.ask(test.method, test.before+unknownID+test.after, ""), test.unknown.Status(), test.unknown, "")
		})
	}
	for path, structure := range map[string]string{"details": "AccountResource", "balances": "HalBalances", "transactions": "HalTransactions"} {
		if got := o.ask("GET", "/accounts/"+uid+"/"+path, ""); got.status != 200 {
			t.Errorf("%s: %d %s", structure, got.status, got.text)
		}
	}
	if got := o.ask("DELETE", "/sessions/"+session.SessionID, ""); got.status != 200 || into[openbanking.SuccessResponse](t, got).Message != "OK" {
		t.Errorf("DELETE: %d %s", got.status, got.text)
	}
}

// spec: ASPSP data. What helps in the sandbox, names and passwords of simulated users, is told to its applications alone.
func TestSandboxIsOfTheSandboxAlone(t *testing.T) {
	o := &occasions{service: run(t, "Ledger", "")}
	told := 0
	for _, bank := range o.banks() {
		if bank.Sandbox != nil && len(bank.Sandbox.Users) > 0 {
			told++
		}
	}
	d := o.developer()
	id := d.register(production)
	d.link(id) // which makes it active
	defer o.as(id)()
	banks := o.banks()
	if told < 20 || len(banks) < told {
		t.Fatalf("%d banks tell their users in the sandbox; in production there are %d banks", told, len(banks))
	}
	for _, bank := range banks {
		if bank.Sandbox != nil {
			t.Errorf("%s tells %+v in production", bank.Name, bank.Sandbox)
		}
	}
}

// spec: What the service does; Environments and activation. An application stays in the environment in which it was registered:
// neither the form of its settings nor another registration moves it.
func TestApplicationsStayInTheirEnvironment(t *testing.T) {
	s := run(t, "Ledger", "")
	d := s.developer()
	details := url.Values{"environment": {"PRODUCTION"}}
	for name, values := range production {
		if name != "environment" {
			details[name] = values
		}
	}
	for from, to := range map[openbanking.Environment]openbanking.Environment{
		openbanking.EnvironmentSandbox: openbanking.EnvironmentProduction, openbanking.EnvironmentProduction: openbanking.EnvironmentSandbox,
	} {
		details.Set("environment", string(from))
		id := d.register(details)
		back := s.as(id)
		details.Set("environment", string(to))
		details.Set("restricted", "yes")
		d.set(id, details)
		details.Del("restricted")
		if app := into[openbanking.Application](t, s.get("/application", nil)); app.Kid != id || app.Environment != from {
			t.Errorf("registered in %s and asked to go to %s, it is %s in %s", from, to, app.Kid, app.Environment)
		}
		back()
	}
}

// spec: Application registration payload: the content of a certificate, or of a public key. Whoever has the private key is known
// by it.
func TestCertificateOrPublicKey(t *testing.T) {
	s := run(t, "Ledger", "")
	block, _ := pem.Decode([]byte(key().pem))
	certificate := must[*x509.Certificate](t)(x509.ParseCertificate(block.Bytes))
	public := must[[]byte](t)(x509.MarshalPKIXPublicKey(certificate.PublicKey))
	operator := must[string](t)(s.server.OperatorToken())
	for name, content := range map[string]string{
		"certificate": key().pem,
		"public key":  string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})),
	} {
		s.token = operator
		var registered openbanking.RegisterApplicationResponse
		if status := s.call("POST", "/api/applications",
			map[string]any{"certificate": content, "environment": "SANDBOX", "name": name, "redirect_urls": []string{callback}}, &registered); status != 200 {
			t.Errorf("%s: status %d", name, status)
			continue
		}
		s.as(registered.AppID)
		if app := into[openbanking.Application](t, s.get("/application", nil)); app.Name != name || app.Kid != registered.AppID {
			t.Errorf("%s: %+v", name, app)
		}
	}
}

// spec: StartAuthorizationRequest, CreatePaymentRequest: psu_id is stored as a hash, of an access to accounts and of a payment.
func TestPSUIDIsStoredHashed(t *testing.T) {
	o := &occasions{service: run(t, "Ledger", "")}
	const who = "canary-of-the-psu"
	started := into[openbanking.StartAuthorizationResponse](t, o.auth(func(r *openbanking.StartAuthorizationRequest) { r.PSUID = new(who) }))
	paid := into[openbanking.CreatePaymentResponse](t, o.pay(func(r *openbanking.CreatePaymentRequest) { r.PSUID = new(who) }))
	if started.PSUIDHash != paid.PSUIDHash || len(started.PSUIDHash) != 64 {
		t.Errorf("psu_id_hash %s, then %s", started.PSUIDHash, paid.PSUIDHash)
	}
	var stored []byte
	for _, name := range []string{"aggregator.db", "aggregator.db-wal"} {
		stored = append(stored, must[[]byte](t)(os.ReadFile(filepath.Join(o.folder, name)))...)
	}
	if !bytes.Contains(stored, []byte(started.PSUIDHash)) || bytes.Contains(stored, []byte(who)) || strings.Contains(o.log.String(), who) {
		t.Error("the files hold the psu_id, or not its hash")
	}
}

// spec: Transaction. entry_reference is unique and stays the same across sessions, of two people who hold an account together too.
func TestEntryReferencesStayAcrossSessions(t *testing.T) {
	s := run(t, "Ledger", "")
	s.at(friday)
	found := map[string][]string{} // references by identification_hash
	sessions := 0
	for _, bank := range s.everyBank() {
		users := bank.SampleUsers(openbanking.PSUTypePersonal)
		if len(users) < 2 || strings.HasPrefix(bank.Name(), "Scenario") || bank.Name() == "Mammoth" {
			continue
		}
		for _, user := range []int{0, 1, 0} {
			for _, account := range s.linkAs(bank.ASPSP().Reference(), person(users[user])).Accounts {
				if account.UID == nil {
					continue
				}
				booked := slices.DeleteFunc(s.rows(*account.UID, "date_from="+day(-60)+"&date_to="+day(-5)), func(row openbanking.Transaction) bool {
					return row.Status != openbanking.TransactionStatusBOOK || row.EntryReference == nil
				})
				list := references(booked)
				if distinct(list) != len(list) {
					t.Errorf("%s: an entry_reference comes twice", bank.Name())
				}
				if before, known := found[account.IdentificationHash]; known {
					if sessions++; !slices.Equal(before, list) {
						t.Errorf("%s: %v, then %v", bank.Name(), before, list)
					}
				}
				found[account.IdentificationHash] = list
			}
		}
		if sessions > 3 {
			return
		}
	}
	t.Errorf("only %d accounts were met again", sessions)
}

// spec: Balance: last_committed_transaction is the entry reference of the last transaction that the balance counts.
func TestLastCommittedTransaction(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Crashes)
	s := run(t, "Ledger", "")
	s.at(friday)
	session := s.linkAs(redirectBank, s.anybody(redirectBank, lena.Username))
	met := 0
	for _, account := range session.Accounts {
		if account.UID == nil {
			continue
		}
		booked := s.rows(*account.UID, whole+"&transaction_status=BOOK")
		for _, balance := range into[openbanking.HalBalances](t, s.get("/accounts/"+*account.UID+"/balances", nil)).Balances {
			if balance.LastCommittedTransaction == nil {
				continue
			}
			if met++; *balance.LastCommittedTransaction != *booked[0].EntryReference {
				t.Errorf("%s counts until %s, the last booked row is %s", balance.BalanceType, *balance.LastCommittedTransaction, *booked[0].EntryReference)
			}
		}
	}
	if met == 0 {
		t.Error("no balance says what it counts")
	}
}

// spec: AccountResource: legal_age is true, false, or absent where it cannot be said: of a company, and of several holders.
func TestLegalAge(t *testing.T) {
	s := run(t, "Ledger", "")
	s.at(friday)
	met := map[string]bool{}
	for _, bank := range s.everyBank() {
		if strings.HasPrefix(bank.Name(), "Scenario") || bank.Name() == "Mammoth" {
			continue
		}
		for _, psu := range bank.ASPSP().PSUTypes {
			for _, user := range bank.SampleUsers(psu) {
				start := s.authorize(bank.ASPSP().Reference(), func(r *openbanking.StartAuthorizationRequest) { r.PSUType = &psu })
				back := must[*url.URL](t)(walk.New(nil).Approve(t.Context(), start, person(user)))
				_, session := s.redeem(back.Query().Get("code"))
				for _, account := range session.Accounts {
					text := string(must[[]byte](t)(json.Marshal(account.LegalAge)))
					met[text] = true
					several := account.Name != nil && strings.Contains(*account.Name, " & ")
					if (several || psu == openbanking.PSUTypeBusiness) && text != "null" {
						t.Errorf("%s, %s: legal_age %s of %v", bank.Name(), psu, text, *account.Name)
					}
				}
			}
		}
		if met["true"] && met["false"] && met["null"] {
			return
		}
	}
	t.Errorf("legal_age was %v", met)
}

// spec: Access. The session ends at the second that was asked for, although the consent at the bank was raised to its minimum of a day.
func TestValidUntilOfTheSessionStays(t *testing.T) {
	s := run(t, "Ledger", "")
	s.clock.Stop()
	bank := openbanking.ASPSP{Name: "Bergwerk Kreditanstalt", Country: "DE"} // grants no less than a day
	until := s.clock.Now().Add(10 * time.Minute).UTC().Truncate(time.Second)
	start := s.authorize(bank, func(r *openbanking.StartAuthorizationRequest) {
		r.Access.ValidUntil = openbanking.DateTime{Time: until}
	})
	who := s.anybody(bank, "")
	back := must[*url.URL](t)(walk.New(nil).Approve(t.Context(), start, who))
	_, session := s.redeem(back.Query().Get("code"))
	path := "/accounts/" + *session.Accounts[0].UID + "/balances"
	if !session.Access.ValidUntil.Equal(until) {
		t.Errorf("valid_until %v, want %v", session.Access.ValidUntil, until)
	}
	s.at(until.Add(-time.Second))
	if got := s.get(path, nil); got.status != 200 {
		t.Errorf("a second before: %d %s", got.status, got.text)
	}
	s.at(until)
	refusal(t, s.get(path, nil), 401, openbanking.ExpiredSession, "")
	atBank := s.lookAfter(walk.New(nil), openbanking.ASPSPData{Name: bank.Name, Country: bank.Country}, who)
	if _, lasts := atBank.Form("/consents/end"); !lasts {
		t.Errorf("the consent at the bank did not last longer: %d %q", atBank.Status, atBank.Title)
	}
}

// spec: Payment initiation flow, step 5. The browser comes back to redirect_url as it was registered, its own query included, with
// the state, and with an error when the person did not agree. There is never a code: the payment is read by its id.
func TestRedirectOfAPayment(t *testing.T) {
	s := run(t, "Ledger", "")
	for name, test := range map[string]struct {
		walk func(b *walk.Browser, start string) (*url.URL, error)
		want url.Values
	}{
		"approved": {func(b *walk.Browser, start string) (*url.URL, error) { return b.Pay(t.Context(), start, lena) },
			url.Values{"from": {"bank"}, "state": {"a b&error=x#"}}},
		"cancelled": {func(b *walk.Browser, start string) (*url.URL, error) { return b.Cancel(t.Context(), start) },
			url.Values{"from": {"bank"}, "state": {"a b&error=x#"}, "error": {"access_denied"}, "error_description": {"Cancelled by user"}}},
	} {
		_, start := s.order(redirectBank, func(r *openbanking.CreatePaymentRequest) { r.RedirectURL, r.State = callback, "a b&error=x#" })
		back := must[*url.URL](t)(test.walk(walk.New(nil), start))
		if target, _, _ := strings.Cut(back.String(), "?"); target+"?from=bank" != callback || back.Query().Encode() != test.want.Encode() {
			t.Errorf("%s: back at %s, want %s", name, back, test.want.Encode())
		}
	}
}

// spec: ResponsePaymentType: a payment is final with the first of final_successful_statuses that it reaches, at banks that say
// most and at such that say least of what becomes of it.
func TestFinalSuccessfulStatuses(t *testing.T) {
	s := run(t, "Ledger", "")
	s.clock.Stop()
	s.at(friday)
	met := map[string]bool{}
	for _, bank := range s.everyBank() {
		for _, kind := range bank.ASPSP().Payments {
			last := strings.Join(texts(kind.FinalSuccessfulStatuses), " ")
			if last == "" || met[last] || kind.PaymentType != openbanking.PaymentTypeSEPA || kind.PSUType != openbanking.PSUTypePersonal ||
				asksFor(kind.DebtorAccountRequired) {
				continue
			}
			met[last] = true
			id, start := s.order(bank.ASPSP().Reference(), func(r *openbanking.CreatePaymentRequest) {
				r.PaymentRequest = contract.FillIn(kind, nil)
			})
			who := s.customerOf(bank, kind.PSUType).Person
			who.Despite = true
			accepted(t, &walk.Page{Left: must[*url.URL](t)(walk.New(nil).Pay(t.Context(), start, who))})
			read, had := s.course(id)
			for i, status := range had {
				if final := slices.Contains(kind.FinalSuccessfulStatuses, status); final != (i == len(had)-1) {
					t.Errorf("%s, whose last ones are %s: %v", bank.Name(), last, had)
				}
			}
			if !read.FinalStatus {
				t.Errorf("%s: %s is not final", bank.Name(), read.Status)
			}
			s.at(friday)
		}
	}
	if len(met) < 2 || !met["ACSP"] {
		t.Errorf("banks differ by %v", met)
	}
}

// spec: AccountResource: all_account_ids are all identifiers, the one of account_id included; an account of several currencies has
// more than one.
func TestAllAccountIDs(t *testing.T) {
	testkit.Unwatched(t)
	s := run(t, "Ledger", "")
	s.at(friday)
	several := 0
	for _, bank := range s.everyBank() {
		users := bank.SampleUsers(openbanking.PSUTypePersonal)
		if len(users) == 0 || bank.Name() == "Mammoth" {
			continue
		}
		for _, account := range s.linkAs(bank.ASPSP().Reference(), person(users[0])).Accounts {
			primary := openbanking.GenericIdentification{SchemeName: openbanking.SchemeNameIBAN}
			switch {
			case account.AccountID == nil:
				t.Errorf("%s: an account without account_id", bank.Name())
				continue
			case account.AccountID.IBAN != nil:
				primary.Identification = *account.AccountID.IBAN
			default:
				primary = *account.AccountID.Other
			}
			if !slices.ContainsFunc(account.AllAccountIDs, func(id openbanking.GenericIdentification) bool {
				return id.SchemeName == primary.SchemeName && id.Identification == primary.Identification
			}) {
				t.Errorf("%s: all_account_ids %+v without %+v", bank.Name(), account.AllAccountIDs, primary)
			}
			if len(account.AllAccountIDs) > 1 {
				several++
			}
		}
	}
	if several == 0 {
		t.Error("no account has several identifiers")
	}
}
