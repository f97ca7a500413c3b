package banksites

import (
	"net/http"
	"slices"
	"strings"

	"florin/internal/aggregator/sandbox"
	"florin/internal/aggregator/site"
	"florin/web/templates/hosted"
	"florin/web/templates/words"
)

// home presents the service and lists its banks with their sample users.
func (s *Sites) home(w http.ResponseWriter, r *http.Request) error {
	l := words.In(r.Context())
	query := strings.TrimSpace(r.URL.Query().Get("q"))
	country := strings.ToUpper(r.URL.Query().Get("country"))
	all := s.banks.Banks()
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
			page.Groups = append(page.Groups, hosted.HomeGroup{Code: bank.Country(), Country: site.CountryName(l, bank.Country())})
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
	s.site.Render(w, r, http.StatusOK, hosted.Home(page))
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
			options = append(options, hosted.Option{Value: code, Text: site.CountryName(l, code), Selected: code == selected})
		}
	}
	slices.SortFunc(options, func(a, b hosted.Option) int { return strings.Compare(a.Text, b.Text) })
	return append([]hosted.Option{{Value: "", Text: "All countries", Selected: selected == ""}}, options...)
}
