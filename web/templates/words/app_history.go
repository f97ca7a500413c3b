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
	},
}
