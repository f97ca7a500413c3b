package wordstest

import "testing"

func TestGerman(t *testing.T) {
	for english, want := range map[string]string{
		"Settings": "Einstellungen", " Settings ": " Einstellungen ", "3 hours ago": "vor 3 Stunden", "Signed in as mira@example.org": "Angemeldet als mira@example.org",
		"since yesterday at 14:02": "seit gestern um 14:02", "ACME GmbH": "ACME GmbH", "": "", "−1,234.56 EUR": "−1.234,56 EUR", "ACME, 3 October": "ACME, 3. Oktober",
	} {
		if got := German(english); got != want {
			t.Errorf("%q in German: %q, want %q", english, got, want)
		}
	}
}
