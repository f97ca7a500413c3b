package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"florin/internal/openapi"
)

// described is a transport that holds every request and answer of the API against its OpenAPI description. What the
// service accepted has to be a request that the description allows, and every answer has to be one that it promises; else
// the round trip fails and says which call, which part and which field.
type described struct {
	next         http.RoundTripper
	base         string // of the API
	registration string
	document     *openapi3.T
}

// description is that of the API, which takes long to read. Its addresses are not looked at.
var description = sync.OnceValues(func() (*openapi3.T, error) {
	text := openapi.New(openapi.Addresses{BaseURL: "http://localhost", RegistrationURL: "http://localhost"}).YAML()
	document, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, fmt.Errorf("read the description of the API: %w", err)
	}
	return document, nil
})

// Describe puts the description of the API round a client: a call that breaks it fails. registration may be empty; requests
// to other addresses pass unseen.
func Describe(client *http.Client, base, registration string) (*http.Client, error) {
	document, err := description()
	if err != nil {
		return nil, err
	}
	if registration == "" {
		registration = base
	}
	with := *client
	d := &described{next: client.Transport, base: base, registration: registration, document: document}
	if d.next == nil {
		d.next = http.DefaultTransport
	}
	with.Transport = d
	return &with, nil
}

// webhookSchema is what the description says of the body of a webhook.
func (s *suite) webhookSchema() *openapi3.Schema {
	s.Helper()
	document, err := description()
	if err != nil {
		s.Fatal(err)
	}
	return document.Components.Schemas["PaymentStatusWebhook"].Value
}

// RoundTrip sends the request, and reads the answer to its end.
func (d *described) RoundTrip(r *http.Request) (*http.Response, error) {
	path, ok := d.path(r.URL)
	if !ok {
		return d.next.RoundTrip(r)
	}
	var sent []byte
	if r.Body != nil {
		var err error
		if sent, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(sent))
	}
	answer, err := d.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	received, err := io.ReadAll(io.LimitReader(answer.Body, 64<<20))
	if err := errors.Join(err, answer.Body.Close()); err != nil {
		return nil, err
	}
	answer.Body = io.NopCloser(bytes.NewReader(received))
	if err := d.check(r, path, sent, answer, received); err != nil {
		return nil, fmt.Errorf("%s %s does not follow the description of the API: %w", r.Method, path, err)
	}
	return answer, nil
}

// path returns the path of a request to the API.
func (d *described) path(u *url.URL) (string, bool) {
	bare := *u
	bare.RawQuery, bare.ForceQuery, bare.Fragment = "", false, ""
	for _, base := range []string{d.base, d.registration} {
		if path, ok := strings.CutPrefix(bare.String(), base); ok && strings.HasPrefix(path, "/") {
			return path, true
		}
	}
	return "", false
}

func (d *described) check(r *http.Request, path string, sent []byte, answer *http.Response, received []byte) error {
	operation, parameters := d.operation(r.Method, path)
	status := answer.StatusCode
	if operation == nil {
		if status < 400 {
			return fmt.Errorf("there is no such operation, but the status is %d", status)
		}
		return follow("answer", d.document.Components.Schemas["ErrorResponse"].Value, received)
	}
	response := operation.Responses.Value(strconv.Itoa(status))
	if response == nil {
		return fmt.Errorf("the status %d is not one of the operation", status)
	}
	if kind := answer.Header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") {
		return fmt.Errorf("the answer has the Content-Type %q, want application/json", kind)
	}
	if err := follow("answer", response.Value.Content["application/json"].Schema.Value, received); err != nil {
		return err
	}
	if status != http.StatusOK {
		return nil // a wrong request was refused, as it should be
	}
	if err := checkParameters(operation, r, parameters); err != nil {
		return fmt.Errorf("a wrong request was accepted: %w", err)
	}
	if operation.RequestBody != nil {
		if err := follow("request", operation.RequestBody.Value.Content["application/json"].Schema.Value, sent); err != nil {
			return fmt.Errorf("a wrong request was accepted: %w", err)
		}
	}
	return nil
}

// operation finds the operation of a path, and the parameters that stand in it.
func (d *described) operation(method, path string) (*openapi3.Operation, map[string]string) {
	parts := strings.Split(path, "/")
	for template, item := range d.document.Paths.Map() {
		names := strings.Split(template, "/")
		operation := item.GetOperation(method)
		if len(names) != len(parts) || operation == nil {
			continue
		}
		parameters := map[string]string{}
		fits := true
		for i, name := range names {
			if strings.HasPrefix(name, "{") {
				value, err := url.PathUnescape(parts[i])
				fits = fits && err == nil && value != ""
				parameters[strings.Trim(name, "{}")] = value
				continue
			}
			fits = fits && name == parts[i]
		}
		if fits {
			return operation, parameters
		}
	}
	return nil, nil
}

// checkParameters holds the parameters of a request against those of its operation. Others are allowed.
func checkParameters(operation *openapi3.Operation, r *http.Request, inPath map[string]string) error {
	query := r.URL.Query()
	for _, ref := range operation.Parameters {
		p := ref.Value
		var values []string
		switch p.In {
		case openapi3.ParameterInPath:
			values = []string{inPath[p.Name]}
		case openapi3.ParameterInQuery:
			values = query[p.Name]
		case openapi3.ParameterInHeader:
			values = slices.DeleteFunc(slices.Clone(r.Header.Values(p.Name)), func(v string) bool { return v == "" })
		}
		switch {
		case len(values) > 1:
			return fmt.Errorf("%s is given twice", p.Name)
		case len(values) == 0 && p.Required:
			return fmt.Errorf("%s is missing", p.Name)
		case len(values) == 1:
			if err := p.Schema.Value.VisitJSON(values[0], openapi3.EnableFormatValidation(), formats); err != nil {
				return fmt.Errorf("%s: %w", p.Name, plainly(err))
			}
		}
	}
	return nil
}

// follow checks that a text is JSON and follows a schema.
func follow(part string, schema *openapi3.Schema, text []byte) error {
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return fmt.Errorf("the %s is no JSON: %.200q", part, text)
	}
	if err := schema.VisitJSON(value, openapi3.EnableFormatValidation(), formats, openapi3.MultiErrors()); err != nil {
		return fmt.Errorf("%s: %w", part, plainly(err))
	}
	return nil
}

// formats are those that the description uses.
var formats = openapi3.WithStringFormatValidators(map[string]openapi3.StringFormatValidator{
	"uuid":      openapi3.NewRegexpFormatValidator(uuid.String()),
	"date":      openapi3.NewCallbackValidator(func(text string) error { _, err := time.Parse(time.DateOnly, text); return err }),
	"date-time": openapi3.NewCallbackValidator(func(text string) error { _, err := time.Parse(time.RFC3339, text); return err }),
	"uri": openapi3.NewCallbackValidator(func(text string) error {
		if u, err := url.Parse(text); err != nil || !u.IsAbs() {
			return errors.New("not an absolute address")
		}
		return nil
	}),
})

// plainly names the fields and what is wrong with them, without the schema.
func plainly(err error) error {
	var many openapi3.MultiError
	var one *openapi3.SchemaError
	switch {
	case errors.As(err, &many):
		var all []error
		for _, e := range many {
			all = append(all, plainly(e))
		}
		return errors.Join(all...)
	case errors.As(err, &one):
		return fmt.Errorf("/%s: %s", strings.Join(one.JSONPointer(), "/"), one.Reason)
	}
	return err
}
