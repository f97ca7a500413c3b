package words

// appAnnotation is what a person keeps with a transaction.
var appAnnotation = area{
	texts: map[Text]string{
		"Mark as reviewed":      "Als geprüft markieren",
		"Key: %s":               "Taste: %s",
		"Review it again later": "Später noch einmal prüfen",
		"Your note and tags":    "Ihre Notiz und Schlagwörter",
		"Your note":             "Ihre Notiz",
		"Tags":                  "Schlagwörter",
		"Write a comma between two tags, for example: holiday, tax. Nobody but you sees your note and tags.": "Setzen Sie zwischen zwei Schlagwörter ein Komma, zum Beispiel: Urlaub, Steuer. Niemand außer Ihnen sieht Ihre Notiz und Ihre Schlagwörter.",
		"Tags you have used: %s":        "Ihre bisherigen Schlagwörter: %s",
		"Your note and tags are saved.": "Ihre Notiz und Ihre Schlagwörter sind gespeichert.",
		"Save note and tags":            "Notiz und Schlagwörter speichern",
		"This transaction is reviewed.": "Dieser Umsatz ist geprüft.",
	},
	counts: map[Text][2]forms{
		"A note may have %d characters at most. This one has %d.": {
			{"A note may have %[1]d characters at most. This one has %[2]d.", "A note may have %[1]d characters at most. This one has %[2]d."},
			{"Eine Notiz darf höchstens %[1]d Zeichen haben. Diese hat %[2]d.", "Eine Notiz darf höchstens %[1]d Zeichen haben. Diese hat %[2]d."},
		},
		"A tag may have %d characters at most. Write a comma between two tags.": {
			{"A tag may have %[1]d character at most. Write a comma between two tags.", "A tag may have %[1]d characters at most. Write a comma between two tags."},
			{"Ein Schlagwort darf höchstens %[1]d Zeichen haben. Setzen Sie zwischen zwei Schlagwörter ein Komma.", "Ein Schlagwort darf höchstens %[1]d Zeichen haben. Setzen Sie zwischen zwei Schlagwörter ein Komma."},
		},
		"A transaction may have %d tags at most.": {
			{"A transaction may have %[1]d tag at most.", "A transaction may have %[1]d tags at most."},
			{"Ein Umsatz darf höchstens %[1]d Schlagwort haben.", "Ein Umsatz darf höchstens %[1]d Schlagwörter haben."},
		},
	},
}
