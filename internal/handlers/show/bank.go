package show

import (
	"cmp"
	"net/url"

	"florin/internal/countries"
	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/words"
)

// BankOf is the bank of a connection.
func BankOf(c finance.Connection) pages.Bank { return Bank(c.ProviderID, c.ASPSP, c.Simulated) }

// Bank is a bank of a provider as pages show it.
func Bank(provider string, aspsp openbanking.ASPSP, simulated bool) pages.Bank {
	return pages.Bank{Name: BankName(aspsp.Name), Country: words.Text(countries.Name(aspsp.Country)), Logo: LogoPath(provider, aspsp), Simulated: simulated}
}

// LogoPath is the logo of a bank, as this server keeps it.
func LogoPath(provider string, aspsp openbanking.ASPSP) string {
	return paths.LinkLogo + "?" + url.Values{FieldProvider: {provider}, FieldBank: {aspsp.Name}, FieldCountry: {aspsp.Country}}.Encode()
}

// BankName is the name of a bank as it is shown, a dash for one that cannot be seen. The name itself is the bank's identity and is sent back as it came.
func BankName(name string) string { return cmp.Or(finance.Clean(name), "–") }

// AgainPath leads to renewing a connection.
func AgainPath(c finance.Connection) string { return BankPath(c.ProviderID, c.ASPSP, c.PSUType, c.ID) }

func ConnectionPath(c finance.Connection) string { return paths.Connection(c.ID) }

// BankPath is the page that confirms the choice of a bank; kind and again, a connection to renew or anotherLogin, may be "".
func BankPath(provider string, aspsp openbanking.ASPSP, kind openbanking.PSUType, again string) string {
	q := url.Values{FieldProvider: {provider}, FieldBank: {aspsp.Name}, FieldCountry: {aspsp.Country}}
	if kind != "" {
		q.Set(FieldKind, string(kind))
	}
	if again != "" {
		q.Set(FieldAgain, again)
	}
	return paths.LinkBank + "?" + q.Encode()
}

// PSUType says whose accounts a connection is about.
func PSUType(t openbanking.PSUType) words.Text {
	switch t {
	case openbanking.PSUTypePersonal:
		return "Personal"
	case openbanking.PSUTypeBusiness:
		return "Business"
	}
	return words.Text(t)
}

// Names of form fields and query values that choose a bank.
const (
	FieldProvider = "provider"
	FieldBank     = "bank"
	FieldCountry  = "country"
	FieldKind     = "psu_type"
	FieldAgain    = "again"
	FieldUntil    = "until"
)

// AnotherLogin is the value of fieldAgain that makes a connection of its own; every other is the id of the connection to renew.
const AnotherLogin = "another"
