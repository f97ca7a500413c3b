package words

// appCalendar is what calendar programs are told, and the page about their address.
var appCalendar = area{
	texts: map[Text]string{
		"Calendar": "Kalender",
		"Your calendar program can show what Florin expects: debits and income, payments that you ordered, and when consents at banks end.": "Ihr Kalenderprogramm kann zeigen, was Florin erwartet: Abbuchungen und Einnahmen, beauftragte Zahlungen und wann Einwilligungen bei Banken enden.",
		"What is to come, in your calendar program.": "Was ansteht, in Ihrem Kalenderprogramm.",
		"Calendar address":                           "Kalenderadresse",

		// The address.
		"Your calendar address": "Ihre Kalenderadresse",
		"Copy it into your calendar program now. Florin does not show it again. Whoever knows it can read your calendar, without a password.": "Kopieren Sie sie jetzt in Ihr Kalenderprogramm. Florin zeigt sie nicht noch einmal. Wer sie kennt, kann Ihren Kalender lesen, ohne Passwort.",
		"Current address":                      "Aktuelle Adresse",
		"This address was made %s.":            "Diese Adresse wurde %s erstellt.",
		"No calendar program has read it yet.": "Noch hat kein Kalenderprogramm sie gelesen.",
		"A calendar program last read it %s.":  "Ein Kalenderprogramm hat sie zuletzt %s gelesen.",
		"A calendar program asks too often":    "Ein Kalenderprogramm fragt zu oft",
		"Florin answers it once a minute and refuses the other requests. Let it ask every few hours.": "Florin antwortet ihm einmal in der Minute und weist die anderen Anfragen ab. Stellen Sie es so ein, dass es alle paar Stunden fragt.",
		"Turn off this address": "Diese Adresse abschalten",
		"Make an address":       "Adresse erstellen",
		"Make a new address":    "Neue Adresse erstellen",
		"Do this if you lost the address, or if somebody else has seen it. The current address stops working at once.":         "Wenn Sie die Adresse verloren haben oder jemand anderes sie gesehen hat. Die aktuelle Adresse gilt dann sofort nicht mehr.",
		"Florin makes a secret address for your calendar program. You can turn it off at any time.":                            "Florin erstellt eine geheime Adresse für Ihr Kalenderprogramm. Sie können sie jederzeit abschalten.",
		"The address no longer works. Remove the calendar from your calendar program: until then, it shows what it read last.": "Die Adresse gilt nicht mehr. Entfernen Sie den Kalender aus Ihrem Kalenderprogramm: Bis dahin zeigt es, was es zuletzt gelesen hat.",
		"Saved. The calendar program shows it when it asks next.":                                                              "Gespeichert. Das Kalenderprogramm zeigt es, wenn es das nächste Mal fragt.",
		"What the calendar shows":   "Was der Kalender zeigt",
		"Names of payees and banks": "Namen von Empfängern und Banken",
		"How the next events look":  "So sehen die nächsten Termine aus",
		"Without them an event says only what it is, such as “Debit expected”. Its link leads to Florin, where you sign in.": "Ohne sie sagt ein Termin nur, was er ist, etwa „Abbuchung erwartet“. Sein Link führt zu Florin, wo Sie sich anmelden.",

		// How to subscribe.
		"How to subscribe": "So abonnieren Sie ihn",
		"iPhone and iPad":  "iPhone und iPad",
		"In Calendar choose Calendars, Add Calendar, Add Subscription Calendar, and paste the address.": "Wählen Sie in Kalender „Kalender“, „Kalender hinzufügen“, „Kalenderabo hinzufügen“ und fügen Sie die Adresse ein.",
		"Mac": "Mac",
		"In Calendar choose File, New Calendar Subscription, and paste the address.": "Wählen Sie in Kalender „Ablage“, „Neues Kalenderabonnement“ und fügen Sie die Adresse ein.",
		"Thunderbird": "Thunderbird",
		"Choose New Calendar, On the Network, leave the user name empty, and paste the address.": "Wählen Sie „Neuer Kalender“, „Im Netzwerk“, lassen Sie den Benutzernamen leer und fügen Sie die Adresse ein.",
		"Google Calendar": "Google Kalender",
		"On the web choose Other calendars, +, From URL, and paste the address. Android shows it then, too.": "Wählen Sie im Browser „Weitere Kalender“, „+“, „Per URL“ und fügen Sie die Adresse ein. Android zeigt ihn dann auch.",
		"Outlook": "Outlook",
		"On the web choose Add calendar, Subscribe from web, and paste the address.": "Wählen Sie im Browser „Kalender hinzufügen“, „Aus dem Internet abonnieren“ und fügen Sie die Adresse ein.",
		"Android without Google": "Android ohne Google",
		"Install a program for subscriptions, such as ICSx⁵, and paste the address there.":                                                                                    "Installieren Sie ein Programm für Abonnements, etwa ICSx⁵, und fügen Sie die Adresse dort ein.",
		"Google Calendar and Outlook on the web read the address from their own servers. These have to reach this Florin over the internet, and see what is in the calendar.": "Google Kalender und Outlook im Browser lesen die Adresse von ihren eigenen Servern aus. Diese müssen dieses Florin über das Internet erreichen und sehen, was der Kalender enthält.",
		"Calendar programs look for changes when they like, some only once a day.":                                                                                            "Wann Kalenderprogramme nach Änderungen sehen, entscheiden sie selbst, manche nur einmal am Tag.",

		// Events.
		"Payments, income and ends of consents that Florin expects.": "Zahlungen, Einnahmen und das Ende von Einwilligungen, wie Florin sie erwartet.",
		"Debit expected":                          "Abbuchung erwartet",
		"Payment that you ordered":                "Zahlung, die Sie beauftragt haben",
		"Income expected":                         "Einnahme erwartet",
		"Transfer between your accounts expected": "Umbuchung zwischen Ihren Konten erwartet",
		"Payment to send in your bank's app":      "Zahlung, die Sie in der App Ihrer Bank senden",
		"Florin sends nothing. Send it in the app of your bank, unless you have.": "Florin sendet nichts. Senden Sie die Zahlung in der App Ihrer Bank, wenn Sie es noch nicht getan haben.",
		"Consent at a bank ends":                                    "Einwilligung bei einer Bank endet",
		"After that Florin gets no new transactions from the bank.": "Danach erhält Florin von der Bank keine neuen Umsätze mehr.",
		"Renew it here: %s":                                         "Hier erneuern: %s",
		"More about it: %s":                                         "Mehr dazu: %s",
	},
	counts: map[Text][2]forms{
		"%d transfers": {
			{"%[1]d transfer", "%[1]d transfers"},
			{"%[1]d Überweisung", "%[1]d Überweisungen"},
		},
		"The calendar holds %d events. %d later ones are left out.": {
			{"The calendar holds %[1]d event. %[2]d later ones are left out.", "The calendar holds %[1]d events. %[2]d later ones are left out."},
			{"Der Kalender enthält %[1]d Termin. %[2]d spätere sind ausgelassen.", "Der Kalender enthält %[1]d Termine. %[2]d spätere sind ausgelassen."},
		},
		"%d more events are not in this calendar": {
			{"%[1]d more event is not in this calendar", "%[1]d more events are not in this calendar"},
			{"%[1]d weiterer Termin ist nicht in diesem Kalender", "%[1]d weitere Termine sind nicht in diesem Kalender"},
		},
		"A calendar holds %d events at most. Florin shows all that is to come.": {
			{"A calendar holds %[1]d event at most. Florin shows all that is to come.", "A calendar holds %[1]d events at most. Florin shows all that is to come."},
			{"Ein Kalender enthält höchstens %[1]d Termin. Florin zeigt alles, was ansteht.", "Ein Kalender enthält höchstens %[1]d Termine. Florin zeigt alles, was ansteht."},
		},
	},
}
