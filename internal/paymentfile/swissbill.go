package paymentfile

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"florin/internal/finance"
	"florin/internal/iban"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/paymentrules"
	"florin/internal/reference"
)

// Lines of a Swiss QR-bill, from 0, by the Swiss Implementation Guidelines QR-bill, version 2.3, chapter "Data structure".
const (
	swissVersion   = 1
	swissCoding    = 2
	swissIBAN      = 3
	swissName      = 5
	swissAmount    = 18
	swissCurrency  = 19
	swissReference = 27 // its kind; the number is in the next line
	swissText      = 29
	swissTrailer   = 30
	swissMost      = 34 // bill information and two alternative schemes follow the trailer
	maxSwissBill   = 997
)

var swissSum = regexp.MustCompile(`^[0-9]{1,9}\.[0-9]{2}$`)

// parseSwissBill reads the text of a Swiss QR-bill. The error is a *textfile.Error.
func parseSwissBill(text string) (Invoice, error) {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(text, "\ufeff"))
	text = strings.TrimSpace(text)
	if !utf8.ValidString(text) || strings.ContainsRune(text, utf8.RuneError) {
		return Invoice{}, refuse(DamagedCode{})
	}
	lines := strings.Split(mended(text), "\n")
	for i := range lines {
		lines[i] = strings.TrimFunc(lines[i], unicode.IsSpace)
	}
	switch {
	case utf8.RuneCountInString(text) > maxSwissBill:
		return Invoice{}, refuse(LongCode{Most: maxSwissBill})
	case len(lines) > swissMost:
		return Invoice{}, refuse(TooManyLines{Count: len(lines), Most: swissMost})
	case len(lines) <= swissTrailer || lines[swissTrailer] != "EPD":
		return Invoice{}, refuse(SwissIncomplete{})
	case !strings.HasPrefix(lines[swissVersion], "02") || len(lines[swissVersion]) != 4 || lines[swissCoding] != "1":
		return Invoice{}, refuse(SwissVersion{})
	}
	v := Invoice{Name: finance.Typed(lines[swissName]), Text: finance.Typed(lines[swissText]), Currency: lines[swissCurrency]}
	account, err := iban.Parse(lines[swissIBAN])
	switch {
	case err != nil:
		return v, refuse(WrongCodeIBAN{Problem: err})
	case account.Country() != "CH" && account.Country() != "LI":
		return v, refuse(SwissAccount{})
	case v.Name == "":
		return v, refuse(SwissNoName{})
	case utf8.RuneCountInString(v.Name) > maxName:
		return v, refuse(SwissLong{Name: true, Length: utf8.RuneCountInString(v.Name), Most: maxName})
	case utf8.RuneCountInString(v.Text) > paymentrules.MaxText:
		return v, refuse(SwissLong{Length: utf8.RuneCountInString(v.Text), Most: paymentrules.MaxText})
	case !slices.Contains([]string{"CHF", "EUR"}, v.Currency):
		return v, refuse(SwissCurrency{})
	}
	v.IBAN = account
	if sum := lines[swissAmount]; sum != "" {
		if !swissSum.MatchString(sum) {
			return v, refuse(SwissSum{})
		}
		if v.Amount, err = money.Parse(sum, v.Currency); err != nil || v.Amount.Sign() <= 0 {
			return v, refuse(SwissSum{})
		}
	}
	number, err := swissReferenceOf(v.IBAN, lines[swissReference], lines[swissReference+1])
	if v.Reference = number; number != "" {
		v.Text, v.Information = "", v.Text // a payment has one or the other; the payee asks for the reference
	}
	return v, err
}

// swissReferenceOf is the reference of a bill: none (NON), or one of ISO 11649 (SCOR). That of the Swiss post (QRR) goes with accounts of its own, the
// QR-IBANs, which only payments within Switzerland can name.
func swissReferenceOf(account iban.IBAN, kind, number string) (string, error) {
	institution := account.String()[4:9]
	switch own := institution >= "30000" && institution <= "31999"; {
	case kind == "QRR" || own:
		return "", refuse(SwissReference{})
	case kind == "NON" && number == "":
		return "", nil
	case kind == "SCOR" && reference.Check(openbanking.ReferenceNumberSchemeINTL, number) == nil:
		return number, nil
	}
	return "", refuse(SwissWrongReference{})
}
