package words

// appFiles is what can be wrong with files of other programs.
var appFiles = area{
	texts: map[Text]string{
		"The file is larger than %d KiB. Split it into smaller files.":                                                                                                                       "Die Datei ist größer als %d KiB. Teilen Sie sie in kleinere Dateien auf.",
		"The file is not written in UTF-8: see line %d. Save or export it again as UTF-8.":                                                                                                   "Die Datei ist nicht in UTF-8 geschrieben: siehe Zeile %d. Speichern oder exportieren Sie sie noch einmal als UTF-8.",
		"The file is written in %s, which Florin cannot read. Save or export it again as UTF-8.":                                                                                             "Die Datei ist in %s geschrieben, was Florin nicht lesen kann. Speichern oder exportieren Sie sie noch einmal als UTF-8.",
		"The file cannot be read as %s: line %d has a character that does not exist there. Save or export it again as UTF-8.":                                                                "Die Datei kann nicht als %s gelesen werden: Zeile %d hat ein Zeichen, das es darin nicht gibt. Speichern oder exportieren Sie sie noch einmal als UTF-8.",
		"Line %d cannot be read: a quotation mark is missing or in the wrong place. Put a field that contains a quotation mark between quotation marks, and write the mark inside it twice.": "Zeile %d kann nicht gelesen werden: Ein Anführungszeichen fehlt oder steht an der falschen Stelle. Setzen Sie ein Feld, das ein Anführungszeichen enthält, in Anführungszeichen, und schreiben Sie das Zeichen darin doppelt.",
		"The file is not correct XML: see line %d. It may be incomplete or changed by hand. Export it again.":                                                                                "Die Datei ist kein korrektes XML: siehe Zeile %d. Vielleicht ist sie unvollständig oder wurde von Hand geändert. Exportieren Sie sie noch einmal.",
		"The file contains a document type (DOCTYPE), which can be used for attacks and which no such file needs. Remove that line, or export the file again.":                               "Die Datei enthält einen Dokumenttyp (DOCTYPE). Er kann für Angriffe benutzt werden, und keine solche Datei braucht ihn. Entfernen Sie diese Zeile, oder exportieren Sie die Datei noch einmal.",
		"The file has more levels of elements than such a file can have. Export it again.":                                                                                                   "Die Datei hat mehr Ebenen, als eine solche Datei haben kann. Exportieren Sie sie noch einmal.",
		"This is a spreadsheet or an archive. In the spreadsheet choose “Save as” and “CSV UTF-8”, or unpack the archive. Then choose that file.":                                            "Das ist eine Tabelle oder ein Archiv. Wählen Sie in der Tabelle „Speichern unter“ und „CSV UTF-8“, oder entpacken Sie das Archiv. Wählen Sie dann diese Datei.",
		"This is an Excel file. In Excel choose “Save as” and “CSV UTF-8”. Then choose that file.":                                                                                           "Das ist eine Excel-Datei. Wählen Sie in Excel „Speichern unter“ und „CSV UTF-8“. Wählen Sie dann diese Datei.",
		"This is a PDF, which Florin cannot read. Where it comes from, export the same as CSV or XML, and choose that file.":                                                                 "Das ist ein PDF, das Florin nicht lesen kann. Exportieren Sie dort, woher es kommt, dasselbe als CSV oder XML, und wählen Sie diese Datei.",
		"This file is compressed. Unpack it and choose the file inside.":                                                                                                                     "Diese Datei ist komprimiert. Entpacken Sie sie und wählen Sie die Datei darin.",
		"This is a picture. Choose a file that was exported as CSV or XML.":                                                                                                                  "Das ist ein Bild. Wählen Sie eine Datei, die als CSV oder XML exportiert wurde.",
		"This is not a text file. Choose a file that was exported as CSV or XML.":                                                                                                            "Das ist keine Textdatei. Wählen Sie eine Datei, die als CSV oder XML exportiert wurde.",
		"The file is written in UTF-32, which Florin cannot read. Save it again as UTF-8.":                                                                                                   "Die Datei ist in UTF-32 geschrieben, was Florin nicht lesen kann. Speichern Sie sie noch einmal als UTF-8.",
		"The file is larger than %d MiB. Split it into smaller files.":                                                                                                                       "Die Datei ist größer als %d MiB. Teilen Sie sie in kleinere Dateien auf.",

		// Files of transactions.
		"The file has no transaction in it.":                                                 "Die Datei enthält keinen Umsatz.",
		"The file has more than %d transactions. Split it into smaller files.":               "Die Datei hat mehr als %d Umsätze. Teilen Sie sie in kleinere Dateien auf.",
		"The file has %d columns; Florin reads at most %d. Choose a file with transactions.": "Die Datei hat %d Spalten; Florin liest höchstens %d. Wählen Sie eine Datei mit Umsätzen.",
		"The file does not say in which currency the amounts are. Choose the currency.":      "Die Datei sagt nicht, in welcher Währung die Beträge sind. Wählen Sie die Währung.",
		"The file ends in the middle. Export it again.":                                      "Die Datei endet mittendrin. Exportieren Sie sie noch einmal.",
		"The amount is missing.":                                                                                       "Der Betrag fehlt.",
		"The date is missing.":                                                                                         "Das Datum fehlt.",
		"“%s” is not a date.":                                                                                          "„%s“ ist kein Datum.",
		"“%s” is not an amount that Florin can read.":                                                                  "„%s“ ist kein Betrag, den Florin lesen kann.",
		"“%s” is not the code of a currency, such as EUR.":                                                             "„%s“ ist kein Code einer Währung wie EUR.",
		"It does not say whether money came in or went out.":                                                           "Es fehlt, ob Geld eingegangen oder ausgegangen ist.",
		"“%s” does not say whether money came in or went out.":                                                         "„%s“ sagt nicht, ob Geld eingegangen oder ausgegangen ist.",
		"This line does not have the form that the format asks for.":                                                   "Diese Zeile hat nicht die Form, die das Format verlangt.",
		"The text is longer than %d characters.":                                                                       "Der Text ist länger als %d Zeichen.",
		"The bank has not booked it yet. Florin takes it once it is booked.":                                           "Die Bank hat diesen Umsatz noch nicht gebucht. Florin übernimmt ihn, sobald er gebucht ist.",
		"This is a transaction of shares. Florin only reads those of money.":                                           "Das ist ein Umsatz mit Wertpapieren. Florin liest nur Umsätze mit Geld.",
		"The file is XML, but not a bank statement. Choose a file in the format CAMT.053 or OFX.":                      "Die Datei ist XML, aber kein Kontoauszug. Wählen Sie eine Datei im Format CAMT.053 oder OFX.",
		"The file is JSON, but not an export of Florin. Choose a file in the format CSV, CAMT.053, OFX, QIF or MT940.": "Die Datei ist JSON, aber kein Export von Florin. Wählen Sie eine Datei im Format CSV, CAMT.053, OFX, QIF oder MT940.",
		"The file has payments for a bank to make (pain.001). Choose it under “Pay”, or choose a bank statement here.": "Die Datei enthält Zahlungen, die eine Bank ausführen soll (pain.001). Wählen Sie sie unter „Zahlen“ aus, oder wählen Sie hier einen Kontoauszug.",
		"The file repeats a part of a bank statement (camt.054). Choose the statement itself: CAMT.053.":               "Die Datei wiederholt einen Teil eines Kontoauszugs (camt.054). Wählen Sie den Kontoauszug selbst: CAMT.053.",
	},
	counts: map[Text][2]forms{
		"The line has only %d columns; the first line has %d.": {{"The line has only %[1]d column; the first line has %[2]d.", "The line has only %[1]d columns; the first line has %[2]d."},
			{"Die Zeile hat nur %[1]d Spalte; die erste Zeile hat %[2]d.", "Die Zeile hat nur %[1]d Spalten; die erste Zeile hat %[2]d."}},
	},
}
