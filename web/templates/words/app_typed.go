package words

// appTyped is what can be wrong with numbers of accounts, amounts and days that people type.
var appTyped = area{
	texts: map[Text]string{
		// Characters, as in "Zeichen 3 ist …" and "Der Betrag enthält …".
		"the Cyrillic character “%s” (%s), which only looks like one of the letters A to Z": "das kyrillische Zeichen „%s“ (%s), das nur wie einer der Buchstaben A bis Z aussieht",
		"the Greek character “%s” (%s), which only looks like one of the letters A to Z":    "das griechische Zeichen „%s“ (%s), das nur wie einer der Buchstaben A bis Z aussieht",
		"the Armenian character “%s” (%s), which only looks like one of the letters A to Z": "das armenische Zeichen „%s“ (%s), das nur wie einer der Buchstaben A bis Z aussieht",
		"the Cherokee character “%s” (%s), which only looks like one of the letters A to Z": "das Cherokee-Zeichen „%s“ (%s), das nur wie einer der Buchstaben A bis Z aussieht",
		"a damaged character":                   "ein beschädigtes Zeichen",
		"an invisible character (%s)":           "ein unsichtbares Zeichen (%s)",
		"the full-width character “%s” (%s)":    "das Zeichen „%s“ (%s) in voller Breite",
		"the digit “%s” of another script (%s)": "die Ziffer „%s“ einer anderen Schrift (%s)",
		"the character “%s”":                    "das Zeichen „%s“",
		"the character “%s” (%s)":               "das Zeichen „%s“ (%s)",

		// IBAN and BIC.
		"This number is wrong. Compare it with the original.":                                                                       "Diese Nummer ist falsch. Vergleichen Sie sie mit der Vorlage.",
		"Enter the BIC of the bank.":                                                                                                "Geben Sie den BIC der Bank ein.",
		"Enter the IBAN of the account. You find it on an invoice or a bank statement.":                                             "Geben Sie die IBAN des Kontos ein. Sie finden sie auf einer Rechnung oder einem Kontoauszug.",
		"Character %d is %s. Only the letters A to Z and digits are allowed. Empty the field and type the number on the keyboard.":  "Zeichen %d ist %s. Erlaubt sind nur die Buchstaben A bis Z und Ziffern. Leeren Sie das Feld und geben Sie die Nummer über die Tastatur ein.",
		"Character %d is %s. Only the letters A to Z and digits are allowed. Type it again on the keyboard.":                        "Zeichen %d ist %s. Erlaubt sind nur die Buchstaben A bis Z und Ziffern. Geben Sie das Zeichen noch einmal über die Tastatur ein.",
		"The check digits of the IBAN are wrong. A character may be mistyped, or two may be swapped. Compare it with the original.": "Die Prüfziffern der IBAN stimmen nicht. Vielleicht ist ein Zeichen vertippt, oder zwei sind vertauscht. Vergleichen Sie sie mit der Vorlage.",
		"A BIC has 8 or 11 characters; this one has %d.":                                                                            "Ein BIC hat 8 oder 11 Zeichen; dieser hat %d.",
		"Characters 5 and 6 of a BIC name the country, and no country has the code %s.":                                             "Zeichen 5 und 6 eines BIC nennen das Land, und kein Land hat den Code %s.",
		"Characters 5 and 6 of a BIC are the letters of a country, such as DE for Germany.":                                         "Zeichen 5 und 6 eines BIC sind die Buchstaben eines Landes, zum Beispiel DE für Deutschland.",
		"An IBAN begins with the two letters of a country, such as DE for Germany. This may be another kind of account number.":     "Eine IBAN beginnt mit den zwei Buchstaben eines Landes, zum Beispiel DE für Deutschland. Vielleicht ist das eine andere Art von Kontonummer.",
		"No country with the code %s has IBANs. Check the first two letters.":                                                       "Im Land mit dem Code %s gibt es keine IBAN. Prüfen Sie die ersten zwei Buchstaben.",
		"An IBAN that begins with %s (%s) has %d characters; this one has %d.":                                                      "Eine IBAN, die mit %s beginnt (%s), hat %d Zeichen; diese hat %d.",
		"Character %d of this IBAN must be a digit, not the letter %s. Perhaps it is %s.":                                           "Zeichen %d dieser IBAN muss eine Ziffer sein, nicht der Buchstabe %s. Vielleicht ist es %s.",
		"Character %d of this IBAN must be a digit, not the letter %s.":                                                             "Zeichen %d dieser IBAN muss eine Ziffer sein, nicht der Buchstabe %s.",
		"Character %d of this IBAN must be a letter, not the digit %s. Perhaps it is %s.":                                           "Zeichen %d dieser IBAN muss ein Buchstabe sein, nicht die Ziffer %s. Vielleicht ist es %s.",
		"Character %d of this IBAN must be a letter, not the digit %s.":                                                             "Zeichen %d dieser IBAN muss ein Buchstabe sein, nicht die Ziffer %s.",

		// Amounts and days.
		"It is not clear whether the separator marks thousands or decimals. Write %s: %s has no decimals.": "Es ist nicht klar, ob das Zeichen Tausender oder Nachkommastellen trennt. Schreiben Sie %s: %s hat keine Nachkommastellen.",
		"It is not clear whether the separator marks thousands or decimals. Write %s or %s.":               "Es ist nicht klar, ob das Zeichen Tausender oder Nachkommastellen trennt. Schreiben Sie %s oder %s.",
		"The amount must be more than zero. Leave out the minus sign: money always goes to the payee.":     "Der Betrag muss größer als null sein. Lassen Sie das Minuszeichen weg: Das Geld geht immer an den Empfänger.",
		"The amount must be more than zero.": "Der Betrag muss größer als null sein.",
		"The amount contains %s. Empty the field and type the amount on the keyboard, with the digits 0 to 9.": "Der Betrag enthält %s. Leeren Sie das Feld und geben Sie den Betrag über die Tastatur ein, mit den Ziffern 0 bis 9.",
		"The currency must be a code of three capital letters, such as EUR.":                                   "Die Währung muss ein Code aus drei Großbuchstaben sein, zum Beispiel EUR.",
		"The amount has decimals, but %s has none.":                                                            "Der Betrag hat Nachkommastellen, aber %s hat keine.",
		"The amount has too many decimals: %s has only %d.":                                                    "Der Betrag hat zu viele Nachkommastellen: %s hat nur %d.",
		"The amount has too many decimals.":                                                                    "Der Betrag hat zu viele Nachkommastellen.",
		"The amount is too large.":                                                                             "Der Betrag ist zu groß.",
		"Enter the amount with digits and decimals, such as 12.30.":                                            "Geben Sie den Betrag mit Ziffern und Nachkommastellen ein, zum Beispiel 12,30.",
		"Enter the date like 2026-12-31 or 31.12.2026.":                                                        "Geben Sie das Datum so ein: 31.12.2026 oder 2026-12-31.",
		"%s is not a leap year: February has 28 days.":                                                         "%s ist kein Schaltjahr: Der Februar hat 28 Tage.",
		"The date %s does not exist.":                                                                          "Das Datum %s gibt es nicht.",
	},
}
