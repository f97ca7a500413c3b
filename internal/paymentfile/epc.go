package paymentfile

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"

	"florin/internal/finance"
	"florin/internal/iban"
	"florin/internal/money"
)

// Invoice is what the QR code of an invoice asks for (EPC069-12, "SEPA QR", "GiroCode").
type Invoice struct {
	Name        string
	IBAN        iban.IBAN
	BIC         string       // "" when not given
	Amount      money.Amount // zero when the payer chooses it
	Instant     bool
	Purpose     string // ISO 20022 purpose, "" when not given
	Reference   string // structured creditor reference; "" when there is a text
	Text        string // remittance text; "" when there is a reference
	Information string // for the payer alone
}

// maxInvoice is how long such a code is at most, by its standard: bytes in its alphabet.
const maxInvoice = 331

var (
	epcAmount    = regexp.MustCompile(`^EUR([0-9]{1,9}(?:\.[0-9]{1,2})?)$`)
	epcReference = regexp.MustCompile(`^[A-Za-z0-9/+?:().,'\- ]{1,35}$`)
)

// epcAlphabets are the alphabets that a code names in its third line, from 1.
var epcAlphabets = []encoding.Encoding{encoding.Nop, charmap.ISO8859_1, charmap.ISO8859_2, charmap.ISO8859_4, charmap.ISO8859_5, charmap.ISO8859_7, charmap.ISO8859_10, charmap.ISO8859_15}

// otherCodes are the first lines of other payment codes, or how they begin, with what they are.
var otherCodes = []struct {
	begin string
	whole bool // the line
	name  string
}{
	{"SPC", true, "a Swiss QR-bill"}, {"UPNQR", true, "a Slovenian payment slip (UPN QR)"}, {"HCT", true, "a Hungarian payment code (qvik)"}, {"HRVHUB30", true, "a Croatian payment slip (HUB3)"},
	{"SPD*", false, "a Czech or Slovak payment code (SPAYD)"}, {"ST0001", false, "a Russian payment code"}, {"K:P", false, "a Serbian payment code (IPS QR)"}, {"000201", false, "a payment code of shops (EMV QR)"},
	{"BANK:", false, "a payment link (BezahlCode)"}, {"PAYTO:", false, "a payment link (payto)"}, {"BITCOIN:", false, "a Bitcoin address"}, {"HTTP://", false, "an address of a web page"}, {"HTTPS://", false, "an address of a web page"},
}

// LooksLikeInvoice reports whether a pasted text is meant to be the content of a payment code, of whatever kind.
func LooksLikeInvoice(text string) bool {
	first := firstLine(text)
	return strings.HasPrefix(first, "BCD") || otherCode(first) != ""
}

// firstLine is the first line that is not empty, in capitals.
func firstLine(text string) string {
	text = strings.TrimSpace(strings.TrimLeft(text, "\ufeff \t\r\n"))
	if i := strings.IndexAny(text, "\r\n"); i >= 0 {
		text = text[:i]
	}
	return strings.ToUpper(strings.TrimSpace(text))
}

func otherCode(first string) string {
	for _, other := range otherCodes {
		if first == other.begin || !other.whole && strings.HasPrefix(first, other.begin) {
			return other.name
		}
	}
	return ""
}

// ParseInvoice reads the content of such a code, in version 1 or 2 and whatever its alphabet. The error says which line is wrong and what to do, in words; that
// of an IBAN is an *iban.Problem.
func ParseInvoice(text string) (Invoice, error) {
	lines, err := epcLines(text)
	if err != nil {
		return Invoice{}, err
	}
	v := Invoice{Instant: lines[3] == "INST"}
	if lines[4] != "" {
		bic, err := iban.ParseBIC(lines[4])
		if err != nil {
			return v, fmt.Errorf("the BIC in line 5 is wrong: %w Take it out, when the rest is right", err)
		}
		v.BIC = bic.String()
	}
	switch v.Name = finance.Typed(lines[5]); {
	case v.Name == "":
		return v, errors.New("the code lacks the name of the payee in line 6: put it there, as it is on the invoice")
	case utf8.RuneCountInString(v.Name) > 70:
		return v, fmt.Errorf("the name of the payee in line 6 has %d characters; 70 are allowed. Shorten it", utf8.RuneCountInString(v.Name))
	}
	if v.IBAN, err = iban.Parse(lines[6]); err != nil {
		return v, err
	}
	if v.Amount, err = epcSum(lines[7]); err != nil {
		return v, err
	}
	v.Purpose, v.Reference, v.Text, v.Information = lines[8], lines[9], finance.Typed(lines[10]), finance.Typed(lines[11])
	switch {
	case len(v.Purpose) > 4 || strings.ContainsFunc(v.Purpose, func(r rune) bool { return (r < 'A' || r > 'Z') && (r < '0' || r > '9') }):
		return v, errors.New("the purpose in line 9 is not up to four capital letters. Leave the line empty")
	case v.Reference != "" && v.Text != "":
		return v, errors.New("the code has a reference in line 10 and a text in line 11; it may have one of them. Leave one of the lines empty")
	case utf8.RuneCountInString(v.Reference) > 35:
		return v, fmt.Errorf("the reference in line 10 has %d characters; 35 are allowed. If it is a text, move it to line 11", utf8.RuneCountInString(v.Reference))
	case v.Reference != "" && !epcReference.MatchString(v.Reference):
		return v, errors.New("the reference in line 10 has characters that a reference must not have. If it is a text, move it to line 11")
	case utf8.RuneCountInString(v.Text) > 140:
		return v, fmt.Errorf("the text in line 11 has %d characters; 140 are allowed. Shorten it", utf8.RuneCountInString(v.Text))
	case utf8.RuneCountInString(v.Information) > 70:
		return v, fmt.Errorf("the information in line 12 has %d characters; 70 are allowed. It is for you alone: take it out", utf8.RuneCountInString(v.Information))
	}
	return v, nil
}

// epcLines are the twelve lines of a code whose head is right.
func epcLines(text string) ([]string, error) {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(text, "\ufeff"))
	text = strings.TrimLeft(strings.TrimRightFunc(text, unicode.IsSpace), " \t\n")
	first := firstLine(text)
	if name := otherCode(first); name != "" {
		return nil, errors.New("this is " + name + ", which Florin does not read: it reads the European code, which begins with BCD. Copy the IBAN from it and paste that alone; then type name, amount and reference into the form")
	}
	switch {
	case !utf8.ValidString(text), strings.ContainsRune(text, utf8.RuneError):
		return nil, errors.New("the code has damaged characters (�): it was read in another alphabet than it is written in. Scan it with another program, or paste the IBAN alone")
	case !strings.HasPrefix(first, "BCD"):
		return nil, errors.New("this is no payment code: it does not begin with BCD")
	case first != "BCD":
		return nil, errors.New("the lines of the code ran together: BCD stands alone in the first one. Copy it with its line breaks, or paste the IBAN alone")
	}
	lines := strings.Split(mended(text), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	if len(lines) > 12 {
		return nil, fmt.Errorf("the code has %d lines; a payment code has at most 12. Paste nothing else with it", len(lines))
	}
	lines = append(lines, make([]string, 12-len(lines))...)
	switch {
	case lines[1] != "001" && lines[1] != "002":
		return nil, errors.New("the version of the code, in line 2, is none that is known: it is 001 or 002. Paste the IBAN alone")
	case len(lines[2]) != 1 || lines[2][0] < '1' || lines[2][0] > '8':
		return nil, errors.New("the code names an alphabet in line 3 that is not known: it is a digit from 1 to 8. Put 1 there when all letters look right")
	case lines[3] != "SCT" && lines[3] != "INST":
		return nil, errors.New("the code is not for a credit transfer: line 4 is SCT for one. Paste the IBAN alone")
	case lines[4] == "" && lines[1] == "001":
		return nil, errors.New("the code lacks the BIC, which version 001 needs in line 5. If the invoice has none either, put 002 into line 2")
	case epcLength(text, lines[2][0]) > maxInvoice:
		return nil, fmt.Errorf("the code is longer than a payment code may be (%d characters). Paste nothing else with it, or shorten the text in line 11", maxInvoice)
	}
	return lines, nil
}

// epcLength is how many bytes a code has in its alphabet, or in UTF-8 when it does not fit there: what was scanned is text already.
func epcLength(text string, alphabet byte) int {
	encoded, err := epcAlphabets[alphabet-'1'].NewEncoder().String(text)
	if err != nil {
		return len(text)
	}
	return len(encoded)
}

// mended undoes what scanners do that read UTF-8 as if each byte were a letter: "MÃ¼ller" is "Müller".
func mended(text string) string {
	for _, alphabet := range []encoding.Encoding{charmap.ISO8859_1, charmap.Windows1252} {
		raw, err := alphabet.NewEncoder().String(text)
		if err == nil && raw != text && utf8.ValidString(raw) {
			return raw
		}
	}
	return text
}

// epcSum reads the amount of a code, zero when there is none.
func epcSum(line string) (money.Amount, error) {
	if line == "" {
		return money.Amount{}, nil
	}
	m := epcAmount.FindStringSubmatch(line)
	switch {
	case m != nil:
	case len(line) > 3 && !strings.HasPrefix(line, "EUR") && strings.Trim(line[:3], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "":
		return money.Amount{}, errors.New("the amount in line 8 is not in euro, and such a code is for euro alone. Paste the IBAN alone")
	case strings.Contains(line, ","):
		return money.Amount{}, errors.New("the amount in line 8 has a comma. Write it as in EUR12.30")
	default:
		return money.Amount{}, errors.New("the amount in line 8 is not of the form EUR12.30. Leave the line empty to type the amount afterwards")
	}
	amount, err := money.Parse(m[1], "EUR")
	if err == nil && amount.Sign() <= 0 {
		err = fmt.Errorf("%w in line 8. Leave the line empty to type it afterwards", finance.ErrZero)
	}
	return amount, err
}
