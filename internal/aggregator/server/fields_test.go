package server_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"florin/internal/aggregator/sandbox"
	"florin/internal/contract/walk"
	"florin/internal/countries"
	"florin/internal/iban"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/specification"
	"florin/internal/testkit"
)

// seen notes which fields of the specification's structures have a value somewhere, as "Structure.field", and which values
// of enumerations occur, as "Enumeration=VALUE".
type seen map[string]bool

// note goes through a value of a structure.
func (s seen) note(structure string, value any) {
	table := specification.Find(specification.Read().Structures, structure)
	object, ok := value.(map[string]any)
	if table == nil || !ok {
		return
	}
	for _, f := range table.Fields {
		got := object[f.Name]
		if list, ok := got.([]any); got == nil || ok && len(list) == 0 {
			continue
		}
		s[structure+"."+f.Name] = true
		kind := strings.Trim(f.Type, "[]")
		each, ok := got.([]any)
		if !ok {
			each = []any{got}
		}
		for _, item := range each {
			if text, ok := item.(string); ok {
				s[kind+"="+text] = true
			}
			s.note(kind, item)
		}
	}
}

// formats are the standards that texts of these fields follow.
var formats = map[[2]string]struct { // by structure and field
	standard string
	follows  func(text string) bool
}{
	{"AccountIdentification", "iban"}:                {"ISO 13616", func(text string) bool { _, err := iban.Parse(text); return err == nil }},
	{"FinancialInstitutionIdentification", "bic_fi"}: {"ISO 9362", isBIC},
	{"ASPSPData", "bic"}:                             {"ISO 9362", isBIC},
	{"ASPSP", "country"}:                             {"ISO 3166", isCountry},
	{"ASPSPData", "country"}:                         {"ISO 3166", isCountry},
	{"PostalAddress", "country"}:                     {"ISO 3166", isCountry},
	{"RegulatoryAuthority", "country"}:               {"ISO 3166", isCountry},
	{"AmountType", "currency"}:                       {"ISO 4217", isCurrency},
	{"AccountResource", "currency"}:                  {"ISO 4217", isCurrency},
	{"ExchangeRate", "unit_currency"}:                {"ISO 4217", isCurrency},
	{"Beneficiary", "creditor_currency"}:             {"ISO 4217", isCurrency},
	{"ResponsePaymentType", "currencies"}:            {"ISO 4217", isCurrency},
	{"Transaction", "merchant_category_code"}:        {"ISO 18245", regexp.MustCompile(`^\d{4}$`).MatchString},
	{"AmountType", "amount"}:                         {"a decimal with a dot", regexp.MustCompile(`^-?\d+(\.\d+)?$`).MatchString},
	{"ExchangeRate", "exchange_rate"}:                {"a decimal with a dot", regexp.MustCompile(`^\d+(\.\d+)?$`).MatchString},
}

func isBIC(text string) bool { _, err := iban.ParseBIC(text); return err == nil }

func isCountry(text string) bool { return slices.Contains(countries.Codes(), text) }

// isCurrency is also true of XXX, which says that there is none.
func isCurrency(text string) bool { _, ok := money.Exponent(text); return ok || text == "XXX" }

// malformed are the fields within a value of a structure whose texts do not follow their standard.
func malformed(structure string, value any) (problems []string) {
	table := specification.Find(specification.Read().Structures, structure)
	object, ok := value.(map[string]any)
	if table == nil || !ok {
		return nil
	}
	for _, f := range table.Fields {
		each, ok := object[f.Name].([]any)
		if !ok {
			each = []any{object[f.Name]}
		}
		for _, item := range each {
			format, known := formats[[2]string{structure, f.Name}]
			if text, ok := item.(string); ok && known && !format.follows(text) {
				problems = append(problems, fmt.Sprintf("%s.%s %q is not as %s says", structure, f.Name, text, format.standard))
			}
			problems = append(problems, malformed(strings.Trim(f.Type, "[]"), item)...)
		}
	}
	if id, _ := object["identification"].(string); structure == "GenericIdentification" && object["scheme_name"] == "IBAN" {
		if _, err := iban.Parse(id); err != nil {
			problems = append(problems, "an identification by IBAN is not as ISO 13616 says")
		}
	}
	return problems
}

// unseen are the fields of structures, and of those within them, that have a value nowhere.
func unseen(found seen, structures ...string) (fields []string) {
	wanted := map[string]bool{}
	var want func(structure string)
	want = func(structure string) {
		table := specification.Find(specification.Read().Structures, structure)
		if table == nil || wanted[structure] {
			return
		}
		wanted[structure] = true
		for _, f := range table.Fields {
			want(strings.Trim(f.Type, "[]"))
			if name := structure + "." + f.Name; !found[name] {
				fields = append(fields, name)
			}
		}
	}
	for _, structure := range structures {
		want(structure)
	}
	return fields
}

// neverPaid are the values that no simulated bank takes in a payment, with the reason.
var neverPaid = map[string]string{
	"ReferenceNumberScheme=SDDM": "a mandate is of direct debits, which nobody initiates",
}

// spec: Payments. Every field of an answer about payments has a value: what was sent, and what the bank says of it.
func TestEveryFieldOfAPaymentOccurs(t *testing.T) {
	s := run(t, "Ledger", "")
	found := seen{}
	var read map[string]any
	for _, reference := range []bool{false, true} { // instead of a text
		payment := s.everything()
		payment.DebtorAccount = nil // one of the person's, which the bank tells
		if reference {
			payment.CreditTransferTransaction[0].ReferenceNumber, payment.CreditTransferTransaction[0].RemittanceInformation = new("RF18539007547034"), nil
		}
		var created map[string]any
		s.call("POST", "/payments", openbanking.CreatePaymentRequest{
			PaymentType: openbanking.PaymentTypeSEPA, PaymentRequest: payment, ASPSP: paymentBank, State: "the state", RedirectURL: callback,
			PSUType: openbanking.PSUTypePersonal,
		}, &created)
		found.note("CreatePaymentResponse", created)
		id, start := created["payment_id"].(string), created["url"].(string)
		accepted(t, &walk.Page{Left: must[*url.URL](t)(walk.New(nil).Pay(t.Context(), start, payingAnyway("payment-invalid")))})
		s.course(id)
		read = map[string]any{}
		s.call("GET", "/payments/"+id, nil, &read)
		found.note("GetPaymentResponse", read)
		details, _ := read["payment_details"].(map[string]any)
		list, _ := details["credit_transfer_transaction"].([]any)
		one, _ := list[0].(map[string]any)
		transaction := map[string]any{}
		s.call("GET", "/payments/"+id+"/transactions/"+one["transaction_id"].(string), nil, &transaction)
		found.note("GetPaymentTransactionResponse", transaction)
	}
	for _, problem := range malformed("GetPaymentResponse", read) {
		t.Error(problem)
	}
	for _, field := range unseen(found, "CreatePaymentResponse", "GetPaymentResponse", "GetPaymentTransactionResponse") {
		t.Errorf("no answer has %s", field)
	}
}

// Every field that account information knows has a value at some simulated bank, and every enumeration that banks choose
// from has all of its values: a client that is tested here has met them all.
func TestEveryFieldOccurs(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Each)
	s := run(t, "Ledger", "About this application")
	s.at(friday)
	found := seen{}
	call := func(structure, method, path string, body any) map[string]any {
		var value map[string]any
		if status := s.call(method, path, body, &value); status == 200 {
			found.note(structure, value)
			for _, problem := range malformed(structure, value) {
				t.Errorf("%s %s: %s", method, path, problem)
			}
		} else {
			found.note("ErrorResponse", value)
		}
		return value
	}
	call("GetApplicationResponse", "GET", "/application", nil)
	call("GetAspspsResponse", "GET", "/aspsps", nil)
	call("ErrorResponse", "GET", "/aspsps?country=x", nil)

	missing := func() []string {
		fields := unseen(found, "GetApplicationResponse", "GetAspspsResponse", "StartAuthorizationResponse", "AuthorizeSessionResponse", "GetSessionResponse",
			"SuccessResponse",
			"AccountResource", "HalBalances", "HalTransactions", "Transaction", "ErrorResponse")
		for enumeration, values := range map[string][]string{
			"AddressType":            texts(openbanking.AddressType("").Values()),
			"AuthenticationApproach": texts(openbanking.AuthenticationApproach("").Values()),
			"BalanceStatus":          texts(openbanking.BalanceStatus("").Values()),
			"CashAccountType":        texts(openbanking.CashAccountType("").Values()),
			"CreditDebitIndicator":   texts(openbanking.CreditDebitIndicator("").Values()),
			"PSUType":                texts(openbanking.PSUType("").Values()),
			"RateType":               texts(openbanking.RateType("").Values()),
			"ReferenceNumberScheme":  texts(openbanking.ReferenceNumberScheme("").Values()),
			"SchemeName":             texts(openbanking.SchemeName("").Values()),
			"Service":                texts(openbanking.Service("").Values()),
			"TransactionStatus":      texts(openbanking.TransactionStatus("").Values()),
			"Usage":                  texts(openbanking.Usage("").Values()),
		} {
			for _, value := range values {
				if name := enumeration + "=" + value; !found[name] {
					fields = append(fields, name)
				}
			}
		}
		return fields
	}
	started := call("StartAuthorizationResponse", "POST", "/auth", openbanking.StartAuthorizationRequest{
		Access: openbanking.Access{
			ValidUntil: openbanking.DateTime{Time: s.clock.Now().Add(time.Hour)},
			Accounts:   []openbanking.AccountIdentification{{IBAN: s.anyIBAN()}},
		},
		ASPSP: openbanking.ASPSP{Name: "Mock ASPSP", Country: "FI"}, State: "s", RedirectURL: callback,
	})
	back := must[*url.URL](t)(walk.New(nil).Approve(t.Context(), started["url"].(string), walk.Person{}))
	call("AuthorizeSessionResponse", http.MethodPost, "/sessions", openbanking.AuthorizeSessionRequest{Code: back.Query().Get("code")})
	banks, err := sandbox.New(sandbox.Options{BaseURL: s.url, Flows: struct{ sandbox.FlowStore }{}})
	if err != nil {
		t.Fatal(err)
	}
banks:
	for _, bank := range banks.Banks() {
		if bank.Name() == "Mammoth" {
			continue
		}
		for _, psu := range bank.ASPSP().PSUTypes {
			users := bank.SampleUsers(psu)
			if len(users) == 0 {
				users = []sandbox.SampleUser{{}}
			}
			for _, user := range users {
				if slices.Contains([]string{"error-foreign", "slow", "timeout"}, user.Username) {
					continue // errors of the bank's own form, and waiting
				}
				if len(missing()) == 0 {
					break banks
				}
				started := call("StartAuthorizationResponse", "POST", "/auth", openbanking.StartAuthorizationRequest{
					Access: openbanking.Access{ValidUntil: openbanking.DateTime{Time: s.clock.Now().Add(time.Hour)}},
					ASPSP:  bank.ASPSP().Reference(), State: "s", RedirectURL: callback, PSUType: &psu,
				})
				address, _ := started["url"].(string)
				back, err := walk.New(nil).Approve(t.Context(), address, person(user))
				if err != nil || !back.Query().Has("code") {
					continue // some users are there to be refused
				}
				session := call("AuthorizeSessionResponse", http.MethodPost, "/sessions", openbanking.AuthorizeSessionRequest{Code: back.Query().Get("code")})
				id, _ := session["session_id"].(string)
				read := call("GetSessionResponse", "GET", "/sessions/"+id, nil)
				uids, _ := read["accounts"].([]any)
				for _, uid := range uids {
					path := "/accounts/" + uid.(string)
					call("AccountResource", "GET", path+"/details", nil)
					call("HalBalances", "GET", path+"/balances", nil)
					rows := call("HalTransactions", "GET", path+"/transactions?strategy=longest", nil)
					list, _ := rows["transactions"].([]any)
					for _, row := range list {
						if id, ok := row.(map[string]any)["transaction_id"].(string); ok {
							call("Transaction", "GET", path+"/transactions/"+id, nil)
							break
						}
					}
				}
				call("SuccessResponse", "DELETE", "/sessions/"+id, nil)
				call("GetSessionResponse", "GET", "/sessions/"+id, nil)
			}
		}
	}
	if fields := missing(); len(fields) > 0 {
		t.Errorf("at no simulated bank: %s", strings.Join(fields, ", "))
	}
}

// anyIBAN is the one of an account at the Mock ASPSP.
func (s *service) anyIBAN() *string {
	s.t.Helper()
	for _, account := range s.linkAs(openbanking.ASPSP{Name: "Mock ASPSP", Country: "FI"}, walk.Person{}).Accounts {
		if account.AccountID != nil && account.AccountID.IBAN != nil {
			return account.AccountID.IBAN
		}
	}
	s.t.Fatal("no account has an IBAN")
	return nil
}
