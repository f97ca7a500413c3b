package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/web/static"
	"florin/web/templates/layout"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// screen is one page of the gallery.
type screen struct {
	name string
	page templ.Component
}

const (
	longName = "Raiffeisenverband-Volksgenossenschaftskasse Obertauern-Untertauern eingetragene Genossenschaft mit beschränkter Haftung"
	rtlName  = "בנק הפועלים شركة الأمل للتجارة"
	oddText  = "<script>alert('x')</script> \u202egnirts desrever\u202c & “quotes” 💶 \u200bzero width"
	longWord = "REFERENCE/0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
)

func frame() layout.Frame {
	return layout.Frame{User: &layout.User{Name: "Mira Kowalczyk", Email: "mira@example.org"}, Keys: true,
		Printed: "mira@example.org, 3 October 2026 at 14:02"}
}

func simulated() layout.Frame {
	f := frame()
	f.Simulated = true
	return f
}

// proof asks for the password; wrongProof says that it was wrong.
func proof() pages.Proof { return pages.Proof{Email: "mira@example.org", Fields: []string{"password"}} }

func wrongProof(why string) pages.Proof {
	p := proof()
	p.Why, p.Field, p.Problem = why, "password", "This is not your password."
	return p
}

func amount(minor int64, currency string) *ui.Money {
	m := pages.Figure(money.FromMinor(minor, currency))
	return &m
}

func at(text string) ui.Time { return ui.Time{ISO: "2026-10-03T14:02:00Z", Text: text} }

func screens() []screen {
	return append(slices.Concat(peopleScreens(), calendarScreens(),
		secondScreens(), chartScreens(), paymentScreens(), ownAppScreens(), requestScreens(), moneyScreens(), serviceScreens(),
		manualScreens(), importScreens(),
		ruleScreens(), budgetScreens(), settlingScreens(), reportScreens(), rateScreens(), recurringScreens(), debitScreens(),
		forecastScreens(), deviceScreens()), []screen{
		{"setup", pages.Setup(pages.SetupView{Token: "a", MinPassword: 12})},
		{"setup-problems", pages.Setup(pages.SetupView{Token: "a", MinPassword: 12, Email: "not an address",
			EmailProblem:    "An e-mail address looks like name@example.org.",
			PasswordProblem: "The password needs at least 12 characters. Several words in a row are easy to remember."})},
		{"setup-link", pages.SetupLink(pages.SetupLinkView{})},
		{"setup-link-problem", pages.SetupLink(pages.SetupLinkView{Problem: "It was already used, it is too old, or Florin has printed a newer one since. Use the newest link."})},
		{"step-up", pages.StepUp(pages.StepUpView{Frame: frame(), Action: "/settings/services", Fields: []pages.StepUpValue{{Name: "name", Value: "Bank"}}, Proof: proof()})},
		{"step-up-problem", pages.StepUp(pages.StepUpView{Frame: frame(), Action: "/settings/services", Proof: wrongProof("")})},
		{"reset", pages.Reset(pages.ResetView{Token: "a", Email: "mira@example.org", MinPassword: 12})},
		{"reset-stays", pages.Reset(pages.ResetView{Token: "a", Email: "mira@example.org", MinPassword: 12, Passkeys: 2, OpenID: longWord, Calendar: true})},
		{"reset-problem", pages.Reset(pages.ResetView{Token: "a", Email: "mira@example.org", MinPassword: 12,
			PasswordProblem: "The password needs at least 12 characters. Several words in a row are easy to remember."})},
		{"reset-link", pages.ResetLink(pages.ResetLinkView{})},
		{"sign-in-reset", pages.SignIn(pages.SignInView{Reset: true, Local: true, RememberFor: "30 days"})},
		{"sign-in-passkeys", pages.SignIn(pages.SignInView{RememberFor: "30 days", UnusedFor: "7 days", Local: true, Passkeys: true})},
		{"sign-in", pages.SignIn(pages.SignInView{RememberFor: "30 days", UnusedFor: "7 days", Local: true})},
		{"sign-in-openid", pages.SignIn(pages.SignInView{RememberFor: "30 days", UnusedFor: "7 days", Local: true, OpenID: "Home Login"})},
		{"sign-in-openid-alone", pages.SignIn(pages.SignInView{RememberFor: "30 days", UnusedFor: "7 days", OpenID: longWord})},
		{"openid-proven", pages.OpenIDProven(pages.OpenIDProvenView{Frame: frame()})},
		{"step-up-openid", pages.StepUp(pages.StepUpView{Frame: frame(), Action: "/settings/services", Proof: pages.Proof{OpenID: "Home Login", Purpose: "services", Field: "openid",
			Problem: "First confirm in the other tab that it is you, then continue here."}})},
		{"openid-ahead", pages.OpenIDAhead(pages.OpenIDAheadView{Name: "Home Login", Href: "https://login.example.org/authorize?state=1", Host: "login.example.org"})},
		{"sign-in-problem", pages.SignIn(pages.SignInView{Email: "mira@example.org", Local: true, RememberFor: "30 days", UnusedFor: "7 days", Remember: true, Next: "/accounts/1",
			Problem: "The e-mail address or the password is wrong."})},
		{"dashboard", pages.Dashboard(dashboard())},
		{"dashboard-empty", pages.Dashboard(pages.DashboardView{Frame: frame(), Empty: true})},
		{"dashboard-first-sync", pages.Dashboard(dashboardFirstSync())},
		{"dashboard-odd", pages.Dashboard(dashboardOdd())},
		{"dashboard-one", pages.Dashboard(dashboardOne())},
		{"dashboard-twenty", pages.Dashboard(dashboardTwenty())},
		{"nine-dashboard", pages.Dashboard(dashboardNine())},
		{"nine-connection", pages.Connection(connectionNine())},
		{"nine-pay", pages.PayStart(payStartNine())},
		{"nine-export", pages.Export(exportNine())},
		{"nine-import", pages.Import(importNine())},
		{"nine-report", pages.Report(reportNine())},
		{"nine-rule", pages.Rule(ruleNine())},
		{"cards", pages.Cards(cards())},
		{"link", pages.Link(link())},
		{"link-none", pages.Link(linkNone())},
		{"link-problem", pages.Link(linkProblem())},
		{"link-no-service", pages.Link(pages.LinkView{Frame: frame(), NoService: &pages.NoService{Owner: true}})},
		{"link-no-service-member", pages.Link(pages.LinkView{Frame: frame(), NoService: &pages.NoService{}})},
		{"link-bank", pages.LinkBank(linkBank())},
		{"link-bank-again", pages.LinkBank(linkBankAgain())},
		{"leaving", pages.Leaving(pages.LeavingView{Frame: simulated(), Bank: arno, Href: "http://localhost:8081/ais/start?sessionid=1", Host: "localhost:8081",
			Cancel: paths.Link})},
		{"leaving-long", pages.Leaving(pages.LeavingView{Frame: frame(), Bank: pages.Bank{Name: longName}, Href: "https://example.org/",
			Host: "a-very-long-host-name.of-a-public-service.example.org", Cancel: paths.Link})},
		{"linked", pages.Linked(linked())},
		{"linked-again", pages.Linked(linkedAgain())},
		{"link-cancelled", pages.LinkStopped(pages.LinkStoppedView{Frame: simulated(), Bank: arno, Cancelled: true,
			Failure: pages.Explain(words.English, finance.Failure{Code: finance.FailureDenied}, arno.Name), Again: paths.LinkBank})},
		{"link-failed", pages.LinkStopped(pages.LinkStoppedView{Frame: simulated(), Bank: arno, Failure: failure("server_error", oddText), Again: paths.LinkBank,
			Unchanged: "Nothing was renewed. Your old consent still works. It ends on 12 December."})},
		{"connection", pages.Connection(connection())},
		{"connection-busy", pages.Connection(connectionBusy())},
		{"connection-ended", pages.Connection(connectionEnded())},
		{"disconnect", pages.Disconnect(pages.DisconnectView{Frame: simulated(), ID: "c1", Bank: arno, Login: "Ada Weber, …4711, …0815", Ends: true, Accounts: []string{"Everyday", "Rainy days"},
			GoOn: []string{rtlName}, Kept: "3 accounts and 1,240 transactions"})},
		{"account", pages.Account(account())},
		{"account-lacks", pages.Account(accountLacks())},
		{"account-empty", pages.Account(accountEmpty())},
		{"account-odd", pages.Account(accountOdd())},
		{"account-search", pages.Account(accountSearch())},
		{"categories", pages.Categories(categories())},
		{"category", pages.Category(category())},
		{"search", pages.Search(searched())},
		{"search-fault", pages.Search(searchFault())},
		{"search-help", pages.SearchHelp(searchHelp())},
		{"select", pages.Select(selectRows())},
		{"bulk-edit-draft", pages.BulkEdit(bulkEditDraft())},
		{"bulk-edit-preview", pages.BulkEdit(bulkEditPreview())},
		{"bulk-edit-busy", pages.BulkEdit(bulkEditBusy())},
		{"bulk-edit-done", pages.BulkEdit(bulkEditDone())},
		{"bulk-edits", pages.BulkEdits(bulkEdits())},
		{"bulk-edits-none", pages.BulkEdits(pages.BulkEditsView{Frame: frame()})},
		{"saved-searches", pages.SavedSearches(savedSearches())},
		{"saved-search", pages.SavedSearch(savedSearch())},
		{"transaction", pages.Transaction(transaction())},
		{"transaction-suggested", pages.Transaction(suggested())},
		{"transaction-odd", pages.Transaction(transactionOdd())},
		{"transaction-split", pages.Transaction(transactionSplit())},
		{"transaction-history", pages.Transaction(transactionHistory())},
		{"transaction-transfer", pages.Transaction(transactionTransfer())},
		{"transaction-transfer-refused", pages.Transaction(transactionTransferRefused())},
		{"transaction-transfer-offered", pages.Transaction(transactionTransferOffered())},
		{"transaction-merged", pages.Transaction(transactionMerged())},
		{"transaction-double", pages.Transaction(transactionDouble())},
		{"merge", pages.Merge(merge())},
		{"merge-nothing", pages.Merge(mergeNothing())},
		{"merge-pair", pages.Merge(mergePair(""))},
		{"merge-refused", pages.Merge(mergePair("You sent a payment for each of the two. The bank booked both."))},
		{"split", pages.Split(split())},
		{"split-odd", pages.Split(splitOdd())},
		{"simulated", pages.Simulated(pages.SimulatedView{Frame: frame(), Embedded: true, Host: "localhost:8081"})},
		{"privacy", pages.Privacy(pages.LegalView{Frame: frame(), Operator: "Mira Meer", Contact: "mira@example.org", ContactHref: "mailto:mira@example.org", Services: []string{"Enable Banking"}})},
		{"terms-unsigned", pages.Terms(pages.LegalView{})},
		{"settings", pages.Settings(settings())},
		{"settings-openid", pages.Settings(settingsOf(pages.OpenIDSettings{Name: longWord}))},
		{"settings-openid-none", pages.Settings(settingsOf(pages.OpenIDSettings{RedirectURL: "https://money.example.org/sign-in/openid/back"}))},
		{"settings-no-passkeys", pages.Settings(noPasskeys())},
		{"passkey", pages.Passkey(passkey())},
		{"passkey-copied", pages.Passkey(pages.PasskeyView{Frame: frame(), Title: oddText + longWord, Copied: true, Site: longWord + ".example", Facts: passkey().Facts,
			Name:   ui.Input{Name: "name", Label: "Name", Type: "text", Value: longWord, Required: true, MaxLength: 60, Autocomplete: "off", Problem: "Give the passkey a name of up to 60 characters."},
			Action: "/settings/passkeys/1", Remove: "/settings/passkeys/1/remove"})},
		{"passkey-new", pages.NewPasskey(pages.NewPasskeyView{Frame: frame(), Options: "/settings/passkeys/options", Name: passkey().Name})},
		{"passkey-new-problem", pages.NewPasskey(pages.NewPasskeyView{Frame: frame(), Options: "/settings/passkeys/options", Name: passkey().Name,
			Problem: "It took longer than five minutes, or the page is an old one. Try again."})},
		{"settings-mail", pages.Settings(settingsMail())},
		{"notifications", pages.Notifications(notifications(false))},
		{"notifications-problem", pages.Notifications(notifications(true))},
		{"notifications-none", pages.Notifications(noNotifications())},
		{"off", pages.Off(pages.OffView{Kind: "Bookings that match a saved search", Channel: "ntfy", Action: "/off?token=t"})},
		{"off-done", pages.Off(pages.OffView{Kind: "Bookings that match a saved search", Channel: "ntfy", Done: true})},
		{"forgot", pages.Forgot(pages.ForgotView{Mail: true})},
		{"forgot-problem", pages.Forgot(pages.ForgotView{Mail: true, Email: "mira", Problem: "An e-mail address looks like name@example.org."})},
		{"forgot-sent", pages.Forgot(pages.ForgotView{Mail: true, Sent: true})},
		{"forgot-without-mail", pages.Forgot(pages.ForgotView{})},
		{"error-404", failed(frame(), 404)},
		{"error-403", failed(layout.Frame{}, 403)},
		{"error-429", failed(layout.Frame{}, 429)},
		{"error-500", failed(frame(), 500)},
		{"offline", pages.Offline()},
	}...)
}

var arno = pages.Bank{Name: "Banca dell’Arno", Country: "Italy", Simulated: true}

func failure(code finance.FailureCode, said string) pages.Failure {
	return pages.Explain(words.English, finance.Failure{Code: code, Said: said, RequestID: "01JABCDEF0123456789ABCDEFGH"}, arno.Name)
}

func dashboard() pages.DashboardView {
	return pages.DashboardView{
		Frame: simulated(),
		Totals: []pages.Total{
			{Name: "Spending money", Sum: *amount(421305, "EUR"), Accounts: "2 accounts"},
			{Name: "Savings", Sum: *amount(1997000, "EUR"), Accounts: "2 accounts"},
			{Name: "Savings", Sum: *amount(1270050, "SEK"), Accounts: "1 account"},
			{Name: "Cards", Sum: *amount(-31299, "GBP"), Accounts: "1 account"},
			{Name: "Net worth", Sum: *amount(2418305, "EUR"), Accounts: "all of these in EUR"},
		},
		TotalsNote: "Booked balances of 6 accounts, without what is pending. Each currency is added up on its own.",
		Todos: []ui.Notice{
			{Tone: ui.Warning, Title: "Your consent at Fjordbanken ends on 9 October",
				Text: "Renew it now. The old consent works until you have given the new one.", Action: ui.Link{Text: "Renew", Href: "/connections/c2"}},
		},
		Review: ui.Link{Text: "12 transactions to review", Href: paths.Search("is:to-review")},
		Cards:  dashboardCards(accountsCard()),

		Refresh: &pages.Refresh{To: paths.Refresh},
	}
}

func accountsCard() pages.AccountsCard {
	return pages.AccountsCard{
		Banks: []pages.BankGroup{
			{
				ConnectionID: "c1", Bank: arno,
				Consent: ui.Badge{Text: "142 days left"}, Sync: ui.Badge{Tone: ui.Good, Text: "Up to date"}, SyncNote: "Updated at 14:02. Next update at 20:00.",
				Accounts: []pages.AccountRow{
					{ID: "a1", Name: "Everyday", Kind: "Conto Famiglia", LastFour: "4711", Currency: "EUR", Balance: amount(421055, "EUR"),
						News: "3 new, 1 changed, 1 gone since yesterday 20:11", Available: amount(521055, "EUR"), AsOf: at("14:02")},
					{ID: "a2", Name: "Rainy days", Kind: "Savings account", LastFour: "0815", Currency: "EUR", Balance: amount(1875000, "EUR"), AsOf: at("14:02")},
					{Name: "Viaggi", Kind: "Conto Multivaluta", LastFour: "6620", Pockets: []pages.AccountRow{
						{ID: "a11", Name: "EUR", Currency: "EUR", Balance: amount(12_050, "EUR"), AsOf: at("14:02")},
						{ID: "a12", Name: "Japan, JPY", Currency: "JPY", Balance: amount(48_000, "JPY"), BalanceIs: "Available now", AsOf: at("14:02")},
						{ID: "a13", Name: "CHF", Currency: "CHF", NoBalance: "No balance yet"}}},
					{ID: "a3", Name: "Carta Oro", Kind: "Card", LastFour: "9023", Currency: "EUR", Balance: amount(-48750, "EUR"), Available: amount(151250, "EUR"),
						AsOf: at("14:02")},
				},
			},
			{
				ConnectionID: "c2", Bank: pages.Bank{Name: "Fjordbanken", Country: "Sweden", Simulated: true},
				Consent: ui.Badge{Tone: ui.Warning, Text: "6 days left"}, Sync: ui.Badge{Tone: ui.Warning, Text: "Problem at the bank"},
				SyncNote: "Updated yesterday at 20:11. Next update at 20:00.",
				Accounts: []pages.AccountRow{
					{ID: "a4", Name: "Lönekonto", LastFour: "3341", Currency: "SEK", Balance: amount(1270050, "SEK"), AsOf: at("yesterday 20:11"), Stale: "1 day old"},
				},
				Shared: "Hushåll, " + rtlName,
			},
			{
				ConnectionID: "c3", Bank: pages.Bank{Name: "Thames & Trent", Country: "United Kingdom"},
				Consent: ui.Badge{Tone: ui.Bad, Text: "Consent ended"}, Sync: ui.Badge{Text: "No longer updated"}, SyncNote: "Last updated on 12 September 2026.",
				Accounts: []pages.AccountRow{
					{ID: "a5", Name: "Travel card", Kind: "Card", LastFour: "1188", Currency: "GBP", Balance: amount(-31299, "GBP"), AsOf: at("12 September"),
						Stale: "21 days old"},
				},
			},
		},
		Kept: []pages.AccountRow{
			{ID: "a7", Name: "Wallet", Kind: "Cash account", Currency: "EUR", Balance: amount(8315, "EUR")},
			{ID: "a8", Name: longName, Kind: rtlName, Currency: "EUR", NoBalance: "No balance yet", Closed: true},
		},
	}
}

func dashboardFirstSync() pages.DashboardView {
	v, card := dashboard(), accountsCard()
	v.Frame.Busy, v.Frame.Live = true, "/live"
	v.Frame.Notices = []ui.Notice{{Tone: ui.Good, Title: "Banca dell’Arno is linked", Text: "3 new accounts"}}
	v.Todos, v.Totals, v.TotalsNote = nil, v.Totals[:1],
		"Booked balances of 1 account, without what is pending. The bank gives no booked balance, so another one counts: Everyday (Expected). Not counted, because there is no balance: "+longName+"."
	card.Banks = card.Banks[:1]
	card.Banks[0].Sync = ui.Badge{Tone: ui.Busy, Text: "First sync"}
	card.Banks[0].SyncNote = "Started at 14:02."
	card.Banks[0].Progress = &ui.Progress{ID: "bank-progress-c1", Title: "First sync: 1 of 3 accounts",
		Note: "1,240 transactions so far. You can leave this page.", Done: 1, Total: 3}
	card.Banks[0].Accounts[1].Balance, card.Banks[0].Accounts[1].AsOf = nil, ui.Time{}
	v.Cards, v.Review = []pages.DashboardCard{{Accounts: &card}}, ui.Link{}
	return v
}

func dashboardOdd() pages.DashboardView {
	v := pages.DashboardView{
		Frame: layout.Frame{User: &layout.User{Name: "Wolfeschlegelsteinhausenbergerdorff, Hubert Blaine",
			Email: "hubert.blaine.wolfeschlegelsteinhausenbergerdorff@example.org"},
			Printed: "hubert.blaine.wolfeschlegelsteinhausenbergerdorff@example.org, 3 October 2026 at 14:02"},
		Totals: []pages.Total{
			{Name: "Spending money", Sum: *amount(-9_999_999_999_999_99, "EUR"), Accounts: "12 accounts"},
			{Name: "Things of value", Sum: *amount(123_456_789_012, "JPY"), Accounts: "1 account"},
			{Name: "Loans", Sum: *amount(1_234_567_890, "KWD"), Accounts: "1 account"},
			{Name: "Loans", Sum: *amount(0, "PLN"), Accounts: "1 account"},
		},
		TotalsNote: "Booked balances of 15 accounts, without what is pending. Each currency is added up on its own.",
	}
	v.Cards = []pages.DashboardCard{{Accounts: &pages.AccountsCard{
		Banks: []pages.BankGroup{{
			ConnectionID: "c9", Bank: pages.Bank{Name: longName},
			Consent: ui.Badge{Tone: ui.Warning, Text: "Ends tomorrow"}, Sync: ui.Badge{Tone: ui.Bad, Text: "Sync failed"}, SyncNote: "Never updated.",
			Accounts: []pages.AccountRow{
				{ID: "b1", Name: longName, Kind: longName, LastFour: "4711", Currency: "EUR", Balance: amount(-9_999_999_999_999_99, "EUR"), BalanceIs: "Expected",
					Available: amount(9_999_999_999_999_99, "EUR"), AsOf: at("31 December 2025"), Stale: "276 days old"},
				{ID: "b2", Name: rtlName, Currency: "JPY", Balance: amount(123_456_789_012, "JPY")},
				{ID: "b3", Name: oddText, Kind: oddText, Currency: "PLN", Balance: amount(0, "PLN")},
				{ID: "b4", Name: longWord, Currency: "KWD"},
			},
		}},
	}}}
	return v
}

func countries(selected string) []ui.Option {
	options := []ui.Option{{Value: "", Text: "All countries"}, {Value: "DE", Text: "Germany"}, {Value: "IT", Text: "Italy"}, {Value: "SE", Text: "Sweden"}}
	for i := range options {
		options[i].Selected = options[i].Value == selected
	}
	return options
}

var kinds = []ui.Option{{Value: "", Text: "All kinds", Selected: true}, {Value: "personal", Text: "Personal"}, {Value: "business", Text: "Business"}}

func link() pages.LinkView {
	names := []string{"Banca dell’Arno", "Bank of the Moors", "Crédit du Lac", "Elbe Sparbank", "Fjordbanken", "Iberia Directo", "Kaunas Bankas", "Mammoth",
		"Mock ASPSP", "N26", "Österbottens Sparbank", "Polski Bank Wiślany", "Tagus Banco", "Thames & Trent", longName, rtlName, "42"}
	v := pages.LinkView{Frame: frame(), Countries: countries(""), Kinds: kinds, Found: fmt.Sprintf("%d banks", len(names)), Complete: true}
	parts := []pages.BankGroupView{{Title: "Linked before"}, {Title: "Germany"}, {Title: "More banks"}, {Title: "Simulated banks for developers", Folded: true}}
	for i, name := range names {
		to := &parts[2]
		switch {
		case i == 0:
			to = &parts[0]
		case i%4 == 3:
			to = &parts[1]
		case i == 8:
			to = &parts[3]
		}
		to.Banks = append(to.Banks, pages.BankChoice{
			Name: name, Href: paths.LinkBank + "?bank=" + fmt.Sprint(i), Country: []words.Text{"Italy", "United Kingdom", "France", "Germany"}[i%4],
			BIC:   []string{"ARNOITF1XXX", "", "LACFRPP"}[i%3],
			Kinds: []words.Text{"Personal and business", "Personal", "Business"}[i%3], Beta: i == 6, Simulated: i != 9, Connected: i == 0,
			Group: []string{"", "", "", "", "Lagom Group"}[i%5], Logo: []string{"", "", static.URL("hosted.svg")}[i%3],
		})
	}
	v.Groups = parts
	return v
}

func linkNone() pages.LinkView {
	return pages.LinkView{Frame: frame(), Query: oddText, Countries: countries("IT"), Kinds: kinds, Found: "No bank found", Complete: true}
}

func linkProblem() pages.LinkView {
	return pages.LinkView{Frame: frame(), Countries: countries(""), Kinds: kinds,
		Problems: []ui.Notice{{Tone: ui.Bad, Title: "The list of banks could not be fetched",
			Text: "Florin talks to banks through a banking service. It cannot be reached at the moment. Try again in a few minutes. If the problem continues, tell whoever runs this server.", Code: "ASPSP_TIMEOUT", Action: ui.Link{Text: "Try again", Href: paths.Link}}}}
}

func linkBank() pages.LinkBankView {
	return pages.LinkBankView{
		Frame: frame(), Bank: arno, Hidden: []pages.Hidden{{Name: "bank", Value: arno.Name}, {Name: "country", Value: "IT"}},
		Kinds: []pages.KindChoice{{Value: "personal", Title: "Personal", Note: "Your own private accounts.", Checked: true},
			{Value: "business", Title: "Business", Note: "Accounts of a company or association."}},
		Via: "Enable Banking", Until: at("1 April 2027"), UntilNote: "180 days, the longest that this bank allows.", NextHost: "localhost:8081",
		Shorter: &ui.Input{Name: "until", Label: "Number of days, or last day", Type: "text", MaxLength: 40,
			Hint: "For example 30 or 2026-11-02. If you leave it empty, access lasts as long as the bank allows."},
	}
}

func linkBankAgain() pages.LinkBankView {
	v := linkBank()
	v.Bank = pages.Bank{Name: longName, Country: "Austria"}
	v.Kinds, v.NextHost = v.Kinds[:1], ""
	v.Again = []pages.AgainChoice{
		{Value: "c1", Title: "Renew this connection", State: ui.Badge{Tone: ui.Warning, Text: "6 days left"},
			Accounts: []string{"Conto Famiglia", "Rainy days", longName},
			Note:     "Florin keeps its accounts and continues their history. The old consent works until you have given the new one.", Checked: true},
		{Value: "another", Title: "Add another login",
			Note: "For example that of another person. It becomes a connection of its own. Florin recognises an account that both can see and counts it once."},
	}
	f := failure("REDIRECT_URI_NOT_ALLOWED", "Redirect URI not allowed")
	v.Problem = &f
	v.Shorter.Value, v.Shorter.Problem = "400", "The bank allows 180 days at most, until 1 April 2027. Enter fewer days or an earlier day."
	return v
}

func linked() pages.LinkedView {
	f := simulated()
	f.Busy, f.Live = true, "/live"
	return pages.LinkedView{
		Frame: f, Bank: arno, ConnectionID: "c1", Summary: "3 new accounts", Until: at("1 April 2027"),
		Progress: &ui.Progress{ID: "sync-progress", Title: "First sync: 1 of 3 accounts", Note: "You can leave this page. The sync goes on by itself.", Done: 4,
			Total: 9, Steps: []ui.Step{
				{Tone: ui.Good, Text: "Everyday", Note: "1,240 transactions"},
				{Tone: ui.Busy, Text: "Rainy days", Note: "Balances"},
				{Tone: ui.Plain, Text: "Carta Oro", Note: "waiting"},
			}},
		Accounts: []pages.LinkedAccount{
			{Name: "Conto Famiglia", Detail: "Current account, ending in 4711, EUR", Href: "/accounts/a1", State: ui.Badge{Tone: ui.Good, Text: "New"}},
			{Name: "Viaggi", Detail: "Conto Multivaluta, ending in 6620", Pockets: []pages.LinkedAccount{
				{Name: "EUR", Href: "/accounts/a11", Balance: amount(12_050, "EUR"), State: ui.Badge{Tone: ui.Good, Text: "New"}},
				{Name: "JPY", Href: "/accounts/a12", State: ui.Badge{Tone: ui.Warning, Text: "No access"},
					Note: "The bank lists this account but gives no data for it, for example because it is blocked or closed."}}},
			{Name: "Rainy days", Detail: "Savings account, ending in 0815, EUR", Href: "/accounts/a2", State: ui.Badge{Tone: ui.Good, Text: "New"}},
			{Name: "Carta Oro", Detail: "Card, ending in 9023, EUR", Href: "/accounts/a3", State: ui.Badge{Tone: ui.Good, Text: "New"}},
		},
	}
}

func linkedAgain() pages.LinkedView {
	v := linked()
	v.Frame = frame()
	v.Progress = nil
	v.Bank = pages.Bank{Name: longName}
	v.Summary, v.Renewed = "2 recognised", true
	v.NotRenewed = &ui.Notice{Tone: ui.Warning, Title: "The connection that you wanted to renew is not renewed",
		Text:   "The accounts to which the bank gave access belong to another connection of yours. Florin has renewed that one instead. Your old consent still works. It ends on 12 December.",
		Action: ui.Link{Text: "Renew it with its own login", Href: paths.LinkBank}}
	v.Outcome = &ui.Notice{Tone: ui.Good, Title: "The sync is done", Text: "Florin holds 1,240 transactions, back to 4 October 2024."}
	v.Shorter = "Florin asked for access until 1 April 2027. The bank gave less."
	v.Accounts = []pages.LinkedAccount{
		{Name: longName, Detail: "Current account, ending in 4711, EUR", Href: "/accounts/a1", State: ui.Badge{Tone: ui.Info, Text: "Recognised"},
			Balance: amount(123456, "EUR"), Note: "The bank gives its transactions only from 1 June 2026 on. Those between 1 May 2026 and then are missing. You can import them from a file of the bank."},
		{Name: "Old savings", Detail: "Savings account", State: ui.Badge{Tone: ui.Warning, Text: "No access"},
			Note: "The bank lists this account but gives no data for it, for example because it is blocked or closed."},
	}
	return v
}

func connection() pages.ConnectionView {
	return pages.ConnectionView{
		Frame: simulated(), ID: "c1", Bank: arno, Login: "Ada Weber, …4711, …0815, …", Stop: true, Consent: ui.Badge{Tone: ui.Good, Text: "142 days left"},
		Nickname: ui.Input{Name: "nickname", Label: "Nickname", Type: "text", Autocomplete: "off", MaxLength: 60,
			Hint: "Only you see it. It tells this connection from others at the bank: “Anna”, for example, or “Household”."},
		Facts: []ui.Fact{
			{Name: "Status", Value: "Connected", Code: "AUTHORIZED"},
			{Name: "You gave access until", Value: "1 April 2027", Note: "180 days, from 3 October 2026"},
			{Name: "Kind of accounts", Value: "Personal"},
			{Name: "First linked", Value: "3 October 2026 at 14:01"},
			{Name: "History goes back to", Value: "4 October 2024"},
			{Name: "Also gives access to", Value: "Hushåll and " + rtlName, Note: "Your other connection keeps them up to date. They are counted once."},
		},
		Sync: pages.ConnectionSyncView{
			ID: "c1", State: ui.Badge{Tone: ui.Warning, Text: "Partly updated"}, Note: "Updated at 14:02. Next update at 20:00.",
			Accounts: []pages.AccountSync{
				{ID: "a1", Name: "Everyday", Detail: "Current account, ending in 4711, EUR",
					Scopes: []ui.Step{{Tone: ui.Good, Text: "Details", Note: "14:02"}, {Tone: ui.Good, Text: "Balances", Note: "14:02"},
						{Tone: ui.Good, Text: "Transactions", Note: "3 new, 14:02"}},
					Reads: "Automatic updates left: 2 of 4. One more from 20:14."},
				{Name: "Viaggi", Detail: "Conto Multivaluta, ending in 6620", Pockets: []pages.AccountSync{
					{ID: "a11", Name: "EUR", Scopes: []ui.Step{{Tone: ui.Good, Text: "Balances", Note: "14:02"}}, Reads: "Automatic updates left: 2 of 4."},
					{ID: "a12", Name: "Japan, JPY", Scopes: []ui.Step{{Tone: ui.Good, Text: "Balances", Note: "14:02"}}}}},
				{ID: "a3", Name: "Carta Oro", Detail: "Card, ending in 9023, EUR",
					Scopes: []ui.Step{{Tone: ui.Good, Text: "Details", Note: "14:02"},
						{Tone: ui.Bad, Text: "Balances", Note: "last worked: yesterday 20:11", Code: "ASPSP_ERROR",
							Lines: []string{"Banca dell’Arno has a problem", "Florin tries again by itself. You do not have to do anything.", "Request ID: 6f1d2c40b7a94e55"}},
						{Tone: ui.Warning, Text: "Transactions", Note: "last worked: yesterday 20:11", Code: "ASPSP_RATE_LIMIT_EXCEEDED",
							Lines: []string{"Banca dell’Arno allows no more requests for now", "Florin tries again by itself. You do not have to do anything."}}}},
			},
		},
	}
}

func connectionBusy() pages.ConnectionView {
	v := connection()
	v.Frame.Busy, v.Frame.Live = true, "/live"
	v.Sync.State = ui.Badge{Tone: ui.Busy, Text: "Syncing"}
	v.Sync.Note = "Started at 14:02."
	v.Sync.RefreshBlocked = "A sync is running already."
	v.Sync.Progress = &ui.Progress{ID: "sync-progress", Title: "Sync: 0 of 2 accounts", Note: "You can leave this page. The sync goes on by itself."}
	return v
}

func connectionEnded() pages.ConnectionView {
	v := connection()
	v.Ended = true
	v.Notice = &ui.Notice{Tone: ui.Warning, Title: longName + " is no longer updated",
		Text:   "Your consent ended on 12 September. Your history stays. When you reconnect the bank, Florin recognises the accounts and continues their history.",
		Action: ui.Link{Text: "Reconnect", Href: paths.LinkBank}}
	v.Consent = ui.Badge{Tone: ui.Warning, Text: "Consent ended"}
	v.Facts = []ui.Fact{{Name: "Status", Value: "The consent has ended", Code: "EXPIRED"}, {Name: "Access ended", Value: "12 September 2026 at 08:00"}, {Name: "You gave access until", Value: "12 September 2026"},
		{Name: "Kind of accounts", Value: "Personal"}, {Name: "History goes back to", Value: "4 October 2024"}}
	v.Sync.Hidden, v.Sync.State, v.Sync.Note = true, ui.Badge{Text: "No longer updated"}, "Last updated on 12 September 2026."
	return v
}

func rows(n int) []pages.TransactionRow {
	samples := []pages.TransactionRow{
		{Name: "Mercato Centrale", Text: "Card payment 3 October, Firenze", Amount: pages.Flow(money.FromMinor(-4280, "EUR")), New: true},
		{Name: "Studio Bellini S.r.l.", Text: "Salary September 2026", Amount: pages.Flow(money.FromMinor(284000, "EUR"))},
		{Name: "Trenitalia", Text: "PNR 8KQ2LM Firenze S.M.N. to Bologna Centrale, coach 7, seat 12A, economy", Amount: pages.Flow(money.FromMinor(-1990, "EUR"))},
		{Name: "Blue Bottle Coffee", Text: "Card payment abroad, San Francisco", Amount: pages.Flow(money.FromMinor(-641, "EUR")), Note: "−7.25 USD"},
		{Name: "Rent, Via dei Servi 12", Text: "October", Amount: pages.Flow(money.FromMinor(-95000, "EUR"))},
		{Name: "Refund Zalando", Amount: pages.Flow(money.FromMinor(5995, "EUR"))},
	}
	list := make([]pages.TransactionRow, n)
	for i := range list {
		list[i] = samples[i%len(samples)]
		list[i].Href = paths.Transaction("a1", fmt.Sprint("t", i))
	}
	return list
}

func account() pages.AccountView {
	return pages.AccountView{
		Share: ui.Link{Text: "Share this account", Href: "/accounts/1/share"},
		Frame: simulated(), ID: "a1", Name: "Everyday", Bank: arno, ConnectionID: "c1", Subtitle: "Conto Famiglia, ending in 4711",
		Hero: amount(421055, "EUR"), HeroName: "Booked so far today", Pay: paths.PayFrom("a1"), AsOf: at("14:02"),
		News: &pages.NewsStrip{AccountID: "a1", Text: "3 new, 1 changed, 1 gone since yesterday 20:11", Until: "2026-10-03T12:00:00.000Z"},
		Refresh: &pages.Refresh{To: paths.ConnectionRefresh("c1"), Account: "a1",
			Blocked: "Florin may ask this bank only a few times a day, even while you are here. It asks again by itself at 20:14."},
		Balances: []pages.Balance{
			{Name: "Booked so far today", Code: "ITBD", Meaning: "Everything booked up to this moment.", Amount: *amount(421055, "EUR"), AsOf: at("3 October, 14:02"), Counts: true},
			{Name: "Available now", Code: "ITAV", Meaning: "What you can spend now. It may include an overdraft.", Amount: *amount(521055, "EUR"),
				AsOf: at("3 October, 14:02")},
			{Name: "Expected", Code: "XPCD", Meaning: "What is booked, and what the bank expects to book.", Amount: *amount(412285, "EUR"), AsOf: at("3 October")},
		},
		Facts: []ui.Fact{
			{Name: "IBAN", Value: "IT60 X054 2811 1010 0000 0123 456"}, {Name: "Account holder", Value: "Mira Kowalczyk"},
			{Name: "Product", Value: "Conto Famiglia"}, {Name: "Kind of account", Value: "Current account", Code: "CACC"},
			{Name: "Limit", Value: "1,000.00 EUR"}, {Name: "History goes back to", Value: "4 October 2024"},
			{Name: "Checked against the balance", Value: "Complete from 2 September 2026 to 3 October 2026",
				Note: "The earlier balance and all bookings since then add up to the bank’s balance."},
		},
		Counts:   []ui.Option{{Text: "Florin’s choice: Booked so far today"}, {Value: "ITBD", Text: "Booked so far today (4,210.55 EUR)"}, {Value: "ITAV", Text: "Available now (5,210.55 EUR)"}},
		Complete: &ui.Badge{Tone: ui.Good, Text: "Complete and exact up to 3 October"},
		Nickname: "Everyday",
		List: pages.List{
			Path: paths.Account("a1"), Export: paths.ExportList("a1", ""),
			Pending: rows(2), PendingCount: "2 pending transactions", PendingTotal: &ui.Money{Amount: money.FromMinor(-8770, "EUR"), Flow: true},
			Days: []pages.Day{
				{Date: ui.Time{ISO: "2026-10-03", Text: "Today, Saturday 3 October"}, Rows: rows(4)},
				{Date: ui.Time{ISO: "2026-10-02", Text: "Yesterday, Friday 2 October"}, Rows: rows(6)[4:]},
				{Date: ui.Time{ISO: "2026-09-30", Text: "Wednesday 30 September"}, Rows: rows(3)},
			},
			Range: "30 September to 3 October 2026", Pager: ui.Pager{Newer: "?newer=1", Older: "?older=1"},
		},
	}
}

func filters() []pages.Filter {
	return []pages.Filter{{Text: "Money in", Href: "?q=in"}, {Text: "Money out", Href: "?q=out"}, {Text: "This month", Href: "?q=on"},
		{Text: "Last 3 months", Href: "?q=3"}, {Text: "Last 12 months", Href: "?q=12"}, {Text: "Pending", Href: "?q=pending"},
		{Text: "Paid with Florin", Href: "?q=payment"}, {Text: "To review", Href: "?q=review"}}
}

func searched() pages.SearchView {
	listed := rows(6)
	for i := range listed {
		listed[i].Account = "Everyday, Banca dell’Arno"
	}
	listed[2].Account, listed[3].Account, listed[3].Text = longName, rtlName, ""
	listed[3].Suggestion, listed[5].Suggestion = &pages.Suggestion{Action: "/x", ID: "dining", Name: "Restaurants and cafés"}, &pages.Suggestion{Action: "/x", ID: "own1", Name: longWord}
	figure := func(minor int64, currency string) ui.Money { return pages.Flow(money.FromMinor(minor, currency)) }
	chosen := filters()
	chosen[1].Current = true
	return pages.SearchView{Frame: simulated(), List: pages.List{
		Path: paths.Transactions, Searching: true, Label: "Search in all accounts", Export: paths.ExportList("", "is:out mercato"), Text: "is:out mercato", Filters: chosen,
		Save:     paths.SaveSearch("is:out mercato"),
		Saved:    []pages.Filter{{Text: "Eating out", Href: "?q=e"}, {Text: rtlName, Href: "?q=r"}, {Text: longName, Href: "?q=l"}},
		Accounts: []pages.Filter{{Text: "Everyday 4711", Href: "?q=a"}, {Text: "Rainy days", Href: "?q=b"}, {Text: longName, Href: "?q=c"}},
		Totals: []pages.SearchTotal{
			{Count: "1,240 transactions", In: figure(284000, "EUR"), Out: figure(-9_812_041, "EUR"), Net: figure(-9_528_041, "EUR")},
			{Count: "2 transactions", In: figure(0, "JPY"), Out: figure(-12_000, "JPY"), Net: figure(-12_000, "JPY")},
		},
		Capped:  "More was found. These are the newest 10,000.",
		Pending: listed[:2], PendingCount: "2 pending transactions", PendingTotal: &ui.Money{Amount: money.FromMinor(-8770, "EUR"), Flow: true},
		Days: []pages.Day{
			{Date: ui.Time{ISO: "2026-10-03", Text: "Today, Saturday 3 October"}, Rows: listed[:4]},
			{Date: ui.Time{ISO: "2026-10-02", Text: "Yesterday, Friday 2 October"}, Rows: listed[4:]},
		},
		Range: "30 September to 3 October 2026", Pager: ui.Pager{Newer: "?newer=1", Older: "?older=1"}, Back: paths.Search("is:out mercato"),
	}}
}

func searchFault() pages.SearchView {
	v := searched()
	v.List.Text, v.List.Totals, v.List.Capped, v.List.Pending, v.List.Days, v.List.Pager = "mercato amout:50", nil, "", nil, nil, ui.Pager{}
	v.List.Unready = &ui.Notice{Tone: ui.Info, Title: "Florin is still preparing the search",
		Text: "After the update it goes through all your transactions once. Until it is done, some are missing from searches and from lists of all accounts. The page of each account shows all of its transactions."}
	v.List.Back = ""
	v.List.Fault = &pages.SearchFault{Before: "mercato ", Text: "amout:", After: "50",
		Problem: "At character 9: Florin does not know “amout:”. To look for the text itself, put it in quotation marks.",
		Meant:   &ui.Link{Text: "Search for “amount:”", Href: paths.Search("mercato amount:50")}}
	return v
}

func searchHelp() pages.SearchHelpView {
	return pages.SearchHelpView{Frame: frame(), Groups: []pages.SearchHelpGroup{
		{Title: "Words", Examples: []pages.SearchExample{{Text: "rent", Finds: "The word “rent”, or one that begins with it, wherever it is: name, text, note, tag or number."},
			{Text: "(rent OR salary) last:3m", Finds: "Brackets keep together what belongs together."}}},
		{Title: "Amounts", Examples: []pages.SearchExample{{Text: "amount:>50", Finds: "More than 50. Also: >=, < and <=."}}},
	}}
}

func accountSearch() pages.AccountView {
	v := account()
	v.List.Searching, v.List.Label, v.List.Text, v.List.Filters = true, "Search in this account", "mercato", filters()
	v.List.Totals = searched().List.Totals[:1]
	return v
}

// accountLacks is the page of an account whose bank has not booked a payment yet.
func accountLacks() pages.AccountView {
	v := account()
	v.Counts = append(v.Counts, ui.Option{Value: "FWAV", Text: "Available on a later day (the bank gives none now)", Selected: true})
	v.Lost = &ui.Notice{Tone: ui.Warning, Title: "The bank no longer gives the balance that you chose",
		Text: "You chose “Available on a later day”. Until the bank gives it again, “Booked so far today” counts."}
	v.Refresh.Blocked = ""
	v.Unbooked = &ui.Notice{Tone: ui.Info, Title: "A payment of 12.30 EUR is not in this balance yet.", Text: "Florin asks the bank again by itself.",
		Action: ui.Link{Text: "Open the payment", Href: "/payments/p1"}}
	return v
}

func accountEmpty() pages.AccountView {
	v := account()
	v.Frame.Busy, v.Frame.Live = true, "/live"
	v.Hero, v.Balances, v.Nickname, v.Name = nil, nil, "", "Conto Famiglia"
	v.List.Pending, v.List.PendingTotal, v.List.Days, v.List.Range, v.List.Pager = nil, nil, nil, "", ui.Pager{}
	v.List.Empty = "The first sync is still running. Transactions appear here when it is done."
	v.Progress = &ui.Progress{ID: "sync-progress", Title: "First sync: 0 of 1 accounts",
		Note: "400 transactions so far. You can leave this page. The sync goes on by itself."}
	return v
}

func accountOdd() pages.AccountView {
	v := account()
	v.Frame = frame()
	v.Name, v.Nickname, v.NicknameProblem = longName, longName, "A nickname may have 60 characters at most. This one has 119."
	v.Bank = pages.Bank{Name: longName}
	v.Hero, v.Stale = amount(-9_999_999_999_999_99, "EUR"), "276 days old"
	v.Complete, v.Broken = nil, &ui.Notice{Tone: ui.Warning, Title: "The bookings do not add up to the balance of 2 October 2026",
		Text:   longName + " (-12.30 EUR) is listed twice, but only once in the balance. If both are the same transaction, merge them. Everything is right up to 1 October 2026.",
		Action: ui.Link{Text: "Open the transaction", Href: paths.Transaction("a1", "t1")}}
	v.Notice = &ui.Notice{Tone: ui.Warning, Title: longName + " is no longer updated", Text: "Your consent ended on 12 September. Your history stays. When you reconnect the bank, Florin recognises the accounts and continues their history.",
		Action: ui.Link{Text: "Reconnect", Href: paths.Link}}
	v.Balances[0].Amount = *amount(-9_999_999_999_999_99, "EUR")
	v.List.Pending = []pages.TransactionRow{{Href: "/x", Name: oddText, Text: oddText, Amount: pages.Flow(money.FromMinor(-999999999999999, "EUR")), Note: "On hold"}}
	v.List.Days = []pages.Day{{Date: ui.Time{ISO: "2026-10-03", Text: "Saturday 3 October 2026"}, Rows: []pages.TransactionRow{
		{Href: "/x", Name: longWord, Text: longWord + longWord, Amount: pages.Flow(money.FromMinor(999999999999999, "EUR")), Note: "No longer listed by the bank"},
		{Href: "/x", Name: rtlName, Text: rtlName, Amount: pages.Flow(money.FromMinor(-001, "EUR"))},
		{Href: "/x", Name: longName, Amount: pages.Flow(money.FromMinor(000, "EUR"))},
	}}}
	v.List.Pager = ui.Pager{Older: "?older=1"}
	return v
}

func transaction() pages.TransactionView {
	return pages.TransactionView{
		Frame: simulated(), AccountID: "a1", AccountName: "Everyday", Bank: arno, Title: "Blue Bottle Coffee", Direction: "Paid to",
		Amount: ui.Money{Amount: money.FromMinor(-641, "EUR"), Flow: true},
		Status: ui.Badge{Tone: ui.Good, Text: words.English.Say(pages.StatusWords(openbanking.TransactionStatusBOOK))}, StatusCode: "BOOK",
		Own: pages.AnnotationView{Review: "/review", Save: "/annotation", Note: "Coffee with Lena,\nshe pays next time", Tags: "holiday, San Francisco",
			Known: []string{"holiday", "San Francisco", "tax"}},
		Category:    categoryOf("Restaurants and cafés", "Blue Bottle Coffee is in Florin’s list of shops and services.", false),
		Name:        pages.NameCard{Href: "/name", Shown: "Blue Bottle Coffee", Bank: "SQ *BLUE BOTTLE COFFEE 0417"},
		Rules:       ruleCardOf("Name: Blue Bottle"),
		Attachments: attachments(),
		Remittance:  []string{"Card payment abroad, San Francisco", "1 October 2026 09:12, card ending in 9023"},
		Dates: []ui.Fact{{Name: "Paid on", Value: "1 October 2026", Note: "Transaction date"},
			{Name: "Booked on", Value: "3 October 2026", Note: "Booking date"},
			{Name: "Value date", Value: "2 October 2026", Note: "The amount counts for interest from this day."}},
		Counterparty: []ui.Fact{{Name: "Name", Value: "Blue Bottle Coffee"}, {Name: "Account", Value: "US64 SVBK US6S 3300 9586 71"},
			{Name: "Bank", Value: "Pacific Coast Bank", Code: "PCBKUS66"}, {Name: "Address", Value: "66 Mint Street, 94103 San Francisco, United States"}},
		Amounts: []ui.Fact{{Name: "Original amount", Value: "7.25 USD"}, {Name: "Exchange rate", Value: "1 EUR = 1.1310 USD", Code: "AGRD"},
			{Name: "Balance afterwards", Value: "4,210.55 EUR"}},
		References: []ui.Fact{{Name: "Bank’s reference", Value: "2026-10-03-000417"},
			{Name: "International reference", Value: "RF18 5390 0754 7034", Code: "INTL"}, {Name: "Kind of transaction", Value: "Card payment", Code: "PMNT CCRD"},
			{Name: "Merchant category", Value: "5812"}},
		Original: "{\n  \"entry_reference\": \"2026-10-03-000417\",\n  \"transaction_amount\": {\n    \"currency\": \"EUR\",\n    \"amount\": \"6.41\"\n  },\n  \"credit_debit_indicator\": \"DBIT\",\n  \"status\": \"BOOK\"\n}",
		Fetched:  "Florin first fetched this on 3 October 2026 at 14:02.",
	}
}

// suggested is a transaction that may have a category.
func suggested() pages.TransactionView {
	v := transaction()
	v.Category = categoryOf("", "Like 12 transactions that you chose this for. They have the same words: coffee, roastery and beans.", false)
	v.Category.Suggestion = &pages.Suggestion{Action: "/x", ID: "dining", Name: "Restaurants and cafés"}
	return v
}

// categoryOf says what a transaction was for.
func categoryOf(name, why string, byHand bool) pages.CategoryCard {
	return pages.CategoryCard{Action: "/x", Name: name, Why: why, ByHand: byHand, Groups: categoryGroups(name)}
}

func categoryGroups(chosen string) []pages.CategoryGroup {
	return []pages.CategoryGroup{
		{Name: "Daily life", Options: []ui.Option{{Value: "groceries", Text: "Groceries"}, {Value: "drugstore", Text: "Drugstore"}}},
		{Name: "Leisure", Options: []ui.Option{{Value: "dining", Text: chosen, Selected: true}, {Value: "books", Text: "Books and hobbies"}}},
	}
}

func categoryForm(name, problem string) pages.CategoryForm {
	return pages.CategoryForm{Action: "/x", Problem: problem, Name: ui.Input{Name: "name", Label: "Name", Type: "text", Value: name, Required: true,
		Autocomplete: "off", MaxLength: 60}, Groups: []ui.Option{{Value: "living", Text: "Daily life", Selected: true}, {Value: "leisure", Text: "Leisure"}}}
}

func categories() pages.CategoriesView {
	return pages.CategoriesView{Frame: frame(), Quality: "Florin would have chosen the same as you in 97 of your last 100 choices.", New: categoryForm("", ""),
		Groups: []pages.CategorySection{
			{Name: "Daily life", Rows: []pages.CategoryRow{{ID: "groceries", Name: "Groceries"}, {ID: "drugstore", Name: "Drugstore", Note: "Merged into Groceries"}}},
			{Name: "Leisure", Rows: []pages.CategoryRow{{ID: "sport", Name: "Sport", Note: "Archived"}, {ID: "own1", Name: longWord + longWord}, {ID: "own2", Name: rtlName}}},
		}}
}

func category() pages.CategoryView {
	v := pages.CategoryView{Frame: frame(), Title: "Drugstore", Form: categoryForm("Drugstore", "Choose another category to merge into.")}
	v.Form.States = []ui.Option{{Text: "In use"}, {Value: "archived", Text: "Archived"}, {Value: "merged", Text: "Merged", Selected: true}}
	v.Form.Into = categoryGroups("Restaurants and cafés")
	return v
}

func transactionOdd() pages.TransactionView {
	return pages.TransactionView{
		Frame: frame(), AccountID: "a1", AccountName: longName, Title: oddText + longWord, Direction: "Received from",
		Amount: ui.Money{Amount: money.FromMinor(999999999999999, "EUR"), Flow: true}, Status: ui.Badge{Tone: ui.Warning, Text: "Pending"}, StatusCode: "PDNG",
		Notice: &ui.Notice{Tone: ui.Info, Title: "The bank no longer lists this transaction",
			Text: "It was booked when Florin fetched it. It stays here: Florin never deletes a booked transaction by itself."},
		Own: pages.AnnotationView{Review: "/review", Reviewed: true, Save: "/annotation", Note: oddText + longWord, Tags: longWord + longWord,
			NoteProblem: "A note may have 2,000 characters at most. This one has 2,001.",
			TagsProblem: "A tag may have 40 characters at most. Write a comma between two tags.",
			Known:       []string{rtlName, longWord}},
		Category:    categoryOf(longWord+oddText, "You chose this.", true),
		Name:        pages.NameCard{Href: "/name", Shown: oddText + longWord, Bank: longWord + longWord, Rule: &ui.Link{Text: longWord, Href: "/rules/1"}},
		Rules:       ruleCardOf(longWord+longWord, rtlName),
		Attachments: attachmentsOdd(),
		Remittance:  []string{oddText, rtlName, longWord + longWord},
		Dates:       []ui.Fact{{Name: "Date", Value: "The bank gave no date"}},
		References:  []ui.Fact{{Name: "Bank’s reference", Value: longWord, Code: strings.Repeat("CODE ", 4)}},
		Original:    "{\"remittance_information\": [\"" + oddText + longWord + longWord + "\"]}",
	}
}

func passkey() pages.PasskeyView {
	return pages.PasskeyView{Frame: frame(), Title: "Firefox on Linux", Action: "/settings/passkeys/1", Remove: "/settings/passkeys/1/remove",
		Facts: []ui.Fact{{Name: "Made", Value: "3 October 2026"}, {Name: "Last used", Value: "yesterday 22:05"}, {Name: "Works at", Value: "florin.example.org"},
			{Name: "Stored", Value: "In a password manager, which can have it on several devices"}},
		Name: ui.Input{Name: "name", Label: "Name", Type: "text", Value: "Firefox on Linux", Hint: "So that you know which one it is, for example your phone.", Required: true,
			MaxLength: 60, Autocomplete: "off"}}
}

// noPasskeys are the settings at an address that cannot have passkeys.
func noPasskeys() pages.SettingsView {
	v := settings()
	v.Passkeys = pages.PasskeysCard{Rows: []pages.PasskeyRow{{ID: "1", Name: "Phone", Made: at("3 October 2026"), Site: "florin.example.org"}},
		Reason: "Passkeys are not possible here: browsers do not allow them at an address made of numbers, such as 127.0.0.1:8080. Give this Florin a name, with https, in the setting --public-url. On this machine alone, http://localhost will do."}
	return v
}

func settings() pages.SettingsView {
	return pages.SettingsView{
		Passkeys: pages.PasskeysCard{Here: true, Rows: []pages.PasskeyRow{{ID: "1", Name: "Firefox on Linux", Made: at("3 October 2026"), Used: at("yesterday 22:05")},
			{ID: "2", Name: longWord, Made: at("4 October 2026"), Copied: true}, {ID: "3", Name: "Old address", Made: at("4 October 2026"), Used: at("5 October 2026"), Site: "old.example.org"}}},
		Frame: frame(), Version: "0.1.0", Local: true,
		OpenID:   pages.OpenIDSettings{Name: "Home Login", Linked: true, Since: at("3 October 2026"), Used: at("yesterday 22:05"), RedirectURL: "https://money.example.org/sign-in/openid/back"},
		Password: pages.PasswordForm{MinPassword: 12, Proof: wrongProof("")},
		Owner:    true,
		Facts: []ui.Fact{{Name: "Name", Value: "Mira Kowalczyk"}, {Name: "E-mail address", Value: "mira@example.org"},
			{Name: "Role", Value: "Owner", Note: "Looks after this server. Does not see the accounts of others."}, {Name: "Member since", Value: "3 October 2026"}},
		Languages: []ui.Option{{Text: "The language of your browser", Selected: true}, {Value: "en", Text: "English"}, {Value: "de", Text: "Deutsch"}},
		SignIns: []pages.SignInRow{
			{ID: "s1", Device: "Firefox on Linux", How: "With the password", Where: "This network (2001:db8:7:…)", Since: at("09:12"), Seen: at("now"), Stays: true, Current: true},
			{ID: "s2", Device: "Safari on iPhone", How: "With the passkey " + longWord, Where: "Another network (203.0.113.…)", Since: at("1 October"), Seen: at("yesterday 22:05")},
			{ID: "s3", Device: longWord, Where: "Unknown network", Since: at("12 September"), Seen: at("12 September")},
		},
	}
}

// settingsOf is the page of somebody who has linked nothing with a provider.
func settingsOf(o pages.OpenIDSettings) pages.SettingsView {
	v := settings()
	v.Owner, v.Local, v.OpenID = false, false, o
	return v
}

// settingsMail are the settings with what the person is told, and with a mail server that fails.
func settingsMail() pages.SettingsView {
	v := settings()
	v.Mail = pages.MailSettings{Sends: true, Problem: &ui.Notice{Tone: ui.Warning, Title: "An e-mail could not be sent at 14:02",
		Text: "The mail server does not accept the sender. Check the setting --smtp-from."}}
	v.Frame.Notices = []ui.Notice{
		{Tone: ui.Info, Title: "Your consent at Elbe Sparbank ends on 29 November", Action: ui.Link{Text: "Renew", Href: paths.LinkBank},
			Dismiss: ui.Dismiss{Action: paths.NoticeClose("n1"), Back: paths.Settings, Text: "Remind me later"}},
		{Tone: ui.Info, Title: "You signed in on a new device: " + longWord,
			Text:    "This was at 14:02. If it was not you, change your password and sign out the other devices in the settings.",
			Dismiss: ui.Dismiss{Action: paths.NoticeClose("n2"), Back: paths.Settings, Text: "Close"}},
	}
	return v
}

// failed is the page of an error.
func failed(frame layout.Frame, status int) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		return pages.Error(pages.ErrorFor(ctx, frame, status, "01JABCDEF0123456789")).Render(ctx, w)
	})
}
