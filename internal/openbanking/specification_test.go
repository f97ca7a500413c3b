package openbanking_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	ob "florin/internal/openbanking"
	"florin/internal/specification"
)

type field = specification.Field

func readJSON(t *testing.T, name string, v any) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d := json.NewDecoder(f)
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// structures are all structures of the package.
var structures = byName(
	ob.Access{}, ob.AccountIdentification{}, ob.AccountResource{}, ob.AmountType{}, ob.Application{}, ob.ASPSP{}, ob.ASPSPData{},
	ob.ASPSPGroup{}, ob.ASPSPsResponse{}, ob.AuthMethod{}, ob.AuthorizeSessionRequest{}, ob.AuthorizeSessionResponse{},
	ob.BalanceResource{}, ob.BankTransactionCode{}, ob.Beneficiary{}, ob.ClearingSystemMemberIdentification{}, ob.ContactDetails{},
	ob.CreatePaymentRequest{}, ob.CreatePaymentResponse{}, ob.Credential{}, ob.CreditTransferTransaction{},
	ob.CreditTransferTransactionDetails{}, ob.ErrorResponse{}, ob.ExchangeRate{}, ob.FinancialInstitutionIdentification{},
	ob.GenericIdentification{}, ob.HalBalances{}, ob.HalTransactions{}, ob.PartyIdentification{}, ob.Payment{},
	ob.PaymentIdentification{}, ob.PaymentRequestResource{}, ob.PaymentRequestResourceDetails{}, ob.PaymentStatusWebhook{},
	ob.PaymentTransaction{}, ob.PaymentTypeInformation{}, ob.PostalAddress{}, ob.RegisterApplicationRequest{},
	ob.RegisterApplicationResponse{}, ob.RegulatoryAuthority{}, ob.RegulatoryReporting{}, ob.RegulatoryReportingCode{},
	ob.RegulatoryReportingDetails{}, ob.RemittanceInformationLineInfo{}, ob.ResponsePaymentType{}, ob.SandboxInfo{}, ob.SandboxUser{},
	ob.Session{}, ob.SessionAccount{}, ob.StartAuthorizationRequest{}, ob.StartAuthorizationResponse{}, ob.StatusReasonInformation{},
	ob.SuccessResponse{}, ob.Transaction{},
)

// enumerations are all enumerations of the package.
var enumerations = byName(
	ob.AddressType(""), ob.AuthenticationApproach(""), ob.BalanceStatus(""), ob.CashAccountType(""), ob.CategoryPurposeCode(""),
	ob.ChargeBearerCode(""), ob.CreditDebitIndicator(""), ob.Environment(""), ob.ErrorCode(""), ob.ExecutionRule(""), ob.FrequencyCode(""),
	ob.PaymentAuthStatus(""), ob.PaymentStatus(""), ob.PaymentType(""), ob.PriorityCode(""), ob.PSUType(""), ob.PurposeCode(""),
	ob.RateType(""), ob.ReferenceNumberScheme(""), ob.SchemeName(""), ob.Service(""), ob.ServiceLevelCode(""), ob.SessionStatus(""),
	ob.TransactionsFetchStrategy(""), ob.TransactionStatus(""), ob.Usage(""),
)

// otherTypes are the types that stand in no table, with the reason.
var otherTypes = map[string]string{
	"Date":               "string(date)",
	"DateTime":           "string(date-time)",
	"List":               "a required array",
	"Enum":               "what the enumerations have in common",
	"Error":              "an answer that is no success, as a Go error",
	"TransactionsQuery":  "the parameters of GET /accounts/{account_id}/transactions",
	"TransactionsPage":   "HalTransactions with each transaction also as it was received",
	"PaymentInformation": "what PaymentRequestResource and its read-back have in common; embedded, so it does not show",
}

// renamed are the structures with a shorter name than in the specification.
var renamed = map[string]string{
	"GetApplicationResponse":        "Application",
	"GetAspspsResponse":             "ASPSPsResponse",
	"GetSessionResponse":            "Session",
	"GetPaymentResponse":            "Payment",
	"GetPaymentTransactionResponse": "PaymentTransaction",
}

// requestBodies leave out what is absent, instead of writing null.
var requestBodies = []string{"RegisterApplicationRequest", "StartAuthorizationRequest", "AuthorizeSessionRequest", "CreatePaymentRequest"}

// exceptions are the fields that differ from their table, with the reason.
var exceptions = map[string]struct{ goType, tag, reason string }{
	"RegisterApplicationRequest.environment":   {"openbanking.Environment", "environment", "a string in the table, whose notes name the enumeration"},
	"PaymentStatusWebhook.payment_auth_status": {"*openbanking.PaymentAuthStatus", "payment_auth_status", "a string in the table, whose notes name the values"},
	"ErrorResponse.code":                       {"int", "code", "optional, but always sent (api-notes 1); zero when absent"},
	"ErrorResponse.error":                      {"*openbanking.ErrorCode", "error,omitempty", "left out, not null, when there is no code (api-notes 1)"},
}

func byName(values ...any) map[string]reflect.Type {
	types := make(map[string]reflect.Type)
	for _, v := range values {
		types[reflect.TypeOf(v).Name()] = reflect.TypeOf(v)
	}
	return types
}

// goType is the Go type for a type of the specification.
func goType(specType string, required bool) string {
	element, array := strings.CutPrefix(specType, "[")
	element = strings.TrimSuffix(element, "]")
	kind, _, _ := strings.Cut(element, "(")
	name, path := kind, kind
	switch {
	case element == "string(date)":
		name, path = "openbanking.Date", "florin/internal/openbanking.Date"
	case element == "string(date-time)":
		name, path = "openbanking.DateTime", "florin/internal/openbanking.DateTime"
	case kind == "string":
	case kind == "boolean":
		name = "bool"
	case kind == "integer":
		name = "int"
	case kind == "object":
		return "map[string]string"
	case kind == "any":
		return "json.RawMessage"
	default:
		name, path = "openbanking."+kind, "florin/internal/openbanking."+kind
	}
	switch {
	case array && required:
		return "openbanking.List[" + path + "]"
	case array:
		return "[]" + name
	case required:
		return name
	}
	return "*" + name
}

// compare returns what differs between a table of fields and a structure, as one line each. It marks the
// exceptions that it used.
func compare(name string, table []field, structure reflect.Type, used map[string]bool) []string {
	var differences []string
	report := func(format string, args ...any) {
		differences = append(differences, name+"."+fmt.Sprintf(format, args...))
	}
	inGo := make(map[string]reflect.StructField)
	for _, f := range reflect.VisibleFields(structure) {
		if f.Anonymous {
			continue
		}
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if _, twice := inGo[key]; key == "" || key == "-" || twice && len(f.Index) == 1 {
			report("%s: its JSON name %q is missing or used twice", f.Name, key)
		}
		if before, ok := inGo[key]; !ok || len(f.Index) < len(before.Index) {
			inGo[key] = f
		}
	}
	for _, want := range table {
		f, ok := inGo[want.Name]
		if !ok {
			report("%s: missing", want.Name)
			continue
		}
		delete(inGo, want.Name)
		required := want.Required == "yes"
		wantType, wantTag := goType(want.Type, required), want.Name
		if !required && slices.Contains(requestBodies, name) {
			wantTag += ",omitempty"
		}
		if e, ok := exceptions[name+"."+want.Name]; ok {
			used[name+"."+want.Name] = true
			wantType, wantTag = e.goType, e.tag
		}
		if f.Type.String() != wantType {
			report("%s: is %s, must be %s (%s, required: %s)", want.Name, f.Type, wantType, want.Type, want.Required)
		}
		if tag := f.Tag.Get("json"); tag != wantTag {
			report("%s: its tag is %q, must be %q", want.Name, tag, wantTag)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(inGo)) {
		report("%s: not in the specification", key)
	}
	return differences
}

// spec: Resources and their fields.
func TestStructuresAreThoseOfTheSpecification(t *testing.T) {
	s := specification.Read()
	seen, used := make(map[string]bool), make(map[string]bool)
	fields := 0
	for _, table := range s.Structures {
		name := table.Name
		if shorter, ok := renamed[name]; ok {
			name = shorter
		}
		seen[name] = true
		structure, ok := structures[name]
		if !ok {
			t.Errorf("%s: missing", name)
			continue
		}
		for _, line := range compare(name, table.Fields, structure, used) {
			t.Error(line)
		}
		fields += len(table.Fields)
	}
	for name := range structures {
		if !seen[name] {
			t.Errorf("%s: not in the specification", name)
		}
	}
	for name, e := range exceptions {
		if !used[name] || e.reason == "" {
			t.Errorf("exception %s: not needed, or without a reason", name)
		}
	}
	if len(s.Structures) != 54 || fields != 303 {
		t.Errorf("%d structures with %d fields were compared; the specification has 54 with 303", len(s.Structures), fields)
	}
}

// The comparison itself notices every kind of difference.
func TestCompareNoticesDifferences(t *testing.T) {
	table := []field{
		{Name: "name", Type: "string", Required: "yes"},
		{Name: "note", Type: "string", Required: "no"},
		{Name: "usage", Type: "Usage", Required: "no"},
		{Name: "hashes", Type: "[string]", Required: "yes"},
		{Name: "lines", Type: "[string]", Required: "no"},
	}
	type right struct {
		Name   string          `json:"name"`
		Note   *string         `json:"note"`
		Usage  *ob.Usage       `json:"usage"`
		Hashes ob.List[string] `json:"hashes"`
		Lines  []string        `json:"lines"`
	}
	type missing struct {
		Name   string          `json:"name"`
		Usage  *ob.Usage       `json:"usage"`
		Hashes ob.List[string] `json:"hashes"`
		Lines  []string        `json:"lines"`
	}
	type optionality struct {
		Name   *string         `json:"name"`
		Note   string          `json:"note"`
		Usage  ob.Usage        `json:"usage"`
		Hashes []string        `json:"hashes"`
		Lines  ob.List[string] `json:"lines"`
	}
	type other struct {
		right
		Usage  *ob.RateType `json:"usage,omitempty"`
		Length int          `json:"length"`
	}
	tests := []struct {
		structure any
		want      []string
	}{
		{right{}, nil},
		{missing{}, []string{"T.note: missing"}},
		{optionality{}, []string{
			"T.name: is *string, must be string (string, required: yes)",
			"T.note: is string, must be *string (string, required: no)",
			"T.usage: is openbanking.Usage, must be *openbanking.Usage (Usage, required: no)",
			"T.hashes: is []string, must be openbanking.List[string] ([string], required: yes)",
			"T.lines: is openbanking.List[string], must be []string ([string], required: no)",
		}},
		{other{}, []string{
			"T.usage: is *openbanking.RateType, must be *openbanking.Usage (Usage, required: no)",
			`T.usage: its tag is "usage,omitempty", must be "usage"`,
			"T.length: not in the specification",
		}},
	}
	for _, tt := range tests {
		structure := reflect.TypeOf(tt.structure)
		if got := compare("T", table, structure, nil); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", structure, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
		}
	}
}

// values calls the method Values of an enumeration.
func values(enumeration reflect.Type) []string {
	result := reflect.Zero(enumeration).MethodByName("Values").Call(nil)[0]
	list := make([]string, result.Len())
	for i := range list {
		list[i] = result.Index(i).String()
	}
	return list
}

// spec: Enumerations, and spec: Errors for ErrorCode.
func TestEnumerationsAreThoseOfTheSpecification(t *testing.T) {
	s := specification.Read()
	wanted := map[string][]string{"ErrorCode": slices.Sorted(maps.Keys(s.ErrorCodes))}
	for _, e := range s.Enumerations {
		wanted[e.Name] = e.Values
	}
	for name, want := range wanted {
		enumeration, ok := enumerations[name]
		if !ok {
			t.Errorf("%s: missing", name)
			continue
		}
		if got := values(enumeration); !slices.Equal(got, want) {
			t.Errorf("%s has\n%s\nbut the specification\n%s", name, got, want)
		}
	}
	for name := range enumerations {
		if _, ok := wanted[name]; !ok {
			t.Errorf("%s: not in the specification", name)
		}
	}
	if len(wanted) != 26 || len(s.ErrorCodes) != 40 {
		t.Errorf("%d enumerations and %d error codes were compared; the specification has 26 and 40", len(wanted), len(s.ErrorCodes))
	}
}

// spec: Session status, Payment status, What the service does: the tables of meanings name the same values.
func TestMeaningsNameTheSameValues(t *testing.T) {
	s := specification.Read()
	for name, meanings := range s.Meanings {
		var want []string
		for _, e := range s.Enumerations {
			if e.Name == name {
				want = slices.Sorted(slices.Values(e.Values))
			}
		}
		if got := slices.Sorted(maps.Keys(meanings)); !slices.Equal(got, want) {
			t.Errorf("%s: %s against %s", name, got, want)
		}
	}
	if len(s.Meanings) != 3 {
		t.Errorf("%d tables of meanings; the specification has 3", len(s.Meanings))
	}
}

// spec: GET transactions, GET /aspsps, redirects: parameters have no structure here, but their types exist.
func TestParametersHaveKnownTypes(t *testing.T) {
	s := specification.Read()
	for _, table := range s.Parameters {
		for _, f := range table.Fields {
			if kind, _, _ := strings.Cut(f.Type, "("); kind != "string" && enumerations[f.Type] == nil {
				t.Errorf("%s: %s has the unknown type %s", table.Name, f.Name, f.Type)
			}
		}
	}
	if len(s.Parameters) != 3 {
		t.Errorf("%d lists of parameters; the specification has 3", len(s.Parameters))
	}
}

// Every exported type of the package was compared, and no constant of an enumeration is left out of its Values.
func TestNothingElseIsExported(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	constants := make(map[string][]string)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			general, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range general.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					known := structures[spec.Name.Name] != nil || enumerations[spec.Name.Name] != nil || otherTypes[spec.Name.Name] != ""
					if spec.Name.IsExported() && !known {
						t.Errorf("%s: the type %s is in no table of the specification", name, spec.Name)
					}
				case *ast.ValueSpec:
					kind, ok := spec.Type.(*ast.Ident)
					if general.Tok != token.CONST || !ok {
						continue
					}
					text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
					if err != nil {
						t.Fatal(err)
					}
					constants[kind.Name] = append(constants[kind.Name], text)
				}
			}
		}
	}
	for name, enumeration := range enumerations {
		if want := values(enumeration); !slices.Equal(constants[name], want) {
			t.Errorf("%s has the constants\n%s\nbut the values\n%s", name, constants[name], want)
		}
	}
}

// spec: Errors, api-notes 1: the status and message of every code.
func TestErrorCodesHaveStatusAndMessage(t *testing.T) {
	s := specification.Read()
	var table map[string]struct {
		Status  int
		Message string // the meaning of the code, as a sentence, when nothing was observed
	}
	readJSON(t, "errors.json", &table)
	for _, code := range ob.ErrorCode("").Values() {
		want, ok := table[string(code)]
		if !ok {
			t.Errorf("%s: in no row of api-notes 1", code)
			continue
		}
		if want.Message == "" {
			want.Message = sentence(s.ErrorCodes[string(code)])
		}
		if code.Status() != want.Status || code.Message() != want.Message {
			t.Errorf("%s: %d %q, want %d %q", code, code.Status(), code.Message(), want.Status, want.Message)
		}
		if s.Statuses[code.Status()] == "" {
			t.Errorf("%s: the specification has no status %d", code, code.Status())
		}
	}
	if len(table) != len(s.ErrorCodes) {
		t.Errorf("%d rows for %d codes", len(table), len(s.ErrorCodes))
	}
	for status, text := range s.Statuses {
		if http.StatusText(status) != text {
			t.Errorf("status %d is %q, want %q", status, http.StatusText(status), text)
		}
	}
}

// sentence raises the first letter, except of the name of a parameter.
func sentence(meaning string) string {
	if first, _, _ := strings.Cut(meaning, " "); strings.Contains(first, "_") {
		return meaning
	}
	return strings.ToUpper(meaning[:1]) + meaning[1:]
}
