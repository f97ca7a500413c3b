package finance

import (
	"strings"
	"time"

	"florin/internal/iban"
	"florin/internal/openbanking"
)

// PayeeAccount is the account of a payee: a number within a scheme.
type PayeeAccount struct {
	Scheme openbanking.SchemeName
	Number string // an IBAN without spaces, in capitals; other numbers without spaces
}

// PayeeAccountOf reads an account of the wire so that equal accounts are equal values.
func PayeeAccountOf(wire openbanking.GenericIdentification) PayeeAccount {
	a := PayeeAccount{Scheme: wire.SchemeName, Number: compactNumber(wire.Identification)}
	if a.Scheme == openbanking.SchemeNameIBAN {
		if checked, err := iban.Parse(a.Number); err == nil {
			a.Number = checked.String()
		}
	}
	return a
}

// Wire is the account as it is sent.
func (a PayeeAccount) Wire() openbanking.GenericIdentification {
	return openbanking.GenericIdentification{Identification: a.Number, SchemeName: a.Scheme}
}

// Format writes the account for people: an IBAN in groups of four.
func (a PayeeAccount) Format() string {
	if a.Scheme == openbanking.SchemeNameIBAN {
		if checked, err := iban.Parse(a.Number); err == nil {
			return checked.Groups()
		}
	}
	return a.Number
}

// Payee is somebody whom a user pays: a name and an account, saved. The person's word for creditor.
type Payee struct {
	ID          string
	UserID      string
	Name        string
	Account     PayeeAccount
	Beneficiary openbanking.Beneficiary // all that is known, as it would be sent
	Favourite   bool
	Created     time.Time
	Updated     time.Time
	History     PayeeHistory
}

// PayeeHistory is what a user has paid to an account before, as far as the payments were not refused or cancelled.
type PayeeHistory struct {
	Times    int
	LastPaid time.Time // when the last one was sent off; zero without
	Names    []string  // under which the account was paid, the latest first
}

// NameKey is a name as it is compared: without case, accents of writing aside, punctuation and order of words. Two names that people would call
// the same have one key.
func NameKey(name string) string { return strings.Join(words(name), " ") }
