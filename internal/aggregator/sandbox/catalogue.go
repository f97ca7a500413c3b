package sandbox

import (
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"florin/internal/iban"
	"florin/internal/money"
	"florin/internal/openbanking"
)

//go:embed catalogue.json
var builtInCatalogue []byte

// The limits of a catalogue.
const (
	maxCatalogueBytes = 16 << 20
	maxPageSize       = 1000
	maxTransactions   = 10_000_000
	defaultPageSize   = 50
	defaultValidity   = 15552000 // seconds: 180 days
	defaultOpened     = "2024-06-03"
)

// bankData is one bank of a catalogue.
type bankData struct {
	Name                   string                            `json:"name"`
	Country                string                            `json:"country"`
	BIC                    string                            `json:"bic"`
	Group                  string                            `json:"group"`
	Colour                 string                            `json:"colour"`
	BankCode               string                            `json:"bank_code"`
	Beta                   bool                              `json:"beta"`
	NoCredentials          bool                              `json:"no_credentials"`
	MaximumConsentValidity int                               `json:"maximum_consent_validity"`
	MinimumConsentValidity int                               `json:"minimum_consent_validity"`
	RequiredPSUHeaders     []string                          `json:"required_psu_headers"`
	PageSize               int                               `json:"page_size"`
	Access                 string                            `json:"access"`    // what a consent covers when it names no account: choice (default), all or list
	Scenarios              []string                          `json:"scenarios"` // quirks of the bank, by name
	Habits                 habits                            `json:"habits"`
	ClosedAccounts         []string                          `json:"closed_accounts"` // ids: payments to their numbers are rejected
	Payments               []openbanking.ResponsePaymentType `json:"payments"`
	AuthMethods            []methodData                      `json:"auth_methods"`
	Users                  []userData                        `json:"users"`
	Accounts               []accountData                     `json:"accounts"`
}

// habits describe how a bank presents its data.
type habits struct {
	References              string                      `json:"references"`                // entry_reference: serial (default), uuid, letters or none
	NoPending               bool                        `json:"no_pending"`                // pending rows are not shown
	PendingWithoutReference bool                        `json:"pending_without_reference"` // entry_reference comes with the booking
	TransactionDetails      bool                        `json:"transaction_details"`       // transaction_id is given and lists are terse
	BalanceAfter            bool                        `json:"balance_after"`             // balance_after_transaction is given
	Codes                   string                      `json:"codes"`                     // bank_transaction_code: iso (default), words or none
	NoMerchantCategory      bool                        `json:"no_merchant_category"`      //
	OwnParty                bool                        `json:"own_party"`                 // both sides of a transaction are named
	Addresses               bool                        `json:"addresses"`                 // counterparties have postal addresses
	Balances                []openbanking.BalanceStatus `json:"balances"`                  // default CLBD, ITAV
	AvailableIncludesLimit  bool                        `json:"available_includes_limit"`  //
	NoHolderDetails         bool                        `json:"no_holder_details"`         // accounts without address, age and servicer
	PaymentPaths            map[string]string           `json:"payment_paths"`             // by payment type: how payments go
}

// userData is a customer of a bank.
type userData struct {
	Username string              `json:"username"`
	Password string              `json:"password"`
	OTP      string              `json:"otp"`
	PSUType  openbanking.PSUType `json:"psu_type"` // default personal
	Name     string              `json:"name"`
	Minor    bool                `json:"minor"`
	Street   string              `json:"street"` // with number
	PostCode string              `json:"post_code"`
	Town     string              `json:"town"`
	Accounts []string            `json:"accounts"` // ids; an account of two users is a joint one

	Scenarios []string `json:"scenarios"` // scenarios that this user meets, by name
}

// accountData is an account of a bank. Amounts are decimals in its currency.
type accountData struct {
	ID             string                      `json:"id"`
	Type           openbanking.CashAccountType `json:"type"`
	Currency       string                      `json:"currency"`
	Product        string                      `json:"product"`
	Details        string                      `json:"details"`
	IBANOf         string                      `json:"iban_of"` // the account whose IBAN this one shares
	Opened         openbanking.Date            `json:"opened"`
	OpeningBalance string                      `json:"opening_balance"`
	CreditLimit    string                      `json:"credit_limit"`
	Income         string                      `json:"income"`    // a month: salary, or turnover of a business
	Rent           string                      `json:"rent"`      // a month
	Monthly        string                      `json:"monthly"`   // the payment of each of funded_by; for a card: the spending
	FundedBy       []string                    `json:"funded_by"` // ids
	Interest       int                         `json:"interest"`  // a year, in hundredths of a per cent
	Blocked        bool                        `json:"blocked"`
	Transactions   int                         `json:"transactions"` // number of rows, calculated on request; nothing else happens on the account
}

var (
	countryPattern = regexp.MustCompile(`^[A-Z]{2}$`)
	colourPattern  = regexp.MustCompile(`^#[0-9a-f]{6}$`)
	idPattern      = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)
)

// builtIn returns the built-in catalogue, which is parsed once. Callers must not change it.
var builtIn = sync.OnceValues(func() ([]bankData, error) { return decodeCatalogue(builtInCatalogue) })

// decodeCatalogue parses a catalogue strictly: unknown and duplicate names, wrong types and impossible values are mistakes. The error lists every mistake
// with its place, one per line.
func decodeCatalogue(data []byte) ([]bankData, error) {
	if len(data) > maxCatalogueBytes {
		return nil, fmt.Errorf("the file is larger than %d MiB", maxCatalogueBytes>>20)
	}
	var file struct { // docs/sandbox.md documents it for operators
		Banks []jsontext.Value `json:"banks"`
	}
	strict := json.RejectUnknownMembers(true)
	if err := json.Unmarshal(data, &file, strict); err != nil {
		return nil, errors.New(explain(data, "", err))
	}
	var banks []bankData
	p := &problems{}
	seen := map[openbanking.ASPSP]int{}
	for i, raw := range file.Banks {
		place := fmt.Sprintf("banks[%d]", i)
		var b bankData
		if err := json.Unmarshal(raw, &b, strict); err != nil {
			p.lines = append(p.lines, explain(raw, place, err))
			continue
		}
		if b.Name != "" {
			place = fmt.Sprintf("%s (%s)", place, b.Name)
		}
		b.check(p.at(place))
		key := openbanking.ASPSP{Name: slug(b.Name), Country: b.Country}
		if first, doubled := seen[key]; doubled {
			p.at(place).add("name", "is the same as of banks[%d] in this country, or gives the same address", first)
		}
		seen[key] = i
		banks = append(banks, b)
	}
	if len(file.Banks) == 0 {
		p.lines = append(p.lines, "banks: there is none; list at least one bank")
	}
	if len(p.lines) > 0 {
		return nil, errors.New(strings.Join(p.lines, "\n"))
	}
	return banks, nil
}

// explain describes an error of the decoder in words.
func explain(data []byte, place string, err error) string {
	var semantic *json.SemanticError
	var syntactic *jsontext.SyntacticError
	at := func(pointer jsontext.Pointer) string {
		for token := range pointer.Tokens() {
			switch {
			case token != "" && strings.Trim(token, "0123456789") == "":
				place += "[" + token + "]"
			case place == "":
				place = token
			default:
				place += "." + token
			}
		}
		if place == "" {
			return "the file"
		}
		return place
	}
	switch {
	case errors.As(err, &semantic):
		switch {
		case errors.Is(err, json.ErrUnknownName):
			return at(semantic.JSONPointer) + ": there is no such name in this format"
		case semantic.GoType != nil && semantic.JSONKind != 0:
			return fmt.Sprintf("%s: %s where %s belongs", at(semantic.JSONPointer), kindWords[semantic.JSONKind], goWords(semantic.GoType.Kind().String()))
		}
		return at(semantic.JSONPointer) + ": cannot be read"
	case errors.As(err, &syntactic):
		line := 1 + strings.Count(string(data[:min(int(syntactic.ByteOffset), len(data))]), "\n")
		if errors.Is(err, jsontext.ErrDuplicateName) {
			return fmt.Sprintf("%s (line %d): the name is there twice", at(syntactic.JSONPointer), line)
		}
		return fmt.Sprintf("%s (line %d): this is not valid JSON: %v", at(syntactic.JSONPointer), line, syntactic.Err)
	}
	return at("") + ": cannot be read: " + err.Error()
}

var kindWords = map[jsontext.Kind]string{
	'n': "null", 'f': "false", 't': "true", '"': "a text", '0': "a number", '{': "an object", '[': "a list",
}

func goWords(kind string) string {
	switch kind {
	case "string":
		return "a text"
	case "bool":
		return "true or false"
	case "slice":
		return "a list"
	case "struct":
		return "an object"
	}
	return "a whole number"
}

// problems collects mistakes under a place.
type problems struct {
	place string
	lines []string
	root  *problems
}

func (p *problems) at(place string) *problems {
	root := p
	if p.root != nil {
		root = p.root
	}
	if p.place != "" {
		place = p.place + "." + place
	}
	return &problems{place: place, root: root}
}

func (p *problems) add(field, format string, args ...any) {
	p.root.lines = append(p.root.lines, fmt.Sprintf("%s.%s: %s", p.place, field, fmt.Sprintf(format, args...)))
}

// check fills in defaults and reports mistakes.
func (b *bankData) check(p *problems) {
	if strings.TrimSpace(b.Name) != b.Name || slug(b.Name) == "" {
		p.add("name", "must be a name with at least one letter or digit, without spaces around it")
	}
	if !countryPattern.MatchString(b.Country) {
		p.add("country", "%q is no country code; use two capital letters such as DE", b.Country)
	}
	if b.BIC != "" {
		if bic, err := iban.ParseBIC(b.BIC); err != nil {
			p.add("bic", "%v", err)
		} else if bic.String() != b.BIC {
			p.add("bic", "must be written in capital letters without spaces")
		}
	}
	if b.Colour == "" {
		b.Colour = "#3d5a80"
	}
	if !colourPattern.MatchString(b.Colour) {
		p.add("colour", "%q is no colour; use # and six small hexadecimal digits such as #1a4d8f", b.Colour)
	}
	if words := codeProblem(b.Country, b.BankCode); words != "" {
		p.add("bank_code", "%s", words)
	}
	if b.MaximumConsentValidity == 0 {
		b.MaximumConsentValidity = defaultValidity
	}
	if b.MaximumConsentValidity < 300 || b.MaximumConsentValidity > 366*86400 {
		p.add("maximum_consent_validity", "must be 300 to %d seconds", 366*86400)
	}
	if b.MinimumConsentValidity < 0 || b.MinimumConsentValidity > b.MaximumConsentValidity {
		p.add("minimum_consent_validity", "must be 0 to maximum_consent_validity, in seconds")
	}
	for i, h := range b.RequiredPSUHeaders {
		if !slices.Contains(psuHeaders, h) {
			p.add(fmt.Sprintf("required_psu_headers[%d]", i), "%q is no PSU header; there are %s", h, strings.Join(psuHeaders, ", "))
		}
	}
	if b.PageSize == 0 {
		b.PageSize = defaultPageSize
	}
	if b.PageSize < 1 || b.PageSize > maxPageSize {
		p.add("page_size", "must be 1 to %d", maxPageSize)
	}
	if b.Access == "" {
		b.Access = accessChoice
	}
	if !slices.Contains([]string{accessChoice, accessAll, accessList}, b.Access) {
		p.add("access", "%q is none of %s, %s, %s", b.Access, accessChoice, accessAll, accessList)
	}
	b.checkScenarios(p, b.Scenarios, b.Accounts)
	b.Habits.check(p.at("habits"))
	b.checkAccounts(p)
	b.checkUsers(p)
	b.checkMethods(p)
	b.checkPayments(p)
}

// What a consent covers when it names no account (spec: Access).
const (
	accessChoice = "choice" // the accounts that the user chooses
	accessAll    = "all"    // every account
	accessList   = "list"   // the list of accounts, without balances and transactions
)

// checkScenarios checks the names of scenarios that apply to some accounts.
func (b *bankData) checkScenarios(p *problems, names []string, accounts []accountData) {
	for i, name := range names {
		if _, ok := scenarioNamed(name); !ok {
			p.add(fmt.Sprintf("scenarios[%d]", i), "%q is no scenario", name)
		}
	}
	if len(names) > 0 && slices.ContainsFunc(accounts, func(a accountData) bool { return a.Transactions > 0 }) {
		p.add("scenarios", "an account with transactions made on the fly has none")
	}
}

// psuHeaders are the headers of the specification (spec: PSU headers).
var psuHeaders = []string{"Psu-Ip-Address", "Psu-User-Agent", "Psu-Referer", "Psu-Accept", "Psu-Accept-Charset", "Psu-Accept-Encoding",
	"Psu-Accept-language", "Psu-Geo-Location"}

func (h *habits) check(p *problems) {
	oneOf := func(field string, value *string, values ...string) {
		if *value == "" {
			*value = values[0]
		}
		if !slices.Contains(values, *value) {
			p.add(field, "%q is none of %s", *value, strings.Join(values, ", "))
		}
	}
	oneOf("references", &h.References, "serial", "uuid", "letters", "none")
	oneOf("codes", &h.Codes, "iso", "words", "none")
	if h.Balances == nil {
		h.Balances = []openbanking.BalanceStatus{openbanking.BalanceStatusCLBD, openbanking.BalanceStatusITAV}
	}
	for i, b := range h.Balances {
		if !openbanking.Known(b) {
			p.add(fmt.Sprintf("balances[%d]", i), "%q is no type of balance", b)
		}
	}
}

func checkEach[E openbanking.Enum[E]](p *problems, field string, values []E) {
	for i, v := range values {
		if !openbanking.Known(v) {
			p.add(fmt.Sprintf("%s[%d]", field, i), "%q is no such value", v)
		}
	}
}

func currencyKnown(code string) bool {
	_, ok := money.Exponent(code)
	return ok
}

func (b *bankData) checkAccounts(p *problems) {
	byID := map[string]int{}
	for i := range b.Accounts {
		a := &b.Accounts[i]
		p := p.at(fmt.Sprintf("accounts[%d]", i))
		if !idPattern.MatchString(a.ID) {
			p.add("id", "must be 1 to 40 small letters, digits and dashes")
		}
		if _, doubled := byID[a.ID]; doubled {
			p.add("id", "%q is there twice", a.ID)
		}
		if !openbanking.Known(a.Type) {
			p.add("type", "%q is no account type; there are CACC, SVGS, CARD, LOAN, CASH and OTHR", a.Type)
		}
		if a.Currency == "" {
			a.Currency = countryOf(b.Country).Currency
		}
		if !currencyKnown(a.Currency) {
			p.add("currency", "%q is no currency of ISO 4217", a.Currency)
		}
		if a.Opened == "" {
			a.Opened = defaultOpened
		}
		if t, err := a.Opened.Time(); err != nil {
			p.add("opened", "%v", err)
		} else if t.Year() < 2015 || t.Year() > 2050 {
			p.add("opened", "must be in the years 2015 to 2050")
		}
		for _, amount := range []struct{ field, text string }{
			{"opening_balance", a.OpeningBalance}, {"credit_limit", a.CreditLimit}, {"income", a.Income}, {"rent", a.Rent}, {"monthly", a.Monthly},
		} {
			if amount.text == "" {
				continue
			}
			m, err := money.Parse(amount.text, a.Currency)
			switch limit := int64(1_000_000_000_00); {
			case err != nil:
				p.add(amount.field, "%q is no amount of %s", amount.text, a.Currency)
			case m.Minor() > limit || m.Minor() < -limit:
				p.add(amount.field, "is too large")
			case m.Sign() < 0 && amount.field != "opening_balance":
				p.add(amount.field, "must not be negative")
			}
		}
		if a.Interest < 0 || a.Interest > 5000 {
			p.add("interest", "must be 0 to 5000 hundredths of a per cent")
		}
		if a.Transactions < 0 || a.Transactions > maxTransactions {
			p.add("transactions", "must be 0 to %d", maxTransactions)
		}
		// Only earlier accounts can be referred to, so that there are no cycles.
		if at, ok := byID[a.IBANOf]; a.IBANOf != "" && (!ok || b.Accounts[at].IBANOf != "") {
			p.add("iban_of", "%q is no account further up in the list that has an IBAN of its own", a.IBANOf)
		}
		for j, id := range a.FundedBy {
			if at, ok := byID[id]; !ok {
				p.add(fmt.Sprintf("funded_by[%d]", j), "%q is no account further up in the list", id)
			} else if b.Accounts[at].Opened > a.Opened {
				p.add("opened", "must not be before %q was opened, which funds this account", id)
			} else if b.Accounts[at].Transactions > 0 || a.Transactions > 0 {
				p.add(fmt.Sprintf("funded_by[%d]", j), "an account with transactions made on the fly has no transfers")
			}
		}
		byID[a.ID] = i
	}
}

func (b *bankData) checkUsers(p *problems) {
	held := map[string]bool{}
	names := map[string]bool{}
	for i := range b.Users {
		u := &b.Users[i]
		p := p.at(fmt.Sprintf("users[%d]", i))
		if u.PSUType == "" {
			u.PSUType = openbanking.PSUTypePersonal
		}
		if !openbanking.Known(u.PSUType) {
			p.add("psu_type", "%q is neither personal nor business", u.PSUType)
		}
		if u.Username == "" || u.Password == "" && !b.NoCredentials {
			p.add("username", "a user needs username and password")
		}
		if names[u.Username] {
			p.add("username", "%q is there twice", u.Username)
		}
		names[u.Username] = true
		if u.Name == "" {
			p.add("name", "a user needs a name: the holder of the accounts")
		}
		if len(u.Accounts) == 0 {
			p.add("accounts", "a user needs at least one account")
		}
		for j, id := range u.Accounts {
			if !slices.ContainsFunc(b.Accounts, func(a accountData) bool { return a.ID == id }) {
				p.add(fmt.Sprintf("accounts[%d]", j), "%q is no account of this bank", id)
			}
			if slices.Contains(u.Accounts[:j], id) {
				p.add(fmt.Sprintf("accounts[%d]", j), "%q is there twice", id)
			}
			held[id] = true
		}
		b.checkScenarios(p, u.Scenarios, slices.DeleteFunc(slices.Clone(b.Accounts), func(a accountData) bool { return !slices.Contains(u.Accounts, a.ID) }))
	}
	if len(b.Users) == 0 {
		p.add("users", "a bank needs at least one user")
	}
	for i, a := range b.Accounts {
		if !held[a.ID] {
			p.add(fmt.Sprintf("accounts[%d]", i), "no user has the account %q", a.ID)
		}
	}
}

// merge returns banks with those of more. A bank with the same name and country is replaced.
func merge(banks, more []bankData) []bankData {
	merged := slices.Clone(banks)
	for _, b := range more {
		i := slices.IndexFunc(merged, func(o bankData) bool { return o.Name == b.Name && o.Country == b.Country })
		if i < 0 {
			merged = append(merged, b)
		} else {
			merged[i] = b
		}
	}
	return merged
}

// withMocks adds the Mock ASPSP to every country that has banks, unless one of them has that name.
func withMocks(banks []bankData) []bankData {
	all := slices.Clone(banks)
	has := map[string]bool{}
	for _, b := range banks {
		if b.Name == MockName {
			has[b.Country] = true
		}
	}
	for _, b := range banks {
		if !has[b.Country] {
			has[b.Country] = true
			all = append(all, mockBank(b.Country))
		}
	}
	return all
}

// mockBank returns the Mock ASPSP of a country (api-notes 9): one click approves, and pages have ten rows (api-notes 7).
func mockBank(country string) bankData {
	c := countryOf(country)
	b := bankData{
		Name: MockName, Country: country, Colour: "#5b5b66", BankCode: c.MockCode, NoCredentials: true, PageSize: 10,
		Habits: habits{TransactionDetails: true, BalanceAfter: true, Addresses: true},
		Users: []userData{
			{Username: "personal", Name: c.People[0], Street: c.Streets[0] + " 1", PostCode: c.PostCode, Town: c.Town, Accounts: []string{"current", "savings", "card"}},
			{Username: "business", PSUType: openbanking.PSUTypeBusiness, Name: c.Company, Street: c.Streets[1] + " 7", PostCode: c.PostCode, Town: c.Town,
				Accounts: []string{"business"}},
		},
		Accounts: []accountData{
			{ID: "current", Type: openbanking.CashAccountTypeCACC, Product: "Mock Current", Income: c.amount(2900), Rent: c.amount(880),
				OpeningBalance: c.amount(1900), CreditLimit: c.amount(1000)},
			{ID: "savings", Type: openbanking.CashAccountTypeSVGS, Product: "Mock Savings", FundedBy: []string{"current"}, Monthly: c.amount(200),
				OpeningBalance: c.amount(5200), Interest: 175},
			{ID: "card", Type: openbanking.CashAccountTypeCARD, Product: "Mock Card", FundedBy: []string{"current"}, Monthly: c.amount(350),
				CreditLimit: c.amount(2500)},
			{ID: "business", Type: openbanking.CashAccountTypeCACC, Product: "Mock Business", Income: c.amount(21000), Rent: c.amount(1600),
				OpeningBalance: c.amount(14500)},
		},
	}
	b.Payments = mockPayments(c)
	p := &problems{}
	b.check(p.at("mock"))
	if len(p.lines) > 0 {
		panic("sandbox: " + strings.Join(p.lines, "; ")) // cannot happen: a test checks the bank of every country
	}
	return b
}
