package words

// appMerge is transactions that are one.
var appMerge = area{
	texts: map[Text]string{
		"The same as another transaction":             "Derselbe wie ein anderer Umsatz",
		"This is the same as another transaction":     "Das ist derselbe wie ein anderer Umsatz",
		"This may be the same as another transaction": "Das ist vielleicht derselbe wie ein anderer Umsatz",
		"One transaction from several":                "Ein Umsatz aus mehreren",
		"You merged them on %s.":                      "Zusammengefasst am %s.",
		"Separate":                                    "Trennen",
		"You said that these are the same transaction. When you separate them, each is again what it was. What you changed since stays with this one.": "Sie haben gesagt, dass dies derselbe Umsatz ist. Wenn Sie trennen, ist jeder wieder, was er war. Was Sie seither geändert haben, bleibt bei diesem.",
		"Compare the two": "Beide vergleichen",
		"Choose the transaction that is the same as this one. You will see both before anything changes.": "Wählen Sie den Umsatz, der derselbe ist wie dieser. Sie sehen beide, bevor sich etwas ändert.",
		"These may be the same":               "Diese sind vielleicht dieselben",
		"These two cannot be one transaction": "Diese beiden können nicht ein Umsatz sein",
		"What the one transaction will be":    "So wird der eine Umsatz",
		"Merge them into one transaction":     "Zu einem Umsatz zusammenfassen",
		"Choose another one":                  "Einen anderen wählen",
		"This one stays":                      "Dieser bleibt",
		"This one goes into it":               "Dieser geht in ihm auf",
		"The first":                           "Der erste",
		"The second":                          "Der zweite",
		"They are on different accounts. When money went from one to the other, say on the page of one of them that it is a transfer.": "Sie stehen auf verschiedenen Konten. Ging Geld vom einen auf das andere, sagen Sie auf der Seite eines der beiden, dass es eine Umbuchung ist.",
		"They have different amounts, %s and %s. They can be the same transaction only if the bank no longer lists one of them.":       "Sie haben verschiedene Beträge, %s und %s. Dann können sie nur derselbe Umsatz sein, wenn die Bank einen der beiden nicht mehr aufführt.",
		"You sent a payment for each of the two. The bank booked both.":                                                                "Sie haben für jeden der beiden eine Zahlung gesendet. Die Bank hat beide gebucht.",
		"Each of the two is already merged from several. Separate one of them first.":                                                  "Jeder der beiden ist schon aus mehreren zusammengefasst. Trennen Sie zuerst einen davon.",
		"It has the amount, the date and the text of the first one. The second one no longer appears in lists and totals.":             "Er hat Betrag, Datum und Text des ersten. Der zweite erscheint nicht mehr in Listen und Summen.",
		"The note of the second one comes below its own.":                                                                              "Die Notiz des zweiten kommt unter seine eigene.",
		"It gets the tags %s.": "Er bekommt die Schlagwörter %s.",
		"It gets the category %s, which you chose for the second one.":                "Er bekommt die Kategorie %s, die Sie für den zweiten gewählt haben.",
		"It stays in %s. You chose %s for the second one.":                            "Er bleibt in %s. Für den zweiten haben Sie %s gewählt.",
		"It is split into the parts of the second one.":                               "Er wird aufgeteilt wie der zweite.",
		"Both are split into parts. It keeps those of the first one.":                 "Beide sind aufgeteilt. Er behält die Teile des ersten.",
		"It does not get the parts of the second one: they add up to another amount.": "Die Teile des zweiten bekommt er nicht: Sie ergeben einen anderen Betrag.",
		"It is the booking of the payment that you sent.":                             "Er ist die Buchung der Zahlung, die Sie gesendet haben.",
		"You can separate the two again at any time.":                                 "Sie können die beiden jederzeit wieder trennen.",
		"These two are one transaction now.":                                          "Diese beiden sind jetzt ein Umsatz.",
		"These are two transactions again.":                                           "Das sind wieder zwei Umsätze.",
		"Found":                                                                       "Gefunden",
		"%s on %s: %s":                                                                "%s am %s: %s",
	},
	counts: map[Text][2]forms{
		"Together they have more than %d tags. Remove some first.": {
			{"Together they have more than %[1]d tag. Remove some first.", "Together they have more than %[1]d tags. Remove some first."},
			{"Zusammen haben sie mehr als %[1]d Schlagwort. Entfernen Sie zuerst einige.", "Zusammen haben sie mehr als %[1]d Schlagwörter. Entfernen Sie zuerst einige."}},
		"Their notes together have more than %d characters. Shorten one first.": {
			{"Their notes together have more than %[1]d character. Shorten one first.", "Their notes together have more than %[1]d characters. Shorten one first."},
			{"Ihre Notizen haben zusammen mehr als %[1]d Zeichen. Kürzen Sie zuerst eine.", "Ihre Notizen haben zusammen mehr als %[1]d Zeichen. Kürzen Sie zuerst eine."}},
		"Together they have more than %d files. Remove some first.": {
			{"Together they have more than %[1]d file. Remove some first.", "Together they have more than %[1]d files. Remove some first."},
			{"Zusammen haben sie mehr als %[1]d Datei. Entfernen Sie zuerst einige.", "Zusammen haben sie mehr als %[1]d Dateien. Entfernen Sie zuerst einige."}},
		"It gets %d files.": {
			{"It gets %[1]d file.", "It gets %[1]d files."},
			{"Er bekommt %[1]d Datei.", "Er bekommt %[1]d Dateien."}},
		"%d files": {
			{"%[1]d file", "%[1]d files"},
			{"%[1]d Datei", "%[1]d Dateien"}},
	},
}
