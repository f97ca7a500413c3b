package paymentrules

import (
	"errors"
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
func (c *checker) account(path Field, account openbanking.GenericIdentification, stated []openbanking.SchemeName) {
	if len(stated) == 0 {
		stated = c.schemes()
	}
	before := len(c.faults)
	choice(c, path.child("scheme_name"), account.SchemeName, stated)
	if len(c.faults) > before || c.full() {
		return // in which form the number should be is not to be told
	}
	number := path.child("identification")
	switch account.SchemeName {
	case openbanking.SchemeNameIBAN:
		c.iban(number, account.Identification)
	case openbanking.SchemeNameBBAN:
		c.bban(number, account.Identification)
	case openbanking.SchemeNameBGNR:
		c.luhn(number, account, 7, 8, 4)
	case openbanking.SchemeNamePGNR:
		c.luhn(number, account, 2, 8, 1)
	case openbanking.SchemeNameCPAN:
		c.luhn(number, account, 12, 19, 0)
	default:
		c.text(number, &account.Identification, maxReference)
	}
	c.text(path.child("issuer"), account.Issuer, maxReference)
}

func (c *checker) iban(path Field, number string) {
	account, err := iban.Parse(number)
	var problem *iban.Problem
	switch {
	case errors.As(err, &problem):
		c.fault(path, WrongIBAN{Problem: problem})
	case account.String() != number:
		c.fault(path, IBANSpelling{})
	case c.sepa() && !account.SEPA():
		c.fault(path, OutsideSEPA{Country: account.Country(), Type: c.kind.PaymentType})
	}
}

// bban checks a national account number, whose form is the country's.
func (c *checker) bban(path Field, number string) {
	if n := len(number); n == 0 || n > 30 {
		c.fault(path, NationalNumberLength{Length: n})
		return
	}
	if i := strings.IndexFunc(number, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'A' || r > 'Z')
	}); i >= 0 {
		c.fault(path, NationalNumberCharacter{Character: first(number[i:])})
	}
}

// luhn checks a number of least to most digits, the last of which is a check digit of the mod 10 method. A hyphen may stand
// before its last tail digits, as it is printed.
func (c *checker) luhn(path Field, account openbanking.GenericIdentification, least, most, tail int) {
	scheme, number := account.SchemeName, account.Identification
	if at := len(number) - tail - 1; tail > 0 && at > 0 && number[at] == '-' {
		number = number[:at] + number[at+1:]
	}
	if i := strings.IndexFunc(number, func(r rune) bool { return r < '0' || r > '9' }); i >= 0 {
		c.fault(path, NumberCharacter{Scheme: scheme, Character: first(number[i:])})
		return
	}
	if n := len(number); n < least || n > most {
		c.fault(path, NumberLength{Scheme: scheme, Length: n, Least: least, Most: most})
		return
	}
	head, last := number[:len(number)-1], number[len(number)-1:]
	if want := reference.Luhn(head); last != want {
		c.fault(path, NumberCheckDigit{Scheme: scheme, Digit: last, Right: want})
	}
}
