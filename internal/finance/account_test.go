package finance

import (
	"slices"
	"strings"
	"testing"
	"time"

	"florin/internal/openbanking"
)

func acc(hash, currency string, hashes ...string) Account {
	return Account{Hash: hash, Hashes: append([]string{hash}, hashes...), BankCurrency: currency}
}

// Architecture 5, rule 1: account identity is identification_hash + currency; the uid is never identity.
func TestMatchAccounts(t *testing.T) {
	for name, c := range map[string]struct {
		known, incoming []Account
		want            []int
	}{
		"same hash, same currency":                     {[]Account{acc("a", "EUR"), acc("b", "EUR")}, []Account{acc("b", "EUR"), acc("a", "EUR")}, []int{1, 0}},
		"same hash, other currency is another account": {[]Account{acc("a", "EUR")}, []Account{acc("a", "USD")}, []int{-1}},
		"pockets under one IBAN": {
			[]Account{acc("p1", "EUR", "iban"), acc("p2", "USD", "iban"), acc("p3", "EUR")},
			[]Account{acc("p2", "USD", "iban"), acc("p1", "EUR", "iban"), acc("p4", "GBP", "iban")}, []int{1, 0, -1}},
		"main hash changed, another is shared": {[]Account{acc("old", "EUR", "iban")}, []Account{acc("new", "EUR", "iban")}, []int{0}},
		"shared hash, other currency":          {[]Account{acc("old", "EUR", "iban")}, []Account{acc("new", "USD", "iban")}, []int{-1}},
		"overlap with two known is nobody":     {[]Account{acc("x", "EUR", "iban"), acc("y", "EUR", "iban")}, []Account{acc("z", "EUR", "iban")}, []int{-1}},
		"overlap of two incoming is nobody":    {[]Account{acc("x", "EUR", "iban")}, []Account{acc("y", "EUR", "iban"), acc("z", "EUR", "iban")}, []int{-1, -1}},
		"exact match leaves overlap unambiguous": {
			[]Account{acc("x", "EUR", "iban"), acc("y", "EUR", "iban")}, []Account{acc("x", "EUR", "iban"), acc("z", "EUR", "iban")}, []int{0, 1}},
		"unknown currency fits":                     {[]Account{acc("a", "EUR")}, []Account{acc("a", NoCurrency)}, []int{0}},
		"unknown currency is not given out twice":   {[]Account{acc("a", NoCurrency)}, []Account{acc("a", "EUR"), acc("a", "USD")}, []int{-1, -1}},
		"empty hashes do not overlap":               {[]Account{acc("a", "EUR", "")}, []Account{acc("b", "EUR", "")}, []int{-1}},
		"the same account twice is recognised once": {[]Account{acc("a", "EUR")}, []Account{acc("a", "EUR"), acc("a", "EUR")}, []int{0, -1}},
		"nothing known":                             {nil, []Account{acc("a", "EUR")}, []int{-1}},
		"nothing incoming":                          {[]Account{acc("a", "EUR")}, nil, []int{}},
		"uid is not looked at": {[]Account{{Hash: "a", BankCurrency: "EUR", UID: "u"}},
			[]Account{{Hash: "b", BankCurrency: "EUR", UID: "u"}}, []int{-1}},
	} {
		if got := MatchAccounts(c.known, c.incoming); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestReadAccount(t *testing.T) {
	a := ReadAccount(openbanking.AccountResource{
		AccountID: &openbanking.AccountIdentification{IBAN: new("de89 3704 0044 0532 0130 00")},
		Name:      new(" Anna  Example\n"), Product: new("Giro"), CashAccountType: openbanking.CashAccountTypeCACC, Currency: "",
		UID: nil, IdentificationHash: "h", IdentificationHashes: []string{"i", "h", "", "i"},
		CreditLimit: &openbanking.AmountType{Currency: "EUR", Amount: "500.00"},
	})
	if a.IBAN != "DE89370400440532013000" || a.Last4() != "3000" || a.Holder != "Anna Example" || a.Name() != "Giro" || a.BankCurrency != NoCurrency ||
		a.UID != "" ||
		a.CreditLimit != "500.00 EUR" || !slices.Equal(a.Hashes, []string{"h", "i"}) {
		t.Errorf("%+v", a)
	}
	b := ReadAccount(openbanking.AccountResource{Currency: "PLN", UID: new("u"), CashAccountType: "SVGS",
		AccountID: &openbanking.AccountIdentification{Other: &openbanking.GenericIdentification{Identification: "12 34", SchemeName: "PLKNR"}}})
	if b.Number != "12 34" || b.Scheme != "PLKNR" || b.Last4() != "2 34" || b.Name() != "" || b.UID != "u" || b.Currency != "PLN" {
		t.Errorf("%+v", b)
	}
}

func TestRenewedKeepsWhatIsOurs(t *testing.T) {
	old := Account{ID: "1", UserID: "u", ConnectionID: "c", Nickname: "Mine", Counts: "ITAV", Transactions: 7, HistoryFrom: "2024-01-01", BankCurrency: "EUR",
		Currency: "EUR", UID: "old", Product: "A"}
	got := old.Renewed(Account{BankCurrency: NoCurrency, Currency: NoCurrency, UID: "new", Product: "B"})
	want := old
	want.UID, want.Product = "new", "B"
	if got.ID != want.ID || got.Counts != "ITAV" || got.UserID != "u" || got.ConnectionID != "c" || got.Nickname != "Mine" || got.Transactions != 7 || got.HistoryFrom != "2024-01-01" ||
		got.Currency != "EUR" || got.BankCurrency != "EUR" || got.UID != "new" || got.Product != "B" {
		t.Errorf("%+v", got)
	}
}

// The pockets of one IBAN are one wallet; what only looks like them is none.
func TestWallets(t *testing.T) {
	const iban, other = "LT1", "LT2"
	account := func(id, connection, iban, currency string) Account {
		return Account{ID: id, ConnectionID: connection, IBAN: iban, Currency: currency, Type: "CACC"}
	}
	card, kept, closed := account("card", "c", iban, "CHF"), account("kept", "c", iban, "CHF"), account("closed", "c", iban, "CHF")
	card.Type, kept.Source, closed.Closed = "CARD", SourceManual, time.Unix(1, 0)
	list := []Account{
		account("euro", "c", iban, "EUR"), account("alone", "c", other, "EUR"), account("dollar", "c", iban, "USD"), card, kept, closed,
		account("second euro", "c", iban, "EUR"), account("pound", "c", iban, "GBP"), account("unknown", "c", iban, NoCurrency),
		account("elsewhere", "d", iban, "GBP"), account("no number", "c", "", "EUR"), account("no number either", "c", "", "USD"),
		account("no bank", "", other, "EUR"), account("no bank either", "", other, "USD"),
	}
	var got []string
	for _, wallet := range Wallets(list, func(a Account) Account { return a }) {
		var ids []string
		for _, a := range wallet {
			ids = append(ids, a.ID)
		}
		got = append(got, strings.Join(ids, "+"))
	}
	want := []string{"euro+dollar+pound", "alone", "card", "kept", "closed", "second euro", "unknown", "elsewhere", "no number", "no number either", "no bank", "no bank either"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestMainCurrency(t *testing.T) {
	open := func(currencies ...string) (list []Account) {
		for _, c := range currencies {
			list = append(list, Account{Currency: c})
		}
		return list
	}
	closed := Account{Currency: "SEK", Closed: time.Now()}
	for _, c := range []struct {
		chosen   string
		accounts []Account
		want     string
	}{
		{"", nil, "EUR"}, {"", open("CHF"), "CHF"}, {"", open("CHF", "EUR"), "EUR"}, {"", open("CHF", "CHF", "EUR"), "CHF"}, {"", open("USD", "CHF"), "CHF"},
		{"USD", open("CHF"), "USD"}, {"", append(open("CHF"), closed, closed), "CHF"}, {"", open(NoCurrency), "EUR"},
	} {
		if got := MainCurrency(User{Currency: c.chosen}, c.accounts); got != c.want {
			t.Errorf("%q of %v is %s, want %s", c.chosen, c.accounts, got, c.want)
		}
	}
}
