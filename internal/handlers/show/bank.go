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

// BankOf returns the bank of a connection.
func BankOf(c finance.Connection) pages.Bank {
	b := Bank(c.ProviderID, c.ASPSP, c.Simulated)
	b.Login, b.Business = needed(c), c.PSUType == openbanking.PSUTypeBusiness
	return b
}

// Bank returns a bank of a provider for pages.
func Bank(provider string, aspsp openbanking.ASPSP, simulated bool) pages.Bank {
	return pages.Bank{Name: BankName(aspsp.Name), Country: words.Text(countries.Name(aspsp.Country)), Logo: LogoPath(provider, aspsp), Simulated: simulated}
}

// LogoPath returns the address of a bank's logo on this server; "" without a bank.
func LogoPath(provider string, aspsp openbanking.ASPSP) string {
	if aspsp.Name == "" {
		return ""
	}
	return paths.LinkLogo + "?" + url.Values{FieldProvider: {provider}, FieldBank: {aspsp.Name}, FieldCountry: {aspsp.Country}}.Encode()
}

// BankName returns the name of a bank for display, a dash for an invisible one. The original name identifies the bank and is sent back unchanged.
func BankName(name string) string { return cmp.Or(finance.Clean(name), "–") }

// ConnectionName returns how a sentence names a connection: its bank, followed by the nickname. When the person has several connections at the bank, it adds
// the holder and how the account numbers end.
func ConnectionName(c finance.Connection) string {
	if login := needed(c); login != "" {
		return BankName(c.ASPSP.Name) + " (" + login + ")"
	}
	return BankName(c.ASPSP.Name)
}

// ConnectionLabel returns ConnectionName as a heading, which also marks business connections.
func (c Clock) ConnectionLabel(connection finance.Connection) string {
	if connection.PSUType == openbanking.PSUTypeBusiness {
		return ConnectionName(connection) + ", " + c.Say(PSUType(connection.PSUType))
	}
	return ConnectionName(connection)
}

// needed returns what must follow the name of the bank: the nickname; or the whole Login when the person has several connections at the bank; with the
// service when they use several services.
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

// Login returns what distinguishes a connection from others at its bank: its nickname or the holder of its accounts, and the last digits of the first
// accounts. It is "" when nothing of that is known.
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

// ServiceName returns the name of a banking service: its own name, or a translated one for the service inside Florin.
func ServiceName(say func(words.Text, ...any) string, id, name string) string {
	if id == finance.EmbeddedProvider {
		return say("Simulated banks")
	}
	return name
}

// mostEndings is the number of accounts in a Login.
const mostEndings = 3

// AgainPath returns the address for renewing a connection.
func AgainPath(c finance.Connection) string { return BankPath(c.ProviderID, c.ASPSP, c.PSUType, c.ID) }

func ConnectionPath(c finance.Connection) string { return paths.Connection(c.ID) }

// BankPath returns the address of the page that confirms the choice of a bank. kind may be "". again is the id of a connection to renew, AnotherLogin, or "".
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

// PSUType returns the name of the kind of customer.
func PSUType(t openbanking.PSUType) words.Text {
	switch t {
	case openbanking.PSUTypePersonal:
		return "Personal"
	case openbanking.PSUTypeBusiness:
		return "Business"
	}
	return words.Text(t)
}

// Names of form fields and query values with the choice of a bank.
const (
	FieldProvider = "provider"
	FieldBank     = "bank"
	FieldCountry  = "country"
	FieldKind     = "psu_type"
	FieldAgain    = "again"
	FieldUntil    = "until"
)

// AnotherLogin is the value of FieldAgain for a new connection at the same bank; any other value is the id of the connection to renew.
const AnotherLogin = "another"
