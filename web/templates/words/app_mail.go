package words

// appMail is what people are told, on their pages and by mail, and the way back in for those who forgot the password.
var appMail = area{
	texts: map[Text]string{
		// Notices.
		"Your password was changed":                               "Ihr Passwort wurde geändert",
		"A new password was set with a one-time link":             "Mit einem Einmal-Link wurde ein neues Passwort festgelegt",
		"Whoever runs this server has set a new password for you": "Der Betreiber dieses Servers hat ein neues Passwort für Sie festgelegt",
		"You signed in on a new device: %s":                       "Sie haben sich auf einem neuen Gerät angemeldet: %s",
		"You have a new passkey: %s":                              "Sie haben einen neuen Passkey: %s",
		"You can sign in with an account at %s now":               "Sie können sich jetzt mit einem Konto bei %s anmelden",
		"You can no longer sign in with your account at %s":       "Sie können sich nicht mehr mit Ihrem Konto bei %s anmelden",
		"If it was not you, remove the link to this account, change your password and sign out the other devices in the settings.": "Wenn Sie das nicht waren, entfernen Sie die Verknüpfung mit diesem Konto, ändern Sie Ihr Passwort und melden Sie die anderen Geräte in den Einstellungen ab.",
		"A passkey was removed: %s": "Ein Passkey wurde entfernt: %s",
		"This was %s.":              "Das war %s.",
		"This was on %s.":           "Das war am %s.",
		"If it was not you, change your password and sign out the other devices in the settings.":                                                             "Wenn Sie das nicht waren, ändern Sie Ihr Passwort und melden Sie die anderen Geräte in den Einstellungen ab.",
		"If it was not you, somebody else can get into your account. Choose “Forgotten your password?” on the sign-in page, or ask whoever runs this server.": "Wenn Sie das nicht waren, hat jemand anderes Zugang zu Ihrem Benutzerkonto. Wählen Sie auf der Anmeldeseite „Passwort vergessen?“ oder wenden Sie sich an den Betreiber dieses Servers.",
		"If it was not you, remove the passkey, change your password and sign out the other devices in the settings.":                                         "Wenn Sie das nicht waren, entfernen Sie den Passkey, ändern Sie Ihr Passwort und melden Sie die anderen Geräte in den Einstellungen ab.",
		"Close":           "Schließen",
		"Remind me later": "Später erinnern",

		// Mails.
		"Set a new password for Florin":                                                          "Neues Passwort für Florin festlegen",
		"Somebody asked for a link to set a new password for %s.":                                "Jemand hat einen Link angefordert, um ein neues Passwort für %s festzulegen.",
		"Set the new password here:":                                                             "Legen Sie das neue Passwort hier fest:",
		"The link works once, until %s. Only the newest link works.":                             "Der Link gilt einmal, bis %s. Nur der neueste Link funktioniert.",
		"If it was not you, do nothing. Your password stays as it is.":                           "Wenn Sie das nicht waren, brauchen Sie nichts zu tun. Ihr Passwort bleibt, wie es ist.",
		"Test message from Florin":                                                               "Testnachricht von Florin",
		"This message has arrived, so Florin can send e-mail. You asked for it in the settings.": "Diese Nachricht ist angekommen. Florin kann also E-Mails senden. Sie haben sie in den Einstellungen angefordert.",
		"Your consent at %s ends on %s":                                                          "Ihre Einwilligung bei %s endet am %s",
		"Your settings:":                                                                         "Ihre Einstellungen:",
		"Florin at %s":                                                                           "Florin unter %s",

		// Forgotten passwords.
		"Forgotten your password?": "Passwort vergessen?",
		"Check your inbox":         "Sehen Sie in Ihr Postfach",
		"If somebody signs in here with this address, a message with a link is on its way to it. The link works once and for one day. If nothing comes within a few minutes, check the spam folder.": "Wenn sich hier jemand mit dieser Adresse anmeldet, ist eine Nachricht mit einem Link dorthin unterwegs. Der Link gilt einmal und einen Tag lang. Kommt in einigen Minuten nichts, sehen Sie im Spam-Ordner nach.",
		"Florin sends you a link with which you set a new password.": "Florin sendet Ihnen einen Link, mit dem Sie ein neues Passwort festlegen.",
		"Send the link":                "Link senden",
		"Ask whoever runs this server": "Den Betreiber dieses Servers fragen",
		"They can make a link for you to set a new password, with this command:": "Er kann Ihnen einen Link erstellen, mit dem Sie ein neues Passwort festlegen. Der Befehl dafür:",

		// Settings.
		"E-mail": "E-Mail",
		"Florin writes to your e-mail address when somebody signs in on a new device, when your sign-in changes, and before a consent ends. It writes neither amounts nor account numbers.": "Florin schreibt an Ihre E-Mail-Adresse, wenn sich jemand auf einem neuen Gerät anmeldet, wenn sich Ihre Anmeldung ändert und bevor eine Einwilligung endet. Beträge und Kontonummern schreibt es nicht.",
		"Florin sends no e-mail, because it knows no mail server. What it has to tell you is shown on its pages.":                                                                           "Florin sendet keine E-Mails, weil es keinen Mailserver kennt. Was es Ihnen zu sagen hat, steht auf seinen Seiten.",
		"To set a mail server, start Florin with %s and %s.":                                                                            "Um einen Mailserver einzurichten, starten Sie Florin mit %s und %s.",
		"Send a test message":                                                                                                           "Testnachricht senden",
		"The mail server took the last message %s.":                                                                                     "Die letzte Nachricht hat der Mailserver %s angenommen.",
		"An e-mail could not be sent %s":                                                                                                "Eine E-Mail konnte %s nicht gesendet werden",
		"An e-mail to you could not be sent %s":                                                                                         "Eine E-Mail an Sie konnte %s nicht gesendet werden",
		"Tell whoever runs this server. Their settings say what is wrong.":                                                              "Wenden Sie sich an den Betreiber dieses Servers. In seinen Einstellungen steht, was nicht stimmt.",
		"The mail server has taken the test message. It should reach %s soon.":                                                          "Der Mailserver hat die Testnachricht angenommen. Sie sollte %s bald erreichen.",
		"The test message was not sent. See “E-mail” for what is wrong.":                                                                "Die Testnachricht wurde nicht gesendet. Was nicht stimmt, steht unter „E-Mail“.",
		"The sender or the recipient is no usable e-mail address. Check the setting %s and the address of the person.":                  "Der Absender oder der Empfänger ist keine brauchbare E-Mail-Adresse. Prüfen Sie die Einstellung %s und die Adresse der Person.",
		"Florin does not reach the mail server. Check the settings %s and %s, and that the server runs.":                                "Florin erreicht den Mailserver nicht. Prüfen Sie die Einstellungen %s und %s und ob der Server läuft.",
		"The connection to the mail server cannot be protected. Check the settings %s and %s, and the certificate of the server.":       "Die Verbindung zum Mailserver lässt sich nicht verschlüsseln. Prüfen Sie die Einstellungen %s und %s und das Zertifikat des Servers.",
		"The mail server does not accept the user or the password. Check the settings %s and %s.":                                       "Der Mailserver nimmt den Benutzer oder das Passwort nicht an. Prüfen Sie die Einstellungen %s und %s.",
		"The mail server does not accept the sender. Check the setting %s.":                                                             "Der Mailserver nimmt den Absender nicht an. Prüfen Sie die Einstellung %s.",
		"The mail server does not accept the recipient. Check the e-mail address of the person.":                                        "Der Mailserver nimmt den Empfänger nicht an. Prüfen Sie die E-Mail-Adresse der Person.",
		"The mail server does not accept the message. Its log says why.":                                                                "Der Mailserver nimmt die Nachricht nicht an. In seinem Protokoll steht, warum.",
		"The connection broke while Florin handed the message over. Nobody knows whether it arrives, so Florin does not send it again.": "Die Verbindung brach ab, als Florin die Nachricht übergab. Niemand weiß, ob sie ankommt. Darum sendet Florin sie nicht noch einmal.",
	},
}
