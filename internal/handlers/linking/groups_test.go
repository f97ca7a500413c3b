package linking

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/linking"
	"florin/internal/openbanking"
)

// The pain of a long list of banks in which people do not find their own: banks linked before come first, then those of the person's country. Banks for
// developers hide no real bank. When all banks are simulated, those that look like a real one are found at once.
func TestArrange(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	bank := func(name, country string, simulated bool, linked ...int) linking.Bank {
		b := linking.Bank{Simulated: simulated, ASPSPData: openbanking.ASPSPData{Name: name, Country: country}}
		for _, days := range linked {
			b.Connections = append(b.Connections, finance.Connection{Authorized: day.AddDate(0, 0, -days)})
		}
		return b
	}
	scenario := bank("Scenario Texts", "IE", true)
	scenario.Group = &openbanking.ASPSPGroup{Name: "Scenario banks"}
	made := []linking.Bank{bank("Elbe Sparbank", "DE", true), bank("Mock ASPSP", "DE", true), bank("Mock ASPSP", "FI", true), scenario, bank("Sumupankki", "FI", true)}
	mixed := append([]linking.Bank{bank("Alba", "IT", false, 3), bank("Berta", "DE", false), bank("Cora", "IT", false, 90, 1), bank("Dora", "IT", false), bank("Mock ASPSP", "DE", false)},
		made...)
	for _, c := range []struct {
		name      string
		banks     []linking.Bank
		searched  bool
		languages string
		want      string
	}{
		{"all are simulated", made, false, "", ": Elbe Sparbank, Sumupankki; Simulated banks for developers (folded): Mock ASPSP, Mock ASPSP, Scenario Texts"},
		{"own country by the browser", made, false, "fi;q=0.8, fr, en;q=0.5", "Finland: Sumupankki; More banks: Elbe Sparbank; Simulated banks for developers (folded): Mock ASPSP, Mock ASPSP, Scenario Texts"},
		{"a language that is odd", made[:1], false, ";;;=,\x00", ": Elbe Sparbank"},
		{"real and simulated", mixed, false, "fi", "Linked before: Cora, Alba; Italy: Dora; More banks: Berta, Mock ASPSP; " +
			"Simulated banks for developers (folded): Elbe Sparbank, Mock ASPSP, Mock ASPSP, Scenario Texts, Sumupankki"},
		{"searched", mixed, true, "fi", ": Alba, Berta, Cora, Dora, Mock ASPSP; Simulated banks for developers (folded): Elbe Sparbank, Mock ASPSP, Mock ASPSP, Scenario Texts, Sumupankki"},
		{"nothing found", nil, true, "", ""},
	} {
		realBanks := len(c.banks) == len(mixed)
		var parts []string
		for _, g := range arrange(c.banks, realBanks, c.searched, ownCountry(c.banks, c.languages)) {
			var names []string
			for _, b := range g.banks {
				names = append(names, b.Name)
			}
			title := string(g.title)
			if g.folded {
				title += " (folded)"
			}
			parts = append(parts, fmt.Sprintf("%s: %s", title, strings.Join(names, ", ")))
		}
		if got := strings.Join(parts, "; "); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.name, got, c.want)
		}
	}
}
