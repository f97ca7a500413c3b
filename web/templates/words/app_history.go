package words

// appHistory is what a bank has changed about a transaction.
var appHistory = area{
	texts: map[Text]string{
		"What the bank has changed": "Was die Bank geändert hat",
		"Changed on %s":             "Geändert am %s",
		"Nothing#before":            "Keine Angabe",
		"Amount before":             "Betrag vorher",
		"Date before":               "Datum vorher",
		"Booked on, before":         "Gebucht am, vorher",
		"Value date before":         "Wertstellung vorher",
		"Name before":               "Name vorher",
		"Account before":            "Konto vorher",
		"Text before":               "Verwendungszweck vorher",

		// An account as it was known on a day.
		"As it was known on":                                          "Stand vom",
		"%s as it was known":                                          "%s, wie es bekannt war",
		"Show the account of that day":                                "Konto an diesem Tag zeigen",
		"You are looking at the end of %s":                            "Sie sehen den Stand am Ende des %s",
		"This is what Florin knew then. Nothing can be changed here.": "Das war Florin damals bekannt. Hier lässt sich nichts ändern.",
		"Back to today":                                               "Zurück zu heute",
		"Florin has known this account since %s. Enter this day or a later one.":                                                                                           "Florin kennt dieses Konto seit dem %s. Geben Sie diesen Tag oder einen späteren ein.",
		"Florin has recorded changes since %s. For an earlier day, it knows only which transactions were already there, and shows them as they were when recording began.": "Florin zeichnet Änderungen seit dem %s auf. Von einem Tag davor weiß es nur, welche Umsätze schon da waren, und zeigt sie so, wie sie bei Beginn der Aufzeichnung waren.",
		"Changed since":             "Seitdem geändert",
		"Gone since":                "Seitdem verschwunden",
		"No transaction was known.": "Es war kein Umsatz bekannt.",
		"No balance was known.":     "Es war kein Kontostand bekannt.",
		"Categories, notes and tags are left out: Florin keeps only how they are today.": "Kategorien, Notizen und Schlagwörter fehlen: Florin bewahrt nur auf, wie sie heute sind.",

		// What is new.
		"New since you last looked":                      "Neu, seit Sie zuletzt nachgesehen haben",
		"Mark as seen":                                   "Als gesehen markieren",
		"Marked as seen.":                                "Als gesehen markiert.",
		"%s since %s":                                    "%s seit %s",
		"Since %s":                                       "Seit %s",
		"Listed by the bank again":                       "Wieder von der Bank aufgeführt",
		"This address does not contain a time.":          "Diese Adresse enthält keinen Zeitpunkt.",
		"This form does not contain a time.":             "Dieses Formular enthält keinen Zeitpunkt.",
		"Open what is new from the page of the account.": "Öffnen Sie das Neue von der Seite des Kontos aus.",
		"Florin is fetching this account for the first time. These transactions are not listed here.": "Florin ruft dieses Konto zum ersten Mal ab. Diese Umsätze stehen hier nicht.",
		"Florin can show you which transactions of this account are new, changed or gone.":            "Florin kann Ihnen zeigen, welche Umsätze dieses Kontos neu, geändert oder verschwunden sind.",
		"Show me from now on": "Ab jetzt anzeigen",
		"From now on Florin shows you what is new on this account.": "Ab jetzt zeigt Ihnen Florin, was auf diesem Konto neu ist.",
		"You have marked this as seen.":                             "Sie haben das als gesehen markiert.",
	},
	counts: map[Text][2]forms{
		"%d changed":          {{"%[1]d changed", "%[1]d changed"}, {"%[1]d geändert", "%[1]d geändert"}},
		"%d gone":             {{"%[1]d gone", "%[1]d gone"}, {"%[1]d verschwunden", "%[1]d verschwunden"}},
		"At least %d new":     {{"At least %[1]d new", "At least %[1]d new"}, {"Mindestens %[1]d neu", "Mindestens %[1]d neu"}},
		"At least %d changed": {{"At least %[1]d changed", "At least %[1]d changed"}, {"Mindestens %[1]d geändert", "Mindestens %[1]d geändert"}},
		"At least %d gone":    {{"At least %[1]d gone", "At least %[1]d gone"}, {"Mindestens %[1]d verschwunden", "Mindestens %[1]d verschwunden"}},
		"Nothing is new. The %d transactions that were there before are not listed.": {
			{"Nothing is new. The one transaction that was there before is not listed.", "Nothing is new. The %[1]d transactions that were there before are not listed."},
			{"Es gibt nichts Neues. Der eine Umsatz, der schon da war, steht hier nicht.", "Es gibt nichts Neues. Die %[1]d Umsätze, die schon da waren, stehen hier nicht."}},
	},
}
