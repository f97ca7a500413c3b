package words

// appSecond is the second factor: authenticator apps, recovery codes, the second step of a sign-in, and the rule that everybody needs one.
var appSecond = area{
	texts: map[Text]string{
		// The second step of a sign-in.
		"Confirm the sign-in": "Anmeldung bestätigen",
		"Enter the six digits that your authenticator app shows now. If you cannot get at the app, enter one of your recovery codes.": "Geben Sie die sechs Ziffern ein, die Ihre Authenticator-App gerade zeigt. Wenn Sie nicht an die App kommen, geben Sie einen Ihrer Wiederherstellungscodes ein.",
		"Enter the six digits that your authenticator app shows now.":                                                                 "Geben Sie die sechs Ziffern ein, die Ihre Authenticator-App gerade zeigt.",
		"Use your passkey, or enter one of your recovery codes.":                                                                      "Benutzen Sie Ihren Passkey, oder geben Sie einen Ihrer Wiederherstellungscodes ein.",
		"Use your passkey.":                 "Benutzen Sie Ihren Passkey.",
		"Have you lost your second factor?": "Haben Sie Ihren zweiten Faktor verloren?",
		"Whoever runs this server can remove your second factor. After that you sign in with your password alone. The command for it:": "Der Betreiber dieses Servers kann Ihren zweiten Faktor entfernen. Danach melden Sie sich mit dem Passwort allein an. Der Befehl dafür:",
		"The second step took longer than ten minutes, or your password was changed meanwhile. Sign in again.":                         "Der zweite Schritt hat länger als zehn Minuten gedauert, oder Ihr Passwort wurde inzwischen geändert. Melden Sie sich noch einmal an.",

		// What is wrong with a code.
		"This code was used before. Each code works once: wait until the app shows the next one, or take another recovery code.":                                          "Dieser Code wurde schon benutzt. Jeder Code gilt einmal: Warten Sie, bis die App den nächsten zeigt, oder nehmen Sie einen anderen Wiederherstellungscode.",
		"Enter the six digits that your app shows, or one of your recovery codes.":                                                                                        "Geben Sie die sechs Ziffern ein, die Ihre App zeigt, oder einen Ihrer Wiederherstellungscodes.",
		"Go back to the settings, add the app again, and scan the new QR code.":                                                                                           "Gehen Sie zurück zu den Einstellungen, fügen Sie die App noch einmal hinzu, und scannen Sie den neuen QR-Code.",
		"This set-up has expired, or another one was started.":                                                                                                            "Diese Einrichtung ist abgelaufen, oder eine andere wurde begonnen.",
		"Give the app a name of up to %d characters.":                                                                                                                     "Geben Sie der App einen Namen mit höchstens %d Zeichen.",
		"You have %d apps, which is the most there can be. Remove one first.":                                                                                             "Sie haben %d Apps, mehr sind nicht möglich. Entfernen Sie zuerst eine.",
		"Too many apps are being set up for you at the same time. Wait ten minutes and begin again.":                                                                      "Für Sie werden gerade zu viele Apps zugleich eingerichtet. Warten Sie zehn Minuten, und beginnen Sie noch einmal.",
		"This code is not right. Enter the one that the app shows now for this Florin.":                                                                                   "Dieser Code stimmt nicht. Geben Sie den ein, den die App jetzt für dieses Florin zeigt.",
		"This code is %d minutes old. Either the clock of your phone is behind, or that of this server is ahead. Set the one that is wrong, and try again.":               "Dieser Code ist %d Minuten alt. Entweder geht die Uhr Ihres Telefons nach, oder die dieses Servers geht vor. Stellen Sie die Uhr, die falsch geht, und versuchen Sie es noch einmal.",
		"This code is %d minutes ahead of its time. Either the clock of this server is behind, or that of your phone is ahead. Set the one that is wrong, and try again.": "Dieser Code ist seiner Zeit %d Minuten voraus. Entweder geht die Uhr dieses Servers nach, oder die Ihres Telefons geht vor. Stellen Sie die Uhr, die falsch geht, und versuchen Sie es noch einmal.",
		"No app was added": "Es wurde keine App hinzugefügt",

		// Confirming who one is.
		"Confirm with a passkey":                               "Mit einem Passkey bestätigen",
		"Confirm with your passkey.":                           "Bestätigen Sie mit Ihrem Passkey.",
		"Code from your app, or a recovery code":               "Code aus Ihrer App oder ein Wiederherstellungscode",
		"Or a code from your app":                              "Oder ein Code aus Ihrer App",
		"One of the two is enough. A recovery code works too.": "Eines von beiden genügt. Ein Wiederherstellungscode geht auch.",

		// Settings.
		"Authenticator app and recovery codes": "Authenticator-App und Wiederherstellungscodes",
		"An app on your phone shows six digits that change every half minute. Florin asks for them after your password, so that the password alone lets nobody in.": "Eine App auf Ihrem Telefon zeigt sechs Ziffern, die jede halbe Minute wechseln. Florin verlangt sie nach dem Passwort. So kommt mit dem Passwort allein niemand hinein.",
		"Everybody who uses this Florin needs such an app or a passkey.":                                                                                            "Alle, die dieses Florin benutzen, brauchen so eine App oder einen Passkey.",
		"Remove the app %s":                         "App %s entfernen",
		"Make new ones before you run out of them.": "Erstellen Sie neue, bevor keine mehr da sind.",
		"You have no recovery codes":                "Sie haben keine Wiederherstellungscodes",
		"If you lose your device, only whoever runs this server can let you in. Make recovery codes and keep them on paper.": "Wenn Sie Ihr Gerät verlieren, kann Sie nur der Betreiber dieses Servers hineinlassen. Erstellen Sie Wiederherstellungscodes, und bewahren Sie sie auf Papier auf.",
		"Add an app":              "App hinzufügen",
		"Make new recovery codes": "Neue Wiederherstellungscodes erstellen",
		"The app %s is removed. Its codes no longer work. Delete the entry for Florin in the app, too.": "Die App %s ist entfernt. Ihre Codes gelten nicht mehr. Löschen Sie auch den Eintrag für Florin in der App.",
		"The app %s is added. Your recovery codes stay as they are.":                                    "Die App %s ist hinzugefügt. Ihre Wiederherstellungscodes bleiben, wie sie sind.",
		"Nothing was removed": "Es wurde nichts entfernt",
		"It is your only second factor, and everybody who uses this Florin needs one.":             "Es ist Ihr einziger zweiter Faktor, und alle, die dieses Florin benutzen, brauchen einen.",
		"Add another passkey or app first.":                                                        "Fügen Sie zuerst einen anderen Passkey oder eine andere App hinzu.",
		"Recovery codes work in place of an authenticator app or a passkey, and you have neither.": "Wiederherstellungscodes ersetzen eine Authenticator-App oder einen Passkey, und Sie haben keines von beiden.",
		"Add one of them first.": "Fügen Sie zuerst eines davon hinzu.",

		// Adding an app.
		"Add an authenticator app": "Authenticator-App hinzufügen",
		"Scan this code with an authenticator app on your phone. Many password managers can do it too. Do not show the code to anybody: whoever has it can make your codes.": "Scannen Sie diesen Code mit einer Authenticator-App auf Ihrem Telefon. Viele Passwortmanager können das auch. Zeigen Sie ihn niemandem: Wer ihn hat, kann Ihre Codes erzeugen.",
		"Secret of the app":                                                "Geheimnis der App",
		"QR code with the secret for your app":                             "QR-Code mit dem Geheimnis für Ihre App",
		"If you cannot scan it, type this secret into the app:":            "Wenn Sie ihn nicht scannen können, geben Sie dieses Geheimnis in die App ein:",
		"The app shows it as %s: six digits, a new code every 30 seconds.": "Die App zeigt es als %s: sechs Ziffern, alle 30 Sekunden ein neuer Code.",
		"Name of the app or the device":                                    "Name der App oder des Geräts",
		"So that you recognise it later.":                                  "Daran erkennen Sie es später wieder.",
		"Phone":                                                            "Telefon",
		"Code that the app shows":                                          "Code, den die App zeigt",
		"You have ten minutes. This shows that the app works before Florin asks for its codes.": "Sie haben zehn Minuten Zeit. So zeigt sich, dass die App funktioniert, bevor Florin nach ihren Codes fragt.",
		"Add the app": "App hinzufügen",

		// Recovery codes.
		"Your recovery codes": "Ihre Wiederherstellungscodes",
		"Each of these codes signs you in once when you cannot get at your app or your passkey. Florin shows them this one time only.": "Mit jedem dieser Codes melden Sie sich einmal an, wenn Sie nicht an Ihre App oder Ihren Passkey kommen. Florin zeigt sie nur dieses eine Mal.",
		"The app %s is added": "Die App %s ist hinzugefügt",
		"From the next sign-in on, Florin asks for its code after your password.":                                                                                     "Ab der nächsten Anmeldung verlangt Florin nach dem Passwort auch ihren Code.",
		"Print this page, or save the codes as a text file. Keep them where nobody else finds them, and not on the phone with the app. Earlier codes no longer work.": "Drucken Sie diese Seite, oder speichern Sie die Codes als Textdatei. Bewahren Sie sie auf, wo niemand sonst sie findet, und nicht auf dem Telefon mit der App. Frühere Codes gelten nicht mehr.",
		"Save as a text file":                           "Als Textdatei speichern",
		"I have saved the codes":                        "Ich habe die Codes gesichert",
		"Recovery codes for %s at %s. Each works once.": "Wiederherstellungscodes für %s auf %s. Jeder gilt einmal.",

		// Everybody needs one.
		"Set up a second factor": "Zweiten Faktor einrichten",
		"In this Florin a password alone is not enough. Choose what you want to confirm your sign-in with. Then you can go on.": "In diesem Florin genügt ein Passwort allein nicht. Wählen Sie, womit Sie Ihre Anmeldung bestätigen wollen. Danach geht es weiter.",
		"A passkey": "Ein Passkey",
		"You sign in with your fingerprint, your face or the PIN of your device, and type nothing.": "Sie melden sich mit Fingerabdruck, Gesicht oder Geräte-PIN an und geben nichts ein.",
		"Set up a passkey":     "Passkey einrichten",
		"An authenticator app": "Eine Authenticator-App",
		"An app on your phone shows six digits, which you type after your password.": "Eine App auf Ihrem Telefon zeigt sechs Ziffern, die Sie nach dem Passwort eingeben.",
		"Set up an app": "App einrichten",
		"Second factor": "Zweiter Faktor",
		"Everybody needs a passkey or an authenticator app. Whoever has neither sets one up at the next sign-in, before anything else. The last one cannot be removed.": "Alle brauchen einen Passkey oder eine Authenticator-App. Wer keines von beiden hat, richtet bei der nächsten Anmeldung als Erstes eines ein. Das letzte lässt sich nicht entfernen.",
		"Leave it to each person": "Jeder Person selbst überlassen",
		"Each person chooses. If you require a second factor, whoever has neither a passkey nor an authenticator app sets one up at the next sign-in, before anything else.": "Alle entscheiden selbst. Wenn Sie einen zweiten Faktor verlangen, richtet ihn bei der nächsten Anmeldung als Erstes ein, wer weder Passkey noch Authenticator-App hat.",
		"You have none yourself. Florin will ask you for one at your next sign-in, too.":                                                                                     "Sie selbst haben keinen. Florin wird auch Sie bei der nächsten Anmeldung danach fragen.",
		"Require it of everybody":                                   "Von allen verlangen",
		"Everybody needs a second factor from the next sign-in on.": "Ab der nächsten Anmeldung brauchen alle einen zweiten Faktor.",
		"Each person chooses whether to have a second factor.":      "Alle entscheiden selbst, ob sie einen zweiten Faktor haben.",
		"passkey and authenticator app":                             "Passkey und Authenticator-App",
		"authenticator app":                                         "Authenticator-App",
		"passkey":                                                   "Passkey",
		"password alone":                                            "nur Passwort",

		// What people are told.
		"You have a new authenticator app: %s":                                                                             "Sie haben eine neue Authenticator-App: %s",
		"An authenticator app was removed: %s":                                                                             "Eine Authenticator-App wurde entfernt: %s",
		"You have new recovery codes. The old ones no longer work":                                                         "Sie haben neue Wiederherstellungscodes. Die alten gelten nicht mehr",
		"One of your recovery codes was used. %s are left":                                                                 "Einer Ihrer Wiederherstellungscodes wurde benutzt. Übrig: %s",
		"Whoever runs this server has removed your passkeys, authenticator apps and recovery codes":                        "Der Betreiber dieses Servers hat Ihre Passkeys, Authenticator-Apps und Wiederherstellungscodes entfernt",
		"If it was not you, remove the app, change your password and sign out the other devices in the settings.":          "Wenn Sie das nicht waren, entfernen Sie die App, ändern Sie Ihr Passwort, und melden Sie die anderen Geräte in den Einstellungen ab.",
		"If it was not you, change your password, make new recovery codes and sign out the other devices in the settings.": "Wenn Sie das nicht waren, ändern Sie Ihr Passwort, erstellen Sie neue Wiederherstellungscodes, und melden Sie die anderen Geräte in den Einstellungen ab.",
	},
	counts: map[Text][2]forms{
		"%d codes":                        {{"%[1]d code", "%[1]d codes"}, {"%[1]d Code", "%[1]d Codes"}},
		"You have %d recovery codes left": {{"You have %[1]d recovery code left", "You have %[1]d recovery codes left"}, {"Sie haben noch %[1]d Wiederherstellungscode", "Sie haben noch %[1]d Wiederherstellungscodes"}},
		"You have %d recovery codes left. Each works once, when you cannot get at your app or passkey.": {
			{"You have %[1]d recovery code left. It works once, when you cannot get at your app or passkey.", "You have %[1]d recovery codes left. Each works once, when you cannot get at your app or passkey."},
			{"Sie haben noch %[1]d Wiederherstellungscode. Er gilt einmal, wenn Sie nicht an Ihre App oder Ihren Passkey kommen.", "Sie haben noch %[1]d Wiederherstellungscodes. Jeder gilt einmal, wenn Sie nicht an Ihre App oder Ihren Passkey kommen."}},
	},
}
