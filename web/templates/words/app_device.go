package words

// appDevice is what holds for one device: hidden amounts, keys, and Florin as an app.
var appDevice = area{
	texts: map[Text]string{
		// Hidden amounts.
		"Hide amounts":  "Beträge verbergen",
		"Show amounts":  "Beträge zeigen",
		"hidden#amount": "verborgen",
		"%s (key: %s)":  "%s (Taste: %s)",
		"You have hidden amounts. This page shows them, so that you see what is sent.":                                                                                              "Sie haben Beträge verborgen. Diese Seite zeigt sie trotzdem, damit Sie sehen, was gesendet wird.",
		"Amounts are hidden on this device. Show them to use this form.":                                                                                                            "Auf diesem Gerät sind Beträge verborgen. Zeigen Sie sie, um dieses Formular zu verwenden.",
		"Amounts are hidden on this device, and this text contains some.":                                                                                                           "Auf diesem Gerät sind Beträge verborgen, und dieser Text enthält welche.",
		"These choices apply to this browser on this device, and to nobody else.":                                                                                                   "Das gilt für diesen Browser auf diesem Gerät und für niemanden sonst.",
		"All pages show %s instead of amounts, except those on which you send a payment. The eye at the top of each page does the same. Files that you export contain all amounts.": "Alle Seiten zeigen %s statt der Beträge, außer denen, auf denen Sie eine Zahlung senden. Das Auge oben auf jeder Seite tut dasselbe. Dateien, die Sie exportieren, enthalten alle Beträge.",
		"Keyboard shortcuts": "Tastenkürzel",
		"A key alone opens a page or moves in a list. Switch this off if you speak to your computer, or if keys do what you did not want.": "Eine einzelne Taste öffnet eine Seite oder bewegt die Auswahl in einer Liste. Schalten Sie das aus, wenn Sie mit Ihrem Computer sprechen oder wenn Tasten etwas tun, was Sie nicht wollten.",
		"Save for this device":   "Für dieses Gerät speichern",
		"Saved for this device.": "Für dieses Gerät gespeichert.",

		// Florin as an app.
		"Your accounts, on your own server.": "Ihre Konten auf Ihrem eigenen Server.",
		"Florin cannot be reached":           "Florin ist nicht erreichbar",
		"This device has no connection to your Florin. No account data is stored here, so there is nothing to show.": "Dieses Gerät hat keine Verbindung zu Ihrem Florin. Hier sind keine Kontodaten gespeichert, deshalb gibt es nichts anzuzeigen.",
		"Check that this device is online.":                                                                     "Prüfen Sie, ob dieses Gerät online ist.",
		"If you can reach Florin only at home or over a VPN, connect to that network first.":                    "Ist Florin nur zu Hause oder über ein VPN erreichbar, verbinden Sie sich zuerst mit diesem Netz.",
		"If other sites open, ask whoever runs the server. It may be off, or its certificate may have expired.": "Öffnen sich andere Websites, fragen Sie den Betreiber: Vielleicht ist der Server aus, oder sein Zertifikat ist abgelaufen.",

		// Keys.
		"Keyboard":     "Tastatur",
		"What keys do": "Was Tasten tun",
		"Florin works with the keyboard alone. These keys are faster. They need JavaScript, and do nothing while you type into a field.": "Florin lässt sich ganz mit der Tastatur bedienen. Mit diesen Tasten geht es schneller. Sie brauchen JavaScript und tun nichts, während Sie in ein Feld schreiben.",
		"These keys are switched off on this device.": "Auf diesem Gerät sind diese Tasten ausgeschaltet.",
		"Settings of this device":                     "Einstellungen dieses Geräts",
		"You can switch these keys off in the %s.":    "Ausschalten können Sie diese Tasten in den %s.",
		"settings of this device":                     "Einstellungen dieses Geräts",
		"then#keys":                                   "dann",
		"On every page":                               "Auf jeder Seite",
		"In lists":                                    "In Listen",
		"On the page of a transaction":                "Auf der Seite eines Umsatzes",
		"Open a page":                                 "Seite öffnen",
		"Hide amounts, or show them":                  "Beträge verbergen oder zeigen",
		"Next row":                                    "Nächste Zeile",
		"Previous row":                                "Vorige Zeile",
		"Next page":                                   "Nächste Seite",
		"Previous page":                               "Vorige Seite",
	},
}
