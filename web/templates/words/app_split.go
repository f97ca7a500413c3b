package words

// appSplit is the parts of a transaction.
var appSplit = area{
	texts: map[Text]string{
		"Split: %s":                         "Aufgeteilt: %s",
		"No category":                       "Keine Kategorie",
		"Split a transaction":               "Umsatz aufteilen",
		"Split this transaction into parts": "Diesen Umsatz aufteilen",
		"Change the parts":                  "Teile ändern",
		"Save the parts":                    "Teile speichern",
		"Add a part":                        "Teil hinzufügen",
		"Undo the split":                    "Aufteilung rückgängig machen",
		"The split is undone.":              "Die Aufteilung ist rückgängig gemacht.",
		"Amount in %s":                      "Betrag in %s",
		"The parts must add up to the whole amount.":                            "Die Teile müssen zusammen den ganzen Betrag ergeben.",
		"The parts do not add up to this transaction":                           "Die Teile ergeben nicht diesen Umsatz",
		"They add up to %s, but the amount is now %s. Please change the parts.": "Zusammen sind es %s, der Betrag ist aber jetzt %s. Bitte ändern Sie die Teile.",
		"Enter the amount of each part, without a sign. Write a minus before a part that goes the other way, for example a voucher or a deposit you got back. Leave one amount empty, and that part gets the rest.": "Geben Sie zu jedem Teil den Betrag ohne Vorzeichen ein. Setzen Sie ein Minus vor einen Teil in der anderen Richtung, zum Beispiel einen Gutschein oder ein Pfand. Lassen Sie einen Betrag leer, bekommt dieser Teil den Rest.",
		"Enter an amount. Only one part gets the rest.":               "Geben Sie einen Betrag ein. Nur ein Teil bekommt den Rest.",
		"It is not clear yet what is left: please check the amounts.": "Was übrig bleibt, steht noch nicht fest: Bitte prüfen Sie die Beträge.",
		"The parts are %s too much.":                                  "Die Teile sind zusammen um %s zu hoch.",
		"Still left: %s.":                                             "Noch übrig: %s.",
		"Nothing is left: the parts add up to the whole amount.":      "Es bleibt nichts übrig: Die Teile ergeben den ganzen Betrag.",
	},
	counts: map[Text][2]forms{
		"Part %d": {{"Part %[1]d", "Part %[1]d"}, {"Teil %[1]d", "Teil %[1]d"}},
		"Part %d gets the rest: %s.": {
			{"Part %[1]d gets the rest: %[2]s.", "Part %[1]d gets the rest: %[2]s."},
			{"Teil %[1]d bekommt den Rest: %[2]s.", "Teil %[1]d bekommt den Rest: %[2]s."}},
		"Nothing is left for part %d.": {
			{"Nothing is left for part %[1]d.", "Nothing is left for part %[1]d."}, {"Für Teil %[1]d bleibt nichts übrig.", "Für Teil %[1]d bleibt nichts übrig."}},
		"This transaction is split into %d parts.": {
			{"This transaction is split into %[1]d part.", "This transaction is split into %[1]d parts."},
			{"Dieser Umsatz ist in %[1]d Teil aufgeteilt.", "Dieser Umsatz ist in %[1]d Teile aufgeteilt."}},
		"A split has at least %d parts.": {
			{"A split has at least %[1]d part.", "A split has at least %[1]d parts."},
			{"Eine Aufteilung hat mindestens %[1]d Teil.", "Eine Aufteilung hat mindestens %[1]d Teile."}},
		"A split has %d parts at most.": {
			{"A split has %[1]d part at most.", "A split has %[1]d parts at most."},
			{"Eine Aufteilung hat höchstens %[1]d Teil.", "Eine Aufteilung hat höchstens %[1]d Teile."}},
		"The note of a part may have %d characters at most.": {
			{"The note of a part may have %[1]d character at most.", "The note of a part may have %[1]d characters at most."},
			{"Die Notiz zu einem Teil darf höchstens %[1]d Zeichen haben.", "Die Notiz zu einem Teil darf höchstens %[1]d Zeichen haben."}},
	},
}
