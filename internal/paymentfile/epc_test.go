package paymentfile

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
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
		if err != nil || !LooksLikeInvoice(code) || v.Name != "Müller GmbH" || v.IBAN.String() != german || v.BIC != "BHBLDEHHXXX" || v.Amount.String() != "12.30" || v.Text != "Rechnung für März" || v.Reference != "" {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
	least, err := ParseInvoice(strings.Join([]string{"BCD", "002", "1", "SCT", "", "Müller", german}, "\n"))
	if err != nil || !least.Amount.IsZero() || least.BIC != "" || least.Text != "" {
		t.Errorf("%+v, %v", least, err)
	}
	structured, err := ParseInvoice(strings.Join([]string{"BCD", "001", "1", "SCT", "BHBLDEHHXXX", "Müller", german, "EUR999999999.99", "GDDS", "RF18539007547034"}, "\n"))
	if err != nil || structured.Reference != "RF18539007547034" || structured.Purpose != "GDDS" || structured.Amount.String() != "999999999.99" {
		t.Errorf("%+v, %v", structured, err)
	}
	// The length counts bytes in the alphabet of the code: 140 letters with accents are 280 in UTF-8.
	long := with(10, strings.Repeat("ä", 140))
	if _, err := ParseInvoice(strings.Join(long, "\n")); err == nil || !strings.Contains(err.Error(), "331 characters") {
		t.Errorf("in UTF-8: %v", err)
	}
	long[2] = "2"
	if _, err := ParseInvoice(strings.Join(long, "\n")); err != nil {
		t.Errorf("in ISO 8859-1: %v", err)
	}
	for _, c := range []struct {
		name, code, words string
	}{
		{"version", strings.Join(with(1, "003"), "\n"), "line 2, is none that is known: it is 001 or 002"},
		{"alphabet", strings.Join(with(2, "0"), "\n"), "it is a digit from 1 to 8"},
		{"alphabet of two digits", strings.Join(with(2, "11"), "\n"), "it is a digit from 1 to 8"},
		{"no BIC in version 1", strings.Join([]string{"BCD", "001", "1", "SCT", "", "Müller", german}, "\n"), "put 002 into line 2"},
		{"a BIC that is none", strings.Join(with(4, "XX"), "\n"), "the BIC in line 5 is wrong: A BIC has 8 or 11 characters; this one has 2. Take it out"},
		{"no name", strings.Join(with(5, ""), "\n"), "lacks the name of the payee in line 6"},
		{"a long name", strings.Join(with(5, strings.Repeat("ü", 71)), "\n"), "has 71 characters; 70 are allowed. Shorten it"},
		{"no IBAN", strings.Join(with(6, ""), "\n"), "Enter the IBAN"},
		{"dollars", strings.Join(with(7, "USD12.30"), "\n"), "not in euro"},
		{"a comma", strings.Join(with(7, "EUR12,30"), "\n"), "has a comma. Write it as in EUR12.30"},
		{"no currency", strings.Join(with(7, "12.30"), "\n"), "not of the form EUR12.30. Leave the line empty"},
		{"nothing", strings.Join(with(7, "EUR0.00"), "\n"), "must be above zero in line 8"},
		{"too much", strings.Join(with(7, "EUR1000000000.00"), "\n"), "not of the form"},
		{"a long purpose", strings.Join(with(8, "GDDSX"), "\n"), "purpose in line 9"},
		{"a long reference", strings.Join(with(9, strings.Repeat("1", 36)), "\n"), "one of them"},
		{"a long reference alone", strings.Join(append(append([]string{}, full[:9]...), strings.Repeat("1", 36)), "\n"), "reference in line 10 has 36 characters; 35 are allowed"},
		{"a reference with letters of a text", strings.Join(append(append([]string{}, full[:9]...), "für Sie"), "\n"), "If it is a text, move it to line 11"},
		{"both", strings.Join(with(9, "RF18539007547034"), "\n"), "Leave one of the lines empty"},
		{"a long text", strings.Join(with(10, strings.Repeat("x", 141)), "\n"), "line 11 has 141 characters; 140 are allowed"},
		{"more behind it", strings.Join(full[:11], "\n") + "\n\nhttps://example.com", "has 13 lines; a payment code has at most 12"},
		{"a direct debit", strings.Join(with(3, "SDD"), "\n"), "line 4 is SCT"},
		{"damaged", strings.Join(with(5, "M\ufffdller"), "\n"), "damaged characters"},
		{"on one line", strings.Join(full, " "), "ran together"},
	} {
		if _, err := ParseInvoice(c.code); err == nil || !strings.Contains(err.Error(), c.words) || !LooksLikeInvoice(c.code) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// Other payment codes are recognised by their first line, and it is said what to do instead.
func TestOtherPaymentCodes(t *testing.T) {
	for code, name := range map[string]string{
		"SPC\r\n0200\r\n1\r\nCH4431999123000889012": "a Swiss QR-bill", "SPD*1.0*ACC:CZ5855000000001265098001*AM:480.50": "a Czech or Slovak payment code (SPAYD)", "UPNQR\n\n\n\n": "a Slovenian payment slip (UPN QR)",
		"HRVHUB30\nHRK\n000000000010000": "a Croatian payment slip (HUB3)", "ST00012|Name=X": "a Russian payment code", "K:PR|V:01|C:1|R:1": "a Serbian payment code (IPS QR)", "HCT\n001": "a Hungarian payment code (qvik)",
		"00020101021226": "a payment code of shops (EMV QR)", "bank://singlepaymentsepa?name=x": "a payment link (BezahlCode)", "payto://iban/DE89": "a payment link (payto)", "https://pay.example/x": "an address of a web page",
	} {
		_, err := ParseInvoice(code)
		if err == nil || !strings.Contains(err.Error(), "this is "+name+", which Florin does not read") || !strings.Contains(err.Error(), "Copy the IBAN from it") || !LooksLikeInvoice(code) {
			t.Errorf("%q: %v", code, err)
		}
	}
	for _, text := range []string{"", german, "fr14 2004 1010 0505 0001 3m02 606", "SPCX", "SK3112000000198742637541", "hello", "IBAN: " + german, "HCTX\n"} {
		if LooksLikeInvoice(text) {
			t.Errorf("%q is taken for a payment code", text)
		}
	}
}
