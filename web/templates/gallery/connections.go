package main

import (
	"fmt"
	"strings"

	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// nineBanks are nine connections at four banks: two persons, a nickname, personal and business accounts, products of the same name, and one bank through two
// services.
func nineBanks() (groups []pages.BankGroup, options []ui.Option, payers []pages.PayAccount) {
	id := 0
	for i, c := range []struct {
		bank, login, product string
		business             bool
		numbers              []string
	}{
		{"Elbe Sparbank", "Mira Kowalczyk, …3000, …3001", "Girokonto", false, []string{"3000", "3001"}},
		{"Elbe Sparbank", "Tom Kowalczyk, …6199", "Girokonto", false, []string{"6199"}},
		{"Elbe Sparbank", "Kowalczyk Design GmbH, …7700, …7701", "Geschäftskonto", true, []string{"7700", "7701"}},
		{"Banca dell’Arno", "Household, …4711, …0815", "Conto Famiglia", false, []string{"4711", "0815"}},
		{"Banca dell’Arno", "Tom Kowalczyk, …2204", "Conto Famiglia", false, []string{"2204"}},
		{"Fjordbanken", "Mira Kowalczyk, …3341, Florin’s simulated banks", "Lönekonto", false, []string{"3341"}},
		{"Fjordbanken", "Mira Kowalczyk, …3341, Enable Banking", "Lönekonto", false, []string{"3341"}},
		{"Thames & Trent", "Mira Kowalczyk, …1188", "Current account", false, []string{"1188"}},
		{"Thames & Trent", "Kowalczyk Design GmbH, …5590", "Current account", true, []string{"5590"}},
	} {
		bank := pages.Bank{Name: c.bank, Login: c.login, Business: c.business, Simulated: i != 6}
		g := pages.BankGroup{ConnectionID: fmt.Sprintf("n%d", i), Bank: bank, Consent: ui.Badge{Text: "142 days left"}, Sync: ui.Badge{Tone: ui.Good, Text: "Up to date"},
			SyncNote: "Updated at 14:02. Next update at 20:00.", Folded: fmt.Sprintf("%d accounts: 12,345.00 EUR", len(c.numbers))}
		if len(c.numbers) == 1 {
			g.Folded = "1 account: 12,345.00 EUR"
		}
		heading := c.bank + " (" + c.login + ")"
		if c.business {
			heading += ", Business"
		}
		for _, number := range c.numbers {
			id++
			account := fmt.Sprintf("n%d", id)
			g.Accounts = append(g.Accounts, pages.AccountRow{ID: account, Name: c.product, Kind: "Current account", LastFour: number, Currency: "EUR",
				Balance: amount(421_055, "EUR"), AsOf: at("14:02")})
			options = append(options, ui.Option{Value: account, Text: strings.Join([]string{c.product, "Current account", "…" + number, "EUR"}, ", "), Group: heading})
			payers = append(payers, pages.PayAccount{Name: c.product, Detail: "Current account, …" + number + ", EUR", Bank: bank, Balance: amount(421_055, "EUR"), Available: true,
				AsOf: at("14:02"), Href: paths.Pay + "?account=" + account})
		}
		groups = append(groups, g)
	}
	return groups, options, payers
}

func dashboardNine() pages.DashboardView {
	v, card := dashboard(), pages.AccountsCard{}
	card.Banks, _, _ = nineBanks()
	v.Cards = []pages.DashboardCard{{Accounts: &card}}
	v.Todos = []ui.Notice{{Tone: ui.Warning, Title: "Your consent at Elbe Sparbank (Tom Kowalczyk, …6199) ends on 9 October",
		Text: "Renew it now. The old consent works until you have given the new one.", Action: ui.Link{Text: "Renew", Href: "/connections/n1"}}}
	return v
}

func connectionNine() pages.ConnectionView {
	v := connection()
	v.Bank, v.Login = pages.Bank{Name: "Elbe Sparbank", Business: true, Simulated: true}, "Kowalczyk Design GmbH, …7700, …7701"
	return v
}

func payStartNine() pages.PayStartView {
	v := payStart()
	_, _, v.Accounts = nineBanks()
	v.Others = nil
	return v
}

func exportNine() pages.ExportView {
	v := exportView(frame(), nil)
	_, options, _ := nineBanks()
	v.Accounts = append([]ui.Option{{Text: "All accounts"}}, options...)
	return v
}

func importNine() pages.ImportView {
	v := importStart()
	_, options, _ := nineBanks()
	v.Accounts = append(append(v.Accounts[:1:1], options...), v.Accounts[len(v.Accounts)-1])
	return v
}

func reportNine() pages.ReportView {
	v := report(12)
	_, v.Accounts, _ = nineBanks()
	return v
}

func ruleNine() pages.RuleView {
	v := ruleNew()
	_, options, _ := nineBanks()
	v.Form.Accounts = append(v.Form.Accounts[:1:1], options...)
	return v
}
