package words

// appCharts is what charts say of themselves.
var appCharts = area{
	texts: map[Text]string{
		// Units of an axis.
		"%s m":  "%s Mio.",
		"%s bn": "%s Mrd.",
		"%s tn": "%s Bio.",

		"Figures":                           "Zahlen",
		"Lowest":                            "Niedrigster",
		"Highest":                           "Höchster",
		"The dashed part is in the future.": "Der gestrichelte Teil liegt in der Zukunft.",
		"Nothing is known about this period yet.": "Über diesen Zeitraum ist noch nichts bekannt.",
		"%s (%s).":                    "%s (%s).",
		"Difference":                  "Differenz",
		"%s, money in":                "%s, Eingänge",
		"%s, money out":               "%s, Ausgänge",
		"Money in, above the line":    "Eingänge, über der Linie",
		"Money out, below it":         "Ausgänge, darunter",
		"The largest amount: %s, %s.": "Der größte Betrag: %s, %s.",
		"The largest amount: %s, %s. For comparison: %s (%s).":        "Der größte Betrag: %s, %s. Zum Vergleich: %s (%s).",
		"There is nothing on any day.":                                "An keinem Tag gibt es etwas.",
		"Most came from %s: %s.":                                      "Das meiste kam von %s: %s.",
		"Most went to %s: %s.":                                        "Das meiste ging an %s: %s.",
		"From %s (%s) to %s (%s). Lowest: %s (%s). Highest: %s (%s).": "Von %s (%s) auf %s (%s). Niedrigster Stand: %s (%s). Höchster Stand: %s (%s).",
	},
	counts: map[Text][2]forms{
		"%d days: %s in total. The most was on %s: %s.": {
			{"%[1]d day: %[2]s in total. The most was on %[3]s: %[4]s.", "%[1]d days: %[2]s in total. The most was on %[3]s: %[4]s."},
			{"%[1]d Tag: zusammen %[2]s. Am meisten war es am %[3]s: %[4]s.", "%[1]d Tage: zusammen %[2]s. Am meisten war es am %[3]s: %[4]s."}},
		"%d months: %s came in and %s went out. The difference is %s.": {
			{"%[1]d month: %[2]s came in and %[3]s went out. The difference is %[4]s.", "%[1]d months: %[2]s came in and %[3]s went out. The difference is %[4]s."},
			{"%[1]d Monat: %[2]s kamen ein, %[3]s gingen aus. Die Differenz ist %[4]s.", "%[1]d Monate: %[2]s kamen ein, %[3]s gingen aus. Die Differenz ist %[4]s."}},
	},
}
