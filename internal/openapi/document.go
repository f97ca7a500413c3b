package openapi

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// YAML writes the description as an OpenAPI 3.1 document.
func (d *Document) YAML() []byte {
	var b bytes.Buffer
	b.WriteString("# The API of the aggregation service. Written by internal/openapi; do not edit.")
	encode(&b, "", d.root())
	return b.Bytes()
}

func (d *Document) root() object {
	tags := []any{}
	paths := object{}
	for _, o := range d.Operations {
		if tag := (object{{"name", o.Section}}); len(tags) == 0 || tags[len(tags)-1].(object)[0].value != o.Section {
			tags = append(tags, tag)
		}
		entry := member{strings.ToLower(o.Method), d.operation(o)}
		if i := slices.IndexFunc(paths, func(m member) bool { return m.name == o.Path }); i >= 0 {
			paths[i].value = append(paths[i].value.(object), entry)
			continue
		}
		paths = paths.with(o.Path, object{entry})
	}
	headers := object{}
	for i, parameter := range parameterList(d.PSUHeaders) {
		headers = headers.with(d.PSUHeaders[i].Name, parameter)
	}
	schemas := object{}
	for _, s := range d.Schemas {
		schemas = schemas.with(s.Name, s.document())
	}
	return object{
		{"openapi", "3.1.0"},
		{"info", object{
			{"title", "Open Banking Aggregation API"},
			{"version", "1.0.0"},
			{"summary", "Account information and payment initiation across European banks."},
			{"description", Overview},
			{"license", object{{"name", "Apache-2.0"}, {"identifier", "Apache-2.0"}}},
		}},
		{"servers", []any{object{{"url", d.BaseURL}}}},
		{"security", []any{object{{"applicationToken", []any{}}}}},
		{"tags", tags},
		{"paths", paths},
		{"webhooks", object{{"paymentStatus", object{{"post", d.webhook()}}}}},
		{"components", object{
			{"securitySchemes", object{
				{"applicationToken", object{{"type", "http"}, {"scheme", "bearer"}, {"bearerFormat", "JWT"}, {"description", d.TokenText()}}},
				{"developerToken", object{{"type", "http"}, {"scheme", "bearer"}, {"bearerFormat", "JWT"}, {"description", developerText}}},
			}},
			{"parameters", headers},
			{"headers", object{{"X-Request-Id", object{{"description", "Names the request in the log of the service."}, {"schema", object{{"type", "string"}}}}}}},
			{"schemas", schemas},
		}},
	}
}

// TokenText says how an application signs its tokens.
func (d *Document) TokenText() string {
	return fmt.Sprintf("A JSON Web Token that the application signs with its private key: RS256, typ JWT, kid = the application id; claims iss = %s or the application id, aud = %s, iat and exp in seconds, exp at most 86400 after iat.", d.Issuer, d.Audience)
}

func (d *Document) operation(o Operation) object {
	out := object{{"operationId", o.ID}, {"tags", []any{o.Section}}, {"summary", o.Summary}}
	if o.Description != "" {
		out = out.with("description", o.Description)
	}
	if o.Developer {
		out = out.with("servers", []any{object{{"url", d.RegistrationURL}}}).with("security", []any{object{{"developerToken", []any{}}}})
	}
	list := parameterList(o.Parameters)
	if o.PSUHeaders {
		for _, header := range d.PSUHeaders {
			list = append(list, object{{"$ref", "#/components/parameters/" + header.Name}})
		}
	}
	if len(list) > 0 {
		out = out.with("parameters", list)
	}
	if o.Request != "" {
		media := object{{"schema", reference(o.Request)}}
		if o.Example != "" {
			media = media.with("example", fromJSON(o.Example))
		}
		out = out.with("requestBody", object{{"required", true}, {"content", object{{"application/json", media}}}})
	}
	responses := object{{"200", response("OK", o.Response)}}
	for _, f := range o.Failures {
		text := f.Text
		if len(f.Codes) > 0 {
			var codes []string
			for _, c := range f.Codes {
				codes = append(codes, string(c))
			}
			text += ": " + strings.Join(codes, ", ")
		}
		responses = responses.with(strconv.Itoa(f.Status), response(text, o.Failed))
	}
	out = out.with("responses", responses)
	if o.Redirects {
		out = out.with("callbacks", object{{"redirect", object{{"{$request.body#/redirect_url}", object{{"get", object{
			{"summary", "The browser of the PSU comes back"},
			{"description", redirectText},
			{"security", []any{}},
			{"parameters", parameterList(d.Redirect)},
			{"responses", object{{"default", object{{"description", "Whatever the application shows."}}}}},
		}}}}}}})
	}
	return out
}

func (d *Document) webhook() object {
	responses := object{}
	for _, status := range []int{http.StatusProcessing, http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent} {
		responses = responses.with(strconv.Itoa(status), object{{"description", "Acknowledged."}})
	}
	responses = responses.with("default", object{{"description", "Not acknowledged: the webhook is sent again for 24 hours, at least every 600 seconds."}})
	return object{
		{"operationId", "paymentStatusWebhook"},
		{"summary", "The status of a payment changed"},
		{"description", d.Webhook.Text},
		{"security", []any{}},
		{"parameters", []any{
			object{{"name", "Authorization"}, {"in", "header"}, {"required", true}, {"description", "Bearer and a JSON Web Token that the service signs."},
				{"schema", object{{"type", "string"}}}},
			object{{"name", "X-Request-Id"}, {"in", "header"}, {"required", true}, {"description", "Differs from try to try."}, {"schema", object{{"type", "string"}}}},
		}},
		{"requestBody", object{{"required", true}, {"content",
			object{{"application/json", object{{"schema", reference(d.Webhook.Schema)}, {"example", fromJSON(d.Webhook.Example)}}}}}}},
		{"responses", responses},
	}
}

func parameterList(parameters []Parameter) []any {
	list := []any{}
	for _, p := range parameters {
		out := object{{"name", p.Name}, {"in", p.In}, {"required", p.Required}}
		if p.Text != "" {
			out = out.with("description", p.Text)
		}
		list = append(list, out.with("schema", p.Type.document(false)))
	}
	return list
}

func response(text, schema string) object {
	return object{
		{"description", text},
		{"headers", object{{"X-Request-Id", object{{"$ref", "#/components/headers/X-Request-Id"}}}}},
		{"content", object{{"application/json", object{{"schema", reference(schema)}}}}},
	}
}

func reference(schema string) object { return object{{"$ref", "#/components/schemas/" + schema}} }

// document writes a type. What is optional may also be null: that is how the service writes what it does not have.
func (t Type) document(nullable bool) object {
	switch {
	case t.Array:
		element := t
		element.Array = false
		return object{{"type", orNull("array", nullable)}, {"items", element.document(false)}}
	case t.Ref != "" && nullable:
		return object{{"oneOf", []any{reference(t.Ref), object{{"type", "null"}}}}}
	case t.Ref != "":
		return reference(t.Ref)
	case t.Kind == "any":
		return object{{"type", []any{"object", "array", "string", "number", "boolean", "null"}}, {"items", object{}}}
	case t.Kind == "object":
		return object{{"type", orNull("object", nullable)}, {"additionalProperties", object{{"type", "string"}}}}
	}
	out := object{{"type", orNull(t.Kind, nullable)}}
	if t.Format != "" {
		out = out.with("format", t.Format)
	}
	if t.Pattern != "" {
		out = out.with("pattern", t.Pattern)
	}
	return out
}

func orNull(kind string, nullable bool) any {
	if nullable {
		return []any{kind, "null"}
	}
	return kind
}

func (s Schema) document() object {
	var out object
	if s.Text != "" {
		out = out.with("description", s.Text)
	}
	if len(s.Values) > 0 {
		values := []any{}
		var lines []string
		for _, v := range s.Values {
			values = append(values, v.Name)
			if v.Text != "" {
				lines = append(lines, "- `"+v.Name+"`: "+v.Text)
			}
		}
		if len(lines) > 0 {
			out = object{{"description", strings.TrimSpace(s.Text + "\n\n" + strings.Join(lines, "\n"))}}
		}
		return out.with("type", "string").with("enum", values)
	}
	out = out.with("type", "object")
	required := []any{}
	conditional := []any{}
	properties := object{}
	for _, p := range s.Properties {
		if p.Required {
			required = append(required, p.Name)
		}
		if p.Condition != "" {
			conditional = append(conditional, p.Name)
		}
		property := p.Type.document(!p.Required)
		if text := strings.TrimSpace(strings.Join([]string{p.Text, condition(p)}, "")); text != "" {
			property = append(object{{"description", text}}, property...)
		}
		properties = properties.with(p.Name, property)
	}
	if len(required) > 0 {
		out = out.with("required", required)
	}
	out = out.with("properties", properties)
	if len(conditional) > 0 {
		sandbox := object{{"properties", object{{"environment", object{{"enum", []any{"SANDBOX"}}}}}}}
		present := object{}
		for _, name := range conditional {
			present = present.with(name.(string), object{{"type", "string"}})
		}
		out = out.with("anyOf", []any{sandbox, object{{"required", conditional}, {"properties", present}}})
	}
	return out
}

func condition(p Property) string {
	if p.Condition == "" {
		return ""
	}
	return " (required " + p.Condition + ")"
}
