package show

import (
	"strings"
	"testing"

	"florin/internal/finance"
	"florin/internal/iban"
	"florin/web/templates/words"
)

// Problems with what people type are described in both languages, with what to do.
func TestTypedProblems(t *testing.T) {
	languages := words.Languages(words.App)
	parse := map[string]func(string) words.Message{
		"IBAN": func(text string) words.Message { _, err := iban.Parse(text); return NumberProblem(err) },
		"BIC":  func(text string) words.Message { _, err := iban.ParseBIC(text); return NumberProblem(err) },
		"amount": func(text string) words.Message {
			amount, currency, _ := strings.Cut(text, " ")
			_, err := finance.ParseAmount(amount, currency)
			return AmountProblem(err)
		},
		"day": func(text string) words.Message { _, err := finance.ParseDay(text); return DayProblem(err) },
	}
	for _, c := range []struct{ kind, text, english, german string }{
		{"IBAN", "", "Enter the IBAN of the account. You find it on an invoice or a bank statement.",
			"Geben Sie die IBAN des Kontos ein. Sie finden sie auf einer Rechnung oder einem Kontoauszug."},
		{"IBAN", "5555", "An IBAN begins with the two letters of a country, such as DE for Germany. This may be another kind of account number.",
			"Eine IBAN beginnt mit den zwei Buchstaben eines Landes, zum Beispiel DE für Deutschland. Vielleicht ist das eine andere Art von Kontonummer."},
		{"IBAN", "XX89", "No country with the code XX has IBANs. Check the first two letters.",
			"Im Land mit dem Code XX gibt es keine IBAN. Prüfen Sie die ersten zwei Buchstaben."},
		{"IBAN", "DE8937040044053201300", "An IBAN that begins with DE (Germany) has 22 characters; this one has 21.",
			"Eine IBAN, die mit DE beginnt (Deutschland), hat 22 Zeichen; diese hat 21."},
		{"IBAN", "DE8937O400440532013000", "Character 7 of this IBAN must be a digit, not the letter O. Perhaps it is 0.",
			"Zeichen 7 dieser IBAN muss eine Ziffer sein, nicht der Buchstabe O. Vielleicht ist es 0."},
		{"IBAN", "DE8937X400440532013000", "Character 7 of this IBAN must be a digit, not the letter X.",
			"Zeichen 7 dieser IBAN muss eine Ziffer sein, nicht der Buchstabe X."},
		{"IBAN", "GB29N1BK60161331926819", "Character 6 of this IBAN must be a letter, not the digit 1. Perhaps it is I.",
			"Zeichen 6 dieser IBAN muss ein Buchstabe sein, nicht die Ziffer 1. Vielleicht ist es I."},
		{"IBAN", "GB29N9BK60161331926819", "Character 6 of this IBAN must be a letter, not the digit 9.",
			"Zeichen 6 dieser IBAN muss ein Buchstabe sein, nicht die Ziffer 9."},
		{"IBAN", "DE88370400440532013000",
			"The check digits of the IBAN are wrong. A character may be mistyped, or two may be swapped. Compare it with the original.",
			"Die Prüfziffern der IBAN stimmen nicht. Vielleicht ist ein Zeichen vertippt, oder zwei sind vertauscht. Vergleichen Sie sie mit der Vorlage."},
		{"IBAN", "DE\u200b89", "Character 3 is an invisible character (U+200B). Only the letters A to Z and digits are allowed. Empty the field and type the number on the keyboard.", "Zeichen 3 ist ein unsichtbares Zeichen (U+200B). Erlaubt sind nur die Buchstaben A bis Z und Ziffern. Leeren Sie das Feld und geben Sie die Nummer über die Tastatur ein."},
		{"IBAN", "DЕ89", "Character 2 is the Cyrillic character “Е” (U+0415), which only looks like one of the letters A to Z. Only the letters A to Z and digits are allowed. Type it again on the keyboard.", "Zeichen 2 ist das kyrillische Zeichen „Е“ (U+0415), das nur wie einer der Buchstaben A bis Z aussieht. Erlaubt sind nur die Buchstaben A bis Z und Ziffern. Geben Sie das Zeichen noch einmal über die Tastatur ein."},
		{"BIC", "", "Enter the BIC of the bank.", "Geben Sie den BIC der Bank ein."},
		{"BIC", "XX", "A BIC has 8 or 11 characters; this one has 2.", "Ein BIC hat 8 oder 11 Zeichen; dieser hat 2."},
		{"BIC", "BHBL12HH", "Characters 5 and 6 of a BIC are the letters of a country, such as DE for Germany.",
			"Zeichen 5 und 6 eines BIC sind die Buchstaben eines Landes, zum Beispiel DE für Deutschland."},
		{"BIC", "BHBLXXHH", "Characters 5 and 6 of a BIC name the country, and no country has the code XX.",
			"Zeichen 5 und 6 eines BIC nennen das Land, und kein Land hat den Code XX."},
		{"amount", "1.234 EUR", "It is not clear whether the separator marks thousands or decimals. Write 1234 or 1.23.",
			"Es ist nicht klar, ob das Zeichen Tausender oder Nachkommastellen trennt. Schreiben Sie 1234 oder 1.23."},
		{"amount", "1,234 JPY", "It is not clear whether the separator marks thousands or decimals. Write 1234: JPY has no decimals.",
			"Es ist nicht klar, ob das Zeichen Tausender oder Nachkommastellen trennt. Schreiben Sie 1234: JPY hat keine Nachkommastellen."},
		{"amount", "12.5 JPY", "The amount has decimals, but JPY has none.", "Der Betrag hat Nachkommastellen, aber JPY hat keine."},
		{"amount", "1.2345 BHD", "The amount has too many decimals: BHD has only 3.", "Der Betrag hat zu viele Nachkommastellen: BHD hat nur 3."},
		{"amount", "-5 EUR", "The amount must be more than zero. Leave out the minus sign: money always goes to the payee.",
			"Der Betrag muss größer als null sein. Lassen Sie das Minuszeichen weg: Das Geld geht immer an den Empfänger."},
		{"amount", "0 EUR", "The amount must be more than zero.", "Der Betrag muss größer als null sein."},
		{"amount", "１２ EUR", "The amount contains the full-width character “１” (U+FF11). Empty the field and type the amount on the keyboard, with the digits 0 to 9.", "Der Betrag enthält das Zeichen „１“ (U+FF11) in voller Breite. Leeren Sie das Feld und geben Sie den Betrag über die Tastatur ein, mit den Ziffern 0 bis 9."},
		{"amount", "١٢ EUR", "The amount contains the digit “١” of another script (U+0661). Empty the field and type the amount on the keyboard, with the digits 0 to 9.", "Der Betrag enthält die Ziffer „١“ einer anderen Schrift (U+0661). Leeren Sie das Feld und geben Sie den Betrag über die Tastatur ein, mit den Ziffern 0 bis 9."},
		{"amount", "ten EUR", "Enter the amount with digits and decimals, such as 12.30.",
			"Geben Sie den Betrag mit Ziffern und Nachkommastellen ein, zum Beispiel 12,30."},
		{"amount", "5 EURO", "The currency must be a code of three capital letters, such as EUR.",
			"Die Währung muss ein Code aus drei Großbuchstaben sein, zum Beispiel EUR."},
		{"amount", "1000000000000000000000 EUR", "The amount is too large.", "Der Betrag ist zu groß."},
		{"day", "tomorrow", "Enter the date like 2026-12-31 or 31.12.2026.", "Geben Sie das Datum so ein: 31.12.2026 oder 2026-12-31."},
		{"day", "29.02.2027", "2027 is not a leap year: February has 28 days.", "2027 ist kein Schaltjahr: Der Februar hat 28 Tage."},
		{"day", "2026-02-30", "The date 2026-02-30 does not exist.", "Das Datum 2026-02-30 gibt es nicht."},
	} {
		message := parse[c.kind](c.text)
		for i, want := range []string{c.english, c.german} {
			if got := languages[i].Message(message); got != want {
				t.Errorf("%s %q in %s:\n%s, want\n%s", c.kind, c.text, languages[i].Code(), got, want)
			}
		}
	}
}
