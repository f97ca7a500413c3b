package show

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"florin/internal/countries"
	"florin/internal/finance"
	"florin/internal/iban"
	"florin/internal/openbanking"
	"florin/internal/search"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// AccountName returns the name of an account: its nickname, else the bank's description or product, else its kind.
func (c Clock) AccountName(account finance.Account) string {
	return cmp.Or(account.Name(), c.Say(AccountKind(account.Type)))
}

// Wallet returns a common name for the pockets of one account: their common name, else the common name that the bank gives them, else their kind. kind is
// shown next to the name; "" when it would repeat it.
func (c Clock) Wallet(pockets []finance.Account) (name, kind string) {
	first := pockets[0]
	for _, of := range []func(finance.Account) string{c.AccountName, func(a finance.Account) string { return cmp.Or(a.Details, a.Product) }} {
		if name = of(first); name != "" && !slices.ContainsFunc(pockets, func(a finance.Account) bool { return of(a) != name }) {
			break
		}
		name = c.Say(AccountKind(first.Type))
	}
	if kind = c.KindBeside(first); kind == name {
		kind = ""
	}
	return name, kind
}

// Pocket returns the name of a pocket within its wallet: its currency, after its own name when that differs from the name of the wallet.
func (c Clock) Pocket(account finance.Account, wallet string) string {
	if name := c.AccountName(account); name != wallet {
		return name + ", " + account.Currency
	}
	return account.Currency
}

// SameName reports whether a typed name equals another. Like a search it ignores capitals, accents and signs: few keyboards have ’.
func SameName(typed, name string) bool {
	words := search.Words(name)
	if len(words) == 0 {
		return finance.Clean(typed) == finance.Clean(name)
	}
	return slices.Equal(search.Words(typed), words)
}

// AccountNames returns the names of accounts.
func (c Clock) AccountNames(accounts []finance.Account) []string {
	var names []string
	for _, account := range accounts {
		names = append(names, c.AccountName(account))
	}
	return names
}

// Places maps ids of accounts to their names, for lists with rows of several accounts. It is nil for a single account.
type Places map[string]string

// Places returns the names of accounts by their ids; nil for fewer than two accounts.
func (c Clock) Places(accounts []finance.Account) Places {
	if len(accounts) < 2 {
		return nil
	}
	places := Places{}
	for _, account := range accounts {
		places[account.ID] = c.AccountName(account)
	}
	return places
}

// after appends the name of an account to a note. It returns the note unchanged when the account is not in p.
func (p Places) after(note, account string) string {
	if name := p[account]; name != "" {
		return note + " · " + name
	}
	return note
}

// AccountKind returns the name of a type of account.
func AccountKind(t openbanking.CashAccountType) words.Text {
	switch t {
	case openbanking.CashAccountTypeCACC:
		return "Current account"
	case openbanking.CashAccountTypeCARD:
		return "Card account"
	case openbanking.CashAccountTypeCASH:
		return "Cash account"
	case openbanking.CashAccountTypeLOAN:
		return "Loan"
	case openbanking.CashAccountTypeSVGS:
		return "Savings account"
	}
	return "Account"
}

// Detail distinguishes accounts with similar names: "Current account, ending in 4711".
func (c Clock) Detail(account finance.Account) string {
	if last := account.Last4(); last != "" {
		return c.Say("%s, ending in %s", c.KindBeside(account), last)
	}
	return c.KindBeside(account)
}

// DetailIn returns Detail with the currency: "Current account, ending in 4711, EUR".
func (c Clock) DetailIn(account finance.Account) string {
	return c.Detail(account) + ", " + account.Currency
}

// AccountChoice returns an account with all that distinguishes it, as an option: "Everyday, Giro Plus, Current account, …4711, EUR".
func (c Clock) AccountChoice(account finance.Account) string {
	return strings.Join(slices.Insert(c.apart(account), 0, c.AccountName(account)), ", ")
}

// AccountOptions returns accounts as options, grouped under the names of their connections when there are several. chosen are the ids of the selected ones.
func (c Clock) AccountOptions(accounts []finance.Account, connections []finance.Connection, chosen ...string) []ui.Option {
	return c.AccountsOf(accounts, connections, nil, chosen...)
}

// AccountsOf returns AccountOptions for accounts of which some belong to others. owners are these owners by account id; such accounts are grouped under the
// name of the owner.
func (c Clock) AccountsOf(accounts []finance.Account, connections []finance.Connection, owners map[string]finance.User, chosen ...string) []ui.Option {
	var options []ui.Option
	several := false
	for _, account := range accounts {
		group := c.Say("Kept by you")
		if i := slices.IndexFunc(connections, func(own finance.Connection) bool { return own.ID == account.ConnectionID }); i >= 0 && account.Linked() {
			group = c.ConnectionLabel(connections[i])
		}
		if owner, theirs := owners[account.ID]; theirs {
			group = c.Say("Shared by %s", owner.Email)
		}
		several = several || len(options) > 0 && options[0].Group != group
		options = append(options, ui.Option{Value: account.ID, Text: c.AccountChoice(account), Selected: slices.Contains(chosen, account.ID), Group: group})
	}
	if !several {
		for i := range options {
			options[i].Group = ""
		}
	}
	return options
}

// TransfersLeftOut returns a sentence: transfers count neither as income nor as spending.
func (c Clock) TransfersLeftOut(household bool) string {
	if household {
		return c.Say("Transfers between accounts of one person are left out. What one person of the household pays another counts as money out and money in.")
	}
	return c.Say("Transfers between your own accounts are left out: they are neither income nor spending.")
}

// Apart returns AccountChoice without the name, for a line of its own.
func (c Clock) Apart(account finance.Account) string { return strings.Join(c.apart(account), ", ") }

func (c Clock) apart(account finance.Account) (parts []string) {
	name := c.AccountName(account)
	for _, what := range []string{account.Product, c.Say(AccountKind(account.Type))} {
		if what != "" && what != name {
			parts = append(parts, what)
		}
	}
	if last := account.Last4(); last != "" {
		parts = append(parts, "…"+last)
	}
	return append(parts, account.Currency)
}

// TransactionName returns the title of a transaction, or a text for one without a title.
func (c Clock) TransactionName(name string) string {
	return cmp.Or(name, c.Say("Transaction without a name"))
}

// Groups returns an IBAN in groups of four, and any other text unchanged.
func Groups(number string) string {
	parsed, err := iban.Parse(number)
	if err != nil {
		return number
	}
	return parsed.Groups()
}

func OfConnection(accounts []finance.Account, connectionID string) []finance.Account {
	var own []finance.Account
	for _, account := range accounts {
		if account.ConnectionID == connectionID {
			own = append(own, account)
		}
	}
	return own
}

// SharedBy returns the accounts that a connection can read and another connection keeps up to date.
func SharedBy(connectionID string, accounts []finance.Account, access []finance.SharedAccess) []finance.Account {
	var shared []finance.Account
	for _, account := range accounts {
		if slices.Contains(access, finance.SharedAccess{AccountID: account.ID, ConnectionID: connectionID}) {
			shared = append(shared, account)
		}
	}
	return shared
}

// NoBalance returns the reason why an account shows no balance.
func NoBalance(account finance.Account) words.Text {
	if account.UID == "" && account.Linked() {
		return "No access"
	}
	return "No balance yet"
}

// KindBeside returns the kind of an account to show next to its name: the bank's name for the product, else Florin's name for the type. It never repeats the
// name.
func (c Clock) KindBeside(account finance.Account) string {
	if account.Product != "" && account.Product != account.Name() {
		return account.Product
	}
	return c.Say(AccountKind(account.Type))
}

// AsOf returns the day that the bank gives for a balance, else the time at which it was fetched.
func AsOf(c Clock, b finance.Balance) ui.Time {
	if _, err := b.Reference.Time(); err == nil {
		if day := c.Day(b.Reference); day.ISO != c.Now.Format(time.DateOnly) {
			return day
		}
	}
	return c.Moment(b.Fetched)
}

// Facts collects facts and omits empty ones. Text from a bank is cleaned for display; the record keeps the original.
type Facts []ui.Fact

func (f *Facts) Add(name, value, code string) {
	if value = finance.Clean(value); value != "" {
		*f = append(*f, ui.Fact{Name: name, Value: value, Code: finance.Clean(code)})
	}
}

// Address returns a postal address in one line; "" without one.
func (c Clock) Address(p *openbanking.PostalAddress) string {
	if p == nil {
		return ""
	}
	var parts []string
	add := func(words ...string) {
		if line := strings.TrimSpace(strings.Join(words, " ")); line != "" {
			parts = append(parts, line)
		}
	}
	add(Text(p.StreetName), Text(p.BuildingNumber))
	add(p.AddressLine...)
	add(Text(p.PostCode), Text(p.TownName))
	add(c.Say(words.Text(countries.Name(Text(p.Country)))))
	return strings.Join(parts, ", ")
}

// Text returns an optional text of the wire format; "" for nil.
func Text(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}

// Readable indents a record. Characters that are invisible or change the direction of writing are replaced by escapes, which mean the same in JSON.
func Readable(record json.RawMessage) string {
	var indented bytes.Buffer
	if err := json.Indent(&indented, record, "", "  "); err != nil {
		return string(record)
	}
	var b strings.Builder
	for _, r := range indented.String() {
		switch {
		case r == '\n' || r == ' ' || unicode.IsGraphic(r) && !unicode.Is(unicode.Cf, r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := (r-0x10000)>>10+0xd800, (r-0x10000)&0x3ff+0xdc00
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
