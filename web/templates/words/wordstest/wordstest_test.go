package wordstest

import (
	"slices"
	"strings"
	"testing"
)

func TestGerman(t *testing.T) {
	for english, want := range map[string]string{
		"Settings": "Einstellungen", " Settings ": " Einstellungen ", "3 hours ago": "vor 3 Stunden", "Signed in as mira@example.org": "Angemeldet als mira@example.org",
		"since yesterday at 14:02": "seit gestern um 14:02", "ACME GmbH": "ACME GmbH", "": "", "−1,234.56 EUR": "−1.234,56 EUR", "ACME, 3 October": "ACME, 3. Oktober",
		"Today, Saturday 3 October": "Heute, Samstag, 3. Oktober", "Thursday, 29 February 2024": "Donnerstag, 29. Februar 2024", "1,240 transactions": "1.240 Umsätze",
		"Updated at 14:02. Next update at 20:00.": "Aktualisiert um 14:02. Nächste Aktualisierung um 20:00.", "3 accounts · Florin": "3 Konten · Florin",
		"What you can spend now. It may include an overdraft. As of 14:02.": "Was Sie jetzt ausgeben können. Ein Dispokredit kann darin enthalten sein. Stand: 14:02.",
		"Saturday": "Samstag", "3 new, 14:02": "3 neu, 14:02", "Created at 14:02:11. Zuletzt geprüft vor 2 Sekunden.": "Angelegt: 14:02:11. Zuletzt geprüft vor 2 Sekunden.",
		"Balances: Banca dell’Arno has a problem. You do not have to do anything.": "Kontostände: Banca dell’Arno hat eine Störung. Sie müssen nichts tun.",
		strings.Repeat("ACME, to you, ", 12) + "12 of them":                        strings.Repeat("ACME, to you, ", 12) + "12 of them", // each piece is looked up once
		// A short text such as "%s to %s" is no part of a sentence, and a long one takes what a bank said.
		"He went to the bank at noon": "He went to the bank at noon", "Your mandate reference starts on the first": "Your mandate reference starts on the first",
		"3 accounts and 12 wombats bleiben in Florin.": "3 Konten und 12 wombats bleiben in Florin.", "Refused: the key is too old": "Abgelehnt: the key is too old", "The bank reports they said so": "Die Bank meldet they said so",
	} {
		if got := German(english); got != want {
			t.Errorf("%q in German: %q, want %q", english, got, want)
		}
	}
}

func TestChoices(t *testing.T) {
	got := Choices("None")
	slices.Sort(got)
	if want := []string{"Keine", "Keiner"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPart(t *testing.T) {
	for english, want := range map[string]bool{"whoever runs this server": true, "Settings": false, "ACME GmbH": false} {
		if got := Part(english); got != want {
			t.Errorf("Part(%q) = %t, want %t", english, got, want)
		}
	}
}
