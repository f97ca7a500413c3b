package show

import (
	"maps"
	"slices"
	"strconv"
	"testing"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/web/templates/words"
)

// A typed name may differ from the name in case, accents, spaces and quotation marks, and in nothing else.
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

// When there are several accounts, each row names its account. A row of the only account does not, and neither does a row of an account that is not listed.
func TestPlaces(t *testing.T) {
	c := Clock{Language: words.English}
	everyday, savings := finance.Account{ID: "a", Nickname: "Everyday"}, finance.Account{ID: "b", Type: "SVGS"}
	for account, want := range map[string]string{"a": "Every month · Everyday", "b": "Every month · Savings account", "c": "Every month", "": "Every month"} {
		if got := c.Places([]finance.Account{everyday, savings}).after("Every month", account); got != want {
			t.Errorf("of two accounts, %q: %q, want %q", account, got, want)
		}
	}
	if got := c.Places([]finance.Account{everyday}).after("Every month", "a"); got != "Every month" {
		t.Errorf("of the only account: %q", got)
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

// An account is called by its name, else by its kind in the language of the reader. The text beside the name does not repeat it.
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

// Nine connections at four banks are told apart in every list of accounts to choose: by the holder or the nickname, the numbers, the kind, and the service
// where one bank comes through two.
func TestNineConnectionsAreToldApart(t *testing.T) {
	elbe, arno, fjord, thames := openbanking.ASPSP{Name: "Elbe Sparbank", Country: "DE"}, openbanking.ASPSP{Name: "Banca dell’Arno", Country: "IT"},
		openbanking.ASPSP{Name: "Fjordbanken", Country: "SE"}, openbanking.ASPSP{Name: "Thames & Trent", Country: "GB"}
	const mira, tom, firm = "Mira Kowalczyk", "Tom Kowalczyk", "Kowalczyk Design GmbH"
	var connections []finance.Connection
	var accounts []finance.Account
	add := func(bank openbanking.ASPSP, holder, nickname, service string, kind openbanking.PSUType, numbers ...string) {
		c := finance.Connection{ID: strconv.Itoa(len(connections)), ASPSP: bank, Nickname: nickname, ProviderName: service, PSUType: kind, Several: true,
			Services: bank == fjord}
		var own []finance.Account
		for _, number := range numbers {
			own = append(own, finance.Account{ID: c.ID + number, ConnectionID: c.ID, Holder: holder, IBAN: number, Product: "Current account", Currency: "EUR",
				Type: openbanking.CashAccountTypeCACC})
		}
		connections, accounts = append(connections, c.Of(own)), append(accounts, own...)
	}
	const personal, business = openbanking.PSUTypePersonal, openbanking.PSUTypeBusiness
	add(elbe, mira, "", "Simulated", personal, "DE3000", "DE3001")
	add(elbe, tom, "", "Simulated", personal, "DE6199")
	add(elbe, mira, "", "Simulated", business, "DE7700", "DE7701")
	add(arno, mira, "Household", "Simulated", personal, "IT4711", "IT0815")
	add(arno, tom, "", "Simulated", personal, "IT2204")
	add(fjord, mira, "", "Simulated", personal, "SE3341")
	add(fjord, mira, "", "Enable Banking", personal, "SE3341")
	add(thames, mira, "", "Simulated", personal, "GB1188")
	add(thames, firm, "", "Simulated", business, "GB5590")
	accounts = append(accounts, finance.Account{ID: "wallet", Source: finance.SourceManual, Nickname: "Wallet", Currency: "EUR", Type: openbanking.CashAccountTypeCASH})
	for _, language := range []string{"en", "de"} {
		c := Clock{Language: words.In(words.Listen(t.Context(), words.App, language))}
		options := c.AccountOptions(accounts, connections, "1DE6199")
		seen, groups := map[string]bool{}, map[string]bool{}
		for _, o := range options {
			seen[o.Group+": "+o.Text], groups[o.Group] = true, true
			if o.Selected != (o.Value == "1DE6199") {
				t.Errorf("%s is chosen: %t", o.Value, o.Selected)
			}
		}
		if len(seen) != len(accounts) || len(groups) != len(connections)+1 {
			t.Errorf("%d accounts in %d groups: %q", len(seen), len(groups), slices.Sorted(maps.Keys(seen)))
		}
		cards := map[string]bool{}
		for _, connection := range connections {
			bank := BankOf(connection)
			cards[bank.Name+bank.Login] = true
		}
		if len(cards) != len(connections) {
			t.Errorf("%d cards", len(cards))
		}
	}
	if one := (Clock{Language: words.English}).AccountOptions(accounts[:2], connections); one[0].Group != "" {
		t.Errorf("one connection has the heading %q", one[0].Group)
	}
}
