// Package openapi describes the API for programs and for people: as an OpenAPI 3.1 document and as the data of a page.
// Structures, parameters and values are those of the specification; what is written here are the words around them and
// which error can occur where.
package openapi

import (
	"fmt"
	"slices"
	"strings"

	"florin/internal/openbanking"
	"florin/internal/specification"
)

// Addresses are where the described service is. URLs have no slash at the end.
type Addresses struct {
	BaseURL         string
	RegistrationURL string
	Issuer          string
	Audience        string // the one to use
}

// Document is the description of the API.
type Document struct {
	Addresses
	Operations []Operation // in the order of the specification
	PSUHeaders []Parameter // of the operations that take them
	Redirect   []Parameter // of the redirect back to the application
	Webhook    Webhook
	Schemas    []Schema // structures, then enumerations
	Tokens     []specification.Table
	Limits     []specification.Limit
}

// Operation is one call.
type Operation struct {
	ID          string
	Section     string
	Method      string
	Path        string
	Summary     string
	Description string
	Parameters  []Parameter
	PSUHeaders  bool   // it takes Document.PSUHeaders too
	Request     string // name of a schema, or empty
	Example     string // JSON of a request, or empty
	Response    string // name of a schema
	Failures    []Failure
	Failed      string // name of the schema of an answer that is no success
	Developer   bool   // it takes the token of a developer, not of an application, and is at the registration address
	Redirects   bool   // the person's browser comes back with Document.Redirect
}

// Failure is a status that is no success, with the codes that come with it at this operation.
type Failure struct {
	Status int
	Text   string
	Codes  []openbanking.ErrorCode
}

// Parameter is a part of a request beside its body.
type Parameter struct {
	Name     string
	In       string // path, query or header
	Type     Type
	Required bool
	Text     string
}

// Webhook is the call that the service makes.
type Webhook struct {
	Text    string
	Schema  string
	Example string // JSON of a body
}

// Schema is a structure with fields, or an enumeration with values.
type Schema struct {
	Name       string
	Text       string
	Properties []Property
	Values     []Value
}

// Property is a field of a structure.
type Property struct {
	Name      string
	Type      Type
	Required  bool
	Condition string // when it is required otherwise, or empty
	Text      string
}

// Value is a value of an enumeration.
type Value struct{ Name, Text string }

// Type is the type of a value.
type Type struct {
	Kind    string // string, integer, boolean, object, any; empty with a Ref
	Format  string // uuid, uri, date, date-time; or empty
	Pattern string // or empty
	Ref     string // name of a schema
	Array   bool
}

// String writes the type for people: "array of string (uuid)".
func (t Type) String() string {
	text := t.Kind + t.Ref
	if t.Format != "" {
		text += " (" + t.Format + ")"
	}
	if t.Array {
		return "array of " + text
	}
	return text
}

// New returns the description of a service at these addresses.
func New(addresses Addresses) *Document {
	s := specification.Read()
	d := &Document{
		Addresses:  addresses,
		PSUHeaders: parameters(s.PSUHeaders, "header"),
		Redirect:   parameters(specification.Find(s.Parameters, "redirect").Fields, "query"),
		Webhook:    Webhook{Text: webhookText, Schema: "PaymentStatusWebhook", Example: webhookExample},
		Tokens:     s.Tokens,
		Limits:     s.Limits,
	}
	for _, e := range s.Endpoints {
		d.Operations = append(d.Operations, operation(s, e))
	}
	for _, table := range s.Structures {
		d.Schemas = append(d.Schemas, structure(table))
	}
	d.Schemas = append(d.Schemas, registrationErrors...)
	for _, e := range s.Enumerations {
		d.Schemas = append(d.Schemas, enumeration(s, e))
	}
	d.Schemas = append(d.Schemas, errorCodes(s))
	return d
}

func operation(s *specification.Specification, e specification.Endpoint) Operation {
	words, ok := operationWords[e.Name()]
	if !ok {
		panic("openapi: no words for " + e.Name())
	}
	o := Operation{
		ID:          words.id,
		Section:     e.Section,
		Method:      e.Method,
		Path:        e.Path,
		Summary:     sentence(e.Text),
		Description: words.description,
		Parameters:  parameters(e.Parameters, "path"),
		PSUHeaders:  e.PSUHeaders,
		Request:     e.Request,
		Example:     words.example,
		Response:    e.Response,
		Failed:      "ErrorResponse",
		Developer:   e.Path == "/api/applications",
		Redirects:   words.redirects,
	}
	if query := specification.Find(s.Parameters, e.Name()); query != nil {
		o.Parameters = append(o.Parameters, parameters(query.Fields, "query")...)
	}
	codes := slices.Concat(commonCodes, words.codes)
	if o.Developer { // its errors have no code
		o.Failed, codes = "RegistrationError", nil
	}
	for _, status := range statuses(s) {
		failure := Failure{Status: status, Text: s.Statuses[status]}
		for _, code := range codes {
			if code.Status() == status || slices.Contains(words.also[code], status) {
				failure.Codes = append(failure.Codes, code)
			}
		}
		slices.Sort(failure.Codes)
		o.Failures = append(o.Failures, failure)
	}
	return o
}

func statuses(s *specification.Specification) []int {
	var list []int
	for status := range s.Statuses {
		list = append(list, status)
	}
	slices.Sort(list)
	return list
}

func parameters(fields []specification.Field, in string) []Parameter {
	var list []Parameter
	for _, f := range fields {
		list = append(list, Parameter{Name: f.Name, In: in, Type: typeOf(in, f), Required: f.Required == "yes", Text: f.Notes})
	}
	return list
}

func structure(table specification.Table) Schema {
	schema := Schema{Name: table.Name, Text: structureWords[table.Name]}
	for _, f := range table.Fields {
		p := Property{Name: f.Name, Type: typeOf(table.Name, f), Required: f.Required == "yes", Text: f.Notes}
		if f.Required == "in PRODUCTION" {
			p.Condition = "when environment is PRODUCTION"
		}
		schema.Properties = append(schema.Properties, p)
	}
	return schema
}

func enumeration(s *specification.Specification, e specification.Enumeration) Schema {
	schema := Schema{Name: e.Name, Text: structureWords[e.Name]}
	for _, value := range e.Values {
		text := s.Meanings[e.Name][value]
		if text == "" {
			text = e.Remarks[value]
		}
		schema.Values = append(schema.Values, Value{value, text})
	}
	return schema
}

func errorCodes(s *specification.Specification) Schema {
	schema := Schema{Name: "ErrorCode", Text: structureWords["ErrorCode"]}
	for _, code := range openbanking.ErrorCode("").Values() {
		schema.Values = append(schema.Values, Value{string(code), fmt.Sprintf("%s; status %d", s.ErrorCodes[string(code)], code.Status())})
	}
	return schema
}

// typeOf reads a type of the specification, such as [string] or string(uuid), with what the notes say beyond it.
func typeOf(table string, f specification.Field) Type {
	if t, ok := sharperTypes[table+"."+f.Name]; ok {
		return t
	}
	element, array := strings.CutPrefix(f.Type, "[")
	element = strings.TrimSuffix(element, "]")
	kind, format, _ := strings.Cut(strings.TrimSuffix(element, ")"), "(")
	t := Type{Kind: kind, Format: format, Array: array}
	if format == "uuid4" {
		t.Format = "uuid"
	}
	switch kind {
	case "string", "integer", "boolean", "object", "any":
	default:
		t.Kind, t.Ref = "", kind
	}
	return t
}

// sentence raises the first letter.
func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
