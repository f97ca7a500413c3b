package show

import (
	"reflect"
	"strings"
	"testing"

	"florin/internal/statementfile"
	"florin/internal/textfile"
	"florin/web/templates/words"
)

// Every finding of package statementfile has words in both languages.
func TestStatementProblem(t *testing.T) {
	told := map[string]bool{}
	german := words.Languages(words.App)[1]
	for finding, want := range map[textfile.Finding][2]string{
		statementfile.NoRow{}:                                        {"no transaction", "keinen Umsatz"},
		statementfile.TooManyRows{Most: 100000}:                      {"more than 100,000 transactions", "mehr als 100.000 Umsätze"},
		statementfile.TooManyAccounts{Most: 1000}:                    {"more than 1,000 accounts", "mehr als 1.000 Konten"},
		statementfile.TooManyColumns{Count: 1001, Most: 200}:         {"1,001 columns; Florin reads at most 200", "1.001 Spalten"},
		statementfile.NoCurrency{}:                                   {"Choose the currency", "Wählen Sie die Währung"},
		statementfile.OtherMessage{Kind: statementfile.Notification}: {"camt.054", "camt.054"},
		statementfile.CutOff{}:                                       {"ends in the middle", "endet mittendrin"},
		statementfile.NoDay{}:                                        {"date is missing", "Datum fehlt"},
		statementfile.WrongDay{Text: "31.02.2026"}:                   {"“31.02.2026” is not a date", "„31.02.2026“ ist kein Datum"},
		statementfile.NoAmount{}:                                     {"amount is missing", "Betrag fehlt"},
		statementfile.WrongAmount{Text: "lots"}:                      {"“lots” is not an amount", "„lots“ ist kein Betrag"},
		statementfile.WrongCurrency{Text: "euro"}:                    {"“euro” is not the code", "„euro“ ist kein Code"},
		statementfile.WrongSide{Text: "?"}:                           {"“?” does not say", "„?“ sagt nicht"},
		statementfile.WrongLine{}:                                    {"This line", "Diese Zeile"},
		statementfile.ShortLine{Columns: 1, Header: 5}:               {"only 1 column; the first line has 5", "nur 1 Spalte"},
		statementfile.LongText{Most: 4000}:                           {"longer than 4,000", "länger als 4.000"},
		statementfile.NotBooked{}:                                    {"not booked it yet", "noch nicht gebucht"},
		statementfile.Investment{}:                                   {"shares", "Wertpapieren"},
	} {
		told[reflect.TypeOf(finding).Name()] = true
		for i, l := range []*words.Language{words.English, german} {
			if got := StatementProblem(l, finding); !strings.Contains(got, want[i]) || !strings.HasSuffix(got, ".") {
				t.Errorf("%T: %q, want %q", finding, got, want[i])
			}
		}
	}
	if got := StatementProblem(words.English, statementfile.WrongSide{}); !strings.Contains(got, "It does not say") {
		t.Error(got)
	}
	if got := StatementProblem(words.English, textfile.TooDeep{}); got != FileProblem(words.English, textfile.TooDeep{}) {
		t.Error(got)
	}
	for _, name := range unworded(t, "../../statementfile/statementfile.go", told) {
		t.Errorf("statementfile.%s is not tested here: give it words, and a line", name)
	}
	for kind := range statementfile.Notification + 1 {
		if otherMessages[kind] == "" {
			t.Errorf("the kind of message %d has no words", kind)
		}
	}
}
