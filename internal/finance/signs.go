package finance

import (
	"slices"
	"strings"

	"florin/internal/openbanking"
)

// Signs are what only the bank's record says of what a row is for.
type Signs struct {
	Creditor     string   // creditor identifier of a direct debit (EPC rulebook: AT-02); "" when not given, as the next
	MerchantCode string   // ISO 18245
	Codes        []string // families and sub-families of ISO 20022, and the purpose
}

// SignsOf reads the signs of a record.
func SignsOf(t openbanking.Transaction) Signs {
	s := Signs{MerchantCode: strings.TrimSpace(value(t.MerchantCategoryCode))}
	if c := t.BankTransactionCode; c != nil {
		s.Codes = strings.FieldsFunc(value(c.SubCode)+" "+value(c.Code), func(r rune) bool { return strings.ContainsRune("/- +", r) })
	}
	for _, line := range t.RemittanceInformation {
		if s.Creditor == "" {
			s.Creditor = creditorID(line)
		}
		if _, purpose, ok := strings.Cut(line, "PURP+"); ok && len(purpose) >= 4 { // as SEPA's fields stand in MT940
			s.Codes = append(s.Codes, purpose[:4])
		}
	}
	s.Codes = slices.DeleteFunc(s.Codes, func(code string) bool { return len(code) != 4 })
	return s
}

// creditorID finds the identifier of the creditor of a direct debit: a country, two check digits, a business code that nearly always is ZZZ, and the
// national part (EPC262-08).
func creditorID(text string) string {
	for at := 0; ; at += 3 {
		i := strings.Index(text[at:], "ZZZ")
		if i < 0 {
			return ""
		}
		at += i
		if at < 4 || !twoCapitals(text[at-4:at-2]) || !twoDigits(text[at-2:at]) || at > 4 && alphanumeric(text[at-5]) {
			continue
		}
		end := at + 3
		for end < len(text) && alphanumeric(text[end]) {
			end++
		}
		if n := end - at - 3; n >= 6 && n <= 28 {
			return text[at-4 : end]
		}
	}
}

func twoCapitals(s string) bool { return s[0] >= 'A' && s[0] <= 'Z' && s[1] >= 'A' && s[1] <= 'Z' }

func twoDigits(s string) bool { return s[0] >= '0' && s[0] <= '9' && s[1] >= '0' && s[1] <= '9' }

func alphanumeric(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z'
}
