package contract

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"florin/internal/openbanking"
)

// endpoints are all but that of registration, with ids that do not exist.
var endpoints = [][2]string{
	{"POST", "/auth"},
	{"POST", "/sessions"},
	{"GET", "/sessions/" + nobody},
	{"DELETE", "/sessions/" + nobody},
	{"GET", "/accounts/" + nobody + "/details"},
	{"GET", "/accounts/" + nobody + "/balances"},
	{"GET", "/accounts/" + nobody + "/transactions"},
	{"GET", "/accounts/" + nobody + "/transactions/1"},
	{"POST", "/payments"},
	{"GET", "/payments/" + nobody},
	{"DELETE", "/payments/" + nobody},
	{"GET", "/payments/" + nobody + "/transactions/" + nobody},
	{"GET", "/aspsps"},
	{"GET", "/application"},
}

const nobody = "00000000-0000-4000-8000-000000000000"

// authentication: every endpoint wants a token (spec: Authentication).
func (s *suite) authentication() {
	token, err := s.target.Token()
	if err != nil {
		s.Fatal(err)
	}
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		s.Fatal("the token of the target is no JWT")
	}
	tests := []struct {
		name, header string
		code         openbanking.ErrorCode
	}{
		{"no header", "", openbanking.AuthorizationNotProvided},
		{"not a token", "Bearer nonsense", openbanking.UnauthorizedAccess},
		{"no signature", "Bearer " + parts[0] + "." + parts[1] + ".", openbanking.UnauthorizedAccess},
		{"signature of nothing", "Bearer " + parts[0] + "." + parts[1] + "." + strings.Repeat("A", len(parts[2])), openbanking.UnauthorizedAccess},
	}
	for _, tt := range tests {
		s.Run(tt.name, func(t *testing.T) {
			for _, e := range endpoints {
				body := ""
				if e[0] == "POST" {
					body = "{}"
				}
				s.with(t).refused(s.with(t).call(e[0], e[1], body, "Authorization", tt.header), 401, tt.code)
			}
		})
	}
}

// application: GET /application (spec: Auxiliary).
func (s *suite) application() {
	app := get[openbanking.Application](s, "GET", "/application", "")
	if !app.Active || app.Environment != openbanking.EnvironmentSandbox {
		s.Errorf("the suite needs an active SANDBOX application, this is %+v", app)
	}
	if !slices.Contains(app.RedirectURLs, s.target.RedirectURL) {
		s.Errorf("redirect_urls are %v, without %s", app.RedirectURLs, s.target.RedirectURL)
	}
	if !uuid.MatchString(app.Kid) {
		s.Errorf("kid %q is no UUID", app.Kid)
	}
}

var (
	uuid    = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
	hex64   = regexp.MustCompile(`^[0-9a-f]{64}$`)
	country = regexp.MustCompile(`^[A-Z]{2}$`)
)

// bank returns the target's bank as GET /aspsps shows it.
func (s *suite) bank() openbanking.ASPSPData {
	s.Helper()
	all := get[openbanking.ASPSPsResponse](s, "GET", "/aspsps?country="+url.QueryEscape(s.target.Bank.Country), "").ASPSPs
	i := slices.IndexFunc(all, func(b openbanking.ASPSPData) bool { return b.Name == s.target.Bank.Name })
	if i < 0 {
		s.Fatalf("%v is not among the %d banks of its country", s.target.Bank, len(all))
	}
	return all[i]
}

// banks: GET /aspsps and its filters (spec: Auxiliary; ASPSP data).
func (s *suite) banks() {
	all := get[openbanking.ASPSPsResponse](s, "GET", "/aspsps", "").ASPSPs
	if len(all) == 0 {
		s.Fatal("there are no banks")
	}
	seen := map[openbanking.ASPSP]bool{}
	for _, b := range all {
		id := openbanking.ASPSP{Name: b.Name, Country: b.Country}
		logo, err := url.Parse(b.Logo)
		switch {
		case seen[id]:
			s.Errorf("%v is listed twice", id)
		case !country.MatchString(b.Country):
			s.Errorf("%v: the country is no two capital letters", id)
		case err != nil || !logo.IsAbs():
			s.Errorf("%v: the logo %q is no address", id, b.Logo)
		case len(b.PSUTypes) == 0 || b.MaximumConsentValidity <= 0:
			s.Errorf("%v: no PSU types, or a maximum validity of %d seconds", id, b.MaximumConsentValidity)
		}
		seen[id] = true
	}
	pays := func(b openbanking.ASPSPData, ok func(openbanking.ResponsePaymentType) bool) bool {
		return slices.ContainsFunc(b.Payments, ok)
	}
	tests := map[string]func(openbanking.ASPSPData) bool{
		"country=" + s.target.Bank.Country: func(b openbanking.ASPSPData) bool { return b.Country == s.target.Bank.Country },
		"country=ZZ":                       func(openbanking.ASPSPData) bool { return false },
		"psu_type=personal":                func(b openbanking.ASPSPData) bool { return slices.Contains(b.PSUTypes, openbanking.PSUTypePersonal) },
		"psu_type=business":                func(b openbanking.ASPSPData) bool { return slices.Contains(b.PSUTypes, openbanking.PSUTypeBusiness) },
		"service=PIS":                      func(b openbanking.ASPSPData) bool { return len(b.Payments) > 0 },
		"payment_type=SEPA": func(b openbanking.ASPSPData) bool {
			return pays(b, func(p openbanking.ResponsePaymentType) bool { return p.PaymentType == openbanking.PaymentTypeSEPA })
		},
	}
	for query, passes := range tests {
		listed := get[openbanking.ASPSPsResponse](s, "GET", "/aspsps?"+query, "").ASPSPs
		want := 0
		for _, b := range all {
			if passes(b) {
				want++
			}
		}
		if i := slices.IndexFunc(listed, func(b openbanking.ASPSPData) bool { return !passes(b) }); i >= 0 {
			s.Errorf("%s lists %s, %s", query, listed[i].Name, listed[i].Country)
		}
		if len(listed) != want {
			s.Errorf("%s lists %d banks, want %d", query, len(listed), want)
		}
	}
	for _, query := range []string{"country=fi", "country=FIN", "psu_type=corporate", "service=XYZ", "payment_type=CASH"} {
		s.refused(s.call("GET", "/aspsps?"+query, ""), 422, openbanking.WrongRequestParameters)
	}
}

// requests: what is no request at all is an ErrorResponse too (spec: Errors).
func (s *suite) requests() {
	for _, tt := range []struct {
		method, path, body string
		status             int
		code               openbanking.ErrorCode
	}{
		{"GET", "/sessions", "", 405, ""}, // api-notes 1
		{"PUT", "/application", "", 405, ""},
		{"GET", "/no-such-endpoint", "", 404, ""},
		{"GET", "/accounts/" + nobody, "", 404, ""}, // api-notes 5
		{"POST", "/auth", "{", 422, openbanking.WrongRequestParameters},
		{"POST", "/auth", "[]", 422, openbanking.WrongRequestParameters},
		{"POST", "/sessions", "{}", 422, openbanking.WrongRequestParameters},
		{"POST", "/sessions", `{"code":1}`, 422, openbanking.WrongRequestParameters},
		{"POST", "/sessions", `{"code":"no such code"}`, 422, openbanking.WrongAuthorizationCode},
		{"GET", "/sessions/" + nobody, "", 404, openbanking.SessionDoesNotExist},
		{"DELETE", "/sessions/" + nobody, "", 404, openbanking.SessionDoesNotExist},
		{"GET", "/accounts/" + nobody + "/details", "", 404, openbanking.AccountDoesNotExist},
		{"GET", "/accounts/" + nobody + "/balances", "", 404, openbanking.AccountDoesNotExist},
		{"GET", "/accounts/" + nobody + "/transactions", "", 404, openbanking.AccountDoesNotExist},
		{"GET", "/accounts/" + nobody + "/transactions/1", "", 404, openbanking.AccountDoesNotExist},
		{"GET", "/sessions/no-uuid", "", 422, openbanking.WrongRequestParameters},
		{"PUT", "/payments", "", 405, ""},
		{"POST", "/payments", "{", 422, openbanking.WrongRequestParameters},
		{"POST", "/payments", "{}", 422, openbanking.WrongRequestParameters},
		{"GET", "/payments/" + nobody, "", 404, openbanking.PaymentNotFound},
		{"DELETE", "/payments/" + nobody, "", 404, openbanking.PaymentNotFound},
		{"GET", "/payments/" + nobody + "/transactions/" + nobody, "", 404, openbanking.PaymentNotFound},
	} {
		s.Run(tt.method+" "+tt.path+" "+tt.body, func(t *testing.T) {
			got := s.with(t).call(tt.method, tt.path, tt.body)
			s.with(t).refused(got, tt.status, tt.code)
			if got.header.Get("X-Request-Id") == "" {
				t.Error("no x-request-id (api-notes 1)")
			}
		})
	}
}

// registration: POST {registration_url}/api/applications (spec: Auxiliary; api-notes 3 for statuses and errors).
func (s *suite) registration() {
	operator, err := s.target.OperatorToken()
	if err != nil {
		s.Fatal(err)
	}
	address := s.target.RegistrationURL + "/api/applications"
	valid := func(change map[string]any) string {
		request := map[string]any{
			"certificate": s.target.Certificate, "environment": "SANDBOX", "name": "Contract suite", "redirect_urls": []string{s.target.RedirectURL},
		}
		for name, value := range change {
			request[name] = value
		}
		return body(request)
	}
	registered := get[openbanking.RegisterApplicationResponse](s, "POST", address, valid(nil), "Authorization", "Bearer "+operator)
	if !uuid.MatchString(registered.AppID) {
		s.Errorf("app_id %q is no UUID", registered.AppID)
	}
	for name, tt := range map[string]struct {
		token, body string
		status      int
	}{
		"no token":                   {"", valid(nil), 401},
		"application token":          {"application", valid(nil), 401},
		"no redirect URL":            {operator, valid(map[string]any{"redirect_urls": []string{}}), 422},
		"redirect with a fragment":   {operator, valid(map[string]any{"redirect_urls": []string{s.target.RedirectURL + "#x"}}), 422},
		"unknown environment":        {operator, valid(map[string]any{"environment": "TEST"}), 422},
		"certificate that is none":   {operator, valid(map[string]any{"certificate": "none"}), 422},
		"PRODUCTION with too little": {operator, valid(map[string]any{"environment": "PRODUCTION"}), 422},
	} {
		header := ""
		switch tt.token {
		case "":
		case "application":
			token, err := s.target.Token()
			if err != nil {
				s.Fatal(err)
			}
			header = "Bearer " + token
		default:
			header = "Bearer " + tt.token
		}
		got := s.call("POST", address, tt.body, "Authorization", header)
		if got.status != tt.status || !strings.Contains(string(got.raw), `"message"`) {
			s.Errorf("%s: status %d, want %d: %s", name, got.status, tt.status, got.raw)
		}
	}
}
