package paymentrules

import (
	"strings"

	"florin/internal/iban"
	"florin/internal/openbanking"
	"florin/internal/reference"
)

// accountSchemes are those that name an account, and not its holder, whole.
var accountSchemes = []openbanking.SchemeName{
	openbanking.SchemeNameIBAN, openbanking.SchemeNameBBAN, openbanking.SchemeNameBGNR, openbanking.SchemeNamePGNR, openbanking.SchemeNameCPAN,
}

// schemes are those of an account where the bank states none.
func (c *checker) schemes() []openbanking.SchemeName {
	if c.sepa() {
		return []openbanking.SchemeName{openbanking.SchemeNameIBAN}
	}
	return accountSchemes
}

// account checks the number of an account, by its scheme. Numbers are taken as machines write them, so that the same account
// is always the same text.
func (c *checker) account(path string, account openbanking.GenericIdentification, stated []openbanking.SchemeName) {
	if len(stated) == 0 {
		stated = c.schemes()
	}
	before := len(c.faults)
	choice(c, path+".scheme_name", account.SchemeName, stated)
	if len(c.faults) > before || c.full() {
		return // in which form the number should be is not to be told
	}
	number := path + ".identification"
	switch account.SchemeName {
	case openbanking.SchemeNameIBAN:
		c.iban(number, account.Identification)
	case openbanking.SchemeNameBBAN:
		c.bban(number, account.Identification)
	case openbanking.SchemeNameBGNR:
		c.luhn(number, account.Identification, "Bankgiro number", 7, 8, 4)
	case openbanking.SchemeNamePGNR:
		c.luhn(number, account.Identification, "Plusgiro number", 2, 8, 1)
	case openbanking.SchemeNameCPAN:
		c.luhn(number, account.Identification, "card number", 12, 19, 0)
	default:
		c.text(number, &account.Identification, maxReference)
	}
	c.text(path+".issuer", account.Issuer, maxReference)
}

func (c *checker) iban(path, number string) {
	account, err := iban.Parse(number)
	switch {
	case err != nil:
		c.fault(path, "is not a valid IBAN. %s", err)
	case account.String() != number:
		c.fault(path, "must be an IBAN without spaces and other signs between, in capital letters")
	case c.sepa() && !account.SEPA():
		c.fault(path, "is an IBAN of a country outside SEPA (%s); a %s payment cannot go there", account.Country(), c.kind.PaymentType)
	}
}

// bban checks a national account number, whose form is the country's.
func (c *checker) bban(path, number string) {
	if n := len(number); n == 0 || n > 30 {
		c.fault(path, "has %s; a national account number has 1 to 30 characters", count(n, "character"))
		return
	}
	if i := strings.IndexFunc(number, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'A' || r > 'Z')
	}); i >= 0 {
		c.fault(path, "has %s in it; a national account number has capital letters and digits only", iban.Describe(first(number[i:])))
	}
}

// luhn checks a number of least to most digits, the last of which is a check digit of the mod 10 method. A hyphen may stand
// before its last tail digits, as it is printed.
func (c *checker) luhn(path, number, what string, least, most, tail int) {
	if at := len(number) - tail - 1; tail > 0 && at > 0 && number[at] == '-' {
		number = number[:at] + number[at+1:]
	}
	if i := strings.IndexFunc(number, func(r rune) bool { return r < '0' || r > '9' }); i >= 0 {
		c.fault(path, "has %s in it; a %s has digits only", iban.Describe(first(number[i:])), what)
		return
	}
	if n := len(number); n < least || n > most {
		c.fault(path, "has %s; a %s has %d to %d", count(n, "digit"), what, least, most)
		return
	}
	head, last := number[:len(number)-1], number[len(number)-1:]
	if want := reference.Luhn(head); last != want {
		c.fault(path, "is not a valid %s: its last digit should be %s, not %s. Probably a digit is mistyped.", what, want, last)
	}
}
