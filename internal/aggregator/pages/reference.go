package pages

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"florin/internal/openapi"
	"florin/internal/openbanking"
	"florin/web/templates/hosted"
)

// reference is the description of this service, ready to be served.
type reference struct {
	yaml []byte
	page hosted.APIPage
}

func newReference(a Addresses) reference {
	document := openapi.New(openapi.Addresses{BaseURL: a.BaseURL, RegistrationURL: a.RegistrationURL, Issuer: a.Issuer, Audience: a.Audiences[0]})
	return reference{yaml: document.YAML(), page: apiPage(document)}
}

// openAPI serves the description for programs, to any site: it holds nothing that the specification does not say.
func (p *Pages) openAPI(w http.ResponseWriter, r *http.Request) error {
	header := w.Header()
	header.Set("Content-Type", "application/yaml")
	header.Set("Cache-Control", "public, max-age=3600")
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("Cross-Origin-Resource-Policy", "cross-origin")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(p.reference().yaml))
	return nil
}

// apiReference is the description for people.
func (p *Pages) apiReference(w http.ResponseWriter, r *http.Request) error {
	p.site.Render(w, r, http.StatusOK, hosted.API(p.reference().page))
	return nil
}

func apiPage(d *openapi.Document) hosted.APIPage {
	page := hosted.APIPage{
		Overview: openapi.Overview,
		Facts: []hosted.Fact{
			{Label: "API", Text: d.BaseURL},
			{Label: "Registration", Text: d.RegistrationURL + "/api/applications"},
			{Label: "Authorization", Text: "Bearer and a token, in every call", Note: d.TokenText()},
			{Label: "x-request-id", Text: "comes with every answer and names the request in the log of the service"},
		},
		Redirect: apiFields(d.Redirect),

		PSUHeaders: apiFields(d.PSUHeaders),
		Webhook:    d.Webhook.Text,
		Body:       d.Webhook.Schema,
	}
	for _, part := range d.Tokens {
		claims := hosted.APIClaims{Name: strings.ToUpper(part.Name[:1]) + part.Name[1:]}
		for _, f := range part.Fields {
			claims.Fields = append(claims.Fields, hosted.Fact{Label: f.Name, Text: f.Notes})
		}
		if strings.HasPrefix(part.Name, "webhook") {
			page.WebhookClaims = append(page.WebhookClaims, claims)
		} else {
			page.Claims = append(page.Claims, claims)
		}
	}
	for _, o := range d.Operations {
		if last := len(page.Sections) - 1; last < 0 || page.Sections[last].Name != o.Section {
			page.Sections = append(page.Sections, hosted.APISection{ID: strings.ToLower(o.Section), Name: o.Section})
		}
		section := &page.Sections[len(page.Sections)-1]
		section.Operations = append(section.Operations, apiOperation(o))
	}
	for _, limit := range d.Limits {
		page.Limits = append(page.Limits, hosted.APILimit{Name: limit.Name, Value: limit.Value, AppliesTo: limit.AppliesTo})
	}
	for _, s := range d.Schemas {
		switch {
		case s.Name == "ErrorCode":
			page.Errors = apiErrors(s)
		case len(s.Values) > 0:
			page.Enums = append(page.Enums, apiSchema(s))
		default:
			page.Schemas = append(page.Schemas, apiSchema(s))
		}
	}
	return page
}

func apiOperation(o openapi.Operation) hosted.APIOperation {
	shown := hosted.APIOperation{
		ID: o.ID, Method: o.Method, Path: o.Path, Summary: o.Summary, Description: o.Description,
		Parameters: apiFields(o.Parameters), PSUHeaders: o.PSUHeaders, Request: o.Request, Response: o.Response,
	}
	if o.Developer {
		shown.Token = "Takes the token of a developer."
	}
	if o.Example != "" {
		var text bytes.Buffer
		if err := json.Indent(&text, []byte(o.Example), "", "  "); err != nil {
			panic("pages: an example is no JSON: " + err.Error()) // it is built in
		}
		shown.Example = text.String()
	}
	for _, f := range o.Failures {
		failure := hosted.APIFailure{Status: strconv.Itoa(f.Status), Text: f.Text}
		for _, code := range f.Codes {
			failure.Codes = append(failure.Codes, string(code))
		}
		shown.Failures = append(shown.Failures, failure)
	}
	return shown
}

func apiFields(parameters []openapi.Parameter) []hosted.APIField {
	var fields []hosted.APIField
	for _, p := range parameters {
		fields = append(fields, hosted.APIField{Name: p.Name, In: p.In, Type: p.Type.String(), Schema: p.Type.Ref, Need: need(p.Required, ""), Text: p.Text})
	}
	return fields
}

func apiSchema(s openapi.Schema) hosted.APISchema {
	shown := hosted.APISchema{Name: s.Name, Text: s.Text}
	for _, p := range s.Properties {
		field := hosted.APIField{Name: p.Name, Type: p.Type.String(), Schema: p.Type.Ref, Need: need(p.Required, p.Condition), Text: p.Text}
		if field.Schema == "ErrorCode" {
			field.Schema = "errors"
		}
		shown.Fields = append(shown.Fields, field)
	}
	for _, v := range s.Values {
		shown.Values = append(shown.Values, hosted.Fact{Label: v.Name, Text: v.Text})
	}
	return shown
}

func apiErrors(s openapi.Schema) []hosted.APIError {
	var errors []hosted.APIError
	for _, v := range s.Values {
		code := openbanking.ErrorCode(v.Name)
		meaning, _, _ := strings.Cut(v.Text, "; status ")
		errors = append(errors, hosted.APIError{Code: v.Name, Status: fmt.Sprint(code.Status()), Message: code.Message(), Meaning: meaning})
	}
	return errors
}

func need(required bool, condition string) string {
	switch {
	case required:
		return "required"
	case condition != "":
		return "required " + condition
	}
	return "optional"
}
