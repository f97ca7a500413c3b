package words

// appForecast is what will be on the accounts.
var appForecast = area{
	texts: map[Text]string{
		"%s from %s":                       "%s von %s",
		"How good the forecast was":        "Wie gut die Vorschau war",
		"Today":                            "Heute",
		"Forecast":                         "Vorschau",
		"What comes":                       "Was kommt",
		"There is nothing to forecast yet": "Noch gibt es keine Vorschau",
		"Florin needs an account whose balance is known.":                                                          "Florin braucht ein Konto, dessen Kontostand bekannt ist.",
		"Florin knows of nothing that comes: no payment that you ordered, and nothing that comes again and again.": "Florin weiß von nichts, das kommt: keine Zahlung, die Sie beauftragt haben, und nichts, was regelmäßig wiederkommt.",
		"All that comes, and the forecast":                                                                         "Alles, was kommt, und die Vorschau",
		"See the forecast":                                                                                         "Vorschau ansehen",

		"Left until payday on %s: %s":                                              "Übrig bis zum nächsten Geldeingang am %s: %s",
		"On %s. Known to come until then: %s. Your everyday is not known yet.":     "Auf %s. Bis dahin stehen fest: %s. Ihr Alltag ist noch nicht bekannt.",
		"On %s. Known to come until then: %s. The everyday until then: about %s.":  "Auf %s. Bis dahin stehen fest: %s. Der Alltag bis dahin: etwa %s.",
		"%s goes below zero on %s":                                                 "%s rutscht am %s ins Minus",
		"If all comes as expected, there will be %s then.":                         "Wenn alles kommt wie erwartet, sind es dann %s.",
		"If all comes as expected, there will be %s then. The least is %s, on %s.": "Wenn alles kommt wie erwartet, sind es dann %s. Am wenigsten sind es %s am %s.",
		"All accounts in %s":                                                       "Alle Konten in %s",
		"The least is %s, on %s.":                                                  "Am wenigsten sind es %s am %s.",
		"It will not be less than today: %s.":                                      "Es wird nicht weniger als heute: %s.",
		"Balance in the next %d days, in %s":                                       "Kontostand der nächsten %d Tage, in %s",
		"Lowest: %s":                                                               "Am wenigsten: %s",
		"The everyday, in %s":                                                      "Der Alltag, in %s",
		"Everyday":                                                                 "Alltag",
		"Everyday in a month":                                                      "Alltag im Monat",
		"Florin does not know the everyday yet: that takes a whole month of transactions.":    "Florin kennt den Alltag noch nicht: Dafür braucht es die Umsätze eines ganzen Monats.",
		"About %s more comes in each month than goes out, beside what comes again and again.": "Jeden Monat kommen etwa %s mehr herein als hinausgehen, ohne das, was regelmäßig wiederkommt.",
		"About %s goes out each month beside what comes again and again.":                     "Jeden Monat gehen etwa %s hinaus, ohne das, was regelmäßig wiederkommt.",
		"Your budgets set %s of it.":                          "Davon legen Ihre Budgets %s fest.",
		"Of %s no balance is known, so there is no forecast.": "Von %s ist kein Kontostand bekannt, also gibt es keine Vorschau.",
	},
	counts: map[Text][2]forms{
		"In %s: not known yet. Florin compares what it tells of a day with what is there %d days later, and needs five such days.": {
			{"In %[1]s: not known yet. Florin compares what it tells of a day with what is there %[2]d day later, and needs five such days.", "In %[1]s: not known yet. Florin compares what it tells of a day with what is there %[2]d days later, and needs five such days."},
			{"In %[1]s: noch nicht bekannt. Florin vergleicht, was es für einen Tag voraussagt, %[2]d Tag später mit dem Kontostand und braucht fünf solche Tage.", "In %[1]s: noch nicht bekannt. Florin vergleicht, was es für einen Tag voraussagt, %[2]d Tage später mit dem Kontostand und braucht fünf solche Tage."}},
		"In %s: of %d forecasts, half were off by %s or less after %d days.": {
			{"In %[1]s: of %[2]d forecast, half were off by %[3]s or less after %[4]d days.", "In %[1]s: of %[2]d forecasts, half were off by %[3]s or less after %[4]d days."},
			{"In %[1]s: Von %[2]d Vorschau lag die Hälfte nach %[4]d Tagen höchstens %[3]s daneben.", "In %[1]s: Von %[2]d Vorschauen lag die Hälfte nach %[4]d Tagen höchstens %[3]s daneben."}},
		"It is the mean of the last %d months of each account, without the month with the most and the one with the least. Florin spreads it over all days.": {
			{"It is the mean of the last %[1]d month of each account, without the month with the most and the one with the least. Florin spreads it over all days.", "It is the mean of the last %[1]d months of each account, without the month with the most and the one with the least. Florin spreads it over all days."},
			{"Das ist der Durchschnitt des letzten %[1]d Monats jedes Kontos, ohne den höchsten und den niedrigsten. Florin verteilt ihn auf alle Tage.", "Das ist der Durchschnitt der letzten %[1]d Monate jedes Kontos, ohne den höchsten und den niedrigsten. Florin verteilt ihn auf alle Tage."}},
		"It is the mean of the last %d months of each account. Florin spreads it over all days.": {
			{"It is what was left in the last month of each account. Florin spreads it over all days.", "It is the mean of the last %[1]d months of each account. Florin spreads it over all days."},
			{"Das ist der Wert des letzten Monats jedes Kontos. Florin verteilt ihn auf alle Tage.", "Das ist der Durchschnitt der letzten %[1]d Monate jedes Kontos. Florin verteilt ihn auf alle Tage."}},
	},
}
