package finance

import (
	"errors"
	"regexp"
	"strings"
	"unicode/utf8"

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

// maxInvoice is how long such a code is at most, by its standard.
const maxInvoice = 331

var (
	epcAmount    = regexp.MustCompile(`^EUR([0-9]{1,9}(?:\.[0-9]{1,2})?)$`)
	epcReference = regexp.MustCompile(`^[A-Za-z0-9/+?:().,'\- ]{1,35}$`)
)

// LooksLikeInvoice reports whether a pasted text is meant to be the content of such a code.
func LooksLikeInvoice(text string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(first) == "BCD"
}

// ParseInvoice reads the content of such a code. The error says which line is wrong, in words; that of an IBAN is an *iban.Problem.
func ParseInvoice(text string) (Invoice, error) {
	var v Invoice
	text = strings.Trim(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"), "\n")
	if !utf8.ValidString(text) {
		return v, errors.New("the code is not written in UTF-8")
	}
	if len(text) > maxInvoice {
		return v, errors.New("the code is longer than a payment code may be")
	}
	lines := strings.Split(text, "\n")
	if strings.TrimSpace(lines[0]) != "BCD" {
		return v, errors.New("this is no payment code: it does not begin with BCD")
	}
	if len(lines) > 12 {
		return v, errors.New("the code has more lines than a payment code may have")
	}
	lines = append(lines, make([]string, 12-len(lines))...)
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	switch {
	case lines[1] != "001" && lines[1] != "002":
		return v, errors.New("the code has a version that is not known")
	case len(lines[2]) != 1 || lines[2][0] < '1' || lines[2][0] > '8':
		return v, errors.New("the code names an alphabet that is not known")
	case lines[3] != "SCT" && lines[3] != "INST":
		return v, errors.New("the code is not for a credit transfer")
	case lines[4] == "" && lines[1] == "001":
		return v, errors.New("the code lacks the BIC, which its version needs")
	}
	v.Instant = lines[3] == "INST"
	if lines[4] != "" {
		bic, err := iban.ParseBIC(lines[4])
		if err != nil {
			return v, err
		}
		v.BIC = bic.String()
	}
	if v.Name = Clean(lines[5]); v.Name == "" || utf8.RuneCountInString(v.Name) > 70 {
		return v, errors.New("the name of the payee is missing or longer than 70 characters")
	}
	var err error
	if v.IBAN, err = iban.Parse(lines[6]); err != nil {
		return v, err
	}
	if lines[7] != "" {
		m := epcAmount.FindStringSubmatch(lines[7])
		if m == nil {
			return v, errors.New("the amount is not of the form EUR12.30")
		}
		if v.Amount, err = money.Parse(m[1], "EUR"); err != nil {
			return v, err
		}
		if v.Amount.Sign() <= 0 {
			return v, ErrZero
		}
	}
	v.Purpose, v.Reference, v.Text, v.Information = lines[8], lines[9], Clean(lines[10]), Clean(lines[11])
	switch {
	case len(v.Purpose) > 4 || strings.ContainsFunc(v.Purpose, func(r rune) bool { return r < 'A' || r > 'Z' }):
		return v, errors.New("the purpose is not up to four capital letters")
	case v.Reference != "" && v.Text != "":
		return v, errors.New("the code has a reference and a text; it may have one of them")
	case v.Reference != "" && !epcReference.MatchString(v.Reference):
		return v, errors.New("the reference is longer than 35 characters or has characters that it must not have")
	case utf8.RuneCountInString(v.Text) > 140:
		return v, errors.New("the text is longer than 140 characters")
	case utf8.RuneCountInString(v.Information) > 70:
		return v, errors.New("the information is longer than 70 characters")
	}
	return v, nil
}
