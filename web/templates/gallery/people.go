package main

import (
	"florin/web/templates/pages"
	"florin/web/templates/ui"
)

// peopleScreens are the pages about who uses this Florin.
func peopleScreens() []screen {
	made := people()
	made.New = &pages.NewInvitation{Name: "Bo", Until: "29 November 2026, 14:02", Address: "https://money.example.org/join?token=019a5b7e-1f2c-7d3e-8f4a-5b6c7d8e9f0a"}
	odd := people()
	odd.Name.Value, odd.Name.Problem = "", "Enter whom the invitation is for."
	odd.Invitations[0].Name, odd.Invitations[1].Name = longWord+longWord, rtlName
	viewer := frame()
	viewer.User.Viewer = true
	return []screen{
		{"people", pages.People(people())}, {"people-invited", pages.People(made)}, {"people-odd", pages.People(odd)},
		{"join", pages.Join(pages.JoinView{Token: "a", Local: true, MinPassword: 12, Inviter: "ada@home.example invited you.", Role: "You are invited as a member. You link your own banks. Others see of your accounts only what you share."})},
		{"join-openid", pages.Join(pages.JoinView{Token: "a", Local: true, OpenID: longWord, MinPassword: 12, Inviter: "ada@home.example invited you.", Role: "You are invited as a viewer. You see what others share with you, and cannot change anything."})},
		{"join-openid-alone", pages.Join(pages.JoinView{Token: "a", OpenID: "Home Login", Inviter: "ada@home.example invited you.", Role: "You are invited as a viewer. You see what others share with you, and cannot change anything."})},
		{"join-problems", pages.Join(pages.JoinView{Token: "a", Local: true, MinPassword: 12, Email: "bo", EmailProblem: "An e-mail address looks like name@example.org.",
			PasswordProblem: "The password needs at least 12 characters. Several words in a row are easy to remember.",
			Inviter:         "a-long-address-of-somebody-in-the-household@mail.example.org invited you.",
			Role:            "You are invited as a viewer. You see what others share with you, and cannot change anything."})},
		{"join-link", pages.JoinLink(pages.JoinLinkView{Problem: "The person who invited you has withdrawn this invitation. Ask for another one."})},
		{"leave", pages.Leave(leave(true))}, {"leave-remove", pages.Leave(leave(false))}, {"leave-alone", pages.Leave(leaveAlone())}, {"leave-blocked", pages.Leave(leaveBlocked())},
		{"left", pages.Farewell(pages.FarewellView{Consents: true, Alone: true})},
		{"share", pages.Share(share())}, {"share-nobody", pages.Share(pages.ShareView{Frame: frame(), AccountID: "1", AccountName: longWord, Everybody: share().Everybody})},
		{"shared-account", pages.SharedAccount(sharedAccount(false))}, {"shared-balances", pages.SharedAccount(sharedAccount(true))},
		{"known", pages.Known(known())}, {"known-wrong", pages.Known(knownWrong())}, {"news", pages.News(news())}, {"news-none", pages.News(newsNone())},
		{"news-begin", pages.News(newsBegin())}, {"news-seen", pages.News(newsSeen())},
		{"shared-transaction", pages.SharedTransaction(sharedTransaction())},
		{"dashboard-shared", pages.Dashboard(dashboardShared())},
		{"search-household", pages.Search(searchHousehold())}, {"search-mine", pages.Search(searchMine())},
		{"report-household", pages.Report(reportHousehold())},
		{"dashboard-viewer", pages.Dashboard(pages.DashboardView{Frame: viewer, Empty: true})},
	}
}

func people() pages.PeopleView {
	roles := func(chosen string) []ui.Option {
		return []ui.Option{{Value: "owner", Text: "Owner", Selected: chosen == "owner"}, {Value: "member", Text: "Member", Selected: chosen == "member"},
			{Value: "viewer", Text: "Viewer", Selected: chosen == "viewer"}}
	}
	return pages.PeopleView{
		Frame: frame(), Roles: roles("member"),
		Name: ui.Input{Name: "name", Label: "For whom", Type: "text", Hint: "A name that tells your invitations apart.", Required: true, MaxLength: 100, Autocomplete: "off"},
		People: []pages.Person{
			{ID: "1", Email: "mira@example.org", Since: at("3 October 2026"), Second: "passkey and authenticator app", SignIn: "signed in on 2 devices, last seen today at 09:12", Fixed: "Owner. The only one, so this role stays."},
			{ID: "2", Email: "hubert.blaine.wolfeschlegelsteinhausenbergerdorff@example.org", Since: at("4 October 2026"), Second: "password alone", SignIn: "not signed in", Roles: roles("viewer")},
		},
		Invitations: []pages.InvitationRow{
			{ID: "1", Name: "Bo", Role: "Member", State: ui.Badge{Tone: ui.Good, Text: "Open"}, When: "until 29 November 2026", Open: true},
			{ID: "2", Name: "Grandma", Role: "Viewer", State: ui.Badge{Tone: ui.Info, Text: "Used"}, When: "20 November 2026"},
			{ID: "3", Name: "Tom", Role: "Owner", State: ui.Badge{Tone: ui.Warning, Text: "Expired"}, When: "2 November 2026"},
		},
	}
}

func leave(own bool) pages.LeaveView {
	v := pages.LeaveView{Frame: frame(), Email: "hubert.blaine.wolfeschlegelsteinhausenbergerdorff@example.org", Own: own, Consents: 2, UnderWay: 1, Shown: 1,
		Counts: []string{"2 bank connections", "5 accounts", "1,204 transactions", "12 notes", "3 attachments", "4 rules", "6 budgets", "17 payments", "2 sign-ins"},
		Stays: []string{"1 joint account with its transactions, as others have linked it, too.",
			"4 shared expenses and settlements. The others see them under the name hubert.blaine.wolfeschlegelsteinhausenbergerdorff@example.org."},
		Action: "/settings/leave", Back: ui.Link{Text: "Settings", Href: "/settings"},
		Typed: ui.Input{Name: "name", Label: "To confirm, type “hubert.blaine.wolfeschlegelsteinhausenbergerdorff@example.org”", Type: "text", Required: true, Autocomplete: "off"}}
	if own {
		v.Stays = append(v.Stays, "You owe 15.00 EUR to bo@example.org. The others can only settle it in cash then.")
		v.Typed.Value, v.Typed.Problem = "mira", "This is not the e-mail address. Nothing is deleted yet."
	}
	return v
}

func leaveAlone() pages.LeaveView {
	v := leave(true)
	v.Alone, v.Stays = true, nil
	return v
}

func leaveBlocked() pages.LeaveView {
	v := leave(true)
	v.Blocked = true
	return v
}

func share() pages.ShareView {
	choice := func(name, label string) pages.ShareChoice {
		return pages.ShareChoice{Name: name, Label: label, Levels: []ui.Option{{Text: "Nothing", Selected: true}, {Value: "balances", Text: "Balances only"},
			{Value: "everything", Text: "Balances and all transactions"}}}
	}
	return pages.ShareView{Frame: frame(), AccountID: "1", AccountName: "Household", Joint: []string{"bo@example.org"},
		Everybody: choice("everybody", "Everybody here, including those who join later"),
		People:    []pages.ShareChoice{choice("1", "bo@example.org"), choice("2", "hubert.blaine.wolfeschlegelsteinhausenbergerdorff@example.org")}}
}

func sharedAccount(balances bool) pages.AccountView {
	v := account()
	v.SharedBy, v.BalancesAlone, v.Frame.User.Viewer = "hubert.blaine.wolfeschlegelsteinhausenbergerdorff@example.org", balances, true
	v.Counts = nil // the owner chooses
	v.List.Searching, v.List.Back = false, ""
	for i := range v.List.Days {
		for j := range v.List.Days[i].Rows {
			v.List.Days[i].Rows[j].Suggestion = nil
		}
	}
	return v
}

func sharedTransaction() pages.TransactionView {
	v := transaction()
	v.SharedBy, v.SharedCategory = "mira@example.org", "Groceries"
	v.Recurring = pages.RecurringCard{Series: ui.Link{Text: "Film club", Href: "/recurring/1"}, Note: "Every month, next on 5 October"}
	return v
}

// searchHousehold is a list with rows of others, some of whom have long addresses.
func searchHousehold() pages.SearchView {
	v := searchMine()
	v.Whose, v.Household, v.List.Whose, v.List.Save, v.List.Saved = &pages.Whose{Household: true, Back: "/transactions"}, true, "household", "", nil
	v.List.LeftOut = "Transfers between accounts of one person are left out. What one person of the household pays another counts as money out and money in."
	owners := []string{"bo@example.org", longWord + "@example.org"}
	for i := range v.List.Days {
		for j := range v.List.Days[i].Rows {
			row := &v.List.Days[i].Rows[j]
			row.Suggestion, row.New = nil, false
			if j%2 == 0 {
				row.Account = owners[i%2] + " · " + row.Account
			}
		}
	}
	return v
}

func searchMine() pages.SearchView {
	v := searched()
	v.Whose, v.List.Whose = &pages.Whose{Back: "/transactions"}, "mine"
	return v
}

func reportHousehold() pages.ReportView {
	v := report(3)
	v.Whose, v.Asked = &pages.Whose{Household: true, Back: "/reports"}, "household"
	return v
}

func dashboardShared() pages.DashboardView {
	v, card := dashboard(), accountsCard()
	v.Whose = &pages.Whose{Household: true, Back: "/"}
	card.Shared = []pages.SharedGroup{{Owner: "bo@example.org", Accounts: card.Banks[0].Accounts}, {Owner: longWord + "@example.org", Accounts: card.Banks[0].Accounts[:1]}}
	v.Cards = dashboardCards(card)
	return v
}
