package money

import "strings"

// undefinedExponent is the number of decimals kept for a currency without a number of
// its own. No currency has more.
const undefinedExponent = 4

// exponents lists the codes of ISO 4217 by their number of decimals: those in use, the
// fund codes, and withdrawn ones that old transactions still carry.
var exponents = table(map[int]string{
	0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
	2: "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD " +
		"CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP " +
		"GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT " +
		"LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN " +
		"NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD " +
		"SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS " +
		"VED VES WST XAD XCD XCG YER ZAR ZMW ZWG " +
		// Withdrawn: replaced by XCG, EUR (Bulgaria, Estonia, Croatia, Lithuania, Latvia),
		// CUP, MRU, SLE, STN, VES and ZWG.
		"ANG BGN EEK HRK LTL LVL CUC MRO SLL STD VEF ZWL",
	3: "BHD IQD JOD KWD LYD OMR TND",
	4: "CLF UYW",
})

// symbols are those of English usage that no other currency shares.
var symbols = map[string]string{
	"AUD": "A$", "BRL": "R$", "CAD": "CA$", "CNY": "CN¥", "EUR": "€", "GBP": "£", "HKD": "HK$",
	"ILS": "₪", "INR": "₹", "JPY": "¥", "KRW": "₩", "MXN": "MX$", "NZD": "NZ$", "PHP": "₱",
	"TWD": "NT$", "USD": "$", "VND": "₫", "XXX": "¤",
}

// Exponent returns the number of decimals of a currency, which is also the power of ten
// of minor units that make one unit: 2 for EUR, 0 for JPY, 3 for KWD, 4 for CLF.
//
// A code to which ISO 4217 gives no such number is answered with 4 and false: XXX, which
// stands for an unknown currency (api-notes 7), the metals (XAU), and codes that are in no
// list. Their amounts count ten-thousandths, so whatever up to four decimals a bank sends
// stays exact, and are shown with two decimals, or more where those are not zero.
func Exponent(currency string) (int, bool) {
	if n, ok := exponents[currency]; ok {
		return n, true
	}
	return undefinedExponent, false
}

// Symbol returns the sign of a currency in English, such as "€", "£" or "CA$"; for
// currencies without one of their own the code, such as "SEK"; "¤" for XXX.
func Symbol(currency string) string {
	if s, ok := symbols[currency]; ok {
		return s
	}
	return currency
}

func table(codes map[int]string) map[string]int {
	t := make(map[string]int, 200)
	for exponent, list := range codes {
		for code := range strings.FieldsSeq(list) {
			t[code] = exponent
		}
	}
	return t
}

func isCode(s string) bool {
	if len(s) != 3 {
		return false
	}
	for i := range len(s) {
		if s[i] < 'A' || s[i] > 'Z' {
			return false
		}
	}
	return true
}
