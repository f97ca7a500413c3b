package words

// appTransfers is transfers between a person's own accounts.
var appTransfers = area{
	texts: map[Text]string{
		"%s → %s":                                   "%s → %s",
		"The other booking":                         "Die Gegenbuchung",
		"The other booking: %s":                     "Die Gegenbuchung: %s",
		"%s on %s, %s":                              "%s auf %s, %s",
		"%s on %s, %s: %s":                          "%s auf %s, %s: %s",
		"This is not a transfer":                    "Das ist keine Umbuchung",
		"It is a transfer after all":                "Es ist doch eine Umbuchung",
		"Is this a transfer between your accounts?": "Ist das eine Umbuchung zwischen Ihren Konten?",
		"These two are a transfer":                  "Diese beiden sind eine Umbuchung",
		"It went from %s to %s. It counts as neither income nor spending.":                        "Umbuchung von %s auf %s. Sie zählt weder als Einnahme noch als Ausgabe.",
		"It went from %s to %s, as you said. It counts as neither income nor spending.":           "Von Ihnen als Umbuchung von %s auf %s angegeben. Sie zählt weder als Einnahme noch als Ausgabe.",
		"You said that these two are not a transfer. Florin does not pair them again.":            "Sie haben angegeben, dass diese beiden keine Umbuchung sind. Florin ordnet sie einander nicht wieder zu.",
		"These two are no longer a transfer. Florin does not pair them again.":                    "Diese beiden sind keine Umbuchung mehr. Florin ordnet sie einander nicht wieder zu.",
		"These two are a transfer between your accounts now.":                                     "Diese beiden sind jetzt eine Umbuchung zwischen Ihren Konten.",
		"Transfers between your own accounts are left out: they are neither income nor spending.": "Umbuchungen zwischen Ihren eigenen Konten sind nicht mitgezählt: Sie sind weder Einnahmen noch Ausgaben.",
	},
}
