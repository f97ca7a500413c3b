package words

// appSavedSearches is the searches that are kept under a name.
var appSavedSearches = area{
	texts: map[Text]string{
		"Saved searches":        "Gespeicherte Suchen",
		"Change saved searches": "Gespeicherte Suchen ändern",
		"Save this search":      "Diese Suche speichern",
		"Save a search":         "Suche speichern",
		"Save the search":       "Suche speichern",
		"They are shown above your transactions and on the overview.":         "Sie stehen über Ihren Umsätzen und in der Übersicht.",
		"As you type it in the search field, for example: payee:lidl last:3m": "So, wie Sie sie im Suchfeld eingeben, zum Beispiel: payee:lidl last:3m",
		"Type what to look for.":                                    "Geben Sie ein, was Sie suchen.",
		"The search %s is saved.":                                   "Die Suche %s ist gespeichert.",
		"The search %s is deleted.":                                 "Die Suche %s ist gelöscht.",
		"You already have a search called %s. Choose another name.": "Sie haben schon eine Suche mit dem Namen %s. Wählen Sie einen anderen Namen.",
		"Delete this search":                                        "Diese Suche löschen",
		"Delete the search":                                         "Suche löschen",
		"Only the saved search is deleted. Your transactions stay as they are.": "Nur die gespeicherte Suche wird gelöscht. Ihre Umsätze bleiben, wie sie sind.",
		"This search no longer works. Open it to see why.":                      "Diese Suche funktioniert nicht mehr. Öffnen Sie sie, um den Grund zu sehen.",
	},
	counts: map[Text][2]forms{
		"More than %d transactions": {{"More than %[1]d transaction", "More than %[1]d transactions"}, {"Mehr als %[1]d Umsatz", "Mehr als %[1]d Umsätze"}},
		"You have saved %d searches, which is the most there can be. Delete one first.": {
			{"You have saved %[1]d search, which is the most there can be. Delete one first.", "You have saved %[1]d searches, which is the most there can be. Delete one first."},
			{"Sie haben %[1]d Suche gespeichert. Mehr geht nicht. Löschen Sie zuerst eine.", "Sie haben %[1]d Suchen gespeichert. Mehr geht nicht. Löschen Sie zuerst eine."}},
	},
}
