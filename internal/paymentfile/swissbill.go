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
	swissAddress   = 4 // its type: S for one in parts, K, until 2025, for one in two lines
	swissName      = 5
	swissStreet    = 6 // or a first line; the building number, or a second line, follows
	swissPostCode  = 8
	swissTown      = 9
	swissCountry   = 10
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
	v.Address = swissAddressOf(lines)
	v.Reference, err = swissReferenceOf(v.IBAN, lines[swissReference], lines[swissReference+1])
	return v, err
}

// swissAddressOf is the address of the payee. What is too long or missing, the form for the payment says.
func swissAddressOf(lines []string) Address {
	a := Address{Street: finance.Typed(lines[swissStreet]), PostCode: finance.Typed(lines[swissPostCode]), Town: finance.Typed(lines[swissTown])}
	if country := strings.ToUpper(lines[swissCountry]); iban.IsCountry(country) {
		a.Country = country
	}
	second := finance.Typed(lines[swissStreet+1])
	if lines[swissAddress] != "K" {
		a.Street = finance.Typed(a.Street + " " + second)
		return a
	}
	a.PostCode, a.Town = "", second
	if code, town, found := strings.Cut(second, " "); found && strings.ContainsAny(code, "0123456789") {
		a.PostCode, a.Town = code, town
	}
	return a
}

// swissReferenceOf is the reference of a bill: none (NON), one of ISO 11649 (SCOR), or a Swiss QR reference (QRR), which goes with accounts of its own, the
// QR-IBANs, and these with nothing else (Swiss Implementation Guidelines QR-bill, version 2.3, chapter "Data elements in the QR-bill").
func swissReferenceOf(account iban.IBAN, kind, number string) (string, error) {
	switch {
	case account.QR() != (kind == "QRR"):
	case kind == "QRR" && reference.CheckQR(number) == nil:
		return number, nil
	case kind == "NON" && number == "":
		return "", nil
	case kind == "SCOR" && reference.Check(openbanking.ReferenceNumberSchemeINTL, number) == nil:
		return number, nil
	}
	return "", refuse(SwissWrongReference{})
}
