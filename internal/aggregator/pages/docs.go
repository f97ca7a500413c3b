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
	{Method: "POST", Path: "/payments", Text: "Create a payment of one or several transactions; answers the address for the person's browser"},
	{Method: "GET", Path: "/payments/{payment_id}", Text: "A payment and its status"},
	{Method: "DELETE", Path: "/payments/{payment_id}", Text: "Delete a payment whose status is final"},
	{Method: "GET", Path: "/payments/{payment_id}/transactions/{transaction_id}", Text: "One transaction of a bulk payment"},
}

var returns = []hosted.Fact{
	{Label: "code", Text: "The person agreed to the access."},
	{Label: "state alone", Text: "The person approved the payment.", Note: "What has become of it says GET /payments/{payment_id}."},
	{Label: "access_denied", Text: "The person did not agree.",
		Note: "“Denied data sharing consent”: access was refused on our page. “Cancelled by user”: a payment was cancelled, or access was cancelled at the bank. “Too many wrong attempts at the bank”: the bank stopped."},
	{Label: "server_error", Text: "The bank failed, or the person took too long."},
}
