package sandbox

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"florin/internal/iban"
	"florin/internal/money"
	"florin/internal/openbanking"
)

//go:embed countries.json
var countriesFile []byte

// country holds the local names and customs for ledgers of a country's banks. All names are fictional.
type country struct {
	Code     string              `json:"code"`
	Currency string              `json:"currency"`
	PerEuro  int64               `json:"per_euro"` // approximate value of a euro in hundredths of its currency
	National bool                `json:"national"` // account numbers are also known in their national form
	Town     string              `json:"town"`
	PostCode string              `json:"post_code"`
	MockCode string              `json:"mock_code"` // bank code of the Mock ASPSP
	Streets  []string            `json:"streets"`
	People   []string            `json:"people"`
	Company  string              `json:"company"`
	Banks    []agentData         `json:"banks"` // where counterparties have their accounts
	Words    map[string]string   `json:"words"` // by kind of transaction
	Parties  map[string][]string `json:"parties"`

	parties map[string][]*party
}

type agentData struct {
	Name string `json:"name"`
	BIC  string `json:"bic"`
	Code string `json:"code"`
}

// party is a counterparty of transactions.
type party struct {
	name    string
	country string
	mcc     string
	iban    string
	agent   agentData
	street  string
	post    string
	town    string
	mandate string                             // of direct debits
	account *openbanking.AccountIdentification // of the party of a payment, instead of iban
}

// fallback is the country whose English names are used for countries without an entry.
const fallback = "IE"

var countries = sync.OnceValue(func() map[string]*country {
	var file struct {
		Countries []*country `json:"countries"`
	}
	if err := json.Unmarshal(countriesFile, &file, json.RejectUnknownMembers(true)); err != nil {
		panic("sandbox: countries.json: " + err.Error()) // the file is embedded, and every test reads it
	}
	all := map[string]*country{}
	for _, c := range file.Countries {
		c.parties = map[string][]*party{}
		for group, names := range c.Parties {
			for i, name := range names {
				c.parties[group] = append(c.parties[group], c.makeParty(group, i, name))
			}
		}
		for i, name := range c.People {
			c.parties["employee"] = append(c.parties["employee"], c.makeParty("employee", i, name))
		}
		all[c.Code] = c
	}
	return all
})

// countryOf returns the names and customs of a country, or those of the fallback.
func countryOf(code string) *country {
	if c, ok := countries()[code]; ok {
		return c
	}
	return countries()[fallback]
}

// merchantCodes are merchant categories (ISO 18245) by group of counterparties.
var merchantCodes = map[string]string{
	"grocery": "5411", "food": "5812", "transport": "4111", "fuel": "5541", "shop": "5651", "online": "5964", "pharmacy": "5912",
	"energy": "4900", "telecom": "4814", "insurance": "6300", "media": "5815", "gym": "7997",
}

func (c *country) makeParty(group string, i int, name string) *party {
	s := seedOf("party", c.Code, group, name)
	d := s.dice(1)
	p := &party{name: name, country: c.Code, mcc: merchantCodes[group], agent: c.Banks[i%len(c.Banks)], post: c.PostCode, town: c.Town}
	p.street = pick(&d, c.Streets) + " " + strconv.Itoa(1+d.n(120))
	p.mandate = "MD-" + s.letters(10)
	if number, err := iban.Compute(c.Code, accountNumber(c.Code, p.agent.Code, s)); err == nil {
		p.iban = number.String()
	}
	return p
}

// word returns the usual word for a kind of row.
func (c *country) word(kind string) string {
	switch kind {
	case "abroad":
		kind = "card"
	case "supplier":
		kind = "invoice"
	case "instant", "standing", "crossborder", "internal", "domestic":
		kind = "transfer"
	}
	return c.Words[kind]
}

// amount returns about that many euros in the currency of the country, in the form of a catalogue.
func (c *country) amount(euros int64) string {
	exponent, _ := money.Exponent(c.Currency)
	minor := euros * c.PerEuro
	for i := 2; i < exponent; i++ {
		minor *= 10
	}
	return money.FromMinor(minor, c.Currency).String()
}

// accountNumber returns a national account number with the bank's code and the country's check digits, as used in an IBAN.
func accountNumber(country, code string, s seed) string {
	layout, ok := numberLayouts[country]
	if !ok {
		return ""
	}
	digits := s.digits(24)
	if n := layout.length - len(code); n > 0 && n <= len(digits) {
		code += "1" + digits[:n-1] // no leading zero, which some countries' checks treat differently
	}
	if layout.check != nil && len(code) == layout.length {
		return layout.check(code)
	}
	return code
}

// codeProblem returns what is wrong with a bank code in that country, or "".
func codeProblem(country, code string) string {
	layout, ok := numberLayouts[country]
	if !ok {
		return "" // the country has no IBANs
	}
	digits := code
	if layout.letters {
		digits = strings.TrimLeft(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
		if len(code)-len(digits) != 4 {
			return "must begin with four capital letters in this country"
		}
	}
	if code == "" || strings.Trim(digits, "0123456789") != "" {
		return "must be given, in digits"
	}
	if room := layout.length - 6; len(code) > room {
		return "must have at most " + strconv.Itoa(room) + " characters in this country"
	}
	return ""
}

// numberLayouts maps countries to the length of a national account number without check digits, whether it begins with four letters, and the function that
// adds the check digits.
var numberLayouts = map[string]struct {
	length  int
	letters bool
	check   func(number string) string
}{
	"AT": {16, false, nil},
	"BE": {10, false, func(s string) string { return s + pad2(nonZero(mod(s, 97), 97)) }},
	"CZ": {20, false, nil},
	"DE": {18, false, nil},
	"DK": {14, false, nil},
	"EE": {15, false, func(s string) string { return s + digit((10-weighted(s[2:], 7, 3, 1)%10)%10) }},
	"ES": {18, false, func(s string) string { return s[:8] + spanish("00"+s[:8]) + spanish(s[8:]) + s[8:] }},
	"FI": {13, false, func(s string) string { return s + luhn(s) }},
	"FR": {21, false, func(s string) string { return s + pad2(97-mod(s+"00", 97)) }},
	"IE": {18, true, nil},
	"IT": {22, false, func(s string) string { return italian(s) + s }},
	"LT": {16, false, nil},
	"LV": {17, true, nil},
	"NL": {14, true, dutch},
	"NO": {10, false, norwegian},
	"PL": {24, false, nil},
	"PT": {19, false, func(s string) string { return s + pad2(98-mod(s+"00", 97)) }},
	"SE": {20, false, nil},
}

func digit(n int) string { return strconv.Itoa(n) }

func pad2(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

func nonZero(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}

// mod returns a number of any length modulo by.
func mod(digits string, by int) int {
	rest := 0
	for _, ch := range []byte(digits) {
		rest = (rest*10 + int(ch-'0')) % by
	}
	return rest
}

// weighted returns the sum of the digits from the right, multiplied by the weights in turn.
func weighted(digits string, weights ...int) int {
	sum := 0
	for i := range len(digits) {
		sum += int(digits[len(digits)-1-i]-'0') * weights[i%len(weights)]
	}
	return sum
}

// luhn returns the check digit of the mod 10 method with alternating double weights.
func luhn(digits string) string {
	sum := 0
	for i := range len(digits) {
		n := int(digits[len(digits)-1-i] - '0')
		if i%2 == 0 {
			if n *= 2; n > 9 {
				n -= 9
			}
		}
		sum += n
	}
	return digit((10 - sum%10) % 10)
}

// spanish returns one of the two check digits of a Spanish account number.
func spanish(ten string) string {
	sum := 0
	for i, weight := range []int{1, 2, 4, 8, 5, 10, 9, 7, 3, 6} {
		sum += int(ten[i]-'0') * weight
	}
	switch n := 11 - sum%11; n {
	case 10:
		return "1"
	case 11:
		return "0"
	default:
		return digit(n)
	}
}

// italian returns the check letter of an Italian account number of digits.
func italian(number string) string {
	odd := [10]int{1, 0, 5, 7, 9, 13, 15, 17, 19, 21}
	sum := 0
	for i := range len(number) {
		if n := int(number[i] - '0'); i%2 == 0 {
			sum += odd[n]
		} else {
			sum += n
		}
	}
	return string(rune('A' + sum%26))
}

// dutch changes the number so that its last ten digits pass the eleven test.
func dutch(number string) string {
	head, account := number[:len(number)-10], []byte(number[len(number)-10:])
	for last := byte('0'); last <= '9'; last++ {
		account[9] = last
		sum := 0
		for i, ch := range account {
			sum += int(ch-'0') * (10 - i)
		}
		if sum%11 == 0 {
			return head + string(account)
		}
	}
	account[8] = '0' + (account[8]-'0'+1)%10 // of two neighbouring numbers one passes
	return dutch(head + string(account))
}

// norwegian appends the mod 11 digit. A number without such a digit is replaced by the next one.
func norwegian(number string) string {
	sum := weighted(number, 2, 3, 4, 5, 6, 7)
	switch n := 11 - sum%11; n {
	case 11:
		return number + "0"
	case 10:
		bytes := []byte(number)
		bytes[9] = '0' + (bytes[9]-'0'+1)%10
		return norwegian(string(bytes))
	default:
		return number + digit(n)
	}
}

// reference is a creditor reference with its scheme.
type reference struct {
	number string
	scheme openbanking.ReferenceNumberScheme
}

// referenceOf returns a creditor reference of the kind used in a country, with correct check digits.
func referenceOf(country string, d *dice) reference {
	base := strconv.FormatInt(d.between(10_000_000, 99_999_999), 10)
	switch country {
	case "FI":
		return reference{base + digit((10-weighted(base, 7, 3, 1)%10)%10), openbanking.ReferenceNumberSchemeFIRF}
	case "BE":
		base = "10" + base
		return reference{base + pad2(nonZero(mod(base, 97), 97)), openbanking.ReferenceNumberSchemeBERF}
	case "NO":
		return reference{base + luhn(base), openbanking.ReferenceNumberSchemeNORF}
	case "SE":
		return reference{base + luhn(base), openbanking.ReferenceNumberSchemeSEBG}
	}
	// ISO 11649: RF, two check digits (R = 27, F = 15), then the reference.
	return reference{"RF" + pad2(98-mod(base+"271500", 97)) + base, openbanking.ReferenceNumberSchemeINTL}
}

// currencyRates are approximate units of a currency per euro, in ten-thousandths. The rate of a day is close to it.
var currencyRates = map[string]int64{
	"EUR": 10000, "USD": 10850, "GBP": 8480, "CHF": 9520, "SEK": 112800, "NOK": 116200, "DKK": 74600, "PLN": 42800, "CZK": 250500, "HUF": 3985000,
	"RON": 49700, "ISK": 1498000, "JPY": 1632000,
}

// rate returns units of a currency per euro on a day, in ten-thousandths. It varies by up to 2 % around the base, equally for everybody.
func rate(currency string, on day) int64 {
	base, ok := currencyRates[currency]
	if !ok {
		base = 10000
	}
	if currency == "EUR" || !ok {
		return base
	}
	const span = 29
	at := func(i int64) int64 { d := seedOf("rate", currency).dice(i); return d.between(-200, 200) }
	i, part := int64(on)/span, int64(on)%span
	permyriad := (at(i)*(span-part) + at(i+1)*part) / span
	return base + base*permyriad/10000
}

// travel are merchants abroad, by currency.
var travel = sync.OnceValue(func() map[string][]*party {
	return map[string][]*party{
		"USD": {{name: "HARBOR DINER NEW YORK", country: "US", mcc: "5812"}, {name: "SKYLINE HOTEL BOSTON", country: "US", mcc: "7011"},
			{name: "CLOUDNOOK HOSTING", country: "US", mcc: "7372"}},
		"GBP": {{name: "THE PELICAN TAVERN LONDON", country: "GB", mcc: "5813"}, {name: "NORTHERN LINE RAIL YORK", country: "GB", mcc: "4112"},
			{name: "THISTLE BOOKS EDINBURGH", country: "GB", mcc: "5942"}},
		"CHF": {{name: "BERGHOTEL ALPENGLUEHN", country: "CH", mcc: "7011"}, {name: "SEILBAHN STEINHORN", country: "CH", mcc: "4789"}},
		"EUR": {{name: "CAFE LAGUNA VENEZIA", country: "IT", mcc: "5812"}, {name: "PENSION HAVENZICHT", country: "NL", mcc: "7011"},
			{name: "BOUTIQUE LAVANDE NICE", country: "FR", mcc: "5651"}},
		"SEK": {{name: "STUGAN VID SJON", country: "SE", mcc: "7011"}, {name: "KANELBULLE GOTEBORG", country: "SE", mcc: "5462"}},
		"CZK": {{name: "HOSPODA U LIPY PRAHA", country: "CZ", mcc: "5812"}, {name: "LAZNE KAREL", country: "CZ", mcc: "7298"}},
		"JPY": {{name: "RAMEN KAWA OSAKA", country: "JP", mcc: "5812"}},
	}
})

var travelCurrencies = []string{"USD", "GBP", "CHF", "EUR", "SEK", "CZK", "JPY"}

// abroad returns a currency other than the account's.
func abroad(d *dice, home string) string {
	i := slices.Index(travelCurrencies, home)
	currencies := travelCurrencies
	if i >= 0 {
		currencies = slices.Delete(slices.Clone(travelCurrencies), i, i+1)
	}
	return pick(d, currencies)
}

// convert converts minor units of one currency into another at the rates of a day, rounded half up.
func convert(minor int64, from, to string, on day) int64 {
	ef, _ := money.Exponent(from)
	et, _ := money.Exponent(to)
	numerator, denominator := minor*rate(to, on), rate(from, on)
	for ; et > ef; et-- {
		numerator *= 10
	}
	for ; ef > et; ef-- {
		denominator *= 10
	}
	if numerator < 0 {
		return -((-numerator + denominator/2) / denominator)
	}
	return (numerator + denominator/2) / denominator
}

// factor returns how many units of other a unit of a currency is worth on a day, with six decimals.
func factor(unit, other string, on day) string {
	millionths := strconv.FormatInt((rate(other, on)*1_000_000+rate(unit, on)/2)/rate(unit, on), 10)
	for len(millionths) < 7 {
		millionths = "0" + millionths
	}
	return strings.TrimRight(strings.TrimRight(millionths[:len(millionths)-6]+"."+millionths[len(millionths)-6:], "0"), ".")
}
