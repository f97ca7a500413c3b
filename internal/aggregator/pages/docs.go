package pages

import (
	"net/http"
	"strings"

	"florin/web/templates/hosted"
	"florin/web/templates/words"
)

// docs says to developers how to talk to this service.
func (p *Pages) docs(w http.ResponseWriter, r *http.Request) error {
	p.site.Render(w, r, http.StatusOK, hosted.Docs(hosted.DocsPage{
		BaseURL:         p.addresses.BaseURL,
		RegistrationURL: p.addresses.RegistrationURL,
		AuthURL:         p.addresses.AuthURL,
		Issuer:          p.addresses.Issuer,
		Audiences:       strings.Join(p.addresses.Audiences, " or "),
		Command:         command,
		CodeLifetime:    lifetime(words.In(r.Context()), p.addresses.CodeLifetime),
		Endpoints:       endpoints,
		Returns:         returns,
	}))
	return nil
}

const command = `florin application add --name "My app" \
  --redirect-url https://my.example/callback \
  --certificate certificate.pem`

var endpoints = []hosted.Endpoint{
	{Method: "GET", Path: "/application", Text: "Your application"},
	{Method: "GET", Path: "/aspsps", Text: "The banks, with their sample users; by country, psu_type, service and payment_type"},
	{Method: "POST", Path: "/auth", Text: "Begin an authorisation; answers the address for the person's browser"},
	{Method: "POST", Path: "/sessions", Text: "Exchange the code; answers the session and its accounts with all details, once"},
	{Method: "GET", Path: "/sessions/{session_id}", Text: "State of a session"},
	{Method: "DELETE", Path: "/sessions/{session_id}", Text: "End a session"},
	{Method: "GET", Path: "/accounts/{account_id}/details", Text: "Details of an account"},
	{Method: "GET", Path: "/accounts/{account_id}/balances", Text: "Its balances"},
	{Method: "GET", Path: "/accounts/{account_id}/transactions", Text: "Its transactions, in pages: repeat with continuation_key until that is null"},
	{Method: "GET", Path: "/accounts/{account_id}/transactions/{transaction_id}", Text: "Details of one transaction"},
}

var returns = []hosted.Fact{
	{Label: "code", Text: "The person agreed."},
	{Label: "access_denied", Text: "Access was not given.", Note: "“Denied data sharing consent” on our page, “Cancelled by user” or “Too many wrong attempts at the bank” at the bank"},
	{Label: "server_error", Text: "The bank failed, or the person took too long."},
}
