package api_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"florin/internal/aggregator/banktest"
	"florin/internal/openbanking"
)

// TestRegistrationRules: POST /api/applications (spec: Application registration payload; api-notes 3).
func TestRegistrationRules(t *testing.T) {
	t.Parallel()
	s := start(t)
	operator, err := s.registry.OperatorToken(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	production := []any{"environment", "PRODUCTION", "description", "D", "gdpr_email", "dpo@app.example", "privacy_url", "https://app.example/p",
		"terms_url", "https://app.example/t"}
	with := func(base []any, more ...any) []any { return append(slices.Clone(base), more...) }
	redirect := func(u string) []any { return []any{"redirect_urls", []string{"https://app.example/ok", u}} }
	tests := []struct {
		name    string
		pairs   []any
		message string // empty: registered
	}{
		{"SANDBOX", nil, ""},
		{"PRODUCTION", production, ""},
		{"unknown fields", []any{"extra", 1}, ""},
		{"unknown environment", []any{"environment", "TEST"}, "environment must be one of PRODUCTION, SANDBOX"},
		{"no environment", []any{"environment", nil}, "environment is missing"},
		{"no name", []any{"name", nil}, "name is missing"},
		{"blank name", []any{"name", "  "}, "name is empty"},
		{"long name", []any{"name", strings.Repeat("é", 201)}, "name is longer than 200 characters"},
		{"name of any language", []any{"name", "Haushaltsbuch für 家計簿 – 2"}, ""},
		{"name on two lines", []any{"name", "Ledger\nby your bank"}, "name holds a character that cannot be seen"},
		{"name with an invisible character", []any{"name", "Flo\u200brin"}, "name holds a character that cannot be seen"},
		{"name of a letter that nobody sees", []any{"name", "\u3164"}, "name holds a character that cannot be seen"},
		{"name that turns the direction of writing", []any{"name", "Ledger\u202enirolF"}, "name holds a character that cannot be seen"},
		{"no certificate", []any{"certificate", nil}, "certificate is missing"},
		{"certificate that is none", []any{"certificate", "hello"}, "certificate is not usable"},
		{"huge certificate", []any{"certificate", strings.Repeat("x", 40000)}, "certificate is too long"},
		{"no redirect_urls", []any{"redirect_urls", nil}, "redirect_urls is missing"},
		{"empty redirect_urls", []any{"redirect_urls", []string{}}, "redirect_urls must hold"},
		{"redirect_urls is a text", []any{"redirect_urls", callback}, "redirect_urls must be an array"},
		{"http", redirect("http://app.example/cb"), "redirect_urls[1] must use https"},
		{"http on localhost", redirect("http://localhost:8080/cb"), ""},
		{"http on 127.0.0.1", redirect("http://127.0.0.1/cb"), ""},
		{"http on [::1]", redirect("http://[::1]:1/cb"), ""},
		{"http on a name that begins like localhost", redirect("http://localhost.evil.example/cb"), "redirect_urls[1] must use https"},
		{"http on a private address", redirect("http://192.168.0.1/cb"), "redirect_urls[1] must use https"},
		{"http on localhost in PRODUCTION", with(production, redirect("http://localhost/cb")...), "redirect_urls[1] must use https"},
		{"query", redirect("https://app.example/cb?a=1"), ""},
		{"fragment", redirect("https://app.example/cb#a"), "redirect_urls[1] must have no fragment"},
		{"empty fragment", redirect("https://app.example/cb#"), "redirect_urls[1] must have no fragment"},
		{"user", redirect("https://user@app.example/cb"), "redirect_urls[1] must hold no user name"},
		{"relative", redirect("/cb"), "redirect_urls[1] must be an absolute URL"},
		{"no host", redirect("https:///cb"), "redirect_urls[1] must be an absolute URL"},
		{"script", redirect("javascript:alert(1)"), "redirect_urls[1] must be an absolute URL"},
		{"own scheme", redirect("app://callback"), "redirect_urls[1] must be an absolute URL"},
		{"newline", redirect("https://app.example/\nSet-Cookie: a"), "redirect_urls[1] is not a URL"},
		{"backslash", redirect(`https://app.example\@evil.example/`), "redirect_urls[1] is not a URL"},
		{"long", redirect("https://app.example/" + strings.Repeat("x", 2083)), "redirect_urls[1] is longer"},
		{"PRODUCTION without description", with(production, "description", nil), "description is required when environment is PRODUCTION"},
		{"PRODUCTION without gdpr_email", with(production, "gdpr_email", nil), "gdpr_email is required when environment is PRODUCTION"},
		{"PRODUCTION without privacy_url", with(production, "privacy_url", ""), "privacy_url is required when environment is PRODUCTION"},
		{"PRODUCTION without terms_url", with(production, "terms_url", nil), "terms_url is required when environment is PRODUCTION"},
		{"gdpr_email that is none", []any{"gdpr_email", "nobody"}, "gdpr_email is not an e-mail address"},
		{"gdpr_email with a name", []any{"gdpr_email", "N <n@app.example>"}, "gdpr_email is not an e-mail address"},
		{"privacy_url that is none", []any{"privacy_url", "soon"}, "privacy_url must be an absolute URL"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body := map[string]any{"certificate": certificate(), "environment": "SANDBOX", "name": "Ledger", "redirect_urls": []string{callback}}
			for i := 0; i < len(tt.pairs); i += 2 {
				if body[tt.pairs[i].(string)] = tt.pairs[i+1]; tt.pairs[i+1] == nil {
					delete(body, tt.pairs[i].(string))
				}
			}
			data, err := json.Marshal(body)
			if err != nil {
				t.Fatal(err)
			}
			got := s.call("POST", "/api/applications", string(data), "Authorization", "Bearer "+operator)
			if tt.message != "" {
				if got.status != 422 || !strings.Contains(got.text("error.message"), tt.message) || len(got.body) != 1 {
					t.Errorf("%d %s, want %s", got.status, got.raw, tt.message)
				}
				return
			}
			if got.status != 200 || len(got.body) != 1 {
				t.Fatalf("%d %s", got.status, got.raw)
			}
			token := forge(t, rs256, key(), got.text("app_id"), nil, nil)
			app := s.call("GET", "/application", "", "Authorization", "Bearer "+token)
			if app.status != 200 || app.text("kid") != got.text("app_id") || app.body["active"] != (body["environment"] == "SANDBOX") {
				t.Errorf("%d %s", app.status, app.raw)
			}
		})
	}
	for _, body := range []string{"", "{", "[]", `{"name":"a","name":"b"}`} {
		got := s.call("POST", "/api/applications", body, "Authorization", "Bearer "+operator)
		if got.status != 422 || got.text("error.message") == "" {
			t.Errorf("%q: %d %s", body, got.status, got.raw)
		}
	}
}

// TestGetApplication: the shape of GET /application (spec: Application).
func TestGetApplication(t *testing.T) {
	t.Parallel()
	s := start(t)
	got := s.call("GET", "/application", "")
	if keys(got.body) != "active countries description environment kid name redirect_urls services" {
		t.Errorf("GET /application has %s", keys(got.body))
	}
	want := `{"name":"Ledger","description":"https://app.example/about","kid":"` + s.app.ID + `","environment":"SANDBOX","redirect_urls":["` + callback +
		`"],"active":true,"countries":["FI"],"services":["AIS","PIS"]}` + "\n"
	if got.raw != want {
		t.Errorf("%s, want %s", got.raw, want)
	}
}

// TestASPSPFilters: the four filters of GET /aspsps (spec: Auxiliary).
func TestASPSPFilters(t *testing.T) {
	t.Parallel()
	username := "user1"
	s := start(t, func(b *banktest.Bank) {
		b.Data.PSUTypes = []openbanking.PSUType{openbanking.PSUTypePersonal}
		b.Data.Payments = []openbanking.ResponsePaymentType{{PaymentType: openbanking.PaymentTypeSEPA, PSUType: openbanking.PSUTypePersonal}}
		b.Data.Sandbox = &openbanking.SandboxInfo{Users: []openbanking.SandboxUser{{Username: &username}}}
	})
	tests := []struct {
		query  string
		listed bool
		detail string // of WRONG_REQUEST_PARAMETERS
	}{
		{"", true, ""},
		{"?country=FI", true, ""},
		{"?country=SE", false, ""},
		{"?country=fi", false, "country must be two capital letters"},
		{"?country=FIN", false, "country must be two capital letters"},
		{"?country=&psu_type=&service=&payment_type=", true, ""},
		{"?country=SE&psu_type=", false, ""},
		{"?country=&country=FI", false, "country is given twice"},
		{"?country=FI&country=SE", false, "country is given twice"},
		{"?psu_type=personal", true, ""},
		{"?psu_type=business", false, ""},
		{"?psu_type=PERSONAL", false, "psu_type must be one of business, personal"},
		{"?service=AIS", true, ""},
		{"?service=PIS", true, ""},
		{"?service=pis", false, "service must be one of AIS, PIS"},
		{"?payment_type=SEPA", true, ""},
		{"?payment_type=INTERNAL", false, ""},
		{"?payment_type=CASH", false, "payment_type must be one of"},
		{"?payment_type=SEPA&psu_type=personal&country=FI&service=PIS", true, ""},
		{"?payment_type=SEPA&psu_type=business", false, ""},
		{"?unknown=1", true, ""},
	}
	for _, tt := range tests {
		got := s.call("GET", "/aspsps"+tt.query, "")
		if tt.detail != "" {
			wantError(t, got, 422, openbanking.WrongRequestParameters, tt.detail)
			continue
		}
		banks, isArray := got.body["aspsps"].([]any)
		if got.status != 200 || !isArray || (len(banks) == 1) != tt.listed {
			t.Errorf("%s: %d %s", tt.query, got.status, got.raw)
		}
	}
	got := s.call("GET", "/aspsps", "")
	for field := range reflect.TypeFor[openbanking.ResponsePaymentType]().Fields() {
		if name := field.Tag.Get("json"); field.Type == reflect.TypeFor[*bool]() && !strings.Contains(got.raw, `"`+name+`":false`) {
			t.Errorf("%s is not false: %s", name, got.raw)
		}
	}
	if s.bank.Data.Payments[0].DebtorAccountRequired != nil {
		t.Error("the answer has changed what the bank says")
	}
	bank := s.call("GET", "/aspsps", "").body["aspsps"].([]any)[0].(map[string]any)
	if keys(bank) != "auth_methods beta bic country group logo maximum_consent_validity name payments psu_types required_psu_headers sandbox" {
		t.Errorf("a bank has %s", keys(bank))
	}
	if bank["logo"] != "https://auth.service.example/banks/FI/Northlight/logo/" || bank["auth_methods"] == nil || bank["sandbox"] == nil {
		t.Errorf("bank %v", bank)
	}
}
