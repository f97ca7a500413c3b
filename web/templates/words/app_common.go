package words

// appCommon is what several areas show: lists of names, times and days.
var appCommon = area{
	texts: map[Text]string{
		"Copy":                            "Kopieren",
		"Copied":                          "Kopiert",
		"Undo":                            "Rückgängig machen",
		"Write a comma between two tags.": "Setzen Sie ein Komma zwischen zwei Schlagwörter.",
		"%s and %s":                       "%s und %s",
		"of %s":                           "von %s",
		"First day":                       "Erster Tag",

		// While the databases are brought up to date.
		"Florin is updating its database":                                                                  "Florin aktualisiert seine Datenbank",
		"Step %s of %s. With many transactions this takes some minutes.":                                   "Schritt %s von %s. Bei vielen Umsätzen dauert das einige Minuten.",
		"Please wait. This page reloads by itself. Florin first copies your data into the folder backups.": "Bitte warten Sie: Diese Seite lädt sich selbst neu. Florin kopiert Ihre Daten zuerst in den Ordner backups.",

		// Names of facts.
		"Account":       "Konto",
		"Bank":          "Bank",
		"Reference":     "Referenz",
		"Text":          "Verwendungszweck",
		"All":           "Alle",
		"Payment to %s": "Zahlung an %s",
		"Details":       "Einzelheiten",
		"Name":          "Name",
		"To review":     "Zu prüfen",
		"Note":          "Hinweis",
		"Note#person":   "Notiz",
		"Status":        "Status",

		// Times.
		"now":             "jetzt",
		"at %s":           "um %s",
		"on %s":           "am %s",
		"%s at %s":        "%s um %s",
		"yesterday %s":    "gestern %s",
		"yesterday at %s": "gestern um %s",
		"tomorrow at %s":  "morgen um %s",
		"Today, %s":       "Heute, %s",
		"Yesterday, %s":   "Gestern, %s",
		"Without a date":  "Ohne Datum",

		// Names of pages that several link to.
		"Banking services": "Bankdienste",
		"Pay many at once": "Sammelüberweisung",
		"Pay":              "Zahlen",
		"See the payment":  "Zahlung ansehen",
		"Save":             "Speichern",

		// Files.
		"A private key has only a few KiB, so this must be another file. Nothing was saved.":              "Ein privater Schlüssel hat nur wenige KiB, also ist das eine andere Datei. Es wurde nichts gespeichert.",
		"Choose the file with the private key. Its name often ends in .pem.":                              "Wählen Sie die Datei mit dem privaten Schlüssel. Ihr Name endet oft auf .pem.",
		"A file with payments may have %s KiB at most. Nothing was saved and nothing was sent.":           "Eine Datei mit Zahlungen darf höchstens %s KiB groß sein. Es wurde nichts gespeichert und nichts gesendet.",
		"Split it into smaller files. When you go back in your browser, what you entered is still there.": "Teilen Sie sie in kleinere Dateien auf. Wenn Sie im Browser zurückgehen, ist noch da, was Sie eingegeben haben.",
	},
	counts: map[Text][2]forms{
		"%d seconds ago": {{"%[1]d second ago", "%[1]d seconds ago"}, {"vor %[1]d Sekunde", "vor %[1]d Sekunden"}},
		"%d minutes ago": {{"%[1]d minute ago", "%[1]d minutes ago"}, {"vor %[1]d Minute", "vor %[1]d Minuten"}},
		"%d hours ago":   {{"%[1]d hour ago", "%[1]d hours ago"}, {"vor %[1]d Stunde", "vor %[1]d Stunden"}},
		"%d hours":       {{"%[1]d hour", "%[1]d hours"}, {"%[1]d Stunde", "%[1]d Stunden"}},
		"%d days":        {{"%[1]d day", "%[1]d days"}, {"%[1]d Tag", "%[1]d Tage"}},
		"%d days old":    {{"%[1]d day old", "%[1]d days old"}, {"%[1]d Tag alt", "%[1]d Tage alt"}},
	},
}
