package paymentfile

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"

	"florin/internal/textfile"
)

// EPC069-12: both versions, all alphabets, and what writers of such codes do beside the standard.
func TestParseInvoiceForms(t *testing.T) {
	full := []string{"BCD", "002", "1", "SCT", "BHBLDEHHXXX", "Müller GmbH", german, "EUR12.30", "", "", "Rechnung für März", ""}
	with := func(i int, line string) []string {
		lines := append([]string{}, full...)
		lines[i] = line
		return lines
	}
	codes := map[string]string{
		"version 1":                          strings.Join(with(1, "001"), "\n"),
		"version 2":                          strings.Join(full, "\n"),
		"lines end as in Windows":            strings.Join(full, "\r\n"),
		"lines end as on old computers":      strings.Join(full, "\r"),
		"empty elements at the end left out": strings.Join(full[:11], "\n"),
		"and too many of them":               strings.Join(full, "\n") + strings.Repeat("\r\n", 9),
		"spaces at the end":                  strings.Join(full, "\n") + " \n\t \n",
		"empty lines before":                 "\n\n  " + strings.Join(full, "\n"),
		"a byte order mark":                  "\ufeff" + strings.Join(full, "\n"),
		"small letters":                      strings.Join(with(0, "bcd"), "\n"),
		"spaces that do not break":           strings.Join(with(5, "\u00a0Müller\u00a0GmbH\u00a0"), "\n"),
		"a letter of two characters":         strings.Join(with(5, "Mu\u0308ller GmbH"), "\n"),
	}
	for alphabet := byte('1'); alphabet <= '8'; alphabet++ {
		codes["alphabet "+string(alphabet)] = strings.Join(with(2, string(alphabet)), "\n")
	}
	for name, alphabet := range map[string]*charmap.Charmap{"ISO 8859-1": charmap.ISO8859_1, "windows-1252": charmap.Windows1252} {
		garbled, err := alphabet.NewDecoder().String(strings.Join(full, "\n"))
		if err != nil {
			t.Fatal(err)
		}
		codes["UTF-8 that was read as "+name] = garbled
	}
	for name, code := range codes {
		v, err := ParseInvoice(code)
		if err != nil || !LooksLikeInvoice(code) || v.Name != "Müller GmbH" || v.IBAN.String() != german || v.BIC != "BHBLDEHHXXX" ||
			v.Amount.String() != "12.30" || v.Text != "Rechnung für März" || v.Reference != "" {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
	least, err := ParseInvoice(strings.Join([]string{"BCD", "002", "1", "SCT", "", "Müller", german}, "\n"))
	if err != nil || !least.Amount.IsZero() || least.BIC != "" || least.Text != "" {
		t.Errorf("%+v, %v", least, err)
	}
	structured, err := ParseInvoice(strings.Join([]string{"BCD", "001", "1", "SCT", "BHBLDEHHXXX", "Müller", german, "EUR999999999.99", "GDDS",
		"RF18539007547034"}, "\n"))
	if err != nil || structured.Reference != "RF18539007547034" || structured.Purpose != "GDDS" || structured.Amount.String() != "999999999.99" {
		t.Errorf("%+v, %v", structured, err)
	}
	// The length counts bytes in the alphabet of the code: 140 letters with accents are 280 in UTF-8.
	long := with(10, strings.Repeat("ä", 140))
	if _, err := ParseInvoice(strings.Join(long, "\n")); err == nil || !says(err, "LongCode{Most:331}") {
		t.Errorf("in UTF-8: %v", err)
	}
	long[2] = "2"
	if _, err := ParseInvoice(strings.Join(long, "\n")); err != nil {
		t.Errorf("in ISO 8859-1: %v", err)
	}
	for _, c := range []struct {
		name, code, finding string
	}{
		{"version", strings.Join(with(1, "003"), "\n"), "WrongVersion"},
		{"alphabet", strings.Join(with(2, "0"), "\n"), "WrongAlphabet"},
		{"alphabet of two digits", strings.Join(with(2, "11"), "\n"), "WrongAlphabet"},
		{"no BIC in version 1", strings.Join([]string{"BCD", "001", "1", "SCT", "", "Müller", german}, "\n"), "NoCodeBIC"},
		{"a BIC that is none", strings.Join(with(4, "XX"), "\n"), "WrongCodeBIC"},
		{"no name", strings.Join(with(5, ""), "\n"), "NoCodeName"},
		{"a long name", strings.Join(with(5, strings.Repeat("ü", 71)), "\n"), "LongElement{Line:6, Length:71, Most:70}"},
		{"no IBAN", strings.Join(with(6, ""), "\n"), "WrongCodeIBAN"},
		{"dollars", strings.Join(with(7, "USD12.30"), "\n"), "OtherCurrency"},
		{"a comma", strings.Join(with(7, "EUR12,30"), "\n"), "AmountComma"},
		{"no currency", strings.Join(with(7, "12.30"), "\n"), "AmountForm"},
		{"nothing", strings.Join(with(7, "EUR0.00"), "\n"), "AmountZero"},
		{"too much", strings.Join(with(7, "EUR1000000000.00"), "\n"), "AmountForm"},
		{"a long purpose", strings.Join(with(8, "GDDSX"), "\n"), "WrongPurpose"},
		{"a long reference", strings.Join(with(9, strings.Repeat("1", 36)), "\n"), "ReferenceAndText"},
		{"a long reference alone", strings.Join(append(append([]string{}, full[:9]...), strings.Repeat("1", 36)), "\n"), "LongElement{Line:10, Length:36, Most:35}"},
		{"a reference with letters of a text", strings.Join(append(append([]string{}, full[:9]...), "für Sie"), "\n"), "WrongReference"},
		{"both", strings.Join(with(9, "RF18539007547034"), "\n"), "ReferenceAndText"},
		{"a long text", strings.Join(with(10, strings.Repeat("x", 141)), "\n"), "LongElement{Line:11, Length:141, Most:140}"},
		{"more behind it", strings.Join(full[:11], "\n") + "\n\nhttps://example.com", "TooManyLines{Count:13, Most:12}"},
		{"a direct debit", strings.Join(with(3, "SDD"), "\n"), "OtherPurpose"},
		{"damaged", strings.Join(with(5, "M\ufffdller"), "\n"), "DamagedCode"},
		{"on one line", strings.Join(full, " "), "LinesMissing"},
	} {
		if _, err := ParseInvoice(c.code); err == nil || !says(err, c.finding) || !LooksLikeInvoice(c.code) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// Other payment codes are recognised by their first line.
func TestOtherPaymentCodes(t *testing.T) {
	for code, kind := range map[string]CodeKind{
		"UPNQR\n\n\n\n":                  SlovenianUPNQR,
		"HRVHUB30\nHRK\n000000000010000": CroatianHUB3, "ST00012|Name=X": RussianCode, "K:PR|V:01|C:1|R:1": SerbianIPS, "HCT\n001": HungarianQvik,
		"00020101021226": ShopCode, "bank://singlepaymentsepa?name=x": BezahlCode, "payto://iban/DE89": PaytoLink, "https://pay.example/x": WebPage,
	} {
		_, err := ParseInvoice(code)
		var e *textfile.Error
		if !errors.As(err, &e) || e.Reason != (OtherCode{Kind: kind}) || !LooksLikeInvoice(code) {
			t.Errorf("%q: %v", code, err)
		}
	}
	for _, text := range []string{"", german, "fr14 2004 1010 0505 0001 3m02 606", "SPCX", "SK3112000000198742637541", "hello", "IBAN: " + german, "HCTX\n"} {
		if LooksLikeInvoice(text) {
			t.Errorf("%q is taken for a payment code", text)
		}
	}
}
