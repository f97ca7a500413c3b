// Package reference checks and makes structured payment references, the numbers by which a payee recognises what is paid:
// each scheme with its check digits.
package reference

import (
	"fmt"
	"strconv"
	"strings"

	"florin/internal/iban"
	"florin/internal/openbanking"
)

// Problem is the error of this package: a sentence or two for people that say what is wrong with a number and what was
// expected. It names single characters of the number, never the whole, so it may be logged.
type Problem string

func (p Problem) Error() string { return string(p) }

func problem(format string, args ...any) error { return Problem(fmt.Sprintf(format, args...)) }

// Check says what is wrong with a reference number of a scheme; nil: it is right. What people put between groups is
// ignored: spaces, in a Belgian number also the plus signs, stars, slashes and dots of its printed form. The error is
// always a Problem.
func Check(scheme openbanking.ReferenceNumberScheme, number string) error {
	if scheme == openbanking.ReferenceNumberSchemeSDDM {
		return checkMandate(number)
	}
	rules, ok := schemes[scheme]
	if !ok {
		return problem("There is no kind of reference with the code %q.", string(scheme))
	}
	plain, err := rules.plain(number)
	if err != nil {
		return err
	}
	return rules.check(plain)
}

// Named returns the scheme that a number names by its own form: RF and two digits for INTL (ISO 11649), three plus signs or stars on both ends for
// BERF. false: it names none. Digits alone can be of any scheme, or of none.
func Named(number string) (scheme openbanking.ReferenceNumberScheme, ok bool) {
	plain := strings.ToUpper(strings.ReplaceAll(number, " ", ""))
	if len(plain) >= 4 && strings.HasPrefix(plain, "RF") && isDigits(plain[2:4]) {
		return openbanking.ReferenceNumberSchemeINTL, true
	}
	for _, edge := range []string{"+++", "***"} {
		if len(plain) > 2*len(edge) && strings.HasPrefix(plain, edge) && strings.HasSuffix(plain, edge) {
			return openbanking.ReferenceNumberSchemeBERF, true
		}
	}
	return "", false
}

// Make appends the check digits of a scheme to a number, or for INTL puts them before it with the letters RF: what it
// returns passes Check. A mandate has none and is returned as it is. The number that Make cannot complete is a Problem.
func Make(scheme openbanking.ReferenceNumberScheme, number string) (string, error) {
	made := number
	if rules, ok := schemes[scheme]; ok {
		plain, err := rules.plain(number)
		if err != nil {
			return "", err
		}
		made = rules.complete(plain)
	}
	return made, Check(scheme, made)
}

// Name returns what a scheme is called in a sentence, with its article: "a Finnish reference".
func Name(scheme openbanking.ReferenceNumberScheme) string {
	if scheme == openbanking.ReferenceNumberSchemeSDDM {
		return "a mandate reference"
	}
	if rules, ok := schemes[scheme]; ok {
		return rules.name
	}
	return "a reference of the kind " + strconv.Quote(string(scheme))
}

// rules are those of one scheme.
type rules struct {
	name     string
	ignored  string // characters between groups
	letters  bool   // A to Z besides digits
	check    func(plain string) error
	complete func(plain string) string // plain may be empty
}

var schemes = map[openbanking.ReferenceNumberScheme]rules{
	openbanking.ReferenceNumberSchemeINTL: {"an international reference", " ", true, checkInternational, completeInternational},
	openbanking.ReferenceNumberSchemeFIRF: {"a Finnish reference", " ", false, checkFinnish, completeFinnish},
	openbanking.ReferenceNumberSchemeBERF: {"a Belgian reference", " +*/.", false, checkBelgian, completeBelgian},
	openbanking.ReferenceNumberSchemeNORF: {"a Norwegian KID number", " ", false, checkNorwegian, completeNorwegian},
	openbanking.ReferenceNumberSchemeSEBG: {"a Swedish OCR number", " ", false, checkSwedish, completeSwedish},
}

// plain drops what stands between groups and raises small letters, byte by byte, and refuses everything that is neither
// a digit nor, where letters are allowed, one of A to Z. The last character of a KID can be a hyphen.
func (s rules) plain(number string) (string, error) {
	var b strings.Builder
	for i, r := range number {
		switch {
		case r >= '0' && r <= '9', s.letters && r >= 'A' && r <= 'Z':
			b.WriteByte(byte(r))
		case s.letters && r >= 'a' && r <= 'z':
			b.WriteByte(byte(r - 'a' + 'A'))
		case strings.ContainsRune(s.ignored, r):
		case r == '-' && i == len(number)-1 && s.name == norwegianName:
			b.WriteByte('-')
		default:
			return "", problem("%s has %s only; character %d is %s.", upperFirst(s.name), s.alphabet(), b.Len()+1, iban.Describe(r))
		}
	}
	return b.String(), nil
}

func (s rules) alphabet() string {
	if s.letters {
		return "the letters A to Z and digits"
	}
	return "digits"
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// An international reference (ISO 11649) is RF, two check digits and up to 21 letters and digits. With RF and the check
// digits at the end, and letters for the numbers 10 to 35, it leaves 1 when divided by 97.
func checkInternational(s string) error {
	switch {
	case s == "":
		return problem("An international reference is RF, two check digits and up to 21 letters and digits; this one is empty.")
	case !strings.HasPrefix(s, "RF"):
		return problem("An international reference begins with RF.")
	case len(s) < 5 || len(s) > 25:
		return problem("An international reference has 5 to 25 characters; this one has %d.", len(s))
	case !isDigits(s[2:4]):
		return problem("Characters 3 and 4 of an international reference are its check digits; here they are %s.", s[2:4])
	}
	if want := internationalDigits(s[4:]); s[2:4] != want {
		return problem("The check digits of this international reference, after RF, should be %s; here they are %s. Probably a character is mistyped.", want, s[2:4])
	}
	return nil
}

func internationalDigits(reference string) string {
	return fmt.Sprintf("%02d", 98-mod97(reference+"RF00"))
}

func completeInternational(s string) string { return "RF" + internationalDigits(s) + s }

// A Finnish reference (viitenumero) has 4 to 20 digits; zeros before them do not count. From the right, the digits before
// the last one are multiplied by 7, 3 and 1 in turn; the last one completes the sum to a multiple of ten.
func checkFinnish(s string) error {
	if len(s) > 20 {
		return problem("A Finnish reference has at most 20 digits; this one has %d.", len(s))
	}
	s = strings.TrimLeft(s, "0")
	if len(s) < 4 {
		return problem("A Finnish reference has at least 4 digits, without zeros at the beginning; this one has %d.", len(s))
	}
	return checkLast("a Finnish reference", s, finnishDigit(s[:len(s)-1]))
}

func finnishDigit(s string) string {
	sum := 0
	for i := range len(s) {
		sum += at(s, len(s)-1-i) * [...]int{7, 3, 1}[i%3]
	}
	return strconv.Itoa((10 - sum%10) % 10)
}

func completeFinnish(s string) string { return s + finnishDigit(s) }

// A Belgian reference (gestructureerde mededeling, communication structurée) has 12 digits, printed +++123/1234/12345+++.
// The last two are the remainder of the others by 97, and 97 where there is none.
func checkBelgian(s string) error {
	if len(s) != 12 {
		return problem("A Belgian reference has 12 digits, such as +++123/4567/89002+++; this one has %d.", len(s))
	}
	if want := belgianDigits(s[:10]); s[10:] != want {
		return problem("The last two digits of a Belgian reference are its check digits; for this one they should be %s, not %s. Probably a digit is mistyped.",
			want, s[10:])
	}
	return nil
}

func belgianDigits(s string) string {
	n := mod97(s)
	if n == 0 {
		n = 97
	}
	return fmt.Sprintf("%02d", n)
}

func completeBelgian(s string) string { return s + belgianDigits(s) }

const norwegianName = "a Norwegian KID number"

// A Norwegian KID number has 2 to 25 digits. The payee chooses how its last one is computed: by the mod 10 method, as on
// cards, or by mod 11 with the weights 2 to 7 from the right, whose tenth digit is written as a hyphen. The number alone
// does not tell which.
func checkNorwegian(s string) error {
	if len(s) < 2 || len(s) > 25 {
		return problem("A Norwegian KID number has 2 to 25 digits; this one has %d.", len(s))
	}
	head, last := s[:len(s)-1], s[len(s)-1:]
	ten, eleven := luhn(head), norwegianDigit(head)
	switch {
	case last == ten, last == eleven:
		return nil
	case ten == eleven:
		return problem("The last digit of a Norwegian KID number is its check digit; for this one it should be %s, not %s. Probably a digit is mistyped.", ten, last)
	}
	return problem("The last digit of a Norwegian KID number is its check digit; for this one it should be %s (mod 10) or %s (mod 11), not %s. Probably a digit is mistyped.", ten, eleven, last)
}

func norwegianDigit(s string) string {
	sum := 0
	for i := range len(s) {
		sum += at(s, len(s)-1-i) * (2 + i%6)
	}
	switch n := 11 - sum%11; n {
	case 11:
		return "0"
	case 10:
		return "-"
	default:
		return strconv.Itoa(n)
	}
}

func completeNorwegian(s string) string { return s + luhn(s) }

// swiss are the rules of a Swiss QR reference, the kind QRR of QR-bills. The API has no code for it.
var swiss = rules{"a Swiss QR reference", " ", false, checkSwiss, completeSwiss}

// CheckQR says what is wrong with a Swiss QR reference (QRR), as Check does for the schemes of the API; nil: it is right.
func CheckQR(number string) error {
	plain, err := swiss.plain(number)
	if err != nil {
		return err
	}
	return swiss.check(plain)
}

// MakeQR makes a Swiss QR reference of up to 26 digits: with zeros before them, and the check digit behind.
func MakeQR(number string) (string, error) {
	plain, err := swiss.plain(number)
	if err != nil {
		return "", err
	}
	made := swiss.complete(plain)
	return made, swiss.check(made)
}

// A Swiss QR reference has 27 digits, not all of them zeros. The last one is computed by the recursive
// method mod 10 (Swiss Implementation Guidelines QR-bill, annex "Calculation of the check digit").
func checkSwiss(s string) error {
	switch {
	case len(s) != 27:
		return problem("A Swiss QR reference has 27 digits; this one has %d.", len(s))
	case strings.Trim(s, "0") == "":
		return problem("A Swiss QR reference has another digit than zero.")
	}
	return checkLast("a Swiss QR reference", s, swissDigit(s[:26]))
}

// swissDigit goes from digit to digit: the sum of what is carried and the digit is the place in the row, which says what is carried on.
func swissDigit(s string) string {
	row, carry := [...]int{0, 9, 4, 6, 8, 2, 7, 1, 3, 5}, 0
	for i := range len(s) {
		carry = row[(carry+at(s, i))%10]
	}
	return strconv.Itoa((10 - carry) % 10)
}

func completeSwiss(s string) string {
	s = strings.Repeat("0", max(0, 26-len(s))) + s
	return s + swissDigit(s)
}

// A Swedish OCR number, of Bankgiro, has 2 to 25 digits; the last one is computed by the mod 10 method, as on cards. What
// more a payee has agreed with Bankgiro (a fixed length, or a digit that tells it) is not to be seen in a number.
func checkSwedish(s string) error {
	if len(s) < 2 || len(s) > 25 {
		return problem("A Swedish OCR number has 2 to 25 digits; this one has %d.", len(s))
	}
	return checkLast("a Swedish OCR number", s, luhn(s[:len(s)-1]))
}

func completeSwedish(s string) string { return s + luhn(s) }

// Luhn returns the check digit of the mod 10 method with alternating double weights (ISO/IEC 7812), which Bankgiro and
// Plusgiro numbers and cards end in. digits holds ASCII digits only.
func Luhn(digits string) string { return luhn(digits) }

func luhn(s string) string {
	sum := 0
	for i := range len(s) {
		n := at(s, len(s)-1-i)
		if i%2 == 0 {
			n *= 2
		}
		sum += n/10 + n%10
	}
	return strconv.Itoa((10 - sum%10) % 10)
}

// checkMandate applies the rules of identifiers in SEPA: up to 35 characters of its set, no slash at an end, no two
// slashes together, no space at an end.
func checkMandate(s string) error {
	const others = "/-?:().,'+ "
	length := 0
	for _, r := range s {
		length++
		if (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && !strings.ContainsRune(others, r) {
			return problem("A mandate reference has the letters A to Z, digits, spaces and / - ? : ( ) . , ' + only; character %d is %s.", length, iban.Describe(r))
		}
	}
	switch {
	case length == 0:
		return problem("A mandate reference has 1 to 35 characters; this one is empty.")
	case length > 35:
		return problem("A mandate reference has at most 35 characters; this one has %d.", length)
	case strings.Trim(s, " ") != s:
		return problem("A mandate reference neither begins nor ends with a space.")
	case strings.Trim(s, "/") != s:
		return problem("A mandate reference neither begins nor ends with a slash.")
	case strings.Contains(s, "//"):
		return problem("A mandate reference has no two slashes together.")
	}
	return nil
}

// checkLast compares the last digit of a number of digits with what it should be.
func checkLast(name, s, want string) error {
	if last := s[len(s)-1:]; last != want {
		return problem("The last digit of %s is its check digit; for this one it should be %s, not %s. Probably a digit is mistyped.", name, want, last)
	}
	return nil
}

func at(s string, i int) int { return int(s[i] - '0') }

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// mod97 divides digits and letters, which stand for 10 to 35.
func mod97(s string) int {
	rest := 0
	for i := range len(s) {
		if s[i] >= 'A' {
			rest = (rest*100 + int(s[i]-'A') + 10) % 97
		} else {
			rest = (rest*10 + int(s[i]-'0')) % 97
		}
	}
	return rest
}
