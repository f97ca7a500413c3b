package show

import (
	"cmp"
	"net/url"
	"strings"

	"florin/internal/countries"
	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/words"
)

// BankOf is the bank of a connection.
func BankOf(c finance.Connection) pages.Bank {
	b := Bank(c.ProviderID, c.ASPSP, c.Simulated)
	b.Login, b.Business = needed(c), c.PSUType == openbanking.PSUTypeBusiness
	return b
}

// Bank is a bank of a provider as pages show it.
func Bank(provider string, aspsp openbanking.ASPSP, simulated bool) pages.Bank {
	return pages.Bank{Name: BankName(aspsp.Name), Country: words.Text(countries.Name(aspsp.Country)), Logo: LogoPath(provider, aspsp), Simulated: simulated}
}

// LogoPath is the logo of a bank, as this server keeps it; "" where there is no bank.
func LogoPath(provider string, aspsp openbanking.ASPSP) string {
	if aspsp.Name == "" {
		return ""
	}
	return paths.LinkLogo + "?" + url.Values{FieldProvider: {provider}, FieldBank: {aspsp.Name}, FieldCountry: {aspsp.Country}}.Encode()
}

// BankName is the name of a bank as it is shown, a dash for one that cannot be seen. The name itself is the bank's identity and is sent back as it came.
func BankName(name string) string { return cmp.Or(finance.Clean(name), "–") }

// ConnectionName is what a connection is called in a sentence: its bank, with the nickname behind it. Where the person has several connections at the bank, it
// also says whose it is and how its accounts end.
func ConnectionName(c finance.Connection) string {
	if login := needed(c); login != "" {
		return BankName(c.ASPSP.Name) + " (" + login + ")"
	}
	return BankName(c.ASPSP.Name)
}

// ConnectionLabel is ConnectionName as a heading, which also tells accounts of a business from personal ones.
func (c Clock) ConnectionLabel(connection finance.Connection) string {
	if connection.PSUType == openbanking.PSUTypeBusiness {
		return ConnectionName(connection) + ", " + c.Say(PSUType(connection.PSUType))
	}
	return ConnectionName(connection)
}

// needed is what has to stand beside the name of the bank: the nickname, or the whole Login where the person has several connections there, with the service
// where they come through several.
func needed(c finance.Connection) string {
	if !c.Several {
		return c.Nickname
	}
	login := Login(c)
	if c.Services && login != "" {
		return login + ", " + c.ProviderName
	}
	if c.Services {
		return c.ProviderName
	}
	return login
}

// Login is what tells a connection from others at its bank: its nickname or the holder of its accounts, and how the numbers of the first ones end;
// "" when the bank tells neither.
func Login(c finance.Connection) string {
	var parts []string
	if name := cmp.Or(c.Nickname, c.Holder); name != "" {
		parts = append(parts, name)
	}
	for _, ending := range c.Endings[:min(len(c.Endings), mostEndings)] {
		parts = append(parts, "…"+ending)
	}
	if len(c.Endings) > mostEndings {
		parts = append(parts, "…")
	}
	return strings.Join(parts, ", ")
}

// ServiceName is what a banking service is called: by its own name, and in the language of the page where it is the one that is part of Florin.
func ServiceName(say func(words.Text, ...any) string, id, name string) string {
	if id == finance.EmbeddedProvider {
		return say("Simulated banks")
	}
	return name
}

// mostEndings is how many accounts a connection is known by.
const mostEndings = 3

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
