package show

import (
	"testing"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/web/templates/words"
)

// A name can be typed on any keyboard, and nothing else is that name.
func TestSameName(t *testing.T) {
	for name, typed := range map[string]map[string]bool{
		"Banca dell’Arno":     {"Banca dell’Arno": true, "banca dell'arno": true, " Banca  dell´Arno ": true, "Banca": false, "Banca dell’Arno 2": false, "": false, "’": false},
		"Mu\u0308nchner Bank": {"Münchner Bank": true, "munchner bank": true, "Bank": false},
		"…":                   {"…": true, " … ": true, "": false, "–": false},
		"–":                   {"–": true, "": false, "-": false},
	} {
		for text, want := range typed {
			if got := SameName(text, name); got != want {
				t.Errorf("%q for %q: %v", text, name, got)
			}
		}
	}
}

func TestEveryAccountTypeHasWords(t *testing.T) {
	for _, code := range openbanking.CashAccountType("").Values() {
		kind := AccountKind(code)
		if fallback := AccountKind("ZZZZ"); kind == "" || (kind == fallback) != (code == openbanking.CashAccountTypeOTHR) {
			t.Errorf("AccountKind(%s) = %q", code, kind)
		}
	}
}

// An account is called by its name, else by its kind in the language of the reader; what stands beside the name is not the name again.
func TestAccountNames(t *testing.T) {
	for _, row := range []struct {
		account    finance.Account
		language   string
		name, what string
	}{
		{finance.Account{Nickname: "Everyday", Product: "Giro Plus", Type: "CACC", IBAN: "DE89370400440532013000"}, "en", "Everyday", "Giro Plus, ending in 3000"},
		{finance.Account{Product: "Giro Plus", Type: "CACC"}, "en", "Giro Plus", "Current account"},
		{finance.Account{Type: "SVGS", IBAN: "DE89370400440532013000"}, "en", "Savings account", "Savings account, ending in 3000"},
		{finance.Account{Type: "SVGS", IBAN: "DE89370400440532013000"}, "de", "Sparkonto", "Sparkonto, Endziffern 3000"},
	} {
		l := words.Languages(words.App)[0]
		if row.language == "de" {
			l = words.Languages(words.App)[1]
		}
		c := Clock{Language: l}
		if name, what := c.AccountName(row.account), c.Detail(row.account); name != row.name || what != row.what {
			t.Errorf("%s: %q, %q, want %q, %q", row.language, name, what, row.name, row.what)
		}
	}
}
