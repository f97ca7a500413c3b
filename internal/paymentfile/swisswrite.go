package paymentfile

import (
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"florin/internal/iban"
	"florin/internal/openbanking"
	"florin/internal/paymentrules"
	"florin/internal/reference"
)

// Francs is the currency in which payments go by a Swiss QR-bill. Such a bill may be in euros, too; Florin writes a code of the EPC then.
const Francs = "CHF"

// Most characters of a payee in a bill (Swiss Implementation Guidelines QR-bill, version 2.3, chapter "Data elements in the QR-bill").
const (
	MaxName     = maxName
	MaxStreet   = 70
	MaxPostCode = 16
	MaxTown     = 35
)

// Why a transfer in francs is no Swiss QR-bill.
var (
	ErrNotSwiss    = errors.New("a Swiss QR-bill pays to an account in Switzerland or Liechtenstein")
	ErrNoAddress   = errors.New("a Swiss QR-bill needs the post code, the town and the country of the payee")
	ErrQRReference = errors.New("a QR-IBAN goes with a Swiss QR reference, and this reference with a QR-IBAN")
	ErrLetters     = errors.New("a Swiss QR-bill does not have one of these characters")
)

// Bill reports whether the transfer goes by a Swiss QR-bill, whose code has a Swiss cross in its middle.
func (v Invoice) Bill() bool { return v.Currency == Francs }

// swissLetters are the letters beside those of ASCII that all versions of the guidelines allow in a bill (chapter "Character set"). Version 2.3 takes more,
// which not every bank passes on yet. £ and ´ are in the table, too; they are left out, since no bill needs them, and scanners take them for parts of letters.
const swissLetters = "ÀÁÂÄÇÈÉÊËÌÍÎÏÑÒÓÔÖÙÚÛÜßàáâäçèéêëìíîïñòóôöùúûüý÷"

func swissLetter(r rune) bool {
	return r >= ' ' && r <= '~' && r != '^' || strings.ContainsRune(swissLetters, r)
}

// SwissText writes a text with the characters of a Swiss QR-bill: "Müller & Söhne" stays as it is, "Škoda" is "Skoda". What has nothing to stand for it is a
// full stop. Where the text gets longer than most characters, a letter stands for a letter. Spaces at the ends go, and several are one.
func SwissText(text string, most int) string {
	text = norm.NFC.String(text)
	long := swissSpelled(text, wide)
	if utf8.RuneCountInString(long) > most {
		return swissSpelled(text, nil)
	}
	return long
}

func swissSpelled(text string, letters map[rune]string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case swissLetter(r):
			b.WriteRune(r)
		default:
			b.WriteString(latin(string(r), letters))
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// ofBill is the rest of InvoiceOf for a bill.
func (v Invoice) ofBill(t openbanking.CreditTransferTransaction) (Invoice, error) {
	text := func(s *string, most int) string {
		if s == nil {
			return ""
		}
		return SwissText(*s, most)
	}
	if c := t.Beneficiary.Creditor; c != nil {
		v.Name = text(c.Name, maxName)
		if a := c.PostalAddress; a != nil {
			v.Address = Address{Street: text(a.StreetName, MaxStreet), PostCode: text(a.PostCode, MaxPostCode), Town: text(a.TownName, MaxTown),
				Country: text(a.Country, 2)}
		}
	}
	texts := t.RemittanceInformation
	if number := t.ReferenceNumber; number != nil && strings.TrimSpace(*number) != "" {
		switch compact := strings.ToUpper(strings.Join(strings.Fields(*number), "")); {
		case reference.CheckQR(compact) == nil, reference.Check(openbanking.ReferenceNumberSchemeINTL, compact) == nil:
			v.Reference = compact
		default:
			texts = append([]string{*number}, texts...)
		}
	}
	v.Text = SwissText(strings.Join(texts, " "), paymentrules.MaxText)
	return v, v.bill()
}

// bill says what keeps a transfer from being a Swiss QR-bill.
func (v Invoice) bill() error {
	kind, known := v.referenceKind()
	all := []string{v.Name, v.Address.Street, v.Address.PostCode, v.Address.Town, v.Address.Country, v.Text}
	switch {
	case v.IBAN == (iban.IBAN{}):
		return ErrNotIBAN
	case v.IBAN.Country() != "CH" && v.IBAN.Country() != "LI":
		return ErrNotSwiss
	case v.Amount.Currency() != Francs, v.Amount.Minor() < 1, v.Amount.Minor() > mostCents:
		return ErrAmount
	case !strings.ContainsFunc(v.Name, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }):
		return ErrNoName
	case v.Address.PostCode == "", v.Address.Town == "", !iban.IsCountry(v.Address.Country):
		return ErrNoAddress
	case !known:
		return ErrReference
	case v.IBAN.QR() != (kind == "QRR"):
		return ErrQRReference
	case utf8.RuneCountInString(v.Name) > maxName, utf8.RuneCountInString(v.Address.Street) > MaxStreet,
		utf8.RuneCountInString(v.Address.PostCode) > MaxPostCode, utf8.RuneCountInString(v.Address.Town) > MaxTown,
		utf8.RuneCountInString(v.Text) > paymentrules.MaxText:
		return ErrTooLong
	case strings.ContainsFunc(strings.Join(all, ""), func(r rune) bool { return !swissLetter(r) }):
		return ErrLetters
	}
	return nil
}

// referenceKind is the kind of reference as a bill names it; known is false where the reference is of none.
func (v Invoice) referenceKind() (kind string, known bool) {
	switch {
	case v.Reference == "":
		return "NON", true
	case reference.CheckQR(v.Reference) == nil:
		return "QRR", true
	}
	return "SCOR", reference.Check(openbanking.ReferenceNumberSchemeINTL, v.Reference) == nil
}

// ReferenceGroups is the reference as people read it: one of ISO 11649 in groups of four, a Swiss QR reference in groups of five from the right (Swiss
// Implementation Guidelines QR-bill, version 2.3, chapter "Information section").
func (v Invoice) ReferenceGroups() string {
	size, first := 4, 0
	if kind, _ := v.referenceKind(); kind == "QRR" {
		size, first = 5, len(v.Reference)%5
	}
	var groups []string
	if first > 0 {
		groups = append(groups, v.Reference[:first])
	}
	for group := range slices.Chunk([]byte(v.Reference[first:]), size) {
		groups = append(groups, string(group))
	}
	return strings.Join(groups, " ")
}

// swissCode is the content of the Swiss QR Code (chapter "Data structure"): version 0200, letters in UTF-8, the address in parts. Who pays is left open,
// since the app knows that.
func (v Invoice) swissCode() (string, error) {
	if err := v.bill(); err != nil {
		return "", err
	}
	kind, _ := v.referenceKind()
	lines := make([]string, swissTrailer+1)
	for line, text := range map[int]string{0: swissBill, swissVersion: "0200", swissCoding: "1", swissIBAN: v.IBAN.String(), swissAddress: "S", swissName: v.Name,
		swissStreet: v.Address.Street, swissPostCode: v.Address.PostCode, swissTown: v.Address.Town, swissCountry: v.Address.Country,
		swissAmount: v.Amount.String(), swissCurrency: Francs, swissReference: kind, swissReference + 1: v.Reference, swissText: v.Text, swissTrailer: "EPD"} {
		lines[line] = text
	}
	text := strings.Join(lines, "\n")
	if utf8.RuneCountInString(text) > maxSwissBill {
		return "", ErrTooLong
	}
	return text, nil
}
