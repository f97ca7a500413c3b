package openapi_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"florin/internal/openapi"
	"florin/internal/openbanking"
)

var update = flag.Bool("update", false, "write docs/openapi.yaml")

const file = "../../docs/openapi.yaml"

// described is the service with its default addresses.
var described = openapi.Addresses{BaseURL: "http://localhost:8081", RegistrationURL: "http://localhost:8081", Issuer: "localhost", Audience: "localhost"}

// docs/openapi.yaml is what the program serves at its default addresses.
func TestDocumentation(t *testing.T) {
	want := openapi.New(described).YAML()
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("docs/openapi.yaml is not up to date: run make generate")
	}
}

// load reads the document as others would.
func load(t *testing.T) *openapi3.T {
	t.Helper()
	document, err := openapi3.NewLoader().LoadFromData(openapi.New(described).YAML())
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// The document is OpenAPI 3.1, and every example in it follows its schema.
func TestDocumentIsValid(t *testing.T) {
	document := load(t)
	if err := document.Validate(t.Context(), openapi3.EnableExamplesValidation(), openapi3.EnableSchemaFormatValidation()); err != nil {
		t.Fatal(err)
	}
	if document.OpenAPI != "3.1.0" || len(document.Webhooks) != 1 {
		t.Errorf("version %s, %d webhooks", document.OpenAPI, len(document.Webhooks))
	}
	webhook := document.Webhooks["paymentStatus"].Post.RequestBody.Value.Content["application/json"]
	if err := webhook.Schema.Value.VisitJSON(webhook.Example, openapi3.EnableFormatValidation()); err != nil {
		t.Errorf("the example of the webhook: %v", err)
	}
	ids := map[string]bool{}
	for path, item := range document.Paths.Map() {
		for method, operation := range item.Operations() {
			if ids[operation.OperationID] {
				t.Errorf("%s %s: the id %s is there twice", method, path, operation.OperationID)
			}
			ids[operation.OperationID] = true
			if (operation.RequestBody != nil) != (operation.RequestBody != nil && operation.RequestBody.Value.Content["application/json"].Example != nil) {
				t.Errorf("%s %s: a body without an example", method, path)
			}
		}
	}
	if len(ids) != 15 {
		t.Errorf("%d operations, want 15", len(ids))
	}
}

// messages are the Go types of all bodies: requests, answers and the webhook. The other structures are parts of them.
var messages = map[string]any{
	"StartAuthorizationRequest":     openbanking.StartAuthorizationRequest{},
	"StartAuthorizationResponse":    openbanking.StartAuthorizationResponse{},
	"AuthorizeSessionRequest":       openbanking.AuthorizeSessionRequest{},
	"AuthorizeSessionResponse":      openbanking.AuthorizeSessionResponse{},
	"GetSessionResponse":            openbanking.Session{},
	"SuccessResponse":               openbanking.SuccessResponse{},
	"AccountResource":               openbanking.AccountResource{},
	"HalBalances":                   openbanking.HalBalances{},
	"HalTransactions":               openbanking.HalTransactions{},
	"Transaction":                   openbanking.Transaction{},
	"CreatePaymentRequest":          openbanking.CreatePaymentRequest{},
	"CreatePaymentResponse":         openbanking.CreatePaymentResponse{},
	"GetPaymentResponse":            openbanking.Payment{},
	"GetPaymentTransactionResponse": openbanking.PaymentTransaction{},
	"GetAspspsResponse":             openbanking.ASPSPsResponse{},
	"GetApplicationResponse":        openbanking.Application{},
	"RegisterApplicationRequest":    openbanking.RegisterApplicationRequest{},
	"RegisterApplicationResponse":   openbanking.RegisterApplicationResponse{},
	"PaymentStatusWebhook":          openbanking.PaymentStatusWebhook{},
	"ErrorResponse":                 openbanking.ErrorResponse{},
}

// The schemas and the Go types describe the same JSON. A value with every field that a schema knows comes back from the
// type as it went in, so the type has every field; what the type writes, with every field or only with those it must
// have, follows the schema; and without one of those it does not.
func TestSchemasAreTheTypes(t *testing.T) {
	document := load(t)
	made := map[string]bool{} // schemas of which a value was made
	for _, operation := range openapi.New(described).Operations {
		for _, name := range []string{operation.Request, operation.Response} {
			if name != "" && messages[name] == nil {
				t.Errorf("%s is missing in the table of this test", name)
			}
		}
	}
	for name, message := range messages {
		t.Run(name, func(t *testing.T) {
			schema := document.Components.Schemas[name]
			made[name] = true
			for _, whole := range []bool{true, false} {
				sample := sampleOf(t, schema, whole, made)
				text, err := json.Marshal(sample)
				if err != nil {
					t.Fatal(err)
				}
				if err := schema.Value.VisitJSON(sample, openapi3.EnableFormatValidation()); err != nil {
					t.Fatalf("the sample is wrong: %v", err)
				}
				value := reflect.New(reflect.TypeOf(message))
				d := json.NewDecoder(bytes.NewReader(text))
				d.DisallowUnknownFields()
				if err := d.Decode(value.Interface()); err != nil {
					t.Fatalf("%v: %s", err, text)
				}
				written, err := json.Marshal(value.Interface())
				if err != nil {
					t.Fatal(err)
				}
				var back any
				if err := json.Unmarshal(written, &back); err != nil {
					t.Fatal(err)
				}
				if err := schema.Value.VisitJSON(back, openapi3.EnableFormatValidation()); err != nil {
					t.Errorf("what the type writes does not follow the schema: %v", err)
				}
				if whole && !reflect.DeepEqual(back, sample) {
					t.Errorf("went in as\n%s\nand came back as\n%s", text, written)
				}
			}
			for _, required := range schema.Value.Required {
				sample := sampleOf(t, schema, true, made).(map[string]any)
				delete(sample, required)
				if schema.Value.VisitJSON(sample) == nil {
					t.Errorf("%s is required, but may be missing", required)
				}
			}
		})
	}
	for name, schema := range document.Components.Schemas {
		if !made[name] && len(schema.Value.Enum) == 0 && !strings.HasPrefix(name, "Registration") {
			t.Errorf("%s is a part of no body", name)
		}
	}
}

// texts are values of strings with a format or a pattern.
var texts = map[string]string{
	"uuid": "3a57e2d3-2e0c-4336-af9b-7fa94f0606a3", "uri": "https://my.example/a", "date": "2026-01-31", "date-time": "2026-01-31T12:00:00Z",
	"^[A-Z]{2}$": "FI", "^[A-Z]{3}$": "EUR", "^[a-z]{2}$": "fi", "^[0-9a-f]{64}$": strings.Repeat("0f", 32),
	`^-?[0-9]+(\.[0-9]+)?$`: "-12.50",
}

// sampleOf makes a value of a schema: with every field, or with the required ones only.
func sampleOf(t *testing.T, ref *openapi3.SchemaRef, whole bool, made map[string]bool) any {
	t.Helper()
	schema := ref.Value
	if name, ok := strings.CutPrefix(ref.Ref, "#/components/schemas/"); ok {
		made[name] = true
	}
	switch {
	case len(schema.OneOf) > 0:
		return sampleOf(t, schema.OneOf[0], whole, made)
	case len(schema.Enum) > 0:
		return schema.Enum[len(schema.Enum)-1]
	case schema.Type.Includes("object") && schema.Type.Includes("array"): // anything
		return []any{"anything", map[string]any{"at": "all"}}
	case schema.Type.Includes("object"):
		object := map[string]any{}
		if schema.Properties == nil {
			object["key"] = "value"
		}
		for name, property := range schema.Properties {
			if whole || slices.Contains(schema.Required, name) {
				object[name] = sampleOf(t, property, whole, made)
			}
		}
		return object
	case schema.Type.Includes("array"):
		return []any{sampleOf(t, schema.Items, whole, made)}
	case schema.Type.Includes("integer"):
		return float64(7)
	case schema.Type.Includes("boolean"):
		return true
	}
	if text, ok := texts[schema.Format+schema.Pattern]; ok {
		return text
	}
	if schema.Format+schema.Pattern != "" {
		t.Fatalf("no text of the format %q and pattern %q", schema.Format, schema.Pattern)
	}
	return "text"
}

// A registration for PRODUCTION needs more fields (spec: Application registration payload).
func TestRegistrationForProduction(t *testing.T) {
	schema := load(t).Components.Schemas["RegisterApplicationRequest"].Value
	request := map[string]any{"certificate": "c", "environment": "SANDBOX", "name": "n", "redirect_urls": []any{"https://my.example/"}}
	if err := schema.VisitJSON(request); err != nil {
		t.Errorf("SANDBOX: %v", err)
	}
	request["environment"] = "PRODUCTION"
	for _, field := range []string{"description", "gdpr_email", "privacy_url", "terms_url"} {
		if schema.VisitJSON(request) == nil {
			t.Errorf("PRODUCTION without %s is allowed", field)
		}
		request[field] = "text"
	}
	if err := schema.VisitJSON(request); err != nil {
		t.Errorf("PRODUCTION: %v", err)
	}
}

// Every error code can come from some operation, with a status that the specification lists.
func TestEveryErrorCodeOccurs(t *testing.T) {
	listed := map[openbanking.ErrorCode]bool{}
	for _, operation := range openapi.New(described).Operations {
		if len(operation.Failures) != 8 {
			t.Errorf("%s has %d statuses beside 200, want 8", operation.ID, len(operation.Failures))
		}
		for _, failure := range operation.Failures {
			for _, code := range failure.Codes {
				listed[code] = true
			}
		}
	}
	for _, code := range openbanking.ErrorCode("").Values() {
		if !listed[code] {
			t.Errorf("%s comes from no operation", code)
		}
	}
}
