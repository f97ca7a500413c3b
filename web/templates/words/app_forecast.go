package words

// appForecast is what will be on the accounts.
var appForecast = area{
	texts: map[Text]string{
		"%s from %s":                       "%s von %s",
		"How good the forecast was":        "Wie gut die Vorschau war",
		"Today":                            "Heute",
		"Forecast":                         "Vorschau",
		"Export this forecast":             "Vorschau exportieren",
		"What is coming":                   "Was kommt",
		"There is nothing to forecast yet": "Noch gibt es keine Vorschau",
		"Florin needs an account whose balance is known.":                                             "Florin braucht ein Konto, dessen Kontostand bekannt ist.",
		"Florin knows of no payment that is coming: none that you ordered, and none that is regular.": "Florin kennt keine Zahlung, die ansteht: keine, die Sie beauftragt haben, und keine regelmäßige.",
		"Everything that is coming, and the forecast":                                                 "Alles, was kommt, und die Vorschau",
		"See the forecast": "Vorschau ansehen",

		"Left until payday on %s: %s": "Übrig bis zum nächsten Geldeingang am %s: %s",
		"On %s. Regular and planned payments until then: %s. Your everyday spending is not known yet.": "Auf %s. Regelmäßige und geplante Zahlungen bis dahin: %s. Ihre Alltagsausgaben sind noch nicht bekannt.",
		"On %s. Regular and planned payments until then: %s. Everyday spending until then: about %s.":  "Auf %s. Regelmäßige und geplante Zahlungen bis dahin: %s. Alltagsausgaben bis dahin: etwa %s.",
		"%s goes below zero on %s":                                                                         "%s rutscht am %s ins Minus",
		"If everything happens as expected, the balance will be %s then.":                                  "Wenn alles kommt wie erwartet, sind es dann %s.",
		"If everything happens as expected, the balance will be %s then. The lowest balance is %s, on %s.": "Wenn alles kommt wie erwartet, sind es dann %s. Am niedrigsten ist der Kontostand mit %s am %s.",
		"All accounts in %s":                   "Alle Konten in %s",
		"The lowest balance is %s, on %s.":     "Am niedrigsten ist der Kontostand mit %s am %s.",
		"The balance stays above today’s: %s.": "Der Kontostand bleibt über dem von heute: %s.",
		"Balance in the next %d days, in %s":   "Kontostand der nächsten %d Tage, in %s",
		"Lowest: %s":                           "Niedrigster Stand: %s",
		"Everyday spending, in %s":             "Alltagsausgaben, in %s",
		"Everyday":                             "Alltag",
		"Everyday spending in a month":         "Alltagsausgaben im Monat",
		"Florin does not know your everyday spending yet. It needs a whole month of transactions.":      "Florin kennt Ihre Alltagsausgaben noch nicht. Dafür braucht es die Umsätze eines ganzen Monats.",
		"Apart from regular payments, about %s more comes in each month than goes out.":                 "Ohne regelmäßige Zahlungen kommen jeden Monat etwa %s mehr herein als hinausgehen.",
		"Apart from regular payments, about %s goes out each month.":                                    "Ohne regelmäßige Zahlungen gehen jeden Monat etwa %s hinaus.",
		"%s of this comes from your budgets.":                                                           "Davon stammen %s aus Ihren Budgets.",
		"Only the balances of these accounts are shared with you, so they count as they are today: %s.": "Von diesen Konten sind nur die Kontostände mit Ihnen geteilt, darum zählen sie so, wie sie heute sind: %s.",
		"There is no forecast for %s, because no balance is known.":                                     "Für %s gibt es keine Vorschau, weil kein Kontostand bekannt ist.",
	},
	counts: map[Text][2]forms{
		"In %s: not known yet. Florin compares a forecast with the balance %d days later, and needs five such days.": {
			{"In %[1]s: not known yet. Florin compares a forecast with the balance %[2]d day later, and needs five such days.", "In %[1]s: not known yet. Florin compares a forecast with the balance %[2]d days later, and needs five such days."},
			{"In %[1]s: noch nicht bekannt. Florin vergleicht, was es für einen Tag voraussagt, %[2]d Tag später mit dem Kontostand und braucht fünf solche Tage.", "In %[1]s: noch nicht bekannt. Florin vergleicht, was es für einen Tag voraussagt, %[2]d Tage später mit dem Kontostand und braucht fünf solche Tage."}},
		"In %s: of %d forecasts, half were off by %s or less after %d days.": {
			{"In %[1]s: of %[2]d forecast, half were off by %[3]s or less after %[4]d days.", "In %[1]s: of %[2]d forecasts, half were off by %[3]s or less after %[4]d days."},
			{"In %[1]s: Von %[2]d Vorschau lag die Hälfte nach %[4]d Tagen höchstens %[3]s daneben.", "In %[1]s: Von %[2]d Vorschauen lag die Hälfte nach %[4]d Tagen höchstens %[3]s daneben."}},
		"This is the average of the last %d months of each account, without the highest and the lowest month. Florin spreads it evenly over the days.": {
			{"This is the average of the last %[1]d month of each account, without the highest and the lowest month. Florin spreads it evenly over the days.", "This is the average of the last %[1]d months of each account, without the highest and the lowest month. Florin spreads it evenly over the days."},
			{"Das ist der Durchschnitt des letzten %[1]d Monats jedes Kontos, ohne den höchsten und den niedrigsten. Florin verteilt ihn auf alle Tage.", "Das ist der Durchschnitt der letzten %[1]d Monate jedes Kontos, ohne den höchsten und den niedrigsten. Florin verteilt ihn auf alle Tage."}},
		"This is the average of the last %d months of each account. Florin spreads it evenly over the days.": {
			{"This is the figure of the last month of each account. Florin spreads it evenly over the days.", "This is the average of the last %[1]d months of each account. Florin spreads it evenly over the days."},
			{"Das ist der Wert des letzten Monats jedes Kontos. Florin verteilt ihn auf alle Tage.", "Das ist der Durchschnitt der letzten %[1]d Monate jedes Kontos. Florin verteilt ihn auf alle Tage."}},
	},
}
