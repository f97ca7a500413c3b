package words

// appAttachment is the files of a transaction.
var appAttachment = area{
	texts: map[Text]string{
		"Attachments":             "Anhänge",
		"Attach a file":           "Datei anhängen",
		"Attach the file":         "Anhängen",
		"%s is attached.":         "%s ist angehängt.",
		"(opens in a new tab)":    "(öffnet sich in einem neuen Tab)",
		"Remove %s":               "%s entfernen",
		"Delete the file":         "Datei löschen",
		"The file is deleted.":    "Die Datei ist gelöscht.",
		"%s KB":                   "%s KB",
		"%s MB":                   "%s MB",
		"This file is empty.":     "Diese Datei ist leer.",
		"This file is missing":    "Diese Datei fehlt",
		"Back to the transaction": "Zurück zum Umsatz",
		"Florin deletes the file. This cannot be undone.":                                                                    "Florin löscht die Datei. Das lässt sich nicht rückgängig machen.",
		"Florin could not keep the file.":                                                                                    "Florin konnte die Datei nicht aufbewahren.",
		"Go back in your browser, and choose another file.":                                                                  "Gehen Sie im Browser zurück, und wählen Sie eine andere Datei.",
		"The name of this file is a path or empty. Rename the file, and choose it again.":                                    "Der Name dieser Datei ist ein Pfad oder leer. Benennen Sie die Datei um, und wählen Sie sie noch einmal.",
		"The name of this file is too long. Rename the file, and choose it again.":                                           "Der Name dieser Datei ist zu lang. Benennen Sie die Datei um, und wählen Sie sie noch einmal.",
		"This file is not a PDF, JPEG, PNG, WebP or HEIC, whatever its name says. Nothing was kept.":                         "Diese Datei ist kein PDF, JPEG, PNG, WebP oder HEIC, auch wenn ihr Name das sagt. Es wurde nichts aufbewahrt.",
		"The name %s ends like that of another kind of file, but what is in it is %s. Rename the file, and choose it again.": "Der Name %s endet wie der einer anderen Art von Datei, ihr Inhalt ist aber %s. Benennen Sie die Datei um, und wählen Sie sie noch einmal.",
		"Florin knows of the file, but it is not in the folder for attachments.":                                             "Florin kennt die Datei, aber sie liegt nicht im Ordner für Anhänge.",
		"Ask whoever runs this server to put it back from a backup.":                                                         "Bitten Sie die Person, die diesen Server betreibt, sie aus einer Sicherung zurückzuholen.",
	},
	counts: map[Text][2]forms{
		"A receipt or an invoice as PDF, JPEG, PNG, WebP or HEIC, with %d MB at most.": {
			{"A receipt or an invoice as PDF, JPEG, PNG, WebP or HEIC, with %[1]d MB at most.", "A receipt or an invoice as PDF, JPEG, PNG, WebP or HEIC, with %[1]d MB at most."},
			{"Ein Beleg oder eine Rechnung als PDF, JPEG, PNG, WebP oder HEIC, höchstens %[1]d MB groß.", "Ein Beleg oder eine Rechnung als PDF, JPEG, PNG, WebP oder HEIC, höchstens %[1]d MB groß."}},
		"A file may have %d MB at most. Make this one smaller, for example with a lower resolution.": {
			{"A file may have %[1]d MB at most. Make this one smaller, for example with a lower resolution.", "A file may have %[1]d MB at most. Make this one smaller, for example with a lower resolution."},
			{"Eine Datei darf höchstens %[1]d MB groß sein. Verkleinern Sie diese, zum Beispiel mit einer geringeren Auflösung.", "Eine Datei darf höchstens %[1]d MB groß sein. Verkleinern Sie diese, zum Beispiel mit einer geringeren Auflösung."}},
		"A transaction may have %d files at most. Remove one first.": {
			{"A transaction may have %[1]d file at most. Remove one first.", "A transaction may have %[1]d files at most. Remove one first."},
			{"Ein Umsatz darf höchstens %[1]d Datei haben. Entfernen Sie zuerst eine.", "Ein Umsatz darf höchstens %[1]d Dateien haben. Entfernen Sie zuerst eine."}},
		"All your files together may have %d GB at most. Remove some first.": {
			{"All your files together may have %[1]d GB at most. Remove some first.", "All your files together may have %[1]d GB at most. Remove some first."},
			{"Alle Ihre Dateien zusammen dürfen höchstens %[1]d GB groß sein. Entfernen Sie zuerst einige.", "Alle Ihre Dateien zusammen dürfen höchstens %[1]d GB groß sein. Entfernen Sie zuerst einige."}},
	},
}
