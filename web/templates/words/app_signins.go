package words

// appSignIns is where and how a person is signed in, joining through a provider, and what a new password leaves open.
var appSignIns = area{
	texts: map[Text]string{
		"Sign out all other devices":               "Alle anderen Geräte abmelden",
		"You are signed out on all other devices.": "Auf allen anderen Geräten sind Sie abgemeldet.",
		"last seen %s":                             "zuletzt gesehen %s",
		"With the password":                        "Mit dem Passwort",
		"With the passkey %s":                      "Mit dem Passkey %s",
		"With a passkey that was removed since":    "Mit einem Passkey, der inzwischen entfernt ist",
		"With %s":                                  "Mit %s",
		"With another provider":                    "Über einen anderen Anmeldedienst",
		"Unknown network":                          "Unbekanntes Netzwerk",
		"The machine on which Florin runs":         "Der Rechner, auf dem Florin läuft",
		"This network (%s)":                        "Dieses Netzwerk (%s)",
		"Another network (%s)":                     "Anderes Netzwerk (%s)",
		"The passkey %s is removed. Other devices that signed in with it are signed out. Delete it on your device too.": "Der Passkey %s ist entfernt. Andere Geräte, die sich damit angemeldet haben, sind abgemeldet. Löschen Sie ihn auch auf Ihrem Gerät.",

		// What a new password leaves open.
		"There is a copy of your passkey %s": "Von Ihrem Passkey %s gibt es eine Kopie",
		"Florin refuses the passkey from now on, and has signed out the devices that signed in with it. Remove it in the settings, and add a new one.": "Florin lehnt den Passkey ab jetzt ab und hat die Geräte abgemeldet, die sich damit angemeldet haben. Entfernen Sie ihn in den Einstellungen, und fügen Sie einen neuen hinzu.",
		"Your calendar address still works: it needs no password. Make a new one if somebody else may know it.":                                        "Ihre Kalenderadresse gilt weiterhin: Sie braucht kein Passwort. Legen Sie eine neue an, wenn jemand anderes sie kennen könnte.",
		"Replace the calendar address":                                           "Die Kalenderadresse ersetzen",
		"You can still sign in with your account at %s.":                         "Mit Ihrem Benutzerkonto bei %s können Sie sich weiterhin anmelden.",
		"Remove what you do not know.":                                           "Entfernen Sie, was Sie nicht kennen.",
		"Look at them in the settings":                                           "In den Einstellungen ansehen",
		"Look at it in the settings":                                             "In den Einstellungen ansehen",
		"After signing in, you can remove what you do not know in the settings.": "Nach dem Anmelden können Sie in den Einstellungen entfernen, was Sie nicht kennen.",

		// Joining through a provider.
		"Join with %s": "Beitreten mit %s",
		"Florin makes a link that works once, for seven days. With it the person joins with an account at %s.": "Florin erstellt einen Link, der einmal und sieben Tage lang funktioniert. Damit tritt die Person mit einem Benutzerkonto bei %s bei.",
		"Go back to your invitation and choose “Join with %s”. The invitation still works.":                    "Gehen Sie zurück zu Ihrer Einladung und wählen Sie „Beitreten mit %s“. Die Einladung gilt weiter.",
		"Back to the invitation": "Zurück zur Einladung",
		"It was used or withdrawn, or it expired, while you were at %s.": "Sie wurde benutzt oder zurückgezogen oder ist abgelaufen, während Sie bei %s waren.",
		"Ask the person who invited you for another one.":                "Bitten Sie die Person, die Sie eingeladen hat, um eine neue.",
	},
	counts: map[Text][2]forms{
		"You can still sign in with %d passkeys.": {
			{"You can still sign in with %[1]d passkey.", "You can still sign in with %[1]d passkeys."},
			{"Mit %[1]d Passkey können Sie sich weiterhin anmelden.", "Mit %[1]d Passkeys können Sie sich weiterhin anmelden."},
		},
	},
}
