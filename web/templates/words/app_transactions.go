package words

// appTransactions is the page of a transaction.
var appTransactions = area{
	texts: map[Text]string{
		"Transaction without a name":                "Umsatz ohne Namen",
		"Florin first fetched this on %s.":          "Florin hat diesen Umsatz zum ersten Mal am %s abgerufen.",
		"The bank no longer lists this transaction": "Die Bank führt diesen Umsatz nicht mehr auf",
		"It was booked when Florin fetched it. It stays here: Florin never deletes a booked transaction by itself.": "Er war gebucht, als Florin ihn abgerufen hat. Er bleibt hier: Florin löscht einen gebuchten Umsatz nie von selbst.",
		"To your account":   "Auf Ihr Konto",
		"From your account": "Von Ihrem Konto",
		"Received from":     "Erhalten von",
		"Paid to":           "Gezahlt an",
		"Transfer back":     "Zurücküberweisen",
		"Transfer again":    "Noch einmal überweisen",
		"Pay back":          "Zurückzahlen",
		"Pay again":         "Noch einmal zahlen",

		"Your payment":         "Ihre Zahlung",
		"Receipt":              "Beleg",
		"You confirmed it %s.": "Sie haben sie %s bestätigt.",
		"This is the payment of %s from your standing order to %s.": "Das ist die Zahlung vom %s aus Ihrem Dauerauftrag an %s.",
		"Your bank booked one total for %s.":                        "Ihre Bank hat für %s eine Gesamtsumme gebucht.",
		"This is one of the payments in %s.":                        "Das ist eine der Zahlungen aus %s.",
		"This is your payment to %s.":                               "Das ist Ihre Zahlung an %s.",

		"Dates":                 "Daten",
		"Date":                  "Datum",
		"The bank gave no date": "Die Bank hat kein Datum genannt",
		"Paid on":               "Gezahlt am",
		"Transaction date":      "Umsatzdatum",
		"Booked on":             "Gebucht am",
		"Booking date":          "Buchungsdatum",
		"Value date":            "Wertstellung",
		"The amount counts for interest from this day.": "Ab diesem Tag zählt der Betrag für die Zinsen.",
		"Counterparty":        "Gegenseite",
		"Address":             "Anschrift",
		"Amounts":             "Beträge",
		"Original amount":     "Ursprünglicher Betrag",
		"Exchange rate":       "Wechselkurs",
		"Balance afterwards":  "Kontostand danach",
		"Reference numbers":   "Referenzen",
		"Bank’s reference":    "Referenz der Bank",
		"Kind of transaction": "Art des Umsatzes",
		"Merchant category":   "Händlerkategorie",
		"What the bank sent":  "Was die Bank gesendet hat",

		// Statuses.
		"Booked":       "Gebucht",
		"On hold":      "Angehalten",
		"Pending":      "Vorgemerkt",
		"Rejected":     "Abgelehnt",
		"Scheduled":    "Geplant",
		"Other status": "Anderer Status",

		// Kinds of reference numbers.
		"Belgian structured reference": "Belgische strukturierte Referenz",
		"Finnish reference":            "Finnische Referenz",
		"International reference":      "Internationale Referenz (ISO 11649)",
		"Norwegian KID number":         "Norwegische KID-Nummer",
		"Direct debit mandate":         "Lastschriftmandat",
		"Swedish Bankgiro OCR number":  "Schwedische Bankgiro-OCR-Nummer",
	},
}
