package main

import (
	"strings"

	"florin/web/templates/pages"
	"florin/web/templates/ui"
)

// notifications are what a person is told, with all channels; wrong has what may be wrong with them.
func notifications(wrong bool) pages.NotificationsView {
	input := func(name, kind, label, value string) ui.Input {
		return ui.Input{Name: name, Type: kind, Label: label, Value: value}
	}
	v := pages.NotificationsView{Frame: frame(), Details: wrong,
		Mail: pages.NotificationChannel{Name: "mail", On: true, Facts: []ui.Fact{{Name: "E-mail address", Value: "mira@example.org"}, {Name: "Last message", Value: "sent at 14:02"}}},
		Ntfy: pages.NotificationChannel{Name: "ntfy", On: true, Facts: []ui.Fact{{Name: "Last message", Value: "sent yesterday at 22:05"}},
			Fields: []ui.Input{input("ntfy_address", "url", "Address of the server", "https://ntfy.example.org"), input("ntfy_topic", "text", "Topic", "florin-4711"),
				input("ntfy_token", "password", "Token, if the server wants one", "")}},
		Webhook: pages.NotificationChannel{Name: "webhook", On: true, Secret: "whsec_" + strings.Repeat("MfKQ9r8G", 6) + "=",
			Fields: []ui.Input{input("webhook_address", "url", "Address of the receiver", "https://hooks.example.org/florin/"+longWord)}},
		From: input("quiet_from", "time", "Quiet from", "22:00"), Until: input("quiet_until", "time", "Quiet until", "07:00"),
		Zone: input("zone", "text", "Time zone", "Europe/Berlin"), Cap: input("cap", "text", "Maximum number of messages a day", "10"),
		Digest:   []ui.Option{{Value: "weekly", Text: "On Mondays, about the week before", Selected: true}, {Value: "monthly", Text: "On the first, about the month before"}},
		Above:    input("above", "text", "Tell me about bookings of this amount or more", "500.00"),
		Currency: []ui.Option{{Value: "EUR", Text: "EUR", Selected: true}, {Value: "SEK", Text: "SEK"}},
		Lines:    []ui.Input{input("line-1", "text", "Household", "250.00"), input("line-2", "text", oddText+longWord, "")},
		Searches: []pages.NotificationSwitch{{Text: "Rent", Value: "s1", On: true}, {Text: longWord, Value: "s2"}},
	}
	for i, name := range []string{"Unusual direct debits", "A balance below your limit", "Bookings that match a saved search", "The summary"} {
		k := pages.NotificationKind{Name: name}
		if i == 1 {
			k.Hint = "You set what counts under “Your limits”."
		}
		for j, channel := range []string{"E-mail", "ntfy", "Webhook"} {
			k.Switches = append(k.Switches, pages.NotificationSwitch{Text: channel, Label: name + " by " + channel, Value: string(rune('a'+i)) + "." + channel,
				On: (i+j)%2 == 0})
		}
		v.Kinds = append(v.Kinds, k)
	}
	if wrong {
		v.Ntfy.Notice = &ui.Notice{Tone: ui.Warning, Title: "A message could not be sent at 14:02",
			Text: "The server answers with an error of its own. Florin tries again, after longer and longer pauses."}
		v.Webhook.Fields[0].Problem = "The address belongs to a private network. Whoever runs this server can allow such addresses with the setting --private-channels."
		v.Cap.Problem, v.Cap.Value = "Enter a number from 1 to 100.", "0"
		v.Lines[1].Problem, v.Lines[1].Value = "Enter the amount with digits and decimals, such as 12.30.", longWord
	}
	return v
}

// noNotifications is the page of somebody new, without a mail server and without accounts.
func noNotifications() pages.NotificationsView {
	v := notifications(false)
	v.Mail.On, v.Mail.Facts = false, v.Mail.Facts[:1]
	v.Ntfy.On, v.Ntfy.Facts, v.Webhook.On, v.Webhook.Secret = false, nil, false, ""
	v.Currency, v.Lines, v.Searches = nil, nil, nil
	for i := range v.Kinds {
		v.Kinds[i].Switches = v.Kinds[i].Switches[:1]
	}
	return v
}
