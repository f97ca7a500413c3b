package sandbox

import (
	"cmp"
	"context"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"florin/internal/aggregator"
	"florin/internal/aggregator/storage"
	"florin/internal/iban"
	"florin/internal/openbanking"
	"florin/internal/sqlite/sqlitetest"
	"florin/migrations"
)

// testNow is the day on which the tests look at the banks.
var testNow = time.Date(2026, 11, 20, 10, 30, 0, 0, time.UTC)

const testBase = "http://localhost:8081"

// newTest returns the banks of the built-in catalogue over a real database; set moves the clock.
func newTest(t testing.TB, catalogue string) (s *Sandbox, set func(time.Time)) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "aggregator.db")
	sqlitetest.Make(t, path, migrations.Aggregator)
	store, err := storage.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	now := testNow
	options := Options{BaseURL: testBase, Flows: store, Now: func() time.Time { return now }}
	if catalogue != "" {
		options.Catalogue = []byte(catalogue)
	}
	if s, err = New(options); err != nil {
		t.Fatal(err)
	}
	return s, func(to time.Time) { now = to }
}

// bankNamed returns a bank of the catalogue.
func bankNamed(t testing.TB, s *Sandbox, country, name string) *Bank {
	t.Helper()
	b, ok := s.byASPSP[openbanking.ASPSP{Name: name, Country: country}]
	if !ok {
		t.Fatalf("no bank %s in %s", name, country)
	}
	return b
}

func TestBuiltInCatalogueCoversWhatTheServiceOffers(t *testing.T) {
	s := builtInBanks()
	countries, types, kinds := map[string]bool{}, map[openbanking.PaymentType]bool{}, map[openbanking.CashAccountType]bool{}
	balances := map[openbanking.BalanceStatus]bool{}
	var group, beta, headers, minimum, short, business, blocked, joint, shared int
	for _, b := range s.Banks() {
		countries[b.Country()] = true
		a := b.ASPSP()
		if b.Initials() == "" || b.Colour() == "" || len(a.PSUTypes) == 0 || len(a.AuthMethods) < len(a.PSUTypes) {
			t.Errorf("%s lacks something to show", b.Name())
		}
		for _, p := range a.Payments {
			types[p.PaymentType] = true
		}
		for _, kind := range b.data.Habits.Balances {
			balances[kind] = true
		}
		count := func(n *int, yes bool) {
			if yes {
				*n++
			}
		}
		count(&group, a.Group != nil)
		count(&beta, a.Beta)
		count(&headers, len(a.RequiredPSUHeaders) > 0)
		count(&minimum, a.MinimumConsentValidity > 0)
		count(&short, a.MaximumConsentValidity == 7776000)
		count(&business, slices.Contains(a.PSUTypes, openbanking.PSUTypeBusiness))
		for _, acc := range b.accounts {
			kinds[acc.data.Type] = true
			count(&blocked, acc.data.Blocked)
			count(&joint, len(acc.holders) > 1)
			count(&shared, acc.shared)
		}
	}
	for country := range countries {
		if _, ok := s.Connector(openbanking.ASPSP{Name: MockName, Country: country}); !ok {
			t.Errorf("no Mock ASPSP in %s (api-notes 9)", country)
		}
	}
	if len(countries) < 12 {
		t.Errorf("%d countries, want at least 12", len(countries))
	}
	for _, v := range openbanking.PaymentType("").Values() {
		if !types[v] {
			t.Errorf("no bank offers %s", v)
		}
	}
	for _, v := range openbanking.CashAccountType("").Values() {
		if !kinds[v] {
			t.Errorf("no account of type %s", v)
		}
	}
	for _, v := range openbanking.BalanceStatus("").Values() {
		if !balances[v] {
			t.Errorf("no bank gives the balance %s", v)
		}
	}
	for what, n := range map[string]int{"group": group, "beta": beta, "required headers": headers, "minimum consent": minimum, "90 days": short,
		"business": business, "blocked account": blocked, "joint account": joint, "shared IBAN": shared} {
		if n == 0 {
			t.Errorf("nothing has: %s", what)
		}
	}
}

func TestEveryNumberIsValid(t *testing.T) {
	s := builtInBanks()
	for _, b := range s.Banks() {
		if b.data.BIC != "" {
			if bic, err := iban.ParseBIC(b.data.BIC); err != nil || bic.Country() != b.Country() {
				t.Errorf("%s: BIC %s: %v", b.Name(), b.data.BIC, err)
			}
		}
		references := map[string]bool{}
		main := map[string]bool{}
		for _, a := range b.accounts {
			ids := a.identifiers()
			if references[a.reference] || main[ids[0].Identification] {
				t.Errorf("%s: the main identifier of %s names two accounts (api-notes 5)", b.Name(), a.data.ID)
			}
			references[a.reference], main[ids[0].Identification] = true, true
			switch a.data.Type {
			case openbanking.CashAccountTypeCACC, openbanking.CashAccountTypeSVGS, openbanking.CashAccountTypeLOAN:
				if n, err := iban.Parse(a.iban); err != nil || n.Country() != b.Country() {
					t.Errorf("%s: IBAN of %s: %v", b.Name(), a.data.ID, err)
				}
			}
		}
	}
	for code, c := range countries() {
		for group, parties := range c.parties {
			for _, p := range parties {
				if _, err := iban.Parse(p.iban); err != nil {
					t.Errorf("%s %s %s: %v", code, group, p.name, err)
				}
				if _, err := iban.ParseBIC(p.agent.BIC); err != nil {
					t.Errorf("%s %s: %v", code, p.agent.Name, err)
				}
			}
		}
		if codeProblem(code, c.MockCode) != "" {
			t.Errorf("%s: code of the Mock ASPSP: %s", code, codeProblem(code, c.MockCode))
		}
	}
}

// National check digits of account numbers in the registries' own examples.
func TestNationalCheckDigits(t *testing.T) {
	for _, test := range []struct{ country, number, want string }{
		{"BE", "5390075470", "539007547034"},
		{"ES", "210004180200051332", "21000418450200051332"},
		{"FI", "1234560000078", "12345600000785"},
		{"FR", "300060000112345678901", "30006000011234567890189"},
		{"IT", "0542811101000000123456", "X0542811101000000123456"},
		{"NO", "8601111794", "86011117947"},
		{"PT", "0002012312345678901", "000201231234567890154"},
		{"EE", "220022102014568", "2200221020145685"},
	} {
		if got := numberLayouts[test.country].check(test.number); got != test.want {
			t.Errorf("%s %s: got %s, want %s", test.country, test.number, got, test.want)
		}
	}
	if got := dutch("ABNA0417164300"); got != "ABNA0417164300" {
		t.Errorf("NL: got %s", got)
	}
}

func TestReferenceNumbersHaveRightCheckDigits(t *testing.T) {
	d := seedOf("references").dice(1)
	for range 500 {
		for _, country := range []string{"FI", "BE", "NO", "SE", "DE"} {
			r := referenceOf(country, &d)
			ok := false
			switch r.scheme {
			case openbanking.ReferenceNumberSchemeFIRF:
				ok = country == "FI" && (weighted(r.number[:8], 7, 3, 1)+int(r.number[8]-'0'))%10 == 0
			case openbanking.ReferenceNumberSchemeBERF:
				rest := mod(r.number[:10], 97)
				ok = country == "BE" && len(r.number) == 12 && (rest == mod(r.number[10:], 100) || rest == 0 && r.number[10:] == "97")
			case openbanking.ReferenceNumberSchemeNORF, openbanking.ReferenceNumberSchemeSEBG:
				ok = (country == "NO" || country == "SE") && luhn(r.number[:8]) == r.number[8:]
			case openbanking.ReferenceNumberSchemeINTL:
				ok = country == "DE" && mod(r.number[4:]+"2715"+r.number[2:4], 97) == 1
			}
			if !ok {
				t.Fatalf("%s: %s %s", country, r.scheme, r.number)
			}
		}
	}
}

const smallBank = `{"name": "Testbank", "country": "DE", "bank_code": "99055500", "users": [{"username": "u", "password": "p", "name": "U", "accounts": ["a"]}],
	"accounts": [{"id": "a", "type": "CACC", "income": "2000.00"}]}`

func TestCatalogueMistakesAreNamedWithTheirPlace(t *testing.T) {
	change := func(old, text string) string {
		if !strings.Contains(smallBank, old) {
			t.Fatalf("no %s", old)
		}
		return `{"banks": [` + strings.Replace(smallBank, old, text, 1) + `]}`
	}
	for _, test := range []struct {
		name, file string
		want       []string
	}{
		{"no JSON", `{"banks": [`, []string{"not valid JSON"}},
		{"empty", ``, []string{"not valid JSON"}},
		{"no banks", `{"banks": []}`, []string{"banks: there is none"}},
		{"unknown name at the top", `{"bank": []}`, []string{"bank: there is no such name"}},
		{"unknown name", change(`"name": "Testbank"`, `"name": "Testbank", "colr": "#000000"`), []string{"banks[0].colr: there is no such name"}},
		{"unknown name deep", change(`"id": "a"`, `"id": "a", "salary": "1"`), []string{"banks[0].accounts[0].salary: there is no such name"}},
		{"doubled name", change(`"id": "a"`, `"id": "a", "id": "b"`), []string{"the name is there twice"}},
		{"wrong type", change(`"2000.00"`, `2000`), []string{"banks[0].accounts[0].income: a number where a text belongs"}},
		{"number as text", change(`"country": "DE"`, `"country": "DE", "page_size": "10"`), []string{"banks[0].page_size: a text where a whole number belongs"}},
		{"country", change(`"DE"`, `"de"`), []string{`banks[0] (Testbank).country: "de" is no country code`}},
		{"bank code", change(`"99055500"`, `"9905X"`), []string{"banks[0] (Testbank).bank_code: must be given, in digits"}},
		{"long bank code", change(`"99055500"`, `"9905550055555555"`), []string{"bank_code: must have at most 12 characters"}},
		{"no bank code", change(`"99055500"`, `""`), []string{"bank_code: must be given"}},
		{"amount", change(`"2000.00"`, `"2,000"`), []string{`accounts[0].income: "2,000" is no amount of EUR`}},
		{"negative amount", change(`"2000.00"`, `"-1.00"`), []string{"accounts[0].income: must not be negative"}},
		{"huge amount", change(`"2000.00"`, `"99999999999999"`), []string{"accounts[0].income: is too large"}},
		{"type", change(`"CACC"`, `"CURRENT"`), []string{`accounts[0].type: "CURRENT" is no account type`}},
		{"account of a user", change(`["a"]`, `["b"]`), []string{`users[0].accounts[0]: "b" is no account of this bank`, `no user has the account "a"`}},
		{"several at once", change(`"country": "DE"`,
			`"country": "DE", "bic": "X", "colour": "red", "page_size": -1, "maximum_consent_validity": 5, "required_psu_headers": ["X-Y"]`),
			[]string{".bic:", ".colour:", ".page_size:", ".maximum_consent_validity:", ".required_psu_headers[0]:"}},
		{"funding circle", change(`"income"`, `"funded_by": ["a"], "income"`), []string{`funded_by[0]: "a" is no account further up`}},
		{"opened", change(`"income"`, `"opened": "2024-02-30", "income"`), []string{"accounts[0].opened:"}},
		{"habits", change(`"country": "DE"`, `"country": "DE", "habits": {"codes": "latin", "balances": ["ABCD"]}`),
			[]string{`habits.codes: "latin" is none of iso, words, none`, "habits.balances[0]:"}},
		{"payment", change(`"country": "DE"`, `"country": "DE", "payments": [{"payment_type": "CASH", "psu_type": "personal", "currencies": ["QQQ"]}]`),
			[]string{"payments[0].payment_type:", "payments[0].currencies[0]:"}},
		{"payment of nobody", change(`"country": "DE"`,
			`"country": "DE", "payments": [{"payment_type": "SEPA", "psu_type": "business"}, {"payment_type": "SEPA", "psu_type": "business"}]`),
			[]string{"payments[0].psu_type: the bank has no business users", "payments[1].payment_type: SEPA is there twice for business"}},
		{"payment's limits", change(`"country": "DE"`, `"country": "DE", "payments": [{"payment_type": "SEPA", "psu_type": "personal", "max_transactions": 0, "requested_execution_date_max_period": -1,
			"remittance_information_lines": [{"min_length": 9, "max_length": 8}, {"pattern": "("}], "regulatory_reporting_codes": [{"value": ""}], "reference_number_schemas": ["INTL"], "allowed_auth_methods": ["pigeon"]}]`),
			[]string{"payments[0].max_transactions:", "payments[0].requested_execution_date_max_period:",
				"payments[0].remittance_information_lines[0].max_length:", "payments[0].remittance_information_lines[1].pattern:",
				"payments[0].regulatory_reporting_codes[0]:", "payments[0].reference_number_schemas:",
				`payments[0].allowed_auth_methods[0]: "pigeon" is no method of the bank`}},
		{"payment's codes", change(`"country": "DE"`,
			`"country": "DE", "payments": [{"payment_type": "SEPA", "psu_type": "personal", "regulatory_reporting_code_required": true}]`),
			[]string{"payments[0].regulatory_reporting_code_required:"}},
		{"payment's end", change(`"country": "DE"`,
			`"country": "DE", "payments": [{"payment_type": "SEPA", "psu_type": "personal", "final_successful_statuses": ["ACCC", "ACSP"]}]`),
			[]string{"payments[0].final_successful_statuses: must not have ACSP, after which the path \"standard\" goes on",
				"payments[0].final_successful_statuses: must have ACSC, with which the path"}},
		{"payment paths", change(`"country": "DE"`,
			`"country": "DE", "habits": {"payment_paths": {"SEPA": "winding", "GIRO": "standard"}}, "payments": [{"payment_type": "SEPA", "psu_type": "personal"}]`),
			[]string{`habits.payment_paths.SEPA: "winding" is none of standard, instant,`, `habits.payment_paths: "GIRO" is no payment type of the bank`}},
		{"closed accounts", change(`"country": "DE"`, `"country": "DE", "closed_accounts": ["Old one", "a"]`),
			[]string{"closed_accounts[0]:", "closed_accounts[1]:"}},
		{"access", change(`"country": "DE"`, `"country": "DE", "access": "some"`), []string{`banks[0] (Testbank).access: "some" is none of choice, all, list`}},
		{"scenario of a bank", change(`"country": "DE"`, `"country": "DE", "scenarios": ["down", "upside-down"]`),
			[]string{`banks[0] (Testbank).scenarios[1]: "upside-down" is no scenario`}},
		{"scenario of a user", change(`"accounts": ["a"]`, `"accounts": ["a"], "scenarios": [""]`), []string{`users[0].scenarios[0]: "" is no scenario`}},
		{"scenario with rows made on the fly", `{"banks": [` +
			strings.NewReplacer(`"income": "2000.00"`, `"transactions": 10`, `"country": "DE"`, `"country": "DE", "scenarios": ["down"]`).Replace(smallBank) + `]}`,
			[]string{"scenarios: an account with transactions made on the fly has none"}},
		{"the same twice", `{"banks": [` + smallBank + "," + smallBank + `]}`, []string{"banks[1] (Testbank).name: is the same as of banks[0]"}},
		{"mistakes in two banks", `{"banks": [` + strings.Replace(smallBank, "DE", "de", 1) + "," + strings.Replace(smallBank, `"id"`, `"ID"`, 1) + `]}`,
			[]string{"banks[0] (Testbank).country", "banks[1].accounts[0].ID"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := decodeCatalogue([]byte(test.file))
			if err == nil {
				t.Fatal("accepted")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in:\n%v", want, err)
				}
			}
		})
	}
}

func TestCatalogueAddsAndReplacesBanks(t *testing.T) {
	croatian := strings.NewReplacer(`"DE"`, `"HR"`, "Testbank", "Jadranska Škrinja").Replace(smallBank)
	replacement := strings.Replace(smallBank, "Testbank", "Lindwurm Direkt", 1)
	s, _ := newTest(t, `{"banks": [`+croatian+","+replacement+`]}`)
	b, ok := s.Bank("hr", "jadranska-skrinja")
	if !ok {
		t.Fatal("the new bank is not at its address")
	}
	if id := b.accounts[0].identifiers(); len(id) != 1 || id[0].SchemeName != openbanking.SchemeNameBANK {
		t.Errorf("an account in a country whose numbers are not known has %v", id)
	}
	if _, ok := s.Bank("HR", "mock-aspsp"); !ok {
		t.Error("the new country has no Mock ASPSP")
	}
	if users := bankNamed(t, s, "DE", "Lindwurm Direkt").SampleUsers(openbanking.PSUTypePersonal); len(users) != 1 || users[0].Username != "u" {
		t.Errorf("not replaced: %v", users)
	}
	var names []string
	for _, c := range s.Connectors() {
		names = append(names, c.ASPSP().Country+strings.ToLower(c.ASPSP().Name))
	}
	if !slices.IsSorted(names) {
		t.Error("the banks are not sorted by country and name")
	}
}

func TestNewSaysWhatIsWrong(t *testing.T) {
	s, _ := newTest(t, "")
	for _, test := range []struct {
		name    string
		options Options
		want    string
	}{
		{"no store", Options{BaseURL: testBase}, "no store"},
		{"no address", Options{BaseURL: "banks.example", Flows: s.flows}, "must be an http or https URL"},
		{"catalogue", Options{BaseURL: testBase, Flows: s.flows, Catalogue: []byte("{}")}, "sandbox catalogue: banks: there is none"},
	} {
		if _, err := New(test.options); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

func TestSlug(t *testing.T) {
	for name, want := range map[string]string{
		"Seebrücke Bank": "seebruecke-bank", "Raabe & Söhne Privatbank": "raabe-soehne-privatbank", "Crédit des Tilleuls": "credit-des-tilleuls", "Ħ": "",
		"  ": "", "O'Hara’s": "oharas", "Mock ASPSP": "mock-aspsp",
	} {
		if got := slug(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func FuzzDecodeCatalogue(f *testing.F) {
	f.Add([]byte(`{"banks": [` + smallBank + `]}`))
	f.Add([]byte(`{"banks": [{"name": "X", "country": "NL", "bank_code": "ABCD", "users": [{"username": "1", "password": "1", "name": "1", "accounts": ["t"]}], "accounts": [{"id": "t", "type": "CACC", "transactions": 10}]}]}`))
	f.Add(builtInCatalogue[:2000])
	f.Fuzz(func(t *testing.T, data []byte) {
		banks, err := decodeCatalogue(data)
		if err != nil {
			if strings.TrimSpace(err.Error()) == "" {
				t.Error("a mistake without words")
			}
			return
		}
		for _, d := range banks { // what is accepted works
			b := newBank(&Sandbox{ledgers: newLedgerCache(1), now: func() time.Time { return testNow }}, d)
			for _, a := range b.accounts[:min(2, len(b.accounts))] {
				if _, err := a.page(aggregator.TransactionQuery{}, (a.opened + 40).end()); err != nil {
					t.Error(err)
				}
				a.balances((a.opened + 40).end())
			}
		}
	})
}

// A form that is made of the metadata has something to show: everything that a payment type can ask for is asked for somewhere.
func TestBuiltInPaymentsAskForEverything(t *testing.T) {
	asked := map[string]bool{}
	fields := reflect.TypeFor[openbanking.ResponsePaymentType]()
	wayOf := map[string]bool{}
	for _, b := range builtInBanks().Banks() {
		for _, p := range b.data.Payments {
			v := reflect.ValueOf(p)
			for i := range fields.NumField() {
				switch f := v.Field(i); f.Kind() {
				case reflect.Pointer:
					asked[fields.Field(i).Name] = asked[fields.Field(i).Name] || !f.IsNil() && !f.Elem().IsZero()
				default:
					asked[fields.Field(i).Name] = asked[fields.Field(i).Name] || !f.IsZero()
				}
			}
			for _, line := range p.RemittanceInformationLines {
				for what, there := range map[string]bool{"shortest line": line.MinLength != nil, "longest line": line.MaxLength != nil, "pattern": line.Pattern != nil} {
					asked[what] = asked[what] || there
				}
			}
			for _, scheme := range p.ReferenceNumberSchemas {
				asked[string(scheme)+" "+b.Country()] = true
			}
			for _, code := range p.PriorityCodes {
				asked[string(code)+" "+b.Country()] = true
			}
			for _, bearer := range p.ChargeBearerValues {
				asked[string(bearer)] = true
			}
			wayOf[cmp.Or(b.data.Habits.PaymentPaths[string(p.PaymentType)], defaultPath(p))] = true
		}
	}
	for i := range fields.NumField() {
		if name := fields.Field(i).Name; !asked[name] {
			t.Errorf("%s is never asked for", name)
		}
	}
	for _, what := range []string{
		"shortest line", "longest line", "pattern", "FIRF FI", "BERF BE", "NORF NO", "SEBG SE", "INTL FI", "EXPR PL", "HIGH PL", "NORM PL", "CRED", "DEBT",
		"SHAR", "SLEV",
	} {
		if !asked[what] {
			t.Errorf("%s is never asked for", what)
		}
	}
	for _, p := range paths {
		if !wayOf[p.name] && p.name != "unposted" { // a user of Scenario Payments meets it
			t.Errorf("no bank's payments go by %s", p.name)
		}
	}
}
