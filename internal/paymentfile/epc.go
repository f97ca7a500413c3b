package paymentfile

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"

	"florin/internal/finance"
	"florin/internal/iban"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/paymentrules"
)

// Invoice is what the QR code of an invoice asks for: EPC069-12 ("SEPA QR", "GiroCode"), a Swiss QR-bill, a Czech SPD, or a Slovak PAY by square.
type Invoice struct {
	Name        string
	IBAN        iban.IBAN
	BIC         string       // "" when not given
	Amount      money.Amount // zero when the payer chooses it
	Currency    string       // of the amount, also when the payer chooses that
	Instant     bool
	Purpose     string           // ISO 20022 purpose, "" when not given
	Reference   string           // structured creditor reference; "" when there is a text
	Text        string           // remittance text; "" when there is a reference, but in a Swiss QR-bill, which holds both
	Information string           // for the payer alone
	Due         openbanking.Date // the day on which it is to be paid; "" when not given, which only the Czech and the Slovak code can
	Address     Address
}

// Address is where a payee lives, as a Swiss QR-bill has it. Codes of the EPC have none.
type Address struct {
	Street   string // with the building number
	PostCode string
	Town     string
	Country  string // ISO 3166-1, two letters
}

// maxInvoice is how long such a code is at most, by its standard: bytes in its alphabet.
const maxInvoice = 331

// Of its elements, each in a line of its own.
const (
	epcElements    = 12
	maxInformation = 70 // characters of the last one
)

var (
	epcAmount    = regexp.MustCompile(`^EUR([0-9]{1,9}(?:\.[0-9]{1,2})?)$`)
	epcReference = regexp.MustCompile(`^[A-Za-z0-9/+?:().,'\- ]{1,35}$`)
)

// epcAlphabets are the alphabets that a code names in its third line, from 1.
var epcAlphabets = []encoding.Encoding{encoding.Nop, charmap.ISO8859_1, charmap.ISO8859_2, charmap.ISO8859_4, charmap.ISO8859_5, charmap.ISO8859_7,
	charmap.ISO8859_10, charmap.ISO8859_15}

// swissBill is the first line of a Swiss QR-bill.
const swissBill = "SPC"

// otherCodes are the first lines of other payment codes, or how they begin.
var otherCodes = []struct {
	begin string
	whole bool // the line
	kind  CodeKind
}{
	{"UPNQR", true, SlovenianUPNQR}, {"HCT", true, HungarianQvik}, {"HRVHUB30", true, CroatianHUB3},
	{"ST0001", false, RussianCode}, {"K:P", false, SerbianIPS}, {"000201", false, ShopCode},
	{"BANK:", false, BezahlCode}, {"PAYTO:", false, PaytoLink}, {"BITCOIN:", false, BitcoinAddress}, {"HTTP://", false, WebPage}, {"HTTPS://", false, WebPage},
}

// LooksLikeInvoice reports whether a pasted text is meant to be the content of a payment code, of whatever kind.
func LooksLikeInvoice(text string) bool {
	_, other := otherCode(firstLine(text))
	return other || IsReadable(text)
}

// IsReadable reports whether a text is meant to be the content of a payment code of a kind that ParseInvoice reads. Of several codes on an invoice that is the
// one to pay by: the others lead to a web page or an app.
func IsReadable(text string) bool {
	first := firstLine(text)
	return first == swissBill || strings.HasPrefix(first, czechHead) || slovakForm.MatchString(first) || strings.HasPrefix(first, "BCD")
}

// firstLine is the first line that is not empty, in capitals.
func firstLine(text string) string {
	text = strings.TrimSpace(strings.TrimLeft(text, "\ufeff \t\r\n"))
	if i := strings.IndexAny(text, "\r\n"); i >= 0 {
		text = text[:i]
	}
	return strings.ToUpper(strings.TrimSpace(text))
}

// otherCode recognises a code of another kind by its first line.
func otherCode(first string) (kind CodeKind, found bool) {
	for _, other := range otherCodes {
		if first == other.begin || !other.whole && strings.HasPrefix(first, other.begin) {
			return other.kind, true
		}
	}
	return 0, false
}

// ParseInvoice reads the content of such a code: that of the EPC in version 1 or 2 and whatever its alphabet, the Swiss one in version 2, the Czech one in
// version 1, and the Slovak one. The error is a *textfile.Error.
func ParseInvoice(text string) (Invoice, error) {
	switch first := firstLine(text); {
	case first == swissBill:
		return parseSwissBill(text)
	case strings.HasPrefix(first, czechHead):
		return parseCzechCode(text)
	case slovakForm.MatchString(first):
		return parseSlovakCode(first)
	}
	lines, err := epcLines(text)
	if err != nil {
		return Invoice{}, err
	}
	v := Invoice{Instant: lines[3] == "INST", Currency: "EUR"}
	if lines[4] != "" {
		bic, err := iban.ParseBIC(lines[4])
		if err != nil {
			return v, refuse(WrongCodeBIC{Problem: err})
		}
		v.BIC = bic.String()
	}
	switch v.Name = finance.Typed(lines[5]); {
	case v.Name == "":
		return v, refuse(NoCodeName{})
	case utf8.RuneCountInString(v.Name) > maxName:
		return v, refuse(LongElement{Line: 6, Length: utf8.RuneCountInString(v.Name), Most: maxName})
	}
	if v.IBAN, err = iban.Parse(lines[6]); err != nil {
		return v, refuse(WrongCodeIBAN{Problem: err})
	}
	if v.Amount, err = epcSum(lines[7]); err != nil {
		return v, err
	}
	v.Purpose, v.Reference, v.Text, v.Information = lines[8], lines[9], finance.Typed(lines[10]), finance.Typed(lines[11])
	switch {
	case len(v.Purpose) > 4 || strings.ContainsFunc(v.Purpose, func(r rune) bool { return (r < 'A' || r > 'Z') && (r < '0' || r > '9') }):
		return v, refuse(WrongPurpose{})
	case v.Reference != "" && v.Text != "":
		return v, refuse(ReferenceAndText{})
	case utf8.RuneCountInString(v.Reference) > maxReference:
		return v, refuse(LongElement{Line: 10, Length: utf8.RuneCountInString(v.Reference), Most: maxReference})
	case v.Reference != "" && !epcReference.MatchString(v.Reference):
		return v, refuse(WrongReference{})
	case utf8.RuneCountInString(v.Text) > paymentrules.MaxText:
		return v, refuse(LongElement{Line: 11, Length: utf8.RuneCountInString(v.Text), Most: paymentrules.MaxText})
	case utf8.RuneCountInString(v.Information) > maxInformation:
		return v, refuse(LongElement{Line: 12, Length: utf8.RuneCountInString(v.Information), Most: maxInformation})
	}
	return v, nil
}

// epcLines are the twelve lines of a code whose head is right.
func epcLines(text string) ([]string, error) {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(text, "\ufeff"))
	text = strings.TrimLeft(strings.TrimRightFunc(text, unicode.IsSpace), " \t\n")
	first := firstLine(text)
	if kind, found := otherCode(first); found {
		return nil, refuse(OtherCode{Kind: kind})
	}
	switch {
	case !utf8.ValidString(text), strings.ContainsRune(text, utf8.RuneError):
		return nil, refuse(DamagedCode{})
	case !strings.HasPrefix(first, "BCD"):
		return nil, refuse(NoCode{})
	case first != "BCD":
		return nil, refuse(LinesMissing{})
	}
	lines := strings.Split(mended(text), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	if len(lines) > epcElements {
		return nil, refuse(TooManyLines{Count: len(lines), Most: epcElements})
	}
	lines = append(lines, make([]string, epcElements-len(lines))...)
	switch {
	case lines[1] != "001" && lines[1] != "002":
		return nil, refuse(WrongVersion{})
	case len(lines[2]) != 1 || lines[2][0] < '1' || lines[2][0] > '8':
		return nil, refuse(WrongAlphabet{})
	case lines[3] != "SCT" && lines[3] != "INST":
		return nil, refuse(OtherPurpose{})
	case lines[4] == "" && lines[1] == "001":
		return nil, refuse(NoCodeBIC{})
	case epcLength(text, lines[2][0]) > maxInvoice:
		return nil, refuse(LongCode{Most: maxInvoice})
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
		return money.Amount{}, refuse(OtherCurrency{})
	case strings.Contains(line, ","):
		return money.Amount{}, refuse(AmountComma{})
	default:
		return money.Amount{}, refuse(AmountForm{})
	}
	amount, err := money.Parse(m[1], "EUR")
	if err == nil && amount.Sign() <= 0 {
		err = refuse(AmountZero{})
	}
	return amount, err
}
