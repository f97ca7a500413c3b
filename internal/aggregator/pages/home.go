package pages

import (
	"net/http"
	"slices"
	"strings"

	"florin/internal/aggregator/sandbox"
	"florin/web/templates/hosted"
	"florin/web/templates/words"
)

// home presents the service and lists its banks with their sample users.
func (p *Pages) home(w http.ResponseWriter, r *http.Request) error {
	l := words.In(r.Context())
	query := strings.TrimSpace(r.URL.Query().Get("q"))
	country := strings.ToUpper(r.URL.Query().Get("country"))
	all := p.banks.Banks()
	page := hosted.HomePage{Query: query, Country: country, Countries: countryOptions(l, all, country), Total: len(all)}
	for _, bank := range all {
		data := bank.ASPSP()
		var bic string
		if data.BIC != nil {
			bic = *data.BIC
		}
		if country != "" && bank.Country() != country || !found(query, bank.Name(), bic) {
			continue
		}
		if last := len(page.Groups) - 1; last < 0 || page.Groups[last].Code != bank.Country() { // they come by country
			page.Groups = append(page.Groups, hosted.HomeGroup{Code: bank.Country(), Country: countryName(l, bank.Country())})
		}
		group := &page.Groups[len(page.Groups)-1]
		page.Shown++
		group.Banks = append(group.Banks, hosted.HomeBank{
			Bank:          bankOf(l, bank),
			BIC:           bic,
			Note:          strings.ToLower(customers(l, data.PSUTypes)),
			Users:         sampleUsers(bank, data.PSUTypes...),
			NoCredentials: bank.NoCredentials(),
		})
	}
	slices.SortStableFunc(page.Groups, func(a, b hosted.HomeGroup) int { return strings.Compare(a.Country, b.Country) })
	p.render(w, r, http.StatusOK, hosted.Home(page))
	return nil
}

// found reports whether one of the texts holds what was searched for, whatever its case.
func found(query string, texts ...string) bool {
	return slices.ContainsFunc(texts, func(text string) bool {
		return strings.Contains(strings.ToLower(text), strings.ToLower(query))
	})
}

// countryOptions are the choices of the country field: all, then each country that has a bank, by name.
func countryOptions(l *words.Language, banks []*sandbox.Bank, selected string) []hosted.Option {
	seen := map[string]bool{}
	var options []hosted.Option
	for _, bank := range banks {
		if code := bank.Country(); !seen[code] {
			seen[code] = true
			options = append(options, hosted.Option{Value: code, Text: countryName(l, code), Selected: code == selected})
		}
	}
	slices.SortFunc(options, func(a, b hosted.Option) int { return strings.Compare(a.Text, b.Text) })
	return append([]hosted.Option{{Value: "", Text: "All countries", Selected: selected == ""}}, options...)
}

// docs says to developers how to talk to this service.
func (p *Pages) docs(w http.ResponseWriter, r *http.Request) error {
	p.render(w, r, http.StatusOK, hosted.Docs(hosted.DocsPage{
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
