package payments

import (
	"maps"
	"testing"

	"florin/internal/finance"
	"florin/internal/handlers/show"
	"florin/web/templates/words"
)

// Accounts that share a title are told apart by the end of their numbers.
func TestAccountNames(t *testing.T) {
	t.Parallel()
	names := accountNames(show.Clock{Language: words.English}, []finance.Account{
		{ID: "a", Details: "Current account", IBAN: "IE84SCNM99031014091679"},
		{ID: "b", Details: "Current account", IBAN: "IE56SCNM99031011365707"},
		{ID: "c", Nickname: "Household", Details: "Current account", IBAN: "IE04SCNM99031011280604"},
		{ID: "d", Details: "Current account"},
	})
	want := map[string]string{"a": "Current account, ending in 1679", "b": "Current account, ending in 5707", "c": "Household", "d": "Current account"}
	if !maps.Equal(names, want) {
		t.Errorf("names %v, want %v", names, want)
	}
}
